/**
 * The old dialect, Codex 0.43 and earlier: its lines rewritten to flat ones of the current
 * dialect (normalize.md section 7).
 */

import { FALSE_VALUE, TRUE_VALUE } from "../../json/literal.ts";
import { listOf } from "../../json/object_writer.ts";
import { quote } from "../../json/problems.ts";
import type { JsonReader } from "../../json/reader.ts";
import { savedCount, savedField, savedText } from "../../json/saved.ts";
import {
  type JsonNode,
  type JsonObject,
  JsonSlice,
  JsonString,
} from "../../json/value.ts";
import { WordTable } from "../../json/word_table.ts";
import { trimBlank } from "../../lines/blank.ts";
import { unnormalizable } from "../../lines/record_rules.ts";
import { OldCalls } from "./_old_calls.ts";
import {
  itemId,
  itemIdValue,
  itemOf,
  refused,
  type Rewritten,
  setText,
  typeValue,
} from "./_old_lines.ts";
import { OldUsage } from "./_old_usage.ts";
import { OpenTexts } from "./_open_texts.ts";
import { THREAD_ID_NAMES } from "./field_rules.ts";

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
  readonly #texts = new OpenTexts();
  readonly #calls: OldCalls;
  readonly #usage: OldUsage;
  #planItem: number | undefined;
  #items = 0;
  #threads = 0;
  /** Whether there was a line of this dialect; without one, nothing is remembered. */
  isUsed = false;

  /** Constructs a new instance. */
  constructor(reader: JsonReader) {
    this.#reader = reader;
    this.#calls = new OldCalls(reader);
    this.#usage = new OldUsage(reader);
  }

  /** Forgets the stream. */
  reset(): void {
    this.threadStarted();
    this.#threads = 0;
    this.isUsed = false;
  }

  /** Writes down what is remembered: `null` without a line of this dialect. */
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

  /** Goes on from what was written down. */
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

  /** A thread line found its id: forgets what the thread before said. */
  threadStarted(): void {
    this.turnChanged();
    this.#calls.clear();
    this.#usage.clear();
    this.#items = 0;
  }

  /** A turn line found its ids: forgets what the turn before left open. */
  turnChanged(): void {
    this.#texts.clear();
    this.#planItem = undefined;
  }

  /**
   * Rewrites a line without the key `type` in place.
   *
   * @returns The type of the flat line that it has become.
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

  /** P1: none of these releases printed a session id. */
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
    if (NOTICES.get(type) !== undefined) {
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

  /** P4, P5: full texts and their deltas. */
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

  /** P10: the first plan of a turn opens an item, later ones are pictures of it. */
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
  line.set("item_id", itemIdValue(item));
  line.set("item_type", typeValue(itemType));
}
