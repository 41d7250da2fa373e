/** The shapes of lines. */

import { EVENT_MSG } from "./_event_shapes.ts";
import { RESPONSE_ITEM } from "./_response_item_shapes.ts";
import {
  INTER_AGENT_COMMUNICATION,
  INTER_AGENT_COMMUNICATION_METADATA,
  SESSION_META,
  TOKEN_USAGE_RECORD,
  TURN_CONTEXT,
  WORLD_STATE,
} from "./_session_shapes.ts";
import {
  ANY_OBJECT,
  either,
  list,
  maybe,
  type Members,
  nullable,
  NUMBER,
  object,
  optional,
  type Shape,
  type ShapesOf,
  STRING,
  tagged,
  typed,
} from "./_shapes.ts";
import type { Compacted } from "./compacted.ts";
import type {
  CompactedLine,
  EventMsgLine,
  ForkEvent,
  ForkEventLine,
  InterAgentCommunicationLine,
  InterAgentCommunicationMetadataLine,
  ResponseItemLine,
  RolloutLine,
  RolloutLineFields,
  RolloutLines,
  SessionMetaLine,
  TokenUsageRecordLine,
  TurnContextLine,
  UnknownRolloutLine,
  WorldStateLine,
} from "./lines.ts";

/** The shape of {@linkcode Compacted}. */
export const COMPACTED: Shape<Compacted> = object<Compacted>({
  message: STRING,
  replacement_history: maybe(list(RESPONSE_ITEM)),
  replacement_history_metadata: maybe(list(nullable(ANY_OBJECT))),
  retained_context: maybe(ANY_OBJECT),
  resume_metadata: maybe(ANY_OBJECT),
  guardian_history: maybe(list(RESPONSE_ITEM)),
  window_number: maybe(NUMBER),
  first_window_id: maybe(either(STRING, NUMBER)),
  previous_window_id: maybe(either(STRING, NUMBER)),
  window_id: maybe(either(STRING, NUMBER)),
  compaction_response_id: maybe(STRING),
  latest_token_usage_record: maybe(TOKEN_USAGE_RECORD),
});

const ROLLOUT_LINE_FIELDS: Members<RolloutLineFields> = {
  timestamp: optional(STRING),
  ordinal: maybe(NUMBER),
  metadata: maybe(ANY_OBJECT),
};

const COMPACTED_LINE = typed<CompactedLine>("compacted", {
  ...ROLLOUT_LINE_FIELDS,
  payload: COMPACTED,
});

const EVENT_MSG_LINE = typed<EventMsgLine>("event_msg", {
  ...ROLLOUT_LINE_FIELDS,
  payload: EVENT_MSG,
});

const FORK_EVENT = object<ForkEvent>({
  id: maybe(STRING),
  event_seq: maybe(NUMBER),
  order: maybe(ANY_OBJECT),
  msg: EVENT_MSG,
});

const FORK_EVENT_LINE = typed<ForkEventLine>("event", {
  ...ROLLOUT_LINE_FIELDS,
  payload: FORK_EVENT,
});

const INTER_AGENT_COMMUNICATION_LINE = typed<InterAgentCommunicationLine>(
  "inter_agent_communication",
  {
    ...ROLLOUT_LINE_FIELDS,
    payload: INTER_AGENT_COMMUNICATION,
  },
);

const INTER_AGENT_COMMUNICATION_METADATA_LINE = typed<
  InterAgentCommunicationMetadataLine
>("inter_agent_communication_metadata", {
  ...ROLLOUT_LINE_FIELDS,
  payload: INTER_AGENT_COMMUNICATION_METADATA,
});

const RESPONSE_ITEM_LINE = typed<ResponseItemLine>("response_item", {
  ...ROLLOUT_LINE_FIELDS,
  payload: RESPONSE_ITEM,
});

const SESSION_META_LINE = typed<SessionMetaLine>("session_meta", {
  ...ROLLOUT_LINE_FIELDS,
  payload: SESSION_META,
});

const TOKEN_USAGE_RECORD_LINE = typed<TokenUsageRecordLine>(
  "token_usage_record",
  {
    ...ROLLOUT_LINE_FIELDS,
    payload: TOKEN_USAGE_RECORD,
  },
);

const TURN_CONTEXT_LINE = typed<TurnContextLine>("turn_context", {
  ...ROLLOUT_LINE_FIELDS,
  payload: TURN_CONTEXT,
});

const WORLD_STATE_LINE = typed<WorldStateLine>("world_state", {
  ...ROLLOUT_LINE_FIELDS,
  payload: WORLD_STATE,
});

/** The shape of each line that is known. */
export const ROLLOUT_LINES: ShapesOf<RolloutLines> = {
  session_meta: SESSION_META_LINE,
  response_item: RESPONSE_ITEM_LINE,
  event_msg: EVENT_MSG_LINE,
  turn_context: TURN_CONTEXT_LINE,
  compacted: COMPACTED_LINE,
  world_state: WORLD_STATE_LINE,
  inter_agent_communication: INTER_AGENT_COMMUNICATION_LINE,
  inter_agent_communication_metadata: INTER_AGENT_COMMUNICATION_METADATA_LINE,
  token_usage_record: TOKEN_USAGE_RECORD_LINE,
  event: FORK_EVENT_LINE,
};

const UNKNOWN_ROLLOUT_LINE = object<UnknownRolloutLine>({
  ...ROLLOUT_LINE_FIELDS,
  type: STRING,
  payload: ANY_OBJECT,
});

/** The shape of a line. */
export const ROLLOUT_LINE: Shape<RolloutLine> = tagged<RolloutLine>(
  ROLLOUT_LINES,
  UNKNOWN_ROLLOUT_LINE,
);
