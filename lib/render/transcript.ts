/**
 * Transcripts: what people read of a session, in order.
 *
 * @module
 */

import { checkOutcome } from "../checked.ts";
import { type HistoryBase, HistoryState } from "../history/history_state.ts";
import {
  type Fields,
  isFields,
  parseJson,
} from "../history/mapping/json_fields.ts";
import {
  firstOrdinalOf,
  isInherited,
} from "../history/mapping/inherited_lines.ts";
import { timestampOf } from "../history/mapping/times.ts";
import { isPrompt, userItemOf } from "../history/mapping/user_content.ts";
import type { HistoryMutation } from "../history/mutations.ts";
import type { AnyHistoryRecord } from "../history/records.ts";
import type { Outcome } from "../outcome.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";
import {
  type BesideFact,
  readFact,
  type SessionFact,
  threadIdOf,
  type TokenCountFact,
  type TurnEndFact,
} from "./_beside_events.ts";
import { EntryLog } from "./_entry_log.ts";
import { msBetween } from "./_entry_part.ts";
import { readExploredOutput } from "./_explored_output.ts";
import {
  failedLine,
  isErrorItem,
  isErrorRecord,
  saysEnd,
  textOfError,
} from "./_record_roles.ts";
import { RequestLog } from "./_request_log.ts";
import { readSaidDuration } from "./_said_duration.ts";
import { SessionLead } from "./_session_lead.ts";
import { TurnUsageCounter } from "./_turn_usage.ts";
import type {
  FailedLinePart,
  SessionPart,
  TranscriptPart,
  TurnStartedPart,
  TurnStatus,
} from "./parts.ts";

/** Options for {@linkcode TranscriptBuilder}. */
export interface TranscriptOptions {
  /**
   * Say at once what happens, also of entries that are not complete yet, and in the order in
   * which it happens. Otherwise every entry comes once, complete, in the order of the history.
   *
   * @default {false}
   */
  readonly live?: boolean | undefined;
  /**
   * The number of the first turn, for a transcript that goes on where another one ended.
   *
   * @default {1}
   */
  readonly firstTurn?: number | undefined;
}

/** How much output of commands is held, in bytes: of all together, and of one that was cut. */
const OUTPUT_LIMITS = {
  totalBytes: 64 * 1024 * 1024,
  prunedStreamBytes: 512 * 1024,
};
/** A turn that is going on. */
interface OpenTurn {
  readonly number: number;
  turnId: string | null;
  startedAt: string | null;
  /** Whether an event opened it, and not only what the user said. */
  isByEvent: boolean;
  /** Whether nothing but the prompt is in it. */
  isOnlyPrompt: boolean;
  /** Whether its beginning has been said. */
  isSaid: boolean;
  /** The errors that its entries show. */
  readonly errors: Set<string>;
}

/**
 * Makes a transcript of a session: parts to be written one after the other.
 *
 * It takes outcomes of {@linkcode JsonlDecoder} or {@linkcode Normalizer}, of exec streams and of
 * session files alike: the values, or their JSON text. What a reader of the session sees comes
 * from its history ({@linkcode HistoryState}); where turns begin and end, ids, the model and
 * tokens come from the events beside it. Failures become parts in their place, also those that
 * were left in band.
 *
 * The first part is always the session. An entry comes when nothing will change it any more;
 * what has not ended when its turn does comes with the end of the turn, as far as it got, and
 * once more (`late`) when it ends after that.
 *
 * Memory is bounded by what is open: records that were given are forgotten soon after, output of
 * commands is held up to 64 MiB, and when much waits for one long entry, or is held of what the
 * commands of an `explore` record printed, that one is given as far as it is. Time is linear.
 * Nothing in the input makes it throw.
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
  readonly #state = new HistoryState({ limits: OUTPUT_LIMITS });
  readonly #entries: EntryLog;
  readonly #usage = new TurnUsageCounter();
  readonly #requests = new RequestLog();
  readonly #lead = new SessionLead((part) => this.#emit(part));
  readonly #isLive: boolean;
  #turn: OpenTurn | undefined;
  /** The time of the header, which lines without times are given as well. */
  #lentTime: string | undefined;
  /** The time of the last event that showed something, or counted tokens. */
  #lastAt: string | null = null;
  #turns = 0;
  /** The time of the last event; `null` while no event has had one. */
  #now: string | null = null;
  #hasHeader = false;
  #isEndless = false;
  #firstOrdinal: number | null = null;
  #emit: Emit<TranscriptPart> = () => {};

  /**
   * Constructs a new instance.
   *
   * @param options Whether it is for somebody who watches.
   */
  constructor(options: TranscriptOptions = {}) {
    this.#isLive = options.live ?? false;
    this.#turns = (options.firstTurn ?? 1) - 1;
    this.#entries = new EntryLog({
      isLive: this.#isLive,
      give: (part) => {
        this.#sayTurn();
        this.#say(part);
        // The model stands behind the first prompt in some releases.
        const isKnown = this.#lead.session.model !== null;
        if (isKnown || !isPrompt(part.record)) this.#saySession();
      },
      forget: (ids) => this.#state.forget(ids),
    });
  }

  /** The number of the next turn. */
  get nextTurn(): number {
    return this.#turns + 1;
  }

  /** What a session file goes on from and does not have; see {@linkcode HistoryState.base}. */
  get base(): HistoryBase | null {
    return this.#state.base;
  }

  /** The thread, as far as its history tells; see {@linkcode HistoryState.threadId}. */
  get threadId(): string | null {
    return this.#state.threadId;
  }

  /** How a session file is told, if nobody knows; see {@linkcode HistoryState.unknownMode}. */
  get unknownMode(): string | null {
    return this.#state.unknownMode;
  }

  /**
   * Takes an outcome and emits the parts that it completes.
   *
   * @param outcome What has become of a line.
   * @param emit Is called with each part, in order.
   * @throws {TypeError} If it is no outcome.
   */
  feed(outcome: Outcome<unknown>, emit: Emit<TranscriptPart>): void {
    checkOutcome(outcome);
    this.#emit = emit;
    if (!outcome.ok) {
      const { line, error: { kind, message } } = outcome;
      return this.#sayFailed({ type: "failed_line", line, kind, message });
    }
    const { value } = outcome;
    const isText = typeof value === "string";
    const event = isText ? parseJson(value) : value;
    if (!isFields(event)) return;
    if (event.type === "line.failed") this.#sayFailed(failedLine(event));
    else this.#take(event, isText ? value : outcome.text);
  }

  /**
   * Ends the input and emits what was held back, as far as it got.
   *
   * @param emit Is called with each part, in order.
   */
  flush(emit: Emit<TranscriptPart>): void {
    this.#emit = emit;
    this.#entries.release();
    this.#endTurn(this.#unended);
    this.#saySession();
  }

  /** How a turn ended whose end nothing says. */
  get #unended(): TurnStatus {
    const isByEvent = this.#turn?.isByEvent === true;
    return isByEvent && !this.#isEndless ? "open" : "unknown";
  }

  #take(event: Fields, text: string | undefined): void {
    this.#timeOf(event);
    const fact = this.#ownFactOf(event);
    if (this.#lead.session.thread_id === null) {
      const thread_id = threadIdOf(event);
      if (thread_id !== undefined) this.#lead.learn({ thread_id });
    }
    if (fact !== undefined && fact.type !== "turn_end") {
      this.#takeFact(fact, event);
    }
    this.#entries.isWarning = isErrorItem(event);
    this.#entries.isFromUser = userItemOf(event) !== undefined;
    const end = fact?.type === "turn_end" ? fact : undefined;
    const mutations = this.#state.apply(event, text);
    this.#entries.printed = readExploredOutput(event, mutations, this.#state);
    this.#entries.saidMs = readSaidDuration(event, mutations);
    const prompt = mutations.find((mutation) =>
      mutation.type === "inserted" && this.#isOfUser(mutation.record)
    );
    for (const mutation of mutations) {
      if (mutation === prompt) this.#takePrompt();
      this.#change(mutation, end);
    }
    if (end !== undefined) this.#takeEnd(end);
    if (fact?.type === "rollback") this.#rollBack(fact.turns);
    if (mutations.length > 0 || isCount(fact)) this.#lastAt = this.#now;
  }

  #timeOf(event: Fields): void {
    // The header of the oldest files is the only line with a time: all would seem to be one.
    const own = timestampOf(event.timestamp);
    const isLent = event.type === "session_meta" || own === this.#lentTime;
    if (own !== undefined && !isLent) this.#now = own;
    this.#entries.now = this.#now;
  }

  #ownFactOf(event: Fields): BesideFact | undefined {
    const fact = readFact(event);
    if (!isInherited(event, this.#firstOrdinal)) return fact;
    // The thread's own counts go on from it.
    if (fact?.type === "token_count") this.#count(fact, event);
    return undefined;
  }

  #count(fact: TokenCountFact, { ordinal }: Fields): void {
    this.#usage.count(fact, { hasOrdinal: ordinal !== undefined });
  }

  #takeFact(fact: Exclude<BesideFact, TurnEndFact>, event: Fields): void {
    switch (fact.type) {
      case "session":
        if (fact.isRun) this.#startRun(fact);
        else if (event.type !== "session_meta") this.#lead.learn(fact.facts);
        else if (!this.#hasHeader) {
          this.#hasHeader = true;
          if (fact.isUntimed) this.#lentTime = timestampOf(event.timestamp);
          if (fact.isFork) this.#usage.fork();
          if (isFields(event.payload)) {
            this.#firstOrdinal = firstOrdinalOf(event.payload);
          }
          this.#lead.learn(fact.facts);
        } else if (isOfOther(fact, this.#lead.session)) this.#usage.fork();
        break;
      case "turn_start":
        if (fact.turnId !== null) this.#usage.nameTurns();
        this.#startTurn(fact.turnId, fact.startedAt);
        break;
      case "usage":
      case "token_count":
        if (fact.type === "usage") this.#usage.record(fact.usage);
        else this.#count(fact, event);
        this.#requests.note(this.#usage.usage, this.#now);
        break;
      case "rollback":
        break;
      default:
        fact satisfies never;
    }
  }

  /** A process begins: what was going on is over. */
  #startRun({ facts, isEndless = false }: SessionFact): void {
    this.#entries.release();
    this.#endTurn(this.#unended);
    this.#isEndless = isEndless;
    if (this.#hasHeader) {
      this.#saySession();
      this.#lead.restart();
    }
    this.#hasHeader = true;
    this.#usage.reset();
    this.#lead.learn(facts);
    // Nothing more will be said of it.
    this.#saySession();
  }

  #startTurn(turnId: string | null, startedAt: string | null): void {
    const turn = this.#turn;
    if (turn !== undefined && !turn.isByEvent && turn.isOnlyPrompt) {
      turn.isByEvent = true;
      turn.turnId ??= turnId;
      return;
    }
    this.#endTurn(this.#unended);
    this.#openTurn({ turnId, startedAt, isByEvent: true });
  }

  #openTurn(
    { turnId, startedAt, isByEvent }: Pick<
      OpenTurn,
      "turnId" | "startedAt" | "isByEvent"
    >,
  ): OpenTurn {
    this.#turns += 1;
    this.#lastAt = this.#now;
    this.#usage.start();
    this.#requests.start();
    const turn: OpenTurn = {
      number: this.#turns,
      turnId,
      startedAt: this.#now ?? startedAt,
      isByEvent,
      isOnlyPrompt: true,
      isSaid: false,
      errors: new Set(),
    };
    this.#turn = turn;
    this.#entries.turn = this.#turns;
    return turn;
  }

  #change(mutation: HistoryMutation, end: TurnEndFact | undefined): void {
    if (mutation.type === "truncated") return;
    if (mutation.type === "inserted") {
      const { record } = mutation;
      if (end !== undefined && saysEnd(record)) {
        // The end of the turn says it.
        this.#entries.pass(mutation.id);
        return;
      }
      if (
        this.#turn !== undefined && record.type !== "image" && !isPrompt(record)
      ) this.#turn.isOnlyPrompt = false;
      if (isErrorRecord(record)) this.#turn?.errors.add(textOfError(record));
    }
    this.#entries.change(mutation);
  }

  /** Whether a new record is of what a user says: the words, or an image in their place. */
  #isOfUser(record: AnyHistoryRecord): boolean {
    return isPrompt(record) ||
      (this.#entries.isFromUser && record.type === "image");
  }

  /** What a user says opens a turn, unless it is said within one. */
  #takePrompt(): void {
    if (this.#turn?.isByEvent === true) return;
    this.#endTurn("unknown");
    this.#openTurn({ turnId: null, startedAt: this.#now, isByEvent: false });
  }

  #takeEnd(end: TurnEndFact): void {
    if (this.#turn === undefined) {
      // Its beginning is missing: the log was cut.
      const { turnId } = end;
      const turn = this.#openTurn({ turnId, startedAt: null, isByEvent: true });
      turn.startedAt = null;
    }
    this.#endTurn(end.status, end);
  }

  #endTurn(status: TurnStatus, end?: TurnEndFact): void {
    this.#entries.endTurn();
    const turn = this.#turn;
    if (turn === undefined) return;
    this.#sayTurn();
    const { number, startedAt, errors } = turn;
    const error = end?.error ?? null;
    // What no event ends is over when nothing more happens, and not when the user goes on.
    const endedAt = end === undefined ? this.#lastAt : this.#now;
    this.#say({
      type: "turn_ended",
      turn: number,
      turn_id: turn.turnId ?? end?.turnId ?? null,
      status,
      endedAt,
      durationMs: end?.durationMs ?? msBetween(startedAt, endedAt),
      usage: end?.usage ?? this.#usage.usage,
      ...(this.#requests.requests.length === 0
        ? {}
        : { requests: this.#requests.requests }),
      error,
      isErrorShown: error !== null && errors.has(error.trim()),
    });
    this.#saySession();
    this.#turn = undefined;
    this.#entries.turn = null;
  }

  #rollBack(turns: number): void {
    this.#entries.release();
    this.#endTurn("unknown");
    this.#entries.takeBack(this.#state.nextId);
    this.#say({ type: "rolled_back", turns });
  }

  #sayFailed(part: FailedLinePart): void {
    // It stands where it was read: in the turn, if one has begun.
    this.#sayTurn();
    this.#say(part);
  }

  /** Says that the turn has begun, once something of it is said. */
  #sayTurn(): void {
    const turn = this.#turn;
    if (turn === undefined || turn.isSaid) return;
    turn.isSaid = true;
    const { model, cwd } = this.#lead.session;
    const part: TurnStartedPart = {
      type: "turn_started",
      turn: turn.number,
      turn_id: turn.turnId,
      startedAt: turn.startedAt,
      model,
      cwd,
    };
    this.#say(part);
  }

  #saySession(): void {
    this.#lead.release(this.#now);
  }

  #say(part: TranscriptPart): void {
    this.#lead.say(part, this.#now);
  }
}

/** Tells whether a header is that of another thread, copied with what follows it. */
function isOfOther(
  { facts }: SessionFact,
  { thread_id }: SessionPart,
): boolean {
  return (facts.thread_id ?? null) !== thread_id;
}

/** Tells whether an event counts tokens. */
function isCount(fact: BesideFact | undefined): boolean {
  return fact?.type === "usage" || fact?.type === "token_count";
}

/** {@linkcode TranscriptBuilder} as a stream. */
export class TranscriptStream
  extends StageStream<Outcome<unknown>, TranscriptPart> {
  /**
   * Constructs a new instance.
   *
   * @param options Whether it is for somebody who watches.
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
