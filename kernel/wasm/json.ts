/**
 * Checks JSON values: each function gets the address where a value starts and returns the address
 * behind its end, or 0 if the text is not valid.
 *
 * It must never accept a text that lib/json/tape.ts refuses. No value reaches behind its line,
 * because no token of JSON contains an LF.
 */

import { BACKSLASH, CR, isDigit, QUOTE, SPACE, TAB } from "./bytes";

/** The maximum depth of containers inside a value of a plan; deeper ones are left to TypeScript. */
const MAX_DEPTH: usize = 1000;
const STACK: usize = memory.data(1024, 16);
/**
 * By the letter that follows a backslash, the byte that the escape stands for; 0 for `u` and for
 * letters that may not follow.
 */
export const ESCAPES: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x2f,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x5c, 0, 0, 0,
  0, 0, 0x08, 0, 0, 0, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0x0a, 0,
  0, 0, 0x0d, 0, 0x09, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** Returns the end of the UTF-8 character of two to four bytes at `at`, or 0 if it is not valid. */
function characterEnd(at: usize): usize {
  const lead = load<u8>(at);
  const second = load<u8>(at, 1);
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return (second & 0xc0) == 0x80 ? at + 2 : 0;
  if ((load<u8>(at, 2) & 0xc0) != 0x80) return 0;
  if (lead < 0xf0) {
    const low: u8 = lead == 0xe0 ? 0xa0 : 0x80;
    const high: u8 = lead == 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high ? at + 3 : 0;
  }
  if (lead > 0xf4 || (load<u8>(at, 3) & 0xc0) != 0x80) return 0;
  const low: u8 = lead == 0xf0 ? 0x90 : 0x80;
  const high: u8 = lead == 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high ? at + 4 : 0;
}

/** Returns the UTF-16 code unit that four hexadecimal digits spell, or -1. */
export function codeUnit(at: usize): i32 {
  let unit = 0;
  for (let end = at + 4; at < end; at++) {
    const byte = load<u8>(at);
    let digit: i32;
    if (isDigit(byte)) digit = byte - 0x30;
    else {
      const letter = ((byte as u32) | 0x20) - 0x61;
      if (letter > 5) return -1;
      digit = (letter as i32) + 10;
    }
    unit = (unit << 4) | digit;
  }
  return unit;
}

/** Returns the end of the escape `\uXXXX` at `at`, or of both escapes of a surrogate pair, or 0. */
export function unicodeEnd(at: usize): usize {
  const unit = codeUnit(at + 2);
  if (unit < 0) return 0;
  if (unit < 0xd800 || unit > 0xdfff) return at + 6;
  if (unit > 0xdbff) return 0;
  if (load<u8>(at, 6) != BACKSLASH || load<u8>(at, 7) != 0x75) return 0;
  const second = codeUnit(at + 8);
  return second >= 0xdc00 && second <= 0xdfff ? at + 12 : 0;
}

/**
 * Returns the end of a string, its closing quote included, or 0. `at` is behind the opening quote.
 */
export function stringEnd(at: usize): usize {
  for (;;) {
    const bytes = v128.load(at);
    // Compared as signed numbers: bytes from 0x80 on are negative, so less than SPACE like the
    // control characters.
    let special = i8x16.bitmask(
      v128.or(
        v128.or(
          i8x16.eq(bytes, i8x16.splat(QUOTE as i8)),
          i8x16.eq(bytes, i8x16.splat(BACKSLASH as i8)),
        ),
        i8x16.lt_s(bytes, i8x16.splat(SPACE as i8)),
      ),
    );
    if (special == 0) {
      at += 16;
      continue;
    }
    for (;;) {
      const place = ctz(special);
      const where = at + place;
      const byte = load<u8>(where);
      if (byte == QUOTE) return where + 1;
      if (byte == BACKSLASH) {
        const letter = load<u8>(where, 1);
        if (letter < 0x80 && load<u8>(ESCAPES + letter)) {
          if (place == 15) {
            at += 17;
            break;
          }
          special &= -4 << place;
          if (special != 0) continue;
          at += 16;
          break;
        }
        if (letter != 0x75) return 0;
        at = unicodeEnd(where);
      } else {
        if (byte < 0x80) return 0;
        at = characterEnd(where);
      }
      if (at == 0) return 0;
      break;
    }
  }
  return 0;
}

/**
 * Whether a string equals its own trimmed text: it is not empty, has no escapes, and its first and
 * last characters are printable ASCII other than the space. `at` and `end` include its quotes.
 */
export function isId(at: usize, end: usize): bool {
  if (end - at < 3) return false;
  const first: u32 = load<u8>(at, 1);
  const last: u32 = load<u8>(end - 2);
  if (first - 0x21 > 0x5d || last - 0x21 > 0x5d) return false;
  for (; at < end; at++) if (load<u8>(at) == BACKSLASH) return false;
  return true;
}

/**
 * Returns the end of the number at `at`, or 0. With `isWhole`, a number with a fraction or exponent
 * is refused.
 */
export function numberEnd(at: usize, isWhole: bool): usize {
  if (load<u8>(at) == 0x2d) at += 1;
  if (load<u8>(at) == 0x30) at += 1;
  else {
    if (!isDigit(load<u8>(at))) return 0;
    do at += 1; while (isDigit(load<u8>(at)));
  }
  if (load<u8>(at) == 0x2e) {
    if (isWhole || !isDigit(load<u8>(++at))) return 0;
    do at += 1; while (isDigit(load<u8>(at)));
  }
  if ((load<u8>(at) | 0x20) == 0x65) {
    const sign = load<u8>(++at);
    if (sign == 0x2b || sign == 0x2d) at += 1;
    if (isWhole || !isDigit(load<u8>(at))) return 0;
    do at += 1; while (isDigit(load<u8>(at)));
  }
  return at;
}

/** Returns the end of `true`, `false` or `null` at `at`, or 0. */
function wordEnd(at: usize): usize {
  const word = load<u32>(at);
  if (word == 0x65757274 || word == 0x6c6c756e) return at + 4;
  return word == 0x736c6166 && load<u8>(at, 4) == 0x65 ? at + 5 : 0;
}

/** Returns the end of `true` or `false` at `at`, or 0. */
export function booleanEnd(at: usize): usize {
  return load<u8>(at) == 0x6e ? 0 : wordEnd(at);
}

// @ts-ignore: AssemblyScript
@inline
function skipSpace(at: usize): usize {
  let byte = load<u8>(at);
  if (byte > SPACE) return at;
  // LF is not skipped: it ends the line.
  while (byte == SPACE || byte == TAB || byte == CR) byte = load<u8>(++at);
  return at;
}

/** Returns the end of the object or array at `at`, or 0. */
export function containerEnd(at: usize): usize {
  let depth: usize = 0;
  /** The byte that closes the innermost container: 0x7d (`}`) or 0x5d (`]`). */
  let closing: u8 = 0;
  for (;;) {
    // A value is expected at `at`.
    let byte = load<u8>(at);
    if (byte == QUOTE) {
      at = stringEnd(at + 1);
      if (at == 0) return 0;
    } else if (byte == 0x7b || byte == 0x5b) {
      if (depth == MAX_DEPTH) return 0;
      store<u8>(STACK + depth, closing);
      depth += 1;
      closing = byte + 2;
      at = skipSpace(at + 1);
      byte = load<u8>(at);
      if (byte != closing) {
        if (closing == 0x5d) continue;
        at = memberValue(at);
        if (at == 0) return 0;
        continue;
      }
    } else {
      at = byte == 0x2d || isDigit(byte) ? numberEnd(at, false) : wordEnd(at);
      if (at == 0) return 0;
    }
    // `at` is behind a value, or at the closing byte of an empty container.
    for (;;) {
      at = skipSpace(at);
      byte = load<u8>(at);
      if (byte != closing) break;
      at += 1;
      depth -= 1;
      if (depth == 0) return at;
      closing = load<u8>(STACK + depth);
    }
    if (byte != 0x2c) return 0;
    at = skipSpace(at + 1);
    if (closing == 0x7d) {
      at = memberValue(at);
      if (at == 0) return 0;
    }
  }
  return 0;
}

/** Returns the start of the value of the member whose key starts at `at`, or 0. */
// @ts-ignore: AssemblyScript
@inline
function memberValue(at: usize): usize {
  if (load<u8>(at) != QUOTE) return 0;
  at = stringEnd(at + 1);
  if (at == 0) return 0;
  at = skipSpace(at);
  return load<u8>(at) == 0x3a ? skipSpace(at + 1) : 0;
}
