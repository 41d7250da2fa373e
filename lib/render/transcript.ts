/** Builds transcripts: sequences of parts that describe a session for people. */

import { checkOutcome } from "../checked.ts";
import { isRetryNotice } from "../dialects/exec/retry_notices.ts";
import { abortReason, printedText } from "../events/contents.ts";
import { EventReader } from "../events/event_reader.ts";
import type { SessionOptions } from "../events/session_context.ts";
import { realId } from "../events/ids.ts";
import { linesWithout } from "../events/line_selection.ts";
import { eventTime, threadTime, timestampOf } from "../events/times.ts";
import { handedImages, imageUrlsOf } from "../events/user_message.ts";
import { joinedByTwo } from "../groups.ts";
import { HistoryState, makesNoRecord } from "../history/history_state.ts";
import { isPrompt } from "../history/mapping/text_lines.ts";
import type { HistoryMutation } from "../history/mutations.ts";
import type { AnyHistoryRecord } from "../history/records.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isObject,
  numberOf,
  parseJson,
  textOf,
  wholeOf,
} from "../json/fields.ts";
import type { Outcome } from "../outcome.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";
import { EventTokens } from "../usage/event_tokens.ts";
import {
  addTokens,
  NO_TOKENS,
  type TokenKind,
  type Tokens,
} from "../usage/tokens.ts";
import { EntryLog, msBetween } from "./_entry_log.ts";
import { USAGE_KINDS, usageOf } from "./_work_counts.ts";
import type {
  FailurePart,
  RequestUsage,
  SessionPart,
  TranscriptPart,
  TurnEndedPart,
  TurnStatus,
  TurnUsage,
} from "./parts.ts";
import { linesText } from "./record_text.ts";

/** Facts of a history that its transcript does not show; see {@linkcode HistoryState}. */
export type HistoryFacts = Pick<
  HistoryState,
  "base" | "nextId" | "threadId" | "unknownMode"
>;

/** The types of lines that a transcript does not need. */
export const LINES_NOT_SHOWN: readonly string[] = linesWithout([
  "injected_context",
  "thread_settings_applied",
]);

/** Options for {@linkcode TranscriptBuilder}. */
export interface TranscriptOptions {
  /**
   * Emit parts at once, in the order of events, also for entries that are not complete yet.
   * Otherwise every entry is emitted once, complete, in the order of the history.
   *
   * @default {false}
   */
  readonly live?: boolean | undefined;
  /**
   * The number of the first turn, for a transcript that continues another one.
   *
   * @default {1}
   */
  readonly firstTurn?: number | undefined;
  /**
   * Carry the images of the input as `data:` URLs of up to 4 MiB each. Redactors do not change
   * them.
   *
   * @default {false}
   */
  readonly images?: boolean | undefined;
}

const MAX_IMAGE_LENGTH = 4 * 1024 * 1024;

/** Limits of held command output, in bytes: of all commands, and of one stream that was cut. */
const OUTPUT_LIMITS = {
  totalBytes: 64 * 1024 * 1024,
  prunedStreamBytes: 512 * 1024,
};

/** The maximum number of shown errors of a turn that are compared with its end. */
const MAX_ERRORS = 16;

type TurnEnd = Pick<
  TurnEndedPart,
  "turn_id" | "status" | "usage" | "durationMs" | "error"
>;

interface OpenTurn {
  readonly number: number;
  turnId: string | null;
  startedAt: string | null;
  /** Whether an event opened it, and not a message of the user. */
  isByEvent: boolean;
  /** Whether it has no entries but messages of the user. */
  isOnlyPrompt: boolean;
  isEmitted: boolean;
  /** The texts of the last errors that its entries show. */
  readonly errors: string[];
  /** The message of its last event, if that is an error. */
  lastError: string | undefined;
}

/**
 * Is called with each event and the reader that it comes from, so that other folds need not read
 * the lines a second time. It must call `take`, which feeds the event to the transcript.
 */
interface EventTap {
  (event: Fields, reader: EventReader, take: () => void): void;
}

/**
 * Makes a transcript of a session: parts to be written one after the other.
 *
 * The input is the outcomes of {@linkcode JsonlDecoder} or {@linkcode Normalizer}, for exec streams
 * and session files: values, or their JSON text. Entries come from the history of the session
 * ({@linkcode HistoryState}); the bounds of turns, ids, the model and tokens come from the same
 * events. Failed lines become parts in their place, also those that are in band as `line.failed`
 * records.
 *
 * The first part is always the session. An entry is emitted once nothing will change it any more.
 * An entry that has not ended by the end of its turn is emitted there in its present state, and
 * once more (`late`) when it ends.
 *
 * Memory is bounded by open entries. Records that were emitted are forgotten soon after, and
 * command output is held up to 64 MiB. If too many entries wait for a long one, or the outputs of
 * `explore` commands grow too large, entries are emitted in their present state. Time is linear in
 * the input. No input makes it throw.
 *
 * @example A transcript of an exec stream
 * ```ts
 * import { JsonlDecoder } from "@codexpipe/codexpipe";
 * import { TranscriptBuilder, type TranscriptPart } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * const log = '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n' +
 *   '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hi"}}\n' +
 *   '{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":2}}\n';
 * const parts: TranscriptPart[] = [];
 * const decoder = new JsonlDecoder();
 * const transcript = new TranscriptBuilder();
 * decoder.feed(new TextEncoder().encode(log), (outcome) => {
 *   transcript.feed(outcome, (part) => parts.push(part));
 * });
 * transcript.flush((part) => parts.push(part));
 *
 * assertEquals(parts.map(({ type }) => type), [
 *   "session",
 *   "turn_started",
 *   "entry",
 *   "turn_ended",
 * ]);
 * ```
 */
export class TranscriptBuilder
  implements Stage<Outcome<unknown>, TranscriptPart> {
  #reader = new EventReader();
  readonly #state = new HistoryState({ limits: OUTPUT_LIMITS });
  readonly #entries: EntryLog;
  readonly #counts = new EventTokens();
  #tokens: Tokens | null = null;
  #usage = new TurnUsageCounter();
  readonly #lead = new SessionLead((part) => this.#emit(part));
  readonly #hasImages: boolean;
  #turn: OpenTurn | undefined;
  /** The time of a header in files whose other lines have none: their events carry it, too. */
  #lentTime: string | undefined;
  /** The time of the last event that changed the history or counted tokens. */
  #lastAt: string | null = null;
  #turns = 0;
  /** The time of the last event; `null` while no event has had one. */
  #now: string | null = null;
  #hasHeader = false;
  #isEndless = false;
  #skipsInherited = false;
  #emit: Emit<TranscriptPart> = () => {};
  #tap: EventTap = (_event, _reader, take) => take();

  /**
   * Constructs a new instance.
   *
   * @param options Live parts, the first number and images.
   */
  constructor(options: TranscriptOptions = {}) {
    this.#hasImages = options.images ?? false;
    this.#turns = (options.firstTurn ?? 1) - 1;
    this.#entries = new EntryLog({
      isLive: options.live ?? false,
      emit: (part) => {
        this.#emitTurn();
        this.#lead.emit(part);
        // Some releases write the model after the first prompt.
        const isKnown = this.#lead.session.model !== null;
        if (isKnown || !isPrompt(part.record)) this.#lead.release();
      },
      history: this.#state,
    });
  }

  /** The number of the next turn. */
  get nextTurn(): number {
    return this.#turns + 1;
  }

  /** The facts of the history that the entries come from. */
  get history(): HistoryFacts {
    return this.#state;
  }

  /** @ignore The tokens used, each request once; `null` until an event has a count. */
  get tokens(): Tokens | null {
    return this.#tokens;
  }

  /** @ignore Sets a function to be called with each event, before the next one is read. */
  tapEvents(tap: EventTap, options: Pick<SessionOptions, "isSelection">): void {
    this.#reader = new EventReader(undefined, options);
    this.#tap = tap;
  }

  /**
   * Reads an outcome and emits the parts that it completes.
   *
   * @param outcome The outcome of a line.
   * @param emit Is called with each part, in order.
   * @throws {TypeError} If `outcome` is not an outcome.
   */
  feed(outcome: Outcome<unknown>, emit: Emit<TranscriptPart>): void {
    checkOutcome(outcome);
    this.#emit = emit;
    if (!outcome.ok) {
      const { line, error: { kind, message } } = outcome;
      return this.#emitFailure({ type: "failure", line, kind, message });
    }
    const { value, line, offset } = outcome;
    const isText = typeof value === "string";
    const record = isText ? parseJson(value) : value;
    if (!isObject(record)) return;
    if (record.type === "line.failed") {
      return this.#emitFailure(failedLine(record));
    }
    const text = isText ? value : outcome.text;
    this.#reader.read(record, { line, offset, text }, this.#tapped);
    if (this.#entries.awaitsImage) {
      for (const url of handedImages(record)) {
        this.#entries.attach(this.#carried(url));
      }
    }
  }

  /** Returns the URL of an image, or an empty text if it is not carried. */
  #carried(url: string): string {
    return this.#hasImages && url.length <= MAX_IMAGE_LENGTH ? url : "";
  }

  /** @ignore Emits the entries that a notice from elsewhere shows to be complete. */
  settle(emit: Emit<TranscriptPart>): void {
    this.#emit = emit;
    this.#entries.settleBefore("background_event");
  }

  /**
   * Ends the input and emits all that was held back, in its present state.
   *
   * @param emit Is called with each part, in order.
   */
  flush(emit: Emit<TranscriptPart>): void {
    this.#emit = emit;
    this.#entries.release();
    this.#endTurn(this.#openStatus);
    this.#lead.release();
  }

  /** The status of a turn that no event ends. */
  get #openStatus(): TurnStatus {
    const isByEvent = this.#turn?.isByEvent === true;
    return isByEvent && !this.#isEndless ? "open" : "unknown";
  }

  readonly #tapped = (event: Fields): void => {
    this.#tap(event, this.#reader, () => this.#take(event));
  };

  readonly #take = (event: Fields): void => {
    this.#timeOf(event);
    if (this.#lead.session.thread_id === null) {
      const thread_id = realId(event.thread_id);
      if (thread_id !== undefined) this.#lead.learn({ thread_id });
    }
    // Of events that are left out, too: the thread's own counts continue from them.
    const added = this.#counts.take(event);
    if (added !== undefined) {
      this.#tokens = addTokens(this.#tokens ?? NO_TOKENS, added);
    }
    if (event.inherited === true && this.#skipsInherited) return;
    const end = this.#endOf(event);
    const isCount = this.#takeItem(event, added ?? this.#counts.copied);
    if (this.#reader.isSession && makesNoRecord(event)) {
      if (isCount) this.#lastAt = this.#now;
      return;
    }
    if (event.type === "thread.started") this.#startThread(event);
    if (event.type === "turn.started") this.#startTurn(event);
    const mutations = this.#state.applyEvent(event);
    if (mutations.length > 0) this.#describeEvent(event, mutations);
    const prompt = mutations.find((mutation) =>
      mutation.type === "inserted" && this.#isOfUser(mutation.record)
    );
    for (const mutation of mutations) {
      if (mutation === prompt) this.#takePrompt(event);
      this.#change(mutation, end);
    }
    if (end !== undefined) this.#takeEnd(end);
    else if (this.#turn !== undefined && mutations.length > 0) {
      this.#turn.lastError = event.type === "error"
        ? idOf(event.message)
        : undefined;
    }
    if (event.item_type === "thread_rolled_back") {
      this.#rollBack(wholeOf(fieldsOf(event.content).num_turns) ?? 0);
    }
    if (event.type !== "item.started") {
      this.#entries.answer(idOf(event.call_id) ?? "");
    }
    if (mutations.length > 0 || isCount) this.#lastAt = this.#now;
  };

  #timeOf(event: Fields): void {
    // In the oldest files only the header has a time, which the reader sets on all events. Without
    // this check, all entries would seem to have happened at that time.
    const time = eventTime(event);
    const isLent = isHeader(event) || time === this.#lentTime;
    if (time !== undefined && !isLent) this.#now = time;
    this.#entries.now = this.#now;
    this.#lead.now = this.#now;
  }

  /** Passes on facts of the event that its records do not hold. */
  #describeEvent(event: Fields, mutations: readonly HistoryMutation[]): void {
    const entries = this.#entries;
    const content = fieldsOf(event.content);
    const isCommand = event.type === "item.completed" &&
      event.item_type === "command_execution";
    entries.isWarning = isErrorItem(event);
    entries.openCall = event.type === "item.started"
      ? idOf(event.call_id)
      : undefined;
    entries.isFromUser = event.item_type === "user_message";
    entries.isUnfinished = event.type !== "item.completed" &&
      (event.item_type === "plan" || event.item_type === "image_generation");
    entries.mayBeSummary = this.#reader.isSession;
    entries.reportedMs = isCommand ? wholeOf(content.duration_ms) : undefined;
    entries.printed = undefined;
    const urls = event.type === "item.completed" ? imageUrlsOf(event) : [];
    entries.images = urls.map((url) => this.#carried(url));
    const changesExplore = mutations.some((mutation) =>
      mutation.type === "replaced" && mutation.record.type === "explore"
    );
    if (!isCommand || !changesExplore) return;
    const place = this.#state.placeOfExplored(textOf(event.item_id) ?? "");
    entries.printed = place && { ...place, text: printedText(content) };
  }

  /** Reads session facts and token counts of an item; returns whether it counts tokens. */
  #takeItem(
    { type, item_type, content }: Fields,
    tokens: Tokens | undefined,
  ): boolean {
    if (type !== "item.completed") return false;
    const fields = fieldsOf(content);
    if (item_type === "turn_context") {
      const { cwd, model } = fields;
      this.#lead.learn({ cwd: idOf(cwd), model: idOf(model) });
    }
    const isCount = item_type === "token_count" ||
      item_type === "token_usage_record";
    if (isCount) this.#usage.count(fields, tokens, this.#now);
    return isCount;
  }

  /** Reads the end of a turn from an event; `undefined` for other events. */
  #endOf(event: Fields): TurnEnd | undefined {
    const { type } = event;
    if (type !== "turn.completed" && type !== "turn.failed") return undefined;
    const reason = abortReason(event);
    const isAborted = reason !== undefined;
    // The protocol up to 0.43, which `codex mcp-server` of 0.98 still speaks, also completes a turn
    // that an error ended, then without an answer.
    const lastError = this.#turn?.lastError;
    const isUnsaid = type === "turn.completed" && lastError !== undefined &&
      event.last_agent_message === null && !isRetryNotice(lastError);
    const message = reason ??
      (isUnsaid ? lastError : fieldsOf(event.error).message);
    return {
      turn_id: realId(event.turn_id) ?? null,
      status: isAborted
        ? "aborted"
        : type === "turn.failed" || isUnsaid
        ? "failed"
        : "completed",
      // Where requests are counted, this counts the whole thread.
      usage: this.#usage.hasCounts ? null : readTurnUsage(event.usage),
      durationMs: wholeOf(event.duration_ms) ?? null,
      error: idOf(message) ?? null,
    };
  }

  /** Reads the header of a session file, or the start of a process. */
  #startThread(event: Fields): void {
    const facts: SessionFacts = {
      thread_id: realId(event.thread_id),
      startedAt: threadTime(event),
      cwd: idOf(event.cwd) ?? idOf(event.workdir),
      model: idOf(event.model),
      cli_version: idOf(event.cli_version),
      agent: idOf(event.agent_path) ?? idOf(event.agent_nickname),
    };
    if (!isHeader(event)) return this.#startRun(event, facts);
    this.#hasHeader = true;
    // Only for sub-agents: a fork may be read after the file that it continues, which is shown.
    this.#skipsInherited = event.subagent_history_start_ordinal !== undefined;
    const isUntimed = !HEADER_NAMES.some((name) => event[name] !== undefined);
    if (isUntimed) this.#lentTime = eventTime(event);
    this.#lead.learn(facts);
  }

  /** A process begins, which ends the turn and the entries of an earlier one. */
  #startRun(event: Fields, facts: SessionFacts): void {
    this.#entries.release();
    this.#endTurn(this.#openStatus);
    // Exec streams up to 0.42 have neither thread ids nor events at the end of turns.
    this.#isEndless = realId(event.thread_id) === undefined;
    this.#skipsInherited = false;
    if (this.#hasHeader) {
      this.#lead.release();
      this.#lead.restart();
    }
    this.#hasHeader = true;
    // Each process counts its tokens anew.
    this.#usage = new TurnUsageCounter();
    this.#lead.learn(facts);
    // No later event of an exec stream describes the session.
    this.#lead.release();
  }

  #startTurn(event: Fields): void {
    // An implied start only stands for a prompt, and `#takePrompt` opens a turn for that. The start
    // of the next turn does not belong to that prompt.
    if (event.implied === true) {
      if (this.#turn !== undefined) this.#turn.isOnlyPrompt = false;
      return;
    }
    const turnId = realId(event.turn_id) ?? null;
    const startedAt = timestampOf(event.started_at) ?? null;
    const turn = this.#turn;
    // An app-server may report the start of a turn after its prompt.
    const isSame = turnId !== null && turn?.turnId === turnId;
    if (turn?.isOnlyPrompt && (isSame || !turn.isByEvent)) {
      turn.isByEvent = true;
      turn.turnId ??= turnId;
      turn.lastError = undefined;
      return;
    }
    this.#endTurn(this.#openStatus);
    this.#openTurn({ turnId, startedAt, isByEvent: true });
  }

  #openTurn(
    known: Pick<OpenTurn, "turnId" | "startedAt" | "isByEvent">,
  ): OpenTurn {
    this.#turns += 1;
    this.#lastAt = this.#now;
    this.#usage.start();
    const turn: OpenTurn = {
      ...known,
      number: this.#turns,
      startedAt: this.#now ?? known.startedAt,
      isOnlyPrompt: true,
      isEmitted: false,
      errors: [],
      lastError: undefined,
    };
    this.#turn = turn;
    this.#entries.turn = this.#turns;
    return turn;
  }

  #change(mutation: HistoryMutation, end: TurnEnd | undefined): void {
    if (mutation.type === "truncated") return;
    if (mutation.type === "inserted") {
      const { record } = mutation;
      if (end !== undefined && showsEnd(record)) {
        // The end of the turn shows the same text.
        this.#entries.skip(mutation.id);
        return;
      }
      const turn = this.#turn;
      if (turn !== undefined) {
        const isError = isErrorRecord(record);
        if (isError) {
          turn.errors.push(textOfError(record));
          if (turn.errors.length > MAX_ERRORS) turn.errors.shift();
        }
        // Exec streams up to 0.42 report what failed to start between the prompt and its turn.
        turn.isOnlyPrompt &&= record.type === "image" || isPrompt(record) ||
          (isError && this.#isEndless);
      }
    }
    this.#entries.change(mutation);
  }

  /** Whether a new record is a message of the user: its text, or an image in its place. */
  #isOfUser(record: AnyHistoryRecord): boolean {
    return isPrompt(record) ||
      (this.#entries.isFromUser && record.type === "image");
  }

  /** Opens a turn for a message of the user, unless an event has opened one. */
  #takePrompt(event: Fields): void {
    if (this.#turn?.isByEvent === true) return;
    this.#endTurn("unknown");
    const turnId = realId(event.turn_id) ?? null;
    // To `sendUserMessage` (up to 0.98), an app-server reports the end of the turn, but no start.
    const isByEvent = turnId !== null && !this.#reader.isSession;
    this.#openTurn({ turnId, startedAt: this.#now, isByEvent });
  }

  #takeEnd(end: TurnEnd): void {
    if (this.#turn === undefined) {
      // The log was cut, and the start of the turn is missing.
      const turnId = end.turn_id;
      const turn = this.#openTurn({ turnId, startedAt: null, isByEvent: true });
      turn.startedAt = null;
    }
    this.#endTurn(end.status, end);
  }

  #endTurn(status: TurnStatus, end?: TurnEnd): void {
    this.#entries.endTurn();
    const turn = this.#turn;
    if (turn === undefined) return;
    this.#emitTurn();
    const { number, startedAt, errors } = turn;
    const { requests } = this.#usage;
    const error = end?.error ?? null;
    // A turn that no event ends is over at its last event, and not when the user goes on.
    const endedAt = end === undefined ? this.#lastAt : this.#now;
    const ms = msBetween(startedAt, endedAt);
    // Of a turn that no event ends, with events at one time only, no end is known.
    const isUnknown = end === undefined && ms === 0;
    this.#lead.emit({
      type: "turn_ended",
      turn: number,
      turn_id: turn.turnId ?? end?.turn_id ?? null,
      status,
      endedAt,
      durationMs: end?.durationMs ?? (isUnknown ? null : ms),
      usage: end?.usage ?? this.#usage.usage,
      ...(requests.length === 0 ? {} : { requests }),
      error,
      isErrorShown: error !== null && errors.includes(error.trim()),
    });
    this.#lead.release();
    this.#turn = undefined;
  }

  #rollBack(turns: number): void {
    this.#entries.release();
    this.#endTurn("unknown");
    this.#entries.rollBack(this.#state.nextId);
    this.#lead.emit({ type: "rolled_back", turns });
  }

  #emitFailure(part: FailurePart): void {
    // The failure belongs to the turn in which the line was read.
    this.#emitTurn();
    this.#entries.settleAnswer();
    this.#lead.emit(part);
  }

  /** Emits the `turn_started` part, before the first other part of the turn. */
  #emitTurn(): void {
    const turn = this.#turn;
    if (turn === undefined || turn.isEmitted) return;
    turn.isEmitted = true;
    const { model, cwd } = this.#lead.session;
    this.#lead.emit({
      type: "turn_started",
      turn: turn.number,
      turn_id: turn.turnId,
      startedAt: turn.startedAt,
      model,
      cwd,
    });
  }
}

/** Header fields of which each release has at least one, since lines have times of their own. */
const HEADER_NAMES = ["cwd", "originator", "cli_version"];

function isHeader({ type, started_at }: Fields): boolean {
  return type === "thread.started" && started_at !== undefined;
}

/** {@linkcode TranscriptBuilder} as a stream. */
export class TranscriptStream
  extends StageStream<Outcome<unknown>, TranscriptPart> {
  /**
   * Constructs a new instance.
   *
   * @param options Live parts, the first number and images.
   *
   * @example Count the turns of a log
   * ```ts
   * import { JsonlDecoderStream } from "@codexpipe/codexpipe";
   * import { TranscriptStream } from "@codexpipe/codexpipe/render";
   * import { assertEquals } from "@std/assert";
   *
   * const log = '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n';
   * const parts = await Array.fromAsync(
   *   new Blob([log]).stream()
   *     .pipeThrough(new JsonlDecoderStream())
   *     .pipeThrough(new TranscriptStream()),
   * );
   *
   * assertEquals(parts.filter(({ type }) => type === "turn_started").length, 1);
   * ```
   */
  constructor(options: TranscriptOptions = {}) {
    super(new TranscriptBuilder(options));
  }
}

/** Reads a `line.failed` record, which stands in band for a failed line. */
function failedLine({ line, error }: Fields): FailurePart {
  const { kind, message } = fieldsOf(error);
  return {
    type: "failure",
    line: numberOf(line) ?? 0,
    kind: textOf(kind) ?? "",
    message: textOf(message) ?? "",
  };
}

/** Whether an event is an `error` item of an exec stream, a warning: others have a severity. */
function isErrorItem({ type, item_type, content }: Fields): boolean {
  return type === "item.completed" && item_type === "error" &&
    fieldsOf(content).severity === undefined;
}

function isErrorRecord({ type, payload }: AnyHistoryRecord): boolean {
  return type === "plain_message" && fieldsOf(payload).kind === "error";
}

/** Returns whether a record only shows the end of a turn, with the text of the event at its end. */
function showsEnd(record: AnyHistoryRecord): boolean {
  return isErrorRecord(record) || (record.type === "background_event" &&
    fieldsOf(record.payload).title === "Turn aborted");
}

function textOfError(record: AnyHistoryRecord): string {
  const { lines } = fieldsOf(record.payload);
  return Array.isArray(lines) ? linesText(lines).trim() : "";
}

type SessionFacts = {
  readonly [Name in Exclude<keyof SessionPart, "type">]?:
    | NonNullable<SessionPart[Name]>
    | undefined;
};

/** The maximum number of parts that are held back until the facts of the session are known. */
const MAX_HELD = 256;

export const NO_SESSION: SessionPart = {
  type: "session",
  thread_id: null,
  startedAt: null,
  cwd: null,
  model: null,
  cli_version: null,
};

/** Holds parts back until the facts of the session are known, and emits the session part first. */
class SessionLead {
  session = NO_SESSION;
  /** The time of the last event, which replaces an unknown start of the session. */
  now: string | null = null;
  readonly #emit: Emit<TranscriptPart>;
  /** The parts held back; `undefined` once the session part has been emitted. */
  #held: TranscriptPart[] | undefined = [];

  constructor(emit: Emit<TranscriptPart>) {
    this.#emit = emit;
  }

  learn(facts: SessionFacts): void {
    for (const [name, fact] of Object.entries(facts)) {
      if (fact !== undefined) this.session = { ...this.session, [name]: fact };
    }
  }

  restart(): void {
    this.#held = [];
    this.session = NO_SESSION;
  }

  /** Emits a part, or holds it back until the session part has been emitted. */
  emit(part: TranscriptPart): void {
    if (this.#held === undefined) return this.#emit(part);
    this.#held.push(part);
    if (this.#held.length > MAX_HELD) this.release();
  }

  /** Emits the session part with the facts so far, and the parts that were held back. */
  release(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    const { startedAt, model, cwd } = this.session;
    this.#emit({ ...this.session, startedAt: startedAt ?? this.now });
    for (const part of held) {
      this.#emit(
        part.type === "turn_started"
          ? { ...part, model: part.model ?? model, cwd: part.cwd ?? cwd }
          : part,
      );
    }
  }
}

/** The maximum number of requests kept for a turn; if there are more, neighbours are joined. */
const MAX_REQUESTS = 240;

class TurnUsageCounter {
  hasCounts = false;
  requests: RequestUsage[] = [];
  #tokens: Tokens | undefined;
  /** The kinds that the input counts, among them those that every turn has. */
  readonly #kinds = new Set<TokenKind>(["input_tokens", "output_tokens"]);

  start(): void {
    this.#tokens = undefined;
    this.requests = [];
  }

  /** Adds a request, by its count and the tokens that this adds. */
  count(
    { info, usage }: Fields,
    tokens: Tokens | undefined,
    at: string | null,
  ): void {
    this.hasCounts = true;
    const { last_token_usage, total_token_usage } = fieldsOf(info);
    for (const counts of [last_token_usage, total_token_usage, usage]) {
      for (const kind of USAGE_KINDS) {
        if (isCount(fieldsOf(counts)[kind])) this.#kinds.add(kind);
      }
    }
    if (tokens === undefined) return;
    this.#tokens = addTokens(this.#tokens ?? NO_TOKENS, tokens);
    const input_tokens = Number(tokens.input_tokens);
    const output_tokens = Number(tokens.output_tokens);
    if (input_tokens + output_tokens === 0) return;
    if (this.requests.length >= MAX_REQUESTS) {
      this.requests = joinedByTwo(this.requests, (a, b) => ({
        at: b.at,
        input_tokens: a.input_tokens + b.input_tokens,
        output_tokens: a.output_tokens + b.output_tokens,
      }));
    }
    this.requests.push({ at, input_tokens, output_tokens });
  }

  /** The tokens of the turn so far; `null` without any counts. */
  get usage(): TurnUsage | null {
    const tokens = this.#tokens;
    if (tokens === undefined) return null;
    return usageOf((kind) =>
      this.#kinds.has(kind) ? Number(tokens[kind]) : null
    );
  }
}

function isCount(value: unknown): boolean {
  return typeof value === "bigint" || numberOf(value) !== undefined;
}

function readTurnUsage(value: unknown): TurnUsage | null {
  const fields = fieldsOf(value);
  // Codex writes zeros if it does not know the tokens.
  const isKnown = [fields.input_tokens, fields.output_tokens]
    .some((count) => isCount(count) && Number(count) !== 0);
  if (!isKnown) return null;
  return usageOf((kind) => isCount(fields[kind]) ? Number(fields[kind]) : null);
}
