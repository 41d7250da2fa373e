/** Judges the runs of an input. */

import { checkedCount } from "../checked.ts";
import type { Dialect } from "../dialects/dialect_names.ts";
import { isRetryNotice } from "../dialects/exec/retry_notices.ts";
import type { EventReader, LastAnswer } from "../events/event_reader.ts";
import { IDLE_LINES, LineSelection } from "../events/line_selection.ts";
import { type AnyHistoryRecord, isKnownRecord } from "../history/records.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  listOf,
  parseJson,
  textOf,
} from "../json/fields.ts";
import type { Outcome } from "../outcome.ts";
import { JsonlRecords } from "../pipeline/jsonl_records.ts";
import { commandLine } from "../render/command_line.ts";
import { startOf } from "../render/cut_text.ts";
import type {
  EntryPart,
  TranscriptPart,
  TurnEndedPart,
  TurnStatus,
} from "../render/parts.ts";
import { countedText, countText } from "../render/quantity_text.ts";
import { TranscriptBuilder } from "../render/transcript.ts";
import type { Emit, Stage } from "../stage.ts";
import { EventTokens } from "../usage/event_tokens.ts";
import { addTokens, NO_TOKENS, type Tokens } from "../usage/tokens.ts";

/**
 * Why a verdict is bad. This list may expand over time.
 *
 * - `turn_failed`: the last turn of a thread says that it failed.
 * - `fatal_error`: an error ended the stream, as releases up to 0.42 end when a turn fails.
 * - `interrupted`: the last turn of a thread says that it was interrupted.
 * - `no_end`: the input ends before the last turn of a thread does.
 * - `no_turn`: nothing was begun.
 * - `failed_lines`: more lines than may be could not be read.
 * - `failed_command`: a command failed, and none may.
 * - `declined`: a command or a patch was declined, and nothing may be.
 * - `max_tokens`: more tokens than may be were used.
 * - `json_output`: the final message is no JSON, and should be.
 * - `schema`: lines are not as their schemas say, and are to be; the command adds it.
 * - `drift`: there is something that no known release of Codex writes, and nothing may be; the
 *   command adds it.
 */
export type VerdictReasonKind =
  | "turn_failed"
  | "fatal_error"
  | "interrupted"
  | "no_end"
  | "no_turn"
  | "failed_lines"
  | "failed_command"
  | "declined"
  | "max_tokens"
  | "json_output"
  | "schema"
  | "drift";

/** One reason for a bad verdict. */
export interface VerdictReason {
  /** What is wrong. */
  readonly kind: VerdictReasonKind;
  /**
   * What is wrong in a sentence, without a capital and a full stop. It may quote the log, which
   * may hold anything: escape it for where it is shown.
   */
  readonly message: string;
  /** The number of the line where it shows, from 1; `null` if it is none in particular. */
  readonly line: number | null;
}

/** A line that could not be read. */
export interface VerdictFailure {
  /** The number of the line, from 1. */
  readonly line: number;
  /** The kind of the error, such as `json`. */
  readonly kind: string;
  /** Why it could not be read. */
  readonly message: string;
}

/** What is found out about the runs of an input. */
export interface Verdict {
  /** Whether there is no reason against them. */
  readonly isPassed: boolean;
  /** What is wrong with them: first how turns ended, then what else was asked for. */
  readonly reasons: readonly VerdictReason[];
  /** The id of the last thread, of an app-server of the first; `null` if it is not said. */
  readonly threadId: string | null;
  /** How many turns there are. */
  readonly turns: number;
  /** How the last turn ended, of several threads of an app-server the worst, judged where nothing says it; `null` if there is none. */
  readonly status: Exclude<TurnStatus, "unknown"> | null;
  /** What was said last in the last turn; `null` if nothing was. */
  readonly finalMessage: string | null;
  /** How many commands failed. */
  readonly failedCommands: number;
  /** How many lines could not be read. */
  readonly failedLines: number;
  /** The first ones of them, ten at most. */
  readonly failures: readonly VerdictFailure[];
  /** The tokens that were used; `null` if the input does not say. */
  readonly tokens: Tokens | null;
}

// What a verdict depends on.

/** Options for {@linkcode VerdictBuilder}. */
export interface VerdictOptions {
  /**
   * The dialects to expect. `auto` decides by the first line that is a JSON object.
   *
   * @default {"auto"}
   */
  readonly from?: Dialect | undefined;
  /**
   * How many bytes a line may have; longer ones fail.
   *
   * @default {268435456}
   */
  readonly maxLineBytes?: number | undefined;
  /**
   * The id of the only thread that is judged.
   *
   * @default {undefined} All are.
   */
  readonly thread?: string | undefined;
  /**
   * The thread of lines before the first thread line, for logs that were cut at the start.
   *
   * @default {undefined}
   */
  readonly initialThreadId?: string | undefined;
  /**
   * The turn of lines before the first turn line, for logs that were cut at the start.
   *
   * @default {undefined}
   */
  readonly initialTurnId?: string | undefined;
  /**
   * How many lines may fail.
   *
   * @default {0}
   */
  readonly maxFailures?: number | undefined;
  /**
   * Whether no command may fail. One that was left running when its turn ended has not failed,
   * however it ended.
   *
   * @default {false}
   */
  readonly failOnCommand?: boolean | undefined;
  /**
   * Whether nothing may be declined that the model asked for: no command, no patch.
   *
   * @default {false}
   */
  readonly failOnDeclined?: boolean | undefined;
  /**
   * How many tokens, input and output together, may be used.
   *
   * @default {undefined}
   */
  readonly maxTokens?: bigint | undefined;
  /**
   * Whether the final message must be JSON, all of it.
   *
   * @default {false}
   */
  readonly jsonOutput?: boolean | undefined;
  /**
   * Whether only lines are read that tell of threads, turns and tokens, which takes a fifth of
   * the time. Then tokens and durations are those of the input; of the rest, only that the last
   * turn is completed can be relied on: how another one ended may hang on what was not read.
   *
   * @default {false}
   */
  readonly turnsOnly?: boolean | undefined;
  /**
   * Whether the parts of all threads of an app-server are emitted, and not only those of the
   * first: until the input has ended, they are held in memory.
   *
   * @default {true}
   */
  readonly allThreads?: boolean | undefined;
}

/** The lines that tell of threads, turns and tokens. */
const TURN_LINES = new LineSelection([
  "thread.started",
  "turn.started",
  "turn.completed",
  "turn.ended",
  "turn_context",
  "user_message",
  "entered_review_mode",
  "exited_review_mode",
  "token_count",
  "token_usage_record",
  "thread_goal_updated",
  "thread_settings_applied",
  "error",
]);

/**
 * The lines that say nothing of how a run ends. What the program tells the model begins a turn in
 * files of old; where lines have ordinals, turns have a beginning of their own.
 */
const UNHEARD_LINES: readonly string[] = [
  ...IDLE_LINES,
  "#response_item/message/developer",
];

// What an event says of whether work goes on, is done, or went wrong.

/**
 * What an event says of the work.
 *
 * - `error`: something went wrong.
 * - `answer`: the model says something.
 * - `reviewed`: a review is over; what it found is told, but not as the message of the turn.
 * - `unreviewed`: a review is over and found nothing out, because it failed or was interrupted.
 * - `compacted`: the context was compacted; that may be all that an answer was.
 * - `work`: something else begins or happens.
 * - `settled`: what had begun is over.
 * - `begin`: a turn begins or ends; what went wrong before it is no matter.
 * - `run`: a run begins.
 */
type WorkSign =
  | { readonly type: "error"; readonly message: string }
  | {
    readonly type: "answer";
    readonly item: string | undefined;
    /** Whether nothing more is to come of it, in session files, for it to be complete. */
    readonly isAlone: boolean;
  }
  | {
    readonly type: "compacted";
    /** The item: that of the answer which is all that it is. */
    readonly item: string | undefined;
  }
  | { readonly type: "work" | "settled" | "begin" | "run" }
  | { readonly type: "reviewed" | "unreviewed" };

const WORK: WorkSign = { type: "work" };
const SETTLED: WorkSign = { type: "settled" };
const BEGIN: WorkSign = { type: "begin" };

/**
 * Items that say nothing of it: notices, what was counted and decided, answers to what a client
 * asks besides, and lists of tasks, which exec streams close when the turn ends.
 */
const IDLE_ITEMS: ReadonlySet<unknown> = new Set([
  "background_event",
  "conversation_history",
  "conversation_path",
  "deprecation_notice",
  "error",
  "get_history_entry_response",
  "list_custom_prompts_response",
  "mcp_list_tools_response",
  "shutdown_complete",
  "thread_goal_updated",
  "thread_name_updated",
  "thread_rolled_back",
  "thread_settings_applied",
  "todo_list",
  "token_count",
  "token_usage_record",
  "turn_context",
  "turn_diff",
]);
/** Items that begin with an event of their own; their end may come when all else is done. */
const SPANS: ReadonlySet<unknown> = new Set([
  "collab_tool_call",
  "command_execution",
  "mcp_tool_call",
]);

/** What releases around 0.36 say after a compaction; the response does not have it. */
const COMPACTED = "Compact task completed";

/**
 * Reads what an event says of the work.
 *
 * @returns What it says; `undefined` if that is nothing.
 */
function readWorkSign(
  event: Fields,
  isSession: boolean,
): WorkSign | undefined {
  const { type, item_type } = event;
  switch (type) {
    case "error":
      return { type, message: textOf(event.message) ?? "" };
    case "thread.started":
      return { type: "run" };
    case "turn.started":
      // What the prompt has begun goes on.
      return event.implied === true ? undefined : BEGIN;
    case "turn.completed":
    case "turn.failed":
      return BEGIN;
    case "item.started":
    case "item.delta":
      return IDLE_ITEMS.has(item_type) ? undefined : WORK;
    case "item.failed":
      return endSign(item_type, isSession);
    case "item.completed":
      return readItem(event) ?? endSign(item_type, isSession);
    default:
      return undefined;
  }
}

function endSign(
  itemType: unknown,
  isSession: boolean,
): WorkSign | undefined {
  if (IDLE_ITEMS.has(itemType)) return undefined;
  // Not all exec streams say that a patch begins.
  if (isSession && itemType === "file_change") return SETTLED;
  return SPANS.has(itemType) ? SETTLED : WORK;
}

/** Reads what an item says that is over and is no call. */
function readItem(event: Fields): WorkSign | undefined {
  const content = fieldsOf(event.content);
  const item = idOf(event.item_id);
  switch (event.item_type) {
    case "agent_message":
      return { type: "answer", item, isAlone: content.text === COMPACTED };
    case "context_compaction":
      return { type: "compacted", item };
    case "exited_review_mode":
      return {
        type: content.review_output === null ? "unreviewed" : "reviewed",
      };
    case "injected_context":
      // The first CLI says what went wrong as a message of the system.
      return content.role === "system"
        ? { type: "error", message: textOf(content.text) ?? "" }
        : WORK;
    default:
      return undefined;
  }
}

// What a run has been doing last, by which its end is judged where nothing says it.

/** What had been shown of answers before one that may be taken back. */
interface ShownAnswer {
  readonly hasAnswer: boolean;
  readonly finalMessage: string | null;
}

/** What an answer has to give back if it was meant for the model itself. */
interface BeforeAnswer {
  readonly item: string | undefined;
  readonly endsWithAnswer: boolean;
  readonly shown: ShownAnswer;
}

/** Follows the signs of work of one input: whether it last failed, answered or did something. */
class WorkTrail {
  /** What went wrong, if nothing has happened since. */
  pendingError: string | null = null;
  /** Whether what the model says is the last thing to happen. */
  endsWithAnswer = false;
  /** Whether a review has ended in the turn without having found anything out. */
  #isUnreviewed = false;
  hasWork = false;
  /** What was before the last answer. */
  #before: BeforeAnswer | undefined;

  /** Takes note of what was shown before an event, which may be an answer to be taken back. */
  remember(sign: WorkSign, shown: ShownAnswer): void {
    if (sign.type !== "answer") return;
    const endsWithAnswer = this.endsWithAnswer;
    this.#before = { item: sign.item, endsWithAnswer, shown };
  }

  /**
   * Takes in what an event says.
   *
   * @returns What is shown again, if it takes the answer before it back.
   */
  heed(sign: WorkSign): ShownAnswer | undefined {
    switch (sign.type) {
      case "compacted":
        return this.#takeBackSummary(sign.item);
      case "reviewed":
      case "unreviewed":
        this.#isUnreviewed = sign.type === "unreviewed";
        return undefined;
      case "run":
        this.hasWork = false;
        break;
    }
    this.pendingError = sign.type === "error" ? sign.message : null;
    // What ends after an answer was left running.
    if (sign.type === "settled") return undefined;
    // What is said behind a review without a result is that it was interrupted.
    this.endsWithAnswer = sign.type === "answer" && !this.#isUnreviewed;
    const isBorder = sign.type === "begin" || sign.type === "run";
    if (!isBorder) this.hasWork = true;
    // Up to 0.98 nothing but a prompt says that another turn begins.
    if (isBorder || sign.type === "work") this.#isUnreviewed = false;
    return undefined;
  }

  /**
   * Takes an answer back that is the summary of a compaction: session files since 0.136 hold
   * it as if it had been said to the user.
   */
  #takeBackSummary(item: string | undefined): ShownAnswer | undefined {
    const before = this.#before;
    this.#before = undefined;
    if (before === undefined || before.item !== item) return undefined;
    this.endsWithAnswer = before.endsWithAnswer;
    return before.shown;
  }
}

// What entries of a transcript say of the work.

/** How much of a command is named, in characters. */
const MAX_COMMAND = 120;

/** What the model says, if the entry is that. */
function answerOf(record: AnyHistoryRecord): string | undefined {
  return isKnownRecord(record) && record.type === "assistant_message"
    ? record.payload.markdown
    : undefined;
}

/** Says which commands of an entry failed. */
function failedCommandsOf(record: AnyHistoryRecord): string[] {
  if (!isKnownRecord(record)) return [];
  if (record.type === "exec") {
    const { command, status, exit_code } = record.payload;
    return status === "error" ? [failedCommand(command, exit_code)] : [];
  }
  if (record.type !== "explore") return [];
  return record.payload.entries.flatMap(({ command, status }) =>
    typeof status === "string"
      ? []
      : [failedCommand(command, status.error.exit_code)]
  );
}

function failedCommand(
  command: readonly string[],
  exitCode: number | null,
): string {
  const line = commandLine(command).trim();
  const shown = line.length > MAX_COMMAND
    ? `${startOf(line, MAX_COMMAND - 1)}…`
    : line;
  const how = exitCode === null ? "" : ` with exit status ${exitCode}`;
  return `a command failed${how}: ${shown}`;
}

// What is asked of a run beside that it ends well.

/** What is known of a run that something may be asked of. */
interface RunFacts extends Omit<Verdict, "isPassed" | "reasons"> {
  /** What there is to say of the first commands that failed. */
  readonly commands: readonly string[];
  /** How many requests of the model were declined. */
  readonly declinedCount: number;
  /** What the first of them were. */
  readonly declined: readonly string[];
}

function reason(
  kind: VerdictReasonKind,
  message: string,
  line: number | null = null,
): VerdictReason {
  return { kind, message, line };
}

/** Holds a run against what is asked of it. */
function demandedReasons(
  { maxFailures = 0, failOnCommand, failOnDeclined, maxTokens, jsonOutput }:
    VerdictOptions,
  facts: RunFacts,
): VerdictReason[] {
  const { failedLines, failures, finalMessage, tokens } = facts;
  const { failedCommands, commands, declinedCount, declined } = facts;
  const reasons: VerdictReason[] = [];
  if (failedLines > maxFailures) {
    const [first] = failures;
    const may = maxFailures === 0 ? "" : `, ${maxFailures} may fail`;
    const message = `${
      countedText(failedLines, "line")
    } could not be read${may}; the first is line ${first?.line}: ${first?.message}`;
    reasons.push(reason("failed_lines", message, first?.line ?? null));
  }
  if (failOnCommand) {
    const more = failedCommands - commands.length;
    const rest = more > 0
      ? [`${countedText(more, "more command")} failed`]
      : [];
    for (const message of [...commands, ...rest]) {
      reasons.push(reason("failed_command", message));
    }
  }
  if (failOnDeclined) {
    const more = declinedCount - declined.length;
    const named = declined.map((what) => `declined: ${what}`);
    const rest = more > 0
      ? [`${countedText(more, "more request")} declined`]
      : [];
    for (const message of [...named, ...rest]) {
      reasons.push(reason("declined", message));
    }
  }
  if (
    maxTokens !== undefined && tokens !== null &&
    tokens.total_tokens > maxTokens
  ) {
    const used = countText(tokens.total_tokens);
    const message = `${used} tokens were used, the limit is ${
      countText(maxTokens)
    }`;
    reasons.push(reason("max_tokens", message));
  }
  if (jsonOutput && !isJson(finalMessage)) {
    const message = finalMessage === null
      ? "there is no final message, which should be JSON"
      : "the final message is not valid JSON";
    reasons.push(reason("json_output", message));
  }
  return reasons;
}

function isJson(text: string | null): boolean {
  if (text === null) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// How a turn ended, where an event says it and where none does.

interface TurnEnd {
  readonly status: Exclude<Verdict["status"], null>;
  /** What is wrong with it; `undefined` if nothing is. */
  readonly reason?: {
    readonly kind: VerdictReasonKind;
    /** What follows the name of the turn in a sentence. */
    readonly message: string;
  };
}

/** What 0.8 says when it is interrupted. */
const INTERRUPTED = "Turn interrupted";

/**
 * Why turns are aborted. In the old dialect of exec streams that is all that is left of a
 * `turn_aborted`: normalized, it is a turn that failed for one of these words.
 */
const ABORT_REASONS: ReadonlySet<string | null> = new Set([
  "budget_limited",
  "interrupted",
  "replaced",
  "review_ended",
]);

/**
 * Judges how a turn ended.
 *
 * What ends with an event ended as that says. What ends without one, though its release writes
 * them, was cut off. Exec streams up to 0.42 (but for 0.8) and session files up to 0.98 have no
 * such events: there a turn that ends with an error failed, one that ends with an answer is
 * done, even if commands were left running, and any other one was cut off. A turn that was cut
 * off right behind an answer that was not to be the last cannot be told from one that is done.
 *
 * @param part How the transcript says that it ended, and why.
 * @param isUnanswered Whether its end says that a prompt was left without an answer.
 */
function judgeTurn(
  { status, error }: Pick<TurnEndedPart, "status" | "error">,
  { pendingError, endsWithAnswer }: WorkTrail,
  isUnanswered: boolean,
): TurnEnd {
  switch (status) {
    case "completed":
      return { status };
    case "failed":
      if (isUnanswered) {
        return failed(
          "turn_failed",
          "ended without an answer; the log does not say why",
        );
      }
      if (ABORT_REASONS.has(error)) return aborted(error);
      return failed("turn_failed", because("failed", error ?? pendingError));
    case "aborted":
      return aborted(error);
    case "open":
      return pendingError === null ? open() : judgeError(pendingError);
    case "unknown":
      if (pendingError !== null) return judgeError(pendingError);
      return endsWithAnswer ? { status: "completed" } : open();
  }
}

function judgeError(message: string): TurnEnd {
  if (message === INTERRUPTED) return aborted(null);
  return isRetryNotice(message)
    ? open(`: the last thing it says is "${message}"`)
    : failed("fatal_error", because("ended with an error", message));
}

/**
 * Gives what an error says: of JSON that a server sent, its message.
 *
 * @param text The message of an error: prose, JSON, or JSON behind prose.
 */
function errorText(text: string): string {
  const start = text.indexOf("{");
  if (start === -1) return text.trim();
  const fields = fieldsOf(parseJson(text.slice(start)));
  const inner = textOf(fieldsOf(fields.error).message) ??
    textOf(fields.message) ?? textOf(fields.detail) ?? "";
  return inner.trim() === ""
    ? text.trim()
    : text.slice(0, start) + inner.trim();
}

function failed(kind: VerdictReasonKind, message: string): TurnEnd {
  return { status: "failed", reason: { kind, message } };
}

function aborted(reason: string | null): TurnEnd {
  const why = reason === "interrupted" ? null : reason;
  const message = because("was interrupted", why);
  return { status: "aborted", reason: { kind: "interrupted", message } };
}

function open(why = ""): TurnEnd {
  const message = `has no end: the log ends before it does${why}`;
  return { status: "open", reason: { kind: "no_end", message } };
}

function because(what: string, why: string | null): string {
  return why === null || why.trim() === ""
    ? what
    : `${what}: ${errorText(why)}`;
}

/** How many failed lines, and commands that failed or were declined, are named. */
const MAX_NAMED = 10;
/** How many threads of an app-server but the first are told of at once; idle ones rest. */
const MAX_AWAKE = 64;
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
  isEnded: boolean;
  hasAnswer: boolean;
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
 * Judges runs: bytes in, the parts of their transcript out, so that a program that shows
 * them need not read the input again; in the end there is a {@linkcode Verdict}.
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
  /** Absent while the thread rests. */
  #transcript: TranscriptBuilder | undefined;
  readonly #counts = new EventTokens();
  /** What was used; `null` as long as nothing says it. */
  #tokens: Tokens | null = null;
  /** The judges of the other threads of an app-server, and what their transcripts say. */
  readonly #others = new Map<string, VerdictBuilder>();
  #parts: TranscriptPart[] = [];
  /** Those that do not rest, in the order of their last lines. */
  readonly #awake = new Set<VerdictBuilder>();
  /** The thread that is judged here, of those of an app-server. */
  #firstThread: string | undefined;
  readonly #declined: string[] = [];
  #declinedCount = 0;
  readonly #failures: VerdictFailure[] = [];
  readonly #commands: string[] = [];
  readonly #lastTurns = new Map<string, LastTurn>();
  readonly #work = new WorkTrail();
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
  #hear: (event: Fields) => void = () => {};
  #hearFailure: (failure: VerdictFailure) => void = () => {};

  /**
   * Constructs a new instance.
   *
   * @param options What to expect, and what to judge by.
   * @throws {RangeError} If the limit of lines is not a whole number from 1 to 2^29 - 24, or
   *   that of failures none from 0.
   */
  constructor(options: VerdictOptions = {}) {
    this.#options = options;
    if (options === OTHER_THREAD) return;
    checkedCount("maxFailures", options.maxFailures ?? 0);
    const { from, thread, maxLineBytes } = options;
    const { initialThreadId, initialTurnId } = options;
    this.#lines = new JsonlRecords({
      from,
      thread,
      maxLineBytes,
      only: options.turnsOnly ? TURN_LINES.types : undefined,
      except: UNHEARD_LINES,
      // Of a line that failed, why is enough.
      onError: "mark",
      initialThreadId,
      initialTurnId,
    });
  }

  /** @ignore Has something hear of each line before it is judged: its events, or that it failed. */
  hearLines(
    hear: (event: Fields) => void,
    hearFailure: (failure: VerdictFailure) => void,
  ): void {
    this.#hear = hear;
    this.#hearFailure = hearFailure;
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
    this.#told();
    this.#end(emit);
    for (const judge of this.#others.values()) {
      const parts = judge.#parts;
      judge.#parts = [];
      parts.forEach(emit);
      judge.#end(emit);
    }
  }

  #end(emit: Emit<TranscriptPart>): void {
    this.#transcript?.flush((part) => this.#see(part, emit));
    this.#endRun();
  }

  /** The transcript, which a thread that has rested begins anew. */
  #told(): TranscriptBuilder {
    if (this.#transcript !== undefined) return this.#transcript;
    const firstTurn = this.#turns + 1;
    const transcript = this.#transcript = new TranscriptBuilder({ firstTurn });
    transcript.tapEvents((event, reader, take) => {
      this.#reader = reader;
      this.#judge(event, reader.isSession, take);
    }, { isSelection: this.#options.turnsOnly });
    return transcript;
  }

  /** Gives up all of a thread but what is found out about it. */
  #rest(emit: Emit<TranscriptPart>): void {
    this.#end(emit);
    this.#transcript = undefined;
    this.#reader = undefined;
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
    const keep = this.#keeperOf(judge);
    judge.#take(outcome, keep);
    this.#awake.delete(judge);
    this.#awake.add(judge);
    if (this.#awake.size <= MAX_AWAKE) return;
    const [oldest = judge] = this.#awake;
    this.#awake.delete(oldest);
    const { isRun, isEnded } = oldest.#seen;
    // A turn that is going on has to be judged as a whole.
    if (isRun || isEnded) oldest.#rest(this.#keeperOf(oldest));
  }

  /** Keeps the parts of another thread until the input has ended, if they are wanted. */
  #keeperOf(judge: VerdictBuilder): Emit<TranscriptPart> {
    const isKept = this.#options.allThreads ?? true;
    const parts = judge.#parts;
    return (part) => {
      if (isKept) parts.push(part);
    };
  }

  /**
   * How a session file tells its history, if codexpipe does not know: then what it shows may not be all,
   * and the verdict may be wrong. See {@linkcode TranscriptBuilder.unknownMode}.
   */
  get unknownMode(): string | null {
    return this.#transcript?.unknownMode ?? null;
  }

  /** What is found out about the input; whole when it has been flushed. */
  get verdict(): Verdict {
    const judges = [this, ...this.#others.values()];
    const tokens = judges.map((judge) => judge.#tokens)
      .reduce((sum, more) => sum && more ? addTokens(sum, more) : sum ?? more);
    const ends = judges.map((judge) => judge.#status);
    const found = {
      threadId: this.#threadId,
      turns: sum(judges.map((judge) => judge.#turns)),
      status: ENDS.find((status) => ends.includes(status)) ?? null,
      finalMessage: this.#finalMessage,
      failedCommands: sum(judges.map((judge) => judge.#failedCommands)),
      failedLines: this.#failedLines,
      failures: this.#failures,
      tokens,
    };
    const demanded = demandedReasons(this.#options, {
      ...found,
      commands: judges.flatMap((judge) => judge.#commands).slice(0, MAX_NAMED),
      declinedCount: sum(judges.map((judge) => judge.#declinedCount)),
      declined: judges.flatMap((judge) => judge.#declined).slice(0, MAX_NAMED),
    });
    const reasons = [...VerdictBuilder.#reasonsOf(judges), ...demanded];
    return { isPassed: reasons.length === 0, reasons, ...found };
  }

  #take(outcome: Outcome<unknown>, emit: Emit<TranscriptPart>): void {
    this.#line = outcome.line;
    if (!outcome.ok) {
      const { line, error: { kind, message } } = outcome;
      this.#failedLines += 1;
      if (this.#failures.length < MAX_NAMED) {
        this.#failures.push({ line, kind, message });
      }
      this.#hearFailure({ line, kind, message });
    }
    this.#hasSign = false;
    this.#told().feed(outcome, (part) => this.#see(part, emit));
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
    this.#hear(event);
    const added = this.#counts.take(event)?.tokens;
    if (added !== undefined) {
      this.#tokens = addTokens(this.#tokens ?? NO_TOKENS, added);
    }
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
      case "failure":
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
      // Parts of a message that are blank are answers of their own in exec streams.
      if (answer.trim() !== "") this.#finalMessage = answer;
      else this.#finalMessage ??= answer;
    }
    if (seen.isEnded) return;
    for (const command of failedCommandsOf(record)) {
      this.#failedCommands += 1;
      if (this.#commands.length < MAX_NAMED) {
        this.#commands.push(command);
      }
    }
  }

  #endTurn(part: TurnEndedPart): void {
    const { turn, status } = part;
    // The log lacks the beginning of a turn that has nothing but an end.
    if (!this.#seen.hasEntries) this.#finalMessage ??= this.#messageBefore;
    this.#finalMessage ??= this.#lastMessage ?? null;
    const end = judgeTurn(part, this.#work, this.#isUnanswered);
    const isOver = status !== "open" && status !== "unknown";
    const line = isOver ? this.#line : null;
    this.#lastTurns.set(this.#threadKey, { end, turn, line });
    this.#status = end.status;
    this.#seen = { ...NOTHING_SEEN, isEnded: true };
  }

  /** Judges a run that had no turn, or one that an error ended after its last turn. */
  #endRun(): void {
    const { isRun, isEnded } = this.#seen;
    const { pendingError, hasWork } = this.#work;
    this.#seen = { ...NOTHING_SEEN };
    if (isEnded) {
      if (pendingError === null || this.#status !== "completed") return;
      const end = judgeError(pendingError);
      // A turn that is over has nothing to be tried again for.
      if (end.status !== "open") this.#judgeRun(end);
    } else if (isRun && !this.#isEmpty) {
      if (hasWork) {
        this.#turns += 1;
        const part = { status: "unknown", error: null } as const;
        this.#judgeRun(judgeTurn(part, this.#work, false));
      } else this.#judgeRun(NO_TURN);
    }
  }

  #judgeRun(end: TurnEnd): void {
    this.#status = end === NO_TURN ? null : end.status;
    this.#lastTurns.set(this.#threadKey, { end, turn: undefined, line: null });
  }

  /** Whether nothing was read, not even what tells nothing. */
  get #isEmpty(): boolean {
    return this.#line === 0 && (this.#lines?.records ?? 0) === 0;
  }

  /** What a thread is known by: its id, or, if it has none, its place. */
  get #threadKey(): string {
    return this.#threadId ?? `#${this.#runs}`;
  }

  /** What is wrong with the last turns. */
  #turnReasons(isOneOfMany: boolean): VerdictReason[] {
    if (this.#isEmpty) {
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

  /** What is wrong with the last turns of all threads. */
  static #reasonsOf(judges: readonly VerdictBuilder[]): VerdictReason[] {
    const reasons = judges.flatMap((judge) =>
      judge.#turnReasons(judges.length > 1)
    );
    // Threads may be looked at and left alone: it is enough if one of them did something.
    const isWorked = judges.length > 1 &&
      judges.some((judge) => judge.#turns > 0);
    return isWorked
      ? reasons.filter(({ kind }) => kind !== "no_turn")
      : reasons;
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
  if (item_type !== "file_change") {
    return textOf(content.command) ?? textOf(content.tool_name) ?? "a call";
  }
  const paths = listOf(content.changes).map((each) => fieldsOf(each).path);
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
