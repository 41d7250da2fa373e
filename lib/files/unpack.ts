/** Unpacks gzip and zstd with the decoders of the platform, up to the byte before a damage. */

import type { Transform } from "node:stream";
import {
  type ByteSource,
  ChunkSource,
  codeOf,
  PackedDataError,
  type PackedFormat,
} from "./byte_source.ts";

/** How much packed data is fed at once: little, so that a bomb unpacks in small steps. */
const PIECE = 1 << 14;
/** How much packed data is kept, to unpack the last bytes before a damage once more. */
const MAX_KEPT = 1 << 20;
/** The smallest output buffer that the decoders accept; a failure loses less than one. */
const FINEST_OUTPUT = 64;

/** Packed data in pieces; a piece, or its rest, can be put back. */
export class Pieces {
  readonly #source: ByteSource;
  #next: Uint8Array | undefined;
  #hasEnded = false;

  constructor(head: Uint8Array, source: ByteSource) {
    this.#next = head.length > 0 ? head : undefined;
    this.#source = source;
  }

  async take(): Promise<Uint8Array | undefined> {
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) return next;
    if (this.#hasEnded) return undefined;
    const piece = new Uint8Array(PIECE);
    const size = await this.#source.read(piece);
    return size === null ? undefined : piece.subarray(0, size);
  }

  putBack(piece: Uint8Array): void {
    if (piece.length > 0) this.#next = piece;
  }

  /** Ends the data: no more is read from the source. */
  end(): void {
    this.#hasEnded = true;
  }
}

export async function* unpack(
  pieces: Pieces,
  format: PackedFormat,
): AsyncGenerator<Uint8Array> {
  const frames = format === "zstd" ? new ZstdFrames() : undefined;
  for (;;) {
    const first = await pieces.take();
    if (first === undefined) break;
    pieces.putBack(first);
    yield* unpackFrame(pieces, format, frames);
    // The gzip decoder has read all members.
    if (frames === undefined) return;
    if (frames.isForeign) throw broken(format, "damaged");
  }
  if (frames?.isComplete !== true) throw broken(format, "cut off");
}

/** Unpacks one zstd frame, or all members of gzip data. */
async function* unpackFrame(
  pieces: Pieces,
  format: PackedFormat,
  frames: ZstdFrames | undefined,
): AsyncGenerator<Uint8Array> {
  const decoder = new Decoder(await decoderOf(format));
  const kept: Uint8Array[] = [];
  let keptBytes = 0;
  let delivered = 0;
  try {
    for (let isEnd = false; !isEnd;) {
      const piece = await pieces.take();
      if (piece === undefined) break;
      // At most one block at once: the zstd decoder of Deno 2.9 that fails after it has filled its
      // output buffer throws an error that cannot be caught.
      const part = frames?.feed(piece) ??
        { length: piece.length, isEnd: false };
      const bytes = piece.subarray(0, part.length);
      pieces.putBack(piece.subarray(part.length));
      isEnd = part.isEnd;
      if (keptBytes <= MAX_KEPT) kept.push(bytes);
      keptBytes += bytes.length;
      for await (const chunk of decoder.write(bytes)) {
        delivered += chunk.length;
        yield chunk;
      }
    }
    for await (const chunk of decoder.end()) {
      delivered += chunk.length;
      yield chunk;
    }
  } catch (cause) {
    if (!(cause instanceof DecoderFailure)) throw cause;
    if (keptBytes <= MAX_KEPT) yield* lastBytes(kept, delivered, format);
    const isCutOff = codeOf(cause.cause) === "Z_BUF_ERROR";
    throw broken(format, isCutOff ? "cut off" : "damaged", cause.cause);
  } finally {
    decoder.close();
  }
}

/**
 * Unpacks the same packed data again, in the smallest steps, and yields the bytes behind the first
 * `delivered` ones. A decoder that fails drops the output that it has not passed on: at most one
 * output buffer, of the piece that it was fed last. So the output buffer is the smallest here, and
 * the last piece, which is the one that fails, is fed byte by byte. Garbage behind the end of gzip
 * data then costs no byte of the content.
 */
async function* lastBytes(
  packed: readonly Uint8Array[],
  delivered: number,
  format: PackedFormat,
): AsyncGenerator<Uint8Array> {
  const decoder = new Decoder(await decoderOf(format, FINEST_OUTPUT));
  let skip = delivered;
  try {
    for (const piece of inSteps(packed)) {
      for await (const chunk of decoder.write(piece)) {
        const rest = chunk.subarray(Math.min(skip, chunk.length));
        skip -= chunk.length - rest.length;
        if (rest.length > 0) yield rest;
      }
    }
  } catch {
    // The same failure as before: the caller throws it.
  } finally {
    decoder.close();
  }
}

/** Yields the pieces unchanged, except for the last one, which it yields byte by byte. */
function* inSteps(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  yield* pieces.slice(0, -1);
  const last = pieces.at(-1) ?? new Uint8Array(0);
  for (let at = 0; at < last.length; at++) yield last.subarray(at, at + 1);
}

/** Tells an error of a decoder from those of the source. */
class DecoderFailure extends Error {}

/** A decoder of the platform; each piece fed to it is drained before the next one. */
class Decoder {
  readonly #transform: Transform;
  #failure: DecoderFailure | undefined;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(transform: Transform) {
    this.#transform = transform;
    transform.on("readable", () => this.#wake());
    transform.on("end", () => {
      this.#hasEnded = true;
      this.#wake();
    });
    transform.on("error", (error) => {
      this.#failure ??= new DecoderFailure("Cannot unpack", { cause: error });
      this.#wake();
    });
  }

  async *write(piece: Uint8Array): AsyncGenerator<Uint8Array> {
    let isWritten = false;
    this.#transform.write(piece, () => {
      isWritten = true;
      this.#wake();
    });
    yield* this.#drain(() => isWritten);
  }

  async *end(): AsyncGenerator<Uint8Array> {
    this.#transform.end();
    yield* this.#drain(() => this.#hasEnded);
  }

  close(): void {
    this.#transform.destroy();
  }

  async *#drain(isDone: () => boolean): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk: unknown = this.#transform.read();
      if (chunk instanceof Uint8Array) yield chunk;
      else if (this.#failure !== undefined) throw this.#failure;
      else if (isDone()) return;
      else await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}

async function decoderOf(
  format: PackedFormat,
  chunkSize = PIECE,
): Promise<Transform> {
  // Loaded only for packed data: it doubles the time to start.
  const zlib = await import("node:zlib");
  if (format === "gzip") return zlib.createGunzip({ chunkSize });
  if (typeof zlib.createZstdDecompress !== "function") {
    throw new PackedDataError(
      "Cannot unpack the zstd data: this runtime has no zstd; Deno 2.8 and Node 22.15 have it",
      format,
    );
  }
  return zlib.createZstdDecompress({ chunkSize });
}

function broken(
  format: PackedFormat,
  state: "cut off" | "damaged",
  cause?: unknown,
): PackedDataError {
  const message = `Cannot unpack the ${format} data: it is ${state}`;
  return new PackedDataError(message, format, { cause });
}

// Walks the frames of zstd data (RFC 8878) to find the ends of blocks, and whether the last frame
// is complete: the decoder of the platform ends without an error where a frame is cut off.

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** The size of a dictionary id in bytes, by its flag. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
/** The size of a content size in bytes, by its flag; flag 0 of a single segment means 1 byte. */
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const RLE_BLOCK = 1;

/** The part of a frame that the next bytes belong to. */
type Part =
  | "magic"
  | "descriptor"
  | "block"
  | "checksum"
  | "skippable"
  | "other";

/** The parts that begin a new piece. */
const FIRST_PARTS: ReadonlySet<Part> = new Set(["magic", "block", "checksum"]);

/** A piece of a frame: its header, one block or its checksum, or the part of it in a buffer. */
interface FramePiece {
  /** How many of the bytes belong to the piece. */
  readonly length: number;
  readonly isEnd: boolean;
}

/** Walks the frames of zstd data, fed buffer by buffer. */
export class ZstdFrames {
  #part: Part = "magic";
  /** How many bytes to skip before the next part. */
  #skip = 0;
  /** How many bytes of the part are still to be read, and the value of those read. */
  #wanted = 4;
  #value = 0;
  #shift = 1;
  #hasChecksum = false;
  #frames = 0;

  /** Whether the data may end here: after a whole frame. */
  get isComplete(): boolean {
    return this.#frames > 0 && this.#part === "magic" && this.#isAtStart;
  }

  /** Whether the bytes after a frame begin no other frame. */
  get isForeign(): boolean {
    return this.#part === "other";
  }

  get #isAtStart(): boolean {
    return this.#skip === 0 && this.#shift === 1 && FIRST_PARTS.has(this.#part);
  }

  /** Reads bytes up to the end of the piece that they belong to. */
  feed(bytes: Uint8Array): FramePiece {
    let at = 0;
    while (at < bytes.length && this.#part !== "other") {
      if (this.#skip > 0) {
        const passed = Math.min(this.#skip, bytes.length - at);
        this.#skip -= passed;
        at += passed;
      } else {
        this.#value += (bytes[at] ?? 0) * this.#shift;
        this.#shift *= 256;
        this.#wanted -= 1;
        at += 1;
        if (this.#wanted === 0) this.#take(this.#value);
      }
      if (this.#isAtStart) {
        const isEnd = this.#part === "magic";
        if (isEnd) this.#frames += 1;
        return { length: at, isEnd };
      }
    }
    return { length: bytes.length, isEnd: false };
  }

  #expect(part: Part, wanted: number, skip = 0): void {
    this.#part = part;
    this.#wanted = wanted;
    this.#skip = skip;
    this.#value = 0;
    this.#shift = 1;
  }

  #take(value: number): void {
    switch (this.#part) {
      case "magic":
        if (value === FRAME_MAGIC) this.#expect("descriptor", 1);
        else if (value - (value % 16) === SKIPPABLE_MAGIC) {
          this.#expect("skippable", 4);
        } else this.#part = "other";
        break;
      case "skippable":
        this.#expect("magic", 4, value);
        break;
      case "descriptor": {
        this.#hasChecksum = (value & 4) !== 0;
        const isSingleSegment = (value & 32) !== 0;
        const sizeFlag = value >> 6;
        const size = sizeFlag === 0 && isSingleSegment
          ? 1
          : CONTENT_SIZE_BYTES[sizeFlag] ?? 0;
        const dictionary = DICTIONARY_ID_BYTES[value & 3] ?? 0;
        const windowByte = isSingleSegment ? 0 : 1;
        this.#expect("block", 3, windowByte + dictionary + size);
        break;
      }
      case "block": {
        const isLast = (value & 1) !== 0;
        const isRle = ((value >> 1) & 3) === RLE_BLOCK;
        const size = isRle ? 1 : value >> 3;
        if (!isLast) this.#expect("block", 3, size);
        else if (this.#hasChecksum) this.#expect("checksum", 4, size);
        else this.#expect("magic", 4, size);
        break;
      }
      case "checksum":
        this.#expect("magic", 4);
        break;
    }
  }
}

/** Returns the content; its `read` throws a {@linkcode PackedDataError} at a damage. */
export function unpackedSource(
  packed: ByteSource,
  head: Uint8Array,
  format: PackedFormat,
): ByteSource {
  const pieces = new Pieces(head, packed);
  return new ChunkSource(unpack(pieces, format), () => {
    pieces.end();
    packed.close();
  });
}
