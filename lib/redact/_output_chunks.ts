/**
 * Bytes in records. Output of commands as the releases 0.20 to 0.42 wrote it: as base64 or
 * as a list of numbers, in the member `chunk`; lines that are no UTF-8, as records of failed
 * lines keep them: as base64, in `raw_base64`. Nothing in such a text looks like a secret,
 * and yet whoever decodes it has it.
 */

import { characterSet, endOfRun } from "./_runs.ts";

/** The name of the member that holds output. */
export const CHUNK = "chunk";

/** The names of members that hold base64. */
export const BASE64_NAMES: ReadonlySet<string> = new Set([
  CHUNK,
  "raw_base64",
]);

/** What a list of numbers is made of. */
const LIST = characterSet(/[\d, ]/);

/**
 * Redacts the bytes that a text holds as base64.
 *
 * @param text The value of the member.
 * @param redact Redacts a text of bytes: U+0000 to U+00FF.
 * @returns The value, encoded anew; `undefined` if nothing was redacted, or it is no base64.
 */
export function redactBase64(
  text: string,
  redact: (bytes: string) => string,
): string | undefined {
  if (text.length % 4 !== 0) return undefined;
  let bytes: string;
  try {
    bytes = atob(text);
  } catch {
    return undefined;
  }
  const redacted = redact(bytes);
  return redacted === bytes ? undefined : btoa(redacted);
}

/**
 * Redacts the output that stands at an index as a list of numbers.
 *
 * @param text The text of the record.
 * @param start Where the list may start.
 * @param redact Redacts a text of bytes: U+0000 to U+00FF.
 * @returns Where the list ends, and what stands in its place if anything was redacted;
 *   `undefined` if there is none.
 */
export function redactList(
  text: string,
  start: number,
  redact: (bytes: string) => string,
): { readonly end: number; readonly list: string | undefined } | undefined {
  if (text.charAt(start) !== "[") return undefined;
  const close = endOfRun(text, start + 1, LIST);
  if (text.charAt(close) !== "]") return undefined;
  const end = close + 1;
  let bytes = "";
  for (const number of text.slice(start + 1, close).split(",")) {
    const byte = Number(number);
    if (byte > 255) return { end, list: undefined };
    bytes += String.fromCharCode(byte);
  }
  const redacted = redact(bytes);
  if (redacted === bytes) return { end, list: undefined };
  const numbers = Array.from(redacted, (letter) => letter.charCodeAt(0));
  return { end, list: JSON.stringify(numbers) };
}
