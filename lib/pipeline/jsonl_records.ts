/** Composes the stages from bytes to the values of normalized records. */

import type { FailureReason } from "../errors.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { NO_PROOF } from "../json/value_plan.ts";
import {
  type AnswerTaker,
  type JsonlOptions,
  JsonlStage,
  LineAnswers,
} from "./line_answers.ts";
import type { Outcome } from "../outcome.ts";
import { ROLLOUT_LINE_PROOF } from "../dialects/rollout/decoder.ts";
import type { Emit } from "../stage.ts";

/**
 * Checks the value of a line of a rollout file.
 *
 * It is not called for exec records, which were written by the shapes of their types, nor for
 * rollout lines that are proven to have their types. The other rollout lines are checked because
 * the normalizer does not change them.
 *
 * @returns The reason if the value does not have the requested type; nothing if it does.
 */
export type LineCheck = (value: unknown) => FailureReason | undefined;

/** The capacity that is kept for records; a line of usual length fits. */
const KEPT_CAPACITY = 1 << 16;

/**
 * Reads JSONL of any dialect: blocks of bytes in, the values of normalized records out.
 *
 * A line fails if it cannot be normalized, or if there is a check and it fails that. The values of
 * exec streams are events, because they were written by the shapes of their types. In rollout files a
 * field may be absent or of a type that no known release writes, unless a check refuses it.
 */
export class JsonlRecords<T = unknown> extends JsonlStage<Outcome<T>> {
  readonly #answers: LineAnswers;

  /**
   * @param check Checks that values are of type `T`.
   * @param eventCheck Checks the records of exec streams and app-servers, which are events.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another option
   *   has an unknown value.
   * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here.
   */
  constructor(
    options: JsonlOptions,
    check?: LineCheck,
    eventCheck?: LineCheck,
  ) {
    let emitTo: Emit<Outcome<T>> = () => {};
    const take: NonNullable<AnswerTaker["value"]> = (
      value,
      text,
      isProven,
      line,
      offset,
    ) => {
      const isLine = answers.kind === "rollout";
      const reason = isProven
        ? undefined
        : (isLine ? check : eventCheck)?.(value);
      if (reason !== undefined) return reason;
      // The boundary where JSON gets its type: the check has accepted the value.
      emitTo({ ok: true, line, offset, value: value as T, text });
      return undefined;
    };
    const answers: LineAnswers = new LineAnswers(
      { ...options, onError: options.onError ?? "inline" },
      {
        record(out, line, offset): FailureReason | undefined {
          const text = decodeUtf8(out.view(), 0, out.length);
          out.clear(KEPT_CAPACITY);
          return take(JSON.parse(text), text, false, line, offset);
        },
        value: take,
        proof: check === undefined ? NO_PROOF : ROLLOUT_LINE_PROOF,
        failure: (failed) => emitTo(failed.toFailure()),
      },
    );
    super(answers, {
      feed(block, emit): void {
        emitTo = emit;
        answers.feed(block);
      },
      flush(emit): void {
        emitTo = emit;
        try {
          answers.flush();
        } finally {
          answers.end();
        }
      },
    });
    this.#answers = answers;
  }

  /** Returns the state that later lines depend on; see {@linkcode JsonlNormalizer.save}. */
  save(): unknown {
    return this.#answers.save();
  }
}
