/**
 * Tests how the messages of a session are read, in pieces and as the file grows.
 *
 * @module
 */

import { assertEquals, assertThrows, fail } from "@std/assert";
import {
  type FoldedMessage,
  type FoldedPiece,
  type FoldStart,
  type MessagePlace,
  packed,
  SessionFold,
  unpacked,
} from "../../lib/sessions/session_fold.ts";
import { HistoryState } from "../../lib/history/history_state.ts";
import { namesIn } from "../fixtures.ts";
import fc from "../property_seed.ts";
import { readCapturedFiles } from "../rollouts.ts";
import { encode } from "../running.ts";

/** A message of an index. */
type Message = Omit<FoldedMessage, "place"> & MessagePlace;

/** The messages of an index, by their row numbers. */
class Messages {
  readonly #messages = new Map<number, Message>();
  last: FoldStart | undefined;

  /** Applies a piece, as an index does. */
  take(piece: FoldedPiece, voidFrom: number): void {
    for (const row of this.#messages.keys()) {
      if (row >= voidFrom) this.#messages.delete(row);
    }
    for (const row of piece.removed) this.#messages.delete(row);
    for (const { place, ...message } of piece.messages) {
      const { offset, inLine, time } = place ??
        this.#messages.get(message.row) ?? fail("a changed message is missing");
      this.#messages.set(message.row, { ...message, offset, inLine, time });
    }
    this.last = piece;
  }

  /** All messages with text, in order. */
  get all(): Message[] {
    return [...this.#messages.values()].filter(({ text }) => text !== "")
      .sort((a, b) => a.row - b.row);
  }
}

/** Reads a file as it grows: a new fold continues at each place, and at the end. */
function foldGrowing(
  bytes: Uint8Array,
  places: readonly number[],
): Messages {
  const messages = new Messages();
  for (const place of [...places, bytes.length]) {
    const fold = new SessionFold({
      fileName: "rollout.jsonl",
      start: 0,
      from: messages.last,
    });
    fold.feed(bytes.subarray(fold.bytes, place));
    messages.take(fold.take(true), fold.voidFrom);
  }
  return messages;
}

/** Reads a file with one fold, and takes a piece at each place. */
function foldInPieces(
  bytes: Uint8Array,
  places: readonly number[],
): Messages {
  const messages = new Messages();
  const fold = new SessionFold({ fileName: "rollout.jsonl", start: 0 });
  for (const place of places) {
    fold.feed(bytes.subarray(fold.bytes, place));
    messages.take(fold.take(false), Infinity);
  }
  fold.feed(bytes.subarray(fold.bytes));
  messages.take(fold.take(true), Infinity);
  return messages;
}

function fold(bytes: Uint8Array): Messages {
  return foldGrowing(bytes, []);
}

/** Checks that a file that grows, and one that is read in pieces, have these messages. */
function checkParts(
  bytes: Uint8Array,
  places: readonly number[],
  expected: Messages["all"],
  message = "",
): void {
  assertEquals(foldGrowing(bytes, places).all, expected, message);
  assertEquals(foldInPieces(bytes, places).all, expected, message);
}

const ROLLOUTS = readCapturedFiles(/^(?:archived-)?rollout-.*\.jsonl$/);

for (const version of namesIn("captures/")) {
  const files = ROLLOUTS.filter((file) => file.version === version);
  if (files.length === 0) continue;
  Deno.test(`SessionFold reads a growing session like a whole one: ${version}`, () => {
    for (const { path, bytes } of files) {
      const expected = fold(bytes).all;
      const ends = lineEnds(bytes);
      const some = ends.filter((_, at) =>
        at % Math.ceil(ends.length / 12) === 0
      );
      assertEquals(foldGrowing(bytes, some).all, expected, path);
      assertEquals(
        foldInPieces(bytes, some.map((place) => place - 3)).all,
        expected,
        path,
      );
    }
  });
}

Deno.test("SessionFold reads no messages from an empty file or lines without a record", () => {
  assertEquals(fold(encode("")).all, []);
  assertEquals(fold(encode("not JSON\n{}\n[1]\n")).all, []);
});

const LINE = (type: string, payload: unknown, time = "2026-01-01T00:00:00Z") =>
  `${JSON.stringify({ timestamp: time, type, payload })}\n`;
const SAYS = (message: string) =>
  LINE("event_msg", { type: "agent_message", message });
const ASKS = (message: string) =>
  LINE("event_msg", { type: "user_message", message });

Deno.test("SessionFold reports the offset and the time of each message", () => {
  const first = ASKS("One");
  const text = first + LINE(
    "event_msg",
    { type: "agent_message", message: "Two" },
    "2026-01-01T00:00:01.500Z",
  );
  assertEquals(
    fold(encode(text)).all.map(({ role, text, offset, time }) => [
      role,
      text,
      offset,
      new Date(time).toISOString(),
    ]),
    [
      ["user", "One", 0, "2026-01-01T00:00:00.000Z"],
      ["assistant", "Two", first.length, "2026-01-01T00:00:01.500Z"],
    ],
  );
});

Deno.test("SessionFold ignores times that histories ignore", () => {
  const says = (time: string) =>
    LINE("event_msg", { type: "agent_message", message: time }, time);
  const text = [
    says("2026-01-01T00:00:01Z"),
    says("2026-01-01T00:00:02"),
    says("2026-02-29T00:00:00Z"),
    says("1 Jan 2027"),
  ].join("");
  assertEquals(
    fold(encode(text)).all.map(({ time }) => new Date(time).toISOString()),
    new Array(4).fill("2026-01-01T00:00:01.000Z"),
  );
});

Deno.test("SessionFold numbers the messages of one line", () => {
  const text = LINE("event_msg", {
    type: "user_message",
    message: "Look",
    images: [],
    local_images: ["/a.png", "/b.png"],
  });
  assertEquals(
    fold(encode(text)).all.map(({ text, offset, inLine }) => [
      text,
      offset,
      inLine,
    ]),
    [["Look", 0, 0], ["/a.png", 0, 1], ["/b.png", 0, 2]],
  );
});

Deno.test("SessionFold reads a torn last line again when it is complete", () => {
  const bytes = encode(ASKS("One") + SAYS("Two"));
  const expected = fold(bytes).all;
  for (let place = 0; place <= bytes.length; place++) {
    assertEquals(foldGrowing(bytes, [place]).all, expected, `${place}`);
  }
});

Deno.test("SessionFold reads a last line without end, and removes its message if the line changes", () => {
  const first = ASKS("One");
  const torn = SAYS("Two").trimEnd();
  const messages = foldGrowing(encode(first + torn), []);
  assertEquals(messages.all.map(({ text }) => text), ["One", "Two"]);
  const endings = [
    { more: "", texts: ["One"] },
    { more: SAYS("Three"), texts: ["One", "Three"] },
  ];
  for (const { more, texts } of endings) {
    const bytes = encode(`${first}${torn} and more\n${more}`);
    const again = foldGrowing(bytes, [first.length + torn.length]);
    assertEquals(again.all.map(({ text }) => text), texts);
  }
});

Deno.test("SessionFold removes the messages of turns that are rolled back, even of early ones", () => {
  const turns = Array.from(
    { length: 60 },
    (_, at) => ASKS(`Ask ${at}`) + SAYS(`Say ${at}`),
  );
  const rest =
    LINE("event_msg", { type: "thread_rolled_back", num_turns: 50 }) +
    ASKS("Anew");
  const bytes = encode(turns.join("") + rest);
  const expected = fold(bytes).all;
  assertEquals(expected.length, 21);
  const places = lineEnds(bytes).filter((_, at) => at % 25 === 0);
  checkParts(bytes, places, expected);
});

Deno.test("SessionFold replaces the message of an item that is written again", () => {
  const META = LINE("session_meta", { id: "t", history_mode: "paginated" });
  const item = (type: string, id: string, part: object) =>
    LINE("event_msg", {
      type: "item_completed",
      item: { type, id, content: [part] },
    });
  const bytes = encode([
    META,
    item("AgentMessage", "a", { type: "Text", text: "First" }),
    item("UserMessage", "u", { type: "text", text: "elephant" }),
    item("AgentMessage", "b", { type: "Text", text: "Second" }),
    item("UserMessage", "u", { type: "local_image", path: "/a.png" }),
    item("UserMessage", "v", { type: "text", text: "giraffe" }),
    LINE("event_msg", { type: "thread_rolled_back", num_turns: 1 }),
  ].join(""));
  const { all } = fold(bytes);
  assertEquals(all.map(({ text }) => text), ["First", "Second", "/a.png"]);
  const places = lineEnds(bytes);
  checkParts(bytes, places, all);
});

Deno.test("SessionFold keeps the text of a message whose usage comes late", () => {
  const call = (at: number) =>
    LINE("response_item", {
      type: "function_call",
      name: "shell",
      call_id: `c${at}`,
      arguments: JSON.stringify({ command: ["echo", `${at}`] }),
    }) + LINE("response_item", {
      type: "function_call_output",
      call_id: `c${at}`,
      output: JSON.stringify({ output: `${at}\n`, metadata: { exit_code: 0 } }),
    });
  const usage = {
    input_tokens: 1,
    cached_input_tokens: 0,
    output_tokens: 2,
    reasoning_output_tokens: 0,
    total_tokens: 3,
  };
  const bytes = encode(
    ASKS("Go") + SAYS("Going") +
      Array.from({ length: 100 }, (_, at) => call(at)).join("") +
      LINE("event_msg", {
        type: "token_count",
        info: { total_token_usage: usage, last_token_usage: usage },
      }),
  );
  const expected = fold(bytes).all;
  const places = lineEnds(bytes).slice(-2, -1);
  checkParts(bytes, places, expected);
});

// Output of calls that the history does not show.

const HEADER = (mode: string) =>
  LINE("session_meta", { id: "t", history_mode: mode });
const ITEM = (item: unknown) =>
  LINE("event_msg", { type: "item_completed", item });
const CALL = (id: string, name: string, args: unknown) =>
  LINE("response_item", {
    type: "function_call",
    name,
    call_id: id,
    arguments: JSON.stringify(args),
  });
const OUTPUT = (id: string, output: unknown) =>
  LINE("response_item", { type: "function_call_output", call_id: id, output });
const SCRIPT = (id: string, input: string) =>
  LINE("response_item", {
    type: "custom_tool_call",
    name: "exec",
    call_id: id,
    input,
  });
const PRINTS = (id: string, ...texts: string[]) =>
  LINE("response_item", {
    type: "custom_tool_call_output",
    call_id: id,
    output: texts.map((text) => ({ type: "input_text", text })),
  });
const LOOKS = (id: string, cmd: string, output: string, exit_code = 0) =>
  ITEM({
    type: "CommandExecution",
    id,
    command: ["bash", "-lc", cmd],
    cwd: "/w",
    parsed_cmd: [{ type: "read", cmd, name: "a", path: "a" }],
    status: "completed",
    aggregated_output: output,
    exit_code,
  });
const DONE = "Script completed\nWall time 0.1 seconds\nOutput:\n";
const FAILED = "Script failed\nWall time 0.1 seconds\nOutput:\n";

const UNSHOWN = [
  {
    name: "the output of an exploring command with separate streams",
    lines: [
      HEADER("paginated"),
      ITEM({
        type: "CommandExecution",
        id: "1",
        command: ["cat", "a", "b"],
        parsed_cmd: [{ type: "read", cmd: "cat a b", name: "a" }],
        stdout: "one\n",
        stderr: "no b",
        aggregated_output: "both",
        exit_code: 1,
      }),
    ],
    texts: ["command exec: cat a b⏎one⏎no b"],
  },
  {
    name: "commands with the quotes that transcripts show them with",
    lines: [
      HEADER("paginated"),
      ITEM({
        type: "CommandExecution",
        id: "1",
        command: ["cat", "my notes.md"],
        parsed_cmd: [{ type: "read", cmd: "cat 'my notes.md'", name: "a" }],
        aggregated_output: "one",
        exit_code: 0,
      }),
      ITEM({
        type: "CommandExecution",
        id: "2",
        command: ["git", "commit", "-m", "Go on"],
        exit_code: 0,
      }),
    ],
    texts: [
      "command exec: cat 'my notes.md'⏎one",
      "command exec: git commit -m 'Go on'",
    ],
  },
  {
    name: "the whole output of a call to the client",
    lines: [
      HEADER("paginated"),
      ITEM({
        type: "FunctionCallOutput",
        id: "1",
        name: "ask",
        output: "1\n2\n3\n4\n5\n6\n7\n8\n9",
      }),
    ],
    texts: ["tool ask: ask⏎1⏎2⏎3⏎4⏎5⏎6⏎7⏎8⏎9"],
  },
  {
    name: "the transcript of a conversation by voice",
    lines: [
      HEADER("paginated"),
      ...["user", "assistant"].map((role) =>
        LINE("realtime_item", {
          id: role,
          realtime_session_id: "r",
          type: "transcript_segment",
          role,
          text: `words of the ${role}`,
        })
      ),
    ],
    texts: [
      "user null: words of the user",
      "assistant null: words of the assistant",
    ],
  },
  {
    name: "the output of commands in one record",
    lines: [
      HEADER("paginated"),
      LOOKS("1", "cat a", "error one"),
      LOOKS("2", "cat b", "error two", 1),
    ],
    texts: ["command exec: cat a⏎error one", "command exec: cat b⏎error two"],
  },
  {
    name: "the output of a command in events",
    lines: [
      HEADER("legacy"),
      LINE("event_msg", {
        type: "exec_command_begin",
        call_id: "1",
        command: ["cat", "a"],
        parsed_cmd: [{ type: "read", cmd: "cat a", name: "a", path: "a" }],
      }),
      LINE("event_msg", {
        type: "exec_command_end",
        call_id: "1",
        command: ["cat", "a"],
        stdout: "out",
        stderr: "no such file",
        aggregated_output: "all",
        exit_code: 1,
      }),
    ],
    texts: ["command exec: cat a⏎out⏎no such file"],
  },
  {
    name: "a command without an end",
    lines: [
      HEADER("legacy"),
      LINE("event_msg", {
        type: "exec_command_begin",
        call_id: "1",
        command: ["cat", "a"],
        parsed_cmd: [{ type: "read", cmd: "cat a", name: "a", path: "a" }],
      }),
    ],
    texts: ["command exec: cat a"],
  },
  {
    name: "why an image was not shown",
    lines: [
      HEADER("legacy"),
      CALL("1", "view_image", { path: "/a.png" }),
      OUTPUT("1", "unable to locate image at `/a.png`"),
    ],
    texts: [
      "tool view_image: view_image⏎path: /a.png⏎unable to locate image at `/a.png`",
    ],
  },
  {
    name: "that a file is no image (0.118)",
    lines: [
      HEADER("legacy"),
      CALL("1", "view_image", { path: "/a.md" }),
      OUTPUT("1", "unable to process image at `/a.md`: unsupported image"),
    ],
    texts: [
      "tool view_image: view_image⏎path: /a.md⏎unable to process image at `/a.md`: unsupported image",
    ],
  },
  {
    name: "why an image was not shown, in a paginated file",
    lines: [
      HEADER("paginated"),
      CALL("1", "view_image", { path: "/a.png" }),
      OUTPUT("1", "unable to process image: it is none"),
    ],
    texts: [
      "tool view_image: view_image⏎path: /a.png⏎unable to process image: it is none",
    ],
  },
  {
    name: "all that agents answered",
    lines: [
      HEADER("paginated"),
      ITEM({
        type: "CollabAgentToolCall",
        id: "1",
        tool: "wait",
        status: "completed",
        agents_states: Object.fromEntries(
          [1, 2, 3, 4].map((at) => [at, { completed: `the answer ${at}` }]),
        ),
      }),
    ],
    texts: [
      'tool collab.wait: collab.wait⏎{"1":{"completed":"the answer 1"},"2":{"completed":"the answer 2"},"3":{"completed":"the answer 3"},"4":{"completed":"the answer 4"}}',
    ],
  },
  {
    name: "the whole output of a tool",
    lines: [
      HEADER("legacy"),
      CALL("1", "mcp__docs__find", { query: "q" }),
      OUTPUT(
        "1",
        JSON.stringify([
          {
            type: "text",
            text: Array.from({ length: 20 }, (_, at) => `"line ${at}"`)
              .join("\n"),
          },
          { type: "image", data: "AAAA" },
          { type: "resource_link", uri: "file:///y.txt" },
        ]),
      ),
    ],
    texts: [
      `tool docs.find: docs.find⏎query: q⏎${
        Array.from({ length: 20 }, (_, at) => `"line ${at}"`).join("⏎")
      }⏎file:///y.txt`,
    ],
  },
  {
    name: "the whole output of a tool in an item",
    lines: [
      HEADER("paginated"),
      CALL("1", "find", { query: "q" }),
      ITEM({
        type: "McpToolCall",
        id: "1",
        server: "docs",
        tool: "find",
        arguments: { query: "q" },
        result: {
          content: [{ type: "text", text: "1\n2\n3\n4\n5\n6\n7\n8\n9" }],
          structuredContent: { found: 9 },
        },
      }),
      OUTPUT("1", "1\n2\n3\n4\n5\n6\n7\n8\n9"),
    ],
    texts: [
      "tool docs.find: docs.find⏎query: q⏎1⏎2⏎3⏎4⏎5⏎6⏎7⏎8⏎9",
    ],
  },
  {
    name: "the whole output of a tool of the host program",
    lines: [
      HEADER("legacy"),
      LINE("event_msg", {
        type: "dynamic_tool_call_response",
        callId: "1",
        tool: "lookup",
        arguments: {},
        contentItems: [
          { type: "inputText", text: "1\n2\n3\n4\n5\n6\n7\n8\n9" },
          { type: "inputImage", imageUrl: "data:image/png;base64,AAAA" },
        ],
        success: true,
      }),
    ],
    texts: ["tool lookup: lookup⏎1⏎2⏎3⏎4⏎5⏎6⏎7⏎8⏎9"],
  },
  {
    name: "the states of agents",
    lines: [
      HEADER("paginated"),
      ITEM({
        type: "CollabAgentToolCall",
        id: "1",
        tool: "wait",
        agents_states: { a: { status: "completed", message: "All is well" } },
      }),
    ],
    texts: [
      'tool collab.wait: collab.wait⏎{⏎  "a": {⏎    "status": "completed",⏎    "message": "All is well"⏎  }⏎}',
    ],
  },
  {
    name:
      "the error of a script, but not its output of commands that are items",
    lines: [
      HEADER("paginated"),
      SCRIPT("1", 'await tools.view_image({"path":"/a.png"})'),
      PRINTS("1", FAILED, "Script error:\nno image"),
      SCRIPT("2", 'await tools.exec_command({"cmd":"make"})'),
      ITEM({
        type: "CommandExecution",
        id: "exec-1",
        command: ["make"],
        parsed_cmd: [],
        aggregated_output: "made",
        exit_code: 0,
      }),
      PRINTS("2", DONE, '{"output":"made"}'),
      SCRIPT("3", "await tools.exec_command(command); nothing()"),
      ITEM({
        type: "CommandExecution",
        id: "exec-2",
        command: ["make"],
        parsed_cmd: [],
        aggregated_output: "made",
        exit_code: 0,
      }),
      PRINTS("3", FAILED, "Script error:\nnot a function"),
      SCRIPT("4", "text('hi')"),
      PRINTS("4", DONE, "hi"),
    ],
    texts: [
      "tool view_image: view_image⏎path: /a.png⏎no image",
      "command exec: make⏎made",
      "tool exec: exec⏎script: await tools.exec_command(command); nothing()⏎not a function",
      "command exec: make⏎made",
      "tool exec: exec⏎script: text('hi')⏎hi",
    ],
  },
  {
    name: "calls that run at the same time",
    lines: [
      HEADER("paginated"),
      CALL("1", "apply_patch", {}),
      CALL("2", "find", {}),
      ITEM({
        type: "McpToolCall",
        id: "2",
        server: "docs",
        tool: "find",
        result: { content: [{ type: "text", text: "found" }] },
      }),
      OUTPUT("2", "found"),
      OUTPUT("1", "verification failed"),
    ],
    texts: [
      "patch apply_patch: verification failed⏎verification failed",
      "tool docs.find: docs.find⏎found",
    ],
  },
  {
    name: "each output once, and no invalid record",
    lines: [
      HEADER("legacy"),
      CALL("1", "shell", { command: ["ls"] }),
      OUTPUT("1", "a.txt"),
      OUTPUT("1", "a.txt"),
      OUTPUT("2", "of no call"),
      LINE("response_item", { type: "function_call_output", output: 7 }),
      LINE("response_item", { type: "x_call", call_id: 7 }),
      ITEM({ type: "CommandExecution", command: 7 }),
      ITEM(null),
      LINE("event", { msg: null }),
    ],
    texts: ["command exec: ls⏎a.txt"],
  },
  {
    name: "the name of a tool with a NUL, at which SQLite would end it",
    lines: [HEADER("legacy"), CALL("1", "dep\0loy", { target: "prod" })],
    texts: ["tool dep\ufffdloy: dep\ufffdloy⏎target: prod"],
  },
  {
    name: "items of unknown types as tools",
    lines: [
      HEADER("paginated"),
      ITEM({ type: "Sketch", id: "s", target: "prod" }),
      LINE("response_item", { type: "deploy_call", id: "d", target: "test" }),
    ],
    texts: [
      "tool sketch: sketch⏎target: prod",
      "tool deploy_call: deploy_call⏎target: test",
    ],
  },
] satisfies { name: string; lines: string[]; texts: string[] }[];

for (const { name, lines, texts } of UNSHOWN) {
  Deno.test(`SessionFold reads ${name}`, () => {
    const bytes = encode(lines.join(""));
    const expected = fold(bytes).all;
    assertEquals(
      expected.map(({ role, toolName, text }) =>
        `${role} ${toolName}: ${text.replaceAll("\n", "⏎")}`
      ),
      texts,
    );
    for (const place of lineEnds(bytes)) {
      checkParts(bytes, [place], expected);
    }
    assertEquals(foldGrowing(bytes, lineEnds(bytes)).all, expected);
  });
}

Deno.test("SessionFold reports the offset of each command in one record", () => {
  const first = HEADER("paginated") + LOOKS("1", "cat a", "one");
  const bytes = encode(first + LOOKS("2", "cat b", "two"));
  assertEquals(
    fold(bytes).all.map(({ kind, offset }) => [kind, offset]),
    [["explore", HEADER("paginated").length], ["explore", first.length]],
  );
});

const BEHIND_EXPLORED = [
  {
    name: "a command",
    item: {
      type: "CommandExecution",
      id: "2",
      command: ["kill", "1"],
      parsed_cmd: [{ type: "unknown", cmd: "kill 1" }],
      stderr: "denied",
      exit_code: 1,
    },
    texts: ["explore: cat a⏎one", "exec: kill 1⏎denied"],
  },
  {
    name: "a tool",
    item: {
      type: "McpToolCall",
      id: "2",
      server: "docs",
      tool: "find",
      result: { content: [{ type: "text", text: "found" }] },
    },
    texts: ["explore: cat a⏎one", "tool_call: docs.find⏎found"],
  },
];

for (const { name, item, texts } of BEHIND_EXPLORED) {
  Deno.test(`SessionFold reads ${name} directly behind an exploring command once`, () => {
    const first = HEADER("paginated") + LOOKS("1", "cat a", "one");
    const { all } = fold(encode(first + ITEM(item)));
    assertEquals(
      all.map(({ kind, text }) => `${kind}: ${text.replaceAll("\n", "⏎")}`),
      texts,
    );
    assertEquals(all.at(-1)?.offset, first.length);
  });
}

const AFTER_ROLLBACK = [
  { name: "before it", before: SCRIPT("c1", "x()"), after: "" },
  {
    name: "around a record that it removes",
    before: SCRIPT("c1", "x()") + CALL("c2", "view_image", { path: "/p" }),
    after: SAYS("more"),
  },
];

Deno.test("SessionFold numbers the new messages only of a line that also changes earlier ones", () => {
  const before = HEADER("legacy") + ASKS("go") +
    CALL("c1", "find", { n: 1 }) + CALL("c2", "find", { n: 2 });
  const aborts = LINE("event_msg", {
    type: "turn_aborted",
    reason: "interrupted",
  });
  const bytes = encode(before + aborts);
  const expected = fold(bytes).all;
  const { text, offset, inLine } = expected.at(-1) ?? fail("no message");
  assertEquals([text, offset, inLine], ["interrupted", before.length, 0]);
  checkParts(bytes, [before.length], expected);
});

for (const { name, before, after } of AFTER_ROLLBACK) {
  Deno.test(`SessionFold continues behind a rollback like a whole read, with a call ${name}`, () => {
    const bytes = encode([
      HEADER("legacy"),
      SAYS("say 0"),
      ASKS("ask 0"),
      before,
      LINE("event_msg", { type: "thread_rolled_back", num_turns: 1 }),
      after,
      PRINTS("c1", FAILED, "error 1"),
      ASKS("ask 1"),
    ].join(""));
    const expected = fold(bytes).all;
    const place = bytes.length - ASKS("ask 1").length;
    const texts = expected.map(({ text }) => text);
    // The output of a call that was rolled back must not be found either.
    assertEquals(texts.some((text) => text.endsWith("error 1")), false);
    assertEquals(texts.at(-1), "ask 1");
    for (const end of lineEnds(bytes)) {
      for (const cut of [end, end + 1, end + 40]) {
        const at = Math.min(cut, place);
        checkParts(bytes, [at], expected, `${at}`);
      }
    }
  });
}

const COMMAND = { call_id: "1", command: ["make", "a"], parsed_cmd: [] };
const LOOK = {
  call_id: "1",
  command: ["cat", "a"],
  parsed_cmd: [{ type: "read", cmd: "cat a", name: "a", path: "a" }],
};
const INVOCATION = { server: "s", tool: "t", arguments: { a: 1 } };

for (
  const { name, call, result } of [
    {
      name: "tool",
      call: CALL("1", "ask", { a: 1 }),
      result: OUTPUT("1", "late"),
    },
    {
      name: "tool of a server",
      call: LINE("event_msg", {
        type: "mcp_tool_call_begin",
        call_id: "1",
        invocation: INVOCATION,
      }),
      result: LINE("event_msg", {
        type: "mcp_tool_call_end",
        call_id: "1",
        invocation: INVOCATION,
        result: { Ok: { content: [{ type: "text", text: "late" }] } },
      }),
    },
    ...[COMMAND, LOOK].map((command) => ({
      name: `command ${command.command[0]}`,
      call: LINE("event_msg", { type: "exec_command_begin", ...command }),
      result: LINE("event_msg", {
        type: "exec_command_end",
        ...command,
        stdout: "late",
        exit_code: 0,
      }),
    })),
  ]
) {
  Deno.test(`SessionFold continues like a whole read with the late result of an interrupted ${name}`, () => {
    const abort = LINE("event_msg", {
      type: "turn_aborted",
      reason: "interrupted",
    });
    const bytes = encode(
      HEADER("legacy") + ASKS("Go") + call + abort +
        Array.from({ length: 20 }, (_, at) => SAYS(`${at}`)).join("") + result,
    );
    const expected = fold(bytes).all;
    const found = expected.filter(({ text }) => text.includes("late"));
    assertEquals(found.length, 1);
    checkParts(bytes, lineEnds(bytes).slice(-2, -1), expected);
  });
}

Deno.test("SessionFold reads calls, rollbacks and other lines in pieces like a whole file", () => {
  const piece = fc.oneof(
    fc.nat({ max: 9 }).map((n) => ASKS(`ask ${n}`)),
    fc.nat({ max: 9 }).map((n) => SAYS(`say ${n}`)),
    fc.nat({ max: 4 }).map((n) => CALL(`c${n}`, "find", { n })),
    fc.nat({ max: 4 }).map((n) => CALL(`c${n}`, "view_image", { path: "/p" })),
    fc.nat({ max: 4 }).map((n) => OUTPUT(`c${n}`, `output ${n}`)),
    fc.nat({ max: 4 }).map((n) => SCRIPT(`c${n}`, "x()")),
    fc.nat({ max: 4 }).map((n) => PRINTS(`c${n}`, FAILED, `error ${n}`)),
    fc.nat({ max: 4 }).map((n) => LOOKS(`e${n}`, `cat ${n}`, `text ${n}`)),
    fc.nat({ max: 3 }).map((n) =>
      LINE("event_msg", { type: "thread_rolled_back", num_turns: n })
    ),
    fc.constant(LINE("event_msg", { type: "task_started" })),
    fc.constant("no JSON\n"),
  );
  fc.assert(
    fc.property(
      fc.constantFrom("paginated", "legacy"),
      fc.array(piece, { maxLength: 40 }),
      fc.array(fc.nat(), { maxLength: 5 }),
      (mode, lines, cuts) => {
        const bytes = encode(HEADER(mode) + lines.join(""));
        const expected = fold(bytes).all;
        const places = cuts.map((cut) => cut % bytes.length).sort((a, b) =>
          a - b
        );
        checkParts(bytes, places, expected);
      },
    ),
    { numRuns: 150 },
  );
});

Deno.test("SessionFold is full after much text, until it is taken", () => {
  const fold = new SessionFold({ fileName: "rollout.jsonl", start: 0 });
  const line = encode(SAYS("x".repeat(1_000)).repeat(100));
  const sizes: number[] = [];
  for (let at = 0; at < 100; at++) {
    fold.feed(line);
    if (fold.isFull) sizes.push(fold.take(false).messages.length);
  }
  assertEquals(sizes.length, 1);
});

/** The offsets behind the line feeds. */
function lineEnds(bytes: Uint8Array): number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) {
    ends.push(at + 1);
  }
  return ends;
}

Deno.test("packed() writes an empty checkpoint for a state longer than a string, and unpacked() refuses it", () => {
  const { checkpoint } = packed({
    history: new HistoryState().snapshot(),
    rules: {
      toJSON(): never {
        throw new RangeError("Invalid string length");
      },
    },
    emptied: [],
    time: null,
    shifts: [],
    ownRows: [],
    nextRow: 0,
    outputs: [],
  });
  assertEquals(checkpoint.length, 0);
  assertThrows(() => unpacked(checkpoint));
});
