/** Writes counts, durations and times for people. */

/**
 * Writes a whole number with a comma between thousands.
 *
 * @param count The number.
 * @returns Such as `1,234`.
 *
 * @example Tokens
 * ```ts
 * import { countText } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(countText(1234567), "1,234,567");
 * ```
 */
export function countText(count: number | bigint): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/**
 * Writes a number with its noun, in the singular for 1 and the plural otherwise.
 *
 * @param count The number.
 * @param one The noun in the singular.
 * @param many The noun in the plural; by default the singular with an `s`.
 * @returns Such as `1 command` and `2 commands`.
 *
 * @example One and many
 * ```ts
 * import { countedText } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(countedText(1, "entry", "entries"), "1 entry");
 * assertEquals(countedText(1200, "entry", "entries"), "1,200 entries");
 * ```
 */
export function countedText(
  count: number | bigint,
  one: string,
  many: string = `${one}s`,
): string {
  return `${countText(count)} ${Number(count) === 1 ? one : many}`;
}

/**
 * Writes a duration in two units at most.
 *
 * @param ms The duration in milliseconds.
 * @returns Such as `40ms`, `1.2s`, `2m 05s`, `1h 04m`.
 *
 * @example From milliseconds to hours
 * ```ts
 * import { durationText } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(
 *   [40, 1234, 125_000, 3_840_000].map(durationText),
 *   ["40ms", "1.2s", "2m 05s", "1h 04m"],
 * );
 * ```
 */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}m ${padded(seconds % 60)}s`
    : `${countText(Math.floor(minutes / 60))}h ${padded(minutes % 60)}m`;
}

function padded(count: number): string {
  return String(count).padStart(2, "0");
}

/**
 * Writes a point in time, to the second.
 *
 * @param time The time, as RFC 3339 in UTC.
 * @returns Such as `2026-11-20 15:14:15Z`.
 *
 * @example To the second
 * ```ts
 * import { timeText } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(timeText("2026-11-20T15:14:15.552Z"), "2026-11-20 15:14:15Z");
 * ```
 */
export function timeText(time: string): string {
  return time.replace("T", " ").replace(/\.\d+Z$/, "Z");
}
