import { assertEquals } from "@std/assert";
import { SessionRepairer } from "../../lib/sessions/session_repair.ts";
import { readCapturedFiles } from "../rollouts.ts";
import { concat, decode, encode, inChunks } from "../running.ts";

const RECORD =
  '{"timestamp":"2026-11-20T15:40:01.000Z","type":"world_state","payload":{}}';
const ODD = '{"type":"dream", "n":1.0}';

/** Repairs a text, passed in pieces of this length. */
function repaired(text: string | Uint8Array, length = Infinity) {
  const bytes = typeof text === "string" ? encode(text) : text;
  const repairer = new SessionRepairer();
  const pieces: string[] = [];
  const emit = (piece: Uint8Array): void => void pieces.push(decode(piece));
  for (const chunk of inChunks(bytes, length)) repairer.feed(chunk, emit);
  repairer.flush(emit);
  return { copy: pieces.join(""), torn: repairer.torn, lines: repairer.lines };
}

const CASES: readonly {
  readonly name: string;
  readonly text: string;
  readonly copy: string;
  readonly torn:
    readonly (readonly [line: number, bytes: number, hasRecord: boolean])[];
}[] = [
  {
    name: "copies whole lines byte for byte, of any type",
    text: `${RECORD}\n${ODD}\n{"a":1}\n`,
    copy: `${RECORD}\n${ODD}\n{"a":1}\n`,
    torn: [],
  },
  {
    name: "leaves out blank lines, and ends every line with an LF",
    text: `${RECORD}\r\n\n \t\n${RECORD}`,
    copy: `${RECORD}\n${RECORD}\n`,
    torn: [],
  },
  {
    name: "leaves out torn lines",
    text: `${RECORD}\n{"timestamp":"20\nnoise\n${RECORD}\n{"type":`,
    copy: `${RECORD}\n${RECORD}\n`,
    torn: [[2, 16, false], [3, 5, false], [5, 8, false]],
  },
  {
    name: "keeps a record that is glued to a torn line",
    text: `${RECORD}\n{"timestamp":"20${RECORD}\n`,
    copy: `${RECORD}\n${RECORD}\n`,
    torn: [[2, 16, true]],
  },
];

for (const { name, text, copy, torn } of CASES) {
  Deno.test(`SessionRepairer ${name}`, () => {
    for (const length of [1, 7, Infinity]) {
      const found = repaired(text, length);
      assertEquals(found.copy, copy);
      assertEquals(
        found.torn.map((
          { line, bytes, hasRecord },
        ) => [line, bytes, hasRecord]),
        torn.map((part) => [...part]),
      );
    }
  });
}

Deno.test("SessionRepairer leaves out lines that are not UTF-8", () => {
  const bad = encode('{"type":"?"}\n').map((byte) => byte === 63 ? 255 : byte);
  const { copy, torn } = repaired(concat([encode(`${RECORD}\n`), bad]));
  assertEquals(copy, `${RECORD}\n`);
  assertEquals(torn.map(({ line, bytes }) => [line, bytes]), [[2, 12]]);
});

Deno.test("SessionRepairer counts all torn lines, and describes the first hundred", () => {
  const repairer = new SessionRepairer();
  repairer.feed(encode("noise\n".repeat(101)), () => {});
  assertEquals([repairer.torn.length, repairer.tornCount], [100, 101]);
});

Deno.test("SessionRepairer copies captured sessions unchanged except for torn lines", () => {
  for (const { path, bytes } of readCapturedFiles(/rollout-.*\.jsonl$/)) {
    const { copy, torn } = repaired(bytes);
    const left = torn.reduce((all, part) => all + part.bytes, 0);
    const isTorn = path.includes("torn_") || path.includes("kill");
    if (torn.length > 0) assertEquals(isTorn, true, path);
    const ends = torn.filter(({ hasRecord }) => !hasRecord).length;
    const last = bytes.at(-1) === 0x0a ? 0 : 1;
    assertEquals(encode(copy).length + left + ends - last, bytes.length, path);
    assertEquals(repaired(copy).copy, copy);
  }
});
