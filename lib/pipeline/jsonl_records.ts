/** The stages composed, from bytes to the values of normalized records. */

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
 * Says why the value of a line of a rollout file is none that is asked for.
 *
 * It is not called for exec records, which were written by the shapes of their types, nor for lines that are proven to be as their types say: the normalizer leaves the others as
 * they are.
 *
 * @returns Why; nothing if it is one.
 */
export interface LineCheck {
  (value: unknown): FailureReason | undefined;
}

/** Room for the record of a line of the usual length. */
const KEPT_CAPACITY = 1 << 16;

/**
 * Reads JSONL of any dialect: blocks of bytes in, the values of normalized records out.
 *
 * What fails is what fails to be normalized, and what fails the check if there is one. The
 * values of exec streams are events then, since they were written by the shapes of their
 * types; those of rollout files are open: every field may be missing or of another kind than
 * in the releases that are known.
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
    // The boundary where JSON gets its type: that of what the check lets pass.
    this.#emit({ ok: true, line, offset, value: value as T, text });
    return undefined;
  };

  /**
   * Constructs a new instance.
   *
   * @param check Says which values are none of `T`.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another
   *   option is none of its words.
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

  /** What the input has turned out to be; `undefined` until a line has told. */
  get kind(): StreamKind | undefined {
    return this.#answers.kind;
  }

  /** Writes down what later lines depend on; see {@linkcode JsonlNormalizer.save}. */
  save(): unknown {
    return this.#answers.save();
  }

  /** What answers lines by now. */
  get engine(): Exclude<Engine, "auto"> {
    return this.#answers.engine;
  }

  /** How many of the lines WebAssembly has answered. */
  get fastLines(): number {
    return this.#answers.fastLines;
  }

  /** How many lines have failed so far. */
  get failures(): number {
    return this.#answers.failures;
  }

  /** How many lines have become records so far that `only` and `thread` ask for. */
  get records(): number {
    return this.#answers.records;
  }

  /**
   * Takes a block and emits what becomes of the lines that it completes.
   *
   * @param block The bytes; they may be used again afterwards.
   * @throws {LineError} If a line fails and `onError` is `stop`; the outcomes of the lines
   *   before it have been emitted then.
   * @throws {TypeError} If the block is no bytes.
   */
  feed(block: Uint8Array, emit: Emit<Outcome<T>>): void {
    this.#emit = emit;
    this.#answers.feed(block);
  }

  /**
   * Ends the input and emits what becomes of a last line without LF.
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
