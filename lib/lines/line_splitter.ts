/** Splits bytes in chunks of any size into numbered lines. */

import { checkBytes } from "../checked.ts";
import { copyOf } from "../json/bytes.ts";
import type { FailureReason } from "../errors.ts";
import { UTF8_REASON } from "../json/problems.ts";
import { decodeUtf8, isUtf8 } from "../json/utf8.ts";
import type { Outcome } from "../outcome.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";
import {
  DEFAULT_MAX_LINE_BYTES,
  LineFramer,
  type LineVisitor,
  MAX_LINE_BYTES,
} from "./line_framer.ts";

/** Options for {@linkcode LineSplitter}. */
export interface LineSplitterOptions {
  /**
   * The longest line that is read, in bytes, without its LF. A longer one becomes a `line_too_long`
   * failure, and the next line is read. At most 2^29 - 24.
   *
   * @default {268435456}
   */
  readonly maxLineBytes?: number | undefined;
}

/**
 * Splits bytes into numbered lines, whatever the chunk boundaries.
 *
 * Only LF ends a line; one CR before it belongs to the terminator. A last line without LF is a
 * line. A byte order mark at the very start is skipped. Blank lines are kept. A line that is not
 * valid UTF-8 is a `utf8` failure, a line over the limit is a `line_too_long` failure; both leave
 * the lines around them unaffected (normalize.md L2 to L8).
 *
 * The work is linear in the length of a line, however it is chunked. Memory is bounded by the
 * longest line. Chunks are not kept: the caller may reuse them.
 *
 * @example Feed arbitrary chunks
 * ```ts
 * import { LineSplitter } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const bytes = new TextEncoder().encode("a\r\nb");
 * const splitter = new LineSplitter();
 * const texts: unknown[] = [];
 * for (const chunk of [bytes.subarray(0, 2), bytes.subarray(2)]) {
 *   splitter.feed(chunk, (line) => texts.push(line.ok && line.value));
 * }
 * splitter.flush((line) => texts.push(line.ok && line.value));
 *
 * assertEquals(texts, ["a", "b"]);
 * ```
 */
export class LineSplitter implements Stage<Uint8Array, Outcome<string>> {
  readonly #framer: LineFramer;
  readonly #visitor: LineVisitor;
  #emit: Emit<Outcome<string>> = () => {};

  /**
   * Constructs a new instance.
   *
   * @param options The limit on the length of a line.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24.
   */
  constructor(options: LineSplitterOptions = {}) {
    const limit = checkedMaxLineBytes(options.maxLineBytes);
    this.#framer = new LineFramer(limit);
    this.#visitor = {
      line: (bytes, start, end, line, offset) => {
        const value = decodeUtf8(bytes, start, end);
        // U+FFFD may also stand in the line itself, so only then the bytes are checked.
        if (value.includes("\ufffd") && !isUtf8(bytes, start, end)) {
          const rawBytes = copyOf(bytes, start, end);
          const error = UTF8_REASON;
          this.#emit({ ok: false, line, offset, error, raw: value, rawBytes });
        } else this.#emit({ ok: true, line, offset, value });
      },
      tooLong: (length, line, offset) => {
        const error = lineTooLong(length, limit);
        this.#emit({ ok: false, line, offset, error });
      },
    };
  }

  /**
   * Emits the lines that a chunk completes.
   *
   * @param chunk The bytes.
   * @param emit Called with each line.
   * @throws {TypeError} If the chunk is not a `Uint8Array`.
   */
  feed(chunk: Uint8Array, emit: Emit<Outcome<string>>): void {
    checkBytes(chunk);
    this.#emit = emit;
    this.#framer.feed(chunk, this.#visitor);
  }

  /**
   * Ends the input and emits a last line without LF.
   *
   * @param emit Called with the line.
   */
  flush(emit: Emit<Outcome<string>>): void {
    this.#emit = emit;
    this.#framer.flush(this.#visitor);
  }
}

/** {@linkcode LineSplitter} as a stream. */
export class LineSplitterStream extends StageStream<
  Uint8Array,
  Outcome<string>
> {
  /**
   * Constructs a new instance.
   *
   * @param options The limit on the length of a line.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24.
   *
   * @example Lines of a stream
   * ```ts
   * import { LineSplitterStream } from "@codexpipe/codexpipe";
   * import { assertEquals } from "@std/assert";
   *
   * const lines = new Blob(["a\n\nb"]).stream().pipeThrough(new LineSplitterStream());
   *
   * assertEquals((await Array.fromAsync(lines)).map(({ line }) => line), [1, 2, 3]);
   * ```
   */
  constructor(options: LineSplitterOptions = {}) {
    super(new LineSplitter(options));
  }
}

/**
 * Returns a limit on the length of a line, checked.
 *
 * @param limit The limit in bytes, or `undefined` for the default.
 * @throws {RangeError} If it is not a whole number from 1 to 2^29 - 24.
 */
export function checkedMaxLineBytes(
  limit: number = DEFAULT_MAX_LINE_BYTES,
): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LINE_BYTES) {
    throw new RangeError(
      `Cannot limit lines to ${limit} bytes: expected a whole number from 1 to ${MAX_LINE_BYTES}`,
    );
  }
  return limit;
}

export function lineTooLong(bytes: number, limit: number): FailureReason {
  return {
    kind: "line_too_long",
    message:
      `Cannot read the line: it has ${bytes} bytes, the limit is ${limit}`,
    bytes,
    limit,
  };
}
