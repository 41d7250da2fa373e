import { assert, assertEquals } from "@std/assert";
import { constants, inflateRawSync } from "node:zlib";
import { decompressed } from "../../lib/files/decompress.ts";
import { PackedDataError, type PackedFormat } from "../../lib/files/errors.ts";
import { Pieces, unpack } from "../../lib/files/unpack.ts";
import { concat, encode } from "../running.ts";
import {
  type Drained,
  drained,
  gzip,
  skippableFrame,
  storedGzip,
  storedZstd,
  TestSource,
  zstd,
} from "../sources.ts";

const EMPTY = new Uint8Array(0);
/** What the decoders of the platform keep to themselves when they fail is less than this. */
const MAX_LOST = 64;
/** Up to here, packed data is read again to give the last bytes before the damage. */
const MAX_KEPT = 1 << 20;

/** Bytes that repeat nowhere, so that a piece too many or too few is seen. */
function contentOf(size: number, seed = 1): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(size);
  let state = seed;
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    content[at] = state >>> 24;
  }
  return content;
}

/** Text of lines that packs well. */
function linesOf(count: number): Uint8Array<ArrayBuffer> {
  return encode(
    Array.from({ length: count }, (_, i) => `{"n":${(i * 7919) % 65_537}}\n`)
      .join(""),
  );
}

/** Unpacks bytes that come in steps. */
function unpacked(bytes: Uint8Array, step: number): Promise<Drained> {
  return drained(decompressed(new TestSource(bytes, { step })));
}

/** Fails unless all but the last few bytes of a content came, and then an error. */
function assertBreaks(
  { content, error }: Drained,
  expected: Uint8Array,
  state: "cut off" | "damaged",
): void {
  assert(error instanceof PackedDataError, String(error));
  assertEquals(error.message.endsWith(`: it is ${state}`), true, error.message);
  const size = content.length;
  assert(size <= expected.length, `${size} of ${expected.length} bytes`);
  assert(expected.length - size < MAX_LOST, `lost ${expected.length - size}`);
  let at = 0;
  while (at < size && content[at] === expected[at]) at += 1;
  assertEquals(at, size, "where the content is another one");
}

// Damage in a known place: in the header of a block that is not compressed.

const PARTS = [
  contentOf(1_000, 1),
  contentOf(17, 2),
  contentOf(40_000, 3),
  contentOf(5_000, 4),
];

/** Says where the blocks of data without compression start. */
function blockStarts(start: number, headerSize: number): number[] {
  let at = start;
  return PARTS.map(({ length }) => {
    const blockStart = at;
    at += headerSize + length;
    return blockStart;
  });
}

const STORED = [
  {
    format: "gzip",
    bytes: storedGzip(PARTS),
    starts: blockStarts(10, 5),
    // A length that its complement does not agree with.
    damage: { at: 3, mask: 0xff },
  },
  {
    format: "zstd",
    bytes: storedZstd(PARTS),
    starts: blockStarts(6, 3),
    // The type of block that is reserved.
    damage: { at: 0, mask: 0x06 },
  },
] satisfies {
  format: PackedFormat;
  bytes: Uint8Array;
  starts: number[];
  damage: { at: number; mask: number };
}[];

for (const { format, bytes, starts, damage } of STORED) {
  for (const [block, start] of starts.entries()) {
    Deno.test(`unpack() gives all of ${format} before a damage in block ${block + 1}`, async () => {
      const damaged = bytes.slice();
      const at = start + damage.at;
      damaged[at] = (damaged[at] ?? 0) ^ damage.mask;
      const before = concat(PARTS.slice(0, block));
      for (const step of [Infinity, 1_000, 17]) {
        assertBreaks(await unpacked(damaged, step), before, "damaged");
      }
    });
  }

  Deno.test(`unpack() gives all of ${format} before a block where it is cut off`, async () => {
    for (const [block, start] of starts.entries()) {
      const before = concat(PARTS.slice(0, block));
      for (const step of [Infinity, 1_000]) {
        const cut = bytes.subarray(0, start);
        assertBreaks(await unpacked(cut, step), before, "cut off");
      }
    }
  });

  Deno.test(`unpack() gives all of ${format} before a damage far inside`, async () => {
    const pack = format === "gzip" ? gzip : zstd;
    const whole = pack(PARTS[2] ?? EMPTY);
    const damaged = bytes.slice();
    const at = (starts[1] ?? 0) + damage.at;
    damaged[at] = (damaged[at] ?? 0) ^ damage.mask;
    for (const step of [Infinity, 999]) {
      assertBreaks(
        await unpacked(concat([whole, whole, damaged]), step),
        concat([PARTS[2] ?? EMPTY, PARTS[2] ?? EMPTY, PARTS[0] ?? EMPTY]),
        "damaged",
      );
    }
  });

  Deno.test(`unpack() gives nearly all of long ${format} before a damage`, async () => {
    const parts = Array.from(
      { length: 40 },
      (_, i) => contentOf(50_000, i + 1),
    );
    const pack = format === "gzip" ? storedGzip : storedZstd;
    const damaged = pack(parts);
    const headerSize = format === "gzip" ? 5 : 3;
    const at = (format === "gzip" ? 10 : 6) + 38 * (headerSize + 50_000) +
      damage.at;
    assert(at > MAX_KEPT);
    damaged[at] = (damaged[at] ?? 0) ^ damage.mask;
    const { content, error } = await unpacked(damaged, Infinity);
    assert(error instanceof PackedDataError);
    const expected = concat(parts.slice(0, 38));
    assert(content.length > expected.length - 50_000);
    assertEquals(
      content.every((byte, i) => byte === expected[i]),
      true,
    );
  });
}

// What the decoder of the platform finds at the end.

const LINES = linesOf(3_000);
const ENDS = [
  { name: "the checksum of gzip", bytes: gzip(LINES), fromEnd: 8 },
  { name: "the size in gzip", bytes: gzip(LINES), fromEnd: 4 },
  {
    name: "the checksum of zstd",
    bytes: zstd(LINES, { hasChecksum: true }),
    fromEnd: 1,
  },
] satisfies { name: string; bytes: Uint8Array; fromEnd: number }[];

for (const { name, bytes, fromEnd } of ENDS) {
  Deno.test(`unpack() says that data is damaged if ${name} is wrong`, async () => {
    const damaged = bytes.slice();
    const at = damaged.length - fromEnd;
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    for (const step of [Infinity, 100]) {
      const { content, error } = await unpacked(damaged, step);
      assert(error instanceof PackedDataError, String(error));
      assertEquals(error.message.endsWith("damaged"), true);
      // All of it was there before its end proved it wrong.
      assertEquals(content, LINES.subarray(0, content.length));
      assert(LINES.length - content.length < MAX_LOST);
    }
  });
}

// Compressed data, with zlib itself to say what is there.

Deno.test("unpack() gives all that zlib gives of gzip data that is cut off anywhere", async () => {
  const packed = gzip(linesOf(400));
  for (let cut = 18; cut < packed.length; cut += 13) {
    const there = Uint8Array.from(inflateRawSync(packed.subarray(10, cut), {
      finishFlush: constants.Z_SYNC_FLUSH,
    }));
    const result = await unpacked(packed.subarray(0, cut), Infinity);
    assertBreaks(result, there, "cut off");
    assertEquals(result.content.length, there.length);
  }
});

for (
  const { name, tail } of [
    { name: "a text", tail: encode("garbage tail") },
    { name: "a byte", tail: Uint8Array.of(7) },
    { name: "half of a header", tail: gzip(EMPTY).subarray(0, 2) },
    { name: "a header with a wrong method", tail: Uint8Array.of(31, 139, 9) },
    { name: "much of what is no gzip data", tail: contentOf(40_000, 9) },
  ]
) {
  Deno.test(`unpack() gives all of gzip data with ${name} behind it`, async () => {
    for (const content of [encode("{}\n"), linesOf(3_000)]) {
      for (const members of [[content], [content, content]]) {
        const packed = concat([...members.map(gzip), tail]);
        for (const step of [Infinity, 1_000, 7]) {
          const unpackedAll = await unpacked(packed, step);
          assert(unpackedAll.error instanceof PackedDataError);
          assertEquals(unpackedAll.content, concat(members));
        }
      }
    }
  });
}

Deno.test("unpack() never gives another content without an error, whatever bit is wrong", async () => {
  const content = linesOf(12);
  for (const pack of [gzip, zstdWithChecksum]) {
    const packed = pack(content);
    const whole = await unpacked(packed, Infinity);
    for (let bit = 0; bit < 8 * packed.length; bit++) {
      const damaged = packed.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const result = await unpacked(damaged, Infinity);
      // In the first bytes it is the name of the format that is gone.
      if (bit < 32 || result.error !== undefined) continue;
      assertEquals(result, whole, `bit ${bit}`);
    }
  }
});

function zstdWithChecksum(content: Uint8Array): Uint8Array<ArrayBuffer> {
  return zstd(content, { hasChecksum: true });
}

// Data that was packed to hurt.

Deno.test("unpack() gives little at a time, however much is packed in how little", async () => {
  const content = new Uint8Array(8 << 20);
  for (
    const [format, packed] of [["gzip", gzip(content)], [
      "zstd",
      zstd(content),
    ]] as const
  ) {
    let size = 0;
    for await (
      const chunk of unpack(new Pieces(packed, new TestSource(EMPTY)), format)
    ) {
      assert(chunk.length <= 1 << 17, `${chunk.length} at once`);
      size += chunk.length;
    }
    assertEquals(size, content.length);
  }
});

Deno.test("unpack() asks for no more than it needs to give something", async () => {
  for (
    const [format, packed] of [["gzip", gzip(LINES)], [
      "zstd",
      zstd(LINES),
    ]] as const
  ) {
    // Each of these comes with an error behind it, which must not be met.
    const source = new TestSource(packed, {
      error: new Error("asked for more"),
    });
    const chunks = unpack(new Pieces(EMPTY, source), format);
    const first = await chunks.next();
    assertEquals(first.done, false);
    await chunks.return(undefined);
    assertEquals(source.buffers.length, 1);
  }
});

// Pieces.

Deno.test("Pieces.take() gives the first bytes, then those of the source, then nothing", async () => {
  const pieces = new Pieces(
    encode("head"),
    new TestSource(encode("source"), { step: 4 }),
  );
  const texts: string[] = [];
  for (let i = 0; i < 5; i++) {
    const piece = await pieces.take();
    texts.push(piece === undefined ? "end" : new TextDecoder().decode(piece));
  }
  assertEquals(texts, ["head", "sour", "ce", "end", "end"]);
});

Deno.test("Pieces.take() gives first what was put back", async () => {
  const pieces = new Pieces(EMPTY, new TestSource(encode("source")));
  pieces.putBack(encode("back"));
  pieces.putBack(EMPTY);
  assertEquals(await pieces.take(), encode("back"));
  assertEquals(await pieces.take(), encode("source"));
  pieces.putBack(encode("rce"));
  assertEquals(await pieces.take(), encode("rce"));
  assertEquals(await pieces.take(), undefined);
});

Deno.test("Pieces.end() asks the source for no more, but gives what was put back", async () => {
  const source = new TestSource(encode("source"), { step: 2 });
  const pieces = new Pieces(EMPTY, source);
  assertEquals(await pieces.take(), encode("so"));
  pieces.putBack(encode("o"));
  pieces.end();
  assertEquals(await pieces.take(), encode("o"));
  assertEquals(await pieces.take(), undefined);
  assertEquals(source.buffers.length, 1);
});

Deno.test("unpack() gives nothing of a frame to skip, and no error", async () => {
  for (const size of [0, 1, 100_000]) {
    assertEquals(await unpacked(skippableFrame(size), 10_000), {
      content: EMPTY,
      error: undefined,
    });
  }
});
