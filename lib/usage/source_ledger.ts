/** What one file or stream adds to what was used, turn by turn. */

import { msOf, timestampOf } from "../events/times.ts";
import { ownText } from "../json/utf8.ts";
import type { UsageRule } from "./derivations.ts";
import type { Addition } from "./token_counter.ts";
import { addTokens, NO_TOKENS, type Tokens } from "./tokens.ts";

/** Every offset of a time zone that is in use is a multiple of this, in milliseconds. */
const QUARTER_HOUR = 900_000;

/** Tells days in one time zone. */
export class Calendar {
  readonly #format: Intl.DateTimeFormat | undefined;
  #quarter = NaN;
  #day = "";

  /**
   * Constructs a new instance.
   *
   * @param timeZone An IANA name, or `UTC`.
   * @throws {RangeError} If there is no such time zone.
   */
  constructor(timeZone: string) {
    // To load what tells of time zones takes as long as to start half of the command.
    if (timeZone === "UTC") return;
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
    const isUtc = format.resolvedOptions().timeZone === "UTC";
    this.#format = isUtc ? undefined : format;
  }

  /**
   * Tells the day.
   *
   * @param ms Milliseconds since 1970.
   * @returns `YYYY-MM-DD`.
   */
  dayOf(ms: number): string {
    const quarter = Math.floor(ms / QUARTER_HOUR);
    if (quarter === this.#quarter) return this.#day;
    this.#quarter = quarter;
    if (this.#format === undefined) {
      return this.#day = new Date(ms).toISOString().slice(0, 10);
    }
    const parts = new Map(
      this.#format.formatToParts(ms).map(({ type, value }) => [type, value]),
    );
    const year = (parts.get("year") ?? "").padStart(4, "0");
    return this.#day = `${year}-${parts.get("month")}-${parts.get("day")}`;
  }
}

export interface CountPlace {
  readonly line: number;
  /** The id of the thread, as far as it is known. */
  readonly thread: string | null;
  /** The id of the turn, as far as it is known. */
  readonly turn: string | null;
  /** The model, as far as it is known. */
  readonly model: string | null;
  /** The working directory, as far as it is known. */
  readonly cwd: string | null;
  /** When it was, as RFC 3339. */
  readonly timestamp: string | undefined;
  /** When the review began that it belongs to, if another thread did it. */
  readonly reviewed?: number | undefined;
}

/** What a turn used on one day, of one model, in one directory. */
export interface Slice {
  readonly day: string | null;
  readonly model: string | null;
  readonly cwd: string | null;
  tokens: Tokens;
}

export interface TurnEntry {
  /** Its parts; there is one unless the turn went over midnight or changed its settings. */
  slices: readonly Slice[];
  /** Of a turn of an exec stream: what its end said. */
  run: RunEntry | undefined;
  /** When it began, if it is a review that another thread did, in milliseconds since 1970. */
  reviewed: number | undefined;
}

/** The usage that the end of a turn of an exec stream says. */
export interface RunEntry {
  readonly place: CountPlace;
  /** What it says. */
  readonly usage: Tokens;
}

/** What a thread used, as far as one file or stream says. */
export interface ThreadEntry {
  /** The turns, by their ids. */
  readonly turns: Map<string | null, TurnEntry>;
  /** The thread that spawned it. */
  parent: string | null;
  /** Whether it is the session file of the thread that says so. */
  isFile: boolean;
  /** When it began, if it reviews for another thread, in milliseconds since 1970. */
  reviews: number | undefined;
}

/** What became of a line; the end of an exec turn is settled when all have been read. */
export interface Step {
  readonly line: number;
  readonly thread: string | null;
  readonly turn: string | null;
  readonly rule: UsageRule;
  /** What was counted. */
  readonly tokens?: Tokens;
  /** What is settled later. */
  readonly run: RunEntry | undefined;
}

export interface LedgerOptions {
  /** Tells days. */
  readonly calendar: Calendar;
  /** When what is counted begins, in milliseconds since 1970. */
  readonly since: number;
  /** When it ends; what was at that time is not counted. */
  readonly until: number;
  /** Whether each step is kept. */
  readonly explain: boolean;
}

/** Takes what the events of one file or stream count. */
export interface CountTaker {
  /** Gives what is known of a thread, to be added to. */
  thread(id: string | null): Omit<ThreadEntry, "turns">;
  /** Takes in what a line adds. */
  add(place: CountPlace, addition: Addition): void;
  /** Takes in what the end of a turn of an exec stream says. */
  run(place: CountPlace, usage: Tokens): void;
}

/** What one file or stream adds: data that can be copied. */
export interface Ledger {
  /** The name of the file or stream. */
  readonly name: string;
  /** The threads, by their ids. */
  readonly threads: ReadonlyMap<string | null, ThreadEntry>;
  /** What became of each line, if that is kept. */
  readonly steps: readonly Step[];
  /** How often something was left out because nothing says when it was. */
  readonly untimed: number;
}

/** Keeps what one file or stream adds. */
export class SourceLedger implements CountTaker, Ledger {
  readonly name: string;
  readonly threads: Map<string | null, ThreadEntry> = new Map();
  readonly steps: Step[] = [];
  untimed = 0;
  readonly #options: LedgerOptions;
  readonly #isTimed: boolean;

  constructor(name: string, options: LedgerOptions) {
    this.name = name;
    this.#options = options;
    this.#isTimed = options.since > -Infinity || options.until < Infinity;
  }

  thread(id: string | null): ThreadEntry {
    let thread = this.threads.get(id);
    if (thread === undefined) {
      thread = {
        turns: new Map(),
        parent: null,
        isFile: false,
        reviews: undefined,
      };
      this.threads.set(id, thread);
    }
    return thread;
  }

  add(place: CountPlace, { rule, tokens }: Addition): void {
    if (tokens === undefined) return this.#step(place, rule);
    const ms = timeOf(place.timestamp);
    const reason = this.#outside(ms);
    if (reason !== undefined) return this.#step(place, reason);
    const day = ms === undefined ? null : this.#options.calendar.dayOf(ms);
    const { model, cwd } = place;
    const entry = this.#turn(place);
    entry.reviewed = place.reviewed;
    const slice = entry.slices.find((slice) =>
      slice.day === day && slice.model === model && slice.cwd === cwd
    );
    // A list that grows takes room for sixteen more, and there may be many turns.
    if (slice === undefined) {
      entry.slices = entry.slices.concat({ day, model, cwd, tokens });
    } else slice.tokens = addTokens(slice.tokens, tokens);
    this.#step(place, rule, tokens);
  }

  run(place: CountPlace, usage: Tokens): void {
    const reason = this.#outside(timeOf(place.timestamp));
    if (reason !== undefined) return this.#step(place, reason);
    const run = { place, usage };
    this.#turn(place).run = run;
    this.#step(place, "turn", undefined, run);
  }

  #turn({ thread, turn }: CountPlace): TurnEntry {
    const { turns } = this.thread(thread);
    let entry = turns.get(turn);
    if (entry === undefined) {
      entry = { slices: [], run: undefined, reviewed: undefined };
      // A session may have many turns, and a megabyte each.
      turns.set(turn === null ? null : ownText(turn), entry);
    }
    return entry;
  }

  /** Why something of that time is not counted, if it is not. */
  #outside(ms: number | undefined): "outside" | "untimed" | undefined {
    if (!this.#isTimed) return undefined;
    if (ms === undefined) {
      this.untimed += 1;
      return "untimed";
    }
    const { since, until } = this.#options;
    return ms >= since && ms < until ? undefined : "outside";
  }

  #step(
    { line, thread, turn }: CountPlace,
    rule: UsageRule,
    tokens?: Tokens,
    run?: RunEntry,
  ): void {
    if (!this.#options.explain) return;
    const counted = tokens === undefined ? {} : { tokens };
    this.steps.push({ line, thread, turn, rule, run, ...counted });
  }
}

/** Adds up the parts of a turn. */
export function tokensOfTurn({ slices }: TurnEntry): Tokens {
  return slices.reduce(
    (sum, { tokens }) => addTokens(sum, tokens),
    NO_TOKENS,
  );
}

/** Reads a time: milliseconds since 1970, or `undefined` if it is none. */
export function timeOf(timestamp: unknown): number | undefined {
  const text = timestampOf(timestamp);
  return text === undefined ? undefined : msOf(text);
}
