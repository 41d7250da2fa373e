/**
 * What stages over the bytes of JSONL share: each line that is not blank is normalized, and
 * its answer is handed to the stage that writes or decodes it.
 */

import { checkBytes, checkedList, checkedWord, wordsOf } from "../checked.ts";
import type { StreamKind } from "../dialects/dialect_names.ts";
import { rulesFor, type StreamRules } from "../dialects/dialects.ts";
import type { NormalizerOptions } from "../dialects/normalizer.ts";
import { type FailureReason, LineError } from "../errors.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import { CR, LF, OPEN_BRACE } from "../json/bytes.ts";
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

// Which records are wanted, by their types.

/** All kinds of a type. */
const ALL = "";
/** Before a type: only records with an ordinal. */
const NUMBERED = "#";
/** Behind a kind: some of it are wanted by their role. */
const ROLE = "/";
/** What the types of events of items begin with. */
const ITEM_EVENT = "item.";
/** What the types of messages begin with that are of no thread. */
const MESSAGE = "rpc.";

/**
 * Tells wanted records from others.
 *
 * It goes by words alone, so that the plans, which watch the reader, know what decided.
 */
export class RecordSelection {
  /** The same for selections of the same types. */
  readonly key: string;
  /** The kinds that are wanted of each type; all of all, without it. */
  readonly #kinds: KindsByType | undefined;
  /** The kinds that are not wanted of each type. */
  readonly #except: KindsByType;
  readonly #thread: string | undefined;

  /**
   * Constructs a new instance.
   *
   * @param names The types, as they are called when normalized; behind a slash the kind of
   *   item that an event is about, or the type of what a rollout line holds, and behind another
   *   one the role of a message. All, without it.
   * @param except Those that are not wanted; `#` before a type is of records with an ordinal.
   * @param thread The only thread whose events are wanted. Lines of session files say no thread,
   *   and are wanted.
   * @throws {TypeError} If they are no list of texts, or no text.
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
    this.#kinds = names && kindsOf(names);
    this.#except = kindsOf(except);
    this.key = JSON.stringify([names ?? null, except, thread ?? null]);
  }

  /** Says whether a normalized record is wanted. */
  wants(reader: JsonReader, record: JsonNode): boolean {
    const members = reader.members(record);
    const type = reader.wordOf(members.get("type")) ?? "";
    if (this.#thread !== undefined) {
      if (type.startsWith(MESSAGE)) return false;
      const thread = reader.wordOf(members.get("thread_id"));
      if (thread !== undefined && thread !== this.#thread) return false;
    }
    const except = this.#except.get(type);
    if (isOneOf(except, type, members, reader)) return false;
    // Only session files since 0.148 have ordinals.
    if (members.get("ordinal") !== undefined) {
      const numbered = this.#except.get(NUMBERED + type);
      if (isOneOf(numbered, type, members, reader)) return false;
    }
    return this.#kinds === undefined ||
      isOneOf(this.#kinds.get(type), type, members, reader);
  }
}

/** Tells whether a record of a type is one of some kinds of it. */
function isOneOf(
  kinds: ReadonlySet<string> | undefined,
  type: string,
  members: ReturnType<JsonReader["members"]>,
  reader: JsonReader,
): boolean {
  if (kinds === undefined) return false;
  if (kinds.has(ALL)) return true;
  // Events of items may have a field `payload` of another program's.
  const payload = type.startsWith(ITEM_EVENT)
    ? undefined
    : members.get("payload");
  if (payload?.kind !== "object") {
    return kinds.has(reader.wordOf(members.get("item_type")) ?? ALL);
  }
  const inner = reader.members(payload);
  const kind = reader.wordOf(inner.get("type")) ?? ALL;
  return kinds.has(kind) ||
    (kinds.has(`${kind}${ROLE}`) &&
      kinds.has(`${kind}/${reader.wordOf(inner.get("role"))}`));
}

type KindsByType = ReadonlyMap<string, ReadonlySet<string>>;

function kindsOf(names: readonly string[]): KindsByType {
  const kindsByType = new Map<string, Set<string>>();
  for (const name of checkedList("only", names)) {
    if (typeof name !== "string") {
      throw new TypeError(
        `Cannot use only: one is ${wordsOf(name)}, expected strings`,
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
 * What happens to failed lines.
 *
 * - `report`: they are left out of the data, but for those that came in band.
 * - `inline`: they stay in their places: in bytes, as `line.failed` records.
 * - `mark`: as `inline`, without the lines themselves, which may be as long as strings can be.
 * - `drop`: they are left out.
 * - `stop`: the first one ends the work: it is thrown.
 */
export type OnError =
  | "report"
  | "inline"
  | "mark"
  | "drop"
  | "stop";

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
 * What answers lines.
 *
 * - `js`: TypeScript alone.
 * - `wasm`: WebAssembly, for lines like those that TypeScript has answered before it.
 * - `auto`: `wasm` from a certain amount of input on, of this and earlier streams, where it can
 *   run; else `js`.
 */
export type Engine = typeof ENGINES[number];

/** Options for stages over the bytes of JSONL. */
export interface JsonlOptions extends NormalizerOptions, LineSplitterOptions {
  /** What happens to failed lines. */
  readonly onError?: OnError | undefined;
  /**
   * Is told of each failed line, in order, whatever happens to it.
   *
   * @default {undefined}
   */
  readonly onFailure?: ((failed: FailureView) => void) | undefined;
  /**
   * Is called after each line that is not blank, when its answer has been given.
   *
   * @default {undefined}
   */
  readonly onAnswer?: (() => void) | undefined;
  /**
   * What answers the lines. The answers are the same.
   *
   * @default {"auto"}
   */
  readonly engine?: Engine | undefined;
  /**
   * How many bytes of input there are at least, if that is known: `auto` does not wait for them
   * then.
   *
   * @default {undefined}
   */
  readonly expectedBytes?: number | undefined;
  /**
   * The types of the records that are wanted, as they are called when normalized:
   * `turn.completed`, `session_meta`. Behind a slash may be the one kind of item, or the one
   * type of payload, that is wanted: `item.completed/command_execution`,
   * `event_msg/token_count`. Other lines are normalized, too, so that those that follow get
   * their ids, and fail if they are no records; but nothing else comes of them.
   *
   * @default {undefined} All.
   */
  readonly only?: readonly string[] | undefined;
  /**
   * The types of the records that are not wanted, in the words of `only`: nothing comes of them.
   * With `#` before a type, of its records only those with an ordinal are left out.
   *
   * @default {undefined} None.
   */
  readonly except?: readonly string[] | undefined;
  /**
   * The id of the only thread whose events are wanted, where a stream has several: that of an
   * app-server. Other lines are normalized, too, but nothing else comes of them. The lines of
   * session files, which are of one thread, are all wanted.
   *
   * @default {undefined} All.
   */
  readonly thread?: string | undefined;
}

/** Takes the answers to lines, in order. */
export interface AnswerTaker {
  /** Whether all that `record` does is to end the record with an LF. */
  readonly takesLines?: boolean;
  /** What is to be proven of values; there if `value` is. */
  readonly proof?: Proof;
  /**
   * Takes a record whose value was made along the way.
   *
   * @param isProven Whether `proof` holds for the value, so that nothing has to be checked.
   * @param offset Where the line starts.
   */
  value?(
    value: unknown,
    text: string,
    isProven: boolean,
    line: number,
    offset: number,
  ): FailureReason | undefined;
  /**
   * Takes a record.
   *
   * @param out Holds the record from `start` to its end, and what the taker left before.
   * @param offset Where the line, or the part of it that is the record, starts.
   * @returns Why it is none after all; it has been taken out of `out` then.
   */
  record(
    out: ByteWriter,
    start: number,
    line: number,
    offset: number,
  ): FailureReason | undefined;
  /** Takes a failure that is to stand in the data. */
  failure(failed: FailedLine, out: ByteWriter): void;
}

export class LineAnswers implements LineVisitor {
  readonly #framer: LineFramer;
  readonly #rules: StreamRules;
  readonly #taker: AnswerTaker;
  readonly #limit: number;
  readonly #onError: OnError;
  readonly #onFailure: ((failed: FailureView) => void) | undefined;
  readonly #onAnswer: (() => void) | undefined;
  /** What the taker writes to. */
  readonly out: ByteWriter = new ByteWriter();
  readonly #engine: Engine;
  readonly #wishes: KernelWishes;
  /** Whether only some records are asked for: others do not count. */
  readonly #isSelective: boolean;
  /** Reads the records that may not be wanted. */
  #reader: JsonReader | undefined;
  #kernel: Kernel | undefined;
  #hasKernel = false;
  #fastLines = 0;
  #isSlow = false;
  readonly #expected: number;
  #bytes = 0;
  /** How many lines have failed so far. */
  failures = 0;
  /** How many lines have become records so far that `only` and `thread` ask for. */
  records = 0;

  /**
   * Constructs a new instance.
   *
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another
   *   option is none of its words.
   * @throws {TypeError} If WebAssembly is asked for and cannot run here.
   */
  constructor(
    options: JsonlOptions & { readonly onError: OnError },
    taker: AnswerTaker,
  ) {
    this.#limit = checkedMaxLineBytes(options.maxLineBytes);
    this.#framer = new LineFramer(this.#limit);
    this.#rules = rulesFor(options.from ?? "auto", options);
    this.#taker = taker;
    this.#onError = checkedWord("onError", options.onError, ON_ERROR);
    this.#onFailure = options.onFailure;
    this.#onAnswer = options.onAnswer;
    this.#expected = options.expectedBytes ?? 0;
    const { only, except, thread } = options;
    this.#isSelective = (only ?? thread) !== undefined;
    const selection = (only ?? except ?? thread) === undefined
      ? undefined
      : new RecordSelection(only, except, thread);
    this.#wishes = { proof: taker.proof, selection };
    const engine = checkedWord("engine", options.engine ?? "auto", ENGINES);
    // A caller with `onAnswer` is told of each line in its turn: values are given one by one
    // then, but for those that are not wanted.
    const isHeard = options.onAnswer !== undefined;
    const isFast = taker.value === undefined
      ? taker.takesLines === true && !isHeard
      : selection === undefined || !isHeard;
    this.#engine = isFast ? engine : "js";
    if (engine === "wasm" && isFast && !this.#startKernel()) {
      throw new TypeError(
        "Cannot use the engine wasm: WebAssembly with SIMD cannot run here",
      );
    }
  }

  /** What answers the lines by now. */
  get engine(): Exclude<Engine, "auto"> {
    return this.#hasKernel ? "wasm" : "js";
  }

  /** How many lines WebAssembly has answered. */
  get fastLines(): number {
    return this.#kernel?.lines ?? this.#fastLines;
  }

  /** What the stream is; `undefined` until a line has told. */
  get kind(): StreamKind | undefined {
    return this.#rules.kind;
  }

  /** Writes down what later lines depend on, the numbers of lines apart. */
  save(): unknown {
    return this.#rules.save();
  }

  /** Takes a block, which may be used again afterwards. */
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
    if (this.#isSlow || this.out.length > 0) return false;
    // What is no log has no records to repeat.
    const hasUse = this.#rules.isTeachable ||
      this.records + this.failures === 0;
    return hasUse && (this.#hasMuch() || Kernel.hasIdle(this.#wishes));
  }

  /** Whether there is as much input as a kernel needs to make up for its beginning. */
  #hasMuch(): boolean {
    // Before its first line, a stream most likely is what the one before it was.
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
    this.#hasKernel = true;
    this.out.settle(kernel.home);
    this.#rules.teach(kernel);
    return true;
  }

  /** Answers lines at once. */
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
    if (kernel.lines > lines) this.#rules.begun();
    if (run.lines === 0) return undefined;
    const taker = this.#taker;
    this.records += this.#isSelective ? run.records : kernel.lines - lines;
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
        this.#onAnswer?.();
      });
      this.out.clear(0);
    }
    return run;
  }

  /** Ends the input: a last line without LF is a line. */
  flush(): void {
    this.#framer.flush(this);
  }

  /** Gives back what the work needed; what `out` has is gone. */
  end(): void {
    const kernel = this.#kernel;
    const { kind } = this.#rules;
    if (kernel === undefined) {
      if (kind === undefined || this.#engine !== "auto") return;
      slowBytes.set(kind, (slowBytes.get(kind) ?? 0) + this.#bytes);
      lastSlow = kind;
      return;
    }
    this.#fastLines = kernel.lines;
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
      // A record that was told apart from what failed stands behind it (R5).
      const record = recordStart === undefined
        ? NOTHING
        : out.view(length).slice();
      out.truncate(length);
      this.#failedRange(range, bytes, line, offset + range.start - start);
      if (recordStart !== undefined) {
        const from = out.length;
        // A first line begins its buffer, with the byte order mark that was skipped.
        const skipped = line === 1 ? start : 0;
        const at = offset + skipped + recordStart - start;
        out.all(record);
        this.#record(from, bytes, recordStart, end, line, at);
      }
    }
    this.#onAnswer?.();
  }

  /** Answers a line over the limit. */
  tooLong(length: number, line: number, offset: number): void {
    const error = lineTooLong(length, this.#limit);
    this.#failed(new FailedLine(error, { line, offset }, NOTHING, undefined));
    this.#onAnswer?.();
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
    const reason = this.#taker.record(this.out, from, line, offset);
    if (reason === undefined) this.records += 1;
    else {
      const range = { reason, start, end, inBand: false };
      this.#failedRange(range, bytes, line, offset);
    }
  }

  /** Whether the record that the output ends with is wanted. */
  #isWanted(from: number): boolean {
    const { selection } = this.#wishes;
    if (selection === undefined) return true;
    const reader = this.#reader ??= new JsonReader(1);
    const { out } = this;
    const end = out.length;
    // The text behind a value must be a control character.
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
          ? new FailedLine(failed.error, failed, NOTHING, undefined)
          : failed,
        this.out,
      );
    }
  }
}

const NOTHING = new Uint8Array(0);
/**
 * From how much input on WebAssembly makes up for the time that it needs to begin, and for the
 * plans, each of which takes as long as twenty lines. The rules of session files are done so
 * fast that plans for them pay late (paired runs of the command with `--engine=js` and `wasm`,
 * user CPU: 0.83 at 50 kB of exec; 1.15 at 200 kB of session files, 1.04 at 1.2 MB, 0.95 at 2).
 */
const EXEC_BYTES = 1 << 15;
const ROLLOUT_BYTES = 1 << 20;
/** The same for input of which no line has told what it is. */
const UNKNOWN_BYTES = 1 << 17;
/** Plans that make values take longer to make. */
const VALUE_PRICE = 2;
/** By kind, how much of streams that have ended was answered without WebAssembly. */
const slowBytes = new Map<StreamKind, number>();
/** What the last of them was. */
let lastSlow: StreamKind | undefined;
