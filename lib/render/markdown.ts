/** Writes transcripts as Markdown. */

import { startOf } from "../json/text_ends.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";
import { type Decided, decided, type RenderOptions } from "./render_options.ts";
import { endReason, endText, isShown, TURN_ENDS, WORK_SIGNS } from "./_ends.ts";
import { ShownSettings } from "./_shown_settings.ts";
import { usageText } from "./_work_counts.ts";
import { cutOutput } from "./cut_output.ts";
import { lostOutput } from "./cut_text.ts";
import { editTitle } from "./edited_files.ts";
import { argumentsLine } from "./entry_label.ts";
import {
  type ArgumentView,
  type CommandView,
  type EditView,
  type MessageView,
  type PlanView,
  type ToolView,
  viewEntry,
} from "./entry_view.ts";
import { inertText } from "./inert_text.ts";
import type {
  EntryPart,
  SessionPart,
  TranscriptPart,
  TurnEndedPart,
  TurnStartedPart,
} from "./parts.ts";
import { countedText, durationText, timeText } from "./quantity_text.ts";
import {
  codeBlock,
  codeSpan,
  htmlLine,
  plainLine,
  plainLines,
  safeMarkdown,
} from "./safe_markdown.ts";

/**
 * Writes a transcript as Markdown: CommonMark with `<details>`, as GitHub and most other programs
 * show it.
 *
 * The document begins with YAML front matter (`id`, `time`, `cwd`, `model`, `version`, as far as
 * they are known) and has a heading for each turn. Messages of the user are block quotes, those of
 * the assistant are their own Markdown; commands, diffs and tool calls can be folded. All output is
 * written unless `maxOutputLines` is set.
 *
 * Text of the log cannot change the structure of the document: HTML is text, images are links,
 * links lead only to the web or to paths, headings are deeper than those of turns, and fences are
 * longer than any run of backticks in their code. Control characters are escaped.
 *
 * @example A session without a turn
 * ```ts
 * import { MarkdownRenderer } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * const renderer = new MarkdownRenderer();
 * let text = "";
 * renderer.feed({
 *   type: "session",
 *   thread_id: "t1",
 *   startedAt: null,
 *   cwd: "/home/me",
 *   model: null,
 *   cli_version: null,
 * }, (written) => text += written);
 *
 * assertEquals(text, '---\nid: "t1"\ncwd: "/home/me"\n---\n\n# Codex session\n');
 * ```
 */
export class MarkdownRenderer implements Stage<TranscriptPart, string> {
  readonly #options: Decided<RenderOptions>;
  #isBegun = false;
  readonly #settings = new ShownSettings();
  #text = "";

  /**
   * Constructs a new instance.
   *
   * @param options The contents of the document.
   * @throws {RangeError} If `maxOutputLines` is not a whole number from 0, or another option is
   *   not one of its words.
   */
  constructor(options: RenderOptions = {}) {
    this.#options = decided(options, { maxLines: Infinity });
  }

  /**
   * Writes a part.
   *
   * @param part The part.
   * @param emit Is called with whole lines, at most once.
   */
  feed(part: TranscriptPart, emit: Emit<string>): void {
    this.#text = "";
    this.#write(part);
    if (this.#text !== "") emit(this.#text);
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
        return this.#addLine(
          `*↶ ${countedText(part.turns, "turn")} taken back*`,
        );
      case "failure": {
        const message = plainLine(this.#options.redactor.redact(part.message));
        const kind = plainLine(part.kind);
        return this.#addLine(
          `> **Line ${part.line} could not be read** (${kind}): ${message}`,
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
    const facts = Object.entries({
      id: thread_id,
      parent: parent_thread_id ?? null,
      time: startedAt,
      cwd,
      model,
      version: cli_version,
    }).flatMap(([name, value]) =>
      value === null
        ? []
        : [[name, this.#options.redactor.redact(value)] as const]
    );
    // Front matter is only valid at the beginning of a document.
    const hasFrontMatter = !this.#isBegun && facts.length > 0;
    if (hasFrontMatter) {
      const lines = facts.map(([name, value]) => `${name}: ${yamlText(value)}`);
      this.#add(["---", ...lines, "---"]);
    }
    this.#addLine("# Codex session");
    if (hasFrontMatter || facts.length === 0) return;
    this.#add(facts.map(([name, value]) => `- ${name}: ${codeSpan(value)}`));
  }

  #writeTurn(part: TurnStartedPart): void {
    this.#addLine(`## Turn ${part.turn}`);
    const facts = [
      ...(part.startedAt === null ? [] : [timeText(part.startedAt)]),
      ...this.#settings.changes(part, this.#options.redactor),
    ].map(plainLine);
    if (facts.length > 0) this.#addLine(`*${facts.join(" · ")}*`);
  }

  #writeEnd(part: TurnEndedPart): void {
    const { status, usage, durationMs } = part;
    const [sign, words] = TURN_ENDS[status];
    const beside = [
      usage === null ? "" : usageText(usage),
      durationMs === null ? "" : durationText(durationMs),
    ].filter((fact) => fact !== "").join(" · ");
    const behind = beside === "" ? "" : ` (${beside})`;
    const reason = endReason(part);
    if (reason !== "") {
      this.#add(quoted(plainLines(this.#options.redactor.redact(reason))));
    }
    if (status === "completed") this.#addLine(`*${sign} ${words}${behind}*`);
    else if (words !== "") this.#addLine(`**${sign} ${words}**${behind}`);
    else if (usage !== null) this.#addLine(`*${beside}*`);
  }

  #writeEntry(part: EntryPart): void {
    if (part.phase === "started" || part.phase === "updated") return;
    const view = viewEntry(part, this.#options.redactor);
    if (!isShown(view, this.#options)) return;
    switch (view.kind) {
      case "command":
        return this.#writeCommand(view, part);
      case "tool":
        return this.#writeTool(view, part);
      case "message":
        return this.#writeMessage(view);
      case "reasoning": {
        const lines = safeMarkdown(view.text);
        if (this.#options.reasoning === "include") {
          return this.#add(quoted(["**Reasoning**", "", ...lines]));
        }
        return this.#fold("Reasoning", [lines]);
      }
      case "edit":
        return this.#writeEdit(view);
      case "plan":
        return this.#writePlan(view);
      case "diff": {
        const { lines, blocks } = this.#outputOf(view.diff, "diff");
        const count = countedText(lines, "line");
        const title = `Changed in this turn: ${count} of diff`;
        return this.#options.tools === "names"
          ? this.#addLine(`*${title}*`)
          : this.#fold(title, blocks);
      }
      case "image": {
        const words = [
          "**Image**",
          codeSpan(view.path),
          plainLine(view.caption),
        ];
        return this.#addLine(words.filter((word) => word !== "").join(" "));
      }
      case "explore":
        for (const { command, status, note, output } of view.looks) {
          const { blocks } = this.#outputOf(output, "text");
          this.#addRun(command, signedEnd(status, note), blocks);
        }
        return;
      case "notice": {
        const { level, title, text } = view;
        const info = plainLine(title);
        const heading = { error: "Error", warning: "Warning", info }[level];
        const blocks = [
          heading === "" ? "" : `**${heading}**`,
          plainLines(text).join("\n"),
        ].filter((block) => block !== "");
        return this.#add(quoted(blocks.join("\n\n").split("\n")));
      }
      case "unknown":
        return this.#options.tools === "names"
          ? this.#addLine(codeSpan(view.type))
          : this.#fold(
            htmlLine(view.type),
            this.#outputOf(view.json, "json").blocks,
          );
      default:
        view satisfies never;
    }
  }

  #writeMessage({ role, author, recipient, text }: MessageView): void {
    const lines = safeMarkdown(text);
    if (role === "user") {
      return this.#add(["**User**", "", ...quoted(withBreaks(lines))]);
    }
    const to = recipient === null ? "" : ` → ${plainLine(recipient)}`;
    if (author !== null) this.#addLine(`**${plainLine(author)}${to}**`);
    this.#add(lines);
  }

  #writeCommand(view: CommandView, part: EntryPart): void {
    const { command, stdout, stderr, lostBytes } = view;
    const end = signedEnd(view.status, endText(view, part));
    const out = this.#outputOf(stdout, "text");
    const err = this.#outputOf(stderr, "text");
    const lost = lostBytes === 0 ? [] : [[`*${lostOutput(lostBytes)}*`]];
    this.#addRun(command, end, [
      ...lost,
      ...out.blocks,
      ...(err.blocks.length > 0 && out.blocks.length > 0 ? [["stderr:"]] : []),
      ...err.blocks,
    ]);
  }

  #addRun(
    command: string,
    end: string,
    output: readonly MarkdownBlock[],
  ): void {
    const [first = "", ...rest] = command.trim().split("\n");
    const start = startOf(first, MAX_TITLE);
    const isWhole = rest.length === 0 && start === first;
    const title = `$ ${start}${isWhole ? "" : " …"}`;
    if (this.#options.tools === "names" || (isWhole && output.length === 0)) {
      return this.#addLine(codeSpan(title) + end);
    }
    this.#fold(`<code>${htmlLine(title)}</code>${end}`, [
      ...(isWhole
        ? []
        : [codeBlock(inertText(command.trimEnd()).split("\n"), "sh")]),
      ...output,
    ]);
  }

  #writeTool(view: ToolView, part: EntryPart): void {
    const { title, arguments: list, result, isResultCut, error } = view;
    const end = signedEnd(view.status, endText(view, part));
    const { tools } = this.#options;
    const line = startOf(title + argumentsLine(view, tools), MAX_TITLE);
    const blocks = [
      ...list.flatMap((argument) => this.#argumentBlocks(argument)),
      ...(error === "" ? [] : [["error:"]]),
      ...this.#outputOf(error, "text").blocks,
      ...(result === ""
        ? []
        : [[isResultCut ? "result, shortened:" : "result:"]]),
      ...this.#outputOf(result, "text").blocks,
    ];
    if (tools === "names" || blocks.length === 0) {
      return this.#addLine(codeSpan(line) + end);
    }
    this.#fold(`<code>${htmlLine(line)}</code>${end}`, blocks);
  }

  #argumentBlocks({ name, text }: ArgumentView): MarkdownBlock[] {
    if (text.length <= MAX_SPAN && !text.includes("\n")) {
      return [[`${codeSpan(name)}: ${codeSpan(text)}`]];
    }
    const language = /^[[{]/.test(text) ? "json" : "text";
    return [[`${codeSpan(name)}:`], ...this.#outputOf(text, language).blocks];
  }

  #writeEdit(view: EditView): void {
    const { status, files, failure } = view;
    const end = status === "success" ? "" : signedEnd(status, view.note);
    for (const file of files) {
      const { verb, names, counts } = editTitle(file, this.#settings.cwd);
      const beside = `${counts === "" ? "" : ` (${counts})`}${end}`;
      const { lines, blocks } = this.#outputOf(file.diff, "diff");
      if (this.#options.tools === "names" || blocks.length === 0) {
        this.#addLine(
          `**${verb}** ${names.map(codeSpan).join(" → ")}${beside}`,
        );
        continue;
      }
      const shown = names.map((name) => `<code>${htmlLine(name)}</code>`);
      this.#fold(`${verb} ${shown.join(" → ")}${beside}`, blocks, {
        isOpen: lines <= MAX_OPEN_DIFF,
      });
    }
    if (files.length === 0) this.#addLine(`**edit**${end}`);
    if (failure === "" || this.#options.tools === "names") return;
    for (const block of this.#outputOf(failure, "text").blocks) {
      this.#add(block);
    }
  }

  #writePlan({ name, steps, done }: PlanView): void {
    const lines = steps.map(({ description, status }) => {
      const text = plainLine(description);
      const box = status === "complete" ? "x" : " ";
      const looks = {
        in_progress: `**${text}**`,
        skipped: `~~${text}~~`,
        pending: text,
        complete: text,
      };
      return `- [${box}] ${looks[status]}`;
    });
    this.#add([
      `**${plainLine(name)}** (${done}/${steps.length})`,
      ...(lines.length === 0 ? [] : ["", ...lines]),
    ]);
  }

  /** Writes output as code, cut to the maximum number of lines, with a note on those left out. */
  #outputOf(text: string, language: string): OutputBlocks {
    const { head, omitted, tail } = cutOutput(inertText(text), {
      maxLines: this.#options.maxOutputLines,
      keep: "both",
    });
    return {
      lines: head.length + omitted + tail.length,
      blocks: [
        ...(head.length === 0 ? [] : [codeBlock(head, language)]),
        ...(omitted === 0
          ? []
          : [[`*… ${countedText(omitted, "line")} left out …*`]]),
        ...(tail.length === 0 ? [] : [codeBlock(tail, language)]),
      ],
    };
  }

  /** Adds blocks in a `<details>` element; the summary is HTML. */
  #fold(
    summary: string,
    blocks: readonly MarkdownBlock[],
    { isOpen = false }: { readonly isOpen?: boolean } = {},
  ): void {
    this.#add([
      `<details${isOpen ? " open" : ""}>`,
      `<summary>${summary}</summary>`,
      "",
      ...blocks.flatMap((block) => [...block, ""]),
      "</details>",
    ]);
  }

  #addLine(line: string): void {
    this.#add([line]);
  }

  #add(block: MarkdownBlock): void {
    this.#text += `${this.#isBegun ? "\n" : ""}${block.join("\n")}\n`;
    this.#isBegun = true;
  }
}

/** {@linkcode MarkdownRenderer} as a stream. */
export class MarkdownRendererStream
  extends StageStream<TranscriptPart, string> {
  /**
   * Constructs a new instance.
   *
   * @param options The contents of the document.
   * @throws {RangeError} If `maxOutputLines` is not a whole number from 0, or another option is
   *   not one of its words.
   *
   * @example From bytes to a document
   * ```ts
   * import { JsonlDecoderStream } from "@codexpipe/codexpipe";
   * import { MarkdownRendererStream, TranscriptStream } from "@codexpipe/codexpipe/render";
   * import { assertMatch } from "@std/assert";
   *
   * const log = '{"type":"thread.started","thread_id":"t"}\n' +
   *   '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hi"}}\n';
   * const texts = new Blob([log]).stream()
   *   .pipeThrough(new JsonlDecoderStream())
   *   .pipeThrough(new TranscriptStream())
   *   .pipeThrough(new MarkdownRendererStream());
   *
   * assertMatch((await Array.fromAsync(texts)).join(""), /\nHi\n$/);
   * ```
   */
  constructor(options: RenderOptions = {}) {
    super(new MarkdownRenderer(options));
  }
}

/**
 * Writes a text as a JSON string, which is valid YAML. Programs that do not know front matter read
 * it as Markdown, so characters that could begin an element or an image are written as escapes.
 */
function yamlText(text: string): string {
  return JSON.stringify(inertText(text)).replace(
    /[&<>[\]]/g,
    (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`,
  );
}

const MAX_OPEN_DIFF = 30;
/** The maximum length of a tool argument that is written on the line of its name. */
const MAX_SPAN = 80;
/** The maximum length of a command or call in its title, in UTF-16 code units. */
const MAX_TITLE = 240;

function signedEnd(status: EditView["status"], end: string): string {
  return ` — ${WORK_SIGNS[status]} ${end}`.trimEnd();
}

/** Lines with a blank line before and after them. */
type MarkdownBlock = readonly string[];

interface OutputBlocks {
  /** The number of lines, including those left out. */
  readonly lines: number;
  readonly blocks: readonly MarkdownBlock[];
}

function quoted(lines: readonly string[]): string[] {
  return lines.map((line) => line === "" ? ">" : `> ${line}`);
}

/** Adds hard line breaks outside of code, since Markdown would join the lines. */
function withBreaks(lines: readonly string[]): string[] {
  let fence: string | undefined;
  return lines.map((line, at) => {
    if (fence !== undefined) {
      if (line === fence) fence = undefined;
      return line;
    }
    fence = /^`{3,}(?=[^`]*$)/.exec(line)?.[0];
    const isLast = line === "" || (lines[at + 1] ?? "") === "";
    return fence !== undefined || isLast ? line : `${line.trimEnd()}  `;
  });
}
