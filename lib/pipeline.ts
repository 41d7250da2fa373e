/**
 * The stages composed, from bytes to bytes: blocks in, blocks of normalized JSONL out.
 *
 * @module
 */

import { rulesFor } from "./dialects.ts";
import { type LineProblem, toLineError } from "./errors.ts";
import { ByteWriter } from "./json/byte_writer.ts";
import { LF, OPEN_BRACE } from "./json/bytes.ts";
import type { LineFault, LineRules } from "./lines/line_rules.ts";
import { decodeUtf8 } from "./json/utf8.ts";
import { isBlank } from "./lines/blank.ts";
import { writeLineFailed } from "./lines/line_failed.ts";
import { LineFramer, type LineVisitor } from "./lines/line_framer.ts";
import {
  checkedMaxLineBytes,
  type LineSplitterOptions,
  lineTooLong,
} from "./lines/line_splitter.ts";
import { failureOf, type NormalizerOptions } from "./normalizer.ts";
import type { Failure } from "./outcome.ts";
import { type Emit, type Stage, StageStream } from "./stage.ts";

/** A line that failed, as long as its bytes last: inside the callback that is given it. */
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
   * Writes the record of the failure, without a line end.
   *
   * @param out Takes the record.
   */
  writeTo(out: ByteWriter): void {
    const fault = this.#fault;
    const raw = fault === undefined
      ? undefined
      : this.#bytes.subarray(fault.start, fault.end);
    if (raw !== undefined && this.isInBand) out.all(raw);
    else writeLineFailed(out, this, raw);
  }
}

/** What happens to failed lines. */
export type OnError =
  /** They are left out of the data, but for those that came in band. */
  | "report"
  /** They stay in their places, as `line.failed` records. */
  | "inline"
  /** They are left out. */
  | "drop"
  /** The first one ends the work: it is thrown. */
  | "stop";

/** Options for {@linkcode JsonlNormalizer}. */
export interface JsonlNormalizerOptions
  extends NormalizerOptions, LineSplitterOptions {
  /**
   * What happens to failed lines.
   *
   * @default {"report"}
   */
  readonly onError?: OnError;
  /**
   * Is told of each failed line, in order, whatever happens to it.
   *
   * @default {undefined}
   */
  readonly onFailure?: (failed: FailedLine) => void;
  /**
   * Is called after each line that is not blank, when its answer has been written.
   *
   * @default {undefined}
   */
  readonly onAnswer?: () => void;
}

/** Room for the answers to a block of the usual size. */
const KEPT_CAPACITY = 1 << 21;

/**
 * Normalizes JSONL, blocks of bytes in and blocks of bytes out.
 *
 * This is what {@linkcode LineSplitter}, {@linkcode Normalizer} and the encoder do
 * together, without a string or an object for a line: records are put together from the
 * bytes that they were read from. Every line that is not blank is answered as soon as it
 * is complete.
 *
 * Memory is bounded by the longest line and the largest block.
 *
 * @example A block of two lines, one of them bad
 * ```ts
 * import { JsonlNormalizer } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const problems: string[] = [];
 * const normalizer = new JsonlNormalizer({
 *   onFailure: ({ line, error }) => problems.push(`${line}: ${error.kind}`),
 * });
 * const block = new TextEncoder().encode('{"type":"thread.resumed","id":"t"}\n{"a":1}\n');
 * let text = "";
 * normalizer.feed(block, (bytes) => text += new TextDecoder().decode(bytes));
 *
 * assertEquals(text, '{"type":"thread.started","thread_id":"t","id":"t"}\n');
 * assertEquals(problems, ["2: normalize"]);
 * ```
 */
export class JsonlNormalizer
  implements Stage<Uint8Array, Uint8Array<ArrayBuffer>> {
  readonly #answers: Answers;
  readonly #framer: LineFramer;

  /**
   * Constructs a new instance.
   *
   * @param options The dialect, the limits, and what to do with failures.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24.
   */
  constructor(options: JsonlNormalizerOptions = {}) {
    const limit = checkedMaxLineBytes(options.maxLineBytes);
    this.#framer = new LineFramer(limit);
    this.#answers = new Answers(options, limit);
  }

  /** How many lines have failed so far. */
  get failures(): number {
    return this.#answers.failures;
  }

  /** How many lines have become records so far. */
  get records(): number {
    return this.#answers.records;
  }

  /**
   * Takes a block and emits the answers to the lines that it completes, if there are any,
   * as one block. The block that is emitted is used again: copy what must outlast the call.
   *
   * @param block The bytes; they may be used again afterwards.
   * @param emit Is called with the answers.
   * @throws {LineError} If a line fails and `onError` is `stop`; the answers to the lines
   *   before it have been emitted then.
   */
  feed(block: Uint8Array, emit: Emit<Uint8Array<ArrayBuffer>>): void {
    try {
      this.#framer.feed(block, this.#answers);
    } finally {
      this.#answers.release(emit);
    }
  }

  /**
   * Ends the input and emits the answer to a last line without LF.
   *
   * @param emit Is called with the answer.
   * @throws {LineError} If the line fails and `onError` is `stop`.
   */
  flush(emit: Emit<Uint8Array<ArrayBuffer>>): void {
    try {
      this.#framer.flush(this.#answers);
    } finally {
      this.#answers.release(emit);
    }
  }
}

/** {@linkcode JsonlNormalizer} as a stream. */
export class JsonlNormalizerStream
  extends StageStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  /**
   * Constructs a new instance.
   *
   * @param options The dialect, the limits, and what to do with failures.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24.
   *
   * @example A log with its failures in band
   * ```ts
   * import { JsonlNormalizerStream } from "@codexpipe/codexpipe";
   * import { assertMatch } from "@std/assert";
   *
   * const normalized = new Blob(["not JSON\n"]).stream()
   *   .pipeThrough(new JsonlNormalizerStream({ onError: "inline" }));
   *
   * assertMatch(await new Response(normalized).text(), /^{"type":"line.failed","line":1,/);
   * ```
   */
  constructor(options: JsonlNormalizerOptions = {}) {
    const normalizer = new JsonlNormalizer(options);
    super({
      // A stream keeps what is enqueued, so the block that is used again is copied.
      feed: (block, emit) => normalizer.feed(block, (out) => emit(out.slice())),
      flush: (emit) => normalizer.flush((out) => emit(out.slice())),
    });
  }
}

/** Answers lines, and gathers the answers. */
class Answers implements LineVisitor {
  readonly #rules: LineRules;
  readonly #out = new ByteWriter(KEPT_CAPACITY);
  readonly #limit: number;
  readonly #onError: OnError;
  readonly #onFailure: ((failed: FailedLine) => void) | undefined;
  readonly #onAnswer: (() => void) | undefined;
  failures = 0;
  records = 0;

  constructor(options: JsonlNormalizerOptions, limit: number) {
    this.#rules = rulesFor(options.from ?? "auto", options);
    this.#limit = limit;
    this.#onError = options.onError ?? "report";
    this.#onFailure = options.onFailure;
    this.#onAnswer = options.onAnswer;
  }

  line(
    bytes: Uint8Array,
    start: number,
    end: number,
    line: number,
    offset: number,
  ): void {
    if (bytes[start] !== OPEN_BRACE && isBlankLine(bytes, start, end)) return;
    const out = this.#out;
    const length = out.length;
    const fault = this.#rules.apply(bytes, start, end, out);
    if (fault === undefined) this.#recorded();
    else {
      // A record that was told apart from what failed stands behind it (R5).
      const record = out.view(length).slice();
      out.truncate(length);
      const at = { line, offset: offset + fault.start - start };
      this.#failed(new FailedLine(fault.problem, at, bytes, fault));
      if (record.length > 0) {
        out.all(record);
        this.#recorded();
      }
    }
    this.#onAnswer?.();
  }

  tooLong(length: number, line: number, offset: number): void {
    const error = lineTooLong(length, this.#limit);
    this.#failed(new FailedLine(error, { line, offset }, NOTHING, undefined));
    this.#onAnswer?.();
  }

  /** Gives away what has been gathered. */
  release(emit: Emit<Uint8Array<ArrayBuffer>>): void {
    if (this.#out.length > 0) emit(this.#out.view());
    this.#out.clear(KEPT_CAPACITY);
  }

  #recorded(): void {
    this.#out.byte(LF);
    this.records += 1;
  }

  #failed(failed: FailedLine): void {
    this.failures += 1;
    this.#onFailure?.(failed);
    const onError = this.#onError;
    if (onError === "stop") throw toLineError(failed.error);
    if (onError === "inline" || (onError === "report" && failed.isInBand)) {
      failed.writeTo(this.#out);
      this.#out.byte(LF);
    }
  }
}

const NOTHING = new Uint8Array(0);

function isBlankLine(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start] ?? 0;
  if (first > 0x20 && first < 0x80 && start < end) return false;
  return isBlank(decodeUtf8(bytes, start, end));
}
