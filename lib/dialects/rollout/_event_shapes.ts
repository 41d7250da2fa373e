/** The shapes of events. */

import { type Shape, type ShapesOf, tagged, UNKNOWN_KIND } from "./_shapes.ts";
import { SPEECH_MSGS } from "./_speech_shapes.ts";
import { TOOL_MSGS } from "./_tool_shapes.ts";
import { TURN_MSGS } from "./_turn_shapes.ts";
import type { EventMsg, EventMsgs } from "./event_msgs.ts";

/** The shape of each event that is known. */
export const EVENT_MSGS: ShapesOf<EventMsgs> = {
  ...SPEECH_MSGS,
  ...TURN_MSGS,
  ...TOOL_MSGS,
};

/** The shape of an event. */
export const EVENT_MSG: Shape<EventMsg> = tagged<EventMsg>(
  EVENT_MSGS,
  UNKNOWN_KIND,
);
