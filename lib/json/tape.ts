/**
 * Scans one JSON text: checks all of it, and writes down where the values on its upper levels are.
 *
 * The check is RFC 8259 and, beyond that, valid UTF-8 and paired surrogate escapes (normalize.md
 * J1, J3, L7). The scan decodes and copies nothing, except for short names, which is why this loop
 * in JavaScript takes less time than `JSON.parse` of the same text (`deno task bench`, case
 * `validate`).
 */

import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  CR,
  DOT,
  ESCAPE,
  HEX,
  LF,
  LOWER_U,
  MINUS,
  NINE,
  NO_BYTES,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLAIN,
  PLUS,
  QUOTE,
  SPACE,
  TAB,
  ZERO,
} from "./bytes.ts";
import { WORDS } from "./names.ts";
import { decodeUtf8, endOfMultibyte } from "./utf8.ts";

export type JsonKind =
  | "object"
  | "array"
  | "string"
  | "number"
  | "boolean"
  | "null";

/** The kinds, by the codes that the tape stores. */
const KINDS: readonly JsonKind[] = [
  "object",
  "array",
  "string",
  "number",
  "boolean",
  "null",
];
const OBJECT = 0;
const ARRAY = 1;
const STRING = 2;
const NUMBER = 3;
const BOOLEAN = 4;
const NULL = 5;
/** Added to the code of a string that contains escapes. */
const ESCAPED = 8;

/**
 * How deep containers may nest. The rules require 1,000 (normalize.md J4). The limit keeps a
 * hostile line from making the reader, or a program behind it, run out of memory or stack.
 */
export const MAX_DEPTH = 10_000;

/** The states of the scan: the token that is expected next. */
const VALUE = 0;
const VALUE_OR_END = 1;
const KEY = 2;
const KEY_OR_END = 3;
const AFTER_VALUE = 4;

/** The largest number of levels that get entries. */
export const DEEPEST_LEVEL = 40;
/**
 * The largest number of entries, 64 times a power of 2. A member that is read takes 300 bytes, so
 * that a line of 256 MiB could end the process.
 */
const MAX_ENTRIES = 1 << 20;
/** The same for tapes of the deepest level, whose readers make no members of most entries. */
const MAX_DEEP_ENTRIES = 1 << 24;
const TRUE = [0x74, 0x72, 0x75, 0x65];
const FALSE = [0x66, 0x61, 0x6c, 0x73, 0x65];
const NULL_WORD = [0x6e, 0x75, 0x6c, 0x6c];

/**
 * By depth, the kind of the open container. Shared by all tapes, because no two scans run at once.
 */
const CONTAINERS = new Uint8Array(MAX_DEPTH + 1);
const NO_NUMBERS = new Int32Array(0);

/**
 * The values on the upper levels of one JSON text, in the order of the text.
 *
 * Entry 0 is the value of the whole text. The entries of its members or elements follow it, each
 * followed by those of its own parts, as deep as requested. `next(entry)` returns the entry behind
 * a value and all its parts. A new scan overwrites the last one.
 */
export class JsonTape {
  #count = 0;
  #maxCount = MAX_ENTRIES;
  // Allocated by the first scan: in many streams, the kernel reads all records.
  #kinds: Uint8Array = NO_BYTES;
  #starts = NO_NUMBERS;
  #ends = NO_NUMBERS;
  #nexts = NO_NUMBERS;
  readonly #names: string[] = [];
  readonly #open = new Int32Array(DEEPEST_LEVEL + 1);
  #escaped = false;

  /** What is wrong with the text of the last scan that failed. */
  problem = "";
  /** The index in the bytes where it is wrong. */
  problemAt = 0;

  /**
   * Scans one JSON value, with only JSON white space around it.
   *
   * The byte at `end`, if the array has one, must be a control character (the terminator of the
   * line), or the range must have been found valid before: strings are scanned without comparing
   * the index with `end`.
   *
   * @param levels How many levels get entries: 1 for the members of the value.
   * @returns Whether the text is valid; if not, `problem` and `problemAt` hold the reason.
   */
  scan(
    bytes: Uint8Array,
    start: number,
    end: number,
    levels: number,
  ): boolean {
    const containers = CONTAINERS;
    const open = this.#open;
    let at = start;
    let depth = 0;
    let expect = VALUE;
    let name = "";
    this.#count = 0;
    this.#maxCount = levels < DEEPEST_LEVEL ? MAX_ENTRIES : MAX_DEEP_ENTRIES;
    for (;;) {
      let byte = bytes[at] ?? 0;
      while (
        byte <= SPACE && at < end &&
        (byte === SPACE || byte === LF || byte === CR || byte === TAB)
      ) {
        at += 1;
        byte = bytes[at] ?? 0;
      }
      if (at >= end) {
        if (depth === 0 && expect === AFTER_VALUE) return true;
        return this.#fail(at, "the line ends inside the value");
      }
      if (expect === AFTER_VALUE) {
        if (depth === 0) {
          return this.#fail(at, `${show(byte)} follows the value`);
        }
        const isObject = containers[depth] === OBJECT;
        if (byte === COMMA) {
          at += 1;
          expect = isObject ? KEY : VALUE;
          continue;
        }
        if (byte !== (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
          return this.#fail(
            at,
            `${show(byte)} stands where a comma or the end of the ${
              isObject ? "object" : "list"
            } is expected`,
          );
        }
        at += 1;
        depth -= 1;
        if (depth <= levels) this.#close(open[depth] ?? 0, at);
        // An element after an object must not inherit the name of its last member.
        name = "";
        continue;
      }
      if (expect === KEY || expect === KEY_OR_END) {
        if (byte !== QUOTE) {
          if (byte === CLOSE_BRACE && expect === KEY_OR_END) {
            at += 1;
            depth -= 1;
            if (depth <= levels) this.#close(open[depth] ?? 0, at);
            expect = AFTER_VALUE;
            continue;
          }
          return this.#fail(at, `${show(byte)} stands where a key is expected`);
        }
        const keyStart = at + 1;
        if (depth <= levels) {
          let hash = 0;
          byte = bytes[++at] ?? 0;
          while (PLAIN[byte] === 1) {
            hash = (Math.imul(hash, 31) + byte) | 0;
            byte = bytes[++at] ?? 0;
          }
          if (byte === QUOTE) {
            name = WORDS.text(bytes, keyStart, at, hash);
            at += 1;
          } else {
            at = this.#string(bytes, at);
            if (at === -1) return false;
            name = stringText(bytes, keyStart - 1, at);
          }
        } else {
          at = this.#string(bytes, keyStart);
          if (at === -1) return false;
          name = "";
        }
        byte = bytes[at] ?? 0;
        while (
          byte <= SPACE && at < end &&
          (byte === SPACE || byte === LF || byte === CR || byte === TAB)
        ) {
          at += 1;
          byte = bytes[at] ?? 0;
        }
        if (byte !== COLON) {
          return this.#fail(
            at,
            at >= end
              ? "the line ends inside the value"
              : `${show(byte)} stands where a colon is expected`,
          );
        }
        at += 1;
        expect = VALUE;
        continue;
      }
      const from = at;
      let kind: number;
      if (byte === QUOTE) {
        this.#escaped = false;
        at = this.#string(bytes, at + 1);
        if (at === -1) return false;
        kind = this.#escaped ? STRING | ESCAPED : STRING;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (depth === MAX_DEPTH) {
          return this.#fail(at, `it nests deeper than ${MAX_DEPTH} levels`);
        }
        kind = byte === OPEN_BRACE ? OBJECT : ARRAY;
        if (depth <= levels) {
          open[depth] = this.#count;
          if (!this.#record(kind, name, from, from)) return false;
          name = "";
        }
        depth += 1;
        containers[depth] = kind;
        at += 1;
        expect = kind === OBJECT ? KEY_OR_END : VALUE_OR_END;
        continue;
      } else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
        at = this.#number(bytes, at);
        if (at === -1) return false;
        kind = NUMBER;
      } else if (byte === CLOSE_BRACKET && expect === VALUE_OR_END) {
        at += 1;
        depth -= 1;
        if (depth <= levels) this.#close(open[depth] ?? 0, at);
        expect = AFTER_VALUE;
        continue;
      } else {
        kind = byte === NULL_WORD[0] ? NULL : BOOLEAN;
        const word = kind === NULL
          ? NULL_WORD
          : byte === TRUE[0]
          ? TRUE
          : FALSE;
        for (const letter of word) {
          if (bytes[at] !== letter) {
            return this.#fail(
              from,
              `${show(byte)} stands where a value is expected`,
            );
          }
          at += 1;
        }
      }
      if (depth <= levels && !this.#record(kind, name, from, at)) return false;
      expect = AFTER_VALUE;
    }
  }

  get count(): number {
    return this.#count;
  }

  /** Returns the entry behind a value and all its parts. */
  next(entry: number): number {
    return this.#nexts[entry] ?? 0;
  }

  /** Returns the name of a member; `""` for an element. */
  name(entry: number): string {
    return this.#names[entry] ?? "";
  }

  kind(entry: number): JsonKind {
    return KINDS[(this.#kinds[entry] ?? 0) & ~ESCAPED] ?? "null";
  }

  /** Returns the kind of a value as a number: its index in the list of {@linkcode JsonKind}s. */
  code(entry: number): number {
    return (this.#kinds[entry] ?? 0) & ~ESCAPED;
  }

  isEscaped(entry: number): boolean {
    return ((this.#kinds[entry] ?? 0) & ESCAPED) !== 0;
  }

  start(entry: number): number {
    return this.#starts[entry] ?? 0;
  }

  end(entry: number): number {
    return this.#ends[entry] ?? 0;
  }

  /** Adds an entry; returns whether there was room. */
  #record(kind: number, name: string, start: number, end: number): boolean {
    const entry = this.#count;
    if (entry === this.#kinds.length) {
      if (entry === this.#maxCount) {
        return this.#fail(start, `it has more than ${entry} members`);
      }
      this.#grow();
    }
    this.#kinds[entry] = kind;
    this.#starts[entry] = start;
    this.#ends[entry] = end;
    this.#nexts[entry] = entry + 1;
    this.#names[entry] = name;
    this.#count = entry + 1;
    return true;
  }

  #close(entry: number, end: number): void {
    this.#ends[entry] = end;
    this.#nexts[entry] = this.#count;
  }

  #grow(): void {
    const size = Math.max(64, 2 * this.#kinds.length);
    this.#kinds = resized(this.#kinds, new Uint8Array(size));
    this.#starts = resized(this.#starts, new Int32Array(size));
    this.#ends = resized(this.#ends, new Int32Array(size));
    this.#nexts = resized(this.#nexts, new Int32Array(size));
  }

  /**
   * Scans to the end of a string.
   *
   * @param from An index behind the opening quote that is not inside an escape.
   * @returns The index behind the closing quote, or -1.
   */
  #string(bytes: Uint8Array, from: number): number {
    let at = from;
    for (;;) {
      let byte = bytes[at] ?? 0;
      while (PLAIN[byte] === 1) byte = bytes[++at] ?? 0;
      if (byte === QUOTE) return at + 1;
      if (byte === BACKSLASH) {
        this.#escaped = true;
        const letter = bytes[at + 1] ?? 0;
        if (ESCAPE[letter] === 1) at += 2;
        else if (letter === LOWER_U) {
          at = this.#unicodeEscape(bytes, at);
          if (at === -1) return -1;
        } else if (isLineEnd(bytes, at + 1)) {
          this.#fail(at + 1, "the line ends inside a string");
          return -1;
        } else {
          this.#fail(at, `"\\" is followed by ${show(letter)} in a string`);
          return -1;
        }
      } else if (byte >= 0x80) {
        const next = endOfMultibyte(bytes, at);
        if (next === -1) {
          this.#fail(at, "the bytes are not valid UTF-8");
          return -1;
        }
        at = next;
      } else {
        this.#fail(
          at,
          isLineEnd(bytes, at)
            ? "the line ends inside a string"
            : `the control character ${show(byte)} stands in a string`,
        );
        return -1;
      }
    }
  }

  /** Scans `\uXXXX`, or both halves of a surrogate pair; returns the index behind it, or -1. */
  #unicodeEscape(bytes: Uint8Array, at: number): number {
    const unit = codeUnit(bytes, at);
    if (unit === -1) {
      this.#fail(at, '"\\u" is not followed by four hexadecimal digits');
      return -1;
    }
    if (unit < 0xd800 || unit > 0xdfff) return at + 6;
    const second = unit < 0xdc00 && bytes[at + 6] === BACKSLASH &&
        bytes[at + 7] === LOWER_U
      ? codeUnit(bytes, at + 6)
      : -1;
    if (second >= 0xdc00 && second <= 0xdfff) return at + 12;
    this.#fail(at, "a surrogate escape has no partner");
    return -1;
  }

  #number(bytes: Uint8Array, from: number): number {
    let at = from;
    if (bytes[at] === MINUS) at += 1;
    let byte = bytes[at] ?? 0;
    if (byte === ZERO) byte = bytes[++at] ?? 0;
    else {
      const digits = at;
      while (byte >= ZERO && byte <= NINE) byte = bytes[++at] ?? 0;
      if (at === digits) return this.#badNumber(from);
    }
    if (byte === DOT) {
      byte = bytes[++at] ?? 0;
      const digits = at;
      while (byte >= ZERO && byte <= NINE) byte = bytes[++at] ?? 0;
      if (at === digits) return this.#badNumber(from);
    }
    // Bit 0x20 is the case: `e` and `E` are compared at once.
    if ((byte | 0x20) === 0x65) {
      byte = bytes[++at] ?? 0;
      if (byte === PLUS || byte === MINUS) byte = bytes[++at] ?? 0;
      const digits = at;
      while (byte >= ZERO && byte <= NINE) byte = bytes[++at] ?? 0;
      if (at === digits) return this.#badNumber(from);
    }
    return at;
  }

  #badNumber(at: number): number {
    this.#fail(at, "a number is incomplete");
    return -1;
  }

  #fail(at: number, problem: string): false {
    this.problem = problem;
    this.problemAt = at;
    return false;
  }
}

/**
 * Returns the text that a JSON string spells. `start` is the index of its opening quote, `end` the
 * index behind its closing quote.
 */
export function stringText(
  bytes: Uint8Array,
  start: number,
  end: number,
): string {
  const value: unknown = JSON.parse(decodeUtf8(bytes, start, end));
  return String(value);
}

/** Returns the code unit of the `\uXXXX` at `at`, or -1. */
function codeUnit(bytes: Uint8Array, at: number): number {
  let unit = 0;
  for (let i = at + 2; i < at + 6; i++) {
    const digit = HEX[bytes[i] ?? 0] ?? 255;
    if (digit === 255) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

function show(byte: number): string {
  if (byte > SPACE && byte < 0x7f) return `"${String.fromCharCode(byte)}"`;
  return `byte 0x${byte.toString(16).padStart(2, "0")}`;
}

function resized<T extends Uint8Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Whether the line, or the input, ends at `at`. */
function isLineEnd(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at];
  return byte === undefined || byte === LF || byte === CR;
}
