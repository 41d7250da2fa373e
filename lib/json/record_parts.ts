/**
 * Makes values of the parts of a record that were copied into it: strings, numbers, and
 * whatever else has to be read anew in each record.
 */

import { APART, DIGITS, ESCAPED } from "./kernel_layout.ts";
import { MAX_KEPT_TEXT, ownText } from "./own_text.ts";
import { decodeUtf8 } from "./utf8.ts";

/** What part of a long record must not keep it alive. */
const PART = 1 / 2;
const LOWER_T = 0x74;
/** What is left of an end without its marks. */
const PLACE = APART - 1;

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
  readonly #bytes: Uint8Array;
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
   * @param bytes The memory of the kernel.
   */
  constructor(places: Uint32Array, bytes: Uint8Array) {
    this.#places = places;
    this.#bytes = bytes;
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
    this.#least = length > MAX_KEPT_TEXT ? PART * length : 0;
    this.#at = at;
    this.#epoch = epoch;
  }

  /** Makes a string. */
  string(pair: number): string {
    const place = this.#at + pair;
    const start = this.#places[place] ?? 0;
    const end = this.#places[place + 1] ?? 0;
    if (end >= APART) return this.#marked(start, end);
    const from = this.#from;
    const text = this.#text.slice(from + start + 1, from + end - 1);
    return end - start < this.#least ? ownText(text) : text;
  }

  /** Makes a string whose end is marked. */
  #marked(start: number, mark: number): string {
    const end = mark & PLACE;
    if (mark < ESCAPED) return decodeUtf8(this.#bytes, start, end);
    const from = this.#from;
    return JSON.parse(this.#text.slice(from + start, from + end));
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
    const start = this.#places[place] ?? 0;
    const end = this.#places[place + 1] ?? 0;
    if (end === DIGITS) return start;
    const from = this.#from;
    return Number(this.#text.slice(from + start, from + end));
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
