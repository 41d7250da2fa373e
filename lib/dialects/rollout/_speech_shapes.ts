/** The shapes of events about what is said and thought. */

import {
  ANY,
  BOOLEAN,
  list,
  maybe,
  type Members,
  optional,
  type ShapesOf,
  STRING,
  typed,
} from "./_shapes.ts";
import type {
  AgentMessageMsg,
  DeltaMsg,
  DeprecationNoticeMsg,
  NoticeMsg,
  ReasoningBreakMsg,
  SpeechMsgs,
  ThoughtMsg,
  UserMessageMsg,
} from "./speech_msgs.ts";

const USER_MESSAGE_MSG = typed<UserMessageMsg>("user_message", {
  message: STRING,
  kind: maybe(STRING),
  images: maybe(list(STRING)),
  local_images: maybe(list(STRING)),
  text_elements: maybe(list(ANY)),
  audio: maybe(list(ANY)),
  local_audio: maybe(list(ANY)),
});

const AGENT_MESSAGE_MSG = typed<AgentMessageMsg>("agent_message", {
  message: STRING,
  phase: maybe(STRING),
  memory_citation: optional(ANY),
});

const THOUGHT_MSG: Members<Omit<ThoughtMsg<string>, "type">> = {
  text: STRING,
};

const DELTA_MSG: Members<Omit<DeltaMsg<string>, "type">> = {
  delta: STRING,
  item_id: maybe(STRING),
  thread_id: maybe(STRING),
  turn_id: maybe(STRING),
};

const REASONING_BREAK_MSG = typed<ReasoningBreakMsg>(
  "agent_reasoning_section_break",
  {
    item_id: maybe(STRING),
  },
);

const NOTICE_MSG: Members<Omit<NoticeMsg<string>, "type">> = {
  message: maybe(STRING),
  codex_error_info: optional(ANY),
  success: maybe(BOOLEAN),
};

const DEPRECATION_NOTICE_MSG = typed<DeprecationNoticeMsg>(
  "deprecation_notice",
  {
    summary: STRING,
    details: maybe(STRING),
  },
);

/** The shape of each event of {@linkcode SpeechMsgs}. */
export const SPEECH_MSGS: ShapesOf<SpeechMsgs> = {
  user_message: USER_MESSAGE_MSG,
  agent_message: AGENT_MESSAGE_MSG,
  agent_message_delta: typed<DeltaMsg<"agent_message_delta">>(
    "agent_message_delta",
    DELTA_MSG,
  ),
  agent_message_content_delta: typed<DeltaMsg<"agent_message_content_delta">>(
    "agent_message_content_delta",
    DELTA_MSG,
  ),
  agent_reasoning: typed<ThoughtMsg<"agent_reasoning">>(
    "agent_reasoning",
    THOUGHT_MSG,
  ),
  agent_reasoning_delta: typed<DeltaMsg<"agent_reasoning_delta">>(
    "agent_reasoning_delta",
    DELTA_MSG,
  ),
  agent_reasoning_raw_content: typed<ThoughtMsg<"agent_reasoning_raw_content">>(
    "agent_reasoning_raw_content",
    THOUGHT_MSG,
  ),
  agent_reasoning_raw_content_delta: typed<
    DeltaMsg<"agent_reasoning_raw_content_delta">
  >("agent_reasoning_raw_content_delta", DELTA_MSG),
  agent_reasoning_section_break: REASONING_BREAK_MSG,
  reasoning_content_delta: typed<DeltaMsg<"reasoning_content_delta">>(
    "reasoning_content_delta",
    DELTA_MSG,
  ),
  reasoning_raw_content_delta: typed<DeltaMsg<"reasoning_raw_content_delta">>(
    "reasoning_raw_content_delta",
    DELTA_MSG,
  ),
  plan_delta: typed<DeltaMsg<"plan_delta">>("plan_delta", DELTA_MSG),
  error: typed<NoticeMsg<"error">>("error", NOTICE_MSG),
  stream_error: typed<NoticeMsg<"stream_error">>("stream_error", NOTICE_MSG),
  warning: typed<NoticeMsg<"warning">>("warning", NOTICE_MSG),
  guardian_warning: typed<NoticeMsg<"guardian_warning">>(
    "guardian_warning",
    NOTICE_MSG,
  ),
  background_event: typed<NoticeMsg<"background_event">>(
    "background_event",
    NOTICE_MSG,
  ),
  undo_completed: typed<NoticeMsg<"undo_completed">>(
    "undo_completed",
    NOTICE_MSG,
  ),
  deprecation_notice: DEPRECATION_NOTICE_MSG,
};
