/**
 * What a rollout begins with that another thread had.
 *
 * @module
 */

import { type Fields, idOf, isFields, numberOf } from "./json_fields.ts";

/**
 * Tells whether a line is what another thread left, copied to the beginning of a file.
 *
 * @param line The line.
 * @param firstOrdinal The ordinal of the first line of the thread itself; `null` if all are.
 * @returns Whether it is inherited.
 */
export function isInherited(
  line: Fields,
  firstOrdinal: number | null,
): boolean {
  const ordinal = numberOf(line.ordinal);
  return firstOrdinal !== null && ordinal !== undefined &&
    ordinal < firstOrdinal;
}

/** Gives the ordinal of the first line of the thread itself, as its header says it. */
export function firstOrdinalOf(meta: Fields): number | null {
  return numberOf(meta.subagent_history_start_ordinal) ?? null;
}

/** Tells whether a header says that its thread begins with what another one had. */
export function isForkHeader(meta: Fields): boolean {
  return idOf(meta.forked_from_id) !== undefined ||
    isFields(meta.history_base) || firstOrdinalOf(meta) !== null;
}
