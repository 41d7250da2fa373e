/** The ledger of one file or stream: the tokens it adds, by thread, turn and day. */

import { timeOf } from "../events/times.ts";
import { ownText } from "../json/utf8.ts";
import type { UsageRule } from "./derivations.ts";
import type { Addition } from "./token_counter.ts";
import { addTokens, type Tokens, type UsageRow } from "./tokens.ts";

/** 15 minutes in milliseconds: the offsets of all time zones in use are multiples of it. */
const QUARTER_HOUR = 900_000;

/** Converts times to days in one time zone. */
export class Calendar {
  readonly #format: Intl.DateTimeFormat | undefined;
  #quarter = NaN;
  #day = "";

  /** @throws {RangeError} If the time zone is neither an IANA name nor `UTC`. */
  constructor(timeZone: string) {
    // Loading the time zone data of `Intl` takes as long as starting half of the command.
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

  /** Returns the day of a time, `YYYY-MM-DD`. */
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

/** The line of a count, and the thread, turn, model and directory it belongs to. */
export interface CountPlace {
  /** The number of the line, from 1. */
  readonly line: number;
  readonly thread: string | null;
  readonly turn: string | null;
  readonly model: string | null;
  readonly cwd: string | null;
  /** The time of the line, as RFC 3339. */
  readonly timestamp: string | undefined;
  /** When the count's review began, in milliseconds since 1970, if another thread did it. */
  readonly reviewed?: number | undefined;
}

/** The tokens of a turn on one day, with one model, in one directory. */
export interface Slice extends Pick<UsageRow, "day" | "model" | "cwd"> {
  tokens: Tokens;
}

export interface TurnEntry {
  /** Its parts; there is one unless the turn went over midnight or changed its settings. */
  slices: Slice[];
  /** The usage at its end, if it is a turn of an exec stream. */
  run: RunEntry | undefined;
  /** When it began, if it is a review that another thread did, in milliseconds since 1970. */
  reviewed: number | undefined;
}

/** The usage at the end of a turn of an exec stream. */
export interface RunEntry {
  readonly place: CountPlace;
  readonly usage: Tokens;
}

/** The tokens of a thread in one file or stream. */
export interface ThreadEntry {
  readonly turns: Map<string | null, TurnEntry>;
  /** The id of the thread that spawned it. */
  parent: string | null;
  /** Whether the source is the session file of the thread. */
  isFile: boolean;
  /** When it began, if it reviews for another thread, in milliseconds since 1970. */
  reviews: number | undefined;
}

/** A line with counts and its rule; the end of an exec turn is settled after all input. */
export interface Step extends Pick<CountPlace, "line" | "thread" | "turn"> {
  readonly rule: UsageRule;
  readonly tokens: Tokens | undefined;
  /** The end of an exec turn, which is settled later. */
  readonly run: RunEntry | undefined;
}

export interface LedgerOptions {
  readonly calendar: Calendar;
  /** The first time that is counted, in milliseconds since 1970. */
  readonly since: number;
  /** The end of the time that is counted, exclusive, in milliseconds since 1970. */
  readonly until: number;
  /** Whether each step is kept. */
  readonly explain: boolean;
}

/** Receives the counts in the events of one file or stream. */
export interface CountTaker {
  /** Returns the entry of a thread, for the caller to set its members. */
  thread(id: string | null): Omit<ThreadEntry, "turns">;
  add(place: CountPlace, addition: Addition): void;
  /** Adds the usage at the end of a turn of an exec stream. */
  run(place: CountPlace, usage: Tokens): void;
}

/** The counts of one file or stream, as data that can be copied. */
export interface Ledger {
  readonly name: string;
  readonly threads: ReadonlyMap<string | null, ThreadEntry>;
  /** The lines with counts and their rules; empty without the option `explain`. */
  readonly steps: readonly Step[];
  /** How many counts were left out because their lines have no time. */
  readonly untimed: number;
}

export class SourceLedger implements CountTaker, Ledger {
  readonly name: string;
  readonly threads: Map<string | null, ThreadEntry> = new Map();
  readonly steps: Step[] = [];
  untimed = 0;
  readonly #options: LedgerOptions;
  readonly #isTimed: boolean;
  /** The slices after the first one of each turn, by turn, day, model and directory. */
  readonly #further = new Map<string, Slice>();

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
    const [first] = entry.slices;
    const isFirst = first?.day === day && first.model === model &&
      first.cwd === cwd;
    const key = first === undefined || isFirst
      ? undefined
      : JSON.stringify([place.thread, place.turn, day, model, cwd]);
    const slice = key === undefined ? first : this.#further.get(key);
    if (slice === undefined) {
      const added = { day, model, cwd, tokens };
      // `push` would make room for sixteen more slices, and there may be many turns.
      if (key === undefined) entry.slices = [added];
      else {
        entry.slices.push(added);
        this.#further.set(key, added);
      }
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
      // A copy: a part of a line's text would keep the whole line, which may be a megabyte.
      turns.set(turn === null ? null : ownText(turn), entry);
    }
    return entry;
  }

  /** Returns the rule by which a count of that time is left out, if it is. */
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
    this.steps.push({ line, thread, turn, rule, tokens, run });
  }
}
