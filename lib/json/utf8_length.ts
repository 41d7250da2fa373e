/**
 * Lengths of texts in bytes of UTF-8, and places in texts by bytes, without encoding what is
 * kept.
 *
 * @module
 */

const ENCODER = new TextEncoder();
/** What is encoded for its length only; the content means nothing. */
const SCRATCH = new Uint8Array(1 << 16);
/** Below this length a loop beats the call into the encoder. */
const SHORT = 48;

/** Tells whether a text ends in the first half of a pair of surrogates. */
export function endsInHighSurrogate(text: string): boolean {
  const code = text.charCodeAt(text.length - 1);
  return code >= 0xd800 && code <= 0xdbff;
}

function startsWithLowSurrogate(text: string): boolean {
  const code = text.charCodeAt(0);
  return code >= 0xdc00 && code <= 0xdfff;
}

/**
 * Counts the bytes of a text in UTF-8.
 *
 * Half of a pair of surrogates counts three, as encoders write U+FFFD for it.
 */
export function byteLength(text: string): number {
  if (text.length <= SHORT) return placeOfByte(text, Infinity, "down").bytes;
  let bytes = 0;
  for (let at = 0; at < text.length;) {
    const { read, written } = ENCODER.encodeInto(text.slice(at), SCRATCH);
    at += read;
    bytes += written;
  }
  return bytes;
}

/**
 * Counts the bytes that a text adds when it is put behind another one.
 *
 * They are two less where the two halves of a pair of surrogates meet. The other text is not
 * looked at: reading the end of a text that grows would copy it each time.
 *
 * @param afterHalf Whether the other text ends in the first half of a pair.
 */
export function addedBytes(afterHalf: boolean, text: string): number {
  const bytes = byteLength(text);
  return afterHalf && startsWithLowSurrogate(text) ? bytes - 2 : bytes;
}

/** A place in a text. */
interface TextPlace {
  /** How many units of UTF-16 stand before it. */
  readonly units: number;
  /** How many bytes of UTF-8 stand before it. */
  readonly bytes: number;
}

/**
 * Finds the place in a text that a number of bytes ends at; inside a character, the place
 * before it or behind it.
 */
export function placeOfByte(
  text: string,
  limit: number,
  rounding: "down" | "up",
): TextPlace {
  let units = 0;
  let bytes = 0;
  while (units < text.length && bytes < limit) {
    const code = text.charCodeAt(units);
    let width = 3;
    let length = 1;
    if (code < 0x80) width = 1;
    else if (code < 0x800) width = 2;
    else if (code >= 0xd800 && code <= 0xdbff) {
      const next = text.charCodeAt(units + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        width = 4;
        length = 2;
      }
    }
    if (bytes + width > limit && rounding === "down") break;
    bytes += width;
    units += length;
  }
  return { units, bytes };
}
