/** The shapes of events about turns, their items, and the thread. */

import { ERROR_INFO, REVIEW_OUTPUT, REVIEW_TARGET } from "./_detail_shapes.ts";
import { RATE_LIMITS, TOKEN_COUNT_INFO } from "./_session_shapes.ts";
import {
  ANY_OBJECT,
  maybe,
  type Members,
  NUMBER,
  object,
  type ShapesOf,
  STRING,
  typed,
} from "./_shapes.ts";
import { TURN_ITEM } from "./_turn_item_shapes.ts";
import type {
  ContextCompactedMsg,
  EnteredReviewModeMsg,
  ExitedReviewModeMsg,
  ItemMsg,
  SubAgentActivityMsg,
  TaskCompleteMsg,
  TaskStartedMsg,
  ThreadGoal,
  ThreadGoalUpdatedMsg,
  ThreadRolledBackMsg,
  ThreadSettingsAppliedMsg,
  TokenCountMsg,
  TurnAbortedMsg,
  TurnAttribution,
  TurnMsgs,
} from "./turn_msgs.ts";

const TURN_ATTRIBUTION = object<TurnAttribution>({
  turn_id: maybe(STRING),
  turn_trigger: maybe(STRING),
  parent_turn_id: maybe(STRING),
  initiating_agent_path: maybe(STRING),
  root_turn_id: maybe(STRING),
});

const TASK_STARTED_MSG: Members<Omit<TaskStartedMsg<string>, "type">> = {
  turn_id: maybe(STRING),
  root_turn_id: maybe(STRING),
  started_at: maybe(NUMBER),
  model_context_window: maybe(NUMBER),
  collaboration_mode_kind: maybe(STRING),
  turn_attribution: maybe(TURN_ATTRIBUTION),
};

const TASK_COMPLETE_MSG: Members<Omit<TaskCompleteMsg<string>, "type">> = {
  turn_id: maybe(STRING),
  root_turn_id: maybe(STRING),
  last_agent_message: maybe(STRING),
  started_at: maybe(NUMBER),
  completed_at: maybe(NUMBER),
  duration_ms: maybe(NUMBER),
  time_to_first_token_ms: maybe(NUMBER),
  error: maybe(ERROR_INFO),
};

const TURN_ABORTED_MSG = typed<TurnAbortedMsg>("turn_aborted", {
  reason: STRING,
  turn_id: maybe(STRING),
  root_turn_id: maybe(STRING),
  started_at: maybe(NUMBER),
  completed_at: maybe(NUMBER),
  duration_ms: maybe(NUMBER),
});

const THREAD_ROLLED_BACK_MSG = typed<ThreadRolledBackMsg>(
  "thread_rolled_back",
  {
    num_turns: NUMBER,
  },
);

const TOKEN_COUNT_MSG = typed<TokenCountMsg>("token_count", {
  info: maybe(TOKEN_COUNT_INFO),
  rate_limits: maybe(RATE_LIMITS),
});

const ITEM_MSG: Members<Omit<ItemMsg<string>, "type">> = {
  thread_id: maybe(STRING),
  turn_id: maybe(STRING),
  item: TURN_ITEM,
  started_at_ms: maybe(NUMBER),
  completed_at_ms: maybe(NUMBER),
};

const THREAD_SETTINGS_APPLIED_MSG = typed<ThreadSettingsAppliedMsg>(
  "thread_settings_applied",
  {
    thread_id: maybe(STRING),
    thread_settings: ANY_OBJECT,
  },
);

const THREAD_GOAL = object<ThreadGoal>({
  threadId: maybe(STRING),
  objective: maybe(STRING),
  status: maybe(STRING),
  tokenBudget: maybe(NUMBER),
  tokensUsed: maybe(NUMBER),
  timeUsedSeconds: maybe(NUMBER),
  createdAt: maybe(NUMBER),
  updatedAt: maybe(NUMBER),
});

const THREAD_GOAL_UPDATED_MSG = typed<ThreadGoalUpdatedMsg>(
  "thread_goal_updated",
  {
    threadId: maybe(STRING),
    turnId: maybe(STRING),
    goal: maybe(THREAD_GOAL),
  },
);

const CONTEXT_COMPACTED_MSG = typed<ContextCompactedMsg>(
  "context_compacted",
  {},
);

const ENTERED_REVIEW_MODE_MSG = typed<EnteredReviewModeMsg>(
  "entered_review_mode",
  {
    target: maybe(REVIEW_TARGET),
    prompt: maybe(STRING),
    user_facing_hint: maybe(STRING),
    turn_id: maybe(STRING),
    item_id: maybe(STRING),
  },
);

const EXITED_REVIEW_MODE_MSG = typed<ExitedReviewModeMsg>(
  "exited_review_mode",
  {
    review_output: maybe(REVIEW_OUTPUT),
    turn_id: maybe(STRING),
    item_id: maybe(STRING),
  },
);

const SUB_AGENT_ACTIVITY_MSG = typed<SubAgentActivityMsg>(
  "sub_agent_activity",
  {
    kind: STRING,
    event_id: maybe(STRING),
    occurred_at_ms: maybe(NUMBER),
    agent_thread_id: maybe(STRING),
    agent_path: maybe(STRING),
  },
);

/** The shape of each event of {@linkcode TurnMsgs}. */
export const TURN_MSGS: ShapesOf<TurnMsgs> = {
  task_started: typed<TaskStartedMsg<"task_started">>(
    "task_started",
    TASK_STARTED_MSG,
  ),
  turn_started: typed<TaskStartedMsg<"turn_started">>(
    "turn_started",
    TASK_STARTED_MSG,
  ),
  task_complete: typed<TaskCompleteMsg<"task_complete">>(
    "task_complete",
    TASK_COMPLETE_MSG,
  ),
  turn_complete: typed<TaskCompleteMsg<"turn_complete">>(
    "turn_complete",
    TASK_COMPLETE_MSG,
  ),
  turn_aborted: TURN_ABORTED_MSG,
  thread_rolled_back: THREAD_ROLLED_BACK_MSG,
  token_count: TOKEN_COUNT_MSG,
  item_started: typed<ItemMsg<"item_started">>("item_started", ITEM_MSG),
  item_completed: typed<ItemMsg<"item_completed">>("item_completed", ITEM_MSG),
  thread_settings_applied: THREAD_SETTINGS_APPLIED_MSG,
  thread_goal_updated: THREAD_GOAL_UPDATED_MSG,
  context_compacted: CONTEXT_COMPACTED_MSG,
  entered_review_mode: ENTERED_REVIEW_MODE_MSG,
  exited_review_mode: EXITED_REVIEW_MODE_MSG,
  sub_agent_activity: SUB_AGENT_ACTIVITY_MSG,
};
