/**
 * Tells whether zstd data is complete, and where its blocks end, by walking its frames
 * (RFC 8878).
 *
 * The decoder of the platform ends without a word where a frame is cut off, so somebody
 * has to count.
 */

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
export interface FramePiece {
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
