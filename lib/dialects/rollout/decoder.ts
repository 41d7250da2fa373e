/** Decodes normalized rollout lines to typed ones. */

import { type Decoded, parseRecord, undecodable } from "../decoded.ts";
import { quote } from "../../json/problems.ts";
import type { Issue } from "../../errors.ts";
import { isObject } from "../../json/fields.ts";
import { fits } from "../../shapes/check.ts";
import { ROLLOUT_LINE, type RolloutLine } from "./lines.ts";
import type { Proof } from "../../json/value_plan.ts";
import { lookAt } from "../../shapes/look.ts";

/**
 * Proves once per plan that all values of the plan are rollout lines, so that they need no check.
 */
export const ROLLOUT_LINE_PROOF: Proof = {
  look: (reader, record) => lookAt(ROLLOUT_LINE, record, reader),
  holds: isRolloutLine,
};

/**
 * Returns whether a value is a normalized line of a rollout file, and narrows its type.
 *
 * A record with an unknown `type` and an object as `payload` is such a line. The check is that of
 * the schemas of `@codexpipe/codexpipe/schema`, without loading them.
 *
 * @param record The value.
 * @returns Whether it is a line of a rollout file.
 *
 * @example Check a line of another program
 * ```ts
 * import { isRolloutLine } from "@codexpipe/codexpipe/rollout";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(isRolloutLine({ type: "compacted", payload: { message: "m" } }), true);
 * assertEquals(isRolloutLine({ type: "compacted", payload: { message: 1 } }), false);
 * assertEquals(isRolloutLine({ type: "dream", payload: {} }), true);
 * ```
 */
export function isRolloutLine(record: unknown): record is RolloutLine {
  return fits(ROLLOUT_LINE, record);
}

/**
 * Decodes a normalized line of a rollout file: checks it and narrows its type.
 *
 * Nothing is copied, coerced or dropped: the line is the record itself, unknown fields included.
 * Unknown types pass, of lines (with an object as payload) and of items, events and parts of
 * messages in them; unknown fields are not checked. A field of a known type with another kind of
 * value fails the line, since the value would not match the type. The failure holds the line, and
 * up to a hundred such fields under `issues`. No line of any captured release fails.
 *
 * Lines of releases up to 0.29 have to be normalized first.
 *
 * @param record The record, or its JSON text.
 * @returns The line, or the reason why the record is not one: `typed`, with the complaints under
 *   `issues`, or `json` for a text that is not JSON.
 *
 * @example A line with a wrong field
 * ```ts
 * import { decodeRolloutLine } from "@codexpipe/codexpipe/rollout";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const decoded = decodeRolloutLine(
 *   '{"type":"event_msg","payload":{"type":"agent_message","message":["Hi"]}}',
 * );
 *
 * assert(!decoded.ok);
 * assertEquals(
 *   decoded.error.message,
 *   "Cannot decode event_msg agent_message: payload.message is a list, expected a string",
 * );
 * ```
 */
export function decodeRolloutLine(record: unknown): Decoded<RolloutLine> {
  const parsed = parseRecord(record);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (isRolloutLine(value)) return { ok: true, value };
  const issues: Issue[] = [];
  fits(ROLLOUT_LINE, value, issues);
  return undecodable(nameOf(value), issues);
}

/** The description of a record in messages: its type, and the type of its payload. */
function nameOf(record: unknown): string {
  if (!isObject(record)) return "the record";
  const { type, payload } = record;
  if (typeof type !== "string") return "the record";
  const name = wordOf(type);
  return isObject(payload) && typeof payload.type === "string"
    ? `${name} ${wordOf(payload.type)}`
    : name;
}

/** A type is a word; any other text is quoted. */
function wordOf(type: string): string {
  return /^\w{1,64}$/.test(type) ? type : quote(type);
}
