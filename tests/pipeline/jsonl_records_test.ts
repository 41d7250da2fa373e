import { assertEquals } from "@std/assert";
import type { Engine } from "../../lib/pipeline/line_answers.ts";
import { JsonlRecords } from "../../lib/pipeline/jsonl_records.ts";
import { readCapturedFiles, wrapped } from "../rollouts.ts";
import { emitted, encode } from "../running.ts";

const EVENT = wrapped("event_msg", '{"type":"token_count","info":null}');
const HEADER = wrapped("session_meta");

/** Headers with a member by which a first line is taken for another carrier than a session file. */
const HEADERS = ['"records":[]', '"msg":{}'].map((member) =>
  HEADER.replace(/}$/, `,${member}}`)
);
const BARE = '{"type":"message","role":"user","content":[]}';

/** Inputs with torn lines, or with first lines that resemble those of another carrier. */
const ODD: readonly string[] = [
  ...HEADERS.flatMap((header) => [
    `${BARE}\n${header}\n`,
    `${header}\n${EVENT}\n`,
    `${EVENT}\n${header}\n${EVENT}\n`,
  ]),
  `${EVENT.slice(0, -9)}\n${EVENT}\n`,
  `${EVENT.slice(0, 60)}${EVENT}\n{"type":"turn.started"}\n`,
  `\n\ufeff${HEADER}\n`,
  `\n\n${HEADER}\r\n${EVENT}`,
  `{"type":"event_msg","payload":{"type":"token_count"}}\n${EVENT}\n`,
  '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n',
  '{"method":"turn/started","params":{"threadId":"t","turn":{"id":"1"}}}\n',
  `\0\n${EVENT}\n`,
];

function read(engine: Engine, input: Uint8Array): readonly unknown[] {
  return emitted(new JsonlRecords({ engine }), [input]);
}

Deno.test("JsonlRecords reads an input the same after any other input", () => {
  const captured = readCapturedFiles(/\.jsonl$/)
    .filter((_, at) => at % 25 === 0).map(({ bytes }) => bytes);
  const odd = ODD.map((text) => encode(text));
  const inputs = [...captured, ...odd, ...odd, ...captured.slice(0, 9)];
  const alone = inputs.map((input) => read("js", input));
  for (const at of [...inputs.keys(), ...[...inputs.keys()].reverse()]) {
    assertEquals(read("wasm", inputs[at] ?? encode("")), alone[at]);
  }
});

Deno.test("JsonlRecords starts WebAssembly for a small input after many others", () => {
  const input = encode(`${HEADER}\n${`${EVENT}\n`.repeat(1000)}`);
  const engines = Array.from(
    { length: Math.ceil(2 ** 22 / input.length) },
    () => {
      const records = new JsonlRecords({ engine: "auto", only: ["event_msg"] });
      emitted(records, [input]);
      return records.engine;
    },
  );
  assertEquals([engines[0], engines.at(-1)], ["js", "wasm"]);
});
