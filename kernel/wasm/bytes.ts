/** Bytes, and runs of them, 16 at a time. */

export const QUOTE: u8 = 0x22;
export const BACKSLASH: u8 = 0x5c;
export const LF: u8 = 0x0a;
export const CR: u8 = 0x0d;
export const TAB: u8 = 0x09;
export const SPACE: u8 = 0x20;
const SHORT: usize = 256;

// @ts-ignore: AssemblyScript
@inline
export function isDigit(byte: u8): bool {
  return (byte as u32) - 0x30 < 10;
}

/** Whether a text is at a place. */
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

/** Copies bytes; up to 15 behind the target's end are overwritten. */
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
