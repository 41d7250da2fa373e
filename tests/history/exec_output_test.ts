/** Long outputs of commands, and lengths of text in UTF-8. */

import { assertEquals } from "@std/assert";
import { OutputText } from "../../lib/history/exec_output.ts";
import {
  addedBytes,
  byteLength,
  endsInHighSurrogate,
  placeOfByte,
} from "../../lib/json/utf8_length.ts";
import fc, { anyText } from "../property_seed.ts";

const encoder = new TextEncoder();

Deno.test("byteLength() counts the bytes that TextEncoder writes", () => {
  const texts = fc.oneof(
    anyText(),
    anyText({ minLength: 60, maxLength: 300, size: "max" }),
    fc.array(fc.constantFrom("\ud83d", "\ude00", "a", "é", "✓"), {
      maxLength: 300,
      size: "max",
    }).map((parts) => parts.join("")),
  );
  fc.assert(fc.property(texts, texts, (one, other) => {
    assertEquals(byteLength(one), encoder.encode(one).length);
    assertEquals(
      byteLength(one) + addedBytes(endsInHighSurrogate(one), other),
      byteLength(one + other),
    );
  }));
  assertEquals(byteLength("😀".repeat(100_000)), 400_000);
});

Deno.test("placeOfByte() rounds to characters", () => {
  const places = [0, 1, 2, 3, 4, 5, 6, 9].map((bytes) => [
    placeOfByte("a😀é", bytes, "down").bytes,
    placeOfByte("a😀é", bytes, "up").bytes,
  ]);
  assertEquals(places, [
    [0, 0],
    [1, 1],
    [1, 5],
    [1, 5],
    [1, 5],
    [5, 5],
    [5, 7],
    [7, 7],
  ]);
});

Deno.test("OutputText cuts long output at both ends", () => {
  const line = "0123456789é✓😀\n";
  const text = line.repeat(40_000);
  const bytes = encoder.encode(text);
  const whole = new OutputText([{ offset: 0, content: text }]);
  assertEquals(whole.end, bytes.length);

  whole.add({ offset: 400_000, content: "" }, Infinity);
  const cut = new TextDecoder().decode(bytes.subarray(0, 400_000));
  assertEquals(whole.chunks(), [{ offset: 0, content: cut }]);

  assertEquals(whole.keepLast(200_000), true);
  const [chunk] = whole.chunks();
  const start = chunk?.offset ?? 0;
  assertEquals(start - 200_000 < 4, true);
  assertEquals(whole.bytes, 400_000 - start);
  assertEquals(
    chunk?.content,
    new TextDecoder().decode(bytes.subarray(start, 400_000)),
  );
});

Deno.test("OutputText has the same chunks for text in one or many pieces", () => {
  const line = "0123456789é✓😀\n";
  const text = line.repeat(20_000);
  const bits = new OutputText();
  for (let at = 0; at < text.length; at += 7) {
    const content = text.slice(at, at + 7);
    bits.add({ offset: bits.end, content }, 100_000);
  }
  const whole = new OutputText();
  whole.add({ offset: 0, content: text }, 100_000);
  assertEquals(bits.chunks(), whole.chunks());
  assertEquals(bits.bytes, whole.bytes);
});

Deno.test("OutputText keeps characters whole where two pieces meet", () => {
  // Longer texts have several pieces.
  const long = "a".repeat(1 << 17);
  const output = new OutputText();
  output.add({ offset: 0, content: `${long}\ud83d` }, Infinity);
  output.add({ offset: output.end, content: `\ude00${long}` }, Infinity);
  const content = `${long}😀${long}`;
  assertEquals(output.chunks(), [{ offset: 0, content }]);
  assertEquals(output.bytes, byteLength(content));

  const cut = new OutputText([{ offset: 0, content: `${long}😀` }]);
  cut.add({ offset: long.length + 1, content: "" }, Infinity);
  assertEquals(cut.chunks(), [
    { offset: 0, content: long },
    { offset: long.length + 1, content: "" },
  ]);
});
