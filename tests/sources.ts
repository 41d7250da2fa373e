/**
 * Sources of bytes, and hand-made packed data, for the tests of files.
 *
 * @module
 */

import {
  constants,
  crc32,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";
import type { ByteSource } from "../lib/files/byte_source.ts";
import { decompressed } from "../lib/files/decompress.ts";
import { concat, encode } from "./running.ts";

/** Options for {@linkcode TestSource}. */
export interface TestSourceOptions {
  /**
   * The most bytes of one read.
   *
   * @default {Infinity}
   */
  readonly step?: number;
  /**
   * The error that it throws after its bytes, instead of ending.
   *
   * @default {undefined}
   */
  readonly error?: Error;
}

/** A source that records its reads and counts how often it is closed. */
export class TestSource implements ByteSource {
  readonly #step: number;
  readonly #error: Error | undefined;
  #rest: Uint8Array;
  /** The buffers of all reads. */
  readonly buffers: Uint8Array[] = [];
  /** How often it was closed. */
  closings = 0;

  constructor(bytes: Uint8Array, options: TestSourceOptions = {}) {
    this.#rest = bytes;
    this.#step = options.step ?? Infinity;
    this.#error = options.error;
  }

  read(into: Uint8Array): Promise<number | null> {
    this.buffers.push(into);
    if (this.#rest.length === 0) {
      return this.#error === undefined
        ? Promise.resolve(null)
        : Promise.reject(this.#error);
    }
    const size = Math.min(this.#step, into.length, this.#rest.length);
    into.set(this.#rest.subarray(0, size));
    this.#rest = this.#rest.subarray(size);
    return Promise.resolve(size);
  }

  close(): void {
    this.closings += 1;
  }
}

/** A source that returns some bytes, and then waits until `release` is called. */
export class WaitingSource implements ByteSource {
  readonly #source: TestSource;
  readonly #gate = Promise.withResolvers<void>();
  readonly #waiting = Promise.withResolvers<void>();
  #rest: number;
  /** How often it was closed. */
  closings = 0;
  /** How often it was read after it was closed. */
  readsAfterClosing = 0;

  /** Makes a source that waits after the first `size` bytes. */
  constructor(bytes: Uint8Array, size: number) {
    this.#source = new TestSource(bytes);
    this.#rest = size;
  }

  async read(into: Uint8Array): Promise<number | null> {
    if (this.closings > 0) this.readsAfterClosing += 1;
    if (this.#rest === 0) {
      this.#waiting.resolve();
      await this.#gate.promise;
      return await this.#source.read(into);
    }
    const size = await this.#source.read(into.subarray(0, this.#rest));
    this.#rest -= size ?? this.#rest;
    return size;
  }

  close(): void {
    this.closings += 1;
  }

  /** Resolves when a read waits. */
  get waiting(): Promise<void> {
    return this.#waiting.promise;
  }

  /** Lets the waiting read continue. */
  release(): void {
    this.#gate.resolve();
  }
}

/** The bytes of a source, and the error that it threw after them. */
export interface Drained {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly error: unknown;
}

/** Reads a source to its end or its error, with a buffer of `room` bytes, and closes it. */
export async function drained(
  source: ByteSource,
  room = 1 << 16,
): Promise<Drained> {
  const parts: Uint8Array[] = [];
  const into = new Uint8Array(room);
  try {
    for (;;) {
      const size = await source.read(into);
      if (size === null) return { content: concat(parts), error: undefined };
      parts.push(into.slice(0, size));
    }
  } catch (error) {
    return { content: concat(parts), error };
  } finally {
    source.close();
  }
}

/** Decompresses bytes to their end or their error. */
export function unpacked(
  bytes: Uint8Array,
  { name = "", step = Infinity, room = 1 << 16 } = {},
): Promise<Drained> {
  return drained(decompressed(new TestSource(bytes, { step }), { name }), room);
}

/** Returns lines that compress well. */
export function numberLines(count: number): Uint8Array<ArrayBuffer> {
  return encode(
    Array.from({ length: count }, (_, i) => `{"n":${(i * 7919) % 65_537}}\n`)
      .join(""),
  );
}

/** Packs with gzip. */
export function gzip(content: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(gzipSync(content));
}

/** Options for {@linkcode zstd}. */
export interface ZstdOptions {
  /** Whether a checksum follows the content. */
  readonly hasChecksum?: boolean;
  /** Whether the header of the frame has the size of the content. */
  readonly hasSize?: boolean;
}

/** Packs with zstd. */
export function zstd(
  content: Uint8Array,
  { hasChecksum = false, hasSize = true }: ZstdOptions = {},
): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(zstdCompressSync(content, {
    params: {
      [constants.ZSTD_c_checksumFlag]: Number(hasChecksum),
      [constants.ZSTD_c_contentSizeFlag]: Number(hasSize),
    },
  }));
}

/** Unpacks zstd in one go. */
export function unzstd(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(zstdDecompressSync(packed));
}

/** Makes a zstd frame without content to unpack; `kind` is 0 to 15. */
export function skippableFrame(
  size: number,
  kind = 0,
): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(8 + size).fill(0x2a);
  const view = new DataView(frame.buffer);
  view.setUint32(0, 0x184d2a50 + kind, true);
  view.setUint32(4, size, true);
  return frame;
}

/** Packs a member of gzip data without compression, a block for each part. */
export function storedGzip(
  parts: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const content = concat(parts);
  const trailer = new DataView(new ArrayBuffer(8));
  trailer.setUint32(0, crc32(content), true);
  trailer.setUint32(4, content.length, true);
  return concat([
    Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff),
    ...parts.flatMap((part, i) => {
      const head = new DataView(new ArrayBuffer(5));
      head.setUint8(0, i === parts.length - 1 ? 1 : 0);
      head.setUint16(1, part.length, true);
      head.setUint16(3, part.length ^ 0xffff, true);
      return [new Uint8Array(head.buffer), part];
    }),
    new Uint8Array(trailer.buffer),
  ]);
}

/** The types of blocks in a zstd frame. */
export const ZSTD_BLOCKS = { raw: 0, rle: 1, compressed: 2, reserved: 3 };

/** Makes a block of a zstd frame; `size` is the size in its header. */
export function zstdBlock(
  type: keyof typeof ZSTD_BLOCKS,
  size: number,
  { body, isLast }: { readonly body: Uint8Array; readonly isLast: boolean },
): Uint8Array<ArrayBuffer> {
  const header = (size << 3) | (ZSTD_BLOCKS[type] << 1) | Number(isLast);
  return concat([
    Uint8Array.of(header & 255, (header >> 8) & 255, header >> 16),
    body,
  ]);
}

/** Packs a zstd frame without compression, a block for each part. */
export function storedZstd(
  parts: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  return concat([
    // No size, no checksum, a window of 8 MiB.
    Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3),
    ...parts.map((body, i) =>
      zstdBlock("raw", body.length, { body, isLast: i === parts.length - 1 })
    ),
  ]);
}
