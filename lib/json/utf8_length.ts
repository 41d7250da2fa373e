/**
 * Lengths of texts in bytes of UTF-8, and places in texts by bytes, without keeping the encoded
 * text.
 *
 * @module
 */

const ENCODER = new TextEncoder();
/** Receives the encoded text, of which only the length is used. */
const SCRATCH = new Uint8Array(1 << 16);
/** Up to this length a loop is faster than the call of the encoder. */
const SHORT = 48;

/** Whether a text ends in the first half of a surrogate pair. */
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
 * Half a surrogate pair counts three, because encoders replace it by U+FFFD.
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
 * Counts the bytes that a text adds when it is appended to another one.
 *
 * They are two fewer where the two halves of a surrogate pair meet. The other text is not a
 * parameter: reading the end of a text that grows would copy it each time.
 *
 * @param afterHalf Whether the other text ends in the first half of a pair.
 */
export function addedBytes(afterHalf: boolean, text: string): number {
  const bytes = byteLength(text);
  return afterHalf && startsWithLowSurrogate(text) ? bytes - 2 : bytes;
}

interface TextPlace {
  /** The number of UTF-16 units before it. */
  readonly units: number;
  /** The number of UTF-8 bytes before it. */
  readonly bytes: number;
}

/**
 * Finds the place in a text that is `limit` bytes behind its start. If that is inside a character,
 * returns the place before the character (`"down"`) or behind it (`"up"`).
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
