/**
 * The part of the index that finds text inside words and between them: `foo(bar)`, `C:\a\b`,
 * and languages that put no spaces between words.
 *
 * @module
 */

/**
 * What is a word to both parts of the index: letters of scripts that put spaces between words,
 * and digits. Everything else but white space is a symbol.
 */
const WORD_REGEXP = /[\da-z\u00c0-\u024f\u0370-\u052f]/;
const SPACE_REGEXP = /\s/;
const SPACES_REGEXP = /\s+/;
const SYMBOL = 0;
const WORD = 1;
const SPACE = 2;
/** The kinds of three units, two bits each. */
const ALL_KINDS = 0b11_11_11;
const ANY_SPACE = SPACE << 4 | SPACE << 2 | SPACE;
const ALL_WORDS = WORD << 4 | WORD << 2 | WORD;

let kinds: Uint8Array | undefined;

/** What each UTF-16 code unit is; made when it is first needed. */
function kindsOfUnits(): Uint8Array {
  if (kinds !== undefined) return kinds;
  kinds = new Uint8Array(1 << 16);
  for (let unit = 0; unit < kinds.length; unit++) {
    const text = String.fromCharCode(unit);
    if (SPACE_REGEXP.test(text)) kinds[unit] = SPACE;
    else if (WORD_REGEXP.test(text)) kinds[unit] = WORD;
  }
  return kinds;
}

/** Which text each trigram of ASCII was last found in; made when it is first needed. */
let lastFound: Uint32Array | undefined;
let texts = 0;
let joined = new Uint8Array(1 << 16);
const ASCII_BITS = 7;
const ASCII_END = 1 << ASCII_BITS;
const BLANK = 0x20;
/** How many bytes a unit adds at most: at the end of a run, one and two units, and blanks. */
const BYTES_PER_UNIT = 5;
const DECODER = new TextDecoder();

/**
 * Gives the trigrams of a text, in lower case, that hold a symbol and no white space; and of
 * each run that white space or the text ends, the last two units and the last one, if they hold
 * a symbol. So whatever holds a symbol is, or begins, one of them, if it is short, and is made of
 * them if it is not.
 *
 * Those without a symbol are not needed: a string without one is found by its words. That
 * makes this part of the index a quarter of what it would be. A trigram is of UTF-16 code
 * units; what is not a character on its own becomes U+FFFD on both sides.
 *
 * @param text The text.
 * @returns The trigrams, each once, with blanks between them.
 */
export function symbolTrigrams(text: string): string {
  const kindOf = kindsOfUnits();
  const lower = text.toLowerCase();
  const others = new Set<string>();
  // Nearly all are of ASCII, and a set of strings for these took as long as all else.
  const found = lastFound ??= new Uint32Array(1 << (3 * ASCII_BITS));
  texts += 1;
  const room = BYTES_PER_UNIT * (lower.length + 1);
  if (joined.length < room) joined = new Uint8Array(room);
  let size = 0;
  const add = (start: number, end: number): void => {
    let units = 0;
    let key = 0;
    for (let at = start; at < end; at++) {
      const unit = lower.charCodeAt(at);
      units |= unit;
      key = key << ASCII_BITS | unit;
    }
    if (units >= ASCII_END) others.add(lower.slice(start, end));
    else if (found[key] !== texts) {
      found[key] = texts;
      for (let at = start; at < end; at++) {
        joined[size++] = lower.charCodeAt(at);
      }
      joined[size++] = BLANK;
    }
  };
  let kinds = SPACE << 2 | SPACE;
  for (let end = 0; end <= lower.length; end++) {
    // Not a number behind the end, where there is no kind.
    const kind = kindOf[lower.charCodeAt(end)] ?? SPACE;
    kinds = (kinds << 2 | kind) & ALL_KINDS;
    if ((kinds & ANY_SPACE) === 0) {
      if (kinds !== ALL_WORDS) add(end - 2, end + 1);
    } else if (kind === SPACE) {
      const last = kinds >> 2 & 3;
      if (last === SYMBOL) add(end - 1, end);
      const pair = kinds >> 2;
      if ((pair & ANY_SPACE) === 0 && pair !== (WORD << 2 | WORD)) {
        add(end - 2, end);
      }
    }
  }
  const ascii = DECODER.decode(joined.subarray(0, Math.max(0, size - 1)));
  if (others.size === 0) return ascii;
  return [...size === 0 ? [] : [ascii], ...others].join(" ").toWellFormed();
}

/** What is looked up in this part of the index. */
export interface SymbolLookup {
  /** What it is, in lower case. */
  readonly text: string;
  /** Whether it is only the beginning of what is there. */
  readonly isBeginning: boolean;
}

/**
 * Gives what to look up for a string: the trigrams that it is made of, or what begins as it
 * does, for every part of it between white space that holds a symbol.
 *
 * @param text The string.
 * @returns What to look up, and whether it is a beginning.
 */
export function symbolLookups(text: string): SymbolLookup[] {
  const lower = text.toLowerCase();
  return lower.split(SPACES_REGEXP).filter(hasSymbol).flatMap(
    (part): SymbolLookup[] => {
      if (part.length < 3) return [{ text: part, isBeginning: true }];
      return symbolTrigrams(part).split(" ").filter(({ length }) =>
        length === 3
      )
        .map((text) => ({ text, isBeginning: false }));
    },
  );
}

/** Tells whether a text has a symbol, so that its words alone do not find it. */
export function hasSymbol(text: string): boolean {
  const kindOf = kindsOfUnits();
  const lower = text.toLowerCase();
  for (let at = 0; at < lower.length; at++) {
    if (kindOf[lower.charCodeAt(at)] === SYMBOL) return true;
  }
  return false;
}

/**
 * What the tokenizer of SQLite has to take for a part of a trigram: everything in ASCII that
 * is no letter, no digit and no white space. Beyond ASCII it takes everything.
 */
export const ASCII_SYMBOLS: string = Array.from(
  { length: ASCII_END - 1 },
  (_, at) => String.fromCharCode(at + 1),
).filter((text) => !/[\da-z\s]/i.test(text)).join("");
