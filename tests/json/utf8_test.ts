import { assert, assertEquals } from "@std/assert";
import {
  decodeUtf8,
  endOfMultibyte,
  isUtf8,
  keptText,
  MAX_KEPT_TEXT,
  ownText,
  Utf8Decoder,
} from "../../lib/json/utf8.ts";
import fc, { anyText } from "../property_seed.ts";
import { encode } from "../running.ts";

/** Bytes at the boundaries of UTF-8 decoding, and some between. */
const CHARACTER_EDGES = [
  0x00,
  0x41,
  0x7f,
  0x80,
  0x8f,
  0x90,
  0x9f,
  0xa0,
  0xbf,
  0xc0,
  0xc1,
  0xc2,
  0xdf,
  0xe0,
  0xe1,
  0xed,
  0xee,
  0xef,
  0xf0,
  0xf1,
  0xf3,
  0xf4,
  0xf5,
  0xff,
  0xbb,
] as const;

Deno.test("Utf8Decoder decodes each piece like a streaming TextDecoder", () => {
  const piece = fc.array(fc.constantFrom(...CHARACTER_EDGES), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const platform = new TextDecoder("utf-8", { ignoreBOM: true });
      let decoder = new Utf8Decoder();
      for (const bytes of pieces.map((piece) => Uint8Array.from(piece))) {
        const expected = platform.decode(bytes, { stream: true });
        assertEquals(decoder.decode(bytes), expected);
        decoder = new Utf8Decoder(decoder.pending);
      }
    }),
    { numRuns: 5000 },
  );
});

Deno.test("Utf8Decoder keeps a byte order mark", () => {
  const decoder = new Utf8Decoder();
  assertEquals(
    decoder.decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41)),
    "\ufeffA",
  );
});

const LOSSY = new TextDecoder("utf-8", { ignoreBOM: true });

/** Throws unless isUtf8() and endOfMultibyte() agree with TextDecoder. */
function check(bytes: Uint8Array): void {
  const text = LOSSY.decode(bytes);
  // Invalid bytes are decoded as another character; a decoder that throws takes ten times as long.
  const encoded = encode(text);
  const valid = encoded.length === bytes.length &&
    encoded.every((byte, at) => byte === bytes[at]);
  if (isUtf8(bytes, 0, bytes.length) !== valid) {
    throw new Error(`Cannot agree on ${bytes}: it is ${valid}`);
  }
  const lead = bytes[0] ?? 0;
  if (lead < 0x80) return;
  // Exactly one character.
  const isOne = valid && text.length <= 2 && [...text].length === 1;
  const end = endOfMultibyte(bytes, 0);
  if ((end === bytes.length) !== isOne) {
    throw new Error(`Cannot agree on ${bytes}: it ends at ${end}`);
  }
}

/** Bytes around every boundary of the Unicode tables. */
const EDGES = [
  0x00,
  0x22,
  0x7f,
  0x80,
  0x8f,
  0x90,
  0x9f,
  0xa0,
  0xbf,
  0xc0,
  0xc2,
  0xed,
  0xff,
];

Deno.test("isUtf8() and endOfMultibyte() agree with TextDecoder on all sequences of one and two bytes", () => {
  check(new Uint8Array(0));
  for (let first = 0; first < 256; first++) {
    check(Uint8Array.of(first));
    for (let second = 0; second < 256; second++) {
      check(Uint8Array.of(first, second));
    }
  }
});

Deno.test("isUtf8() and endOfMultibyte() agree with TextDecoder on the boundaries of three and four bytes", () => {
  for (let first = 0xc0; first < 256; first++) {
    for (const second of EDGES) {
      for (const third of EDGES) {
        check(Uint8Array.of(first, second, third));
        for (const fourth of EDGES) {
          check(Uint8Array.of(first, second, third, fourth));
        }
      }
    }
  }
});

Deno.test("isUtf8() reads only the bytes of its range", () => {
  const bytes = Uint8Array.of(0xff, 0x61, 0xc3, 0xa9, 0xff);
  assert(isUtf8(bytes, 1, 4));
  assert(!isUtf8(bytes, 0, 4));
  assert(!isUtf8(bytes, 1, 5));
  assert(!isUtf8(bytes, 1, 3), "the character ends after the range");
  assert(!isUtf8(bytes, 3, 4), "the character begins before the range");
  assert(isUtf8(bytes, 2, 2));
});

Deno.test("isUtf8() agrees with TextDecoder on any bytes", () => {
  const bytes = fc.array(
    fc.oneof(
      fc.nat(255),
      fc.constantFrom(...EDGES),
      fc.constantFrom(...encode("aé你😀")),
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(bytes, (values) => check(Uint8Array.from(values))),
    { numRuns: 1_000 },
  );
});

for (
  const { name, bytes, text } of [
    { name: "no bytes", bytes: [], text: "" },
    { name: "ASCII", bytes: [0x61, 0x00, 0x7f], text: "a\0\u007f" },
    {
      name: "a byte order mark, which is kept",
      bytes: [0xef, 0xbb, 0xbf, 0x61],
      text: "\ufeffa",
    },
    {
      name: "bad bytes, which become U+FFFD",
      bytes: [0x61, 0xff, 0xc3],
      text: "a\ufffd\ufffd",
    },
    {
      name: "an encoded surrogate",
      bytes: [0xed, 0xa0, 0x80],
      text: "\ufffd\ufffd\ufffd",
    },
    {
      name: "more than a few characters",
      bytes: [...encode("äöü😀".repeat(20))],
      text: "äöü😀".repeat(20),
    },
  ] satisfies { name: string; bytes: number[]; text: string }[]
) {
  Deno.test(`decodeUtf8() decodes ${name}`, () => {
    const inside = Uint8Array.from([0xc3, ...bytes, 0xa9]);
    assertEquals(decodeUtf8(inside, 1, bytes.length + 1), text);
  });
}

Deno.test("decodeUtf8() decodes every single byte between letters like TextDecoder", () => {
  for (let byte = 0; byte < 256; byte++) {
    const bytes = Uint8Array.of(0x61, byte, 0x62);
    assertEquals(decodeUtf8(bytes, 0, 3), LOSSY.decode(bytes), `${byte}`);
  }
});

Deno.test("decodeUtf8() decodes texts of 0 to 60 characters", () => {
  for (let length = 0; length <= 60; length++) {
    for (const end of ["", "é", "😀"]) {
      const text = "x".repeat(length) + end;
      const bytes = encode(text);
      assertEquals(decodeUtf8(bytes, 0, bytes.length), text);
    }
  }
});

Deno.test("keptText() and ownText() return the same text, of any length", () => {
  fc.assert(fc.property(
    anyText({ maxLength: 40 }),
    fc.constantFrom(1, 100, MAX_KEPT_TEXT),
    (text, times) => {
      const long = text.repeat(times);
      assertEquals(keptText(long.slice(1)), long.slice(1));
      assertEquals(ownText(long.slice(1)), long.slice(1));
    },
  ));
});
