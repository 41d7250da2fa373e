/**
 * Texts in several lines: the deltas of a message and of the output of a command. Lines that
 * hold a piece of one wait until it is whole, and are redacted as the one text that they are.
 */

import { redactedPieces, type Redactors } from "./_joined_pieces.ts";
import { CHUNK } from "./_output_chunks.ts";
import { redactRecordText } from "./_record_text.ts";

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

/** Where lines go. */
export interface LineSink {
  text(text: string): void;
  all(bytes: Uint8Array): void;
}

/** Tells whether a record may hold a piece of a text. */
export function isDelta(text: string): boolean {
  return DELTA_REGEXP.test(text.slice(0, HEAD_LENGTH));
}

/** Holds lines with pieces of texts, and those behind them. */
export class DeltaLines {
  readonly #redactors: Redactors;
  readonly #sink: LineSink;
  readonly #texts = new Map<string, OpenText>();
  #held: HeldLine[] = [];
  #size = 0;

  /**
   * Constructs a new instance.
   *
   * @param redactors Mask the secrets.
   * @param sink Takes the lines.
   */
  constructor(redactors: Redactors, sink: LineSink) {
    this.#redactors = redactors;
    this.#sink = sink;
  }

  /** Whether lines wait, which others must not overtake. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /**
   * Takes a line that holds pieces of texts.
   *
   * @param text A record.
   * @param lineEnd What ends its line.
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
      if (line.ready !== undefined) this.#sink.all(line.ready);
      else this.#sink.text(this.#redacted(line) + line.lineEnd);
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
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(record)) return undefined;
  const delta = historyDeltaOf(record) ?? eventDeltaOf(record);
  return delta.pieces.length === 0 ? undefined : delta;
}

/** The pieces in a change to a history: one of a list, or a record that begins with some. */
function historyDeltaOf(change: JsonObject): Delta | undefined {
  const { type, field, value, record } = change;
  let owner: JsonObject;
  let lists: unknown;
  let preview: unknown;
  if (type === "appended" && typeof field === "string") {
    owner = change;
    lists = { [field]: [value] };
    preview = change[PREVIEW];
  } else if (type === "inserted" && isObject(record)) {
    owner = record;
    lists = record.payload;
    preview = isObject(lists) ? lists[PREVIEW] : undefined;
  } else return undefined;
  const pieces: Piece[] = [];
  for (const [place, list] of Object.entries(isObject(lists) ? lists : {})) {
    for (const part of Array.isArray(list) ? list : []) {
      for (const name of ["content", "delta"]) {
        const text: unknown = isObject(part) ? part[name] : undefined;
        if (typeof text !== "string") continue;
        pieces.push({
          name,
          place,
          value: text,
          text,
          preview: typeof preview === "string" ? preview : undefined,
        });
      }
    }
  }
  const id = JSON.stringify(owner.id);
  return { key: `history ${id}`, ending: `"id":${id},`, pieces };
}

/** The pieces in an event: the members of `delta`, or bytes. */
function eventDeltaOf(record: JsonObject): Delta {
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
        const bytes = bytesOf(value);
        if (bytes !== undefined) add(bytes, value);
      } else if (name === CHUNK && Array.isArray(value)) {
        if (value.every(isByte)) {
          add(value.map((byte) => String.fromCharCode(byte)).join(""));
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

interface JsonObject {
  readonly [name: string]: unknown;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isByte(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 255;
}

function bytesOf(base64: string): string | undefined {
  try {
    return base64.length % 4 === 0 ? atob(base64) : undefined;
  } catch {
    return undefined;
  }
}
