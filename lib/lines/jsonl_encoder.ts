/** Encodes values as lines of JSONL. */

import { checkedJson, checkOutcome } from "../checked.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import { LF } from "../json/bytes.ts";
import type { Failure, Outcome } from "../outcome.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";
import { writeLineFailed } from "./failures.ts";

const ENCODER = new TextEncoder();

/**
 * Encodes a value as one line of JSONL, newline included.
 *
 * @param value The value; it must have a JSON form.
 * @returns The line.
 * @throws {TypeError} If the value has no JSON form.
 *
 * @example A line
 * ```ts
 * import { encodeLine } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(encodeLine({ type: "error", message: "no" }), '{"type":"error","message":"no"}\n');
 * ```
 */
export function encodeLine(value: unknown): string {
  return `${checkedJson("a line", value)}\n`;
}

/**
 * Encodes the outcome of a line as one line of JSONL, newline included.
 *
 * A success that has a text is written as that text, so that decoding and encoding return the same
 * bytes, including numbers, key order and duplicate keys. Only line breaks in the text become
 * spaces; they occur in records that did not come as a line. To write a changed value, use
 * {@linkcode encodeLine}. A failure is written as a `line.failed` record; a failure that an earlier
 * run had written so is written unchanged.
 *
 * @param outcome The outcome.
 * @returns The line.
 * @throws {TypeError} If the argument is not an outcome, or a success without a text whose value
 *   has no JSON form.
 *
 * @example A failure in band
 * ```ts
 * import { encodeOutcome } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const line = encodeOutcome({
 *   ok: false,
 *   line: 12,
 *   offset: 3456,
 *   error: { kind: "json", message: "Cannot parse" },
 *   raw: "{",
 * });
 *
 * assertEquals(
 *   new TextDecoder().decode(line),
 *   '{"type":"line.failed","line":12,"offset":3456,' +
 *     '"error":{"kind":"json","message":"Cannot parse"},"raw":"{"}\n',
 * );
 * ```
 */
export function encodeOutcome(
  outcome: Outcome<unknown>,
): Uint8Array<ArrayBuffer> {
  checkOutcome(outcome);
  if (outcome.ok) {
    const { value, text } = outcome;
    const exact = text ?? (typeof value === "string" ? value : undefined);
    return ENCODER.encode(
      exact === undefined ? encodeLine(value) : `${onOneLine(exact)}\n`,
    );
  }
  if (outcome.inBand !== undefined) {
    return ENCODER.encode(`${onOneLine(outcome.inBand)}\n`);
  }
  const out = new ByteWriter();
  writeLineFailed(out, outcome, rawOf(outcome));
  out.byte(LF);
  return out.view().slice();
}

/** Replaces line breaks by spaces: in valid JSON text they only occur between tokens. */
function onOneLine(text: string): string {
  return text.includes("\n") ? text.replaceAll("\n", " ") : text;
}

function rawOf({ raw, rawBytes }: Failure): Uint8Array | undefined {
  return rawBytes ?? (raw === undefined ? undefined : ENCODER.encode(raw));
}

/**
 * Encodes values as lines of JSONL.
 *
 * @example Two lines
 * ```ts
 * import { JsonlEncoder } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * let text = "";
 * const encoder = new JsonlEncoder();
 * for (const value of [1, [2]]) {
 *   encoder.feed(value, (line) => text += new TextDecoder().decode(line));
 * }
 *
 * assertEquals(text, "1\n[2]\n");
 * ```
 */
export class JsonlEncoder implements Stage<unknown, Uint8Array<ArrayBuffer>> {
  /**
   * Encodes one value.
   *
   * @param value The value; it must have a JSON form.
   * @param emit Called with the bytes of its line.
   * @throws {TypeError} If the value has no JSON form.
   */
  feed(value: unknown, emit: Emit<Uint8Array<ArrayBuffer>>): void {
    emit(ENCODER.encode(encodeLine(value)));
  }
}

/** {@linkcode JsonlEncoder} as a stream. */
export class JsonlEncoderStream
  extends StageStream<unknown, Uint8Array<ArrayBuffer>> {
  /**
   * Constructs a new instance.
   *
   * @example Values of a stream
   * ```ts
   * import { JsonlEncoderStream } from "@codexpipe/codexpipe";
   * import { assertEquals } from "@std/assert";
   *
   * const lines = ReadableStream.from([{ a: 1 }]).pipeThrough(new JsonlEncoderStream());
   *
   * assertEquals(await new Response(lines).text(), '{"a":1}\n');
   * ```
   */
  constructor() {
    super(new JsonlEncoder());
  }
}

/**
 * Encodes outcomes as lines of JSONL, exactly ({@linkcode encodeOutcome}).
 *
 * @example Failures stay in the stream
 * ```ts
 * import { LineSplitterStream, NormalizerStream, OutcomeEncoderStream } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const lines = new Blob(['{"type":"error","message":"m","n":1.0}\n']).stream()
 *   .pipeThrough(new LineSplitterStream())
 *   .pipeThrough(new NormalizerStream())
 *   .pipeThrough(new OutcomeEncoderStream());
 *
 * assertEquals(await new Response(lines).text(), '{"type":"error","message":"m","n":1.0}\n');
 * ```
 */
export class OutcomeEncoderStream
  extends StageStream<Outcome<unknown>, Uint8Array<ArrayBuffer>> {
  /** Constructs a new instance. */
  constructor() {
    super({ feed: (outcome, emit) => emit(encodeOutcome(outcome)) });
  }
}
