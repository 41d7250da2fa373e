import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  LineSplitter,
  LineSplitterStream,
} from "../../lib/lines/line_splitter.ts";
import { MAX_LINE_BYTES } from "../../lib/lines/line_framer.ts";
import type { Outcome } from "../../lib/outcome.ts";
import { chunkings } from "../generators.ts";
import fc from "../property_seed.ts";
import { byteByByte, emitted, encode, everySplit } from "../running.ts";

function split(
  chunks: Iterable<Uint8Array>,
  maxLineBytes?: number,
): Outcome<string>[] {
  const options = maxLineBytes === undefined ? {} : { maxLineBytes };
  return emitted(new LineSplitter(options), chunks);
}

const BAD_UTF8 = {
  kind: "utf8",
  message: "Cannot decode the line: its bytes are not valid UTF-8",
} as const;

/** An expected success. */
function line(number: number, offset: number, value: string): Outcome<string> {
  return { ok: true, line: number, offset, value };
}

/** An expected failure of a line that is not UTF-8. */
function bad(
  number: number,
  offset: number,
  raw: string,
  bytes: number[],
): Outcome<string> {
  return {
    ok: false,
    line: number,
    offset,
    error: BAD_UTF8,
    raw,
    rawBytes: Uint8Array.from(bytes),
  };
}

const CASES = [
  {
    name: "lines, the last one without LF",
    input: [...encode("a\n\nbc")],
    expected: [line(1, 0, "a"), line(2, 2, ""), line(3, 3, "bc")],
  },
  {
    name: "CRLF and a byte order mark",
    input: [...encode("\ufeffa\r\n\r\nb\r\r\n")],
    expected: [line(1, 0, "a"), line(2, 6, ""), line(3, 8, "b\r")],
  },
  {
    name: "characters of several bytes, and offsets in bytes",
    input: [...encode("é\n你\n😀\nz")],
    expected: [
      line(1, 0, "é"),
      line(2, 3, "你"),
      line(3, 7, "😀"),
      line(4, 12, "z"),
    ],
  },
  {
    name: "U+FFFD in the input",
    input: [...encode("\ufffd\n")],
    expected: [line(1, 0, "\ufffd")],
  },
  {
    name: "blank lines with white space, unchanged",
    input: [...encode(" \t\n\u3000\n")],
    expected: [line(1, 0, " \t"), line(2, 3, "\u3000")],
  },
  {
    name: "a bad byte, which fails one line",
    input: [0x61, 0x0a, 0x62, 0xff, 0x0a, 0x63],
    expected: [
      line(1, 0, "a"),
      bad(2, 2, "b\ufffd", [0x62, 0xff]),
      line(3, 5, "c"),
    ],
  },
  {
    name: "an overlong form",
    input: [0xc0, 0xaf, 0x0d, 0x0a],
    expected: [bad(1, 0, "\ufffd\ufffd", [0xc0, 0xaf])],
  },
  {
    name: "an encoded surrogate",
    input: [0xed, 0xa0, 0x80],
    expected: [bad(1, 0, "\ufffd\ufffd\ufffd", [0xed, 0xa0, 0x80])],
  },
  {
    name: "a character that the end cuts short",
    input: [0x61, 0xe4, 0xbd],
    expected: [bad(1, 0, "a\ufffd", [0x61, 0xe4, 0xbd])],
  },
  {
    name: "a character that a line end cuts in two",
    input: [0xc3, 0x0a, 0xa9],
    expected: [bad(1, 0, "\ufffd", [0xc3]), bad(2, 2, "\ufffd", [0xa9])],
  },
  {
    name: "a bad byte after a byte order mark",
    input: [0xef, 0xbb, 0xbf, 0xff],
    expected: [bad(1, 0, "\ufffd", [0xff])],
  },
] satisfies { name: string; input: number[]; expected: Outcome<string>[] }[];

for (const { name, input, expected } of CASES) {
  Deno.test(`LineSplitter splits ${name}, cut at any offset`, () => {
    const bytes = Uint8Array.from(input);
    for (const chunks of everySplit(bytes)) {
      assertEquals(split(chunks), expected, `cut at ${chunks[0]?.length}`);
    }
    assertEquals(split(byteByByte(bytes)), expected);
  });
}

Deno.test("LineSplitter reports the length of a line over the limit, without its text", () => {
  const outcomes = split([encode("12345\n1234\n123456")], 5);
  assertEquals(outcomes, [
    line(1, 0, "12345"),
    line(2, 6, "1234"),
    {
      ok: false,
      line: 3,
      offset: 11,
      error: {
        kind: "line_too_long",
        message: "Cannot read the line: it has 6 bytes, the limit is 5",
        bytes: 6,
        limit: 5,
      },
    },
  ]);
  const last = outcomes.at(-1);
  assert(last !== undefined && !last.ok && !("raw" in last));
});

Deno.test("LineSplitter reports a line over the limit as too long, also if it is blank or not UTF-8", () => {
  const input = Uint8Array.from([0xff, 0xff, 0xff, 0x0a, 0x20, 0x20, 0x20]);
  for (const chunks of everySplit(input)) {
    assertEquals(
      split(chunks, 2).map((outcome) => !outcome.ok && outcome.error.kind),
      ["line_too_long", "line_too_long"],
    );
  }
});

for (const maxLineBytes of [0, -1, 1.5, NaN, Infinity, MAX_LINE_BYTES + 1]) {
  Deno.test(`LineSplitter refuses a limit of ${maxLineBytes}`, () => {
    for (const Class of [LineSplitter, LineSplitterStream]) {
      assertThrows(
        () => new Class({ maxLineBytes }),
        RangeError,
        `Cannot limit lines to ${maxLineBytes} bytes: expected a whole number from 1 to 536870888`,
      );
    }
  });
}

Deno.test("LineSplitter accepts the least and the greatest limit", () => {
  assertEquals(split([encode("a\nbc")], 1).map(({ ok }) => ok), [true, false]);
  assertEquals(split([encode("a")], MAX_LINE_BYTES).map(({ ok }) => ok), [
    true,
  ]);
});

Deno.test("LineSplitter emits to the function passed to each call", () => {
  const log: string[] = [];
  const splitter = new LineSplitter();
  for (const [name, text] of [["a", "1\n2"], ["b", "\n3"]] as const) {
    splitter.feed(encode(text), ({ line }) => log.push(`${name}${line}`));
  }
  splitter.flush(({ line }) => log.push(`c${line}`));
  assertEquals(log, ["a1", "b2", "c3"]);
});

Deno.test("LineSplitter copies a failed line, so that the caller may overwrite the chunk", () => {
  const chunk = Uint8Array.from([0x61, 0xff, 0x0a, 0x62]);
  const outcomes: Outcome<string>[] = [];
  const splitter = new LineSplitter();
  splitter.feed(chunk, (outcome) => outcomes.push(outcome));
  chunk.fill(0x78);
  splitter.flush((outcome) => outcomes.push(outcome));
  assertEquals(outcomes, [bad(1, 0, "a\ufffd", [0x61, 0xff]), line(2, 3, "b")]);
});

Deno.test("LineSplitter emits the same lines for any chunking", () => {
  const inputs = fc.array(
    fc.constantFrom(
      ...["a", "é", "😀", "\r", "\n", "\n", " ", "\ufeff", "\ufffd"].map(
        encode,
      ),
      Uint8Array.of(0xff),
      Uint8Array.of(0xe4, 0xbd),
    ),
    { maxLength: 40 },
  ).map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])));
  fc.assert(
    fc.property(
      chunkings(inputs),
      fc.constantFrom(undefined, 3, 8),
      ({ bytes, chunks }, limit) => {
        assertEquals(split(chunks, limit), split([bytes], limit));
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("LineSplitterStream splits a stream of bytes", async () => {
  const stream = ReadableStream.from([encode("a\nb"), encode("c")])
    .pipeThrough(new LineSplitterStream({ maxLineBytes: 2 }));
  assertEquals(await Array.fromAsync(stream), [
    line(1, 0, "a"),
    line(2, 2, "bc"),
  ]);
});
