/**
 * Utf8Decoder: what a streaming TextDecoder gives, with a state that can be written down.
 */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Utf8Decoder } from "../../lib/json/utf8_decoder.ts";

/** Bytes at which UTF-8 decoders differ, and some between. */
const EDGES = [
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

Deno.test("Utf8Decoder gives piece by piece what a streaming TextDecoder gives", () => {
  const piece = fc.array(fc.constantFrom(...EDGES), { maxLength: 5 });
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
