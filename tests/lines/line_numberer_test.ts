import { assertEquals } from "@std/assert";
import {
  LineNumberer,
  LineNumbererStream,
} from "../../lib/lines/line_numberer.ts";
import { LineSplitter } from "../../lib/lines/line_splitter.ts";
import fc from "../property_seed.ts";
import { emitted, encode } from "../running.ts";

const CASES = [
  { name: "no lines", lines: [], values: [] },
  { name: "lines", lines: ["a", "", "b"], values: ["a", "", "b"] },
  {
    name: "one CR at the end of each",
    lines: ["a\r", "\r"],
    values: ["a", ""],
  },
  { name: "two CRs", lines: ["a\r\r"], values: ["a\r"] },
  { name: "a CR inside", lines: ["a\rb"], values: ["a\rb"] },
  { name: "a byte order mark", lines: ["\ufeffa", "b"], values: ["a", "b"] },
  { name: "a byte order mark alone", lines: ["\ufeff"], values: [""] },
  { name: "a byte order mark and CR", lines: ["\ufeff\r"], values: [""] },
  {
    name: "two byte order marks",
    lines: ["\ufeff\ufeffa"],
    values: ["\ufeffa"],
  },
  {
    name: "a byte order mark on a later line",
    lines: ["", "\ufeffa"],
    values: ["", "\ufeffa"],
  },
  {
    name: "line ends inside a line",
    lines: ["a\nb", " \n"],
    values: ["a\nb", " \n"],
  },
] satisfies { name: string; lines: string[]; values: string[] }[];

for (const { name, lines, values } of CASES) {
  Deno.test(`LineNumberer numbers ${name}`, () => {
    const outcomes = emitted(new LineNumberer(), lines);
    assertEquals(
      outcomes.map((outcome) => outcome.ok && outcome.value),
      values,
    );
    assertEquals(outcomes.map(({ line }) => line), values.map((_, i) => i + 1));
  });
}

Deno.test("LineNumberer counts offsets in bytes, with one LF for each line", () => {
  const lines = ["\ufeffé", "", "😀\r", "x"];
  assertEquals(
    emitted(new LineNumberer(), lines).map(({ offset }) => offset),
    [0, 6, 7, 13],
  );
});

Deno.test("LineNumberer emits for lines the outcomes that LineSplitter emits for their bytes", () => {
  const line = fc.array(
    fc.constantFrom("a", "é", "😀", "\r", " ", "\ufeff", "\ufffd"),
    { maxLength: 8 },
  ).map((parts) => parts.join(""));
  fc.assert(fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
    const bytes = encode(lines.map((text) => `${text}\n`).join(""));
    assertEquals(
      emitted(new LineNumberer(), lines),
      emitted(new LineSplitter(), [bytes]),
    );
  }));
});

Deno.test("LineNumbererStream numbers a stream of lines", async () => {
  const stream = ReadableStream.from(["a\r", "b"])
    .pipeThrough(new LineNumbererStream());
  assertEquals(await Array.fromAsync(stream), [
    { ok: true, line: 1, offset: 0, value: "a" },
    { ok: true, line: 2, offset: 3, value: "b" },
  ]);
});
