/** Lines that were split elsewhere to numbered lines. */

import { checkText } from "../checked.ts";
import { CR } from "../json/bytes.ts";
import type { Outcome } from "../outcome.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";

const ENCODER = new TextEncoder();

/**
 * Numbers lines that are split already, as by the `TextLineStream` of
 * `@std/streams`, and treats them as {@linkcode LineSplitter} would: a byte order mark at
 * the start of the first one and one CR at the end of each are dropped.
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
   * Takes a line and emits it with its number.
   *
   * @param text The line, without its LF.
   * @param emit Is called with it.
   * @throws {TypeError} If it is no text.
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
