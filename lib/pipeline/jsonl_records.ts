/** Composes the stages from bytes to the values of normalized records. */

import type { StreamKind } from "../dialects/dialect_names.ts";
import type { FailureReason } from "../errors.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import {
  type AnswerTaker,
  type Engine,
  type JsonlOptions,
  LineAnswers,
} from "./line_answers.ts";
import type { Outcome } from "../outcome.ts";
import { ROLLOUT_LINE_PROOF } from "../dialects/rollout/decoder.ts";
import type { Emit, Stage } from "../stage.ts";

/**
 * Checks the value of a line of a rollout file.
 *
 * It is not called for exec records, which were written by the shapes of their types, nor for
 * rollout lines that are proven to have their types. The other rollout lines are checked because
 * the normalizer does not change them.
 *
 * @returns The reason if the value does not have the requested type; nothing if it does.
 */
export interface LineCheck {
  (value: unknown): FailureReason | undefined;
}

/** The capacity that is kept for records; a line of usual length fits. */
const KEPT_CAPACITY = 1 << 16;

/**
 * Reads JSONL of any dialect: blocks of bytes in, the values of normalized records out.
 *
 * A line fails if it cannot be normalized, or if there is a check and it fails that. The values of
 * exec streams are events, because they were written by the shapes of their types. The values of
 * rollout files are open: any field may be missing or of another kind than in the known releases.
 */
export class JsonlRecords<T = unknown>
  implements Stage<Uint8Array, Outcome<T>> {
  readonly #answers: LineAnswers;
  readonly #check: LineCheck | undefined;
  #emit: Emit<Outcome<T>> = () => {};
  readonly #record: AnswerTaker["record"] = (out, start, line, offset) => {
    const text = decodeUtf8(out.view(), start, out.length);
    out.clear(KEPT_CAPACITY);
    return this.#value(JSON.parse(text), text, false, line, offset);
  };
  readonly #value: NonNullable<AnswerTaker["value"]> = (
    value,
    text,
    isProven,
    line,
    offset,
  ) => {
    if (!isProven && this.#check && this.#answers.kind === "rollout") {
      const reason = this.#check(value);
      if (reason !== undefined) return reason;
    }
    // The boundary where JSON gets its type: the check has accepted the value.
    this.#emit({ ok: true, line, offset, value: value as T, text });
    return undefined;
  };

  /**
   * Constructs a new instance.
   *
   * @param check Checks that values are of type `T`.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another option
   *   has an unknown value.
   * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here.
   */
  constructor(options: JsonlOptions, check?: LineCheck) {
    this.#check = check;
    this.#answers = new LineAnswers(
      { ...options, onError: options.onError ?? "inline" },
      {
        record: this.#record,
        value: this.#value,
        proof: ROLLOUT_LINE_PROOF,
        failure: (failed) => this.#emit(failed.toFailure()),
      },
    );
  }

  /** The kind of the input; `undefined` until a line has shown it. */
  get kind(): StreamKind | undefined {
    return this.#answers.kind;
  }

  /** Returns the state that later lines depend on; see {@linkcode JsonlNormalizer.save}. */
  save(): unknown {
    return this.#answers.save();
  }

  /** The engine that currently processes lines. */
  get engine(): Exclude<Engine, "auto"> {
    return this.#answers.engine;
  }

  /** The number of lines that WebAssembly has processed. */
  get fastLines(): number {
    return this.#answers.fastLines;
  }

  /** The number of lines that have failed. */
  get failures(): number {
    return this.#answers.failures;
  }

  /** The number of lines that became records which `only` and `thread` select. */
  get records(): number {
    return this.#answers.records;
  }

  /**
   * Emits the outcomes of the lines that a block completes.
   *
   * @param block The bytes; the caller may reuse them afterwards.
   * @throws {LineError} If a line fails and `onError` is `stop`; the outcomes of the lines before
   *   it have been emitted then.
   * @throws {TypeError} If the block is not a `Uint8Array`.
   */
  feed(block: Uint8Array, emit: Emit<Outcome<T>>): void {
    this.#emit = emit;
    this.#answers.feed(block);
  }

  /**
   * Ends the input and emits the outcome of a last line without LF.
   *
   * @throws {LineError} If the line fails and `onError` is `stop`.
   */
  flush(emit: Emit<Outcome<T>>): void {
    this.#emit = emit;
    try {
      this.#answers.flush();
    } finally {
      this.#answers.end();
    }
  }
}
