/**
 * The counts of tokens in lines that were rewritten without asking the rules: found again by the
 * text that such lines begin with.
 */

import { LF, QUOTE } from "../../json/bytes.ts";
import { decodeUtf8 } from "../../json/utf8.ts";

/** What lines begin with that may be rewritten so. */
const BEGINNING = new TextEncoder().encode(
  '{"method":"thread/tokenUsage/updated","params":{"threadId":"',
);
const LAST = BEGINNING.length - 1;
/** By the byte that stands where the last one should: how far it is to where it could be. */
const SKIPS = new Uint8Array(256).fill(BEGINNING.length);
for (let at = 0; at < LAST; at++) SKIPS[BEGINNING[at] ?? 0] = LAST - at;

/** Says whether a line begins so that it is found again. */
export function isFoundAgain(bytes: Uint8Array, start: number): boolean {
  return BEGINNING.every((byte, at) => bytes[start + at] === byte);
}

/**
 * Finds such lines.
 *
 * @param bytes The bytes.
 * @param start Where the first line starts.
 * @param end Where the last one ends, behind its LF.
 * @param take Is called with the id of the thread and the line, its LF included; it is a view.
 */
export function findCounts(
  bytes: Uint8Array,
  start: number,
  end: number,
  take: (thread: string, line: Uint8Array) => void,
): void {
  // Most bytes are never looked at: Horspool's search.
  for (let at = start + LAST; at < end; at += SKIPS[bytes[at] ?? 0] ?? 1) {
    const from = at - LAST;
    const isLine = from === start || bytes[from - 1] === LF;
    if (!isLine || !isFoundAgain(bytes, from)) continue;
    const quote = bytes.indexOf(QUOTE, at + 1);
    const last = bytes.indexOf(LF, quote);
    if (quote === -1 || last === -1) return;
    take(decodeUtf8(bytes, at + 1, quote), bytes.subarray(from, last + 1));
  }
}
