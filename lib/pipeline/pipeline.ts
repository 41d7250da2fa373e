/** The stages composed, from bytes to bytes: blocks in, blocks of normalized JSONL out. */

import type { StreamKind } from "../dialects/dialect_names.ts";
import { LF } from "../json/bytes.ts";
import {
  type AnswerTaker,
  type Engine,
  type JsonlOptions,
  LineAnswers,
  type OnError,
} from "./line_answers.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";

export type { FailureView } from "../lines/failures.ts";
export {
  type Engine,
  ENGINES,
  type JsonlOptions,
  type OnError,
} from "./line_answers.ts";

/** Options for {@linkcode JsonlNormalizer}. */
export interface JsonlNormalizerOptions extends JsonlOptions {
  /**
   * What happens to failed lines.
   *
   * @default {"report"}
   */
  readonly onError?: OnError | undefined;
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
  readonly #answers: LineAnswers;

  /**
   * Constructs a new instance.
   *
   * @param options The dialect, the limits, and what to do with failures.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another
   *   option is none of its words.
   * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here.
   */
  constructor(options: JsonlNormalizerOptions = {}) {
    this.#answers = new LineAnswers(
      { ...options, onError: options.onError ?? "report" },
      WRITER,
    );
  }

  /** What the input has turned out to be; `undefined` until a line has told. */
  get kind(): StreamKind | undefined {
    return this.#answers.kind;
  }

  /**
   * Writes down what later lines depend on: the context, the dialect, what is unfinished.
   * Given as `resume`, another one goes on as if nothing had happened, but for the numbers
   * and offsets of lines.
   *
   * @returns Plain JSON.
   */
  save(): unknown {
    return this.#answers.save();
  }

  /** What answers lines by now; with `engine: "auto"` that changes with the input. */
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
   * Takes a block and emits the answers to the lines that it completes, if there are any,
   * as one block. The block that is emitted is used again: copy what must outlast the call.
   *
   * @param block The bytes; they may be used again afterwards.
   * @param emit Is called with the answers.
   * @throws {LineError} If a line fails and `onError` is `stop`; the answers to the lines
   *   before it have been emitted then.
   * @throws {TypeError} If the block is no bytes.
   */
  feed(block: Uint8Array, emit: Emit<Uint8Array<ArrayBuffer>>): void {
    try {
      this.#answers.feed(block);
    } finally {
      this.#release(emit);
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
      this.#answers.flush();
    } finally {
      this.#release(emit);
      this.#answers.end();
    }
  }

  /** Gives away what has been gathered. */
  #release(emit: Emit<Uint8Array<ArrayBuffer>>): void {
    const { out } = this.#answers;
    if (out.length > 0) emit(out.view());
    out.clear(KEPT_CAPACITY);
  }
}

/** Leaves the answers where they are, each on its line. */
const WRITER: AnswerTaker = {
  takesLines: true,
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
   * @param options The dialect, the limits, and what to do with failures.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another
   *   option is none of its words.
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
  constructor(options: JsonlNormalizerOptions = {}) {
    const normalizer = new JsonlNormalizer(options);
    super({
      // A stream keeps what is enqueued, so the block that is used again is copied.
      feed: (block, emit) => normalizer.feed(block, (out) => emit(out.slice())),
      flush: (emit) => normalizer.flush((out) => emit(out.slice())),
    });
  }
}
