/** The state that all rules for session files share, and the methods by which they emit events. */

import { keptText } from "../json/utf8.ts";
import {
  type Fields,
  fieldsOf,
  knownFields,
  textOf,
  textsOf,
  wholeOf,
} from "../json/fields.ts";
import { type Call, CallBook, newCall, type Witness } from "./calls.ts";
import {
  argumentsText,
  readSavedCounts,
  savedCounts,
  withExactCounts,
} from "./exact_numbers.ts";
import { isMigratedTurn } from "./ids.ts";
import { type CopyKind, Pairing } from "./pairing.ts";
import { withText } from "./session_items.ts";

/** Receives an event, and its JSON text if that is known. */
export type EmitEvent = (event: Fields, text?: string) => void;

/** A line: its position and text. */
export interface LinePlace {
  /** The number of the line, from 1. */
  readonly line?: number | undefined;
  /** The offset of its start, in bytes. */
  readonly offset?: number | undefined;
  readonly text?: string | undefined;
}

/** Options for reading a session file. */
export interface SessionOptions {
  /** The id of the thread, if no header names it. */
  readonly initialThreadId?: string | undefined;
  /**
   * Whether only some of the lines are read. Then no copy of a message waits for the other one, and
   * a counted request does not imply that it called no tool.
   */
  readonly isSelection?: boolean | undefined;
  /** The item types that have no events. */
  readonly unwanted?: ReadonlySet<string> | undefined;
  /** Whether calls also have events as the model made them, with the outputs returned to it. */
  readonly modelCalls?: boolean | undefined;
}

/** The model's last message, from its response item: only a complete response has one. */
export interface LastAnswer {
  readonly text: string;
  /** The id of its item in the events. */
  readonly itemId: string;
}

type HistoryMode = "legacy" | "paginated";

/** The fields of an item event beside its content. */
interface ItemOptions {
  /** The call of the item; provides the ids and the turn that are not given here. */
  readonly call?: Call | undefined;
  /** The id of the item; by default that of the call, or a new synthetic one. */
  readonly itemId?: string | null | undefined;
  readonly callId?: string | null | undefined;
  /** The turn of the item, if it is not the current one. */
  readonly turnId?: string | null | undefined;
  /** The status of the item; by default `in_progress` for `item.started`, otherwise `completed`. */
  readonly status?: string | undefined;
  /** When the item began, if its line states that. */
  readonly startedAt?: string | undefined;
  /** When the event happened, if that is not the time of the line. */
  readonly at?: string | undefined;
}

/** The item types that show the model at work: a prompt after them is new, not a copy. */
const ANSWER_TYPES: ReadonlySet<string> = new Set([
  "agent_message",
  "agent_reasoning_raw_content",
  "collab_tool_call",
  "command_execution",
  "dynamic_tool_call",
  "file_change",
  "mcp_tool_call",
  "reasoning",
  "tool_call",
  "web_search",
]);
/** The item types that follow the calls of a response and their outputs, or replace them. */
const NEWS_TYPES: ReadonlySet<string> = new Set([
  "agent_message",
  "error",
  "inter_agent_message",
  "reasoning",
  "user_message",
]);
/**
 * The kinds of messages that belong to an answer, so that their copies come before the next prompt.
 */
const ANSWER_KINDS: readonly CopyKind[] = [
  "assistant",
  "reasoning",
  "search",
  "plan",
];
/** The item types that a reader does not see; they do not separate the lines around them. */
const SILENT_TYPES: ReadonlySet<string> = new Set([
  "injected_context",
  "model_call",
  "model_call_output",
  "thread_settings_applied",
  "token_count",
  "token_usage_record",
  "turn_context",
]);

/** The number of turns whose ids are kept, so that they can be rolled back. */
const MAX_TURNS = 1024;
const NONE: ReadonlySet<string> = new Set();

/**
 * The constructor of events, which are plain objects. An object of a constructor has room for all
 * of its fields. An object literal with some of the fields needs more memory and time for each
 * field that is added later: with the constructor, `history` of session files takes 0.93 to 0.98 of
 * the time.
 */
const EventFields = function () {} as unknown as {
  new (): Record<string, unknown>;
  prototype: object;
};
EventFields.prototype = Object.prototype;

export class SessionContext {
  readonly #initialThreadId: string;
  readonly #unwanted: ReadonlySet<string>;
  readonly isSelection: boolean;
  readonly hasModelCalls: boolean;
  /** The id of the thread, if a header names it. */
  threadId: string | null;
  mode: HistoryMode;
  /** Whether the mode is not known: there is no header, or its word for the mode is unknown. */
  isModeOpen: boolean;
  /** The time of the line, or of the last line that has one. */
  now: string | undefined;
  /** Whether the line was copied from another thread. */
  isInherited = false;
  turnId: string | null;
  /**
   * The state of the current turn: `prompted` has only a prompt, `open` was begun because of a
   * prompt, `begun` by an event of the file.
   */
  turn: "none" | "prompted" | "open" | "begun";
  readonly turns: string[];
  /** How many synthetic ids have been made, by kind of object. */
  readonly made: {
    turns: number;
    items: number;
    streams: number;
    thoughts: number;
  };
  readonly pairing: Pairing;
  readonly calls: CallBook;
  /** The item id of the answer that is being streamed without an id. */
  liveStream: string | null;
  /** By kind, the item ids of the reasoning texts that are being streamed without an id. */
  readonly liveThoughts: { summary: string[]; raw: string[] };
  /** Whether the next delta of reasoning begins a new part. */
  isThoughtBroken: boolean;
  /** The number of images that the model asked for and may still receive in a user message. */
  viewedImages: number;
  /** The last prompt of the current review, empty at its start; `null` if there is no review. */
  reviewPrompt: string | null;
  /** The compaction whose second line may still follow: its item id, and which came first. */
  compaction: { itemId: string; from: "line" | "event" } | null;
  /** The id of the last item that a reader of the session sees. */
  lastItem: string | null;
  /** The last message of the model, if nothing followed it. */
  lastAnswer: LastAnswer | null;
  /** The number of response items that are no messages and show work of the model. */
  steps = 0;
  /**
   * Facts about the current turn: whether it has a prompt, and whether its settings followed it;
   * how a review ended in it; and the state of the last request: `called` if it called a tool,
   * which makes another request follow, `counted` if its tokens were counted and it called no tool.
   */
  readonly seen: {
    prompt: boolean;
    settings: boolean;
    review: string | null;
    request: string | null;
  };
  /** The tokens that the thread has used, from the last count. */
  usage: unknown;
  place: LinePlace = {};
  /** The names that lead from the line to the object that describes its events. */
  path: readonly string[] = [];
  emit: EmitEvent = () => {};

  constructor(
    saved: unknown,
    {
      initialThreadId = "synthetic-thread-1",
      isSelection = false,
      unwanted = NONE,
      modelCalls = false,
    }: SessionOptions,
  ) {
    this.hasModelCalls = modelCalls;
    this.#unwanted = unwanted;
    this.#initialThreadId = initialThreadId;
    const field = fieldsOf(saved);
    const made = fieldsOf(field.made);
    const seen = fieldsOf(field.seen);
    const live = fieldsOf(field.live_thoughts);
    this.threadId = textOf(field.thread_id) ?? null;
    this.mode = field.mode === "paginated" ? "paginated" : "legacy";
    this.isModeOpen = field.is_mode_open !== false;
    this.now = textOf(field.now);
    this.turnId = textOf(field.turn_id) ?? null;
    this.turn = turnOf(field.turn);
    this.turns = textsOf(field.turns);
    this.made = {
      turns: wholeOf(made.turns) ?? 0,
      items: wholeOf(made.items) ?? 0,
      streams: wholeOf(made.streams) ?? 0,
      thoughts: wholeOf(made.thoughts) ?? 0,
    };
    this.isSelection = isSelection;
    this.pairing = new Pairing(field.pairing, isSelection);
    this.calls = new CallBook(field.calls);
    this.liveStream = textOf(field.live_stream) ?? null;
    this.liveThoughts = {
      summary: textsOf(live.summary),
      raw: textsOf(live.raw),
    };
    this.isThoughtBroken = field.is_thought_broken === true;
    this.viewedImages = wholeOf(field.viewed_images) ?? 0;
    this.reviewPrompt = textOf(field.review_prompt) ?? null;
    const { itemId, from } = fieldsOf(field.compaction);
    this.compaction = typeof itemId === "string"
      ? { itemId, from: from === "line" ? "line" : "event" }
      : null;
    this.lastItem = textOf(field.last_item) ?? null;
    const answer = fieldsOf(field.last_answer);
    this.lastAnswer = typeof answer.text === "string"
      ? { text: answer.text, itemId: textOf(answer.itemId) ?? "" }
      : null;
    this.seen = {
      prompt: seen.prompt === true,
      settings: seen.settings === true,
      review: textOf(seen.review) ?? null,
      request: textOf(seen.request) ?? null,
    };
    this.usage = readSavedCounts(field.usage);
  }

  save(): Fields {
    return {
      thread_id: this.threadId,
      mode: this.mode,
      is_mode_open: this.isModeOpen,
      now: this.now ?? null,
      turn_id: this.turnId,
      turn: this.turn,
      turns: [...this.turns],
      made: { ...this.made },
      pairing: this.pairing.save(),
      calls: this.calls.save(),
      live_stream: this.liveStream,
      live_thoughts: {
        summary: [...this.liveThoughts.summary],
        raw: [...this.liveThoughts.raw],
      },
      is_thought_broken: this.isThoughtBroken,
      viewed_images: this.viewedImages,
      review_prompt: this.reviewPrompt,
      compaction: this.compaction && { ...this.compaction },
      last_item: this.lastItem,
      last_answer: this.lastAnswer && { ...this.lastAnswer },
      seen: { ...this.seen },
      usage: savedCounts(this.usage),
    };
  }

  /** The length of the line; that of a usual one if it is not known. */
  get #lineLength(): number {
    return this.place.text?.length ?? 256;
  }

  /** The id of the thread in events. */
  get thread(): string {
    return this.threadId ?? this.#initialThreadId;
  }

  #emit(event: Record<string, unknown>, at?: string): void {
    const { line, offset } = this.place;
    const timestamp = at ?? this.now;
    if (timestamp !== undefined) event.timestamp = timestamp;
    if (line !== undefined) event.line = line;
    if (offset !== undefined) event.offset = offset;
    if (this.isInherited) event.inherited = true;
    this.emit(event);
  }

  /** Emits an event of the thread or of a turn. */
  tell(type: string, fields: Fields): void {
    this.#emit({ type, thread_id: this.thread, ...fields });
  }

  #item(
    type: string,
    itemType: string,
    name: "content" | "delta" | "error",
    value: Fields,
    options: ItemOptions,
    call: Call | undefined = options.call,
  ): string {
    this.#begin(itemType);
    const { startedAt, at, status } = options;
    const callId = options.callId ?? call?.callId;
    const turnId = options.turnId ?? call?.turnId;
    const id = options.itemId ?? call?.itemId ?? this.madeUpItem();
    if (!SILENT_TYPES.has(itemType)) this.lastItem = id;
    if (this.#unwanted.has(itemType)) return id;
    const turn = turnId ?? this.turnId;
    // The event is built in place, so that no field is copied twice.
    const event = new EventFields();
    event.type = type;
    event.thread_id = this.thread;
    if (turn !== null) event.turn_id = turn;
    event.item_id = id;
    if (name === "content") {
      event.status = status ??
        (type === "item.started" ? "in_progress" : "completed");
    }
    event.item_type = itemType;
    // The fields of this item type stand in the event itself, as in exec streams, because normalize
    // has no table for it.
    if (name === "content" && itemType === "collab_tool_call") {
      for (const field in value) event[field] = value[field];
    } else event[name] = name === "content" ? whole(itemType, value) : value;
    if (typeof callId === "string") event.call_id = callId;
    if (startedAt !== undefined) event.started_at = startedAt;
    this.#emit(event, at);
    return id;
  }

  /** Emits `item.started`: an item begins, or more is known about one that has begun. */
  start(itemType: string, content: Fields, options: ItemOptions): string {
    return this.#item("item.started", itemType, "content", content, options);
  }

  complete(
    itemType: string,
    content: Fields,
    options: ItemOptions = {},
  ): string {
    return this.#item("item.completed", itemType, "content", content, options);
  }

  delta(itemType: string, delta: Fields, options: ItemOptions): string {
    return this.#item("item.delta", itemType, "delta", delta, options);
  }

  fail(itemType: string, message: string, options: ItemOptions): void {
    this.#item("item.failed", itemType, "error", { message }, options);
  }

  /** Adds the text of its arguments to a content, as {@linkcode argumentsText} finds it. */
  spelled(content: Fields, path?: readonly string[], name?: string): Fields {
    return withText(content, this.argumentsText(content.arguments, path, name));
  }

  /**
   * Returns the text of arguments, as the line spells them, if it holds more than the parsed
   * arguments. `path` leads to the object that has them under `name`.
   */
  argumentsText(
    args: unknown,
    path: readonly string[] = [],
    name?: string,
  ): string | undefined {
    return argumentsText(args, this.place.text, [...this.path, ...path], name);
  }

  /** Replaces the large numbers of the object that describes the events by exact ones. */
  exactCounts(value: Fields): Fields {
    return withExactCounts(value, this.place.text, this.path);
  }

  madeUpItem(): string {
    this.made.items += 1;
    return `synthetic-item-${this.made.items}`;
  }

  /**
   * Updates the state before an item: begins a turn that so far only a prompt has announced, and
   * drops the copies of messages that cannot match any more.
   */
  #begin(itemType: string): void {
    if (itemType === "user_message") {
      this.pairing.forget(...ANSWER_KINDS);
      if (this.turn === "none") {
        this.turn = "prompted";
        this.made.turns += 1;
      }
    } else {
      if (ANSWER_TYPES.has(itemType)) this.pairing.forget("user");
      // Up to 0.65, the tokens of a request come before its answer.
      if (!SILENT_TYPES.has(itemType) || itemType === "token_count") {
        this.openPrompted();
      }
    }
    if (NEWS_TYPES.has(itemType)) this.viewedImages = 0;
  }

  /** Begins the turn that so far only a prompt has announced, also if nothing but its end follows. */
  openPrompted(id: string | null = null): void {
    if (this.turn !== "prompted") return;
    this.#openTurn(id, { implied: true });
    this.turn = "open";
  }

  /** Registers a prompt: up to 0.98 nothing else shows that a turn begins. */
  prompt(): void {
    if (this.turn === "open" || this.turn === "prompted") {
      this.turn = "none";
      this.turnId = null;
      this.leaveTurn();
    }
    this.seen.prompt = true;
  }

  /** Registers that a request has been counted. Only requests that succeed are counted. */
  countRequest(): void {
    if (this.isSelection) return;
    this.seen.request = this.seen.request === "called" ? null : "counted";
  }

  /**
   * Begins a turn because an event of the file does. The file of a thread that requested a review
   * has the start of the reviewer's turn (0.104 and later) in place of its own.
   */
  beginTurn(id: string | undefined, fields: Fields): void {
    // The settings of a turn follow its prompt only where no event begins turns: that was another
    // turn, whose request failed before Codex was updated.
    if (this.seen.settings) this.openPrompted();
    const isPrompted = this.turn === "prompted";
    if (!isPrompted) this.leaveTurn();
    const { prompt } = this.seen;
    const isOfReview = this.reviewPrompt !== null && this.turn === "none";
    // A message about a command of the user that has no other copy by now will have none.
    this.pairing.forget("command");
    this.#openTurn((isOfReview ? this.turnId : null) ?? id ?? null, fields);
    this.turn = "begun";
    this.seen.prompt = isPrompted && prompt;
    // The turn of a killed process has no end, which would reset this. `codex migrate-rollouts` makes
    // turns of the messages that pass images, too.
    if (!isMigratedTurn(id)) this.viewedImages = 0;
  }

  /** Continues a turn whose beginning is not in the file. */
  continueTurn(id: string): void {
    this.leaveTurn();
    this.#enterTurn(id);
    this.turn = "begun";
  }

  #openTurn(id: string | null, fields: Fields): void {
    if (id === null && this.turn !== "prompted") this.made.turns += 1;
    const turn_id = this.#enterTurn(id ?? `synthetic-turn-${this.made.turns}`);
    this.tell("turn.started", { turn_id, ...fields });
  }

  #enterTurn(id: string): string {
    // Many ids are kept; without a copy, each would keep its line alive.
    this.turnId = keptText(id);
    this.turns.push(this.turnId);
    if (this.turns.length > MAX_TURNS) this.turns.shift();
    return this.turnId;
  }

  leaveTurn(): void {
    this.seen.prompt = false;
    this.seen.settings = false;
    this.seen.review = null;
    this.seen.request = null;
    this.lastAnswer = null;
    this.pairing.forget("loose");
    if (this.mode === "paginated") this.compaction = null;
  }

  /** Drops the state of turns that are rolled back: their ids may occur again. */
  rollBack(turns: number): void {
    if (!(turns > 0)) return;
    this.openPrompted();
    this.calls.forget(new Set(this.turns.splice(-turns)));
    this.pairing.forget("user", "command", ...ANSWER_KINDS);
    this.endTurn();
  }

  endTurn(): void {
    this.turn = "none";
    this.turnId = null;
    this.liveStream = null;
    this.liveThoughts.summary.length = 0;
    this.liveThoughts.raw.length = 0;
    this.isThoughtBroken = false;
    this.viewedImages = 0;
    this.reviewPrompt = null;
    this.leaveTurn();
  }

  /**
   * Registers the beginning of a call. The first statement of a witness is the copy of the other
   * witness's statement, if there is one. A second statement of the same witness is another call
   * with the same id, with one exception: an event that is repeated while the call is open only
   * adds to it. Each response item is a call. A new call has the item type `type`, and the item id
   * `itemId` if the other witness has stated its item under an id of its own.
   */
  beginCall(
    callId: string | null | undefined,
    witness: Witness,
    type: string,
    itemId?: string,
  ): { readonly call: Call; readonly isNew: boolean } {
    const known = this.calls.get(callId);
    // An `image_view` is over at once.
    const isOver = known?.state === "closed" || known?.type === "image_view";
    const isAnother = known !== undefined && known.begunBy.includes(witness) &&
      (witness === "item" || isOver);
    if (known !== undefined && !isAnother) {
      if (!known.begunBy.includes(witness)) known.begunBy.push(witness);
      return { call: known, isNew: false };
    }
    // One string for all places that keep the id: looking it up again then compares pointers.
    const id = typeof callId === "string" ? keptText(callId) : null;
    const call = newCall({
      callId: id,
      itemId: itemId ??
        (id === null ? this.madeUpItem() : this.calls.nextItemId(id)),
      type,
      state: "open",
      begunBy: itemId === undefined ? [witness] : ["item", "event"],
    });
    this.calls.add(call, this.#lineLength);
    return { call, isNew: true };
  }

  /** Adds a call whose first line is its end; the line of its beginning may still follow. */
  endedCall(callId: string | null | undefined, type: string): Call {
    const { call } = this.beginCall(callId, "event", type);
    call.begunBy.length = 0;
    return call;
  }

  /** Registers an item that only one witness has stated so far. */
  noteLoose(itemType: string, witness: Witness, itemId: string): void {
    if (this.mode !== "paginated") return;
    this.pairing.add("loose", itemType, witness, { itemId });
  }

  /** Emits `item.started` of a call, and stores its type and content. */
  startCall(
    call: Call,
    type: string,
    content: Fields,
    options: ItemOptions = {},
  ): void {
    call.type = type;
    call.content = content;
    this.calls.keep(call, Math.max(0, this.#lineLength - call.weight));
    this.#item("item.started", type, "content", content, options, call);
    // The event above may have begun the turn that the call belongs to.
    call.turnId ??= this.turnId;
  }

  completeCall(call: Call, content: Fields, options: ItemOptions = {}): void {
    const { type } = call;
    this.#item("item.completed", type, "content", content, options, call);
    this.calls.close(call);
  }
}

/** Adds the field that every content of an item type has, if no line of the item has it. */
function whole(itemType: string, content: Fields): Fields {
  if (itemType === "command_execution" && content.command === undefined) {
    return { command: "", ...knownFields(content) };
  }
  return itemType === "file_change" && content.changes === undefined
    ? { changes: [], ...content }
    : content;
}

function turnOf(saved: unknown): SessionContext["turn"] {
  return saved === "prompted" || saved === "open" || saved === "begun"
    ? saved
    : "none";
}
