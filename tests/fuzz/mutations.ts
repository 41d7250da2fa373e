/**
 * Makes streams that no release of Codex has written out of ones that some have: the same
 * seed gives the same streams.
 *
 * @module
 */

import { readCapturedFiles } from "../rollouts.ts";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();
const LF = 0x0a;
const QUOTE = 0x22;

/** A source of numbers that a seed determines (mulberry32). */
export class Random {
  #state: number;

  /** Constructs a new instance. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to, but not including, a limit. */
  below(limit: number): number {
    this.#state = this.#state + 0x6d2b79f5 >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ bits >>> 15, bits | 1);
    bits ^= bits + Math.imul(bits ^ bits >>> 7, bits | 61);
    return Math.floor(((bits ^ bits >>> 14) >>> 0) / 2 ** 32 * limit);
  }

  /** Whether something that happens once in so many times happens now. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  /** One of some values. */
  pick<T>(values: readonly [T, ...T[]]): T;
  pick<T>(values: readonly T[]): T | undefined;
  pick<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)];
  }
}

/** A file to make streams of: the lines, without their line ends. */
export interface Seedbed {
  /** Where it is from. */
  readonly path: string;
  /** Its lines. */
  readonly lines: readonly Uint8Array[];
}

/** Reads everything that was captured, as lines. */
export function readSeedbeds(): Seedbed[] {
  return readCapturedFiles(/\.jsonl$/).map(({ path, bytes }) => ({
    path,
    lines: linesOf(bytes),
  })).filter(({ lines }) => lines.length > 0);
}

/** Keys that programs have stumbled over, and ones that mean something on some level. */
const KEYS = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "",
  "type",
  "item",
  "item_type",
  "item_id",
  "id",
  "thread_id",
  "turn_id",
  "session_id",
  "conversation_id",
  "status",
  "content",
  "payload",
  "timestamp",
  "msg",
  "usage",
  "text",
  "\\u0074ype",
  "a".repeat(300),
] as const;

/** Values that are seldom what a program thinks of. */
const VALUES = [
  "null",
  "true",
  "0",
  "-0",
  "1.0",
  "1e400",
  "9007199254740993",
  "123456789012345678901234567890",
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\u2028\u202e\ufeff"',
  '"<script>alert(1)</script>"',
  '"\\u001b]0;x\\u0007"',
  '"::error::x"',
  '"```\\n# x"',
  "[]",
  "{}",
  '{"__proto__":{"x":1}}',
  "[[[[[[]]]]]]",
  '{"type":"thread.started","thread_id":"other"}',
  '"thread.started"',
  '"item.completed"',
  '"agent_message"',
  '"command_execution"',
  '"response_item"',
  '"event_msg"',
  '"line.failed"',
] as const;

/** Bytes that UTF-8 does not have, or has only in company. */
const BROKEN: readonly [readonly number[], ...(readonly number[])[]] = [
  [0xff],
  [0xc0, 0x80],
  [0xe2, 0x82],
  [0xed, 0xa0, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0x80],
  [0x00],
  [0xef, 0xbb, 0xbf],
];

/** What a line can end with. */
const ENDS = ["\n", "\r\n", "\n\n", " \n", "\r\r\n", "\n \t\n"] as const;

/** Makes streams out of the lines of files. */
export class Mutator {
  readonly #random: Random;
  readonly #seedbeds: readonly Seedbed[];

  /** Constructs a new instance. */
  constructor(random: Random, seedbeds: readonly Seedbed[]) {
    this.#random = random;
    this.#seedbeds = seedbeds;
  }

  /**
   * Makes a stream: lines of one file, or of two, some of them changed.
   *
   * @param length How many lines it has, about.
   * @returns The bytes of the stream.
   */
  stream(length: number): Uint8Array {
    const random = this.#random;
    const beds = [random.pick(this.#seedbeds), random.pick(this.#seedbeds)]
      .filter((bed) => bed !== undefined);
    const [bed] = beds;
    if (bed === undefined) return new Uint8Array(0);
    const isSpliced = random.oneIn(4);
    const pieces: Uint8Array[] = [];
    if (random.oneIn(20)) pieces.push(Uint8Array.of(0xef, 0xbb, 0xbf));
    let at = random.oneIn(3) ? random.below(bed.lines.length) : 0;
    for (let i = 0; i < length; i++) {
      const from = isSpliced && random.oneIn(6) ? beds[1] ?? bed : bed;
      const line = from.lines[at % from.lines.length] ?? new Uint8Array(0);
      at += random.oneIn(10) ? random.below(5) : 1;
      pieces.push(random.oneIn(3) ? this.line(line) : line);
      const isLast = i === length - 1;
      if (isLast && random.oneIn(2)) break;
      // Glued to the next one, once in a while.
      if (random.oneIn(60)) continue;
      const end = random.oneIn(8) ? random.pick(ENDS) : ENDS[0];
      pieces.push(ENCODER.encode(end));
    }
    const bytes = joined(pieces);
    return random.oneIn(20)
      ? bytes.subarray(0, random.below(bytes.length + 1))
      : bytes;
  }

  /**
   * Changes a line in one to three ways.
   *
   * @param line The line; it stays as it is.
   * @returns The changed line, which can hold line feeds.
   */
  line(line: Uint8Array): Uint8Array {
    let changed = line;
    for (let i = 0; i <= this.#random.below(3); i++) {
      changed = this.#change(changed);
    }
    return changed;
  }

  #change(line: Uint8Array): Uint8Array {
    const random = this.#random;
    switch (random.below(12)) {
      case 0:
        return this.#bytes(line);
      case 1:
        return spliced(
          line,
          random.below(line.length + 1),
          0,
          random.pick(BROKEN),
        );
      case 2:
        return line.subarray(0, random.below(line.length + 1));
      case 3:
        return line.subarray(random.below(line.length + 1));
      case 4:
        return this.#doubled(line);
      case 5:
        return this.#nested(line);
      case 6:
        return this.#withMember(line);
      case 7:
        return this.#withValue(line);
      case 8:
        return this.#withoutMember(line);
      case 9:
        return this.#spaced(line);
      case 10:
        return this.#escaped(line);
      default:
        return this.#swapped(line);
    }
  }

  /** Some bytes are others, or gone, or there twice. */
  #bytes(line: Uint8Array): Uint8Array {
    const random = this.#random;
    let changed = line;
    for (let i = 0; i <= random.below(4); i++) {
      const at = random.below(changed.length + 1);
      const isStructural = random.oneIn(2);
      const byte = isStructural
        ? '{}[]",:\\ \n\r0eE.-+tfnu/'.charCodeAt(random.below(23))
        : random.below(256);
      const added = random.oneIn(3) ? [] : [byte];
      changed = spliced(changed, at, random.below(2), added);
    }
    return changed;
  }

  /** A part of the line stands twice. */
  #doubled(line: Uint8Array): Uint8Array {
    const start = this.#random.below(line.length + 1);
    const end = start + this.#random.below(line.length - start + 1);
    return spliced(line, end, 0, line.subarray(start, end));
  }

  /** The line, or a value in it, stands deep in others. */
  #nested(line: Uint8Array): Uint8Array {
    const random = this.#random;
    const depth = random.oneIn(50) ? 10_001 : 1 + random.below(40);
    const isArray = random.oneIn(2);
    const open = isArray ? "[" : '{"item":';
    const close = isArray ? "]" : "}";
    return ENCODER.encode(
      open.repeat(depth) + DECODER.decode(line) + close.repeat(depth),
    );
  }

  /** There is one more member, at the front of some object. */
  #withMember(line: Uint8Array): Uint8Array {
    const random = this.#random;
    const text = DECODER.decode(line);
    const places = [...text.matchAll(/\{/g)].map(({ index }) => index);
    const at = (random.pick(places) ?? 0) + 1;
    const member = `"${random.pick(KEYS)}":${random.pick(VALUES)}`;
    const isEmpty = text[at] === "}";
    return ENCODER.encode(
      `${text.slice(0, at)}${member}${isEmpty ? "" : ","}${text.slice(at)}`,
    );
  }

  /** Some value is another one. */
  #withValue(line: Uint8Array): Uint8Array {
    const text = DECODER.decode(line);
    const values = [
      ...text.matchAll(
        /:(?:"(?:\\.|[^"\\])*"|-?\d[\d.eE+-]*|true|false|null)/g,
      ),
    ];
    const found = this.#random.pick(values);
    if (found === undefined) return line;
    const end = found.index + found[0].length;
    return ENCODER.encode(
      `${text.slice(0, found.index)}:${this.#random.pick(VALUES)}${
        text.slice(end)
      }`,
    );
  }

  /** Some member is not there, or has another name. */
  #withoutMember(line: Uint8Array): Uint8Array {
    const random = this.#random;
    const text = DECODER.decode(line);
    const keys = [...text.matchAll(/"((?:\\.|[^"\\])*)":/g)];
    const found = random.pick(keys);
    if (found === undefined) return line;
    const end = found.index + found[0].length;
    return ENCODER.encode(
      `${text.slice(0, found.index)}"${random.pick(KEYS)}":${text.slice(end)}`,
    );
  }

  /** There is white space where JSON may have it. */
  #spaced(line: Uint8Array): Uint8Array {
    const space = this.#random.pick([" ", "\t", "\r", "   "]);
    return ENCODER.encode(
      DECODER.decode(line).replace(
        /[{}[\],:]/g,
        (mark) => this.#random.oneIn(4) ? `${space}${mark}${space}` : mark,
      ),
    );
  }

  /** A letter of some string is written as an escape. */
  #escaped(line: Uint8Array): Uint8Array {
    const random = this.#random;
    const letters: number[] = [];
    let isString = false;
    line.forEach((byte, i) => {
      if (byte === QUOTE) isString = !isString;
      else if (isString && /\w/.test(String.fromCharCode(byte))) {
        letters.push(i);
      }
    });
    const at = random.pick(letters);
    if (at === undefined) return line;
    const code = (line[at] ?? 0).toString(16).padStart(4, "0");
    const escape = random.oneIn(4) ? `\\u${code.toUpperCase()}` : `\\u${code}`;
    return spliced(line, at, 1, ENCODER.encode(escape));
  }

  /** A line of another file, with the end of this one. */
  #swapped(line: Uint8Array): Uint8Array {
    const random = this.#random;
    const bed = random.pick(this.#seedbeds);
    const other = random.pick(bed?.lines ?? []) ?? line;
    return joined([
      other.subarray(0, random.below(other.length + 1)),
      line.subarray(random.below(line.length + 1)),
    ]);
  }
}

/** Cuts bytes into chunks at random, some of them empty. */
export function* chunksOf(
  bytes: Uint8Array,
  random: Random,
): Generator<Uint8Array> {
  const size = random.pick([1, 2, 7, 64, 1000]);
  for (let at = 0; at < bytes.length;) {
    const end = at + random.below(2 * size);
    yield bytes.subarray(at, end);
    at = Math.min(end, bytes.length);
  }
}

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, start)) {
    lines.push(bytes.subarray(start, at));
    start = at + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return lines;
}

function spliced(
  bytes: Uint8Array,
  at: number,
  removed: number,
  added: ArrayLike<number>,
): Uint8Array {
  return joined([
    bytes.subarray(0, at),
    Uint8Array.from(added),
    bytes.subarray(at + removed),
  ]);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(
    pieces.reduce((length, piece) => length + piece.length, 0),
  );
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
