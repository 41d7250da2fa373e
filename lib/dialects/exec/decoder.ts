/** Decodes normalized exec records to typed events. */

import { type Decoded, parseRecord, undecodable } from "../decoded.ts";
import type { Issue } from "../../errors.ts";
import { quote } from "../../json/problems.ts";
import { isObject } from "../../json/fields.ts";
import { fits } from "../../shapes/check.ts";
import { EVENT_SHAPES, THREAD_EVENT, type ThreadEvent } from "./events.ts";
import { NOT_KNOWN } from "./field_rules.ts";

/**
 * Returns whether a value is a normalized event, and narrows its type.
 *
 * The check is that of the schemas of `@codexpipe/codexpipe/schema`, without loading them.
 *
 * @param record The value.
 * @returns Whether it is an event.
 *
 * @example Check a record of another program
 * ```ts
 * import { isThreadEvent } from "@codexpipe/codexpipe/exec";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(isThreadEvent({ type: "error", message: "no" }), true);
 * assertEquals(isThreadEvent({ type: "error" }), false);
 * ```
 */
export function isThreadEvent(record: unknown): record is ThreadEvent {
  return fits(THREAD_EVENT, record);
}

/**
 * Decodes a normalized record of `codex exec --json`: checks it and narrows its type.
 *
 * Nothing is copied, coerced or dropped: the event is the record itself, unknown fields included.
 * The names that some releases use for a field are unknown fields here: lines of Codex have to be
 * normalized first.
 *
 * @param record The record, or its JSON text.
 * @returns The event, or the reason why the record is not one: `typed`, with all complaints under
 *   `issues`, or `json` for a text that is not JSON.
 *
 * @example A record with a wrong field
 * ```ts
 * import { decodeEvent } from "@codexpipe/codexpipe/exec";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const decoded = decodeEvent(
 *   '{"type":"item.started","thread_id":"t","item_id":"item_0","status":"in_progress",' +
 *     '"item_type":"command_execution","content":{"command":"ls","exit_code":"0"}}',
 * );
 *
 * assert(!decoded.ok);
 * assertEquals(
 *   decoded.error.message,
 *   "Cannot decode item.started: content.exit_code is a string, expected a whole number",
 * );
 * ```
 */
export function decodeEvent(record: unknown): Decoded<ThreadEvent> {
  const parsed = parseRecord(record);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (isThreadEvent(value)) return { ok: true, value };
  const issues: Issue[] = [];
  fits(THREAD_EVENT, value, issues);
  const type = isObject(value) ? value.type : undefined;
  if (typeof type !== "string") return undecodable("the record", issues);
  return Object.hasOwn(EVENT_SHAPES, type)
    ? undecodable(type, issues)
    : undecodable(`a record of type ${quote(type)}`, issues, NOT_KNOWN);
}
