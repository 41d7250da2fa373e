/**
 * Writes down what was copied into a record, for those who make an object of it.
 *
 * The text of a string with escapes is written behind the record, and its place, as if there
 * were quotes around it, is told instead of its own; `APART` is added to the end of those
 * that are too long to be decoded with the record, whose places are those in memory, and
 * `ESCAPED` to that of strings that were left as they are. Of a whole number of few digits
 * stands there what it is, and `DIGITS` instead of the end.
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

/** How many digits a number has at most that a word holds whatever they are. */
const FEW_DIGITS: usize = 9;
/** Strings of less bytes are parsed in less time than they are decoded by themselves. */
const LITTLE: usize = 64;

/** How many more bytes a text has than units of UTF-16; none if it is ASCII. */
function excess(at: usize, end: usize): u32 {
  let count: u32 = 0;
  for (; at < end; at += 16) {
    const bytes = v128.load(at);
    let high = i8x16.bitmask(bytes);
    if (end - at < 16) high &= (1 << ((end - at) as i32)) - 1;
    if (high == 0) continue;
    // All but the first byte of a character, less one for the four bytes of a pair.
    const rest = i8x16.bitmask(i8x16.lt_s(bytes, i8x16.splat(-64)));
    const pairs = i8x16.bitmask(i8x16.gt_s(bytes, i8x16.splat(-17)));
    count += popcnt(high & rest) - popcnt(high & pairs);
  }
  return count;
}

/** Whether there is a backslash in a text. */
function hasEscapes(at: usize, end: usize): bool {
  for (; at < end; at += 16) {
    const found = i8x16.bitmask(
      i8x16.eq(v128.load(at), i8x16.splat(BACKSLASH as i8)),
    );
    if (found != 0) return at + ctz(found) < end;
  }
  return false;
}

/** Writes a character; says where it ends. */
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
 * Writes the text that a string stands for; up to 15 bytes behind its end are overwritten.
 *
 * @param at Where the inside of the string starts.
 * @param end Where that ends.
 * @returns Where the text ends, or 0 if half a surrogate pair is in it.
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

/** What a number is that has few digits and nothing else, or `DIGITS`. */
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
 * Ends what is written down of a record: bytes become units of UTF-16, from its start on.
 *
 * @param record Where it is written down.
 * @param end Where that ends.
 * @param out Where the record ends.
 * @param outEnd Where the room for records ends.
 * @param together How much text is decoded at once: a record, and the texts of its strings.
 * @returns Where the texts behind the record end.
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
