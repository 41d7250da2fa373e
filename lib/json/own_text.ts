/** Texts that outlast what they were cut out of. */

/**
 * Copies a text, so that it does not keep the one alive that it is a part of: what is cut
 * out of a sum is a part of that.
 */
export function ownText(text: string): string {
  return ` ${text}`.slice(1);
}
