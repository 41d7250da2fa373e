import { assert, assertEquals, assertMatch } from "@std/assert";
import { JsonReader } from "../../lib/json/reader.ts";
import { ENGINES, RecordSelection } from "../../lib/pipeline/line_answers.ts";
import { JsonlDecoder, JsonlNormalizer, type Outcome } from "../../mod.ts";
import { readCapturedFiles } from "../rollouts.ts";
import { decode, emitted, encode, outputOf } from "../running.ts";

const SELECTIONS: readonly (readonly string[])[] = [
  [],
  ["turn.completed", "item.completed/command_execution", "thread.started"],
  ["event_msg/token_count", "event_msg/agent_message", "session_meta"],
  ["response_item/message", "item.updated", "item.delta"],
  ["response_item", "response_item/message", "event_msg/no_such_thing"],
];

function wants(names: readonly string[], line: string): boolean {
  const reader = new JsonReader(1);
  const bytes = encode(`${line}\n`);
  const record = reader.read(bytes, 0, bytes.length - 1);
  assert(record !== undefined);
  return new RecordSelection(names).wants(reader, record);
}

for (
  const [name, line, isWanted] of [
    ["turn.started", '{"type":"turn.started"}', true],
    ["turn.started", '{"type":"turn.completed"}', false],
    ["turn.started", '{"type":"turn.started","type":"error"}', false],
    ["turn.started", '{"type":["turn.started"]}', false],
    ["turn.started", "{}", false],
    ["turn.started", '{"type":"turn\\u002estarted"}', true],
    ["item.started/a", '{"type":"item.started","item_type":"a"}', true],
    ["item.started/a", '{"type":"item.started","item_type":"b"}', false],
    ["item.started/a", '{"type":"item.started"}', false],
    ["item.started/a/b", '{"type":"item.started","item_type":"a/b"}', true],
    [
      "item.started/a",
      '{"type":"item.started","item_type":"a","payload":{"type":"b"}}',
      true,
    ],
    [
      "item.started/b",
      '{"type":"item.started","item_type":"a","payload":{"type":"b"}}',
      false,
    ],
    ["event_msg/a", '{"type":"event_msg","payload":{"type":"a"}}', true],
    ["event_msg/a", '{"type":"event_msg","payload":{"type":"b"}}', false],
    ["event_msg/a", '{"type":"event_msg","payload":{}}', false],
    ["event_msg/a", '{"type":"event_msg","payload":["a"]}', false],
    ["__proto__", '{"type":"turn.started"}', false],
    ["constructor", '{"type":"constructor"}', true],
  ] as const
) {
  Deno.test(`RecordSelection of ${name} ${isWanted ? "selects" : "skips"} ${line}`, () => {
    assertEquals(wants([name], line), isWanted);
  });
}

/** Returns the failures, and the records that `names` select or, unless `isOnly`, exclude. */
function filtered(
  names: readonly string[],
  outcomes: readonly Outcome<unknown>[],
  isOnly: boolean,
): Outcome<unknown>[] {
  return outcomes.filter((outcome) =>
    !outcome.ok || wants(names, outcome.text ?? "") === isOnly
  );
}

function count(outcomes: readonly Outcome<unknown>[]): number {
  return outcomes.filter(({ ok }) => ok).length;
}

Deno.test("JsonlDecoder selects records of all captures, with either engine", () => {
  const files = readCapturedFiles(/^(?:stdout(?:\.\d+)?|rollout-.*)\.jsonl$/);
  assert(files.length > 100);
  for (const [i, { path, bytes }] of files.entries()) {
    const all = emitted(new JsonlDecoder({ engine: "js" }), [bytes]);
    const names = SELECTIONS[i % SELECTIONS.length] ?? [];
    // Every other file is decoded with only, the rest with except.
    const isOnly = i % 2 === 0;
    const selection = isOnly ? { only: names } : { except: names };
    const expected = filtered(names, all, isOnly);
    // The engines take turns as well: each decodes every selection, with only and with except.
    const engine = i % 4 < 2 ? "js" : "wasm";
    const decoder = new JsonlDecoder({ engine, ...selection });
    assertEquals(emitted(decoder, [bytes]), expected, `${path}, ${engine}`);
    if (!isOnly) assertEquals(decoder.records, count(all), path);
  }
});

Deno.test("JsonlNormalizer writes only selected records, and counts the turns of all", () => {
  const lines = [
    '{"type":"thread.started","thread_id":"t"}',
    '{"type":"turn.started"}',
    '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"a"}}',
    "not JSON",
    '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":2}}',
  ];
  const bytes = encode(`${[...lines, ...lines, ...lines].join("\n")}\n`);
  for (const engine of ENGINES) {
    const normalizer = new JsonlNormalizer({
      engine,
      only: ["turn.completed"],
      onError: "inline",
    });
    const answers = decode(outputOf(normalizer, [bytes])).trim().split("\n")
      .map((line) => /"(?:turn_id|kind)":"([^"]*)"/.exec(line)?.[1]);
    assertEquals(answers, [
      "json",
      "synthetic-turn-1",
      "json",
      "synthetic-turn-2",
      "json",
      "synthetic-turn-3",
    ]);
    assertEquals([normalizer.records, normalizer.failures], [3, 3]);
  }
});

Deno.test("JsonlNormalizer with onError mark writes a failure without its line", () => {
  const inBand =
    '{"type":"line.failed","line":7,"offset":0,"error":{"kind":"json","message":"m"},"raw":"x"}';
  const normalizer = new JsonlNormalizer({ onError: "mark" });
  let text = "";
  normalizer.feed(encode(`[1]\n${inBand}\n`), (bytes) => text += decode(bytes));
  assertMatch(text, /^{"type":"line.failed","line":1,.*"message":"[^"]+"}}\n/);
  assertEquals(text.split("\n")[1], inBand);
});
