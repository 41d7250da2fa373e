/**
 * Schemas of normalized rollout lines, and of what they hold.
 *
 * @module
 */

import type * as v from "valibot";
import { schemaOf, type SchemasOf, schemasOf } from "../../shapes/schema.ts";
import { COMPACTED, type Compacted } from "./compacted.ts";
import { CONTENT_PART, type ContentPart } from "./content_parts.ts";
import {
  EVENT_MSG,
  EVENT_MSGS,
  type EventMsg,
  type EventMsgs,
} from "./event_msgs.ts";
import {
  ROLLOUT_LINE,
  ROLLOUT_LINES,
  type RolloutLine,
  type RolloutLines,
} from "./lines.ts";
import {
  RESPONSE_ITEM,
  RESPONSE_ITEMS,
  type ResponseItem,
  type ResponseItems,
} from "./response_items.ts";
import { SESSION_META, type SessionMeta } from "./session_meta.ts";
import {
  TOKEN_COUNTS,
  TOKEN_USAGE_RECORD,
  type TokenCounts,
  type TokenUsageRecord,
} from "./token_counts.ts";
import {
  INTER_AGENT_COMMUNICATION,
  INTER_AGENT_COMMUNICATION_METADATA,
  type InterAgentCommunication,
  type InterAgentCommunicationMetadata,
  TURN_CONTEXT,
  type TurnContext,
  WORLD_STATE,
  type WorldState,
} from "./turn_context.ts";
import {
  TURN_ITEM,
  TURN_ITEMS,
  type TurnItem,
  type TurnItems,
} from "./turn_items.ts";

export type { SchemasOf } from "../../shapes/schema.ts";

/** The schema of {@linkcode SessionMeta}. */
export const SessionMetaSchema: v.GenericSchema<unknown, SessionMeta> =
  schemaOf(SESSION_META);

/** The schema of {@linkcode TurnContext}. */
export const TurnContextSchema: v.GenericSchema<unknown, TurnContext> =
  schemaOf(TURN_CONTEXT);

/** The schema of {@linkcode Compacted}. */
export const CompactedSchema: v.GenericSchema<unknown, Compacted> = schemaOf(
  COMPACTED,
);

/** The schema of {@linkcode WorldState}. */
export const WorldStateSchema: v.GenericSchema<unknown, WorldState> = schemaOf(
  WORLD_STATE,
);

/** The schema of {@linkcode InterAgentCommunication}. */
export const InterAgentCommunicationSchema: v.GenericSchema<
  unknown,
  InterAgentCommunication
> = schemaOf(INTER_AGENT_COMMUNICATION);

/** The schema of {@linkcode InterAgentCommunicationMetadata}. */
export const InterAgentCommunicationMetadataSchema: v.GenericSchema<
  unknown,
  InterAgentCommunicationMetadata
> = schemaOf(INTER_AGENT_COMMUNICATION_METADATA);

/** The schema of {@linkcode TokenCounts}. */
export const TokenCountsSchema: v.GenericSchema<unknown, TokenCounts> =
  schemaOf(TOKEN_COUNTS);

/** The schema of {@linkcode TokenUsageRecord}. */
export const TokenUsageRecordSchema: v.GenericSchema<
  unknown,
  TokenUsageRecord
> = schemaOf(TOKEN_USAGE_RECORD);

/** The schema of {@linkcode ContentPart}. */
export const ContentPartSchema: v.GenericSchema<unknown, ContentPart> =
  schemaOf(CONTENT_PART);

/** The schema of {@linkcode ResponseItem}. */
export const ResponseItemSchema: v.GenericSchema<unknown, ResponseItem> =
  schemaOf(RESPONSE_ITEM);

/** The schema of each response item that is known, by type. */
export const ResponseItemSchemas: SchemasOf<ResponseItems> = schemasOf(
  RESPONSE_ITEMS,
);

/** The schema of {@linkcode EventMsg}. */
export const EventMsgSchema: v.GenericSchema<unknown, EventMsg> = schemaOf(
  EVENT_MSG,
);

/** The schema of each event of a rollout that is known, by type. */
export const EventMsgSchemas: SchemasOf<EventMsgs> = schemasOf(EVENT_MSGS);

/** The schema of {@linkcode TurnItem}. */
export const TurnItemSchema: v.GenericSchema<unknown, TurnItem> = schemaOf(
  TURN_ITEM,
);

/** The schema of each item of a turn that is known, by type. */
export const TurnItemSchemas: SchemasOf<TurnItems> = schemasOf(TURN_ITEMS);

/**
 * The schema of {@linkcode RolloutLine}.
 *
 * To know whether a record is a line, and why not, `decodeRolloutLine()` of
 * `@codexpipe/codexpipe` does the same without valibot.
 */
export const RolloutLineSchema: v.GenericSchema<unknown, RolloutLine> =
  schemaOf(ROLLOUT_LINE);

/** The schema of each line of a rollout file that is known, by type. */
export const RolloutLineSchemas: SchemasOf<RolloutLines> = schemasOf(
  ROLLOUT_LINES,
);
