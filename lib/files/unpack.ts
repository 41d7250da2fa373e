/** Unpacks gzip and zstd data with the decoders of the platform, and says where it breaks. */

import type { Transform } from "node:stream";
import {
  type ByteSource,
  ChunkSource,
  PackedDataError,
  type PackedFormat,
} from "./byte_source.ts";

/** Small, so that what one piece unpacks to stays small even if it was packed to hurt. */
const PIECE = 1 << 14;
/** How much packed data is kept to deliver the last bytes before a damage. */
const MAX_KEPT = 1 << 20;
/** The smallest room for output that the decoders take; what they lose is less. */
const FINEST_OUTPUT = 64;

/** Packed data in pieces that can be put back. */
export class Pieces {
  readonly #source: ByteSource;
  #next: Uint8Array | undefined;
  #hasEnded = false;

  /** Constructs a new instance: the first bytes, and where the rest comes from. */
  constructor(head: Uint8Array, source: ByteSource) {
    this.#next = head.length > 0 ? head : undefined;
    this.#source = source;
  }

  /** The next piece, or `undefined` at the end. */
  async take(): Promise<Uint8Array | undefined> {
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) return next;
    if (this.#hasEnded) return undefined;
    const piece = new Uint8Array(PIECE);
    const size = await this.#source.read(piece);
    return size === null ? undefined : piece.subarray(0, size);
  }

  /** Puts bytes back before the next piece. */
  putBack(piece: Uint8Array): void {
    if (piece.length > 0) this.#next = piece;
  }

  /** Ends the data: the source is asked for no more. */
  end(): void {
    this.#hasEnded = true;
  }
}

/** Unpacks data, one frame after the other. */
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
    // A gzip decoder reads all members of its input.
    if (frames === undefined) return;
    if (frames.isForeign) throw broken(format, false);
  }
  if (frames === undefined || !frames.isComplete) throw broken(format, true);
}

/** Unpacks one frame, or all members of gzip data. */
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
      // No more than a block at once: where the zstd decoder of Deno 2.9 fails after it has
      // filled its room, it throws where nobody can catch.
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
    throw broken(format, cause.isCutOff, cause.cause);
  } finally {
    decoder.close();
  }
}

/**
 * Unpacks broken data again: a decoder that fails keeps to itself what it had in hand, which
 * is as much as there was room for, of what it was fed at once. So the piece that it failed
 * at, which is the last, is fed in the smallest steps: what is behind the end of gzip data
 * costs nothing of it.
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
  } catch (cause) {
    // It fails as it did before; the caller says so.
    if (!(cause instanceof DecoderFailure)) throw cause;
  } finally {
    decoder.close();
  }
}

/** Gives pieces as they are, but the last one byte by byte. */
function* inSteps(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  yield* pieces.slice(0, -1);
  const last = pieces.at(-1) ?? new Uint8Array(0);
  for (let at = 0; at < last.length; at++) yield last.subarray(at, at + 1);
}

/** What a decoder of the platform says when it fails. */
class DecoderFailure extends Error {
  override readonly name = "DecoderFailure";
  readonly isCutOff: boolean;

  constructor(cause: unknown) {
    super("Cannot unpack", { cause });
    this.isCutOff = cause instanceof Error && "code" in cause &&
      cause.code === "Z_BUF_ERROR";
  }
}

/** A decoder of the platform that is fed a piece and drained before the next one. */
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
      this.#failure ??= new DecoderFailure(error);
      this.#wake();
    });
  }

  /** Feeds a piece and gives what it unpacks to. */
  async *write(piece: Uint8Array): AsyncGenerator<Uint8Array> {
    let isWritten = false;
    this.#transform.write(piece, () => {
      isWritten = true;
      this.#wake();
    });
    yield* this.#drain(() => isWritten);
  }

  /** Ends the data and gives what is left. */
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
  // Loaded only when something is packed: it doubles the time to start.
  const zlib = await import("node:zlib");
  if (format === "gzip") return zlib.createGunzip({ chunkSize });
  if (typeof zlib.createZstdDecompress !== "function") {
    throw new PackedDataError(
      "Cannot unpack the zstd data: this runtime has no zstd; Deno 2.8 and Node 22.15 have",
      format,
    );
  }
  return zlib.createZstdDecompress({ chunkSize });
}

function broken(
  format: PackedFormat,
  isCutOff: boolean,
  cause?: unknown,
): PackedDataError {
  const state = isCutOff ? "cut off" : "damaged";
  const message = `Cannot unpack the ${format} data: it is ${state}`;
  return new PackedDataError(message, format, { cause });
}

// Tells whether zstd data is complete, and where its blocks end, by walking its frames
// (RFC 8878).
//
// The decoder of the platform ends without an error where a frame is cut off, so frames
// are counted here.

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** The bytes of a dictionary id, by its flag. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
/** The bytes of a content size, by its flag; 0 stands for one if it is a single segment. */
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const RLE_BLOCK = 1;

/** What the bytes that are gathered next are. */
type Part =
  | "magic"
  | "descriptor"
  | "block"
  | "checksum"
  | "skippable"
  | "other";

/** The parts that stand at the start of a piece. */
const FIRST_PARTS: ReadonlySet<Part> = new Set(["magic", "block", "checksum"]);

/** A piece of a frame that lies together: a header, a block, a checksum, or a part of one. */
interface FramePiece {
  /** How many of the bytes belong to the piece. */
  readonly length: number;
  /** Whether the frame ends with them. */
  readonly isEnd: boolean;
}

/** Walks the frames of zstd data, fed piece by piece. */
export class ZstdFrames {
  #part: Part = "magic";
  /** Bytes to pass over before the next part. */
  #skip = 0;
  /** Bytes that the part still wants, and their value so far, little-endian. */
  #wanted = 4;
  #value = 0;
  #shift = 1;
  #hasChecksum = false;
  #frames = 0;

  /** Whether the data could end here: behind a frame. */
  get isComplete(): boolean {
    return this.#frames > 0 && this.#part === "magic" && this.#isAtStart;
  }

  /** Whether what follows a frame is no frame. */
  get isForeign(): boolean {
    return this.#part === "other";
  }

  /** Whether a piece starts here. */
  get #isAtStart(): boolean {
    return this.#skip === 0 && this.#shift === 1 && FIRST_PARTS.has(this.#part);
  }

  /** Takes the next bytes, up to the end of the piece that they belong to. */
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

// The content of a packed source.

/**
 * Gives what a source holds in packed form.
 *
 * @returns The content; to read it throws a {@linkcode PackedDataError} where it is damaged or
 *   cut off.
 */
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
