/**
 * The record of a failed line, as it stands in band.
 *
 * @module
 */

import type { LineFailureKind, LineProblem } from "../errors.ts";
import type { ByteWriter } from "../json/byte_writer.ts";
import { QUOTE } from "../json/bytes.ts";

/** The type of the record of a failed line (normalize.md T6). */
export const LINE_FAILED = "line.failed";

/**
 * The record of a failed line, as it stands in band: what `--on-error=inline` and
 * `--errors-to` write, one line of JSONL. This list of fields may expand over time.
 */
export interface LineFailed {
  /** What the record is. */
  readonly type: "line.failed";
  /** The physical line number, counted from 1. */
  readonly line: number;
  /** Where it starts, in bytes from the start of the input. */
  readonly offset: number;
  /** Why it failed. */
  readonly error: {
    /** The kind of failure. */
    readonly kind: LineFailureKind;
    /** What is wrong, where in the line, and what was expected. */
    readonly message: string;
  };
  /** The length of the line in bytes, if it was over the limit; there is no `raw` then. */
  readonly bytes?: number;
  /** The line; bytes that are not UTF-8 stand as U+FFFD in it. */
  readonly raw?: string;
  /** All bytes of a line that is not UTF-8, in base64. */
  readonly raw_base64?: string;
}

/** Where a failed line is, and why it failed. */
export interface LineFailedHead {
  /** The physical line number, counted from 1. */
  readonly line: number;
  /** Where it starts, in bytes from the start of the input. */
  readonly offset: number;
  /** Why it failed. */
  readonly error: LineProblem;
}

/** A multiple of three, so that the pieces of a base64 text can be joined. */
const PIECE = 3 << 14;
const ENCODER = new TextEncoder();

/**
 * Writes the record of a failed line, without a line end.
 *
 * Its fields are `type` (`line.failed`), `line`, `offset`, `error` (`kind`, `message`) and
 * `raw`, the line as text. A line over the limit has `bytes`, its length, instead of `raw`;
 * one that is not UTF-8 has U+FFFD in `raw` and all of its bytes in `raw_base64`. This list
 * may expand over time.
 *
 * @param out Takes the record.
 * @param head Where the line is, and why it failed.
 * @param raw The bytes of the line; absent if they were not kept.
 */
export function writeLineFailed(
  out: ByteWriter,
  { line, offset, error }: LineFailedHead,
  raw: Uint8Array | undefined,
): void {
  // The engine keeps what `${line}` gives for a while, which makes room for what is new grow.
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
    let latin1 = "";
    for (const byte of raw.subarray(at, at + PIECE)) {
      latin1 += String.fromCharCode(byte);
    }
    out.text(btoa(latin1));
  }
}
