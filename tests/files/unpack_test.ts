import { assert, assertEquals } from "@std/assert";
import { constants, inflateRawSync } from "node:zlib";
import {
  PackedDataError,
  type PackedFormat,
} from "../../lib/files/byte_source.ts";
import { Pieces, unpack, ZstdFrames } from "../../lib/files/unpack.ts";
import { chunkings } from "../generators.ts";
import fc from "../property_seed.ts";
import { concat, encode } from "../running.ts";
import {
  type Drained,
  gzip,
  numberLines,
  skippableFrame,
  storedGzip,
  storedZstd,
  TestSource,
  unpacked,
  zstd,
  zstdBlock,
} from "../sources.ts";

const MAGIC = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd);

/** The fields of a frame header. */
interface Header {
  readonly sizeFlag: number;
  readonly isSingleSegment: boolean;
  readonly hasChecksum: boolean;
  readonly dictionaryFlag: number;
  /** Bits that a decoder ignores, or that are zero in this version. */
  readonly otherBits: number;
}

const HEADERS: Header[] = [];
for (const sizeFlag of [0, 1, 2, 3]) {
  for (const dictionaryFlag of [0, 1, 2, 3]) {
    for (const isSingleSegment of [false, true]) {
      for (const hasChecksum of [false, true]) {
        for (const otherBits of [0, 0x08, 0x10, 0x18]) {
          HEADERS.push({
            sizeFlag,
            isSingleSegment,
            hasChecksum,
            dictionaryFlag,
            otherBits,
          });
        }
      }
    }
  }
}

/** The number of bytes behind the descriptor of a header (RFC 8878, 3.1.1.1). */
function fieldBytes(header: Header): number {
  const { sizeFlag, dictionaryFlag, isSingleSegment } = header;
  const window = isSingleSegment ? 0 : 1;
  const dictionary = dictionaryFlag === 3 ? 4 : dictionaryFlag;
  const size = sizeFlag === 0 ? Number(isSingleSegment) : 2 ** sizeFlag;
  return window + dictionary + size;
}

/**
 * The pieces of a frame. The bytes of its fields are 0xff, so that a field is not taken for
 * another.
 */
function piecesOf(
  header: Header,
  blocks: readonly Uint8Array[],
): Uint8Array<ArrayBuffer>[] {
  const descriptor = (header.sizeFlag << 6) |
    (header.isSingleSegment ? 0x20 : 0) | header.otherBits |
    (header.hasChecksum ? 4 : 0) | header.dictionaryFlag;
  const head = concat([
    MAGIC,
    Uint8Array.of(descriptor),
    new Uint8Array(fieldBytes(header)).fill(0xff),
  ]);
  const checksum = new Uint8Array(4).fill(0xff);
  const pieces = [head, ...blocks.map((block) => block.slice())];
  return header.hasChecksum ? [...pieces, checksum] : pieces;
}

const [PLAIN_HEADER] = HEADERS;
assert(PLAIN_HEADER !== undefined);

/** A body that looks like the start of a frame. */
function body(size: number): Uint8Array {
  return new Uint8Array(size).map((_, i) => MAGIC[i % 4] ?? 0);
}

const isLast = true;
const BLOCKS = [
  {
    name: "one raw block",
    blocks: [zstdBlock("raw", 9, { body: body(9), isLast })],
  },
  {
    name: "an empty block",
    blocks: [zstdBlock("raw", 0, { body: body(0), isLast })],
  },
  {
    name: "one byte, repeated",
    blocks: [zstdBlock("rle", 100_000, { body: body(1), isLast })],
  },
  {
    name: "a compressed block",
    blocks: [zstdBlock("compressed", 300, { body: body(300), isLast })],
  },
  {
    name: "several blocks",
    blocks: [
      zstdBlock("rle", 0, { body: body(1), isLast: false }),
      zstdBlock("raw", 0, { body: body(0), isLast: false }),
      zstdBlock("compressed", 70_000, { body: body(70_000), isLast: false }),
      zstdBlock("raw", 3, { body: body(3), isLast: false }),
      zstdBlock("rle", 1, { body: body(1), isLast }),
    ],
  },
] satisfies { name: string; blocks: Uint8Array[] }[];

/** The ends of pieces and of frames. */
interface Ends {
  readonly ends: readonly number[];
  readonly frameEnds: readonly number[];
}

/** Feeds chunks, and returns the ends of the pieces and frames in them. */
function endsOf(frames: ZstdFrames, chunks: Iterable<Uint8Array>): Ends {
  const ends: number[] = [];
  const frameEnds: number[] = [];
  let at = 0;
  for (const chunk of chunks) {
    let rest = chunk;
    while (rest.length > 0) {
      const { length, isEnd } = frames.feed(rest);
      assert(length > 0 && length <= rest.length);
      at += length;
      if (length < rest.length) ends.push(at);
      if (isEnd) frameEnds.push(at);
      rest = rest.subarray(length);
    }
  }
  return { ends, frameEnds };
}

/** The sum of the lengths up to each part. */
function sums(parts: readonly Uint8Array[]): number[] {
  let at = 0;
  return parts.map(({ length }) => at += length);
}

for (const { name, blocks } of BLOCKS) {
  Deno.test(`ZstdFrames.feed() separates header, blocks and checksum with any header: ${name}`, () => {
    for (const header of HEADERS) {
      const pieces = piecesOf(header, blocks);
      const where = JSON.stringify(header);
      const frames = new ZstdFrames();
      const { length } = concat(pieces);
      assertEquals(
        endsOf(frames, [concat([...pieces, MAGIC])]),
        { ends: sums(pieces), frameEnds: [length] },
        where,
      );
      assertEquals(frames.isForeign, false, where);
    }
  });

  Deno.test(`ZstdFrames.feed() reports at each byte whether a frame ends: ${name}`, () => {
    for (const header of HEADERS.filter((_, i) => i % 5 === 0)) {
      const frames = new ZstdFrames();
      assertEquals(frames.isComplete, false);
      const frame = concat(piecesOf(header, blocks));
      for (let at = 0; at < frame.length; at++) {
        const isEnd = at === frame.length - 1;
        const piece = frames.feed(frame.subarray(at, at + 1));
        if (piece.length !== 1 || piece.isEnd !== isEnd) {
          assertEquals(piece, { length: 1, isEnd }, `byte ${at}`);
        }
        if (frames.isComplete !== isEnd) {
          assertEquals(frames.isComplete, isEnd, `byte ${at}`);
        }
      }
    }
  });
}

Deno.test("ZstdFrames.feed() skips skippable frames of all kinds", () => {
  for (let kind = 0; kind < 16; kind++) {
    for (const size of [0, 1, 300]) {
      const frame = skippableFrame(size, kind);
      const frames = new ZstdFrames();
      for (let at = 0; at < frame.length - 1; at++) {
        assertEquals(frames.feed(frame.subarray(at, at + 1)).isEnd, false);
        assertEquals(frames.isComplete, false);
      }
      assertEquals(frames.feed(concat([frame.subarray(-1), MAGIC])), {
        length: 1,
        isEnd: true,
      });
      assertEquals(frames.isComplete, true);
    }
  }
});

Deno.test("ZstdFrames.feed() reads sizes of 32 bits", () => {
  const header = skippableFrame(0, 3);
  header.fill(0xff, 4);
  const frames = new ZstdFrames();
  frames.feed(header);
  assertEquals(frames.feed(new Uint8Array(1 << 20)), {
    length: 1 << 20,
    isEnd: false,
  });
  assertEquals(frames.isComplete, false);
  assertEquals(frames.isForeign, false);
});

const FOREIGN = [
  { name: "text", bytes: encode("text") },
  { name: "gzip", bytes: Uint8Array.of(0x1f, 0x8b, 8, 0) },
  { name: "zeros", bytes: new Uint8Array(4) },
  {
    name: "the magic number of a frame less one",
    bytes: Uint8Array.of(0x27, 0xb5, 0x2f, 0xfd),
  },
  {
    name: "the magic number in reverse order",
    bytes: Uint8Array.of(0xfd, 0x2f, 0xb5, 0x28),
  },
  {
    name: "the first magic number of skippable frames less one",
    bytes: Uint8Array.of(0x4f, 0x2a, 0x4d, 0x18),
  },
  {
    name: "the last magic number of skippable frames plus one",
    bytes: Uint8Array.of(0x60, 0x2a, 0x4d, 0x18),
  },
] satisfies { name: string; bytes: Uint8Array }[];
const WHOLE = concat(piecesOf(PLAIN_HEADER, BLOCKS[0]?.blocks ?? []));

for (const { name, bytes } of FOREIGN) {
  Deno.test(`ZstdFrames reports foreign data: ${name}`, () => {
    for (const before of [new Uint8Array(0), WHOLE, skippableFrame(2)]) {
      const frames = new ZstdFrames();
      endsOf(frames, [before]);
      assertEquals(frames.isForeign, false);
      frames.feed(bytes.subarray(0, 3));
      assertEquals([frames.isForeign, frames.isComplete], [false, false]);
      const rest = concat([bytes.subarray(3), WHOLE]);
      assertEquals(frames.feed(rest), { length: rest.length, isEnd: false });
      assertEquals([frames.isForeign, frames.isComplete], [true, false]);
      assertEquals(frames.feed(WHOLE), { length: WHOLE.length, isEnd: false });
      assertEquals([frames.isForeign, frames.isComplete], [true, false]);
    }
  });
}

Deno.test("ZstdFrames finds the ends of frames of zlib, with all options", () => {
  const contents = [0, 1, 255, 256, 65_791, 65_792, 300_000].map((size) =>
    encode("0123456789abcdef{}\n".repeat(size / 19 + 1)).subarray(0, size)
  );
  const frames: Uint8Array[] = [];
  for (const content of contents) {
    for (const hasChecksum of [false, true]) {
      for (const hasSize of [false, true]) {
        frames.push(zstd(content, { hasChecksum, hasSize }));
      }
    }
  }
  const walker = new ZstdFrames();
  assertEquals(endsOf(walker, [concat(frames)]).frameEnds, sums(frames));
  assertEquals(walker.isComplete, true);
});

Deno.test("ZstdFrames finds the same ends in any pieces of the data", () => {
  const frame = fc.oneof(
    fc.tuple(fc.constantFrom(...HEADERS), fc.constantFrom(...BLOCKS)).map((
      [header, { blocks }],
    ) => concat(piecesOf(header, blocks))),
    fc.tuple(fc.nat(20), fc.nat(15)).map(([size, kind]) =>
      skippableFrame(size, kind)
    ),
    fc.uint8Array({ maxLength: 6 }),
  );
  const data = fc.array(frame, { maxLength: 4 }).map(concat);
  fc.assert(fc.property(chunkings(data), ({ bytes, chunks }) => {
    const whole = new ZstdFrames();
    const pieces = new ZstdFrames();
    assertEquals(
      endsOf(pieces, chunks).frameEnds,
      endsOf(whole, [bytes]).frameEnds,
    );
    assertEquals(pieces.isComplete, whole.isComplete);
    assertEquals(pieces.isForeign, whole.isForeign);
  }));
});

const EMPTY = new Uint8Array(0);
/** The decoders of the platform hold back fewer bytes than this when they fail. */
const MAX_LOST = 64;
/** Packed data up to this size is read again to return the last bytes before the damage. */
const MAX_KEPT = 1 << 20;

/** Bytes without repetition, so that a missing or surplus piece is noticed. */
function contentOf(size: number, seed = 1): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(size);
  let state = seed;
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    content[at] = state >>> 24;
  }
  return content;
}

/** Asserts that all but the last few bytes of a content were returned, and then an error. */
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
  assertEquals(at, size, "the first different byte");
}

// Damage at a known place: in the header of a stored block.

const PARTS = [
  contentOf(1_000, 1),
  contentOf(17, 2),
  contentOf(40_000, 3),
  contentOf(5_000, 4),
];

/** The offsets of the blocks in stored data. */
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
    // A length that does not match its complement.
    damage: { at: 3, mask: 0xff },
  },
  {
    format: "zstd",
    bytes: storedZstd(PARTS),
    starts: blockStarts(6, 3),
    // The reserved block type.
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
    Deno.test(`unpack() returns all ${format} data before a damage in block ${block + 1}`, async () => {
      const damaged = bytes.slice();
      const at = start + damage.at;
      damaged[at] = (damaged[at] ?? 0) ^ damage.mask;
      const before = concat(PARTS.slice(0, block));
      for (const step of [Infinity, 1_000, 17]) {
        assertBreaks(await unpacked(damaged, { step }), before, "damaged");
      }
    });
  }

  Deno.test(`unpack() returns all ${format} data before a cut at the beginning of a block`, async () => {
    for (const [block, start] of starts.entries()) {
      const before = concat(PARTS.slice(0, block));
      for (const step of [Infinity, 1_000]) {
        const cut = bytes.subarray(0, start);
        assertBreaks(await unpacked(cut, { step }), before, "cut off");
      }
    }
  });

  Deno.test(`unpack() returns all ${format} data before a damage behind other members or frames`, async () => {
    const pack = format === "gzip" ? gzip : zstd;
    const whole = pack(PARTS[2] ?? EMPTY);
    const damaged = bytes.slice();
    const at = (starts[1] ?? 0) + damage.at;
    damaged[at] = (damaged[at] ?? 0) ^ damage.mask;
    for (const step of [Infinity, 999]) {
      assertBreaks(
        await unpacked(concat([whole, whole, damaged]), { step }),
        concat([PARTS[2] ?? EMPTY, PARTS[2] ?? EMPTY, PARTS[0] ?? EMPTY]),
        "damaged",
      );
    }
  });

  Deno.test(`unpack() returns nearly all of long ${format} data before a damage`, async () => {
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
    const { content, error } = await unpacked(damaged);
    assert(error instanceof PackedDataError);
    const expected = concat(parts.slice(0, 38));
    assert(content.length > expected.length - 50_000);
    assertEquals(
      content.every((byte, i) => byte === expected[i]),
      true,
    );
  });
}

// Damage that the decoder of the platform finds at the end.

const LINES = numberLines(3_000);
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
  Deno.test(`unpack() reports damaged data if ${name} is wrong`, async () => {
    const damaged = bytes.slice();
    const at = damaged.length - fromEnd;
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    for (const step of [Infinity, 100]) {
      const { content, error } = await unpacked(damaged, { step });
      assert(error instanceof PackedDataError, String(error));
      assertEquals(error.message.endsWith("damaged"), true);
      // All content is there before its end proves it wrong.
      assertEquals(content, LINES.subarray(0, content.length));
      assert(LINES.length - content.length < MAX_LOST);
    }
  });
}

// Compressed data, compared with zlib.

Deno.test("unpack() returns the same as zlib for gzip data that is cut off anywhere", async () => {
  const packed = gzip(numberLines(400));
  for (let cut = 18; cut < packed.length; cut += 13) {
    const there = Uint8Array.from(inflateRawSync(packed.subarray(10, cut), {
      finishFlush: constants.Z_SYNC_FLUSH,
    }));
    const result = await unpacked(packed.subarray(0, cut));
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
    { name: "many foreign bytes", tail: contentOf(40_000, 9) },
  ]
) {
  Deno.test(`unpack() returns all gzip data with ${name} behind it`, async () => {
    for (const content of [encode("{}\n"), numberLines(3_000)]) {
      for (const members of [[content], [content, content]]) {
        const packed = concat([...members.map(gzip), tail]);
        for (const step of [Infinity, 1_000, 7]) {
          const unpackedAll = await unpacked(packed, { step });
          assert(unpackedAll.error instanceof PackedDataError);
          assertEquals(unpackedAll.content, concat(members));
        }
      }
    }
  });
}

Deno.test("unpack() returns the right content or an error, with any bit flipped", async () => {
  const content = numberLines(12);
  for (const pack of [gzip, zstdWithChecksum]) {
    const packed = pack(content);
    const whole = await unpacked(packed);
    for (let bit = 0; bit < 8 * packed.length; bit++) {
      const damaged = packed.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const result = await unpacked(damaged);
      // A flipped bit in the first bytes removes the magic number of the format.
      if (bit < 32 || result.error !== undefined) continue;
      assertEquals(result, whole, `bit ${bit}`);
    }
  }
});

function zstdWithChecksum(content: Uint8Array): Uint8Array<ArrayBuffer> {
  return zstd(content, { hasChecksum: true });
}

// Decompression bombs.

Deno.test("unpack() emits small chunks of highly compressed data", async () => {
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

Deno.test("unpack() reads only the input that its first chunk needs", async () => {
  for (
    const [format, packed] of [["gzip", gzip(LINES)], [
      "zstd",
      zstd(LINES),
    ]] as const
  ) {
    // Reading further throws the error.
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

Deno.test("Pieces.take() returns the first bytes, then those of the source, then undefined", async () => {
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

Deno.test("Pieces.take() returns first the bytes that were put back", async () => {
  const pieces = new Pieces(EMPTY, new TestSource(encode("source")));
  pieces.putBack(encode("back"));
  pieces.putBack(EMPTY);
  assertEquals(await pieces.take(), encode("back"));
  assertEquals(await pieces.take(), encode("source"));
  pieces.putBack(encode("rce"));
  assertEquals(await pieces.take(), encode("rce"));
  assertEquals(await pieces.take(), undefined);
});

Deno.test("Pieces.end() stops reading the source, but keeps the bytes that were put back", async () => {
  const source = new TestSource(encode("source"), { step: 2 });
  const pieces = new Pieces(EMPTY, source);
  assertEquals(await pieces.take(), encode("so"));
  pieces.putBack(encode("o"));
  pieces.end();
  assertEquals(await pieces.take(), encode("o"));
  assertEquals(await pieces.take(), undefined);
  assertEquals(source.buffers.length, 1);
});

Deno.test("unpack() returns nothing for a skippable frame", async () => {
  for (const size of [0, 1, 100_000]) {
    assertEquals(await unpacked(skippableFrame(size), { step: 10_000 }), {
      content: EMPTY,
      error: undefined,
    });
  }
});
