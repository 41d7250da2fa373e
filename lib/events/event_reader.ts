/**
 * One stream of events from the records of any carrier.
 *
 * @module
 */

import {
  type Fields,
  fieldsOf,
  isObject,
  listOf,
  textOf,
} from "../json/fields.ts";
import { tokenContent } from "./contents.ts";
import { withExactCounts } from "./exact_counts.ts";
import type {
  EmitEvent,
  LastAnswer,
  LinePlace,
  SessionOptions,
} from "./session_context.ts";
import { ARGUMENTS_TEXT } from "./session_items.ts";
import { SessionReader } from "./session_reader.ts";

export type {
  EmitEvent,
  LastAnswer,
  LinePlace,
  SessionOptions,
} from "./session_context.ts";

const EVENT_TYPES: ReadonlySet<unknown> = new Set([
  "thread.started",
  "turn.started",
  "turn.completed",
  "turn.failed",
  "item.started",
  "item.delta",
  "item.completed",
  "item.failed",
  "error",
]);

/** The events that say what a turn used. */
const TURN_ENDS: ReadonlySet<unknown> = new Set([
  "turn.completed",
  "turn.failed",
]);

/**
 * Gives the events of records: those of exec streams are events as they are, and the lines of a
 * session file tell of some each (docs/events.md). Nothing makes it throw; what it does not know
 * tells nothing.
 *
 * Memory is bounded: of calls, what has not ended of the last 8,192, and 32 Mi characters of them.
 */
export class EventReader {
  readonly #options: SessionOptions;
  #session: SessionReader | undefined;
  /** The calls between agents that go on in an exec stream: their items, and whose they are. */
  readonly #collab: Map<string, unknown>;
  #isSession = false;

  constructor(saved?: unknown, options: SessionOptions = {}) {
    const { session, collab } = fieldsOf(saved);
    this.#options = options;
    this.#collab = new Map(
      listOf(collab).map((pair) => {
        const [item, thread] = listOf(pair);
        return [textOf(item) ?? "", thread];
      }),
    );
    if (!isObject(session)) return;
    this.#session = new SessionReader(session, options);
    this.#isSession = true;
  }

  /** Whether a line of a session file has been read. */
  get isSession(): boolean {
    return this.#isSession;
  }

  /**
   * What the model said last in a session file, if it is complete and nothing came behind it:
   * what it was saying when its response was cut off has been told, but is no answer.
   */
  get lastAnswer(): LastAnswer | null {
    return this.#session?.lastAnswer ?? null;
  }

  /**
   * How often a line of a session file has told of work, since the reader was made: there need
   * not be an event of it.
   */
  get steps(): number {
    return this.#session?.steps ?? 0;
  }

  /** Gives what it takes to go on, as plain JSON. */
  save(): unknown {
    return {
      ...(this.#session === undefined ? {} : { session: this.#session.save() }),
      ...(this.#collab.size === 0 ? {} : { collab: [...this.#collab] }),
    };
  }

  /**
   * Takes note of a call that runs, of which nothing was read: what comes of it is told then.
   *
   * @param itemType What it is: `command_execution`, `tool_call`.
   */
  expect(callId: string, itemType: string): void {
    this.#session ??= new SessionReader();
    this.#session.expect(callId, itemType);
  }

  /**
   * Reads a record.
   *
   * @param place Where it stands, and its text.
   */
  read(record: Fields, place: LinePlace, emit: EmitEvent): void {
    if (EVENT_TYPES.has(record.type)) {
      const event = this.#isOfAgent(record)
        ? { ...record, implied: true }
        : exactEvent(record, place.text);
      const notice = noticeOf(event);
      return emit(
        notice ?? event,
        notice === undefined ? place.text : undefined,
      );
    }
    // Messages of an app server that are of no thread.
    if (typeof record.type === "string" && record.type.startsWith("rpc.")) {
      return emit(record, place.text);
    }
    if (!isObject(record.payload)) return;
    this.#isSession = true;
    this.#session ??= new SessionReader(undefined, this.#options);
    this.#session.read(record, place, emit);
  }

  /**
   * Follows the calls between agents of an exec stream. Releases around 0.98 print there that a
   * turn of an agent begins, as if it were one of the thread: but that waits for its call.
   *
   * @returns Whether the event is the beginning of an agent's turn.
   */
  #isOfAgent(event: Fields): boolean {
    const calls = this.#collab;
    const { type } = event;
    if (event.item_type === "collab_tool_call") {
      const id = textOf(event.item_id) ?? "";
      const isStart = type === "item.started";
      if (isStart && calls.size < MAX_COLLAB) calls.set(id, event.thread_id);
      if (type === "item.completed" || type === "item.failed") calls.delete(id);
      return false;
    }
    if (calls.size === 0) return false;
    // Events of session files may be read once more; they say which line they are of.
    if (type === "turn.started") {
      return event.line === undefined &&
        [...calls.values()].includes(event.thread_id);
    }
    if (type === "thread.started" || TURN_ENDS.has(type)) calls.clear();
    return false;
  }
}

/** How many calls between agents are known to go on. */
const MAX_COLLAB = 256;

/** Notices of the old protocol (normalize.md P12), whose fields normalize leaves in the event. */
const NOTICES: ReadonlySet<unknown> = new Set([
  "agent_reasoning_section_break",
  "apply_patch_approval_request",
  "background_event",
  "conversation_history",
  "conversation_path",
  "entered_review_mode",
  "exec_approval_request",
  "exited_review_mode",
  "get_history_entry_response",
  "list_custom_prompts_response",
  "mcp_list_tools_response",
  "shutdown_complete",
  "token_count",
  "turn_diff",
]);
/** The fields that every event of an item may have. */
const ITEM_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "thread_id",
  "turn_id",
  "item_id",
  "index",
  "status",
  "item_type",
  "id",
  "timestamp",
]);

/** Gives a notice of the old protocol the content that session files give it. */
function noticeOf(event: Fields): Fields | undefined {
  if (event.type !== "item.completed" || event.content !== undefined) {
    return undefined;
  }
  if (!NOTICES.has(event.item_type)) return undefined;
  const fields: Record<string, unknown> = {};
  const content: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(event)) {
    if (ITEM_FIELDS.has(name)) fields[name] = value;
    else content[name] = value;
  }
  return {
    ...fields,
    content: event.item_type === "token_count"
      ? tokenContent(content)
      : content,
  };
}

/** Gives an event with exact counts, if it has any. */
function exactEvent(event: Fields, text: string | undefined): Fields {
  const { type, item_type } = event;
  return item_type === "token_count" ||
      (item_type === undefined && TURN_ENDS.has(type))
    ? withExactCounts(event, text, [])
    : event;
}

// Events as JSON text.

/** Stands for arguments until their text is put in its place; no text of JSON has it unescaped. */
const PLACE = "\u0000arguments";
const PLACE_TEXT = JSON.stringify(PLACE);
const LINE_END_REGEXP = /[\r\n]/;
/**
 * How long a line may be whose events are written whole, in UTF-16 code units: V8 cannot write
 * longer ones, and ends the process. Of a longer one, contents are left out.
 */
const MAX_LINE = 1 << 25;

/**
 * Writes an event of a session file as JSON: numbers among arguments as they were spelled, counts
 * beyond 2^53 exactly.
 *
 * @param lineLength How long the line is that it comes from.
 * @returns The text, without line ends.
 */
export function eventText(event: Fields, lineLength = 0): string {
  if (lineLength > MAX_LINE) return jsonOf(withoutContent(event));
  const { content } = event;
  const argumentsText = isObject(content)
    ? Reflect.get(content, ARGUMENTS_TEXT)
    : undefined;
  if (
    typeof argumentsText !== "string" || LINE_END_REGEXP.test(argumentsText)
  ) {
    return jsonOf(event);
  }
  const text = jsonOf({
    ...event,
    content: { ...fieldsIn(content), arguments: PLACE },
  });
  const at = text.indexOf(PLACE_TEXT);
  return text.slice(0, at) + argumentsText + text.slice(at + PLACE_TEXT.length);
}

function fieldsIn(content: unknown): Fields {
  return isObject(content) ? content : {};
}

function withoutContent(event: Fields): Fields {
  const { content: _content, delta: _delta, error: _error, ...rest } = event;
  return { ...rest, is_cut: true };
}

function jsonOf(event: Fields): string {
  try {
    return JSON.stringify(event);
  } catch (error) {
    // Only exact counts have no JSON form of their own, and what nests too deep has none at all.
    return error instanceof TypeError
      ? JSON.stringify(event, exactNumber)
      : JSON.stringify(withoutContent(event));
  }
}

function exactNumber(_name: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  // Of ES2025, which the types of the compiler do not have yet.
  const rawJson: unknown = Reflect.get(JSON, "rawJSON");
  return typeof rawJson === "function" ? rawJson(String(value)) : Number(value);
}
