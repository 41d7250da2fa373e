import fc from "../property_seed.ts";
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import {
  type ByteSource,
  PackedDataError,
  type PackedFormat,
} from "../../lib/files/byte_source.ts";
import { decompressed } from "../../lib/files/decompress.ts";
import { readCapturedFiles } from "../rollouts.ts";
import { concat, decode, encode } from "../running.ts";
import {
  drained,
  gzip,
  numberLines,
  skippableFrame,
  storedGzip,
  storedZstd,
  TestSource,
  unpacked,
  unzstd,
  WaitingSource,
  zstd,
} from "../sources.ts";

const EMPTY = new Uint8Array(0);
const LINES = encode(
  Array.from(
    { length: 40 },
    (_, i) => `{"n":${i},"square":${i * i},"é":"${"🚀".repeat(i % 5)}"}\n`,
  ).join(""),
);
/** More bytes than the decoders buffer. */
const LONG = numberLines(20_000);

/** The most bytes per read of the source, and the size of the buffer to read into. */
const PACES = [
  { step: Infinity, room: 1 << 16 },
  { step: Infinity, room: 1 },
  { step: 1, room: 1 << 16 },
  { step: 1, room: 1 },
  { step: 2, room: 3 },
  { step: 3, room: 2 },
  { step: 5, room: 4 },
];

/** Asserts that an error reports packed data that is cut off or damaged. */
function assertBroken(
  error: unknown,
  format: PackedFormat,
  state: "cut off" | "damaged",
): void {
  assert(error instanceof PackedDataError, String(error));
  assertEquals(error.name, "PackedDataError");
  assertEquals(error.format, format);
  assertEquals(
    error.message,
    `Cannot unpack the ${format} data: it is ${state}`,
  );
}

// Plain data.

const PLAIN = [
  { name: "no bytes", bytes: EMPTY },
  { name: "one byte", bytes: encode("a") },
  { name: "JSONL", bytes: LINES },
  { name: "a byte order mark", bytes: encode("\ufeff{}\n") },
  { name: "only the first byte of gzip", bytes: Uint8Array.of(0x1f) },
  { name: "only the first byte of zstd", bytes: encode("(") },
  { name: "text that begins with (", bytes: encode("(a) {}\n") },
  { name: "text that begins with [", bytes: encode("[1]\n") },
  { name: "only the first byte of a skippable frame", bytes: encode("[") },
  {
    name: "text with all but the last byte of a skippable frame",
    bytes: encode("P*M and more"),
  },
  {
    name: "the second byte of gzip wrong",
    bytes: Uint8Array.of(0x1f, 0x8c, 8),
  },
  {
    name: "the last byte of zstd wrong",
    bytes: Uint8Array.of(0x28, 0xb5, 0x2f, 0xfc, 0),
  },
  {
    name: "the last byte of a skippable frame wrong",
    bytes: Uint8Array.of(0x5f, 0x2a, 0x4d, 0x19, 0),
  },
  {
    name: "only the first byte of a byte order mark of UTF-16",
    bytes: Uint8Array.of(0xff),
  },
  {
    name: "the second byte of a byte order mark of UTF-16 wrong",
    bytes: Uint8Array.of(0xfe, 0xfe, 0x7b, 0x00),
  },
  {
    name: "packed data behind a byte",
    bytes: concat([encode("\n"), gzip(LINES)]),
  },
] satisfies { name: string; bytes: Uint8Array }[];

for (const { name, bytes } of PLAIN) {
  Deno.test(`decompressed() returns plain data unchanged: ${name}`, async () => {
    for (const pace of PACES) {
      const { content, error } = await unpacked(bytes, pace);
      assertEquals(error, undefined);
      assertEquals(content, bytes);
    }
  });
}

Deno.test("decompressed() returns the first byte at once, unless packed data can begin with it", async () => {
  const magics = new Set([0x1f, 0x28, 0xfe, 0xff]);
  for (let byte = 0x50; byte <= 0x5f; byte++) magics.add(byte);
  for (let byte = 0; byte < 256; byte++) {
    if (magics.has(byte)) continue;
    for (const room of [1, 2, 3, 4, 64]) {
      // Reading further is an error: it would block on a live pipe.
      const source = new TestSource(Uint8Array.of(byte), {
        error: new Error("asked for more"),
      });
      const into = new Uint8Array(room);
      assertEquals(await decompressed(source).read(into), 1, `byte ${byte}`);
      assertEquals(into[0], byte);
    }
  }
});

const HELD = [
  { name: "the first byte of gzip", start: [0x1f], next: 0x0a },
  { name: "the first byte of zstd", start: [0x28], next: 0x61 },
  { name: "two bytes of zstd", start: [0x28, 0xb5], next: 0x61 },
  { name: "three bytes of zstd", start: [0x28, 0xb5, 0x2f], next: 0x61 },
  { name: "the first byte of a skippable frame", start: [0x5b], next: 0x31 },
  {
    name: "three bytes of a skippable frame",
    start: [0x50, 0x2a, 0x4d],
    next: 0x31,
  },
  {
    name: "the first byte of a byte order mark of UTF-16",
    start: [0xfe],
    next: 0x7b,
  },
] satisfies { name: string; start: number[]; next: number }[];

for (const { name, start, next } of HELD) {
  Deno.test(`decompressed() waits behind ${name}, and then returns all bytes`, async () => {
    for (const room of [1, 2, 3, 4, 64]) {
      const bytes = Uint8Array.of(...start, next, 0x0a);
      const source = new WaitingSource(bytes, start.length);
      const result = drained(decompressed(source), room);
      await source.waiting;
      source.release();
      assertEquals(await result, { content: bytes, error: undefined });
    }
  });
}

Deno.test("decompressed() returns available bytes without waiting for a full buffer", async () => {
  const source = new WaitingSource(LINES, 700);
  const content = decompressed(source);
  const into = new Uint8Array(1 << 16);
  assertEquals(await content.read(into), 700);
  assertEquals(into.subarray(0, 700), LINES.subarray(0, 700));
  source.release();
  assertEquals(await content.read(into), LINES.length - 700);
});

Deno.test("decompressed() reads plain data directly into the caller's buffer", async () => {
  const source = new TestSource(LINES, { step: 100 });
  const content = decompressed(source);
  const into = new Uint8Array(1_000);
  for (let i = 0; i < 3; i++) {
    assertEquals(await content.read(into), 100);
    assertStrictEquals(source.buffers[i]?.buffer, into.buffer);
    assertEquals(source.buffers[i]?.length, into.length);
  }
});

Deno.test("decompressed() continues with a plain source that has grown behind its end", async () => {
  let bytes: Uint8Array = EMPTY;
  const content = decompressed({
    read(into) {
      const size = Math.min(into.length, bytes.length);
      into.set(bytes.subarray(0, size));
      bytes = bytes.subarray(size);
      return Promise.resolve(size === 0 ? null : size);
    },
    close() {},
  });
  const into = new Uint8Array(16);
  for (const text of ["", "ab", "", "", "c"]) {
    bytes = encode(text);
    const size = await content.read(into);
    assertEquals(size, text === "" ? null : text.length);
    assertEquals(decode(into.subarray(0, size ?? 0)), text);
  }
});

// UTF-16.

/** Encodes a text in UTF-16, with a byte order mark. */
function utf16(text: string, isLittle: boolean): Uint8Array {
  const bytes = new Uint8Array(2 * text.length + 2);
  const view = new DataView(bytes.buffer);
  const units = [0xfeff, ...text.split("").map((unit) => unit.charCodeAt(0))];
  units.forEach((unit, i) => view.setUint16(2 * i, unit, isLittle));
  return bytes;
}

for (const isLittle of [true, false]) {
  const name = isLittle ? "little-endian" : "big-endian";
  Deno.test(`decompressed() converts UTF-16 to UTF-8: ${name}`, async () => {
    for (const pace of PACES) {
      const { content, error } = await unpacked(
        utf16(decode(LINES), isLittle),
        pace,
      );
      assertEquals(error, undefined);
      assertEquals(content, LINES);
    }
    for (const cut of [1, 2, 3]) {
      const bytes = utf16("{}\n🚀", isLittle).slice(0, -cut);
      const { content } = await unpacked(bytes);
      assertEquals(decode(content), "{}\n\ufffd");
    }
  });
}

for (const isLittle of [true, false]) {
  const order = isLittle ? "little-endian" : "big-endian";
  for (const pack of [gzip, zstd]) {
    for (const text of ["", decode(LINES)]) {
      const title = `${text.length} characters, ${pack.name}, ${order}`;
      Deno.test(`decompressed() converts packed UTF-16 to UTF-8: ${title}`, async () => {
        for (const pace of PACES) {
          assertEquals(await unpacked(pack(utf16(text, isLittle)), pace), {
            content: encode(text),
            error: undefined,
          });
        }
      });
    }
  }

  Deno.test(`decompressed() returns nothing for UTF-16 without text: ${order}`, async () => {
    for (const pace of PACES) {
      assertEquals(await unpacked(utf16("", isLittle), pace), {
        content: EMPTY,
        error: undefined,
      });
    }
  });
}

const MARKED = [
  {
    name: "a line of Chinese",
    bytes: utf16("運行\n{}\n", true),
    text: "運行\n{}\n",
  },
  {
    name: "a second byte order mark",
    bytes: utf16("\ufeff{}\n", false),
    text: "\ufeff{}\n",
  },
  {
    name: "half a code unit",
    bytes: Uint8Array.of(0xff, 0xfe, 0x7b),
    text: "\ufffd",
  },
  {
    name: "a line feed in one byte",
    bytes: Uint8Array.of(0xff, 0xfe, 0x0a, 0x7b, 0x7d, 0x0a),
    text: "笊\u0a7d",
  },
  {
    name: "text of the other byte order",
    bytes: Uint8Array.of(0xfe, 0xff, 0x7b, 0x00),
    text: "笀",
  },
] satisfies { name: string; bytes: Uint8Array; text: string }[];

for (const { name, bytes, text } of MARKED) {
  Deno.test(`decompressed() converts anything behind a byte order mark of UTF-16: ${name}`, async () => {
    for (const pace of PACES) {
      const { content, error } = await unpacked(bytes, pace);
      assertEquals(error, undefined);
      assertEquals(content, encode(text));
    }
  });
}

Deno.test("decompressed() closes the source of UTF-16", async () => {
  const source = new TestSource(utf16("{}", true));
  const content = decompressed(source);
  await content.read(new Uint8Array(1));
  content.close();
  assertEquals(await content.read(new Uint8Array(1)), null);
  assertEquals(source.closings, 1);
});

// Packed data.

const LINES_STORED = [0, 100, 101, 900].map((start, i, starts) =>
  LINES.subarray(start, starts[i + 1])
);
const PACKED = [
  { name: "gzip", bytes: gzip(LINES), content: LINES },
  {
    name: "gzip of no bytes",
    bytes: gzip(EMPTY),
    content: EMPTY,
  },
  {
    name: "gzip, several members, one of them empty",
    bytes: concat([gzip(LINES), gzip(EMPTY), gzip(encode("x")), gzip(LINES)]),
    content: concat([LINES, encode("x"), LINES]),
  },
  {
    name: "gzip without compression",
    bytes: storedGzip(LINES_STORED),
    content: LINES,
  },
  {
    name: "gzip with zeros as padding",
    bytes: concat([gzip(LINES), new Uint8Array(600)]),
    content: LINES,
  },
  {
    name: "gzip of gzip once",
    bytes: gzip(gzip(LINES)),
    content: gzip(LINES),
  },
  { name: "zstd", bytes: zstd(LINES), content: LINES },
  {
    name: "zstd of no bytes",
    bytes: zstd(EMPTY),
    content: EMPTY,
  },
  {
    name: "zstd with a checksum",
    bytes: zstd(LINES, { hasChecksum: true }),
    content: LINES,
  },
  {
    name: "zstd without a content size",
    bytes: zstd(LINES, { hasSize: false }),
    content: LINES,
  },
  {
    name: "zstd without compression",
    bytes: storedZstd(LINES_STORED),
    content: LINES,
  },
  {
    name: "zstd, several frames of all kinds",
    bytes: concat([
      zstd(LINES, { hasChecksum: true }),
      zstd(EMPTY),
      zstd(encode("x"), { hasSize: false }),
      storedZstd(LINES_STORED),
    ]),
    content: concat([LINES, encode("x"), LINES]),
  },
  {
    name: "zstd with skippable frames before, between and behind",
    bytes: concat([
      skippableFrame(5, 15),
      zstd(LINES),
      skippableFrame(0),
      skippableFrame(300, 7),
      zstd(LINES, { hasChecksum: true }),
      skippableFrame(1, 11),
    ]),
    content: concat([LINES, LINES]),
  },
  {
    name: "zstd, only a skippable frame",
    bytes: skippableFrame(9, 3),
    content: EMPTY,
  },
] satisfies {
  name: string;
  bytes: Uint8Array;
  content: Uint8Array;
}[];

for (const { name, bytes, content } of PACKED) {
  Deno.test(`decompressed() unpacks ${name}`, async () => {
    for (const pace of PACES) {
      for (const file of ["", "a.jsonl", "a.gz", "a.zst"]) {
        const result = await unpacked(bytes, { ...pace, name: file });
        assertEquals(result, { content, error: undefined });
      }
    }
  });
}

for (const pack of [gzip, zstd]) {
  Deno.test(`decompressed() unpacks ${pack.name} of more than a buffer`, async () => {
    const bytes = pack(LONG);
    for (const step of [Infinity, 1_000, 16_384, 16_385]) {
      const result = await unpacked(bytes, { step });
      assertEquals(result, { content: LONG, error: undefined });
    }
  });

  Deno.test(`decompressed() returns null repeatedly behind the end of ${pack.name}`, async () => {
    const source = decompressed(new TestSource(pack(encode("x"))));
    const into = new Uint8Array(4);
    const sizes = [];
    for (let i = 0; i < 4; i++) sizes.push(await source.read(into));
    assertEquals(sizes, [1, null, null, null]);
    source.close();
  });
}

Deno.test("decompressed() unpacks any content, in any number of parts, at any pace", async () => {
  const parts = fc.array(
    fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.boolean(), fc.boolean()),
    { minLength: 1, maxLength: 4 },
  );
  const paces = fc.record({
    step: fc.integer({ min: 1, max: 200 }),
    room: fc.integer({ min: 1, max: 200 }),
  });
  await fc.assert(
    fc.asyncProperty(parts, paces, fc.boolean(), async (rows, pace, isGzip) => {
      const bytes = concat(
        rows.map(([content, hasChecksum, hasSize]) =>
          isGzip ? gzip(content) : zstd(content, { hasChecksum, hasSize })
        ),
      );
      const content = concat(rows.map(([part]) => part));
      // The first content may begin like UTF-16.
      fc.pre((content[0] ?? 0) < 0xfe);
      assertEquals(await unpacked(bytes, pace), { content, error: undefined });
    }),
    { numRuns: 60 },
  );
});

Deno.test("decompressed() unpacks captured files like zlib", async () => {
  for (const { bytes } of readCapturedFiles(/\.zst$/)) {
    assertEquals(await unpacked(bytes), {
      content: unzstd(bytes),
      error: undefined,
    });
  }
});

// Data that is cut off.

/** Whether cut data is complete: cut behind a member or frame. */
function isWhole(bytes: Uint8Array, cut: number, ends: number[]): boolean {
  return cut === bytes.length || ends.includes(cut);
}

const SHORT = encode('{"type":"message","text":"é🚀"}\n');
const CUT = [
  { name: "a gzip member", parts: [gzip(SHORT)], format: "gzip" },
  {
    name: "gzip without compression",
    parts: [storedGzip([SHORT])],
    format: "gzip",
  },
  {
    name: "two gzip members",
    parts: [gzip(SHORT), gzip(SHORT)],
    format: "gzip",
  },
  { name: "a zstd frame", parts: [zstd(SHORT)], format: "zstd" },
  {
    name: "a zstd frame with a checksum",
    parts: [zstd(SHORT, { hasChecksum: true })],
    format: "zstd",
  },
  {
    name: "a zstd frame without a content size",
    parts: [zstd(SHORT, { hasSize: false })],
    format: "zstd",
  },
  {
    name: "a zstd frame of several blocks",
    parts: [storedZstd([SHORT, SHORT, EMPTY])],
    format: "zstd",
  },
  {
    name: "two zstd frames",
    parts: [zstd(SHORT), zstd(SHORT, { hasChecksum: true })],
    format: "zstd",
  },
  {
    name: "zstd frames among skippable frames",
    parts: [skippableFrame(3), zstd(SHORT), skippableFrame(0)],
    format: "zstd",
  },
] satisfies { name: string; parts: Uint8Array[]; format: PackedFormat }[];

for (const { name, parts, format } of CUT) {
  const bytes = concat(parts);
  let at = 0;
  const ends = parts.map((part) => at += part.length);
  const suffix = format === "gzip" ? "gz" : "zst";

  Deno.test(`decompressed() reports data that is cut off at any byte: ${name}`, async () => {
    const whole = await unpacked(bytes);
    assertEquals(whole.error, undefined);
    for (let cut = 0; cut < bytes.length; cut++) {
      for (const step of [Infinity, 1]) {
        const { content, error } = await unpacked(bytes.subarray(0, cut), {
          step,
          name: `a.jsonl.${suffix}`,
        });
        assertEquals(
          content,
          whole.content.subarray(0, content.length),
          `cut at ${cut}`,
        );
        if (isWhole(bytes, cut, ends)) {
          assertEquals(error, undefined, `cut at ${cut}`);
        } else assertBroken(error, format, "cut off");
      }
    }
  });

  Deno.test(`decompressed() reports data that is cut off behind two bytes, without a name: ${name}`, async () => {
    for (let cut = 0; cut < bytes.length; cut++) {
      if (isWhole(bytes, cut, ends)) continue;
      const cutOff = bytes.subarray(0, cut);
      const { content, error } = await unpacked(cutOff);
      if (cut >= 2) assertBroken(error, format, "cut off");
      else {assertEquals({ content, error }, {
          content: cutOff,
          error: undefined,
        });}
    }
  });
}

Deno.test("decompressed() uses the name only for content that may be packed", async () => {
  for (const name of ["a.gz", "b.jsonl.zst", "/c/d.gz"]) {
    for (const text of ["a", "{}\n", "(a", "plain text\n"]) {
      const content = encode(text);
      assertEquals(await unpacked(content, { name }), {
        content,
        error: undefined,
      });
    }
  }
  for (const name of ["", "a.jsonl", "gz", "a.gz.jsonl", "a.zst/b"]) {
    assertEquals(await unpacked(EMPTY, { name }), {
      content: EMPTY,
      error: undefined,
    });
  }
});

// Damaged and foreign data.

const GARBAGE = encode("garbage behind the data");
const DAMAGED = [
  {
    name: "text behind a gzip member",
    bytes: concat([gzip(LINES), GARBAGE]),
    format: "gzip",
    content: LINES,
  },
  {
    name: "text behind a zstd frame",
    bytes: concat([zstd(LINES), GARBAGE]),
    format: "zstd",
    content: LINES,
  },
  {
    name: "zeros behind a zstd frame",
    bytes: concat([zstd(LINES), new Uint8Array(100)]),
    format: "zstd",
    content: LINES,
  },
  {
    name: "gzip behind a zstd frame",
    bytes: concat([zstd(LINES), gzip(LINES)]),
    format: "zstd",
    content: LINES,
  },
  {
    name: "zstd behind a gzip member",
    bytes: concat([gzip(LINES), zstd(LINES)]),
    format: "gzip",
    content: LINES,
  },
  {
    name: "a gzip method that does not exist",
    bytes: Uint8Array.of(0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 0xff),
    format: "gzip",
    content: EMPTY,
  },
  {
    name: "a zstd header of another version",
    bytes: concat([
      Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x08),
      storedZstd([LINES]).subarray(5),
    ]),
    format: "zstd",
    content: EMPTY,
  },
] satisfies {
  name: string;
  bytes: Uint8Array;
  format: PackedFormat;
  content: Uint8Array;
}[];

for (const { name, bytes, format, content } of DAMAGED) {
  Deno.test(`decompressed() reports damaged data: ${name}`, async () => {
    for (const pace of PACES) {
      const result = await unpacked(bytes, pace);
      assertBroken(result.error, format, "damaged");
      const size = result.content.length;
      assertEquals(result.content, content.subarray(0, size));
      assert(content.length - size < 64, `${content.length - size} lost`);
    }
  });
}

// Closing, and errors of the source.

const CONTENTS = [
  { name: "plain", bytes: LINES },
  { name: "gzip", bytes: gzip(LINES) },
  { name: "zstd", bytes: zstd(LINES) },
] satisfies { name: string; bytes: Uint8Array }[];

for (const { name, bytes } of CONTENTS) {
  Deno.test(`decompressed() passes an error of its source on unchanged: ${name}`, async () => {
    for (const size of [0, 1, 2, 3, 4, 5, bytes.length - 1, bytes.length]) {
      for (const step of [Infinity, 1]) {
        const error = new Deno.errors.BrokenPipe("no more");
        const source = new TestSource(bytes.subarray(0, size), { step, error });
        const result = await drained(decompressed(source));
        assertStrictEquals(result.error, error, `behind ${size} bytes`);
        const whole = name === "plain" ? bytes.subarray(0, size) : LINES;
        assertEquals(result.content, whole.subarray(0, result.content.length));
      }
    }
  });

  Deno.test(`decompressed() closes its source after any number of reads: ${name}`, async () => {
    for (const reads of [0, 1, 2, 1_000]) {
      const source = new TestSource(bytes, { step: 10 });
      const content = decompressed(source);
      const into = new Uint8Array(7);
      for (let i = 0; i < reads; i++) await content.read(into);
      assertEquals(source.closings, 0);
      content.close();
      assert(source.closings > 0);
      content.close();
    }
  });

  Deno.test(`decompressed() ends a waiting read when it is closed: ${name}`, async () => {
    for (const size of [0, 1, 2, 4, 20, bytes.length - 1]) {
      for (const isRestThere of [false, true]) {
        const rest = isRestThere ? bytes : bytes.subarray(0, size);
        const source = new WaitingSource(rest, size);
        const content = decompressed(source);
        const last = lastRead(content);
        await source.waiting;
        content.close();
        assert(source.closings > 0, `behind ${size} bytes`);
        source.release();
        // Not an error: the caller has closed the source.
        assertEquals(await last, null, `behind ${size} bytes`);
        assertEquals(source.readsAfterClosing, 0, `behind ${size} bytes`);
      }
    }
  });
}

/** Reads until the end, and returns the result of the last read. */
async function lastRead(source: ByteSource): Promise<null> {
  const into = new Uint8Array(8);
  for (;;) {
    const size = await source.read(into);
    if (size === null) return size;
  }
}
