/** Writes transcripts for a terminal, live. */

import { startOf } from "../json/text_ends.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";
import { type Decided, decided, type RenderOptions } from "./render_options.ts";
import { withPayload } from "./_entry_log.ts";
import { endReason, endText, isShown, TURN_ENDS, WORK_SIGNS } from "./_ends.ts";
import { ShownSettings } from "./_shown_settings.ts";
import { usageText } from "./_work_counts.ts";
import { type CutOptions, cutOutput } from "./cut_output.ts";
import { lostOutput, SHORTENED_RESULT } from "./cut_text.ts";
import { diffCounts, diffLines } from "./diff_lines.ts";
import { editTitle } from "./edited_files.ts";
import { argumentsLine } from "./entry_label.ts";
import {
  type CommandView,
  type EditView,
  type EntryView,
  type NoticeView,
  type PlanView,
  type ReasoningView,
  type ToolView,
  viewEntry,
  type WorkStatus,
} from "./entry_view.ts";
import { inertLabel, inertLine, inertText } from "./inert_text.ts";
import type {
  EntryPart,
  SessionPart,
  TranscriptPart,
  TurnEndedPart,
  TurnStartedPart,
} from "./parts.ts";
import {
  countedText,
  countText,
  durationText,
  timeText,
} from "./quantity_text.ts";
import { readableError } from "./record_text.ts";
import { diffLook, same, terminalMarkdown } from "./terminal_markdown.ts";
import { clipped, wrapped } from "./terminal_text.ts";
import { PLAIN_STYLE, type TextStyle } from "./text_style.ts";

/** Work that has begun and not ended. The same work is always the same object. */
export interface RunningWork {
  /** The first line of the work, safe to print on a terminal. */
  readonly title: string;
}

/** Options for {@linkcode TextRenderer}. */
export interface TextOptions extends RenderOptions {
  /**
   * The styles of text. With any of them, the Markdown of answers is laid out, and diffs are
   * written. In plain text, answers are as they were written, and only the line counts of diffs.
   *
   * @default {PLAIN_STYLE}
   */
  readonly style?: TextStyle | undefined;
  /**
   * Returns the width of the terminal in columns, and is called whenever text is written. Lines may
   * have any length if it returns `undefined`.
   *
   * @default {() => undefined}
   */
  readonly columns?: (() => number | undefined) | undefined;
}

const MAX_OUTPUT_LINES = 5;
const MAX_DIFF_LINES = 20;
/** The maximum number of commands and calls whose end is expected; then, the oldest is forgotten. */
const MAX_BEGUN = 4096;
/** The maximum number of lines of a command: longer ones usually contain a document. */
const MAX_COMMAND_LINES = 12;

/**
 * Writes a transcript for a person who watches a session; made for the parts of a `live` one.
 *
 * Every part is written at once. A command or a tool call has a line when it begins, and the end of
 * its output, its exit status and its duration when it ends. If other text was written in between,
 * its first line is repeated. Plans are written at every change, reasoning and messages when they
 * are complete.
 *
 * Text of the log cannot act on a terminal: control characters are escaped, colours left out, and
 * no line is a workflow command. Lines are broken at the width of the terminal; lines of output are
 * cut there. Of long output, the last lines are written, and the number of those left out.
 *
 * @example A line that could not be read
 * ```ts
 * import { TextRenderer } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * const renderer = new TextRenderer();
 * let text = "";
 * renderer.feed({
 *   type: "failure",
 *   line: 3,
 *   kind: "json",
 *   message: "the line is torn",
 * }, (written) => text += written);
 *
 * assertEquals(text, "✗ line 3: json: the line is torn\n");
 * ```
 */
export class TextRenderer implements Stage<TranscriptPart, string> {
  readonly #options: Decided<RenderOptions>;
  readonly #style: TextStyle;
  readonly #isFormatted: boolean;
  readonly #maxDiffLines: number;
  readonly #columns: () => number | undefined;
  #block: Block | undefined;
  #lines: string[] = [];
  readonly #settings = new ShownSettings();
  #turn: RunningWork | undefined;
  /** The id of the entry whose beginning was written last, if its end can follow directly. */
  #open: number | undefined;
  /** Work whose beginning was written, by the id of its entry. */
  readonly #begun = new Map<number, RunningWork>();

  /**
   * Constructs a new instance.
   *
   * @param options The contents, styles and width of the text.
   * @throws {RangeError} If `maxOutputLines` is not a whole number from 0, or another option is
   *   not one of its words.
   */
  constructor(options: TextOptions = {}) {
    this.#options = decided(options, {
      maxLines: MAX_OUTPUT_LINES,
      reasoning: "include",
    });
    this.#style = options.style ?? PLAIN_STYLE;
    this.#isFormatted = this.#style !== PLAIN_STYLE;
    this.#maxDiffLines = options.maxOutputLines ?? MAX_DIFF_LINES;
    this.#columns = options.columns ?? ((): undefined => undefined);
  }

  /**
   * Writes a part.
   *
   * @param part The part.
   * @param emit Is called with whole lines, at most once.
   */
  feed(part: TranscriptPart, emit: Emit<string>): void {
    this.#write(part);
    const text = this.#lines.map((line) => `${line}\n`).join("");
    this.#lines = [];
    if (text !== "") emit(text);
  }

  /**
   * The work that is running: the command or tool call begun last of those that have not ended,
   * else the turn. A program may show it while it waits for the next part.
   */
  get running(): RunningWork | undefined {
    return this.#turn && ([...this.#begun.values()].at(-1) ?? this.#turn);
  }

  #write(part: TranscriptPart): void {
    switch (part.type) {
      case "session":
        return this.#writeSession(part);
      case "turn_started":
        return this.#writeTurn(part);
      case "entry":
        return this.#writeEntry(part);
      case "turn_ended":
        return this.#writeEnd(part);
      case "rolled_back":
        this.#begin("prose");
        return this.#addLine(
          `↶ ${countedText(part.turns, "turn")} taken back`,
          this.#style.yellow,
        );
      case "failure": {
        this.#begin("note");
        const { line, kind, message } = part;
        return this.#addText(
          this.#shown(`line ${line}: ${kind}: ${message}`),
          { sign: "✗ ", look: this.#style.red },
        );
      }
      default:
        part satisfies never;
    }
  }

  #writeSession(part: SessionPart): void {
    const { thread_id, startedAt, cwd, model, cli_version, parent_thread_id } =
      part;
    this.#settings.enter(part);
    // The ids of entries begin again.
    this.#begun.clear();
    const facts = [
      cli_version === null ? null : `Codex ${cli_version}`,
      model,
      cwd,
      startedAt === null ? null : timeText(startedAt),
    ].filter((fact) => fact !== null);
    // An id alone would not be recognized as that of a thread.
    if (thread_id !== null) {
      facts.push(facts.length === 0 ? `Thread ${thread_id}` : thread_id);
    }
    if (parent_thread_id !== undefined) {
      facts.push(`sub-agent of ${parent_thread_id}`);
    }
    this.#writeFacts([this.#options.redactor.redact(facts.join(" · "))]);
  }

  #writeFacts(facts: readonly string[]): void {
    // The lines of a fact are joined, as it shares its line with other facts.
    const text = inertText(facts.join(" · ").replace(/[\r\n]+/g, " "));
    if (text === "") return;
    this.#begin("prose");
    this.#addText(text, { look: this.#style.dim });
  }

  #writeTurn(part: TurnStartedPart): void {
    this.#turn = { title: "working" };
    this.#writeFacts(this.#settings.changes(part, this.#options.redactor));
  }

  #writeEnd(part: TurnEndedPart): void {
    const { status, usage, durationMs } = part;
    this.#turn = undefined;
    const { green, red, yellow, dim } = this.#style;
    const [sign, words, look] = TURN_ENDS[status];
    const duration = durationMs === null
      ? ""
      : ` · ${durationText(durationMs)}`;
    if (words === "") {
      if (usage === null) return;
      this.#begin("prose");
      const text = usageText(usage) + duration;
      return this.#addText(text, { sign: "· ", look: dim });
    }
    this.#begin("prose");
    const error = endReason(part);
    const reason = error === "" ? "" : `: ${this.#shown(readableError(error))}`;
    const tokens = usage === null ? "" : ` (${usageText(usage)})`;
    this.#addText(words + reason + tokens + duration, {
      sign: `${sign} `,
      look: { ok: green, bad: red, warn: yellow, "": dim }[look],
    });
  }

  #writeEntry(part: EntryPart): void {
    if (part.phase === "updated") return;
    const isBegun = this.#begun.has(part.id);
    const view = viewEntry(
      isBegun ? endOf(part) : part,
      this.#options.redactor,
    );
    if (!isShown(view, this.#options)) return;
    if (view.kind === "command" || view.kind === "tool") {
      this.#writeWork(part, view);
    } else if (part.phase !== "started") this.#writeView(view);
  }

  #writeView(view: Exclude<EntryView, CommandView | ToolView>): void {
    const { bold, dim } = this.#style;
    switch (view.kind) {
      case "message": {
        const { role, author, recipient } = view;
        this.#begin("prose");
        if (role === "user") {
          const text = inertText(view.text);
          return this.#addText(text, { sign: "❯ ", look: bold });
        }
        if (author !== null) {
          const to = recipient === null ? "" : ` → ${recipient}`;
          this.#addLine(inertLabel(`${author}${to}:`), dim);
        }
        if (!this.#isFormatted) return this.#addText(inertText(view.text));
        const layout = { columns: this.#columns(), style: this.#style };
        return terminalMarkdown(view.text, layout)
          .forEach((line) => this.#addLine(line));
      }
      case "reasoning":
        return this.#writeReasoning(view);
      case "edit":
        return this.#writeEdit(view);
      case "plan":
        return this.#writePlan(view);
      case "diff": {
        this.#begin("work");
        const { added, removed } = diffCounts(view.diff);
        return this.#addLine(
          `→ changed in this turn (+${countText(added)} −${
            countText(removed)
          })`,
          dim,
        );
      }
      case "image": {
        this.#begin("work");
        const caption = view.caption === "" ? "" : `(${view.caption})`;
        const words = ["image", view.path, caption].filter((word) =>
          word !== ""
        );
        return this.#addText(inertText(words.join(" ")), {
          sign: "→ ",
          look: this.#style.cyan,
        });
      }
      case "explore":
        for (const look of view.looks) {
          this.#begin("work");
          this.#addCommand(look.command);
          if (this.#options.tools === "full") this.#addOutput(look.output);
          this.#addStatus(look.status, look.note);
        }
        return;
      case "notice":
        return this.#writeNotice(view);
      case "unknown":
        this.#begin("note");
        return this.#addLine(startOf(inertLabel(`· ${view.type}`), 200), dim);
      default:
        view satisfies never;
    }
  }

  #writeWork(part: EntryPart, view: CommandView | ToolView): void {
    const isOver = part.phase !== "started";
    // The query is not known yet when a search begins.
    if (!isOver && view.kind === "tool" && view.title === "web_search") return;
    const title = this.#begun.get(part.id)?.title;
    if (title === undefined) {
      this.#begin("work");
      if (view.kind === "command") this.#addCommand(view.command);
      else this.#addTool(view);
      const title = view.kind === "command"
        ? `$ ${view.command.split("\n", 1)[0]}`
        : `» ${view.title}`;
      this.#begun.set(part.id, { title: inertLabel(title) });
      if (this.#begun.size > MAX_BEGUN) {
        const [oldest = 0] = this.#begun.keys();
        this.#begun.delete(oldest);
      }
      this.#open = part.id;
      if (!isOver) return;
    }
    if (title !== undefined && this.#open !== part.id) {
      this.#begin("work");
      this.#addLines([title], { look: this.#style.dim, fit: clipped });
    }
    this.#open = undefined;
    if (view.status !== "running") this.#begun.delete(part.id);
    if (this.#options.tools === "full") {
      if (view.kind === "command") this.#addOutputs(view);
      else this.#addResult(view);
    }
    this.#addStatus(view.status, endText(view, part));
  }

  #addOutputs({ stdout, stderr, lostBytes }: CommandView): void {
    if (lostBytes > 0) {
      this.#addLine(`  … ${lostOutput(lostBytes)}`, this.#style.dim);
    }
    const texts = [stdout, stderr].filter((text) => text !== "");
    this.#addOutput(
      texts.map((text) => text.replace(/\r?\n$/, "")).join("\n"),
    );
  }

  #addResult({ error, result, isResultCut }: ToolView): void {
    this.#addOutput(error, wrapped);
    this.#addOutput(result);
    if (isResultCut) this.#addLine(`  … ${SHORTENED_RESULT}`, this.#style.dim);
  }

  #addCommand(command: string): void {
    const all = inertText(command.trimEnd()).split("\n");
    const most = this.#options.tools === "full" ? MAX_COMMAND_LINES : 1;
    const shown = all.slice(0, most);
    const omitted = all.length - shown.length;
    this.#addText(shown.join("\n"), { sign: "$ ", look: this.#style.cyan });
    if (omitted > 0) {
      this.#addLine(
        `  … ${countedText(omitted, "more line")}`,
        this.#style.dim,
      );
    }
  }

  #addTool(view: ToolView): void {
    const text = view.title + argumentsLine(view, this.#options.tools);
    this.#addLines([inertLabel(text)], {
      sign: "» ",
      look: this.#style.cyan,
      fit: clipped,
    });
  }

  /** Adds the end of an output; the lines of a failure's reason are broken instead of cut. */
  #addOutput(text: string, fit = clipped): void {
    const look = this.#style.dim;
    const maxLines = this.#options.maxOutputLines;
    this.#addCut(text, { maxLines, keep: "end" }, (shown) => {
      this.#addLines(shown, { sign: "  ", look, fit });
    });
  }

  #addStatus(status: WorkStatus, end: string): void {
    const { red, dim } = this.#style;
    const line = `  ${WORK_SIGNS[status]} ${end}`.trimEnd();
    this.#addLine(line, status === "failed" ? red : dim);
  }

  #writeEdit(view: EditView): void {
    const { status, files, failure } = view;
    this.#begin("work");
    const { cyan, red } = this.#style;
    const [sign, look] = status === "failed"
      ? ["✗ ", red] as const
      : [status === "proposed" ? "? " : "→ ", cyan] as const;
    for (const file of files) {
      const { verb, names, counts } = editTitle(file, this.#settings.cwd);
      const beside = counts === "" ? "" : ` (${counts})`;
      const text = `${verb} ${names.join(" → ")}${beside}`;
      this.#addText(inertText(text).replaceAll("\n", "\\n"), { sign, look });
      if (this.#isFormatted && this.#options.tools === "full") {
        this.#addDiff(file.diff);
      }
    }
    if (files.length === 0) this.#addLine(`${sign}edit`, look);
    if (this.#options.tools === "full") this.#addOutput(failure, wrapped);
    const isSaid = status === "success" || status === "proposed" ||
      failure !== "";
    if (!isSaid) this.#addStatus(status, view.note);
  }

  #addDiff(diff: string): void {
    const maxLines = this.#maxDiffLines;
    this.#addCut(diff, { maxLines, keep: "both" }, (shown) => {
      for (const line of diffLines(shown.join("\n"))) {
        const look = diffLook(line, this.#style);
        this.#addLines([line.text], { sign: "  ", look, fit: clipped });
      }
    });
  }

  #addCut(
    text: string,
    options: CutOptions,
    add: (shown: readonly string[]) => void,
  ): void {
    const { head, omitted, tail } = cutOutput(inertText(text), options);
    if (head.length > 0) add(head);
    if (omitted > 0) {
      const count = countedText(omitted, "line");
      this.#addLine(`  … ${count} left out`, this.#style.dim);
    }
    if (tail.length > 0) add(tail);
  }

  #writePlan({ name, steps, done }: PlanView): void {
    this.#begin("prose");
    const { bold, dim, green, cyan } = this.#style;
    this.#addLine(inertLabel(`${name} (${done}/${steps.length})`), bold);
    const looks = {
      complete: ["✓ ", green],
      in_progress: ["▸ ", cyan],
      pending: ["○ ", dim],
      skipped: ["– ", dim],
    } as const;
    for (const { description, status } of steps) {
      const [sign, look] = looks[status];
      this.#addText(inertText(description), { sign: `  ${sign}`, look });
    }
  }

  #writeReasoning({ text }: ReasoningView): void {
    this.#begin("prose");
    const shown = this.#options.reasoning === "fold" ? headingsOf(text) : text;
    this.#addText(inertText(shown).replace(/^\*\*(.*)\*\*$/gm, "$1"), {
      sign: "· ",
      look: this.#style.dim,
    });
  }

  #writeNotice({ level, title, text }: NoticeView): void {
    const { red, yellow, dim } = this.#style;
    this.#begin("note");
    // The message of a server is spelled in JSON, where a secret may be hidden.
    const shown = level === "error"
      ? this.#options.redactor.redact(readableError(text))
      : text;
    const whole = [title, shown].filter((part) => part !== "").join(": ");
    const [sign, look] = {
      error: ["✗ ", red] as const,
      warning: ["⚠ ", yellow] as const,
      info: ["· ", dim] as const,
    }[level];
    this.#addText(inertText(whole), { sign, look });
  }

  /** Begins a block, after a blank line if its kind needs one; the last entry is over. */
  #begin(block: Block): void {
    const isSpaced = this.#block !== undefined &&
      (block !== this.#block || block === "prose");
    if (isSpaced) this.#lines.push("");
    this.#block = block;
    this.#open = undefined;
  }

  #addLine(line: string, look: (text: string) => string = same): void {
    this.#lines.push(line === "" ? "" : look(inertLine(line)));
  }

  #addText(text: string, look: LineLook = {}): void {
    this.#addLines(text.trimEnd().split("\n"), look);
  }

  /** Adds lines, and breaks those that are too long, or cuts them. */
  #addLines(
    lines: readonly string[],
    { sign = "", look = same, fit = wrapped }: LineLook,
  ): void {
    for (const line of fit(lines, { columns: this.#columns(), sign })) {
      this.#addLine(line, look);
    }
  }

  #shown(text: string): string {
    return inertText(this.#options.redactor.redact(text));
  }
}

/** {@linkcode TextRenderer} as a stream. */
export class TextRendererStream extends StageStream<TranscriptPart, string> {
  /**
   * Constructs a new instance.
   *
   * @param options The contents, styles and width of the text.
   * @throws {RangeError} If `maxOutputLines` is not a whole number from 0, or another option is
   *   not one of its words.
   *
   * @example From bytes to a live view
   * ```ts
   * import { JsonlDecoderStream } from "@codexpipe/codexpipe";
   * import { TextRendererStream, TranscriptStream } from "@codexpipe/codexpipe/render";
   * import { assertMatch } from "@std/assert";
   *
   * const log = '{"type":"thread.started","thread_id":"t"}\n' +
   *   '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hi"}}\n';
   * const texts = new Blob([log]).stream()
   *   .pipeThrough(new JsonlDecoderStream())
   *   .pipeThrough(new TranscriptStream({ live: true }))
   *   .pipeThrough(new TextRendererStream());
   *
   * assertMatch((await Array.fromAsync(texts)).join(""), /\nHi\n$/);
   * ```
   */
  constructor(options: TextOptions = {}) {
    super(new TextRenderer(options));
  }
}

/** Drops what was written when the work began: redacting it again would count its secrets twice. */
function endOf({ record }: EntryPart): Pick<EntryPart, "record"> {
  const begun = record.type === "exec"
    ? { command: [] }
    : record.type === "tool_call"
    ? { arguments: [] }
    : {};
  return { record: withPayload(record, begun) };
}

function headingsOf(text: string): string {
  const lines = text.trim().split("\n");
  const headings = lines.filter((line) => /^\*\*.*\*\*$/.test(line.trim()));
  return (headings.length === 0 ? lines.slice(0, 1) : headings).join("\n");
}

/** The kind of a block. Blank lines separate prose, and blocks of different kinds. */
type Block = "prose" | "work" | "note";

interface LineLook {
  /** The prefix of the first line; the other lines are indented by its length. */
  readonly sign?: string;
  readonly look?: (line: string) => string;
  /** Breaks lines that are too long (`wrapped`, by default) or cuts them (`clipped`). */
  readonly fit?: typeof wrapped;
}
