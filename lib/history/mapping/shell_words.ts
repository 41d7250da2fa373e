/**
 * The words of a command line.
 *
 * @module
 */

/** What a backslash takes the meaning from inside double quotes. */
const ESCAPABLE_IN_QUOTES = new Set(["$", "`", '"', "\\", "\n"]);
const WHITE_SPACE = new Set([" ", "\t", "\n", "\r"]);

/**
 * Splits a command line into words as a POSIX shell would, without expanding anything.
 *
 * It undoes how Codex joined the words. A `#` is no comment: nothing of a line is lost.
 *
 * @param line The command line.
 * @returns The words; the line as the only one if a quote or an escape in it never ends.
 */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < line.length) {
    const char = line.charAt(at);
    at += 1;
    if (WHITE_SPACE.has(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'") {
      const end = line.indexOf("'", at);
      if (end === -1) return [line];
      word = (word ?? "") + line.slice(at, end);
      at = end + 1;
    } else if (char === '"') {
      const end = endOfQuote(line, at);
      if (end === -1) return [line];
      word = (word ?? "") + unquoted(line.slice(at, end));
      at = end + 1;
    } else if (char === "\\") {
      if (at === line.length) return [line];
      const next = line.charAt(at);
      at += 1;
      // A backslash before a line end continues the line.
      if (next !== "\n") word = (word ?? "") + next;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** Finds the quote that ends what begins at `start`; -1 if there is none. */
function endOfQuote(line: string, start: number): number {
  for (let at = start; at < line.length; at++) {
    if (line[at] === '"') return at;
    if (line[at] === "\\") at += 1;
  }
  return -1;
}

function unquoted(text: string): string {
  return text.replace(
    /\\([^])/g,
    (whole, char: string) =>
      !ESCAPABLE_IN_QUOTES.has(char) ? whole : char === "\n" ? "" : char,
  );
}
