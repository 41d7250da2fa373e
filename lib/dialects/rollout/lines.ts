/**
 * The lines of a rollout file, as they are once they have been normalized.
 *
 * @module
 */

import {
  ANY_OBJECT,
  maybe,
  type Members,
  NUMBER,
  object,
  optional,
  type Shape,
  type ShapesOf,
  STRING,
  typed,
  variant,
} from "../../shapes/shapes.ts";
import { COMPACTED, type Compacted } from "./compacted.ts";
import { EVENT_MSG, type EventMsg } from "./event_msgs.ts";
import { RESPONSE_ITEM, type ResponseItem } from "./response_items.ts";
import { SESSION_META, type SessionMeta } from "./session_meta.ts";
import { TOKEN_USAGE_RECORD, type TokenUsageRecord } from "./token_counts.ts";
import {
  INTER_AGENT_COMMUNICATION,
  INTER_AGENT_COMMUNICATION_METADATA,
  type InterAgentCommunication,
  type InterAgentCommunicationMetadata,
  type ObjectValue,
  TURN_CONTEXT,
  type TurnContext,
  WORLD_STATE,
  type WorldState,
} from "./turn_context.ts";

/**
 * A line of a rollout file, normalized. `isOfType()` tells the lines apart; after
 * `isKnownRolloutLine()`, `switch` on `type` does.
 *
 * A line, and everything in it, may hold more fields than its interface names: what a
 * release adds stays where it is. A field that no interface names is read with
 * `"name" in value`, which the compiler then knows to be there, of type `unknown`. Most
 * fields that may be absent may be null instead; releases differ in which they write.
 *
 * This list may expand over time.
 */
export type RolloutLine = KnownRolloutLine | UnknownRolloutLine;

/** A line of a rollout file of a type that is known. */
export type KnownRolloutLine = RolloutLines[KnownRolloutLineType];

/** The type of a line of a rollout file that is known. */
export type KnownRolloutLineType = keyof RolloutLines;

/** The lines of a rollout file that are known, by type. */
export interface RolloutLines {
  /** The session that the file belongs to. */
  readonly session_meta: SessionMetaLine;
  /** What the model was shown or answered. */
  readonly response_item: ResponseItemLine;
  /** Something that happened. */
  readonly event_msg: EventMsgLine;
  /** The settings of a turn (0.36 and later). */
  readonly turn_context: TurnContextLine;
  /** The history was summed up (0.36 and later). */
  readonly compacted: CompactedLine;
  /** What the model knows of its surroundings (0.145 and later). */
  readonly world_state: WorldStateLine;
  /** A message from one agent to another (0.142). */
  readonly inter_agent_communication: InterAgentCommunicationLine;
  /** What is said of the message between agents that comes next (0.150 and later). */
  readonly inter_agent_communication_metadata:
    InterAgentCommunicationMetadataLine;
  /** The tokens of one request (0.155 and later). */
  readonly token_usage_record: TokenUsageRecordLine;
  /** Something that happened, as a fork of Codex writes it. */
  readonly event: ForkEventLine;
}

/** What every line of a rollout file may say. */
export interface RolloutLineFields {
  /**
   * When the line was written, in UTC with milliseconds. Where a line had none of its own
   * (up to 0.29), the time of the line before, of the session or of the name of the file;
   * absent where none of them is known.
   */
  readonly timestamp?: string;
  /** The place of the line in the thread, a whole number (0.148 and later). */
  readonly ordinal?: number | null;
  /** What Codex keeps beside a response item (0.155 and later). */
  readonly metadata?: ObjectValue | null;
}

/** The session that the file belongs to. */
export interface SessionMetaLine extends RolloutLineFields {
  /** Always `session_meta`. */
  readonly type: "session_meta";
  /** The session. */
  readonly payload: SessionMeta;
}

/** What the model was shown or answered. */
export interface ResponseItemLine extends RolloutLineFields {
  /** Always `response_item`. */
  readonly type: "response_item";
  /** The item. */
  readonly payload: ResponseItem;
}

/** Something that happened. */
export interface EventMsgLine extends RolloutLineFields {
  /** Always `event_msg`. */
  readonly type: "event_msg";
  /** The event. */
  readonly payload: EventMsg;
}

/** The settings of a turn. */
export interface TurnContextLine extends RolloutLineFields {
  /** Always `turn_context`. */
  readonly type: "turn_context";
  /** The settings. */
  readonly payload: TurnContext;
}

/** The history was summed up. */
export interface CompactedLine extends RolloutLineFields {
  /** Always `compacted`. */
  readonly type: "compacted";
  /** The summary, and what goes on from there. */
  readonly payload: Compacted;
}

/** What the model knows of its surroundings. */
export interface WorldStateLine extends RolloutLineFields {
  /** Always `world_state`. */
  readonly type: "world_state";
  /** The surroundings, or what has changed of them. */
  readonly payload: WorldState;
}

/** A message from one agent to another. */
export interface InterAgentCommunicationLine extends RolloutLineFields {
  /** Always `inter_agent_communication`. */
  readonly type: "inter_agent_communication";
  /** The message. */
  readonly payload: InterAgentCommunication;
}

/** What is said of the message between agents that comes next. */
export interface InterAgentCommunicationMetadataLine extends RolloutLineFields {
  /** Always `inter_agent_communication_metadata`. */
  readonly type: "inter_agent_communication_metadata";
  /** What is said of it. */
  readonly payload: InterAgentCommunicationMetadata;
}

/** The tokens of one request. */
export interface TokenUsageRecordLine extends RolloutLineFields {
  /** Always `token_usage_record`. */
  readonly type: "token_usage_record";
  /** The tokens. */
  readonly payload: TokenUsageRecord;
}

/** Something that happened, as a fork of Codex writes it. */
export interface ForkEventLine extends RolloutLineFields {
  /** Always `event`. */
  readonly type: "event";
  /** The event, and where it belongs. */
  readonly payload: ForkEvent;
}

/** An event as a fork of Codex writes it, with its place in the order of events. */
export interface ForkEvent {
  /** The id of the request that it belongs to. */
  readonly id?: string | null;
  /** The place of the event in that request. */
  readonly event_seq?: number | null;
  /** The place of the event among those of the server. */
  readonly order?: ObjectValue | null;
  /** The event. */
  readonly msg: EventMsg;
}

/**
 * A line of any other type. Lines with a `record_type` (up to 0.29) have become such lines,
 * with `state` for their type and the whole line for their payload.
 */
export interface UnknownRolloutLine extends RolloutLineFields {
  /** What sort of line it is: none of {@linkcode KnownRolloutLineType}. */
  readonly type: string;
  /** What the line holds. */
  readonly payload: ObjectValue;
}

const LINE: Members<RolloutLineFields> = {
  timestamp: optional(STRING),
  ordinal: maybe(NUMBER),
  metadata: maybe(ANY_OBJECT),
};

const FORK_EVENT = object<ForkEvent>({
  id: maybe(STRING),
  event_seq: maybe(NUMBER),
  order: maybe(ANY_OBJECT),
  msg: EVENT_MSG,
});

/** @ignore The shape of each line that is known. */
export const ROLLOUT_LINES: ShapesOf<RolloutLines> = typed({
  session_meta: { ...LINE, payload: SESSION_META },
  response_item: { ...LINE, payload: RESPONSE_ITEM },
  event_msg: { ...LINE, payload: EVENT_MSG },
  turn_context: { ...LINE, payload: TURN_CONTEXT },
  compacted: { ...LINE, payload: COMPACTED },
  world_state: { ...LINE, payload: WORLD_STATE },
  inter_agent_communication: { ...LINE, payload: INTER_AGENT_COMMUNICATION },
  inter_agent_communication_metadata: {
    ...LINE,
    payload: INTER_AGENT_COMMUNICATION_METADATA,
  },
  token_usage_record: { ...LINE, payload: TOKEN_USAGE_RECORD },
  event: { ...LINE, payload: FORK_EVENT },
});

/** @ignore The shape of a line. */
export const ROLLOUT_LINE: Shape<RolloutLine> = variant<RolloutLine, "type">(
  "type",
  ROLLOUT_LINES,
  object<UnknownRolloutLine>({ ...LINE, type: STRING, payload: ANY_OBJECT }),
);

/**
 * Says whether a line is of a known type, so that `switch` on `type` gives the type of its
 * payload, and may end in `line satisfies never`.
 *
 * @param line The line.
 * @returns Whether its type is a {@linkcode KnownRolloutLineType}.
 *
 * @example What a file is about
 * ```ts
 * import { isKnownRolloutLine, type RolloutLine } from "@codexpipe/codexpipe/rollout";
 * import { assertEquals } from "@std/assert";
 *
 * function summary(line: RolloutLine): string {
 *   if (!isKnownRolloutLine(line)) return `something new: ${line.type}`;
 *   switch (line.type) {
 *     case "session_meta":
 *       return `session ${line.payload.id}`;
 *     case "turn_context":
 *       return `${line.payload.model} in ${line.payload.cwd}`;
 *     case "response_item":
 *     case "event_msg":
 *       return line.payload.type;
 *     default:
 *       return line.type;
 *   }
 * }
 *
 * assertEquals(
 *   summary({ type: "turn_context", payload: { model: "gpt-5", cwd: "/w" } }),
 *   "gpt-5 in /w",
 * );
 * assertEquals(summary({ type: "state", payload: {} }), "something new: state");
 * ```
 */
export function isKnownRolloutLine(
  line: RolloutLine,
): line is KnownRolloutLine {
  return Object.hasOwn(ROLLOUT_LINES, line.type);
}
