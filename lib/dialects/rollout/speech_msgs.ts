/**
 * Events of a rollout about what is said and thought.
 *
 * @module
 */

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
} from "../../shapes/shapes.ts";

/** The user says something (0.34 to 0.155). */
export interface UserMessageMsg {
  /** Always `user_message`. */
  readonly type: "user_message";
  /** What is said. */
  readonly message: string;
  /** Always `plain` (0.34 to 0.47). */
  readonly kind?: string | null;
  /** Images: URLs, as a rule `data:`. */
  readonly images?: readonly string[] | null;
  /** The paths of images (0.92 and later). */
  readonly local_images?: readonly string[] | null;
  /** What in the message stands for what (0.92 and later). */
  readonly text_elements?: readonly unknown[] | null;
  /** Sounds (0.145 and later). */
  readonly audio?: readonly unknown[] | null;
  /** The paths of sounds (0.145 and later). */
  readonly local_audio?: readonly unknown[] | null;
}

/** The agent says something (0.34 to 0.155). */
export interface AgentMessageMsg {
  /** Always `agent_message`. */
  readonly type: "agent_message";
  /** What is said. */
  readonly message: string;
  /** Whether it ends the turn: `commentary` or `final_answer` (0.115 and later). */
  readonly phase?: string | null;
  /** What it draws on (0.122 and later). */
  readonly memory_citation?: unknown;
}

/**
 * The agent thinks something.
 *
 * @typeParam W The type of the event.
 */
export interface ThoughtMsg<W extends string> {
  /** Whether it is the summary of the thoughts or the thoughts themselves. */
  readonly type: W;
  /** The thoughts. */
  readonly text: string;
}

/**
 * A bit more of what the agent says, thinks or plans. Not captured in rollouts.
 *
 * @typeParam W The type of the event.
 */
export interface DeltaMsg<W extends string> {
  /** What it is a bit more of. */
  readonly type: W;
  /** The text to append. */
  readonly delta: string;
  /** The id of the item that it belongs to. */
  readonly item_id?: string | null;
  /** The id of the thread. */
  readonly thread_id?: string | null;
  /** The id of the turn. */
  readonly turn_id?: string | null;
}

/** A new part of the reasoning begins. Not captured in rollouts. */
export interface ReasoningBreakMsg {
  /** Always `agent_reasoning_section_break`. */
  readonly type: "agent_reasoning_section_break";
  /** The id of the item that it belongs to. */
  readonly item_id?: string | null;
}

/**
 * Something that the user is told.
 *
 * @typeParam W The type of the event.
 */
export interface NoticeMsg<W extends string> {
  /** What sort of notice it is. */
  readonly type: W;
  /** The notice; absent where the type says it all. */
  readonly message?: string | null;
  /** What went wrong, of an error: a word, or an object with one field of that name. */
  readonly codex_error_info?: unknown;
  /** Whether undoing went well, of `undo_completed`. */
  readonly success?: boolean | null;
}

/** Something will go away. Not captured in rollouts. */
export interface DeprecationNoticeMsg {
  /** Always `deprecation_notice`. */
  readonly type: "deprecation_notice";
  /** What will go away. */
  readonly summary: string;
  /** What to do about it. */
  readonly details?: string | null;
}

/** The events about what is said and thought, by type. */
export interface SpeechMsgs {
  /** The user says something. */
  readonly user_message: UserMessageMsg;
  /** The agent says something. */
  readonly agent_message: AgentMessageMsg;
  /** What the agent says goes on. */
  readonly agent_message_delta: DeltaMsg<"agent_message_delta">;
  /** The same, of an item. */
  readonly agent_message_content_delta: DeltaMsg<"agent_message_content_delta">;
  /** The summary of what the agent thinks (0.34 to 0.145). */
  readonly agent_reasoning: ThoughtMsg<"agent_reasoning">;
  /** That summary goes on. */
  readonly agent_reasoning_delta: DeltaMsg<"agent_reasoning_delta">;
  /** What the agent thinks (0.34 to 0.142). */
  readonly agent_reasoning_raw_content: ThoughtMsg<
    "agent_reasoning_raw_content"
  >;
  /** What the agent thinks goes on. */
  readonly agent_reasoning_raw_content_delta: DeltaMsg<
    "agent_reasoning_raw_content_delta"
  >;
  /** A new part of the reasoning begins. */
  readonly agent_reasoning_section_break: ReasoningBreakMsg;
  /** The summary of what the agent thinks goes on, of an item. */
  readonly reasoning_content_delta: DeltaMsg<"reasoning_content_delta">;
  /** What the agent thinks goes on, of an item. */
  readonly reasoning_raw_content_delta: DeltaMsg<"reasoning_raw_content_delta">;
  /** A plan goes on. */
  readonly plan_delta: DeltaMsg<"plan_delta">;
  /** Something went wrong. */
  readonly error: NoticeMsg<"error">;
  /** The stream from the server broke; it is tried again. */
  readonly stream_error: NoticeMsg<"stream_error">;
  /** A warning. */
  readonly warning: NoticeMsg<"warning">;
  /** A warning of the reviewer. */
  readonly guardian_warning: NoticeMsg<"guardian_warning">;
  /** Something happened. */
  readonly background_event: NoticeMsg<"background_event">;
  /** Changes were undone. */
  readonly undo_completed: NoticeMsg<"undo_completed">;
  /** Something will go away. */
  readonly deprecation_notice: DeprecationNoticeMsg;
}

const THOUGHT: Members<Omit<ThoughtMsg<string>, "type">> = { text: STRING };

const DELTA: Members<Omit<DeltaMsg<string>, "type">> = {
  delta: STRING,
  item_id: maybe(STRING),
  thread_id: maybe(STRING),
  turn_id: maybe(STRING),
};

const NOTICE: Members<Omit<NoticeMsg<string>, "type">> = {
  message: maybe(STRING),
  codex_error_info: optional(ANY),
  success: maybe(BOOLEAN),
};

/** @ignore The shape of each event of {@linkcode SpeechMsgs}. */
export const SPEECH_MSGS: ShapesOf<SpeechMsgs> = typed({
  user_message: {
    message: STRING,
    kind: maybe(STRING),
    images: maybe(list(STRING)),
    local_images: maybe(list(STRING)),
    text_elements: maybe(list(ANY)),
    audio: maybe(list(ANY)),
    local_audio: maybe(list(ANY)),
  },
  agent_message: {
    message: STRING,
    phase: maybe(STRING),
    memory_citation: optional(ANY),
  },
  agent_message_delta: DELTA,
  agent_message_content_delta: DELTA,
  agent_reasoning: THOUGHT,
  agent_reasoning_delta: DELTA,
  agent_reasoning_raw_content: THOUGHT,
  agent_reasoning_raw_content_delta: DELTA,
  agent_reasoning_section_break: { item_id: maybe(STRING) },
  reasoning_content_delta: DELTA,
  reasoning_raw_content_delta: DELTA,
  plan_delta: DELTA,
  error: NOTICE,
  stream_error: NOTICE,
  warning: NOTICE,
  guardian_warning: NOTICE,
  background_event: NOTICE,
  undo_completed: NOTICE,
  deprecation_notice: { summary: STRING, details: maybe(STRING) },
});
