/**
 * The calls of the old dialect: commands, patches, tools and searches, whose ends leave out
 * what their begins said (normalize.md P6 to P9).
 */

import type { FailureReason } from "../../errors.ts";
import { ByteWriter } from "../../json/byte_writer.ts";
import { sliceOf, wordValue } from "../../json/literal.ts";
import { listOf } from "../../json/object_writer.ts";
import type { JsonReader } from "../../json/reader.ts";
import {
  type JsonNode,
  JsonObject,
  JsonSlice,
  JsonString,
} from "../../json/value.ts";
import { BegunCalls, COMMANDS, PATCHES, TOOLS } from "./_begun_calls.ts";
import { ChunkDecoder } from "./_chunk_decoder.ts";
import { refused, type Rewritten, setText, typeValue } from "./_old_lines.ts";
import { writeCommand } from "./_shell.ts";

const EMPTY_STRING = wordValue("");
const COMPLETED = wordValue("completed");
const FAILED = wordValue("failed");
const DELETE = "delete";
/** Room for a text of the usual size. */
const KEPT_CAPACITY = 1 << 12;

/** Rewrites the messages of calls; remembers those that are open. */
export class OldCalls {
  readonly #reader: JsonReader;
  readonly #chunks: ChunkDecoder;
  readonly #begun: BegunCalls;
  readonly #text = new ByteWriter(KEPT_CAPACITY);

  /** Constructs a new instance. */
  constructor(reader: JsonReader) {
    this.#reader = reader;
    this.#chunks = new ChunkDecoder(reader);
    this.#begun = new BegunCalls(reader);
  }

  /** Writes down what is remembered of the open calls. */
  save(): unknown {
    return { begun: this.#begun.save(), chunks: this.#chunks.save() };
  }

  /** Goes on from what was written down. */
  load(saved: unknown): void {
    this.#chunks.load(saved, "chunks");
    this.#begun.load(saved, "begun");
  }

  /** Forgets the open calls. */
  clear(): void {
    this.#chunks.clear();
    this.#begun.clear();
  }

  /** Rewrites a message, if it is one of a call. */
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
      out.clear(KEPT_CAPACITY);
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

  /** P7: the map of changes becomes a list. */
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

  /** Makes a list of a map of changes; nothing, if it is none. */
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

  /** P8. */
  #toolBegin(line: JsonObject): Rewritten {
    this.#spread(line, "invocation");
    const reason = this.#call(line, "mcp_tool_call");
    if (reason !== undefined) return reason;
    this.#begun.remember(line, TOOLS);
    return "item.started";
  }

  /** P8. */
  #toolEnd(line: JsonObject): Rewritten {
    this.#spread(line, "invocation");
    const reason = this.#call(line, "mcp_tool_call");
    if (reason !== undefined) return reason;
    this.#begun.complete(line, TOOLS);
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

  /** Names an item line after its call. */
  #call(line: JsonObject, itemType: string): FailureReason | undefined {
    if (line.get("call_id")?.kind !== "string") {
      return refused("call_id", "not a string");
    }
    line.rename("call_id", "item_id");
    line.set("item_type", typeValue(itemType));
    return undefined;
  }

  #isTrue(node: JsonNode | undefined): boolean {
    return node instanceof JsonSlice && node.kind === "boolean" && isTrue(node);
  }

  /** Moves the fields of an object member to the line; its `type` gives way to the event's. */
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

/** Adds the members of one object to another that keeps its own. */
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
    // The digits of the exponent do not count.
    if ((byte | 0x20) === 0x65) return true;
    if (byte > 0x30) return false;
  }
  return true;
}
