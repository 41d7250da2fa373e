import { assert, assertEquals } from "@std/assert";
import type { Dialect, StreamKind } from "../../lib/dialects/dialect_names.ts";
import { StreamRules } from "../../lib/dialects/dialects.ts";
import { ByteWriter } from "../../lib/json/byte_writer.ts";
import { LineNumberer } from "../../lib/lines/line_numberer.ts";
import { Normalizer } from "../../lib/dialects/normalizer.ts";
import type { Failure } from "../../lib/outcome.ts";
import { JsonlNormalizer } from "../../lib/pipeline/pipeline.ts";
import { compose } from "../../lib/stage.ts";
import { linesOf, namesIn, readJson } from "../fixtures.ts";
import { readCapturedFiles, rolloutBytes, TIME, wrapped } from "../rollouts.ts";
import { concat, decode, emitted, encode } from "../running.ts";

const FAILED =
  '{"type":"line.failed","line":1,"offset":0,"error":{"kind":"json","message":"no"},"raw":"x"}';

/** The result of a line: its record, or the kind of its failure and perhaps a glued record. */
interface Answer {
  readonly failure: string | undefined;
  readonly record: string;
}

/** Applies rules to one line. */
function apply(rules: StreamRules, line: string | Uint8Array): Answer {
  const bytes = typeof line === "string" ? encode(line) : line;
  const ended = concat([bytes, Uint8Array.of(0x0a)]);
  const out = new ByteWriter();
  const fault = rules.apply(ended, 0, bytes.length, out);
  const record = decode(out.view());
  return { failure: fault?.reason.kind, record };
}

/** The kind of stream that the rules detect in lines. */
function kindOf(
  lines: readonly (string | Uint8Array)[],
  from: Dialect = "auto",
): StreamKind | undefined {
  const rules = new StreamRules(from, {});
  for (const line of lines) apply(rules, line);
  return rules.kind;
}

/** Normalizes lines of any dialect and returns the failures. */
function failuresOf(lines: readonly string[]): Failure[] {
  const stage = compose(new LineNumberer(), new Normalizer());
  return emitted(stage, lines).filter((outcome) => !outcome.ok);
}

// The clauses of D.9, in their order; if two match, the earlier one decides.

const CLAUSES = [
  {
    clause: "a list under records",
    kind: "snapshot",
    lines: [
      '{"records":[]}',
      '{"records":[{"id":1,"type":"notice","payload":{}}],"next_id":2}',
      '{"next_id":1,"order":[],"records":[{"PlainMessage":{"id":1}}]}',
      '{"records":[],"type":"event_msg","payload":{},"msg":{}}',
    ],
  },
  {
    clause: "an object msg",
    kind: "exec",
    lines: [
      '{"id":"0","msg":{"type":"task_started"}}',
      '{"msg":{}}',
      '{"records":{},"msg":{}}',
      `{"id":"0","timestamp":"${TIME}","msg":{}}`,
      '{"type":"event_msg","payload":{},"msg":{}}',
      '{"record_type":"state","msg":{}}',
    ],
  },
  {
    clause: "the keys of a config line",
    kind: "exec",
    lines: [
      '{"model":"m","provider":"p","workdir":"/w"}',
      `{"id":"0","timestamp":"${TIME}","model":"m","provider":"p","workdir":"/w"}`,
      '{"record_type":"state","model":"m","provider":"p","workdir":"/w"}',
    ],
  },
  {
    clause: "the key of a prompt line",
    kind: "exec",
    lines: [
      '{"prompt":"do it"}',
      `{"id":"0","timestamp":"${TIME}","prompt":""}`,
      '{"session_id":"s","ts":1,"text":"t","prompt":"do it"}',
    ],
  },
  {
    clause: "a type of exec events",
    kind: "exec",
    lines: [
      "thread.started",
      "turn.started",
      "turn.completed",
      "turn.failed",
      "item.started",
      "item.delta",
      "item.completed",
      "item.failed",
      "error",
      "thread.resumed",
      "session.created",
      "item.created",
      "item.updated",
    ].flatMap((type) => [
      `{"type":"${type}"}`,
      `{"timestamp":"${TIME}","type":"${type}","payload":{}}`,
    ]),
  },
  {
    clause: "a type with an object payload",
    kind: "rollout",
    lines: [
      wrapped("session_meta"),
      '{"type":"event_msg","payload":{}}',
      wrapped("event", '{"id":"0","event_seq":1,"msg":{"type":"x"}}'),
      wrapped("brand_new"),
      '{"payload":{},"type":""}',
      '{"session_id":"s","ts":1,"text":"t","type":"x","payload":{}}',
    ],
  },
  {
    clause: "a record_type",
    kind: "rollout",
    lines: [
      '{"record_type":"state"}',
      '{"record_type":null}',
      '{"type":"brand_new","record_type":"state"}',
      '{"session_id":"s","ts":1,"text":"t","record_type":"state"}',
    ],
  },
  {
    clause: "a header",
    kind: "rollout",
    lines: [
      `{"id":"0","timestamp":"${TIME}"}`,
      '{"timestamp":1,"instructions":null,"id":null}',
      `{"id":"0","timestamp":"${TIME}","thread_name":"n"}`,
    ],
  },
  {
    clause: "a bare response item",
    kind: "rollout",
    lines: [
      '{"type":"message","role":"user","content":[]}',
      '{"role":"user","type":"message"}',
      '{"type":"reasoning","summary":[]}',
      '{"type":"function_call","call_id":"c"}',
      '{"type":"function_call_output","call_id":"c"}',
      '{"type":"local_shell_call"}',
      '{"type":"custom_tool_call"}',
      '{"type":"web_search_call"}',
      '{"type":"message","session_id":"s","ts":1,"text":"t"}',
    ],
  },
  {
    clause: "the keys of a prompt in history.jsonl",
    kind: "history.jsonl",
    lines: [
      '{"session_id":"s","ts":1795190780,"text":"hi"}',
      '{"text":null,"ts":null,"session_id":null}',
      '{"session_id":"s","ts":1,"text":"t","id":"0","thread_name":"n"}',
      '{"type":"brand_new","session_id":"s","ts":1,"text":"t"}',
    ],
  },
  {
    clause: "the keys of a name in session_index.jsonl",
    kind: "session_index.jsonl",
    lines: [
      `{"id":"0","thread_name":"n","updated_at":"${TIME}"}`,
      '{"thread_name":"","id":""}',
    ],
  },
  {
    clause: "default",
    kind: "exec",
    lines: [
      "{}",
      '{"records":{}}',
      '{"records":"[]"}',
      '{"msg":"x"}',
      '{"model":"m","provider":"p"}',
      '{"model":"m","provider":"p","workdir":1}',
      '{"prompt":["do it"]}',
      '{"type":"brand_new"}',
      '{"type":"event_msg"}',
      '{"type":"event_msg","payload":[]}',
      '{"type":"message","payload":null}',
      '{"type":1,"payload":{}}',
      '{"type":["message"]}',
      `{"type":"brand_new","id":"0","timestamp":"${TIME}"}`,
      `{"type":null,"id":"0","timestamp":"${TIME}"}`,
      '{"id":"0"}',
      '{"session_id":"s","ts":1}',
      '{"session_id":"s","text":"t"}',
      '{"ts":1,"text":"t"}',
      `{"timestamp":"${TIME}"}`,
      '{"thread_name":"n"}',
      '{"__proto__":{"type":"message"},"constructor":{"payload":{}}}',
      '{"Type":"message"}',
    ],
  },
] satisfies { clause: string; kind: StreamKind; lines: string[] }[];

for (const { clause, kind, lines } of CLAUSES) {
  Deno.test(`StreamRules detects ${kind} by ${clause} (D.9)`, () => {
    for (const line of lines) {
      assertEquals(kindOf([line]), kind, line);
      assertEquals(kindOf([` ${line}\t`]), kind, line);
    }
  });
}

const SPELLINGS = [
  {
    name: "keys and types with escapes",
    line: '{"\\u0074ype":"mess\\u0061ge"}',
  },
  { name: "the last of two types", line: '{"type":"error","type":"message"}' },
  {
    name: "the last of two payloads",
    line: '{"type":"x","payload":1,"payload":{}}',
  },
] satisfies { name: string; line: string }[];

for (const { name, line } of SPELLINGS) {
  Deno.test(`StreamRules parses the first record as JSON: ${name}`, () => {
    assertEquals(kindOf([line]), "rollout");
  });
}

// Lines before the first record.

const BEFORE = [
  {
    name: "text",
    line: "Reading additional input from stdin...",
    kind: "json",
  },
  { name: "a torn object", line: '{"type":"mess', kind: "json" },
  {
    name: "two objects on one line",
    line: '{"msg":{}}{"msg":{}}',
    kind: "json",
  },
  { name: "bytes that are not UTF-8", line: Uint8Array.of(0xff), kind: "utf8" },
  { name: "a list", line: '[{"msg":{}}]', kind: "normalize" },
  { name: "a string", line: '"thread.started"', kind: "normalize" },
  { name: "null", line: "null", kind: "normalize" },
  { name: "a failure of an earlier run", line: FAILED, kind: "json" },
] satisfies { name: string; line: string | Uint8Array; kind: string }[];
const FIRST_RECORDS = [
  { line: '{"type":"thread.started","thread_id":"t"}', kind: "exec" },
  { line: wrapped("session_meta"), kind: "rollout" },
  { line: '{"records":[]}', kind: "snapshot" },
] satisfies { line: string; kind: StreamKind }[];

for (const { name, line, kind } of BEFORE) {
  Deno.test(`StreamRules fails ${name} at once and detects the kind by a later line`, () => {
    const rules = new StreamRules("auto", {});
    for (let i = 0; i < 3; i++) {
      assertEquals(apply(rules, line), { failure: kind, record: "" });
      assertEquals(rules.kind, undefined);
    }
    for (const first of FIRST_RECORDS) {
      assertEquals(kindOf([line, first.line]), first.kind);
    }
  });
}

Deno.test("StreamRules skips blank lines and a byte order mark before the first record", () => {
  for (const { line, kind } of FIRST_RECORDS) {
    const expected = kind === "rollout" ? [] : failuresOf([line]);
    for (const start of ["\ufeff", "\n \t\n\u3000\n", "\ufeff\n\n", "\r\n"]) {
      const run = rolloutBytes([encode(`${start}${line}\n`)], { from: "auto" });
      assertEquals(
        run.failures.map(({ error }) => error),
        expected.map(({ error }) => error),
      );
    }
  }
});

Deno.test("StreamRules reports failures before it has detected the kind", () => {
  const blocks: string[] = [];
  const normalizer = new JsonlNormalizer({ onError: "inline" });
  for (const line of ["no JSON\n", "[]\n", `${FAILED}\n`]) {
    normalizer.feed(encode(line), (block) => blocks.push(decode(block)));
  }
  assertEquals(blocks.length, 3);
  assertEquals(blocks[2], `${FAILED}\n`);
});

Deno.test("StreamRules detects a rollout by a record glued to a torn first line (R5)", () => {
  const glued = wrapped("event_msg");
  const rules = new StreamRules("auto", {});
  assertEquals(apply(rules, `{"timestamp":"20${glued}`), {
    failure: "json",
    record: glued,
  });
  assertEquals(rules.kind, "rollout");
});

Deno.test("StreamRules fails 100,000 lines of text in linear time", () => {
  const lines = 100_000;
  const run = rolloutBytes([encode("plain text 123\n".repeat(lines))], {
    from: "auto",
    onError: "drop",
  });
  assertEquals(run.failures.length, lines);
});

// Lines after the kind is known.

for (const { line, kind } of FIRST_RECORDS) {
  Deno.test(`StreamRules keeps the kind ${kind} for all later lines`, () => {
    for (const { lines } of CLAUSES) {
      assertEquals(kindOf([line, ...lines]), kind);
    }
  });
}

for (const from of ["exec", "rollout"] satisfies Dialect[]) {
  Deno.test(`StreamRules uses the kind of from ${from} for any line`, () => {
    assertEquals(kindOf([], from), from);
    for (const { lines } of CLAUSES) assertEquals(kindOf(lines, from), from);
  });
}

// Captured files.

const CAPTURED = [
  {
    content: "the output of codex exec",
    pathRegexp: /^0\.(?!1\.)(?!.*\/archive\/stdout\.2).*\/stdout[^/]*$/,
    kind: "exec",
    count: 485,
  },
  {
    content: "the output of the first CLI",
    pathRegexp: /^0\.1\..*\/stdout[^/]*$/,
    kind: "rollout",
    count: 6,
  },
  {
    content: "the sentence that codex archive prints",
    pathRegexp: /\/archive\/stdout\.2\.jsonl$/,
    kind: undefined,
    count: 3,
  },
  {
    content: "the session files",
    pathRegexp: /\/(?:archived-)?rollout-[^/]*\.jsonl$/,
    kind: "rollout",
    count: 463,
  },
  {
    content: "the prompts",
    pathRegexp: /\/history\.jsonl$/,
    kind: "history.jsonl",
    count: 9,
  },
  {
    content: "the names of sessions",
    pathRegexp: /\/session_index\.jsonl$/,
    kind: "session_index.jsonl",
    count: 4,
  },
] satisfies {
  content: string;
  pathRegexp: RegExp;
  kind: StreamKind | undefined;
  count: number;
}[];
const captured = readCapturedFiles(/\.jsonl$/);

for (const { content, pathRegexp, kind, count } of CAPTURED) {
  Deno.test(`StreamRules detects ${kind ?? "no kind"} in ${content} of every capture`, () => {
    const files = captured.filter(({ path }) => pathRegexp.test(path));
    assertEquals(files.length, count);
    for (const { path, bytes } of files) {
      const [first = ""] = linesOf(bytes);
      assertEquals(kindOf([first]), kind, path);
    }
  });
}

const NOT_STREAMS = [
  {
    content: "the prompts of a history.jsonl",
    lines: linesOfAll("history.jsonl"),
  },
  {
    content: "the names of a session_index.jsonl",
    lines: linesOfAll("session_index.jsonl"),
  },
  { content: "a HistoryState snapshot", lines: snapshots() },
] satisfies { content: string; lines: string[] }[];

for (const { content, lines } of NOT_STREAMS) {
  Deno.test(`Normalizer refuses each line of ${content}, and its message names them`, () => {
    assert(lines.length >= 6);
    const failures = failuresOf(lines);
    assertEquals(failures.map(({ line }) => line), lines.map((_, i) => i + 1));
    for (const [i, { error, raw }] of failures.entries()) {
      assertEquals(error, {
        kind: "normalize",
        message:
          `Cannot normalize the line: it is ${content}, not a stream of events`,
      });
      assertEquals(raw, lines[i]);
    }
  });

  Deno.test(`Normalizer reports each line of ${content} that is not blank`, () => {
    const [line = ""] = lines;
    const kinds = failuresOf([line, "", "{", FAILED, "[]", '{"type":"error"}'])
      .map(({ line, error }) => [line, error.kind]);
    assertEquals(kinds, [
      [1, "normalize"],
      [3, "json"],
      [4, "json"],
      [5, "normalize"],
      [6, "normalize"],
    ]);
  });
}

/** The lines of all captured files of one name. */
function linesOfAll(fileName: string): string[] {
  return captured.filter(({ name }) => name === fileName)
    .flatMap(({ bytes }) => linesOf(bytes));
}

/** HistoryState snapshots in both layouts, one for each line. */
function snapshots(): string[] {
  const lines: string[] = [];
  for (const name of namesIn("vectors/history/")) {
    const { expect_snapshot } = readJson<{ expect_snapshot: unknown }>(
      `vectors/history/${name}`,
    );
    lines.push(JSON.stringify(expect_snapshot));
  }
  for (const name of namesIn("vectors/history-compat/")) {
    const { pairs } = readJson<{ pairs: { code: unknown; seed: unknown }[] }>(
      `vectors/history-compat/${name}`,
    );
    for (const layout of ["code", "seed"] as const) {
      const records = pairs.map((pair) => pair[layout]);
      lines.push(JSON.stringify({ order: [], next_id: 2, records }));
    }
  }
  return lines;
}
