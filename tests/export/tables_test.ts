/** Tables of captured and handmade sessions. */

import { assertEquals, assertMatch } from "@std/assert";
import {
  columnsOf,
  type ExporterOptions,
  type ExportPiece,
  TABLE_NAMES,
  TableExporter,
  type TableName,
  TABLES,
} from "../../lib/export/export.ts";
import { Redactor } from "../../lib/redact/redact.ts";
import { JsonlEvents } from "../../lib/pipeline/event_pipeline.ts";
import { findSessionFiles, openSession } from "../../lib/sessions/sessions.ts";
import { namesIn, readFixture } from "../fixtures.ts";
import { encode, encodeJsonl } from "../running.ts";
import {
  answerLine,
  callLine,
  eventLine,
  line,
  outputLine,
  pagedLine,
  PAGINATED,
  promptLine,
} from "../session_lines.ts";
import { withHome, writeFile } from "../sessions/homes.ts";
import { tokensIn } from "../usage/meters.ts";

type Row = Readonly<Record<string, unknown>>;
type Rows = Readonly<Record<TableName, readonly Row[]>>;
interface Input {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The exported files of inputs: their texts by their names. */
function piecesOf(
  inputs: readonly Input[],
  options: ExporterOptions = {},
): Map<string, string> {
  const files = new Map<string, string>();
  const write = ({ file, data }: ExportPiece): void => {
    files.set(file, `${files.get(file) ?? ""}${data}`);
  };
  const exporter = new TableExporter(options);
  for (const { name, bytes } of inputs) {
    exporter.begin({ name, stem: name });
    const events = new JsonlEvents();
    events.feed(bytes, (outcome) => exporter.feed(outcome, write));
    events.flush((outcome) => exporter.feed(outcome, write));
    exporter.end(write);
  }
  [...exporter.flush()].forEach(write);
  return files;
}

/** The rows of the tables of inputs. */
function rowsOf(inputs: readonly Input[], options?: ExporterOptions): Rows {
  const files = piecesOf(inputs, options);
  const rows = TABLE_NAMES.map((table) => {
    const lines = files.get(`${table}.jsonl`)?.split("\n").slice(0, -1) ?? [];
    return [table, lines.map((line) => JSON.parse(line))];
  });
  return Object.fromEntries(rows);
}

function sumOf(rows: readonly Row[], column: string): bigint {
  return rows.reduce(
    (sum, row) => sum + BigInt(String(row[column] ?? 0)),
    0n,
  );
}

/** The values of the columns of rows that have no equal row among the others. */
function missingOf(
  rows: readonly Row[],
  others: readonly Row[],
  columns: readonly string[],
): string[] {
  const textOf = (row: Row): string =>
    columns.map((column) => row[column]).join(" ");
  const left = others.map(textOf);
  return rows.map(textOf).filter((text) => {
    const at = left.indexOf(text);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

async function readAll(file: { readonly path: string }): Promise<Input> {
  const source = await openSession(file);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const block = new Uint8Array(1 << 18);
  for (
    let size = await source.read(block);
    size !== null;
    size = await source.read(block)
  ) parts.push(block.slice(0, size));
  const bytes = await new Blob(parts).bytes();
  return { name: file.path, bytes };
}

const VERSIONS = ["0.36.0", "0.42.0", "0.104.0", "0.169.0"];
const BASE_TYPES: Readonly<Record<string, string>> = {
  integer: "number",
  boolean: "boolean",
};

Deno.test("TableExporter writes the declared columns and keys, and the tokens of UsageMeter", async () => {
  await withHome({ versions: VERSIONS }, async ({ path, sessions }) => {
    // A copy under another name is counted once, and so is a thread whose stream is also read.
    const [{ path: copied = "" } = {}] = sessions;
    await writeFile(
      `${path}/sessions/2026/11/20/rollout-2026-11-20T23-00-00-${crypto.randomUUID()}.jsonl`,
      await Deno.readFile(copied),
    );
    const { files } = await findSessionFiles({ codexHomes: [path] });
    const inputs = await Promise.all(files.map(readAll));
    const stream = "0.169.0/shellmany/stdout.jsonl";
    inputs.push({ name: stream, bytes: readFixture(`captures/${stream}`) });
    const rows = rowsOf(inputs, { content: true });
    for (const table of TABLE_NAMES) {
      const columns = columnsOf(table, { content: true });
      const keys = new Set<string>();
      for (const row of rows[table]) {
        assertEquals(Object.keys(row), columns.map(([name]) => name));
        for (const [name, type] of columns) {
          const value = row[name];
          if (value === null) assertEquals(type.endsWith("?"), true, name);
          else {
            const base = BASE_TYPES[type.replace("?", "")] ?? "string";
            assertEquals(typeof value, base, `${table}.${name}`);
          }
          if (type === "timestamp?" && value !== null) {
            assertMatch(String(value), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
          }
        }
        keys.add(TABLES[table].key.map((name) => row[name]).join("\n"));
      }
      assertEquals(keys.size, rows[table].length, table);
    }
    const used = tokensIn(
      inputs.map(({ name, bytes }) => ({ name, content: bytes })),
    );
    for (
      const column of ["input_tokens", "output_tokens", "total_tokens"] as const
    ) {
      assertEquals(sumOf(rows.turns, column), used[column], column);
      assertEquals(sumOf(rows.requests, column), used[column], column);
    }
  });
});

/** Scenarios whose streams have items that session files lack (see docs/analytics.md). */
const DIFFERENT = /^(?:unified|websearch|codemode)$/;
/** The columns by which rows of streams and files are compared; docs/analytics.md names them. */
const SHARED: readonly {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly types?: readonly string[];
}[] = [
  { table: "threads", columns: ["thread_id"] },
  { table: "turns", columns: ["status"] },
  {
    table: "items",
    columns: ["item_type", "status"],
    types: ["agent_message", "reasoning"],
  },
  {
    table: "tool_calls",
    columns: ["item_type", "tool", "exit_code"],
    types: ["command_execution", "mcp_tool_call", "collab_tool_call"],
  },
  {
    table: "tool_calls",
    columns: ["item_type", "tool", "files"],
    types: ["file_change"],
  },
];

Deno.test("TableExporter writes the rows of an exec stream also for its session file", () => {
  let runs = 0;
  for (const version of ["0.104.0", "0.148.0", "0.169.0"]) {
    for (const scenario of namesIn(`captures/${version}/`)) {
      if (DIFFERENT.test(scenario)) continue;
      const folder = `captures/${version}/${scenario}/`;
      const names = namesIn(folder);
      if (names.filter((name) => name.startsWith("stdout")).length !== 1) {
        continue;
      }
      const rowsIn = (name: string): Rows =>
        rowsOf([{ name, bytes: readFixture(folder + name) }]);
      const exec = rowsIn("stdout.jsonl");
      const id = String(exec.threads[0]?.thread_id);
      const file = names.find((name) => name.endsWith(`-${id}.jsonl`));
      const isDone = exec.turns.at(-1)?.status === "completed";
      if (file === undefined || !isDone) continue;
      runs += 1;
      const session = rowsIn(file);
      for (const { table, columns, types } of SHARED) {
        const isShared = ({ item_type }: Row): boolean =>
          types === undefined || types.includes(String(item_type));
        const missing = missingOf(
          exec[table].filter(isShared),
          session[table].filter(isShared),
          columns,
        );
        assertEquals(missing, [], `${folder}${file} ${table}`);
      }
      for (const column of ["input_tokens", "output_tokens", "total_tokens"]) {
        const sum = sumOf(exec.turns, column);
        assertEquals(sum, sumOf(session.turns, column), folder);
      }
      assertEquals(exec.requests, []);
    }
  }
  assertEquals(runs > 40, true, `${runs} runs`);
});

function exec(...lines: readonly unknown[]): Input {
  return { name: "run.jsonl", bytes: encodeJsonl(lines) };
}

/** Returns a message of an app-server about a command in the thread `a`. */
function commandMessage(method: string, status: string): unknown {
  const item = { type: "commandExecution", id: "c", command: "make", status };
  return { method, params: { threadId: "a", turnId: "1", item } };
}

function command(id: string, type: string, rest: Row): Row {
  const item = { id, type: "command_execution", command: "make", ...rest };
  return { type, item: { aggregated_output: "", ...item } };
}

const START = { type: "thread.started", thread_id: "t" };
const TURN = { type: "turn.started" };
const END = {
  type: "turn.completed",
  usage: { input_tokens: 9007199254740993, output_tokens: 1 },
};

const OTHERS = Array.from({ length: 100 }, (_, i) => `item_${i}`);

/** Two turns of a release that writes no ids of turns, and counts tokens before the answer. */
const SESSION = [5, 12].flatMap((input_tokens, at) => [
  ...at === 0 ? [line("session_meta", { id: "t" })] : [],
  promptLine(`Go ${at}`),
  eventLine("token_count", {
    info: { total_token_usage: { input_tokens } },
  }),
  answerLine(`Done ${at}`),
]);

const CASES: readonly {
  readonly name: string;
  readonly input: Input;
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}[] = [
  {
    name: "one row for a command that ends in a later turn",
    input: exec(
      START,
      TURN,
      command("item_0", "item.started", { status: "in_progress" }),
      END,
      TURN,
      command("item_0", "item.completed", { exit_code: 3, status: "failed" }),
    ),
    table: "tool_calls",
    columns: ["line", "turn_id", "tool", "status", "exit_code"],
    rows: [[3, "synthetic-turn-1", "shell", "failed", 3]],
  },
  {
    name:
      "a command without an exit code, and the commands after it, once its exit code is known",
    input: exec(
      ...[START, TURN],
      command("late", "item.completed", { status: "failed" }),
      ...OTHERS.map((id) => command(id, "item.completed", { exit_code: 0 })),
      command("late", "item.completed", { exit_code: 3, status: "failed" }),
    ),
    table: "tool_calls",
    columns: ["item_id", "exit_code"],
    rows: [["late", 3], ...OTHERS.map((id) => [id, 0])],
  },
  {
    name: "items with the same ids of a process that resumes the thread",
    input: exec(
      ...[START, TURN],
      command("item_0", "item.completed", { exit_code: 0 }),
      ...[START, TURN],
      command("item_0", "item.completed", { exit_code: 1 }),
    ),
    table: "tool_calls",
    columns: ["line", "item_id", "exit_code"],
    rows: [[3, "item_0", 0], [6, "item_0", 1]],
  },
  {
    name: "why a turn of the old dialect was aborted",
    input: exec(START, { id: "0", msg: { type: "task_started" } }, {
      id: "0",
      msg: { type: "turn_aborted", reason: "replaced" },
    }),
    table: "turns",
    columns: ["status", "reason"],
    rows: [["failed", "replaced"]],
  },
  {
    name: "an unreadable line, an error and a failed turn as failures",
    input: {
      name: "run.jsonl",
      bytes: encode(
        `${JSON.stringify(START)}\n{"type":"turn.started"}\n{"torn\n` +
          '{"type":"error","message":"No"}\n' +
          '{"type":"turn.failed","error":{"message":"No more"}}\n',
      ),
    },
    table: "failures",
    columns: ["line", "turn_id", "kind", "raw"],
    rows: [
      [3, "synthetic-turn-1", "json", '{"torn'],
      [4, "synthetic-turn-1", "error", null],
      [5, "synthetic-turn-1", "turn", null],
    ],
  },
  {
    name:
      "the tokens of a session's turn whose prompt, but no answer, came before",
    input: exec(...SESSION),
    table: "turns",
    columns: ["turn_id", "input_tokens"],
    rows: [["synthetic-turn-1", 5], ["synthetic-turn-2", 7]],
  },
  {
    name:
      "one row for a session's turn after a review, which is a turn only in usage",
    input: exec(
      ...SESSION.slice(0, 4),
      eventLine("entered_review_mode", { prompt: "All" }),
      eventLine("exited_review_mode"),
      ...SESSION.slice(4),
    ),
    table: "turns",
    columns: ["turn_id", "input_tokens"],
    rows: [["synthetic-turn-1", 5], ["synthetic-turn-2", 7]],
  },
  {
    name: "the start of a session's turn to the millisecond, unlike Codex",
    input: exec(
      line("session_meta", { id: "t" }),
      eventLine(
        "task_started",
        { turn_id: "1", started_at: 1767323045 },
        "2026-01-02T03:04:05.678Z",
      ),
    ),
    table: "turns",
    columns: ["started_at"],
    rows: [["2026-01-02T03:04:05.678Z"]],
  },
  {
    name:
      "tokens before a session's first turn, which has an id, apart from it",
    input: exec(
      line("session_meta", { id: "t" }),
      eventLine("token_count", {
        info: { total_token_usage: { input_tokens: 5 } },
      }),
      eventLine("task_started", { turn_id: "a" }),
      eventLine("token_count", {
        info: { total_token_usage: { input_tokens: 12 } },
      }),
      eventLine("task_complete", { turn_id: "a" }),
    ),
    table: "turns",
    columns: ["turn_id", "input_tokens"],
    rows: [["synthetic-turn-0", 5], ["a", 7]],
  },
  {
    name: "the tokens of a session's turn that goes on after midnight",
    input: exec(
      line("session_meta", { id: "t" }),
      eventLine("task_started", { turn_id: "a" }),
      ...[5, 12].map((input_tokens, at) =>
        eventLine(
          "token_count",
          { info: { total_token_usage: { input_tokens } } },
          `2026-01-0${at + 1}T00:00:00.000Z`,
        )
      ),
    ),
    table: "turns",
    columns: ["turn_id", "input_tokens"],
    rows: [["a", 12]],
  },
  {
    name: "the prompts of a session without the turn before",
    input: exec(...SESSION),
    table: "items",
    columns: ["item_type", "turn_id"],
    rows: [
      ["user_message", null],
      ["agent_message", "synthetic-turn-1"],
      ["user_message", null],
      ["agent_message", "synthetic-turn-2"],
    ],
  },
  {
    name: "items of unknown types as tool calls",
    input: exec(
      ...[START, TURN],
      command("item_0", "item.completed", {
        type: "browser_action",
        url: "a.org",
        status: "failed",
      }),
    ),
    table: "tool_calls",
    columns: ["item_type", "tool", "status"],
    rows: [["browser_action", "browser_action", "failed"]],
  },
  {
    name: "the end of an app-server's thread before messages of no thread",
    input: exec(
      {
        method: "thread/started",
        params: { thread: { id: "t" } },
        emittedAtMs: 1_795_000_000_000,
      },
      {
        method: "account/rateLimits/updated",
        params: { rateLimits: {} },
        emittedAtMs: 1_795_000_009_000,
      },
    ),
    table: "threads",
    columns: ["thread_id", "ended_at"],
    rows: [["t", "2026-11-18T11:06:40.000Z"]],
  },
  {
    name: "a call of an app-server that ends after another thread has begun",
    input: exec(
      { method: "thread/started", params: { thread: { id: "a" } } },
      commandMessage("item/started", "inProgress"),
      { method: "thread/started", params: { thread: { id: "b" } } },
      commandMessage("item/completed", "completed"),
    ),
    table: "items",
    columns: ["line", "item_id", "status"],
    rows: [[2, "c", "completed"]],
  },
  {
    name: "the arguments of a call that the tool refused",
    input: exec(
      line("session_meta", { id: "t" }),
      callLine("view_image", { path: "a.png" }),
      outputLine("unable to locate image at `a.png`"),
    ),
    table: "tool_calls",
    columns: ["tool", "status", "input"],
    rows: [["view_image", "failed", '{"path":"a.png"}']],
  },
  {
    name: "the output of a command that the model got, if its item has none",
    input: exec(
      PAGINATED,
      callLine("exec_command", { cmd: "make" }),
      outputLine("Process running with session ID 5\nOutput:\nbegun\n"),
      pagedLine("CommandExecution", {
        id: "c1",
        command: ["make"],
        aggregated_output: "",
        exit_code: -1,
      }),
    ),
    table: "tool_calls",
    columns: ["status", "exit_code", "output"],
    rows: [["failed", -1, "begun\n"]],
  },
  {
    name: "what a command without an end has printed",
    input: exec(
      line("session_meta", { id: "t" }),
      eventLine("exec_command_begin", { call_id: "c", command: ["make"] }),
      ...["stdout", "stderr"].map((stream) =>
        eventLine("exec_command_output_delta", {
          call_id: "c",
          stream,
          chunk: btoa(`${stream}\n`),
        })
      ),
    ),
    table: "tool_calls",
    columns: ["status", "output"],
    rows: [["in_progress", "stdout\nstderr\n"]],
  },
  {
    name: "the states of the agents that a call waited for",
    input: exec(START, TURN, {
      type: "item.completed",
      item: {
        id: "item_0",
        type: "collab_tool_call",
        tool: "wait",
        receiver_thread_ids: ["a"],
        agents_states: { a: { status: "completed", message: "Seen." } },
        status: "completed",
      },
    }),
    table: "tool_calls",
    columns: ["tool", "output"],
    rows: [["wait", '{"a":{"status":"completed","message":"Seen."}}']],
  },
  {
    name: "when the thread of an app-server was created, which its answer has",
    input: exec(
      { id: 1, result: { thread: { id: "a", createdAt: 1795390040 } } },
      commandMessage("item/completed", "completed"),
    ),
    table: "threads",
    columns: ["thread_id", "started_at"],
    rows: [["a", "2026-11-22T23:27:20.000Z"]],
  },
  {
    name: "contents without secrets",
    input: exec(
      ...[START, TURN],
      command("item_0", "item.completed", {
        command: "API_TOKEN=abc123def make",
        aggregated_output: "done",
      }),
    ),
    table: "tool_calls",
    columns: ["input", "output"],
    rows: [['{"command":"API_TOKEN=[redacted:token] make"}', "done"]],
  },
];

for (const { name, input, table, columns, rows } of CASES) {
  Deno.test(`TableExporter writes ${name}`, () => {
    const redactor = new Redactor();
    const actual = rowsOf([input], { content: true, redactor })[table];
    assertEquals(
      actual.map((row) => columns.map((column) => row[column])),
      rows,
    );
  });
}

for (
  const { name, count, size, held } of [
    { name: "many", count: 2100, size: 1, held: 1024 + 51 },
    { name: "long", count: 4, size: 3 << 20, held: 2 },
  ]
) {
  Deno.test(`TableExporter writes the oldest items before the input ends, if they are ${name}`, () => {
    const exporter = new TableExporter({ content: true, table: "items" });
    let written = 0;
    const write = ({ data }: ExportPiece): void => {
      if (data !== "") written += 1;
    };
    const text = "x".repeat(size);
    const items = Array.from({ length: count }, (_, at) => ({
      type: "item.completed",
      item: { id: `${at}`, type: "agent_message", text },
    }));
    exporter.begin({ name: "a", stem: "a" });
    const events = new JsonlEvents();
    events.feed(
      encodeJsonl([START, ...items]),
      (outcome) => exporter.feed(outcome, write),
    );
    assertEquals(count - written, held);
    exporter.end(write);
    assertEquals(written, count);
  });
}

Deno.test("TableExporter writes the selected table as CSV, with a header row and exact counts", () => {
  const input = {
    name: "run.jsonl",
    bytes: encode(
      `${JSON.stringify(START)}\n{"type":"turn.started"}\n` +
        '{"type":"turn.completed","usage":{"input_tokens":9007199254740993,"output_tokens":0}}\n',
    ),
  };
  const files = piecesOf([input, input], { table: "turns", csv: true });
  assertEquals([...files.keys()], ["turns.csv"]);
  const [header, row, end] = files.get("turns.csv")?.split("\r\n") ?? [];
  assertEquals(
    header,
    columnsOf("turns").map(([column]) => column).join(","),
  );
  assertEquals(
    row,
    "run.jsonl,2,t,synthetic-turn-1,,,,completed,,,false," +
      "9007199254740993,0,0,0,0,9007199254740993",
  );
  assertEquals(end, "");
});

Deno.test("TableExporter writes one row for a command that ends thousands of items later", () => {
  const others = Array.from({ length: 5000 }, (_, i) => `other_${i}`);
  const { tool_calls } = rowsOf([exec(
    ...[START, TURN],
    command("item_0", "item.started", { status: "in_progress" }),
    ...others.map((id) => command(id, "item.completed", { exit_code: 0 })),
    command("item_0", "item.completed", { exit_code: 3, status: "failed" }),
  )]);
  const rows = tool_calls.filter(({ item_id }) => item_id === "item_0");
  assertEquals(rows.map(({ line, exit_code }) => [line, exit_code]), [[3, 3]]);
});

Deno.test("TableExporter writes arguments as they are spelled in the input", () => {
  const args =
    '{"id":9007199254740993,"10":1.0,"2":{"big":12345678901234567890}}';
  const bytes = encode(
    `${
      JSON.stringify(START)
    }\n{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call",` +
      `"server":"s","tool":"t","arguments":${args},"status":"completed"}}\n`,
  );
  const rows = rowsOf([{ name: "run.jsonl", bytes }], { content: true });
  assertEquals(rows.tool_calls.map(({ input }) => input), [args]);
});
