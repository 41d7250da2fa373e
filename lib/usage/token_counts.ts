/**
 * Reads a `token_count`, in every shape that releases have given it.
 */

import { type Fields, fieldsOf } from "../history/mapping/json_fields.ts";
import type { TokenCount } from "./token_counter.ts";
import { readTokens, type Tokens } from "./tokens.ts";

/**
 * Reads a `token_count`.
 *
 * @param event The event.
 * @param text The text of the record that it stands in; without it, large counts are rounded.
 * @param path The names that lead from the record to the event.
 * @returns What it says. Up to 0.29 the counts of a request stand in the event itself; since
 * 0.34 there is `info`, null as long as nothing is known.
 */
export function readTokenCount(
  event: Fields,
  text: string | undefined,
  path: readonly string[],
): TokenCount {
  if (!("info" in event)) {
    const last = readTokens(event, text, path);
    return { total: undefined, last, isUnknown: last === undefined };
  }
  const info = fieldsOf(event.info);
  const at = (name: string): Tokens | undefined =>
    readTokens(info[name], text, [...path, "info", name]);
  const total = at("total_token_usage");
  const last = at("last_token_usage");
  return { total, last, isUnknown: total === undefined && last === undefined };
}
