/** Tokens and rate limits (B.12). */

import { msOf, timestampOf, timestampOfMs } from "../../events/times.ts";
import {
  type Fields,
  fieldsOf,
  isObject,
  numberOf,
} from "../../json/fields.ts";
import type { TokenUsage } from "../records.ts";
import type { FoldContext } from "./fold_context.ts";
import { attachUsage } from "./messages.ts";

/** The percentages whose crossing makes a record, in order (B.12). */
const THRESHOLDS: readonly number[] = [50, 75, 90];

interface Window {
  readonly used: number;
  readonly minutes: number;
  readonly resetAfter: number | null;
  readonly resetsAt: string | null;
}

/**
 * Reads a window of `rate_limits`, which has it nested, or flat in the fork. Relative times refer to
 * `now`.
 */
function readWindow(
  limits: Fields,
  name: "primary" | "secondary",
  now: string,
): Window {
  const nested = limits[name];
  const fields = isObject(nested) ? nested : {
    used_percent: limits[`${name}_used_percent`],
    window_minutes: limits[`${name}_window_minutes`],
    resets_in_seconds: limits[`${name}_reset_after_seconds`],
    resets_at: limits[`${name}_resets_at`],
  };
  const nowMs = msOf(now);
  const after = numberOf(fields.resets_in_seconds);
  const at = typeof fields.resets_at === "number"
    ? timestampOfMs(fields.resets_at * 1000)
    : timestampOf(fields.resets_at);
  return {
    used: clampPercent(numberOf(fields.used_percent) ?? 0),
    minutes: numberOf(fields.window_minutes) ?? 0,
    // In whole seconds, the unit of `resets_at`.
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

function thresholdsCrossed({ used }: Window): number {
  return THRESHOLDS.filter((threshold) => used >= threshold).length;
}

function clampPercent(percent: number): number {
  return Math.min(100, Math.max(0, percent));
}

/** Reads token counts, as Codex names them; `undefined` if there are none. */
export function readUsage(value: unknown): TokenUsage | undefined {
  const fields = fieldsOf(value);
  const prompt = numberOf(fields.input_tokens);
  const completion = numberOf(fields.output_tokens);
  const total = numberOf(fields.total_tokens);
  if (prompt === undefined && completion === undefined && total === undefined) {
    return undefined;
  }
  return {
    prompt: prompt ?? 0,
    completion: completion ?? 0,
    total: total ?? (prompt ?? 0) + (completion ?? 0),
  };
}

/**
 * Applies a `token_count`: sets the usage of the last assistant message, and adds a record of the
 * rate limits if a threshold was crossed.
 */
export function showTokenCount(context: FoldContext, event: Fields): void {
  const usage = readUsage(fieldsOf(event.info).last_token_usage);
  if (usage !== undefined) {
    context.memory.isCounted = true;
    attachUsage(context, usage, { keep: true });
  }
  const limits = fieldsOf(event.rate_limits);
  const primary = readWindow(limits, "primary", context.now);
  const secondary = readWindow(limits, "secondary", context.now);
  const { crossed } = context.memory;
  const isCrossed = thresholdsCrossed(primary) > crossed.primary ||
    thresholdsCrossed(secondary) > crossed.secondary;
  if (!isCrossed) return;
  crossed.primary = Math.max(crossed.primary, thresholdsCrossed(primary));
  crossed.secondary = Math.max(crossed.secondary, thresholdsCrossed(secondary));
  context.push({
    type: "rate_limits",
    payload: {
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
    },
  });
}
