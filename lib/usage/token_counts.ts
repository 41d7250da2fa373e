/**
 * Reads a `token_count`, in every shape that releases have given it.
 */

import { type Fields, fieldsOf } from "../json/fields.ts";
import type { TokenCount } from "./token_counter.ts";
import { readTokens } from "./tokens.ts";

/**
 * Reads a `token_count`.
 *
 * @param content What it says.
 * @returns The counts; `info` is null as long as nothing is known.
 */
export function readTokenCount({ info }: Fields): TokenCount {
  const { total_token_usage, last_token_usage } = fieldsOf(info);
  const total = readTokens(total_token_usage);
  const last = readTokens(last_token_usage);
  return { total, last, isUnknown: total === undefined && last === undefined };
}
