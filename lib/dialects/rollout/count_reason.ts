/** Checks the token counts of a line. */

import type { FailureReason } from "../../errors.ts";
import { fieldsOf } from "../../json/fields.ts";
import { decodeRolloutLine } from "./decoder.ts";

/** Matches the paths of counts that are read, and of the objects that hold them. */
const COUNTS =
  /^payload\.(?:msg\.)?(?:info(?:\.(?:total|last)_token_usage)?|usage)(?:\.[a-z_]+_tokens)?$/;
/** Matches the objects of which a line has two; either one is enough. */
const HALF = /_token_usage$/;

/**
 * Returns why the token counts of a session file's line, if it has any, cannot be read.
 *
 * Other problems of the line are ignored: it still counts. A line without readable counts would be
 * left out of the totals without a message.
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
