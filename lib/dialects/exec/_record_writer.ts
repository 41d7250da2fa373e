/**
 * Writes records by the field tables: each known field is checked and put under its own
 * name and in its place, the unknown ones follow (normalize.md section 5, O1, O2).
 */

import { CLOSE_BRACE, CLOSE_BRACKET, COMMA } from "../../json/bytes.ts";
import { OPEN_BRACE, OPEN_BRACKET } from "../../json/bytes.ts";
import type { ByteWriter } from "../../json/byte_writer.ts";
import { writeKey, writeMembers, writeNode } from "../../json/object_writer.ts";
import type { JsonReader } from "../../json/reader.ts";
import {
  JsonList,
  type JsonNode,
  type JsonObject,
  JsonSlice,
  KIND_WORDS,
} from "../../json/value.ts";
import {
  ERROR_FIELDS,
  EXPECTED,
  type Field,
  type FieldKind,
  TODO_FIELDS,
} from "./fields.ts";
import { writeCommand } from "./_shell.ts";

/** The fields of the payload of one record. */
export interface PayloadFields {
  /** The fields, in output order. */
  readonly fields: readonly Field[];
  /** Of these at least one must be there. */
  readonly oneOf?: readonly string[] | undefined;
}

/** Writes records, one after the other, and remembers what was wrong with the last one. */
export class RecordWriter {
  readonly #reader: JsonReader;
  #payload: PayloadFields | undefined;

  /** The path of the field that the last record was refused for. */
  field = "";
  /** What that field is, and what was expected. */
  state = "";

  /**
   * Constructs a new instance.
   *
   * @param reader The reader that the values come from.
   */
  constructor(reader: JsonReader) {
    this.#reader = reader;
  }

  /**
   * Writes the members of a record behind what is there of it.
   *
   * @param record The record; its known members are taken out of it.
   * @param payload The fields of its payload; without them any value will do for it.
   * @returns Whether the record is good; if not, what was written of it is worthless.
   */
  write(
    out: ByteWriter,
    record: JsonObject,
    fields: readonly Field[],
    payload?: PayloadFields,
  ): boolean {
    this.#payload = payload;
    return this.#members(out, record, fields, "");
  }

  #members(
    out: ByteWriter,
    object: JsonObject,
    fields: readonly Field[],
    path: string,
  ): boolean {
    for (const field of fields) {
      const { name, kind } = field;
      if (field.isPlaced === true) {
        const placed = object.get(name);
        if (placed?.kind === kind) continue;
        return placed === undefined
          ? this.#fail(path + name, "absent", kind)
          : this.#refuse(placed, kind, path + name);
      }
      const value = this.#takeLive(object, field);
      if (value !== undefined) {
        writeKey(out, name);
        if (!this.#value(out, value, kind, path, name)) return false;
      } else if (field.default !== undefined) {
        writeKey(out, name);
        out.text(field.default);
      } else if (
        field.required === true ||
        (kind === "payload" && this.#payload !== undefined)
      ) return this.#fail(path + name, "absent", kind);
    }
    writeMembers(out, object);
    return true;
  }

  /** Takes the first live value among a field's names; nulls go with it. */
  #takeLive(object: JsonObject, field: Field): JsonNode | undefined {
    let value = takeLive(object, field.name);
    if (field.aliases !== undefined) {
      for (const alias of field.aliases) {
        const node = object.get(alias);
        if (node === undefined) continue;
        if (node.kind === "null") object.take(alias);
        else if (value === undefined) value = object.take(alias);
      }
    }
    return value;
  }

  #value(
    out: ByteWriter,
    node: JsonNode,
    kind: FieldKind,
    path: string,
    name: string,
  ): boolean {
    switch (kind) {
      case "any":
        break;
      case "string":
      case "boolean":
        if (node.kind !== kind) return this.#refuse(node, kind, path + name);
        break;
      case "whole":
        if (
          !(node instanceof JsonSlice) || node.kind !== "number" ||
          !this.#reader.isWhole(node)
        ) return this.#refuse(node, kind, path + name);
        break;
      case "code":
        if (node.kind !== "string" && node.kind !== "number") {
          return this.#refuse(node, kind, path + name);
        }
        break;
      case "command":
        if (node.kind === "string") break;
        return this.#command(out, node, path + name);
      case "changes":
        if (!this.#isChanges(node)) {
          return this.#refuse(node, kind, path + name);
        }
        break;
      case "error":
        return this.#object(out, node, ERROR_FIELDS, path + name, kind);
      case "todos":
        return this.#todos(out, node, path + name);
      case "payload":
        if (this.#payload !== undefined) {
          return this.#payloadObject(out, node, this.#payload, path + name);
        }
    }
    writeNode(out, node);
    return true;
  }

  #object(
    out: ByteWriter,
    node: JsonNode,
    fields: readonly Field[],
    path: string,
    kind: FieldKind,
  ): boolean {
    if (node.kind !== "object") return this.#refuse(node, kind, path);
    out.byte(OPEN_BRACE);
    const members = this.#reader.members(node);
    if (!this.#members(out, members, fields, `${path}.`)) return false;
    out.byte(CLOSE_BRACE);
    return true;
  }

  #payloadObject(
    out: ByteWriter,
    node: JsonNode,
    { fields, oneOf }: PayloadFields,
    path: string,
  ): boolean {
    if (node.kind !== "object") return this.#refuse(node, "payload", path);
    const members = this.#reader.members(node);
    if (oneOf !== undefined && !this.#hasOneOf(members, fields, oneOf)) {
      return this.#fail(
        `${path}.${oneOf[0] ?? ""}`,
        "absent, and so is changes",
        "string",
      );
    }
    return this.#object(out, members, fields, path, "payload");
  }

  #hasOneOf(
    members: JsonObject,
    fields: readonly Field[],
    oneOf: readonly string[],
  ): boolean {
    return fields.some(({ name, aliases }) =>
      oneOf.includes(name) &&
      (members.live(name) !== undefined ||
        aliases?.some((alias) => members.live(alias) !== undefined))
    );
  }

  #command(out: ByteWriter, node: JsonNode, path: string): boolean {
    if (!(node instanceof JsonSlice) || node.kind !== "array") {
      return this.#refuse(node, "command", path);
    }
    const length = out.length;
    if (writeCommand(out, node.bytes, node.start)) {
      this.#reader.looked();
      return true;
    }
    out.truncate(length);
    let place = 0;
    for (const word of this.#reader.elements(node)) {
      if (word.kind !== "string") {
        return this.#refuse(word, "string", `${path}[${place}]`);
      }
      place += 1;
    }
    return true;
  }

  #isChanges(node: JsonNode): boolean {
    if (node.kind !== "array") return false;
    const changes = node instanceof JsonList
      ? node.nodes
      : this.#reader.elements(node);
    for (const change of changes) {
      if (change.kind !== "object") return false;
      const path = this.#reader.members(change).get("path");
      if (path?.kind !== "string") return false;
    }
    return true;
  }

  #todos(out: ByteWriter, node: JsonNode, path: string): boolean {
    if (!(node instanceof JsonSlice) || node.kind !== "array") {
      return this.#refuse(node, "todos", path);
    }
    out.byte(OPEN_BRACKET);
    let place = 0;
    for (const todo of this.#reader.elements(node)) {
      if (place > 0) out.byte(COMMA);
      const where = `${path}[${place}]`;
      if (!this.#object(out, todo, TODO_FIELDS, where, "error")) return false;
      place += 1;
    }
    out.byte(CLOSE_BRACKET);
    return true;
  }

  #refuse(node: JsonNode, kind: FieldKind, path: string): false {
    return this.#fail(path, KIND_WORDS[node.kind], kind);
  }

  #fail(path: string, state: string, kind: FieldKind): false {
    this.field = path;
    this.state = `${state}, expected ${EXPECTED[kind]}`;
    return false;
  }
}

function takeLive(object: JsonObject, name: string): JsonNode | undefined {
  const value = object.take(name);
  return value === undefined || value.kind === "null" ? undefined : value;
}
