/**
 * Reads session file lines that need no normalizing, and parses only the parts that are used.
 *
 * @module
 */

import { type Fields, fieldsOf, parseJson } from "../../json/fields.ts";
import { JsonReader } from "../../json/reader.ts";
import { type JsonNode, type JsonObject, JsonSlice } from "../../json/value.ts";
import { LINE_FAILED } from "../../lines/failures.ts";
import { GIT_RENAMES, SESSION_META_RENAMES } from "./kinds.ts";

/** Long members that no event has. */
const UNREAD: ReadonlySet<string> = new Set([
  "base_instructions",
  "developer_instructions",
  "instructions",
  "user_instructions",
]);
const PAYLOAD: ReadonlySet<string> = new Set(["payload"]);
/** The result for a line that is not wanted. */
const UNWANTED: Fields = {};

interface Selection {
  /** Returns whether a normalized record is wanted. */
  wants(reader: JsonReader, record: JsonNode): boolean;
}

const READER = new JsonReader(2);

/**
 * Reads a line in the form that releases since 0.34 write.
 *
 * @param bytes The bytes that hold the line.
 * @param start The index of its first byte.
 * @param end The index behind it: that of the LF.
 * @param selection Selects lines by their types.
 * @returns The record, without long texts that no event has; an empty object for a line that is not
 *   wanted; `undefined` for a line that has to be normalized.
 */
export function readPlainLine(
  bytes: Uint8Array,
  start: number,
  end: number,
  selection: Selection,
): Fields | undefined {
  const root = READER.read(bytes, start, end);
  if (root?.kind !== "object") return undefined;
  const line = READER.members(root);
  const type = READER.wordOf(line.get("type"));
  const payload = line.get("payload");
  if (type === undefined || type === LINE_FAILED) return undefined;
  if (payload?.kind !== "object") return undefined;
  if (!selection.wants(READER, line)) return UNWANTED;
  const isHeader = type === "session_meta";
  if (isHeader || type === "turn_context") {
    const members = READER.members(payload);
    if (isHeader && hasOldNames(members)) return undefined;
    if (hasOneOf(members, UNREAD)) {
      return { ...fieldsIn(line, PAYLOAD), payload: fieldsIn(members, UNREAD) };
    }
  }
  return fieldsOf(valueOf(root));
}

/** Returns whether a header has fields under their old names (rollout.md R6). */
function hasOldNames(meta: JsonObject): boolean {
  const git = meta.get("git");
  return hasOneOf(meta, SESSION_META_RENAMES) ||
    (git !== undefined && hasOneOf(READER.members(git), GIT_RENAMES));
}

function hasOneOf(
  members: JsonObject,
  names: { keys(): Iterable<string> },
): boolean {
  for (const name of names.keys()) if (members.has(name)) return true;
  return false;
}

function fieldsIn(members: JsonObject, unread: ReadonlySet<string>): Fields {
  const fields: [string, unknown][] = [];
  for (let place = 0; place < members.size; place++) {
    const name = members.nameAt(place);
    if (unread.has(name)) continue;
    fields.push([name, valueOf(members.valueAt(place))]);
  }
  return Object.fromEntries(fields);
}

function valueOf(node: JsonNode | undefined): unknown {
  // Most members of a header are strings; reading those is faster than parsing them.
  const text = READER.textOf(node);
  if (text !== undefined) return text;
  return node instanceof JsonSlice ? parseJson(READER.source(node)) : undefined;
}
