/** What stands in place of a secret. */

/** Gives what stands in place of a secret of a kind, after counting it. */
export type Mask = (kind: string) => string;

/** How everything begins that stands in place of a secret. */
export const PLACEHOLDER = "[redacted:";

export function placeholderOf(kind: string): string {
  return `${PLACEHOLDER}${kind}]`;
}

/** Finds what stands in place of secrets. */
export const PLACEHOLDER_REGEXP = /\[redacted:[a-z0-9_]{1,40}\]/g;

/** Numbers what stands last in place of a secret in a text, so that it stands alone. */
export function numbered(text: string, number: number): string {
  const last = [...text.matchAll(PLACEHOLDER_REGEXP)].at(-1);
  if (last === undefined) return text;
  const end = last.index + last[0].length - 1;
  return `${text.slice(0, end)}_${number}${text.slice(end)}`;
}

/** Whether a text is nothing but what stands in place of secrets. */
export function isPlaceholder(text: string): boolean {
  return text.startsWith(PLACEHOLDER) &&
    text.replaceAll(PLACEHOLDER_REGEXP, "") === "";
}
