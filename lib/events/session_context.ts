/**
 * What all rules for session files work on: what is known so far, and what is told of it.
 *
 * @module
 */

import { keptText, Utf8Decoder } from "../json/utf8.ts";
import {
  type Fields,
  fieldsOf,
  isObject,
  listOf,
  numberOf,
  textOf,
  wholeOf,
} from "../json/fields.ts";
import { memberTexts, soleMemberText } from "../json/member_texts.ts";
import { type Call, CallBook, type Witness } from "./calls.ts";
import { readSavedCounts, savedCounts } from "./exact_counts.ts";
import { type CopyKind, Pairing } from "./pairing.ts";
import { type SessionImage, withText } from "./session_items.ts";

export type EmitEvent = (event: Fields, text?: string) => void;

export interface LinePlace {
  /** Its number, from 1. */
  readonly line?: number | undefined;
  /** Where it begins, in bytes. */
  readonly offset?: number | undefined;
  /** Its text. */
  readonly text?: string | undefined;
}

/** What is known of a session file beforehand. */
export interface SessionOptions {
  /**
   * The id of its thread, if no header says it.
   *
   * @default {"synthetic-thread-1"}
   */
  readonly initialThreadId?: string | undefined;
  /**
   * Whether only some lines are read: then no copy of a message is kept to wait for the other
   * one, and that a request was counted does not say that it called no tool.
   *
   * @default {false}
   */
  readonly isSelection?: boolean | undefined;
  /**
   * The types of items that nothing is told of.
   *
   * @default {new Set()}
   */
  readonly unwanted?: ReadonlySet<string> | undefined;
  /**
   * Whether calls are also told as the model made them, with what it was given back.
   *
   * @default {false}
   */
  readonly modelCalls?: boolean | undefined;
}

/** What the model said last, as the response has it: that is written when it is complete. */
export interface LastAnswer {
  /** What it said. */
  readonly text: string;
  /** The item that it was told as. */
  readonly itemId: string;
}

type HistoryMode = "legacy" | "paginated";

/** What was told with one copy of a message. */
interface PairedItem {
  readonly itemId: string;
  readonly images?: readonly SessionImage[];
}

/** What is said of an item beside its content. */
interface ItemOptions {
  /** The call that it is, which has the ids and the turn that are not said. */
  readonly call?: Call | undefined;
  /** The id of the item; a made up one if it has none. */
  readonly itemId?: string | null | undefined;
  readonly callId?: string | null | undefined;
  /** The turn that it belongs to, if it is not the one that is going on. */
  readonly turnId?: string | null | undefined;
  /** How far it is; in progress when it starts, completed when it ends, if that is not said. */
  readonly status?: string | undefined;
  /** When it began, if it says so itself. */
  readonly startedAt?: string | undefined;
  /** When this happened, if it is not the time of the line. */
  readonly at?: string | undefined;
}

/** The item types that show the model at work: a lone copy of a prompt is another prompt then. */
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
/** What is said after the calls of a response and what came of them, or instead of them. */
const NEWS_TYPES: ReadonlySet<string> = new Set([
  "agent_message",
  "error",
  "inter_agent_message",
  "reasoning",
  "user_message",
]);
/** What belongs to an answer, up to the next prompt. */
const ANSWER_KINDS: readonly CopyKind[] = [
  "assistant",
  "reasoning",
  "search",
  "plan",
];
/** What says nothing to a reader: it stands between two lines as if it were not there. */
const SILENT_TYPES: ReadonlySet<string> = new Set([
  "injected_context",
  "thread_settings_applied",
  "token_count",
  "token_usage_record",
  "turn_context",
]);

/** How many turns are known by their ids, of which some may be taken back. */
const MAX_TURNS = 1024;
const NONE: ReadonlySet<string> = new Set();

/** How many things of a type may wait for their other witness. */
const MAX_LOOSE = 256;

/**
 * Makes events, which are plain objects. What a constructor makes has room for all of its fields;
 * what begins as a literal with some of them takes more room, and time, for each of the others:
 * `history` of session files takes 0.93 to 0.98 of that.
 */
const EventFields = function () {} as unknown as {
  new (): Record<string, unknown>;
  prototype: object;
};
EventFields.prototype = Object.prototype;

/** Everything that the next lines depend on. */
export class SessionContext {
  readonly #initialThreadId: string;
  readonly #unwanted: ReadonlySet<string>;
  readonly #isSelection: boolean;
  /** Whether calls are also told as the model made them. */
  readonly hasModelCalls: boolean;
  /** The thread. */
  threadId: string | null;
  /** Whether the header has been read. */
  hasHeader: boolean;
  /** How the file tells its history. */
  mode: HistoryMode;
  /** Whether the header says how in a word that is not known, or there is none. */
  isModeOpen: boolean;
  /** The time of the line, or of the last one that has one. */
  now: string | undefined;
  /** Whether the line was copied from another thread. */
  isInherited = false;
  /** The id of the turn that is going on. */
  turnId: string | null;
  /** Whether a turn is going on, and whether an event opened it. */
  turn: "none" | "prompted" | "open" | "begun";
  /** The ids of the last turns, in order. */
  readonly turns: string[];
  /** How many turns, items and live texts have had no id. */
  readonly made: {
    turns: number;
    items: number;
    streams: number;
    thoughts: number;
  };
  /** The copies of messages that are alone. */
  readonly pairing: Pairing<PairedItem>;
  /** The calls. */
  readonly calls: CallBook;
  /** What is told twice without an id in common, by its item type: who told it, and its call. */
  readonly loose: Map<string, (readonly [Witness, string])[]>;
  /** The answer that is being written and has no id. */
  liveStream: string | null;
  /** The texts that are being thought and have no id, by their kind. */
  readonly liveThoughts: { summary: string[]; raw: string[] };
  /** Whether the next piece of reasoning begins another part. */
  isThoughtBroken: boolean;
  /** How many images the model asked for that it may still be handed as the user's. */
  viewedImages: number;
  /** The last prompt of the review that is going on; `null` if there is none. */
  reviewPrompt: string | null;
  /** The compaction whose other line may still come: its item, and who told of it. */
  compaction: { itemId: string; from: "line" | "event" } | null;
  /** The last item that a reader sees. */
  lastItem: string | null;
  /** What the model said last, if nothing came behind it, and its item. */
  lastAnswer: LastAnswer | null;
  /** How many response items there have been that are no messages, and tell of work. */
  steps = 0;
  /**
   * Whether the turn has a prompt and an answer, how a review ended in it, and how far the last
   * request is: it has `called` a tool, which asks for another one, or was `counted` without that.
   */
  readonly seen: {
    prompt: boolean;
    answer: boolean;
    review: string | null;
    request: string | null;
  };
  /** The decoders of output that ended inside a character. */
  readonly decoders: Map<string, Utf8Decoder>;
  /** What the thread has used so far, as the last count says it. */
  usage: unknown;
  /** Where the line stands. */
  place: LinePlace = {};
  /** The names that lead from the line to what it tells of. */
  path: readonly string[] = [];
  /** Takes what is told. */
  emit: EmitEvent = () => {};

  constructor(
    saved?: unknown,
    {
      initialThreadId = "synthetic-thread-1",
      isSelection = false,
      unwanted = NONE,
      modelCalls = false,
    }: SessionOptions = {},
  ) {
    this.hasModelCalls = modelCalls;
    this.#unwanted = unwanted;
    this.#initialThreadId = initialThreadId;
    const field = fieldsOf(saved);
    const made = fieldsOf(field.made);
    const seen = fieldsOf(field.seen);
    const live = fieldsOf(field.live_thoughts);
    this.threadId = textOf(field.thread_id) ?? null;
    this.hasHeader = field.has_header === true;
    this.mode = field.mode === "paginated" ? "paginated" : "legacy";
    this.isModeOpen = field.is_mode_open !== false;
    this.now = textOf(field.now);
    this.turnId = textOf(field.turn_id) ?? null;
    this.turn = turnOf(field.turn);
    this.turns = listOf(field.turns).filter((id) => typeof id === "string");
    this.made = {
      turns: wholeOf(made.turns) ?? 0,
      items: wholeOf(made.items) ?? 0,
      streams: wholeOf(made.streams) ?? 0,
      thoughts: wholeOf(made.thoughts) ?? 0,
    };
    this.#isSelection = isSelection;
    this.pairing = new Pairing(field.pairing, isSelection);
    this.calls = new CallBook(field.calls);
    this.loose = new Map(
      listOf(field.loose).map((each) => {
        const [type, list] = listOf(each);
        return [
          textOf(type) ?? "",
          listOf(list).map((pair) => {
            const [witness, id] = listOf(pair);
            return [witness === "item" ? "item" : "event", textOf(id) ?? ""];
          }),
        ];
      }),
    );
    this.liveStream = textOf(field.live_stream) ?? null;
    this.liveThoughts = {
      summary: listOf(live.summary).filter((id) => typeof id === "string"),
      raw: listOf(live.raw).filter((id) => typeof id === "string"),
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
      answer: seen.answer === true,
      review: textOf(seen.review) ?? null,
      request: textOf(seen.request) ?? null,
    };
    this.decoders = new Map(
      listOf(field.decoders).map((each) => {
        const [key, bytes] = listOf(each);
        const pending = listOf(bytes).map((byte) => numberOf(byte) ?? 0);
        return [textOf(key) ?? "", new Utf8Decoder(pending)];
      }),
    );
    this.usage = readSavedCounts(field.usage);
  }

  /** Gives everything as plain JSON. */
  save(): Fields {
    return {
      thread_id: this.threadId,
      has_header: this.hasHeader,
      mode: this.mode,
      is_mode_open: this.isModeOpen,
      now: this.now ?? null,
      turn_id: this.turnId,
      turn: this.turn,
      turns: [...this.turns],
      made: { ...this.made },
      pairing: this.pairing.save(),
      calls: this.calls.save(),
      loose: [...this.loose].filter(([, list]) => list.length > 0)
        .map(([type, list]) => [type, [...list]]),
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
      decoders: [...this.decoders].map(([key, decoder]) => [
        key,
        [...decoder.pending],
      ]),
      usage: savedCounts(this.usage),
    };
  }

  /** The id of the thread in events. */
  get thread(): string {
    return this.threadId ?? this.#initialThreadId;
  }

  /** Says of an event where it stands, and tells it. */
  #emit(event: Record<string, unknown>, at?: string): void {
    const { line, offset } = this.place;
    const timestamp = at ?? this.now;
    if (timestamp !== undefined) event.timestamp = timestamp;
    if (line !== undefined) event.line = line;
    if (offset !== undefined) event.offset = offset;
    if (this.isInherited) event.inherited = true;
    this.emit(event);
  }

  /** Tells of the thread or a turn. */
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
    // There is one of these for each event, so that no field is copied twice.
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
    // The fields of an item that normalize leaves in the event, since no table has its type.
    if (name === "content" && itemType === "collab_tool_call") {
      for (const field in value) event[field] = value[field];
    } else event[name] = value;
    if (typeof callId === "string") event.call_id = callId;
    if (startedAt !== undefined) event.started_at = startedAt;
    this.#emit(event, at);
    return id;
  }

  /** Tells that an item begins, or more of one that has begun. */
  start(itemType: string, content: Fields, options: ItemOptions = {}): string {
    return this.#item("item.started", itemType, "content", content, options);
  }

  /** Tells that an item is complete. */
  complete(
    itemType: string,
    content: Fields,
    options: ItemOptions = {},
  ): string {
    return this.#item("item.completed", itemType, "content", content, options);
  }

  /** Tells what is new of an item. */
  delta(itemType: string, delta: Fields, options: ItemOptions = {}): string {
    return this.#item("item.delta", itemType, "delta", delta, options);
  }

  /** Tells that an item came to nothing. */
  fail(itemType: string, message: string, options: ItemOptions): void {
    this.#item("item.failed", itemType, "error", { message }, options);
  }

  /**
   * Tells of a call as the model made it, or of what it was given back: nothing that follows
   * depends on it.
   */
  quote(
    itemType: "model_call" | "model_call_output",
    callId: string | undefined,
    content: Fields,
  ): void {
    if (itemType === "model_call") this.#openPrompted();
    this.#emit({
      type: "item.completed",
      thread_id: this.thread,
      ...(this.turnId === null ? {} : { turn_id: this.turnId }),
      item_id: callId ?? "",
      status: "completed",
      item_type: itemType,
      content,
      ...(callId === undefined ? {} : { call_id: callId }),
    });
  }

  /**
   * Puts the text of arguments beside them, as the line spells it.
   *
   * @param content The content, with the arguments.
   * @param path The names that lead to what holds them, and their own there.
   * @returns The content; the same if its arguments say all that the text does.
   */
  spelled(content: Fields, path?: readonly string[], name?: string): Fields {
    return withText(content, this.argumentsText(content.arguments, path, name));
  }

  /** Gives the text of arguments, if it says more than they do; see {@linkcode spelled}. */
  argumentsText(
    args: unknown,
    path: readonly string[] = [],
    name = "arguments",
  ): string | undefined {
    const { text } = this.place;
    if (text === undefined || !mayBeRespelled(args)) return undefined;
    return soleMemberText(text, name) ??
      memberTexts(text, [...this.path, ...path]).get(name);
  }

  /** Makes an id up for an item that has none. */
  madeUpItem(): string {
    this.made.items += 1;
    return `synthetic-item-${this.made.items}`;
  }

  /**
   * Begins the turn that only a prompt has announced, once anything follows it, and forgets the
   * copies of messages that what follows is not of.
   */
  #begin(itemType: string): void {
    if (itemType === "user_message") {
      this.pairing.forget(...ANSWER_KINDS);
      if (this.turn === "none") this.turn = "prompted";
    } else {
      if (ANSWER_TYPES.has(itemType)) this.pairing.forget("user");
      if (!SILENT_TYPES.has(itemType)) this.#openPrompted();
    }
    if (NEWS_TYPES.has(itemType)) this.viewedImages = 0;
  }

  #openPrompted(): void {
    if (this.turn !== "prompted") return;
    this.#openTurn(null, { implied: true });
    this.turn = "open";
  }

  /** Takes note of a prompt: up to 0.98 nothing else says that a turn begins. */
  prompt(): void {
    if (this.turn === "open") {
      this.turn = "none";
      this.turnId = null;
      this.leaveTurn();
    }
    this.seen.prompt = true;
  }

  /** Takes note that a request has been counted, which only those are that succeed. */
  countRequest(): void {
    if (this.#isSelection) return;
    this.seen.request = this.seen.request === "called" ? null : "counted";
  }

  /** Begins a turn because an event says so. */
  beginTurn(id: string | undefined, fields: Fields): void {
    const isPrompted = this.turn === "prompted";
    if (!isPrompted) this.leaveTurn();
    const { prompt } = this.seen;
    this.#openTurn(id ?? null, fields);
    this.turn = "begun";
    this.seen.prompt = isPrompted && prompt;
    // A process that was killed has not ended its turn.
    this.viewedImages = 0;
  }

  #openTurn(id: string | null, fields: Fields): void {
    if (id === null) this.made.turns += 1;
    // Many are kept, and each would keep its line.
    this.turnId = id === null
      ? `synthetic-turn-${this.made.turns}`
      : keptText(id);
    this.turns.push(this.turnId);
    if (this.turns.length > MAX_TURNS) this.turns.shift();
    this.tell("turn.started", { turn_id: this.turnId, ...fields });
  }

  /** Forgets what belongs to the turn that is over. */
  leaveTurn(): void {
    this.seen.prompt = false;
    this.seen.answer = false;
    this.seen.review = null;
    this.seen.request = null;
    this.lastAnswer = null;
    this.loose.clear();
    if (this.mode === "paginated") this.compaction = null;
  }

  /** Forgets what belongs to turns that are taken back: ids may come again. */
  rollBack(turns: number): void {
    if (!(turns > 0)) return;
    this.calls.forget(new Set(this.turns.splice(-turns)));
    this.pairing.forget("user", ...ANSWER_KINDS);
    this.decoders.clear();
    this.endTurn();
  }

  /** Forgets the beginnings of characters that a command has left. */
  dropDecoders({ callId }: Call): void {
    if (this.decoders.size === 0) return;
    for (const stream of ["stdout", "stderr"]) {
      this.decoders.delete(`${stream}:${callId}`);
    }
  }

  /** Ends the turn that is going on. */
  endTurn(): void {
    this.turn = "none";
    this.turnId = null;
    this.liveStream = null;
    this.liveThoughts.summary.length = 0;
    this.liveThoughts.raw.length = 0;
    this.isThoughtBroken = false;
    this.viewedImages = 0;
    this.leaveTurn();
  }

  /**
   * Takes note that a call begins. The first time that a witness tells of it, this is the copy of
   * what the other one may have told; what it tells again is another call. An event that comes
   * again while the call is open only says more of it, but each response item is a call.
   *
   * @param callId The id, if it has one.
   * @param witness Who tells of it.
   * @param type The item type that it would be.
   * @returns The call, and whether this is the first that is known of it.
   */
  beginCall(
    callId: string | null | undefined,
    witness: Witness,
    type: string,
  ): { readonly call: Call; readonly isNew: boolean } {
    const known = this.calls.get(callId);
    // What is looked at has been looked at.
    const isOver = known?.state === "closed" || known?.type === "image_view";
    const isAnother = known !== undefined && known.begunBy.includes(witness) &&
      (witness === "item" || isOver);
    if (known !== undefined && !isAnother) {
      if (!known.begunBy.includes(witness)) known.begunBy.push(witness);
      return { call: known, isNew: false };
    }
    // One text for all that is kept of it: looking for that again is no comparison.
    const id = typeof callId === "string" ? keptText(callId) : null;
    const call: Call = {
      callId: id,
      itemId: id === null ? this.madeUpItem() : this.calls.nextItemId(id),
      type,
      name: "",
      turnId: null,
      content: {},
      state: "open",
      begunBy: [witness],
      hasItem: false,
      isScript: false,
      isShown: true,
      output: null,
      session: null,
      weight: this.place.text?.length ?? 256,
    };
    this.calls.add(call);
    return { call, isNew: true };
  }

  /** Makes a call that is known by its end: what tells of its beginning may still come. */
  endedCall(callId: string | null | undefined, type: string): Call {
    const { call } = this.beginCall(callId, "event", type);
    call.begunBy.length = 0;
    return call;
  }

  /**
   * Takes the first thing of a type in the turn that only the other witness has told, in
   * paginated files, whose witnesses have no id in common for some things.
   *
   * @returns The id of its item; `undefined` if there is none.
   */
  takeLoose(itemType: string, witness: Witness): string | undefined {
    const loose = this.loose.get(itemType);
    const at = loose?.findIndex(([first]) => first !== witness) ?? -1;
    return at === -1 ? undefined : loose?.splice(at, 1)[0]?.[1];
  }

  /** Takes note of a thing that only one witness has told so far. */
  noteLoose(itemType: string, witness: Witness, itemId: string): void {
    if (this.mode !== "paginated") return;
    const loose = this.loose.get(itemType);
    if (loose === undefined) this.loose.set(itemType, [[witness, itemId]]);
    else if (loose.length < MAX_LOOSE) loose.push([witness, itemId]);
  }

  /** Tells that a call begins, and notes what is known of it. */
  startCall(
    call: Call,
    type: string,
    content: Fields,
    options: ItemOptions = {},
  ): void {
    call.type = type;
    call.content = content;
    this.#item("item.started", type, "content", content, options, call);
    // Now the turn has begun that it belongs to.
    call.turnId ??= this.turnId;
  }

  /** Tells that a call is over. */
  completeCall(
    call: Call,
    content: Fields,
    options: ItemOptions = {},
  ): void {
    const { type } = call;
    this.#item("item.completed", type, "content", content, options, call);
    this.dropDecoders(call);
    this.calls.close(call);
  }
}

/** How many values of arguments are looked at for numbers. */
const MAX_LOOKS = 1000;

/** Whether numbers, or the order of keys, may have lost how they were spelled. */
function mayBeRespelled(args: unknown): boolean {
  let looks = 0;
  const hasNumber = (value: unknown): boolean => {
    looks += 1;
    if (looks > MAX_LOOKS || typeof value === "number") return true;
    if (Array.isArray(value)) return value.some(hasNumber);
    return isObject(value) &&
      Object.entries(value).some(([name, each]) =>
        INDEX_REGEXP.test(name) || hasNumber(each)
      );
  };
  return hasNumber(args);
}

/** Keys that JavaScript puts before all others. */
const INDEX_REGEXP = /^(?:0|[1-9]\d{0,9})$/;

function turnOf(saved: unknown): SessionContext["turn"] {
  return saved === "prompted" || saved === "open" || saved === "begun"
    ? saved
    : "none";
}
