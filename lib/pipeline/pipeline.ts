/** Composes the stages from bytes to bytes: blocks in, blocks of normalized JSONL out. */

import { LF } from "../json/bytes.ts";
import {
  type AnswerTaker,
  type JsonlOptions,
  JsonlStage,
  LineAnswers,
} from "./line_answers.ts";
import { StageStream } from "../stage.ts";

/** The capacity that is kept for output; the records of a block of usual size fit. */
const KEPT_CAPACITY = 1 << 21;

/**
 * Normalizes JSONL, blocks of bytes in and blocks of bytes out.
 *
 * This has the effect of {@linkcode LineSplitter}, {@linkcode Normalizer} and the encoder together,
 * without a string or an object for each line: records are composed of the bytes that they were
 * read from. Every line that is not blank is processed as soon as it is complete. The records of a
 * block are emitted as one block, which is reused: copy it if it must outlast the call.
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
export class JsonlNormalizer extends JsonlStage<Uint8Array<ArrayBuffer>> {
  readonly #answers: LineAnswers;

  /**
   * Constructs a new instance.
   *
   * @param options The dialect, the limits, and the treatment of failures.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another option
   *   has an unknown value.
   * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here.
   */
  constructor(options: JsonlOptions = {}) {
    const answers = new LineAnswers(
      { ...options, onError: options.onError ?? "report" },
      WRITER,
    );
    super(answers, {
      feed(block, emit): void {
        try {
          answers.feed(block);
        } finally {
          answers.out.release(emit, KEPT_CAPACITY);
        }
      },
      flush(emit): void {
        try {
          answers.flush();
        } finally {
          answers.out.release(emit, KEPT_CAPACITY);
          answers.end();
        }
      },
    });
    this.#answers = answers;
  }

  /**
   * Returns the state that later lines depend on: the context, the dialect, unfinished items. A new
   * normalizer that gets it as `resume` continues the stream, except that the numbers and offsets
   * of lines start again.
   *
   * @returns Plain JSON.
   */
  save(): unknown {
    return this.#answers.save();
  }
}

/** Leaves the records in the buffer, each on its line. */
const WRITER: AnswerTaker = {
  record(out) {
    out.byte(LF);
    return undefined;
  },
  failure(failed, out) {
    failed.write(out);
    out.byte(LF);
  },
};

/** {@linkcode JsonlNormalizer} as a stream. */
export class JsonlNormalizerStream
  extends StageStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  /**
   * Constructs a new instance.
   *
   * @param options The dialect, the limits, and the treatment of failures.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another option
   *   has an unknown value.
   * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here.
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
  constructor(options: JsonlOptions = {}) {
    const normalizer = new JsonlNormalizer(options);
    super({
      // A stream keeps the chunks in its queue, so the reused block is copied.
      feed: (block, emit) => normalizer.feed(block, (out) => emit(out.slice())),
      flush: (emit) => normalizer.flush((out) => emit(out.slice())),
    });
  }
}
