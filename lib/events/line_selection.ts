/**
 * Which lines tell of which events: a fold that wants a few kinds of events has only their lines
 * read.
 *
 * @module
 */

/**
 * A kind of events that can be asked for: a type of event, or of items. Of what users say,
 * `user_message` is what events tell, which is enough to know that they spoke; `prompt` is what
 * any line tells, with what the program put there in their name. `turn.completed` is an end of a
 * turn that may say what was used; session files have others, `turn.ended`, that do not.
 */
type WantedEvent =
  | "entered_review_mode"
  | "error"
  | "exited_review_mode"
  | "prompt"
  | "thread.started"
  | "thread_goal_updated"
  | "thread_settings_applied"
  | "token_count"
  | "token_usage_record"
  | "turn.completed"
  | "turn.ended"
  | "turn.started"
  | "turn_context"
  | "user_message";

/** What lines tell of a kind of events. */
interface Lines {
  /** Their types, when they are normalized. */
  readonly types: readonly string[];
  /** What a line that cannot be read has one of if it would have told of it, in any dialect. */
  readonly words: readonly string[];
}

/** The end of a turn, which may be that it failed, is one kind. */
const LINES: Readonly<Record<WantedEvent, Lines>> = {
  "thread.started": {
    types: ["thread.started", "session_meta"],
    words: [
      '"session_meta"',
      '"session_configured"',
      '"session.created"',
      '"thread.started"',
      '"thread.resumed"',
      '"workdir":',
      '"thread/started"',
    ],
  },
  "turn.started": {
    types: ["event_msg/task_started", "event_msg/turn_started", "event"],
    words: ['"task_started"', '"turn_started"', '"turn.started"'],
  },
  "turn.completed": {
    types: ["turn.completed", "turn.failed"],
    words: [
      '"turn.completed"',
      '"turn.failed"',
      '"task_complete"',
      '"turn_complete"',
      '"turn_aborted"',
      '"turn/completed"',
    ],
  },
  "turn.ended": {
    types: [
      "event_msg/task_complete",
      "event_msg/turn_complete",
      "event_msg/turn_aborted",
    ],
    words: ['"task_complete"', '"turn_complete"', '"turn_aborted"'],
  },
  error: {
    types: ["error", "event_msg/error", "event_msg/stream_error", "event"],
    words: ['"error"', '"stream_error"'],
  },
  turn_context: { types: ["turn_context"], words: ['"turn_context"'] },
  token_usage_record: {
    types: ["token_usage_record"],
    words: ['"token_usage_record"'],
  },
  token_count: {
    types: ["item.completed/token_count", "event_msg/token_count", "event"],
    words: ['"token_count"', '"thread/tokenUsage/updated"'],
  },
  user_message: {
    types: ["event_msg/user_message", "event"],
    words: ['"user_message"'],
  },
  prompt: {
    types: [
      "response_item/message/user",
      "event_msg/user_message",
      "event_msg/item_completed",
      "event",
    ],
    words: ['"user_message"', '"UserMessage"', '"role":"user"'],
  },
  thread_goal_updated: {
    types: ["event_msg/thread_goal_updated", "event"],
    words: ['"thread_goal_updated"'],
  },
  thread_settings_applied: {
    types: ["event_msg/thread_settings_applied", "event"],
    words: ['"thread_settings_applied"'],
  },
  entered_review_mode: {
    types: ["event_msg/entered_review_mode", "event"],
    words: ['"entered_review_mode"'],
  },
  exited_review_mode: {
    types: ["event_msg/exited_review_mode", "event"],
    words: ['"exited_review_mode"'],
  },
};
/** The response items that tell nothing, and so open no work behind the end of a turn (C.6). */
export const IDLE_RESPONSE_ITEMS: readonly string[] = [
  "additional_tools",
  "compaction",
  "compaction_summary",
  "compaction_trigger",
  "context_compaction",
  "ghost_snapshot",
];

/** The lines of session files that tell of no event; a quarter of a file of 0.169. */
export const IDLE_LINES: readonly string[] = [
  ...IDLE_RESPONSE_ITEMS.map((type) => `response_item/${type}`),
  "world_state",
];

/** The lines that tell of nothing but an item of one type. */
const LINES_OF_ITEMS: ReadonlyMap<string, string> = new Map([
  ["injected_context", "response_item/message/developer"],
  ["thread_settings_applied", "event_msg/thread_settings_applied"],
  ["token_usage_record", "token_usage_record"],
  ["turn_context", "turn_context"],
]);

/**
 * Gives the types of lines, when they are normalized, that need not be read.
 *
 * @param unwanted The types of items that are not wanted.
 */
export function linesWithout(unwanted: Iterable<string>): readonly string[] {
  const lines = [...unwanted].map((type) => LINES_OF_ITEMS.get(type));
  return [...IDLE_LINES, ...lines.filter((line) => line !== undefined)];
}

/** A line that could not be read says so itself, where another program has read it before. */
const FAILED_WORD = '"line.failed"';

/** Tells the lines that may tell of events that are wanted from others. */
export class LineSelection {
  /** The types of records, when they are normalized. */
  readonly types: readonly string[];
  readonly #words: readonly string[];

  constructor(wanted: readonly WantedEvent[]) {
    const lines = wanted.map((kind) => LINES[kind]);
    this.types = [...new Set(lines.flatMap(({ types }) => types))];
    this.#words = [...lines.flatMap(({ words }) => words), FAILED_WORD];
  }

  /**
   * Tells whether a line that cannot be read would have told of a wanted event, as far as its
   * text says.
   *
   * @param text The text; nothing if it is too long.
   */
  mayHaveTold(text: string | undefined): boolean {
    return text === undefined ||
      this.#words.some((word) => text.includes(word));
  }
}
