/**
 * The rules for what `codex app-server` writes, and what its clients write to it: JSON-RPC
 * without `"jsonrpc"`, one message a line, any number of threads among one another.
 *
 * What is told of a thread becomes an event of that thread, by the ids in the line itself: no
 * line belongs to what the line before belonged to. All other messages stay what they are.
 */

import type { FailureReason } from "../../errors.ts";
import { ByteWriter } from "../../json/byte_writer.ts";
import { COMMA, LF, OPEN_BRACE } from "../../json/bytes.ts";
import {
  FALSE_VALUE,
  lasting,
  sliceOf,
  stringValue,
  TRUE_VALUE,
  wordValue,
} from "../../json/literal.ts";
import { listOf, writeKey, writeNode } from "../../json/object_writer.ts";
import { JsonReader } from "../../json/reader.ts";
import type {
  ContextChanges,
  RecordContext,
  Slots,
} from "../../json/record_watch.ts";
import {
  savedCount,
  savedField,
  savedPairs,
  savedText,
  valueOf,
} from "../../json/saved.ts";
import { decodeUtf8 } from "../../json/utf8.ts";
import {
  JsonJoined,
  JsonList,
  type JsonNode,
  JsonObject,
  JsonSlice,
  KIND_WORDS,
} from "../../json/value.ts";
import { trimBlank } from "../../lines/blank.ts";
import { RecordRules, unnormalizable } from "../../lines/record_rules.ts";
import { EventWriter } from "../exec/event_writer.ts";
import { ExecRules, type InitialContext } from "../exec/exec_rules.ts";
import type { EventType } from "../exec/events.ts";

// The items of an app-server: what each kind is called in events, and what its content is.

const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;
const PLAIN_WORD_REGEXP = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Spells a name of the app-server as events do: in snake case. */
function snakeCase(name: string): string {
  let spelled = "";
  let from = 0;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code < UPPER_A || code > UPPER_Z) continue;
    spelled += name.slice(from, at) + (at === 0 ? "" : "_") +
      String.fromCharCode(code + TO_LOWER);
    from = at + 1;
  }
  return from === 0 ? name : spelled + name.slice(from);
}

/** Spells the method of a notification as the type of an item: `thread/name/updated`. */
function itemTypeOfMethod(method: string): string {
  return method.split("/").map(snakeCase).join("_");
}

/** Spells a value as events do, if it is a word; a value of another kind stays what it is. */
function snakeWord(reader: JsonReader, value: JsonNode): JsonNode {
  if (!(value instanceof JsonSlice) || value.kind !== "string") return value;
  const word = reader.wordOf(value) ?? "";
  const spelled = snakeCase(word);
  return spelled === word || !PLAIN_WORD_REGEXP.test(spelled)
    ? value
    : wordValue(spelled);
}

/** Takes the content of an item out of its fields, and corrects what is left of them. */
type Shape = (reader: JsonReader, item: JsonObject) => JsonObject | undefined;

/** A kind of item. */
interface ItemKind {
  /** What it is called in events. */
  readonly itemType: string;
  /** What its content begins with; all that is left of its fields follows. */
  readonly shape?: Shape;
  /** Whether its fields stand beside its type, as exec has them. */
  readonly isFlat?: true;
}

/** The kinds whose content is known; others are called what they are called, in snake case. */
const KINDS = new Map<string, ItemKind>([
  ["agentMessage", { itemType: "agent_message", shape: moved(["text"]) }],
  ["userMessage", { itemType: "user_message", shape: userMessage }],
  ["reasoning", { itemType: "reasoning", shape: reasoning }],
  ["commandExecution", { itemType: "command_execution", shape: command }],
  ["fileChange", { itemType: "file_change", shape: fileChange }],
  ["mcpToolCall", { itemType: "mcp_tool_call", shape: mcpToolCall }],
  ["webSearch", { itemType: "web_search", shape: webSearch }],
  ["collabAgentToolCall", {
    itemType: "collab_tool_call",
    shape: collabCall,
    isFlat: true,
  }],
]);

/** Which field of a part of a prompt has what it is. */
const PARTS = new Map([
  ["text", "text"],
  ["image", "url"],
  ["localImage", "path"],
]);
/** What the app-server writes between a diff and the path that the file is moved to. */
const MOVED_TO = new TextEncoder().encode("\\n\\nMoved to: ");
const EMPTY = stringValue("");
const FAILED = wordValue("failed");
const OTHER_ACTION = new JsonObject();
OTHER_ACTION.set("type", wordValue("other"));

function itemKindOf(type: string): ItemKind {
  return KINDS.get(type) ?? { itemType: snakeCase(type) };
}

/** Makes the content of fields whose names are the same there, or are given with the others. */
function moved(
  names: readonly (string | readonly [from: string, to: string])[],
): (reader: JsonReader, item: JsonObject) => JsonObject {
  return (_reader, item) => {
    const content = new JsonObject();
    for (const name of names) {
      const [from, to] = typeof name === "string" ? [name, name] : name;
      const value = item.take(from);
      if (value !== undefined) content.set(to, value);
    }
    return content;
  };
}

const MOVED_COMMAND = moved([
  "command",
  ["exitCode", "exit_code"],
  ["aggregatedOutput", "stdout"],
]);

function command(reader: JsonReader, item: JsonObject): JsonObject {
  const content = MOVED_COMMAND(reader, item);
  const actions = item.take("commandActions");
  if (actions !== undefined) {
    content.set("parsed_cmd", parsedCommands(reader, actions));
  }
  // exec says of a command without output that it is empty.
  if (content.live("stdout") === undefined) content.set("stdout", EMPTY);
  return content;
}

/** What a command does, as session files say it. */
function parsedCommands(reader: JsonReader, actions: JsonNode): JsonNode {
  if (!(actions instanceof JsonSlice) || actions.kind !== "array") {
    return actions;
  }
  const parsed: JsonNode[] = [];
  for (const action of reader.elements(actions)) {
    if (action.kind !== "object") {
      parsed.push(action);
      continue;
    }
    const members = reader.members(action);
    const type = members.get("type");
    if (type !== undefined) members.set("type", snakeWord(reader, type));
    if (!members.has("cmd")) members.rename("command", "cmd");
    parsed.push(members);
  }
  return new JsonList(parsed);
}

const MOVED_CALL = moved([
  ["server", "server_name"],
  ["tool", "tool_name"],
  "arguments",
  "result",
  "error",
]);

function mcpToolCall(reader: JsonReader, item: JsonObject): JsonObject {
  const content = MOVED_CALL(reader, item);
  const result = content.get("result");
  if (result?.kind !== "object") return content;
  const members = reader.members(result);
  if (!members.has("structured_content")) {
    members.rename("structuredContent", "structured_content");
  }
  if (members.get("_meta")?.kind === "null") members.take("_meta");
  content.set("result", members);
  return content;
}

function collabCall(reader: JsonReader, item: JsonObject): undefined {
  const tool = item.get("tool");
  if (tool !== undefined) item.set("tool", snakeWord(reader, tool));
}

function webSearch(reader: JsonReader, item: JsonObject): JsonObject {
  const content = new JsonObject();
  content.set("query", item.take("query") ?? EMPTY);
  const action = item.take("action");
  if (action?.kind !== "object") {
    content.set("action", OTHER_ACTION);
    if (action !== undefined && action.kind !== "null") {
      item.set("wireAction", action);
    }
  } else {
    const members = reader.members(action);
    for (let place = 0; place < members.size; place++) {
      const value = members.valueAt(place);
      if (value?.kind === "null") members.take(members.nameAt(place));
    }
    const type = members.get("type");
    if (type !== undefined) members.set("type", snakeWord(reader, type));
    content.set("action", members);
  }
  const results = item.take("results");
  if (results !== undefined) content.set("results", results);
  return content;
}

/** What a user said and attached, and the parts of the prompt as they came. */
function userMessage(reader: JsonReader, item: JsonObject): JsonObject {
  const parts = item.take("content");
  const content = new JsonObject();
  const texts: JsonSlice[] = [];
  const images: JsonObject[] = [];
  for (const part of partsOf(reader, parts)) {
    if (part.kind !== "object") continue;
    const members = reader.members(part);
    const found = PARTS.get(reader.wordOf(members.get("type")) ?? "");
    const value = found && members.get(found);
    if (found === undefined || !(value instanceof JsonSlice)) continue;
    if (value.kind !== "string") continue;
    if (found === "text") texts.push(value);
    else {
      const image = new JsonObject();
      image.set(found, value);
      images.push(image);
    }
  }
  content.set("text", joined(texts, ""));
  if (images.length > 0) {
    content.set("images", new JsonList(images));
  }
  if (parts !== undefined) content.set("parts", parts);
  return content;
}

function reasoning(reader: JsonReader, item: JsonObject): JsonObject {
  const content = new JsonObject();
  const texts: JsonSlice[] = [];
  for (const part of partsOf(reader, item.get("summary"))) {
    if (part.kind === "string") texts.push(part);
  }
  content.set("text", joined(texts, "\n"));
  item.rename("content", "rawContent");
  return content;
}

function partsOf(
  reader: JsonReader,
  list: JsonNode | undefined,
): Iterable<JsonSlice> {
  return list instanceof JsonSlice && list.kind === "array"
    ? reader.elements(list)
    : [];
}

/** One text of several. */
function joined(texts: readonly JsonSlice[], between: string): JsonNode {
  return texts.length > 1 ? new JsonJoined(texts, between) : texts[0] ?? EMPTY;
}

function fileChange(reader: JsonReader, item: JsonObject): JsonObject {
  const content = new JsonObject();
  const status = reader.wordOf(item.get("status"));
  if (status === "declined") {
    // exec knows no other word for what did not come to pass.
    item.set("status", FAILED);
    content.set("declined", TRUE_VALUE);
  }
  const changes = item.take("changes");
  if (changes === undefined) return content;
  if (!(changes instanceof JsonSlice) || changes.kind !== "array") {
    content.set("changes", changes);
    return content;
  }
  const nodes: JsonNode[] = [];
  for (const change of reader.elements(changes)) {
    nodes.push(change.kind === "object" ? changed(reader, change) : change);
  }
  content.set("changes", new JsonList(nodes));
  return content;
}

/**
 * A change as session files have it: its kind is a word, and what the app-server calls the diff
 * of a file that is added or deleted is the content of that.
 */
function changed(reader: JsonReader, change: JsonSlice): JsonObject {
  const members = reader.members(change);
  const kind = members.get("kind");
  if (kind?.kind !== "object") return members;
  const details = reader.members(kind);
  const type = details.take("type");
  if (type === undefined) return members;
  members.set("kind", type);
  const word = reader.wordOf(type);
  const isWhole = word === "add" || word === "delete";
  if (isWhole && !members.has("content")) members.rename("diff", "content");
  for (let place = 0; place < details.size; place++) {
    const value = details.valueAt(place);
    const name = details.nameAt(place);
    if (value === undefined || value.kind === "null") continue;
    members.set(members.has(name) ? `kind_${name}` : name, value);
  }
  // Where it is moved to does not belong to the diff.
  const moved = members.get("move_path");
  const diff = reader.withoutEnd(members.get("diff"), MOVED_TO, moved);
  if (diff !== undefined) members.set("diff", diff);
  return members;
}

// The notifications of an app-server, and what becomes of each: the one place that knows them.

/** Gives the text of a parameter, if it is one. */
type TextOf = (name: string) => string | undefined;

/** What becomes of a notification. */
type Method =
  | DeltaMethod
  | NoticeMethod
  | { readonly kind: "item"; readonly type: "item.started" | "item.completed" }
  | { readonly kind: "turn"; readonly type: "turn.started" | "turn.completed" }
  | { readonly kind: "error" }
  /** A warning; the message of it. */
  | { readonly kind: "remark"; readonly messageOf: (textOf: TextOf) => string }
  | { readonly kind: "plan" }
  | { readonly kind: "usage" };

/** A piece of an item. */
interface DeltaMethod {
  readonly kind: "delta";
  readonly itemType: string;
  /** The parameter that has the piece. */
  readonly from: string;
  /** What it is called in the delta of an event. */
  readonly to: string;
}

/** Something that is an item of its own, under the name that it has always had. */
interface NoticeMethod {
  readonly kind: "notice";
  readonly itemType: string;
  /** The parameter that all of it is in, and what that is called in the event. */
  readonly field?: { readonly from: string; readonly to: string };
}

/**
 * By method. What is not here is an item, too, if it is of a thread: its type is the method in
 * snake case (`thread/name/updated`: `thread_name_updated`), its content the parameters.
 */
const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["turn/started", { kind: "turn", type: "turn.started" }],
  ["turn/completed", { kind: "turn", type: "turn.completed" }],
  ["item/started", { kind: "item", type: "item.started" }],
  ["item/completed", { kind: "item", type: "item.completed" }],
  ["item/agentMessage/delta", delta("agent_message", "text_delta")],
  ["item/plan/delta", delta("plan", "text_delta")],
  ["item/reasoning/summaryTextDelta", delta("reasoning", "text_delta")],
  // Raw thoughts are not to be taken for summaries.
  [
    "item/reasoning/textDelta",
    delta("agent_reasoning_raw_content", "text_delta"),
  ],
  ["item/commandExecution/outputDelta", delta("command_execution", "stdout")],
  ["item/fileChange/outputDelta", delta("file_change", "stdout")],
  [
    "item/mcpToolCall/progress",
    {
      kind: "delta",
      itemType: "mcp_tool_call",
      from: "message",
      to: "message",
    },
  ],
  ["item/reasoning/summaryPartAdded", notice("agent_reasoning_section_break")],
  ["item/commandExecution/terminalInteraction", notice("terminal_interaction")],
  ["item/commandExecution/requestApproval", notice("exec_approval_request")],
  ["item/fileChange/requestApproval", notice("apply_patch_approval_request")],
  ["turn/plan/updated", { kind: "plan" }],
  ["turn/diff/updated", {
    kind: "notice",
    itemType: "turn_diff",
    field: { from: "diff", to: "unified_diff" },
  }],
  ["thread/tokenUsage/updated", { kind: "usage" }],
  ["thread/compacted", notice("context_compacted")],
  ["error", { kind: "error" }],
  ["warning", {
    kind: "remark",
    messageOf: (textOf) => textOf("message") ?? "",
  }],
  ["configWarning", { kind: "remark", messageOf: summarized }],
  ["deprecationNotice", { kind: "remark", messageOf: summarized }],
  ["model/rerouted", {
    kind: "remark",
    messageOf: (textOf) =>
      `model rerouted: ${textOf("fromModel") ?? ""} -> ${
        textOf("toModel") ?? ""
      } (${textOf("reason") ?? ""})`,
  }],
]);

/** Requests of the server begin with this, others are of the client. */
const SERVER_REQUESTS = "item/";
/** But for this one. */
const ELICITATION = "mcpServer/elicitation/request";

/** Tells whether a request is one that the server sends: those tell something of a thread. */
function isServerRequest(method: string): boolean {
  return method.startsWith(SERVER_REQUESTS) || method === ELICITATION;
}

/** A message as exec says it: with its details behind it. */
function withDetails(text: string, details: string | undefined): string {
  return details === undefined || details === ""
    ? text
    : `${text} (${details})`;
}

function delta(itemType: string, to: string): DeltaMethod {
  return { kind: "delta", itemType, from: "delta", to };
}

function notice(itemType: string): NoticeMethod {
  return { kind: "notice", itemType };
}

function summarized(textOf: TextOf): string {
  return withDetails(textOf("summary") ?? "", textOf("details"));
}

// What is remembered of the threads of an app-server.

/**
 * How many threads are remembered. The one that has been idle for longest is forgotten: if it
 * goes on, its turns end without the tokens that were counted before.
 */
const MAX_THREADS = 4096;

/** What is remembered of a thread. */
interface ThreadMemory {
  /** Whether it has been said that it begins. */
  isStarted: boolean;
  /** What it has used so far, as exec says it. */
  usage: JsonSlice | undefined;
  /** The turn whose plan has been told. */
  planTurn: string | undefined;
}

/** The threads, in the order in which something was last told of them. */
class Threads {
  readonly #threads = new Map<string, ThreadMemory>();
  #last: ThreadMemory | undefined;

  find(id: string): ThreadMemory | undefined {
    return this.#threads.get(id);
  }

  of(id: string): ThreadMemory {
    const known = this.#threads.get(id);
    if (known !== undefined) {
      if (known === this.#last) return known;
      this.#threads.delete(id);
    }
    const memory = known ??
      {
        isStarted: false,
        usage: undefined,
        planTurn: undefined,
      };
    this.#last = memory;
    this.#threads.set(id, memory);
    if (this.#threads.size > MAX_THREADS) {
      const [oldest] = this.#threads.keys();
      if (oldest !== undefined) this.#threads.delete(oldest);
    }
    return memory;
  }

  clear(): void {
    this.#threads.clear();
    this.#last = undefined;
  }

  save(): unknown {
    return [...this.#threads].map(([id, memory]) => {
      const { isStarted, planTurn, usage } = memory;
      return [id, {
        started: isStarted,
        usage: usage === undefined
          ? null
          : decodeUtf8(usage.bytes, usage.start, usage.end),
        plan_turn: planTurn ?? null,
      }];
    });
  }

  load(saved: unknown): void {
    this.clear();
    for (const [id, memory] of savedPairs({ threads: saved }, "threads")) {
      const usage = valueOf(savedText(memory, "usage") ?? "");
      const thread = this.of(id);
      thread.isStarted = savedField(memory, "started") === true;
      thread.usage = usage?.kind === "object" ? usage : undefined;
      thread.planTurn = savedText(memory, "plan_turn");
    }
  }
}

/** The methods of the protocol before, whose events come again in the one of today (0.98). */
const TWIN = "codex/event/";
/** The event of the protocol before, where it comes alone: `codex mcp-server`. */
const BARE_EVENT = "codex/event";
/** Of how many threads of `codex mcp-server` is remembered what is open. */
const MAX_EVENT_THREADS = 16;

/** The names that events give a meaning: fields of an item that have them get another one. */
const TAKEN: ReadonlySet<string> = new Set([
  "type",
  "thread_id",
  "turn_id",
  "item_id",
  "item_type",
  "index",
  "status",
  "content",
  "delta",
  "snapshot",
  "item",
  "id",
]);

/** What lines leave behind, for those who repeat what was done with them. */
class ServerContext implements RecordContext {
  readonly rules = ServerContext;
  readonly #threads: Threads;
  #count = 0;
  #slots: readonly [JsonSlice] = [FIRST_ITEM];

  constructor(threads: Threads) {
    this.#threads = threads;
  }

  /** The id of the last item that was counted. */
  get slots(): Slots {
    return this.#slots;
  }

  get counters(): readonly [number] {
    return [this.#count];
  }

  get count(): number {
    return this.#count;
  }

  take(changes: ContextChanges): void {
    const value = changes.valueOf(ITEM);
    if (!changes.isTouched(ITEM) || value === undefined) return;
    this.#count = changes.counterOf(ITEM);
    this.#slots = [value];
  }

  /** What a turn of a thread ends with, and something if the thread has been told of. */
  recall(thread: string): Slots {
    const memory = this.#threads.find(thread);
    const usage = memory?.usage;
    if (memory?.isStarted !== true) return [usage, undefined];
    // Of a thread that was seen from its beginning, no count is no tokens, as exec says.
    return [usage ?? NO_USAGE, STARTED];
  }

  note(what: number, thread: string, value: JsonSlice): void {
    const memory = this.#threads.of(thread);
    if (what === BEGINNING) memory.isStarted = true;
    else memory.usage = lasting(value);
  }

  /** Goes on behind so many items. */
  goOn(count: number): void {
    this.#count = count;
    this.#slots = [stringValue(`item_${count}`)];
  }

  next(): JsonSlice {
    this.goOn(this.#count + 1);
    return this.#slots[ITEM];
  }
}

/** The only slot that is not by thread. */
const ITEM = 0;
/** What is in it before an item has been counted. */
const FIRST_ITEM = stringValue("item_0");
/** What is noted of a thread: that it has been said that it begins, and what it has used. */
const BEGINNING = 1;
const USAGE = 2;
/** All that there is to say of a beginning. */
const NOTHING = new JsonObject();
/** The counts of tokens, as the app-server and as events call them, in the order of exec. */
const COUNTS: readonly (readonly [wire: string, name: string])[] = [
  ["inputTokens", "input_tokens"],
  ["cachedInputTokens", "cached_input_tokens"],
  ["cacheWriteInputTokens", "cache_write_input_tokens"],
  ["outputTokens", "output_tokens"],
  ["reasoningOutputTokens", "reasoning_output_tokens"],
];

/** What a thread has used so far, as exec says it. */
function usageOf(counts: JsonObject): JsonObject {
  const usage = new JsonObject();
  for (const [wire, name] of COUNTS) {
    const count = counts.live(wire);
    if (count !== undefined) usage.set(name, count);
  }
  return usage;
}

/** What a turn has used of which nothing is said: that is what exec says then. */
const NO_USAGE: JsonSlice = sliceOf(
  new TextEncoder().encode(
    `{${COUNTS.map(([, name]) => `"${name}":0`).join()}}`,
  ),
  "object",
);

/** Of how many item types the values are kept. */
const MAX_TYPES = 256;
/** Stands for a thread of which it has been said that it begins. */
const STARTED = stringValue("started");
const PLAIN_REGEXP = /^[\w.:-]*$/;
const METHOD_WORDS = new Map(METHODS);
const TOKEN_COUNT = wordValue("token_count");
/** How a turn ends that the user has interrupted. */
const INTERRUPTED = "interrupted";
const ERROR_TYPE = wordValue("error");
const TODO_LIST = wordValue("todo_list");

/** A message that tells something of a thread. */
interface Notification {
  /** The line; what is told is taken out of it. */
  readonly line: JsonObject;
  readonly params: JsonObject;
  readonly thread: JsonSlice;
  readonly method: string;
}

/** Normalizes the messages of an app-server; holds what is remembered of its threads. */
export class AppServerRules extends RecordRules {
  readonly #initial: InitialContext;
  readonly #writer: EventWriter;
  readonly #threads: Threads;
  /** For lines that have been normalized before. */
  readonly #exec: ExecRules;
  /** For the events of the protocol before, by their thread. */
  readonly #events = new Map<string, ExecRules>();
  readonly #items: ServerContext;

  /**
   * Constructs a new instance.
   *
   * @param initial The ids that hold for lines that have been normalized before.
   */
  constructor(initial: InitialContext = {}) {
    const reader = new JsonReader(4);
    const threads = new Threads();
    const items = new ServerContext(threads);
    super(reader, items);
    this.#threads = threads;
    this.#items = items;
    this.#initial = initial;
    this.#writer = new EventWriter(reader);
    this.#exec = new ExecRules(initial);
  }

  /** Forgets the stream: the next line is the first one of another. */
  override reset(): void {
    this.#threads.clear();
    this.#exec.reset();
    this.#events.clear();
    this.#items.goOn(0);
  }

  /** Writes down what later lines depend on. */
  override save(): unknown {
    return {
      threads: this.#threads.save(),
      items: this.#items.count,
      exec: this.#exec.save(),
      events: [...this.#events].map(([id, rules]) => [id, rules.save()]),
    };
  }

  /** Goes on from what was written down. */
  override load(saved: unknown): void {
    this.reset();
    this.#threads.load(savedField(saved, "threads"));
    this.#items.goOn(savedCount(saved, "items"));
    this.#exec.load(savedField(saved, "exec"));
    for (const [id, rules] of savedPairs(saved, "events")) {
      this.#eventRules(id).load(rules);
    }
  }

  /** Makes a record of a line. */
  protected override record(
    root: JsonSlice,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    if (line.has("type") || line.has("msg")) {
      // It has been normalized before, or is of another stream of Codex.
      return this.#exec.apply(root.bytes, root.start, root.end, out)?.reason;
    }
    const name = line.get("method");
    if (name === undefined) return this.#answer(line, out);
    if (name.kind !== "string") {
      const kind = KIND_WORDS[name.kind];
      return unnormalizable(`"method" is ${kind}, expected a string`, "method");
    }
    const method = this.reader.wordOf(name) ?? "";
    const source = line.get("params");
    const isRequest = line.has("id");
    if (!(source instanceof JsonSlice) || source.kind !== "object") {
      return this.#message(isRequest, line, out);
    }
    if (method === BARE_EVENT) return this.#event(source, line, out);
    if (method.startsWith(TWIN)) return this.#message(isRequest, line, out);
    const params = this.reader.members(source);
    if (method === "thread/started" && !isRequest) {
      return this.#threadStarted(params, line, out);
    }
    const thread = this.#id(params.get("threadId"));
    if (thread === undefined || (isRequest && !isServerRequest(method))) {
      return this.#message(isRequest, line, out);
    }
    const notification = { line, params, thread, method };
    return this.#notification(notification, out);
  }

  #notification(
    notification: Notification,
    out: ByteWriter,
  ): FailureReason | undefined {
    const { method, params } = notification;
    const known = METHOD_WORDS.get(method);
    switch (known?.kind) {
      case undefined:
        break;
      case "delta":
        if (params.get("itemId")?.kind !== "string") break;
        return this.#delta(notification, known, out);
      case "item":
        if (params.get("item")?.kind !== "object") break;
        return this.#item(notification, known.type, out);
      case "turn":
        return this.#turn(notification, known.type, out);
      case "error":
        return this.#error(notification, out);
      case "remark":
        return this.#remark(notification, known.messageOf, out);
      case "plan":
        if (this.#id(params.get("turnId")) === undefined) break;
        if (params.get("plan")?.kind !== "array") break;
        return this.#plan(notification, out);
      case "usage":
        if (params.get("tokenUsage")?.kind !== "object") break;
        return this.#usage(notification, out);
      case "notice":
        return this.#notice(notification, known, out);
    }
    return this.#notice(notification, undefined, out);
  }

  /** Leaves a message what it is. */
  #message(
    isRequest: boolean,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    this.repeatable();
    const type = isRequest ? "rpc.request" : "rpc.notification";
    return this.#writer.write(out, type, line);
  }

  /** An answer stays what it is, unless it is the first to tell of a thread. */
  #answer(line: JsonObject, out: ByteWriter): FailureReason | undefined {
    if (line.has("error")) {
      this.repeatable();
      return this.#writer.write(out, "rpc.error", line);
    }
    const result = line.get("result");
    if (result === undefined) {
      return unnormalizable(
        'it has no "method" and no "result"',
        "method",
      );
    }
    if (result.kind === "object") {
      const members = this.reader.members(result);
      const begun = this.#threadOfResult(members);
      if (begun !== undefined && this.#begins(begun.id)) {
        line.take("result");
        line.rename("id", "request_id");
        return this.#thread(begun.id, begun.thread, members, line, out);
      }
    }
    this.repeatable();
    return this.#writer.write(out, "rpc.response", line);
  }

  /**
   * The thread that an answer is of: `thread/start`, `thread/resume` and `thread/fork` have the
   * same shape. `thread/read` has it, too, and its thread need not be running.
   */
  #threadOfResult(
    result: JsonObject,
  ): { readonly id: JsonSlice; readonly thread: JsonObject } | undefined {
    const source = result.get("thread");
    if (source?.kind === "object") {
      const thread = this.reader.members(source);
      const id = this.#id(thread.get("id"));
      const status = thread.get("status");
      const state = status?.kind === "object"
        ? this.reader.wordOf(this.reader.members(status).get("type"))
        : undefined;
      return id === undefined || state === "notLoaded"
        ? undefined
        : { id, thread };
    }
    // What was called a conversation before it was called a thread (0.98).
    const id = this.#id(result.get("conversationId"));
    if (id === undefined || !result.has("rolloutPath")) return undefined;
    result.rename("rolloutPath", "path");
    return { id, thread: new JsonObject() };
  }

  #threadStarted(
    params: JsonObject,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    const source = params.get("thread");
    const thread = source?.kind === "object"
      ? this.reader.members(source)
      : undefined;
    const id = this.#id(thread?.get("id"));
    if (thread === undefined || id === undefined) {
      return this.#message(false, line, out);
    }
    // The answer to the request may have said so already.
    if (!this.#begins(id)) return this.#message(false, line, out);
    line.take("method");
    line.take("params");
    return this.#thread(id, thread, params, line, out);
  }

  /** Whether it is the first time that a thread is told of; from now on it is not. */
  #begins(thread: JsonSlice): boolean {
    const [, started] = this.recall(thread);
    if (started === undefined) this.note(BEGINNING, thread, NOTHING);
    return started === undefined;
  }

  #thread(
    id: JsonSlice,
    thread: JsonObject,
    around: JsonObject,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    this.repeatable();
    const event = new JsonObject();
    event.set("thread_id", id);
    thread.take("id");
    thread.rename("gitInfo", "git");
    around.take("thread");
    spell(thread, event, "thread_");
    for (let place = 0; place < around.size; place++) {
      const value = around.valueAt(place);
      if (value === undefined) continue;
      const name = snakeCase(around.nameAt(place));
      const known = event.get(name);
      if (known === undefined || known.kind === "null") event.set(name, value);
      else if (!this.reader.isSame(known, value)) {
        keep(event, around.nameAt(place), value, "result_");
      }
    }
    rest(line, event, "rpc_");
    return this.#writer.write(out, "thread.started", event);
  }

  #turn(
    { line, params, thread }: Notification,
    type: "turn.started" | "turn.completed",
    out: ByteWriter,
  ): FailureReason | undefined {
    const isEnd = type === "turn.completed";
    const source = params.get("turn");
    const turn = source?.kind === "object"
      ? this.reader.members(source)
      : new JsonObject();
    const id = this.#id(turn.get("id")) ?? this.#id(params.get("turnId"));
    if (id === undefined) {
      return unnormalizable(`${type} names no turn`, "params.turn.id");
    }
    this.repeatable();
    const event = new JsonObject();
    event.set("thread_id", thread);
    event.set("turn_id", id);
    turn.take("id");
    for (const name of ["threadId", "turnId", "turn"]) params.take(name);
    const status = this.reader.wordOf(turn.get("status"));
    const error = turn.get("error");
    const isFailed = isEnd && status !== "completed";
    if (isFailed) turn.take("error");
    spell(turn, event, "turn_", ["status"]);
    if (isEnd) {
      const [usage] = this.recall(thread);
      if (usage !== undefined) event.set("usage", usage);
    }
    if (isFailed) {
      const message = stringValue(status ?? "failed");
      event.set("error", this.#failure(error, message));
      if (status === INTERRUPTED) event.set("reason", message);
    }
    rest(params, event, "params_");
    line.take("method");
    line.take("params");
    rest(line, event, "rpc_");
    return this.#writer.write(out, isFailed ? "turn.failed" : type, event);
  }

  /** An error as events have it: with what exec says of it as its message. */
  #failure(error: JsonNode | undefined, otherwise: JsonSlice): JsonObject {
    const failure = new JsonObject();
    if (error?.kind !== "object") {
      failure.set("message", error?.kind === "string" ? error : otherwise);
      return failure;
    }
    const members = this.reader.members(error);
    const text = this.reader.textOf(members.get("message"));
    const details = this.reader.textOf(members.get("additionalDetails"));
    if (text !== undefined) {
      members.take("message");
      failure.set("message", stringValue(withDetails(text, details)));
    } else failure.set("message", otherwise);
    const info = members.get("codexErrorInfo");
    if (info?.kind === "string") {
      members.take("codexErrorInfo");
      failure.set("code", info);
    } else if (info?.kind === "object") {
      const kinds = this.reader.members(info);
      if (kinds.size > 0) failure.set("code", stringValue(kinds.nameAt(0)));
    }
    spell(members, failure, "error_", failure);
    return failure;
  }

  #error(
    { line, params, thread }: Notification,
    out: ByteWriter,
  ): FailureReason | undefined {
    const error = params.take("error");
    const event = this.#failure(error, stringValue("error"));
    params.take("threadId");
    event.set("thread_id", thread);
    this.#setTurn(event, params);
    spell(params, event, "params_");
    line.take("method");
    line.take("params");
    rest(line, event, "rpc_");
    return this.#writer.write(out, "error", event);
  }

  #delta(
    { line, params, thread }: Notification,
    { itemType, from, to }: DeltaMethod,
    out: ByteWriter,
  ): FailureReason | undefined {
    this.repeatable();
    const event = new JsonObject();
    params.take("threadId");
    event.set("thread_id", thread);
    this.#setTurn(event, params);
    move(params, "itemId", event, "item_id");
    event.set("item_type", typeValue(itemType));
    const delta = new JsonObject();
    move(params, from, delta, to);
    event.set("delta", delta);
    rest(params, event, "params_");
    // With it, an event without a turn is known to be of none.
    if (event.has("turn_id")) line.take("method");
    line.take("params");
    rest(line, event, "rpc_");
    return this.#write("item.delta", event, out);
  }

  #item(
    { line, params, thread, method }: Notification,
    type: "item.started" | "item.completed",
    out: ByteWriter,
  ): FailureReason | undefined {
    const { reader } = this;
    const source = params.get("item");
    const item = source === undefined
      ? new JsonObject()
      : reader.members(source);
    const id = item.get("id");
    const wireType = reader.wordOf(item.get("type"));
    if (wireType === undefined || id?.kind !== "string") {
      const message = `${method} names no item`;
      return unnormalizable(message, "params.item.id");
    }
    this.repeatable();
    params.take("item");
    const { itemType, shape, isFlat = false } = itemKindOf(wireType);
    const event = new JsonObject();
    params.take("threadId");
    event.set("thread_id", thread);
    this.#setTurn(event, params);
    item.take("id");
    item.take("type");
    event.set("item_id", id);
    event.set("item_type", typeValue(itemType));
    const content = shape?.(reader, item) ?? new JsonObject();
    const status = item.get("status");
    if (status?.kind === "string") {
      item.take("status");
      event.set("status", snakeWord(reader, status));
    }
    if (isFlat) spell(item, event, "item_");
    else {
      spell(item, content, "item_", content);
      event.set("content", content);
    }
    rest(params, event, "params_");
    // With it, an event without a turn is known to be of none.
    if (event.has("turn_id")) line.take("method");
    line.take("params");
    rest(line, event, "rpc_");
    return this.#write(type, event, out);
  }

  /** Something that is told of a thread, as an item of its own. */
  #notice(
    { line, params, thread, method }: Notification,
    known: NoticeMethod | undefined,
    out: ByteWriter,
  ): FailureReason | undefined {
    this.repeatable();
    const event = new JsonObject();
    event.set("thread_id", thread);
    params.take("threadId");
    this.#setTurn(event, params);
    event.set("item_id", this.#items.next());
    const itemType = known?.itemType ?? itemTypeOfMethod(method);
    event.set("item_type", typeValue(itemType));
    if (params.get("itemId")?.kind === "string") {
      move(params, "itemId", event, "call_id");
    }
    const content = new JsonObject();
    if (known?.field !== undefined) {
      move(params, known.field.from, content, known.field.to);
    }
    spell(params, content, "params_", content);
    event.set("content", content);
    line.rename("id", "request_id");
    line.take("params");
    rest(line, event, "rpc_");
    return this.#write("item.completed", event, out);
  }

  /** A warning, as exec says it. */
  #remark(
    { line, params, thread }: Notification,
    messageOf: (textOf: (name: string) => string | undefined) => string,
    out: ByteWriter,
  ): FailureReason | undefined {
    const message = messageOf((name) => this.reader.textOf(params.get(name)));
    const event = new JsonObject();
    event.set("thread_id", thread);
    params.take("threadId");
    this.#setTurn(event, params);
    event.set("item_id", this.#items.next());
    event.set("item_type", ERROR_TYPE);
    const content = new JsonObject();
    content.set("message", stringValue(message));
    event.set("content", content);
    if (this.reader.textOf(params.get("message")) === message) {
      params.take("message");
    }
    rest(params, event, "params_");
    line.take("params");
    rest(line, event, "rpc_");
    return this.#write("item.completed", event, out);
  }

  /** The first plan of a turn begins an item, later ones are pictures of it. */
  #plan(
    { line, params, thread }: Notification,
    out: ByteWriter,
  ): FailureReason | undefined {
    const { reader } = this;
    const plan = params.get("plan");
    const turn = this.#id(params.get("turnId"));
    if (!(plan instanceof JsonSlice) || turn === undefined) return undefined;
    const memory = this.#memory(thread);
    const turnId = reader.text(turn);
    const isFirst = memory.planTurn !== turnId;
    memory.planTurn = turnId;
    const steps: JsonNode[] = [];
    for (const element of reader.elements(plan)) {
      if (element.kind !== "object") {
        steps.push(element);
        continue;
      }
      const step = reader.members(element);
      const status = step.get("status");
      const word = reader.wordOf(status);
      step.rename("step", "title");
      step.set("completed", word === "completed" ? TRUE_VALUE : FALSE_VALUE);
      if (status !== undefined) step.set("status", snakeWord(reader, status));
      steps.push(step);
    }
    params.take("plan");
    params.take("threadId");
    const event = new JsonObject();
    event.set("thread_id", thread);
    this.#setTurn(event, params);
    // Rules that have forgotten the thread give its plan the same id again.
    event.set("item_id", stringValue(`plan-${turnId}`));
    event.set("item_type", TODO_LIST);
    const content = new JsonObject();
    content.set("items", listOf(steps));
    if (isFirst) event.set("content", content);
    else {
      event.set("snapshot", TRUE_VALUE);
      event.set("delta", content);
    }
    rest(params, event, "params_");
    // With it, an event without a turn is known to be of none.
    if (event.has("turn_id")) line.take("method");
    line.take("params");
    rest(line, event, "rpc_");
    return this.#write(isFirst ? "item.started" : "item.delta", event, out);
  }

  /** The count of tokens; what a turn ends with is the last one before. */
  #usage(
    { line, params, thread }: Notification,
    out: ByteWriter,
  ): FailureReason | undefined {
    this.repeatable();
    const { reader } = this;
    const usage = params.get("tokenUsage");
    const members = usage === undefined
      ? new JsonObject()
      : reader.members(usage);
    const total = members.get("total");
    const info = new JsonObject();
    if (total?.kind === "object") {
      members.take("total");
      const counts = reader.members(total);
      this.note(USAGE, thread, usageOf(counts));
      info.set("total_token_usage", spelled(counts));
    }
    const last = members.get("last");
    if (last?.kind === "object") {
      members.take("last");
      info.set("last_token_usage", spelled(reader.members(last)));
    }
    spell(members, info, "usage_", info);
    params.take("tokenUsage");
    const event = new JsonObject();
    event.set("thread_id", thread);
    params.take("threadId");
    this.#setTurn(event, params);
    event.set("item_id", this.#items.next());
    event.set("item_type", TOKEN_COUNT);
    const content = new JsonObject();
    content.set("info", info);
    spell(params, content, "params_", content);
    event.set("content", content);
    line.take("params");
    rest(line, event, "rpc_");
    return this.#write("item.completed", event, out);
  }

  /** An event of the protocol before, which is in no other message. */
  #event(
    source: JsonSlice,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    const { reader } = this;
    const params = reader.members(source);
    const meta = params.get("_meta");
    const about = meta?.kind === "object"
      ? reader.members(meta)
      : new JsonObject();
    const thread = this.#id(about.get("threadId"));
    const request = about.get("requestId");
    reader.looked();
    const key = thread !== undefined
      ? reader.text(thread)
      : request instanceof JsonSlice
      ? `request ${reader.source(request)}`
      : "";
    if (params.get("msg")?.kind === "object") {
      const rules = this.#eventRules(key, thread);
      const length = out.length;
      const event = withThread(source, thread);
      const range = rules.apply(event, 0, event.length - 1, out);
      if (range === undefined) return undefined;
      // An event that exec never printed stays what it is.
      out.truncate(length);
    }
    return this.#message(line.has("id"), line, out);
  }

  #eventRules(key: string, thread?: JsonSlice): ExecRules {
    const known = this.#events.get(key);
    if (known !== undefined) this.#events.delete(key);
    const initialThreadId = thread && this.reader.text(thread);
    const rules = known ?? new ExecRules({ initialThreadId });
    this.#events.set(key, rules);
    if (this.#events.size > MAX_EVENT_THREADS) {
      const [oldest] = this.#events.keys();
      if (oldest !== undefined) this.#events.delete(oldest);
    }
    return rules;
  }

  #write(
    type: EventType,
    event: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    const itemType = this.reader.wordOf(event.get("item_type"));
    return this.#writer.write(out, type, event, itemType);
  }

  #setTurn(event: JsonObject, params: JsonObject): void {
    const value = params.get("turnId");
    const turn = this.#id(value);
    if (turn !== undefined || value?.kind === "null") params.take("turnId");
    if (turn !== undefined) event.set("turn_id", turn);
  }

  #memory(thread: JsonSlice): ThreadMemory {
    return this.#threads.of(this.reader.text(thread));
  }

  /** An id: a string that is not blank, trimmed. */
  #id(value: JsonNode | undefined): JsonSlice | undefined {
    if (!(value instanceof JsonSlice) || value.kind !== "string") {
      return undefined;
    }
    const { reader } = this;
    const { bytes, start, end, escaped } = value;
    if (!escaped && isEdge(bytes[start + 1]) && isEdge(bytes[end - 2])) {
      reader.observeId(value, value);
      return value;
    }
    const text = trimBlank(reader.text(value));
    return text === "" ? undefined : stringValue(text);
  }
}

/** The values of item types that the rules name; there are as many as those. */
const TYPE_VALUES = new Map<string, JsonSlice>();

function typeValue(itemType: string): JsonSlice {
  const known = TYPE_VALUES.get(itemType);
  if (known !== undefined) return known;
  const value = PLAIN_REGEXP.test(itemType)
    ? wordValue(itemType)
    : stringValue(itemType);
  // What comes from the wire may be any word, and another one each time.
  if (TYPE_VALUES.size < MAX_TYPES) TYPE_VALUES.set(itemType, value);
  return value;
}

/** Whether a byte is no white space, whatever is beside it, and no quote. */
function isEdge(byte = 0): boolean {
  return byte > 0x20 && byte < 0x7f && byte !== 0x22;
}

/** Writes an event of the protocol of 0.43 and before with its thread in front, as a line. */
function withThread(
  { bytes, start, end }: JsonSlice,
  thread: JsonSlice | undefined,
): Uint8Array {
  const line = new ByteWriter(end - start + 64);
  line.byte(OPEN_BRACE);
  if (thread !== undefined) {
    writeKey(line, "thread_id");
    writeNode(line, thread);
    line.byte(COMMA);
  }
  line.range(bytes, start + 1, end);
  line.byte(LF);
  return line.view();
}

function move(
  from: JsonObject,
  name: string,
  to: JsonObject,
  newName: string,
): void {
  const value = from.take(name);
  if (value !== undefined) to.set(newName, value);
}

/** Sets a member under its name, or with a prefix if that is taken. */
function keep(
  event: JsonObject,
  name: string,
  value: JsonNode,
  prefix: string,
): void {
  let free = name;
  while (TAKEN.has(free) || event.has(free)) free = prefix + free;
  event.set(free, value);
}

/** Sets the members of an object as they are called on the wire. */
function rest(from: JsonObject, event: JsonObject, prefix: string): void {
  for (let place = 0; place < from.size; place++) {
    const value = from.valueAt(place);
    if (value !== undefined) keep(event, from.nameAt(place), value, prefix);
  }
}

/**
 * Sets the members of an object as events call them.
 *
 * @param free Where any name is free that is not there yet: the content of an item.
 */
function spell(
  from: JsonObject,
  to: JsonObject,
  prefix: string,
  free: JsonObject | readonly string[] = [],
): void {
  for (let place = 0; place < from.size; place++) {
    const value = from.valueAt(place);
    if (value === undefined) continue;
    const name = snakeCase(from.nameAt(place));
    const isFree = free === to ||
      (Array.isArray(free) && free.includes(name));
    if (isFree && !to.has(name)) to.set(name, value);
    else keep(to, name, value, prefix);
  }
}

/** The members of an object as events call them. */
function spelled(from: JsonObject): JsonObject {
  const to = new JsonObject();
  spell(from, to, "wire_", to);
  return to;
}

/** Says whether a record is a message of an app-server, or to one, normalized or not. */
export function isAppServerRecord(
  reader: JsonReader,
  line: JsonObject,
): boolean {
  const type = line.get("type");
  if (type !== undefined) {
    return reader.wordOf(type)?.startsWith("rpc.") === true;
  }
  if (line.has("msg")) return false;
  return line.get("method")?.kind === "string" ||
    (line.has("id") && (line.has("result") || line.has("error")));
}
