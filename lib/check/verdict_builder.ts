/**
 * Judges the runs of an input.
 *
 * @module
 */

import { checkedCount } from "../checked.ts";
import type { EventReader, LastAnswer } from "../events/event_reader.ts";
import { type Fields, fieldsOf, idOf, listOf, textOf } from "../json/fields.ts";
import { JsonlRecords } from "../pipeline/jsonl_records.ts";
import type { Outcome } from "../outcome.ts";
import type {
  EntryPart,
  TranscriptPart,
  TurnEndedPart,
} from "../render/parts.ts";
import { tapEvents, TranscriptBuilder } from "../render/transcript.ts";
import type { Emit, Stage } from "../stage.ts";
import { addTokens, NO_TOKENS, type Tokens } from "../usage/tokens.ts";
import type { EventCounts } from "../usage/event_counts.ts";
import { openEvents, UsageMeter } from "../usage/usage_meter.ts";
import { demandedReasons, reason } from "./_demands.ts";
import { answerOf, failedCommandsOf } from "./_entry_facts.ts";
import { readWorkSign, type WorkSign } from "./_work_sign.ts";
import { type ShownAnswer, WorkTrail } from "./_work_trail.ts";
import { judgeError, judgeTurn, type TurnEnd } from "./turn_end.ts";
import type { Verdict, VerdictFailure, VerdictReason } from "./verdict.ts";
import type { VerdictOptions } from "./verdict_options.ts";

/** How many failed lines, and commands that failed or were declined, are named. */
const MAX_NAMED = 10;
/** For the judges of the threads of an app-server but the first: they read nothing. */
const OTHER_THREAD: VerdictOptions = {};
/** How bad an end is, the worst first. */
const ENDS: readonly Verdict["status"][] = [
  "failed",
  "aborted",
  "open",
  "completed",
];

/** What a run, or the turn that is going on, has shown so far. */
interface Seen {
  /** Whether it is a run, and no turn. */
  isRun: boolean;
  /** Whether the turn is over. */
  isEnded: boolean;
  /** Whether the model has said something. */
  hasAnswer: boolean;
  /** Whether anything is in it. */
  hasEntries: boolean;
}

const NOTHING_SEEN: Seen = {
  isRun: false,
  isEnded: false,
  hasAnswer: false,
  hasEntries: false,
};

/** What is wrong with the last turns of all threads. */
let turnReasons: (judges: readonly VerdictBuilder[]) => VerdictReason[];

/** A run that began nothing. */
const NO_TURN: TurnEnd = {
  status: "open",
  reason: { kind: "no_turn", message: "began no turn" },
};

/** The last turn of a thread, or its run if that had none. */
interface LastTurn {
  readonly end: TurnEnd;
  /** The number of the turn; `undefined` if the run had none. */
  readonly turn: number | undefined;
  /** The line where it ended; `null` if it did not. */
  readonly line: number | null;
}

/**
 * Judges runs: bytes in, the parts of their transcript out, so that whoever shows them need not
 * read them again; in the end there is a {@linkcode Verdict}.
 *
 * It reads exec streams, app-servers and session files of every release. Each thread is judged by
 * its last turn: what failed and went well when the thread was resumed is well. An input with
 * several threads is good if all of them are; of those of an app-server, the parts of the first
 * come first, the others when the input has ended. How a turn ended is what the event says that ended it.
 * Where a release writes no such events, a turn ended badly if an error is the last thing that
 * happened, or if it does not end with what the model says. Errors that are tried again after
 * (`Reconnecting... 1/5`), warnings and commands that were left running are not failures.
 *
 * Nothing in the input makes it throw. Memory is bounded as that of the transcript is, and by
 * the number of threads and turns.
 *
 * @example A budget, and a message that a program will read
 * ```ts
 * import { VerdictBuilder } from "@codexpipe/codexpipe/check";
 * import { assertEquals } from "@std/assert";
 *
 * const log = '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n' +
 *   '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Done."}}\n' +
 *   '{"type":"turn.completed","usage":{"input_tokens":1200,"output_tokens":60}}\n';
 * const builder = new VerdictBuilder({ maxTokens: 1000n, jsonOutput: true });
 * builder.feed(new TextEncoder().encode(log), () => {});
 * builder.flush(() => {});
 *
 * assertEquals(builder.verdict.reasons.map(({ message }) => message), [
 *   "1,260 tokens were used, the limit is 1,000",
 *   "the final message is not valid JSON",
 * ]);
 * ```
 */
export class VerdictBuilder implements Stage<Uint8Array, TranscriptPart> {
  readonly #options: VerdictOptions;
  /** Nothing, for another thread than the first: it is told what concerns it. */
  readonly #lines: JsonlRecords | undefined;
  readonly #transcript = new TranscriptBuilder();
  readonly #meter = new UsageMeter();
  readonly #usage: EventCounts;
  /** The judges of the other threads of an app-server, and what their transcripts say. */
  readonly #others = new Map<string, VerdictBuilder>();
  #parts: TranscriptPart[] = [];
  /** The thread that is judged here, of those of an app-server. */
  #firstThread: string | undefined;
  readonly #declined: string[] = [];
  #declinedCount = 0;
  readonly #failures: VerdictFailure[] = [];
  readonly #commands: string[] = [];
  readonly #lastTurns = new Map<string, LastTurn>();
  readonly #work = new WorkTrail();
  /** Who reads the events. */
  #reader: EventReader | undefined;
  /** How often it has told of work. */
  #steps = 0;
  /** The answer that a session file ends with so far. */
  #answer: LastAnswer | null = null;
  /** Whether the line that is being taken says something of the work. */
  #hasSign = false;
  #failedLines = 0;
  #failedCommands = 0;
  #line = 0;
  #turns = 0;
  #runs = 0;
  #threadId: string | null = null;
  #status: Verdict["status"] = null;
  #finalMessage: string | null = null;
  /** What the event that is being taken says of the last message. */
  #lastMessage: string | undefined;
  /** Whether it ends a turn that left its prompt without an answer. */
  #isUnanswered = false;
  /** What the model said before the turn that is going on, if it was in no other one. */
  #messageBefore: string | null = null;
  /** What the run, or the turn that is going on, has shown. */
  #seen: Seen = { ...NOTHING_SEEN };

  /**
   * Constructs a new instance.
   *
   * @param options What to expect, and what to judge by.
   * @throws {RangeError} If the limit of lines is not a whole number from 1 to 2^29 - 24, or
   *   that of failures none from 0.
   */
  constructor(options: VerdictOptions = {}) {
    this.#options = options;
    this.#usage = openEvents(this.#meter, "");
    tapEvents(this.#transcript, (event, reader, take) => {
      this.#reader = reader;
      this.#judge(event, reader.isSession, take);
    });
    if (options === OTHER_THREAD) return;
    const { from = "auto", maxLineBytes, maxFailures = 0 } = options;
    checkedCount("maxFailures", maxFailures);
    const { initialThreadId, initialTurnId, thread } = options;
    const input = maxLineBytes === undefined
      ? { from, thread }
      : { from, thread, maxLineBytes };
    this.#lines = new JsonlRecords({
      ...input,
      initialThreadId,
      initialTurnId,
    });
  }

  /**
   * Takes a block and emits the parts of the transcript that it completes.
   *
   * @param block The bytes; they may be used again afterwards.
   * @param emit Is called with each part.
   */
  feed(block: Uint8Array, emit: Emit<TranscriptPart>): void {
    this.#lines?.feed(block, (outcome) => this.#give(outcome, emit));
  }

  /**
   * Ends the input and emits what was held back.
   *
   * @param emit Is called with each part.
   */
  flush(emit: Emit<TranscriptPart>): void {
    this.#lines?.flush((outcome) => this.#give(outcome, emit));
    this.#end(emit);
    for (const judge of this.#others.values()) {
      const parts = judge.#parts;
      judge.#parts = [];
      parts.forEach(emit);
      judge.#end(emit);
    }
  }

  #end(emit: Emit<TranscriptPart>): void {
    this.#transcript.flush((part) => this.#see(part, emit));
    this.#endRun();
  }

  /** Gives an outcome to the judge of its thread: app-servers have them among one another. */
  #give(outcome: Outcome<unknown>, emit: Emit<TranscriptPart>): void {
    const isOfServer = this.#lines?.kind === "app-server";
    const thread = isOfServer && outcome.ok
      ? idOf(fieldsOf(outcome.value).thread_id)
      : undefined;
    if (thread !== undefined) this.#firstThread ??= thread;
    if (thread === this.#firstThread || thread === undefined) {
      return this.#take(outcome, emit);
    }
    let judge = this.#others.get(thread);
    if (judge === undefined) {
      judge = new VerdictBuilder(OTHER_THREAD);
      this.#others.set(thread, judge);
    }
    const parts = judge.#parts;
    judge.#take(outcome, (part) => parts.push(part));
  }

  /**
   * How a session file tells its history, if nobody knows: then what it shows may not be all,
   * and the verdict may be wrong. See {@linkcode TranscriptBuilder.unknownMode}.
   */
  get unknownMode(): string | null {
    return this.#transcript.unknownMode;
  }

  /** What is found out about the input; whole when it has been flushed. */
  get verdict(): Verdict {
    const judges = [this, ...this.#others.values()];
    const tokens = tokensOf(judges.flatMap((judge) => judge.#meter.rows()));
    const failedCommands = sum(judges.map((judge) => judge.#failedCommands));
    const demanded = demandedReasons(this.#options, {
      failedLines: this.#failedLines,
      failures: this.#failures,
      failedCommands,
      commands: judges.flatMap((judge) => judge.#commands).slice(0, MAX_NAMED),
      declinedCount: sum(judges.map((judge) => judge.#declinedCount)),
      declined: judges.flatMap((judge) => judge.#declined).slice(0, MAX_NAMED),
      finalMessage: this.#finalMessage,
      tokens,
    });
    const reasons = [...turnReasons(judges), ...demanded];
    const ends = judges.map((judge) => judge.#status);
    return {
      isPassed: reasons.length === 0,
      reasons,
      threadId: this.#threadId,
      turns: sum(judges.map((judge) => judge.#turns)),
      status: ENDS.find((status) => ends.includes(status)) ?? null,
      finalMessage: this.#finalMessage,
      failedCommands,
      failedLines: this.#failedLines,
      failures: this.#failures,
      tokens,
    };
  }

  #take(outcome: Outcome<unknown>, emit: Emit<TranscriptPart>): void {
    this.#line = outcome.line;
    if (!outcome.ok) {
      const { line, error: { kind, message } } = outcome;
      this.#failedLines += 1;
      if (this.#failures.length < MAX_NAMED) {
        this.#failures.push({ line, kind, message });
      }
    }
    this.#hasSign = false;
    this.#transcript.feed(outcome, (part) => this.#see(part, emit));
    this.#heedLine();
  }

  /** Takes note of what a line of a session file says of the work beyond its events. */
  #heedLine(): void {
    const { steps = 0, lastAnswer = null } = this.#reader ?? {};
    if (steps !== this.#steps && !this.#hasSign) this.#heed({ type: "work" });
    this.#steps = steps;
    if (lastAnswer === this.#answer) return;
    this.#answer = lastAnswer;
    if (lastAnswer === null) return;
    this.#heed({ type: "answer", item: lastAnswer.itemId, isAlone: true });
  }

  /** Takes in an event of the transcript. */
  #judge(event: Fields, isSession: boolean, take: () => void): void {
    if (isSession) this.#usage.takeSession(event, this.#line);
    else this.#usage.takeExec(event, this.#line);
    const declined = declinedOf(event);
    if (declined !== undefined) {
      this.#declinedCount += 1;
      if (this.#declined.length < MAX_NAMED) this.#declined.push(declined);
    }
    this.#lastMessage = idOf(event.last_agent_message);
    this.#isUnanswered = isSession && isWithoutReason(event);
    const sign = readWorkSign(event, isSession);
    if (sign !== undefined) this.#work.remember(sign, this.#shown);
    take();
    // The response says when an answer is complete.
    const isPart = isSession && sign?.type === "answer" && !sign.isAlone;
    if (sign === undefined || isPart) return;
    this.#hasSign = true;
    // Only now: what the event ends is judged by what was before it.
    this.#heed(sign);
  }

  get #shown(): ShownAnswer {
    const { hasAnswer } = this.#seen;
    return { hasAnswer, finalMessage: this.#finalMessage };
  }

  #heed(sign: WorkSign): void {
    const again = this.#work.heed(sign);
    if (again === undefined) return;
    this.#seen.hasAnswer = again.hasAnswer;
    this.#finalMessage = again.finalMessage;
  }

  #see(part: TranscriptPart, emit: Emit<TranscriptPart>): void {
    switch (part.type) {
      case "session":
        this.#endRun();
        this.#runs += 1;
        this.#threadId = part.thread_id;
        this.#finalMessage = null;
        this.#status = null;
        this.#seen = { ...NOTHING_SEEN, isRun: true };
        break;
      case "turn_started":
        this.#turns += 1;
        this.#messageBefore = this.#seen.hasAnswer ? this.#finalMessage : null;
        this.#finalMessage = null;
        this.#seen = { ...NOTHING_SEEN };
        break;
      case "entry":
        this.#seeEntry(part);
        break;
      case "turn_ended":
        this.#endTurn(part);
        break;
      case "rolled_back":
      case "failed_line":
        break;
    }
    emit(part);
  }

  #seeEntry({ record, phase, turn }: EntryPart): void {
    // What ends after its turn was left running.
    if (phase === "late") return;
    const seen = this.#seen;
    const answer = answerOf(record);
    if (turn !== null) seen.hasEntries = true;
    if (answer !== undefined) {
      seen.hasAnswer = true;
      this.#finalMessage = answer;
    }
    if (seen.isEnded) return;
    for (const command of failedCommandsOf(record)) {
      this.#failedCommands += 1;
      if (this.#commands.length < MAX_NAMED) {
        this.#commands.push(command);
      }
    }
  }

  #endTurn({ turn, status, error }: TurnEndedPart): void {
    const { hasEntries } = this.#seen;
    const work = this.#work;
    const lastMessage = this.#lastMessage;
    // The log lacks the beginning of a turn that has nothing but an end.
    if (!hasEntries) this.#finalMessage ??= this.#messageBefore;
    this.#finalMessage ??= lastMessage ?? null;
    const end = judgeTurn({
      status,
      error,
      pendingError: work.pendingError,
      endsWithAnswer: work.endsWithAnswer,
      isUnanswered: this.#isUnanswered,
    });
    const isOver = status !== "open" && status !== "unknown";
    const line = isOver ? this.#line : null;
    this.#lastTurns.set(this.#threadKey, { end, turn, line });
    this.#status = end.status;
    this.#seen = { ...NOTHING_SEEN, isEnded: true };
  }

  /** Judges a run that had no turn, or one that an error ended after its last turn. */
  #endRun(): void {
    const { isRun, isEnded } = this.#seen;
    const { pendingError, endsWithAnswer, hasWork } = this.#work;
    this.#seen = { ...NOTHING_SEEN };
    if (isEnded) {
      if (pendingError === null || this.#status !== "completed") return;
      const end = judgeError(pendingError);
      // A turn that is over has nothing to be tried again for.
      if (end.status !== "open") this.#judgeRun(end);
    } else if (isRun && this.#line > 0) {
      if (hasWork) {
        this.#turns += 1;
        this.#judgeRun(judgeTurn({
          status: "unknown",
          error: null,
          pendingError,
          endsWithAnswer,
          isUnanswered: false,
        }));
      } else this.#judgeRun(NO_TURN);
    }
  }

  #judgeRun(end: TurnEnd): void {
    this.#status = end === NO_TURN ? null : end.status;
    this.#lastTurns.set(this.#threadKey, { end, turn: undefined, line: null });
  }

  /** What a thread is known by: its id, or, if it has none, its place. */
  get #threadKey(): string {
    return this.#threadId ?? `#${this.#runs}`;
  }

  /** What is wrong with the last turns. */
  #turnReasons(isOneOfMany: boolean): VerdictReason[] {
    if (this.#line === 0) {
      return [reason("no_turn", "the input is empty: Codex wrote nothing")];
    }
    return [...this.#lastTurns].flatMap(([thread, { end, turn, line }]) => {
      if (end.reason === undefined) return [];
      const { kind, message } = end.reason;
      const name = turn === undefined ? "the run" : `turn ${turn}`;
      const isNamed = (isOneOfMany || this.#lastTurns.size > 1) &&
        !thread.startsWith("#");
      const of = isNamed ? ` of thread ${thread}` : "";
      return [reason(kind, `${name}${of} ${message}`, line)];
    });
  }

  static {
    turnReasons = (judges): VerdictReason[] => {
      const reasons = judges.flatMap((judge) =>
        judge.#turnReasons(judges.length > 1)
      );
      // Threads may be looked at and left alone: it is enough if one of them did something.
      const isWorked = judges.length > 1 &&
        judges.some((judge) => judge.#turns > 0);
      return isWorked
        ? reasons.filter(({ kind }) => kind !== "no_turn")
        : reasons;
    };
  }
}

/**
 * What was declined by an event: a command, or the files of a patch; `undefined` if nothing was.
 */
function declinedOf(event: Fields): string | undefined {
  const { type, item_type, status } = event;
  if (type !== "item.completed") return undefined;
  const content = fieldsOf(event.content);
  if (status !== "declined" && content.declined !== true) return undefined;
  return item_type === "file_change"
    ? patchText(listOf(content.changes).map((each) => fieldsOf(each).path))
    : textOf(content.command) ?? textOf(content.tool_name) ?? "a call";
}

function tokensOf(rows: readonly Tokens[]): Tokens | null {
  return rows.length === 0 ? null : rows.reduce(addTokens, NO_TOKENS);
}

function patchText(paths: readonly unknown[]): string {
  return `a change of ${paths.join(", ")}`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

/**
 * Tells whether an event says that a turn failed and not why: session files of some releases end
 * so when a request failed.
 */
function isWithoutReason({ type, reason, error }: Fields): boolean {
  return type === "turn.failed" && reason === undefined &&
    fieldsOf(error).message === "";
}
