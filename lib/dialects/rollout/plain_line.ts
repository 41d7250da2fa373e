/** Reads session file lines that need no normalizing, and parses only the parts that are used. */

import { type Fields, fieldsOf, parseJson } from "../../json/fields.ts";
import type { Selection } from "../../json/kernel_plans.ts";
import { JsonReader } from "../../json/reader.ts";
import { type JsonNode, type JsonObject, JsonSlice } from "../../json/value.ts";
import { LINE_FAILED } from "../../lines/failures.ts";
import { GIT_RENAMES, renamesIn, SESSION_META_RENAMES } from "./kinds.ts";

/** Members of a header that are not read: those that are long, and one that is no plain field. */
const UNREAD: ReadonlySet<string> = new Set([
  "__proto__",
  "base_instructions",
  "developer_instructions",
  "instructions",
  "user_instructions",
]);
const LINE = ["timestamp", "ordinal", "type"] as const;
/** The members of a `turn_context` that are used. */
const TURN = ["type", "turn_id", "cwd", "model"] as const;
const UNWANTED: Fields = {};

const READER = new JsonReader(2);

/**
 * Reads a line in the form that releases since 0.34 write; `end` is the place of its LF.
 *
 * Returns the record, without long texts that no event has; an empty object for a line that is not
 * wanted; `undefined` for a line that has to be normalized.
 */
export function readPlainLine(
  bytes: Uint8Array,
  start: number,
  end: number,
  selection: Selection,
): Fields | undefined {
  const root = READER.read(bytes, start, end);
  if (root?.kind !== "object") return undefined;
  const type = READER.wordOf(READER.member(root, "type"));
  const payload = READER.member(root, "payload");
  if (type === undefined || type === LINE_FAILED) return undefined;
  if (payload?.kind !== "object") return undefined;
  if (!selection.wants(READER, root)) return UNWANTED;
  if (type === "turn_context") {
    return { ...named(root, LINE), payload: named(payload, TURN) };
  }
  if (type === "session_meta") {
    const members = READER.members(payload);
    if (hasOldNames(members)) return undefined;
    return { ...named(root, LINE), payload: headerIn(members) };
  }
  return fieldsOf(valueOf(root));
}

/** Returns whether a header has fields to be renamed (rollout.md R6). */
function hasOldNames(meta: JsonObject): boolean {
  const git = READER.members(meta.get("git"));
  return renamesIn(meta, SESSION_META_RENAMES).length > 0 ||
    renamesIn(git, GIT_RENAMES).length > 0;
}

/** Returns those members of an object that have one of the names. */
function named(object: JsonNode, names: readonly string[]): Fields {
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const value = READER.member(object, name);
    if (value !== undefined) fields[name] = valueOf(value);
  }
  return fields;
}

/** Returns the members of a header that may be read. */
function headerIn(members: JsonObject): Fields {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of members) {
    if (!UNREAD.has(name)) fields[name] = valueOf(value);
  }
  return fields;
}

function valueOf(node: JsonNode | undefined): unknown {
  // Most members of a header are strings; reading those is faster than parsing them.
  const text = READER.textOf(node);
  if (text !== undefined) return text;
  return node instanceof JsonSlice ? parseJson(READER.source(node)) : undefined;
}
