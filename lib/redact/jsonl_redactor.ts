/** Masks secrets in the strings of JSONL with records of any kind. */

import { checkBytes } from "../checked.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import {
  bytesOfList,
  CR,
  latin1OfBase64,
  latin1OfBytes,
  LF,
} from "../json/bytes.ts";
import {
  type Fields,
  fieldsOf,
  isObject,
  listOf,
  parseJson,
  textOf,
} from "../json/fields.ts";
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
import { CHUNK, redactedPieces, redactRecord } from "./json_strings.ts";
import { Redactor, type RedactorOptions } from "./redactor.ts";

/** Options for {@linkcode JsonlRedactor}. */
export interface JsonlRedactorOptions
  extends RedactorOptions, LineSplitterOptions {
  /**
   * Is called with each line over the limit: its number and offset, and the error.
   *
   * @default {undefined}
   */
  readonly onFailure?: ((failed: Failure) => void) | undefined;
}

/** The capacity that output buffers keep between blocks, in bytes. */
const KEPT_CAPACITY = 1 << 17;
const BOM = new Uint8Array([0xef, 0xbb, 0xbf]);

/**
 * Masks the secrets in the strings of JSONL: blocks of bytes in, blocks of bytes out.
 *
 * The order of lines stays the same, and only strings with a secret change: numbers, the order of
 * keys, white space, escapes and line ends are kept.
 *
 * - Strings are redacted without their escapes, and so is JSON inside of a string. If a key is the
 *   name of a secret, its whole string is masked.
 * - Command output in base64 or as a list of bytes (0.20 to 0.42) is redacted, and so is the text
 *   of failed lines in `line.failed` records.
 * - Keys are redacted like other strings. If several keys of a record would become equal, they are
 *   numbered (`[redacted:token_2]`).
 * - Lines that are not JSON, and bytes that are not UTF-8, are redacted as text.
 * - A line over the limit cannot be redacted. A `line.failed` record without its text replaces it,
 *   and `onFailure` is called.
 *
 * A secret that is spread over several records, such as the deltas of a message, is found if the
 * records follow one another; records of other items may be between them. Such lines are held
 * until the item ends or has 64 KiB, and the placeholder is put into the first of them.
 *
 * Memory is bounded by the longest line, the largest block, and some 4 MB of held lines.
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
  readonly #limit: number;
  readonly #onFailure: JsonlRedactorOptions["onFailure"];
  readonly #redactor: Redactor;
  readonly #tape = new JsonTape();
  readonly #out = new ByteWriter(KEPT_CAPACITY);
  /** The lines that are held, as their texts may continue on later ones. */
  readonly #deltas: DeltaLines;
  /** The redacted line, which may have to wait for held lines before it. */
  readonly #line = new ByteWriter(KEPT_CAPACITY);
  /** Whether the line is the last one, without LF. */
  #isLast = false;

  /**
   * Constructs a new instance.
   *
   * @param options Patterns of further secrets, and the maximum length of a line.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24.
   */
  constructor(options: JsonlRedactorOptions = {}) {
    this.#limit = checkedMaxLineBytes(options.maxLineBytes);
    this.#onFailure = options.onFailure;
    this.#framer = new LineFramer(this.#limit);
    this.#redactor = new Redactor(options);
    this.#deltas = new DeltaLines(this.#redactor, this.#out);
  }

  /** The number of secrets masked so far, by kind, in the order of their first occurrence. */
  get counts(): ReadonlyMap<string, number> {
    return this.#redactor.counts;
  }

  /**
   * Reads a block and emits the lines that it completes, if there are any, as one block.
   * The emitted block is overwritten by the next call: copy bytes that must outlast this one.
   *
   * @param block The bytes; the caller may overwrite them afterwards.
   * @param emit Is called with the lines.
   * @throws {TypeError} If `block` is not a `Uint8Array`.
   */
  feed(block: Uint8Array, emit: Emit<Uint8Array<ArrayBuffer>>): void {
    checkBytes(block);
    this.#framer.feed(block, this.#visitor);
    this.#out.release(emit, KEPT_CAPACITY);
  }

  /**
   * Ends the input and emits the held lines, and a last line without LF as it is.
   *
   * @param emit Is called with the lines.
   */
  flush(emit: Emit<Uint8Array<ArrayBuffer>>): void {
    this.#isLast = true;
    this.#framer.flush(this.#visitor);
    this.#deltas.flush();
    this.#out.release(emit, KEPT_CAPACITY);
  }

  readonly #visitor: LineVisitor = {
    line: (bytes, start, end, line) => {
      // The framer skips a byte order mark, and then the first line starts behind it.
      if (line === 1 && start > 0) this.#out.all(BOM);
      const isCr = bytes[end] === CR;
      const isRecord = this.#tape.scan(bytes, start, end, 0);
      const text = isRecord ? decodeUtf8(bytes, start, end) : undefined;
      const isDelta = text !== undefined &&
        DELTA_REGEXP.test(text.slice(0, HEAD_LENGTH));
      if (isDelta) {
        const lineEnd = `${isCr ? "\r" : ""}${this.#isLast ? "" : "\n"}`;
        if (this.#deltas.take(text, lineEnd)) return;
      }
      this.#content(bytes, start, end, text);
      if (isCr) this.#line.byte(CR);
      this.#end(text);
    },
    tooLong: (length, line, offset) => {
      const error = lineTooLong(length, this.#limit);
      const failed: Failure = { ok: false, line, offset, error };
      this.#onFailure?.(failed);
      writeLineFailed(this.#line, failed, undefined);
      this.#end(undefined);
    },
  };

  #end(text: string | undefined): void {
    const line = this.#line;
    if (!this.#isLast) line.byte(LF);
    if (this.#deltas.isHolding) this.#deltas.follow(text, line.view().slice());
    else this.#out.all(line.view());
    line.clear(KEPT_CAPACITY);
  }

  /** Writes a line with its secrets masked; `record` is its text, if it is JSON. */
  #content(
    bytes: Uint8Array,
    start: number,
    end: number,
    record: string | undefined,
  ): void {
    const redactor = this.#redactor;
    const out = this.#line;
    if (record !== undefined || isUtf8(bytes, start, end)) {
      const text = record ?? decodeUtf8(bytes, start, end);
      let redacted = redactRecord(text, redactor);
      // A line that is not JSON is also redacted as text.
      if (record === undefined) redacted = redactor.redact(redacted);
      if (redacted === text) out.range(bytes, start, end);
      else out.text(redacted);
      return;
    }
    // One character per byte, so that bytes which are not masked stay the same.
    const text = latin1OfBytes(bytes.subarray(start, end));
    for (const letter of redactor.redact(text)) {
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
   * @param options Patterns of further secrets, and the maximum length of a line.
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
      // A stream keeps enqueued blocks, so the block, which will be overwritten, is copied.
      feed: (block, emit) => redactor.feed(block, (out) => emit(out.slice())),
      flush: (emit) => redactor.flush((out) => emit(out.slice())),
    });
    this.#redactor = redactor;
  }

  /** The number of secrets masked so far, by kind, in the order of their first occurrence. */
  get counts(): ReadonlyMap<string, number> {
    return this.#redactor.counts;
  }
}

// Texts in several lines: the deltas of a message or of command output. Lines with a piece of a
// text are held until the text is complete, and are redacted as one text.

/** The length of the beginning of a record in which its type is searched for. */
const HEAD_LENGTH = 600;
const DELTA_REGEXP = /[Dd]elta"|"appended"|"inserted"/;
/** The maximum depth of a piece in a record. */
const MAX_DEPTH = 6;
/** The maximum length of a text that is redacted at once; twice as long, if no line ends before. */
const MAX_TEXT = 1 << 16;
/** The maximum number of characters that are held; beyond these limits, all lines are released. */
const MAX_HELD = 1 << 22;
const MAX_LINES = 1 << 15;
const MAX_TEXTS = 256;
/** The maximum number of other lines before a text continues. */
const MAX_PAUSE = 128;
/** The members that differ between two pieces of one text. */
const VOLATILE_REGEXP =
  /^(?:offset|sequence|sequence_number|ordinal|timestamp|event_id)$/;
/** The members with the id of an item. */
const ITEM_ID_REGEXP = /^(?:call|item)_?id$/i;
const PREVIEW = "preview_markdown";

interface Piece {
  readonly name: string;
  /** The name that distinguishes its text from others of the same item. */
  readonly place: string;
  /** The string in the record: the text itself, or its bytes in base64. */
  readonly value: string;
  readonly text: string;
  /** The whole text so far, if the record has it, too. */
  readonly preview: string | undefined;
  masked?: string;
  maskedPreview?: string | undefined;
}

/** A text that is not complete yet. */
interface OpenText {
  /** A part of other lines that end the text; `undefined` if any other line does. */
  readonly ending: string | undefined;
  readonly pieces: Piece[];
  length: number;
  /** The number of other lines since its last piece. */
  pause: number;
  isOpen: boolean;
}

interface HeldLine {
  /** The number of characters or bytes that it keeps. */
  readonly size: number;
  /** The texts that it has pieces of. */
  readonly texts: readonly OpenText[];
  /** Writes the line, redacted, with its line end. */
  write(): void;
}

/** Holds lines with pieces of texts, and the lines after them. */
class DeltaLines {
  readonly #redactor: Redactor;
  readonly #out: ByteWriter;
  readonly #texts = new Map<string, OpenText>();
  #held: HeldLine[] = [];
  #size = 0;

  constructor(redactor: Redactor, out: ByteWriter) {
    this.#redactor = redactor;
    this.#out = out;
  }

  /** Whether lines are held, so that later lines have to wait behind them. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /**
   * Holds a line, if it has pieces of texts.
   *
   * @returns Whether the line is held.
   */
  take(text: string, lineEnd: string): boolean {
    const delta = deltaOf(text);
    if (delta === undefined) return false;
    const texts = delta.pieces.map((piece) => {
      const key = `${delta.key}\n${piece.place}`;
      let open = this.#texts.get(key);
      if (open === undefined) {
        const { ending } = delta;
        open = { ending, pieces: [], length: 0, pause: 0, isOpen: true };
        this.#texts.set(key, open);
      }
      open.pause = 0;
      open.pieces.push(piece);
      open.length += piece.text.length;
      const most = piece.text.endsWith("\n") ? MAX_TEXT : 2 * MAX_TEXT;
      if (open.length >= most) this.#close(key, open);
      return open;
    });
    const write = (): void =>
      this.#out.text(this.#redacted(text, delta.pieces) + lineEnd);
    this.#hold({ size: text.length, texts, write });
    return true;
  }

  /**
   * Holds a line without pieces, behind the lines held before.
   *
   * @param text The original line, which may end a text; `undefined` if it is not a record.
   * @param ready The redacted line with its line end.
   */
  follow(text: string | undefined, ready: Uint8Array): void {
    for (const [key, open] of this.#texts) {
      open.pause += 1;
      const isEnd = open.ending === undefined || open.pause > MAX_PAUSE ||
        text?.includes(open.ending) === true;
      if (isEnd) this.#close(key, open);
    }
    const write = (): void => this.#out.all(ready);
    this.#hold({ size: ready.length, texts: [], write });
  }

  /** Ends all texts, and writes all lines. */
  flush(): void {
    for (const [key, open] of this.#texts) this.#close(key, open);
    this.#release();
  }

  #hold(line: HeldLine): void {
    this.#held.push(line);
    this.#size += line.size;
    if (
      this.#size > MAX_HELD || this.#held.length > MAX_LINES ||
      this.#texts.size > MAX_TEXTS
    ) this.flush();
    else this.#release();
  }

  #close(key: string, open: OpenText): void {
    open.isOpen = false;
    this.#texts.delete(key);
    const { pieces } = open;
    if (pieces.length < 2) return;
    const masked = redactedPieces(
      pieces.map(({ text }) => text),
      "",
      this.#redactor,
    );
    if (masked === undefined) return;
    let before = "";
    let maskedBefore = "";
    for (const [i, piece] of pieces.entries()) {
      const text = masked[i] ?? "";
      piece.masked = text;
      if (piece.preview === undefined) continue;
      before += piece.text;
      maskedBefore += text;
      if (piece.preview === before) piece.maskedPreview = maskedBefore;
    }
  }

  /** Writes the lines before the first one that has an incomplete text. */
  #release(): void {
    let count = 0;
    for (const line of this.#held) {
      if (line.texts.some(({ isOpen }) => isOpen)) break;
      count += 1;
      this.#size -= line.size;
      line.write();
    }
    if (count > 0) this.#held = this.#held.slice(count);
  }

  #redacted(text: string, pieces: readonly Piece[]): string {
    return redactRecord(text, this.#redactor, (name, value) => {
      for (const piece of pieces) {
        if (name === PREVIEW && value === piece.preview) {
          return piece.maskedPreview;
        }
        if (name !== piece.name || piece.masked === undefined) continue;
        if (value === piece.text) return piece.masked;
        // The member holds bytes in base64; the masked text has one character per byte.
        if (value === piece.value) return btoa(piece.masked);
      }
      return undefined;
    });
  }
}

/** The pieces of texts in a record. */
interface Delta {
  /** Identifies the item of the pieces. */
  readonly key: string;
  /** See {@linkcode OpenText.ending}. */
  readonly ending: string | undefined;
  readonly pieces: readonly Piece[];
}

function deltaOf(text: string): Delta | undefined {
  const record = fieldsOf(parseJson(text));
  const delta = historyDeltaOf(record) ?? eventDeltaOf(record);
  return delta.pieces.length === 0 ? undefined : delta;
}

/** Reads the pieces of a history mutation: an appended element, or the elements of a new record. */
function historyDeltaOf(change: Fields): Delta | undefined {
  const { type, field, value, record } = change;
  const isAppended = type === "appended" && typeof field === "string";
  const isInserted = type === "inserted" && isObject(record);
  if (!isAppended && !isInserted) return undefined;
  const owner = isAppended ? change : fieldsOf(record);
  const lists = isAppended ? { [field]: [value] } : fieldsOf(owner.payload);
  const preview = textOf(fieldsOf(isAppended ? change : lists)[PREVIEW]);
  const pieces: Piece[] = [];
  for (const [place, list] of Object.entries(lists)) {
    for (const part of listOf(list)) {
      for (const name of ["content", "delta"]) {
        const text = textOf(fieldsOf(part)[name]);
        if (text === undefined) continue;
        pieces.push({ name, place, value: text, text, preview });
      }
    }
  }
  const id = JSON.stringify(owner.id);
  return { key: `history ${id}`, ending: `"id":${id},`, pieces };
}

/** Reads the pieces of an event: the string members of `delta`, or the bytes of `chunk`. */
function eventDeltaOf(record: Fields): Delta {
  const pieces: Piece[] = [];
  const facts: string[] = [];
  let ending: string | undefined;
  const walk = (node: object, depth: number, isDelta: boolean): void => {
    for (const [name, value] of Object.entries(node)) {
      const add = (text: string, value = text): void => {
        pieces.push({ name, place: name, value, text, preview: undefined });
      };
      if (typeof value === "string" && (isDelta || name === "delta")) {
        add(value);
      } else if (name === CHUNK && typeof value === "string") {
        const bytes = latin1OfBase64(value);
        if (bytes !== undefined) add(bytes, value);
      } else if (name === CHUNK && Array.isArray(value)) {
        const bytes = bytesOfList(value);
        if (bytes !== undefined) add(latin1OfBytes(bytes));
      } else if (typeof value === "object" && value !== null) {
        if (depth < MAX_DEPTH) walk(value, depth + 1, name === "delta");
      } else if (!VOLATILE_REGEXP.test(name)) {
        facts.push(`${depth}${name}=${value}`);
        if (ITEM_ID_REGEXP.test(name)) ending = JSON.stringify(value);
      }
    }
  };
  walk(record, 0, false);
  return { key: facts.join("\n"), ending, pieces };
}
