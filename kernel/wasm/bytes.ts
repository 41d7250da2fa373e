/** Names of bytes, and the comparison and copy of byte ranges, 16 bytes at a time. */

export const QUOTE: u8 = 0x22;
export const BACKSLASH: u8 = 0x5c;
export const LF: u8 = 0x0a;
export const CR: u8 = 0x0d;
export const TAB: u8 = 0x09;
export const SPACE: u8 = 0x20;
/** Longer ranges are copied by `memory.copy`, shorter ones by a loop of 16 bytes at a time. */
const SHORT: usize = 256;

// @ts-ignore: AssemblyScript
@inline
export function isDigit(byte: u8): bool {
  return (byte as u32) - 0x30 < 10;
}

/**
 * Whether the `length` bytes at `at` equal those at `text`. Loads up to 15 bytes behind either
 * range.
 */
// @ts-ignore: AssemblyScript
@inline
export function isAt(at: usize, text: usize, length: usize): bool {
  const whole = text + (length & ~15);
  while (text < whole) {
    if (v128.any_true(v128.xor(v128.load(at), v128.load(text)))) return false;
    at += 16;
    text += 16;
  }
  const same = i8x16.bitmask(i8x16.eq(v128.load(at), v128.load(text)));
  const wanted = (1 << ((length & 15) as i32)) - 1;
  return (same & wanted) == wanted;
}

/**
 * Copies `length` bytes from `from` to `to` and returns the end of the copy. Up to 15 bytes behind
 * that end are overwritten.
 */
// @ts-ignore: AssemblyScript
@inline
export function copy(to: usize, from: usize, length: usize): usize {
  if (length > SHORT) memory.copy(to, from, length);
  else {
    const end = from + length;
    for (let at = to; from < end; from += 16, at += 16) {
      v128.store(at, v128.load(from));
    }
  }
  return to + length;
}
