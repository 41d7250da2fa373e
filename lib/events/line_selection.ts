/** Selects the lines that have certain events: a fold that needs only those skips all others. */

/** The lines that have a kind of events. */
interface Lines {
  /** Their types in normalized records. */
  readonly types: readonly string[];
  /**
   * Words, in any dialect, of which such a line contains at least one even if it cannot be parsed.
   */
  readonly words: readonly string[];
}

/** Returns the lines of an item that session files have as a line of that type. */
function itemLine(type: string): Lines {
  return { types: [type, `item.completed/${type}`], words: [`"${type}"`] };
}

/** Returns the lines of an event message, which the events of session files have as an item. */
function eventMsg(type: string): Lines {
  return {
    types: [`event_msg/${type}`, "event", `item.completed/${type}`],
    words: [`"${type}"`],
  };
}

/**
 * The lines of each kind of events that can be selected: an event type, or an item type. The end of
 * a turn is one kind, whether the turn failed or not.
 */
const LINES = {
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
    types: [
      "turn.started",
      "event_msg/task_started",
      "event_msg/turn_started",
      "event",
    ],
    words: ['"task_started"', '"turn_started"', '"turn.started"'],
  },
  /** The ends of turns that may state their usage. */
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
  /** The ends of turns in session files, which do not. */
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
  turn_context: {
    ...itemLine("turn_context"),
    words: ['"turn_context"', '"thread/settings/updated"'],
  },
  token_usage_record: itemLine("token_usage_record"),
  token_count: {
    types: ["item.completed/token_count", "event_msg/token_count", "event"],
    words: ['"token_count"', '"thread/tokenUsage/updated"'],
  },
  /** The prompts in events, which is enough to know that the user spoke. */
  user_message: eventMsg("user_message"),
  /** The prompts in any line, including messages that the program inserts as the user. */
  prompt: {
    types: [
      "response_item/message/user",
      "event_msg/user_message",
      "event_msg/item_completed",
      "event",
    ],
    words: ['"user_message"', '"UserMessage"', '"role":"user"'],
  },
  thread_goal_updated: eventMsg("thread_goal_updated"),
  thread_settings_applied: eventMsg("thread_settings_applied"),
  entered_review_mode: eventMsg("entered_review_mode"),
  exited_review_mode: eventMsg("exited_review_mode"),
} satisfies Readonly<Record<string, Lines>>;

/** The response items without events, which do not count as work after a turn's end (C.6). */
export const IDLE_RESPONSE_ITEMS: readonly string[] = [
  "additional_tools",
  "compaction",
  "compaction_summary",
  "compaction_trigger",
  "context_compaction",
  "ghost_snapshot",
];

/** The lines of session files without events: a quarter of a file of 0.169. */
export const IDLE_LINES: readonly string[] = [
  ...IDLE_RESPONSE_ITEMS.map((type) => `response_item/${type}`),
  "world_state",
];

/** By item type, the lines whose only event is an item of that type. */
const LINES_OF_ITEMS: ReadonlyMap<string, string> = new Map([
  ["injected_context", "response_item/message/developer"],
  ["thread_settings_applied", "event_msg/thread_settings_applied"],
  ["token_usage_record", "token_usage_record"],
  ["turn_context", "turn_context"],
]);

/** Returns the types of lines, in normalized records, that have no or only unwanted item types. */
export function linesWithout(unwanted: Iterable<string>): readonly string[] {
  const lines = [...unwanted].map((type) => LINES_OF_ITEMS.get(type));
  return [...IDLE_LINES, ...lines.filter((line) => line !== undefined)];
}

/** A record of a line that an earlier program could not read: the line may have had any event. */
const FAILED_WORD = '"line.failed"';

/** Selects the lines that may have events of the wanted kinds. */
export class LineSelection {
  /** The types of the lines in normalized records. */
  readonly types: readonly string[];
  readonly #words: readonly string[];

  constructor(wanted: readonly (keyof typeof LINES)[]) {
    const lines: readonly Lines[] = wanted.map((kind) => LINES[kind]);
    this.types = [...new Set(lines.flatMap(({ types }) => types))];
    this.#words = [...lines.flatMap(({ words }) => words), FAILED_WORD];
  }

  /**
   * Whether a line that cannot be parsed might have had a wanted event, by the words in its text,
   * which is unknown if the line is too long.
   */
  mayHaveTold(text: string | undefined): boolean {
    return text === undefined ||
      this.#words.some((word) => text.includes(word));
  }
}
