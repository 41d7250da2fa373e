/**
 * One content of a file that grows: its lines, as they are complete.
 */

import { copyOf, LF } from "../json/bytes.ts";
import { LineTrail, type TrailComparison } from "./line_trail.ts";
import type { OpenedFile } from "./_opened_file.ts";
import { PackedDataError } from "./errors.ts";

/** How much is compared before what was added is read. */
const OVERLAP = 64;
/** How much is read at once to compare. */
const BLOCK = 1 << 16;
/** How long a last line without end may be to be given if it is complete. */
const MAX_REST = 1 << 26;

/** Reads the lines of a content, and knows it again in another file. */
export class GrowingContent {
  #file: OpenedFile;
  /** What was read. */
  readonly #trail = new LineTrail();
  #overlap = new Uint8Array(0);
  #position = 0;
  /** Up to where lines are known to be complete. */
  #complete = 0;
  /** Up to where there is no line end behind that. */
  #scanned = 0;
  #from: number;
  #rest = 0;

  /**
   * Constructs a new instance.
   *
   * @param file The file that it is in.
   * @param from The offset that is the first to be given; infinite until it is known.
   */
  constructor(file: OpenedFile, from: number) {
    this.#file = file;
    this.#from = from;
  }

  /** The file that it is in. */
  get file(): OpenedFile {
    return this.#file;
  }

  /** Up to where it was read. */
  get position(): number {
    return this.#position;
  }

  /** Up to where it was looked for line ends. */
  get scanned(): number {
    return this.#scanned;
  }

  /** Begins to give lines here, if it was not known where. */
  beginHere(): void {
    if (this.#from === Infinity) this.#from = this.#position;
  }

  /** Reads lines that are complete and were not read yet; 0 if there are none. */
  async readLines(into: Uint8Array): Promise<number> {
    for (;;) {
      const known = this.#complete - this.#position;
      const isKnown = known > 0;
      const part = into.subarray(0, isKnown ? known : into.length);
      const at = isKnown ? this.#position : this.#scanned;
      const size = await this.#file.readAt(part, at);
      if (size === 0) {
        // What was known to be there has been cut off since.
        if (isKnown) this.scanAgain();
        return 0;
      }
      const length = isKnown ? size : into.lastIndexOf(LF, size - 1) + 1;
      if (!isKnown) {
        if (length > 0) this.#complete = at + length;
        this.#scanned = at + (length || size);
      }
      if (length > 0 && at === this.#position) {
        const given = this.#give(into, length);
        if (given > 0) return given;
      }
    }
  }

  /** Looks for line ends once more in what was not read yet. */
  scanAgain(): void {
    this.#complete = this.#position;
    this.#scanned = this.#position;
  }

  /** Whether the file still has what was read of it last. */
  async isThere(): Promise<boolean> {
    // A packed file is not written to, but replaced.
    if (this.#file.isPacked) return true;
    const before = new Uint8Array(this.#overlap.length);
    const at = this.#position - before.length;
    const read = await this.#file.readAt(before, at);
    return read === before.length &&
      before.every((byte, i) => byte === this.#overlap[i]);
  }

  /** Compares a file with what was read; `undefined` if it cannot be read just now. */
  async compare(file: OpenedFile): Promise<TrailComparison | undefined> {
    const comparison = this.#trail.comparison();
    const block = new Uint8Array(BLOCK);
    try {
      for (let at = 0; !comparison.isWhole && !comparison.hasParted;) {
        const size = await file.readAt(block, at);
        if (size === 0) break;
        comparison.add(block.subarray(0, size));
        at += size;
      }
    } catch (error) {
      if (!(error instanceof PackedDataError)) throw error;
      // Whoever packs it is still at it.
      return undefined;
    }
    return comparison;
  }

  /** Goes on in a file behind what it is known to have: a line end. */
  goOnIn(file: OpenedFile, common: number): void {
    if (this.#file !== file) this.#file.close();
    this.#file = file;
    if (common < this.#position) {
      this.#trail.cutTo(common);
      this.#overlap = new Uint8Array(0);
      this.#from = Math.min(this.#from, common);
      this.#position = common;
    }
    this.scanAgain();
  }

  /** Ends with all that is left, with a line end or without. */
  endWithRest(): void {
    this.#rest = Infinity;
  }

  /**
   * Ends with a last line without end if it is a whole record.
   *
   * @returns Whether nothing is left out.
   */
  async endWithRecord(): Promise<boolean> {
    const size = this.#scanned - this.#position;
    const rest = new Uint8Array(Math.min(size, MAX_REST + 1));
    let length = 0;
    while (length < rest.length) {
      const part = rest.subarray(length);
      const read = await this.#file.readAt(part, this.#position + length);
      if (read === 0) break;
      length += read;
    }
    const isWhole = length <= MAX_REST && isRecord(rest.subarray(0, length));
    if (isWhole) this.#rest = length;
    return isWhole || length === 0;
  }

  /** Reads what is left to be given at its end; `null` behind it. */
  async readRest(into: Uint8Array): Promise<number | null> {
    const part = into.subarray(0, Math.min(into.length, this.#rest));
    const size = part.length === 0
      ? 0
      : await this.#file.readAt(part, this.#position);
    this.#rest -= size;
    this.#position += size;
    return size === 0 ? null : size;
  }

  /** Takes note of what was read, and leaves what is to be given of it. */
  #give(into: Uint8Array, size: number): number {
    const bytes = into.subarray(0, size);
    this.#trail.add(bytes);
    this.#overlap = overlapOf(this.#overlap, bytes);
    const skipped = Math.min(size, Math.max(0, this.#from - this.#position));
    this.#position += size;
    if (skipped > 0) into.copyWithin(0, skipped, size);
    return size - skipped;
  }
}

/** The last bytes of what was read. */
function overlapOf(
  before: Uint8Array,
  bytes: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const last = copyOf(bytes, -OVERLAP);
  if (last.length === OVERLAP || before.length === 0) return last;
  const kept = copyOf(before, -(OVERLAP - last.length));
  const overlap = new Uint8Array(kept.length + last.length);
  overlap.set(kept);
  overlap.set(last, kept.length);
  return overlap;
}

/** Whether bytes are a whole JSON object: a part of one never is. */
function isRecord(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.trimStart().startsWith("{") &&
      typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
