import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { ZstdFrames } from "../../lib/files/zstd_frames.ts";
import { chunkings } from "../generators.ts";
import { concat, encode } from "../running.ts";
import { skippableFrame, zstd, zstdBlock } from "../sources.ts";

const MAGIC = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd);

/** What a frame header says, and what it holds. */
interface Header {
  readonly sizeFlag: number;
  readonly isSingleSegment: boolean;
  readonly hasChecksum: boolean;
  readonly dictionaryFlag: number;
  /** Bits that a decoder does not look at, or that are zero in this version. */
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

/** How many bytes follow the descriptor of a header (RFC 8878, 3.1.1.1). */
function fieldBytes(header: Header): number {
  const { sizeFlag, dictionaryFlag, isSingleSegment } = header;
  const window = isSingleSegment ? 0 : 1;
  const dictionary = dictionaryFlag === 3 ? 4 : dictionaryFlag;
  const size = sizeFlag === 0 ? Number(isSingleSegment) : 2 ** sizeFlag;
  return window + dictionary + size;
}

/** The pieces of a frame; its fields are full of ones, so that none is taken for another. */
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

/** Where pieces end, and whether a frame ends with them. */
interface Ends {
  readonly ends: readonly number[];
  readonly frameEnds: readonly number[];
}

/** Feeds chunks, and gives where the pieces and the frames in them ended. */
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

/** The sums of lengths, up to each of them. */
function sums(parts: readonly Uint8Array[]): number[] {
  let at = 0;
  return parts.map(({ length }) => at += length);
}

for (const { name, blocks } of BLOCKS) {
  Deno.test(`ZstdFrames.feed() gives header, blocks and checksum apart, behind any header: ${name}`, () => {
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

  Deno.test(`ZstdFrames.feed() says at each byte whether a frame ends: ${name}`, () => {
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

Deno.test("ZstdFrames.feed() passes over frames that hold nothing, of all kinds", () => {
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

Deno.test("ZstdFrames.feed() knows sizes of 32 bits", () => {
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
    name: "one less than a frame",
    bytes: Uint8Array.of(0x27, 0xb5, 0x2f, 0xfd),
  },
  {
    name: "the magic number the other way round",
    bytes: Uint8Array.of(0xfd, 0x2f, 0xb5, 0x28),
  },
  {
    name: "one less than a skippable frame",
    bytes: Uint8Array.of(0x4f, 0x2a, 0x4d, 0x18),
  },
  {
    name: "one more than a skippable frame",
    bytes: Uint8Array.of(0x60, 0x2a, 0x4d, 0x18),
  },
] satisfies { name: string; bytes: Uint8Array }[];
const WHOLE = concat(piecesOf(PLAIN_HEADER, BLOCKS[0]?.blocks ?? []));

for (const { name, bytes } of FOREIGN) {
  Deno.test(`ZstdFrames tells what is no frame: ${name}`, () => {
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

Deno.test("ZstdFrames finds the ends of real frames, whatever they say of themselves", () => {
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

Deno.test("ZstdFrames gives the same however the data is cut into pieces", () => {
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
