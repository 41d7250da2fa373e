/**
 * Normalized rollout lines to typed ones.
 *
 * @module
 */

import { type Decoded, parseRecord, undecodable } from "../decoded.ts";
import { quote } from "../../json/problems.ts";
import type { Issue } from "../../errors.ts";
import { isObject } from "../../json/fields.ts";
import { fits } from "../../shapes/check.ts";
import { ROLLOUT_LINE, type RolloutLine } from "./lines.ts";
import type { Proof } from "../../json/value_plan.ts";
import { lookAt } from "../../shapes/look.ts";

// Proves that values are lines of rollout files, once for all that are alike.

/** Proves that values are lines of rollout files, before any is made. */
export const ROLLOUT_LINE_PROOF: Proof = {
  look: (reader, record) => lookAt(ROLLOUT_LINE, record, reader),
  holds: isRolloutLine,
};

/**
 * Says whether a value is a normalized line of a rollout file, and so has its type.
 *
 * Anything with a `type` that is not known and an object `payload` is one. It checks what
 * the schemas of `@codexpipe/codexpipe/schema` check, without loading them.
 *
 * @param record The value.
 * @returns Whether it is a line of a rollout file.
 *
 * @example A line from elsewhere
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
 * Decodes a normalized line of a rollout file: checks it and gives it its type.
 *
 * Nothing is copied, coerced or dropped: the line is the record itself, unknown fields
 * included. Types that are not known pass, of lines (with an object for their payload) as
 * of items, events and parts of messages in them; fields that are not named are not looked
 * at. A field that a known type names and that holds another sort of value fails the line,
 * since its type would say what is not so; the failure has the line, and every such field
 * under `issues`, up to a hundred. No line of any captured release fails.
 *
 * Lines as releases up to 0.29 wrote them must have been normalized.
 *
 * @param record The record, or its JSON text.
 * @returns The line, or why the record is none: `typed`, with the complaints under
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

/** What a record is, as messages say it: its type, and that of what it holds. */
function nameOf(record: unknown): string {
  if (!isObject(record)) return "the record";
  const { type, payload } = record;
  if (typeof type !== "string") return "the record";
  const name = wordOf(type);
  return isObject(payload) && typeof payload.type === "string"
    ? `${name} ${wordOf(payload.type)}`
    : name;
}

/** Types are words; quotes tell where one ends that is not. */
function wordOf(type: string): string {
  return /^\w{1,64}$/.test(type) ? type : quote(type);
}
