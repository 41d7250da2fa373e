/**
 * The common part of all stages over the bytes of JSONL: normalizes each line that is not blank,
 * and passes the record or failure, the *answer* to the line, to the stage that writes or decodes
 * it.
 */

import { checkBytes, checkedList, checkedWord, wordsOf } from "../checked.ts";
import type { StreamKind } from "../dialects/dialect_names.ts";
import { StreamRules } from "../dialects/dialects.ts";
import type { NormalizerOptions } from "../dialects/normalizer.ts";
import { type FailureReason, LineError } from "../errors.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import { CR, LF, NO_BYTES, OPEN_BRACE } from "../json/bytes.ts";
import { Kernel } from "../json/kernel.ts";
import type { KernelWishes } from "../json/kernel_plans.ts";
import { JsonReader } from "../json/reader.ts";
import type { JsonNode } from "../json/value.ts";
import type { Proof } from "../json/value_plan.ts";
import { isBlankLine } from "../lines/blank.ts";
import {
  FailedLine,
  type FailedRange,
  type FailureView,
} from "../lines/failures.ts";
import {
  LineFramer,
  type LineRun,
  type LineVisitor,
} from "../lines/line_framer.ts";
import {
  checkedMaxLineBytes,
  type LineSplitterOptions,
  lineTooLong,
} from "../lines/line_splitter.ts";
import type { Emit, Stage } from "../stage.ts";

// The selection of records, by their types.

/** In the kinds of a type: every kind. */
const ALL = "";
/** Behind a kind: it is selected by role. */
const ROLE = "/";
/** The prefix of the types of item events. */
const ITEM_EVENT = "item.";
/** The prefix of the types of messages that belong to no thread. */
const MESSAGE = "rpc.";

/**
 * Selects records by type, kind, role and thread.
 *
 * Compares only words (`JsonReader.wordOf`), which the plans of the kernel fix, so that a plan is
 * selected or not as a whole.
 */
export class RecordSelection {
  /** Equal for equal selections. */
  readonly key: string;
  /** By type, the kinds that are selected; all types and kinds, if absent. */
  readonly #kinds: KindsByType | undefined;
  /** By type, the kinds that are left out. */
  readonly #except: KindsByType;
  readonly #thread: string | undefined;

  /**
   * @param names The types, as in normalized records. A slash may follow, with the item type of an
   *   event or the payload type of a rollout line; and another one, with the role of a message. All
   *   records, if absent.
   * @param except Those that are left out.
   * @param thread The only thread whose events are selected. Lines of session files name no thread,
   *   and are always selected.
   * @throws {TypeError} If `names` or `except` is not a list of strings, or `thread` is not a
   *   string.
   */
  constructor(
    names: readonly string[] | undefined,
    except: readonly string[] = [],
    thread?: string,
  ) {
    if (thread !== undefined && typeof thread !== "string") {
      throw new TypeError(
        `Cannot use thread: it is ${wordsOf(thread)}, expected a string`,
      );
    }
    this.#thread = thread;
    this.#kinds = names && kindsOf("only", names);
    this.#except = kindsOf("except", except);
    this.key = JSON.stringify([names ?? null, except, thread ?? null]);
  }

  /** Whether a normalized record is selected. */
  wants(reader: JsonReader, record: JsonNode): boolean {
    const type = reader.wordOf(reader.member(record, "type")) ?? "";
    if (this.#thread !== undefined) {
      if (type.startsWith(MESSAGE)) return false;
      const thread = reader.wordOf(reader.member(record, "thread_id"));
      if (thread !== undefined && thread !== this.#thread) return false;
    }
    const except = this.#except.get(type);
    if (isOneOf(except, type, record, reader)) return false;
    return this.#kinds === undefined ||
      isOneOf(this.#kinds.get(type), type, record, reader);
  }
}

/** Whether a record of a type has one of the kinds. */
function isOneOf(
  kinds: ReadonlySet<string> | undefined,
  type: string,
  record: JsonNode,
  reader: JsonReader,
): boolean {
  if (kinds === undefined) return false;
  if (kinds.has(ALL)) return true;
  // An item event may have a field `payload` that comes from another program.
  const payload = type.startsWith(ITEM_EVENT)
    ? undefined
    : reader.member(record, "payload");
  if (payload?.kind !== "object") {
    return kinds.has(reader.wordOf(reader.member(record, "item_type")) ?? ALL);
  }
  const kind = reader.wordOf(reader.member(payload, "type")) ?? ALL;
  return kinds.has(kind) ||
    (kinds.has(`${kind}${ROLE}`) &&
      kinds.has(`${kind}/${reader.wordOf(reader.member(payload, "role"))}`));
}

type KindsByType = ReadonlyMap<string, ReadonlySet<string>>;

function kindsOf(
  option: "only" | "except",
  names: readonly string[],
): KindsByType {
  const kindsByType = new Map<string, Set<string>>();
  for (const name of checkedList(option, names)) {
    if (typeof name !== "string") {
      throw new TypeError(
        `Cannot use ${option}: one is ${wordsOf(name)}, expected strings`,
      );
    }
    const [type = "", ...rest] = name.split("/");
    const kinds = kindsByType.get(type) ?? new Set();
    if (rest.length === 2) kinds.add(`${rest[0]}${ROLE}`);
    kindsByType.set(type, kinds.add(rest.length === 0 ? ALL : rest.join("/")));
  }
  return kindsByType;
}

/**
 * The treatment of failed lines.
 *
 * - `report`: they are left out of the output, except those that were `line.failed` records in the
 *   input.
 * - `inline`: they stay in their places; in bytes, as `line.failed` records.
 * - `mark`: like `inline`, but without the text of the lines, which may be as long as a string can
 *   be.
 * - `drop`: they are left out.
 * - `stop`: the first one is thrown, which ends the work.
 */
export type OnError = "report" | "inline" | "mark" | "drop" | "stop";

const ON_ERROR: readonly OnError[] = [
  "report",
  "inline",
  "mark",
  "drop",
  "stop",
];

/** The names of {@linkcode Engine}s. */
export const ENGINES = ["auto", "js", "wasm"] as const;

/**
 * The engine that normalizes lines.
 *
 * - `js`: TypeScript only.
 * - `wasm`: WebAssembly, for lines that are similar to earlier ones, which TypeScript has
 *   normalized.
 * - `auto`: `wasm` once enough input has been read, in this and earlier streams, and WebAssembly
 *   with SIMD can run; otherwise `js`.
 */
export type Engine = typeof ENGINES[number];

/** Options for stages over the bytes of JSONL. */
export interface JsonlOptions extends NormalizerOptions, LineSplitterOptions {
  /**
   * The treatment of failed lines: by default `report` where lines become bytes, and `inline` where
   * they become outcomes.
   */
  readonly onError?: OnError | undefined;
  /**
   * Called with each failed line, in order, regardless of `onError`.
   *
   * @default {undefined}
   */
  readonly onFailure?: ((failed: FailureView) => void) | undefined;
  /**
   * The engine. The output does not depend on it.
   *
   * @default {"auto"}
   */
  readonly engine?: Engine | undefined;
  /**
   * The minimum size of the input in bytes, if known: then `auto` does not wait for that much
   * input.
   *
   * @default {undefined}
   */
  readonly expectedBytes?: number | undefined;
  /**
   * The types of the records to select, as in normalized records: `turn.completed`, `session_meta`.
   * A slash may follow, with one item type or one payload type: `item.completed/command_execution`,
   * `event_msg/token_count`. Other lines are normalized too, so that later lines get their ids, and
   * may fail; but they have no output.
   *
   * @default {undefined} All.
   */
  readonly only?: readonly string[] | undefined;
  /**
   * The types of the records to leave out, in the form of `only`.
   *
   * @default {undefined} None.
   */
  readonly except?: readonly string[] | undefined;
  /**
   * The id of the only thread whose events to select, in a stream with several threads: that of an
   * app-server. Other lines are normalized too, but have no output. The lines of session files,
   * which belong to one thread, are all selected.
   *
   * @default {undefined} All.
   */
  readonly thread?: string | undefined;
}

/** Receives the answers to lines, in order. */
export interface AnswerTaker {
  /** Proves that values have their type; present if `value` is. */
  readonly proof?: Proof;
  /**
   * Receives a record whose value the kernel has made.
   *
   * @param isProven Whether the value is proven to have the type, so that it need not be checked.
   * @param offset The offset in the input of the start of the line.
   * @returns The reason if the value does not have the type.
   */
  value?(
    value: unknown,
    text: string,
    isProven: boolean,
    line: number,
    offset: number,
  ): FailureReason | undefined;
  /**
   * Receives a record that the rules have written. Without `value`, an LF must follow it, as in the
   * output of the kernel, or `engine` must be `js`.
   *
   * @param out Contains the record, behind what was left in it of earlier ones.
   * @param offset The offset in the input of the line, or of the part of it that is the record.
   * @returns The reason if the record fails after all; it has been removed from `out` then.
   */
  record(
    out: ByteWriter,
    line: number,
    offset: number,
  ): FailureReason | undefined;
  /** Receives a failure that is part of the output. */
  failure(failed: FailedLine, out: ByteWriter): void;
}

/**
 * A stage over the bytes of JSONL, with the number of lines that it has read and what it knows of
 * its input.
 *
 * @example The counts of a normalizer
 * ```ts
 * import { JsonlNormalizer } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const normalizer = new JsonlNormalizer();
 * const block = new TextEncoder().encode('{"type":"thread.resumed","id":"t"}\n{"a":1}\n');
 * normalizer.feed(block, () => {});
 *
 * const { kind, records, failures } = normalizer;
 * assertEquals({ kind, records, failures }, { kind: "exec", records: 1, failures: 1 });
 * ```
 *
 * @typeParam O The type of the values that come out.
 */
export class JsonlStage<O> implements Stage<Uint8Array, O> {
  readonly #counts: Omit<JsonlStage<O>, "feed" | "flush">;
  readonly #stage: Stage<Uint8Array, O>;

  /**
   * Constructs a new instance.
   *
   * @param counts The object that counts the lines.
   * @param stage The stage.
   */
  constructor(
    counts: Omit<JsonlStage<O>, "feed" | "flush">,
    stage: Stage<Uint8Array, O>,
  ) {
    this.#counts = counts;
    this.#stage = stage;
  }

  /** The kind of the input; `undefined` until a line has shown it. */
  get kind(): StreamKind | undefined {
    return this.#counts.kind;
  }

  /**
   * The engine that currently processes lines; with `engine: "auto"` that changes with the input.
   */
  get engine(): Exclude<Engine, "auto"> {
    return this.#counts.engine;
  }

  /** The number of lines that WebAssembly has processed. */
  get fastLines(): number {
    return this.#counts.fastLines;
  }

  /** The number of lines that have failed. */
  get failures(): number {
    return this.#counts.failures;
  }

  /** The number of lines that became records which `only` and `thread` select. */
  get records(): number {
    return this.#counts.records;
  }

  /**
   * Emits the outputs of the lines that a block completes.
   *
   * @param block The bytes; the caller may reuse them afterwards.
   * @param emit Called with each output.
   * @throws {LineError} If a line fails and `onError` is `stop`; the outputs of the lines before it
   *   have been emitted then.
   * @throws {TypeError} If the block is not a `Uint8Array`.
   */
  feed(block: Uint8Array, emit: Emit<O>): void {
    this.#stage.feed(block, emit);
  }

  /**
   * Ends the input and emits the output of a last line without LF.
   *
   * @param emit Called with each output.
   * @throws {LineError} If the line fails and `onError` is `stop`.
   */
  flush(emit: Emit<O>): void {
    this.#stage.flush?.(emit);
  }
}

/** Normalizes the lines of one stream and passes the answers to an {@linkcode AnswerTaker}. */
export class LineAnswers implements LineVisitor {
  readonly #framer: LineFramer;
  readonly #rules: StreamRules;
  readonly #taker: AnswerTaker;
  readonly #limit: number;
  readonly #onError: OnError;
  readonly #onFailure: ((failed: FailureView) => void) | undefined;
  /** The output, which the taker writes to. */
  readonly out: ByteWriter = new ByteWriter();
  readonly #engine: Engine;
  readonly #wishes: KernelWishes;
  /** Whether `only` or `thread` selects records: others are not counted. */
  readonly #isSelective: boolean;
  /** Reads the records that may not be selected. */
  #reader: JsonReader | undefined;
  #kernel: Kernel | undefined;
  #isSlow = false;
  readonly #expected: number;
  #bytes = 0;
  /** The engine that currently processes lines. */
  engine: Exclude<Engine, "auto"> = "js";
  /** The number of lines that WebAssembly has processed. */
  fastLines = 0;
  /** The number of lines that have failed. */
  failures = 0;
  /** The number of lines that became records which `only` and `thread` select. */
  records = 0;

  /**
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another option
   *   has an unknown value.
   * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here.
   */
  constructor(
    options: JsonlOptions & { readonly onError: OnError },
    taker: AnswerTaker,
  ) {
    this.#limit = checkedMaxLineBytes(options.maxLineBytes);
    this.#framer = new LineFramer(this.#limit);
    this.#rules = new StreamRules(options.from ?? "auto", options);
    this.#taker = taker;
    this.#onError = checkedWord("onError", options.onError, ON_ERROR);
    this.#onFailure = options.onFailure;
    this.#expected = options.expectedBytes ?? 0;
    const { only, except, thread } = options;
    this.#isSelective = (only ?? thread) !== undefined;
    const selection = (only ?? except ?? thread) === undefined
      ? undefined
      : new RecordSelection(only, except, thread);
    this.#wishes = { proof: taker.proof, selection };
    this.#engine = checkedWord("engine", options.engine ?? "auto", ENGINES);
    if (this.#engine === "wasm" && !this.#startKernel()) {
      throw new TypeError(
        "Cannot use the engine wasm: WebAssembly with SIMD cannot run here",
      );
    }
  }

  /** The kind of the stream; `undefined` until a line has shown it. */
  get kind(): StreamKind | undefined {
    return this.#rules.kind;
  }

  /** Returns the state that later lines depend on, except the numbers of lines. */
  save(): unknown {
    return this.#rules.save();
  }

  /** Processes the lines that a block completes. The caller may reuse the block afterwards. */
  feed(block: Uint8Array): void {
    checkBytes(block);
    this.#bytes += block.length;
    if (this.#isWorthKernel()) this.#isSlow = !this.#startKernel();
    try {
      this.#framer.feed(block, this);
    } finally {
      this.#kernel?.forget();
    }
  }

  #isWorthKernel(): boolean {
    if (this.#kernel !== undefined || this.#engine !== "auto") return false;
    if (this.#isSlow) return false;
    // A file that is not a log has no records to repeat.
    const hasUse = this.#rules.isTeachable ||
      this.records + this.failures === 0;
    return hasUse && (this.#hasMuch() || Kernel.hasIdle(this.#wishes));
  }

  /** Whether there is enough input for a kernel to save more time than its start takes. */
  #hasMuch(): boolean {
    // Before its first line, a stream is assumed to be of the kind of the previous one.
    const { kind = lastSlow } = this.#rules;
    if (kind === undefined) return this.#bytes >= UNKNOWN_BYTES;
    const bytes = Math.max(this.#bytes, this.#expected);
    const needed = kind === "rollout" ? ROLLOUT_BYTES : EXEC_BYTES;
    const price = this.#taker.value === undefined ? 1 : VALUE_PRICE;
    return bytes + (slowBytes.get(kind) ?? 0) >= price * needed;
  }

  #startKernel(): boolean {
    const kernel = Kernel.create(this.#limit, this.#wishes);
    if (kernel === undefined) return false;
    this.#kernel = kernel;
    this.engine = "wasm";
    this.out.settle(kernel.home);
    this.#rules.teach(kernel);
    return true;
  }

  /** Lets the kernel rewrite lines at once. */
  run(
    bytes: Uint8Array,
    start: number,
    end: number,
    line: number,
    offset: number,
  ): LineRun | undefined {
    const kernel = this.#kernel;
    const context = kernel && this.#rules.context;
    if (kernel === undefined || context === undefined) return undefined;
    const { lines } = kernel;
    const run = kernel.run(bytes, start, end, this.out, context);
    const answered = kernel.lines - lines;
    this.fastLines += answered;
    if (answered > 0) this.#rules.begun();
    if (run.lines === 0) return undefined;
    const taker = this.#taker;
    this.records += this.#isSelective ? run.records : answered;
    if (taker.value !== undefined) {
      kernel.values(run.records, (value, text, isProven, at, before) => {
        const number = line + before;
        const place = offset + at - start;
        const reason = taker.value?.(value, text, isProven, number, place);
        if (reason !== undefined) {
          this.records -= 1;
          const last = bytes.indexOf(LF, at);
          const to = bytes[last - 1] === CR ? last - 1 : last;
          const range = { reason, start: at, end: to, inBand: false };
          this.#failedRange(range, bytes, number, place);
        }
      });
      this.out.clear(0);
    }
    return run;
  }

  /** Ends the input: a last line without LF is a line. */
  flush(): void {
    this.#framer.flush(this);
  }

  /** Releases the kernel; `out` is empty afterwards. */
  end(): void {
    const kernel = this.#kernel;
    const { kind } = this.#rules;
    if (kernel === undefined) {
      if (kind === undefined || this.#engine !== "auto") return;
      slowBytes.set(kind, (slowBytes.get(kind) ?? 0) + this.#bytes);
      lastSlow = kind;
      return;
    }
    this.#kernel = undefined;
    this.#isSlow = true;
    this.#rules.teach(undefined);
    this.out.leave();
    kernel.release();
  }

  line(
    bytes: Uint8Array,
    start: number,
    end: number,
    line: number,
    offset: number,
  ): void {
    if (bytes[start] !== OPEN_BRACE && isBlankLine(bytes, start, end)) return;
    const { out } = this;
    const length = out.length;
    const range = this.#rules.apply(bytes, start, end, out);
    if (range === undefined) {
      this.#record(length, bytes, start, end, line, offset);
    } else {
      const { recordStart } = range;
      // A record that was separated from a torn part stands behind the failure of that part
      // (rollout.md R5).
      const record = recordStart === undefined
        ? NO_BYTES
        : out.view(length).slice();
      out.truncate(length);
      this.#failedRange(range, bytes, line, offset + range.start - start);
      if (recordStart !== undefined) {
        const from = out.length;
        // The first line starts behind the byte order mark, which `offset` includes.
        const skipped = line === 1 ? start : 0;
        const at = offset + skipped + recordStart - start;
        out.all(record);
        this.#record(from, bytes, recordStart, end, line, at);
      }
    }
  }

  /** Reports a line over the limit. */
  tooLong(length: number, line: number, offset: number): void {
    const error = lineTooLong(length, this.#limit);
    this.#failed(new FailedLine(error, { line, offset }, NO_BYTES, undefined));
  }

  #record(
    from: number,
    bytes: Uint8Array,
    start: number,
    end: number,
    line: number,
    offset: number,
  ): void {
    if (!this.#isWanted(from)) {
      this.out.truncate(from);
      if (!this.#isSelective) this.records += 1;
      return;
    }
    const reason = this.#taker.record(this.out, line, offset);
    if (reason === undefined) this.records += 1;
    else {
      const range = { reason, start, end, inBand: false };
      this.#failedRange(range, bytes, line, offset);
    }
  }

  /** Whether the record at the end of the output is selected. */
  #isWanted(from: number): boolean {
    const { selection } = this.#wishes;
    if (selection === undefined) return true;
    const reader = this.#reader ??= new JsonReader(1);
    const { out } = this;
    const end = out.length;
    // The scan needs a control character behind the value.
    out.byte(LF);
    const record = reader.read(out.view(), from, end);
    out.truncate(end);
    return record === undefined || selection.wants(reader, record);
  }

  #failedRange(
    range: FailedRange,
    bytes: Uint8Array,
    line: number,
    offset: number,
  ): void {
    const at = { line, offset };
    this.#failed(new FailedLine(range.reason, at, bytes, range));
  }

  #failed(failed: FailedLine): void {
    this.failures += 1;
    this.#onFailure?.(failed);
    const onError = this.#onError;
    if (onError === "stop") throw new LineError(failed);
    const isBare = onError === "mark" && !failed.isInBand;
    if (
      isBare || onError === "inline" || (onError !== "drop" && failed.isInBand)
    ) {
      this.#taker.failure(
        isBare
          ? new FailedLine(failed.error, failed, NO_BYTES, undefined)
          : failed,
        this.out,
      );
    }
  }
}
/**
 * The number of bytes of input from which on WebAssembly saves more time than it takes to start and
 * to make the plans, each of which takes as long as twenty lines. The rules of session files are so
 * fast that plans for them pay off late. Processor time of `normalize --engine=wasm` relative to
 * `--engine=js`, 21 paired runs: exec streams of short lines 0.87 at 50 kB, 0.77 at 100; of long
 * lines 1.05 at 50 and 100 kB, 0.8 at 500; session files 1.1 at 500 kB, 1.0 at 1 MB, 0.93 at 2.
 */
const EXEC_BYTES = 1 << 15;
const ROLLOUT_BYTES = 1 << 20;
/** The same for input whose kind is not known yet. */
const UNKNOWN_BYTES = 1 << 17;
/** The factor on these numbers when plans make values, which takes longer. */
const VALUE_PRICE = 2;
/** By kind, the number of bytes of ended streams that were processed without WebAssembly. */
const slowBytes = new Map<StreamKind, number>();
/** The kind of the last of these streams. */
let lastSlow: StreamKind | undefined;
