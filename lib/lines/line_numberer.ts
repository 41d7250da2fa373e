/** Numbers lines that were split elsewhere. */

import { checkText } from "../checked.ts";
import { CR } from "../json/bytes.ts";
import type { Outcome } from "../outcome.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";

const ENCODER = new TextEncoder();

/**
 * Numbers lines that are already split, for example by the `TextLineStream` of `@std/streams`. It
 * treats them like {@linkcode LineSplitter}: a byte order mark at the start of the first line and
 * one CR at the end of each line are removed.
 *
 * Offsets are counted as if each line had ended in one LF.
 *
 * @example Lines from a list
 * ```ts
 * import { LineNumberer, type Outcome } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const lines: Outcome<string>[] = [];
 * const numberer = new LineNumberer();
 * for (const text of ["{}\r", ""]) numberer.feed(text, (line) => lines.push(line));
 *
 * assertEquals(lines, [
 *   { ok: true, line: 1, offset: 0, value: "{}" },
 *   { ok: true, line: 2, offset: 4, value: "" },
 * ]);
 * ```
 */
export class LineNumberer implements Stage<string, Outcome<string>> {
  #line = 0;
  #offset = 0;

  /**
   * Emits a line with its number.
   *
   * @param text The line, without its LF.
   * @param emit Called with the numbered line.
   * @throws {TypeError} If the line is not a string.
   */
  feed(text: string, emit: Emit<Outcome<string>>): void {
    checkText(text);
    this.#line += 1;
    const start = this.#line === 1 && text.startsWith("\ufeff") ? 1 : 0;
    const end = text.charCodeAt(text.length - 1) === CR
      ? text.length - 1
      : text.length;
    const value = text.slice(start, Math.max(start, end));
    emit({ ok: true, line: this.#line, offset: this.#offset, value });
    this.#offset += ENCODER.encode(text).length + 1;
  }
}

/** {@linkcode LineNumberer} as a stream. */
export class LineNumbererStream extends StageStream<string, Outcome<string>> {
  /**
   * Constructs a new instance.
   *
   * @example Behind another line splitter
   * ```ts
   * import { LineNumbererStream } from "@codexpipe/codexpipe";
   * import { TextLineStream } from "@std/streams";
   * import { assertEquals } from "@std/assert";
   *
   * const lines = ReadableStream.from(["a\nb"])
   *   .pipeThrough(new TextLineStream())
   *   .pipeThrough(new LineNumbererStream());
   *
   * assertEquals((await Array.fromAsync(lines)).map(({ line }) => line), [1, 2]);
   * ```
   */
  constructor() {
    super(new LineNumberer());
  }
}
