/** Beginnings and ends of texts, in UTF-16 code units, without half a surrogate pair. */

export function startOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
}

export function endOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(text.length - limit).replace(/^[\udc00-\udfff]/, "");
}

/** Cuts text that is too long, and puts `…` at its end. */
export function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${startOf(text, limit - 1)}…`;
}
