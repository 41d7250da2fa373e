/**
 * Judges the runs of an input.
 *
 * @module
 */

import { checkedCount } from "../checked.ts";
import type { EventReader, LastAnswer } from "../events/event_reader.ts";
import { type Fields, fieldsOf, idOf } from "../json/fields.ts";
import { JsonlRecords } from "../jsonl_records.ts";
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

/** How many failed lines and failed commands are named. */
const MAX_NAMED = 10;

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
 * It reads exec streams and session files of every release. Each thread is judged by its last
 * turn: what failed and went well when the thread was resumed is well. An input with several
 * threads is good if all of them are. How a turn ended is what the event says that ended it.
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
  readonly #lines: JsonlRecords;
  readonly #transcript = new TranscriptBuilder();
  readonly #meter = new UsageMeter();
  readonly #usage: EventCounts;
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
    const { from = "auto", maxLineBytes, maxFailures = 0 } = options;
    checkedCount("maxFailures", maxFailures);
    const input = maxLineBytes === undefined
      ? { from }
      : { from, maxLineBytes };
    this.#options = options;
    const { initialThreadId, initialTurnId } = options;
    this.#lines = new JsonlRecords({
      ...input,
      initialThreadId,
      initialTurnId,
    });
    this.#usage = openEvents(this.#meter, "");
    tapEvents(this.#transcript, (event, reader, take) => {
      this.#reader = reader;
      this.#judge(event, reader.isSession, take);
    });
  }

  /**
   * Takes a block and emits the parts of the transcript that it completes.
   *
   * @param block The bytes; they may be used again afterwards.
   * @param emit Is called with each part.
   */
  feed(block: Uint8Array, emit: Emit<TranscriptPart>): void {
    this.#lines.feed(block, (outcome) => this.#take(outcome, emit));
  }

  /**
   * Ends the input and emits what was held back.
   *
   * @param emit Is called with each part.
   */
  flush(emit: Emit<TranscriptPart>): void {
    this.#lines.flush((outcome) => this.#take(outcome, emit));
    this.#transcript.flush((part) => this.#see(part, emit));
    this.#endRun();
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
    const tokens = this.#tokens();
    const demanded = demandedReasons(this.#options, {
      failedLines: this.#failedLines,
      failures: this.#failures,
      failedCommands: this.#failedCommands,
      commands: this.#commands,
      finalMessage: this.#finalMessage,
      tokens,
    });
    const reasons = [...this.#turnReasons(), ...demanded];
    return {
      isPassed: reasons.length === 0,
      reasons,
      threadId: this.#threadId,
      turns: this.#turns,
      status: this.#status,
      finalMessage: this.#finalMessage,
      failedCommands: this.#failedCommands,
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

  #turnReasons(): VerdictReason[] {
    if (this.#line === 0) {
      return [reason("no_turn", "the input is empty: Codex wrote nothing")];
    }
    return [...this.#lastTurns].flatMap(([thread, { end, turn, line }]) => {
      if (end.reason === undefined) return [];
      const { kind, message } = end.reason;
      const name = turn === undefined ? "the run" : `turn ${turn}`;
      const isNamed = this.#lastTurns.size > 1 && !thread.startsWith("#");
      const of = isNamed ? ` of thread ${thread}` : "";
      return [reason(kind, `${name}${of} ${message}`, line)];
    });
  }

  #tokens(): Tokens | null {
    const rows = this.#meter.rows();
    return rows.length === 0 ? null : rows.reduce(addTokens, NO_TOKENS);
  }
}

/**
 * Tells whether an event says that a turn failed and not why: session files of some releases end
 * so when a request failed.
 */
function isWithoutReason({ type, reason, error }: Fields): boolean {
  return type === "turn.failed" && reason === undefined &&
    fieldsOf(error).message === "";
}
