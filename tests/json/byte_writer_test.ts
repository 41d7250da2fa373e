import { assert, assertEquals } from "@std/assert";
import { ByteWriter } from "../../lib/json/byte_writer.ts";
import fc, { anyText } from "../property_seed.ts";
import { countCopied, decode, encode } from "../running.ts";

/** Returns the content of a writer as text. */
function written(write: (out: ByteWriter) => void, capacity?: number): string {
  const out = new ByteWriter(capacity);
  write(out);
  assertEquals(out.view().length, out.length);
  return decode(out.view());
}

const CAPACITIES = [0, 1, 2, 7, 1 << 16];

for (const capacity of CAPACITIES) {
  Deno.test(`ByteWriter grows from a capacity of ${capacity}`, () => {
    const text = written((out) => {
      for (let i = 0; i < 100; i++) {
        out.byte(0x5b);
        out.text("é😀");
        out.string(`${i}"`);
        out.range(encode("0123456789".repeat(11)), 5, 5 + i);
        out.all(encode("]"));
      }
    }, capacity);
    const long = "0123456789".repeat(11);
    const expected = Array.from(
      { length: 100 },
      (_, i) => `[é😀"${i}\\""${long.slice(5, 5 + i)}]`,
    );
    assertEquals(text, expected.join(""));
  });
}

Deno.test("ByteWriter.range() copies ranges of 0 to 100 bytes", () => {
  const source = Uint8Array.from({ length: 120 }, (_, i) => i + 1);
  for (let size = 0; size <= 100; size++) {
    const out = new ByteWriter(0);
    out.byte(0);
    out.range(source, 7, 7 + size);
    assertEquals([...out.view()], [0, ...source.subarray(7, 7 + size)]);
  }
});

Deno.test("ByteWriter.last is the last byte, or 0 in an empty writer", () => {
  const out = new ByteWriter(1);
  assertEquals(out.last, 0);
  out.text("ab");
  assertEquals(out.last, 0x62);
  out.truncate(1);
  assertEquals(out.last, 0x61);
  out.truncate(0);
  assertEquals(out.last, 0);
});

Deno.test("ByteWriter.truncate() drops the bytes after a length, and later writes append there", () => {
  const out = new ByteWriter(2);
  out.text("kept, dropped");
  out.truncate(4);
  out.text("!");
  assertEquals(decode(out.view()), "kept!");
  assertEquals(decode(out.view(2)), "pt!");
  assertEquals(decode(out.view(1, 3)), "ep");
});

Deno.test("ByteWriter.clear() drops all bytes, and a buffer above the capacity", () => {
  const out = new ByteWriter(4);
  out.text("x".repeat(1_000));
  assert(out.view().buffer.byteLength >= 1_000);
  out.clear(16);
  assertEquals(out.length, 0);
  out.byte(0x61);
  assertEquals(out.view().buffer.byteLength, 16);
  out.clear(64);
  out.byte(0x62);
  assertEquals(
    out.view().buffer.byteLength,
    16,
    "the buffer does not grow early",
  );
});

Deno.test("ByteWriter.byte() copies less than four times the bytes of the output", () => {
  const copied = countCopied(() => {
    const out = new ByteWriter(16);
    for (let i = 0; i < 100_000; i++) out.byte(i & 0xff);
  });
  assert(copied < 4 * 100_000, `${copied} bytes`);
});

/** All code points below U+0200, and some of each kind above. */
const CHARACTERS = [
  ...Array.from({ length: 0x200 }, (_, code) => String.fromCodePoint(code)),
  ..."\u07ff\u0800\u2028\u2029\ud7ff\ue000\ufeff\uffff\u{10000}😀\u{10ffff}",
];

Deno.test("ByteWriter.string() writes every kind of character like JSON.stringify()", () => {
  for (const character of CHARACTERS) {
    // A short text, one with a prefix, and one longer than the loop for short texts.
    for (
      const text of [character, `ab${character}`, `${character}`.repeat(60)]
    ) {
      assertEquals(written((out) => out.string(text)), JSON.stringify(text));
    }
  }
});

Deno.test("ByteWriter.string() writes texts of 0 to 100 characters", () => {
  for (let length = 0; length <= 100; length++) {
    for (const end of ["", '"', "é", "\n"]) {
      const text = "x".repeat(length) + end;
      assertEquals(
        written((out) => out.string(text), 0),
        JSON.stringify(text),
      );
    }
  }
});

Deno.test("ByteWriter.string() escapes texts around 1 MiB", () => {
  for (const length of [(1 << 20) - 8, 1 << 20, (1 << 20) + 8]) {
    const text = 'x"\\\n\u0001é😀'.repeat(length / 8).slice(0, length);
    const out = new ByteWriter();
    out.string(text);
    assert(decode(out.view()) === JSON.stringify(text), `length ${length}`);
  }
});

Deno.test("ByteWriter.escaped() writes the content of a JSON string without its quotes", () => {
  for (const character of CHARACTERS) {
    const text = `a${character}b${character}`;
    const bytes = encode(`<${text}>`);
    assertEquals(
      written((out) => out.escaped(bytes, 1, bytes.length - 1)),
      JSON.stringify(text).slice(1, -1),
    );
  }
  assertEquals(written((out) => out.escaped(encode("ab"), 1, 1)), "");
});

Deno.test("ByteWriter writes any text like JSON.stringify() and TextEncoder", () => {
  fc.assert(fc.property(
    anyText({ maxLength: 120 }),
    fc.nat(8),
    (text, capacity) => {
      const quoted = JSON.stringify(text);
      const bytes = encode(text);
      assertEquals(written((out) => out.string(text), capacity), quoted);
      assertEquals(written((out) => out.text(text), capacity), text);
      assertEquals(
        written((out) => out.escaped(bytes, 0, bytes.length), capacity),
        quoted.slice(1, -1),
      );
    },
  ));
});
