/**
 * The entries of a transcript as Markdown.
 *
 * @module
 */

import type { Decided } from "./_decided_options.ts";
import { lostOutput } from "./_lost_output.ts";
import {
  foldedBlock,
  type MarkdownBlock,
  type OutputBlocks,
  outputBlocks,
  quoted,
  withBreaks,
} from "./_markdown_blocks.ts";
import { startOf } from "./cut_text.ts";
import { pathBelow } from "./edited_files.ts";
import { type TextRedactor, viewEntry } from "./entry_view.ts";
import type {
  ArgumentView,
  CommandView,
  EditView,
  EntryView,
  ExploreView,
  MessageView,
  PlanView,
  ToolView,
  WorkStatus,
} from "./entry_views.ts";
import { inertText } from "./inert_text.ts";
import type { EntryPart } from "./parts.ts";
import { countedText, countText, durationText } from "./quantity_text.ts";
import type { RenderOptions } from "./render_options.ts";
import {
  codeBlock,
  codeSpan,
  htmlLine,
  plainLine,
  plainLines,
  safeMarkdown,
} from "./safe_markdown.ts";

/** Diffs that are not longer are unfolded. */
const MAX_OPEN_DIFF = 30;
/** Arguments of tools that are not longer stand on one line. */
const MAX_SPAN = 80;
/** How much of a command stands in its title, in units of UTF-16. */
const MAX_TITLE = 240;

/** Writes entries as Markdown. */
export class MarkdownEntries {
  /** The folder that paths are seen from. */
  cwd: string | null = null;
  readonly #redactor: TextRedactor;
  readonly #reasoning: RenderOptions["reasoning"];
  readonly #tools: RenderOptions["tools"];
  readonly #maxLines: number;
  #blocks: MarkdownBlock[] = [];

  /** Constructs a new instance. */
  constructor(options: Decided<RenderOptions>) {
    this.#redactor = options.redactor;
    this.#reasoning = options.reasoning;
    this.#tools = options.tools;
    this.#maxLines = options.maxOutputLines;
  }

  /** Gives what there is to write of an entry. */
  blocksOf(part: EntryPart): readonly MarkdownBlock[] {
    this.#blocks = [];
    this.#write(part);
    return this.#blocks;
  }

  #write(part: EntryPart): void {
    if (part.phase === "started" || part.phase === "updated") return;
    const view = viewEntry(part, this.#redactor);
    switch (view.kind) {
      case "command":
        return this.#writeCommand(view, part);
      case "tool":
        return this.#writeTool(view, part);
      default:
        this.#writeView(view);
    }
  }

  #writeView(view: Exclude<EntryView, CommandView | ToolView>): void {
    switch (view.kind) {
      case "message":
        return this.#writeMessage(view);
      case "reasoning": {
        if (this.#reasoning === "omit" || view.text.trim() === "") return;
        const lines = safeMarkdown(view.text);
        if (this.#reasoning === "include") {
          return this.#add(quoted(["**Reasoning**", "", ...lines]));
        }
        return this.#fold("Reasoning", [lines]);
      }
      case "edit":
        return this.#writeEdit(view);
      case "plan":
        return this.#writePlan(view);
      case "diff": {
        if (this.#tools === "none") return;
        const { lines, blocks } = this.#outputOf(view.diff, "diff");
        if (this.#tools === "names") {
          return this.#addLine(
            `*Changed in this turn: ${countedText(lines, "line")} of diff*`,
          );
        }
        return this.#fold(
          `Changed in this turn: ${countedText(lines, "line")} of diff`,
          blocks,
        );
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
        if (this.#tools === "none") return;
        return this.#writeLooks(view);
      case "notice": {
        const { level, title, text } = view;
        const heading = { error: "Error", warning: "Warning", info: "" }[level];
        const names = [heading, plainLine(title)].filter((name) => name !== "");
        const name = names.length === 0 ? "" : `**${names.join(": ")}**`;
        const lines = text.trim() === "" ? [] : plainLines(text);
        return this.#add(
          quoted([
            ...(name === "" ? [] : [name]),
            ...(name === "" || lines.length === 0 ? [] : [""]),
            ...lines,
          ]),
        );
      }
      case "unknown":
        if (this.#tools === "none") return;
        return this.#fold(
          htmlLine(view.type),
          this.#outputOf(view.json, "json").blocks,
        );
      default:
        view satisfies never;
    }
  }

  #writeMessage({ role, author, recipient, text }: MessageView): void {
    if (text.trim() === "") return;
    const lines = safeMarkdown(text);
    if (role === "user") {
      return this.#add(["**User**", "", ...quoted(withBreaks(lines))]);
    }
    const to = recipient === null ? "" : ` → ${plainLine(recipient)}`;
    if (author !== null) this.#addLine(`**${plainLine(author)}${to}**`);
    this.#add(lines);
  }

  #writeCommand(view: CommandView, { durationMs, phase }: EntryPart): void {
    if (this.#tools === "none") return;
    const { command, status, exitCode, stdout, stderr, lostBytes } = view;
    const notes = [
      exitCode === null ? "" : `exit ${exitCode}`,
      durationMs === null ? "" : durationText(durationMs),
      phase === "late" ? "ended later" : "",
    ];
    const end = endText(status, notes);
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

  /** Adds a command, below which what it gave is folded. */
  #addRun(
    command: string,
    end: string,
    given: readonly MarkdownBlock[],
  ): void {
    const [first = "", ...rest] = command.trim().split("\n");
    const start = startOf(first, MAX_TITLE);
    const isWhole = rest.length === 0 && start === first;
    const title = `$ ${start}${isWhole ? "" : " …"}`;
    if (this.#tools === "names" || (isWhole && given.length === 0)) {
      return this.#addLine(codeSpan(title) + end);
    }
    this.#fold(`<code>${htmlLine(title)}</code>${end}`, [
      ...(isWhole
        ? []
        : [codeBlock(inertText(command.trimEnd()).split("\n"), "sh")]),
      ...given,
    ]);
  }

  /** Writes commands that only looked at something: a list of those that printed nothing. */
  #writeLooks({ looks }: ExploreView): void {
    let list: string[] = [];
    const endList = (): void => {
      if (list.length > 0) this.#add(list);
      list = [];
    };
    for (const { command, status, note, output } of looks) {
      const end = endText(status, [note]);
      const { blocks } = this.#outputOf(output, "text");
      if (this.#tools === "names" || blocks.length === 0) {
        list.push(`- ${codeSpan(`$ ${command}`)}${end}`);
        continue;
      }
      endList();
      this.#addRun(command, end, blocks);
    }
    endList();
  }

  #writeTool(view: ToolView, { durationMs }: EntryPart): void {
    if (this.#tools === "none") return;
    const { title, status, arguments: list, result, isResultCut, error } = view;
    const duration = durationMs === null ? "" : durationText(durationMs);
    const end = endText(status, [duration]);
    const query = title === "web_search" && list[0]?.name === "query"
      ? ` ${startOf(list[0].text, MAX_TITLE)}`
      : "";
    const blocks = [
      ...list.flatMap((argument) => this.#argumentBlocks(argument)),
      ...(error === "" ? [] : [["error:"]]),
      ...this.#outputOf(error, "text").blocks,
      ...(result === ""
        ? []
        : [[isResultCut ? "result, shortened:" : "result:"]]),
      ...this.#outputOf(result, "text").blocks,
    ];
    if (this.#tools === "names" || blocks.length === 0) {
      return this.#addLine(codeSpan(title + query) + end);
    }
    this.#fold(`<code>${htmlLine(title + query)}</code>${end}`, blocks);
  }

  #argumentBlocks({ name, text }: ArgumentView): MarkdownBlock[] {
    if (text.length <= MAX_SPAN && !text.includes("\n")) {
      return [[`${codeSpan(name)}: ${codeSpan(text)}`]];
    }
    const language = /^[[{]/.test(text) ? "json" : "text";
    return [[`${codeSpan(name)}:`], ...this.#outputOf(text, language).blocks];
  }

  #writeEdit({ status, files, failure }: EditView): void {
    if (this.#tools === "none") return;
    const end = status === "proposed"
      ? " — proposed"
      : status === "success"
      ? ""
      : endText(status, []);
    for (const { path, change, movedTo, added, removed, diff } of files) {
      const verb = change === "update" ? "edit" : change;
      const counts = [
        added === null || change === "delete" ? "" : `+${countText(added)}`,
        removed === null || change === "add" ? "" : `−${countText(removed)}`,
      ].filter((count) => count !== "").join(" ");
      const names = [path, movedTo].filter((name) => name !== "")
        .map((name) => pathBelow(name, this.cwd));
      const beside = `${counts === "" ? "" : ` (${counts})`}${end}`;
      const { lines, blocks } = this.#outputOf(diff, "diff");
      if (this.#tools === "names" || blocks.length === 0) {
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
    if (failure === "" || this.#tools === "names") return;
    for (const block of this.#outputOf(failure, "text").blocks) {
      this.#add(block);
    }
  }

  #writePlan({ name, steps }: PlanView): void {
    const lines = steps.map(({ description, status }) => {
      const text = plainLine(description);
      const box = status === "complete" ? "x" : " ";
      const looks = {
        in_progress: `**${text}**`,
        skipped: `~~${text}~~`,
        pending: text,
        complete: text,
      };
      return `- [${box}] ${looks[status] ?? text}`;
    });
    const done = steps.filter(({ status }) => status === "complete").length;
    this.#add([
      `**${plainLine(name)}** (${done}/${steps.length})`,
      ...(lines.length === 0 ? [] : ["", ...lines]),
    ]);
  }

  #outputOf(text: string, language: string): OutputBlocks {
    return outputBlocks(text, { language, maxLines: this.#maxLines });
  }

  #fold(...fold: Parameters<typeof foldedBlock>): void {
    this.#blocks.push(foldedBlock(...fold));
  }

  #addLine(line: string): void {
    this.#blocks.push([line]);
  }

  #add(block: MarkdownBlock): void {
    this.#blocks.push(block);
  }
}

/** How work ended, behind its name. */
function endText(status: WorkStatus, notes: readonly string[]): string {
  const known = notes.filter((note) => note !== "").join(" · ");
  const words = { running: "… not finished", success: "✓", failed: "✗" };
  return ` — ${words[status]} ${known}`.trimEnd();
}
