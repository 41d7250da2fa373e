/** Schemas of normalized rollout lines and their parts. */

import * as msgs from "./event_msgs.ts";
import * as lines from "./lines.ts";
import type { KindsOf } from "./of_type.ts";
import * as responses from "./response_items.ts";
import * as counts from "./token_counts.ts";
import * as items from "./turn_items.ts";
import { type SchemasOf, schemasOf } from "../../shapes/schema.ts";

/** The types of session files, by name. */
export type RolloutTypes = {
  readonly RolloutLine: lines.RolloutLine;
  readonly SessionMeta: lines.SessionMeta;
  readonly ResponseItem: responses.ResponseItem;
  readonly EventMsg: msgs.EventMsg;
  readonly TurnContext: lines.TurnContext;
  readonly Compacted: lines.Compacted;
  readonly WorldState: lines.WorldState;
  readonly InterAgentCommunication: lines.InterAgentCommunication;
  readonly InterAgentCommunicationMetadata:
    lines.InterAgentCommunicationMetadata;
  readonly TokenUsageRecord: counts.TokenUsageRecord;
  readonly TokenCounts: counts.TokenCounts;
  readonly ContentPart: responses.ContentPart;
  readonly TurnItem: items.TurnItem;
};

export const ROLLOUT_SCHEMAS: SchemasOf<RolloutTypes> = schemasOf({
  RolloutLine: lines.ROLLOUT_LINE,
  SessionMeta: lines.SESSION_META,
  ResponseItem: responses.RESPONSE_ITEM,
  EventMsg: msgs.EVENT_MSG,
  TurnContext: lines.TURN_CONTEXT,
  Compacted: lines.COMPACTED,
  WorldState: lines.WORLD_STATE,
  InterAgentCommunication: lines.INTER_AGENT_COMMUNICATION,
  InterAgentCommunicationMetadata: lines.INTER_AGENT_COMMUNICATION_METADATA,
  TokenUsageRecord: counts.TOKEN_USAGE_RECORD,
  TokenCounts: counts.TOKEN_COUNTS,
  ContentPart: responses.CONTENT_PART,
  TurnItem: items.TURN_ITEM,
});

/** The maps from type to interface of lines, items and events in session files. */
export type RolloutTypeMaps = {
  readonly RolloutLines: lines.RolloutLines;
  readonly ResponseItems: KindsOf<responses.ResponseItems>;
  readonly EventMsgs: KindsOf<msgs.EventMsgs>;
  readonly TurnItems: KindsOf<items.TurnItems>;
};

export const ROLLOUT_SCHEMA_MAPS: {
  readonly [N in keyof RolloutTypeMaps]: SchemasOf<RolloutTypeMaps[N]>;
} = {
  RolloutLines: schemasOf(lines.ROLLOUT_LINES),
  ResponseItems: schemasOf(responses.RESPONSE_ITEMS),
  EventMsgs: schemasOf(msgs.EVENT_MSGS),
  TurnItems: schemasOf(items.TURN_ITEMS),
};
