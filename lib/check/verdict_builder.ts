/** Judges the runs in an input and explains the verdict. */

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
import { shortened } from "../render/cut_text.ts";
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
 * The kind of a reason for a bad verdict. This list may expand over time.
 *
 * - `turn_failed`: the last turn of a thread failed, as its end event says.
 * - `fatal_error`: an error is the last event. Releases up to 0.42 end so when a turn fails.
 * - `interrupted`: the last turn of a thread was interrupted.
 * - `no_end`: the input ends before the last turn of a thread does.
 * - `no_turn`: no turn was begun.
 * - `failed_lines`: more lines than `maxFailures` could not be read.
 * - `failed_command`: a command failed, with `failOnCommand`.
 * - `declined`: a command or a patch was declined, with `failOnDeclined`.
 * - `max_tokens`: more tokens than `maxTokens` were used.
 * - `json_output`: the final message is no JSON, with `jsonOutput`.
 * - `schema`: lines do not match their JSON Schema; only `codexpipe check --schema` adds it.
 * - `drift`: the input has a record type or field that no known release of Codex writes; only
 *   `codexpipe check --fail-on-drift` adds it.
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
  /** The kind of the reason. */
  readonly kind: VerdictReasonKind;
  /**
   * A sentence for people, without a capital and a full stop. It may quote any text of the log:
   * escape it for the medium in which it is shown.
   */
  readonly message: string;
  /** The number of the line where the problem shows, from 1; `null` if no single line shows it. */
  readonly line: number | null;
}

/** A line that could not be read. */
export interface VerdictFailure {
  /** The number of the line, from 1. */
  readonly line: number;
  /** The kind of the error, such as `json`. */
  readonly kind: string;
  /** The cause, as a sentence. */
  readonly message: string;
}

/** The judgement on the runs in an input, and the facts that it rests on. */
export interface Verdict {
  /** Whether there are no reasons against the runs. */
  readonly isPassed: boolean;
  /** The reasons for a bad verdict: first the ends of turns, then the demands of the options. */
  readonly reasons: readonly VerdictReason[];
  /** The id of the last thread, in an app-server's input of the first; `null` if it has none. */
  readonly threadId: string | null;
  /** The number of turns. */
  readonly turns: number;
  /**
   * How the last turn ended; of an app-server's threads, the worst such end. Guessed where no event
   * ends turns. `null` if there is no turn.
   */
  readonly status: Exclude<TurnStatus, "unknown"> | null;
  /** The last message of the last turn; `null` if it has none. */
  readonly finalMessage: string | null;
  /** The number of commands that failed. */
  readonly failedCommands: number;
  /** The number of lines that could not be read. */
  readonly failedLines: number;
  /** The first failed lines, ten at most. */
  readonly failures: readonly VerdictFailure[];
  /** The tokens that were used; `null` if the input has no counts. */
  readonly tokens: Tokens | null;
}

/** Options for {@linkcode VerdictBuilder}. */
export interface VerdictOptions {
  /**
   * The dialects to expect. `auto` decides by the first line that is a JSON object.
   *
   * @default {"auto"}
   */
  readonly from?: Dialect | undefined;
  /**
   * The longest line that is read, in bytes; longer ones fail.
   *
   * @default {268435456}
   */
  readonly maxLineBytes?: number | undefined;
  /**
   * The id of the only thread that is judged.
   *
   * @default {undefined} All threads are judged.
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
   * The number of lines that may fail.
   *
   * @default {0}
   */
  readonly maxFailures?: number | undefined;
  /**
   * Whether a failed command is a reason. A command that was left running when its turn ended never
   * counts as failed.
   *
   * @default {false}
   */
  readonly failOnCommand?: boolean | undefined;
  /**
   * Whether a declined command or patch is a reason.
   *
   * @default {false}
   */
  readonly failOnDeclined?: boolean | undefined;
  /**
   * The number of tokens, input and output together, that may be used.
   *
   * @default {undefined} There is no limit.
   */
  readonly maxTokens?: bigint | undefined;
  /**
   * Whether the whole final message must be JSON.
   *
   * @default {false}
   */
  readonly jsonOutput?: boolean | undefined;
  /**
   * Whether to read only the lines about threads, turns and tokens, which takes a fifth of the
   * time. Tokens and durations are then still exact. The status `completed` is reliable; the others may be
   * wrong, because messages and commands were not read.
   *
   * @default {false}
   */
  readonly turnsOnly?: boolean | undefined;
  /**
   * Whether the transcript parts of all threads of an app-server are emitted, and not only those of
   * the first. Those of the others are held in memory until the input has ended.
   *
   * @default {true}
   */
  readonly allThreads?: boolean | undefined;
}

/** The lines about threads, turns and tokens. */
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
 * The lines that are skipped because they reveal nothing about the end of a run. Messages of the
 * developer are skipped only where lines have ordinals ("#"): in older session files they begin a
 * turn, while newer ones have an event for that.
 */
const SKIPPED_LINES: readonly string[] = [
  ...IDLE_LINES,
  "#response_item/message/developer",
];

/**
 * The effect of an event on the state of a run: whether the run goes on, has answered or failed.
 *
 * - `error`: an error.
 * - `answer`: a message of the model. In session files it is complete with its response item.
 * - `message`: a message of the model that has no response item.
 * - `reviewed`: a review ended with a result, which is shown, but not as the turn's message.
 * - `unreviewed`: a review ended without a result, because it failed or was interrupted.
 * - `compacted`: the context was compacted. The answer before it may be just the summary, which
 *   has the same item id.
 * - `work`: an item that has no word of its own in this list begins or happens.
 * - `settled`: an item that had begun is over.
 * - `begin`: a turn begins or ends; errors before it no longer count.
 * - `run`: a run begins.
 */
type WorkSign =
  | "error"
  | "answer"
  | "message"
  | "reviewed"
  | "unreviewed"
  | "compacted"
  | "work"
  | "settled"
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
]);
/** Items that begin with an event of their own. Their end may come after the answer. */
const SPANS: ReadonlySet<unknown> = new Set([
  "collab_tool_call",
  "command_execution",
  "mcp_tool_call",
]);

/** The message of releases around 0.36 after a compaction. No response item repeats it. */
const COMPACTED = "Compact task completed";

/**
 * Determines the effect of an event on the state of a run.
 *
 * @returns The effect; `undefined` if the event has none.
 */
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
      return role === "system" ? "error" : "work";
    default:
      return undefined;
  }
}

/** The state before an answer, restored if the answer proves to be the summary of a compaction. */
interface BeforeAnswer {
  readonly item: string | undefined;
  readonly endsWithAnswer: boolean;
  readonly hasAnswer: boolean;
  readonly finalMessage: string | null;
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

  /**
   * Applies the effect of an event.
   *
   * @param message The message, if it is an error.
   */
  apply(sign: Exclude<WorkSign, "compacted">, message = ""): void {
    if (sign === "reviewed" || sign === "unreviewed") {
      this.#isUnreviewed = sign === "unreviewed";
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

/** The limit of a command in a reason, in characters. */
const MAX_COMMAND = 120;

/** Returns the text of a message of the model; nothing for any other record. */
function answerOf(record: AnyHistoryRecord): string | undefined {
  return isKnownRecord(record) && record.type === "assistant_message"
    ? record.payload.markdown
    : undefined;
}

/** Describes the failed commands of a record. */
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
  const shown = shortened(commandLine(command).trim(), MAX_COMMAND);
  const how = exitCode === null ? "" : ` with exit status ${exitCode}`;
  return `a command failed${how}: ${shown}`;
}

/** The limit of failed lines, failed commands and declined requests that are described. */
const MAX_NAMED = 10;

/** Things of one sort: how many there are, and the first of them. */
class Named<T> {
  count = 0;
  readonly first: T[] = [];

  add(thing: T): void {
    this.count += 1;
    if (this.first.length < MAX_NAMED) this.first.push(thing);
  }

  static join<T>(all: readonly Named<T>[]): Named<T> {
    const joined = new Named<T>();
    for (const { first } of all) first.forEach((thing) => joined.add(thing));
    joined.count = sum(all.map(({ count }) => count));
    return joined;
  }
}

function reason(
  kind: VerdictReasonKind,
  message: string,
  line: number | null = null,
): VerdictReason {
  return { kind, message, line };
}

/** Returns a reason for each demand of the options that the runs do not meet. */
function demandedReasons(
  { maxFailures = 0, failOnCommand, failOnDeclined, maxTokens, jsonOutput }:
    VerdictOptions,
  { failedLines, failures, finalMessage, tokens }: Omit<
    Verdict,
    "isPassed" | "reasons"
  >,
  commands: Named<string>,
  declined: Named<string>,
): VerdictReason[] {
  const reasons: VerdictReason[] = [];
  if (failedLines > maxFailures) {
    const [first] = failures;
    const may = maxFailures === 0 ? "" : `, ${maxFailures} may fail`;
    const message = `${
      countedText(failedLines, "line")
    } could not be read${may}; the first is line ${first?.line}: ${first?.message}`;
    reasons.push(reason("failed_lines", message, first?.line ?? null));
  }
  const addAll = (
    kind: VerdictReasonKind,
    { first, count }: Named<string>,
    [thing, verb]: readonly [string, string],
  ): void => {
    for (const message of first) reasons.push(reason(kind, message));
    const more = count - first.length;
    if (more === 0) return;
    reasons.push(reason(kind, `${countedText(more, `more ${thing}`)} ${verb}`));
  };
  if (failOnCommand) {
    addAll("failed_command", commands, ["command", "failed"]);
  }
  if (failOnDeclined) addAll("declined", declined, ["request", "declined"]);
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
  if (jsonOutput && parseJson(finalMessage ?? "") === undefined) {
    const message = finalMessage === null
      ? "there is no final message, which should be JSON"
      : "the final message is not valid JSON";
    reasons.push(reason("json_output", message));
  }
  return reasons;
}

/** The judged end of a turn. */
interface TurnEnd {
  readonly status: Exclude<Verdict["status"], null>;
  /** The reason that it is bad; `undefined` if it is good. */
  readonly reason?: {
    readonly kind: VerdictReasonKind;
    /** The rest of the sentence that begins with the name of the turn. */
    readonly message: string;
  };
}

/** The error message of 0.8 for an interruption. */
const INTERRUPTED = "Turn interrupted";

/**
 * The reasons of `turn_aborted` events. In the old dialect of exec streams only the reason is left
 * of such an event: normalized, it is a `turn.failed` with one of these words as its message.
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
 * Returns the readable text of an error: where it holds JSON of a server, the message in that.
 *
 * @param text The message of an error: prose, JSON, or prose followed by JSON.
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

function because(fact: string, cause: string | null): string {
  return cause === null || cause.trim() === ""
    ? fact
    : `${fact}: ${errorText(cause)}`;
}

/**
 * The number of threads of an app-server, beside the first, that hold a transcript at once. Above
 * it, the thread whose last line is the oldest drops its transcript, unless a turn is in progress.
 */
const MAX_ACTIVE = 64;
/** The options of the builders for the further threads of an app-server: they read no bytes. */
const OTHER_THREAD: VerdictOptions = {};
/** The ends of turns, the worst first. */
const ENDS: readonly Verdict["status"][] = [
  "failed",
  "aborted",
  "open",
  "completed",
];

/** The observations of the turn in progress, or of a run before its first turn. */
class Seen {
  hasAnswer = false;
  hasEntries = false;

  /** @param stage `run`: no turn has begun; `ended`: the last turn has ended. */
  constructor(readonly stage: "run" | "turn" | "ended" | "none") {}
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

/**
 * Judges runs: bytes in, the parts of their transcript out, so that a program that also shows them
 * need not read the input twice. After `flush`, `verdict` is the {@linkcode Verdict}.
 *
 * It reads exec streams, the messages of app-servers and session files of every release. Each
 * thread is judged by its last turn: a failure no longer counts once the thread was resumed and
 * ended well. An input with several threads passes if all of them do. The parts of an app-server's
 * first thread are emitted as they come, those of the others when the input has ended.
 *
 * A turn ended as its end event says. Where a release writes no such events, a turn ended badly if
 * an error is the last event, or if it does not end with a message of the model. Errors after which
 * Codex tries again (`Reconnecting... 1/5`), warnings and commands that were left running are no
 * failures.
 *
 * No input makes it throw. Memory is bounded as that of the transcript is, and by the number of
 * threads and turns.
 *
 * @example A budget of tokens, and a message that a program will parse
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
  /** Absent in the builder of a further thread, whose records the first builder passes to it. */
  readonly #lines: JsonlRecords | undefined;
  /** Absent while the thread is suspended. */
  #transcript: TranscriptBuilder | undefined;
  readonly #counts = new EventTokens();
  /** The tokens used; `null` until an event has a count. */
  #tokens: Tokens | null = null;
  /** The builders of the further threads of an app-server, by thread id. */
  readonly #others = new Map<string, VerdictBuilder>();
  /** In such a builder, the parts that are emitted when the input has ended. */
  #parts: TranscriptPart[] = [];
  /** The builders that are not suspended, in the order of their last lines. */
  readonly #active = new Set<VerdictBuilder>();
  /** The id of the first thread of an app-server, which this builder judges. */
  #firstThread: string | undefined;
  readonly #declined = new Named<string>();
  readonly #failures = new Named<VerdictFailure>();
  readonly #commands = new Named<string>();
  readonly #lastTurns = new Map<string, LastTurn>();
  readonly #work = new WorkTrail();
  /** The state before the last answer. */
  #beforeAnswer: BeforeAnswer | undefined;
  #reader: EventReader | undefined;
  /** The `steps` of the reader after the last line. */
  #steps = 0;
  /** The `lastAnswer` of the reader after the last line. */
  #answer: LastAnswer | null = null;
  /** Whether an event of the current line had an effect on the state of the run. */
  #hasSign = false;
  #line = 0;
  #turns = 0;
  #runs = 0;
  #threadId: string | null = null;
  #status: Verdict["status"] = null;
  #finalMessage: string | null = null;
  /** The `last_agent_message` of the current event. */
  #lastMessage: string | undefined;
  /** Whether the current event ends a turn that left its prompt without an answer. */
  #isUnanswered = false;
  /** The last message before the turn in progress, if it belongs to no other turn. */
  #messageBefore: string | null = null;
  /** The observations of the turn in progress, or of the run. */
  #seen = new Seen("none");
  #onEvent: (event: Fields) => void = () => {};
  #onFailure: (failure: VerdictFailure) => void = () => {};

  /**
   * Constructs a new instance.
   *
   * @param options The dialects, limits and demands.
   * @throws {RangeError} If `maxLineBytes` is not a whole number from 1 to 2^29 - 24, or
   *   `maxFailures` none from 0.
   */
  constructor(options: VerdictOptions = {}) {
    this.#options = options;
    if (options === OTHER_THREAD) return;
    checkedCount("maxFailures", options.maxFailures ?? 0);
    this.#lines = new JsonlRecords({
      ...options,
      only: options.turnsOnly ? TURN_LINES.types : undefined,
      except: SKIPPED_LINES,
      // The text of failed lines is not needed.
      onError: "mark",
    });
  }

  /** @ignore Sets callbacks for each event, and each failed line, before it is judged. */
  hearLines(
    onEvent: (event: Fields) => void,
    onFailure: (failure: VerdictFailure) => void,
  ): void {
    this.#onEvent = onEvent;
    this.#onFailure = onFailure;
  }

  /**
   * Reads a block and emits the parts of the transcript that it completes.
   *
   * @param block The bytes; they may be used again afterwards.
   * @param emit Is called with each part.
   */
  feed(block: Uint8Array, emit: Emit<TranscriptPart>): void {
    this.#lines?.feed(block, (outcome) => this.#route(outcome, emit));
  }

  /**
   * Ends the input and emits the parts that were held back.
   *
   * @param emit Is called with each part.
   */
  flush(emit: Emit<TranscriptPart>): void {
    this.#lines?.flush((outcome) => this.#route(outcome, emit));
    this.#openTranscript();
    this.#end(emit);
    for (const judge of this.#others.values()) {
      const parts = judge.#parts;
      judge.#parts = [];
      parts.forEach(emit);
      judge.#end(emit);
    }
  }

  #end(emit: Emit<TranscriptPart>): void {
    this.#transcript?.flush((part) => this.#addPart(part, emit));
    this.#endRun();
  }

  /** Returns the transcript. A thread that was suspended begins a new one. */
  #openTranscript(): TranscriptBuilder {
    if (this.#transcript !== undefined) return this.#transcript;
    const firstTurn = this.#turns + 1;
    const transcript = this.#transcript = new TranscriptBuilder({ firstTurn });
    transcript.tapEvents((event, reader, take) => {
      this.#reader = reader;
      this.#judgeEvent(event, reader.isSession, take);
    }, { isSelection: this.#options.turnsOnly });
    return transcript;
  }

  /** Frees the transcript of a thread; only the findings for the verdict stay. */
  #suspend(emit: Emit<TranscriptPart>): void {
    this.#end(emit);
    this.#transcript = undefined;
    this.#reader = undefined;
  }

  /** Passes an outcome to the builder of its thread: those of an app-server are interleaved. */
  #route(outcome: Outcome<unknown>, emit: Emit<TranscriptPart>): void {
    const isOfServer = this.#lines?.kind === "app-server";
    const thread = isOfServer && outcome.ok
      ? idOf(fieldsOf(outcome.value).thread_id)
      : undefined;
    if (thread !== undefined) this.#firstThread ??= thread;
    if (thread === this.#firstThread || thread === undefined) {
      return this.#judgeOutcome(outcome, emit);
    }
    let judge = this.#others.get(thread);
    if (judge === undefined) {
      judge = new VerdictBuilder(OTHER_THREAD);
      this.#others.set(thread, judge);
    }
    const sink = this.#sinkFor(judge);
    judge.#judgeOutcome(outcome, sink);
    this.#active.delete(judge);
    this.#active.add(judge);
    if (this.#active.size <= MAX_ACTIVE) return;
    const [oldest = judge] = this.#active;
    this.#active.delete(oldest);
    const { stage } = oldest.#seen;
    // A turn in progress has to be judged as a whole.
    if (stage === "run" || stage === "ended") {
      oldest.#suspend(this.#sinkFor(oldest));
    }
  }

  /** Returns a sink that keeps the parts of a further thread, or drops them (`allThreads`). */
  #sinkFor(judge: VerdictBuilder): Emit<TranscriptPart> {
    const isKept = this.#options.allThreads ?? true;
    const parts = judge.#parts;
    return (part) => {
      if (isKept) parts.push(part);
    };
  }

  /**
   * The `history_mode` of a session file, if codexpipe does not know it: then the transcript may be
   * incomplete, and the verdict wrong. See {@linkcode TranscriptBuilder.unknownMode}.
   */
  get unknownMode(): string | null {
    return this.#transcript?.unknownMode ?? null;
  }

  /** The verdict on the input so far; final after `flush`. */
  get verdict(): Verdict {
    const judges = [this, ...this.#others.values()];
    const tokens = judges.map((judge) => judge.#tokens)
      .reduce((sum, more) => sum && more ? addTokens(sum, more) : sum ?? more);
    const ends = judges.map((judge) => judge.#status);
    const commands = Named.join(judges.map((judge) => judge.#commands));
    const declined = Named.join(judges.map((judge) => judge.#declined));
    const facts = {
      threadId: this.#threadId,
      turns: sum(judges.map((judge) => judge.#turns)),
      status: ENDS.find((status) => ends.includes(status)) ?? null,
      finalMessage: this.#finalMessage,
      failedCommands: commands.count,
      failedLines: this.#failures.count,
      failures: this.#failures.first,
      tokens,
    };
    const reasons = [
      ...VerdictBuilder.#reasonsOf(judges),
      ...demandedReasons(this.#options, facts, commands, declined),
    ];
    return { isPassed: reasons.length === 0, reasons, ...facts };
  }

  #judgeOutcome(outcome: Outcome<unknown>, emit: Emit<TranscriptPart>): void {
    this.#line = outcome.line;
    if (!outcome.ok) {
      const { line, error: { kind, message } } = outcome;
      this.#failures.add({ line, kind, message });
      this.#onFailure({ line, kind, message });
    }
    this.#hasSign = false;
    this.#openTranscript().feed(outcome, (part) => this.#addPart(part, emit));
    this.#applyLine();
  }

  /**
   * Applies the work and answers that the reader found in a line of a session file without events.
   */
  #applyLine(): void {
    const { steps = 0, lastAnswer = null } = this.#reader ?? {};
    if (steps !== this.#steps && !this.#hasSign) this.#work.apply("work");
    this.#steps = steps;
    if (lastAnswer === this.#answer) return;
    this.#answer = lastAnswer;
    if (lastAnswer !== null) this.#work.apply("answer");
  }

  /** Handles an event, and passes it on to the transcript (`take`). */
  #judgeEvent(event: Fields, isSession: boolean, take: () => void): void {
    this.#onEvent(event);
    const added = this.#counts.take(event)?.tokens;
    if (added !== undefined) {
      this.#tokens = addTokens(this.#tokens ?? NO_TOKENS, added);
    }
    const declined = declinedOf(event);
    if (declined !== undefined) this.#declined.add(`declined: ${declined}`);
    this.#lastMessage = idOf(event.last_agent_message);
    this.#isUnanswered = isSession && isWithoutReason(event);
    const sign = readWorkSign(event, isSession);
    const item = idOf(event.item_id);
    if (sign === "answer" || sign === "message") {
      this.#beforeAnswer = {
        item,
        endsWithAnswer: this.#work.endsWithAnswer,
        hasAnswer: this.#seen.hasAnswer,
        finalMessage: this.#finalMessage,
      };
    }
    take();
    // In session files, an answer is complete when its response item arrives.
    const isPart = isSession && sign === "answer";
    if (sign === undefined || isPart) return;
    this.#hasSign = true;
    // Only now: a turn that the event ends is judged by the state before the event.
    if (sign === "compacted") this.#takeBackSummary(item);
    else this.#work.apply(sign, messageOf(event));
  }

  /**
   * Withdraws an answer that is the summary of a compaction: session files since 0.136 hold it as
   * if it were a message to the user.
   */
  #takeBackSummary(item: string | undefined): void {
    const before = this.#beforeAnswer;
    this.#beforeAnswer = undefined;
    if (before === undefined || before.item !== item) return;
    this.#work.endsWithAnswer = before.endsWithAnswer;
    this.#seen.hasAnswer = before.hasAnswer;
    this.#finalMessage = before.finalMessage;
  }

  #addPart(part: TranscriptPart, emit: Emit<TranscriptPart>): void {
    switch (part.type) {
      case "session":
        this.#endRun();
        this.#runs += 1;
        this.#threadId = part.thread_id;
        this.#finalMessage = null;
        this.#status = null;
        this.#seen = new Seen("run");
        break;
      case "turn_started":
        this.#turns += 1;
        this.#messageBefore = this.#seen.hasAnswer ? this.#finalMessage : null;
        this.#finalMessage = null;
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

  #addEntry({ record, phase, turn }: EntryPart): void {
    // An entry that ends after its turn was left running.
    if (phase === "late") return;
    const seen = this.#seen;
    const answer = answerOf(record);
    if (turn !== null) seen.hasEntries = true;
    if (answer !== undefined) {
      seen.hasAnswer = true;
      this.#finalMessage = answer;
    }
    if (seen.stage === "ended") return;
    for (const command of failedCommandsOf(record)) this.#commands.add(command);
  }

  #endTurn(part: TurnEndedPart): void {
    const { turn, status } = part;
    // The log lacks the start of a turn without entries: the message before it belongs to it.
    if (!this.#seen.hasEntries) this.#finalMessage ??= this.#messageBefore;
    this.#finalMessage ??= this.#lastMessage ?? null;
    const end = judgeTurn(part, this.#work, this.#isUnanswered);
    const isOver = status !== "open" && status !== "unknown";
    const line = isOver ? this.#line : null;
    this.#lastTurns.set(this.#threadKey, { end, turn, line });
    this.#status = end.status;
    this.#seen = new Seen("ended");
  }

  /** Judges a run that had no turn, or one that an error ended after its last turn. */
  #endRun(): void {
    const { stage } = this.#seen;
    const { pendingError, hasWork } = this.#work;
    this.#seen = new Seen("none");
    if (stage === "ended") {
      if (pendingError === null || this.#status !== "completed") return;
      const end = judgeError(pendingError);
      // An error after which Codex tries again is no failure of a turn that is over.
      if (end.status !== "open") this.#judgeRun(end);
    } else if (stage === "run" && !this.#isEmpty) {
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

  /** Whether no line was read, not even a skipped one. */
  get #isEmpty(): boolean {
    return this.#line === 0 && (this.#lines?.records ?? 0) === 0;
  }

  /** The key of the thread: its id, or, if it has none, the number of its run. */
  get #threadKey(): string {
    return this.#threadId ?? `#${this.#runs}`;
  }

  /** The reasons against the last turns of the threads that this builder judges. */
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

  /** The reasons against the last turns of all threads. */
  static #reasonsOf(judges: readonly VerdictBuilder[]): VerdictReason[] {
    const reasons = judges.flatMap((judge) =>
      judge.#turnReasons(judges.length > 1)
    );
    // Clients may open threads only to read them: it is enough if one of them had a turn.
    const isWorked = judges.length > 1 &&
      judges.some((judge) => judge.#turns > 0);
    return isWorked
      ? reasons.filter(({ kind }) => kind !== "no_turn")
      : reasons;
  }
}

/** Describes a declined command or patch; `undefined` if the event declines nothing. */
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

/** Returns the message of an error: an event, or a message of the role `system`. */
function messageOf({ type, message, content }: Fields): string {
  return textOf(type === "error" ? message : fieldsOf(content).text) ?? "";
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

/**
 * Whether an event is a failed turn without a reason: session files of some releases end so when a
 * request failed.
 */
function isWithoutReason({ type, reason, error }: Fields): boolean {
  return type === "turn.failed" && reason === undefined &&
    fieldsOf(error).message === "";
}
