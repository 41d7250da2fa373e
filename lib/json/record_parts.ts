/**
 * Makes values of the parts of a record that were copied into it: strings, numbers, and
 * whatever else has to be read anew in each record.
 */

import { MINUS, ZERO } from "./bytes.ts";
import { ownText } from "./own_text.ts";

/** From this length of a record on, a string must not keep it alive that is a small part. */
const LARGE = 1 << 10;
/** What part of a record is small. */
const PART = 1 / 2;
const LOWER_T = 0x74;
/** Numbers of this many digits are added up faster than they are parsed. */
const FEW_DIGITS = 9;
/** What the end of a string is marked with that has escapes; see kernel/kernel.ts. */
const ESCAPED = 0x80000000;
const PLACE = 0x7fffffff;

/** What was last in a slot, and when. */
interface LastValue {
  readonly value: string;
  readonly epoch: number;
}

/**
 * The parts of one record after the other, those of one stream.
 *
 * Parts have numbers; here they are given doubled, as places are kept in pairs.
 */
export class RecordParts {
  readonly #places: Uint32Array;
  readonly #slots: (LastValue | undefined)[] = [];
  #text = "";
  #from = 0;
  /** The length below which a string is copied. */
  #least = 0;
  #at = 0;
  #epoch = 0;

  /**
   * Constructs a new instance.
   *
   * @param places Where in records their parts start and end.
   */
  constructor(places: Uint32Array) {
    this.#places = places;
  }

  /**
   * Goes to a record.
   *
   * @param text Has it, among others.
   * @param from Where it starts there.
   * @param length How long it is.
   * @param at Where in the places its first part is.
   * @param epoch Another number if a slot has changed since the last record.
   */
  go(
    text: string,
    from: number,
    length: number,
    at: number,
    epoch: number,
  ): void {
    this.#text = text;
    this.#from = from;
    this.#least = length > LARGE ? PART * length : 0;
    this.#at = at;
    this.#epoch = epoch;
  }

  /** Makes a string. */
  string(pair: number): string {
    const place = this.#at + pair;
    const start = this.#from + (this.#places[place] ?? 0);
    const mark = this.#places[place + 1] ?? 0;
    const end = this.#from + (mark & PLACE);
    if (mark >= ESCAPED) return JSON.parse(this.#text.slice(start, end));
    const text = this.#text.slice(start + 1, end - 1);
    return end - start < this.#least ? ownText(text) : text;
  }

  /** Makes a string that came out of a slot: most likely it is what it was before. */
  slot(pair: number, slot: number): string {
    const last = this.#slots[slot];
    if (last?.epoch === this.#epoch) return last.value;
    const text = this.string(pair);
    // It lasts longer than the record, so it must not keep that alive.
    const value = text === last?.value ? last.value : ownText(text);
    this.#slots[slot] = { value, epoch: this.#epoch };
    return value;
  }

  /** Makes a number. */
  number(pair: number): number {
    const place = this.#at + pair;
    const start = this.#from + (this.#places[place] ?? 0);
    const end = this.#from + (this.#places[place + 1] ?? 0);
    const text = this.#text;
    if (end - start <= FEW_DIGITS && text.charCodeAt(start) !== MINUS) {
      let number = 0;
      let at = start;
      for (; at < end; at++) {
        const digit = text.charCodeAt(at) - ZERO;
        if (digit < 0 || digit > 9) break;
        number = 10 * number + digit;
      }
      if (at === end) return number;
    }
    return Number(text.slice(start, end));
  }

  /** Makes `true` or `false`. */
  boolean(pair: number): boolean {
    const start = this.#from + (this.#places[this.#at + pair] ?? 0);
    return this.#text.charCodeAt(start) === LOWER_T;
  }

  /** Makes a value of any kind. */
  json(pair: number): unknown {
    const place = this.#at + pair;
    const start = this.#from + (this.#places[place] ?? 0);
    const end = this.#from + (this.#places[place + 1] ?? 0);
    return JSON.parse(this.#text.slice(start, end));
  }
}
