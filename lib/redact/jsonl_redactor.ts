/**
 * Secrets out of the strings of JSONL, whatever its records are.
 *
 * @module
 */

import { checkBytes } from "../checked.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import { CR, LF } from "../json/bytes.ts";
import { WordCache } from "../json/names.ts";
import { JsonTape } from "../json/tape.ts";
import { decodeUtf8, isUtf8 } from "../json/utf8.ts";
import { writeLineFailed } from "../lines/failures.ts";
import { LineFramer, type LineVisitor } from "../lines/line_framer.ts";
import {
  checkedMaxLineBytes,
  type LineSplitterOptions,
  lineTooLong,
} from "../lines/line_splitter.ts";
import type { Failure } from "../outcome.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";
import { DeltaLines, isDelta } from "./_delta_lines.ts";
import type { Redactors } from "./_joined_pieces.ts";
import { redactRecordText, redactTornText } from "./_record_text.ts";
import { Redactor, type RedactorOptions } from "./redactor.ts";

/** Options for {@linkcode JsonlRedactor}. */
export interface JsonlRedactorOptions
  extends RedactorOptions, LineSplitterOptions {
  /**
   * Is told of each line that was over the limit: where it is, and what is wrong with it.
   *
   * @default {undefined}
   */
  readonly onFailure?: ((failed: Failure) => void) | undefined;
}

/** Room for a block of the usual size. */
const KEPT_CAPACITY = 1 << 17;
const BOM = new Uint8Array([0xef, 0xbb, 0xbf]);

/**
 * Masks the secrets in the strings of JSONL, blocks of bytes in and blocks of bytes out.
 *
 * Each line comes out where it went in, and of a line only the strings change that hold a
 * secret: numbers, the order of keys, white space, escapes and line ends stay as they are.
 * A string is looked at as what it means, not as it is escaped, and so are those of JSON that
 * a string holds; where a key is the name of a secret its whole string is masked; output of
 * commands in base64 or in bytes (0.20 to 0.42) is looked into, and so is what `line.failed`
 * records hold of failed lines. Keys are redacted like any other string; those of a record
 * that would become the same are numbered (`[redacted:token_2]`). Lines that are no JSON, and
 * bytes that are no UTF-8, are redacted as text. A line over the limit cannot be looked at:
 * a `line.failed` record without its text stands in its place, and `onFailure` is told.
 *
 * A secret that is spread over several records, as the deltas of a message may have it, is found
 * where they come one after the other, and those of other items between them: such lines come
 * out when the item ends, or 64 KiB of it, and what stands in place of the secret stands in the
 * first of them.
 *
 * Memory is bounded by the longest line, the largest block, and some 4 MB of such lines.
 *
 * @example A secret behind an escape
 * ```ts
 * import { JsonlRedactor } from "@codexpipe/codexpipe/redact";
 * import { assertEquals } from "@std/assert";
 *
 * const redactor = new JsonlRedactor();
 * const block = new TextEncoder().encode('{"n":1.0,"s":"AKIA\\u0049OSFODNN7EXAMPLE"}\n');
 * let text = "";
 * redactor.feed(block, (bytes) => text += new TextDecoder().decode(bytes));
 *
 * assertEquals(text, '{"n":1.0,"s":"[redacted:aws_access_key_id]"}\n');
 * assertEquals([...redactor.counts], [["aws_access_key_id", 1]]);
 * ```
 */
export class JsonlRedactor
  implements Stage<Uint8Array, Uint8Array<ArrayBuffer>> {
  readonly #framer: LineFramer;
  readonly #writer: RedactingWriter;
  readonly #redactor: Redactor;

  /**
   * Constructs a new instance.
   *
   * @param options What else is a secret, and the limit on the length of a line.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24.
   */
  constructor(options: JsonlRedactorOptions = {}) {
    const limit = checkedMaxLineBytes(options.maxLineBytes);
    this.#framer = new LineFramer(limit);
    this.#redactor = new Redactor(options);
    this.#writer = new RedactingWriter(
      { redactor: this.#redactor, scout: new Redactor(options) },
      limit,
      options.onFailure,
    );
  }

  /** How many secrets were masked so far, by kind, in the order of their first ones. */
  get counts(): ReadonlyMap<string, number> {
    return this.#redactor.counts;
  }

  /**
   * Takes a block and emits the lines that it completes, if there are any, as one block.
   * The block that is emitted is used again: copy what must outlast the call.
   *
   * @param block The bytes; they may be used again afterwards.
   * @param emit Is called with the lines.
   * @throws {TypeError} If the block is no bytes.
   */
  feed(block: Uint8Array, emit: Emit<Uint8Array<ArrayBuffer>>): void {
    checkBytes(block);
    this.#framer.feed(block, this.#writer);
    this.#release(emit);
  }

  /**
   * Ends the input and emits a last line without LF, without LF.
   *
   * @param emit Is called with the line.
   */
  flush(emit: Emit<Uint8Array<ArrayBuffer>>): void {
    this.#writer.isLast = true;
    this.#framer.flush(this.#writer);
    this.#writer.flush();
    this.#release(emit);
  }

  #release(emit: Emit<Uint8Array<ArrayBuffer>>): void {
    const { out } = this.#writer;
    if (out.length > 0) emit(out.view());
    out.clear(KEPT_CAPACITY);
  }
}

/** Writes lines without their secrets. */
class RedactingWriter implements LineVisitor {
  readonly out = new ByteWriter(KEPT_CAPACITY);
  /** A line behind others that wait. */
  readonly #late = new ByteWriter(KEPT_CAPACITY);
  readonly #deltas: DeltaLines;
  readonly #redactors: Redactors;
  readonly #limit: number;
  readonly #tape = new JsonTape(new WordCache());
  /** Whether the line is one without LF. */
  isLast = false;
  readonly #onFailure: JsonlRedactorOptions["onFailure"];

  constructor(
    redactors: Redactors,
    limit: number,
    onFailure: JsonlRedactorOptions["onFailure"],
  ) {
    this.#redactors = redactors;
    this.#deltas = new DeltaLines(redactors, this.out);
    this.#limit = limit;
    this.#onFailure = onFailure;
  }

  line(bytes: Uint8Array, start: number, end: number, line: number): void {
    // A first line begins its buffer, with the byte order mark that was skipped.
    if (line === 1 && start > 0) this.out.all(BOM);
    const isCr = bytes[end] === CR;
    const isRecord = this.#tape.scan(bytes, start, end, 0);
    const text = isRecord ? decodeUtf8(bytes, start, end) : undefined;
    if (text !== undefined && isDelta(text)) {
      const lineEnd = `${isCr ? "\r" : ""}${this.isLast ? "" : "\n"}`;
      if (this.#deltas.take(text, lineEnd)) return;
    }
    const late = this.#deltas.isHolding;
    const out = late ? this.#late : this.out;
    this.#content(out, bytes, start, end, text);
    if (isCr) out.byte(CR);
    if (!this.isLast) out.byte(LF);
    if (late) this.#follow(text);
  }

  tooLong(length: number, line: number, offset: number): void {
    const error = lineTooLong(length, this.#limit);
    const failed: Failure = { ok: false, line, offset, error };
    this.#onFailure?.(failed);
    const late = this.#deltas.isHolding;
    const out = late ? this.#late : this.out;
    writeLineFailed(out, failed, undefined);
    if (!this.isLast) out.byte(LF);
    if (late) this.#follow(undefined);
  }

  /** Lets go of the lines that wait for more. */
  flush(): void {
    this.#deltas.flush();
  }

  #follow(text: string | undefined): void {
    this.#deltas.follow(text, this.#late.view().slice());
    this.#late.clear(KEPT_CAPACITY);
  }

  /** Writes a line without its secrets; `record` is its text, if it is JSON. */
  #content(
    out: ByteWriter,
    bytes: Uint8Array,
    start: number,
    end: number,
    record: string | undefined,
  ): void {
    const redactors = this.#redactors;
    if (record !== undefined || isUtf8(bytes, start, end)) {
      const text = record ?? decodeUtf8(bytes, start, end);
      const redacted = record === undefined
        ? redactTornText(text, redactors)
        : redactRecordText(text, redactors);
      if (redacted === text) out.range(bytes, start, end);
      else out.text(redacted);
      return;
    }
    // A character for each byte: those that are not redacted stay what they are.
    let text = "";
    for (let at = start; at < end; at++) {
      text += String.fromCharCode(bytes[at] ?? 0);
    }
    for (const letter of redactors.redactor.redact(text)) {
      out.byte(letter.charCodeAt(0));
    }
  }
}

/** {@linkcode JsonlRedactor} as a stream. */
export class JsonlRedactorStream
  extends StageStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  readonly #redactor: JsonlRedactor;

  /**
   * Constructs a new instance.
   *
   * @param options What else is a secret, and the limit on the length of a line.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24.
   *
   * @example A log without its secrets
   * ```ts
   * import { JsonlRedactorStream } from "@codexpipe/codexpipe/redact";
   * import { assertEquals } from "@std/assert";
   *
   * const redactor = new JsonlRedactorStream();
   * const redacted = new Blob(['{"password":"swordfish"}']).stream().pipeThrough(redactor);
   *
   * assertEquals(await new Response(redacted).text(), '{"password":"[redacted:password]"}');
   * assertEquals(redactor.counts.get("password"), 1);
   * ```
   */
  constructor(options: JsonlRedactorOptions = {}) {
    const redactor = new JsonlRedactor(options);
    super({
      // A stream keeps what is enqueued, so the block that is used again is copied.
      feed: (block, emit) => redactor.feed(block, (out) => emit(out.slice())),
      flush: (emit) => redactor.flush((out) => emit(out.slice())),
    });
    this.#redactor = redactor;
  }

  /** How many secrets were masked so far, by kind, in the order of their first ones. */
  get counts(): ReadonlyMap<string, number> {
    return this.#redactor.counts;
  }
}
