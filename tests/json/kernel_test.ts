/**
 * Kernel: its answers equal those of the rules, and it answers nearly all lines that Codex writes.
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { type Engine, JsonlNormalizer, type JsonlOptions } from "../../mod.ts";
import { ByteWriter } from "../../lib/json/byte_writer.ts";
import { Kernel } from "../../lib/json/kernel.ts";
import { SLOT_COUNT } from "../../lib/json/kernel_layout.ts";
import { stringValue } from "../../lib/json/literal.ts";
import { JsonReader } from "../../lib/json/reader.ts";
import {
  type RecordContext,
  RecordWatch,
} from "../../lib/json/record_watch.ts";
import {
  generate,
  type KindName,
  KINDS,
  Random,
  readRuns,
} from "../bench/generator.ts";
import { type CapturedFile, readCaptures } from "../fixtures.ts";
import { compareEngines, drawStream } from "../fuzz/engines.ts";
import { fieldsOf } from "../../lib/json/fields.ts";
import { readCapturedFiles } from "../rollouts.ts";
import {
  binaryOf,
  bytesOf,
  concat,
  decode,
  encode,
  inChunks,
  isJson,
  utf8Of,
} from "../running.ts";

const LF = 0x0a;

/** The result of normalizing blocks. */
interface Answers {
  readonly text: string;
  readonly failures: readonly string[];
  readonly saved: unknown;
  readonly records: number;
  readonly fastLines: number;
}

function answersOf(
  blocks: readonly Uint8Array[],
  engine: Engine,
  options: JsonlOptions = {},
): Answers {
  let text = "";
  const failures: string[] = [];
  const normalizer = new JsonlNormalizer({
    onError: "inline",
    ...options,
    engine,
    onFailure: (failed) => failures.push(JSON.stringify(failed.toFailure())),
  });
  const keep = (bytes: Uint8Array): void => {
    text += binaryOf(bytes);
  };
  for (const block of blocks) normalizer.feed(block, keep);
  normalizer.flush(keep);
  const { records, fastLines } = normalizer;
  return { text, failures, saved: normalizer.save(), records, fastLines };
}

/** Checks that both engines have the same result; returns the number of fast lines. */
function assertSame(
  blocks: readonly Uint8Array[],
  options: JsonlOptions = {},
): number {
  const js = answersOf(blocks, "js", options);
  const { fastLines, ...wasm } = answersOf(blocks, "wasm", options);
  assertEquals(wasm.text, js.text);
  assertEquals({ ...wasm, fastLines: 0 }, js);
  return fastLines;
}

function streamOf(lines: readonly string[], end = "\n"): Uint8Array {
  return bytesOf(lines.map((line) => line + end).join(""));
}

const HEAD = [
  '{"type":"thread.started","thread_id":"T"}',
  '{"type":"turn.started"}',
];

function message(text: string): string {
  return `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"${text}"}}`;
}

function command(code: string): string {
  return `{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"","exit_code":${code},"status":"completed"}}`;
}

const captures: readonly CapturedFile[] = [
  ...readCaptures(),
  ...readCapturedFiles(/rollout-.*\.jsonl$/),
];

Deno.test("Kernel answers each capture, three times in a row, like the rules, in blocks of any size", () => {
  for (const [i, { bytes, path }] of captures.entries()) {
    if (bytes.length === 0 || bytes.length > 8_000) continue;
    const end = bytesOf(bytes.at(-1) === LF ? "" : "\n");
    const thrice = concat([bytes, end, bytes, end, bytes, end]);
    const length = [1 << 20, 5000, 470][i % 3] ?? 1;
    try {
      assertSame([...inChunks(thrice, length)]);
    } catch (cause) {
      throw new Error(`${path} in blocks of ${length}`, { cause });
    }
  }
});

/** Selections of records: all, or the few records with tokens. */
const SELECTIONS: readonly JsonlOptions["only"][] = [
  undefined,
  ["turn.completed", "session_meta", "event_msg/token_count"],
];

for (const kind of Object.keys(KINDS) as KindName[]) {
  // Only the rules answer the old dialect.
  if (kind === "old") continue;
  Deno.test(`Kernel answers more than 95 of 100 lines for any selection: ${kind}`, async () => {
    const blocks = [...generate(await readRuns(kind), { seed: 3, size: 3e6 })]
      .map((block) => block.slice());
    const lines = blocks.reduce(
      (sum, block) => sum + binaryOf(block).split("\n").length - 1,
      0,
    );
    for (const only of SELECTIONS) {
      const fastLines = assertSame(blocks, { only });
      assert(fastLines > 0.95 * lines, `${fastLines} of ${lines}: ${only}`);
    }
  });
}

Deno.test("Kernel answers the threads behind one of the old dialect, like the rules", () => {
  const old = captures.filter(({ version }) => version === "0.20.0");
  const current = captures.filter(({ version, name }) =>
    version === "0.169.0" && name.startsWith("stdout")
  );
  const files = current.filter(({ bytes }) => bytes.length < 20_000)
    .flatMap((file, i) => [old[i % old.length] ?? file, file, file, file]);
  const blocks = files.flatMap(({ bytes }) => [bytes, bytesOf("\n")]);
  assert(assertSame(blocks) > files.length);
});

/** Returns the type of a line, with the types of its item and payload. */
function typeOf(line: string): string {
  const { type, item, payload } = fieldsOf(JSON.parse(line));
  if (type === undefined) return "of the old dialect";
  const { type: inner, item: innerItem } = fieldsOf(payload);
  const { type: itemType, item_type } = fieldsOf(item);
  return [
    ...[type, itemType, item_type, inner, fieldsOf(innerItem).type],
  ].filter((each) => each !== undefined).join(" ");
}

/** The types that only the rules answer. */
const SLOW_TYPES: ReadonlySet<string> = new Set([
  "bare file",
  "exec of the old dialect",
]);

Deno.test("Kernel answers every repeated type of line fast, except SLOW_TYPES", () => {
  const slow = new Set<string>();
  const fast = new Set<string>();
  const bySize = captures.toSorted((a, b) => a.bytes.length - b.bytes.length);
  for (const { path, bytes } of bySize) {
    const lines = decode(bytes).split("\n").filter(isJson);
    const isBare = lines.every((line) => !line.includes('"payload":'));
    const name = path.includes("/rollout-") || path.startsWith("0.1.")
      ? isBare ? () => "bare file" : typeOf
      : (line: string) => `exec ${typeOf(line)}`;
    const isNew = (line: string) =>
      !slow.has(name(line)) && !fast.has(name(line));
    if (!lines.some(isNew)) continue;
    const normalizer = new JsonlNormalizer({ engine: "wasm", onError: "drop" });
    for (const line of [lines, lines, lines, lines].flat()) {
      const { fastLines } = normalizer;
      normalizer.feed(encode(`${line}\n`), () => {});
      if (normalizer.fastLines > fastLines) fast.add(name(line));
      else slow.add(name(line));
    }
  }
  assertEquals(slow.difference(fast), SLOW_TYPES);
  assert(fast.size > 70, `${fast.size} types`);
});

Deno.test("Kernel answers 8,000 lines, some of them damaged, like the rules", () => {
  const random = new Random(5);
  for (let i = 0; i < 4; i++) {
    compareEngines(drawStream(2000, random), random);
  }
});

Deno.test("Kernel reads the state that the rules keep for the thread of a line", () => {
  const begin = (id: string, cwd: string): string =>
    `{"id":1,"result":{"thread":{"id":"${id}","cwd":"/a"},"cwd":"${cwd}"}}`;
  const count = (id: string, tokens: string): string =>
    `{"method":"thread/tokenUsage/updated","params":{"threadId":"${id}","tokenUsage":{"total":{"inputTokens":${tokens}}}}}`;
  const end = (id: string): string =>
    `{"method":"turn/completed","params":{"threadId":"${id}","turn":{"id":"u","status":"completed","error":null}}}`;
  const lines = ["/a", "/a", "/b", "/a", "/b"].flatMap((cwd, i) => [
    ...[begin(`${i}`, cwd), end(`${i}`), begin(`${i}`, cwd)],
    ...[count(`${i}`, `${i}`), count("x", "1.0"), end("x"), end("y")],
    // Of several counts in a row, the last one of each thread is used.
    ...[count("x", `${i}`), count("x", "2"), count("z", "3"), count("x", "4")],
    ...[end("x"), end("z"), begin(`w${i}`, cwd), count(`w${i}`, "5")],
    ...[end(`w${i}`), begin(`w${i}`, cwd)],
    // This count is too long for a slot.
    ...[count(`${i}`, `${i}${"0".repeat(20_000 * (i % 2))}`), end(`${i}`)],
  ]);
  for (const options of [{}, { thread: "3" }]) {
    const fastLines = assertSame([streamOf(lines)], options);
    assert(fastLines > lines.length / 4, `${fastLines}`);
  }
});

const STRINGS = [
  "",
  "\\n",
  '\\"',
  "\\\\",
  '\\\\\\"',
  "\\/\\b\\f\\t\\r",
  "\\u00e9",
  "\\uD83D\\uDE00",
  "\\ud83d",
  "\\ud83d\\u0041",
  "\\ude00",
  "\\x",
  "\\u12",
  "\\u00g0",
  '"',
  "\\",
  "\t",
  "\0",
  "\x1f",
  "\x7f",
  "\x80",
  "\xc1\xbf",
  "\xc2\x80",
  "\xe0\x9f\xbf",
  "\xe0\xa0\x80",
  "\xed\x9f\xbf",
  "\xed\xa0\x80",
  "\xef\xbf\xbf",
  "\xf0\x8f\xbf\xbf",
  "\xf0\x90\x80\x80",
  "\xf4\x8f\xbf\xbf",
  "\xf4\x90\x80\x80",
  "\xf5\x80\x80\x80",
  "\xe2\x82",
  "\xff",
  utf8Of("é日本😀\u2028"),
];

Deno.test("Kernel reads strings like the rules, with special bytes at any place of a block of 16 bytes", () => {
  for (const special of STRINGS) {
    const lines = [...HEAD, message("a"), message("b")];
    for (let before = 0; before < 34; before++) {
      for (const after of ["", "z", "zzzzzzzzzzzzzzzz"]) {
        lines.push(message("x".repeat(before) + special + after));
      }
    }
    assertSame([streamOf(lines)]);
  }
});

const NUMBERS = [
  "0",
  "-0",
  "7",
  "-12",
  "1.0",
  "1.5",
  "1e2",
  "1E-2",
  "120e-1",
  "1e400",
  "12345678901234567890",
  "01",
  "-",
  "1.",
  ".5",
  "1e",
  "1e+",
  "+1",
  "0x1",
  "null",
  "true",
  "false",
  "nul",
  "[]",
  "{}",
  '"0"',
  "1 ",
  " 1",
];

Deno.test("Kernel reads numbers like the rules", () => {
  const codes = NUMBERS.flatMap((code) => [command(code), command("3")]);
  const lines = [...HEAD, command("0"), command("null"), ...codes];
  assert(assertSame([streamOf(lines)]) > NUMBERS.length);
});

const VALUES = [
  "{}",
  "[]",
  "[ ]",
  "{ }",
  '{"a":[1,{"b":null}],"c":"d"}',
  '{ "a" : [ 1 , true ] }',
  '{"a":1,"a":2}',
  '{"__proto__":{}}',
  "[1,]",
  "[,1]",
  '{"a":1,}',
  "{,}",
  '{"a"}',
  '{"a":}',
  "{1:2}",
  "[1 2]",
  "[1}",
  '{"a":1]',
  "[[[]]",
  "]",
  `${"[".repeat(999)}${"]".repeat(999)}`,
  `${"[".repeat(1001)}${"]".repeat(1001)}`,
  `${"[".repeat(9998)}${"]".repeat(9998)}`,
  `${"[".repeat(10_001)}${"]".repeat(10_001)}`,
];

Deno.test("Kernel reads nested values like the rules", () => {
  // More members than the kernel splits.
  const member = (value: string): string =>
    `{"type":"error","message":"m","data":[0,${value}]}`;
  const lines = VALUES.flatMap((value) => [member("1"), member(value)]);
  assert(assertSame([streamOf(lines)]) > VALUES.length);
});

const ENDS = ["\n", "\r\n", "\r\r\n", " \n", "\t\r\n", "\0\n", "\n\n", "\n \n"];

for (const end of ENDS) {
  Deno.test(`Kernel splits lines that end in ${JSON.stringify(end)}`, () => {
    const lines = [...HEAD, message("a"), message("b"), message("c")];
    const bytes = streamOf([...lines, ...lines, ...lines], end);
    assertSame([bytes]);
    assertSame([...inChunks(bytes, 50)]);
    assertSame([bytes.subarray(0, -end.length)]);
  });
}

const IDS = [
  "T2",
  "",
  " ",
  " T",
  "T ",
  "\\u0054",
  "\\t",
  utf8Of("日本"),
  utf8Of("\u00a0T"),
  utf8Of("T\u0085"),
  // With its quotes as long as a slot, and one byte longer.
  "x".repeat(16_382),
  "x".repeat(16_383),
];

for (const id of IDS) {
  Deno.test(`Kernel writes the thread id ${JSON.stringify(id.slice(0, 12))} of ${id.length} bytes`, () => {
    const lines: string[] = [];
    for (const thread of ["A", "B", id, "C", id, id]) {
      lines.push(
        `{"type":"thread.started","thread_id":"${thread}"}`,
        '{"type":"turn.started"}',
        message("a"),
        `{"type":"turn.started","turn_id":"${thread}"}`,
        `{"type":"item.completed","thread_id":"${thread}","item":{"id":"i","type":"reasoning","text":"t"}}`,
        '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2}}',
        message("without a turn"),
      );
    }
    assertSame([streamOf(lines)]);
    assertSame([...inChunks(streamOf(lines), 301)]);
  });
}

Deno.test("Kernel carries times of any length like the rules", () => {
  const line = (time: string): string =>
    `{${time}"type":"event_msg","payload":{"type":"agent_message","message":"m"}}`;
  const lines: string[] = [];
  for (const length of [24, 600, 16_382, 16_383]) {
    for (let i = 0; i < 20; i++) {
      lines.push(
        line(`"timestamp":"2026-01-01T00:00:00.0${10 + i}Z",`),
        line(`"timestamp":"${"t".repeat(length)}",`),
        line(""),
        line(""),
      );
    }
  }
  assert(assertSame([streamOf(lines)], { from: "rollout" }) > 0);
});

Deno.test("Kernel ends a bare file at a wrapped line, also without a time", () => {
  const wrapped =
    '{"timestamp":null,"type":"event_msg","payload":{"type":"agent_message","message":"m"}}';
  const lines: string[] = [];
  for (let i = 0; i < 40; i++) {
    lines.push(...new Array(20).fill(wrapped));
    lines.push(
      '{"record_type":"state"}',
      wrapped,
      wrapped,
      '{"type":"x","y":1}',
    );
  }
  const { text } = answersOf([streamOf(lines)], "js", { from: "rollout" });
  assertEquals(text.match(/"kind":"typed"/g)?.length, 40);
  assertSame([streamOf(lines)], { from: "rollout" });
});

Deno.test("Kernel and rules continue each other's count of turns", () => {
  const lines: string[] = [];
  for (let turn = 0; turn < 120; turn++) {
    lines.push(
      '{"type":"thread.started","thread_id":"T"}',
      '{"type":"turn.started"}',
      message("a"),
      turn % 7 === 0 ? '{"type":"turn.started" }' : '{"type":"turn.started"}',
      message("b"),
    );
  }
  const fastLines = assertSame([streamOf(lines)]);
  assert(fastLines > 500, String(fastLines));
});

Deno.test("Kernel leaves a thread to the rules after its first line of the old dialect", () => {
  const old = [
    '{"model":"m","provider":"p","workdir":"w"}',
    '{"id":"0","msg":{"type":"task_started"}}',
    '{"id":"0","msg":{"type":"agent_message_delta","delta":"d"}}',
  ];
  const turn = [HEAD[1] ?? "", message("a")];
  const current = [...HEAD, ...turn, ...turn, ...turn];
  const fastLines = assertSame([streamOf(current)]);
  assert(fastLines > 2, String(fastLines));
  // The start of a turn in the current dialect ends the items that deltas of the old one started.
  const mixed = [...current, ...old, ...turn, ...old.slice(1), ...turn];
  for (const end of [1000, mixed.length * 40]) {
    assertEquals(assertSame([...inChunks(streamOf(mixed), end)]), fastLines);
    const more = [...inChunks(streamOf([...mixed, ...current]), end)];
    assert(assertSame(more) > fastLines + 2);
  }
});

Deno.test("Kernel learns no record that copies more than SLOT_COUNT slots", () => {
  const line = encode("{}\n");
  for (const copies of [SLOT_COUNT, SLOT_COUNT + 1]) {
    const kernel = Kernel.create(1000, {});
    if (kernel === undefined) throw new TypeError("WebAssembly cannot run");
    const slot = stringValue("x".repeat(9000));
    const context: RecordContext = {
      rules: copies,
      slots: [slot, undefined, undefined, undefined],
      counters: [],
      take(): void {},
    };
    const reader = new JsonReader(1);
    const out = new ByteWriter();
    out.settle(kernel.home);
    const root = reader.read(line, 0, 2);
    if (root === undefined) throw new TypeError("the line is JSON");
    const watch = new RecordWatch(reader, root, out, context);
    for (let i = 0; i < copies; i++) {
      out.range(slot.bytes, slot.start, slot.end);
    }
    kernel.learn(watch.end());
    out.clear(0);
    const { lines } = kernel.run(line, 0, line.length, out, context);
    assertEquals(lines, copies > SLOT_COUNT ? 0 : 1);
  }
});

Deno.test("Kernel leaves lines over the limit to the rules", () => {
  const lines = [...HEAD];
  for (let length = 60; length < 140; length++) {
    lines.push(message("x".repeat(length)), message("x"));
  }
  for (const end of ["\n", "\r\n"]) {
    const blocks = [streamOf(lines, end)];
    assert(assertSame(blocks, { maxLineBytes: 180 }) > 100);
    for (const size of [1, 37, 200]) {
      const pieces = blocks.flatMap((block) => [...inChunks(block, size)]);
      assertSame(pieces, { maxLineBytes: 180 });
    }
  }
});

Deno.test("Kernel answers a line of 1 MB, and leaves a line of 10 MB to the rules", () => {
  const lines = [...HEAD, message("a"), message("b")];
  const long = streamOf([...lines, message("x".repeat(1e6)), message("c")]);
  assert(assertSame([long]) >= 3);
  assert(assertSame([...inChunks(long, 1 << 18)]) >= 3);
  const longer = [...lines, message("x\\n".repeat(3.4e6)), message("c")];
  assert(assertSame([streamOf(longer)]) < longer.length);
});

Deno.test("Kernel stops making plans that are not used", () => {
  const lines = [...HEAD];
  for (let i = 0; i < 3000; i++) {
    lines.push(`{"type":"error","message":"m","key_${i}":${i}}`);
  }
  assert(assertSame([streamOf(lines)]) < 100);
});

Deno.test("Kernel makes plans again when lines of equal shape follow", () => {
  const lines = [...HEAD];
  for (let i = 0; i < 1000; i++) {
    lines.push(`{"type":"error","message":"m","key_${i}":${i}}`);
  }
  for (let i = 0; i < 1000; i++) lines.push(message(`text ${i}`));
  assert(assertSame([streamOf(lines)]) > 700);
});

Deno.test("JsonlNormalizer starts the kernel after enough input", () => {
  const normalizer = new JsonlNormalizer();
  const block = streamOf([...HEAD, message("x".repeat(50_000))]);
  assertEquals(normalizer.engine, "js");
  for (let i = 0; i < 14; i++) normalizer.feed(block, () => {});
  assertEquals(normalizer.engine, "wasm");
  assert(normalizer.fastLines > 0);
});

Deno.test("JsonlNormalizer starts the kernel only after a record that it can rewrite", () => {
  const other = streamOf(new Array(20_000).fill('{"level":"info","n":1}'));
  const current = streamOf(new Array(1_000).fill(message("m")));
  const normalizer = new JsonlNormalizer({
    from: "exec",
    onError: "drop",
    initialThreadId: "T",
  });
  const engines: string[] = [];
  // The first block shows the kind of the stream.
  const blocks = [other.subarray(0, 1_000), other, other, current, current];
  for (const block of blocks) {
    normalizer.feed(block, () => {});
    engines.push(normalizer.engine);
  }
  assertEquals(engines, ["js", "js", "js", "js", "wasm"]);
  assertEquals(normalizer.fastLines > 900, true);
});

const FILE_LINE =
  '{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"agent_message","message":"m"}}';

/** The engine for a stream of `expectedBytes` after two lines. */
function engineOf(line: string, expectedBytes: number): Engine {
  // No other test has this selection, so no kernel of an earlier stream is reused.
  const only = [`type_${expectedBytes}`];
  const normalizer = new JsonlNormalizer({
    initialThreadId: "T",
    only,
    expectedBytes,
  });
  for (let i = 0; i < 2; i++) normalizer.feed(streamOf([line]), () => {});
  return normalizer.engine;
}

Deno.test("JsonlNormalizer starts the kernel at once if expectedBytes is large enough for the kind", () => {
  const exec = [20_000, 40_000].map((size) => engineOf(message("m"), size));
  assertEquals(exec, ["js", "wasm"]);
  const files = [9e5, 11e5].map((size) => engineOf(FILE_LINE, size));
  assertEquals(files, ["js", "wasm"]);
});

Deno.test("JsonlNormalizer starts the kernel after many earlier streams", () => {
  const block = streamOf(new Array(2_000).fill(FILE_LINE));
  const engines: string[] = [];
  for (let stream = 0; stream < 8; stream++) {
    const normalizer = new JsonlNormalizer({ only: ["compacted", "other"] });
    normalizer.feed(streamOf([FILE_LINE]), () => {});
    normalizer.feed(block.subarray(0, 100_000), () => {});
    normalizer.feed(block.subarray(100_000), () => {});
    normalizer.flush(() => {});
    engines.push(normalizer.engine);
  }
  assertEquals([engines[0], engines[7]], ["js", "wasm"]);
});

Deno.test("JsonlNormalizer uses the rules where WebAssembly cannot run, and throws for engine wasm", () => {
  const { Instance } = WebAssembly;
  // A page whose policy forbids WebAssembly throws this error.
  Object.defineProperty(WebAssembly, "Instance", {
    configurable: true,
    value: class {
      constructor() {
        throw new WebAssembly.CompileError("forbidden");
      }
    },
  });
  try {
    assertEquals(Kernel.create(100), undefined);
    const normalizer = new JsonlNormalizer();
    const lines = streamOf([...HEAD, message("x".repeat(600_000))]);
    for (let i = 0; i < 3; i++) normalizer.feed(lines, () => {});
    assertEquals([normalizer.engine, normalizer.records], ["js", 9]);
    assertThrows(
      () => new JsonlNormalizer({ engine: "wasm" }),
      TypeError,
      "cannot run here",
    );
  } finally {
    Object.defineProperty(WebAssembly, "Instance", {
      configurable: true,
      writable: true,
      value: Instance,
    });
  }
});

Deno.test("Kernel answers streams of different kinds one after another", () => {
  const exec = [...HEAD, message("a"), message("b"), message("c")];
  const rollout = ["a", "b", "c"].map((text) =>
    `{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"agent_message","message":"${text}"}}`
  );
  const other = HEAD.map((line) => line.replace('"T"', '"U"'));
  for (
    const lines of [exec, rollout, exec, [...other, message("d")], rollout]
  ) {
    assertSame([streamOf([...lines, ...lines])]);
  }
  // The plans of one stream are used in the next one, from its first line on.
  assertSame([streamOf(exec)]);
  assertEquals(assertSame([streamOf(exec)]), exec.length);
});

Deno.test("Kernel does not use the plan of one stream for a stream of another kind", () => {
  const line =
    '{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"error","message":"m"}}';
  assertSame([streamOf([...HEAD, message("a"), message("b")])]);
  assertSame([streamOf([line])]);
  assertSame([streamOf(['{"type":"error","message":"m"}', line, line])]);
});

Deno.test("Kernel answers interleaved streams", () => {
  const stage = (): JsonlNormalizer => new JsonlNormalizer({ engine: "wasm" });
  const stages = [stage(), stage(), stage()];
  const texts = stages.map(() => "");
  for (let round = 0; round < 5; round++) {
    stages.forEach((each, i) => {
      const lines = [
        `{"type":"thread.started","thread_id":"T${i}"}`,
        '{"type":"turn.started"}',
        message("a"),
      ];
      each.feed(streamOf(lines), (bytes) => texts[i] += binaryOf(bytes));
    });
  }
  stages.forEach((each) => each.flush(() => {}));
  texts.forEach((text, i) => {
    assertEquals(
      text.match(new RegExp(`"thread_id":"T${i}"`, "g"))?.length,
      15,
    );
  });
});
