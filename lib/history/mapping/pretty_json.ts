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

const TOKEN_REGEXP = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

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
  if (!/^(?:\{[^]*\}|\[[^]*\])$/.test(trimmed)) return undefined;
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
  for (const [token] of trimmed.matchAll(TOKEN_REGEXP)) {
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
