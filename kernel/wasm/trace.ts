/**
 * The trace of a record: where each value and slot that was copied into the record ended up, so
 * that TypeScript can make an object of the record without parsing it. See `TRACE_PLAN` and
 * following in the layout.
 *
 * Each part of the trace is a pair of words, a start and an end in UTF-16 units from the start of
 * the record. There are four special forms:
 *
 * - A string with escapes: its decoded text is written behind the record. The pair is the place of
 *   that text, one unit wider on each side, as if quotes stood around it.
 * - If decoding that text with the record would exceed `together` bytes, the pair holds addresses
 *   of bytes instead of units, and `APART` is added to the end.
 * - A string whose escapes were left as they are: the pair is its place in the record, and
 *   `ESCAPED` is added to the end.
 * - A whole number of at most 9 digits without a sign: the start is the number itself, and the end
 *   is `DIGITS`.
 */

import { BACKSLASH, isDigit, QUOTE } from "./bytes";
import { codeUnit, ESCAPES, unicodeEnd } from "./json";
import {
  APART,
  DIGITS,
  ESCAPED,
  TRACE_ALL_UNITS,
  TRACE_END,
  TRACE_NEXT,
  TRACE_PARTS,
  TRACE_START,
  TRACE_UNITS,
} from "./layout";

/** Any whole number of at most this many digits fits into a word. */
const FEW_DIGITS: usize = 9;
/**
 * Escaped strings of fewer bytes, quotes included, are parsed faster than a separate text of theirs
 * is decoded.
 */
const LITTLE: usize = 64;

/** Returns by how many the bytes of a UTF-8 text exceed its UTF-16 units; 0 for ASCII. */
function excess(at: usize, end: usize): u32 {
  let count: u32 = 0;
  for (; at < end; at += 16) {
    const bytes = v128.load(at);
    let high = i8x16.bitmask(bytes);
    if (end - at < 16) high &= (1 << ((end - at) as i32)) - 1;
    if (high == 0) continue;
    // Every continuation byte counts one, except that a character of four bytes counts two: it has
    // two units.
    const rest = i8x16.bitmask(i8x16.lt_s(bytes, i8x16.splat(-64)));
    const pairs = i8x16.bitmask(i8x16.gt_s(bytes, i8x16.splat(-17)));
    count += popcnt(high & rest) - popcnt(high & pairs);
  }
  return count;
}

/** Whether the bytes from `at` to `end` contain a backslash. */
function hasEscapes(at: usize, end: usize): bool {
  for (; at < end; at += 16) {
    const found = i8x16.bitmask(
      i8x16.eq(v128.load(at), i8x16.splat(BACKSLASH as i8)),
    );
    if (found != 0) return at + ctz(found) < end;
  }
  return false;
}

/** Writes a code point as UTF-8 at `to` and returns the end of it. */
function writeCharacter(to: usize, code: u32): usize {
  if (code < 0x80) {
    store<u8>(to, code as u8);
    return to + 1;
  }
  if (code < 0x800) {
    store<u8>(to, (0xc0 | (code >> 6)) as u8);
    store<u8>(to, (0x80 | (code & 0x3f)) as u8, 1);
    return to + 2;
  }
  if (code < 0x10000) {
    store<u8>(to, (0xe0 | (code >> 12)) as u8);
    store<u8>(to, (0x80 | ((code >> 6) & 0x3f)) as u8, 1);
    store<u8>(to, (0x80 | (code & 0x3f)) as u8, 2);
    return to + 3;
  }
  store<u8>(to, (0xf0 | (code >> 18)) as u8);
  store<u8>(to, (0x80 | ((code >> 12) & 0x3f)) as u8, 1);
  store<u8>(to, (0x80 | ((code >> 6) & 0x3f)) as u8, 2);
  store<u8>(to, (0x80 | (code & 0x3f)) as u8, 3);
  return to + 4;
}

/**
 * Writes the text that a JSON string spells, as UTF-8, at `to`. Up to 15 bytes behind its end are
 * overwritten.
 *
 * @param at The address behind the opening quote of the string.
 * @param end The address of its closing quote.
 * @returns The end of the text, or 0 if the string contains half a surrogate pair.
 */
function writeText(to: usize, at: usize, end: usize): usize {
  for (;;) {
    const bytes = v128.load(at);
    v128.store(to, bytes);
    const found = i8x16.bitmask(
      i8x16.eq(bytes, i8x16.splat(BACKSLASH as i8)),
    );
    const length: usize = found == 0 ? 16 : ctz(found);
    if (at + length >= end) return to + (end - at);
    at += length;
    to += length;
    if (found == 0) continue;
    const letter = load<u8>(at, 1);
    if (letter != 0x75) {
      store<u8>(to++, load<u8>(ESCAPES + letter));
      at += 2;
      continue;
    }
    const behind = unicodeEnd(at);
    if (behind == 0) return 0;
    let code = codeUnit(at + 2) as u32;
    if (behind - at > 6) {
      code = 0x10000 + ((code - 0xd800) << 10) +
        ((codeUnit(at + 8) as u32) - 0xdc00);
    }
    to = writeCharacter(to, code);
    at = behind;
  }
  return 0;
}

/**
 * Returns the number that at most 9 digits spell, or `DIGITS` if the text is longer or has other
 * characters.
 */
function wholeOf(at: usize, end: usize): u32 {
  if (end - at > FEW_DIGITS) return DIGITS;
  let number: u32 = 0;
  for (; at < end; at++) {
    const byte = load<u8>(at);
    if (!isDigit(byte)) return DIGITS;
    number = 10 * number + (byte - 0x30);
  }
  return number;
}

/**
 * Completes the trace of a record: converts the addresses of its parts to UTF-16 units from the
 * start of the record, and writes the decoded texts of escaped strings behind the record.
 *
 * @param record The address of the trace of the record.
 * @param end The end of that trace.
 * @param out The end of the record.
 * @param outEnd The end of the room for records.
 * @param together The maximum number of bytes that are decoded at once: a record and the texts
 * behind it.
 * @returns The end of the texts behind the record.
 */
export function endTrace(
  record: usize,
  end: usize,
  out: usize,
  outEnd: usize,
  together: usize,
): usize {
  const start: usize = load<u32>(record, TRACE_START);
  const more = excess(start, out);
  const length = ((out - start) as u32) - more;
  let total = length;
  let behind = out;
  let isTogether = true;
  let shift = start as u32;
  let last = start;
  for (let at = record + TRACE_PARTS; at < end; at += 8) {
    const from: usize = load<u32>(at);
    const to: usize = load<u32>(at, 4);
    if (more != 0) shift += excess(last, from);
    last = from;
    const first = load<u8>(from);
    if (isDigit(first)) {
      const whole = wholeOf(from, to);
      if (whole != DIGITS) {
        store<u32>(at, whole);
        store<u32>(at, DIGITS, 4);
        continue;
      }
    }
    const isEscaped = first == QUOTE && hasEscapes(from, to);
    if (isEscaped) {
      isTogether = isTogether && behind - start + (to - from) <= together;
      const isWorth = isTogether || to - from >= LITTLE;
      const textEnd = isWorth && behind + (to - from) <= outEnd
        ? writeText(behind, from + 1, to - 1)
        : 0;
      if (textEnd != 0) {
        if (isTogether) {
          const length = (textEnd - behind) as u32;
          const units = length - excess(behind, textEnd);
          store<u32>(at, total - 1);
          total += units;
          store<u32>(at, total + 1, 4);
          out = textEnd;
        } else {
          store<u32>(at, behind as u32);
          store<u32>(at, (textEnd as u32) | APART, 4);
        }
        behind = textEnd;
        continue;
      }
    }
    store<u32>(at, (from as u32) - shift);
    if (more != 0) shift += excess(from, to);
    store<u32>(at, ((to as u32) - shift) | (isEscaped ? ESCAPED : 0), 4);
    last = to;
  }
  store<u32>(record, out as u32, TRACE_END);
  store<u32>(record, end as u32, TRACE_NEXT);
  store<u32>(record, length, TRACE_UNITS);
  store<u32>(record, total, TRACE_ALL_UNITS);
  return behind;
}
