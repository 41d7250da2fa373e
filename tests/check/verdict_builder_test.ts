import { assert, assertEquals } from "@std/assert";
import {
  type Verdict,
  VerdictBuilder,
  type VerdictOptions,
} from "../../lib/check/check.ts";
import { type Fields, fieldsOf } from "../../lib/json/fields.ts";
import { JsonlNormalizer } from "../../lib/pipeline/pipeline.ts";
import type { TranscriptPart } from "../../lib/render/parts.ts";
import { eventsOf } from "../events/reading.ts";
import { linesOf, namesIn, readFixture } from "../fixtures.ts";
import fc from "../property_seed.ts";
import {
  cutAt,
  decode,
  encode,
  encodeJsonl,
  normalizeBytes,
  outputOf,
} from "../running.ts";
import {
  answerLine,
  callLine,
  eventLine,
  itemLine,
  line,
  messageLine,
  outputLine,
  pagedLine,
  PAGINATED,
  promptLine,
  TIME,
} from "../session_lines.ts";

/** Judges bytes, cut into chunks. */
function judge(
  bytes: Uint8Array,
  { cuts = [], show = () => {}, ...options }: VerdictOptions & {
    readonly cuts?: readonly number[];
    readonly show?: (part: TranscriptPart) => void;
  } = {},
): Verdict {
  const builder = new VerdictBuilder(options);
  for (const chunk of cutAt(bytes, cuts)) builder.feed(chunk, show);
  builder.flush(show);
  return builder.verdict;
}

/** Judges records. */
function judgeRecords(
  records: readonly unknown[],
  options: VerdictOptions = {},
): Verdict {
  return judge(encodeJsonl(records), options);
}

function messages({ reasons }: Verdict): string[] {
  return reasons.map(({ message }) => message);
}

const THREAD = { type: "thread.started", thread_id: "t" };
const TURN = { type: "turn.started" };
const DONE = {
  type: "turn.completed",
  usage: { input_tokens: 1200, cached_input_tokens: 0, output_tokens: 60 },
};
const OTHER_THREAD = { type: "thread.started", thread_id: "u" };

function item(
  type: string,
  fields: object,
  { event = "completed", id = "item_0" } = {},
): object {
  return { type: `item.${event}`, item: { id, type, ...fields } };
}

function say(text: string, id = "item_9"): object {
  return item("agent_message", { text }, { id });
}

function command(exit_code: number | null, event = "completed"): object {
  const status = exit_code === null
    ? "in_progress"
    : exit_code === 0
    ? "completed"
    : "failed";
  const aggregated_output = "";
  return item(
    "command_execution",
    { command: "bash -lc 'make test'", aggregated_output, exit_code, status },
    { event },
  );
}

function failTurn(message: string): object {
  return { type: "turn.failed", error: { message } };
}

function error(message: string): object {
  return { type: "error", message };
}

const SESSION_META = line("session_meta", {
  id: "t",
  cwd: "/",
  timestamp: TIME,
});

/** A turn with a prompt, of a release that does not write errors into session files. */
function promptedTurn(
  lastMessage: string | null,
  ...records: readonly object[]
): object[] {
  return [
    eventLine("task_started", { turn_id: "1" }),
    promptLine("Go"),
    ...records,
    eventLine("task_complete", {
      turn_id: "1",
      last_agent_message: lastMessage,
    }),
  ];
}

/** The lines of a turn whose context is compacted after a message and a command. */
function compacted(summary: string): object[] {
  return [
    answerLine("Looking."),
    messageLine("assistant", "Looking."),
    itemLine("function_call", LISTING),
    itemLine("function_call_output", { call_id: "c", output: "a" }),
    messageLine("assistant", summary),
    eventLine("token_count", { info: null }),
    { type: "compacted", payload: { message: "A summary:\nListed files." } },
    eventLine("context_compacted"),
  ];
}

/** A turn with a blank prompt and without an answer. */
const BLANK_TURN = [
  eventLine("task_started", { turn_id: "1" }),
  promptLine("  "),
  eventLine("task_complete", { turn_id: "1", last_agent_message: null }),
];

/** A turn with a prompt and without a last message, in a session file of items. */
function itemTurn(...records: readonly object[]): object[] {
  return [
    PAGINATED,
    eventLine("task_started", { turn_id: "1" }),
    pagedLine("UserMessage", { id: "2", content: [{ text: "Review" }] }),
    ...records,
    eventLine("task_complete", { turn_id: "1", last_agent_message: null }),
  ];
}

/** The call of a command. */
const LISTING = {
  call_id: "c",
  name: "exec_command",
  arguments: '{"cmd":"ls"}',
};

/** A turn of a release without events for turns, in a file that codex migrate-rollouts wrote. */
function migratedTurn(...records: readonly object[]): object[] {
  const turn_id = "rollout-1";
  return [
    PAGINATED,
    eventLine("task_started", { turn_id, started_at: 1795191255 }),
    pagedLine("UserMessage", { id: "2", content: [{ text: "Go" }] }),
    ...records,
    eventLine("task_complete", {
      turn_id,
      last_agent_message: null,
      completed_at: 1795191255,
    }),
  ];
}

/** The lines of a message whose response was cut off. */
const PARTIAL = [
  answerLine("Partial an"),
  messageLine("assistant", "Partial an"),
];

/** The lines of a failed review. Up to 0.144 session files do not hold the reason. */
const FAILED_REVIEW = [
  eventLine("entered_review_mode", { target: { type: "custom" } }),
  promptLine("Check"),
  eventLine("exited_review_mode", { review_output: null }),
  messageLine("assistant", "Review was interrupted. Please re-run /review."),
  answerLine("Review was interrupted. Please re-run /review."),
];

const CUT_OFF = "turn 1 has no end: the log ends before it does";
const NEXT_CUT_OFF = "turn 2 has no end: the log ends before it does";
const ERROR = "turn 1 ended with an error: No";
const UNANSWERED = "turn 1 ended without an answer; the log does not say why";

/** The rows of verdicts.tsv: the expected verdict on each capture, and why. */
const ROWS = decode(readFixture("verdicts.tsv")).trimEnd().split("\n").slice(1)
  .map((line) => {
    const [version, scenario, file, , verdict, reasons, why] = line.split("\t");
    return { path: `${version}/${scenario}/${file}`, verdict, reasons, why };
  });

Deno.test("verdicts.tsv has a row for every captured stream and session file", () => {
  const paths = namesIn("captures/").flatMap((version) =>
    namesIn(`captures/${version}/`).flatMap((scenario) =>
      namesIn(`captures/${version}/${scenario}/`)
        .filter((name) => /^(?:stdout|rollout|archived).*\.jsonl$/.test(name))
        .map((name) => `${version}/${scenario}/${name}`)
    )
  );
  assertEquals(ROWS.map(({ path }) => path).sort(), paths.sort());
  assertEquals(ROWS.filter(({ why }) => why === undefined || why === ""), []);
});

for (const version of namesIn("captures/")) {
  Deno.test(`VerdictBuilder judges every run of ${version} as verdicts.tsv does, as its transcript ends, and the same with turnsOnly`, () => {
    let completed = 0;
    for (const { path, verdict, reasons, why } of ROWS) {
      if (!path.startsWith(`${version}/`)) continue;
      const bytes = readFixture(`captures/${path}`);
      let last: string | undefined;
      const { isPassed, reasons: found, status, tokens } = judge(bytes, {
        show: (part) => {
          if (part.type === "turn_ended") last = part.status;
        },
      });
      assertEquals(
        [isPassed ? "passed" : "failed", found.map(({ kind }) => kind).join()],
        [verdict, reasons],
        `${path}: ${why}`,
      );
      // Where no event ends a turn, a transcript does not say how it ended.
      if (last !== undefined && last !== "unknown") {
        assertEquals(last === "completed", status === "completed", path);
      }
      if (!path.includes("/rollout-")) continue;
      const quick = judge(bytes, { turnsOnly: true });
      if (quick.status === "completed") {
        assertEquals([quick.status, quick.tokens], [status, tokens], path);
        completed += 1;
      }
    }
    // Since 0.104 lines say how each turn ends.
    assertEquals(completed > 15, /^0\.1\d\d\./.test(version), `${completed}`);
  });
}

Deno.test("VerdictBuilder does not call a prompt of a paginated file answered because turnsOnly skips it", () => {
  const lines = itemTurn().map((each) => `${JSON.stringify(each)}\n`);
  const bytes = new TextEncoder().encode(lines.join(""));
  assertEquals(judge(bytes, { turnsOnly: true }).status, "failed");
});

Deno.test("VerdictBuilder judges the events of a turn that codex migrate-rollouts made up like its file", () => {
  const file = migratedTurn(
    pagedLine("AgentMessage", { id: "3", content: [{ text: "Done." }] }),
    messageLine("assistant", "Done."),
  );
  const { status, finalMessage } = judgeRecords(
    eventsOf(file.map(fieldsOf)),
  );
  assertEquals([status, finalMessage], ["completed", "Done."]);
});

Deno.test("VerdictBuilder judges a normalized log like the original", () => {
  for (const { path } of ROWS) {
    if (!/\/(?:cut|fail400|failmid|sigint_cmd|resume)\//.test(path)) continue;
    const bytes = readFixture(`captures/${path}`);
    const normalized = judge(normalizeBytes([bytes], { from: "auto" }));
    const original = judge(bytes);
    assertEquals(
      [normalized.reasons.map(({ kind }) => kind), normalized.finalMessage],
      [original.reasons.map(({ kind }) => kind), original.finalMessage],
      path,
    );
  }
});

/** The rows of session files of 0.169.0 whose verdict is "passed". */
const PASSED = ROWS.filter(({ path, verdict }) =>
  /^0\.169\.0\/.*\/rollout/.test(path) && verdict === "passed"
);

/** Yields each member of the objects in a value: the object that holds it, and its name. */
function* membersIn(
  value: unknown,
): Generator<[holder: Record<string, unknown>, name: string]> {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Record<string, unknown>;
  for (const name of Object.keys(holder)) {
    if (!Array.isArray(value)) yield [holder, name];
    yield* membersIn(holder[name]);
  }
}

/** Counts the lines that the normalizer fails. */
function failuresOf(bytes: Uint8Array): number {
  const normalizer = new JsonlNormalizer();
  outputOf(normalizer, [bytes]);
  return normalizer.failures;
}

for (
  const { name, drift } of [
    {
      name: "drops a field",
      drift: (holder: Record<string, unknown>, field: string) => {
        delete holder[field];
      },
    },
    {
      name: "turns a field into an object",
      drift: (holder: Record<string, unknown>, field: string) => {
        holder[field] = { value: holder[field] };
      },
    },
    {
      name: "turns a field into a string",
      drift: (holder: Record<string, unknown>, field: string) => {
        holder[field] = "x";
      },
    },
  ]
) {
  Deno.test(`VerdictBuilder fails no line of a session file that the normalizer accepts, if a release ${name}`, () => {
    for (const { path } of PASSED) {
      if (!path.includes("/msg/")) continue;
      const lines = decode(readFixture(`captures/${path}`)).trimEnd()
        .split("\n");
      const names = new Set(
        lines.flatMap((line) =>
          [...membersIn(JSON.parse(line))].map(([, name]) => name)
        ),
      );
      for (const field of names) {
        const drifted = encode(
          lines.map((line) => {
            const record: unknown = JSON.parse(line);
            for (const [holder, name] of membersIn(record)) {
              if (name === field) drift(holder, field);
            }
            return `${JSON.stringify(record)}\n`;
          }).join(""),
        );
        const { failedLines } = judge(drifted);
        assertEquals(failedLines, failuresOf(drifted), `${path}: ${field}`);
      }
    }
  });
}

for (
  const field of [
    ...["approvals_reviewer", "arguments", "command", "cwd", "full", "model"],
    ...["model_provider", "state", "summary", "thread_id", "thread_settings"],
    ...["thread_source", "timestamp"],
  ]
) {
  Deno.test(`VerdictBuilder passes session files in which ${field} is renamed or an object`, () => {
    for (const { path } of PASSED) {
      const text = decode(readFixture(`captures/${path}`));
      const name = `"${field}":`;
      for (
        const drifted of [
          text.replaceAll(name, `"new_${field}":`),
          text.replaceAll(name, `${name}{"is":"new"},"old_${field}":`),
        ]
      ) assertEquals(messages(judge(encode(drifted))), [], path);
    }
  });
}

const ENDS = [
  {
    name: "a turn that completed",
    records: [THREAD, TURN, say("Done."), DONE],
    expected: [],
  },
  {
    name: "a turn that failed",
    records: [THREAD, TURN, error("No"), failTurn("No")],
    expected: ["turn 1 failed: No"],
  },
  {
    name: "a turn without an end",
    records: [THREAD, TURN, say("Working")],
    expected: ["turn 1 has no end: the log ends before it does"],
  },
  {
    name: "an error that ended the stream",
    records: [THREAD, TURN, say("Working"), error("Out of luck")],
    expected: ["turn 1 ended with an error: Out of luck"],
  },
  {
    name: "an error before any turn",
    records: [THREAD, error("Out of luck")],
    expected: ["the run ended with an error: Out of luck"],
  },
  {
    name: "an error after a completed turn",
    records: [THREAD, TURN, say("Done."), DONE, error("MCP server is gone")],
    expected: ["the run ended with an error: MCP server is gone"],
  },
  {
    name: "a retry after a completed turn",
    records: [THREAD, TURN, say("Done."), DONE, error("Reconnecting... 1/5")],
    expected: [],
  },
  {
    name: "an error that further work follows",
    records: [THREAD, TURN, error("Reconnecting... 1/5"), say("Done."), DONE],
    expected: [],
  },
  {
    name: "a warning as an item",
    records: [THREAD, item("error", { message: "deprecated" }), TURN, DONE],
    expected: [],
  },
  {
    name: "a command that was left running",
    records: [THREAD, TURN, command(null, "started"), say("Done."), DONE],
    expected: [],
  },
  {
    name: "a thread that failed and was resumed",
    records: [THREAD, TURN, failTurn("No"), THREAD, TURN, say("Done."), DONE],
    expected: [],
  },
  {
    name: "a thread that was resumed in vain",
    records: [THREAD, TURN, DONE, THREAD],
    expected: ["the run began no turn"],
  },
  {
    name: "a line that belongs to no turn, and no other line",
    records: [{
      timestamp: "2026-01-01T00:00:00.000Z",
      type: "world_state",
      payload: {},
    }],
    expected: ["the run began no turn"],
  },
  ...[
    ["before 0.148", {}],
    ["since 0.148", { ordinal: 1 }],
  ].map(([name, numbered]) => ({
    name: `a developer message and no other item, in a file ${name}`,
    records: [{
      type: "session_meta",
      payload: { id: "t", timestamp: "2026-01-01T00:00:00.000Z" },
    }, {
      timestamp: "2026-01-01T00:00:00.000Z",
      ...Object(numbered),
      type: "response_item",
      payload: { type: "message", role: "developer", content: [] },
    }],
    expected: ["the run has no end: the log ends before it does"],
  })),
  {
    name: "two threads, the first of which failed",
    records: [THREAD, TURN, failTurn("No"), OTHER_THREAD, TURN, DONE],
    expected: ["turn 1 of thread t failed: No"],
  },
  {
    name: "a run of 0.42 that ends with an answer",
    records: [
      { type: "session.created", session_id: "s" },
      item("assistant_message", { text: "Done." }),
    ],
    expected: [],
  },
  {
    name: "two runs of 0.42, the first of which has no end",
    records: [
      { type: "session.created", session_id: "s" },
      command(null, "started"),
      { type: "session.created", session_id: "r" },
      say("Done."),
    ],
    expected: [
      "the run of thread s has no end: the log ends before it does",
    ],
  },
  {
    name: "a thread without a turn",
    records: [THREAD],
    expected: ["the run began no turn"],
  },
  {
    name: "a session file whose turn has an error",
    records: [
      SESSION_META,
      eventLine("task_started", { turn_id: "1" }),
      promptLine("Go"),
      eventLine("task_complete", {
        turn_id: "1",
        last_agent_message: null,
        error: { message: "No" },
      }),
    ],
    expected: ["turn 1 failed: No"],
  },
  {
    name: "a session file whose prompt, an image, has no answer",
    records: [
      SESSION_META,
      eventLine("task_started", { turn_id: "1" }),
      eventLine("user_message", {
        message: "",
        images: ["data:image/png;base64,iVBORw0KGgo="],
      }),
      eventLine("task_complete", { turn_id: "1", last_agent_message: null }),
    ],
    expected: [UNANSWERED],
  },
  {
    name: "the events of a session file whose prompt has no answer",
    records: [
      THREAD,
      { ...TURN, line: 2 },
      { type: "turn.failed", error: { message: "" }, line: 3 },
    ],
    expected: [UNANSWERED],
  },
  {
    name: "a session file that holds the error which left a prompt unanswered",
    records: promptedTurn(null, eventLine("error", { message: "No" })),
    expected: ["turn 1 failed: No"],
  },
  {
    name: "a blank prompt without an answer",
    records: BLANK_TURN,
    expected: [UNANSWERED],
  },
  ...["Go", " "].map((message) => ({
    name: `a turn without a prompt after the answer to ${
      JSON.stringify(message)
    }`,
    records: [
      eventLine("task_started"),
      promptLine(message),
      messageLine("assistant", "Done."),
      eventLine("task_complete", { last_agent_message: "Done." }),
      eventLine("task_started"),
      eventLine("task_complete", { last_agent_message: null }),
    ],
    expected: [],
  })),
  {
    name: "an empty message, which is an answer",
    records: promptedTurn(null, messageLine("assistant", "")),
    expected: [],
  },
  {
    name: "a message that was cut off, which is no answer",
    records: promptedTurn(null, ...PARTIAL, ...PARTIAL),
    expected: [UNANSWERED],
    finalMessage: "Partial an",
  },
  {
    name:
      "a turn that codex migrate-rollouts made up, whose end has no message",
    records: migratedTurn(
      pagedLine("AgentMessage", { id: "3", content: [{ text: "Done." }] }),
      messageLine("assistant", "Done."),
    ),
    expected: [],
    finalMessage: "Done.",
  },
  {
    name: "a turn that codex migrate-rollouts made up, cut off",
    records: migratedTurn(itemLine("function_call", LISTING)),
    expected: [CUT_OFF],
  },
  {
    name: "a whole system message, which is an error",
    records: [
      promptLine("Go"),
      itemLine("message", {
        role: "system",
        content: ["No", "way"].map((text) => ({ type: "input_text", text })),
      }),
    ],
    expected: ["turn 1 ended with an error: No\nway"],
  },
  {
    name: "the summary of a compaction, which is no answer (0.136)",
    records: promptedTurn(null, ...compacted("Listed files.")),
    expected: [UNANSWERED],
    finalMessage: "Looking.",
  },
  {
    name: "a message before a compaction, which is an answer",
    records: promptedTurn(
      "There are files.",
      ...compacted("There are files."),
    ),
    expected: [],
    finalMessage: "There are files.",
  },
  {
    name: "a message after a compaction, which is an answer",
    records: promptedTurn(
      "Done.",
      ...compacted("Listed files."),
      answerLine("Done."),
      messageLine("assistant", "Done."),
    ),
    expected: [],
    finalMessage: "Done.",
  },
  {
    name: "the findings of a review, which are an answer",
    records: promptedTurn(
      null,
      eventLine("exited_review_mode"),
      messageLine("assistant", "One issue."),
    ),
    expected: [],
  },
  {
    name: "the findings of a review in a file of items, which are an answer",
    records: itemTurn(
      pagedLine("ExitedReviewMode", { id: "1" }),
      messageLine("assistant", "One."),
    ),
    expected: [],
  },
  {
    name: "no answer in a file of items",
    records: itemTurn(),
    expected: [UNANSWERED],
  },
  {
    name: "the findings of a review that no message repeats (up to 0.61)",
    records: [
      promptLine("Review it"),
      eventLine("entered_review_mode", { prompt: "Review it" }),
      eventLine("exited_review_mode", {
        review_output: { overall_explanation: "One issue." },
      }),
    ],
    expected: [],
  },
  {
    name: "the notice of a failed review, which is no answer",
    records: promptedTurn(null, ...FAILED_REVIEW),
    expected: [UNANSWERED],
  },
  {
    name: "a failed review without events of turns (up to 0.98)",
    records: FAILED_REVIEW,
    expected: [CUT_OFF],
  },
  {
    name: "a message after a failed review, which is an answer",
    records: [
      ...FAILED_REVIEW,
      promptLine("Then do it yourself"),
      messageLine("assistant", "Done."),
      answerLine("Done."),
    ],
    expected: [],
    finalMessage: "Done.",
  },
] satisfies {
  name: string;
  records: object[];
  expected: string[];
  finalMessage?: string;
}[];

/** Messages of an error that ends a stream, and the reason in the verdict on its turn. */
const LAST_ERRORS = [
  "Reconnecting... 1/5",
  "Re-connecting... 4/5",
  "Reconnecting... 2/5 (stream disconnected before completion)",
  "stream error: unexpected status 500; retrying 1/5 in 210ms…",
  "waiting for network",
].map((retry) => [
  retry,
  `has no end: the log ends before it does: the last thing it says is "${retry}"`,
]).concat([
  ["Turn interrupted", "was interrupted"],
  // The message of 0.20.
  [" Turn interrupted", "was interrupted"],
  [" It broke \n", "ended with an error: It broke"],
  ['{"error":{"message":"No x"}}', "ended with an error: No x"],
  [
    'status 400: {"error":{"message":"No x"}}',
    "ended with an error: status 400: No x",
  ],
  ['{"detail":"No x"}', "ended with an error: No x"],
  ['{"code":7}', 'ended with an error: {"code":7}'],
  ['{"message":" "}', 'ended with an error: {"message":" "}'],
  ["use {braces}", "ended with an error: use {braces}"],
]);

for (const [message = "", end] of LAST_ERRORS) {
  Deno.test(`VerdictBuilder judges a turn by its last error: ${message}`, () => {
    const verdict = judgeRecords([THREAD, TURN, error(message)]);
    assertEquals(messages(verdict), [`turn 1 ${end}`]);
  });
}

/** A message of the oldest exec streams, `{"id":…,"msg":…}`. */
function msg(type: string, fields: object = {}): object {
  return { id: "0", msg: { type, ...fields } };
}

const MSG_RUN = [
  { model: "m", provider: "p", workdir: "/w" },
  { prompt: "Go" },
  msg("task_started"),
  msg("agent_message", { message: "Done." }),
];

Deno.test("VerdictBuilder counts an error before the start of a turn of the old dialect to that turn", () => {
  const [config, prompt, ...rest] = MSG_RUN;
  const broken = msg("error", { message: "an MCP client failed to start" });
  const begun = [config, prompt, broken];
  const { turns, status } = judgeRecords([...begun, ...rest]);
  assertEquals([turns, status], [1, "completed"]);
  // An end without an answer would count that error as the one that ended the turn.
  const end = msg("task_complete", { last_agent_message: null });
  const empty = judgeRecords([...begun, msg("task_started"), end]);
  assertEquals([empty.turns, empty.status], [1, "completed"]);
});

for (const reason of ["interrupted", "replaced", "review_ended"]) {
  Deno.test(`VerdictBuilder judges turn_aborted of the old dialect as an interrupted turn: ${reason}`, () => {
    const verdict = judgeRecords([...MSG_RUN, msg("turn_aborted", { reason })]);
    const why = reason === "interrupted" ? "" : `: ${reason}`;
    assertEquals(verdict.status, "aborted");
    assertEquals(verdict.reasons.map(({ kind, message }) => [kind, message]), [
      ["interrupted", `turn 1 was interrupted${why}`],
    ]);
  });
}

for (
  const type of [
    ...["background_event", "conversation_history", "conversation_path"],
    ...["get_history_entry_response", "list_custom_prompts_response"],
    ...["mcp_list_tools_response", "shutdown_complete", "token_count"],
    ...["turn_diff"],
  ]
) {
  Deno.test(`VerdictBuilder ignores a last ${type}: the turn ends as without it`, () => {
    assertEquals(messages(judgeRecords([...MSG_RUN, msg(type)])), []);
    const broken = [...MSG_RUN, msg("error", { message: "No" }), msg(type)];
    assertEquals(messages(judgeRecords(broken)), [
      "turn 1 ended with an error: No",
    ]);
  });
}

/** The last item of a stream without turns, and whether it shows that the work continues. */
const LAST_ITEMS = [
  [item("todo_list", { items: [] }), false],
  [item("todo_list", { items: [] }, { event: "updated" }), false],
  [item("error", { message: "careful" }), false],
  [command(0), false],
  [command(null, "started"), true],
  [item("mcp_tool_call", { server: "s", tool: "t" }), false],
  [item("collab_tool_call", { tool: "wait" }), false],
  [item("collab_tool_call", { tool: "wait" }, { event: "started" }), true],
  [item("file_change", { changes: [] }), true],
  [item("reasoning", { text: "Hm" }), true],
] as const;

for (const [last, isWork] of LAST_ITEMS) {
  Deno.test(`VerdictBuilder judges a run without turns whose answer is followed by ${JSON.stringify(last)}`, () => {
    const run = [{ type: "session.created", session_id: "s" }, say("Done.")];
    assertEquals(
      messages(judgeRecords([...run, last])),
      isWork ? ["the run has no end: the log ends before it does"] : [],
    );
  });
}

Deno.test("VerdictBuilder reports the line that ended a turn, or null", () => {
  const linesOf = (...records: object[]) =>
    judgeRecords([THREAD, TURN, ...records]).reasons.map(({ line }) => line);
  assertEquals(linesOf(say("Hm"), failTurn("No")), [4]);
  assertEquals(linesOf(say("Hm")), [null]);
  assertEquals(linesOf(error("No")), [null]);
});

for (const { name, records, expected, ...rest } of ENDS) {
  Deno.test(`VerdictBuilder judges: ${name}`, () => {
    const verdict = judgeRecords(records);
    assertEquals(messages(verdict), expected);
    if ("finalMessage" in rest) {
      assertEquals(verdict.finalMessage, rest.finalMessage);
    }
  });
}

Deno.test("VerdictBuilder judges logs without their beginning", () => {
  const options = { initialThreadId: "t", initialTurnId: "1" };
  assertEquals(messages(judgeRecords([say("Done."), DONE], options)), []);
  assertEquals(
    messages(judgeRecords([command(null, "started")], options)),
    ["the run has no end: the log ends before it does"],
  );
});

Deno.test("VerdictBuilder reports an empty input", () => {
  for (const text of ["", "\n\n"]) {
    const verdict = judge(encode(text));
    assertEquals(messages(verdict), [
      "the input is empty: Codex wrote nothing",
    ]);
    assertEquals([verdict.turns, verdict.status], [0, null]);
  }
});

Deno.test("VerdictBuilder reports a thread of which there is no event", () => {
  const verdict = judgeRecords([THREAD, TURN, DONE], { thread: "x\n" });
  assertEquals(messages(verdict), ['no event is of the thread "x\\n"']);
});

Deno.test("VerdictBuilder has the status of the last turn and the number of turns where no event ended one", () => {
  const judged = [
    [THREAD, TURN, say("Done."), DONE, error("No")],
    [THREAD, error("No")],
    [THREAD, say("Done.")],
    [THREAD],
  ].map((records) => {
    const { status, turns, isPassed } = judgeRecords(records);
    return [status, turns, isPassed];
  });
  assertEquals(judged, [
    ["failed", 1, false],
    ["failed", 1, false],
    ["completed", 1, true],
    [null, 0, false],
  ]);
});

Deno.test("VerdictBuilder counts failed lines, and tolerates as many as maxFailures", () => {
  const text = `noise\n${JSON.stringify(THREAD)}\n${JSON.stringify(TURN)}\n{\n${
    JSON.stringify(DONE)
  }\n`;
  const verdict = judge(encode(text));
  assertEquals(verdict.failures.map(({ line, kind }) => [line, kind]), [
    [1, "json"],
    [4, "json"],
  ]);
  assertEquals(verdict.reasons.map(({ kind, line }) => [kind, line]), [
    ["failed_lines", 1],
  ]);
  assertEquals(judge(encode(text), { maxFailures: 1 }).isPassed, false);
  assertEquals(judge(encode(text), { maxFailures: 2 }).isPassed, true);
});

Deno.test("VerdictBuilder passes a fork that only added its own context behind an answer (0.87)", () => {
  const verdict = judgeRecords([
    line("session_meta", { id: "t", timestamp: TIME }),
    messageLine("user", "Begin"),
    messageLine("assistant", "Done."),
    itemLine("message", {
      role: "developer",
      content: [{ type: "input_text", text: "All commands are allowed." }],
    }),
    messageLine("user", "<environment_context>here</environment_context>"),
  ]);
  assertEquals([messages(verdict), verdict.status], [[], "completed"]);
});

Deno.test("VerdictBuilder counts no failed commands that a fork copied from its parent", () => {
  const id = "01a1f998-5f1d-7a62-b041-acc1b3a62c8f";
  const parent = "01a1f998-5ed9-73e1-ab03-ae5d4cf3b43c";
  const failed = (call_id: string): object[] => [
    callLine("shell", { command: ["make", call_id] }, call_id),
    outputLine(
      JSON.stringify({ output: "", metadata: { exit_code: 2 } }),
      call_id,
    ),
  ];
  const verdict = judgeRecords([
    line("session_meta", { id, forked_from_id: parent, cwd: "/" }),
    line("session_meta", { id: parent, cwd: "/" }),
    eventLine("task_started", {
      turn_id: "01a1f998-5ee8-7790-ac0e-f0e935d388f3",
    }),
    // The failed command waits for this one, and is shown when the fork begins its own turn.
    callLine("shell", { command: ["make", "open"] }, "open"),
    ...failed("copied"),
    eventLine("task_started", {
      turn_id: "01a1f998-5f38-7ab3-b5d7-cab88876d162",
    }),
    ...failed("own"),
  ], { failOnCommand: true });
  assertEquals(
    verdict.reasons.flatMap(({ kind, message }) =>
      kind === "failed_command" ? [message] : []
    ),
    ["a command failed with exit status 2: make own"],
  );
});

Deno.test("VerdictBuilder counts failed commands, and fails for them with failOnCommand", () => {
  const records = [
    ...[THREAD, TURN, command(null, "started"), command(2), command(0)],
    ...[command(null, "started"), say("Done."), DONE],
  ];
  assertEquals(judgeRecords(records).failedCommands, 1);
  assertEquals(judgeRecords(records).isPassed, true);
  assertEquals(messages(judgeRecords(records, { failOnCommand: true })), [
    "a command failed with exit status 2: make test",
  ]);
});

Deno.test("VerdictBuilder counts no failed command outside of a turn", () => {
  const verdict = judgeRecords([THREAD, TURN, say("Done."), DONE, command(1)]);
  assertEquals(verdict.failedCommands, 0);
});

Deno.test("VerdictBuilder fails lines longer than maxLineBytes", () => {
  const bytes = encode(`${JSON.stringify(THREAD)}\n`);
  const { length } = bytes;
  const failed = [length - 2, length - 1].map((maxLineBytes) =>
    judge(bytes, { maxLineBytes }).failedLines
  );
  assertEquals(failed, [1, 0]);
});

Deno.test("VerdictBuilder counts failed commands that only read files or search them", () => {
  const run = (
    type: string,
    name: string,
    id: string,
    exit_code: number,
  ): object[] => [
    eventLine("exec_command_begin", {
      call_id: id,
      command: [name, id],
      parsed_cmd: [{ type, cmd: `${name} ${id}`, name: id }],
    }),
    eventLine("exec_command_end", { call_id: id, stdout: "", exit_code }),
  ];
  const records = [
    line("session_meta", { id: "t", history_mode: "legacy" }),
    eventLine("task_started", { turn_id: "1" }),
    ...run("read", "cat", "a", 0),
    ...run("read", "cat", "b", 2),
    // The status of a search without a match.
    ...run("search", "grep", "c", 1),
    answerLine("Done."),
    eventLine("task_complete", { turn_id: "1", last_agent_message: "Done." }),
  ];
  const verdict = judgeRecords(records, { failOnCommand: true });
  assertEquals(verdict.failedCommands, 2);
  assertEquals(messages(verdict), [
    "a command failed with exit status 2: cat b",
    "a command failed with exit status 1: grep c",
  ]);
});

Deno.test("VerdictBuilder truncates a long command to 120 characters, and splits no character", () => {
  const nameOf = (command: string): string | undefined => {
    const failed = item("command_execution", {
      command,
      aggregated_output: "",
      exit_code: 1,
      status: "failed",
    });
    const verdict = judgeRecords([THREAD, TURN, failed, say("Done."), DONE], {
      failOnCommand: true,
    });
    return messages(verdict)[0]?.replace(/^.*status 1: /, "");
  };
  assertEquals(nameOf("x".repeat(120)), "x".repeat(120));
  assertEquals(nameOf("x".repeat(121)), `${"x".repeat(119)}…`);
  assertEquals(nameOf("😀".repeat(61)), `${"😀".repeat(59)}…`);
  assertEquals(nameOf(`x${"😀".repeat(61)}`), `x${"😀".repeat(59)}…`);
});

Deno.test("VerdictBuilder lists ten failed commands, and counts the rest", () => {
  const records: object[] = [THREAD, TURN];
  for (let i = 0; i < 30; i++) {
    const command = `run ${i}`;
    const fields = { aggregated_output: "", exit_code: 1, status: "failed" };
    records.push(
      item("command_execution", { command, ...fields }, { id: `item_${i}` }),
    );
  }
  const verdict = judgeRecords([...records, DONE], { failOnCommand: true });
  assertEquals(verdict.failedCommands, 30);
  assertEquals(verdict.reasons.length, 11);
  assertEquals(messages(verdict).at(-1), "20 more commands failed");
});

Deno.test("VerdictBuilder counts tokens exactly, beyond 2^53", () => {
  const line =
    '{"type":"turn.completed","usage":{"input_tokens":9007199254740993,"output_tokens":1}}\n';
  const text = `${JSON.stringify(THREAD)}\n${JSON.stringify(TURN)}\n${line}`;
  const [over] = judge(encode(text), { maxTokens: 9007199254740993n }).reasons;
  assertEquals(
    over?.message,
    "9,007,199,254,740,994 tokens were used, the limit is 9,007,199,254,740,993",
  );
  assert(judge(encode(text), { maxTokens: 9007199254740994n }).isPassed);
});

Deno.test("VerdictBuilder requires a final message in JSON with jsonOutput", () => {
  const jsonOf = (...texts: string[]) =>
    messages(
      judgeRecords([
        THREAD,
        TURN,
        ...texts.map((text, i) => say(text, `item_${i}`)),
        DONE,
      ], { jsonOutput: true }),
    );
  assertEquals(jsonOf("Working", '{"a": 1}\n'), []);
  assertEquals(jsonOf("null"), []);
  assertEquals(jsonOf('{"a": 1}', "Done."), [
    "the final message is not valid JSON",
  ]);
  assertEquals(jsonOf('```json\n{"a": 1}\n```'), [
    "the final message is not valid JSON",
  ]);
  assertEquals(jsonOf(), ["there is no final message, which should be JSON"]);
});

Deno.test("VerdictBuilder takes the final message from the last turn only", () => {
  const records = [THREAD, TURN, say("One"), DONE, TURN, DONE];
  assertEquals(judgeRecords(records).finalMessage, null);
  const both = [THREAD, TURN, say("One"), DONE, TURN, say("Two", "a"), DONE];
  assertEquals(judgeRecords(both).finalMessage, "Two");
  // An empty part of a message is an item of its own.
  const parts = [THREAD, TURN, say("One"), say("", "a"), DONE];
  assertEquals(judgeRecords(parts).finalMessage, "One");
  // Each process numbers its items from 0.
  const resumed = [
    THREAD,
    TURN,
    say("One"),
    DONE,
    THREAD,
    TURN,
    say("2"),
    DONE,
  ];
  assertEquals(judgeRecords(resumed).finalMessage, "2");
});

for (const scenario of ["shellmany", "patch", "plan"]) {
  Deno.test(`VerdictBuilder finds the final message of logs without their beginning: ${scenario}`, () => {
    for (const { path } of ROWS) {
      if (!path.includes(`/${scenario}/rollout`)) continue;
      const lines = decode(readFixture(`captures/${path}`)).trimEnd()
        .split("\n");
      const { finalMessage } = judge(encode(lines.join("\n")));
      if (finalMessage === null) continue;
      const text = JSON.stringify(finalMessage);
      const last = lines.findLastIndex((line) =>
        line.includes(text) && !line.includes("last_agent_message")
      );
      for (let first = 0; first < last; first += 3) {
        const cut = encode(lines.slice(first).join("\n"));
        assertEquals(
          judge(cut, { from: "rollout" }).finalMessage,
          finalMessage,
          `${path} from ${first}`,
        );
      }
    }
  });
}

const CALL = { call_id: "c" };
/**
 * The last line of a session file; the reason in the verdict where an answer precedes the line,
 * and where an error does.
 */
const LAST_LINES = [
  [eventLine("agent_reasoning", { text: "Hm" }), CUT_OFF, CUT_OFF],
  [eventLine("exec_command_begin", CALL), CUT_OFF, CUT_OFF],
  [eventLine("exec_command_end", CALL), undefined, CUT_OFF],
  [eventLine("mcp_tool_call_begin", CALL), CUT_OFF, CUT_OFF],
  [eventLine("mcp_tool_call_end", CALL), undefined, CUT_OFF],
  [eventLine("patch_apply_begin", CALL), CUT_OFF, CUT_OFF],
  [eventLine("patch_apply_end", CALL), undefined, CUT_OFF],
  [eventLine("task_started"), NEXT_CUT_OFF, NEXT_CUT_OFF],
  [eventLine("turn_started"), NEXT_CUT_OFF, NEXT_CUT_OFF],
  [promptLine("Go"), NEXT_CUT_OFF, NEXT_CUT_OFF],
  [eventLine("task_complete"), undefined, undefined],
  [eventLine("turn_complete"), undefined, undefined],
  [answerLine("Done."), undefined, ERROR],
  [eventLine("token_count"), undefined, ERROR],
  [eventLine("undo_completed", { success: true }), undefined, ERROR],
  [itemLine("reasoning"), CUT_OFF, CUT_OFF],
  [
    itemLine("function_call_output"),
    CUT_OFF,
    CUT_OFF,
  ],
] as const;

for (const [last, afterAnswer, afterError] of LAST_LINES) {
  Deno.test(`VerdictBuilder judges a session file by its last line: ${JSON.stringify(last)}`, () => {
    const prompt = promptLine("Go");
    const reasonAfter = (before: object) =>
      messages(judgeRecords([prompt, before, last]))[0];
    assertEquals(reasonAfter(messageLine("assistant", "Done.")), afterAnswer);
    assertEquals(
      reasonAfter(eventLine("error", { message: "No" })),
      afterError,
    );
  });
}

Deno.test("VerdictBuilder fails a turn that codex mcp-server completes after an error (0.98)", () => {
  const messageOf = (msg: object) => ({
    method: "codex/event",
    params: { _meta: { requestId: 3, threadId: "t" }, id: "0", msg },
  });
  const verdict = judgeRecords([
    messageOf({ type: "task_started" }),
    messageOf({ type: "error", message: "No", codex_error_info: "other" }),
    messageOf({ type: "task_complete", last_agent_message: null }),
  ]);

  assertEquals(verdict.status, "failed");
  assertEquals(messages(verdict), ["turn 1 failed: No"]);
});

Deno.test("VerdictBuilder passes a turn without an answer of a release that writes errors of turns (0.145)", () => {
  const end = {
    turn_id: "1",
    last_agent_message: null,
    started_at: 1795349686,
    duration_ms: 255,
  };
  const records = [
    eventLine("task_started", { turn_id: "1" }),
    promptLine("Say nothing"),
    eventLine("task_complete", end),
  ];
  assertEquals(judgeRecords(records).status, "completed");
  const error = { message: "Bad request", codex_error_info: "other" };
  const failed = [
    ...records.slice(0, -1),
    eventLine("task_complete", { ...end, error }),
  ];
  assertEquals(messages(judgeRecords(failed)), ["turn 1 failed: Bad request"]);
});

Deno.test("VerdictBuilder begins no turn for speech", () => {
  const spoken = ["user", "assistant"].map((role) => ({
    type: "realtime_item",
    payload: { type: "transcript_segment", role, text: "Thanks" },
  }));
  const verdict = judgeRecords([
    ...spoken,
    ...promptedTurn("Done.", messageLine("assistant", "Done.")),
    ...spoken,
  ]);
  assertEquals(messages(verdict), []);
  assertEquals(verdict.turns, 1);
  assertEquals(verdict.finalMessage, "Done.");
});

/** Converts an event line to the form that a fork of Codex writes. */
function forkLine(record: object, at: number): object {
  const { type, payload } = fieldsOf(record);
  return type === "event_msg"
    ? { type: "event", payload: { id: `${at}`, event_seq: at, msg: payload } }
    : record;
}

Deno.test("VerdictBuilder reads the events of a fork like those of Codex", () => {
  const question = promptLine("Do it");
  const answer = messageLine("assistant", "Done.");
  const error = eventLine("error", { message: "No such model" });
  const review = { overall_explanation: "One issue." };
  const runs = [
    [question, answer, error],
    promptedTurn(null, ...FAILED_REVIEW),
    promptedTurn(
      null,
      messageLine("assistant", "One issue."),
      eventLine("exited_review_mode", { review_output: review }),
    ),
    [
      question,
      answerLine("Compact task completed"),
    ],
    BLANK_TURN,
  ];
  for (const run of runs) {
    assertEquals(judgeRecords(run.map(forkLine)), judgeRecords(run));
  }
  assertEquals(
    messages(judgeRecords([question, answer, error].map(forkLine))),
    [
      "turn 1 ended with an error: No such model",
    ],
  );
});

for (
  const { name, records, finalMessage } of [
    {
      name: "the message of the end of a turn that shows none",
      records: [
        eventLine("task_started"),
        promptLine("Go"),
        eventLine("task_complete", { last_agent_message: "Done." }),
      ],
      finalMessage: "Done.",
    },
    {
      name: "the message that a turn shows, not that of its end",
      records: [
        eventLine("task_started"),
        answerLine("Shown."),
        eventLine("task_complete", { last_agent_message: "Said." }),
      ],
      finalMessage: "Shown.",
    },
    {
      name: "null for a last turn that is only an end",
      records: [
        eventLine("task_started"),
        answerLine("First."),
        eventLine("task_complete", { last_agent_message: "First." }),
        eventLine("task_complete", { last_agent_message: null }),
      ],
      finalMessage: null,
    },
    {
      name: "a message between two turns, if the beginning of the last is lost",
      records: [
        eventLine("task_started"),
        answerLine("First."),
        eventLine("task_complete", { last_agent_message: "First." }),
        answerLine("Second."),
        eventLine("task_complete"),
      ],
      finalMessage: "Second.",
    },
    {
      name: "null if the last turn began after the message",
      records: [
        answerLine("First."),
        eventLine("task_started"),
        promptLine("Go"),
        eventLine("turn_aborted", { reason: "interrupted" }),
      ],
      finalMessage: null,
    },
    {
      name: "the message of the end of a turn in the old dialect",
      records: [
        { id: "0", msg: { type: "session_configured", session_id: "s" } },
        { id: "1", msg: { type: "task_started" } },
        {
          id: "1",
          msg: { type: "task_complete", last_agent_message: "Done." },
        },
      ],
      finalMessage: "Done.",
    },
  ]
) {
  Deno.test(`VerdictBuilder sets finalMessage to ${name}`, () => {
    assertEquals(judgeRecords(records).finalMessage, finalMessage);
  });
}

Deno.test("VerdictBuilder judges the turn before one that was stopped before anything happened in it", () => {
  const turn = [
    eventLine("task_started"),
    promptLine("Go"),
    answerLine("Done."),
    eventLine("task_complete", { last_agent_message: "Done." }),
  ];
  const stop = [
    eventLine("task_started"),
    eventLine("turn_aborted", { reason: "interrupted" }),
  ];
  const { isPassed, status, finalMessage } = judgeRecords([...turn, ...stop]);
  assertEquals(
    [isPassed, status, finalMessage],
    [true, "completed", "Done."],
  );
  const prompted = [stop[0], promptLine("More"), stop[1]];
  for (const turnsOnly of [false, true]) {
    const { status } = judgeRecords([...turn, ...prompted], { turnsOnly });
    assertEquals(status, "aborted");
  }
  assertEquals(judgeRecords(stop).status, "aborted");
  // No prompt of a stream shows that the user asked for the turn.
  const error = { message: "interrupted" };
  const aborted = { type: "turn.failed", reason: "interrupted", error };
  const runs = [THREAD, TURN, DONE, THREAD, TURN, aborted];
  assertEquals(judgeRecords(runs).status, "aborted");
});

Deno.test("VerdictBuilder gives the same verdict for any chunks", () => {
  const bytes = readFixture("captures/0.42.0/failmid/stdout.jsonl");
  const whole = judge(bytes);
  fc.assert(
    fc.property(
      fc.array(fc.nat(bytes.length), { maxLength: 5 }),
      (cuts) => {
        cuts.sort((a, b) => a - b);
        assertEquals(judge(bytes, { cuts }), whole);
      },
    ),
    { numRuns: 30, seed: 3 },
  );
});

Deno.test("VerdictBuilder judges any records without throwing", () => {
  const records = fc.array(
    fc.oneof(
      fc.constantFrom<unknown>(
        ...[THREAD, TURN, DONE, OTHER_THREAD, say("x"), command(1)],
        ...[error("x"), failTurn("x"), { type: "line.failed", line: 1 }],
        ...[{ type: "error" }, { type: "turn.failed", error: null }],
        ...[eventLine("error"), null, 1, "x"],
        ...[itemLine("message")],
        JSON.parse('{"__proto__":{"type":"turn.completed"}}'),
      ),
      fc.jsonValue(),
    ),
  );
  fc.assert(
    fc.property(records, (records) => {
      const verdict = judgeRecords(records, {
        failOnCommand: true,
        jsonOutput: true,
        maxTokens: 0n,
      });
      assertEquals(verdict.isPassed, verdict.reasons.length === 0);
    }),
    { numRuns: 500, seed: 11 },
  );
});

Deno.test("VerdictBuilder passes an app-server whose client only opened a thread, beside one with a turn", () => {
  const [opened, worked] = ["resume/2", "msg"].map((run) =>
    linesOf(readFixture(`app-server/0.169.0/${run}/stdout.jsonl`))
  );
  // Up to `thread/goal/cleared`, before the turn.
  const lines = [...opened?.slice(0, 8) ?? [], ...worked ?? []];
  assertEquals(judge(encode(lines.join("\n"))).reasons, []);
});

Deno.test("VerdictBuilder judges hundreds of interleaved threads of an app-server", () => {
  const notify = (method: string, id: number, params: Fields): string =>
    `${
      JSON.stringify({ method, params: { threadId: `t${id}`, ...params } })
    }\n`;
  const ids = Array.from({ length: 200 }, (_, id) => id);
  const turns = (number: number): string =>
    [
      ...ids.map((id) =>
        notify("turn/started", id, turnOf(number, "inProgress"))
      ),
      ...ids.map((id) =>
        notify(
          "turn/completed",
          id,
          turnOf(number, id === 7 ? "failed" : "completed"),
        )
      ),
    ].join("");
  for (const allThreads of [true, false]) {
    const builder = new VerdictBuilder({ from: "app-server", allThreads });
    const shown = new Map<string, number>();
    const show = (part: TranscriptPart): void => {
      shown.set(part.type, (shown.get(part.type) ?? 0) + 1);
    };
    builder.feed(encode(turns(1) + turns(2)), show);
    builder.flush(show);
    const { turns: count, reasons } = builder.verdict;
    assertEquals(count, 400);
    assertEquals(reasons.map(({ message }) => message), [
      "turn 2 of thread t7 failed: No",
    ]);
    assertEquals(shown.get("turn_ended"), allThreads ? 400 : 2);
  }
});

function turnOf(number: number, status: string): Fields {
  const error = status === "failed" ? { message: "No" } : null;
  return { turn: { id: `u${number}`, items: [], status, error } };
}
