/**
 * The items of an app-server: what each kind is called in events, and what its content is.
 */

import { stringValue, TRUE_VALUE, wordValue } from "../../json/literal.ts";
import type { JsonReader } from "../../json/reader.ts";
import {
  JsonJoined,
  JsonList,
  type JsonNode,
  JsonObject,
  JsonSlice,
} from "../../json/value.ts";
import { WordTable } from "../../json/word_table.ts";

const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;
const PLAIN_WORD_REGEXP = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Spells a name of the app-server as events do: in snake case. */
export function snakeCase(name: string): string {
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
export function itemTypeOfMethod(method: string): string {
  return method.split("/").map(snakeCase).join("_");
}

/** Spells a value as events do, if it is a word; a value of another kind stays what it is. */
export function snakeWord(reader: JsonReader, value: JsonNode): JsonNode {
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
const KINDS = new WordTable<ItemKind>([
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
const PARTS = new WordTable([
  ["text", "text"],
  ["image", "url"],
  ["localImage", "path"],
]);
const EMPTY = stringValue("");
const FAILED = wordValue("failed");
const OTHER_ACTION = new JsonObject();
OTHER_ACTION.set("type", wordValue("other"));

/** Finds out what is known of a kind of item. */
export function itemKindOf(type: string): ItemKind {
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
  if (members.live("move_path") === undefined) return members;
  const moved = reader.textOf(members.get("move_path"));
  const diff = reader.textOf(members.get("diff"));
  const end = `\n\nMoved to: ${moved ?? ""}`;
  // Where it is moved to does not belong to the diff.
  if (moved !== undefined && diff?.endsWith(end) === true) {
    members.set("diff", stringValue(diff.slice(0, -end.length)));
  }
  return members;
}
