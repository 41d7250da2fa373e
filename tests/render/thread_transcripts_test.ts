import { assert, assertEquals } from "@std/assert";
import { ThreadTranscripts } from "../../lib/render/thread_transcripts.ts";
import type { TranscriptPart } from "../../lib/render/parts.ts";
import type { TranscriptOptions } from "../../lib/render/transcript.ts";
import { readServerRuns, recordsOf } from "../dialects/app_server/sessions.ts";
import { linesOf } from "../fixtures.ts";
import { emitted, normalizeBytes } from "../running.ts";

function event(type: string, thread_id: string, fields: object = {}): object {
  return { type, thread_id, ...fields };
}

function spoken(thread_id: string, text: string): object {
  return event("item.completed", thread_id, {
    item_id: text,
    status: "completed",
    item_type: "agent_message",
    content: { text },
  });
}

function turn(thread_id: string, ends = false): object {
  return event(ends ? "turn.completed" : "turn.started", thread_id, {
    turn_id: "1",
  });
}

function partsOf(
  events: readonly (object | string)[],
  options?: TranscriptOptions,
): TranscriptPart[] {
  const outcomes = events.map((value) =>
    ({ ok: true, line: 1, offset: 0, value }) as const
  );
  return emitted(new ThreadTranscripts(options), outcomes);
}

/** The content of each part: the thread, the turn, the status or the text. */
function wordsOf(parts: readonly TranscriptPart[]): string[] {
  return parts.flatMap((part) => {
    switch (part.type) {
      case "session": {
        const of = part.parent_thread_id;
        return [`${part.thread_id}${of === undefined ? "" : ` of ${of}`}`];
      }
      case "turn_started":
        return [`turn ${part.turn}`];
      case "turn_ended":
        return [part.status];
      case "entry":
        return "markdown" in part.record.payload
          ? [String(part.record.payload.markdown)]
          : [];
      default:
        return [];
    }
  });
}

const TWO = [
  turn("a"),
  turn("b"),
  spoken("a", "one"),
  spoken("b", "two"),
  turn("b", true),
  spoken("a", "three"),
  turn("a", true),
];

Deno.test("ThreadTranscripts carries the images of all threads", () => {
  const image = (thread_id: string): object =>
    event("item.completed", thread_id, {
      item_id: thread_id,
      item_type: "user_message",
      content: {
        text: "Look",
        images: [{ url: `data:image/png;base64,AAA${thread_id}` }],
      },
    });
  const parts = partsOf([image("a"), image("b")], { images: true });
  assertEquals(
    parts.flatMap((part) => part.type === "entry" ? part.images ?? [] : []),
    ["data:image/png;base64,AAAa", "data:image/png;base64,AAAb"],
  );
});

Deno.test("ThreadTranscripts writes one section per thread, in order of their beginnings", () => {
  assertEquals(wordsOf(partsOf(TWO, { firstTurn: 5 })), [
    "a",
    "turn 5",
    "one",
    "three",
    "completed",
    "b",
    "turn 6",
    "two",
    "completed",
  ]);
});

Deno.test("ThreadTranscripts accepts events as objects and as JSON texts", () => {
  assertEquals(
    partsOf(TWO.map((each) => JSON.stringify(each))),
    partsOf(TWO),
  );
});

Deno.test("ThreadTranscripts emits every part at once if it is live, with a session part at each change of thread", () => {
  assertEquals(wordsOf(partsOf(TWO, { live: true })), [
    "a",
    "turn 1",
    "one",
    "b",
    "turn 1",
    "two",
    "completed",
    "a",
    "three",
    "completed",
  ]);
});

Deno.test("ThreadTranscripts reads when each thread of an app-server was created", () => {
  const parts = partsOf(["a", "b"].map((thread_id, at) => ({
    type: "thread.started",
    thread_id,
    created_at: 1795390040 + at,
  })));
  assertEquals(
    parts.map((part) => part.type === "session" && part.startedAt),
    ["2026-11-22T23:27:20.000Z", "2026-11-22T23:27:21.000Z"],
  );
});

Deno.test("ThreadTranscripts puts sub-agents behind the thread that spawned them", () => {
  const spawn = event("item.completed", "a", {
    item_id: "s",
    status: "completed",
    item_type: "collab_tool_call",
    tool: "spawn_agent",
    receiver_thread_ids: ["c"],
  });
  const activity = event("item.completed", "c", {
    item_id: "s",
    status: "completed",
    item_type: "sub_agent_activity",
    content: { agent_thread_id: "d" },
  });
  const started = event("thread.started", "e", { parent_thread_id: "a" });
  const parts = partsOf([
    turn("a"),
    spoken("b", "other"),
    spawn,
    started,
    spoken("d", "deep"),
    spoken("c", "agent"),
    activity,
    spoken("e", "named"),
  ]);
  assertEquals(
    wordsOf(parts.filter(({ type }) => type === "session")),
    ["a", "c of a", "d of c", "e of a", "b"],
  );
});

Deno.test("ThreadTranscripts writes nothing of a sub-agent without events", () => {
  const spawn = event("item.completed", "a", {
    item_id: "s",
    status: "completed",
    item_type: "collab_tool_call",
    tool: "spawn_agent",
    receiver_thread_ids: ["c"],
  });
  const parts = partsOf([turn("a"), spawn]);
  assertEquals(
    wordsOf(parts.filter(({ type }) => type === "session")),
    ["a"],
  );
});

Deno.test("ThreadTranscripts ends with threads that name each other as parent", () => {
  const parts = partsOf([
    turn("a"),
    event("thread.started", "b", { parent_thread_id: "c" }),
    event("thread.started", "c", { parent_thread_id: "b" }),
    event("thread.started", "a", { parent_thread_id: "a" }),
  ]);
  assertEquals(
    parts.filter(({ type }) => type === "session").length >= 3,
    true,
  );
});

Deno.test("ThreadTranscripts emits the same entries for a thread as for the thread alone", () => {
  for (const { folder, stdout } of readServerRuns()) {
    const ids = new Set(
      recordsOf(stdout).map(({ thread_id }) => thread_id)
        .filter((id) => typeof id === "string"),
    );
    if (ids.size < 2) continue;
    const all = wordsOf(partsOf(
      linesOf(normalizeBytes([stdout], { from: "auto" })),
    ));
    const alone = [...ids].flatMap((thread) =>
      wordsOf(partsOf(
        linesOf(normalizeBytes([stdout], { from: "auto", thread })),
      ))
    );
    const isText = (word: string): boolean => !/^turn \d+$/.test(word);
    assertEquals(
      all.filter(isText).toSorted(),
      alone.filter(isText).toSorted(),
      folder,
    );
  }
});

/** The texts of the background events in a transcript. */
function backgroundTexts(parts: readonly TranscriptPart[]): string[] {
  return parts.flatMap((part) =>
    part.type === "entry" && part.record.type === "background_event"
      ? [Object.values(part.record.payload).join(": ")]
      : []
  );
}

Deno.test("ThreadTranscripts writes requests for a decision, and the decisions", () => {
  const request = (call_id: string, request_id: number): object =>
    event("item.completed", "a", {
      item_id: `item_${request_id}`,
      status: "completed",
      item_type: "exec_approval_request",
      call_id,
      request_id,
      content: { command: `run ${call_id}` },
    });
  const done = (item_id: string, status: string): object =>
    event("item.completed", "a", {
      item_id,
      status,
      item_type: "command_execution",
      content: { command: item_id, stdout: "" },
    });
  const events = [
    turn("a"),
    request("x", 0),
    request("y", 1),
    request("z", 2),
    { type: "rpc.response", id: 1, result: { decision: "acceptForSession" } },
    done("x", "declined"),
    done("y", "completed"),
    done("z", "completed"),
  ];
  const expected = [
    "Waiting for a decision: run x",
    "Waiting for a decision: run y",
    "Waiting for a decision: run z",
    "Decided: accepted for the session: run y",
    "Decided: declined: run x",
    "Decided: accepted: run z",
  ];
  assertEquals(backgroundTexts(partsOf(events)), expected);
  const texts = events.map((each) => JSON.stringify(each));
  assertEquals(backgroundTexts(partsOf(texts)), expected);
});

Deno.test("ThreadTranscripts writes questions, forms and permissions that wait for the user, and the answers", () => {
  const ask = (isSecret: boolean) => ({
    questions: [
      { id: "a", question: "Which color?", isSecret },
      { id: "b", question: "Which size?", isSecret: false },
    ],
  });
  const answers = { a: { answers: ["Red"] }, b: { answers: ["Large"] } };
  const requests: readonly (readonly [
    itemType: string,
    content: object,
    result: object,
  ])[] = [
    ["item_tool_request_user_input", ask(false), { answers }],
    ["item_tool_request_user_input", ask(false), { answers: {} }],
    ["item_tool_request_user_input", ask(true), { answers }],
    ["mcp_server_elicitation_request", { message: "Sure?" }, {
      action: "decline",
    }],
    ["item_permissions_request_approval", { reason: "Net" }, {
      permissions: { network: { enabled: true }, fileSystem: null },
    }],
    ["item_permissions_request_approval", { reason: null }, {
      permissions: {},
    }],
  ];
  const events = requests.flatMap(([item_type, content, result], id) => [
    event("item.completed", "a", {
      item_id: `item_${id}`,
      status: "completed",
      item_type,
      content,
      request_id: id,
    }),
    { type: "rpc.response", id, result },
  ]);
  const questions = "Which color?\nWhich size?";
  assertEquals(backgroundTexts(partsOf([turn("a"), ...events])), [
    `Waiting for a decision: ${questions}`,
    `Decided: Red, Large: ${questions}`,
    `Waiting for a decision: ${questions}`,
    `Decided: no answer: ${questions}`,
    `Waiting for a decision: ${questions}`,
    `Decided: answered: ${questions}`,
    "Waiting for a decision: Sure?",
    "Decided: declined: Sure?",
    "Waiting for a decision: Net",
    "Decided: accepted: Net",
    "Waiting for a decision: permissions",
    "Decided: declined: permissions",
  ]);
});

Deno.test("ThreadTranscripts does not take the end of a call for the answer to a question about it", () => {
  const events = [
    turn("a"),
    event("item.completed", "a", {
      item_id: "item_1",
      item_type: "item_tool_request_user_input",
      content: { questions: [{ id: "q", question: "Delete it?" }] },
      call_id: "call_1",
      request_id: 0,
    }),
    event("item.completed", "a", {
      item_id: "call_1",
      status: "failed",
      item_type: "mcp_tool_call",
      content: { server: "s", tool: "delete" },
      error: { message: "user rejected MCP tool call" },
    }),
  ];
  assertEquals(backgroundTexts(partsOf(events)), [
    "Waiting for a decision: Delete it?",
  ]);
});

Deno.test("ThreadTranscripts writes a request after the reasoning before it", () => {
  const done = (item_type: string, fields: object): object =>
    event("item.completed", "a", { item_id: item_type, item_type, ...fields });
  const parts = partsOf([
    turn("a"),
    done("reasoning", { content: { text: "Ask first" } }),
    done("mcp_server_elicitation_request", {
      method: "mcpServer/elicitation/request",
      request_id: 0,
      content: { message: "Sure?" },
    }),
  ]);
  assertEquals(
    parts.flatMap((part) => part.type === "entry" ? [part.record.type] : []),
    ["reasoning", "background_event"],
  );
});

Deno.test("ThreadTranscripts remembers 256 requests, and drops the oldest of more", () => {
  const requests = Array.from(
    { length: 300 },
    (_, at) =>
      event("item.completed", "a", {
        item_type: "apply_patch_approval_request",
        call_id: `${at}`,
        request_id: at,
        content: { reason: `task ${at}` },
      }),
  );
  const answers = requests.map((_, id) => ({
    type: "rpc.response",
    id,
    result: { decision: "later" },
  }));
  const texts = backgroundTexts(partsOf([...requests, ...answers]));
  assertEquals(texts.slice(299, 301), [
    "Waiting for a decision: task 299",
    "Decided: later: task 44",
  ]);
  assertEquals(texts.length, 300 + 256);
});

for (
  const [name, command] of [
    ["an app-server", "/bin/bash -lc 'ls; exit 3'"],
    ["codex mcp-server", ["/bin/bash", "-lc", "ls; exit 3"]],
  ] as const
) {
  Deno.test(`ThreadTranscripts writes the command that ${name} asks for without its shell`, () => {
    const request = event("item.completed", "a", {
      item_id: "item_0",
      status: "completed",
      item_type: "exec_approval_request",
      call_id: "x",
      command,
    });
    assertEquals(backgroundTexts(partsOf([turn("a"), request])), [
      "Waiting for a decision: ls; exit 3",
    ]);
  });
}

Deno.test("ThreadTranscripts adds agents to its lists one by one: a call can have some 120,000 arguments", () => {
  const agents = Array.from(
    { length: 100 },
    (_, at) => event("thread.started", `${at}`, { parent_thread_id: "b" }),
  );
  const { push } = Array.prototype;
  let most = 0;
  Array.prototype.push = function (...values: unknown[]): number {
    most = Math.max(most, values.length);
    return push.apply(this, values);
  };
  try {
    const first = event("thread.started", "a");
    const parent = event("thread.started", "b", { parent_thread_id: "a" });
    assertEquals(partsOf([first, parent, ...agents]).length, 102);
  } finally {
    Array.prototype.push = push;
  }
  assert(most < 100);
});
