/**
 * Reads histories in both layouts: the one that codexpipe writes, and that of `code`, the fork of
 * Codex that first wrote histories.
 *
 * The layout is recognized for each record. codexpipe writes `{id, type, payload}`, the fork
 * `{"PlainMessage": {id, …}}` with words in PascalCase and times in seconds and nanoseconds.
 */

import { durationMsOf, timestampOf, timestampOfMs } from "../events/times.ts";
import {
  type Fields,
  fieldsOf,
  isObject,
  numberOf,
  snakeCase,
  textOf,
} from "../json/fields.ts";
import { expectedOf, fits, kindOf, sortOf } from "../shapes/check.ts";
import {
  type AnyShape,
  COUNT,
  list,
  map,
  maybe,
  object,
  type ObjectShape,
  optional,
  TIME,
} from "../shapes/shapes.ts";
import { onlyMember, setOwn, tagInside } from "./plain_json.ts";
import * as shapes from "./record_shapes.ts";
import { RecordStore, TOOL_TYPES } from "./record_store.ts";
import type { AnyHistoryRecord, ExecAction, ExecPayload } from "./records.ts";
import {
  type HistoryLookup,
  type HistorySnapshot,
  refuse,
  unwrap,
} from "./snapshot.ts";

/** Rewrites a value to its canonical spelling; an unexpected value is returned unchanged. */
type Rewrite = (value: unknown) => unknown;

// The fork's layout differs in two ways. Some fields have other names or stand elsewhere: the rules
// below move those, and check nothing. Values are spelled otherwise, such as "LightBulb" for
// "light_bulb": `readAs` reads such spellings in both layouts, as none is a value of codexpipe's.
//
// Fields of the fork's layout that codexpipe's lacks are dropped: indents and languages of lines,
// folders and environments of commands, the kinds of explore entries, and more. Fields that neither
// layout has are kept.

function each(list: unknown, rewrite: (element: Fields) => Fields): unknown {
  return Array.isArray(list)
    ? list.map((element) => isObject(element) ? rewrite(element) : element)
    : list;
}

/** Returns the text by which the fork displays an explore entry. */
function displayOf(summary: unknown): string {
  const [name, member] = onlyMember(summary) ?? [];
  // Each kind of summary has some of these.
  const { query, path, display_path, target, display, text } = fieldsOf(member);
  const folder = name === "List" ? path ?? "./" : path;
  return [query, folder, display_path, target, display, text]
    .filter((part) => typeof part === "string" && part !== "").join(" ");
}

function exploreEntry(entry: Fields): Fields {
  if (!Object.hasOwn(entry, "summary")) return entry;
  const { summary, action: _action, ...rest } = entry;
  return { command: [displayOf(summary)], cwd: null, ...rest };
}

function exec(
  {
    wait_total: wait_total_ms,
    working_dir: _dir,
    env: _env,
    tags: _tags,
    ...rest
  }: Fields,
): Fields {
  return { wait_total_ms, ...rest };
}

function image(payload: Fields): Fields {
  const { source_path, alt_text, width, height, sha256, ...other } = payload;
  const { mime_type, byte_len, ...rest } = other;
  // The fork writes 0 for an unknown width or height.
  const known = Object.entries({
    width: width === 0 ? null : width,
    height: height === 0 ? null : height,
    sha256,
    mime_type,
    byte_len,
  }).filter(([, member]) => member !== undefined && member !== null);
  return {
    path: source_path ?? "",
    caption: alt_text ?? null,
    metadata: known.length === 0 ? null : Object.fromEntries(known),
    ...rest,
  };
}

function patch({ patch_type, ...rest }: Fields): Fields {
  const [name, member] = onlyMember(patch_type) ?? [];
  const event = name ?? patch_type;
  return {
    event: event === "ApprovalRequest" ? "proposed" : event,
    auto_approved: fieldsOf(member).auto_approved ?? null,
    ...rest,
  };
}

const REWRITES: ReadonlyMap<string, (payload: Fields) => Fields> = new Map(
  Object.entries<(payload: Fields) => Fields>({
    running_tool: ({ call_id: _id, ...rest }) => rest,
    tool_call: ({ duration: duration_ms, call_id: _id, ...rest }) => ({
      duration_ms,
      ...rest,
    }),
    reasoning: ({ effort: _effort, ...rest }) => rest,
    exec,
    merged_exec: (payload) => ({
      ...payload,
      segments: each(payload.segments, exec),
    }),
    assistant_stream: ({ truncated_prefix_bytes: _bytes, ...rest }) => rest,
    assistant_message: ({ mid_turn: _isMidTurn, ...rest }) => rest,
    diff: ({ title: _title, hunks, ...rest }) => ({
      hunks: each(hunks, ({ lines, ...hunk }) => ({
        lines: each(lines, ({ content: text, ...line }) => ({ text, ...line })),
        ...hunk,
      })),
      ...rest,
    }),
    image,
    explore: ({ entries, ...rest }) => ({
      entries: each(entries, exploreEntry),
      ...rest,
    }),
    rate_limits: ({ snapshot, legend: _legend, ...rest }) => ({
      ...fieldsOf(snapshot),
      ...rest,
    }),
    patch,
  }),
);

/** The shapes of payloads in codexpipe's layout, by the type of the record. */
const PAYLOADS: ReadonlyMap<string, AnyShape> = new Map<string, AnyShape>(
  Object.entries(shapes.PAYLOADS),
);
/** The shapes of payloads in the fork's layout, which has two types more. */
const CODE_PAYLOADS: ReadonlyMap<string, AnyShape> = new Map([
  ...PAYLOADS,
  [
    "merged_exec",
    object<
      { readonly action: ExecAction; readonly segments: readonly ExecPayload[] }
    >({ action: shapes.ACTION, segments: list(shapes.PAYLOADS.exec) }),
  ],
  [
    "context",
    object<
      { readonly browser_snapshot?: { readonly captured_at?: string } | null }
    >({ browser_snapshot: maybe(object({ captured_at: optional(TIME) })) }),
  ],
]);

/**
 * Rewrites a record of the fork's layout: an object with one member, named after the type.
 *
 * Returns the record, unchecked, and its call id, if it is a tool call and has one; nothing if the
 * value has another layout.
 */
function fromCodeLayout(
  value: unknown,
): { record: Fields; callId: string | undefined } | undefined {
  const [name = "", member] = onlyMember(value) ?? [];
  if (!/^[A-Z]/.test(name) || !isObject(member)) return undefined;
  const type = snakeCase(name);
  const { id, ...rest } = member;
  const callId = TOOL_TYPES.has(type) ? textOf(rest.call_id) : undefined;
  const payload = REWRITES.get(type)?.(rest) ?? rest;
  return { record: { id, type, payload }, callId };
}

/**
 * Reads one record of either layout: that of codexpipe, `{id, type, payload}`, or that of the fork
 * of Codex that first wrote histories, `{"PlainMessage": {id, …}}`.
 *
 * Absent optional fields become `null` or empty. Unknown fields and types are kept. The fork's
 * layout has no `trailing` in explore records: it becomes `true` here, and
 * {@linkcode readSnapshot} derives it.
 *
 * @param value The record, as parsed JSON.
 * @returns The record in codexpipe's layout.
 * @throws {HistorySnapshotError} If the value is no record of either layout, or a field does not
 *   match its type.
 *
 * @example A record of the fork
 * ```ts
 * import { readRecord } from "@codexpipe/codexpipe/history";
 * import { assertEquals } from "@std/assert";
 *
 * const record = readRecord({ Loading: { id: 1, message: "Connecting" } });
 *
 * assertEquals(record, {
 *   id: 1,
 *   type: "loading",
 *   payload: { message: "Connecting" },
 * });
 * ```
 */
export function readRecord(value: unknown): AnyHistoryRecord {
  return readRecordAt(value, "").record;
}

/**
 * Reads a history whose records have either layout of {@linkcode readRecord}, or both.
 *
 * The history may be bare, the `history_snapshot` of a saved session, or the `history` of a line of
 * a session log with the `kind` `history_snapshot`. Absent optional fields become `null` or empty.
 * `order` and `order_debug`, which only the fork's layout has, are dropped. Other unknown fields
 * and records are kept.
 *
 * If all lookups are empty although tools of the fork's layout have call ids, the lookups are built
 * from the records: codexpipe's layout holds these ids nowhere else.
 *
 * @param value The history, as parsed JSON. The result may share parts with it.
 * @returns The history in codexpipe's layout.
 * @throws {HistorySnapshotError} If the value is no history, or a field does not match its type.
 *
 * @example A history of the fork
 * ```ts
 * import { readSnapshot } from "@codexpipe/codexpipe/history";
 * import { assertEquals } from "@std/assert";
 *
 * const snapshot = readSnapshot({
 *   records: [{ Loading: { id: 1, message: "Connecting" } }],
 *   next_id: 2,
 *   order: [],
 *   order_debug: [],
 * });
 *
 * assertEquals(snapshot, {
 *   records: [{ id: 1, type: "loading", payload: { message: "Connecting" } }],
 *   next_id: 2,
 *   exec_call_lookup: {},
 *   tool_call_lookup: {},
 *   stream_lookup: {},
 * });
 * ```
 */
export function readSnapshot(value: unknown): HistorySnapshot {
  const [history, path] = unwrap(value);
  if (!isObject(history)) return refuse(history, path, "an object");
  const {
    records: values,
    next_id,
    exec_call_lookup: _commands,
    tool_call_lookup: _tools,
    stream_lookup: _streams,
    order: _order,
    order_debug: _debug,
    ...others
  } = history;
  if (!Array.isArray(values)) {
    return refuse(values, join(path, "records"), "a list");
  }
  const { records, callIds } = readRecords(values, join(path, "records"));
  const lookup = (name: string): HistoryLookup =>
    // The boundary: it was read as a map of numbers.
    readAs(map(COUNT), history[name] ?? {}, join(path, name)) as HistoryLookup;
  const lookups = {
    exec_call_lookup: lookup("exec_call_lookup"),
    tool_call_lookup: lookup("tool_call_lookup"),
    stream_lookup: lookup("stream_lookup"),
  };
  const isEmpty = Object.values(lookups)
    .every((each) => Object.keys(each).length === 0);
  const snapshot = {
    records,
    next_id: recordId(
      next_id ?? records.reduce((max, { id }) => Math.max(max, id), 0) + 1,
      join(path, "next_id"),
    ),
    ...lookups,
    ...others,
  };
  if (!isEmpty || callIds.size === 0) return snapshot;
  // A store that is restored without lookups builds them from the records.
  const { exec_call_lookup, stream_lookup } = RecordStore.restore(snapshot)
    .snapshot({ copy: false });
  const tool_call_lookup = Object.fromEntries(callIds);
  return { ...snapshot, exec_call_lookup, tool_call_lookup, stream_lookup };
}

/** Reads records, and collects the call ids of tools, which only the fork's layout has. */
function readRecords(values: readonly unknown[], path: string): {
  readonly records: readonly AnyHistoryRecord[];
  readonly callIds: ReadonlyMap<string, number>;
} {
  const callIds = new Map<string, number>();
  const records = values.map((value, index) => {
    const { record, callId } = readRecordAt(value, `${path}[${index}]`);
    if (callId !== undefined) callIds.set(callId, record.id);
    return record;
  });
  const last = records.findLast(({ type }) => type !== "reasoning");
  for (const record of records) {
    if (record.type !== "explore") continue;
    // The payload was made by the reader.
    setOwn(record.payload, "trailing", record === last);
  }
  return { records, callIds };
}

function readRecordAt(
  value: unknown,
  path: string,
): { readonly record: AnyHistoryRecord; readonly callId: string | undefined } {
  const code = fromCodeLayout(value);
  const record = code?.record ?? fieldsOf(value);
  const { id, type, payload } = record;
  if (typeof type !== "string" || !isObject(payload)) {
    return refuse(value, path, "a record with id, type and payload");
  }
  // Types that only the fork's layout has are extensions in codexpipe's, which are not read.
  const shape = (code === undefined ? PAYLOADS : CODE_PAYLOADS).get(type);
  const read = {
    ...record,
    payload: shape ? readAs(shape, payload, join(path, "payload")) : payload,
    id: recordId(id, join(path, "id")),
  };
  // The boundary: the payload was read by the shape of the type.
  return { record: read as unknown as AnyHistoryRecord, callId: code?.callId };
}

function recordId(value: unknown, path: string): number {
  // The boundary: it was read as a number.
  return readAs(COUNT, value, path) as number;
}

// Reads values by their shapes: absent values become `null`, `false` or empty, and alternative
// spellings that can be recognized by themselves become the canonical one.

const LINE_KINDS: ReadonlyMap<unknown, string> = new Map([
  ["Addition", "added"],
  ["Removal", "removed"],
]);

/** The rewrites that are applied to values of some shapes before they are read. */
const SPELLINGS: ReadonlyMap<AnyShape, Rewrite> = new Map<AnyShape, Rewrite>([
  [shapes.TONE, absentAs("default")],
  [shapes.INDENT, absentAs(0)],
  [shapes.MARKER, canonicalMarker],
  [shapes.TRAILING, absentAs(true)],
  [shapes.PARSED_LINE, absentAs("")],
  [shapes.FILE_CONTENT, absentAs("")],
  [shapes.EMPHASIS, (value) => value ?? {}],
  [shapes.SUMMARY, (value) => value ?? []],
  [shapes.STEP_STATUS, (value) => value === "completed" ? "complete" : value],
  [shapes.PLAN_ICON, snakeTag],
  [shapes.EXPLORE_STATUS, snakeTag],
  [shapes.DIFF_LINE_KIND, (value) => LINE_KINDS.get(value) ?? value],
  [shapes.DURATION, (value) => durationMsOf(value) ?? value],
  [shapes.TOKEN_USAGE, canonicalUsage],
  [shapes.TOOL_ARGUMENT_VALUE, canonicalArgument],
  [shapes.REASONING_BLOCK, canonicalBlock],
  [shapes.PARSED_COMMAND, tagInside],
  [shapes.FILE_CHANGE, canonicalChange],
]);

/** Reads a value of a shape, at a path. Fields that the shape does not name are kept. */
function readAs(shape: AnyShape, json: unknown, path: string): unknown {
  const value = SPELLINGS.get(shape)?.(json) ?? json;
  switch (shape.kind) {
    case "any":
      return value === undefined ? null : value;
    case "boolean":
      if (value === undefined) return false;
      break;
    case "time": {
      const time = readTime(value);
      if (time !== undefined) return time;
      // A time in any other format is kept.
      if (typeof value === "string") return value;
      break;
    }
    case "either": {
      const sort = value === undefined ? "null" : kindOf(value);
      const one = shape.shapes.find((shape) => sortOf(shape) === sort);
      if (one?.kind === "null") return null;
      return readAs(one ?? shape.shapes[0] ?? shape, value, path);
    }
    case "number":
    case "count":
      // JSON has no infinite numbers: it would be written as null.
      if (!Number.isFinite(value)) {
        return refuse(value, path, expectedOf(shape));
      }
      break;
    case "list":
      if (value === undefined) return [];
      if (!Array.isArray(value)) break;
      return value.map((part: unknown, at) =>
        readAs(shape.element, part, `${path}[${at}]`)
      );
    case "map": {
      if (value !== undefined && !isObject(value)) break;
      const result: Fields = {};
      for (const [name, member] of Object.entries(value ?? {})) {
        setOwn(result, name, readAs(shape.value, member, join(path, name)));
      }
      return result;
    }
    case "object":
      if (!isObject(value)) break;
      return readObject(shape, value, path);
    case "words": {
      // The fork adds data to some words, such as the indent of a bullet.
      const word = snakeCase(textOf(onlyMember(value)?.[0] ?? value) ?? "");
      if (fits(shape, word)) return word;
      break;
    }
    case "variant": {
      const tagged = tagInside(
        typeof value === "string" ? { [value]: {} } : value,
      );
      if (!isObject(tagged)) break;
      const word = tagged[shape.key];
      const known = typeof word === "string"
        ? shape.shapes.get(word)
        : undefined;
      if (known !== undefined) return readAs(known, tagged, path);
      const words = [...shape.shapes.keys()].map((word) => `"${word}"`);
      return refuse(word, join(path, shape.key), words.join(" or "));
    }
  }
  return fits(shape, value) ? value : refuse(value, path, expectedOf(shape));
}

function readObject(
  { members }: ObjectShape,
  value: Fields,
  path: string,
): Fields {
  const result: Fields = {};
  for (const { name, shape, isOptional } of members) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member === undefined && isOptional) continue;
    setOwn(result, name, readAs(shape, member, join(path, name)));
  }
  for (const [name, member] of Object.entries(value)) {
    if (!Object.hasOwn(result, name)) setOwn(result, name, member);
  }
  return result;
}

/**
 * Reads a point in time, from RFC 3339 text with any offset, or from an object with
 * `secs_since_epoch` and `nanos_since_epoch`.
 */
function readTime(value: unknown): string | undefined {
  if (isObject(value)) {
    const { secs_since_epoch: secs, nanos_since_epoch: nanos } = value;
    if (typeof secs === "number" && typeof nanos === "number") {
      return timestampOfMs(secs * 1000 + Math.floor(nanos / 1e6));
    }
  }
  return timestampOf(value);
}

function absentAs(fallback: unknown): Rewrite {
  return (value) => value === undefined ? fallback : value;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** Rewrites `{"Custom": x}` to `{"custom": x}`. */
function snakeTag(value: unknown): unknown {
  const [name, member] = onlyMember(value) ?? [];
  return name === undefined ? value : { [snakeCase(name)]: member };
}

function canonicalMarker(value: unknown): unknown {
  if (value === undefined || value === "Dash") return "-";
  const [name, member] = onlyMember(value) ?? [];
  if (name === "Numbered") return `${member}.`;
  return name === "Custom" ? member : value;
}

function canonicalUsage(value: unknown): unknown {
  if (!isObject(value) || !Object.hasOwn(value, "input_tokens")) return value;
  const {
    input_tokens: prompt,
    output_tokens: completion,
    total_tokens: total = (numberOf(prompt) ?? 0) + (numberOf(completion) ?? 0),
    cached_input_tokens: _cached,
    cache_write_input_tokens: _written,
    reasoning_output_tokens: _reasoning,
    ...rest
  } = value;
  return { prompt, completion, total, ...rest };
}

function canonicalArgument(value: unknown): unknown {
  const [name, member] = onlyMember(value) ?? [];
  if (name === "Text") return { type: "text", text: member };
  return name === "Json" ? { type: "json", value: member } : value;
}

/** Rewrites `{"Paragraph": […]}` to `{"type": …, "spans": […]}`. */
function canonicalBlock(value: unknown): unknown {
  const [name = "", spans] = onlyMember(value) ?? [];
  return Array.isArray(spans) ? { type: snakeCase(name), spans } : value;
}

/** Drops the contents of a file before and after a change, which only the fork has. */
function canonicalChange(value: unknown): unknown {
  const [type, change] = onlyMember(value) ?? [];
  if (type === undefined || !isObject(change)) return value;
  const { original_content: _before, new_content: _after, ...rest } = change;
  return { type, ...rest };
}
