/**
 * Schemas of normalized rollout lines, and of what they hold.
 *
 * @module
 */

import type * as v from "valibot";
import { EVENT_MSG, EVENT_MSGS } from "./_event_shapes.ts";
import { CONTENT_PART } from "./_detail_shapes.ts";
import { COMPACTED, ROLLOUT_LINE, ROLLOUT_LINES } from "./_line_shapes.ts";
import { RESPONSE_ITEM, RESPONSE_ITEMS } from "./_response_item_shapes.ts";
import {
  INTER_AGENT_COMMUNICATION,
  INTER_AGENT_COMMUNICATION_METADATA,
  SESSION_META,
  TOKEN_COUNTS,
  TOKEN_USAGE_RECORD,
  TURN_CONTEXT,
  WORLD_STATE,
} from "./_session_shapes.ts";
import { schemaOf } from "./_shape_schema.ts";
import type { Shape } from "./_shapes.ts";
import { TURN_ITEM, TURN_ITEMS } from "./_turn_item_shapes.ts";
import type { Compacted } from "./compacted.ts";
import type { ContentPart } from "./content_parts.ts";
import type { EventMsg, EventMsgs } from "./event_msgs.ts";
import type { RolloutLine, RolloutLines } from "./lines.ts";
import type { ResponseItem, ResponseItems } from "./response_items.ts";
import type { SessionMeta } from "./session_meta.ts";
import type { TokenCounts, TokenUsageRecord } from "./token_counts.ts";
import type {
  InterAgentCommunication,
  InterAgentCommunicationMetadata,
  TurnContext,
  WorldState,
} from "./turn_context.ts";
import type { TurnItem, TurnItems } from "./turn_items.ts";

/**
 * A schema for each member of a map of types.
 *
 * @typeParam M The map.
 */
export type SchemasOf<M> = {
  readonly [W in keyof M]: v.GenericSchema<unknown, M[W]>;
};

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

function schemasOf<M>(
  shapes: { readonly [W in keyof M]: Shape<M[W]> },
): SchemasOf<M> {
  const schemas: { -readonly [W in keyof M]?: SchemasOf<M>[W] } = {};
  for (const word in shapes) schemas[word] = schemaOf(shapes[word]);
  // Every member of `M` has its schema by now.
  return schemas as SchemasOf<M>;
}
