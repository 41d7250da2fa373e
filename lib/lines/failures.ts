/**
 * Failed lines: the range that the rules refused, a view of the failure while the bytes of its line
 * are valid, and the record that stands for the line in the data (in band).
 */

import type { FailureKind, FailureReason } from "../errors.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import { copyOf, latin1OfBytes, QUOTE } from "../json/bytes.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import type { Failure } from "../outcome.ts";

/** The type of the record of a failed line (normalize.md T6). */
export const LINE_FAILED = "line.failed";

/**
 * The record of a failed line in the data, as `--on-error=inline` and `--errors-to` write it: one
 * line of JSONL. This list of fields may expand over time.
 */
export interface LineFailed {
  /** The type of the record. */
  readonly type: "line.failed";
  /** The physical line number, counted from 1. */
  readonly line: number;
  /** The offset of its start, in bytes from the start of the input. */
  readonly offset: number;
  /** Why it failed. */
  readonly error: {
    /** The kind of failure. */
    readonly kind: FailureKind;
    /** What is wrong, where in the line, and what was expected. */
    readonly message: string;
  };
  /** The length of the line in bytes, if it was over the limit; there is no `raw` then. */
  readonly bytes?: number;
  /** The text of the line; bytes that are not UTF-8 are replaced by U+FFFD. */
  readonly raw?: string;
  /** All bytes of a line that is not UTF-8, in base64. */
  readonly raw_base64?: string;
}

/** The number of a line, and its offset in the input. */
export type LinePlace = Pick<Failure, "line" | "offset">;

/** A line, or a part of a line, that failed. */
export interface FailedRange {
  /** The reason of the failure. */
  readonly reason: FailureReason;
  /** The range of the failed part in the bytes of the line. */
  readonly start: number;
  readonly end: number;
  /** Whether the part is itself the record of a failure, from an earlier run (T6). */
  readonly inBand: boolean;
  /**
   * The index of a record that was found behind the failed part in the same line (rollout.md R5).
   */
  readonly recordStart?: number;
}

/**
 * A failure as long as the bytes of its line are valid: only inside the callback that receives it.
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
export interface FailureView {
  /** The physical line number, counted from 1. */
  readonly line: number;
  /** The offset in the input of the line, or of the part of it that failed, in bytes. */
  readonly offset: number;
  /** The reason of the failure. */
  readonly error: FailureReason;
  /** Whether the line is the record of a failure from an earlier run. */
  readonly isInBand: boolean;

  /**
   * Copies the failure to a value that lasts.
   *
   * @returns The failure.
   */
  toFailure(): Failure;

  /**
   * Encodes the failure as the record that stands for the line in the data.
   *
   * @param at The place of the line in its own file, if the input was joined from several.
   * @returns The bytes of a line of JSONL, without its LF.
   */
  encode(
    at?: { readonly line: number; readonly offset: number },
  ): Uint8Array<ArrayBuffer>;
}

/** A failure, as a range of the bytes that contain its line. */
export class FailedLine implements FailureView {
  readonly line: number;
  readonly offset: number;
  readonly error: FailureReason;
  readonly #range: FailedRange | undefined;
  readonly #bytes: Uint8Array;

  /** Without a range, the line was over the limit. */
  constructor(
    error: FailureReason,
    at: LinePlace,
    bytes: Uint8Array,
    range: FailedRange | undefined,
  ) {
    this.error = error;
    this.line = at.line;
    this.offset = at.offset;
    this.#bytes = bytes;
    this.#range = range;
  }

  get isInBand(): boolean {
    return this.#range?.inBand ?? false;
  }

  toFailure(): Failure {
    const { line, offset, error } = this;
    const range = this.#range;
    if (range === undefined) return { ok: false, line, offset, error };
    const base = { line, offset: offset - range.start };
    return failureOf(range, this.#bytes, base);
  }

  encode(at: LinePlace = this): Uint8Array<ArrayBuffer> {
    const { start, end } = this.#range ?? { start: 0, end: 0 };
    const out = new ByteWriter(256 + end - start);
    this.write(out, at);
    return out.view();
  }

  /** Appends the bytes that `encode` returns to a writer. */
  write(out: ByteWriter, { line, offset }: LinePlace = this): void {
    const range = this.#range;
    const head = { line, offset, error: this.error };
    if (range === undefined) writeLineFailed(out, head, undefined);
    else if (range.inBand) out.range(this.#bytes, range.start, range.end);
    else {
      writeLineFailed(out, head, this.#bytes.subarray(range.start, range.end));
    }
  }
}

/**
 * Makes the failure of a line, or of a part of a line, that the rules have refused.
 *
 * @param at The number of the line, and the offset in the input of the first of `bytes`.
 */
export function failureOf(
  { reason, start, end, inBand }: FailedRange,
  bytes: Uint8Array,
  { line, offset }: LinePlace,
): Failure {
  const raw = decodeUtf8(bytes, start, end);
  const failure = {
    ok: false,
    line,
    offset: offset + start,
    error: reason,
    raw,
  } as const;
  if (inBand) return { ...failure, inBand: raw };
  if (reason.kind !== "utf8") return failure;
  return { ...failure, rawBytes: copyOf(bytes, start, end) };
}

/** A multiple of three, so that the base64 of the pieces can be joined. */
const PIECE = 3 << 14;
const ENCODER = new TextEncoder();

/**
 * Writes the record of a failed line, a {@linkcode LineFailed}, without its LF.
 *
 * @param failure The place of the line, and the reason of the failure.
 * @param raw The bytes of the line; absent if they were not kept.
 */
export function writeLineFailed(
  out: ByteWriter,
  { line, offset, error }: Pick<Failure, "line" | "offset" | "error">,
  raw: Uint8Array | undefined,
): void {
  // `toFixed`, because the engine caches the string of a number in a template, which makes the
  // young generation grow.
  const place = `"line":${line.toFixed()},"offset":${offset.toFixed()}`;
  const reason = `"error":{"kind":"${error.kind}","message":`;
  out.text(`{"type":"${LINE_FAILED}",${place},${reason}`);
  out.string(error.message);
  out.text("}");
  if (error.bytes !== undefined) out.text(`,"bytes":${error.bytes}`);
  if (raw !== undefined) {
    out.text(`,"raw":`);
    out.byte(QUOTE);
    if (error.kind === "utf8") writeLossy(out, raw);
    else out.escaped(raw, 0, raw.length);
    out.byte(QUOTE);
    if (error.kind === "utf8") {
      out.text(`,"raw_base64":"`);
      writeBase64(out, raw);
      out.byte(QUOTE);
    }
  }
  out.text("}");
}

function writeLossy(out: ByteWriter, raw: Uint8Array): void {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let at = 0; at < raw.length; at += PIECE) {
    const stream = at + PIECE < raw.length;
    const piece = ENCODER.encode(
      decoder.decode(raw.subarray(at, at + PIECE), { stream }),
    );
    out.escaped(piece, 0, piece.length);
  }
}

function writeBase64(out: ByteWriter, raw: Uint8Array): void {
  for (let at = 0; at < raw.length; at += PIECE) {
    out.text(btoa(latin1OfBytes(raw.subarray(at, at + PIECE))));
  }
}
