/**
 * Where lines of rollouts hold their events (C.4).
 *
 * @module
 */

import { type Fields, fieldsOf } from "./json_fields.ts";

/**
 * Gives the event that a line tells: all of an `event_msg`, or a part of the fork's `event`.
 *
 * @param line A normalized rollout line.
 * @returns The event; `undefined` if the line is of another type.
 */
export function eventOf({ type, payload }: Fields): Fields | undefined {
  switch (type) {
    case "event_msg":
      return fieldsOf(payload);
    case "event":
      return fieldsOf(fieldsOf(payload).msg);
    default:
      return undefined;
  }
}
