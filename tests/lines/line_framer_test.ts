import { assert, assertEquals } from "@std/assert";
import {
  DEFAULT_MAX_LINE_BYTES,
  LineFramer,
  type LineVisitor,
  MAX_LINE_BYTES,
} from "../../lib/lines/line_framer.ts";
import { chunkings } from "../generators.ts";
import fc from "../property_seed.ts";
import {
  binaryOf,
  byteByByte,
  concat,
  countCopied,
  encode,
  everySplit,
} from "../running.ts";

/** A line: its bytes as text, or its length if it is over the limit. */
interface Found {
  readonly line: number;
  readonly offset: number;
  readonly text: string | number;
}

/** Collects the lines, one character for each byte. */
class Collector implements LineVisitor {
  readonly found: Found[] = [];

  line(
    bytes: Uint8Array,
    start: number,
    end: number,
    line: number,
    offset: number,
  ): void {
    const text = binaryOf(bytes.subarray(start, end));
    const terminator = bytes[end];
    assert(terminator === 0x0a || terminator === 0x0d, `line ${line}`);
    this.found.push({ line, offset, text });
  }

  tooLong(length: number, line: number, offset: number): void {
    this.found.push({ line, offset, text: length });
  }
}

function frame(
  chunks: Iterable<Uint8Array>,
  limit = DEFAULT_MAX_LINE_BYTES,
): Found[] {
  const framer = new LineFramer(limit);
  const collector = new Collector();
  for (const chunk of chunks) framer.feed(chunk, collector);
  framer.flush(collector);
  return collector.found;
}

/** A reference implementation of the rules L2, L5, L6 and L8. */
function frameByTheRules(bytes: Uint8Array, limit: number): Found[] {
  const pieces = binaryOf(bytes).split("\n");
  if (pieces.at(-1) === "") pieces.pop();
  let offset = 0;
  return pieces.map((piece, i) => {
    const at = offset;
    offset += piece.length + 1;
    if (piece.length > limit) {
      return { line: i + 1, offset: at, text: piece.length };
    }
    const start = i === 0 && piece.startsWith("\xef\xbb\xbf") ? 3 : 0;
    const text = piece.slice(start).replace(/\r$/, "");
    return { line: i + 1, offset: at, text };
  });
}

const BOM = "\xef\xbb\xbf";

const CASES = [
  { name: "nothing", input: "", lines: [] },
  { name: "a line", input: "a\n", lines: ["a"] },
  { name: "a last line without LF", input: "a\nb", lines: ["a", "b"] },
  { name: "blank lines", input: "\n\n \n", lines: ["", "", " "] },
  { name: "CRLF", input: "a\r\nb\r\n", lines: ["a", "b"] },
  { name: "two CRs", input: "a\r\r\n", lines: ["a\r"] },
  { name: "a CR inside a line", input: "a\rb\n", lines: ["a\rb"] },
  { name: "a CR at the very end", input: "a\r", lines: ["a"] },
  { name: "only CRs", input: "\r\r", lines: ["\r"] },
  { name: "an empty line of CRLF", input: "\r\n\r\n", lines: ["", ""] },
  {
    name: "VT, FF, NEL and line separators, which end no line",
    input: "a\vb\fc\xc2\x85d\xe2\x80\xa8e\n",
    lines: ["a\vb\fc\xc2\x85d\xe2\x80\xa8e"],
  },
  { name: "a byte order mark", input: `${BOM}a\nb\n`, lines: ["a", "b"] },
  { name: "a byte order mark alone", input: BOM, lines: [""] },
  {
    name: "a byte order mark and CRLF",
    input: `${BOM}\r\na`,
    lines: ["", "a"],
  },
  { name: "a byte order mark and CR", input: `${BOM}\r`, lines: [""] },
  { name: "two byte order marks", input: `${BOM}${BOM}a`, lines: [`${BOM}a`] },
  {
    name: "a byte order mark on a later line",
    input: `a\n${BOM}b`,
    lines: ["a", `${BOM}b`],
  },
  {
    name: "a byte order mark after a blank line",
    input: `\n${BOM}b`,
    lines: ["", `${BOM}b`],
  },
  {
    name: "half a byte order mark",
    input: "\xef\xbb\na",
    lines: ["\xef\xbb", "a"],
  },
  {
    name: "half a byte order mark at the end",
    input: "\xef\xbb",
    lines: ["\xef\xbb"],
  },
  {
    name: "bytes that are not UTF-8",
    input: "\xff\xfe\n\x00\x00\n",
    lines: ["\xff\xfe", "\x00\x00"],
  },
  {
    name: "characters of several bytes",
    input: "\xc3\xa9\n\xf0\x9f\x98\x80",
    lines: ["\xc3\xa9", "\xf0\x9f\x98\x80"],
  },
] satisfies { name: string; input: string; lines: string[] }[];

for (const { name, input, lines } of CASES) {
  const bytes = Uint8Array.from(input, (c) => c.charCodeAt(0));

  Deno.test(`LineFramer finds the lines of ${name}, split at any offset`, () => {
    const expected = frameByTheRules(bytes, DEFAULT_MAX_LINE_BYTES);
    assertEquals(expected.map(({ text }) => text), lines);
    for (const chunks of everySplit(bytes)) {
      assertEquals(frame(chunks), expected, `split at ${chunks[0]?.length}`);
    }
    const empty = new Uint8Array(0);
    const drip = [...byteByByte(bytes)].flatMap((chunk) => [empty, chunk]);
    assertEquals(frame([...drip, empty]), expected);
  });

  Deno.test(`LineFramer applies any limit to the lines of ${name}`, () => {
    for (let limit = 1; limit <= bytes.length + 1; limit++) {
      const expected = frameByTheRules(bytes, limit);
      for (const chunks of everySplit(bytes)) {
        assertEquals(frame(chunks, limit), expected, `limit ${limit}`);
      }
      assertEquals(frame(byteByByte(bytes), limit), expected);
    }
  });
}

for (
  const { name, input, limit, expected } of [
    {
      name: "as long as the limit",
      input: "abcd\n",
      limit: 4,
      expected: "abcd",
    },
    { name: "one over the limit", input: "abcde\n", limit: 4, expected: 5 },
    {
      name: "at the limit, without LF",
      input: "abcd",
      limit: 4,
      expected: "abcd",
    },
    {
      name: "one over the limit, without LF",
      input: "abcde",
      limit: 4,
      expected: 5,
    },
    {
      name: "at the limit, its CR counted",
      input: "abc\r\n",
      limit: 4,
      expected: "abc",
    },
    {
      name: "over the limit by its CR",
      input: "abcd\r\n",
      limit: 4,
      expected: 5,
    },
    {
      name: "at the limit, its mark counted",
      input: `${BOM}a\n`,
      limit: 4,
      expected: "a",
    },
    {
      name: "over the limit by its mark",
      input: `${BOM}ab\n`,
      limit: 4,
      expected: 5,
    },
    {
      name: "blank and over the limit",
      input: "     \n",
      limit: 4,
      expected: 5,
    },
  ] satisfies {
    name: string;
    input: string;
    limit: number;
    expected: string | number;
  }[]
) {
  Deno.test(`LineFramer reports a line ${name}`, () => {
    const bytes = Uint8Array.from(input, (c) => c.charCodeAt(0));
    for (const chunks of everySplit(bytes)) {
      assertEquals(frame(chunks, limit).map(({ text }) => text), [expected]);
    }
  });
}

Deno.test("LineFramer finds the same lines for any chunking", () => {
  const inputs = fc.array(
    fc.constantFrom(..."aé\r\n\n ".split(""), "\ufeff", "x".repeat(30)),
    { maxLength: 40 },
  ).map((parts) => encode(parts.join("")));
  fc.assert(
    fc.property(
      chunkings(inputs),
      fc.constantFrom(DEFAULT_MAX_LINE_BYTES, 1, 5, 31, 60),
      ({ bytes, chunks }, limit) => {
        assertEquals(frame(chunks, limit), frameByTheRules(bytes, limit));
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("LineFramer keeps no reference to the caller's buffer", () => {
  const bytes = encode("first\nsecond line\nthird, without an end");
  const buffer = new Uint8Array(4);
  const framer = new LineFramer(DEFAULT_MAX_LINE_BYTES);
  const collector = new Collector();
  for (let at = 0; at < bytes.length; at += buffer.length) {
    const chunk = bytes.subarray(at, at + buffer.length);
    buffer.fill(0x58);
    buffer.set(chunk);
    framer.feed(buffer.subarray(0, chunk.length), collector);
  }
  buffer.fill(0x58);
  framer.flush(collector);
  assertEquals(collector.found.map(({ text }) => text), [
    "first",
    "second line",
    "third, without an end",
  ]);
});

Deno.test("LineFramer offers no line over the limit to a visitor with run()", () => {
  /** Declines every run, and records the runs that it was offered. */
  class Declining extends Collector {
    readonly offered: string[] = [];

    run(bytes: Uint8Array, start: number, end: number): undefined {
      assert(end <= bytes.length);
      this.offered.push(binaryOf(bytes.subarray(start, end)));
    }
  }
  const collector = new Declining();
  const framer = new LineFramer(300);
  for (const chunk of ["a\n", "x".repeat(200_000), "\n", "b", "\n"]) {
    framer.feed(encode(chunk), collector);
  }
  assertEquals(collector.offered, ["a\n", "b\n"]);
  assertEquals(collector.found.map(({ text }) => text), ["a", 200_000, "b"]);
});

Deno.test("LineFramer.flush() reports the last line once, and no line if none is left", () => {
  const framer = new LineFramer(DEFAULT_MAX_LINE_BYTES);
  const collector = new Collector();
  framer.flush(collector);
  framer.feed(encode("a\nb"), collector);
  framer.flush(collector);
  framer.flush(collector);
  assertEquals(collector.found.map(({ text }) => text), ["a", "b"]);
});

Deno.test("LineFramer continues with the next line after its visitor threw", () => {
  for (const chunks of [["a\nb\n"], ["a", "\nb\n"]]) {
    const framer = new LineFramer(DEFAULT_MAX_LINE_BYTES);
    const collector = new Collector();
    const throwing: LineVisitor = {
      line: () => {
        throw new RangeError("stop");
      },
      tooLong: () => {},
    };
    let thrown = 0;
    for (const chunk of chunks) {
      try {
        framer.feed(encode(chunk), throwing);
      } catch {
        thrown += 1;
      }
    }
    framer.feed(encode("c\n"), collector);
    assertEquals(thrown, 1);
    assertEquals(collector.found.map(({ text }) => text), ["c"]);
  }
});

/** Records the length, first byte and last byte of each line. */
class Measure implements LineVisitor {
  readonly seen: string[] = [];

  line(bytes: Uint8Array, start: number, end: number): void {
    const ends = binaryOf(
      Uint8Array.of(bytes[start] ?? 0, bytes[end - 1] ?? 0),
    );
    this.seen.push(`${end - start} ${ends}`);
  }

  tooLong(length: number): void {
    this.seen.push(`${length} over`);
  }
}

for (
  const { name, chunkBytes, chunks } of [
    { name: "one byte", chunkBytes: 1, chunks: 1_000_000 },
    { name: "4 KiB", chunkBytes: 1 << 12, chunks: 4_096 },
    { name: "64 KiB", chunkBytes: 1 << 16, chunks: 1_600 },
  ] satisfies { name: string; chunkBytes: number; chunks: number }[]
) {
  const length = chunkBytes * chunks;

  Deno.test(`LineFramer copies at most three times the bytes of a line of ${length}, in chunks of ${name}`, () => {
    const measure = new Measure();
    const framer = new LineFramer(DEFAULT_MAX_LINE_BYTES);
    const chunk = new Uint8Array(chunkBytes).fill(0x78);
    const copied = countCopied(() => {
      framer.feed(encode("<"), measure);
      for (let i = 0; i < chunks; i++) framer.feed(chunk, measure);
      framer.feed(encode(">\nnext"), measure);
      framer.flush(measure);
    });
    assertEquals(measure.seen, [`${length + 2} <>`, "4 nt"]);
    // Once into the buffer, and less than twice more while the buffer doubles.
    assert(copied <= 3 * length + 1_000, `${copied} bytes`);
  });

  Deno.test(`LineFramer drops the bytes of a line of ${length} over the limit, in chunks of ${name}`, () => {
    const measure = new Measure();
    const framer = new LineFramer(1 << 16);
    const chunk = new Uint8Array(chunkBytes).fill(0x78);
    const copied = countCopied(() => {
      for (let i = 0; i < chunks; i++) framer.feed(chunk, measure);
      framer.feed(encode("\nnext\n"), measure);
    });
    assertEquals(measure.seen, [`${length} over`, "4 nt"]);
    assert(copied <= 4 * (1 << 16), `${copied} bytes`);
  });
}

Deno.test("LineFramer copies only the unfinished last line of a chunk", () => {
  const measure = new Measure();
  const framer = new LineFramer(DEFAULT_MAX_LINE_BYTES);
  const block = concat([encode("0123456789\n".repeat(10_000)), encode("end")]);
  assertEquals(countCopied(() => framer.feed(block, measure)), "end".length);
  assertEquals(measure.seen.length, 10_000);
});

Deno.test("MAX_LINE_BYTES is the longest string of V8, and the default is below it", () => {
  assertEquals(MAX_LINE_BYTES, 536_870_888);
  assert(DEFAULT_MAX_LINE_BYTES < MAX_LINE_BYTES);
});
