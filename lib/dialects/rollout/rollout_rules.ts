/** The rules for rollout files, in all their shapes (rollout.md D.10). */

import type { FailedRange } from "../../lines/failures.ts";
import type { FailureReason } from "../../errors.ts";
import { CLOSE_BRACE, isSame, OPEN_BRACE } from "../../json/bytes.ts";
import type { ByteWriter } from "../../json/byte_writer.ts";
import { writeKey, writeMembers, writeNode } from "../../json/object_writer.ts";
import { quote } from "../../json/problems.ts";
import { JsonReader } from "../../json/reader.ts";
import {
  type JsonNode,
  type JsonObject,
  JsonSlice,
  KIND_WORDS,
} from "../../json/value.ts";
import {
  RecordRules,
  type StreamState,
  unnormalizable,
  untyped,
} from "../../lines/record_rules.ts";
import {
  GIT_RENAMES,
  renamesIn,
  RESPONSE_ITEM_TYPES,
  ROLLOUT_LINE_TYPES,
  SESSION_META_RENAMES,
} from "./kinds.ts";
import { canonicalTimestamp, fileNameTimestamp } from "./timestamp.ts";
import type { ContextChanges, Slots } from "../../json/record_watch.ts";
import { SLOT_SIZE } from "../../json/kernel_layout.ts";
import { lasting, stringValue } from "../../json/literal.ts";
import { fieldsOf, textOf } from "../../json/fields.ts";
import { valueOf } from "../../json/saved.ts";
import { stringText } from "../../json/tape.ts";
import { decodeUtf8 } from "../../json/utf8.ts";

// The state that the lines of a rollout depend on: the time of the line before, and the shape of
// the file.

/** The slots of the context that plans fill in. */
const TIME = 0;
const SESSION_TIME = 1;
/** A longer string is not a time, and does not fit into a slot. */
const MAX_TIME_BYTES = SLOT_SIZE;
/** The initial capacity for a time: a reader of thousands of files has one buffer for each. */
const TIME_BYTES = 64;

class FileContext implements StreamState {
  /** The same object for all files: plans of one file apply to the next. */
  readonly rules: unknown = FileContext;
  readonly #fileTime: string | undefined;
  #bytes = new Uint8Array(TIME_BYTES);
  /** The last `timestamp` of a line, as JSON text. */
  #lastTime: JsonSlice | undefined;
  /** The `timestamp` of the first header, as JSON text. */
  #sessionTime: JsonSlice | undefined;
  #carried: JsonSlice | undefined;
  /** Whether the lines of the file are items without a wrapper. */
  isBareFile = false;

  constructor(fileTime: string | undefined) {
    this.#fileTime = fileTime;
  }

  /** The time of the line before, and the time of the session. */
  get slots(): Slots {
    return [this.#lastTime, this.#sessionTime];
  }

  /** No ids are numbered. */
  readonly counters: readonly number[] = [];

  /** Takes over the times that plans have found. Only wrapped lines have plans. */
  take(changes: ContextChanges): void {
    this.isBareFile = false;
    // No line clears a time.
    const time = changes.valueOf(TIME);
    if (time !== undefined) this.remember(time);
    const sessionTime = changes.valueOf(SESSION_TIME);
    if (sessionTime !== undefined) this.startSession(sessionTime);
  }

  save(): unknown {
    const time = this.#lastTime;
    return {
      last_time: time === undefined
        ? null
        : decodeUtf8(time.bytes, time.start, time.end),
      session_time: spelledTime(this.#sessionTime) ?? null,
      is_bare: this.isBareFile,
    };
  }

  load(saved: unknown): void {
    const { last_time, session_time, is_bare } = fieldsOf(saved);
    const time = valueOf(textOf(last_time) ?? "");
    if (time?.kind === "string") this.remember(time);
    const sessionTime = textOf(session_time);
    if (sessionTime !== undefined) this.startSession(stringValue(sessionTime));
    this.isBareFile = is_bare === true;
  }

  /**
   * Stores the time of a line, and returns the copy; nothing if the string is too long for a time.
   */
  remember({ bytes, start, end, kind, escaped }: JsonSlice):
    | JsonSlice
    | undefined {
    const length = end - start;
    if (length > MAX_TIME_BYTES) return undefined;
    if (length > this.#bytes.length) {
      this.#bytes = new Uint8Array(MAX_TIME_BYTES);
    }
    const copy = this.#bytes;
    for (let i = 0; i < length; i++) copy[i] = bytes[start + i] ?? 0;
    this.#carried = undefined;
    return this.#lastTime = new JsonSlice(copy, 0, length, kind, escaped, -1);
  }

  get hasSessionTime(): boolean {
    return this.#sessionTime !== undefined;
  }

  startSession(time: JsonSlice): JsonSlice {
    this.#carried = undefined;
    return this.#sessionTime = lasting(time);
  }

  /** The time for a line without one: of the last line, else of the session or the file name. */
  get carriedTime(): JsonSlice | undefined {
    if (this.#carried === undefined) {
      const time = spelledTime(this.#lastTime ?? this.#sessionTime) ??
        this.#fileTime;
      if (time === undefined) return undefined;
      this.#carried = stringValue(canonicalTimestamp(time));
    }
    return this.#carried;
  }
}

function spelledTime(value: JsonSlice | undefined): string | undefined {
  return value === undefined
    ? undefined
    : stringText(value.bytes, value.start, value.end);
}

/** The initial context of a rollout. */
export interface RolloutContext {
  /**
   * The name or path of the file. The time in it is used for lines without a time that no line with
   * a time precedes.
   *
   * @default {undefined}
   */
  readonly fileName?: string | undefined;
}

/** The first bytes of every wrapped line that Codex writes. */
const WRAPPED_START = new TextEncoder().encode('{"timestamp":"');

/** Normalizes rollout lines; holds the time and the shape of one file. */
export class RolloutRules extends RecordRules {
  readonly #file: FileContext;

  constructor({ fileName }: RolloutContext) {
    const file = new FileContext(
      fileName === undefined ? undefined : fileNameTimestamp(fileName),
    );
    super(new JsonReader(1), file);
    this.#file = file;
  }

  override apply(
    bytes: Uint8Array,
    start: number,
    end: number,
    out: ByteWriter,
  ): FailedRange | undefined {
    const range = super.apply(bytes, start, end, out);
    const kind = range?.reason.kind;
    if (range === undefined || range.inBand) return range;
    return kind === "json" || kind === "utf8"
      ? this.#recover(bytes, range, out)
      : range;
  }

  protected override record(
    root: JsonSlice,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    const type = this.reader.wordOf(line.get("type"));
    if (type !== undefined) {
      if (line.has("payload") || ROLLOUT_LINE_TYPES.has(type)) {
        return this.#wrapped(root, line, type, out);
      }
      if (!RESPONSE_ITEM_TYPES.has(type) && !this.#file.isBareFile) {
        return noPayload(type, "absent");
      }
      return this.#bare(line, root, "response_item", out);
    }
    if (line.has("type")) {
      return unnormalizable('"type" is not a string', "type");
    }
    const recordType = this.reader.wordOf(line.get("record_type"));
    if (recordType !== undefined) {
      return this.#bare(line, root, recordType, out);
    }
    if (!line.has("id") || !line.has("timestamp")) {
      return unnormalizable(
        'it has no "type", "record_type" or session header',
        "type",
      );
    }
    const meta = this.#renameMeta(line) ? line : root;
    return this.#bare(line, meta, "session_meta", out);
  }

  #wrapped(
    root: JsonSlice,
    line: JsonObject,
    type: string,
    out: ByteWriter,
  ): FailureReason | undefined {
    const payload = line.get("payload");
    if (payload?.kind !== "object") {
      const state = payload === undefined ? "absent" : KIND_WORDS[payload.kind];
      return noPayload(type, state);
    }
    this.#file.isBareFile = false;
    let isChanged = false;
    if (type === "session_meta") {
      const meta = this.reader.members(payload);
      this.#startSession(meta.get("timestamp"));
      isChanged = this.#renameMeta(meta);
      if (isChanged) line.set("payload", meta);
    }
    if (this.#rememberTime(line)) {
      // Plans report the times of the lines they rewrite; see FileContext.take().
      this.repeatable();
      if (!isChanged) out.range(root.bytes, root.start, root.end);
      else writeNode(out, line);
      return undefined;
    }
    // Readers of records rely on strings, so other values get another name.
    if (line.live("timestamp") === undefined) line.take("timestamp");
    let name = "wire_timestamp";
    while (line.has(name)) name = `wire_${name}`;
    line.rename("timestamp", name);
    out.byte(OPEN_BRACE);
    this.#writeTime(out);
    writeMembers(out, line);
    out.byte(CLOSE_BRACE);
    return undefined;
  }

  /** Stores the time of the first header that has one. */
  #startSession(time: JsonNode | undefined): void {
    if (this.#file.hasSessionTime || time?.kind !== "string") return;
    this.reader.observeId(time, this.#file.startSession(time));
  }

  #bare(
    line: JsonObject,
    payload: JsonSlice | JsonObject,
    type: string,
    out: ByteWriter,
  ): undefined {
    this.#file.isBareFile = true;
    this.#rememberTime(line);
    out.byte(OPEN_BRACE);
    this.#writeTime(out);
    writeKey(out, "type");
    writeNode(out, stringValue(type));
    writeKey(out, "payload");
    writeNode(out, payload);
    out.byte(CLOSE_BRACE);
  }

  /** R6: renames fields; returns whether any was renamed. */
  #renameMeta(meta: JsonObject): boolean {
    const isChanged = renameAll(meta, SESSION_META_RENAMES);
    const git = this.reader.members(meta.get("git"));
    if (!renameAll(git, GIT_RENAMES)) return isChanged;
    meta.set("git", git);
    return true;
  }

  /** Stores the time of a line; returns whether it has one. */
  #rememberTime(line: JsonObject): boolean {
    const time = line.get("timestamp");
    if (time?.kind !== "string") return false;
    const remembered = this.#file.remember(time);
    if (remembered === undefined) this.reader.looked();
    else this.reader.observeId(time, remembered);
    return true;
  }

  /** Writes the carried time, for a line that has none. */
  #writeTime(out: ByteWriter): void {
    // The time comes from another line: no plan can be made of this one.
    this.reader.looked();
    const time = this.#file.carriedTime;
    if (time === undefined) return;
    writeKey(out, "timestamp");
    writeNode(out, time);
  }

  /** R5: splits a line into a torn record and the whole record that was appended to it. */
  #recover(
    bytes: Uint8Array,
    range: FailedRange,
    out: ByteWriter,
  ): FailedRange {
    const { reason, start, end } = range;
    const glued = gluedRecord(this.reader, bytes, start, end);
    if (glued === undefined) return range;
    const { root, line, type } = glued;
    this.#wrapped(root, line, type, out);
    const torn: FailureReason = reason.kind === "utf8" ? reason : TORN;
    return {
      reason: torn,
      start,
      end: root.start,
      inBand: false,
      recordStart: root.start,
    };
  }
}

const TORN: FailureReason = {
  kind: "json",
  message:
    "Cannot parse the line as JSON: it is torn, and another record follows",
};

/** A wrapped line that was appended to a torn one. */
interface GluedRecord {
  readonly root: JsonSlice;
  readonly line: JsonObject;
  readonly type: string;
}

/** Finds the record that was appended to a torn line (R5). */
export function gluedRecord(
  reader: JsonReader,
  bytes: Uint8Array,
  start: number,
  end: number,
): GluedRecord | undefined {
  const from = lastWrappedStart(bytes, start, end);
  if (from <= start) return undefined;
  const root = reader.read(bytes, from, end);
  if (root === undefined) return undefined;
  const line = reader.members(root);
  const type = reader.wordOf(line.get("type"));
  return type === undefined || line.get("payload")?.kind !== "object"
    ? undefined
    : { root, line, type };
}

/** Renames members in place; returns whether any was renamed. */
function renameAll(
  object: JsonObject,
  names: ReadonlyMap<string, string>,
): boolean {
  const renames = renamesIn(object, names);
  for (const [old, current] of renames) object.rename(old, current);
  return renames.length > 0;
}

function lastWrappedStart(
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  // Searches the line only: a search of the whole block for a missing text would go back to its
  // beginning for each line.
  const line = bytes.subarray(start, end);
  const { length } = WRAPPED_START;
  let at = line.lastIndexOf(OPEN_BRACE, Math.max(0, line.length - length));
  while (at !== -1 && !isSame(line, at, WRAPPED_START, 0, length)) {
    at = at === 0 ? -1 : line.lastIndexOf(OPEN_BRACE, at - 1);
  }
  return at === -1 ? -1 : start + at;
}

function noPayload(type: string, state: string): FailureReason {
  const words = `payload is ${state}, expected an object`;
  return untyped(quote(type), words, "payload");
}

/** Returns whether a record is a line of a rollout file, of any release (D.9). */
export function isRolloutRecord(reader: JsonReader, line: JsonObject): boolean {
  if (line.has("record_type")) return true;
  const type = line.get("type");
  if (type === undefined) return line.has("id") && line.has("timestamp");
  const word = reader.wordOf(type);
  if (word === undefined) return false;
  return line.get("payload")?.kind === "object" ||
    (RESPONSE_ITEM_TYPES.has(word) && !line.has("payload"));
}
