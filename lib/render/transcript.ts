/**
 * Transcripts: what people read of a session, in order.
 *
 * @module
 */

import { checkOutcome } from "../checked.ts";
import { printedText } from "../events/contents.ts";
import { EventReader, type SessionOptions } from "../events/event_reader.ts";
import { isForkHeader } from "../events/inherited_lines.ts";
import { linesWithout } from "../events/line_selection.ts";
import { timestampOf } from "../events/times.ts";
import { handedImages, imageUrlsOf } from "../events/user_message.ts";
import {
  type HistoryBase,
  HistoryState,
  makesNoRecord,
} from "../history/history_state.ts";
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
import {
  type CountContext,
  readTokenCount,
  TokenCounter,
} from "../usage/token_counter.ts";
import { addTokens, NO_TOKENS, type Tokens } from "../usage/tokens.ts";
import { EntryLog, msBetween } from "./_entry_log.ts";
import { joinedByTwo } from "./_neighbours.ts";
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

/** The types of lines that need not be read for a transcript. */
export const LINES_NOT_SHOWN: readonly string[] = linesWithout([
  "injected_context",
  "thread_settings_applied",
]);

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
  /**
   * Carry the images that the input holds, up to 4 MiB each, as text. Redactors do not look into
   * them.
   *
   * @default {false}
   */
  readonly images?: boolean | undefined;
}

/** How long the URL of an image is at most that is carried. */
const MAX_IMAGE_LENGTH = 4 * 1024 * 1024;

/** How much output of commands is held, in bytes: of all together, and of one that was cut. */
const OUTPUT_LIMITS = {
  totalBytes: 64 * 1024 * 1024,
  prunedStreamBytes: 512 * 1024,
};
/** How many turns are remembered by their ids: what began in one may end in another. */
const MAX_TURNS = 1024;

type TurnEnd = Pick<
  TurnEndedPart,
  "turn_id" | "status" | "usage" | "durationMs" | "error"
>;

interface OpenTurn {
  readonly number: number;
  turnId: string | null;
  startedAt: string | null;
  /** Whether an event opened it, and not only what the user said. */
  isByEvent: boolean;
  isOnlyPrompt: boolean;
  /** Whether its beginning has been said. */
  isSaid: boolean;
  /** The errors that its entries show. */
  readonly errors: Set<string>;
}

/**
 * Takes part in the events of a transcript, so that who judges them need not read them again.
 *
 * @param reader Who has read it.
 * @param take Has the transcript take it, and emits the parts that it completes. It must be called.
 */
interface EventTap {
  (event: Fields, reader: EventReader, take: () => void): void;
}

/**
 * Makes a transcript of a session: parts to be written one after the other.
 *
 * It takes outcomes of {@linkcode JsonlDecoder} or {@linkcode Normalizer}, of exec streams and of
 * session files alike: the values, or their JSON text. What a reader of the session sees comes
 * from its history ({@linkcode HistoryState}); where turns begin and end, ids, the model and
 * tokens come from the same events. Failures become parts in their place, also those that
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
  #reader = new EventReader();
  readonly #state = new HistoryState({ limits: OUTPUT_LIMITS });
  readonly #entries: EntryLog;
  #usage = new TurnUsageCounter();
  #requests = new RequestLog();
  readonly #lead = new SessionLead((part) => this.#emit(part));
  readonly #hasImages: boolean;
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
  /** Whether the file tells its history in items. */
  #isPaginated = false;
  /** Whether what the thread inherited is left out. */
  #skipsInherited = false;
  /** The numbers of turns that have ids. */
  readonly #numbers = new Map<string, number>();
  #emit: Emit<TranscriptPart> = () => {};
  #tap: EventTap | undefined;

  /**
   * Constructs a new instance.
   *
   * @param options Whether it is for a person who watches.
   */
  constructor(options: TranscriptOptions = {}) {
    this.#hasImages = options.images ?? false;
    this.#turns = (options.firstTurn ?? 1) - 1;
    this.#entries = new EntryLog({
      isLive: options.live ?? false,
      give: (part) => {
        this.#sayTurn();
        this.#lead.say(part);
        // The model stands behind the first prompt in some releases.
        const isKnown = this.#lead.session.model !== null;
        if (isKnown || !isPrompt(part.record)) this.#lead.release();
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

  /** How a session file is told, if its header does not say; see {@linkcode HistoryState.unknownMode}. */
  get unknownMode(): string | null {
    return this.#state.unknownMode;
  }

  /** @ignore Has something take part in the events; of each, before the next one is read. */
  tapEvents(tap: EventTap, options: Pick<SessionOptions, "isSelection">): void {
    this.#reader = new EventReader(undefined, options);
    this.#tap = tap;
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
      return this.#sayFailed({ type: "failure", line, kind, message });
    }
    const { value, line, offset } = outcome;
    const isText = typeof value === "string";
    const record = isText ? parseJson(value) : value;
    if (!isObject(record)) return;
    if (record.type === "line.failed") {
      return this.#sayFailed(failedLine(record));
    }
    const text = isText ? value : outcome.text;
    this.#reader.read(record, { line, offset, text }, this.#tapped);
    if (this.#entries.awaitsImage) {
      for (const url of handedImages(record)) {
        this.#entries.attach(this.#carried(url));
      }
    }
  }

  /** Gives the URL of an image, if that is carried. */
  #carried(url: string): string {
    return this.#hasImages && url.length <= MAX_IMAGE_LENGTH ? url : "";
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
    this.#lead.release();
  }

  /** How a turn ended whose end nothing says. */
  get #unended(): TurnStatus {
    const isByEvent = this.#turn?.isByEvent === true;
    return isByEvent && !this.#isEndless ? "open" : "unknown";
  }

  readonly #tapped = (event: Fields, text?: string): void => {
    const tap = this.#tap;
    if (tap === undefined) return this.#take(event, text);
    tap(event, this.#reader, () => this.#take(event, text));
  };

  readonly #take = (event: Fields, text?: string): void => {
    this.#timeOf(event);
    if (this.#lead.session.thread_id === null) {
      const thread_id = realId(event.thread_id);
      if (thread_id !== undefined) this.#lead.learn({ thread_id });
    }
    if (event.inherited === true) this.#usage.isFork = true;
    // Only the counts of what is left out are heard: the thread's own go on from them.
    const isLeftOut = event.inherited === true && this.#skipsInherited;
    const end = isLeftOut ? undefined : this.#endOf(event);
    const isCount = this.#takeItem(event, { isLeftOut });
    if (isLeftOut) return;
    if (this.#reader.isSession && makesNoRecord(event)) {
      if (isCount) this.#lastAt = this.#now;
      return;
    }
    if (event.type === "thread.started") this.#startThread(event);
    if (event.type === "turn.started") this.#startTurn(event);
    const mutations = this.#state.applyEvent(event, text);
    if (mutations.length > 0) this.#tellEntries(event, mutations);
    const prompt = mutations.find((mutation) =>
      mutation.type === "inserted" && this.#isOfUser(mutation.record)
    );
    for (const mutation of mutations) {
      if (mutation === prompt) this.#takePrompt();
      this.#change(mutation, end);
    }
    if (end !== undefined) this.#takeEnd(end);
    if (event.item_type === "thread_rolled_back") {
      this.#rollBack(wholeOf(fieldsOf(event.content).num_turns) ?? 0);
    }
    if (event.type !== "item.started") {
      this.#entries.answer(idOf(event.call_id) ?? "");
    }
    if (mutations.length > 0 || isCount) this.#lastAt = this.#now;
  };

  #timeOf(event: Fields): void {
    // The header of the oldest files is the only line with a time: all would seem to be one.
    const own = timestampOf(event.timestamp);
    const isLent = isHeader(event) || own === this.#lentTime;
    if (own !== undefined && !isLent) this.#now = own;
    this.#entries.now = this.#now;
    this.#lead.now = this.#now;
  }

  /** Tells the entries what the event says besides its record. */
  #tellEntries(event: Fields, mutations: readonly HistoryMutation[]): void {
    const entries = this.#entries;
    const content = fieldsOf(event.content);
    const isCommand = event.type === "item.completed" &&
      event.item_type === "command_execution";
    entries.isWarning = isErrorItem(event);
    entries.askedBy = event.type === "item.started"
      ? idOf(event.call_id)
      : undefined;
    entries.isFromUser = event.item_type === "user_message";
    entries.ofTurn = this.#numbers.get(idOf(event.turn_id) ?? "");
    entries.saidMs = isCommand ? wholeOf(content.duration_ms) : undefined;
    entries.printed = undefined;
    const urls = event.type === "item.completed" ? imageUrlsOf(event) : [];
    entries.images = urls.map((url) => this.#carried(url));
    if (!isCommand || !mutations.some(changesExplore)) return;
    const callId = textOf(event.call_id) ?? textOf(event.item_id) ?? "";
    const place = this.#state.placeOfExplored(callId);
    if (place !== undefined) {
      entries.printed = { ...place, text: printedText(content) };
    }
  }

  /** Takes in what an item says of the session, and whether it counts tokens. */
  #takeItem(
    event: Fields,
    { isLeftOut }: { readonly isLeftOut: boolean },
  ): boolean {
    if (event.type !== "item.completed") return false;
    const content = fieldsOf(event.content);
    switch (event.item_type) {
      case "turn_context": {
        const { cwd, model } = content;
        if (!isLeftOut) {
          this.#lead.learn({ cwd: idOf(cwd), model: idOf(model) });
        }
        return false;
      }
      case "token_usage_record": {
        const usage = readTurnUsage(content.turn_token_usage);
        if (usage === undefined || isLeftOut) return false;
        this.#usage.record(usage);
        break;
      }
      case "token_count":
        this.#usage.count(content, { hasOrdinal: this.#isPaginated });
        if (isLeftOut) return false;
        break;
      default:
        return false;
    }
    this.#requests.note(this.#usage.usage, this.#now);
    return true;
  }

  /** Reads how the turn ends that an event ends. */
  #endOf(event: Fields): TurnEnd | undefined {
    const { type, reason } = event;
    if (type !== "turn.completed" && type !== "turn.failed") return undefined;
    const isAborted = typeof reason === "string";
    const message = isAborted ? reason : fieldsOf(event.error).message;
    return {
      turn_id: realId(event.turn_id) ?? null,
      status: isAborted
        ? "aborted"
        : type === "turn.failed"
        ? "failed"
        : "completed",
      // What a file says there is what the whole thread has used.
      usage: this.#reader.isSession ? null : readTurnUsage(event.usage) ?? null,
      durationMs: wholeOf(event.duration_ms) ?? null,
      error: idOf(message) ?? null,
    };
  }

  /** A session file begins, or a process. */
  #startThread(event: Fields): void {
    const facts: SessionFacts = {
      thread_id: realId(event.thread_id),
      startedAt: timestampOf(event.started_at) ?? timestampOf(event.timestamp),
      cwd: idOf(event.cwd) ?? idOf(event.workdir),
      model: idOf(event.model),
      cli_version: idOf(event.cli_version),
      agent: idOf(event.agent_path) ?? idOf(event.agent_nickname),
    };
    if (!isHeader(event)) return this.#startRun(event, facts);
    this.#hasHeader = true;
    this.#isPaginated = event.history_mode === "paginated";
    // What a file goes on from may have been read before it, and is shown.
    this.#skipsInherited = event.subagent_history_start_ordinal !== undefined;
    const isUntimed = !HEADER_NAMES.some((name) => event[name] !== undefined);
    if (isUntimed) this.#lentTime = timestampOf(event.timestamp);
    if (isForkHeader(event)) this.#usage.isFork = true;
    this.#lead.learn(facts);
  }

  /** A process begins: what was going on is over. */
  #startRun(event: Fields, facts: SessionFacts): void {
    this.#entries.release();
    this.#endTurn(this.#unended);
    // Releases up to 0.42 name no thread, and do not say how turns end.
    this.#isEndless = realId(event.thread_id) === undefined;
    this.#isPaginated = false;
    this.#skipsInherited = false;
    if (this.#hasHeader) {
      this.#lead.release();
      this.#lead.restart();
    }
    this.#hasHeader = true;
    // Its count is another one.
    this.#usage = new TurnUsageCounter();
    this.#lead.learn(facts);
    // Nothing more will be said of it.
    this.#lead.release();
  }

  #startTurn(event: Fields): void {
    // What only the prompt has begun is a turn already.
    if (event.implied === true) return;
    const turnId = realId(event.turn_id) ?? null;
    const startedAt = timestampOf(event.started_at) ?? null;
    if (turnId !== null && this.#reader.isSession) {
      this.#usage.hasTurnIds = true;
    }
    const turn = this.#turn;
    if (turn !== undefined && !turn.isByEvent && turn.isOnlyPrompt) {
      turn.isByEvent = true;
      turn.turnId ??= turnId;
      this.#number(turn);
      return;
    }
    this.#endTurn(this.#unended);
    this.#openTurn({ turnId, startedAt, isByEvent: true });
  }

  #openTurn(
    known: Pick<OpenTurn, "turnId" | "startedAt" | "isByEvent">,
  ): OpenTurn {
    this.#turns += 1;
    this.#lastAt = this.#now;
    this.#usage.start();
    this.#requests = new RequestLog();
    const turn: OpenTurn = {
      ...known,
      number: this.#turns,
      startedAt: this.#now ?? known.startedAt,
      isOnlyPrompt: true,
      isSaid: false,
      errors: new Set(),
    };
    this.#turn = turn;
    this.#number(turn);
    this.#entries.turn = this.#turns;
    return turn;
  }

  #number({ turnId, number }: OpenTurn): void {
    if (turnId === null) return;
    this.#numbers.set(turnId, number);
    if (this.#numbers.size <= MAX_TURNS) return;
    const [oldest = ""] = this.#numbers.keys();
    this.#numbers.delete(oldest);
  }

  #change(mutation: HistoryMutation, end: TurnEnd | undefined): void {
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

  #takeEnd(end: TurnEnd): void {
    if (this.#turn === undefined) {
      // Its beginning is missing: the log was cut.
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
    this.#sayTurn();
    const { number, startedAt, errors } = turn;
    const { requests } = this.#requests;
    const error = end?.error ?? null;
    // What no event ends is over when nothing more happens, and not when the user goes on.
    const endedAt = end === undefined ? this.#lastAt : this.#now;
    this.#lead.say({
      type: "turn_ended",
      turn: number,
      turn_id: turn.turnId ?? end?.turn_id ?? null,
      status,
      endedAt,
      durationMs: end?.durationMs ?? msBetween(startedAt, endedAt),
      usage: end?.usage ?? this.#usage.usage,
      ...(requests.length === 0 ? {} : { requests }),
      error,
      isErrorShown: error !== null && errors.has(error.trim()),
    });
    this.#lead.release();
    this.#turn = undefined;
    this.#entries.turn = null;
  }

  #rollBack(turns: number): void {
    this.#entries.release();
    this.#endTurn("unknown");
    this.#entries.takeBack(this.#state.nextId);
    this.#lead.say({ type: "rolled_back", turns });
  }

  #sayFailed(part: FailurePart): void {
    // It stands where it was read: in the turn, if one has begun.
    this.#sayTurn();
    this.#lead.say(part);
  }

  /** Says that the turn has begun, once something of it is said. */
  #sayTurn(): void {
    const turn = this.#turn;
    if (turn === undefined || turn.isSaid) return;
    turn.isSaid = true;
    const { model, cwd } = this.#lead.session;
    this.#lead.say({
      type: "turn_started",
      turn: turn.number,
      turn_id: turn.turnId,
      startedAt: turn.startedAt,
      model,
      cwd,
    });
  }
}

/** What headers have of which one is in each since lines have times of their own. */
const HEADER_NAMES = ["cwd", "originator", "cli_version"];

/** Tells whether an event is the header of a session file. */
function isHeader({ type, started_at }: Fields): boolean {
  return type === "thread.started" && started_at !== undefined;
}

/** The ids that are made up, because a release wrote none. */
const MADE_UP_REGEXP = /^synthetic-(?:thread|turn)-\d+$/;

function realId(value: unknown): string | undefined {
  const id = idOf(value);
  return id === undefined || MADE_UP_REGEXP.test(id) ? undefined : id;
}

function changesExplore(mutation: HistoryMutation): boolean {
  return mutation.type === "replaced" && mutation.record.type === "explore";
}

/** {@linkcode TranscriptBuilder} as a stream. */
export class TranscriptStream
  extends StageStream<Outcome<unknown>, TranscriptPart> {
  /**
   * Constructs a new instance.
   *
   * @param options Whether it is for a person who watches.
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

/** Reads a failure that was left in band. */
function failedLine({ line, error }: Fields): FailurePart {
  const { kind, message } = fieldsOf(error);
  return {
    type: "failure",
    line: numberOf(line) ?? 0,
    kind: textOf(kind) ?? "",
    message: textOf(message) ?? "",
  };
}

/** Tells whether an event is an item of an exec stream that is an error, or rather a warning. */
function isErrorItem({ type, item_type, content }: Fields): boolean {
  return type === "item.completed" && item_type === "error" &&
    fieldsOf(content).severity === undefined;
}

function isErrorRecord(record: AnyHistoryRecord): boolean {
  return record.type === "plain_message" && "kind" in record.payload &&
    record.payload.kind === "error";
}

/** Tells whether a record that came with the end of a turn says nothing but that. */
function saysEnd(record: AnyHistoryRecord): boolean {
  return isErrorRecord(record) || (record.type === "background_event" &&
    "title" in record.payload && record.payload.title === "Turn aborted");
}

function textOfError(record: AnyHistoryRecord): string {
  const { lines } = fieldsOf(record.payload);
  return Array.isArray(lines) ? linesText(lines).trim() : "";
}

/** What is known of a session, as far as an event says it. */
type SessionFacts = {
  readonly [Name in Exclude<keyof SessionPart, "type">]?:
    | NonNullable<SessionPart[Name]>
    | undefined;
};

/** How many parts may wait for the beginning of a session file to say what the session is. */
const MAX_HELD = 256;

export const NO_SESSION: SessionPart = {
  type: "session",
  thread_id: null,
  startedAt: null,
  cwd: null,
  model: null,
  cli_version: null,
};

/** Holds parts back until it is known what the session is, which is said before them. */
class SessionLead {
  /** What is known of it. */
  session = NO_SESSION;
  /** The time, which is the session's beginning if nothing says that. */
  now: string | null = null;
  readonly #emit: Emit<TranscriptPart>;
  /** What waits for the session to be known; `undefined` once it has been said. */
  #held: TranscriptPart[] | undefined = [];

  constructor(emit: Emit<TranscriptPart>) {
    this.#emit = emit;
  }

  learn(facts: SessionFacts): void {
    for (const [name, fact] of Object.entries(facts)) {
      const isNews = fact !== undefined &&
        fact !== Reflect.get(this.session, name);
      if (isNews) this.session = { ...this.session, [name]: fact };
    }
  }

  /** Begins with another session, of which nothing is known. */
  restart(): void {
    this.#held = [];
    this.session = NO_SESSION;
  }

  /** Gives a part behind the session. */
  say(part: TranscriptPart): void {
    if (this.#held === undefined) return this.#emit(part);
    this.#held.push(part);
    if (this.#held.length > MAX_HELD) this.release();
  }

  /** Says what the session is, as far as that is known, and what was held back. */
  release(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    const { startedAt, model, cwd } = this.session;
    this.#emit({ ...this.session, startedAt: startedAt ?? this.now });
    for (const part of held) {
      const isTurn = part.type === "turn_started";
      this.#emit(
        isTurn
          ? { ...part, model: part.model ?? model, cwd: part.cwd ?? cwd }
          : part,
      );
    }
  }
}

/** Counts the tokens of the turn that is going on. */
class TurnUsageCounter {
  /** Whether the thread began with what another one used. */
  isFork = false;
  /** Whether turns have ids of their own. */
  hasTurnIds = false;
  readonly #counter = new TokenCounter();
  #turns = 0;
  /** The usage that a record states for the turn. */
  #recorded: TurnUsage | null = null;
  /** The tokens that were counted for the turn. */
  #counted: Tokens | undefined;
  #hasCached = false;
  #hasReasoning = false;

  start(): void {
    this.#turns += 1;
    this.#recorded = null;
    this.#counted = undefined;
  }

  /** Takes in what a record says that the turn has used so far. */
  record(usage: TurnUsage): void {
    this.#recorded = usage;
    this.#counter.recorded();
  }

  /**
   * Takes in a count; what it adds is told by the rules that count usage anywhere.
   *
   * @param context Whether the lines of the file have numbers of their own.
   */
  count(
    content: Fields,
    { hasOrdinal }: Pick<CountContext, "hasOrdinal">,
  ): void {
    const { last_token_usage, total_token_usage } = fieldsOf(content.info);
    const has = (kind: keyof Tokens) =>
      [last_token_usage, total_token_usage].some((counts) =>
        isCount(fieldsOf(counts)[kind])
      );
    const { tokens } = this.#counter.count(readTokenCount(content), {
      turn: this.#turns,
      isFork: this.isFork,
      hasTurnIds: this.hasTurnIds,
      hasOrdinal,
    });
    this.#hasCached ||= has("cached_input_tokens");
    this.#hasReasoning ||= has("reasoning_output_tokens");
    if (tokens === undefined) return;
    this.#counted = addTokens(this.#counted ?? NO_TOKENS, tokens);
  }

  /** What the turn has used so far; `null` if nothing said so. */
  get usage(): TurnUsage | null {
    if (this.#recorded !== null) return this.#recorded;
    const counted = this.#counted;
    if (counted === undefined) return null;
    return {
      input_tokens: Number(counted.input_tokens),
      cached_input_tokens: this.#hasCached
        ? Number(counted.cached_input_tokens)
        : null,
      output_tokens: Number(counted.output_tokens),
      reasoning_output_tokens: this.#hasReasoning
        ? Number(counted.reasoning_output_tokens)
        : null,
    };
  }
}

/** Tells whether something is a count; large ones are exact. */
function isCount(value: unknown): boolean {
  return typeof value === "bigint" || numberOf(value) !== undefined;
}

function readTurnUsage(value: unknown): TurnUsage | undefined {
  const fields = fieldsOf(value);
  const count = (name: string): number | undefined =>
    isCount(fields[name]) ? Number(fields[name]) : undefined;
  const input = count("input_tokens");
  const output = count("output_tokens");
  if (input === undefined && output === undefined) return undefined;
  return {
    input_tokens: input ?? 0,
    cached_input_tokens: count("cached_input_tokens") ?? null,
    output_tokens: output ?? 0,
    reasoning_output_tokens: count("reasoning_output_tokens") ?? null,
  };
}

/** How many requests of a turn are kept apart; of more, neighbours become one. */
const MAX_REQUESTS = 240;

/** Takes note of how the tokens of a turn grow. */
class RequestLog {
  requests: RequestUsage[] = [];
  #input = 0;
  #output = 0;

  /**
   * Takes in what the turn has used so far: what is new is a request.
   *
   * @param usage What it has used so far; `null` if that is not known.
   * @param at When that was said, if it is known.
   */
  note(usage: TurnUsage | null, at: string | null): void {
    if (usage === null) return;
    const request: RequestUsage = {
      at,
      input_tokens: usage.input_tokens - this.#input,
      output_tokens: usage.output_tokens - this.#output,
    };
    this.#input = usage.input_tokens;
    this.#output = usage.output_tokens;
    // A count that is repeated is no request, and one that begins anew tells of none.
    if (request.input_tokens < 0 || request.output_tokens < 0) return;
    if (request.input_tokens + request.output_tokens === 0) return;
    if (this.requests.length >= MAX_REQUESTS) {
      this.requests = joinedByTwo(this.requests, (a, b) => ({
        at: b.at,
        input_tokens: a.input_tokens + b.input_tokens,
        output_tokens: a.output_tokens + b.output_tokens,
      }));
    }
    this.requests.push(request);
  }
}
