/** Writes transcripts as step summaries of GitHub Actions. */

import { sum } from "../groups.ts";
import { endOf, shortened } from "../json/text_ends.ts";
import { byteLength } from "../json/utf8_length.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";
import { type Decided, decided, type RenderOptions } from "./render_options.ts";
import { timeNotes, TURN_ENDS, WORK_SIGNS } from "./_ends.ts";
import { redactedSession } from "./_shown_settings.ts";
import { RunTotals, USAGE_KINDS, WorkCounts } from "./_work_counts.ts";
import { cutOutput } from "./cut_output.ts";
import { cutText, lostOutput, SHORTENED_RESULT } from "./cut_text.ts";
import { type EditedFile, editTitle, pathBelow } from "./edited_files.ts";
import { argumentsLine, firstLine, TurnTopic } from "./entry_label.ts";
import {
  type CommandView,
  type EditView,
  type EntryView,
  type ToolView,
  viewEntry,
} from "./entry_view.ts";
import type { GithubVerdict } from "./github_report.ts";
import { markdownBlocks } from "./html_markdown.ts";
import { attributeText, elementText, preText } from "./html_text.ts";
import type {
  EntryPart,
  RolledBackPart,
  SessionPart,
  TranscriptPart,
  TurnEndedPart,
  TurnStatus,
  TurnUsage,
} from "./parts.ts";
import { plainTerminalText } from "./inert_text.ts";
import { countedText, countText, durationText } from "./quantity_text.ts";
import { readableError } from "./record_text.ts";

/** GitHub's limit for the summaries of one step, in bytes. It shows nothing of a longer one. */
export const GITHUB_SUMMARY_LIMIT = 1024 * 1024;

/** The least value of `maxBytes`, which leaves room for the notes on parts left out. */
export const GITHUB_MIN_SUMMARY_BYTES = 1000;

/** The default of `maxBytes`, which leaves room for other summaries of the step. */
export const GITHUB_SUMMARY_BYTES = GITHUB_SUMMARY_LIMIT - 64 * 1024;

const MAX_OUTPUT_LINES = 20;

/** The maximum number of characters of each output, however long its lines are. */
const MAX_OUTPUT_LENGTH = 8000;
const MAX_MESSAGE_LENGTH = 200_000;
/** The maximum number of turns in the table. */
const MAX_ROWS = 2000;
const MAX_ERRORS = 100;
const MAX_SESSIONS = 20;
const MAX_REASONS = 100;
const MAX_REASON_LENGTH = 8000;
/** The maximum number of bytes of one character in a heading, as a reference or a visible mark. */
const HEADING_CHARACTER = 8;
const MAX_DRIFT = 20;
const MAX_DRIFT_LENGTH = 500;

/** Options for {@linkcode GithubRenderer}. Reasoning is never in a summary. */
export interface GithubOptions extends RenderOptions {
  /**
   * The maximum size of the summary in bytes, {@linkcode GITHUB_MIN_SUMMARY_BYTES} or more. All
   * summaries of one step share {@linkcode GITHUB_SUMMARY_LIMIT}.
   *
   * @default {983040}
   */
  readonly maxBytes?: number | undefined;
  /**
   * Returns the verdict; is called at the end of the input. Without a verdict, the heading shows
   * the status of the last turn.
   */
  readonly verdict?: (() => GithubVerdict | undefined) | undefined;
}

/**
 * Writes a transcript as the summary of a GitHub step: the verdict or status, the final message,
 * errors, turns with their tokens, changed files, and the steps of the work, folded.
 *
 * Text of the log is escaped as HTML: it cannot act as HTML, Markdown or a workflow command, not
 * even if the summary is printed instead of being appended to the file that `GITHUB_STEP_SUMMARY`
 * names. Links and images are text.
 *
 * The summary never exceeds `maxBytes`. Blocks and sections that do not fit are left out, with a
 * note on their number or names; texts of the head that are too long are cut. Nothing is emitted
 * before the end, and no more is held until then than fits.
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
  readonly #options: Decided<GithubOptions>;
  readonly #sessions: SessionPart[] = [];
  #unkeptSessions = 0;
  readonly #turns: string[] = [];
  #turnCount = 0;
  #unkeptTurns = 0;
  #cwd: string | null = null;
  #topic = new TurnTopic();
  #work = new WorkCounts();
  readonly #totals = new RunTotals();
  /** Whether the parts are those of a sub-agent, which do not tell how the run ended. */
  #isOfSubAgent = false;
  #status: TurnStatus | null = null;
  #error: string | null = null;
  #lastMessage = "";
  #isAnswered = false;
  readonly #errors = new Map<string, number>();
  #unkeptErrors = 0;
  readonly #files = new ChangedFiles();
  readonly #steps: string[] = [];
  #stepsLength = 0;
  #unkeptSteps = 0;

  /**
   * Constructs a new instance.
   *
   * @param options The contents and maximum size of the summary.
   * @throws {RangeError} If `maxBytes` is less than {@linkcode GITHUB_MIN_SUMMARY_BYTES},
   *   `maxOutputLines` is not a whole number from 0, or `tools` is not one of its words.
   */
  constructor(options: GithubOptions = {}) {
    const { maxBytes = GITHUB_SUMMARY_BYTES } = options;
    if (!(maxBytes >= GITHUB_MIN_SUMMARY_BYTES)) {
      throw new RangeError(
        `Cannot write a summary of ${maxBytes} bytes: expected ${GITHUB_MIN_SUMMARY_BYTES} or more`,
      );
    }
    this.#options = {
      ...decided({ ...options, reasoning: "omit" }, {
        maxLines: MAX_OUTPUT_LINES,
      }),
      maxBytes,
      verdict: options.verdict ?? (() => undefined),
    };
  }

  /**
   * Reads a part. Emits nothing.
   *
   * @param part The next part of the transcript.
   */
  feed(part: TranscriptPart): void {
    switch (part.type) {
      case "session":
        return this.#takeSession(part);
      case "entry":
        return this.#takeEntry(part);
      case "turn_ended":
        return this.#endTurn(part);
      case "failure": {
        const message = this.#options.redactor.redact(part.message);
        return this.#countError(`Line ${countText(part.line)}: ${message}`);
      }
      case "turn_started":
        this.#closeWork();
        this.#cwd = part.cwd;
        if (!this.#isOfSubAgent) this.#isAnswered = false;
        return;
      case "rolled_back":
        if (this.#turns.length < MAX_ROWS) this.#turns.push(rollbackRow(part));
        if (!this.#isOfSubAgent) this.#isAnswered = false;
        return;
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
    this.#closeWork();
    const { maxBytes } = this.#options;
    const verdict = this.#options.verdict();
    const reasons = verdict?.reasons ??
      (this.#error === null || this.#status === "aborted" ? [] : [this.#error]);
    const status = this.#status ?? "unknown";
    const head = verdict === undefined
      ? this.#head(SIGNS[TURN_ENDS[status][2]], TITLES[status], reasons)
      : this.#head(
        SIGNS[verdict.isPassed ? "ok" : "bad"],
        verdict.title,
        reasons,
      );
    const shown = reasons.slice(0, head.reasonCount);
    const sections = this.#sections(shown, verdict?.drift ?? []);
    emit(joinSections(head.text, sections, maxBytes));
  }

  /**
   * Writes the head of the summary, and counts the reasons in it. The heading, the reasons and the
   * sessions have a quarter of the summary each. Texts that do not fit are cut, or left out with a
   * note on their number.
   */
  #head(
    sign: string,
    title: string,
    reasons: readonly string[],
  ): { readonly text: string; readonly reasonCount: number } {
    const quarter = Math.floor(this.#options.maxBytes / 4);
    const heading = headingText(
      title,
      Math.min(MAX_HEAD_LENGTH, Math.floor(quarter / HEADING_CHARACTER)),
    );
    const items = fittingBlocks(
      reasons.slice(0, MAX_REASONS),
      (text, limit) => `<li>${lineHtml(text, limit)}</li>\n`,
      { maxBytes: quarter, maxLength: MAX_REASON_LENGTH },
    );
    const lines = fittingBlocks(
      this.#sessions,
      sessionLine,
      { maxBytes: quarter, maxLength: MAX_HEAD_LENGTH },
    );
    const reasonCount = items.length;
    const moreReasons = reasons.length - reasonCount;
    if (moreReasons > 0) {
      items.push(`<li>${leftOutHtml(moreReasons, "reason")}</li>\n`);
    }
    const moreSessions = this.#unkeptSessions + this.#sessions.length -
      lines.length;
    if (moreSessions > 0) {
      lines.push(`\n<p>${leftOutHtml(moreSessions, "session")}</p>\n`);
    }
    const list = items.length === 0 ? "" : `\n<ul>\n${items.join("")}</ul>\n`;
    return {
      text: `## ${`${sign} ${heading}`.trim()}\n${list}${lines.join("")}`,
      reasonCount,
    };
  }

  #takeSession(part: SessionPart): void {
    this.#isOfSubAgent = part.parent_thread_id !== undefined;
    if (this.#totals.enter(part.thread_id)) return;
    if (this.#sessions.length < MAX_SESSIONS) {
      this.#sessions.push(redactedSession(part, this.#options.redactor));
    } else this.#unkeptSessions += 1;
  }

  /** Adds the work of a turn, or of the time between two, to that of all. */
  #closeWork(): void {
    this.#totals.work.addAll(this.#work);
    this.#topic = new TurnTopic();
    this.#work = new WorkCounts();
  }

  #takeEntry(part: EntryPart): void {
    const { redactor, tools } = this.#options;
    const whole = viewEntry(part, redactor);
    // The message of a server is spelled in JSON, where a secret may be hidden.
    const view = whole.kind === "notice" && whole.level === "error"
      ? { ...whole, text: redactor.redact(readableError(whole.text)) }
      : whole;
    const isLate = part.phase === "late";
    this.#work.add(view, isLate);
    this.#topic.take(view);
    if (view.kind === "message" && view.role === "assistant") {
      // A message that names its author is one of another agent.
      if (view.author === null && !this.#isOfSubAgent) {
        this.#lastMessage = view.text;
        this.#isAnswered = true;
      }
    } else if (view.kind === "notice" && view.level === "error") {
      this.#countError(view.text);
    }
    if (tools === "none") return;
    if (view.kind === "edit" && view.status === "success") {
      for (const file of view.files) {
        this.#files.add(file, this.#cwd);
      }
    }
    const step = this.#stepHtml(view, part);
    if (step === "") return;
    // Steps that cannot fit into the summary are only counted.
    if (this.#stepsLength + step.length > this.#options.maxBytes) {
      this.#unkeptSteps += 1;
      return;
    }
    this.#stepsLength += step.length;
    this.#steps.push(step);
  }

  /** Writes an entry as a step; returns an empty text if it is not work. */
  #stepHtml(view: EntryView, part: EntryPart): string {
    const times = timeNotes(part);
    switch (view.kind) {
      case "command":
        return this.#commandHtml(view, times);
      case "tool":
        return this.#toolHtml(view, times);
      case "edit":
        return this.#editHtml(view, times);
      case "explore":
        return view.looks.map((look) =>
          this.#foldHtml(
            [`<code>$ ${lineHtml(look.command)}</code>`, endHtml(look)],
            look.status,
            () => this.#outputHtml(look.output),
          )
        ).join("");
      default:
        return "";
    }
  }

  #commandHtml(view: CommandView, times: readonly string[]): string {
    const { command, status, stdout, stderr, lostBytes } = view;
    const whole = command.trim().includes("\n") ||
        command.length > MAX_HEAD_LENGTH
      ? `${preText(elementText(cutText(command, MAX_OUTPUT_LENGTH)))}\n`
      : "";
    const lost = lostBytes === 0 ? "" : `<p>${lostOutput(lostBytes)}</p>\n`;
    return this.#foldHtml(
      [`<code>$ ${lineHtml(command)}</code>`, endHtml(view), ...times],
      status,
      () => whole + lost + this.#outputHtml(stdout) + this.#outputHtml(stderr),
    );
  }

  #toolHtml(view: ToolView, times: readonly string[]): string {
    const { title, status, arguments: list, result, isResultCut, error } = view;
    const head = title + argumentsLine(view, this.#options.tools);
    const input = list.map(({ name, text }) => `${name}: ${text}`).join("\n");
    const cut = isResultCut ? `<p>${SHORTENED_RESULT}</p>\n` : "";
    return this.#foldHtml(
      [`<code>${lineHtml(head)}</code>`, endHtml(view), ...times],
      status,
      () =>
        this.#outputHtml(input) + this.#outputHtml(result) + cut +
        this.#outputHtml(error),
    );
  }

  #editHtml(view: EditView, times: readonly string[]): string {
    const { files, status, failure } = view;
    const titles = files.map((file) => {
      const { verb, names } = editTitle(file, this.#cwd);
      const shown = names.map((name) => `<code>${wordHtml(name)}</code>`);
      return `${verb} ${shown.join(" → ")}`;
    });
    const [only = "edit", another] = titles;
    const head = another === undefined
      ? only
      : `edit ${countText(files.length)} files`;
    const list = another === undefined
      ? ""
      : `<p>${titles.join("<br>\n")}</p>\n`;
    return this.#foldHtml(
      [head, endHtml(view), ...times],
      status,
      () => list + this.#outputHtml(failure),
    );
  }

  /** Writes a step, with its input and output folded below it if `tools` is `full`. */
  #foldHtml(
    facts: readonly string[],
    status: EditView["status"],
    write: () => string,
  ): string {
    const known = facts.filter((fact) => fact !== "").join(" · ");
    const head = `${WORK_SIGNS[status]} ${known}`;
    const body = this.#options.tools === "full" ? write() : "";
    return body === ""
      ? `<p>${head}</p>\n`
      : `<details><summary>${head}</summary>\n${body}</details>\n`;
  }

  /** Writes the end of an output, which usually shows the failure. */
  #outputHtml(text: string): string {
    const { tail, head, omitted } = cutOutput(plainTerminalText(text), {
      maxLines: this.#options.maxOutputLines,
      keep: "end",
    });
    const all = [...head, ...tail].join("\n");
    if (all === "" && omitted === 0) return "";
    const shown = endOf(all, MAX_OUTPUT_LENGTH);
    const over = all.length - shown.length;
    const gaps = [
      ...(omitted > 0 ? [countedText(omitted, "line")] : []),
      ...(over > 0 ? [countedText(over, "character")] : []),
    ];
    const note = gaps.length === 0
      ? ""
      : `[${gaps.join(" and ")} left out here]\n`;
    return `${preText(elementText(note + shown))}\n`;
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
    const reason = error === null
      ? null
      : this.#options.redactor.redact(readableError(error));
    if (!this.#isOfSubAgent) {
      this.#status = status;
      this.#error = reason;
    }
    if (reason !== null && !isErrorShown && status === "failed") {
      this.#countError(reason);
    }
    this.#totals.addUsage(usage);
    this.#turnCount += 1;
    if (this.#turns.length < MAX_ROWS) {
      const { text: topic } = this.#topic;
      this.#turns.push(turnRow(part, topic, this.#work.phrases()));
    } else this.#unkeptTurns += 1;
    this.#closeWork();
  }

  /** @param shown The reasons in the head of the summary, which are not repeated as errors. */
  #sections(
    shown: readonly string[],
    drift: readonly string[],
  ): SummarySection[] {
    const known = new Set(shown.map((reason) => reason.trim()));
    return [
      this.#messageSection(),
      {
        heading: "### Errors",
        blocks: [...this.#errors].filter(([text]) => !known.has(text))
          .map(([text, count]) =>
            `${preText(elementText(text))}${
              count === 1 ? "" : `<p>${countText(count)} times</p>`
            }\n`
          ),
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
        word: "finding",
        unkept: Math.max(0, drift.length - MAX_DRIFT),
      },
      {
        heading: "### Turns",
        open:
          '<table>\n<tr><th align="right">Turn</th><th>About</th><th>End</th><th align="right">Time</th><th>Work</th><th align="right">Tokens in</th><th align="right">cached</th><th align="right">out</th><th align="right">reasoning</th></tr>\n',
        blocks: this.#turns,
        close: `${this.#totalRow()}</table>\n`,
        word: "turn",
        unkept: this.#unkeptTurns,
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
        blocks: this.#steps,
        word: "step",
        unkept: this.#unkeptSteps,
      },
    ];
  }

  #messageSection(): SummarySection {
    const shown = cutText(this.#lastMessage, MAX_MESSAGE_LENGTH);
    const isEnd = this.#status === "completed" || this.#status === "unknown";
    return {
      heading: isEnd && this.#isAnswered
        ? "### Final message"
        : "### Last message",
      blocks: markdownBlocks(shown).map((block) => `${block}\n`),
      word: "paragraph",
    };
  }

  #totalRow(): string {
    if (this.#turnCount < 2) return "";
    const work = elementText(this.#totals.work.phrases().join(", "));
    return `<tr><td></td><td>All turns</td><td></td><td></td><td>${work}</td>${
      usageCells(this.#totals.usage)
    }</tr>\n`;
  }
}

/** {@linkcode GithubRenderer} as a stream. */
export class GithubRendererStream extends StageStream<TranscriptPart, string> {
  /**
   * Constructs a new instance.
   *
   * @param options The contents and maximum size of the summary.
   * @throws {RangeError} If `maxBytes` is less than {@linkcode GITHUB_MIN_SUMMARY_BYTES},
   *   `maxOutputLines` is not a whole number from 0, or `tools` is not one of its words.
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

function endHtml({ note, status }: Pick<EditView, "note" | "status">): string {
  return status === "failed" ? `<b>${wordHtml(note)}</b>` : wordHtml(note);
}

/** The signs of the ends of turns, by the class of their look on pages. */
const SIGNS = { ok: "✅", bad: "❌", warn: "⚠️", "": "" } as const;

const TITLES: Record<TurnStatus, string> = {
  completed: "Codex completed its work",
  failed: "Codex failed",
  aborted: "Codex was interrupted",
  open: "The log ends before the turn does",
  unknown: "Codex session",
};

/** The maximum length of the title of a step, and of the texts in the head, in characters. */
const MAX_HEAD_LENGTH = 400;

function lineHtml(text: string, limit: number = MAX_HEAD_LENGTH): string {
  const line = firstLine(text, limit);
  const rest = text.trim().includes("\n") && !line.endsWith("…") ? " …" : "";
  return elementText(line) + rest;
}

/** Writes a text as one line of HTML, with `␊` for line ends: a blank line would end the HTML. */
function wordHtml(text: string, limit: number = Infinity): string {
  const word = shortened(text, limit);
  return elementText(word.replace(/\r\n?|\n/g, "\u240a"));
}

/** Inline marks of Markdown, and text that GitHub turns into links. */
const MARKDOWN_REGEXP = /([\\`*_[\]()!#~|@:]|www)/;

function headingText(text: string, limit: number): string {
  const line = firstLine(text, limit);
  return line.split(MARKDOWN_REGEXP).map((piece, i) =>
    i % 2 === 0
      ? attributeText(piece)
      : `&#${piece.charCodeAt(0)};${piece.slice(1)}`
  ).join("");
}

/** Writes the known facts of a session, each cut to a length, as a paragraph, if there are any. */
function sessionLine(
  { thread_id, startedAt, cwd, model, cli_version, parent_thread_id }:
    SessionPart,
  limit: number,
): string {
  const word = (text: string): string => wordHtml(text, limit);
  const code = (text: string): string => `<code>${word(text)}</code>`;
  const facts = [
    thread_id === null ? "" : `Thread ${code(thread_id)}`,
    parent_thread_id === undefined
      ? ""
      : `sub-agent of ${code(parent_thread_id)}`,
    startedAt === null
      ? ""
      : wordHtml(`${startedAt.slice(0, 19).replace("T", " ")} UTC`),
    cwd === null ? "" : code(cwd),
    model === null ? "" : word(model),
    cli_version === null ? "" : `Codex ${word(cli_version)}`,
  ].filter((fact) => fact !== "");
  return facts.length === 0 ? "" : `\n<p>${facts.join(" · ")}</p>\n`;
}

function leftOutHtml(count: number, word: string): string {
  return `<i>${
    countedText(count, word)
  } more left out: a summary has a limit.</i>`;
}

function turnRow(
  { turn, status, durationMs, usage }: TurnEndedPart,
  topic: string,
  work: readonly string[],
): string {
  const [, words, look] = TURN_ENDS[status];
  const time = durationMs === null ? "" : durationText(durationMs);
  return `<tr><td align="right">${turn}</td><td>${wordHtml(topic)}</td><td>${
    `${SIGNS[look]} ${words}`.trim()
  }</td><td align="right">${time}</td><td>${elementText(work.join(", "))}</td>${
    usageCells(usage)
  }</tr>\n`;
}

function rollbackRow({ turns }: RolledBackPart): string {
  return `<tr><td></td><td colspan="8">↶ ${
    countedText(turns, "turn")
  } taken back</td></tr>\n`;
}

function usageCells(usage: TurnUsage | null): string {
  return countCells(USAGE_KINDS.map((kind) => usage?.[kind] ?? null));
}

function countCells(counts: readonly (number | null)[]): string {
  return counts.map((count) =>
    `<td align="right">${count === null ? "" : countText(count)}</td>`
  ).join("");
}

interface SummarySection {
  /** The heading, in Markdown, without text from the log. */
  readonly heading: string;
  /** The HTML before the blocks, such as the head of a table. */
  readonly open?: string;
  /** The blocks: HTML without blank lines, each with a line feed at its end. */
  readonly blocks: readonly string[];
  readonly close?: string;
  /** The noun for a block, in the singular. */
  readonly word: string;
  /** The number of further blocks that were counted but not kept. */
  readonly unkept?: number;
}

const NOTE_BYTES = 400;

/**
 * Joins the sections of a summary, the most important ones first, to at most `maxBytes` of UTF-8.
 * Blocks and sections that do not fit are left out, with a note on their number or names, for which
 * the start must leave room.
 */
function joinSections(
  start: string,
  sections: readonly SummarySection[],
  maxBytes: number,
): string {
  const out = [start];
  const missing: string[] = [];
  let room = maxBytes - byteLength(start) - NOTE_BYTES;
  for (const section of sections) {
    const { heading, open = "", blocks, close = "", word, unkept = 0 } =
      section;
    if (blocks.length + unkept === 0) continue;
    const frame = `\n${heading}\n\n${open}`;
    const count = fittingCount(
      blocks,
      room - byteLength(frame) - byteLength(close) - NOTE_BYTES,
    );
    if (count === 0) {
      missing.push(heading.replace(/^#+ /, ""));
      continue;
    }
    const rest = blocks.length - count + unkept;
    const note = rest === 0 ? "" : `\n<p>${leftOutHtml(rest, word)}</p>\n`;
    const text = frame + blocks.slice(0, count).join("") + close + note;
    out.push(text);
    room -= byteLength(text);
  }
  if (missing.length > 0) {
    out.push(
      `\n<p><i>Left out, because a summary has a limit: ${
        missing.join(", ")
      }.</i></p>\n`,
    );
  }
  return out.join("");
}

function fittingCount(blocks: readonly string[], room: number): number {
  let left = room;
  const at = blocks.findIndex((block) => (left -= byteLength(block)) < 0);
  return at === -1 ? blocks.length : at;
}

/** The number of bytes for the HTML around a list, and the note after it. */
const FRAME_BYTES = 100;

/**
 * Writes as many items of a list as fit into `maxBytes`. If not even the first one fits, all texts
 * are cut to half their `maxLength`, as often as needed.
 */
function fittingBlocks<T>(
  items: readonly T[],
  write: (item: T, maxLength: number) => string,
  { maxBytes, maxLength }: {
    readonly maxBytes: number;
    readonly maxLength: number;
  },
): string[] {
  const room = maxBytes - FRAME_BYTES;
  for (let limit = maxLength;; limit = Math.floor(limit / 2)) {
    const blocks = items.map((item) => write(item, limit));
    const count = fittingCount(blocks, room);
    if (count > 0 || limit <= 1) return blocks.slice(0, count);
  }
}

const MAX_FILES = 2000;

type Fate = "added" | "added and deleted" | "deleted" | "edited";

/** Returns the fate of a file after an edit; without a fate before, no edit precedes it. */
function fateAfter(change: EditedFile["change"], before?: Fate): Fate {
  const isNew = before === undefined
    ? change === "add"
    : before === "added" || before === "added and deleted";
  if (change === "delete") return isNew ? "added and deleted" : "deleted";
  return isNew ? "added" : "edited";
}

interface FileRow {
  fate: Fate;
  movedTo: string;
  added: number | null;
  removed: number | null;
}

class ChangedFiles {
  /** The number of edits of files beyond the maximum. */
  unkept = 0;
  readonly #rows = new Map<string, FileRow>();

  /** Adds an edit of a file, whose paths are shown relative to a folder. */
  add(file: EditedFile, folder: string | null): void {
    const { change, added, removed } = file;
    const path = pathBelow(file.path, folder);
    const movedTo = pathBelow(file.movedTo, folder);
    const row = this.#rows.get(path);
    if (row !== undefined) {
      row.fate = fateAfter(change, row.fate);
      row.added = sum(row.added, added);
      row.removed = sum(row.removed, removed);
      if (movedTo !== "") row.movedTo = movedTo;
    } else if (this.#rows.size < MAX_FILES) {
      const fate = fateAfter(change);
      this.#rows.set(path, { fate, movedTo, added, removed });
    } else this.unkept += 1;
  }

  rows(): string[] {
    return [...this.#rows].map(([path, { fate, movedTo, added, removed }]) => {
      const words = movedTo === ""
        ? fate
        : `moved to <code>${wordHtml(movedTo)}</code>`;
      return `<tr><td><code>${wordHtml(path)}</code></td><td>${words}</td>${
        countCells([added, removed])
      }</tr>\n`;
    });
  }
}
