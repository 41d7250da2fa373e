/**
 * What records change besides being rewritten, as the kernel has it in its plans.
 */

import type { Value } from "./record_pieces.ts";
import type { WatchedRecord } from "./record_watch.ts";

/** What happens to a slot; see kernel/wasm/slots.ts. */
const EFFECTS = {
  clear: 1,
  reset: 2,
  count: 3,
  value: 4,
  made: 5,
  moved: 6,
} as const;
/** How many words a note has. */
export const NOTE_WORDS = 5;

/** What becomes of the slots, as the kernel has it: pairs of a slot and an effect. */
export function effectsOf(
  { effects }: WatchedRecord,
  values: readonly Value[],
): readonly number[] | undefined {
  const numbers: number[] = [];
  for (const [slot, effect] of effects.entries()) {
    if (effect.kind === "keep") continue;
    let number: number = EFFECTS[effect.kind];
    if (effect.kind === "moved") number |= effect.slot << 8;
    if (effect.kind === "value" || effect.kind === "made") {
      const { start, end } = effect.value;
      const value = values.findIndex((each) =>
        each.start === start && each.end === end
      );
      if (value === -1) return undefined;
      number |= value << 8;
    }
    if (effect.kind === "made") number |= effect.code << 16;
    numbers.push(slot, number);
  }
  return numbers;
}

/** The notes, as the kernel has them; nothing if it cannot find their values. */
export function notesOf(
  { observations }: WatchedRecord,
  values: readonly Value[],
): readonly number[] | undefined {
  const numbers: number[] = [];
  for (const { code, value } of observations.notes) {
    if (value === undefined) {
      numbers.push(code, 0, 0, 0, 0);
      continue;
    }
    const first = values.findIndex(({ start }) => start >= value.start);
    const last = values.findLastIndex(({ end }) => end <= value.end);
    const [from, to] = [values[first], values[last]];
    // A text that is always the same, or a part of a value, is not to be found.
    if (from === undefined || to === undefined || last < first) {
      return undefined;
    }
    numbers.push(
      code,
      firstPlace(first),
      value.start - from.start,
      lastPlace(last),
      value.end - to.end,
    );
  }
  return numbers;
}

/** Where the start of a value is: behind that of the line, each has two places. */
export function firstPlace(value: number): number {
  return 4 * (1 + 2 * value);
}

/** Where the end of a value is. */
export function lastPlace(value: number): number {
  return 4 * (2 + 2 * value);
}
