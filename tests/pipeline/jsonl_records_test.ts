import { assertEquals } from "@std/assert";
import type { Engine } from "../../lib/pipeline/line_answers.ts";
import { JsonlRecords } from "../../lib/pipeline/jsonl_records.ts";
import { readCapturedFiles, wrapped } from "../rollouts.ts";
import { emitted, encode } from "../running.ts";

const TOLD = wrapped("event_msg", '{"type":"token_count","info":null}');
const HEADER = wrapped("session_meta");

/** A header that, as a first line, would tell something else than a session file. */
const HEADERS = ['"records":[]', '"msg":{}'].map((member) =>
  HEADER.replace(/}$/, `,${member}}`)
);
const BARE = '{"type":"message","role":"user","content":[]}';

/** Inputs that are torn, or whose first lines may be taken for those of others. */
const ODD: readonly string[] = [
  ...HEADERS.flatMap((header) => [
    `${BARE}\n${header}\n`,
    `${header}\n${TOLD}\n`,
    `${TOLD}\n${header}\n${TOLD}\n`,
  ]),
  `${TOLD.slice(0, -9)}\n${TOLD}\n`,
  `${TOLD.slice(0, 60)}${TOLD}\n{"type":"turn.started"}\n`,
  `\n\ufeff${HEADER}\n`,
  `\n\n${HEADER}\r\n${TOLD}`,
  `{"type":"event_msg","payload":{"type":"token_count"}}\n${TOLD}\n`,
  '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n',
  '{"method":"turn/started","params":{"threadId":"t","turn":{"id":"1"}}}\n',
  `\0\n${TOLD}\n`,
];

function read(engine: Engine, input: Uint8Array): readonly unknown[] {
  return emitted(new JsonlRecords({ engine }), [input]);
}

Deno.test("what JsonlRecords reads before an input has no say in what it reads of it", () => {
  const captured = readCapturedFiles(/\.jsonl$/)
    .filter((_, at) => at % 25 === 0).map(({ bytes }) => bytes);
  const odd = ODD.map((text) => encode(text));
  const inputs = [...captured, ...odd, ...odd, ...captured.slice(0, 9)];
  const alone = inputs.map((input) => read("js", input));
  for (const at of [...inputs.keys(), ...[...inputs.keys()].reverse()]) {
    assertEquals(read("wasm", inputs[at] ?? encode("")), alone[at]);
  }
});

Deno.test("JsonlRecords has WebAssembly answer small inputs where many came before", () => {
  const input = encode(`${HEADER}\n${`${TOLD}\n`.repeat(1000)}`);
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
