/**
 * The old dialect, Codex 0.43 and earlier: its lines rewritten to flat ones of the current
 * dialect (normalize.md section 7).
 */

import type { LineProblem } from "../errors.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from "../json/bytes.ts";
import {
  FALSE_VALUE,
  lasting,
  sliceOf,
  stringValue,
  TRUE_VALUE,
} from "../json/literal.ts";
import { writeNode } from "../json/object_writer.ts";
import { quote } from "../json/problems.ts";
import type { JsonReader } from "../json/reader.ts";
import {
  type JsonNode,
  JsonObject,
  JsonSlice,
  JsonString,
} from "../json/value.ts";
import { trimBlank } from "../lines/blank.ts";
import { ChunkDecoder } from "./_chunk_decoder.ts";
import { THREAD_ID_NAMES } from "./fields.ts";

const EMPTY_STRING = stringValue("");
const EMPTY_LIST = sliceOf(new TextEncoder().encode("[]"), "array");
const COMPLETED = stringValue("completed");
const FAILED = stringValue("failed");
const DELETE = "delete";

/** Messages that stay what they are: items of a type of the same name (P12). */
const NOTICES: ReadonlySet<string> = new Set([
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

/** Texts that come in deltas: the item type, and the field of the full text (P4, P5). */
const TEXTS: ReadonlyMap<string, { itemType: string; field: string }> = new Map(
  [
    ["agent_message", { itemType: "agent_message", field: "message" }],
    ["agent_reasoning", { itemType: "reasoning", field: "text" }],
    ["agent_reasoning_raw_content", {
      itemType: "agent_reasoning_raw_content",
      field: "text",
    }],
  ],
);
const DELTA_SUFFIX = "_delta";

/** The counts of a request, in the order in which their sums are written (P11). */
const COUNTS = [
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
  "total_tokens",
] as const;
const PLAIN_DIGITS_REGEXP = /^[0-9]+$/;

/** The type of a rewritten line, or why it cannot be rewritten. */
type Rewritten = string | LineProblem;

/** What the begin of a call said that its end leaves out. */
type Begun = ReadonlyMap<string, JsonSlice>;

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
  readonly #chunks = new ChunkDecoder();
  readonly #begun = new Map<string, Begun>();
  readonly #open = new Map<string, string[]>();
  readonly #sums = new Map<string, bigint>();
  readonly #total = new ByteWriter(256);
  #hasTotal = false;
  #planId: string | undefined;
  #afterBreak = false;
  #items = 0;
  #threads = 0;

  /** Constructs a new instance. */
  constructor(reader: JsonReader) {
    this.#reader = reader;
  }

  /** Forgets the stream. */
  reset(): void {
    this.threadStarted();
    this.#threads = 0;
  }

  /** A thread line found its id. */
  threadStarted(): void {
    this.turnChanged();
    this.#chunks.clear();
    this.#begun.clear();
    this.#forgetUsage();
    this.#items = 0;
  }

  /** A turn line found its ids. */
  turnChanged(): void {
    this.#open.clear();
    this.#afterBreak = false;
    this.#planId = undefined;
  }

  /**
   * Rewrites a line without the key `type` in place.
   *
   * @returns The type of the flat line that it has become.
   */
  rewrite(line: JsonObject): Rewritten {
    const message = line.get("msg");
    if (message !== undefined) return this.#message(line, message);
    if (isConfig(line)) return this.#config(line);
    const prompt = line.get("prompt");
    if (prompt?.kind === "string") {
      line.take("prompt");
      this.#setText(line, "content", "text", prompt);
      return this.#newItem(line, "user_message");
    }
    return {
      kind: "normalize",
      message: 'Cannot normalize the line: it has no "type"',
      field: "type",
    };
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
      return {
        kind: "normalize",
        message: 'Cannot normalize the line: "msg" is not an object',
        field: "msg",
      };
    }
    const fields = this.#reader.members(message);
    const type = this.#reader.wordOf(fields.take("type"));
    if (type === undefined) {
      return {
        kind: "normalize",
        message: 'Cannot normalize the line: "msg.type" is not a string',
        field: "msg.type",
      };
    }
    line.take("msg");
    for (let place = 0; place < fields.size; place++) {
      const value = fields.valueAt(place);
      if (value !== undefined) line.set(fields.nameAt(place), value);
    }
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
        this.#giveUsage(line);
        return "turn.completed";
      case "turn_aborted": {
        const reason = line.take("reason");
        if (reason !== undefined) {
          this.#setText(line, "error", "message", reason);
        }
        this.#giveUsage(line);
        return "turn.failed";
      }
      case "error":
        return "error";
      case "exec_command_begin":
        return this.#begin(line, "command_execution", ["command"]);
      case "exec_command_output_delta":
        return this.#outputDelta(line);
      case "exec_command_end":
        return this.#commandEnd(line);
      case "patch_apply_begin":
      case "patch_apply_end":
        return this.#patch(line, type === "patch_apply_begin");
      case "mcp_tool_call_begin":
        this.#spread(line, "invocation");
        return this.#begin(line, "mcp_tool_call", [
          "server",
          "tool",
          "arguments",
        ]);
      case "mcp_tool_call_end":
        return this.#toolEnd(line);
      case "web_search_begin":
        if (line.live("query") === undefined) line.set("query", EMPTY_STRING);
        return this.#call(line, "web_search") ?? "item.started";
      case "web_search_end":
        return this.#call(line, "web_search") ?? "item.completed";
      case "plan_update":
        return this.#plan(line);
      case "stream_error":
      case "warning":
        return this.#newItem(line, "error");
      case "user_message": {
        const text = line.take("message");
        this.#setText(line, "content", "text", text);
        return this.#newItem(line, "user_message");
      }
    }
    if (NOTICES.has(type)) {
      if (type === "token_count") this.#count(line);
      if (type === "agent_reasoning_section_break") this.#afterBreak = true;
      return this.#newItem(line, type);
    }
    return this.#text(type, line) ?? {
      kind: "typed",
      message: `Cannot decode a message of type ${
        quote(type)
      }: this type is not known`,
      field: "msg.type",
    };
  }

  /** P4, P5: full texts and their deltas. */
  #text(type: string, line: JsonObject): Rewritten | undefined {
    const full = TEXTS.get(type);
    if (full !== undefined) {
      const id = this.#queue(type).shift();
      this.#setText(line, "content", "text", line.take(full.field));
      return this.#item(line, full.itemType, id) ?? "item.completed";
    }
    if (!type.endsWith(DELTA_SUFFIX)) return undefined;
    const whole = type.slice(0, -DELTA_SUFFIX.length);
    const delta = TEXTS.get(whole);
    if (delta === undefined) return undefined;
    const queue = this.#queue(whole);
    const opensNext = this.#afterBreak && whole === "agent_reasoning";
    if (queue.length === 0 || opensNext) queue.push(this.#newId());
    if (opensNext) this.#afterBreak = false;
    this.#setText(line, "delta", "text_delta", line.take("delta"));
    return this.#item(line, delta.itemType, queue.at(-1)) ?? "item.delta";
  }

  #queue(type: string): string[] {
    let queue = this.#open.get(type);
    if (queue === undefined) {
      queue = [];
      this.#open.set(type, queue);
    }
    return queue;
  }

  #outputDelta(line: JsonObject): Rewritten {
    const problem = this.#call(line, "command_execution");
    if (problem !== undefined) return problem;
    const stream = this.#reader.wordOf(line.get("stream"));
    if (stream !== "stdout" && stream !== "stderr") {
      return refused("stream", 'not "stdout" or "stderr"');
    }
    const callId = this.#reader.textOf(line.get("item_id")) ?? "";
    const text = this.#chunks.decode(
      callId,
      stream,
      line.get("chunk"),
      this.#reader,
    );
    if (text === undefined) {
      return refused("chunk", "neither base64 nor a list of bytes");
    }
    line.take("stream");
    line.take("chunk");
    this.#setText(line, "delta", stream, new JsonString(text));
    return "item.delta";
  }

  #commandEnd(line: JsonObject): Rewritten {
    const problem = this.#call(line, "command_execution");
    if (problem !== undefined) return problem;
    const callId = this.#reader.textOf(line.get("item_id")) ?? "";
    this.#chunks.end(callId);
    this.#complete(line, callId, new Map([["command", EMPTY_STRING]]));
    const code = line.get("exit_code");
    if (code instanceof JsonSlice && code.kind === "number") {
      setStatus(line, isZero(code) ? COMPLETED : FAILED);
    }
    return "item.completed";
  }

  /** P7: the map of changes becomes a list. */
  #patch(line: JsonObject, begins: boolean): Rewritten {
    const problem = this.#call(line, "file_change");
    if (problem !== undefined) return problem;
    const changes = line.live("changes");
    if (changes?.kind === "object") {
      const list = this.#changeList(changes);
      if (list === undefined) {
        return refused("changes", "not a map of paths to changes");
      }
      line.set("changes", list);
    }
    const callId = this.#reader.textOf(line.get("item_id")) ?? "";
    if (begins) {
      this.#remember(line, callId, ["changes"]);
      return "item.started";
    }
    this.#complete(line, callId, new Map([["changes", EMPTY_LIST]]));
    const success = line.get("success");
    if (success?.kind === "boolean") {
      setStatus(line, isTrue(success) ? COMPLETED : FAILED);
    }
    return "item.completed";
  }

  #changeList(changes: JsonNode): JsonSlice | undefined {
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

  /** P8. */
  #toolEnd(line: JsonObject): Rewritten {
    this.#spread(line, "invocation");
    const problem = this.#call(line, "mcp_tool_call");
    if (problem !== undefined) return problem;
    const callId = this.#reader.textOf(line.get("item_id")) ?? "";
    this.#complete(
      line,
      callId,
      new Map([["server", EMPTY_STRING], ["tool", EMPTY_STRING]]),
    );
    const failed = this.#toolResult(line);
    setStatus(line, failed ? FAILED : COMPLETED);
    return "item.completed";
  }

  /** Takes the result of a tool out of its `{"Ok":…}` or `{"Err":…}`. */
  #toolResult(line: JsonObject): boolean {
    const result = line.get("result");
    if (result?.kind !== "object") return false;
    const variants = this.#reader.members(result);
    if (variants.size !== 1) return false;
    const ok = variants.get("Ok");
    if (ok !== undefined) {
      line.set("result", ok);
      if (ok.kind !== "object") return false;
      const members = this.#reader.members(ok);
      return ["isError", "is_error"].some((name) => isTrue(members.get(name)));
    }
    const error = variants.get("Err");
    if (error === undefined) return false;
    line.take("result");
    if (error.kind === "string") this.#setText(line, "error", "message", error);
    else line.set("error", error);
    return true;
  }

  /** P10: the first plan of a turn opens an item, later ones are pictures of it. */
  #plan(line: JsonObject): Rewritten {
    const items = this.#todoList(line.get("plan"));
    if (items === undefined) return refused("plan", "not a list of objects");
    line.take("plan");
    line.set("items", items);
    const isFirst = this.#planId === undefined;
    const id = this.#planId ?? this.#newId();
    this.#planId = id;
    return this.#item(line, "todo_list", id) ??
      (isFirst ? "item.started" : "item.updated");
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

  /** Makes a line the begin of a call, and remembers what its end will leave out. */
  #begin(
    line: JsonObject,
    itemType: string,
    names: readonly string[],
  ): Rewritten {
    const problem = this.#call(line, itemType);
    if (problem !== undefined) return problem;
    const callId = this.#reader.textOf(line.get("item_id")) ?? "";
    this.#remember(line, callId, names);
    return "item.started";
  }

  #remember(line: JsonObject, callId: string, names: readonly string[]): void {
    const begun = new Map<string, JsonSlice>();
    for (const name of names) {
      const value = line.live(name);
      if (value instanceof JsonSlice) begun.set(name, lasting(value));
    }
    this.#begun.set(callId, begun);
  }

  /** Fills in what an end leaves out: as its begin said, else as given. */
  #complete(line: JsonObject, callId: string, defaults: Begun): void {
    const begun = this.#begun.get(callId);
    this.#begun.delete(callId);
    for (const [name, value] of new Map([...defaults, ...begun ?? []])) {
      if (line.live(name) === undefined) line.set(name, value);
    }
  }

  /** Names an item line after its call. */
  #call(line: JsonObject, itemType: string): LineProblem | undefined {
    if (line.get("call_id")?.kind !== "string") {
      return refused("call_id", "not a string");
    }
    line.rename("call_id", "item_id");
    line.set("item_type", typeValue(itemType));
    return undefined;
  }

  #newItem(line: JsonObject, itemType: string): Rewritten {
    return this.#item(line, itemType, undefined) ?? "item.completed";
  }

  #item(
    line: JsonObject,
    itemType: string,
    id: string | undefined,
  ): undefined {
    line.set("item_id", new JsonString(id ?? this.#newId()));
    line.set("item_type", typeValue(itemType));
  }

  #newId(): string {
    const id = `item_${this.#items}`;
    this.#items += 1;
    return id;
  }

  #setText(
    line: JsonObject,
    name: string,
    field: string,
    text: JsonNode | undefined,
  ): void {
    const object = new JsonObject();
    if (text !== undefined) object.set(field, text);
    line.set(name, object);
  }

  /** Moves the fields of an object member to the line. */
  #spread(line: JsonObject, name: string): void {
    const value = line.get(name);
    if (value?.kind !== "object") return;
    line.take(name);
    const members = this.#reader.members(value);
    for (let place = 0; place < members.size; place++) {
      const member = members.valueAt(place);
      if (member !== undefined) line.set(members.nameAt(place), member);
    }
  }

  /** P11: totals replace what is remembered, the counts of single requests add up. */
  #count(line: JsonObject): void {
    const info = line.get("info");
    if (info?.kind === "object") {
      const total = this.#reader.members(info).get("total_token_usage");
      if (total instanceof JsonSlice && total.kind === "object") {
        this.#forgetUsage();
        this.#total.clear(256);
        writeNode(this.#total, total);
        this.#hasTotal = true;
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

  #giveUsage(line: JsonObject): void {
    if (line.live("usage") !== undefined) return;
    if (this.#sums.size > 0) {
      const usage = new JsonObject();
      for (const name of COUNTS) {
        const sum = this.#sums.get(name);
        if (sum !== undefined) usage.set(name, numberValue(sum));
      }
      line.set("usage", usage);
    } else if (this.#hasTotal) {
      line.set("usage", sliceOf(this.#total.view(), "object"));
    }
  }

  #forgetUsage(): void {
    this.#hasTotal = false;
    if (this.#sums.size > 0) this.#sums.clear();
  }
}

/** The values of item types; there are as many as rules name. */
const TYPE_VALUES = new Map<string, JsonSlice>();

function typeValue(itemType: string): JsonSlice {
  let value = TYPE_VALUES.get(itemType);
  if (value === undefined) {
    value = stringValue(itemType);
    TYPE_VALUES.set(itemType, value);
  }
  return value;
}

function setStatus(line: JsonObject, status: JsonSlice): void {
  if (line.live("status") === undefined) line.set("status", status);
}

/** Adds the members of one object to another that keeps its own. */
function spreadInto(target: JsonObject, members: JsonObject): void {
  for (let place = 0; place < members.size; place++) {
    const name = members.nameAt(place);
    const value = members.valueAt(place);
    if (value !== undefined && !target.has(name)) target.set(name, value);
  }
}

function listOf(objects: readonly JsonObject[]): JsonSlice {
  const out = new ByteWriter(256);
  out.byte(OPEN_BRACKET);
  for (const object of objects) {
    if (out.length > 1) out.byte(COMMA);
    writeNode(out, object);
  }
  out.byte(CLOSE_BRACKET);
  return sliceOf(out.view(), "array");
}

function numberValue(value: bigint): JsonSlice {
  return sliceOf(new TextEncoder().encode(String(value)), "number");
}

function isTrue(node: JsonNode | undefined): boolean {
  return node instanceof JsonSlice && node.kind === "boolean" &&
    node.end - node.start === "true".length;
}

function isZero(number: JsonSlice): boolean {
  for (let at = number.start; at < number.end; at++) {
    const byte = number.bytes[at] ?? 0;
    // The digits of the exponent do not count.
    if ((byte | 0x20) === 0x65) return true;
    if (byte > 0x30 && byte <= 0x39) return false;
  }
  return true;
}

function refused(field: string, state: string): LineProblem {
  return {
    kind: "typed",
    message: `Cannot decode a message of the old dialect: ${field} is ${state}`,
    field,
  };
}
