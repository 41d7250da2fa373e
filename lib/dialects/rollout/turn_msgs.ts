/**
 * Events of a rollout about turns, their items, and the thread.
 *
 * @module
 */

import {
  ANY_OBJECT,
  maybe,
  type Members,
  NUMBER,
  object,
  type ShapesOf,
  STRING,
  typed,
} from "../../shapes/shapes.ts";
import {
  ERROR_INFO,
  type ErrorInfo,
  REVIEW_OUTPUT,
  REVIEW_TARGET,
  type ReviewOutput,
  type ReviewTarget,
} from "./call_details.ts";
import {
  RATE_LIMITS,
  type RateLimits,
  TOKEN_COUNT_INFO,
  type TokenCountInfo,
} from "./token_counts.ts";
import { TURN_ITEM, type TurnItem } from "./turn_items.ts";
import type { ObjectValue } from "./turn_context.ts";

/**
 * A turn begins (0.104 and later).
 *
 * @typeParam W The type of the event; releases spell it in two ways.
 */
export interface TaskStartedMsg<W extends string> {
  /** `task_started`, or `turn_started`. */
  readonly type: W;
  /** The id of the turn. */
  readonly turn_id?: string | null;
  /** The id of the turn that it belongs to (0.160 and later). */
  readonly root_turn_id?: string | null;
  /** When it begins, in Unix seconds (0.122 and later). */
  readonly started_at?: number | null;
  /** How many tokens the model can take. */
  readonly model_context_window?: number | null;
  /** How the agent and the user work together, such as `default`. */
  readonly collaboration_mode_kind?: string | null;
  /** Who began it (0.169). */
  readonly turn_attribution?: TurnAttribution | null;
}

/** Who began a turn (0.169). */
export interface TurnAttribution {
  /** The id of the turn. */
  readonly turn_id?: string | null;
  /** What began it: `exec`, `user`. */
  readonly turn_trigger?: string | null;
  /** The turn that it was begun in. */
  readonly parent_turn_id?: string | null;
  /** The agent that began it. */
  readonly initiating_agent_path?: string | null;
  /** The id of the turn that it belongs to. */
  readonly root_turn_id?: string | null;
}

/**
 * A turn ends of itself (0.104 and later), well unless there is an `error`.
 *
 * @typeParam W The type of the event; releases spell it in two ways.
 */
export interface TaskCompleteMsg<W extends string> {
  /** `task_complete`, or `turn_complete`. */
  readonly type: W;
  /** The id of the turn. */
  readonly turn_id?: string | null;
  /** The id of the turn that it belongs to (0.169). */
  readonly root_turn_id?: string | null;
  /** What the agent said last. */
  readonly last_agent_message?: string | null;
  /** When it began, in Unix seconds (0.145 and later). */
  readonly started_at?: number | null;
  /** When it ended, in Unix seconds (0.122 and later). */
  readonly completed_at?: number | null;
  /** How long it took (0.122 and later). */
  readonly duration_ms?: number | null;
  /** How long it took until the model began to answer (0.130 and later). */
  readonly time_to_first_token_ms?: number | null;
  /** Why it failed (0.145 and later). */
  readonly error?: ErrorInfo | null;
}

/** A turn is broken off (0.36 and later). */
export interface TurnAbortedMsg {
  /** Always `turn_aborted`. */
  readonly type: "turn_aborted";
  /** Why: `interrupted`, `replaced`, `review_ended`, `budget_limited`. */
  readonly reason: string;
  /** The id of the turn (0.104 and later). */
  readonly turn_id?: string | null;
  /** The id of the turn that it belongs to (0.169). */
  readonly root_turn_id?: string | null;
  /** When it began, in Unix seconds (0.145 and later). */
  readonly started_at?: number | null;
  /** When it ended, in Unix seconds (0.122 and later). */
  readonly completed_at?: number | null;
  /** How long it took (0.122 and later). */
  readonly duration_ms?: number | null;
}

/** The last turns are taken back. Not captured. */
export interface ThreadRolledBackMsg {
  /** Always `thread_rolled_back`. */
  readonly type: "thread_rolled_back";
  /** How many turns. */
  readonly num_turns: number;
}

/** The tokens that the thread has used, and what of its limits the account has. */
export interface TokenCountMsg {
  /** Always `token_count`. */
  readonly type: "token_count";
  /** The tokens; null where the server did not say. */
  readonly info?: TokenCountInfo | null;
  /** The limits (0.42 and later). */
  readonly rate_limits?: RateLimits | null;
}

/**
 * An item of a turn begins or is complete. Only `item_completed` is kept: of every item by
 * paginated rollouts (0.148 and later), before of few.
 *
 * @typeParam W The type of the event.
 */
export interface ItemMsg<W extends string> {
  /** Whether the item begins or is complete. */
  readonly type: W;
  /** The id of the thread. */
  readonly thread_id?: string | null;
  /** The id of the turn. */
  readonly turn_id?: string | null;
  /** The item. */
  readonly item: TurnItem;
  /** When it began, in Unix milliseconds. */
  readonly started_at_ms?: number | null;
  /** When it was complete, in Unix milliseconds. */
  readonly completed_at_ms?: number | null;
}

/** The settings of the thread change (0.145 and later). */
export interface ThreadSettingsAppliedMsg {
  /** Always `thread_settings_applied`. */
  readonly type: "thread_settings_applied";
  /** The id of the thread (0.155 and later). */
  readonly thread_id?: string | null;
  /** The settings: model, working directory, permissions, … */
  readonly thread_settings: ObjectValue;
}

/** The goal of the thread changes (0.136). Its fields are spelled in another way. */
export interface ThreadGoalUpdatedMsg {
  /** Always `thread_goal_updated`. */
  readonly type: "thread_goal_updated";
  /** The id of the thread. */
  readonly threadId?: string | null;
  /** The id of the turn. */
  readonly turnId?: string | null;
  /** The goal. */
  readonly goal?: ThreadGoal | null;
}

/** What a thread is to achieve. */
export interface ThreadGoal {
  /** The id of the thread. */
  readonly threadId?: string | null;
  /** The goal. */
  readonly objective?: string | null;
  /** How far it is: `active`, `complete`. */
  readonly status?: string | null;
  /** How many tokens it may take. */
  readonly tokenBudget?: number | null;
  /** How many tokens it took. */
  readonly tokensUsed?: number | null;
  /** How long it took. */
  readonly timeUsedSeconds?: number | null;
  /** When it was set, in Unix seconds. */
  readonly createdAt?: number | null;
  /** When it changed, in Unix seconds. */
  readonly updatedAt?: number | null;
}

/** The history was summed up (0.72 to 0.145). */
export interface ContextCompactedMsg {
  /** Always `context_compacted`. */
  readonly type: "context_compacted";
}

/** A review begins (0.72 to 0.145). */
export interface EnteredReviewModeMsg {
  /** Always `entered_review_mode`. */
  readonly type: "entered_review_mode";
  /** What is reviewed. */
  readonly target?: ReviewTarget | null;
  /** What the reviewer is told, in older files. */
  readonly prompt?: string | null;
  /** What is reviewed, in words for the user. */
  readonly user_facing_hint?: string | null;
  /** The id of the turn (0.145). */
  readonly turn_id?: string | null;
  /** The id of the item (0.145). */
  readonly item_id?: string | null;
}

/** A review ends (0.72 to 0.145). */
export interface ExitedReviewModeMsg {
  /** Always `exited_review_mode`. */
  readonly type: "exited_review_mode";
  /** What it found; null if it was broken off. */
  readonly review_output?: ReviewOutput | null;
  /** The id of the turn (0.145). */
  readonly turn_id?: string | null;
  /** The id of the item (0.145). */
  readonly item_id?: string | null;
}

/** What another agent does (0.142). */
export interface SubAgentActivityMsg {
  /** Always `sub_agent_activity`. */
  readonly type: "sub_agent_activity";
  /** What it does: `started`, `interacted`, `interrupted`. */
  readonly kind: string;
  /** The id of the event. */
  readonly event_id?: string | null;
  /** When, in Unix milliseconds. */
  readonly occurred_at_ms?: number | null;
  /** The thread of the agent. */
  readonly agent_thread_id?: string | null;
  /** The agent's place among the agents. */
  readonly agent_path?: string | null;
}

/** The events about turns, their items, and the thread, by type. */
export interface TurnMsgs {
  /** A turn begins. */
  readonly task_started: TaskStartedMsg<"task_started">;
  /** A turn begins, in another spelling. */
  readonly turn_started: TaskStartedMsg<"turn_started">;
  /** A turn ends of itself. */
  readonly task_complete: TaskCompleteMsg<"task_complete">;
  /** A turn ends of itself, in another spelling. */
  readonly turn_complete: TaskCompleteMsg<"turn_complete">;
  /** A turn is broken off. */
  readonly turn_aborted: TurnAbortedMsg;
  /** The last turns are taken back. */
  readonly thread_rolled_back: ThreadRolledBackMsg;
  /** The tokens that the thread has used. */
  readonly token_count: TokenCountMsg;
  /** An item begins. */
  readonly item_started: ItemMsg<"item_started">;
  /** An item is complete. */
  readonly item_completed: ItemMsg<"item_completed">;
  /** The settings of the thread change. */
  readonly thread_settings_applied: ThreadSettingsAppliedMsg;
  /** The goal of the thread changes. */
  readonly thread_goal_updated: ThreadGoalUpdatedMsg;
  /** The history was summed up. */
  readonly context_compacted: ContextCompactedMsg;
  /** A review begins. */
  readonly entered_review_mode: EnteredReviewModeMsg;
  /** A review ends. */
  readonly exited_review_mode: ExitedReviewModeMsg;
  /** What another agent does. */
  readonly sub_agent_activity: SubAgentActivityMsg;
}

const TURN_ATTRIBUTION = object<TurnAttribution>({
  turn_id: maybe(STRING),
  turn_trigger: maybe(STRING),
  parent_turn_id: maybe(STRING),
  initiating_agent_path: maybe(STRING),
  root_turn_id: maybe(STRING),
});

const TASK_STARTED: Members<Omit<TaskStartedMsg<string>, "type">> = {
  turn_id: maybe(STRING),
  root_turn_id: maybe(STRING),
  started_at: maybe(NUMBER),
  model_context_window: maybe(NUMBER),
  collaboration_mode_kind: maybe(STRING),
  turn_attribution: maybe(TURN_ATTRIBUTION),
};

const TASK_COMPLETE: Members<Omit<TaskCompleteMsg<string>, "type">> = {
  turn_id: maybe(STRING),
  root_turn_id: maybe(STRING),
  last_agent_message: maybe(STRING),
  started_at: maybe(NUMBER),
  completed_at: maybe(NUMBER),
  duration_ms: maybe(NUMBER),
  time_to_first_token_ms: maybe(NUMBER),
  error: maybe(ERROR_INFO),
};

const ITEM: Members<Omit<ItemMsg<string>, "type">> = {
  thread_id: maybe(STRING),
  turn_id: maybe(STRING),
  item: TURN_ITEM,
  started_at_ms: maybe(NUMBER),
  completed_at_ms: maybe(NUMBER),
};

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

/** @ignore The shape of each event of {@linkcode TurnMsgs}. */
export const TURN_MSGS: ShapesOf<TurnMsgs> = typed({
  task_started: TASK_STARTED,
  turn_started: TASK_STARTED,
  task_complete: TASK_COMPLETE,
  turn_complete: TASK_COMPLETE,
  turn_aborted: {
    reason: STRING,
    turn_id: maybe(STRING),
    root_turn_id: maybe(STRING),
    started_at: maybe(NUMBER),
    completed_at: maybe(NUMBER),
    duration_ms: maybe(NUMBER),
  },
  thread_rolled_back: { num_turns: NUMBER },
  token_count: {
    info: maybe(TOKEN_COUNT_INFO),
    rate_limits: maybe(RATE_LIMITS),
  },
  item_started: ITEM,
  item_completed: ITEM,
  thread_settings_applied: {
    thread_id: maybe(STRING),
    thread_settings: ANY_OBJECT,
  },
  thread_goal_updated: {
    threadId: maybe(STRING),
    turnId: maybe(STRING),
    goal: maybe(THREAD_GOAL),
  },
  context_compacted: {},
  entered_review_mode: {
    target: maybe(REVIEW_TARGET),
    prompt: maybe(STRING),
    user_facing_hint: maybe(STRING),
    turn_id: maybe(STRING),
    item_id: maybe(STRING),
  },
  exited_review_mode: {
    review_output: maybe(REVIEW_OUTPUT),
    turn_id: maybe(STRING),
    item_id: maybe(STRING),
  },
  sub_agent_activity: {
    kind: STRING,
    event_id: maybe(STRING),
    occurred_at_ms: maybe(NUMBER),
    agent_thread_id: maybe(STRING),
    agent_path: maybe(STRING),
  },
});
