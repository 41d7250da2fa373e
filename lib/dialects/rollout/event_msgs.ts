/**
 * The events that a rollout keeps.
 *
 * @module
 */

import {
  type Shape,
  type ShapesOf,
  UNKNOWN_KIND,
  variant,
} from "../../shapes/shapes.ts";
import { SPEECH_MSGS, type SpeechMsgs } from "./speech_msgs.ts";
import { TOOL_MSGS, type ToolMsgs } from "./tool_msgs.ts";
import { TURN_MSGS, type TurnMsgs } from "./turn_msgs.ts";
import type { UnknownKind } from "./of_type.ts";

/**
 * An event of a rollout. `isOfType()` tells the events apart; after `isKnownEventMsg()`,
 * `switch` on `type` does.
 *
 * Which events a release keeps differs, so a reader has to expect any. This list may expand
 * over time.
 */
export type EventMsg = KnownEventMsg | UnknownKind;

/** The events of a rollout that are known, by type. */
export interface EventMsgs extends SpeechMsgs, TurnMsgs, ToolMsgs {}

/** The type of an event of a rollout that is known. */
export type KnownEventMsgType = keyof EventMsgs;

/** An event of a rollout of a type that is known. */
export type KnownEventMsg = EventMsgs[KnownEventMsgType];

/** @ignore The shape of each event that is known. */
export const EVENT_MSGS: ShapesOf<EventMsgs> = {
  ...SPEECH_MSGS,
  ...TURN_MSGS,
  ...TOOL_MSGS,
};

/** @ignore The shape of an event. */
export const EVENT_MSG: Shape<EventMsg> = variant(
  "type",
  EVENT_MSGS,
  UNKNOWN_KIND,
);

/**
 * Says whether an event of a rollout is of a known type, so that `switch` on `type` gives
 * its fields, and may end in `event satisfies never`.
 *
 * @param event The event.
 * @returns Whether its type is a {@linkcode KnownEventMsgType}.
 *
 * @example What is said
 * ```ts
 * import { type EventMsg, isKnownEventMsg } from "@codexpipe/codexpipe/rollout";
 * import { assertEquals } from "@std/assert";
 *
 * function said(event: EventMsg): string | undefined {
 *   if (!isKnownEventMsg(event)) return undefined;
 *   switch (event.type) {
 *     case "user_message":
 *     case "agent_message":
 *       return event.message;
 *     case "agent_reasoning":
 *       return event.text;
 *     default:
 *       return undefined;
 *   }
 * }
 *
 * assertEquals(said({ type: "agent_message", message: "Done" }), "Done");
 * assertEquals(said({ type: "dream" }), undefined);
 * ```
 */
export function isKnownEventMsg(event: EventMsg): event is KnownEventMsg {
  return Object.hasOwn(EVENT_MSGS, event.type);
}
