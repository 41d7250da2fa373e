/**
 * Judges the runs of an input.
 *
 * @module
 */

import { checkedCount } from "../checked.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  numberOf,
} from "../history/mapping/json_fields.ts";
import { eventOf } from "../history/mapping/line_events.ts";
import { isPrompt } from "../history/mapping/text_lines.ts";
import { JsonlRecords } from "../jsonl_records.ts";
import type { Outcome } from "../outcome.ts";
import type {
  EntryPart,
  TranscriptPart,
  TurnEndedPart,
} from "../render/parts.ts";
import { TranscriptBuilder } from "../render/transcript.ts";
import type { Emit, Stage } from "../stage.ts";
import { addTokens, NO_TOKENS, type Tokens } from "../usage/tokens.ts";
import { UsageMeter } from "../usage/usage_meter.ts";
import type { UsageSource } from "../usage/usage_source.ts";
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
  /** Whether the user has said something. */
  hasPrompt: boolean;
  /** Whether the model has said something. */
  hasAnswer: boolean;
  /** Whether anything is in it. */
  hasEntries: boolean;
}

const NOTHING_SEEN: Seen = {
  isRun: false,
  isEnded: false,
  hasPrompt: false,
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
  readonly #usage: UsageSource;
  readonly #failures: VerdictFailure[] = [];
  readonly #commands: string[] = [];
  readonly #lastTurns = new Map<string, LastTurn>();
  readonly #work = new WorkTrail();
  #failedLines = 0;
  #failedCommands = 0;
  #line = 0;
  #turns = 0;
  #runs = 0;
  #threadId: string | null = null;
  #status: Verdict["status"] = null;
  #finalMessage: string | null = null;
  /** What the event that is being taken says of the last message; null if there was none. */
  #lastMessage: string | null | undefined;
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
    this.#usage = this.#meter.open("", input);
  }

  /**
   * Takes a block and emits the parts of the transcript that it completes.
   *
   * @param block The bytes; they may be used again afterwards.
   * @param emit Is called with each part.
   */
  feed(block: Uint8Array, emit: Emit<TranscriptPart>): void {
    this.#lines.feed(block, (outcome) => this.#take(outcome, emit));
    // Its failures are those above; counts that nobody can read are none.
    this.#usage.feed(block, () => {});
  }

  /**
   * Ends the input and emits what was held back.
   *
   * @param emit Is called with each part.
   */
  flush(emit: Emit<TranscriptPart>): void {
    this.#lines.flush((outcome) => this.#take(outcome, emit));
    this.#usage.flush(() => {});
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
    const event = outcome.ok ? fieldsOf(outcome.value) : {};
    this.#lastMessage = lastMessageOf(event);
    const sign = outcome.ok ? readWorkSign(event) : undefined;
    if (sign !== undefined) this.#work.remember(sign, this.#shown);
    this.#transcript.feed(outcome, (part) => this.#see(part, emit));
    // Only now: what the event ends is judged by what was before it.
    if (sign !== undefined) this.#heed(sign);
    if (isUserMessage(event)) this.#work.heedPrompt();
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

  #seeEntry({ record, phase, turn, isFromUser = false }: EntryPart): void {
    // What ends after its turn was left running.
    if (phase === "late") return;
    const seen = this.#seen;
    const answer = answerOf(record);
    if (isFromUser || isPrompt(record)) seen.hasPrompt = true;
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
    const { hasEntries, hasPrompt } = this.#seen;
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
      isUnanswered: lastMessage === null && work.isUnanswered(hasPrompt),
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

/** Tells whether an event is a prompt in a session file. */
function isUserMessage(event: Fields): boolean {
  return eventOf(event)?.type === "user_message";
}

/**
 * What an event that ends a turn says of its last message; null if there was none, as only
 * session files say, and nobody can know why. Those that say when the turn began are of
 * releases that say there why it failed, too: of them, a turn without a message is but done.
 */
function lastMessageOf(event: Fields): string | null | undefined {
  if (event.type === "turn.completed") return idOf(event.last_agent_message);
  const { type, last_agent_message, started_at } = eventOf(event) ?? {};
  if (type !== "task_complete" && type !== "turn_complete") return undefined;
  const isUnexplained = numberOf(started_at) === undefined;
  return last_agent_message === null && isUnexplained
    ? null
    : idOf(last_agent_message);
}
