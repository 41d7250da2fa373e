/**
 * Secrets out of the strings of JSONL, whatever its records are.
 *
 * @module
 */

import { checkBytes } from "../checked.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import { bytesOfList, CR, latin1OfBase64, LF } from "../json/bytes.ts";
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
import {
  CHUNK,
  redactedPieces,
  type Redactors,
  redactRecordText,
} from "./_record_text.ts";
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
    this.#writer.deltas.flush();
    this.#release(emit);
  }

  #release(emit: Emit<Uint8Array<ArrayBuffer>>): void {
    const { out } = this.#writer;
    if (out.length > 0) emit(out.view());
    out.clear(KEPT_CAPACITY);
  }
}

class RedactingWriter implements LineVisitor {
  readonly out = new ByteWriter(KEPT_CAPACITY);
  /** The lines that wait for more. */
  readonly deltas: DeltaLines;
  /** A line behind others that wait. */
  readonly #late = new ByteWriter(KEPT_CAPACITY);
  readonly #redactors: Redactors;
  readonly #limit: number;
  readonly #tape = new JsonTape();
  /** Whether the line is one without LF. */
  isLast = false;
  readonly #onFailure: JsonlRedactorOptions["onFailure"];

  constructor(
    redactors: Redactors,
    limit: number,
    onFailure: JsonlRedactorOptions["onFailure"],
  ) {
    this.#redactors = redactors;
    this.deltas = new DeltaLines(redactors, this.out);
    this.#limit = limit;
    this.#onFailure = onFailure;
  }

  line(bytes: Uint8Array, start: number, end: number, line: number): void {
    // A first line begins its buffer, with the byte order mark that was skipped.
    if (line === 1 && start > 0) this.out.all(BOM);
    const isCr = bytes[end] === CR;
    const isRecord = this.#tape.scan(bytes, start, end, 0);
    const text = isRecord ? decodeUtf8(bytes, start, end) : undefined;
    const isDelta = text !== undefined &&
      DELTA_REGEXP.test(text.slice(0, HEAD_LENGTH));
    if (isDelta) {
      const lineEnd = `${isCr ? "\r" : ""}${this.isLast ? "" : "\n"}`;
      if (this.deltas.take(text, lineEnd)) return;
    }
    const out = this.#next;
    this.#content(out, bytes, start, end, text);
    if (isCr) out.byte(CR);
    this.#end(out, text);
  }

  tooLong(length: number, line: number, offset: number): void {
    const error = lineTooLong(length, this.#limit);
    const failed: Failure = { ok: false, line, offset, error };
    this.#onFailure?.(failed);
    const out = this.#next;
    writeLineFailed(out, failed, undefined);
    this.#end(out, undefined);
  }

  /** What the next line is written to. */
  get #next(): ByteWriter {
    return this.deltas.isHolding ? this.#late : this.out;
  }

  #end(out: ByteWriter, text: string | undefined): void {
    if (!this.isLast) out.byte(LF);
    if (out === this.out) return;
    this.deltas.follow(text, this.#late.view().slice());
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
      let redacted = redactRecordText(text, redactors);
      // What is no JSON is redacted as text, too.
      if (record === undefined) redacted = redactors.redactor.redact(redacted);
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

// Texts in several lines: the deltas of a message and of the output of a command. Lines that
// hold a piece of one wait until it is whole, and are redacted as the one text that they are.

/** How much of a record is looked at to tell that it holds a piece: those that do say it there. */
const HEAD_LENGTH = 600;
const DELTA_REGEXP = /[Dd]elta"|"appended"|"inserted"/;
/** How deep in a record a piece is at most. */
const MAX_DEPTH = 6;
/** Longer texts are looked at in parts, that end with a line if one ends soon. */
const MAX_TEXT = 1 << 16;
/** How much waits at most, in characters, lines and texts; then it is looked at as it is. */
const MAX_HELD = 1 << 22;
const MAX_LINES = 1 << 15;
const MAX_TEXTS = 256;
/** How many other lines may come before a text goes on. */
const MAX_PAUSE = 128;
/** What differs between two pieces of one text. */
const VOLATILE_REGEXP =
  /^(?:offset|sequence|sequence_number|ordinal|timestamp|event_id)$/;
/** The names of what tells an item from all others. */
const ITEM_ID_REGEXP = /^(?:call|item)_?id$/i;
const PREVIEW = "preview_markdown";

/** A piece of a text. */
interface Piece {
  /** The member that holds it. */
  readonly name: string;
  /** What tells its text from others of the same item. */
  readonly place: string;
  /** What that holds: the text, or bytes in base64. */
  readonly value: string;
  readonly text: string;
  /** All of the text so far, where the record has it too. */
  readonly preview: string | undefined;
  masked?: string;
  maskedPreview?: string | undefined;
}

/** A text that is not whole yet. */
interface OpenText {
  /** What another line has that ends the text; `undefined` if each other line does. */
  readonly ending: string | undefined;
  readonly pieces: Piece[];
  length: number;
  /** How many other lines came since its last piece. */
  pause: number;
  isOpen: boolean;
}

/** A line that waits. */
interface HeldLine {
  /** What is to be redacted, with its end; or else what is ready. */
  readonly text: string;
  readonly lineEnd: string;
  readonly ready: Uint8Array | undefined;
  readonly pieces: readonly Piece[];
  readonly texts: readonly OpenText[];
}

/** Holds lines with pieces of texts, and those behind them. */
class DeltaLines {
  readonly #redactors: Redactors;
  readonly #out: ByteWriter;
  readonly #texts = new Map<string, OpenText>();
  #held: HeldLine[] = [];
  #size = 0;

  constructor(redactors: Redactors, out: ByteWriter) {
    this.#redactors = redactors;
    this.#out = out;
  }

  /** Whether lines wait, which others must not overtake. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /**
   * Takes a line that holds pieces of texts.
   *
   * @returns Whether it is one.
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
    const { pieces } = delta;
    this.#hold({ text, lineEnd, ready: undefined, pieces, texts });
    return true;
  }

  /**
   * Takes a line behind those that wait.
   *
   * @param text What it was, which may end a text; `undefined` if it is no record.
   * @param ready What becomes of it, with its end.
   */
  follow(text: string | undefined, ready: Uint8Array): void {
    for (const [key, open] of this.#texts) {
      open.pause += 1;
      const isEnd = open.ending === undefined || open.pause > MAX_PAUSE ||
        text?.includes(open.ending) === true;
      if (isEnd) this.#close(key, open);
    }
    this.#hold({ text: "", lineEnd: "", ready, pieces: [], texts: [] });
  }

  /** Ends all texts, and lets go of all lines. */
  flush(): void {
    for (const [key, open] of this.#texts) this.#close(key, open);
    this.#release();
  }

  #hold(line: HeldLine): void {
    this.#held.push(line);
    this.#size += line.text.length + (line.ready?.length ?? 0);
    if (
      this.#size > MAX_HELD || this.#held.length > MAX_LINES ||
      this.#texts.size > MAX_TEXTS
    ) this.flush();
    else this.#release();
  }

  /** Redacts a text as a whole. */
  #close(key: string, open: OpenText): void {
    open.isOpen = false;
    this.#texts.delete(key);
    const { pieces } = open;
    if (pieces.length < 2) return;
    const masked = redactedPieces(
      pieces.map(({ text }) => text),
      "",
      this.#redactors,
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

  /** Writes the lines that wait for nothing. */
  #release(): void {
    let count = 0;
    for (const line of this.#held) {
      if (line.texts.some(({ isOpen }) => isOpen)) break;
      count += 1;
      this.#size -= line.text.length + (line.ready?.length ?? 0);
      if (line.ready !== undefined) this.#out.all(line.ready);
      else this.#out.text(this.#redacted(line) + line.lineEnd);
    }
    if (count > 0) this.#held = this.#held.slice(count);
  }

  #redacted({ text, pieces }: HeldLine): string {
    return redactRecordText(text, this.#redactors, (name, value) => {
      for (const piece of pieces) {
        if (name === PREVIEW && value === piece.preview) {
          return piece.maskedPreview;
        }
        if (name !== piece.name || piece.masked === undefined) continue;
        if (value === piece.text) return piece.masked;
        // Bytes in base64: a character for each.
        if (value === piece.value) return btoa(piece.masked);
      }
      return undefined;
    });
  }
}

/** What a record says of a text that it holds pieces of. */
interface Delta {
  readonly key: string;
  readonly ending: string | undefined;
  readonly pieces: readonly Piece[];
}

function deltaOf(text: string): Delta | undefined {
  const record = parseJson(text);
  if (!isObject(record)) return undefined;
  const delta = historyDeltaOf(record) ?? eventDeltaOf(record);
  return delta.pieces.length === 0 ? undefined : delta;
}

/** The pieces in a change to a history: one of a list, or a record that begins with some. */
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

/** The pieces in an event: the members of `delta`, or bytes. */
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
        if (bytes !== undefined) {
          add(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
        }
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
