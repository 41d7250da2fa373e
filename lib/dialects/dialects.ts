/** Detects the kind of a stream, and runs the rules of its dialect. */

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
import { fieldsOf } from "../json/fields.ts";
import type { JsonObject, JsonSlice } from "../json/value.ts";
import { type FailedRange, LINE_FAILED } from "../lines/failures.ts";
import type { RecordContext } from "../json/record_watch.ts";
import {
  type RecordLearner,
  RecordRules,
  unnormalizable,
} from "../lines/record_rules.ts";
import {
  gluedRecord,
  isRolloutRecord,
  type RolloutContext,
  RolloutRules,
} from "./rollout/rollout_rules.ts";
import type { FailureReason } from "../errors.ts";

/** The state that a stream begins with. */
export interface RulesOptions extends InitialContext, RolloutContext {
  /**
   * The result of `save()` of another normalizer, whose stream is continued. Unknown parts of it
   * are ignored.
   *
   * @default {undefined}
   */
  readonly resume?: unknown;
}

/** The kind of the stream that was last detected: the guess for the next one. */
let lastKind: StreamKind | undefined;

/** The rules of a stream: detect its kind, and pass its lines to the rules of that kind. */
export class StreamRules {
  readonly #family: Exclude<Dialect, "auto"> | undefined;
  readonly #options: RulesOptions;
  /** Reads the lines until the kind is detected. */
  #reader: JsonReader | undefined;
  /** Rules by kind: those of the stream, and those of the guess. */
  readonly #known = new Map<StreamKind, RecordRules>();
  readonly #guess = lastKind;
  #learner: RecordLearner | undefined;
  kind: StreamKind | undefined;

  /** @throws {RangeError} If `dialect` is not a {@linkcode Dialect}. */
  constructor(dialect: Dialect, options: RulesOptions) {
    checkedWord("from", dialect, DIALECTS);
    this.#family = dialect === "auto" ? undefined : dialect;
    this.#options = options;
    this.kind = this.#family;
    if (options.resume !== undefined) this.#load(options.resume);
  }

  get #current(): RecordRules {
    return this.#rulesOf(this.kind ?? "exec");
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
    return this.#known.get(this.kind ?? "exec")?.isTeachable === true;
  }

  teach(learner: RecordLearner | undefined): void {
    this.#learner = learner && {
      get isEager(): boolean {
        return learner.isEager;
      },
      // A plan may rewrite the first record of a stream only if that record decides the kind.
      learn: (watched) =>
        learner.learn(this.#decides(watched?.root) ? watched : undefined),
    };
    for (const rules of this.#known.values()) rules.teach(this.#learner);
  }

  /**
   * Called after plans have rewritten lines: the guess was right, since plans are only made of
   * records that decide the kind.
   */
  begun(): void {
    this.kind ??= this.#guess;
  }

  save(): unknown {
    return { kind: this.kind ?? null, rules: this.#current.save() };
  }

  #load(saved: unknown): void {
    const { kind: name, rules } = fieldsOf(saved);
    const kind = STREAM_KINDS.find((each) => each === name);
    if (this.#family === undefined && kind !== undefined) this.kind = kind;
    const { initialThreadId, initialTurnId } = this.#options;
    const hasSeeds = (initialThreadId ?? initialTurnId) !== undefined;
    // Before its first record, a stream has saved its seeds; seeds of this run replace those.
    if (this.kind === undefined && hasSeeds) return;
    this.#current.load(rules);
  }

  apply(
    bytes: Uint8Array,
    start: number,
    end: number,
    out: ByteWriter,
  ): FailedRange | undefined {
    if (this.kind === undefined) {
      const kind = this.#detect(bytes, start, end);
      // The lines before this one left no state in the rules.
      if (kind !== undefined) this.kind = lastKind = kind;
    }
    return this.#current.apply(bytes, start, end, out);
  }

  /** Returns whether a record, as the first one, shows that the stream is of this kind. */
  #decides(record: JsonSlice | undefined): boolean {
    if (record === undefined) return false;
    const { bytes, start, end } = record;
    const reader = this.#reader ??= new JsonReader(1);
    const line = reader.members(reader.read(bytes, start, end));
    return streamKindOf(reader, line) === this.kind;
  }

  /** Detects the kind from a line; nothing if it is no object, or a `line.failed` record. */
  #detect(
    bytes: Uint8Array,
    start: number,
    end: number,
  ): StreamKind | undefined {
    const reader = this.#reader ??= new JsonReader(1);
    const root = reader.read(bytes, start, end);
    if (root === undefined) {
      return gluedRecord(reader, bytes, start, end) && "rollout";
    }
    if (root.kind !== "object") return undefined;
    const line = reader.members(root);
    if (reader.wordOf(line.get("type")) === LINE_FAILED) return undefined;
    return streamKindOf(reader, line);
  }
}

/** Returns the kind of a stream that begins with this record (D.9, in its order). */
export function streamKindOf(reader: JsonReader, line: JsonObject): StreamKind {
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
      return new RefusingRules("a HistoryState snapshot");
    case "history.jsonl":
      return new RefusingRules("the prompts of a history.jsonl");
    case "session_index.jsonl":
      return new RefusingRules("the names of a session_index.jsonl");
  }
}

/** Refuses every line of an input that is not a stream of events. */
class RefusingRules extends RecordRules {
  readonly #reason: FailureReason;

  constructor(input: string) {
    super(new JsonReader(1));
    this.#reason = unnormalizable(`it is ${input}, not a stream of events`);
  }

  protected override record(): FailureReason {
    return this.#reason;
  }
}
