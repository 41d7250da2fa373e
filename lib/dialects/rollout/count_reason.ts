/**
 * What is wrong with the counts of a line, where something is.
 *
 * @module
 */

import type { FailureReason } from "../../errors.ts";
import { fieldsOf } from "../../json/fields.ts";
import { decodeRolloutLine } from "./decoder.ts";

/** Where a line has counts that are read, and what holds them. */
const COUNTS =
  /^payload\.(?:msg\.)?(?:info(?:\.(?:total|last)_token_usage)?|usage)(?:\.[a-z_]+_tokens)?$/;
/** What holds one of two counts; the other one will do. */
const HALF = /_token_usage$/;

/**
 * Says why a line of a session file that has counts cannot be counted by.
 *
 * Whatever else of it is not as in the releases that are known, it counts by what it says.
 * Without the counts it would be left out, and nobody would hear of it.
 *
 * @returns Why; nothing if its counts can be read, or it has none.
 */
export function countReason(value: unknown): FailureReason | undefined {
  if (!hasCounts(value)) return undefined;
  const decoded = decodeRolloutLine(value);
  if (decoded.ok) return undefined;
  const { issues = [] } = decoded.error;
  const broken = issues.filter(({ path }) => COUNTS.test(path));
  const worst = broken.find(({ path }) => !HALF.test(path)) ?? broken[1];
  if (worst === undefined) return undefined;
  const { path, message } = worst;
  return {
    kind: "typed",
    message: `Cannot count the tokens: ${path} is ${message}`,
    field: path,
    issues: broken,
  };
}

function hasCounts(value: unknown): boolean {
  const line = fieldsOf(value);
  const payload = fieldsOf(line.payload);
  switch (line.type) {
    case "token_usage_record":
      return true;
    case "event_msg":
      return payload.type === "token_count";
    case "event":
      return fieldsOf(payload.msg).type === "token_count";
    default:
      return false;
  }
}
