/**
 * The kernel: rewrites lines of JSON by plans, in WebAssembly with SIMD.
 *
 * This is AssemblyScript; `deno task kernel` builds it. It knows JSON and UTF-8, and nothing
 * of Codex: what to do with a line is in the plans, which lib/json/kernel_plans.ts writes
 * into its memory when the rules have been seen to do it once.
 *
 * A plan is found by its text. The text of a record is cut into what every record with this
 * plan has in common (keys, punctuation, the words that the rules went by) and the values
 * between. The pieces of all plans make a tree: from the root, each branch is a piece of
 * text and the kind of value that follows it. A line that gets from the root to an end has
 * been read, checked and recognized in one go; one that does not is left to TypeScript,
 * whatever is the matter with it. So the kernel must never take what lib/json/tape.ts
 * refuses, but it need not take all that this takes.
 *
 * Every load of 16 bytes may reach behind the end of its text: all areas have some bytes of
 * slack. No value reaches behind its line, because nothing in JSON matches LF.
 */

/** What follows a piece of text. */
const END: u32 = 0;
const STRING: u32 = 1;
const NUMBER: u32 = 2;
/** A number without fraction and exponent. */
const WHOLE: u32 = 3;
const BOOLEAN: u32 = 4;
const OBJECT: u32 = 5;
const ARRAY: u32 = 6;
/** A string that is its own trimmed text: no escapes, and no blank at its ends. */
const ID: u32 = 7;
/** From here on: the text that is in the first slot, the second one, and so on. */
const SAME: u32 = 8;

/**
 * What happens to a slot, if anything: this, the number of a value times 256, and what is made
 * of that times 65536.
 */
const CLEAR: u32 = 1;
/** It is cleared, and what is put into it is counted anew. */
const RESET: u32 = 2;
/** It gets the next counted text. */
const COUNT: u32 = 3;
/** It gets a value. */
const VALUE: u32 = 4;
/** It gets what is made of a value. */
const MADE: u32 = 5;
/** It gets what is in another slot, whose number stands in the place of that of a value. */
const MOVED: u32 = 6;
/** In the place of the slots that were filled: none were. */
const REFUSED: u32 = 0xffffffff;

/** How deep values without branches of their own may nest. */
const MAX_DEPTH: usize = 1000;
/** How often a line may turn out to be on the wrong branch. */
const MAX_DETOURS: i32 = 16;
const SLOTS: u32 = 20;
/**
 * How much a slot can hold. Before it stand its length, 0 if it is empty, and the number of the
 * last text that was counted for it.
 */
const SLOT_SIZE: u32 = 16384;
const SLOT_STRIDE: u32 = SLOT_SIZE + 32;
const SHORT: usize = 256;

/** The results of a run, in words; see `state`. */
const STATE: usize = memory.data(64, 16);
const NEXT: usize = STATE;
const OUT: usize = STATE + 4;
const LINES: usize = STATE + 8;
/** Where the notes end. */
const NOTED: usize = STATE + 12;
const TOUCHED: usize = STATE + 16;
/** Where the first branch of the tree is. */
const ROOT: usize = STATE + 20;
/** The longest line to take, its CR included. */
const LIMIT: usize = STATE + 24;
/**
 * Where to write down what of the records was copied, and where the room for that ends; 0
 * if nobody asks. Of each record: the number of its plan, where its line starts, where it
 * starts, where it and the texts behind it end, where the next one is told of, how many lines
 * come before its own, the epoch, and the lengths of it and of it with the texts, in units of
 * UTF-16; then where in these each value and slot in it starts and ends.
 *
 * The text of a string with escapes is written behind the record, and its place, as if there
 * were quotes around it, is told instead of its own; `APART` is added to the end of those
 * that are too long to be decoded with the record, whose places are those in memory, and
 * `ESCAPED` to that of strings that were left as they are. Of a whole number of few digits
 * stands there what it is, and `DIGITS` instead of the end.
 */
const TRACE: usize = STATE + 28;
const TRACE_END: usize = STATE + 32;
/** How many of the lines have become records; the others are empty. */
const RECORDS: usize = STATE + 36;
/** Another number whenever a slot has changed. */
const EPOCH: usize = STATE + 40;
/** How many of the lines would have become records that nobody wants. */
const SKIPPED: usize = STATE + 44;
/** How much text is decoded at once: a record, and the texts of its strings behind it. */
const TOGETHER: usize = STATE + 48;
/** What stands before the places of the values of a record. */
const TRACE_HEAD: usize = 36;
const ESCAPED: u32 = 0x80000000;
const APART: u32 = 0x40000000;
const DIGITS: u32 = 0xffffffff;
/** How many digits a number has at most that a word holds whatever they are. */
const FEW_DIGITS: usize = 9;
/** Strings of less bytes are parsed in less time than they are decoded by themselves. */
const LITTLE: usize = 64;
/** The number of plans whose records nobody wants. */
const UNWANTED: u32 = 0xffffffff;
/** More than one record needs. */
const MAX_TRACE: usize = 2048;
/** Where the first slot is. */
const SLOT: usize = memory.data(328320, 16);
/** Where what is made of a value is put first. */
const MADE_TEXT: usize = memory.data(16416, 16);
/**
 * What is to be said of the records, in threes: the code, and where in the line the value that
 * goes with it starts and ends, 0 if there is none.
 */
const NOTES: usize = memory.data(12288, 16);
const NOTES_END: usize = NOTES + 12288;
const NOTE: usize = 12;
/** What stands before the steps of a plan. */
const PLAN_HEAD: usize = 48;
/** Where the line starts, and where each of its values starts and ends. */
const POSITIONS: usize = memory.data(1024, 16);
/** How the tree was walked: for each value where its branches begin, the branch before the
 * one that was taken, that one, and where in the line it begins. */
const WAY: usize = memory.data(2048, 16);
const STACK: usize = memory.data(1024, 16);

/** What the letters that may follow a backslash stand for, `u` apart. */
const ESCAPES: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x2f,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x5c, 0, 0, 0,
  0, 0, 0x08, 0, 0, 0, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0x0a, 0,
  0, 0, 0x0d, 0, 0x09, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;
const LF: u8 = 0x0a;
const CR: u8 = 0x0d;
const TAB: u8 = 0x09;
const SPACE: u8 = 0x20;

/** Where the results are. */
export function state(): usize {
  return STATE;
}

/** Where the slots are. */
export function slots(): usize {
  return SLOT;
}

/** Where the notes are. */
export function notes(): usize {
  return NOTES;
}

/** Where is put first what is made of a value. */
export function made(): usize {
  return MADE_TEXT;
}

/**
 * Makes a text of a value, where `made` says; there is room for what a slot can hold.
 *
 * @param code What is made of it.
 * @param start Where the value starts.
 * @param end Where it ends.
 * @returns How long the text is, or 0 if it cannot be made here.
 */
// @ts-ignore: AssemblyScript
@external("rules", "make")
declare function make(code: u32, start: usize, end: usize): u32;

/** Where memory is free. */
export function free(): usize {
  return (__heap_base + 63) & ~(63 as usize);
}

// @ts-ignore: AssemblyScript
@inline
function isDigit(byte: u8): bool {
  return (byte as u32) - 0x30 < 10;
}

/** Whether a text is at a place. */
// @ts-ignore: AssemblyScript
@inline
function isAt(at: usize, text: usize, length: usize): bool {
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

/** The end of the character of two to four bytes at a place, or 0. */
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

/** The code unit of four hexadecimal digits, or -1. */
function codeUnit(at: usize): i32 {
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

/** The end of the `\uXXXX` at a place, or of both halves of a surrogate pair, or 0. */
function unicodeEnd(at: usize): usize {
  const unit = codeUnit(at + 2);
  if (unit < 0) return 0;
  if (unit < 0xd800 || unit > 0xdfff) return at + 6;
  if (unit > 0xdbff) return 0;
  if (load<u8>(at, 6) != BACKSLASH || load<u8>(at, 7) != 0x75) return 0;
  const second = codeUnit(at + 8);
  return second >= 0xdc00 && second <= 0xdfff ? at + 12 : 0;
}

/** The end of the string whose inside starts at a place, or 0. */
function stringEnd(at: usize): usize {
  for (;;) {
    const bytes = v128.load(at);
    // As signed numbers, all bytes from 0x80 on are below the control characters.
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

/** Whether a string, its quotes included, is its own trimmed text. */
function isId(at: usize, end: usize): bool {
  if (end - at < 3) return false;
  const first: u32 = load<u8>(at, 1);
  const last: u32 = load<u8>(end - 2);
  if (first - 0x21 > 0x5d || last - 0x21 > 0x5d) return false;
  for (; at < end; at++) if (load<u8>(at) == BACKSLASH) return false;
  return true;
}

/** The end of the number at a place, or 0. */
function numberEnd(at: usize, isWhole: bool): usize {
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

/** The end of the word at a place that starts like true, false or null, or 0. */
function wordEnd(at: usize): usize {
  const word = load<u32>(at);
  if (word == 0x65757274 || word == 0x6c6c756e) return at + 4;
  return word == 0x736c6166 && load<u8>(at, 4) == 0x65 ? at + 5 : 0;
}

/** The end of `true` or `false` at a place, or 0. */
function booleanEnd(at: usize): usize {
  return load<u8>(at) == 0x6e ? 0 : wordEnd(at);
}

// @ts-ignore: AssemblyScript
@inline
function skipSpace(at: usize): usize {
  let byte = load<u8>(at);
  if (byte > SPACE) return at;
  // An LF would end the line.
  while (byte == SPACE || byte == TAB || byte == CR) byte = load<u8>(++at);
  return at;
}

/** The end of the object or list at a place, or 0. */
function containerEnd(at: usize): usize {
  let depth: usize = 0;
  /** 0x7d or 0x5d: what ends the innermost one. */
  let closing: u8 = 0;
  for (;;) {
    // A value is expected.
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
    // Behind a value, or at what ends an empty container.
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

/** Where the value of the member is whose key is at a place, or 0. */
// @ts-ignore: AssemblyScript
@inline
function memberValue(at: usize): usize {
  if (load<u8>(at) != QUOTE) return 0;
  at = stringEnd(at + 1);
  if (at == 0) return 0;
  at = skipSpace(at);
  return load<u8>(at) == 0x3a ? skipSpace(at + 1) : 0;
}

/** The end of the value at a place, if it is of a kind, or 0. */
// @ts-ignore: AssemblyScript
@inline
function valueEnd(at: usize, kind: u32): usize {
  const byte = load<u8>(at);
  switch (kind) {
    case STRING:
      return byte == QUOTE ? stringEnd(at + 1) : 0;
    case NUMBER:
      return numberEnd(at, false);
    case WHOLE:
      return numberEnd(at, true);
    case BOOLEAN:
      return booleanEnd(at);
    case OBJECT:
      return byte == 0x7b ? containerEnd(at) : 0;
    case ARRAY:
      return byte == 0x5b ? containerEnd(at) : 0;
    case ID: {
      const end = byte == QUOTE ? stringEnd(at + 1) : 0;
      return end != 0 && isId(at, end) ? end : 0;
    }
    default: {
      const slot = slotAt(kind - SAME);
      const length = load<u32>(slot);
      return length != 0 && isAt(at, slot + 16, length) ? at + length : 0;
    }
  }
}

/** Copies bytes; up to 15 behind the target's end are overwritten. */
// @ts-ignore: AssemblyScript
@inline
function copy(to: usize, from: usize, length: usize): usize {
  if (length > SHORT) memory.copy(to, from, length);
  else {
    const end = from + length;
    for (let at = to; from < end; from += 16, at += 16) {
      v128.store(at, v128.load(from));
    }
  }
  return to + length;
}

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
 * @returns Where the texts behind the record end.
 */
function endTrace(record: usize, end: usize, out: usize, outEnd: usize): usize {
  const start: usize = load<u32>(record, 8);
  const together: usize = load<u32>(TOGETHER);
  const more = excess(start, out);
  const length = ((out - start) as u32) - more;
  let total = length;
  let behind = out;
  let isTogether = true;
  let shift = start as u32;
  let last = start;
  for (let at = record + TRACE_HEAD; at < end; at += 8) {
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
  store<u32>(record, out as u32, 12);
  store<u32>(record, end as u32, 16);
  store<u32>(record, length, 28);
  store<u32>(record, total, 32);
  return behind;
}

/** Which slots are filled. */
function filled(): u32 {
  let bits: u32 = 0;
  for (let slot: u32 = 0; slot < SLOTS; slot++) {
    if (load<u32>(SLOT + slot * SLOT_STRIDE) != 0) bits |= 1 << slot;
  }
  return bits;
}

/** Puts a counted text into a slot: a literal, the next number, and a quote. */
function count(slot: usize, text: usize, length: usize): void {
  const value = load<u32>(slot, 4) + 1;
  store<u32>(slot, value, 4);
  let digits = 1;
  for (let rest = value; rest >= 10; rest /= 10) digits += 1;
  let at = copy(slot + 16, text, length) + digits;
  store<u8>(at, QUOTE);
  store<u32>(slot, (length + digits + 1) as u32);
  let rest = value;
  do {
    at -= 1;
    store<u8>(at, (0x30 + rest % 10) as u8);
    rest /= 10;
  } while (rest > 0);
}

/** Where a slot is. */
// @ts-ignore: AssemblyScript
@inline
function slotAt(slot: u32): usize {
  return SLOT + slot * SLOT_STRIDE;
}

/** Where the places are of the value that an effect is about. */
// @ts-ignore: AssemblyScript
@inline
function valueOf(effect: u32): usize {
  return POSITIONS + 4 + (((effect >> 8) & 0xff) << 3);
}

/** Puts a text into a slot. */
function fill(slot: usize, from: usize, length: u32): void {
  copy(slot + 16, from, length);
  store<u32>(slot, length);
}

/**
 * Fills the slots that the record may need.
 *
 * @param effects The slots and what happens to them, up to `last`.
 * @param plan Has the text that is counted.
 * @returns Which ones; `REFUSED`, and nothing has changed, if the line is left to TypeScript.
 */
function fillBefore(effects: usize, last: usize, plan: usize): u32 {
  let length: u32 = 0;
  for (let at = effects; at < last; at += 8) {
    const effect = load<u32>(at, 4);
    const kind = effect & 0xff;
    if (kind != VALUE && kind != MADE) continue;
    const value = valueOf(effect);
    const start: usize = load<u32>(value);
    const end: usize = load<u32>(value, 4);
    if (kind == MADE) {
      length = make(effect >> 16, start, end);
      if (length == 0) return REFUSED;
    } else if (end - start > SLOT_SIZE) return REFUSED;
  }
  let touched: u32 = 0;
  for (let at = effects; at < last; at += 8) {
    const slot = load<u32>(at);
    const kind = load<u32>(at, 4) & 0xff;
    if (kind == COUNT) {
      count(slotAt(slot), load<u32>(plan, 16), load<u32>(plan, 20));
    } else if (kind == MADE) fill(slotAt(slot), MADE_TEXT, length);
    else continue;
    touched |= 1 << slot;
  }
  return touched;
}

/** Fills and empties the other slots; says which ones. */
function fillAfter(effects: usize, last: usize): u32 {
  let touched: u32 = 0;
  for (let at = effects; at < last; at += 8) {
    const slot = load<u32>(at);
    const target = slotAt(slot);
    const effect = load<u32>(at, 4);
    const kind = effect & 0xff;
    if (kind == VALUE) {
      const value = valueOf(effect);
      const start: usize = load<u32>(value);
      fill(target, start, load<u32>(value, 4) - (start as u32));
    } else if (kind == MOVED) {
      const source = slotAt((effect >> 8) & 0xff);
      fill(target, source + 16, load<u32>(source));
    } else if (kind == CLEAR || kind == RESET) {
      store<u32>(target, 0);
      if (kind == RESET) store<u32>(target, -1, 4);
    } else continue;
    touched |= 1 << slot;
  }
  return touched;
}

/**
 * Writes the notes of a plan behind those that are there; says where they end. One without a
 * value is not written twice in a row.
 */
function takeNotes(plan: usize, at: usize): usize {
  let note: usize = load<u32>(plan, 40);
  const last = note + load<u32>(plan, 36) * 20;
  for (; note < last; note += 20) {
    const code = load<u32>(note);
    const first: usize = load<u32>(note, 4);
    let start: u32 = 0;
    let end: u32 = 0;
    if (first != 0) {
      start = load<u32>(POSITIONS + first) + load<u32>(note, 8);
      end = load<u32>(POSITIONS + load<u32>(note, 12)) + load<u32>(note, 16);
    } else if (
      at > NOTES && load<u32>(at - NOTE) == code && load<u32>(at - NOTE, 8) == 0
    ) continue;
    store<u32>(at, code);
    store<u32>(at, start, 4);
    store<u32>(at, end, 8);
    at += NOTE;
  }
  return at;
}

/**
 * Rewrites lines, as long as there are plans for them.
 *
 * @param from Where the first line starts.
 * @param to Where the last one has ended, its LF included.
 * @param out Where the records go.
 * @param outEnd Where the room for them ends.
 * @returns Whether all lines have been rewritten; if not, `NEXT` is where the first one is
 *   that was not.
 */
export function run(from: usize, to: usize, out: usize, outEnd: usize): bool {
  const limit = load<u32>(LIMIT);
  let bits = filled();
  let lines: u32 = 0;
  let records: u32 = 0;
  let skipped: u32 = 0;
  let line = from;
  let noted = NOTES;
  let touched: u32 = 0;
  let trace: usize = load<u32>(TRACE);
  const traceEnd: usize = load<u32>(TRACE_END);
  store<u32>(LINES, 0);
  while (line < to) {
    const first = load<u8>(line);
    if (first == LF || (first == CR && load<u8>(line, 1) == LF)) {
      line += first == LF ? 1 : 2;
      lines += 1;
      continue;
    }
    if (trace != 0 && trace + MAX_TRACE > traceEnd) break;
    // Read the line along the tree.
    let at = line;
    let head = ROOT;
    let before: usize = 0;
    let branch: usize = load<u32>(head);
    let position = POSITIONS;
    let way = WAY;
    let detours = 0;
    let plan: usize = 0;
    store<u32>(position, line as u32);
    for (;;) {
      let start: usize = 0;
      let end: usize = 0;
      let kind: u32 = END;
      while (branch != 0) {
        const length = load<u32>(branch, 12);
        if (isAt(at, branch + 16, length)) {
          start = at + length;
          kind = load<u32>(branch, 8);
          if (kind != END) end = valueEnd(start, kind);
          else if (load<u32>(load<u32>(branch, 4)) == bits) {
            if (load<u8>(start) == LF) end = start;
            else if (load<u8>(start) == CR && load<u8>(start, 1) == LF) {
              end = start + 1;
            }
          }
          if (end != 0) break;
        }
        before = branch;
        branch = load<u32>(branch);
      }
      if (branch == 0) {
        // Back to where the last value began, and on with the next branch there.
        if (way == WAY || ++detours > MAX_DETOURS) break;
        way -= 16;
        position -= 8;
        head = load<u32>(way);
        before = load<u32>(way, 8);
        branch = load<u32>(before);
        at = load<u32>(way, 12);
        continue;
      }
      store<u32>(way, head as u32);
      store<u32>(way, before as u32, 4);
      store<u32>(way, branch as u32, 8);
      store<u32>(way, at as u32, 12);
      way += 16;
      at = end;
      if (kind == END) {
        plan = load<u32>(branch, 4);
        break;
      }
      store<u32>(position, start as u32, 4);
      store<u32>(position, end as u32, 8);
      position += 8;
      head = branch + 4;
      before = 0;
      branch = load<u32>(head);
    }
    // `at` is at the LF now.
    if (plan == 0 || at - line > limit) break;
    const slotsSize = SLOTS * SLOT_SIZE + 64;
    const copied = (at - line) * load<u32>(plan, 12);
    if (out + copied + load<u32>(plan, 4) + slotsSize > outEnd) break;
    const notes: usize = load<u32>(plan, 36);
    if (noted + notes * NOTE > NOTES_END) break;
    const effects: usize = load<u32>(plan, 32);
    const lastEffect = effects + load<u32>(plan, 8) * 8;
    if (effects != lastEffect) {
      const slots = fillBefore(effects, lastEffect, plan);
      if (slots == REFUSED) break;
      if (slots != 0) {
        touched |= slots;
        bits |= slots;
        store<u32>(EPOCH, load<u32>(EPOCH) + 1);
      }
    }
    // What was taken last comes first next time.
    while (way > WAY) {
      way -= 16;
      before = load<u32>(way, 4);
      if (before == 0) continue;
      head = load<u32>(way);
      branch = load<u32>(way, 8);
      store<u32>(before, load<u32>(branch));
      store<u32>(branch, load<u32>(head));
      store<u32>(head, branch as u32);
    }
    if (load<u32>(plan, 28) == UNWANTED) skipped += 1;
    else {
      // Write the record.
      const record = trace;
      if (record != 0) {
        store<u32>(record, load<u32>(plan, 28));
        store<u32>(record, line as u32, 4);
        store<u32>(record, out as u32, 8);
        store<u32>(record, lines, 20);
        store<u32>(record, load<u32>(EPOCH), 24);
        trace += TRACE_HEAD;
      }
      let step = plan + PLAN_HEAD;
      const lastStep = step + load<u32>(plan, 24) * 32;
      for (; step < lastStep; step += 32) {
        out = copy(out, load<u32>(step), load<u32>(step, 4));
        const slot: usize = load<u32>(step, 8);
        if (slot != 0) {
          const length = load<u32>(slot);
          if (record != 0) {
            store<u32>(trace, out as u32);
            store<u32>(trace, (out as u32) + length, 4);
            trace += 8;
          }
          out = copy(out, slot + 16, length);
        } else {
          const first = POSITIONS + load<u32>(step, 12);
          const last = POSITIONS + load<u32>(step, 20);
          const start = load<u32>(first) + load<u32>(step, 16);
          const end = load<u32>(last) + load<u32>(step, 24);
          if (record != 0) {
            const shift = (out as u32) - start;
            for (let value = first; value < last; value += 8) {
              store<u32>(trace, load<u32>(value) + shift);
              store<u32>(trace, load<u32>(value, 4) + shift, 4);
              trace += 8;
            }
          }
          out = copy(out, start, end - start);
        }
      }
      if (record != 0) out = endTrace(record, trace, out, outEnd);
      store<u8>(out++, LF);
      records += 1;
    }
    if (notes != 0) noted = takeNotes(plan, noted);
    if (effects != lastEffect) {
      const slots = fillAfter(effects, lastEffect);
      if (slots != 0) {
        touched |= slots;
        bits = filled();
        store<u32>(EPOCH, load<u32>(EPOCH) + 1);
      }
    }
    lines += 1;
    line = at + 1;
  }
  store<u32>(NEXT, line as u32);
  store<u32>(OUT, out as u32);
  store<u32>(LINES, lines);
  store<u32>(RECORDS, records);
  store<u32>(SKIPPED, skipped);
  store<u32>(NOTED, noted as u32);
  store<u32>(TOUCHED, touched);
  return line >= to;
}
