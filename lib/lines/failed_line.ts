/**
 * Lines that failed, as long as their bytes last.
 *
 * @module
 */

import type { LineProblem } from "../errors.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import type { Failure } from "../outcome.ts";
import { writeLineFailed } from "./line_failed.ts";
import { failureOf } from "./line_failure.ts";
import type { LineFault } from "./line_rules.ts";

/** Writes what `encode` gives, to where it is to stand; no part of what the class promises. */
export let writeFailed: (
  failed: FailedLine,
  out: ByteWriter,
  at?: LineStart,
) => void;

/** Where a line is. */
interface LineStart {
  readonly line: number;
  readonly offset: number;
}

/**
 * A line that failed, as long as its bytes last: inside the callback that is given it.
 *
 * @example A failure that lasts
 * ```ts
 * import { type Failure, JsonlNormalizer } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const failures: Failure[] = [];
 * const normalizer = new JsonlNormalizer({
 *   onFailure: (failed) => failures.push(failed.toFailure()),
 * });
 * normalizer.feed(new TextEncoder().encode("torn\n"), () => {});
 *
 * assertEquals(failures.map(({ line, raw }) => [line, raw]), [[1, "torn"]]);
 * ```
 */
export class FailedLine {
  /** The physical line number, counted from 1. */
  readonly line: number;
  /** Where the line, or the part of it that failed, starts in the input, in bytes. */
  readonly offset: number;
  /** Why it failed. */
  readonly error: LineProblem;
  /** Whether it is the record of a failure that was reported in band. */
  readonly isInBand: boolean;
  readonly #fault: LineFault | undefined;
  readonly #bytes: Uint8Array;

  /** Constructs a new instance; without a fault the line was over the limit. */
  constructor(
    error: LineProblem,
    at: { readonly line: number; readonly offset: number },
    bytes: Uint8Array,
    fault: LineFault | undefined,
  ) {
    this.error = error;
    this.line = at.line;
    this.offset = at.offset;
    this.isInBand = fault?.inBand ?? false;
    this.#bytes = bytes;
    this.#fault = fault;
  }

  /**
   * Gives the failure as a value that lasts.
   *
   * @returns The failure.
   */
  toFailure(): Failure {
    const { line, offset, error } = this;
    const fault = this.#fault;
    if (fault === undefined) return { ok: false, line, offset, error };
    const base = { line, offset: offset - fault.start };
    return failureOf(fault, this.#bytes, base);
  }

  /**
   * Gives the record of the failure, as it stands in band.
   *
   * @param at Where the line is, if the input was put together of others.
   * @returns The bytes of a line of JSONL, without its end.
   */
  encode(
    at: { readonly line: number; readonly offset: number } = this,
  ): Uint8Array<ArrayBuffer> {
    const { start, end } = this.#fault ?? { start: 0, end: 0 };
    const out = new ByteWriter(256 + end - start);
    writeFailed(this, out, at);
    return out.view();
  }

  static {
    writeFailed = (failed, out, { line, offset } = failed): void => {
      const fault = failed.#fault;
      const head = { line, offset, error: failed.error };
      if (fault === undefined) writeLineFailed(out, head, undefined);
      else if (failed.isInBand) {
        out.range(failed.#bytes, fault.start, fault.end);
      } else {
        const raw = failed.#bytes.subarray(fault.start, fault.end);
        writeLineFailed(out, head, raw);
      }
    };
  }
}
