/** The slots: texts that are kept from line to line, and what a plan makes of them. */

import { copy, QUOTE } from "./bytes";

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
export const REFUSED: u32 = 0xffffffff;
export const SLOTS: u32 = 20;
/**
 * How much a slot can hold. Before it stand its length, 0 if it is empty, and the number of the
 * last text that was counted for it.
 */
export const SLOT_SIZE: u32 = 16384;
const SLOT_STRIDE: u32 = SLOT_SIZE + 32;
/** Where the first slot is. */
export const SLOT: usize = memory.data(328320, 16);
/** Where what is made of a value is put first. */
export const MADE_TEXT: usize = memory.data(16416, 16);
/** Where the line starts, and where each of its values starts and ends: slots get these. */
export const POSITIONS: usize = memory.data(1024, 16);

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

/** Where a slot is. */
// @ts-ignore: AssemblyScript
@inline
export function slotAt(slot: u32): usize {
  return SLOT + slot * SLOT_STRIDE;
}

/** Which slots are filled. */
export function filled(): u32 {
  let bits: u32 = 0;
  for (let slot: u32 = 0; slot < SLOTS; slot++) {
    if (load<u32>(SLOT + slot * SLOT_STRIDE) != 0) bits |= 1 << slot;
  }
  return bits;
}

/** Where the places are of the value that an effect is about. */
// @ts-ignore: AssemblyScript
@inline
function valueOf(effect: u32): usize {
  return POSITIONS + 4 + (((effect >> 8) & 0xff) << 3);
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
export function fillBefore(effects: usize, last: usize, plan: usize): u32 {
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
export function fillAfter(effects: usize, last: usize): u32 {
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
