/** What the rules of all dialects begin with. */

import {
  FAILURE_KINDS,
  type FailureKind,
  type FailureReason,
} from "../errors.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import { NOTE_SIZE } from "../json/kernel_layout.ts";
import { sliceOf } from "../json/literal.ts";
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
import { JsonObject, type JsonSlice, KIND_WORDS } from "../json/value.ts";
import { type FailedRange, LINE_FAILED } from "./failures.ts";

/** Learns how records are rewritten, to do it without the rules. */
export interface RecordLearner {
  /** Whether there is use in watching how the next record is rewritten. */
  readonly isEager: boolean;
  /**
   * Is told what was done with a record.
   *
   * @param watched What was done; nothing if it cannot be done again.
   */
  learn(watched: WatchedRecord | undefined): void;
}

/**
 * Longer records are not watched: there is no room for plans of their size, and what is written
 * down of one holds all of it (40 MB in a stream of lines of 1 MB).
 */
const MAX_WATCHED_BYTES = 1 << 18;
/** Nor are those of many values, for the same reasons (70 MB with 10,000 new keys a line). */
const MAX_WATCHED_VALUES = 1 << 9;

const KINDS: ReadonlyMap<string, FailureKind> = new Map(
  FAILURE_KINDS.map((kind) => [kind, kind]),
);

/**
 * The rules of a family of dialects, with the state of one stream: they read a line as a JSON
 * object, and leave it to the dialect to make a record of it.
 *
 * A failure that an earlier run reported in band passes as it is, in every dialect
 * (normalize.md T6).
 */
export abstract class RecordRules {
  /** Reads the lines; its values hold until the next one. */
  protected readonly reader: JsonReader;
  readonly #context: RecordContext | undefined;
  readonly #noted = new ByteWriter(0);
  #learner: RecordLearner | undefined;
  #watched: RecordWatch | undefined;
  #isRepeatable = false;
  #isTeachable = false;

  /**
   * Constructs a new instance.
   *
   * @param context What records depend on besides themselves; without it, none is repeated.
   */
  constructor(reader: JsonReader, context?: RecordContext) {
    this.reader = reader;
    this.#context = context;
  }

  /** What records depend on besides themselves; absent if none are to be repeated. */
  get context(): RecordContext | undefined {
    return this.#context;
  }

  /** Forgets the stream: the next line is the first one of another. */
  abstract reset(): void;

  /**
   * Writes down what later lines depend on.
   *
   * @returns Plain JSON for `load`.
   */
  abstract save(): unknown;

  /** Goes on from what was written down; what is not understood of it is left out. */
  abstract load(saved: unknown): void;

  /**
   * Makes a record of a line.
   *
   * @param out Takes the record; what is written when the line fails is dropped.
   * @returns Why the line failed, or `undefined`.
   */
  protected abstract record(
    root: JsonSlice,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined;

  /**
   * Lets a learner learn how records are rewritten: it rewrites most of them itself then.
   *
   * @param learner Is told of the records that it is eager for; nobody, if it is absent.
   */
  teach(learner: RecordLearner | undefined): void {
    this.#learner = learner;
  }

  /** Whether there was a record that can be repeated. */
  get isTeachable(): boolean {
    return this.#isTeachable;
  }

  /** Says that like records can be rewritten like this one without asking the rules. */
  protected repeatable(): void {
    this.#isRepeatable = true;
    this.#isTeachable = true;
  }

  /** Asks the context for what it keeps by a key that the record names. */
  protected recall(key: JsonSlice): Slots {
    const slots = this.#context?.recall?.(this.#keyOf(key)) ?? [];
    this.#watched?.recalled(key, slots);
    return slots;
  }

  /** Has the context note what the record tells of a key, once a record. */
  protected note(kind: number, key: JsonSlice, value: JsonObject): void {
    const out = this.#noted;
    out.clear(NOTE_SIZE);
    this.#watched?.noted(kind, key, out);
    writeNode(out, value);
    this.#context?.note?.(
      kind,
      this.#keyOf(key),
      sliceOf(out.view(), "object"),
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
   * @param bytes The bytes that hold the line; the one at `end`, if there is one, is a
   *   control character.
   * @param start Where the line starts.
   * @param end Where it ends, without its terminator.
   * @param out Takes the record, without a line end; is left as it was if the line fails
   *   whole.
   * @returns What failed, or `undefined`.
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
    const reason = this.record(root, line, out);
    if (watch !== undefined) this.#learn(watch, reason === undefined);
    if (reason === undefined) return undefined;
    out.truncate(length);
    return { reason, start, end, inBand: false };
  }

  /** Begins to watch how a record is rewritten, if there may be use in that. */
  #watch(root: JsonSlice, out: ByteWriter): RecordWatch | undefined {
    const { context } = this;
    if (
      context === undefined || this.#learner?.isEager !== true ||
      root.end - root.start > MAX_WATCHED_BYTES ||
      this.reader.tape.count > MAX_WATCHED_VALUES
    ) return undefined;
    return new RecordWatch(this.reader, root, out, context);
  }

  /** Ends watching a record. */
  #learn(watch: RecordWatch, isDone: boolean): void {
    const isRepeatable = isDone && this.#isRepeatable;
    const watched = isRepeatable ? watch.end() : undefined;
    watch.stop();
    if (isDone) this.#learner?.learn(watched);
  }
}

/** Why a line failed that is JSON, but no record. */
export function unnormalizable(state: string, field?: string): FailureReason {
  const message = `Cannot normalize the line: ${state}`;
  return field === undefined
    ? { kind: "normalize", message }
    : { kind: "normalize", message, field };
}

/** What a failure that was reported in band says of itself. */
function reportedReason(reader: JsonReader, line: JsonObject): FailureReason {
  const error = line.get("error");
  const members = error?.kind === "object"
    ? reader.members(error)
    : new JsonObject();
  const kind = KINDS.get(reader.wordOf(members.get("kind")) ?? "") ?? "typed";
  const message = reader.textOf(members.get("message")) ??
    "The line failed in an earlier run";
  return { kind, message };
}
