/**
 * Tokens and rate limits (B.12).
 *
 * @module
 */

import type { TokenUsage } from "../records.ts";
import type { FoldContext } from "./fold_context.ts";
import {
  type Fields,
  fieldsOf,
  isObject,
  numberOf,
} from "../../json/fields.ts";
import { attachUsage } from "./messages.ts";
import {
  readRateLimits,
  readUsedPercents,
  thresholdsCrossed,
} from "./rate_limits.ts";

/**
 * Reads how many tokens were used.
 *
 * @param value Counts as Codex names them.
 * @returns The counts, or `undefined` if there are none.
 */
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
 * Shows what a `token_count` says: the tokens of the last answer, and a newly crossed
 * threshold of the rate limits.
 *
 * @param context Where.
 * @param event The event.
 */
export function showTokenCount(context: FoldContext, event: Fields): void {
  // Before there was `info`, the counts stood in the event.
  const last = isObject(event.info) ? event.info.last_token_usage : event;
  const usage = readUsage(last);
  if (usage !== undefined) attachUsage(context, usage, { keep: true });
  const used = readUsedPercents(event.rate_limits);
  if (used === undefined) return;
  const { crossed } = context.memory;
  const primary = thresholdsCrossed(used.primary);
  const secondary = thresholdsCrossed(used.secondary);
  if (primary <= crossed.primary && secondary <= crossed.secondary) return;
  crossed.primary = Math.max(crossed.primary, primary);
  crossed.secondary = Math.max(crossed.secondary, secondary);
  const payload = readRateLimits(event.rate_limits, context.now);
  if (payload !== undefined) context.push({ type: "rate_limits", payload });
}
