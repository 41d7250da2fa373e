/**
 * The old dialect, Codex 0.43 and earlier: rewrites its lines to flat lines of the current dialect
 * (normalize.md section 7).
 */

import {
  FALSE_VALUE,
  sliceAt,
  sliceOf,
  TRUE_VALUE,
  wordValue,
} from "../../json/literal.ts";
import { listOf } from "../../json/object_writer.ts";
import { quote } from "../../json/problems.ts";
import type { JsonReader } from "../../json/reader.ts";
import {
  isJsonText,
  savedCount,
  savedField,
  savedPairs,
  savedText,
  valueOf,
} from "../../json/saved.ts";
import {
  type JsonNode,
  JsonObject,
  JsonSlice,
  JsonString,
} from "../../json/value.ts";
import { trimBlank } from "../../lines/blank.ts";
import { unnormalizable } from "../../lines/record_rules.ts";
import { THREAD_ID_NAMES } from "./field_rules.ts";
import type { FailureReason } from "../../errors.ts";
import { ByteWriter } from "../../json/byte_writer.ts";
import { bytesOfBase64, bytesOfList } from "../../json/bytes.ts";
import { decodeUtf8, unfinishedBytes, Utf8Decoder } from "../../json/utf8.ts";
import { itemTypeValue, writeCommand } from "./event_writer.ts";

// Helpers for rewritten lines. New items get the ids `item_0`, `item_1`, and so on.

const ENCODER = new TextEncoder();

/** The type of a rewritten line, or the reason why it cannot be rewritten. */
type Rewritten = string | FailureReason;

/** Sets a member to an object with one text member. */
function setText(
  line: JsonObject,
  name: string,
  field: string,
  text: JsonNode | undefined,
): void {
  const object = new JsonObject();
  if (text !== undefined) object.set(field, text);
  line.set(name, object);
}

/** The reason for a message that lacks a field that its type requires. */
function refused(field: string, state: string): FailureReason {
  return {
    kind: "typed",
    message: `Cannot decode a message of the old dialect: ${field} is ${state}`,
    field,
  };
}

const ITEM_ID_REGEXP = /^item_(\d{1,15})$/;

function itemId(item: number): string {
  return `item_${item}`;
}

/** Returns the number in an item id; nothing for any other id. */
function itemOf(id: unknown): number | undefined {
  if (typeof id !== "string") return undefined;
  const [, item] = ITEM_ID_REGEXP.exec(id) ?? [];
  return item === undefined ? undefined : Number(item);
}

// Fields of the begin of a call that its end leaves out (normalize.md P6 to P8).

/** The fields that the end of a call leaves out, with the value of each if no begin had it. */
type CallType = ReadonlyMap<string, JsonSlice | undefined>;

const EMPTY_STRING = wordValue("");
const EMPTY_LIST = sliceOf(ENCODER.encode("[]"), "array");

const COMMANDS: CallType = new Map([["command", EMPTY_STRING]]);
const PATCHES: CallType = new Map([["changes", EMPTY_LIST]]);
const TOOLS: CallType = new Map([
  ["server", EMPTY_STRING],
  ["tool", EMPTY_STRING],
  ["arguments", undefined],
]);

/**
 * The largest number of characters stored for calls that have not ended; the oldest are dropped
 * first.
 */
const MAX_REMEMBERED = 1 << 20;

/** Stores values of open calls, by a name and the id of the call. */
class CallMemory<T> {
  readonly #values = new Map<string, { value: T; size: number }>();
  #size = 0;

  /** Whether the store is empty; saves making a key. */
  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  get(key: string): T | undefined {
    return this.#values.get(key)?.value;
  }

  /** Stores a value of a length, as the newest one. */
  set(key: string, value: T, length: number): void {
    this.delete(key);
    const size = key.length + length;
    for (const oldest of this.#values.keys()) {
      if (this.#size + size <= MAX_REMEMBERED) break;
      this.delete(oldest);
    }
    this.#values.set(key, { value, size });
    this.#size += size;
  }

  delete(key: string): void {
    this.#size -= this.#values.get(key)?.size ?? 0;
    this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
    this.#size = 0;
  }

  save(): unknown {
    return [...this.#values].map(([key, { value }]) => [key, value]);
  }
}

/** The key of a value of a call. Decodes the id, so that two spellings of it have one key. */
function keyOf(
  reader: JsonReader,
  name: string,
  id: JsonNode | undefined,
): string {
  return `${name} ${reader.textOf(id) ?? ""}`;
}

/** Stores fields of the begins of open calls. */
class BegunCalls {
  readonly #reader: JsonReader;
  /** The fields, as JSON text. */
  readonly #values = new CallMemory<string>();

  constructor(reader: JsonReader) {
    this.#reader = reader;
  }

  /** Stores the fields of a begin, in place of those of an earlier begin with the same id. */
  remember(line: JsonObject, type: CallType): void {
    const id = line.get("item_id");
    for (const name of type.keys()) {
      const key = keyOf(this.#reader, name, id);
      const value = line.live(name);
      if (value instanceof JsonSlice) {
        const text = decodeUtf8(value.bytes, value.start, value.end);
        this.#values.set(key, text, text.length);
      } else this.#values.delete(key);
    }
  }

  /**
   * Sets the fields that an end leaves out: from its begin, otherwise to the value in `type`. Drops
   * the begin.
   */
  complete(line: JsonObject, type: CallType): void {
    const id = line.get("item_id");
    for (const [name, absent] of type) {
      const value = this.#take(name, id) ?? absent;
      if (value !== undefined && line.live(name) === undefined) {
        line.set(name, value);
      }
    }
  }

  clear(): void {
    this.#values.clear();
  }

  save(): unknown {
    return this.#values.save();
  }

  load(saved: unknown, name: string): void {
    this.clear();
    for (const [key, text] of savedPairs(saved, name)) {
      if (typeof text !== "string" || valueOf(text) === undefined) continue;
      this.#values.set(key, text.trim(), text.length);
    }
  }

  #take(name: string, id: JsonNode | undefined): JsonSlice | undefined {
    if (this.#values.isEmpty) return undefined;
    const key = keyOf(this.#reader, name, id);
    const text = this.#values.get(key);
    if (text === undefined) return undefined;
    this.#values.delete(key);
    const bytes = ENCODER.encode(text);
    return sliceAt(bytes, 0, bytes.length);
  }
}

// Decoding the output chunks of the old dialect, base64 or lists of byte numbers, to text
// (normalize.md P6).

/** The output streams of a command. */
type StreamName = "stdout" | "stderr";
const STREAMS: readonly StreamName[] = ["stdout", "stderr"];

/** Decodes the output of the commands of one thread, each stream of each command separately. */
class ChunkDecoder {
  readonly #reader: JsonReader;
  /** The first bytes of characters that continue in the next chunk. */
  readonly #pending = new CallMemory<readonly number[]>();

  constructor(reader: JsonReader) {
    this.#reader = reader;
  }

  /**
   * Decodes one chunk. An unfinished character is completed by the next chunk.
   *
   * @returns The text, or `undefined` if the chunk is neither base64 nor a list of bytes.
   */
  decode(
    id: JsonNode | undefined,
    stream: StreamName,
    chunk: JsonNode | undefined,
  ): JsonString | undefined {
    if (!(chunk instanceof JsonSlice)) return undefined;
    const bytes = chunk.kind === "array"
      ? bytesOfList(JSON.parse(this.#reader.source(chunk)))
      : bytesOfBase64(this.#reader.textOf(chunk));
    if (bytes === undefined) return undefined;
    const key = keyOf(this.#reader, stream, id);
    const decoder = new Utf8Decoder(this.#pending.get(key));
    const text = decoder.decode(bytes);
    const { pending } = decoder;
    if (pending.length > 0) this.#pending.set(key, pending, pending.length);
    else this.#pending.delete(key);
    return new JsonString(text);
  }

  /** Drops the unfinished characters of a call that has ended. */
  end(id: JsonNode | undefined): void {
    if (this.#pending.isEmpty) return;
    for (const stream of STREAMS) {
      this.#pending.delete(keyOf(this.#reader, stream, id));
    }
  }

  clear(): void {
    this.#pending.clear();
  }

  save(): unknown {
    return this.#pending.save();
  }

  load(saved: unknown, name: string): void {
    this.clear();
    for (const [key, pending] of savedPairs(saved, name)) {
      const bytes = bytesOfList(pending);
      // `save` writes only the beginnings of characters: anything else was changed since.
      if (bytes === undefined || unfinishedBytes(bytes) !== bytes.length) {
        continue;
      }
      this.#pending.set(key, [...bytes], bytes.length);
    }
  }
}

// The calls of the old dialect: commands, patches, tools and searches. Their ends leave out fields
// of their begins (normalize.md P6 to P9).

const COMPLETED = wordValue("completed");
const FAILED = wordValue("failed");
const DELETE = "delete";
/** The buffer's capacity in bytes, enough for most commands. */
const KEPT_TEXT = 1 << 12;

/** Rewrites the messages of calls; stores the fields of those that are open. */
class OldCalls {
  readonly #reader: JsonReader;
  readonly #chunks: ChunkDecoder;
  readonly #begun: BegunCalls;
  readonly #text = new ByteWriter(KEPT_TEXT);

  constructor(reader: JsonReader) {
    this.#reader = reader;
    this.#chunks = new ChunkDecoder(reader);
    this.#begun = new BegunCalls(reader);
  }

  save(): unknown {
    return { begun: this.#begun.save(), chunks: this.#chunks.save() };
  }

  load(saved: unknown): void {
    this.#chunks.load(saved, "chunks");
    this.#begun.load(saved, "begun");
  }

  clear(): void {
    this.#chunks.clear();
    this.#begun.clear();
  }

  /** Rewrites a message; returns nothing if it is not one of a call. */
  rewrite(type: string, line: JsonObject): Rewritten | undefined {
    switch (type) {
      case "exec_command_begin":
        return this.#commandBegin(line);
      case "exec_command_output_delta":
        return this.#outputDelta(line);
      case "exec_command_end":
        return this.#commandEnd(line);
      case "patch_apply_begin":
      case "patch_apply_end":
        return this.#patch(line, type === "patch_apply_begin");
      case "mcp_tool_call_begin":
        return this.#toolBegin(line);
      case "mcp_tool_call_end":
        return this.#toolEnd(line);
      case "web_search_begin":
        if (line.live("query") === undefined) line.set("query", EMPTY_STRING);
        return this.#call(line, "web_search") ?? "item.started";
      case "web_search_end":
        return this.#call(line, "web_search") ?? "item.completed";
    }
    return undefined;
  }

  #outputDelta(line: JsonObject): Rewritten {
    const reason = this.#call(line, "command_execution");
    if (reason !== undefined) return reason;
    const stream = this.#reader.wordOf(line.get("stream"));
    if (stream !== "stdout" && stream !== "stderr") {
      return refused("stream", 'not "stdout" or "stderr"');
    }
    const chunk = line.get("chunk");
    const text = this.#chunks.decode(line.get("item_id"), stream, chunk);
    if (text === undefined) {
      return refused("chunk", "neither base64 nor a list of bytes");
    }
    line.take("stream");
    line.take("chunk");
    setText(line, "delta", stream, text);
    return "item.delta";
  }

  #commandBegin(line: JsonObject): Rewritten {
    const reason = this.#call(line, "command_execution");
    if (reason !== undefined) return reason;
    const command = line.live("command");
    if (command instanceof JsonSlice && command.kind === "array") {
      const out = this.#text;
      out.clear(KEPT_TEXT);
      if (writeCommand(out, command.bytes, command.start)) {
        line.set("command", sliceOf(out.view(), "string"));
      }
    }
    this.#begun.remember(line, COMMANDS);
    return "item.started";
  }

  #commandEnd(line: JsonObject): Rewritten {
    const reason = this.#call(line, "command_execution");
    if (reason !== undefined) return reason;
    this.#chunks.end(line.get("item_id"));
    this.#begun.complete(line, COMMANDS);
    const code = line.get("exit_code");
    if (code instanceof JsonSlice && code.kind === "number") {
      setStatus(line, isZero(code) ? COMPLETED : FAILED);
    }
    return "item.completed";
  }

  /** P7: turns the map of changes into a list. */
  #patch(line: JsonObject, begins: boolean): Rewritten {
    const reason = this.#call(line, "file_change");
    if (reason !== undefined) return reason;
    const changes = line.live("changes");
    if (changes instanceof JsonSlice && changes.kind === "object") {
      const list = this.#changeList(changes);
      if (list === undefined) {
        return refused("changes", "not a map of paths to changes");
      }
      line.set("changes", list);
    }
    if (begins) {
      this.#begun.remember(line, PATCHES);
      return "item.started";
    }
    this.#begun.complete(line, PATCHES);
    const success = line.get("success");
    if (success instanceof JsonSlice && success.kind === "boolean") {
      setStatus(line, isTrue(success) ? COMPLETED : FAILED);
    }
    return "item.completed";
  }

  /** Makes a list from a map of changes; returns nothing if an entry is not a change. */
  #changeList(changes: JsonSlice): JsonSlice | undefined {
    const list: JsonObject[] = [];
    const byPath = this.#reader.members(changes);
    for (let place = 0; place < byPath.size; place++) {
      const change = byPath.valueAt(place);
      if (change === undefined) continue;
      const entry = new JsonObject();
      entry.set("path", new JsonString(byPath.nameAt(place)));
      if (change.kind === "object") {
        const kinds = this.#reader.members(change);
        const fields = kinds.valueAt(0);
        if (kinds.size !== 1 || fields?.kind !== "object") return undefined;
        entry.set("kind", new JsonString(kinds.nameAt(0)));
        spreadInto(entry, this.#reader.members(fields));
      } else if (this.#reader.wordOf(change) === DELETE) {
        entry.set("kind", change);
      } else return undefined;
      list.push(entry);
    }
    return listOf(list);
  }

  /** P8: moves the fields of `invocation` to the line. */
  #toolBegin(line: JsonObject): Rewritten {
    this.#spread(line, "invocation");
    const reason = this.#call(line, "mcp_tool_call");
    if (reason !== undefined) return reason;
    this.#begun.remember(line, TOOLS);
    return "item.started";
  }

  /** P8: as the begin; unwraps the result and sets the status. */
  #toolEnd(line: JsonObject): Rewritten {
    this.#spread(line, "invocation");
    const reason = this.#call(line, "mcp_tool_call");
    if (reason !== undefined) return reason;
    this.#begun.complete(line, TOOLS);
    const failed = this.#toolResult(line);
    setStatus(line, failed ? FAILED : COMPLETED);
    return "item.completed";
  }

  /** Unwraps the `{"Ok":…}` or `{"Err":…}` of a tool's result. Returns whether the tool failed. */
  #toolResult(line: JsonObject): boolean {
    const result = line.get("result");
    if (result?.kind !== "object") return false;
    const variants = this.#reader.members(result);
    if (variants.size !== 1) return false;
    const ok = variants.get("Ok");
    if (ok !== undefined) {
      line.set("result", ok);
      const members = this.#reader.members(ok);
      return ["isError", "is_error"].some((name) =>
        this.#isTrue(members.get(name))
      );
    }
    const error = variants.get("Err");
    if (error === undefined) return false;
    line.take("result");
    if (error.kind === "string") setText(line, "error", "message", error);
    else line.set("error", error);
    return true;
  }

  /** Turns a line into an item line whose id is the `call_id`. */
  #call(line: JsonObject, itemType: string): FailureReason | undefined {
    if (line.get("call_id")?.kind !== "string") {
      return refused("call_id", "not a string");
    }
    line.rename("call_id", "item_id");
    line.set("item_type", itemTypeValue(itemType));
    return undefined;
  }

  #isTrue(node: JsonNode | undefined): boolean {
    return node instanceof JsonSlice && node.kind === "boolean" && isTrue(node);
  }

  /**
   * Moves the members of an object to the line, except its `type`: the line's own is the event
   * type.
   */
  #spread(line: JsonObject, name: string): void {
    const value = line.get(name);
    if (value?.kind !== "object") return;
    line.take(name);
    const fields = this.#reader.members(value);
    fields.take("type");
    line.setAll(fields);
  }
}

function setStatus(line: JsonObject, status: JsonSlice): void {
  if (line.live("status") === undefined) line.set("status", status);
}

/** Adds the members of one object to another; existing members are kept. */
function spreadInto(target: JsonObject, members: JsonObject): void {
  for (let place = 0; place < members.size; place++) {
    const name = members.nameAt(place);
    const value = members.valueAt(place);
    if (value !== undefined && !target.has(name)) target.set(name, value);
  }
}

function isTrue({ start, end }: JsonSlice): boolean {
  return end - start === "true".length;
}

function isZero(number: JsonSlice): boolean {
  for (let at = number.start; at < number.end; at++) {
    const byte = number.bytes[at] ?? 0;
    // The digits of an exponent do not matter.
    if ((byte | 0x20) === 0x65) return true;
    if (byte > 0x30) return false;
  }
  return true;
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
const PLAIN_DIGITS_REGEXP = /^[0-9]+$/;
/** Longer numbers are not taken for counts: adding them up would take long. */
const MAX_DIGITS = 1000;

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
      if (value.end - value.start > MAX_DIGITS) continue;
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
      usage.set(name, sliceOf(ENCODER.encode(String(sum)), "number"));
    }
    if (usage.size > 0) line.set("usage", usage);
    else if (this.#total !== undefined) {
      line.set("usage", sliceOf(ENCODER.encode(this.#total), "object"));
    }
  }

  save(): unknown {
    return {
      total: this.#total ?? null,
      sums: [...this.#sums].map(([name, sum]) => [name, String(sum)]),
    };
  }

  load(saved: unknown): void {
    this.clear();
    const total = savedText(saved, "total");
    if (total !== undefined && isJsonText(total, "object")) this.#total = total;
    for (const [name, sum] of savedPairs(saved, "sums")) {
      if (typeof sum === "string" && PLAIN_DIGITS_REGEXP.test(sum)) {
        this.#sums.set(name, BigInt(sum));
      }
    }
  }

  clear(): void {
    this.#total = undefined;
    this.#sums.clear();
  }
}

// Texts of the old dialect, which arrive in deltas before they arrive in full (normalize.md P4,
// P5).

/** A kind of text that may arrive in deltas. */
interface TextKind {
  /** The type of the message with the full text. */
  readonly type: string;
  /** The type of the messages with the deltas. */
  readonly deltaType: string;
  readonly itemType: string;
  /** The field of the full text. */
  readonly field: string;
}

const KINDS: readonly TextKind[] = [
  {
    type: "agent_message",
    deltaType: "agent_message_delta",
    itemType: "agent_message",
    field: "message",
  },
  {
    type: "agent_reasoning",
    deltaType: "agent_reasoning_delta",
    itemType: "reasoning",
    field: "text",
  },
  {
    type: "agent_reasoning_raw_content",
    deltaType: "agent_reasoning_raw_content_delta",
    itemType: "agent_reasoning_raw_content",
    field: "text",
  },
];
/** After a section break, the next delta of this type opens another item. */
const SECTIONED_DELTA = "agent_reasoning_delta";
/** The limit of open texts, which real streams stay below; beyond it the oldest is dropped. */
const MAX_OPEN = 256;

/** The text that a message completes or continues. */
interface FoundText {
  /** The index of the kind of text. */
  readonly place: number;
  readonly kind: TextKind;
  readonly isDelta: boolean;
  /** The number of its item; absent for a new item. */
  readonly item: number | undefined;
}

/** Stores the open items: those that deltas began and no full text has ended. */
class OpenTexts {
  /** By kind of text, the numbers of the open items. */
  readonly #open: readonly number[][] = KINDS.map(() => []);
  #afterBreak = false;

  /** Records that a section has ended. */
  endSection(): void {
    this.#afterBreak = true;
  }

  clear(): void {
    for (const queue of this.#open) queue.length = 0;
    this.#afterBreak = false;
  }

  /**
   * Finds the item that a message belongs to. A full text closes the oldest open item.
   *
   * @returns The text; nothing if the message is no text.
   */
  find(type: string): FoundText | undefined {
    for (const [place, kind] of KINDS.entries()) {
      const queue = this.#open[place];
      if (kind.type === type) {
        // A full text ends the item that was opened first.
        return { place, kind, isDelta: false, item: queue?.shift() };
      }
      if (kind.deltaType !== type) continue;
      let opensNext = false;
      if (type === SECTIONED_DELTA) {
        opensNext = this.#afterBreak;
        this.#afterBreak = false;
      }
      const item = opensNext ? undefined : queue?.at(-1);
      return { place, kind, isDelta: true, item };
    }
    return undefined;
  }

  /**
   * Adds an item that a delta has opened.
   *
   * @param place The index of the kind of text.
   */
  open(place: number, item: number): void {
    const queue = this.#open[place];
    queue?.push(item);
    if (queue !== undefined && queue.length > MAX_OPEN) queue.shift();
  }

  save(): unknown {
    return {
      after_break: this.#afterBreak,
      open: KINDS.map(({ type }, i) => [type, this.#open[i]?.map(itemId)]),
    };
  }

  load(saved: unknown): void {
    this.clear();
    this.#afterBreak = savedField(saved, "after_break") === true;
    for (const [type, ids] of savedPairs(saved, "open")) {
      const queue = this.#open[KINDS.findIndex((kind) => kind.type === type)];
      if (queue === undefined || !Array.isArray(ids)) continue;
      for (const id of ids) {
        const item = itemOf(id);
        if (item !== undefined) queue.push(item);
      }
    }
  }
}

/** Messages that become items with the type of the message (P12). */
const NOTICES = new Set([
  "token_count",
  "background_event",
  "turn_diff",
  "agent_reasoning_section_break",
  "exec_approval_request",
  "apply_patch_approval_request",
  "get_history_entry_response",
  "mcp_list_tools_response",
  "list_custom_prompts_response",
  "conversation_path",
  "conversation_history",
  "entered_review_mode",
  "exited_review_mode",
  "shutdown_complete",
]);

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
  readonly #texts = new OpenTexts();
  readonly #calls: OldCalls;
  readonly #usage: OldUsage;
  #planItem: number | undefined;
  #items = 0;
  #threads = 0;
  /** Whether the stream had a line of this dialect; without one there is no state. */
  isUsed = false;

  /** Constructs a new instance. */
  constructor(reader: JsonReader) {
    this.#reader = reader;
    this.#calls = new OldCalls(reader);
    this.#usage = new OldUsage(reader);
  }

  /** Resets the state: the next line is the first line of another stream. */
  reset(): void {
    this.threadStarted();
    this.#threads = 0;
    this.isUsed = false;
  }

  /** Returns the state as plain JSON; `null` if the stream had no line of this dialect. */
  save(): unknown {
    if (!this.isUsed) return null;
    return {
      threads: this.#threads,
      items: this.#items,
      plan_id: this.#planItem === undefined ? null : itemId(this.#planItem),
      texts: this.#texts.save(),
      calls: this.#calls.save(),
      usage: this.#usage.save(),
    };
  }

  /** Restores a saved state. */
  load(saved: unknown): void {
    this.reset();
    this.isUsed = (saved ?? null) !== null;
    this.#threads = savedCount(saved, "threads");
    this.#items = savedCount(saved, "items");
    this.#planItem = itemOf(savedText(saved, "plan_id"));
    this.#texts.load(savedField(saved, "texts"));
    this.#calls.load(savedField(saved, "calls"));
    this.#usage.load(savedField(saved, "usage"));
  }

  /** Drops the state of the thread before, once a thread line has its id. */
  threadStarted(): void {
    this.turnChanged();
    this.#calls.clear();
    this.#usage.clear();
    this.#items = 0;
  }

  /** Drops the texts and the plan of the turn before, once a turn line has its ids. */
  turnChanged(): void {
    this.#texts.clear();
    this.#planItem = undefined;
  }

  /**
   * Rewrites a line without the key `type` in place.
   *
   * @returns The type of the flat line, or the reason why it cannot be rewritten.
   */
  rewrite(line: JsonObject): Rewritten {
    this.isUsed ||= isOldRecord(line);
    const message = line.get("msg");
    if (message !== undefined) return this.#message(line, message);
    if (isConfig(line)) return this.#config(line);
    const prompt = line.get("prompt");
    if (prompt?.kind === "string") {
      line.take("prompt");
      setText(line, "content", "text", prompt);
      return this.#newItem(line, "user_message");
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
        new JsonString(`synthetic-thread-${this.#threads}`),
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
    return this.#typed(type, line);
  }

  #typed(type: string, line: JsonObject): Rewritten {
    switch (type) {
      case "session_configured":
        return "thread.started";
      case "task_started":
      case "turn_started":
        return "turn.started";
      case "task_complete":
      case "turn_complete":
        this.#usage.fill(line);
        return "turn.completed";
      case "turn_aborted": {
        const reason = line.take("reason");
        if (reason !== undefined) {
          setText(line, "error", "message", reason);
        }
        this.#usage.fill(line);
        return "turn.failed";
      }
      case "error":
        return "error";
      case "plan_update":
        return this.#plan(line);
      case "stream_error":
      case "warning":
        return this.#newItem(line, "error");
      case "user_message": {
        const text = line.take("message");
        setText(line, "content", "text", text);
        return this.#newItem(line, "user_message");
      }
    }
    if (NOTICES.has(type)) {
      if (type === "token_count") this.#usage.count(line);
      if (type === "agent_reasoning_section_break") this.#texts.endSection();
      return this.#newItem(line, type);
    }
    return this.#calls.rewrite(type, line) ?? this.#text(type, line) ?? {
      kind: "typed",
      message: `Cannot decode a message of type ${
        quote(type)
      }: this type is not known`,
      field: "msg.type",
    };
  }

  /** P4, P5: rewrites full texts and their deltas. */
  #text(type: string, line: JsonObject): Rewritten | undefined {
    const found = this.#texts.find(type);
    if (found === undefined) return undefined;
    const { kind: { itemType, field }, isDelta, place } = found;
    const item = found.item ?? this.#nextItem();
    if (isDelta && found.item === undefined) this.#texts.open(place, item);
    if (isDelta) setText(line, "delta", "text_delta", line.take("delta"));
    else setText(line, "content", "text", line.take(field));
    setItem(line, itemType, item);
    return isDelta ? "item.delta" : "item.completed";
  }

  /** P10: the first plan of a turn starts an item, later ones update it with full snapshots. */
  #plan(line: JsonObject): Rewritten {
    const items = this.#todoList(line.get("plan"));
    if (items === undefined) return refused("plan", "not a list of objects");
    line.take("plan");
    line.set("items", items);
    const isFirst = this.#planItem === undefined;
    this.#planItem ??= this.#nextItem();
    setItem(line, "todo_list", this.#planItem);
    return isFirst ? "item.started" : "item.updated";
  }

  #todoList(plan: JsonNode | undefined): JsonSlice | undefined {
    if (!(plan instanceof JsonSlice) || plan.kind !== "array") return undefined;
    const todos: JsonObject[] = [];
    for (const element of this.#reader.elements(plan)) {
      if (element.kind !== "object") return undefined;
      const step = this.#reader.members(element);
      step.rename("step", "title");
      const isDone = this.#reader.wordOf(step.get("status")) === "completed";
      step.set("completed", isDone ? TRUE_VALUE : FALSE_VALUE);
      todos.push(step);
    }
    return listOf(todos);
  }

  #newItem(line: JsonObject, itemType: string): Rewritten {
    setItem(line, itemType, this.#nextItem());
    return "item.completed";
  }

  #nextItem(): number {
    return this.#items++;
  }
}

function setItem(line: JsonObject, itemType: string, item: number): void {
  line.set("item_id", wordValue(itemId(item)));
  line.set("item_type", itemTypeValue(itemType));
}
