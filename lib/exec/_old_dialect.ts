/**
 * The old dialect, Codex 0.43 and earlier: its lines rewritten to flat ones of the current
 * dialect (normalize.md section 7).
 */

import type { ByteWriter } from "../json/byte_writer.ts";
import {
  FALSE_VALUE,
  sliceAt,
  TRUE_VALUE,
  wordValue,
} from "../json/literal.ts";
import { listOf } from "../json/object_writer.ts";
import { quote } from "../json/problems.ts";
import type { JsonReader } from "../json/reader.ts";
import { NOT_COUNTED } from "../json/record_watch.ts";
import { savedCount, savedField, savedText } from "../json/saved.ts";
import {
  type JsonNode,
  type JsonObject,
  JsonSlice,
  JsonString,
} from "../json/value.ts";
import { WordTable } from "../json/word_table.ts";
import { trimBlank } from "../lines/blank.ts";
import { unnormalizable } from "../lines/record_rules.ts";
import { OldCalls } from "./_old_calls.ts";
import { itemId, itemIdValue, itemOf } from "./_old_items.ts";
import { refused, type Rewritten, setText, typeValue } from "./_old_lines.ts";
import { OldUsage } from "./_old_usage.ts";
import { OpenTexts } from "./_open_texts.ts";
import { NOTE, SLOT, SLOT_COUNT, type SlotValues } from "./_record_slots.ts";
import { THREAD_ID_NAMES } from "./fields.ts";

/** Messages that stay what they are: items of a type of the same name (P12). */
const NOTICES = new WordTable([
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
].map((type) => [type, type] as const));

/** The names under which a config line has strings (P1). */
const CONFIG_NAMES = ["model", "provider", "workdir"] as const;

/** Messages of calls that depend on nothing that is in no slot. */
const PLAIN_CALLS = new WordTable([
  "exec_command_begin",
  "exec_command_output_delta",
  "exec_command_end",
  "web_search_begin",
  "web_search_end",
  "patch_apply_begin",
  "patch_apply_end",
  "mcp_tool_call_begin",
  "mcp_tool_call_end",
].map((type) => [type, type] as const));

/** These fill the slots that only say yes. */
const OLD = wordValue("old");
const OPEN_CALLS = wordValue("calls");
const OPEN_CHUNKS = wordValue("chunks");
const OPEN_TEXTS = wordValue("texts");

function isConfig(line: JsonObject): boolean {
  return CONFIG_NAMES.every((name) => line.get(name)?.kind === "string");
}

/** Says whether a record without a `type` is of the old dialect. */
export function isOldRecord(line: JsonObject): boolean {
  return line.get("msg")?.kind === "object" ||
    (!line.has("type") &&
      (isConfig(line) || line.get("prompt")?.kind === "string"));
}

/** Rewrites lines of the old dialect; remembers what their order means. */
export class OldDialect {
  readonly #reader: JsonReader;
  /** What is in slots; those of the thread and the turn are filled by others. */
  readonly slots: SlotValues = new Array(SLOT_COUNT).fill(undefined);
  readonly #texts: OpenTexts;
  readonly #calls: OldCalls;
  readonly #usage: OldUsage;
  #planItem: number | undefined;
  #items = 0;
  #threads = 0;
  #isPlain = false;
  /** Whether there was a line of this dialect; without one, nothing is remembered. */
  isUsed = false;

  /** Constructs a new instance. */
  constructor(reader: JsonReader) {
    this.#reader = reader;
    this.#texts = new OpenTexts(reader, this.slots);
    this.#calls = new OldCalls(reader, this.slots);
    this.#usage = new OldUsage(reader);
  }

  /** Forgets the stream. */
  reset(): void {
    this.threadStarted();
    this.#threads = 0;
    this.isUsed = false;
  }

  /** Whether the line before can be repeated: what decided about it is in slots. */
  get isRepeatable(): boolean {
    return this.#isPlain;
  }

  /** How many threads have been given an id. */
  get threads(): number {
    return this.#threads;
  }

  /** The number of the last new item; {@linkcode NOT_COUNTED} before the first one. */
  get lastItem(): number {
    return this.#items + NOT_COUNTED;
  }

  /** Fills the slots that only say yes. */
  fillSlots(): void {
    const { slots } = this;
    slots[SLOT.old] = this.isUsed ? OLD : undefined;
    slots[SLOT.openCalls] = this.#calls.isOpen ? OPEN_CALLS : undefined;
    slots[SLOT.openChunks] = this.#calls.hasOpenChunks
      ? OPEN_CHUNKS
      : undefined;
    slots[SLOT.openTexts] = this.#texts.isOpen ? OPEN_TEXTS : undefined;
  }

  /** Goes on from the threads and items of lines that were repeated. */
  goOn(threads: number, lastItem: number): void {
    this.#threads = threads;
    this.#items = lastItem - NOT_COUNTED;
  }

  /** Makes a text of a value; see {@linkcode MADE}. */
  make(code: number, value: JsonSlice, out: ByteWriter): boolean {
    return this.#calls.make(code, value, out);
  }

  /** Does again what was noted down of a line, for one like it. */
  repeat(code: number, bytes: Uint8Array, start: number, end: number): void {
    switch (code) {
      case NOTE.threadStarted:
        return this.#forgetThread();
      case NOTE.turnChanged:
        return this.#forgetTurn();
      case NOTE.sectionEnded:
        return this.#texts.endSection();
      case NOTE.totalUsage:
        return this.#usage.setTotal(bytes, start, end);
      case NOTE.commandBegun:
      case NOTE.patchBegun:
      case NOTE.toolBegun:
        return this.#calls.forget(code, sliceAt(bytes, start, end));
    }
    this.#usage.add(code - NOTE.usage, bytes, start, end);
  }

  /** Writes down what is remembered. */
  save(): unknown {
    return {
      threads: this.#threads,
      items: this.#items,
      plan_id: this.#planItem === undefined ? null : itemId(this.#planItem),
      texts: this.#texts.save(),
      calls: this.#calls.save(),
      usage: this.#usage.save(),
    };
  }

  /** Goes on from what was written down. */
  load(saved: unknown): void {
    this.reset();
    this.isUsed = true;
    this.#threads = savedCount(saved, "threads");
    this.#items = savedCount(saved, "items");
    if (this.#items > 0) this.slots[SLOT.item] = itemIdValue(this.lastItem);
    this.#planItem = itemOf(savedText(saved, "plan_id"));
    this.#texts.load(savedField(saved, "texts"));
    this.#calls.load(savedField(saved, "calls"));
    this.#usage.load(savedField(saved, "usage"));
  }

  /** A thread line found its id. */
  threadStarted(): void {
    this.#forgetThread();
    this.#texts.clearSlots();
    this.#calls.clearSlots();
    this.#items = 0;
    this.slots[SLOT.item] = undefined;
  }

  /** A turn line found its ids. */
  turnChanged(): void {
    this.#forgetTurn();
    this.#texts.clearSlots();
  }

  /** Forgets what is remembered of a thread, but for what is in slots. */
  #forgetThread(): void {
    this.#forgetTurn();
    this.#calls.clear();
    this.#usage.clear();
  }

  /** Forgets what is remembered of a turn, but for what is in slots. */
  #forgetTurn(): void {
    this.#texts.clear();
    this.#planItem = undefined;
  }

  /**
   * Rewrites a line without the key `type` in place.
   *
   * @returns The type of the flat line that it has become.
   */
  rewrite(line: JsonObject): Rewritten {
    const hadCalls = this.#calls.isOpen;
    const hadChunks = this.#calls.hasOpenChunks;
    const hadTexts = this.#texts.isOpen;
    this.#isPlain = false;
    this.isUsed = true;
    const rewritten = this.#rewrite(line);
    // Whether there are any now may depend on which ones there were.
    if (
      this.#calls.isOpen !== hadCalls ||
      this.#calls.hasOpenChunks !== hadChunks ||
      this.#texts.isOpen !== hadTexts
    ) this.#isPlain = false;
    return rewritten;
  }

  #rewrite(line: JsonObject): Rewritten {
    const message = line.get("msg");
    if (message !== undefined) return this.#message(line, message);
    if (isConfig(line)) return this.#config(line);
    const prompt = line.get("prompt");
    if (prompt?.kind === "string") {
      this.#isPlain = true;
      line.take("prompt");
      setText(line, "content", "text", prompt);
      return this.#newItem(line, "user_message");
    }
    return unnormalizable('it has no "type"', "type");
  }

  /** P1: none of these releases printed a session id. */
  #config(line: JsonObject): Rewritten {
    const isNamed = THREAD_ID_NAMES.some((name) =>
      trimBlank(this.#reader.textOf(line.get(name)) ?? "") !== ""
    );
    this.#isPlain = true;
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
        this.#isPlain = true;
        return "turn.started";
      case "task_complete":
      case "turn_complete":
        this.#usage.give(line);
        return "turn.completed";
      case "turn_aborted": {
        const reason = line.take("reason");
        if (reason !== undefined) {
          setText(line, "error", "message", reason);
        }
        this.#usage.give(line);
        return "turn.failed";
      }
      case "error":
        this.#isPlain = true;
        return "error";
      case "plan_update":
        return this.#plan(line);
      case "stream_error":
      case "warning":
        this.#isPlain = true;
        return this.#newItem(line, "error");
      case "user_message": {
        this.#isPlain = true;
        const text = line.take("message");
        setText(line, "content", "text", text);
        return this.#newItem(line, "user_message");
      }
    }
    if (NOTICES.get(type) !== undefined) {
      this.#isPlain = true;
      if (type === "token_count") this.#usage.count(line);
      if (type === "agent_reasoning_section_break") {
        this.#reader.note(NOTE.sectionEnded);
        this.#texts.endSection();
      }
      return this.#newItem(line, type);
    }
    this.#isPlain = PLAIN_CALLS.get(type) !== undefined;
    return this.#calls.rewrite(type, line) ?? this.#text(type, line) ?? {
      kind: "typed",
      message: `Cannot decode a message of type ${
        quote(type)
      }: this type is not known`,
      field: "msg.type",
    };
  }

  /** P4, P5: full texts and their deltas. */
  #text(type: string, line: JsonObject): Rewritten | undefined {
    const found = this.#texts.find(type);
    if (found === undefined) return undefined;
    const { kind: { itemType, field }, isDelta, place } = found;
    this.#isPlain = true;
    let { id } = found;
    if (id === undefined) {
      id = this.#newItemId();
      if (isDelta) this.#texts.open(place, this.lastItem, id);
    }
    if (isDelta) setText(line, "delta", "text_delta", line.take("delta"));
    else setText(line, "content", "text", line.take(field));
    setItem(line, itemType, id);
    return isDelta ? "item.delta" : "item.completed";
  }

  /** P10: the first plan of a turn opens an item, later ones are pictures of it. */
  #plan(line: JsonObject): Rewritten {
    const items = this.#todoList(line.get("plan"));
    if (items === undefined) return refused("plan", "not a list of objects");
    line.take("plan");
    line.set("items", items);
    const isFirst = this.#planItem === undefined;
    const id = this.#planItem === undefined
      ? this.#newItemId()
      : itemIdValue(this.#planItem);
    this.#planItem ??= this.lastItem;
    setItem(line, "todo_list", id);
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
    setItem(line, itemType, this.#newItemId());
    return "item.completed";
  }

  #newItemId(): JsonSlice {
    this.#items += 1;
    return this.slots[SLOT.item] = itemIdValue(this.lastItem);
  }
}

function setItem(line: JsonObject, itemType: string, id: JsonSlice): void {
  line.set("item_id", id);
  line.set("item_type", typeValue(itemType));
}
