/** Tells lines that nobody wants by their bytes, without reading them as JSON. */

import {
  SIEVE_BEGINNING,
  SIEVE_BEGINNING_LENGTH,
  SIEVE_COUNT,
  SIEVE_FIRSTS,
  SIEVE_HASH,
  SIEVE_KEY,
  SIEVE_LAST,
  SIEVE_LAST_LENGTH,
  SIEVE_MAX_KEPT,
  SIEVE_SLOT,
  SIEVE_WORD_LENGTH,
  SIEVE_WORD_STRIDE,
  SIEVE_WORDS,
} from "./kernel_layout.ts";
import { sliceAt } from "./literal.ts";
import type { Passable, RecordContext } from "./record_watch.ts";
import { decodeUtf8 } from "./utf8.ts";

const ENCODER = new TextEncoder();
const KEPT_REGEXP = /^[ -!#-[\]-~]*$/;

/**
 * Passes over lines that have none of some words in them, and do not look torn.
 *
 * The kernel does the same by itself (kernel/wasm/sieve.ts), and must come to the same: the time
 * of a line that is passed over counts, also if the line could not have been read.
 */
export class Sieve {
  readonly #words: readonly string[];
  /** A word; or an escape that may be of a character of one. */
  readonly #word: RegExp;

  /** Constructs a new instance of JSON strings in quotes, each of 4 bytes at least. */
  constructor(words: readonly string[]) {
    this.#words = words;
    const texts = words.map((word) => word.replace(/[^\w"]/g, "\\$&"));
    this.#word = new RegExp(`\\\\u00[2-7]|${texts.join("|")}`);
  }

  /** Passes over a line, unless it may be wanted; says whether. */
  passes(
    bytes: Uint8Array,
    start: number,
    end: number,
    context: RecordContext,
  ): boolean {
    const { passable } = context;
    if (passable === undefined) return false;
    const { beginning, key, last, slot } = passable;
    const text = decodeUtf8(bytes, start, end);
    if (!text.startsWith(beginning) || !text.endsWith("}")) return false;
    const from = beginning.length;
    const to = text.indexOf('"', from);
    const head = text.slice(to + 1, text.indexOf("{", to));
    if (!head.includes(key) || !head.endsWith(last)) return false;
    const kept = text.slice(from, to);
    if (kept.length > SIEVE_MAX_KEPT || !KEPT_REGEXP.test(kept)) return false;
    if (this.#word.test(text)) return false;
    const value = sliceAt(bytes, start + from - 1, start + to + 1);
    context.take({
      isTouched: (each) => each === slot,
      valueOf: () => value,
      counterOf: () => 0,
    });
    return true;
  }

  /** Writes the words where the kernel looks for them. */
  write(bytes: Uint8Array, words: Int32Array, sieve: number): void {
    words[(sieve + SIEVE_COUNT) >> 2] = this.#words.length;
    let at = sieve + SIEVE_WORDS;
    for (const word of this.#words) {
      const text = ENCODER.encode(word.slice(1));
      bytes.set(text, at);
      words[(at + SIEVE_WORD_LENGTH) >> 2] = text.length;
      const first = Math.imul(words[at >> 2] ?? 0, SIEVE_HASH) >>> 24;
      bytes[sieve + SIEVE_FIRSTS + first] = 1;
      at += SIEVE_WORD_STRIDE;
    }
  }

  /** Writes which lines the kernel may pass over. */
  static write(
    { beginning, key, last, slot }: Passable,
    bytes: Uint8Array,
    words: Int32Array,
    sieve: number,
  ): void {
    ENCODER.encodeInto(beginning, bytes.subarray(sieve + SIEVE_BEGINNING));
    ENCODER.encodeInto(key, bytes.subarray(sieve + SIEVE_KEY));
    ENCODER.encodeInto(last, bytes.subarray(sieve + SIEVE_LAST));
    words[(sieve + SIEVE_BEGINNING_LENGTH) >> 2] = beginning.length;
    words[(sieve + SIEVE_LAST_LENGTH) >> 2] = last.length;
    words[(sieve + SIEVE_SLOT) >> 2] = slot;
  }
}
