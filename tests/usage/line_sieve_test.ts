/** Taking out lines before they are decoded. */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { LineSieve } from "../../lib/usage/line_sieve.ts";
import { WordFinder } from "../../lib/usage/word_finder.ts";
import { byteByByte, decode, encode, everySplit } from "../running.ts";

const WORDS = ["token_count", "session_meta"];

function sieved(chunks: Iterable<Uint8Array>, limit = 1000): string {
  const sieve = new LineSieve(new WordFinder(WORDS), limit);
  const bytes: number[] = [];
  // What is emitted is used again.
  const emit = (block: Uint8Array): void => void bytes.push(...block);
  for (const chunk of chunks) sieve.feed(chunk.slice(), emit);
  sieve.flush(emit);
  return decode(new Uint8Array(bytes));
}

const CASES = [
  {
    name: "lines with a word, and the ends of all others",
    input: '{"session_meta"}\nno\n{"token_count"}\nno\n\n{"x":"token_count"}\n',
    expected: '{"session_meta"}\n\n{"token_count"}\n\n\n{"x":"token_count"}\n',
  },
  {
    name: "everything up to the first object",
    input: "not JSON\n[]\n{1}\nno\n",
    expected: "not JSON\n[]\n{1}\n\n",
  },
  {
    name: "an object behind a byte order mark is not seen as one",
    input: '\uFEFF{"a":1}\n{"b":2}\n{"c":3}\n',
    expected: '\uFEFF{"a":1}\n{"b":2}\n\n',
  },
  {
    name: "a last line without its end",
    input: "{}\nno\ntoken_count",
    expected: "{}\n\ntoken_count",
  },
  {
    name: "no last line without its end that has no word",
    input: "{}\nno\nno",
    expected: "{}\n\n",
  },
  {
    name: "CRLF, which belongs to the line",
    input: "{}\r\nno\r\ntoken_count\r\n",
    expected: "{}\r\n\ntoken_count\r\n",
  },
  { name: "nothing", input: "", expected: "" },
  { name: "one line without its end", input: "no", expected: "no" },
] satisfies { name: string; input: string; expected: string }[];

for (const { name, input, expected } of CASES) {
  Deno.test(`LineSieve keeps: ${name}`, () => {
    const bytes = encode(input);
    assertEquals(sieved([bytes]), expected);
    for (const chunks of everySplit(bytes)) {
      assertEquals(sieved(chunks), expected, `split at ${chunks[0]?.length}`);
    }
    assertEquals(sieved(byteByByte(bytes)), expected);
  });
}

Deno.test("LineSieve passes on a line over the limit, as it comes", () => {
  const long = "x".repeat(50);
  const input = encode(`{}\n${long}\nno\ntoken_count\n`);
  const [head, tail] = [input.subarray(0, 40), input.subarray(40)];
  assertEquals(sieved([head, tail], 20), `{}\n${long}\n\ntoken_count\n`);
  assertEquals(sieved(byteByByte(input), 20), `{}\n${long}\n\ntoken_count\n`);
});

Deno.test("LineSieve keeps the same lines however the input is chunked", () => {
  const line = fc.oneof(
    fc.constantFrom("token_count", "session_meta", "{}", "", "token_coun"),
    fc.string({ maxLength: 8 }).map((text) => text.replaceAll("\n", " ")),
  );
  fc.assert(fc.property(
    fc.array(line, { maxLength: 12 }),
    fc.array(fc.nat({ max: 80 }), { maxLength: 5 }),
    (lines, cuts) => {
      const bytes = encode(lines.map((line) => `${line}\n`).join(""));
      const chunks = [0, ...cuts.toSorted((a, b) => a - b)].map((cut, i, all) =>
        bytes.subarray(cut, all[i + 1])
      );
      const begun = lines.findIndex((line) => line.startsWith("{"));
      const expected = lines.map((line, i) => {
        const isKept = begun === -1 || i <= begun ||
          WORDS.some((word) => line.includes(word));
        return `${isKept ? line : ""}\n`;
      }).join("");
      assertEquals(sieved(chunks), expected);
    },
  ));
});
