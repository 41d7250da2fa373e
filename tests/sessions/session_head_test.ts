import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  findSessionFiles,
  sessionFileAt,
} from "../../lib/sessions/session_files.ts";
import {
  readSessionHead,
  type SessionHead,
} from "../../lib/sessions/session_head.ts";
import fc from "../property_seed.ts";
import { concat, encode } from "../running.ts";
import { readCapturedFiles, rolloutFiles } from "../rollouts.ts";
import { zstd } from "../sources.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  withHome,
  writeFile,
} from "./homes.ts";

const STARTED = "2026-11-21T10:00:00.000Z";
const ID = testId(1);

/** Reads the head of a file with this content. */
async function headOf(
  content: string | Uint8Array,
  suffix = "",
): Promise<SessionHead> {
  let head: SessionHead | undefined;
  await withFolder(async (home) => {
    await writeFile(sessionPath(home, ID, STARTED) + suffix, content);
    const { files: [file] } = await findSessionFiles({ codexHomes: [home] });
    if (file !== undefined) head = await readSessionHead(file);
  });
  if (head === undefined) throw new TypeError("there is no head");
  return head;
}

/** The lines of a session in the format since 0.34. */
function lines(
  ...parts: readonly (readonly [type: string, payload: unknown])[]
): string {
  return parts.map(([type, payload], ordinal) =>
    `${JSON.stringify({ timestamp: STARTED, ordinal, type, payload })}\n`
  ).join("");
}

function message(text: string): readonly [string, unknown] {
  return ["response_item", {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text }],
  }];
}

const META = ["session_meta", { id: ID, timestamp: STARTED }] as const;
/** The header of a paginated file, in which only items hold messages of the user. */
const PAGINATED = ["session_meta", {
  id: ID,
  timestamp: STARTED,
  history_mode: "paginated",
}] as const;
const TURN = ["turn_context", { cwd: "/w", model: "gpt-5" }] as const;

/** The fields in which the heads of the scenario `msg` differ, by release. */
const RELEASES = [
  ["0.8.0", undefined, undefined, undefined, undefined],
  ["0.20.0", undefined, undefined, undefined, undefined],
  ["0.29.0", undefined, undefined, undefined, undefined],
  ["0.36.0", "0.36.0", undefined, "codex_cli_rs", "gpt-5-codex"],
  ["0.42.0", "0.42.0", undefined, "codex_cli_rs", "gpt-5-codex"],
  ["0.44.0", "0.44.0", "exec", "codex_exec", "gpt-5-codex"],
  ["0.53.0", "0.53.0", "exec", "codex_exec", "gpt-5-codex"],
  ["0.61.0", "0.61.0", "exec", "codex_exec", "gpt-5.1-codex"],
  ["0.80.0", "0.80.0", "exec", "codex_exec", "gpt-5.1-codex"],
  ["0.92.0", "0.92.0", "exec", "codex_exec", "gpt-5.2-codex"],
  ["0.104.0", "0.104.0", "exec", "codex_exec", "gpt-5.2-codex"],
  ["0.130.0", "0.130.0", "exec", "codex_exec", "gpt-5.4"],
  ["0.148.0", "0.148.0", "exec", "codex_exec", "gpt-5.4"],
  ["0.160.0", "0.160.0", "exec", "codex_exec", "gpt-5.6-sol"],
  ["0.169.0", "0.169.0", "exec", "codex_exec", "gpt-5.6-sol"],
] as const;

Deno.test("readSessionHead() reads sessions of every release", async () => {
  const versions = RELEASES.map(([version]) => version);
  await withHome({ versions }, async (home) => {
    const { files } = await findSessionFiles({ codexHomes: [home.path] });
    const filesByPath = new Map(files.map((file) => [file.path, file]));
    for (const [version, cliVersion, source, originator, model] of RELEASES) {
      const session = home.sessions.find((each) =>
        each.version === version && each.scenario === "msg"
      );
      const file = filesByPath.get(session?.path ?? "");
      if (file === undefined) throw new TypeError(`${version} has no session`);
      const head = await readSessionHead(file);
      assertEquals(
        [head.cliVersion, head.source, head.originator, head.model],
        [cliVersion, source, originator, model],
        version,
      );
      assertEquals(head.firstMessage, "Please work on the demo [[msg]]");
      assertEquals(head.id, session?.id);
      assertEquals(head.problem, undefined);
      assertEquals(head.kind, "main");
    }
  });
});

Deno.test("readSessionHead() reads every captured session without a problem", async () => {
  await withHome({}, async (home) => {
    const { files } = await findSessionFiles({ codexHomes: [home.path] });
    for (const file of files) {
      const head = await readSessionHead(file);
      assertEquals(
        [head.problem, head.hasHeader],
        [undefined, true],
        file.path,
      );
      assertEquals(head.id, file.id);
      const isNamed = head.firstMessage !== undefined ||
        head.kind === "subagent";
      assertEquals(isNamed, true, file.path);
    }
  });
});

Deno.test("readSessionHead() returns the origin of sub-agents and forks", async () => {
  const versions = ["0.92.0", "0.130.0", "0.169.0"];
  await withHome({ versions }, async (home) => {
    const { files } = await findSessionFiles({ codexHomes: [home.path] });
    const seen: string[] = [];
    for (const { version, scenario, id } of home.sessions) {
      if (!/^(?:agents|agents_v2|fork|review)$/.test(scenario)) continue;
      const file = files.find((each) => each.id === id);
      if (file === undefined) continue;
      const head = await readSessionHead(file);
      const origin = head.parent ?? head.forkedFrom;
      const isKnown = files.some((each) => each.id === origin);
      seen.push(
        [
          version,
          scenario,
          head.kind,
          head.source,
          isKnown,
          (head.agent ?? "-").replaceAll("/", ":").replace(/^:/, ""),
          head.firstMessage ?? "-",
        ].join(" "),
      );
    }
    const first = "Please work on the demo [[agents]]";
    assertEquals(seen.sort(), [
      "0.130.0 agents main exec false - " + first,
      "0.130.0 agents subagent subagent:thread_spawn true Confucius [[childfail]] This one fails.",
      "0.130.0 agents subagent subagent:thread_spawn true Hilbert [[child]] Please inspect the repository.",
      "0.130.0 agents_v2 main exec false - " + first,
      // A message copied from the parent is not the agent's first message.
      "0.130.0 agents_v2 subagent subagent:thread_spawn true root:failing_task -",
      "0.130.0 agents_v2 subagent subagent:thread_spawn true root:inspect_repo -",
      "0.130.0 agents_v2 subagent subagent:thread_spawn true root:inspect_repo:inspect_repo -",
      "0.130.0 review main exec false - Check the change [[review]]",
      "0.130.0 review subagent subagent:review false - Check the change [[review]]",
      "0.169.0 agents main exec false - " + first,
      "0.169.0 agents subagent subagent:thread_spawn true root:failing_task -",
      "0.169.0 agents subagent subagent:thread_spawn true root:inspect_repo -",
      "0.169.0 agents_v2 main exec false - " + first,
      "0.169.0 agents_v2 subagent subagent:thread_spawn true root:failing_task -",
      "0.169.0 agents_v2 subagent subagent:thread_spawn true root:inspect_repo -",
      "0.169.0 fork fork exec true - Forked turn [[turn2]]",
      "0.169.0 fork main exec false - First turn [[turn1]]",
      "0.169.0 review main exec false - Check the change [[review]]",
      "0.169.0 review subagent subagent:review true - Check the change [[review]]",
      "0.92.0 agents main exec false - " + first,
      "0.92.0 agents subagent subagent:thread_spawn true - [[child]] Please inspect the repository.",
      "0.92.0 agents subagent subagent:thread_spawn true - [[childfail]] This one fails.",
      "0.92.0 review main exec false - Check the change [[review]]",
      "0.92.0 review subagent subagent:review false - Check the change [[review]]",
    ]);
  });
});

function goal(objective: string): readonly [string, unknown] {
  const goal = { threadId: "t", objective, status: "active" };
  return ["event_msg", { type: "thread_goal_updated", threadId: "t", goal }];
}

const MESSAGES = [
  {
    name: "the text behind the context that an editor inserts",
    parts: [
      message(
        "# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nFix a.ts\n",
      ),
    ],
    expected: "Fix a.ts",
  },
  {
    name:
      "the text behind the files and the state of a browser that an app inserts",
    parts: [
      message(
        "\n# Files mentioned by the user:\n\n## a.png: /a.png\n\n<in-app-browser-context>\n</in-app-browser-context>\n\n## My request:\nMove it\n",
      ),
    ],
    expected: "Move it",
  },
  {
    name: "all of a message with a line that only begins like that heading",
    parts: [message("Sort it\n## My request: by name, please")],
    expected: "Sort it\n## My request: by name, please",
  },
  {
    name: "the comments that an app inserts before an empty request",
    parts: [
      message("# Comments:\nToo wide\n\n## My request for Codex:\n\n"),
      message("Thanks"),
    ],
    expected: "# Comments:\nToo wide\n\n## My request for Codex:",
  },
  {
    name: "the first message that Codex did not insert",
    parts: [
      message(
        "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\n</INSTRUCTIONS>",
      ),
      message("<environment_context>\n<cwd>/w</cwd>\n</environment_context>"),
      message("<user_instructions>\nbe kind\n</user_instructions>"),
      message("<turn_aborted>\nno\n</turn_aborted>"),
      message("<external_open_page>{}</external_open_page>"),
      message("Hello"),
      message("Again"),
    ],
    expected: "Hello",
  },
  {
    name: "a placeholder for an image",
    parts: [["event_msg", {
      type: "user_message",
      message: "",
      images: ["data:image/png;base64,AAAA"],
    }]],
    expected: "[Image]",
  },
  {
    name: "a placeholder for sound",
    parts: [["response_item", {
      type: "message",
      role: "user",
      content: [{ type: "input_audio", audio_url: "data:," }],
    }]],
    expected: "[Audio]",
  },
  {
    name: "a placeholder for sound that only an event has",
    parts: [["event_msg", {
      type: "user_message",
      message: "",
      images: [],
      audio: ["data:,"],
    }]],
    expected: "[Audio]",
  },
  {
    name: "the next message, where the first is empty",
    parts: [message(" \n"), message("Hello")],
    expected: "Hello",
  },
  {
    name: "the message of a paginated file",
    meta: PAGINATED,
    parts: [["event_msg", {
      type: "item_completed",
      item: { type: "UserMessage", content: [{ type: "text", text: "Hello" }] },
    }]],
    expected: "Hello",
  },
  {
    name: "the message of a paginated file that looks like an inserted one",
    meta: PAGINATED,
    parts: [
      message("<environment_context>\n</environment_context>"),
      message("<skill>Is this tag right?</skill>"),
      ["event_msg", {
        type: "item_completed",
        item: {
          type: "UserMessage",
          content: [{
            type: "text",
            text: "<skill>Is this tag right?</skill>",
          }],
        },
      }],
    ],
    expected: "<skill>Is this tag right?</skill>",
  },
  {
    name: "the first event that Codex did not insert",
    parts: [
      ["event_msg", {
        type: "user_message",
        message: "<environment_context>\n</environment_context>",
        kind: "environment_context",
      }],
      ["event_msg", { type: "user_message", message: "Hello", kind: "plain" }],
    ],
    expected: "Hello",
  },
  {
    name: "the message in an event of a fork of Codex",
    parts: [["event", { msg: { type: "user_message", message: "Hello" } }]],
    expected: "Hello",
  },
  {
    name: "500 characters of a long message, without half of a surrogate pair",
    parts: [message("x" + "🚀".repeat(400))],
    expected: "x" + "🚀".repeat(249),
  },
  {
    name: "the goal of a session without a message",
    parts: [goal(" "), goal(" Finish the demo\n"), goal("Finish it")],
    expected: "Finish the demo",
  },
  {
    name: "the message behind a goal",
    parts: [goal("Finish the demo"), message("Hello")],
    expected: "Hello",
  },
  { name: "nothing, if there is no message", parts: [], expected: undefined },
] satisfies {
  name: string;
  meta?: readonly [string, unknown];
  parts: (readonly [string, unknown])[];
  expected: string | undefined;
}[];

for (const { name, meta = META, parts, expected } of MESSAGES) {
  Deno.test(`readSessionHead() returns as first message ${name}`, async () => {
    const { firstMessage, problem } = await headOf(lines(meta, TURN, ...parts));
    assertEquals([firstMessage, problem], [expected, undefined]);
  });
}

Deno.test("readSessionHead() ignores lines before the ordinal at which the agent's own history starts", async () => {
  const meta = {
    id: ID,
    timestamp: STARTED,
    source: { subagent: { thread_spawn: { parent_thread_id: testId(2) } } },
    subagent_history_start_ordinal: 4,
  };
  const head = await headOf(lines(
    ["session_meta", meta],
    ["session_meta", { id: testId(2), timestamp: STARTED, cwd: "/other" }],
    ["turn_context", { cwd: "/w", model: "the parent's" }],
    message("What the parent was asked"),
    ["turn_context", { cwd: "/w", model: "its own" }],
    message("What the agent was asked"),
  ));
  assertEquals(
    [head.id, head.parent, head.model, head.firstMessage],
    [ID, testId(2), "its own", "What the agent was asked"],
  );
});

Deno.test("readSessionHead() reads an agent whose lines codex migrate-rollouts counts as copies", async () => {
  const turn_id = "rollout-1";
  const head = await headOf(lines(
    ["session_meta", {
      id: "01a1f998-0000-7000-8000-000000000000",
      timestamp: STARTED,
      cwd: "/w",
      history_mode: "paginated",
      subagent_history_start_ordinal: 4,
    }],
    ["event_msg", { type: "task_started", turn_id }],
    ["event_msg", {
      type: "item_completed",
      turn_id,
      item: { type: "UserMessage", id: "a", content: [{ text: "Look" }] },
    }],
    ["turn_context", { cwd: "/w", model: "its own" }],
  ));
  assertEquals([head.firstMessage, head.model], ["Look", "its own"]);
});

const SOURCES = [
  ["cli", "cli"],
  [{ subagent: "review" }, "subagent:review"],
  [{ subagent: { thread_spawn: { depth: 1 } } }, "subagent:thread_spawn"],
  [{ custom: { name: "bot" } }, "custom:name:bot"],
  [{}, undefined],
  [7, undefined],
] as const;

for (const [source, expected] of SOURCES) {
  Deno.test(`readSessionHead() writes the source ${JSON.stringify(source)} as ${expected}`, async () => {
    const meta = { id: ID, timestamp: STARTED, source };
    const head = await headOf(lines(["session_meta", meta]));
    assertEquals(head.source, expected);
  });
}

Deno.test("readSessionHead() reads the JSON object of the first CLI", async () => {
  await withHome({ versions: [], isMessy: true }, async ({ path }) => {
    const { files } = await findSessionFiles({ codexHomes: [path] });
    const file = files.find((each) => each.path.endsWith(".json"));
    if (file === undefined) throw new TypeError("there is no such file");
    const head = await readSessionHead(file);
    assertEquals(
      [head.id, head.started, head.firstMessage, head.problem],
      [testId(7), "2025-05-01T08:00:00.000Z", "From the first CLI", undefined],
    );
  });
});

Deno.test("readSessionHead() finds a header that is glued to a torn line", async () => {
  const text = lines(META, TURN, message("Hello"));
  const head = await headOf(text.slice(0, 50) + text);
  assertEquals([head.firstMessage, head.problem], ["Hello", undefined]);
});

Deno.test("readSessionHead() reads only the needed part of a packed file", async () => {
  const text = sessionText({ id: ID, started: STARTED, message: "Hello" });
  // Noise, which does not pack, so that most of the file is behind the head.
  let seed = 1;
  const noise = Uint8Array.from({ length: 1 << 20 }, () => {
    seed = (seed * 48_271) % 0x7fffffff;
    return seed & 255;
  });
  const packed = zstd(concat([encode(text), noise]));
  const head = await headOf(packed.subarray(0, packed.length / 2), ".zst");
  assertEquals([head.firstMessage, head.problem], ["Hello", undefined]);
});

Deno.test("readSessionHead() reads at most 210 lines", async () => {
  const filler = Array.from(
    { length: 208 },
    () => ["event_msg", { type: "token_count", info: null }] as const,
  );
  const near = await headOf(lines(META, ...filler, message("Hello")));
  assertEquals(near.firstMessage, "Hello");
  const far = await headOf(lines(META, ...filler, TURN, message("Hello")));
  assertEquals([far.firstMessage, far.model], [undefined, "gpt-5"]);
});

Deno.test("readSessionHead() reads the time of a header like histories, in any zone of the machine", async () => {
  for (
    const [timestamp, started] of [
      ["2026-11-21T11:30:00+05:30", "2026-11-21T06:00:00.000Z"],
      ["2026-11-21T11:30:00", STARTED],
      ["21 Nov 2026", STARTED],
      ["2026-02-29T11:30:00Z", STARTED],
    ]
  ) {
    const head = await headOf(lines(["session_meta", { id: ID, timestamp }]));
    assertEquals(head.started, started);
  }
});

Deno.test("readSessionHead() ignores or cuts invalid fields of a header", async () => {
  const head = await headOf(lines(["session_meta", {
    id: "\x1b[31m\n",
    timestamp: "once upon a time",
    cwd: "/".repeat(100_000),
    parent_thread_id: "a b",
    git: { branch: 5 },
  }]));
  assertEquals(
    [head.id, head.started, head.cwd?.length, head.parent, head.gitBranch],
    [ID, STARTED, 4_096, undefined, undefined],
  );
});

const PROBLEMS = [
  { name: "is empty", content: "", expected: "it is empty" },
  {
    name: "holds no records",
    content: "Hello\nworld\n",
    expected: "its first lines hold no record of a session",
  },
  {
    name: "has no header",
    content: lines(TURN, message("Hello")),
    expected: "it has no session header in its first lines",
  },
  {
    name: "has an unknown history mode",
    content: lines(["session_meta", {
      id: ID,
      timestamp: STARTED,
      history_mode: "holographic",
    }]),
    expected: 'its history mode is "holographic", which is not known',
  },
] satisfies { name: string; content: string; expected: string }[];

for (const { name, content, expected } of PROBLEMS) {
  Deno.test(`readSessionHead() reports that a file ${name}`, async () => {
    const head = await headOf(content);
    assertEquals([head.problem, head.id], [expected, ID]);
    assertEquals(head.started, STARTED);
  });
}

Deno.test("readSessionHead() reports that a packed file is cut off", async () => {
  const packed = zstd(encode(lines(META)));
  const head = await headOf(packed.subarray(0, -1), ".zst");
  assertStringIncludes(head.problem ?? "", "cut off");
});

/**
 * Inserts a blank line behind the first one. It changes no record, but no release writes one, so
 * that the lines are read by the rules instead of as plain lines.
 */
function withBlankLine(bytes: Uint8Array): Uint8Array {
  const at = bytes.indexOf(0x0a) + 1;
  if (at === 0) return bytes;
  return concat([bytes.subarray(0, at), encode("\n"), bytes.subarray(at)]);
}

/** Checks that content has the same head read as plain lines and by the rules. */
async function checkSame(path: string, content: Uint8Array): Promise<void> {
  const [plain, other] = [content, withBlankLine(content)].map((bytes, at) => ({
    path: `${path}${at}.jsonl`,
    bytes,
  }));
  const heads: SessionHead[] = [];
  for (const each of [plain, other]) {
    if (each === undefined) continue;
    await Deno.writeFile(each.path, each.bytes);
    heads.push(await readSessionHead(await sessionFileAt(each.path, ".")));
  }
  assertEquals(heads[1], heads[0]);
}

/** The beginnings of captured sessions. */
const CAPTURES = readCapturedFiles(/^(?:archived-)?rollout-.*\.jsonl$/).map(
  ({ bytes }) => bytes.subarray(0, 1 << 18),
);

Deno.test("readSessionHead() reads captured plain lines as the rules do", async () => {
  await withFolder(async (folder) => {
    for (const bytes of CAPTURES) await checkSame(`${folder}/a`, bytes);
  });
});

Deno.test("readSessionHead() reads damaged plain lines as the rules do", async () => {
  const damage = fc.constantFrom(
    ...["", "x", '"', "\\", "{", "}", ",", ":", "\n", "\t", "é", "null", "\0"],
  );
  const place = fc.integer({ min: 0, max: 30_000 });
  await withFolder(async (folder) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...CAPTURES),
        place,
        fc.nat(3),
        damage,
        async (bytes, at, length, text) => {
          const damaged = concat([
            bytes.subarray(0, at),
            encode(text),
            bytes.subarray(at + length),
          ]);
          await checkSame(`${folder}/a`, damaged);
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** Content that differs in one point from the plain lines of releases. */
const NEARLY_PLAIN = [
  {
    name: "field names of old releases",
    text: lines(["session_meta", {
      id: ID,
      cliVersion: "0.1.0",
      git: { commit: "abc", remote: "r", branch: "b" },
    }]),
    expected: { cliVersion: "0.1.0", gitCommit: "abc", gitUrl: "r" },
  },
  {
    name: "old field names beside the current ones",
    text: lines(["session_meta", {
      id: ID,
      cliVersion: "0.1.0",
      cli_version: "0.2.0",
      git: { commit: "abc", commit_hash: "def" },
    }]),
    expected: { id: ID, cliVersion: "0.2.0", gitCommit: "def" },
  },
  {
    name: "the last of two fields with one name",
    text:
      '{"type":"session_meta","payload":{"cwd":"/a","id":"1","cwd":"/b"}}\n' +
      '{"type":"response_item","payload":{"type":"message","role":"user",' +
      '"content":"Hello","role":"developer"}}\n' +
      '{"type":"turn_context","payload":{},"payload":{"model":"m"}}\n',
    expected: { id: "1", cwd: "/b", model: "m", firstMessage: undefined },
  },
  {
    name: "field names and values with escapes",
    text: '{"\\u0074ype":"session_meta","payload":{"\\u0069d":"1"}}\n' +
      '{"type":"response\\u005fitem","payload":{"type":"message",' +
      '"role":"us\\u0065r","content":"Hello"}}\n',
    expected: { id: "1", firstMessage: "Hello" },
  },
  {
    name: "lines that end with CRLF, and a last line without an end",
    text: lines(META, TURN, message("Hello")).replaceAll("\n", "\r\n")
      .slice(0, -2),
    expected: { id: ID, model: "gpt-5", firstMessage: "Hello" },
  },
  {
    name: "no fields of a torn line",
    text: lines(META) + '{"type":"turn_context","payload":{"cwd":"/w"\n' +
      lines(message("Hello")),
    expected: { id: ID, cwd: undefined, firstMessage: "Hello" },
  },
  {
    name: "no fields of __proto__",
    text:
      '{"type":"session_meta","payload":{"id":"1","__proto__":{"cwd":"/w"}}}\n',
    expected: { id: "1", cwd: undefined },
  },
  {
    name: "no record in a line.failed record",
    text: '{"type":"line.failed","payload":{"type":"user_message"}}\n',
    expected: {
      problem: "its first lines hold no record of a session",
    },
  },
  {
    name: "no record in a line whose payload is an array",
    text: '{"type":"turn_context","payload":[]}\n',
    expected: {
      problem: "its first lines hold no record of a session",
    },
  },
  {
    name: "messages behind lines that fill several blocks",
    text: lines(
      ["session_meta", { id: ID, base_instructions: "é".repeat(50_000) }],
      ...[1, 2, 3].map((part) =>
        ["world_state", { full: "x".repeat(part * 40_000) }] as const
      ),
      message("Hello"),
    ),
    expected: { id: ID, firstMessage: "Hello" },
  },
  {
    name: "messages behind a line longer than a block",
    text: lines(
      META,
      ["world_state", { full: "x".repeat(1 << 20) }],
      message("Hello"),
    ),
    expected: { id: ID, firstMessage: "Hello" },
  },
] satisfies {
  name: string;
  text: string;
  expected: Partial<SessionHead>;
}[];

for (const { name, text, expected } of NEARLY_PLAIN) {
  Deno.test(`readSessionHead() reads ${name}`, async () => {
    const head = await headOf(text);
    assertEquals({ ...head, ...expected }, head);
    assertEquals(await headOf(withBlankLine(encode(text))), head);
  });
}

Deno.test("readSessionHead() returns a header or a problem for any bytes", async () => {
  await withFolder(async (home) => {
    const path = sessionPath(home, ID, STARTED);
    await fc.assert(
      fc.asyncProperty(
        rolloutFiles({ tearsCharacters: true }),
        async (bytes) => {
          await writeFile(path, bytes);
          const { files: [file] } = await findSessionFiles({
            codexHomes: [home],
          });
          if (file === undefined) throw new TypeError("there is no file");
          const head = await readSessionHead(file);
          assertEquals(head.hasHeader || head.problem !== undefined, true);
        },
      ),
      { numRuns: 60 },
    );
  });
});
