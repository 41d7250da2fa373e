/**
 * The old dialect, Codex 0.43 and earlier: rewrites its lines to flat lines of the current dialect
 * (normalize.md section 7).
 */

import {
  FALSE_VALUE,
  objectOf,
  stringValue,
  TRUE_VALUE,
  valueOfText,
  wordValue,
} from "../../json/literal.ts";
import { fieldsOf, parseJson, textOf, textsOf } from "../../json/fields.ts";
import { listValue } from "../../json/object_writer.ts";
import { quote } from "../../json/problems.ts";
import type { JsonReader } from "../../json/reader.ts";
import { savedCount, savedMap, valueOf } from "../../json/saved.ts";
import { type JsonNode, JsonObject, JsonSlice } from "../../json/value.ts";
import { trimBlank } from "../../lines/blank.ts";
import { unnormalizable, untyped } from "../../lines/record_rules.ts";
import { NOT_KNOWN, OLD_NOTICES, THREAD_ID_NAMES } from "./field_rules.ts";
import type { FailureReason } from "../../errors.ts";
import { bytesOfBase64, bytesOfList } from "../../json/bytes.ts";
import { Utf8Decoder } from "../../json/utf8.ts";
import { itemTypeValue } from "./event_writer.ts";

/** The type of a rewritten line, or the reason why it cannot be rewritten. */
type Rewritten = string | FailureReason;

/** The type of the line that a message becomes and, for item lines, the item type. */
type LineType = readonly [event: string, itemType?: string];

/** What each type of message becomes. The item type decides how the fields are rewritten. */
const MESSAGES: ReadonlyMap<string, LineType> = new Map(
  Object.entries<LineType>({
    session_configured: ["thread.started"],
    task_started: ["turn.started"],
    turn_started: ["turn.started"],
    task_complete: ["turn.completed"],
    turn_complete: ["turn.completed"],
    turn_aborted: ["turn.failed"],
    error: ["error"],
    user_message: ["item.completed", "user_message"],
    stream_error: ["item.completed", "error"],
    warning: ["item.completed", "error"],
    agent_message: ["item.completed", "agent_message"],
    agent_message_delta: ["item.delta", "agent_message"],
    agent_reasoning: ["item.completed", "reasoning"],
    agent_reasoning_delta: ["item.delta", "reasoning"],
    agent_reasoning_raw_content: [
      "item.completed",
      "agent_reasoning_raw_content",
    ],
    agent_reasoning_raw_content_delta: [
      "item.delta",
      "agent_reasoning_raw_content",
    ],
    exec_command_begin: ["item.started", "command_execution"],
    exec_command_output_delta: ["item.delta", "command_execution"],
    exec_command_end: ["item.completed", "command_execution"],
    patch_apply_begin: ["item.started", "file_change"],
    patch_apply_end: ["item.completed", "file_change"],
    mcp_tool_call_begin: ["item.started", "mcp_tool_call"],
    mcp_tool_call_end: ["item.completed", "mcp_tool_call"],
    web_search_begin: ["item.started", "web_search"],
    web_search_end: ["item.completed", "web_search"],
    // The first plan of a turn; later ones update its item.
    plan_update: ["item.started", "todo_list"],
  }),
);

const COMPLETED = wordValue("completed");
const FAILED = wordValue("failed");
const EMPTY_STRING = wordValue("");
const EMPTY_LIST = listValue([]);

type CallType =
  | "command_execution"
  | "file_change"
  | "mcp_tool_call"
  | "web_search";

/**
 * By item type of a call, the fields that its end leaves out, with the value of each if no begin
 * had it (P6 to P9).
 */
const CALLS: Readonly<
  Record<CallType, readonly (readonly [name: string, absent?: JsonSlice])[]>
> = {
  command_execution: [["command", EMPTY_STRING]],
  file_change: [["changes", EMPTY_LIST]],
  mcp_tool_call: [
    ["server", EMPTY_STRING],
    ["tool", EMPTY_STRING],
    ["arguments"],
  ],
  web_search: [],
};

const STREAMS = ["stdout", "stderr"] as const;

/** After a section break, the next delta of this text opens another item. */
const SECTIONED = "agent_reasoning";
const DELTA_REGEXP = /_delta$/;
/** The limit of open texts, which real streams stay below; beyond it the oldest is dropped. */
const MAX_OPEN = 256;

/** Matches a number that is zero; the digits of an exponent do not matter. */
const ZERO_REGEXP = /^[-.0]+(?:e|$)/i;

/** Sets a member to an object that holds a text; a message without a text, or with null, has none. */
function setText(
  line: JsonObject,
  name: string,
  field: string,
  text: JsonNode | undefined,
): void {
  if (text === undefined || text.kind === "null") return;
  line.set(name, objectOf(field, text));
}

/** The reason for a message that lacks a field that its type requires. */
function refused(field: string, state: string): FailureReason {
  return untyped("a message of the old dialect", `${field} is ${state}`, field);
}

/**
 * The largest number of characters stored for calls that have not ended; the oldest are dropped
 * first.
 */
const MAX_REMEMBERED = 1 << 20;

/** Stores JSON texts of open calls, by a name and the id of the call. */
class CallMemory {
  readonly #texts = new Map<string, string>();
  #size = 0;

  take(key: string): string | undefined {
    const text = this.#texts.get(key);
    if (text === undefined) return undefined;
    this.#texts.delete(key);
    this.#size -= key.length + text.length;
    return text;
  }

  set(key: string, text: string): void {
    this.take(key);
    const size = key.length + text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#size + size <= MAX_REMEMBERED) break;
      this.take(oldest);
    }
    this.#texts.set(key, text);
    this.#size += size;
  }

  clear(): void {
    this.#texts.clear();
    this.#size = 0;
  }

  save(): unknown {
    return [...this.#texts];
  }

  /** Restores the saved texts, except those that are no JSON. */
  load(saved: unknown): void {
    for (const [key, text] of savedMap(saved, textOf, textOf)) {
      if (valueOf(text) !== undefined) this.set(key, text.trim());
    }
  }
}

// The usage of a turn, which the old dialect reports in token counts (normalize.md P11).

/** The counts of a request, in the order in which their sums are written. */
const COUNTS = [
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
  "total_tokens",
] as const;
/** Longer numbers are not taken for counts: adding them up would take long. */
const PLAIN_DIGITS_REGEXP = /^[0-9]{1,1000}$/;

/** Sums up the usage of a thread until a turn ends. */
class OldUsage {
  readonly #reader: JsonReader;
  /** By name of the count, the sum over single requests. */
  readonly #sums = new Map<string, bigint>();
  /** The last reported total, as JSON text. */
  #total: string | undefined;

  constructor(reader: JsonReader) {
    this.#reader = reader;
  }

  /**
   * Reads a token count: a total replaces the stored usage, the counts of a single request are
   * added.
   */
  count(line: JsonObject): void {
    const info = line.get("info");
    if (info?.kind === "object") {
      const total = this.#reader.members(info).get("total_token_usage");
      if (total instanceof JsonSlice && total.kind === "object") {
        this.clear();
        this.#total = this.#reader.source(total);
      }
      return;
    }
    for (const name of COUNTS) {
      const value = line.get(name);
      if (!(value instanceof JsonSlice)) continue;
      const text = this.#reader.source(value);
      if (!PLAIN_DIGITS_REGEXP.test(text)) continue;
      this.#sums.set(name, (this.#sums.get(name) ?? 0n) + BigInt(text));
    }
  }

  /** Sets the usage of a line from the stored one, unless the line has its own. */
  fill(line: JsonObject): void {
    if (line.live("usage") !== undefined) return;
    const usage = new JsonObject();
    for (const name of COUNTS) {
      const sum = this.#sums.get(name);
      if (sum === undefined) continue;
      usage.set(name, valueOfText(String(sum)));
    }
    if (usage.size > 0) line.set("usage", usage);
    else if (this.#total !== undefined) {
      line.set("usage", valueOfText(this.#total));
    }
  }

  save(): unknown {
    return {
      total: this.#total ?? null,
      sums: [...this.#sums].map(([name, sum]) => [name, String(sum)]),
    };
  }

  load(saved: unknown): void {
    const { total, sums } = fieldsOf(saved);
    const text = textOf(total) ?? "";
    if (valueOf(text)?.kind === "object") this.#total = text;
    for (const [name, sum] of savedMap(sums, textOf, textOf)) {
      if (PLAIN_DIGITS_REGEXP.test(sum)) this.#sums.set(name, BigInt(sum));
    }
  }

  clear(): void {
    this.#total = undefined;
    this.#sums.clear();
  }
}

/** The members of a config line that are strings (P1). */
const CONFIG_NAMES = ["model", "provider", "workdir"] as const;

function isConfig(line: JsonObject): boolean {
  return CONFIG_NAMES.every((name) => line.get(name)?.kind === "string");
}

/** Returns whether a record without a `type` is of the old dialect. */
export function isOldRecord(line: JsonObject): boolean {
  return line.get("msg")?.kind === "object" ||
    (!line.has("type") &&
      (isConfig(line) || line.get("prompt")?.kind === "string"));
}

/** Rewrites lines of the old dialect; holds the state that depends on their order. */
export class OldDialect {
  readonly #reader: JsonReader;
  readonly #usage: OldUsage;
  /**
   * The fields of the begins of open calls; and by stream of a command, the first bytes of a
   * character that continues in the next chunk.
   */
  readonly #calls = new CallMemory();
  /** By type of text, the ids of the open items: deltas began them and no full text has ended them. */
  readonly #open = new Map<string, string[]>();
  #afterBreak = false;
  #planId: string | undefined;
  #threads = 0;
  items = 0;
  /** Whether the thread had a line of this dialect; without one there is no state. */
  isUsed = false;

  constructor(reader: JsonReader) {
    this.#reader = reader;
    this.#usage = new OldUsage(reader);
  }

  /** Returns the state as plain JSON; `null` if there is none. */
  save(): unknown {
    if (!this.isUsed && this.#threads === 0) return null;
    return {
      threads: this.#threads,
      items: this.items,
      plan_id: this.#planId ?? null,
      texts: { after_break: this.#afterBreak, open: [...this.#open] },
      calls: this.#calls.save(),
      usage: this.#usage.save(),
    };
  }

  load(saved: unknown): void {
    this.isUsed = (saved ?? null) !== null;
    const { threads, items, plan_id, texts, calls, usage } = fieldsOf(saved);
    this.#threads = savedCount(threads);
    this.items = savedCount(items);
    this.#planId = textOf(plan_id);
    const { after_break, open } = fieldsOf(texts);
    this.#afterBreak = after_break === true;
    for (const [type, ids] of savedMap(open, textOf, textsOf)) {
      this.#open.set(type, ids);
    }
    this.#calls.load(calls);
    this.#usage.load(usage);
  }

  /** Drops the state of the thread before, once a thread line has its id. */
  threadStarted(): void {
    this.turnChanged();
    this.#calls.clear();
    this.#usage.clear();
    this.items = 0;
    this.isUsed = false;
  }

  /** Drops the texts and the plan of the turn before, once a turn line has its ids. */
  turnChanged(): void {
    this.#open.clear();
    this.#afterBreak = false;
    this.#planId = undefined;
  }

  /** Rewrites a line without the key `type` in place; returns the type of the flat line. */
  rewrite(line: JsonObject): Rewritten {
    this.isUsed ||= isOldRecord(line);
    const message = line.get("msg");
    if (message !== undefined) return this.#message(line, message);
    if (isConfig(line)) return this.#config(line);
    const prompt = line.get("prompt");
    if (prompt?.kind === "string") {
      line.take("prompt");
      setText(line, "content", "text", prompt);
      setItem(line, "user_message", this.#nextId());
      return "item.completed";
    }
    return unnormalizable('it has no "type"', "type");
  }

  /** P1: sets a synthetic thread id, since none of these releases printed a session id. */
  #config(line: JsonObject): Rewritten {
    const isNamed = THREAD_ID_NAMES.some((name) =>
      trimBlank(this.#reader.textOf(line.get(name)) ?? "") !== ""
    );
    if (!isNamed) {
      this.#threads += 1;
      line.set(
        "thread_id",
        stringValue(`synthetic-thread-${this.#threads}`),
      );
    }
    return "thread.started";
  }

  #message(line: JsonObject, message: JsonNode): Rewritten {
    if (message.kind !== "object") {
      return unnormalizable('"msg" is not an object', "msg");
    }
    const fields = this.#reader.members(message);
    const type = this.#reader.wordOf(fields.take("type"));
    if (type === undefined) {
      return unnormalizable('"msg.type" is not a string', "msg.type");
    }
    line.take("msg");
    line.setAll(fields);
    const [event, itemType] = OLD_NOTICES.has(type)
      ? ["item.completed", type]
      : MESSAGES.get(type) ?? [];
    if (event !== undefined) return this.#typed(line, type, event, itemType);
    return untyped(`a message of type ${quote(type)}`, NOT_KNOWN, "msg.type");
  }

  #typed(
    line: JsonObject,
    type: string,
    event: string,
    itemType: string | undefined,
  ): Rewritten {
    switch (itemType) {
      case undefined:
        this.#turn(line, event);
        return event;
      case "command_execution":
      case "file_change":
      case "mcp_tool_call":
      case "web_search":
        return this.#call(line, event, itemType) ?? event;
      case "agent_message":
      case "reasoning":
      case "agent_reasoning_raw_content":
        setItem(line, itemType, this.#text(line, type, event));
        return event;
      case "todo_list":
        return this.#plan(line);
      case "user_message":
        setText(line, "content", "text", line.take("message"));
        break;
      case "token_count":
        this.#usage.count(line);
        break;
      case "agent_reasoning_section_break":
        this.#afterBreak = true;
        // `codex mcp-server` names the reasoning, which is another item than the break.
        line.rename("item_id", "call_id");
        break;
    }
    setItem(line, itemType, this.#nextId());
    return event;
  }

  /** Fills in what the end of a turn lacks; its begin stays as it is. */
  #turn(line: JsonObject, event: string): void {
    const isFailed = event === "turn.failed";
    if (isFailed) setText(line, "error", "message", line.take("reason"));
    if (isFailed || event === "turn.completed") this.#usage.fill(line);
  }

  /** P4, P5: a delta continues the newest open item, and a full text ends the oldest. */
  #text(line: JsonObject, type: string, event: string): string {
    const name = type.replace(DELTA_REGEXP, "");
    const open = this.#open.get(name) ?? [];
    this.#open.set(name, open);
    if (event === "item.completed") {
      const field = name === "agent_message" ? "message" : "text";
      setText(line, "content", "text", line.take(field));
      return open.shift() ?? this.#nextId();
    }
    setText(line, "delta", "text_delta", line.take("delta"));
    let id: string | undefined = open.at(-1);
    if (name === SECTIONED) {
      if (this.#afterBreak) id = undefined;
      this.#afterBreak = false;
    }
    if (id !== undefined) return id;
    id = this.#nextId();
    open.push(id);
    if (open.length > MAX_OPEN) open.shift();
    return id;
  }

  /** P6 to P9: rewrites a message of a call; the item id is its `call_id`. */
  #call(
    line: JsonObject,
    event: string,
    itemType: CallType,
  ): FailureReason | undefined {
    if (itemType === "mcp_tool_call") this.#spreadInvocation(line);
    // The id is decoded: two spellings of it are one call.
    const call = this.#reader.textOf(line.get("call_id"));
    if (call === undefined) return refused("call_id", "not a string");
    line.rename("call_id", "item_id");
    line.set("item_type", itemTypeValue(itemType));
    if (event === "item.delta") return this.#outputDelta(line, call);
    if (itemType === "file_change") {
      const reason = this.#listChanges(line);
      if (reason !== undefined) return reason;
    }
    const fields = CALLS[itemType];
    if (event === "item.started") {
      if (itemType === "web_search" && line.live("query") === undefined) {
        line.set("query", EMPTY_STRING);
      }
      for (const [name] of fields) this.#remember(line, name, call);
      return undefined;
    }
    for (const [name, absent] of fields) {
      const begun = this.#calls.take(`${name} ${call}`);
      const value = begun === undefined ? absent : valueOfText(begun);
      if (value !== undefined && line.live(name) === undefined) {
        line.set(name, value);
      }
    }
    if (itemType === "command_execution") {
      for (const stream of STREAMS) this.#calls.take(`${stream} ${call}`);
    }
    const succeeded = this.#succeeded(line, itemType);
    if (succeeded !== undefined && line.live("status") === undefined) {
      line.set("status", succeeded ? COMPLETED : FAILED);
    }
    return undefined;
  }

  /** Stores a field of a begin, in place of that of an earlier begin with the same id. */
  #remember(line: JsonObject, name: string, call: string): void {
    const key = `${name} ${call}`;
    const value = line.live(name);
    if (value instanceof JsonSlice) {
      this.#calls.set(key, this.#reader.source(value));
    } else this.#calls.take(key);
  }

  /** P6: decodes a chunk. The next chunk may complete its last character. */
  #outputDelta(line: JsonObject, call: string): FailureReason | undefined {
    const word = this.#reader.wordOf(line.take("stream"));
    const stream = STREAMS.find((one) => one === word);
    if (stream === undefined) {
      return refused("stream", 'not "stdout" or "stderr"');
    }
    const chunk = line.take("chunk");
    const bytes = chunk instanceof JsonSlice && chunk.kind === "array"
      ? bytesOfList(JSON.parse(this.#reader.source(chunk)))
      : bytesOfBase64(this.#reader.textOf(chunk));
    if (bytes === undefined) {
      return refused("chunk", "neither base64 nor a list of bytes");
    }
    const key = `${stream} ${call}`;
    const pending = bytesOfList(parseJson(this.#calls.take(key) ?? ""));
    const decoder = new Utf8Decoder(pending);
    const text = decoder.decode(bytes);
    if (decoder.pending.length > 0) {
      this.#calls.set(key, JSON.stringify(decoder.pending));
    }
    setText(line, "delta", stream, stringValue(text));
    return undefined;
  }

  /** P7: turns the map of changes into a list. */
  #listChanges(line: JsonObject): FailureReason | undefined {
    const changes = line.live("changes");
    if (changes?.kind !== "object") return undefined;
    const list: JsonObject[] = [];
    for (const [path, change] of this.#reader.members(changes)) {
      const entry = this.#change(path, change);
      if (entry === undefined) {
        return refused("changes", "not a map of paths to changes");
      }
      list.push(entry);
    }
    line.set("changes", listValue(list));
    return undefined;
  }

  /**
   * Makes an entry of a list of changes; returns nothing if the value is not a change. Its kind is
   * the key before its fields, or, from `codex mcp-server` of 0.98, the `type` among them.
   */
  #change(path: string, change: JsonNode): JsonObject | undefined {
    const entry = objectOf("path", stringValue(path));
    if (this.#reader.wordOf(change) === "delete") {
      entry.set("kind", change);
      return entry;
    }
    let fields = this.#reader.members(change);
    let kind = fields.get("type");
    if (kind?.kind === "string") fields.take("type");
    else {
      const inner = fields.valueAt(0);
      if (fields.size !== 1 || inner?.kind !== "object") return undefined;
      kind = stringValue(fields.nameAt(0));
      fields = this.#reader.members(inner);
    }
    entry.set("kind", kind);
    fields.take("path");
    fields.take("kind");
    entry.setAll(fields);
    return entry;
  }

  /** P8: moves the fields of `invocation` to the line, except `type`, which is that of the event. */
  #spreadInvocation(line: JsonObject): void {
    const invocation = line.get("invocation");
    if (invocation?.kind !== "object") return;
    line.take("invocation");
    const fields = this.#reader.members(invocation);
    fields.take("type");
    line.setAll(fields);
  }

  /** Whether a call that has ended was successful; nothing if its end does not say. */
  #succeeded(line: JsonObject, itemType: CallType): boolean | undefined {
    switch (itemType) {
      case "command_execution": {
        const code = line.get("exit_code");
        return code?.kind === "number"
          ? ZERO_REGEXP.test(this.#reader.source(code))
          : undefined;
      }
      case "file_change": {
        const success = line.get("success");
        return success?.kind === "boolean" ? this.#isTrue(success) : undefined;
      }
      case "mcp_tool_call":
        return this.#unwrapResult(line);
    }
    return undefined;
  }

  /** P8: unwraps the `{"Ok":…}` or `{"Err":…}` of a tool's result. Returns whether it is no error. */
  #unwrapResult(line: JsonObject): boolean {
    const variants = this.#reader.members(line.get("result"));
    if (variants.size !== 1) return true;
    const ok = variants.get("Ok");
    if (ok !== undefined) {
      line.set("result", ok);
      const members = this.#reader.members(ok);
      return !["isError", "is_error"].some((name) =>
        this.#isTrue(members.get(name))
      );
    }
    const error = variants.get("Err");
    if (error === undefined) return true;
    line.take("result");
    if (error.kind === "string") setText(line, "error", "message", error);
    else line.set("error", error);
    return false;
  }

  #isTrue(node: JsonNode | undefined): boolean {
    return node instanceof JsonSlice && this.#reader.source(node) === "true";
  }

  /** P10: the first plan of a turn starts an item, later ones update it with full snapshots. */
  #plan(line: JsonObject): Rewritten {
    const items = this.#todoList(line.get("plan"));
    if (items === undefined) return refused("plan", "not a list of objects");
    line.take("plan");
    line.set("items", items);
    const isFirst = this.#planId === undefined;
    this.#planId ??= this.#nextId();
    setItem(line, "todo_list", this.#planId);
    return isFirst ? "item.started" : "item.updated";
  }

  #todoList(plan: JsonNode | undefined): JsonSlice | undefined {
    if (plan?.kind !== "array") return undefined;
    const todos: JsonObject[] = [];
    for (const element of this.#reader.elements(plan)) {
      if (element.kind !== "object") return undefined;
      const step = this.#reader.members(element);
      step.rename("step", "title");
      const isDone = this.#reader.wordOf(step.get("status")) === "completed";
      step.set("completed", isDone ? TRUE_VALUE : FALSE_VALUE);
      todos.push(step);
    }
    return listValue(todos);
  }

  #nextId(): string {
    return `item_${this.items++}`;
  }
}

function setItem(line: JsonObject, itemType: string, id: string): void {
  line.set("item_id", stringValue(id));
  line.set("item_type", itemTypeValue(itemType));
}
