/**
 * Reads records of any carrier (exec streams, app-servers, session files) as one stream of events.
 */

import { EVENTS, OLD_NOTICES } from "../dialects/exec/field_rules.ts";
import {
  type Fields,
  fieldsOf,
  isFailedWord,
  isObject,
  textOf,
} from "../json/fields.ts";
import { tokenContent } from "./contents.ts";
import { argumentsText, withExactCounts } from "./exact_numbers.ts";
import { realId } from "./ids.ts";
import type {
  EmitEvent,
  LastAnswer,
  LinePlace,
  SessionOptions,
} from "./session_context.ts";
import { ARGUMENTS_TEXT, withText } from "./session_items.ts";
import { SessionReader } from "./session_reader.ts";

/** The events that carry the token usage of a turn. */
const TURN_ENDS: ReadonlySet<unknown> = new Set([
  "turn.completed",
  "turn.failed",
]);

/**
 * Converts records to events. Records of exec streams are events already; a line of a session file
 * becomes the events that it describes (docs/events.md). No input makes it throw; a record of
 * unknown type has no events.
 *
 * Memory is bounded: of the last 8,192 calls, those that have not ended are kept, in up to 32 Mi
 * characters.
 */
export class EventReader {
  readonly #options: SessionOptions;
  #session: SessionReader | undefined;
  /** The thread of an exec stream whose turn is in progress. */
  #openThread: string | undefined;
  #isSession = false;

  constructor(saved?: unknown, options: SessionOptions = {}) {
    const { session, open_thread } = fieldsOf(saved);
    this.#options = options;
    this.#openThread = textOf(open_thread);
    if (!isObject(session)) return;
    this.#session = new SessionReader(session, options);
    this.#isSession = true;
  }

  get isSession(): boolean {
    return this.#isSession;
  }

  /**
   * The last message of the model in a session file, if it is complete and nothing followed it. A
   * message whose response was cut off has an event, but does not count as an answer.
   */
  get lastAnswer(): LastAnswer | null {
    return this.#session?.context.lastAnswer ?? null;
  }

  /**
   * The number of session file lines that showed work of the model, since the reader was created.
   * Not every such line has an event.
   */
  get steps(): number {
    return this.#session?.context.steps ?? 0;
  }

  save(): unknown {
    return {
      ...(this.#session === undefined ? {} : { session: this.#session.save() }),
      ...(this.#openThread === undefined
        ? {}
        : { open_thread: this.#openThread }),
    };
  }

  /** Registers a running call whose beginning was not read, so that its output has an event. */
  expect(callId: string, itemType: string): void {
    this.#openSession().context.beginCall(callId, "event", itemType);
  }

  read(record: Fields, place: LinePlace, emit: EmitEvent): void {
    const type = textOf(record.type) ?? "";
    if (EVENTS.get(type) === type) {
      const event = this.#isOfAgent(record)
        ? { ...record, implied: true }
        : exactEvent(record, place.text);
      const changed = noticeOf(event) ?? failedTurn(event);
      return emit(
        changed ?? event,
        changed === undefined ? place.text : undefined,
      );
    }
    if (!isObject(record.payload)) return;
    this.#isSession = true;
    this.#openSession().read(record, place, emit);
  }

  #openSession(): SessionReader {
    return this.#session ??= new SessionReader(undefined, this.#options);
  }

  /**
   * Tracks the turn of an exec stream; returns whether an event is the beginning of an agent's turn.
   * Releases from 0.98 to 0.107 print a `turn.started` there, without an end, as if it were a turn
   * of the thread: it comes while one is open. Only a turn of the thread has a prompt.
   */
  #isOfAgent({ type, thread_id, turn_id, input_text, line }: Fields): boolean {
    // Events of session files may be read a second time; they have a `line`.
    if (line !== undefined) return false;
    if (type === "thread.started" || TURN_ENDS.has(type)) {
      this.#openThread = undefined;
    }
    if (type !== "turn.started") return false;
    const isOpen = this.#openThread !== undefined &&
      this.#openThread === textOf(thread_id);
    this.#openThread = textOf(thread_id);
    return isOpen && realId(turn_id) === undefined && input_text === undefined;
  }
}

/** The fields that an event of any item may have. */
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

/**
 * Moves the fields of a notice of the old protocol to its `content`, as in events of session files.
 */
function noticeOf(event: Fields): Fields | undefined {
  if (event.type !== "item.completed" || event.content !== undefined) {
    return undefined;
  }
  if (!OLD_NOTICES.has(event.item_type)) return undefined;
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

/**
 * Returns the end of a turn that says that it has failed, by an error or its status, as a
 * `turn.failed`: session files and app-servers have one type for all ends of turns.
 */
function failedTurn(event: Fields): Fields | undefined {
  const { type, status, error } = event;
  if (type !== "turn.completed") return undefined;
  const hasFailed = status === "interrupted" || isFailedWord(status);
  const word = hasFailed ? textOf(status) : undefined;
  const stated = typeof error === "string" ? { message: error } : error;
  if (word === undefined && !isObject(stated)) return undefined;
  const { message, ...rest } = fieldsOf(stated);
  const failure = { message: textOf(message) ?? word ?? "", ...rest };
  return { ...event, type: "turn.failed", error: failure };
}

/** Returns an event with exact integers beyond 2^53, or with the text of its arguments. */
function exactEvent(event: Fields, text: string | undefined): Fields {
  const { type, item_type } = event;
  const isCounted = item_type === undefined
    ? TURN_ENDS.has(type)
    : OLD_NOTICES.has(item_type) || item_type === "token_usage_record";
  if (isCounted) return withExactCounts(event, text, []);
  const content = fieldsOf(event.content);
  const spelled = argumentsText(content.arguments, text, ["content"]);
  return spelled === undefined
    ? event
    : { ...event, content: withText(content, spelled) };
}

// Events as JSON text.

/** Replaces the arguments until their text is inserted; JSON text never contains it unescaped. */
const PLACE = "\u0000arguments";
const PLACE_TEXT = JSON.stringify(PLACE);
/** Matches line ends, which in valid JSON stand only between values. */
const LINE_ENDS_REGEXP = /[\r\n]/g;
/**
 * The longest line whose events are encoded with their contents, in UTF-16 code units. V8 cannot
 * encode longer texts, and ends the process. For longer lines, the contents are left out.
 */
const MAX_LINE = 1 << 25;

/**
 * Encodes an event of a session file as JSON on one line. Numbers in arguments keep their spelling,
 * and counts beyond 2^53 are exact. `lineLength` is that of the line that it comes from.
 */
export function eventText(event: Fields, lineLength = 0): string {
  if (lineLength > MAX_LINE) return jsonOf(withoutContent(event));
  const { content } = event;
  const spelled = isObject(content)
    ? Reflect.get(content, ARGUMENTS_TEXT)
    : undefined;
  if (typeof spelled !== "string") return jsonOf(event);
  const text = jsonOf({
    ...event,
    content: { ...fieldsOf(content), arguments: PLACE },
  });
  const at = text.indexOf(PLACE_TEXT);
  return text.slice(0, at) + spelled.replace(LINE_ENDS_REGEXP, " ") +
    text.slice(at + PLACE_TEXT.length);
}

function withoutContent(event: Fields): Fields {
  const { content: _content, delta: _delta, error: _error, ...rest } = event;
  return { ...rest, is_cut: true };
}

function jsonOf(event: Fields): string {
  try {
    return JSON.stringify(event);
  } catch (error) {
    // A TypeError means a bigint, which only exact counts are. Any other error means that the event
    // nests too deep.
    return error instanceof TypeError
      ? JSON.stringify(event, exactNumber)
      : JSON.stringify(withoutContent(event));
  }
}

function exactNumber(_name: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  // `JSON.rawJSON` is newer than the types of the compiler.
  const rawJson: unknown = Reflect.get(JSON, "rawJSON");
  return typeof rawJson === "function" ? rawJson(String(value)) : Number(value);
}
