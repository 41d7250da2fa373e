/**
 * Finds runs of characters without regular expressions. A greedy loop over some million characters
 * overflows the stack of the expression engine, and a loop that is retried from every character
 * takes quadratic time.
 */

/** A set of characters: an element for each ASCII code, and a last one for all other characters. */
export type CharacterSet = Uint8Array;

/** The number of ASCII codes, and the index in a set for all characters that are not ASCII. */
export const ASCII = 128;

/** Makes the set of the characters that an expression matches, each alone. */
export function characterSet(characters: RegExp): CharacterSet {
  const set = new Uint8Array(ASCII + 1);
  for (let code = 0; code < ASCII; code++) {
    set[code] = characters.test(String.fromCharCode(code)) ? 1 : 0;
  }
  set[ASCII] = characters.test("\u00e9") ? 1 : 0;
  return set;
}

export const ALPHANUMERIC: CharacterSet = characterSet(/[A-Za-z\d]/);
/** Letters, digits, `_` and `-`. */
export const WORD: CharacterSet = characterSet(/[\w-]/);
/** Letters, digits, `_`, `-` and `.`. */
export const DOTTED: CharacterSet = characterSet(/[\w.-]/);
/** The characters of base64 in both alphabets. */
export const BASE64: CharacterSet = characterSet(/[\w+/=-]/);
/** All but white space, quotation marks and backslashes. */
export const UNQUOTED: CharacterSet = characterSet(/[^\s"'`\\]/);
/** White space of JSON. */
export const JSON_SPACE: CharacterSet = characterSet(/[ \t\r\n]/);

/** Returns the index after the run of a set that starts at an index; that index if it is empty. */
export function endOfRun(
  text: string,
  start: number,
  set: CharacterSet,
): number {
  let at = start;
  while (
    at < text.length && set[Math.min(text.charCodeAt(at), ASCII)] === 1
  ) at += 1;
  return at;
}

/**
 * Replaces each head together with the run of characters after it.
 *
 * Each run is read only once, since the search for the next head starts after it.
 *
 * @param head Finds heads; global, and without an unbounded repetition.
 * @param run The characters of the run.
 * @param hide Returns the replacement of a head, by its match, and of the run after it; `undefined`
 *   keeps them.
 */
export function replaceRuns(
  text: string,
  { head, run }: { readonly head: RegExp; readonly run: CharacterSet },
  hide: (head: RegExpExecArray, run: string) => string | undefined,
): string {
  let replaced = "";
  let from = 0;
  head.lastIndex = 0;
  for (let found; (found = head.exec(text)) !== null;) {
    const end = endOfRun(text, head.lastIndex, run);
    const replacement = hide(found, text.slice(head.lastIndex, end));
    head.lastIndex = end;
    if (replacement === undefined) continue;
    replaced += text.slice(from, found.index) + replacement;
    from = end;
  }
  return from === 0 ? text : replaced + text.slice(from);
}
