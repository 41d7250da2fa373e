/** Session files without what is torn in them. */

import { ByteWriter } from "../json/byte_writer.ts";
import { LF } from "../json/bytes.ts";
import { isBlankLine } from "../lines/blank.ts";
import { DEFAULT_MAX_LINE_BYTES, LineFramer } from "../lines/line_framer.ts";
import { RolloutRules } from "../dialects/rollout/rollout_rules.ts";

/** A part of a session file that is no record, and was left out. */
export interface TornPart {
  /** The number of its line, from 1. */
  readonly line: number;
  /** Where it starts in the file, in bytes, unpacked. */
  readonly offset: number;
  /** How long it is, in bytes, without a line end. */
  readonly bytes: number;
  /** Why it is no record. */
  readonly message: string;
  /** Whether a record was glued to it, which was kept. */
  readonly hasRecord: boolean;
}

/** So many of the parts that were left out are told. */
const MAX_TORN = 100;
/** How much is handed over at once, at least. */
const PIECE = 1 << 16;

/**
 * Copies a session file without what is torn in it: lines that are no JSON objects are left
 * out, of those that end with a whole record the torn part before it, and blank lines. Every
 * other line is copied byte for byte, and ends with an LF.
 *
 * @example A torn line with a record behind it
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

  /** What was left out: the first hundred parts. */
  get torn(): readonly TornPart[] {
    return this.#torn;
  }

  /** How many lines were copied. */
  get lines(): number {
    return this.#lines;
  }

  /**
   * Takes a block.
   *
   * @param block The bytes, unpacked; they may be used again afterwards.
   * @param emit Is called with the bytes of the copy, which last until it returns.
   */
  feed(block: Uint8Array, emit: (bytes: Uint8Array) => void): void {
    this.#emit = emit;
    this.#framer.feed(block, this);
    this.#handOver();
  }

  /**
   * Ends the file.
   *
   * @param emit Is called with the rest of the copy.
   */
  flush(emit: (bytes: Uint8Array) => void): void {
    this.#emit = emit;
    this.#framer.flush(this);
    this.#handOver();
  }

  /** Takes a line. */
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
      // Objects that are no lines of sessions are not torn.
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

  /** A line that is too long to be looked at. */
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
