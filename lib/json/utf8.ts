/** UTF-8 as the Unicode standard defines it: no overlong forms, no encoded surrogates. */

import { copyOf } from "./bytes.ts";

const LOSSY = new TextDecoder("utf-8", { ignoreBOM: true });
/** Up to this length, that of ids, a loop in JavaScript is faster than the call of the decoder. */
const SHORT = 40;

/**
 * Finds the end of the character of two to four bytes that starts at `at`.
 *
 * @returns The index behind it, or -1 if the bytes are not valid UTF-8.
 */
export function endOfMultibyte(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  if (lead < 0xc2) return -1;
  if (lead < 0xe0) return (second & 0xc0) === 0x80 ? at + 2 : -1;
  const third = bytes[at + 2] ?? 0;
  if ((third & 0xc0) !== 0x80) return -1;
  if (lead < 0xf0) {
    const low = lead === 0xe0 ? 0xa0 : 0x80;
    const high = lead === 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high ? at + 3 : -1;
  }
  const fourth = bytes[at + 3] ?? 0;
  if (lead > 0xf4 || (fourth & 0xc0) !== 0x80) return -1;
  const low = lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high ? at + 4 : -1;
}

/**
 * Counts the bytes at the end of an array that begin a character whose other bytes are missing.
 * Returns 0 if no bytes could complete it.
 */
function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const lead = bytes[bytes.length - back] ?? 0;
    if (lead < 0x80) return 0;
    if (lead < 0xc0) continue;
    // Every valid beginning is completed by one of these second bytes.
    const rest = [0x80, 0x90, 0xa0].some((second) => {
      const whole = new Uint8Array([lead, second, 0x80, 0x80]);
      whole.set(bytes.subarray(bytes.length - back));
      return endOfMultibyte(whole, 0) > back;
    });
    return rest ? back : 0;
  }
  return 0;
}

export function isUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end;) {
    if ((bytes[at] ?? 0) < 0x80) at += 1;
    else {
      at = endOfMultibyte(bytes, at);
      if (at === -1 || at > end) return false;
    }
  }
  return true;
}

/** Decodes a range of bytes. Bytes that are not UTF-8 become U+FFFD; a byte order mark is kept. */
export function decodeUtf8(
  bytes: Uint8Array,
  start: number,
  end: number,
): string {
  if (end - start <= SHORT) {
    let text = "";
    let at = start;
    // Eight bytes at once take half the time, and leave fewer strings behind (heap profile of
    // keys).
    for (; at + 8 <= end; at += 8) {
      const a = bytes[at] ?? 0;
      const b = bytes[at + 1] ?? 0;
      const c = bytes[at + 2] ?? 0;
      const d = bytes[at + 3] ?? 0;
      const e = bytes[at + 4] ?? 0;
      const f = bytes[at + 5] ?? 0;
      const g = bytes[at + 6] ?? 0;
      const h = bytes[at + 7] ?? 0;
      if ((a | b | c | d | e | f | g | h) >= 0x80) {
        return LOSSY.decode(bytes.subarray(start, end));
      }
      text += String.fromCharCode(a, b, c, d, e, f, g, h);
    }
    for (; at < end; at++) {
      const code = bytes[at] ?? 0;
      if (code >= 0x80) return LOSSY.decode(bytes.subarray(start, end));
      text += String.fromCharCode(code);
    }
    return text;
  }
  return LOSSY.decode(bytes.subarray(start, end));
}

/** The maximum number of bytes of an incomplete character. */
const MAX_PENDING = 3;

/**
 * Decodes UTF-8 in pieces, like a streaming `TextDecoder`, but its state can be saved as plain
 * JSON.
 */
export class Utf8Decoder {
  #pending: Uint8Array;

  /**
   * @param pending The bytes of an incomplete character, from an earlier decoder.
   */
  constructor(pending: readonly number[] | Uint8Array = []) {
    this.#pending = Uint8Array.from(pending.slice(0, MAX_PENDING));
  }

  /** The bytes of the incomplete character at the end of the last piece. */
  get pending(): readonly number[] {
    return [...this.#pending];
  }

  /**
   * Decodes a piece. Bytes that are not UTF-8 become U+FFFD.
   *
   * @returns The complete characters.
   */
  decode(piece: Uint8Array): string {
    let bytes = piece;
    if (this.#pending.length > 0) {
      bytes = new Uint8Array(this.#pending.length + piece.length);
      bytes.set(this.#pending);
      bytes.set(piece, this.#pending.length);
    }
    const end = bytes.length - unfinishedBytes(bytes);
    this.#pending = copyOf(bytes, end);
    return decodeUtf8(bytes, 0, end);
  }
}

/**
 * The maximum number of bytes that are decoded at once, and so the length of text that a short
 * string may keep alive. Decoding each record separately takes a tenth more time; half of this
 * limit takes a twentieth more (`deno task bench`, `events`).
 */
export const MAX_KEPT_TEXT = 1 << 11;

/**
 * Copies a text, so that it does not keep alive the larger text that it was cut from. The copy is
 * made by `join`, because a slice of a concatenation (`+`) would again be a part of it, which takes
 * twice the memory.
 */
export function ownText(text: string): string {
  return [text.slice(0, 1), text.slice(1)].join("");
}

/**
 * Returns a text that may be kept longer than the text it was cut from. It is copied only where
 * that pays: engines copy texts below 13 characters anyway, and a long text is most of the one it
 * was cut from.
 */
export function keptText(text: string): string {
  return text.length < 13 || text.length > MAX_KEPT_TEXT ? text : ownText(text);
}
