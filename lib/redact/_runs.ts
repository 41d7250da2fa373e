/**
 * Runs of characters, found without a regular expression: a greedy loop over some million
 * characters would overflow the stack of the expression engine, and one that is tried again
 * from every character takes time in the square of its length.
 */

/** A set of characters: 1 for each ASCII code in it, and last whether all others are. */
export type CharacterSet = Uint8Array;

/** The place in a set that stands for all that is not ASCII. */
export const ASCII = 128;

/**
 * Makes a set.
 *
 * @param characters A regular expression that matches each character of the set alone.
 */
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
/** The same and `.`. */
export const DOTTED: CharacterSet = characterSet(/[\w.-]/);
/** What base64 of either alphabet is made of. */
export const BASE64: CharacterSet = characterSet(/[\w+/=-]/);
/** All but white space, quotation marks and backslashes. */
export const UNQUOTED: CharacterSet = characterSet(/[^\s"'`\\]/);
/** White space of JSON. */
export const JSON_SPACE: CharacterSet = characterSet(/[ \t\r\n]/);

/**
 * Finds the end of a run of characters of a set.
 *
 * @param start Where the run starts.
 * @returns The index behind it; `start` if it is empty.
 */
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

/** What a rule does with what it has found. */
type Hide = (
  /** The match of the head: its text, its groups and its index. */
  head: RegExpExecArray,
  /** The run behind it. */
  run: string,
) => string | undefined;

/** A head that an expression finds, and the run of characters behind it. */
interface HeadAndRun {
  /** Finds heads; global, and without an unbounded repetition. */
  readonly head: RegExp;
  /** What the run is made of. */
  readonly run: CharacterSet;
}

/**
 * Replaces what consists of a head and a run of characters.
 *
 * A run is read once: the next head is looked for behind it.
 *
 * @param parts What to look for.
 * @param hide Gives what stands in place of head and run; `undefined` leaves them.
 */
export function replaceRuns(
  text: string,
  { head, run }: HeadAndRun,
  hide: Hide,
): string {
  let replaced = "";
  let from = 0;
  head.lastIndex = 0;
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const end = endOfRun(text, head.lastIndex, run);
    const replacement = hide(found, text.slice(head.lastIndex, end));
    head.lastIndex = end;
    if (replacement === undefined) continue;
    replaced += text.slice(from, found.index) + replacement;
    from = end;
  }
  return from === 0 ? text : replaced + text.slice(from);
}
