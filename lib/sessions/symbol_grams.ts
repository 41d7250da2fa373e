/**
 * Computes the grams of the index that finds text within words and between them: `foo(bar)`,
 * `C:\a\b`, and languages without spaces between words.
 */

/**
 * The characters that are words in both tables of the index: letters of scripts that put spaces
 * between words, as far as the tokenizer of words knows them, and digits. All other characters
 * except white space are symbols, even the signs among the letters: `×`, `÷` and some of Greek and
 * Cyrillic.
 */
const WORD_RANGES = [
  [0x30, 0x39],
  [0x61, 0x7a],
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x24f],
  [0x370, 0x374],
  [0x376, 0x37d],
  [0x386, 0x386],
  [0x388, 0x3f5],
  [0x3f7, 0x481],
  [0x48a, 0x527],
  [0x1e00, 0x1eff],
] as const;
/** White space, as regular expressions match it. */
const SPACES =
  "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006" +
  "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";
const SPACES_REGEXP = /\s+/;
// Kinds combined by `&` result in SYMBOL exactly if one of them is SYMBOL.
const SYMBOL = 0;
const WORD = 3;
const SPACE = 2;

let kinds: Uint8Array | undefined;

function kindsOfUnits(): Uint8Array {
  if (kinds !== undefined) return kinds;
  kinds = new Uint8Array(1 << 16);
  for (const [first, last] of WORD_RANGES) kinds.fill(WORD, first, last + 1);
  for (const space of SPACES) kinds[space.charCodeAt(0)] = SPACE;
  return kinds;
}

const ASCII_BITS = 7;
const ASCII_END = 1 << ASCII_BITS;
const BLANK = 0x20;
/** Stands for a run of white space within a gram; blanks separate grams. */
const GAP = 1;
/** The most bytes that a unit adds: four grams that end with it, and blanks. */
const BYTES_PER_UNIT = 14;
const DECODER = new TextDecoder();

/**
 * The number of the last text that had each ASCII gram: of up to three units, and of those across
 * the end of a word. Nearly all grams are ASCII, and a set of strings took as long as all other
 * work together. Allocated at first use.
 */
let lastFound: readonly [Uint32Array, Uint32Array] | undefined;
let texts = 0;
let joined = new Uint8Array(1 << 16);

/** Collects the grams of one text; there is one instance at a time. */
class Pieces {
  readonly #found: readonly [Uint32Array, Uint32Array];
  readonly #others = new Set<string>();
  #size = 0;

  constructor(units: number) {
    this.#found = lastFound ??= [
      new Uint32Array(1 << (3 * ASCII_BITS)),
      new Uint32Array(1 << (3 * ASCII_BITS)),
    ];
    texts += 1;
    const room = BYTES_PER_UNIT * (units + 1);
    if (joined.length < room) joined = new Uint8Array(room);
  }

  /** Adds a gram of up to three units, 0 for none; `gap` tells of a gap before the last one. */
  add(first: number, second: number, third: number, gap: 0 | 1 = 0): void {
    if ((first | second | third) >= ASCII_END) {
      const units = [first, second, gap * GAP, third];
      this.#others.add(
        String.fromCharCode(...units.filter((unit) => unit !== 0)),
      );
      return;
    }
    const key = (first << ASCII_BITS | second) << ASCII_BITS | third;
    const found = this.#found[gap];
    if (found[key] === texts) return;
    found[key] = texts;
    if (first !== 0) joined[this.#size++] = first;
    if (second !== 0) joined[this.#size++] = second;
    if (gap !== 0) joined[this.#size++] = GAP;
    joined[this.#size++] = third;
    joined[this.#size++] = BLANK;
  }

  /** All grams, separated by blanks. */
  get text(): string {
    const ascii = DECODER.decode(
      joined.subarray(0, Math.max(0, this.#size - 1)),
    );
    if (this.#others.size === 0) return ascii;
    const all = [...ascii === "" ? [] : [ascii], ...this.#others];
    return all.join(" ").toWellFormed();
  }
}

/**
 * Returns the grams of a text, in lower case, that hold a symbol: each symbol, each pair of units
 * without white space, and each three units of which only the middle one may be white space. So a
 * short string with a symbol is a gram, and a longer one consists of grams. Where a word ends in
 * one symbol before another word, as in `error: no`, the four units around the gap are a gram as
 * well: three of them are in too many texts.
 *
 * Grams without a symbol are not needed, because words find a string without a symbol. This makes
 * the table a third of its size with them. A unit is a UTF-16 code unit, or a run of white space;
 * half of a surrogate pair becomes U+FFFD, in the index as in look-ups.
 *
 * @returns The grams, without duplicates, separated by blanks; a gap within one is U+0001.
 */
export function symbolGrams(text: string): string {
  const kindOf = kindsOfUnits();
  const lower = text.toLowerCase();
  const pieces = new Pieces(lower.length);
  // The last three units, and what they are.
  let [a, b, c] = [0, 0, 0];
  let [kindA, kindB, kindC] = [SPACE, SPACE, SPACE];
  for (let at = 0; at < lower.length; at++) {
    const unit = lower.charCodeAt(at);
    const kind = kindOf[unit] ?? SPACE;
    if (kind !== SPACE) {
      if (kind === SYMBOL) pieces.add(0, 0, unit);
      if (kindC !== SPACE && (kindC & kind) === SYMBOL) {
        pieces.add(0, c, unit);
      }
      if (kindB !== SPACE && (kindB & kindC & kind) === SYMBOL) {
        pieces.add(b, c, unit);
        const isAcross = kindA === WORD && kindB === SYMBOL &&
          kindC === SPACE && kind === WORD;
        if (isAcross) pieces.add(a, b, unit, 1);
      }
    } else if (kindC === SPACE) continue;
    [a, kindA, b, kindB] = [b, kindB, c, kindC];
    [c, kindC] = [kind === SPACE ? GAP : unit, kind];
  }
  return pieces.text;
}

/**
 * Returns the grams to look up for a string: those of three units and more, and each part between
 * white space that is shorter and has a symbol.
 */
export function symbolLookups(text: string): string[] {
  const parts = text.toLowerCase().split(SPACES_REGEXP)
    .filter((part) => part !== "");
  const whole = symbolGrams(parts.join(" ")).split(" ")
    .filter(({ length }) => length > 2);
  const short = parts.filter((part) => part.length < 3 && hasSymbol(part));
  return [...short, ...whole];
}

/** Whether a text has a symbol, so that its words alone do not find it. */
export function hasSymbol(text: string): boolean {
  const kindOf = kindsOfUnits();
  const lower = text.toLowerCase();
  for (let at = 0; at < lower.length; at++) {
    if (kindOf[lower.charCodeAt(at)] === SYMBOL) return true;
  }
  return false;
}

/**
 * The ASCII characters that the tokenizer of SQLite has to keep in grams: all that are no letter,
 * no digit and no white space. Beyond ASCII it keeps all characters.
 */
export const ASCII_SYMBOLS: string = Array.from(
  { length: ASCII_END - 1 },
  (_, at) => String.fromCharCode(at + 1),
).filter((text) => !/[\da-z\s]/i.test(text)).join("");
