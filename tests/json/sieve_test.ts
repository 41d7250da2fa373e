import { assertEquals } from "@std/assert";
import { LineSelection } from "../../lib/events/line_selection.ts";
import type { Outcome } from "../../lib/outcome.ts";
import type { Engine } from "../../lib/pipeline/line_answers.ts";
import { JsonlRecords } from "../../lib/pipeline/jsonl_records.ts";
import { readCapturedFiles } from "../rollouts.ts";
import { encode } from "../running.ts";

const WANTED = new LineSelection([
  "thread.started",
  "token_count",
  "turn_context",
  "turn.started",
]);

const AT = '{"timestamp":"2026-11-20T15:00:00.000Z",';
const TOLD =
  `${AT}"type":"event_msg","payload":{"type":"token_count","info":null}}`;
const UNTIMED =
  '{"type":"event_msg","payload":{"type":"token_count","info":null}}';
const OTHER = `${AT}"type":"event_msg","payload":{"type":"other"}}`;

/** What a line does between two others: how many records there are of the three. */
const LINES: readonly (readonly [line: string, records: number])[] = [
  [OTHER, 2],
  [OTHER.replace(',"type"', ',"ordinal":7,"type"'), 2],
  [`${OTHER}\r`, 2],
  [TOLD, 3],
  [TOLD.replace("token", "\\u0074oken"), 3],
  [TOLD.replace('"type"', '"\\u0074ype"'), 3],
  [TOLD.replace(":", " : "), 3],
  [OTHER.replace("other", "\\u001b[0m"), 2],
  [OTHER.replace(/}$/, ',"type":"turn_context"}'), 3],
  [OTHER.replace('"type":"event_msg"', '"id":"t"'), 3],
  [OTHER.replace('"type":"event_msg"', '"record_type":"turn_context"'), 3],
  [TOLD.slice(0, -9), 2],
  [TOLD.slice(0, 60) + TOLD, 3],
  ["", 2],
  ["\0", 2],
];

function readerOf(engine: Engine, sieve = WANTED.sieve): JsonlRecords {
  return new JsonlRecords({ only: WANTED.types, engine }, undefined, sieve);
}

/** What a reader gives of an input, as far as it may tell of what is wanted. */
function read(reader: JsonlRecords, input: Uint8Array): string[] {
  const answers: string[] = [];
  const take = (outcome: Outcome<unknown>): void => {
    const { line, offset } = outcome;
    if (outcome.ok) answers.push(`${line} ${offset} ${outcome.text}`);
    else if (WANTED.mayHaveTold(outcome.raw)) {
      answers.push(`${line} ${offset} ${outcome.error.message}`);
    }
  };
  reader.feed(input, take);
  reader.flush(take);
  reader.reset();
  return answers;
}

for (const [line, records] of LINES) {
  Deno.test(`Sieve passes over ${JSON.stringify(line)} only if nobody wants it`, () => {
    const input = encode(`${TOLD}\n${line}\n${UNTIMED}\n`);
    const answers = read(readerOf("js"), input);
    const made = answers.filter((answer) => /^\d+ \d+ \{/.test(answer));
    assertEquals(made.length, records);
    assertEquals(read(readerOf("wasm"), input), answers);
  });
}

Deno.test("a reader gives of each file what another one gives that reads nothing else", () => {
  const captured = readCapturedFiles(/^rollout-.*\.jsonl$/).filter((_, at) =>
    at % 20 === 0
  )
    .map(({ bytes }) => bytes);
  const inputs = [
    ...captured,
    ...LINES.flatMap(([line]) => [
      encode(`${line}\n${UNTIMED}\n${OTHER}\n${UNTIMED}`),
      encode(`${OTHER}\n${line}${TOLD}\n${UNTIMED}`),
    ]),
    encode(`${AT}"type":"session_meta","payload":{},"records":[]}\n${TOLD}\n`),
    encode('{"type":"thread.started","thread_id":"t"}\n'),
    ...captured.slice(0, 9),
  ];
  const alone = inputs.map((input) => read(readerOf("js"), input));
  for (const engine of ["js", "wasm"] as const) {
    const reader = readerOf(engine);
    for (const at of [...inputs.keys(), ...[...inputs.keys()].reverse()]) {
      assertEquals(read(reader, inputs[at] ?? encode("")), alone[at]);
    }
  }
  // What Codex wrote is what it is without a sieve.
  const whole = captured.map((input) =>
    read(
      new JsonlRecords({ only: WANTED.types, engine: "js" }),
      input,
    )
  );
  assertEquals(whole, alone.slice(0, captured.length));
});
