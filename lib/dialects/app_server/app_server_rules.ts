/**
 * The rules for the messages of `codex app-server` and of its clients: JSON-RPC without
 * `"jsonrpc"`, one message per line, with the messages of any number of threads mixed.
 *
 * A message about a thread becomes an event of that thread. The ids come from the line itself and
 * never from an earlier line. All other messages are passed on as they are.
 */

import type { FailureReason } from "../../errors.ts";
import { ByteWriter } from "../../json/byte_writer.ts";
import { LF } from "../../json/bytes.ts";
import {
  FALSE_VALUE,
  lasting,
  NULL_VALUE,
  objectOf,
  stringValue,
  TRUE_VALUE,
  valueOfText,
  wordValue,
} from "../../json/literal.ts";
import { fieldsOf, snakeCase, textOf } from "../../json/fields.ts";
import { writeNode } from "../../json/object_writer.ts";
import { JsonReader } from "../../json/reader.ts";
import type { ContextChanges, Slots } from "../../json/record_watch.ts";
import { savedCount, savedMap, valueOf } from "../../json/saved.ts";
import { decodeUtf8 } from "../../json/utf8.ts";
import {
  JsonList,
  type JsonNode,
  JsonObject,
  JsonSlice,
  KIND_WORDS,
} from "../../json/value.ts";
import { trimBlank } from "../../lines/blank.ts";
import {
  RecordRules,
  type StreamState,
  unnormalizable,
} from "../../lines/record_rules.ts";
import { EventWriter, itemTypeValue } from "../exec/event_writer.ts";
import { ExecRules, type InitialContext } from "../exec/exec_rules.ts";
import type { EventType } from "../exec/events.ts";

// The items of an app-server: the item type of each kind, and its content.

/** Converts a word in a member to snake case; leaves any other value as it is. */
function spellWord(reader: JsonReader, object: JsonObject, name: string): void {
  const word = reader.wordOf(object.get(name)) ?? "";
  const spelled = snakeCase(word);
  if (spelled !== word) object.set(name, stringValue(spelled));
}

/**
 * Corrects the fields of an item, and begins its content. The fields that are left follow in the
 * content, in snake case; the writer of events knows the names of exec and of its aliases.
 */
type Shape = (
  reader: JsonReader,
  item: JsonObject,
  content: JsonObject,
) => void;

/**
 * The kind of item whose type in events is not its name in snake case, and whose fields are fields
 * of the event, as in exec streams.
 */
const COLLAB_CALL = "collab_agent_tool_call";

/** The kinds with a known content, in snake case: their spelling may change. */
const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["user_message", userMessage],
  ["reasoning", reasoning],
  ["command_execution", command],
  ["file_change", fileChange],
  ["mcp_tool_call", mcpToolCall],
  ["web_search", webSearch],
  ["entered_review_mode", (_reader, item) => {
    item.rename("review", "user_facing_hint");
  }],
  ["exited_review_mode", reviewEnd],
  [COLLAB_CALL, (reader, item) => spellWord(reader, item, "tool")],
]);

/** By type of a part of a prompt, the field with its value. */
const PARTS = new Map([
  ["text", "text"],
  ["image", "url"],
  ["localImage", "path"],
]);
const EMPTY = stringValue("");
const FAILED = wordValue("failed");
/** The text of a review that ended without a result. */
const NO_REVIEW = "Reviewer failed to output a response.";
const OTHER_ACTION = objectOf("type", wordValue("other"));

function planStep(reader: JsonReader, step: JsonObject): void {
  const isDone = reader.wordOf(step.get("status")) === "completed";
  step.rename("step", "title");
  step.set("completed", isDone ? TRUE_VALUE : FALSE_VALUE);
  spellWord(reader, step, "status");
}

function command(
  reader: JsonReader,
  item: JsonObject,
  content: JsonObject,
): void {
  move(item, "commandActions", content, "parsed_cmd");
  changeEach(reader, content, "parsed_cmd", renameAction);
  // exec writes an empty output for a command without any.
  if (item.live("aggregatedOutput") === undefined) content.set("stdout", EMPTY);
}

/** Converts an action of a command to a step of the `parsed_cmd` of session files. */
function renameAction(reader: JsonReader, action: JsonObject): void {
  spellWord(reader, action, "type");
  if (!action.has("cmd")) action.rename("command", "cmd");
}

/**
 * Changes the objects in a list of an object; other elements, and a value that is no list, stay as
 * they are.
 */
function changeEach(
  reader: JsonReader,
  object: JsonObject,
  name: string,
  change: (reader: JsonReader, members: JsonObject) => void,
): void {
  const list = object.get(name);
  if (list?.kind !== "array") return;
  const nodes: JsonNode[] = [];
  for (const element of reader.elements(list)) {
    if (element.kind !== "object") nodes.push(element);
    else {
      const members = reader.members(element);
      change(reader, members);
      nodes.push(members);
    }
  }
  object.set(name, new JsonList(nodes));
}

function mcpToolCall(reader: JsonReader, item: JsonObject): void {
  const result = item.get("result");
  if (result?.kind !== "object") return;
  const members = reader.members(result);
  if (!members.has("structured_content")) {
    members.rename("structuredContent", "structured_content");
  }
  if (members.get("_meta")?.kind === "null") members.take("_meta");
  item.set("result", members);
}

function webSearch(reader: JsonReader, item: JsonObject): void {
  if (item.live("query") === undefined) item.set("query", EMPTY);
  const action = item.live("action");
  if (action === undefined) item.set("action", OTHER_ACTION);
  else if (action.kind === "object") {
    const members = reader.members(action);
    for (const [name, value] of members) {
      if (value.kind === "null") members.take(name);
    }
    spellWord(reader, members, "type");
    item.set("action", members);
  }
}

/** Tells whether a review failed, like session files. */
function reviewEnd(
  reader: JsonReader,
  item: JsonObject,
  content: JsonObject,
): void {
  if (reader.wordOf(item.get("review")) !== NO_REVIEW) return;
  content.set("review_output", NULL_VALUE);
}

/** Makes the content of a prompt: its text, its images, and its parts unchanged. */
function userMessage(
  reader: JsonReader,
  item: JsonObject,
  content: JsonObject,
): void {
  const texts: JsonSlice[] = [];
  const images: JsonObject[] = [];
  for (const part of reader.elements(item.get("content"))) {
    const members = reader.members(part);
    const found = PARTS.get(reader.wordOf(members.get("type")) ?? "");
    if (found === undefined) continue;
    const value = members.get(found);
    if (value?.kind !== "string") continue;
    if (found === "text") texts.push(value);
    else images.push(objectOf(found, value));
  }
  content.set("text", joined(reader, texts, ""));
  if (images.length > 0) content.set("images", new JsonList(images));
  move(item, "content", content, "parts");
}

/** Takes the summary as text; without one, the thoughts themselves, as in session files. */
function reasoning(
  reader: JsonReader,
  item: JsonObject,
  content: JsonObject,
): void {
  const summary = stringsIn(reader, item.get("summary"));
  const texts = summary.length > 0
    ? summary
    : stringsIn(reader, item.get("content"));
  content.set("text", joined(reader, texts, "\n"));
  item.rename("content", "rawContent");
}

function stringsIn(
  reader: JsonReader,
  list: JsonNode | undefined,
): JsonSlice[] {
  const strings: JsonSlice[] = [];
  for (const part of reader.elements(list)) {
    if (part.kind === "string") strings.push(part);
  }
  return strings;
}

/** Joins strings; a single one keeps its spelling. */
function joined(
  reader: JsonReader,
  strings: readonly JsonSlice[],
  between: string,
): JsonSlice {
  return strings.length > 1
    ? stringValue(strings.map((each) => reader.text(each)).join(between))
    : strings[0] ?? EMPTY;
}

function fileChange(
  reader: JsonReader,
  item: JsonObject,
  content: JsonObject,
): void {
  if (reader.wordOf(item.get("status")) === "declined") {
    // exec has only this status for a patch that was not applied.
    item.set("status", FAILED);
    content.set("declined", TRUE_VALUE);
  }
  changeEach(reader, item, "changes", changeFile);
}

/**
 * Converts a change to the form of session files: its kind is a word, and the `diff` of an added or
 * deleted file, which holds the content of the file, is called `content`.
 */
function changeFile(reader: JsonReader, members: JsonObject): void {
  const kind = members.get("kind");
  if (kind?.kind !== "object") return;
  const details = reader.members(kind);
  const type = details.take("type");
  if (type === undefined) return;
  members.set("kind", type);
  const word = reader.wordOf(type);
  const isWhole = word === "add" || word === "delete";
  if (isWhole && !members.has("content")) members.rename("diff", "content");
  for (const [name, value] of details) {
    if (value.kind === "null") continue;
    keep(members, name, value, "kind_", NONE_TAKEN);
  }
  // The app-server appends the new path to the diff of a file that is moved.
  const path = reader.textOf(members.get("move_path"));
  if (path === undefined) return;
  const end = `\n\nMoved to: ${path}`;
  const diff = reader.textOf(members.get("diff"));
  if (diff?.endsWith(end)) {
    members.set("diff", stringValue(diff.slice(0, -end.length)));
  }
}

// The notifications of an app-server, and the event that each becomes.

/** An increment of an item: the item type, its name in events, and its parameter. */
type Delta = readonly [itemType: string, to: string, from?: string];

/** The increments by method whose names do not follow from the method. */
const DELTAS: ReadonlyMap<string, Delta> = new Map<string, Delta>([
  // Raw thoughts have another item type than summaries.
  ["item/reasoning/textDelta", ["agent_reasoning_raw_content", "text_delta"]],
  ["item/commandExecution/outputDelta", ["command_execution", "stdout"]],
  ["item/fileChange/outputDelta", ["file_change", "stdout"]],
  ["item/mcpToolCall/progress", ["mcp_tool_call", "message", "message"]],
]);
/** All other increments: `item/agentMessage/delta`, `item/reasoning/summaryTextDelta`. */
const DELTA_REGEXP = /^item\/([^/]+)\/(?:delta|[^/]*Delta)$/;

function deltaOf(method: string): Delta | undefined {
  const delta = DELTAS.get(method);
  if (delta !== undefined) return delta;
  const [, type] = DELTA_REGEXP.exec(method) ?? [];
  return type === undefined ? undefined : [snakeCase(type), "text_delta"];
}

/** The names that session files have for fields of `gitInfo`. */
const GIT_RENAMES: ReadonlyMap<string, string> = new Map([
  ["sha", "commit_hash"],
  ["originUrl", "repository_url"],
]);

/**
 * By method of a notification that becomes an item of its own, the item type of exec and session
 * files. The type of any other is the method in snake case (`thread/name/updated`:
 * `thread_name_updated`).
 */
const NOTICES: ReadonlyMap<string, string> = new Map([
  ["item/reasoning/summaryPartAdded", "agent_reasoning_section_break"],
  ["item/commandExecution/terminalInteraction", "terminal_interaction"],
  ["item/commandExecution/requestApproval", "exec_approval_request"],
  ["item/fileChange/requestApproval", "apply_patch_approval_request"],
  ["turn/diff/updated", "turn_diff"],
  ["thread/compacted", "context_compacted"],
]);

/** Returns whether a request is one of the server: those are about a thread. */
function isServerRequest(method: string): boolean {
  return method.startsWith("item/") ||
    method === "mcpServer/elicitation/request" ||
    method === "currentTime/read";
}

/** Appends the details to a message, as exec does. */
function withDetails(text: string, details: string): string {
  return details === "" ? text : `${text} (${details})`;
}

// The state of the threads of an app-server.

/**
 * The largest number of threads with a state. Beyond it the state of the thread that was idle the
 * longest is dropped: if that thread continues, its turns end without the tokens that were counted
 * before.
 */
const MAX_THREADS = 4096;
/** Longer ids and counts are not stored: a hostile stream may have thousands of a megabyte each. */
const MAX_STORED = 1024;

interface ThreadMemory {
  /** Whether its `thread.started` has been written. */
  isStarted: boolean;
  /** The tokens that it has used so far, in the form of exec. */
  usage: JsonSlice | undefined;
  /** The turn whose plan has begun as an item. */
  planTurn: string | undefined;
}

/**
 * The prefix of methods of the old protocol. From 0.64 to 0.104, such events are sent twice, also in
 * the current protocol.
 */
const TWIN = "codex/event/";
/** The release of the server, behind the name of a client if there is one: `codex_vscode/0.47.0 (…`. */
const AGENT_REGEXP = /^(?:[^/]*\/)?0\.(\d+)\./;
/** The first of these releases whose messages in the current protocol name their thread. */
const FIRST_WITH_THREADS = 64;
/** The method of an event of the old protocol that is sent only once, by `codex mcp-server`. */
const BARE_EVENT = "codex/event";
/** The fields of each such message, which say nothing more than its event. */
const EVENT_NAMES: ReadonlySet<string> = new Set([
  "jsonrpc",
  "method",
  "params",
]);
/**
 * The largest number of threads of `codex mcp-server` with rules of their own. Beyond it those of
 * the thread that was idle the longest are dropped: if it continues, its turn and its calls are new.
 */
const MAX_EVENT_THREADS = 16;
/** The largest number of requests whose thread is known. */
const MAX_REQUESTS = 256;

/** The names that have a meaning in events: a field of an item with such a name gets a prefix. */
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
const TAKEN_IN_TURN: ReadonlySet<string> = new Set(
  [...TAKEN].filter((name) => name !== "status"),
);
/** In the content of an item, no name has a meaning. */
const NONE_TAKEN: ReadonlySet<string> = new Set();

/**
 * The state of an app-server that its messages depend on and change: its threads, the one that was
 * used last at the end, and the number of the last item without an id.
 */
class ServerState implements StreamState {
  /**
   * Whether events of the old protocol are the only ones that name their thread; `undefined` before
   * the first one. It never becomes true after such an event was passed on as a message.
   */
  isOld: boolean | undefined;
  readonly #threads = new Map<string, ThreadMemory>();
  #last: ThreadMemory | undefined;
  #count = 0;
  #slots: readonly [JsonSlice] = [FIRST_ITEM];

  of(id: string): ThreadMemory {
    const known = this.#threads.get(id);
    if (known !== undefined && known === this.#last) return known;
    const memory = known ??
      { isStarted: false, usage: undefined, planTurn: undefined };
    this.#last = memory;
    if (id.length <= MAX_STORED) {
      setNewest(this.#threads, id, memory, MAX_THREADS);
    }
    return memory;
  }

  save(): object {
    const threads = [...this.#threads].map(([id, memory]) => {
      const { isStarted, planTurn, usage } = memory;
      return [id, {
        started: isStarted,
        usage: usage === undefined
          ? null
          : decodeUtf8(usage.bytes, usage.start, usage.end),
        plan_turn: planTurn ?? null,
      }];
    });
    return { threads, items: this.#count };
  }

  load(saved: unknown): void {
    const { threads, items } = fieldsOf(saved);
    for (const [id, memory] of savedMap(threads, textOf, fieldsOf)) {
      const usage = valueOf(textOf(memory.usage) ?? "");
      const thread = this.of(id);
      thread.isStarted = memory.started === true;
      thread.usage = usage?.kind === "object" ? usage : undefined;
      thread.planTurn = textOf(memory.plan_turn);
    }
    this.goOn(savedCount(items));
  }

  /** Plans that pass on events of the old protocol do not apply where those are the only ones. */
  get rules(): unknown {
    return `app-server ${this.isOld}`;
  }

  /** The id of the last item that was numbered. */
  get slots(): Slots {
    return this.#slots;
  }

  get counters(): readonly [number] {
    return [this.#count];
  }

  take(changes: ContextChanges): void {
    const value = changes.valueOf(ITEM);
    if (value === undefined) return;
    this.#count = changes.counterOf(ITEM);
    this.#slots = [value];
  }

  /** Returns the usage so far, and a value if the thread has begun. */
  recall(thread: string): Slots {
    const memory = this.#threads.get(thread);
    return [memory?.usage, memory?.isStarted ? STARTED : undefined];
  }

  note(kind: number, thread: string, value: JsonSlice): void {
    const memory = this.of(thread);
    if (kind === BEGINNING) memory.isStarted = true;
    else {
      const isShort = value.end - value.start <= MAX_STORED;
      memory.usage = isShort ? lasting(value) : undefined;
    }
  }

  goOn(count: number): void {
    this.#count = count;
    this.#slots = [stringValue(`item_${count}`)];
  }

  nextItem(): JsonSlice {
    this.goOn(this.#count + 1);
    return this.#slots[ITEM];
  }
}

/** Sets a value as the newest one; beyond the limit, the oldest one is dropped and returned. */
function setNewest<T>(
  values: Map<string, T>,
  key: string,
  value: T,
  limit: number,
): T | undefined {
  values.delete(key);
  values.set(key, value);
  if (values.size <= limit) return undefined;
  const [oldest = ""] = values.keys();
  const dropped = values.get(oldest);
  values.delete(oldest);
  return dropped;
}

/** The only slot that is not kept per thread. */
const ITEM = 0;
/** Its value before an item has been numbered. */
const FIRST_ITEM = stringValue("item_0");
/** The kinds of notes about a thread: that it has begun, and the tokens it has used. */
const BEGINNING = 1;
const USAGE = 2;
/** The note of a beginning has no content. */
const NOTHING = new JsonObject();
/** The names of the token counts in the app-server, in the order of exec. */
const COUNTS: readonly string[] = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWriteInputTokens",
  "outputTokens",
  "reasoningOutputTokens",
];

/** Converts the token counts of a thread to the form of exec. */
function usageOf(counts: JsonObject): JsonObject {
  const usage = new JsonObject();
  for (const name of COUNTS) {
    const count = counts.live(name);
    if (count !== undefined) usage.set(snakeCase(name), count);
  }
  return usage;
}

/** The usage of a turn without any count: exec writes zeros then. */
const NO_USAGE: JsonSlice = valueOfText(
  `{${COUNTS.map((name) => `"${snakeCase(name)}":0`).join()}}`,
);

const STARTED = stringValue("started");

interface Notification {
  /** The line; fields that are used are removed from it. */
  readonly line: JsonObject;
  readonly params: JsonObject;
  readonly thread: JsonSlice;
  readonly method: string;
  readonly out: ByteWriter;
}

/** Normalizes the messages of an app-server; holds the state of its threads. */
export class AppServerRules extends RecordRules {
  readonly #writer: EventWriter;
  readonly #state: ServerState;
  /** The rules for lines that are normalized already. */
  readonly #exec: ExecRules;
  /** The rules for events of the old protocol, by thread. */
  readonly #events = new Map<string, ExecRules>();
  /** The threads of such events, by the JSON text of the id of their request. */
  readonly #requests = new Map<string, string>();
  /** The largest number of items of a thread whose rules were dropped. */
  #dropped = 0;

  /** @param initial The initial ids for lines that are normalized already. */
  constructor(initial: InitialContext) {
    const reader = new JsonReader(4);
    const state = new ServerState();
    super(reader, state);
    this.#state = state;
    this.#writer = new EventWriter(reader);
    this.#exec = new ExecRules(initial);
  }

  override save(): unknown {
    return {
      ...this.#state.save(),
      exec: this.#exec.save(),
      events: [...this.#events].map(([id, rules]) => [id, rules.save()]),
      requests: [...this.#requests],
      dropped: this.#dropped,
      old: this.#state.isOld ?? null,
    };
  }

  override load(saved: unknown): void {
    super.load(saved);
    const { exec, events, requests, dropped, old } = fieldsOf(saved);
    this.#exec.load(exec);
    this.#dropped = savedCount(dropped);
    this.#state.isOld = typeof old === "boolean" ? old : undefined;
    for (const [id, rules] of savedMap(events, textOf, fieldsOf)) {
      this.#eventRules(id).load(rules);
    }
    for (const [request, thread] of savedMap(requests, textOf, textOf)) {
      this.#requests.set(request, thread);
    }
  }

  protected override record(
    root: JsonSlice,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    if (line.has("type") || line.has("msg")) {
      // It is normalized already, or comes from another stream of Codex.
      return this.#exec.apply(root.bytes, root.start, root.end, out)?.reason;
    }
    const name = line.get("method");
    if (name === undefined) return this.#answer(line, out);
    const method = this.reader.wordOf(name);
    if (method === undefined) {
      const kind = KIND_WORDS[name.kind];
      return unnormalizable(`"method" is ${kind}, expected a string`, "method");
    }
    const source = line.get("params");
    if (source?.kind !== "object") return this.#message(line, out);
    const isTwin = method.startsWith(TWIN);
    if (method === BARE_EVENT || (isTwin && this.#state.isOld === true)) {
      return this.#event(source, line, out);
    }
    if (isTwin) {
      this.#state.isOld = false;
      return this.#message(line, out);
    }
    const params = this.reader.members(source);
    if (method === "thread/started") {
      return this.#threadStarted(params, line, out);
    }
    const thread = this.#id(params.get("threadId"));
    if (thread === undefined || (line.has("id") && !isServerRequest(method))) {
      return this.#message(line, out);
    }
    return this.#notification({ line, params, thread, method, out });
  }

  /**
   * Makes the event of a notification of a thread: by default, an item with its parameters as
   * content.
   */
  #notification(notification: Notification): FailureReason | undefined {
    const { method, params } = notification;
    switch (method) {
      case "turn/started":
        return this.#turn(notification, "turn.started");
      case "turn/completed":
        return this.#turn(notification, "turn.completed");
      case "item/started":
      case "item/completed":
        if (params.get("item")?.kind !== "object") break;
        return this.#item(notification);
      case "turn/plan/updated":
        return this.#plan(notification);
      case "thread/tokenUsage/updated":
        if (params.get("tokenUsage")?.kind !== "object") break;
        return this.#usage(notification);
      case "thread/settings/updated":
        if (params.get("threadSettings")?.kind !== "object") break;
        return this.#settings(notification);
      case "error":
        return this.#error(notification);
      case "warning":
      case "guardianWarning":
        return this.#remark(notification, this.#text(params, "message"));
      case "configWarning":
      case "deprecationNotice": {
        const details = this.#text(params, "details");
        const message = withDetails(this.#text(params, "summary"), details);
        return this.#remark(notification, message);
      }
      case "model/rerouted": {
        const [from, to, reason] = ["fromModel", "toModel", "reason"]
          .map((name) => this.#text(params, name));
        const message = `model rerouted: ${from} -> ${to} (${reason})`;
        return this.#remark(notification, message);
      }
    }
    const delta = deltaOf(method);
    return delta !== undefined && params.get("itemId")?.kind === "string"
      ? this.#delta(notification, delta)
      : this.#notice(notification);
  }

  #text(members: JsonObject, name: string): string {
    return this.reader.textOf(members.get(name)) ?? "";
  }

  #message(line: JsonObject, out: ByteWriter): FailureReason | undefined {
    const type = line.has("id") ? "rpc.request" : "rpc.notification";
    return this.#pass(type, line, out);
  }

  #pass(
    type: EventType,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    this.repeatable();
    return this.#writer.write(out, type, line);
  }

  /** Passes an answer on as it is, unless it is the first message of a thread. */
  #answer(line: JsonObject, out: ByteWriter): FailureReason | undefined {
    if (line.has("error")) return this.#pass("rpc.error", line, out);
    const result = line.get("result");
    if (result === undefined) {
      return unnormalizable('it has no "method" and no "result"', "method");
    }
    if (result.kind === "object") {
      const members = this.reader.members(result);
      const server = this.reader.members(members.get("serverInfo"));
      // Up to 0.42, the server is `codex mcp`.
      const release = members.get("userAgent") ?? server.get("version");
      this.#hear(this.reader.textOf(release));
      const begun = this.#threadOfResult(members);
      if (begun !== undefined && this.#begins(begun.id)) {
        line.take("result");
        line.rename("id", "request_id");
        return this.#thread(begun.id, begun.thread, members, line, out);
      }
    }
    return this.#pass("rpc.response", line, out);
  }

  /** Notes whether the server is one of the releases that name threads only in old events. */
  #hear(userAgent: string | undefined): void {
    if (userAgent === undefined) return;
    const [, release] = AGENT_REGEXP.exec(userAgent) ?? [];
    const isOld = Number(release) < FIRST_WITH_THREADS;
    if (!isOld || this.#state.isOld === undefined) this.#state.isOld = isOld;
  }

  /**
   * Returns the thread that an answer names. `thread/start`, `thread/resume` and `thread/fork` have
   * the same result; so has `thread/read`, whose thread may not be loaded.
   */
  #threadOfResult(
    result: JsonObject,
  ): { readonly id: JsonSlice; readonly thread: JsonObject } | undefined {
    const source = result.get("thread");
    if (source?.kind === "object") {
      const thread = this.reader.members(source);
      const id = this.#id(thread.get("id"));
      const status = this.reader.members(thread.get("status"));
      const state = this.reader.wordOf(status.get("type"));
      return id === undefined || state === "notLoaded"
        ? undefined
        : { id, thread };
    }
    // In 0.98 a thread is still called a conversation. Up to 0.29 the answer has no path.
    const id = this.#id(result.get("conversationId"));
    if (id === undefined || !result.has("model")) return undefined;
    result.rename("rolloutPath", "path");
    return { id, thread: new JsonObject() };
  }

  #threadStarted(
    params: JsonObject,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    const thread = this.reader.members(params.get("thread"));
    const id = this.#id(thread.get("id"));
    // The answer to the request may have begun the thread already.
    if (id === undefined || !this.#begins(id)) {
      return this.#message(line, out);
    }
    line.take("method");
    line.take("params");
    return this.#thread(id, thread, params, line, out);
  }

  /**
   * Returns whether a message is the first one of a thread, and notes that the thread has begun.
   */
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
    const event = objectOf("thread_id", id);
    thread.take("id");
    const git = thread.get("gitInfo");
    if (git?.kind === "object") {
      const members = this.reader.members(git);
      for (const [name, current] of GIT_RENAMES) {
        if (!members.has(current)) members.rename(name, current);
      }
      thread.set("gitInfo", members);
    }
    thread.rename("gitInfo", "git");
    around.take("thread");
    spell(thread, event, "thread_");
    for (const [wireName, value] of around) {
      const name = snakeCase(wireName);
      const known = event.get(name);
      if (known?.kind === "null") event.set(name, value);
      else if (known === undefined || !this.reader.isSame(known, value)) {
        keep(event, name, value, "result_");
      }
    }
    rest(line, event, "rpc_");
    return this.#writer.write(out, "thread.started", event);
  }

  #turn(
    notification: Notification,
    type: "turn.started" | "turn.completed",
  ): FailureReason | undefined {
    const { line, params, thread } = notification;
    const isEnd = type === "turn.completed";
    const turn = this.reader.members(params.get("turn"));
    const own = this.#id(turn.get("id"));
    const id = own ?? this.#id(params.get("turnId"));
    if (id === undefined) {
      return unnormalizable(`${type} names no turn`, "params.turn.id");
    }
    this.repeatable();
    const event = objectOf("thread_id", thread);
    event.set("turn_id", id);
    if (own !== undefined) turn.take("id");
    else params.take("turnId");
    params.take("threadId");
    if (params.get("turn")?.kind === "object") params.take("turn");
    const status = this.reader.wordOf(turn.get("status"));
    const isFailed = isEnd && status !== "completed";
    const error = isFailed ? takeError(turn) : undefined;
    spell(turn, event, "turn_", TAKEN_IN_TURN);
    if (isEnd) {
      const [counted, started] = this.recall(thread);
      // The whole thread was seen: without a count it has used no tokens, and exec writes zeros at
      // the end of a completed turn.
      const isZero = started !== undefined && !isFailed;
      const usage = counted ?? (isZero ? NO_USAGE : undefined);
      if (usage !== undefined) replace(event, "usage", usage);
    }
    if (isFailed) {
      const message = stringValue(status ?? "failed");
      replace(event, "error", this.#failure(error, message));
      if (status === "interrupted") replace(event, "reason", message);
    }
    rest(params, event, "params_");
    line.take("method");
    return this.#write(notification, isFailed ? "turn.failed" : type, event);
  }

  /** Makes the error of an event; its message has the form of exec. */
  #failure(
    error: JsonNode | undefined,
    fallback: JsonSlice,
    taken = NONE_TAKEN,
  ): JsonObject {
    if (error?.kind !== "object") {
      return objectOf("message", error?.kind === "string" ? error : fallback);
    }
    const members = this.reader.members(error);
    const text = this.reader.textOf(members.get("message"));
    const details = this.#text(members, "additionalDetails");
    const failure = objectOf("message", fallback);
    if (text !== undefined) {
      members.take("message");
      failure.set("message", stringValue(withDetails(text, details)));
    }
    const info = members.get("codexErrorInfo");
    if (info?.kind === "string") {
      members.take("codexErrorInfo");
      failure.set("code", info);
    } else if (info?.kind === "object") {
      const kinds = this.reader.members(info);
      if (kinds.size > 0) failure.set("code", stringValue(kinds.nameAt(0)));
    }
    spell(members, failure, "error_", taken);
    return failure;
  }

  #error(notification: Notification): FailureReason | undefined {
    const { line, params } = notification;
    const fallback = stringValue("error");
    const failure = this.#failure(takeError(params), fallback, TAKEN);
    const event = this.#begin(notification, failure);
    spell(params, event, "params_");
    line.take("method");
    return this.#write(notification, "error", event);
  }

  #delta(
    notification: Notification,
    [itemType, to, from = "delta"]: Delta,
  ): FailureReason | undefined {
    const { params } = notification;
    this.repeatable();
    const event = this.#beginItem(notification);
    move(params, "itemId", event, "item_id");
    const delta = new JsonObject();
    move(params, from, delta, to);
    event.set("delta", delta);
    rest(params, event, "params_");
    return this.#write(notification, "item.delta", event, itemType);
  }

  #item(notification: Notification): FailureReason | undefined {
    const { reader } = this;
    const { params, method } = notification;
    const item = this.reader.members(params.get("item"));
    const id = item.get("id");
    const wireType = reader.wordOf(item.get("type"));
    if (wireType === undefined || id?.kind !== "string") {
      const message = `${method} names no item`;
      return unnormalizable(message, "params.item.id");
    }
    this.repeatable();
    params.take("item");
    const event = this.#beginItem(notification);
    item.take("id");
    item.take("type");
    event.set("item_id", id);
    const name = snakeCase(wireType);
    const itemType = name === COLLAB_CALL ? "collab_tool_call" : name;
    const content = new JsonObject();
    SHAPES.get(name)?.(reader, item, content);
    if (item.get("status")?.kind === "string") {
      spellWord(reader, item, "status");
      move(item, "status", event, "status");
    }
    if (name === COLLAB_CALL) spell(item, event, "item_");
    else {
      spell(item, content, "item_", NONE_TAKEN);
      event.set("content", content);
    }
    rest(params, event, "params_");
    const type = method === "item/started" ? "item.started" : "item.completed";
    return this.#write(notification, type, event, itemType);
  }

  #notice(notification: Notification): FailureReason | undefined {
    const { line, params, method } = notification;
    this.repeatable();
    const itemType = NOTICES.get(method) ??
      method.split("/").map(snakeCase).join("_");
    if (itemType === "turn_diff") params.rename("diff", "unified_diff");
    line.rename("id", "request_id");
    return this.#newItem(notification, itemType, new JsonObject());
  }

  /** Makes an `error` item of a warning, as exec does. */
  #remark(
    notification: Notification,
    message: string,
  ): FailureReason | undefined {
    const { params } = notification;
    if (this.reader.textOf(params.get("message")) === message) {
      params.take("message");
    }
    const content = objectOf("message", stringValue(message));
    return this.#newItem(notification, "error", content);
  }

  /**
   * Makes an item of a plan: the first plan of a turn starts it, later ones are snapshots of it.
   */
  #plan(notification: Notification): FailureReason | undefined {
    const { reader } = this;
    const { params, thread } = notification;
    const turn = this.#id(params.get("turnId"));
    if (turn === undefined || params.get("plan")?.kind !== "array") {
      return this.#notice(notification);
    }
    const content = new JsonObject();
    move(params, "plan", content, "items");
    changeEach(reader, content, "items", planStep);
    const memory = this.#state.of(reader.text(thread));
    const turnId = reader.text(turn);
    const isFirst = memory.planTurn !== turnId;
    memory.planTurn = turnId.length <= MAX_STORED ? turnId : undefined;
    const event = this.#beginItem(notification);
    // The id depends on the turn only: a plan keeps it when the state of its thread was dropped.
    event.set("item_id", stringValue(`plan-${turnId}`));
    event.set(isFirst ? "content" : "delta", content);
    if (!isFirst) event.set("snapshot", TRUE_VALUE);
    rest(params, event, "params_");
    const type = isFirst ? "item.started" : "item.delta";
    return this.#write(notification, type, event, "todo_list");
  }

  /** Makes an item of a token count, and notes the usage for the end of the turn. */
  #usage(notification: Notification): FailureReason | undefined {
    const { reader } = this;
    const { params, thread } = notification;
    this.repeatable();
    const members = this.reader.members(params.take("tokenUsage"));
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
    spell(members, info, "usage_", NONE_TAKEN);
    return this.#newItem(notification, "token_count", objectOf("info", info));
  }

  /** Makes an item of the settings with which the next turn begins. */
  #settings(notification: Notification): FailureReason | undefined {
    const { params } = notification;
    const content = spelled(this.reader.members(params.take("threadSettings")));
    return this.#newItem(notification, "turn_context", content);
  }

  /** Normalizes an event of the old protocol that no other message of its thread repeats. */
  #event(
    source: JsonNode,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    const { reader } = this;
    const params = reader.members(source);
    const msg = params.get("msg");
    const thread = this.#eventThread(params, this.reader.members(msg));
    reader.looked();
    const key = thread === undefined ? "" : reader.text(thread);
    if (msg?.kind === "object") {
      const rules = this.#eventRules(key, thread);
      const length = out.length;
      const event = eventLine(params, thread, line);
      const range = rules.apply(event, 0, event.length - 1, out);
      if (range === undefined) return undefined;
      // An event that exec never printed is passed on as a message.
      out.truncate(length);
    }
    return this.#message(line, out);
  }

  /**
   * Returns the thread of an event. Older releases (0.63) name it only in some events of a request,
   * and up to 0.57 in none of a reply: that belongs to the only thread, if there is just one. The
   * oldest (0.5) do not name the request either: their events belong to the last thread named.
   */
  #eventThread(params: JsonObject, msg: JsonObject): JsonSlice | undefined {
    const about = this.reader.members(params.get("_meta"));
    const request = about.get("requestId");
    const conversation = this.#id(params.get("conversationId"));
    if (conversation !== undefined) params.take("conversationId");
    const named = conversation ?? this.#id(about.get("threadId")) ??
      this.#id(msg.get("session_id")) ?? this.#id(msg.get("thread_id"));
    const key = request instanceof JsonSlice ? this.reader.source(request) : "";
    const id = named === undefined
      ? this.#requests.get(key) ?? this.#onlyThread()
      : this.reader.text(named);
    if (id === undefined) return undefined;
    if (key.length + id.length <= MAX_STORED) {
      setNewest(this.#requests, key, id, MAX_REQUESTS);
    }
    return named ?? stringValue(id);
  }

  /** Returns the thread of all requests; `undefined` if they have several, or none. */
  #onlyThread(): string | undefined {
    const [only, ...others] = new Set(this.#requests.values());
    return others.length === 0 ? only : undefined;
  }

  #eventRules(key: string, thread?: JsonSlice): ExecRules {
    let rules = this.#events.get(key);
    if (rules === undefined) {
      const initialThreadId = thread && this.reader.text(thread);
      rules = new ExecRules({ initialThreadId });
      // If its rules were dropped, its new items get ids that it has not had.
      rules.oldItems = this.#dropped;
    }
    const dropped = setNewest(this.#events, key, rules, MAX_EVENT_THREADS);
    this.#dropped = Math.max(this.#dropped, dropped?.oldItems ?? 0);
    return rules;
  }

  /** Sets the thread and the turn that the parameters name. */
  #begin(
    { params, thread }: Notification,
    event = new JsonObject(),
  ): JsonObject {
    event.set("thread_id", thread);
    params.take("threadId");
    const turn = this.#id(params.get("turnId"));
    if (turn !== undefined) event.set("turn_id", turn);
    const isTaken = turn !== undefined || params.live("turnId") === undefined;
    if (isTaken) params.take("turnId");
    return event;
  }

  /** Begins an event of an item that has an id. */
  #beginItem(notification: Notification): JsonObject {
    const event = this.#begin(notification);
    // An event without a turn id keeps `method`, which shows that it belongs to no turn.
    if (event.has("turn_id")) notification.line.take("method");
    return event;
  }

  /**
   * Makes an item that gets a number as its id, and keeps `method`. The parameters that are left are
   * added to its content.
   */
  #newItem(
    notification: Notification,
    itemType: string,
    content: JsonObject,
  ): FailureReason | undefined {
    const { params } = notification;
    const event = this.#begin(notification);
    event.set("item_id", this.#state.nextItem());
    if (params.get("itemId")?.kind === "string") {
      move(params, "itemId", event, "call_id");
    }
    spell(params, content, "params_", NONE_TAKEN);
    event.set("content", content);
    return this.#write(notification, "item.completed", event, itemType);
  }

  /** Writes an event, with the fields that are left on the line. */
  #write(
    { line, out }: Notification,
    type: EventType,
    event: JsonObject,
    itemType?: string,
  ): FailureReason | undefined {
    line.take("params");
    rest(line, event, "rpc_");
    if (itemType !== undefined) event.set("item_type", itemTypeValue(itemType));
    return this.#writer.write(out, type, event, itemType);
  }

  /** Returns an id: a string that is not blank, trimmed. */
  #id(value: JsonNode | undefined): JsonSlice | undefined {
    if (value?.kind !== "string") return undefined;
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

/** Returns whether a byte is a visible ASCII character, which trimming keeps, but not a quote. */
function isEdge(byte = 0): boolean {
  return byte > 0x20 && byte < 0x7f && byte !== 0x22;
}

/**
 * Makes a line of an event of the protocol up to 0.43: the thread id, the parameters, and the other
 * fields of the message.
 */
function eventLine(
  params: JsonObject,
  thread: JsonSlice | undefined,
  message: JsonObject,
): Uint8Array {
  const event = new JsonObject();
  if (thread !== undefined) event.set("thread_id", thread);
  event.setAll(params);
  for (const [name, value] of message) {
    if (!EVENT_NAMES.has(name)) keep(event, name, value, "rpc_");
  }
  const line = new ByteWriter(1024);
  writeNode(line, event);
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

/** Sets a member under its name; prefixed, if that name is taken. */
function keep(
  event: JsonObject,
  name: string,
  value: JsonNode,
  prefix: string,
  taken = TAKEN,
): void {
  let free = name;
  while (taken.has(free) || event.has(free)) free = prefix + free;
  event.set(free, value);
}

/** Sets a member of the end of a turn; another value under its name, from the turn, gets a prefix. */
function replace(event: JsonObject, name: string, value: JsonNode): void {
  const other = event.take(name);
  event.set(name, value);
  if (other !== undefined) keep(event, name, other, "turn_");
}

/** Takes the error of a failure out of an object; a value that is no error stays in it. */
function takeError(from: JsonObject): JsonNode | undefined {
  const kind = from.get("error")?.kind;
  const isError = kind === "object" || kind === "string" || kind === "null";
  return isError ? from.take("error") : undefined;
}

/** Sets the members of an object under their wire names. */
function rest(from: JsonObject, event: JsonObject, prefix: string): void {
  for (const [name, value] of from) keep(event, name, value, prefix);
}

/** Sets the members of an object under their names in snake case; prefixed, if those are taken. */
function spell(
  from: JsonObject,
  to: JsonObject,
  prefix: string,
  taken = TAKEN,
): void {
  for (const [name, value] of from) {
    keep(to, snakeCase(name), value, prefix, taken);
  }
}

/** Returns the members of an object under their names in snake case. */
function spelled(from: JsonObject): JsonObject {
  const to = new JsonObject();
  spell(from, to, "wire_", NONE_TAKEN);
  return to;
}

/** Returns whether a record is a message of an app-server or of its client, normalized or not. */
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
