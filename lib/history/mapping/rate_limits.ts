/**
 * How much of the rate limits is used (B.12).
 *
 * @module
 */

import type { RateLimitsPayload } from "../records.ts";
import { type Fields, fieldsOf, isFields, numberOf } from "./json_fields.ts";
import { msOf, timestampOf, timestampOfMs } from "./times.ts";

/** The percentages whose crossing makes a record, in order. */
const THRESHOLDS: readonly number[] = [50, 75, 90];

/** One of the two windows. */
interface Window {
  readonly used: number;
  readonly minutes: number;
  readonly resetAfter: number | null;
  readonly resetsAt: string | null;
}

/**
 * Reads a snapshot of the rate limits.
 *
 * @param value The field `rate_limits`, nested as upstream writes it or flat.
 * @param now When it was written: what is relative is relative to that.
 * @returns The payload of a record, or `undefined` if nothing is said.
 */
export function readRateLimits(
  value: unknown,
  now: string,
): RateLimitsPayload | undefined {
  const fields = fieldsOf(value);
  const isFlat = typeof fields.primary_used_percent === "number";
  if (!isFlat && !isFields(fields.primary) && !isFields(fields.secondary)) {
    return undefined;
  }
  const primary = windowOf(
    isFlat ? flat(fields, "primary") : fields.primary,
    now,
  );
  const secondary = windowOf(
    isFlat ? flat(fields, "secondary") : fields.secondary,
    now,
  );
  return {
    primary_used_percent: primary.used,
    secondary_used_percent: secondary.used,
    primary_to_secondary_ratio_percent:
      primary.minutes === 0 || secondary.minutes === 0
        ? null
        : clampPercent(100 * primary.minutes / secondary.minutes),
    primary_window_minutes: primary.minutes,
    secondary_window_minutes: secondary.minutes,
    primary_reset_after_seconds: primary.resetAfter,
    secondary_reset_after_seconds: secondary.resetAfter,
    primary_resets_at: primary.resetsAt,
    secondary_resets_at: secondary.resetsAt,
  };
}

/**
 * Gives how many thresholds a percentage has crossed.
 *
 * @param percent The percentage.
 * @returns A number from 0 to 3.
 */
export function thresholdsCrossed(percent: number | null): number {
  return THRESHOLDS.filter((threshold) => (percent ?? 0) >= threshold).length;
}

/** The fork's spelling as if it were upstream's. */
function flat(fields: Fields, window: "primary" | "secondary"): Fields {
  return {
    used_percent: fields[`${window}_used_percent`],
    window_minutes: fields[`${window}_window_minutes`],
    resets_in_seconds: fields[`${window}_reset_after_seconds`],
    resets_at: fields[`${window}_resets_at`],
  };
}

function windowOf(value: unknown, now: string): Window {
  const fields = fieldsOf(value);
  const nowMs = msOf(now);
  const after = numberOf(fields.resets_in_seconds);
  const at = typeof fields.resets_at === "number"
    ? timestampOfMs(fields.resets_at * 1000)
    : timestampOf(fields.resets_at);
  return {
    used: clampPercent(numberOf(fields.used_percent) ?? 0),
    minutes: numberOf(fields.window_minutes) ?? 0,
    // Whole seconds, like the clock of the reset.
    resetAfter: after ?? (at === undefined ? null : Math.max(
      0,
      Math.floor(msOf(at) / 1000) - Math.floor(nowMs / 1000),
    )),
    resetsAt: at ??
      (after === undefined
        ? null
        : timestampOfMs(nowMs + after * 1000) ?? null),
  };
}

function clampPercent(percent: number): number {
  return Math.min(100, Math.max(0, percent));
}
