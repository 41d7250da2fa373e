/**
 * What several files and streams say together.
 */

import type { UsageDerivation, UsageRule } from "./derivations.ts";
import {
  type RunEntry,
  type SourceLedger,
  type Step,
  type ThreadEntry,
  tokensOfTurn,
  type TurnEntry,
} from "./_source_ledger.ts";
import type { Addition } from "./token_counter.ts";
import { growth, NO_TOKENS } from "./tokens.ts";
import type { RunCounters } from "./usage_names.ts";

/** How far apart a review and the thread that does it can begin, in milliseconds. */
const REVIEW_START = 5000;

/** Tells what can only be told when all files and streams have been read. */
export class Settlement {
  /** Which session file counts for a turn. */
  readonly #files = new Map<string | null, Map<string | null, SourceLedger>>();
  readonly #runs = new Map<RunEntry, Addition>();
  /** When threads began that review for others. */
  readonly #reviews: number[] = [];

  /**
   * Constructs a new instance.
   *
   * @param ledgers What each file and stream adds.
   * @param counters What the usage of exec turns counts.
   */
  constructor(ledgers: readonly SourceLedger[], counters: RunCounters) {
    const runs = new Map<string | null, LedgerRun[]>();
    for (const ledger of ledgers) {
      for (const [id, thread] of ledger.threads) {
        if (thread.reviews !== undefined) this.#reviews.push(thread.reviews);
        if (thread.isFile) this.#file(ledger, id, thread);
        else if (!isMadeUp(id)) {
          const list = runs.get(id) ?? [];
          for (const run of runsOf(ledger, thread)) list.push(run);
          runs.set(id, list);
        } else this.#settle(runsOf(ledger, thread), counters);
      }
    }
    for (const list of runs.values()) this.#settle(list, counters);
  }

  /** The rule by which a turn in a file or stream is left out, if it is. */
  leftOut(
    ledger: SourceLedger,
    thread: string | null,
    turn: string | null,
  ): UsageRule | undefined {
    const turns = this.#files.get(thread);
    if (turns === undefined) return undefined;
    const entry = ledger.threads.get(thread);
    if (entry?.isFile !== true) return "filed";
    const reviewed = entry.turns.get(turn)?.reviewed;
    const isReviewed = reviewed !== undefined &&
      this.#reviews.some((time) => Math.abs(time - reviewed) <= REVIEW_START);
    if (isReviewed) return "reviewed";
    return (turns.get(turn) ?? ledger) === ledger ? undefined : "copied";
  }

  /** What the end of a turn of an exec stream adds. */
  additionOf(run: RunEntry | undefined): Addition | undefined {
    return run === undefined ? undefined : this.#runs.get(run);
  }

  /** What became of a line. */
  derivation(ledger: SourceLedger, step: Step): UsageDerivation {
    const { line, thread, turn, run } = step;
    // What the same turn said once more later on is all that counts of it.
    const replaced = run === undefined ? step : { rule: "repeated" } as const;
    let { rule, tokens }: Addition = this.additionOf(run) ?? replaced;
    const leftOut = this.leftOut(ledger, thread, turn);
    if (tokens !== undefined && leftOut !== undefined) {
      rule = leftOut;
      tokens = undefined;
    }
    return {
      source: ledger.name,
      line,
      thread_id: thread,
      turn_id: turn,
      counted: tokens !== undefined,
      rule,
      tokens: tokens ?? NO_TOKENS,
    };
  }

  /** Of the files that have a turn, the one counts that has most of it. */
  #file(ledger: SourceLedger, id: string | null, thread: ThreadEntry): void {
    const turns = this.#files.get(id) ?? new Map<string | null, SourceLedger>();
    this.#files.set(id, turns);
    for (const [turn, entry] of thread.turns) {
      const other = turns.get(turn)?.threads.get(id)?.turns.get(turn);
      if (other === undefined || isMore(entry, other)) turns.set(turn, ledger);
    }
  }

  /** Tells what each of a thread's exec turns used. */
  #settle(given: readonly LedgerRun[], counters: RunCounters): void {
    // Files are often named in the order of their names, not of time. What a thread has used
    // never shrinks, so that order tells; what processes used can be added up in any.
    const runs = inOrder(given);
    const isThread = counters === "thread" ||
      (counters === "auto" && runs.every(isGrowing));
    for (const [i, { run }] of runs.entries()) {
      const { usage } = run;
      const before = isThread ? runs[i - 1] : undefined;
      const grown = before === undefined
        ? usage
        : growth(before.run.usage, usage);
      if (runs.length === 1) {
        this.#runs.set(run, { rule: "turn", tokens: usage });
      } else if (!isThread) {
        this.#runs.set(run, { rule: "run", tokens: usage });
      } else if (grown === undefined) {
        // Whoever says that it is the thread's knows that it began anew.
        this.#runs.set(run, { rule: "restarted", tokens: usage });
      } else this.#runs.set(run, { rule: "thread", tokens: grown });
    }
  }
}

/** The end of an exec turn, and where it stands. */
interface LedgerRun {
  readonly ledger: SourceLedger;
  readonly run: RunEntry;
}

function runsOf(ledger: SourceLedger, { turns }: ThreadEntry): LedgerRun[] {
  return [...turns.values()].flatMap(({ run }) =>
    run === undefined ? [] : [{ ledger, run }]
  );
}

/** Puts runs in the order of what they say was used; those of one stream stay in theirs. */
function inOrder(runs: readonly LedgerRun[]): readonly LedgerRun[] {
  return runs.toSorted(({ ledger: a, run: one }, { ledger: b, run: other }) => {
    if (a === b) return one.place.line - other.place.line;
    const difference = one.usage.total_tokens - other.usage.total_tokens;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  });
}

/** Whether a run says at least as much of each kind as the one before it. */
function isGrowing(
  { run }: LedgerRun,
  i: number,
  runs: readonly LedgerRun[],
): boolean {
  const before = runs[i - 1];
  return before === undefined ||
    growth(before.run.usage, run.usage) !== undefined;
}

/** Whether the id of a thread is only good for one stream. */
function isMadeUp(id: string | null): boolean {
  return id === null || /^synthetic-thread-\d+$/.test(id);
}

function isMore(one: TurnEntry, other: TurnEntry): boolean {
  return tokensOfTurn(one).total_tokens > tokensOfTurn(other).total_tokens;
}
