/** Passes over lines that have none of some words in them, without reading them as JSON. */

import { BACKSLASH, CLOSE_BRACE, CR, isAt, LF, OPEN_BRACE, QUOTE } from "./bytes";
import {
  SIEVE_BEGINNING,
  SIEVE_BEGINNING_LENGTH,
  SIEVE_COUNT,
  SIEVE_FIRSTS,
  SIEVE_HASH,
  SIEVE_KEPT,
  SIEVE_KEPT_END,
  SIEVE_KEY,
  SIEVE_LAST,
  SIEVE_LAST_LENGTH,
  SIEVE_MAX_KEPT,
  SIEVE_PASSED,
  SIEVE_WORD_LENGTH,
  SIEVE_WORD_STRIDE,
  SIEVE_WORDS,
} from "./layout";

/** Whether a word is at a place, which is behind a quote. */
// @ts-ignore: AssemblyScript
@inline
function isWord(sieve: usize, at: usize): bool {
  const first = load<u32>(at);
  if (load<u8>(sieve + SIEVE_FIRSTS + ((first * SIEVE_HASH) >>> 24)) == 0) {
    return false;
  }
  let word = sieve + SIEVE_WORDS;
  const end = word + load<u32>(sieve, SIEVE_COUNT) * SIEVE_WORD_STRIDE;
  for (; word < end; word += SIEVE_WORD_STRIDE) {
    if (load<u32>(word) == first) {
      if (isAt(at, word, load<u32>(word, SIEVE_WORD_LENGTH))) return true;
    }
  }
  return false;
}

/** Where the string ends that a line begins with; 0 if it must not be passed over. */
function beginningEnd(sieve: usize, line: usize): usize {
  const length: usize = load<u32>(sieve, SIEVE_BEGINNING_LENGTH);
  if (!isAt(line, sieve + SIEVE_BEGINNING, length)) return 0;
  let end = line + length;
  const most = end + SIEVE_MAX_KEPT;
  while (load<u8>(end) != QUOTE) {
    const byte = load<u8>(end);
    if (byte < 0x20 || byte > 0x7e || byte == BACKSLASH) return 0;
    if (++end > most) return 0;
  }
  end += 1;
  const key = load<u64>(sieve, SIEVE_KEY);
  let hasKey = false;
  let at = end;
  for (let byte = load<u8>(at); byte != OPEN_BRACE; byte = load<u8>(++at)) {
    if (byte == LF) return 0;
    if (load<u64>(at) == key) hasKey = true;
  }
  const last: usize = load<u32>(sieve, SIEVE_LAST_LENGTH);
  return hasKey && at >= end + last && isAt(at - last, sieve + SIEVE_LAST, last)
    ? end
    : 0;
}

/**
 * Passes over lines as lib/json/sieve.ts does.
 *
 * @param line Where the first line starts.
 * @param to Where the last one has ended, its LF included.
 * @param limit The longest line to take.
 * @returns Where the first line starts that was not passed over; the sieve has how many were,
 *   and where the string is that the last one begins with.
 */
export function pass(
  sieve: usize,
  line: usize,
  to: usize,
  limit: usize,
): usize {
  store<u32>(sieve, 0, SIEVE_PASSED);
  let end = beginningEnd(sieve, line);
  if (end == 0) return line;
  const quotes = i8x16.splat(QUOTE);
  const ends = i8x16.splat(LF);
  const escapes = i8x16.splat(BACKSLASH);
  const units = i8x16.splat(0x75);
  const start = load<u32>(sieve, SIEVE_BEGINNING_LENGTH) - 1;
  for (let block = line; block < to; block += 16) {
    const bytes = v128.load(block);
    let hits: u32 = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, ends)),
        v128.and(
          i8x16.eq(bytes, escapes),
          i8x16.eq(v128.load(block + 1), units),
        ),
      ),
    );
    for (; hits != 0; hits &= hits - 1) {
      const at = block + ctz(hits);
      const byte = load<u8>(at);
      if (byte == QUOTE) {
        if (isWord(sieve, at + 1)) return line;
      } else if (byte == LF) {
        const last = load<u8>(at - 1) == CR ? at - 2 : at - 1;
        if (at - line > limit || load<u8>(last) != CLOSE_BRACE) return line;
        store<u32>(sieve, load<u32>(sieve, SIEVE_PASSED) + 1, SIEVE_PASSED);
        store<u32>(sieve, (line + start) as u32, SIEVE_KEPT);
        store<u32>(sieve, end as u32, SIEVE_KEPT_END);
        line = at + 1;
        if (line == to) return line;
        end = beginningEnd(sieve, line);
        if (end == 0) return line;
      } else if (load<u8>(at, 2) == 0x30 && load<u8>(at, 3) == 0x30) {
        // What words consist of is U+002x to U+007x.
        const digit = load<u8>(at, 4);
        if (digit >= 0x32 && digit <= 0x37) return line;
      }
    }
  }
  return line;
}
