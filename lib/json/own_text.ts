/** Texts that outlast what they were cut out of. */

/**
 * How much text a short string may keep alive, in bytes: so much is decoded at once. Decoding
 * each record alone takes a tenth more time, half as much a twentieth (`deno task bench`,
 * `events`).
 */
export const MAX_KEPT_TEXT = 1 << 11;

/**
 * Copies a text, so that it does not keep the one alive that it is a part of. What is cut out of
 * a sum is a part of that, and so takes twice the memory; what is joined is a text of its own.
 */
export function ownText(text: string): string {
  return [text.slice(0, 1), text.slice(1)].join("");
}
