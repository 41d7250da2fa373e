/**
 * Makes lines that no release of Codex has written from captured ones.
 *
 * @module
 */

import { concat } from "../running.ts";
import { BROKEN, KEYS, VALUES } from "./hostile.ts";
import type { Random } from "./random.ts";
import type { Seedbed } from "./seedbeds.ts";
import { ValueMutator } from "./value_mutator.ts";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();
const QUOTE = 0x22;

/** Changes lines: their bytes, their text, or their JSON values. */
export class LineMutator {
  readonly #random: Random;
  readonly #seedbeds: readonly Seedbed[];
  readonly #values: ValueMutator;

  /** Constructs a new instance. */
  constructor(random: Random, seedbeds: readonly Seedbed[]) {
    this.#random = random;
    this.#seedbeds = seedbeds;
    this.#values = new ValueMutator(random);
  }

  /**
   * Changes a line in one to three ways.
   *
   * @param line The line, which is not modified.
   * @returns The changed line, which may contain line feeds.
   */
  change(line: Uint8Array): Uint8Array {
    const random = this.#random;
    // Half of the lines stay JSON: those are processed further than torn lines.
    if (random.oneIn(2)) {
      const changed = this.#values.change(DECODER.decode(line));
      if (changed !== undefined) return ENCODER.encode(changed);
    }
    let changed = line;
    for (let i = 0; i <= random.below(3); i++) changed = this.#change(changed);
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

  /** Replaces, removes or inserts some bytes. */
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

  /** Repeats a part of the line. */
  #doubled(line: Uint8Array): Uint8Array {
    const start = this.#random.below(line.length + 1);
    const end = start + this.#random.below(line.length - start + 1);
    return spliced(line, end, 0, line.subarray(start, end));
  }

  /** Nests the line in lists or objects. */
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

  /** Inserts a member at the beginning of an object. */
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

  /** Replaces a value. */
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

  /** Renames a member. */
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

  /** Inserts white space where JSON allows it. */
  #spaced(line: Uint8Array): Uint8Array {
    const space = this.#random.pick([" ", "\t", "\r", "   "]);
    return ENCODER.encode(
      DECODER.decode(line).replace(
        /[{}[\],:]/g,
        (mark) => this.#random.oneIn(4) ? `${space}${mark}${space}` : mark,
      ),
    );
  }

  /** Replaces a letter in a string by its escape. */
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

  /** Joins the beginning of a line of another file and the end of this one. */
  #swapped(line: Uint8Array): Uint8Array {
    const random = this.#random;
    const bed = random.pick(this.#seedbeds);
    const other = random.pick(bed?.lines ?? []) ?? line;
    return concat([
      other.subarray(0, random.below(other.length + 1)),
      line.subarray(random.below(line.length + 1)),
    ]);
  }
}

function spliced(
  bytes: Uint8Array,
  at: number,
  removed: number,
  added: ArrayLike<number>,
): Uint8Array {
  return concat([
    bytes.subarray(0, at),
    Uint8Array.from(added),
    bytes.subarray(at + removed),
  ]);
}
