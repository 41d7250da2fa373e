/** The base of the rules of all dialects. */

import {
  FAILURE_KINDS,
  type FailureKind,
  type FailureReason,
} from "../errors.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import { NOTE_SIZE } from "../json/kernel_layout.ts";
import { sliceAt } from "../json/literal.ts";
import { writeNode } from "../json/object_writer.ts";
import { syntaxReason } from "../json/problems.ts";
import type { JsonReader } from "../json/reader.ts";
import {
  type RecordContext,
  RecordWatch,
  type Slots,
  type WatchedRecord,
} from "../json/record_watch.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { type JsonObject, type JsonSlice, KIND_WORDS } from "../json/value.ts";
import { type FailedRange, LINE_FAILED } from "./failures.ts";

/** The state of a stream, which its lines depend on. */
export interface StreamState extends RecordContext {
  /** Returns the state as plain JSON for `load`. */
  save(): unknown;
  /** Restores a saved state, at the start; parts of it that are not valid are ignored. */
  load(saved: unknown): void;
}

/** Learns how records are rewritten, to repeat that without the rules. */
export interface RecordLearner {
  /** Whether the next record is worth watching. */
  readonly isEager: boolean;
  /**
   * Receives a watched record.
   *
   * @param watched The record and how it was rewritten; nothing if that cannot be repeated.
   */
  learn(watched: WatchedRecord | undefined): void;
}

/**
 * Longer records are not watched: there is no room for their plans, and a watched record is kept
 * whole (40 MB in a stream of lines of 1 MB).
 */
const MAX_WATCHED_BYTES = 1 << 18;
/**
 * Records with more values are not watched, for the same reasons (70 MB with 10,000 new keys a
 * line).
 */
const MAX_WATCHED_VALUES = 1 << 9;

const KINDS: ReadonlyMap<string, FailureKind> = new Map(
  FAILURE_KINDS.map((kind) => [kind, kind]),
);

/**
 * The rules of a family of dialects, with the state of one stream. They read a line as a JSON
 * object; a subclass makes the record of it.
 *
 * In every dialect, the record of a failed line that an earlier run wrote (`line.failed`) is
 * reported as that failure again (normalize.md T6).
 */
export abstract class RecordRules {
  /** Reads the lines; its values are valid until the next line. */
  protected readonly reader: JsonReader;
  readonly #context: StreamState | undefined;
  readonly #noted = new ByteWriter();
  #learner: RecordLearner | undefined;
  #watched: RecordWatch | undefined;
  #isRepeatable = false;
  #isTeachable = false;

  /**
   * @param reader Reads the lines.
   * @param context The state that records depend on; without it, no record is repeated by plans.
   */
  constructor(reader: JsonReader, context?: StreamState) {
    this.reader = reader;
    this.#context = context;
  }

  /** The state that records depend on; absent if no record may be repeated by plans. */
  get context(): RecordContext | undefined {
    return this.#context;
  }

  save(): unknown {
    return this.#context?.save() ?? null;
  }

  load(saved: unknown): void {
    this.#context?.load(saved);
  }

  /**
   * Makes the record of a line.
   *
   * @param out Receives the record; if the line fails, the bytes written to it are dropped.
   * @returns The reason if the line failed, otherwise `undefined`.
   */
  protected abstract record(
    root: JsonSlice,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined;

  /**
   * Sets the learner that watches how records are rewritten, and then rewrites most of them itself.
   *
   * @param learner Receives records while it is eager; `undefined` ends the watching.
   */
  teach(learner: RecordLearner | undefined): void {
    this.#learner = learner;
  }

  /** Whether any record so far could be repeated. */
  get isTeachable(): boolean {
    return this.#isTeachable;
  }

  /**
   * Marks the current record as repeatable: similar records may be rewritten the same way without
   * the rules.
   */
  protected repeatable(): void {
    this.#isRepeatable = true;
    this.#isTeachable = true;
  }

  /** Returns the values that the context keeps for a key in the record. */
  protected recall(key: JsonSlice): Slots {
    const slots = this.#context?.recall?.(this.#keyOf(key)) ?? [];
    this.#watched?.recalled(key, slots);
    return slots;
  }

  /**
   * Passes a fact that the record states about a key to the context; at most one for each record.
   */
  protected note(kind: number, key: JsonSlice, value: JsonObject): void {
    const out = this.#noted;
    out.clear(NOTE_SIZE);
    this.#watched?.noted(kind, key, out);
    writeNode(out, value);
    this.#context?.note?.(
      kind,
      this.#keyOf(key),
      sliceAt(out.view()),
    );
  }

  #keyOf(key: JsonSlice): string {
    return key.escaped
      ? this.reader.text(key)
      : decodeUtf8(key.bytes, key.start + 1, key.end - 1);
  }

  /**
   * Normalizes one line that is not blank.
   *
   * @param bytes The bytes that contain the line; the byte at `end`, if there is one, must be a
   *   control character.
   * @param start The index where the line starts.
   * @param end The index where it ends, without its terminator.
   * @param out Receives the record, without an LF; it is unchanged if the whole line fails.
   * @returns The failed part, or `undefined`.
   */
  apply(
    bytes: Uint8Array,
    start: number,
    end: number,
    out: ByteWriter,
  ): FailedRange | undefined {
    const root = this.reader.read(bytes, start, end);
    if (root === undefined) {
      const reason = syntaxReason(this.reader, bytes, start, end);
      return { reason, start, end, inBand: false };
    }
    if (root.kind !== "object") {
      const reason = unnormalizable(
        `the line is ${KIND_WORDS[root.kind]}, expected an object`,
      );
      return { reason, start, end, inBand: false };
    }
    const line = this.reader.members(root);
    if (this.reader.wordOf(line.get("type")) === LINE_FAILED) {
      const reason = reportedReason(this.reader, line);
      return { reason, start: root.start, end: root.end, inBand: true };
    }
    const length = out.length;
    const watch = this.#watched = this.#watch(root, out);
    this.#isRepeatable = false;
    const answer = this.record(root, line, out);
    const reason = this.reader.isOverfull
      ? unnormalizable("a value in it has too many members")
      : answer;
    if (watch !== undefined) this.#learn(watch, reason === undefined);
    if (reason === undefined) return undefined;
    out.truncate(length);
    return { reason, start, end, inBand: false };
  }

  /** Begins to watch a record, if a learner is eager and the record is not too large. */
  #watch(root: JsonSlice, out: ByteWriter): RecordWatch | undefined {
    const { context } = this;
    if (
      context === undefined || this.#learner?.isEager !== true ||
      root.end - root.start > MAX_WATCHED_BYTES ||
      this.reader.tape.count > MAX_WATCHED_VALUES
    ) return undefined;
    return new RecordWatch(this.reader, root, out, context);
  }

  /** Ends the watching of a record, and passes the result to the learner. */
  #learn(watch: RecordWatch, isDone: boolean): void {
    const isRepeatable = isDone && this.#isRepeatable;
    const watched = isRepeatable ? watch.end() : undefined;
    watch.stop();
    if (isDone) this.#learner?.learn(watched);
  }
}

/** Returns the reason of a line that is valid JSON, but no record. */
export function unnormalizable(state: string, field?: string): FailureReason {
  const message = `Cannot normalize the line: ${state}`;
  return field === undefined
    ? { kind: "normalize", message }
    : { kind: "normalize", message, field };
}

/** Returns the reason of a record that does not have its type. */
export function untyped(
  record: string,
  state: string,
  field: string,
): FailureReason {
  return { kind: "typed", message: `Cannot decode ${record}: ${state}`, field };
}

/** Returns the reason in the record of a failed line from an earlier run. */
function reportedReason(reader: JsonReader, line: JsonObject): FailureReason {
  const members = reader.members(line.get("error"));
  const kind = KINDS.get(reader.wordOf(members.get("kind")) ?? "") ?? "typed";
  const message = reader.textOf(members.get("message")) ??
    "The line failed in an earlier run";
  return { kind, message };
}
