/** Judges how the turns of a thread ended. */

import { commandLine } from "../dialects/exec/command_line.ts";
import { isRetryNotice } from "../dialects/exec/retry_notices.ts";
import { isDeclined } from "../events/contents.ts";
import type { EventReader } from "../events/event_reader.ts";
import type { LastAnswer } from "../events/session_context.ts";
import { type AnyHistoryRecord, isKnownRecord } from "../history/records.ts";
import { type Fields, fieldsOf, idOf, listOf, textOf } from "../json/fields.ts";
import { shortened } from "../json/text_ends.ts";
import type { Outcome } from "../outcome.ts";
import type {
  EntryPart,
  TranscriptPart,
  TurnEndedPart,
} from "../render/parts.ts";
import { readableError } from "../render/record_text.ts";
import { TranscriptBuilder } from "../render/transcript.ts";
import type { Emit } from "../stage.ts";
import type { Tokens } from "../usage/tokens.ts";
import type { Verdict, VerdictReason, VerdictReasonKind } from "./verdict.ts";

/** The effect of an event on the state of a run: whether it goes on, has answered or failed. */
type WorkSign =
  | "error"
  /** A message of the model. In session files it is complete with its response item. */
  | "answer"
  /** A message of the model that has no response item. */
  | "message"
  /** A review ended with a result, which is shown, but not as the turn's message. */
  | "reviewed"
  /** A review failed or was interrupted. */
  | "unreviewed"
  /** The answer before a compaction may be just the summary, which has the same item id. */
  | "compacted"
  /** Context for the model: a fork begins with its own, behind the answers that it copied. */
  | "context"
  /** Any other item begins or happens. */
  | "work"
  /** An item that had begun is over. */
  | "settled"
  /** A turn begins or ends; errors before it no longer count. */
  | "begin"
  | "run";

/**
 * Items without an effect: notices, token counts, settings, answers to queries of a client, and
 * lists of tasks, which exec streams complete when the turn ends.
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
  "undo_completed",
]);
/** Items that begin with an event of their own. Their end may come after the answer. */
const SPANS: ReadonlySet<unknown> = new Set([
  "collab_tool_call",
  "command_execution",
  "mcp_tool_call",
]);

/** The message of releases around 0.36 after a compaction. No response item repeats it. */
const COMPACTED = "Compact task completed";

/** Determines the effect of an event; `undefined` if it has none. */
function readWorkSign(
  event: Fields,
  isSession: boolean,
): WorkSign | undefined {
  const { type, item_type } = event;
  switch (type) {
    case "error":
      return "error";
    case "thread.started":
      return "run";
    case "turn.started":
      // The prompt has begun the turn already.
      return event.implied === true ? undefined : "begin";
    case "turn.completed":
    case "turn.failed":
      return "begin";
    case "item.started":
    case "item.delta":
      return IDLE_ITEMS.has(item_type) ? undefined : "work";
    case "item.failed":
      return endSign(item_type, isSession);
    case "item.completed":
      // A notification of an app-server is no work: clients open threads only to read them, too.
      return event.method !== undefined
        ? undefined
        : readItem(event) ?? endSign(item_type, isSession);
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
  if (isSession && itemType === "file_change") return "settled";
  return SPANS.has(itemType) ? "settled" : "work";
}

/** Determines the effect of a completed item that is no call. */
function readItem({ item_type, content }: Fields): WorkSign | undefined {
  const { text, review_output, role } = fieldsOf(content);
  switch (item_type) {
    case "agent_message":
      return text === COMPACTED ? "message" : "answer";
    case "context_compaction":
      return "compacted";
    case "exited_review_mode":
      return review_output === null ? "unreviewed" : "reviewed";
    case "injected_context":
      // The first CLI reports errors as messages of the role `system`.
      return role === "system" ? "error" : "context";
    default:
      return undefined;
  }
}

/**
 * The state of a run: whether it last failed, answered or worked. Its end is judged by this state
 * where no event ends turns.
 */
class WorkTrail {
  /** The message of the last error, if no work came after it. */
  pendingError: string | null = null;
  /** Whether the last sign of work is a message of the model. */
  endsWithAnswer = false;
  /** Whether a review has ended in the turn without a result. */
  #isUnreviewed = false;
  hasWork = false;

  /** Applies the effect of an event; `message` is that of an error. */
  apply(sign: Exclude<WorkSign, "compacted">, message = ""): void {
    if (sign === "reviewed" || sign === "unreviewed") {
      this.#isUnreviewed = sign === "unreviewed";
      // Up to 0.61 no message repeats the result.
      if (sign === "reviewed") this.endsWithAnswer = true;
      return;
    }
    if (sign === "context") {
      this.hasWork = true;
      return;
    }
    this.pendingError = sign === "error" ? message : null;
    // An item that ends after an answer was left running.
    if (sign === "settled") return;
    // A message after a review without a result only says that the review was interrupted.
    this.endsWithAnswer = (sign === "answer" || sign === "message") &&
      !this.#isUnreviewed;
    const isBorder = sign === "begin" || sign === "run";
    if (sign === "run") this.hasWork = false;
    else if (!isBorder) this.hasWork = true;
    // Up to 0.98 the only sign of the next turn is its prompt.
    if (isBorder || sign === "work") this.#isUnreviewed = false;
  }
}

const MAX_COMMAND = 120;

function failedCommandsOf(record: AnyHistoryRecord): string[] {
  if (!isKnownRecord(record)) return [];
  if (record.type === "exec") {
    const { command, status, exit_code } = record.payload;
    return status === "error" ? [failedCommand(command, exit_code)] : [];
  }
  if (record.type !== "explore") return [];
  return record.payload.entries.flatMap(({ command, status }) => {
    if (status === "not_found") return [failedCommand(command, 1)];
    return typeof status === "string"
      ? []
      : [failedCommand(command, status.error.exit_code)];
  });
}

function failedCommand(
  command: readonly string[],
  exitCode: number | null,
): string {
  const shown = shortened(commandLine(command).trim(), MAX_COMMAND);
  const how = exitCode === null ? "" : ` with exit status ${exitCode}`;
  return `a command failed${how}: ${shown}`;
}

/** The limit of failed lines, failed commands and declined requests that are described. */
const MAX_NAMED = 10;

/** Things of one sort: how many there are, and the first of them. */
export class Named<T> {
  count = 0;
  readonly first: T[] = [];

  add(thing: T): void {
    this.count += 1;
    if (this.first.length < MAX_NAMED) this.first.push(thing);
  }

  static join<T>(all: readonly Named<T>[]): Named<T> {
    const joined = new Named<T>();
    for (const { first } of all) first.forEach((thing) => joined.add(thing));
    joined.count = all.reduce((sum, { count }) => sum + count, 0);
    return joined;
  }
}

export function reason(
  kind: VerdictReasonKind,
  message: string,
  line: number | null = null,
): VerdictReason {
  return { kind, message, line };
}

interface TurnEnd {
  readonly status: Exclude<Verdict["status"], null>;
  /** The reason that it is bad; `undefined` if it is good. */
  readonly reason?: {
    readonly kind: VerdictReasonKind;
    /** The rest of the sentence that begins with the name of the turn. */
    readonly message: string;
  };
}

/** The error message of 0.8 for an interruption; in 0.20, behind a space. */
const INTERRUPTED = "Turn interrupted";

/**
 * Judges how a turn ended.
 *
 * A turn with an end event ended as the event says. A turn without one, though its release writes
 * them, was cut off. Exec streams up to 0.42 (except 0.8) and session files up to 0.98 have no end
 * events: there a turn that ends with an error failed, one that ends with an answer is completed,
 * even if commands were left running, and any other one was cut off. A turn that was cut off right
 * after an answer that was not to be the last looks like a completed one.
 *
 * @param part The status and error of the turn in the transcript.
 * @param isUnanswered Whether its end event means that a prompt was left without an answer.
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
      if (isUnanswered && pendingError === null) {
        return failed(
          "turn_failed",
          "ended without an answer; the log does not say why",
        );
      }
      return failed("turn_failed", because("failed", error || pendingError));
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
  if (message.trim() === INTERRUPTED) return aborted(null);
  return isRetryNotice(message)
    ? open(`: the last thing it says is "${message}"`)
    : failed("fatal_error", because("ended with an error", message));
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

function because(fact: string, cause: string | null): string {
  return cause === null || cause.trim() === ""
    ? fact
    : `${fact}: ${readableError(cause)}`;
}

/** The observations of the turn in progress, or of a run before its first turn. */
class Seen {
  hasAnswer = false;
  hasEntries = false;
  /** `run`: no turn has begun; `ended`: the last turn has ended. */
  readonly stage: "run" | "turn" | "ended" | "none";

  constructor(stage: Seen["stage"]) {
    this.stage = stage;
  }
}

/** The end of a run that began no turn. */
const NO_TURN: TurnEnd = {
  status: "open",
  reason: { kind: "no_turn", message: "began no turn" },
};

/** The last turn of a thread, or its run if it had no turn. */
interface LastTurn {
  readonly end: TurnEnd;
  /** The number of the turn; `undefined` if the run had none. */
  readonly turn: number | undefined;
  /** The number of the line that ended it; `null` if none did. */
  readonly line: number | null;
}

/** Judges the last turn of a thread, and collects the facts that a verdict rests on. */
export class ThreadJudge {
  /** Is called with each event, before it is judged. */
  onEvent: (event: Fields) => void = () => {};
  threadId: string | null = null;
  turns = 0;
  status: Verdict["status"] = null;
  finalMessage: string | null = null;
  readonly commands: Named<string> = new Named();
  readonly declined: Named<string> = new Named();
  readonly #transcript = new TranscriptBuilder();
  readonly #lastTurns = new Map<string, LastTurn>();
  readonly #work = new WorkTrail();
  /** The item of the last answer, and whether an answer was the last work before it. */
  #lastItem: string | undefined;
  #hadAnswer = false;
  #reader: EventReader | undefined;
  #steps = 0;
  #answer: LastAnswer | null = null;
  #line = 0;
  #runs = 0;
  /** Whether the current event was copied from another thread, whose commands it has. */
  #isInherited = false;
  /** The id of the first record after those events, which may be shown only in a later event. */
  #firstOwnId = 0;
  #lastMessage: string | undefined;
  /** Whether the current event ends a turn that left its prompt without an answer. */
  #isUnanswered = false;
  /** The last message before the turn in progress, and whether it belongs to no other turn. */
  #messageBefore: string | null = null;
  #isMessageLoose = false;
  /** The observations of the turn in progress, or of the run. */
  #seen = new Seen("none");

  /** Whether only some of the lines are read. */
  readonly #isSelection: boolean;

  constructor(isSelection = false) {
    this.#isSelection = isSelection;
    this.#transcript.tapEvents((event, reader, take) => {
      this.#reader = reader;
      this.#judgeEvent(event, reader.isSession, take);
    }, { isSelection });
  }

  get tokens(): Tokens | null {
    return this.#transcript.tokens;
  }

  /** The `history_mode` of a session file, if it is unknown. */
  get unknownMode(): string | null {
    return this.#transcript.history.unknownMode;
  }

  /** Reads the outcome of a line, and emits the parts of the transcript that it completes. */
  feed(outcome: Outcome<unknown>, emit: Emit<TranscriptPart>): void {
    this.#line = outcome.line;
    this.#transcript.feed(outcome, (part) => this.#addPart(part, emit));
    this.#applyLine();
  }

  flush(emit: Emit<TranscriptPart>): void {
    this.#transcript.flush((part) => this.#addPart(part, emit));
    this.#endRun();
  }

  /** Applies the work and answers that the reader found in a line of a session file. */
  #applyLine(): void {
    const { steps = 0, lastAnswer = null } = this.#reader ?? {};
    if (steps !== this.#steps) this.#work.apply("work");
    this.#steps = steps;
    if (lastAnswer === this.#answer) return;
    this.#answer = lastAnswer;
    if (lastAnswer !== null) this.#work.apply("answer");
  }

  /** Handles an event, and passes it on to the transcript (`take`). */
  #judgeEvent(event: Fields, isSession: boolean, take: () => void): void {
    this.onEvent(event);
    this.#isInherited = event.inherited === true;
    const declined = this.#isInherited ? undefined : declinedOf(event);
    if (declined !== undefined) this.declined.add(`declined: ${declined}`);
    this.#lastMessage = idOf(event.last_agent_message);
    this.#isUnanswered = isWithoutReason(event);
    const sign = readWorkSign(event, isSession);
    const item = idOf(event.item_id);
    if (sign === "answer" || sign === "message") {
      this.#lastItem = item;
      this.#hadAnswer = this.#work.endsWithAnswer;
    }
    take();
    if (this.#isInherited) this.#firstOwnId = this.#transcript.history.nextId;
    // In session files, an answer is complete when its response item arrives.
    const isPart = isSession && sign === "answer";
    if (sign === undefined || isPart) return;
    // Only now: a turn that the event ends is judged by the state before the event.
    if (sign !== "compacted") this.#work.apply(sign, messageOf(event));
    else if (item === this.#lastItem) {
      // Session files since 0.136 hold the summary of a compaction as if it were an answer.
      this.#work.endsWithAnswer = this.#hadAnswer;
    }
  }

  #addPart(part: TranscriptPart, emit: Emit<TranscriptPart>): void {
    switch (part.type) {
      case "session":
        this.#endRun();
        this.#runs += 1;
        this.threadId = part.thread_id;
        this.finalMessage = null;
        this.status = null;
        this.#seen = new Seen("run");
        break;
      case "turn_started":
        this.turns += 1;
        this.#messageBefore = this.finalMessage;
        this.#isMessageLoose = this.#seen.hasAnswer;
        this.finalMessage = null;
        this.#seen = new Seen("turn");
        break;
      case "entry":
        this.#addEntry(part);
        break;
      case "turn_ended":
        this.#endTurn(part);
        break;
    }
    emit(part);
  }

  #addEntry({ id, record, phase, turn }: EntryPart): void {
    // An entry that ends after its turn was left running.
    if (phase === "late") return;
    const seen = this.#seen;
    if (turn !== null) seen.hasEntries = true;
    if (isKnownRecord(record) && record.type === "assistant_message") {
      seen.hasAnswer = true;
      this.finalMessage = record.payload.markdown;
    }
    const isInherited = this.#isInherited || id < this.#firstOwnId;
    if (seen.stage === "ended" || isInherited) return;
    for (const command of failedCommandsOf(record)) this.commands.add(command);
  }

  #endTurn(part: TurnEndedPart): void {
    const { turn, status } = part;
    const isEmpty = !this.#seen.hasEntries;
    const last = this.#lastTurns.get(this.#threadKey);
    // Codex begins a turn for a goal by itself, and stops it when it exits: the last turn counts.
    // Only files have the prompts of other turns.
    const isStopped = isEmpty && this.#reader?.isSession === true &&
      !this.#isSelection && status === "aborted" && last !== undefined;
    // The log lacks the start of a turn without entries: the message before it belongs to it.
    if (isStopped || (isEmpty && this.#isMessageLoose)) {
      this.finalMessage ??= this.#messageBefore;
    }
    this.#seen = new Seen("ended");
    if (isStopped) return;
    this.finalMessage ??= this.#lastMessage ?? null;
    const end = judgeTurn(part, this.#work, this.#isUnanswered);
    const isOver = status !== "open" && status !== "unknown";
    const line = isOver ? this.#line : null;
    this.#lastTurns.set(this.#threadKey, { end, turn, line });
    this.status = end.status;
  }

  /** Judges a run that had no turn, or one that an error ended after its last turn. */
  #endRun(): void {
    const { stage } = this.#seen;
    const { pendingError, hasWork } = this.#work;
    this.#seen = new Seen("none");
    if (stage === "ended") {
      if (pendingError === null || this.status !== "completed") return;
      const end = judgeError(pendingError);
      // An error after which Codex tries again is no failure of a turn that is over.
      if (end.status !== "open") this.#judgeRun(end);
    } else if (stage === "run") {
      if (hasWork) {
        this.turns += 1;
        const part = { status: "unknown", error: null } as const;
        this.#judgeRun(judgeTurn(part, this.#work, false));
      } else this.#judgeRun(NO_TURN);
    }
  }

  #judgeRun(end: TurnEnd): void {
    this.status = end === NO_TURN ? null : end.status;
    this.#lastTurns.set(this.#threadKey, { end, turn: undefined, line: null });
  }

  /** The key of the thread: its id, or, if it has none, the number of its run. */
  get #threadKey(): string {
    return this.threadId ?? `#${this.#runs}`;
  }

  /**
   * Returns the reasons against the last turns of the thread, or of the threads of a session file.
   *
   * @param isOneOfMany Whether the messages name the thread in any case.
   */
  reasons(isOneOfMany: boolean): VerdictReason[] {
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
}

/** Describes a declined command or patch; `undefined` if the event declines nothing. */
function declinedOf(event: Fields): string | undefined {
  const { type, item_type } = event;
  if (type !== "item.completed" || !isDeclined(event)) return undefined;
  const content = fieldsOf(event.content);
  if (item_type !== "file_change") {
    return textOf(content.command) ?? textOf(content.tool_name) ?? "a call";
  }
  const paths = listOf(content.changes).map((each) => fieldsOf(each).path);
  return `a change of ${paths.join(", ")}`;
}

/** Returns the message of an error: an event, or a message of the role `system`. */
function messageOf({ type, message, content }: Fields): string {
  return textOf(type === "error" ? message : fieldsOf(content).text) ?? "";
}

/**
 * Whether an event is a failed turn without a reason: session files of some releases end so when a
 * request failed.
 */
function isWithoutReason({ type, reason, error, line }: Fields): boolean {
  // Only events of session files have a line.
  return type === "turn.failed" && reason === undefined && line !== undefined &&
    fieldsOf(error).message === "";
}
