/**
 * JSON text laid out for reading, without changing a number or a key.
 *
 * @module
 */

/**
 * The nesting beyond which a text is left alone: indentation grows with the square of
 * the depth.
 */
const MAX_DEPTH = 128;

const PUNCTUATION = new Set(["{", "}", "[", "]", ",", ":"]);
const WHITE_SPACE = new Set([" ", "\t", "\n", "\r"]);

/**
 * Lays out a JSON object or list with two spaces per level.
 *
 * Going through values would round large numbers and reorder keys that look like them, so
 * the tokens of the text are laid out instead.
 *
 * @param text The text.
 * @returns The layout, or `undefined` if the text is no object or list, or nests too deep.
 */
export function prettyJson(text: string): string | undefined {
  const trimmed = text.trim();
  const [first] = trimmed;
  if (first !== "{" && first !== "[") return undefined;
  try {
    JSON.parse(trimmed);
  } catch {
    return undefined;
  }
  const pieces: string[] = [];
  let depth = 0;
  let before = "";
  const breakLine = (): void => {
    pieces.push("\n" + "  ".repeat(depth));
  };
  for (const token of tokensOf(trimmed)) {
    const closes = token === "}" || token === "]";
    const afterOpen = before === "{" || before === "[";
    if (closes) {
      depth -= 1;
      if (!afterOpen) breakLine();
    } else if (afterOpen || before === ",") breakLine();
    pieces.push(token === ":" ? ": " : token);
    if (token === "{" || token === "[") {
      depth += 1;
      if (depth > MAX_DEPTH) return undefined;
    }
    before = token;
  }
  return pieces.join("");
}

/**
 * Cuts JSON text into its tokens.
 *
 * A regular expression would need a stack as deep as a string is long.
 */
function* tokensOf(text: string): Generator<string> {
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    let end = at + 1;
    if (char === '"') end = endOfString(text, end);
    else if (!PUNCTUATION.has(char) && !WHITE_SPACE.has(char)) {
      while (end < text.length && isLiteral(text.charAt(end))) end += 1;
    }
    if (!WHITE_SPACE.has(char)) yield text.slice(at, end);
    at = end;
  }
}

function isLiteral(char: string): boolean {
  return !PUNCTUATION.has(char) && !WHITE_SPACE.has(char);
}

/** Finds where a string ends whose first character is at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
