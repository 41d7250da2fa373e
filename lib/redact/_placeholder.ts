/** Placeholders: the texts that replace secrets. */

/** Counts a secret of a kind, and returns its placeholder. */
export type Mask = (kind: string) => string;

/** The beginning of every placeholder. */
export const PLACEHOLDER = "[redacted:";

export function placeholderOf(kind: string): string {
  return `${PLACEHOLDER}${kind}]`;
}

export const PLACEHOLDER_REGEXP = /\[redacted:[a-z0-9_]{1,40}\]/g;

/** Adds a number to the last placeholder of a text, which makes the text unique. */
export function numbered(text: string, number: number): string {
  const last = [...text.matchAll(PLACEHOLDER_REGEXP)].at(-1);
  if (last === undefined) return text;
  const end = last.index + last[0].length - 1;
  return `${text.slice(0, end)}_${number}${text.slice(end)}`;
}

/** Returns whether a text consists only of placeholders. */
export function isPlaceholder(text: string): boolean {
  return text.startsWith(PLACEHOLDER) &&
    text.replaceAll(PLACEHOLDER_REGEXP, "") === "";
}
