/** Repairs session files: copies them without torn lines. */

import { ByteWriter } from "../json/byte_writer.ts";
import { LF } from "../json/bytes.ts";
import { isBlankLine } from "../lines/blank.ts";
import { DEFAULT_MAX_LINE_BYTES, LineFramer } from "../lines/line_framer.ts";
import { RolloutRules } from "../dialects/rollout/rollout_rules.ts";

/** A part of a session file that is no record, and was left out. */
export interface TornPart {
  /** The number of the line, counted from 1. */
  readonly line: number;
  /** The offset of the part in the unpacked file, in bytes. */
  readonly offset: number;
  /** The length of the part in bytes, without LF. */
  readonly bytes: number;
  /** Why the part is no record. */
  readonly message: string;
  /** Whether a record was glued to the part, and kept. */
  readonly hasRecord: boolean;
}

/** The most parts that are kept in {@linkcode SessionRepairer.torn}. */
const MAX_TORN = 100;
/** How many bytes are emitted at once, at least. */
const PIECE = 1 << 16;

/**
 * Copies a session file without its torn parts: leaves out lines that are no JSON, the torn part
 * before a whole record on the same line, and blank lines. All other lines are copied byte for
 * byte, and end with an LF.
 *
 * @example A torn line with a record glued to it
 * ```ts
 * import { SessionRepairer } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const record = '{"timestamp":"2026-11-20T15:40:01.000Z","type":"world_state","payload":{}}';
 * const repairer = new SessionRepairer();
 * let copy = "";
 * const emit = (bytes: Uint8Array) => copy += new TextDecoder().decode(bytes);
 * repairer.feed(new TextEncoder().encode(`${record}\n{"timestamp":"20${record}\n`), emit);
 * repairer.flush(emit);
 *
 * assertEquals(copy, `${record}\n${record}\n`);
 * assertEquals(repairer.torn.map(({ line, bytes }) => [line, bytes]), [[2, 16]]);
 * ```
 */
export class SessionRepairer {
  readonly #framer = new LineFramer(DEFAULT_MAX_LINE_BYTES);
  readonly #rules = new RolloutRules({});
  readonly #answer = new ByteWriter(PIECE);
  readonly #copy = new ByteWriter(PIECE);
  readonly #torn: TornPart[] = [];
  #tornCount = 0;
  #lines = 0;
  #emit: (bytes: Uint8Array) => void = () => {};

  /** How many parts were left out. */
  get tornCount(): number {
    return this.#tornCount;
  }

  /** The first hundred parts that were left out. */
  get torn(): readonly TornPart[] {
    return this.#torn;
  }

  /** How many lines were copied. */
  get lines(): number {
    return this.#lines;
  }

  /**
   * Feeds a block.
   *
   * @param block The bytes, unpacked; they may be overwritten afterwards.
   * @param emit Called with bytes of the copy, which are valid until it returns.
   */
  feed(block: Uint8Array, emit: (bytes: Uint8Array) => void): void {
    this.#emit = emit;
    this.#framer.feed(block, this);
    this.#handOver();
  }

  /**
   * Ends the file.
   *
   * @param emit Called with the rest of the copy.
   */
  flush(emit: (bytes: Uint8Array) => void): void {
    this.#emit = emit;
    this.#framer.flush(this);
    this.#handOver();
  }

  /** Copies a line, or its part that is a record. */
  line(
    bytes: Uint8Array,
    start: number,
    end: number,
    line: number,
    offset: number,
  ): void {
    if (isBlankLine(bytes, start, end)) return;
    const range = this.#rules.apply(bytes, start, end, this.#answer);
    this.#answer.clear(PIECE);
    let from = start;
    if (range !== undefined && !range.inBand) {
      const { kind, message } = range.reason;
      // JSON that is no line of a session is not torn.
      if (kind === "json" || kind === "utf8") {
        from = range.recordStart ?? end;
        this.#leaveOut({
          line,
          offset,
          bytes: from - start,
          message,
          hasRecord: from < end,
        });
      }
    }
    if (from === end) return;
    this.#lines += 1;
    this.#copy.range(bytes, from, end);
    this.#copy.byte(LF);
    if (this.#copy.length >= PIECE) this.#handOver();
  }

  /** Leaves out a line that is too long to be read. */
  tooLong(length: number, line: number, offset: number): void {
    this.#leaveOut({
      line,
      offset,
      bytes: length,
      message: "it is too long to be read",
      hasRecord: false,
    });
  }

  #leaveOut(part: TornPart): void {
    this.#tornCount += 1;
    if (this.#torn.length < MAX_TORN) this.#torn.push(part);
  }

  #handOver(): void {
    if (this.#copy.length === 0) return;
    this.#emit(this.#copy.view());
    this.#copy.clear(PIECE);
  }
}
