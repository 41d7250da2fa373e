/**
 * Reads heads that are written as releases since 0.34 write them, and makes values of no
 * more than a head needs.
 */

import { type Fields, parseJson } from "../json/fields.ts";
import { LF } from "../json/bytes.ts";
import { JsonReader } from "../json/reader.ts";
import { type JsonNode, type JsonObject, JsonSlice } from "../json/value.ts";
import { LINE_FAILED } from "../lines/failures.ts";
import {
  GIT_RENAMES,
  SESSION_META_RENAMES,
} from "../dialects/rollout/kinds.ts";
import { MAX_BYTES, MAX_LINES } from "./_first_records.ts";
import { concernsHead, type HeadFacts } from "./_head_facts.ts";
import { withSession } from "./_lent_block.ts";

/** Members that are long, and that nobody asks for. */
const UNREAD: ReadonlySet<string> = new Set([
  "base_instructions",
  "developer_instructions",
  "instructions",
  "user_instructions",
]);

const READER = new JsonReader(2);

/**
 * Reads the first records of a session file, if each of its lines is a record that no rule
 * changes: not one of old releases, torn, or longer than 128 KiB. Then the rules, which know
 * all of that, would have given the same.
 *
 * @param file The file.
 * @param facts Takes the records, as far as they concern it.
 * @returns Whether it was so; if not, what `facts` has taken is of no use.
 * @throws {Error} If the file cannot be opened or read, or unpacked that far.
 */
export async function readPlainHead(
  file: { readonly path: string },
  facts: HeadFacts,
): Promise<boolean> {
  return await withSession(file, async (source, block) => {
    let lines = 0;
    let held = 0;
    for (let bytes = 0; bytes < MAX_BYTES;) {
      const size = await source.read(block.subarray(held));
      // A last line without an end may be torn.
      if (size === null) return held === 0;
      bytes += size;
      const end = held + size;
      let start = 0;
      for (;;) {
        const lineEnd = block.indexOf(LF, start);
        if (lineEnd === -1 || lineEnd >= end) break;
        const record = plainRecord(block, start, lineEnd);
        if (record === undefined) return false;
        facts.add(record);
        lines += 1;
        if (facts.isDone || lines === MAX_LINES) return true;
        start = lineEnd + 1;
      }
      held = end - start;
      if (held === block.length) return false;
      block.copyWithin(0, start, end);
    }
    return false;
  });
}

/** Reads a line as far as it concerns a head; `undefined` if the rules have a say in it. */
function plainRecord(
  bytes: Uint8Array,
  start: number,
  end: number,
): Fields | undefined {
  const root = READER.read(bytes, start, end);
  if (root?.kind !== "object") return undefined;
  const line = READER.members(root);
  const type = READER.wordOf(line.get("type"));
  const payload = line.get("payload");
  if (type === undefined || type === LINE_FAILED) return undefined;
  if (payload?.kind !== "object") return undefined;
  const members = READER.members(payload);
  const kind = {
    type: READER.wordOf(members.get("type")),
    role: READER.wordOf(members.get("role")),
  };
  if (!concernsHead(type, kind)) return { type };
  if (type === "session_meta" && hasOldNames(members)) return undefined;
  return {
    type,
    ordinal: valueOf(line.get("ordinal")),
    payload: hasOneOf(members, UNREAD) ? fieldsIn(members) : valueOf(payload),
  };
}

/** Whether a header has names that are other ones today (rollout.md R6). */
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

/** Makes values of the members that may be asked for. */
function fieldsIn(members: JsonObject): Fields {
  const fields: [string, unknown][] = [];
  for (let place = 0; place < members.size; place++) {
    const name = members.nameAt(place);
    if (UNREAD.has(name)) continue;
    fields.push([name, valueOf(members.valueAt(place))]);
  }
  return Object.fromEntries(fields);
}

function valueOf(node: JsonNode | undefined): unknown {
  return node instanceof JsonSlice ? parseJson(READER.source(node)) : undefined;
}
