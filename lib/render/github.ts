/**
 * Transcripts as step summaries of GitHub Actions.
 *
 * @module
 */

import { isRetryNotice } from "../dialects/exec/retry_notices.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";
import { type Decided, outputLines, toolsOf } from "./_decided_options.ts";
import {
  ChangedFiles,
  joinSections,
  STATUS_WORDS,
  type SummarySection,
  summaryStart,
  SummarySteps,
  type TurnRow,
  turnRow,
  usageCells,
} from "./_summary.ts";
import { WorkCounts } from "./_work_counts.ts";
import { cutText } from "./cut_text.ts";
import { TurnTopic } from "./entry_label.ts";
import { NO_REDACTOR, viewEntry } from "./entry_view.ts";
import type { GithubReport, GithubVerdict } from "./github_report.ts";
import { markdownBlocks } from "./html_markdown.ts";
import { elementText, preText } from "./html_text.ts";
import type {
  EntryPart,
  FailurePart,
  SessionPart,
  TranscriptPart,
  TurnEndedPart,
  TurnStatus,
  TurnUsage,
} from "./parts.ts";
import { countText } from "./quantity_text.ts";
import type { RenderOptions } from "./render_options.ts";

/** How many bytes GitHub takes as the summary of one step; of a longer one it shows nothing. */
export const GITHUB_SUMMARY_LIMIT = 1024 * 1024;

/** How many bytes a summary must be allowed to have: enough to say what was left out. */
export const GITHUB_MIN_SUMMARY_BYTES = 1000;

/** How many bytes a summary has at most: room is left for what else the step says. */
export const GITHUB_SUMMARY_BYTES = GITHUB_SUMMARY_LIMIT - 64 * 1024;

/** How many lines of each output are in a summary, unless something else is asked for. */
export const GITHUB_MAX_OUTPUT_LINES = 20;

/** How many characters of each output are in a summary, however long its lines are. */
const MAX_OUTPUT_LENGTH = 8000;
/** How many characters of the final message are in a summary. */
const MAX_MESSAGE_LENGTH = 200_000;
/** How many turns and errors are told apart. */
const MAX_ROWS = 2000;
const MAX_ERRORS = 100;
const MAX_SESSIONS = 20;
/** How many things are told that no known release writes. */
const MAX_DRIFT = 20;
/** How many characters of each are shown. */
const MAX_DRIFT_LENGTH = 500;

/** Options for {@linkcode GithubRenderer}. Reasoning is never in a summary. */
export interface GithubOptions extends RenderOptions {
  /**
   * How many bytes the summary may have, {@linkcode GITHUB_MIN_SUMMARY_BYTES} or more. Several
   * summaries of one step share {@linkcode GITHUB_SUMMARY_LIMIT}.
   *
   * @default {983040}
   */
  readonly maxBytes?: number | undefined;
  /**
   * Is asked for the verdict when everything has been read. Without one the summary says how
   * the last turn ended.
   */
  readonly verdict?: (() => GithubVerdict | undefined) | undefined;
}

/**
 * Writes a transcript as the summary of a GitHub step: how it ended, what was said last, errors,
 * the turns and their tokens, what became of files, and what was done, folded.
 *
 * All that comes from the log is HTML in which nothing is left to be read as HTML, Markdown or a
 * workflow command, also where the summary is printed instead of being appended to the file that
 * `GITHUB_STEP_SUMMARY` names. Links and images are text.
 *
 * A summary has a limit, whatever the log and the verdict say. What there is no room for is left
 * out, a block or a section at a time, and said; words of the head that are too long are cut.
 * Nothing is emitted before the end; until then no more is held than fits.
 *
 * @example A run that failed
 * ```ts
 * import { GithubRenderer } from "@codexpipe/codexpipe/render";
 * import { assert } from "@std/assert";
 *
 * const renderer = new GithubRenderer({
 *   verdict: () => ({ isPassed: false, title: "Check failed", reasons: ["3 lines failed"] }),
 * });
 * let summary = "";
 * renderer.flush((text) => summary += text);
 *
 * assert(summary.startsWith("## ❌ Check failed\n"));
 * ```
 */
export class GithubRenderer implements Stage<TranscriptPart, string> {
  readonly #options: Decided<Omit<GithubOptions, "reasoning">>;
  readonly #sessions: SessionPart[] = [];
  #unkeptSessions = 0;
  #hasRuns = false;
  readonly #turns: TurnRow[] = [];
  #turnCount = 0;
  #topic = new TurnTopic();
  #work = new WorkCounts();
  readonly #totals = new WorkCounts();
  #usage: TurnUsage | null = null;
  #status: TurnStatus | null = null;
  #error: string | null = null;
  #finalMessage: string | null = null;
  readonly #errors = new Map<string, number>();
  #unkeptErrors = 0;
  readonly #files = new ChangedFiles();
  readonly #writer: SummarySteps;
  readonly #steps: string[] = [];
  #stepsLength = 0;
  #unkeptSteps = 0;

  /**
   * Constructs a new instance.
   *
   * @param options What of the transcript is written, and how long it may be.
   * @throws {RangeError} If `maxBytes` is less than {@linkcode GITHUB_MIN_SUMMARY_BYTES}, or
   *   `maxOutputLines` no whole number from 0, or `tools` none of its words.
   */
  constructor(options: GithubOptions = {}) {
    const { maxBytes = GITHUB_SUMMARY_BYTES } = options;
    if (!(maxBytes >= GITHUB_MIN_SUMMARY_BYTES)) {
      throw new RangeError(
        `Cannot write a summary of ${maxBytes} bytes: expected ${GITHUB_MIN_SUMMARY_BYTES} or more`,
      );
    }
    this.#options = {
      redactor: options.redactor ?? NO_REDACTOR,
      tools: toolsOf(options),
      maxOutputLines: outputLines(options, GITHUB_MAX_OUTPUT_LINES),
      maxBytes,
      verdict: options.verdict ?? (() => undefined),
    };
    this.#writer = new SummarySteps({
      maxOutputLines: this.#options.maxOutputLines,
      isFull: this.#options.tools === "full",
    });
  }

  /** What is known of the run so far. */
  get report(): GithubReport {
    return {
      threadId: this.#sessions.at(-1)?.thread_id ?? null,
      status: this.#status,
      usage: this.#total,
      finalMessage: this.#finalMessage,
    };
  }

  /**
   * Takes a part. Nothing is emitted.
   *
   * @param part The next part of the transcript.
   */
  feed(part: TranscriptPart): void {
    switch (part.type) {
      case "session":
        this.#takeSession(part);
        break;
      case "entry":
        this.#takeEntry(part);
        break;
      case "turn_ended":
        this.#endTurn(part);
        break;
      case "failure":
        this.#takeFailedLine(part);
        break;
      case "turn_started":
      case "rolled_back":
        break;
      default:
        part satisfies never;
    }
  }

  /**
   * Emits the summary.
   *
   * @param emit Is called with the summary, once.
   */
  flush(emit: Emit<string>): void {
    const { maxBytes } = this.#options;
    const verdict = this.#options.verdict();
    const reasons = verdict?.reasons ??
      (this.#error === null || this.#status === "aborted" ? [] : [this.#error]);
    const [sign, , title] = STATUS_WORDS[this.#status ?? "unknown"];
    const start = summaryStart({
      ...(verdict === undefined
        ? { sign, title }
        : { sign: verdict.isPassed ? "✅" : "❌", title: verdict.title }),
      reasons,
      sessions: this.#sessions,
      unkeptSessions: this.#unkeptSessions,
      redactor: this.#options.redactor,
    }, maxBytes);
    const shown = reasons.slice(0, start.reasonCount);
    emit(
      joinSections(
        start.text,
        this.#sections(shown, verdict?.drift ?? []),
        maxBytes,
      ),
    );
  }

  #takeSession(part: SessionPart): void {
    const isKnown = part.thread_id !== null &&
      this.#sessions.some(({ thread_id }) => thread_id === part.thread_id);
    this.#hasRuns ||= isKnown;
    if (isKnown) return;
    if (this.#sessions.length < MAX_SESSIONS) this.#sessions.push(part);
    else this.#unkeptSessions += 1;
  }

  /** The tokens of all turns. Those of several runs of a thread do not add up: some count on. */
  get #total(): TurnUsage | null {
    return this.#hasRuns ? null : this.#usage;
  }

  #takeEntry(part: EntryPart): void {
    const { redactor, tools } = this.#options;
    const view = viewEntry(part, redactor);
    const isLate = part.phase === "late";
    this.#work.add(view, isLate);
    this.#topic.take(view);
    if (view.kind === "message" && view.role === "assistant") {
      this.#finalMessage = view.text;
    } else if (view.kind === "notice" && view.level === "error") {
      // What is tried again has not failed yet.
      if (!isRetryNotice(view.text)) this.#countError(view.text);
    }
    if (tools === "none") return;
    if (view.kind === "edit" && view.status === "success") {
      for (const file of view.files) this.#files.add(file);
    }
    const step = this.#writer.html(view, part);
    if (step === "") return;
    // What does not fit is not kept.
    if (this.#stepsLength + step.length > this.#options.maxBytes) {
      this.#unkeptSteps += 1;
      return;
    }
    this.#stepsLength += step.length;
    this.#steps.push(step);
  }

  #takeFailedLine({ line, message }: FailurePart): void {
    const { redactor } = this.#options;
    this.#countError(`Line ${countText(line)}: ${redactor.redact(message)}`);
  }

  #countError(message: string): void {
    const shown = cutText(message.trim(), MAX_OUTPUT_LENGTH);
    const known = this.#errors.get(shown);
    if (known === undefined && this.#errors.size >= MAX_ERRORS) {
      this.#unkeptErrors += 1;
    } else this.#errors.set(shown, (known ?? 0) + 1);
  }

  #endTurn(part: TurnEndedPart): void {
    const { status, usage, error, isErrorShown } = part;
    this.#status = status;
    this.#error = error === null ? null : this.#options.redactor.redact(error);
    if (this.#error !== null && !isErrorShown && status === "failed") {
      this.#countError(this.#error);
    }
    if (usage !== null) this.#usage = addUsage(this.#usage, usage);
    this.#totals.addAll(this.#work);
    this.#turnCount += 1;
    if (this.#turns.length < MAX_ROWS) {
      const { text: topic } = this.#topic;
      this.#turns.push({ part, topic, work: this.#work.phrases() });
    }
    this.#topic = new TurnTopic();
    this.#work = new WorkCounts();
  }

  /** @param shown The reasons that the head of the summary gives. */
  #sections(
    shown: readonly string[],
    drift: readonly string[],
  ): SummarySection[] {
    const said = new Set(shown.map((reason) => reason.trim()));
    return [
      this.#messageSection(),
      {
        heading: "### Errors",
        open: "",
        blocks: [...this.#errors].filter(([text]) => !said.has(text))
          .map(([text, count]) =>
            `${preText(elementText(text))}${
              count === 1 ? "" : `<p>${countText(count)} times</p>`
            }\n`
          ),
        close: "",
        word: "error",
        unkept: this.#unkeptErrors,
      },
      {
        heading: "### Written by no known release of Codex",
        open: "<ul>\n",
        blocks: drift.slice(0, MAX_DRIFT).map((line) =>
          `<li>${elementText(cutText(line, MAX_DRIFT_LENGTH))}</li>\n`
        ),
        close: "</ul>\n",
        word: "thing",
        unkept: Math.max(0, drift.length - MAX_DRIFT),
      },
      {
        heading: "### Turns",
        open:
          '<table>\n<tr><th align="right">Turn</th><th>About</th><th>End</th><th align="right">Time</th><th>Work</th><th align="right">Tokens in</th><th align="right">cached</th><th align="right">out</th><th align="right">reasoning</th></tr>\n',
        blocks: this.#turns.map(turnRow),
        close: `${this.#totalRow()}</table>\n`,
        word: "turn",
        unkept: this.#turnCount - this.#turns.length,
      },
      {
        heading: "### Files changed",
        open:
          '<table>\n<tr><th>File</th><th>Change</th><th align="right">+</th><th align="right">−</th></tr>\n',
        blocks: this.#files.rows(),
        close: "</table>\n",
        word: "file",
        unkept: this.#files.unkept,
      },
      {
        heading: "### Steps",
        open: "",
        blocks: this.#steps,
        close: "",
        word: "step",
        unkept: this.#unkeptSteps,
      },
    ];
  }

  #messageSection(): SummarySection {
    const message = this.#finalMessage ?? "";
    const shown = cutText(message, MAX_MESSAGE_LENGTH);
    return {
      heading: this.#status === "completed" || this.#status === "unknown"
        ? "### Final message"
        : "### Last message",
      open: "",
      blocks: markdownBlocks(shown, { hasLinks: false }).map((block) =>
        `${block}\n`
      ),
      close: "",
      word: "paragraph",
      unkept: 0,
    };
  }

  #totalRow(): string {
    if (this.#turnCount < 2) return "";
    const work = elementText(this.#totals.phrases().join(", "));
    return `<tr><td></td><td>All turns</td><td></td><td></td><td>${work}</td>${
      usageCells(this.#total)
    }</tr>\n`;
  }
}

/** {@linkcode GithubRenderer} as a stream. */
export class GithubRendererStream extends StageStream<TranscriptPart, string> {
  /**
   * Constructs a new instance.
   *
   * @param options What of the transcript is written, and how long it may be.
   * @throws {RangeError} If `maxBytes` is less than {@linkcode GITHUB_MIN_SUMMARY_BYTES}.
   *
   * @example From a log to a summary
   * ```ts
   * import { JsonlDecoderStream } from "@codexpipe/codexpipe";
   * import { GithubRendererStream, TranscriptStream } from "@codexpipe/codexpipe/render";
   * import { assertStringIncludes } from "@std/assert";
   *
   * const log = '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n' +
   *   '{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":2}}\n';
   * const [summary = ""] = await Array.fromAsync(
   *   new Blob([log]).stream()
   *     .pipeThrough(new JsonlDecoderStream())
   *     .pipeThrough(new TranscriptStream())
   *     .pipeThrough(new GithubRendererStream()),
   * );
   *
   * assertStringIncludes(summary, "## ✅ Codex completed its work");
   * ```
   */
  constructor(options: GithubOptions = {}) {
    super(new GithubRenderer(options));
  }
}

function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}

function addUsage(total: TurnUsage | null, usage: TurnUsage): TurnUsage {
  if (total === null) return usage;
  return {
    input_tokens: total.input_tokens + usage.input_tokens,
    cached_input_tokens: sum(
      total.cached_input_tokens,
      usage.cached_input_tokens,
    ),
    output_tokens: total.output_tokens + usage.output_tokens,
    reasoning_output_tokens: sum(
      total.reasoning_output_tokens,
      usage.reasoning_output_tokens,
    ),
  };
}
