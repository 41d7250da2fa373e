/** Judges the runs in an input and explains the verdict. */

import { checkedCount } from "../checked.ts";
import { IDLE_LINES, LineSelection } from "../events/line_selection.ts";
import { type Fields, fieldsOf, idOf, parseJson } from "../json/fields.ts";
import type { Outcome } from "../outcome.ts";
import { JsonlRecords } from "../pipeline/jsonl_records.ts";
import type { JsonlOptions } from "../pipeline/line_answers.ts";
import type { TranscriptPart } from "../render/parts.ts";
import { countedText, countText } from "../render/quantity_text.ts";
import type { Emit, Stage } from "../stage.ts";
import { TYPES_OF_COUNTS } from "../usage/event_counts.ts";
import { addTokens } from "../usage/tokens.ts";
import { Named, reason, ThreadJudge } from "./thread_judge.ts";
import type {
  Verdict,
  VerdictFailure,
  VerdictReason,
  VerdictReasonKind,
} from "./verdict.ts";

/** Options for {@linkcode VerdictBuilder}. */
export interface VerdictOptions extends
  Pick<
    JsonlOptions,
    "from" | "initialThreadId" | "initialTurnId" | "maxLineBytes" | "thread"
  > {
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
   * time. Tokens and durations are then still exact. The status `completed` is reliable; the others
   * may be wrong, because messages and commands were not read.
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
  ...TYPES_OF_COUNTS,
  "turn.ended",
  "thread_goal_updated",
  "thread_settings_applied",
  "error",
]);

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
  const [first] = failures;
  if (failedLines > maxFailures && first !== undefined) {
    const may = maxFailures === 0 ? "" : `, ${maxFailures} may fail`;
    const message = `${
      countedText(failedLines, "line")
    } could not be read${may}; the first is line ${first.line}: ${first.message}`;
    reasons.push(reason("failed_lines", message, first.line));
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

/** The ends of turns, the worst first. */
const ENDS: readonly Verdict["status"][] = [
  "failed",
  "aborted",
  "open",
  "completed",
];

interface OtherThread {
  readonly judge: ThreadJudge;
  /** The parts that are emitted when the input has ended. */
  readonly parts: TranscriptPart[];
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
  readonly #lines: JsonlRecords;
  /** The judge of the first thread, with all lines that name no thread. */
  readonly #first: ThreadJudge;
  #firstId: string | undefined;
  readonly #others = new Map<string, OtherThread>();
  readonly #failures = new Named<VerdictFailure>();
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
    checkedCount("maxFailures", options.maxFailures ?? 0);
    this.#first = new ThreadJudge(options.turnsOnly);
    this.#lines = new JsonlRecords({
      ...options,
      only: options.turnsOnly ? TURN_LINES.types : undefined,
      except: IDLE_LINES,
      // The text of failed lines is not needed.
      onError: "mark",
    });
  }

  /** @ignore Sets callbacks for each event, and each failed line, before it is judged. */
  hearLines(
    onEvent: (event: Fields) => void,
    onFailure: (failure: VerdictFailure) => void,
  ): void {
    this.#first.onEvent = onEvent;
    this.#onFailure = onFailure;
  }

  /**
   * Reads a block and emits the parts of the transcript that it completes.
   *
   * @param block The bytes; they may be used again afterwards.
   * @param emit Is called with each part.
   */
  feed(block: Uint8Array, emit: Emit<TranscriptPart>): void {
    this.#lines.feed(block, (outcome) => this.#take(outcome, emit));
  }

  /**
   * Ends the input and emits the parts that were held back.
   *
   * @param emit Is called with each part.
   */
  flush(emit: Emit<TranscriptPart>): void {
    this.#lines.flush((outcome) => this.#take(outcome, emit));
    this.#first.flush(emit);
    for (const { judge, parts } of this.#others.values()) {
      for (const part of parts.splice(0)) emit(part);
      judge.flush(emit);
    }
  }

  /**
   * The `history_mode` of a session file, if codexpipe does not know it: then the transcript may be
   * incomplete, and the verdict wrong. See {@linkcode HistoryState.unknownMode}.
   */
  get unknownMode(): string | null {
    return this.#first.unknownMode;
  }

  /** The verdict on the input so far; final after `flush`. */
  get verdict(): Verdict {
    const judges = this.#judges;
    const ends = judges.map(({ status }) => status);
    const commands = Named.join(judges.map(({ commands }) => commands));
    const declined = Named.join(judges.map(({ declined }) => declined));
    const facts = {
      threadId: this.#first.threadId,
      turns: judges.reduce((sum, { turns }) => sum + turns, 0),
      status: ENDS.find((status) => ends.includes(status)) ?? null,
      finalMessage: this.#first.finalMessage,
      failedCommands: commands.count,
      failedLines: this.#failures.count,
      failures: this.#failures.first,
      tokens: judges.map(({ tokens }) => tokens).reduce((sum, more) =>
        sum && more ? addTokens(sum, more) : sum ?? more
      ),
    };
    const reasons = [
      ...this.#turnReasons(),
      ...demandedReasons(this.#options, facts, commands, declined),
    ];
    return { isPassed: reasons.length === 0, reasons, ...facts };
  }

  get #judges(): ThreadJudge[] {
    const others = [...this.#others.values()].map(({ judge }) => judge);
    return [this.#first, ...others];
  }

  #take(outcome: Outcome<unknown>, emit: Emit<TranscriptPart>): void {
    if (!outcome.ok) {
      const { line, error: { kind, message } } = outcome;
      this.#failures.add({ line, kind, message });
      this.#onFailure({ line, kind, message });
    }
    // The threads of an app-server are interleaved.
    const id = outcome.ok && this.#lines.kind === "app-server"
      ? idOf(fieldsOf(outcome.value).thread_id)
      : undefined;
    if (id !== undefined) this.#firstId ??= id;
    if (id === undefined || id === this.#firstId) {
      this.#first.feed(outcome, emit);
      return;
    }
    let thread = this.#others.get(id);
    if (thread === undefined) {
      thread = { judge: new ThreadJudge(), parts: [] };
      this.#others.set(id, thread);
    }
    const { judge, parts } = thread;
    judge.feed(outcome, (part) => {
      if (this.#options.allThreads ?? true) parts.push(part);
    });
  }

  #turnReasons(): VerdictReason[] {
    if (this.#lines.records === 0 && this.#failures.count === 0) {
      const { thread } = this.#options;
      const message = thread === undefined
        ? "the input is empty: Codex wrote nothing"
        : `no event is of the thread ${JSON.stringify(thread)}`;
      return [reason("no_turn", message)];
    }
    const judges = this.#judges;
    const isOneOfMany = judges.length > 1;
    const reasons = judges.flatMap((judge) => judge.reasons(isOneOfMany));
    // Clients may open threads only to read them: it is enough if one of them had a turn.
    const isWorked = isOneOfMany && judges.some(({ turns }) => turns > 0);
    return isWorked
      ? reasons.filter(({ kind }) => kind !== "no_turn")
      : reasons;
  }
}
