/** Sources of bytes: a file, a pipe, or the unpacked content of one. */

import type { FileHandle } from "node:fs/promises";
import { copyOf } from "../json/bytes.ts";

/** A source that bytes are read from, one buffer at a time. */
export interface ByteSource {
  /**
   * Reads the bytes that are available, and waits while there are none.
   *
   * @param into The buffer to fill, from its start.
   * @returns The number of bytes read; `null` at the end.
   */
  read(into: Uint8Array): Promise<number | null>;
  /** Releases the file, stream or decoder behind the source. Idempotent. */
  close(): void;
}

/** Reads from a generator of chunks of any size into buffers of any size. */
export class ChunkSource implements ByteSource {
  readonly #chunks: AsyncGenerator<Uint8Array>;
  readonly #onClose: () => void;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncGenerator<Uint8Array>, onClose: () => void) {
    this.#chunks = chunks;
    this.#onClose = onClose;
  }

  async read(into: Uint8Array): Promise<number | null> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return null;
      this.#chunk = next.value;
    }
    const size = Math.min(into.length, this.#chunk.length);
    into.set(this.#chunk.subarray(0, size));
    this.#chunk = this.#chunk.subarray(size);
    return size;
  }

  close(): void {
    this.#onClose();
    // Not awaited: the generator may be waiting for a read that ends only when the source closes.
    this.#chunks.return(undefined).catch(() => {});
  }
}

/** Reads an open file from an offset, or, as a pipe, from its current place; closes it at last. */
export function sourceOf(
  file: FileHandle,
  start: number | null = null,
): ByteSource {
  let at = start;
  let isOpen = true;
  return {
    async read(into): Promise<number | null> {
      const { bytesRead } = await file.read(into, 0, into.length, at);
      if (at !== null) at += bytesRead;
      return bytesRead === 0 && into.length > 0 ? null : bytesRead;
    },
    close(): void {
      if (!isOpen) return;
      isOpen = false;
      // Nothing was written, so an error on close loses no data.
      file.close().catch(() => {});
    },
  };
}

/** Yields the blocks of a source and closes it. The next block overwrites the last in `room`. */
export async function* blocksOf(
  source: ByteSource,
  room: Uint8Array,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for (;;) {
      const size = await source.read(room);
      if (size === null) return;
      yield room.subarray(0, size);
    }
  } finally {
    source.close();
  }
}

/** Returns a copy of the last `count` bytes of two adjacent pieces; all bytes if they are fewer. */
export function lastBytes(
  before: Uint8Array,
  bytes: Uint8Array,
  count: number,
): Uint8Array<ArrayBuffer> {
  if (bytes.length >= count) return copyOf(bytes, -count);
  const kept = before.subarray(
    Math.max(0, before.length + bytes.length - count),
  );
  const last = new Uint8Array(kept.length + bytes.length);
  last.set(kept);
  last.set(bytes, kept.length);
  return last;
}

/** The code of a platform error, such as `ENOENT`; empty if the error has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error &&
      typeof error.code === "string"
    ? error.code
    : "";
}

/** A packed file that is cut off or damaged. Everything before the damage was delivered. */
export class PackedDataError extends Error {
  /** The name of the class. */
  override readonly name = "PackedDataError";
  /** The compression format. */
  readonly format: PackedFormat;

  /**
   * Constructs a new instance.
   *
   * @param message The reason.
   * @param format The compression format.
   * @param options The cause.
   */
  constructor(message: string, format: PackedFormat, options?: ErrorOptions) {
    super(message, options);
    this.format = format;
  }
}

/** The compression formats that are recognized and unpacked. */
export type PackedFormat = "gzip" | "zstd";
