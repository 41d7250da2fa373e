/**
 * The items of an app-server: what each kind is called in events, and what its content is.
 */

import { stringValue, TRUE_VALUE, wordValue } from "../json/literal.ts";
import { listOf } from "../json/object_writer.ts";
import type { JsonReader } from "../json/reader.ts";
import { type JsonNode, JsonObject, JsonSlice } from "../json/value.ts";
import { WordTable } from "../json/word_table.ts";
import { snakeCase, snakeWord } from "./_words.ts";

/** Takes the content of an item out of its fields, and corrects what is left of them. */
type Shape = (reader: JsonReader, item: JsonObject) => JsonObject | undefined;

/** A kind of item. */
interface ItemKind {
  /** What it is called in events. */
  readonly itemType: string;
  /** What its content is; without it, its fields stand beside its type. */
  readonly shape: Shape | undefined;
}

/** The kinds whose content is known; others are called what they are called, in snake case. */
const KINDS = new WordTable<ItemKind>([
  ["agentMessage", { itemType: "agent_message", shape: moved(["text"]) }],
  ["userMessage", { itemType: "user_message", shape: userMessage }],
  ["reasoning", { itemType: "reasoning", shape: reasoning }],
  ["commandExecution", { itemType: "command_execution", shape: command }],
  ["fileChange", { itemType: "file_change", shape: fileChange }],
  ["mcpToolCall", { itemType: "mcp_tool_call", shape: mcpToolCall }],
  ["webSearch", { itemType: "web_search", shape: webSearch }],
  ["collabAgentToolCall", { itemType: "collab_tool_call", shape: collabCall }],
]);

const EMPTY = stringValue("");
const FAILED = wordValue("failed");
const OTHER_ACTION = new JsonObject();
OTHER_ACTION.set("type", wordValue("other"));

/** Finds out what is known of a kind of item. */
export function itemKindOf(type: string): ItemKind {
  return KINDS.get(type) ?? { itemType: snakeCase(type), shape: undefined };
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
  // exec says of a command without output that it is empty.
  if (content.live("stdout") === undefined) content.set("stdout", EMPTY);
  return content;
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
      item.set("wire_action", action);
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

/** The words of a user, with all parts of the prompt beside them. */
function userMessage(reader: JsonReader, item: JsonObject): JsonObject {
  const parts = item.take("content");
  const content = new JsonObject();
  const texts: JsonSlice[] = [];
  if (parts instanceof JsonSlice && parts.kind === "array") {
    for (const part of reader.elements(parts)) {
      if (part.kind !== "object") continue;
      const members = reader.members(part);
      const text = members.get("text");
      const isText = reader.wordOf(members.get("type")) === "text";
      if (isText && text instanceof JsonSlice && text.kind === "string") {
        texts.push(text);
      }
    }
  }
  content.set("text", joined(reader, texts));
  if (parts !== undefined) content.set("parts", parts);
  return content;
}

function reasoning(reader: JsonReader, item: JsonObject): JsonObject {
  const summary = item.get("summary");
  const content = new JsonObject();
  const texts: JsonSlice[] = [];
  if (summary instanceof JsonSlice && summary.kind === "array") {
    for (const part of reader.elements(summary)) {
      if (part.kind === "string") texts.push(part);
    }
  }
  content.set("text", joined(reader, texts));
  const raw = item.take("content");
  if (raw !== undefined) item.set("rawContent", raw);
  return content;
}

/** Texts, one on a line. */
function joined(reader: JsonReader, texts: readonly JsonSlice[]): JsonSlice {
  const [first] = texts;
  if (first === undefined) return EMPTY;
  return texts.length === 1
    ? first
    : stringValue(texts.map((text) => reader.text(text)).join("\n"));
}

function fileChange(reader: JsonReader, item: JsonObject): JsonObject {
  const content = new JsonObject();
  const status = reader.wordOf(item.get("status"));
  if (status === "declined") {
    // exec knows no other word for what did not come to pass.
    item.set("status", FAILED);
    item.set("declined", TRUE_VALUE);
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
  // What is put together here cannot be found again in another line.
  reader.looked();
  content.set("changes", listOf(nodes));
  return content;
}

/** A change whose kind is a word; what the kind says besides stands beside it. */
function changed(reader: JsonReader, change: JsonSlice): JsonObject {
  const members = reader.members(change);
  const kind = members.get("kind");
  if (kind?.kind !== "object") return members;
  const details = reader.members(kind);
  const word = details.take("type");
  if (word === undefined) return members;
  members.set("kind", word);
  for (let place = 0; place < details.size; place++) {
    const value = details.valueAt(place);
    const name = details.nameAt(place);
    if (value === undefined || value.kind === "null") continue;
    members.set(members.has(name) ? `kind_${name}` : name, value);
  }
  return members;
}
