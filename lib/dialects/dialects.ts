/**
 * The families of dialects: which one a stream is of, and its rules.
 *
 * @module
 */

import {
  AppServerRules,
  isAppServerRecord,
} from "./app_server/app_server_rules.ts";
import { checkedWord } from "../checked.ts";
import {
  type Dialect,
  DIALECTS,
  STREAM_KINDS,
  type StreamKind,
} from "./dialect_names.ts";
import {
  ExecRules,
  type InitialContext,
  isExecRecord,
} from "./exec/exec_rules.ts";
import type { ByteWriter } from "../json/byte_writer.ts";
import { JsonReader } from "../json/reader.ts";
import { savedField, savedText } from "../json/saved.ts";
import type { JsonObject, JsonSlice } from "../json/value.ts";
import { type FailedRange, LINE_FAILED } from "../lines/failures.ts";
import type { RecordContext } from "../json/record_watch.ts";
import {
  type RecordLearner,
  RecordRules,
  unnormalizable,
} from "../lines/record_rules.ts";
import {
  isRolloutRecord,
  type RolloutContext,
  RolloutRules,
} from "./rollout/rollout_rules.ts";
import type { FailureReason } from "../errors.ts";

/** What the rules of a stream begin with. */
export interface RulesOptions extends InitialContext, RolloutContext {
  /**
   * What `save()` of another normalizer gave: the stream goes on where that one was. What
   * is not understood of it is left out.
   *
   * @default {undefined}
   */
  readonly resume?: unknown;
}

/**
 * Gives the rules for a stream.
 *
 * @param dialect The family to read it as.
 * @throws {RangeError} If it is no family.
 */
export function rulesFor(dialect: Dialect, options: RulesOptions): StreamRules {
  checkedWord("from", dialect, DIALECTS);
  const given = dialect === "auto" ? undefined : dialect;
  const rules = new StreamRules(given, options);
  if (options.resume !== undefined) rules.load(options.resume);
  return rules;
}

/** What the last stream was that told. */
let lastKind: StreamKind | undefined;

/**
 * The rules of a stream: they find out what it is, and read on by the rules of that, with whose
 * methods theirs agree.
 */
export class StreamRules {
  readonly #given: Exclude<Dialect, "auto"> | undefined;
  readonly #options: RulesOptions;
  /** Reads the lines until one tells what the stream is. */
  #reader: JsonReader | undefined;
  /** Finds records that are glued to torn first lines (R5). */
  #finder: RecordRules | undefined;
  /** Those that count; made when they are needed. */
  #rules: RecordRules | undefined;
  /** Those that there were, for the next stream of their kind. */
  readonly #known = new Map<StreamKind, RecordRules>();
  /** What the stream most likely is. */
  #guess = lastKind;
  #learner: RecordLearner | undefined;
  /** What the stream is; `undefined` until a line has told. */
  kind: StreamKind | undefined;

  constructor(
    given: Exclude<Dialect, "auto"> | undefined,
    options: RulesOptions,
  ) {
    this.#given = given;
    this.#options = options;
    this.kind = given;
  }

  /** The rules that count. */
  get #current(): RecordRules {
    return this.#rules ??= this.#rulesOf(this.kind ?? "exec");
  }

  #rulesOf(kind: StreamKind): RecordRules {
    let rules = this.#known.get(kind);
    if (rules === undefined) {
      rules = rulesOf(kind, this.#options);
      this.#known.set(kind, rules);
      rules.teach(this.#learner);
    }
    return rules;
  }

  get context(): RecordContext | undefined {
    if (this.kind !== undefined) return this.#current.context;
    return this.#guess && this.#rulesOf(this.#guess).context;
  }

  get isTeachable(): boolean {
    return this.#rules?.isTeachable === true;
  }

  teach(learner: RecordLearner | undefined): void {
    this.#learner = learner && {
      get isEager(): boolean {
        return learner.isEager;
      },
      // What is repeated as a first record has to tell what the stream is.
      learn: (watched) =>
        learner.learn(this.#tells(watched?.root) ? watched : undefined),
    };
    for (const rules of this.#known.values()) rules.teach(this.#learner);
  }

  reset(): void {
    for (const rules of this.#known.values()) rules.reset();
    this.#guess = lastKind;
    this.kind = this.#given;
    this.#rules = undefined;
  }

  /** Takes note that records were repeated: the first one tells what the stream is. */
  begun(): void {
    if (this.kind !== undefined) return;
    this.kind = this.#guess;
    this.#rules = undefined;
  }

  save(): unknown {
    return { kind: this.kind ?? null, rules: this.#current.save() };
  }

  load(saved: unknown): void {
    const name = savedText(saved, "kind");
    const kind = STREAM_KINDS.find((each) => each === name);
    if (this.#given === undefined && kind !== undefined) {
      this.kind = kind;
      this.#rules = undefined;
    }
    const { initialThreadId, initialTurnId } = this.#options;
    const hasSeeds = (initialThreadId ?? initialTurnId) !== undefined;
    // Before its first record, a stream has saved what it began with; what is given now counts.
    if (this.kind === undefined && hasSeeds) return;
    this.#current.load(savedField(saved, "rules"));
  }

  apply(
    bytes: Uint8Array,
    start: number,
    end: number,
    out: ByteWriter,
  ): FailedRange | undefined {
    if (this.kind === undefined) {
      const kind = this.#detect(bytes, start, end, out);
      if (kind !== undefined) {
        this.kind = lastKind = kind;
        // What there has been so far has left nothing behind in the rules.
        if (kind !== "exec") this.#rules = undefined;
      }
    }
    return this.#current.apply(bytes, start, end, out);
  }

  /** Whether a record would tell that a stream is what this one is. */
  #tells(record: JsonSlice | undefined): boolean {
    if (record === undefined) return false;
    const { bytes, start, end } = record;
    const reader = this.#reader ??= new JsonReader(1);
    const root = reader.read(bytes, start, end);
    return root !== undefined &&
      streamKindOf(reader, reader.members(root)) === this.kind;
  }

  /** What a line tells of its stream; nothing, if it is not an object or an old failure. */
  #detect(
    bytes: Uint8Array,
    start: number,
    end: number,
    out: ByteWriter,
  ): StreamKind | undefined {
    const reader = this.#reader ??= new JsonReader(1);
    const root = reader.read(bytes, start, end);
    if (root === undefined) {
      const length = out.length;
      this.#finder ??= rulesOf("rollout", {});
      const range = this.#finder.apply(bytes, start, end, out);
      out.truncate(length);
      return range?.recordStart === undefined ? undefined : "rollout";
    }
    if (root.kind !== "object") return undefined;
    const line = reader.members(root);
    if (reader.wordOf(line.get("type")) === LINE_FAILED) return undefined;
    return streamKindOf(reader, line);
  }
}

/** Says what a stream is that begins with this record (D.9, in its order). */
export function streamKindOf(
  reader: JsonReader,
  line: JsonObject,
): StreamKind {
  if (line.get("records")?.kind === "array") return "snapshot";
  if (isAppServerRecord(reader, line)) return "app-server";
  if (isExecRecord(reader, line)) return "exec";
  if (isRolloutRecord(reader, line)) return "rollout";
  if (line.has("session_id") && line.has("ts") && line.has("text")) {
    return "history.jsonl";
  }
  if (line.has("id") && line.has("thread_name")) return "session_index.jsonl";
  return "exec";
}

function rulesOf(kind: StreamKind, options: RulesOptions): RecordRules {
  switch (kind) {
    case "exec":
      return new ExecRules(options);
    case "app-server":
      return new AppServerRules(options);
    case "rollout":
      return new RolloutRules(options);
    case "snapshot":
      return new RefusingRules(
        "a HistoryState snapshot, not a stream of events",
      );
    case "history.jsonl":
      return new RefusingRules(
        "the prompts of a history.jsonl, not a stream of events",
      );
    case "session_index.jsonl":
      return new RefusingRules(
        "the names of a session_index.jsonl, not a stream of events",
      );
  }
}

/** Says of every record what it is instead of a line of a stream. */
class RefusingRules extends RecordRules {
  readonly #reason: FailureReason;

  constructor(what: string) {
    super(new JsonReader(1));
    this.#reason = unnormalizable(`it is ${what}`);
  }

  override reset(): void {}

  override save(): unknown {
    return null;
  }

  override load(_saved: unknown): void {}

  protected override record(
    _root: JsonSlice,
    _line: JsonObject,
    _out: ByteWriter,
  ): FailureReason {
    return this.#reason;
  }
}
