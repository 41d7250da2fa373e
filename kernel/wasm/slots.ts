/**
 * The slots: texts that are kept from line to line (such as the id of the thread), and the effects
 * of plans on them.
 */

import { copy, QUOTE } from "./bytes";
import {
  EFFECT_CLEAR,
  EFFECT_COUNT,
  EFFECT_VALUE,
  KEYED_SLOT,
  MAX_VALUES,
  PLACE_END,
  PLACE_START,
  PLACE_STRIDE,
  PLAN_PREFIX,
  PLAN_PREFIX_LENGTH,
  SLOT_COUNT,
  SLOT_COUNTER,
  SLOT_LENGTH,
  SLOT_SIZE,
  SLOT_STRIDE,
  SLOT_TEXT,
} from "./layout";

/** Returned by `fillBefore` instead of a bit set: a value does not fit into its slot. */
export const REFUSED: u32 = 0xffffffff;
/** The address of the first slot. */
export const SLOTS: usize = memory.data(SLOT_COUNT * SLOT_STRIDE, 16);
/** The address of the places of the current line, see `PLACE_START` in the layout. */
export const PLACES: usize = memory.data((MAX_VALUES + 1) * PLACE_STRIDE, 16);

/** Returns the bit set of the slots that hold a text, without the slots that are filled by key. */
export function filled(): u32 {
  let bits: u32 = 0;
  for (let slot: u32 = 0; slot < (KEYED_SLOT as u32); slot++) {
    if (load<u32>(SLOTS + slot * SLOT_STRIDE, SLOT_LENGTH) != 0) {
      bits |= 1 << slot;
    }
  }
  return bits;
}

/** Fills a slot with a counted text: the literal `text`, the slot's next number, and a quote. */
function count(slot: usize, text: usize, length: usize): void {
  const value = load<u32>(slot, SLOT_COUNTER) + 1;
  store<u32>(slot, value, SLOT_COUNTER);
  let digits = 1;
  for (let rest = value; rest >= 10; rest /= 10) digits += 1;
  let at = copy(slot + SLOT_TEXT, text, length) + digits;
  store<u8>(at, QUOTE);
  store<u32>(slot, (length + digits + 1) as u32, SLOT_LENGTH);
  let rest = value;
  do {
    at -= 1;
    store<u8>(at, (0x30 + rest % 10) as u8);
    rest /= 10;
  } while (rest > 0);
}

/** Returns the address of the place of the value that an effect copies. */
// @ts-ignore: AssemblyScript
@inline
function placeOf(effect: u32): usize {
  return PLACES + (effect >> 8) * PLACE_STRIDE;
}

/**
 * Applies the effects that the record itself may depend on: those that count.
 *
 * Checks first that every value that an effect copies fits into its slot; if one does not, it
 * changes nothing.
 *
 * @param effects The address of the first effect (a slot and what happens to it).
 * @param last The address behind the last effect.
 * @param plan The address of the plan, which has the text before the number of a counted text.
 * @returns The bit set of the slots that were filled, or `REFUSED`.
 */
export function fillBefore(effects: usize, last: usize, plan: usize): u32 {
  for (let at = effects; at < last; at += 8) {
    const effect = load<u32>(at, 4);
    if ((effect & 0xff) != EFFECT_VALUE) continue;
    const place = placeOf(effect);
    const length = load<u32>(place, PLACE_END) - load<u32>(place, PLACE_START);
    if (length > (SLOT_SIZE as u32)) return REFUSED;
  }
  let touched: u32 = 0;
  for (let at = effects; at < last; at += 8) {
    if ((load<u32>(at, 4) & 0xff) != EFFECT_COUNT) continue;
    const slot = load<u32>(at);
    const text: usize = load<u32>(plan, PLAN_PREFIX);
    const length: usize = load<u32>(plan, PLAN_PREFIX_LENGTH);
    count(SLOTS + slot * SLOT_STRIDE, text, length);
    touched |= 1 << slot;
  }
  return touched;
}

/**
 * Applies the other effects, once the record is written, and returns the bit set of the slots that
 * changed.
 */
export function fillAfter(effects: usize, last: usize): u32 {
  let touched: u32 = 0;
  for (let at = effects; at < last; at += 8) {
    const slot = load<u32>(at);
    const target = SLOTS + slot * SLOT_STRIDE;
    const effect = load<u32>(at, 4);
    const kind = effect & 0xff;
    if (kind == EFFECT_VALUE) {
      const place = placeOf(effect);
      const start: usize = load<u32>(place, PLACE_START);
      const length = load<u32>(place, PLACE_END) - (start as u32);
      copy(target + SLOT_TEXT, start, length);
      store<u32>(target, length, SLOT_LENGTH);
    } else if (kind == EFFECT_CLEAR) store<u32>(target, 0, SLOT_LENGTH);
    else continue;
    touched |= 1 << slot;
  }
  return touched;
}
