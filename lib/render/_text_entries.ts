/**
 * The entries of a live view, and its lines: laid out for a terminal, with space between blocks.
 *
 * @module
 */

import type { AnyHistoryRecord } from "../history/records.ts";
import { cutOutput } from "./cut_output.ts";
import { lostOutput, NO_MORE_RESULT, startOf } from "./cut_text.ts";
import { pathBelow } from "./edited_files.ts";
import { type TextRedactor, viewEntry } from "./entry_view.ts";
import type {
  CommandView,
  EditView,
  EntryView,
  NoticeView,
  PlanView,
  ReasoningView,
  ToolView,
  WorkStatus,
} from "./entry_views.ts";
import { diffLines } from "./diff_lines.ts";
import { inertLine, inertText } from "./inert_text.ts";
import type { EntryPart } from "./parts.ts";
import { countedText, countText, durationText } from "./quantity_text.ts";
import type { ReasoningChoice, ToolsChoice } from "./render_options.ts";
import { diffLook, terminalMarkdown } from "./terminal_markdown.ts";
import { clipped, type Layout, withoutEnd, wrapped } from "./terminal_text.ts";
import type { TextStyle } from "./text_style.ts";

/** How many lines of a command are written: the rest is a document in most cases. */
const MAX_COMMAND_LINES = 12;

/** Work that has begun and not ended; as long as it is the same, so is the object. */
export interface RunningWork {
  /** Its first line, in which nothing acts on a terminal. */
  readonly title: string;
}

/** How entries are written. */
interface TextEntriesOptions {
  readonly lines: LiveLines;
  readonly redactor: TextRedactor;
  readonly reasoning: ReasoningChoice;
  readonly tools: ToolsChoice;
  readonly maxOutputLines: number;
  readonly maxDiffLines: number;
  readonly style: TextStyle;
  readonly isFormatted: boolean;
}

/** Writes the entries of a live view, and remembers which of them have begun. */
export class TextEntries {
  /** The folder that paths are seen from. */
  cwd: string | null = null;
  readonly #lines: LiveLines;
  readonly #redactor: TextRedactor;
  readonly #reasoning: ReasoningChoice;
  readonly #tools: ToolsChoice;
  readonly #maxLines: number;
  readonly #maxDiffLines: number;
  readonly #style: TextStyle;
  readonly #isFormatted: boolean;
  /** The entry whose beginning was written last, so that its end can follow. */
  #open: number | undefined;
  /** The entries whose beginning was written. */
  readonly #begun = new Map<number, RunningWork>();

  /** Constructs a new instance. */
  constructor(options: TextEntriesOptions) {
    this.#lines = options.lines;
    this.#redactor = options.redactor;
    this.#reasoning = options.reasoning;
    this.#tools = options.tools;
    this.#maxLines = options.maxOutputLines;
    this.#maxDiffLines = options.maxDiffLines;
    this.#style = options.style;
    this.#isFormatted = options.isFormatted;
  }

  /** What has begun last of what has not ended. */
  get running(): RunningWork | undefined {
    return [...this.#begun.values()].at(-1);
  }

  /** Forgets what has begun: the numbers of entries begin again. */
  restart(): void {
    this.#begun.clear();
  }

  /** Takes note that something else is written. */
  interrupt(): void {
    this.#open = undefined;
  }

  /** Writes what there is to say of an entry now. */
  write(part: EntryPart): void {
    const isOver = part.phase === "final" || part.phase === "late";
    if (!isOver && part.phase === "updated") return;
    const isBegun = this.#begun.has(part.id);
    const view = viewEntry(isBegun ? endOf(part) : part, this.#redactor);
    switch (view.kind) {
      case "command":
      case "tool":
        if (this.#tools === "none") return;
        return this.#writeWork(part, view);
      default:
        if (isOver) this.#writeView(view);
    }
  }

  #writeView(view: Exclude<EntryView, CommandView | ToolView>): void {
    const lines = this.#lines;
    const { bold, dim } = this.#style;
    switch (view.kind) {
      case "message": {
        const { role, author, recipient } = view;
        const isEmpty = view.text.trim() === "";
        // Codex 0.169 ends each of several answers to one request, the empty ones too.
        if (isEmpty && role !== "user" && author === null) return;
        this.#begin("prose");
        if (role === "user") {
          const text = inertText(view.text);
          return lines.addText(text, { sign: "❯ ", look: bold });
        }
        if (author !== null) {
          const to = recipient === null ? "" : ` → ${recipient}`;
          lines.add(inertText(`${author}${to}:`), dim);
        }
        return this.#isFormatted
          ? lines.addMarkdown(view.text, this.#style)
          : lines.addText(inertText(view.text));
      }
      case "reasoning":
        return this.#writeReasoning(view);
      case "edit":
        return this.#writeEdit(view);
      case "plan":
        return this.#writePlan(view);
      case "diff": {
        if (this.#tools === "none") return;
        this.#begin("work");
        const added = view.diff.match(/^\+(?!\+\+ )/gm)?.length ?? 0;
        const removed = view.diff.match(/^-(?!-- )/gm)?.length ?? 0;
        return lines.add(
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
        return lines.addText(inertText(words.join(" ")), {
          sign: "→ ",
          look: this.#style.cyan,
        });
      }
      case "explore":
        if (this.#tools === "none") return;
        for (const { command, status, note, output } of view.looks) {
          this.#begin("work");
          this.#addCommand(command);
          if (this.#tools === "full") this.#addOutput(output);
          this.#addStatus({ status, notes: [note] });
        }
        return;
      case "notice":
        return this.#writeNotice(view);
      case "unknown":
        if (this.#tools === "none") return;
        this.#begin("note");
        return lines.add(startOf(inertText(`· ${view.type}`), 200), dim);
      default:
        view satisfies never;
    }
  }

  /** Writes the beginning of work, its end, or both. */
  #writeWork(part: EntryPart, view: CommandView | ToolView): void {
    const lines = this.#lines;
    const isOver = part.phase !== "started" && part.phase !== "updated";
    // What is searched for is not known when a search begins.
    if (!isOver && view.kind === "tool" && view.title === "web_search") return;
    const title = this.#begun.get(part.id)?.title;
    if (title === undefined) {
      this.#begin("work");
      if (view.kind === "command") this.#addCommand(view.command);
      else this.#addTool(view);
      const title = view.kind === "command"
        ? `$ ${view.command.split("\n", 1)[0]}`
        : `» ${view.title}`;
      this.#begun.set(part.id, { title: inertText(title) });
      this.#open = part.id;
      if (!isOver) return;
    }
    if (title !== undefined && this.#open !== part.id) {
      this.#begin("work");
      lines.addClipped([title], { look: this.#style.dim });
    }
    this.#open = undefined;
    if (view.status !== "running") this.#begun.delete(part.id);
    const texts = view.kind === "command"
      ? [view.stdout, view.stderr]
      : [view.error, view.result];
    const text = texts.filter((each) => each !== "")
      .map((each) => each.replace(/\r?\n$/, "")).join("\n");
    if (this.#tools === "full") {
      if (view.kind === "command" && view.lostBytes > 0) {
        lines.add(`  … ${lostOutput(view.lostBytes)}`, this.#style.dim);
      }
      this.#addOutput(text);
      if (view.kind === "tool" && view.isResultCut) {
        lines.add(`  … ${NO_MORE_RESULT}`, this.#style.dim);
      }
    }
    const duration = part.durationMs === null
      ? ""
      : durationText(part.durationMs);
    const exit = view.kind === "command" && view.exitCode !== null
      ? `exit ${view.exitCode}`
      : "";
    const late = part.phase === "late" ? "ended later" : "";
    this.#addStatus({ status: view.status, notes: [exit, duration, late] });
  }

  #addCommand(command: string): void {
    const lines = this.#lines;
    const all = inertText(command.trimEnd()).split("\n");
    const shown = all.slice(0, MAX_COMMAND_LINES);
    const omitted = all.length - shown.length;
    lines.addText(shown.join("\n"), { sign: "$ ", look: this.#style.cyan });
    if (omitted > 0) {
      lines.add(`  … ${countedText(omitted, "more line")}`, this.#style.dim);
    }
  }

  #addTool({ title, arguments: list }: ToolView): void {
    const lines = this.#lines;
    const isSearch = title === "web_search";
    const [first] = list;
    const named = this.#tools === "names"
      ? []
      : list.map(({ name, text }) =>
        `${name}=${text.replace(/\s+/g, " ").slice(0, 400)}`
      );
    const text = isSearch && first?.name === "query"
      ? `web_search ${first.text.replace(/\s+/g, " ")}`
      : [title, ...named].join(" ");
    lines.addClipped([inertText(text).replaceAll("\n", " ")], {
      sign: "» ",
      look: this.#style.cyan,
    });
  }

  #addOutput(text: string): void {
    const lines = this.#lines;
    const { omitted, tail, head } = cutOutput(inertText(text), {
      maxLines: this.#maxLines,
      keep: "end",
    });
    const { dim } = this.#style;
    if (omitted > 0) {
      lines.add(`  … ${countedText(omitted, "line")} left out`, dim);
    }
    lines.addClipped(omitted > 0 ? tail : head, { sign: "  ", look: dim });
  }

  #addStatus(
    { status, notes }: {
      readonly status: WorkStatus;
      readonly notes: readonly string[];
    },
  ): void {
    const lines = this.#lines;
    const known = notes.filter((note) => note !== "").join(" · ");
    const { red, dim } = this.#style;
    if (status === "running") lines.add("  … still running", dim);
    else if (status === "success") lines.add(`  ✓ ${known}`.trimEnd(), dim);
    else lines.add(`  ✗ ${known || "failed"}`, red);
  }

  #writeEdit({ status, files, failure }: EditView): void {
    const lines = this.#lines;
    if (this.#tools === "none") return;
    this.#begin("work");
    const { cyan, red, dim } = this.#style;
    const sign = status === "failed"
      ? "✗ "
      : status === "proposed"
      ? "? "
      : "→ ";
    for (const { path, change, movedTo, added, removed, diff } of files) {
      const verb = change === "update" ? "edit" : change;
      const counts = [
        added === null || change === "delete" ? "" : `+${countText(added)}`,
        removed === null || change === "add" ? "" : `−${countText(removed)}`,
      ].filter((count) => count !== "").join(" ");
      const [from, to] = [path, movedTo].map((name) =>
        pathBelow(name, this.cwd)
      );
      const text = [
        verb,
        from,
        ...(movedTo === "" ? [] : ["→", to]),
        ...(counts === "" ? [] : [`(${counts})`]),
      ].join(" ");
      lines.addText(inertText(text).replaceAll("\n", "\\n"), {
        sign,
        look: status === "failed" ? red : cyan,
      });
      if (this.#isFormatted && this.#tools === "full") this.#addDiff(diff);
    }
    if (files.length === 0) {
      lines.add(`${sign}edit`, status === "failed" ? red : cyan);
    }
    if (failure !== "" && this.#tools === "full") this.#addOutput(failure);
    if (status === "running") lines.add("  … not finished", dim);
    if (status === "failed" && failure === "") lines.add("  ✗ failed", red);
  }

  #addDiff(diff: string): void {
    const maxLines = this.#maxDiffLines;
    const { head, omitted, tail } = cutOutput(inertText(diff), {
      maxLines,
      keep: "both",
    });
    const add = (part: readonly string[]): void => {
      for (const line of diffLines(part.join("\n"))) {
        const look = diffLook(line, this.#style);
        this.#lines.addClipped([line.text], { sign: "  ", look });
      }
    };
    if (head.length > 0) add(head);
    if (omitted > 0) {
      const count = countedText(omitted, "line");
      this.#lines.add(`  … ${count} left out`, this.#style.dim);
    }
    if (tail.length > 0) add(tail);
  }

  #writePlan({ name, steps }: PlanView): void {
    const lines = this.#lines;
    this.#begin("prose");
    const { bold, dim, green, cyan } = this.#style;
    const done = steps.filter(({ status }) => status === "complete").length;
    const title = inertText(name).replaceAll("\n", " ");
    lines.add(`${title} (${done}/${steps.length})`, bold);
    const looks = {
      complete: ["✓ ", green],
      in_progress: ["▸ ", cyan],
      pending: ["○ ", dim],
      skipped: ["– ", dim],
    } as const;
    for (const { description, status } of steps) {
      const [sign, look] = looks[status] ?? looks.pending;
      lines.addText(inertText(description), { sign: `  ${sign}`, look });
    }
  }

  #writeReasoning({ text }: ReasoningView): void {
    const lines = this.#lines;
    if (this.#reasoning === "omit" || text.trim() === "") return;
    this.#begin("prose");
    const shown = this.#reasoning === "fold" ? headingsOf(text) : text;
    lines.addText(inertText(shown).replace(/^\*\*(.*)\*\*$/gm, "$1"), {
      sign: "· ",
      look: this.#style.dim,
    });
  }

  #writeNotice({ level, title, text }: NoticeView): void {
    const lines = this.#lines;
    const { red, yellow, dim } = this.#style;
    this.#begin("note");
    const whole = [title, text].filter((part) => part !== "").join(": ");
    const [sign, look] = {
      error: ["✗ ", red] as const,
      warning: ["⚠ ", yellow] as const,
      info: ["· ", dim] as const,
    }[level];
    lines.addText(inertText(whole), { sign, look });
  }

  #begin(block: Block): void {
    this.#lines.begin(block);
    this.#open = undefined;
  }
}

/** Leaves out what was written when work began: a secret in it is masked once. */
function endOf({ record }: EntryPart): Pick<EntryPart, "record"> {
  const begun = record.type === "exec"
    ? { command: [] }
    : record.type === "tool_call"
    ? { arguments: [] }
    : {};
  // The boundary: a record with an empty list has the type that it had.
  const rest = {
    ...record,
    payload: { ...record.payload, ...begun },
  } as AnyHistoryRecord;
  return { record: rest };
}

/** Gives the headings of reasoning, or its first line if it has none. */
function headingsOf(text: string): string {
  const lines = text.trim().split("\n");
  const headings = lines.filter((line) => /^\*\*.*\*\*$/.test(line.trim()));
  return (headings.length === 0 ? lines.slice(0, 1) : headings).join("\n");
}

/** What a block of lines is: there is space around prose, but none between work. */
type Block = "prose" | "work" | "note";

/** How lines look. */
interface LineLook {
  /** What stands before the first line; the others are indented by as much. */
  readonly sign?: string;
  /** Sets a line off. */
  readonly look?: (line: string) => string;
}

/** Gathers the lines of a live view. */
export class LiveLines {
  readonly #columns: () => number | undefined;
  /** What was written last; `undefined` at the beginning. */
  #block: Block | undefined;
  #lines: string[] = [];

  /** Constructs a new instance. */
  constructor(columns: () => number | undefined) {
    this.#columns = columns;
  }

  /** Begins a block, with space before it where there should be some. */
  begin(block: Block): void {
    const isSpaced = this.#block !== undefined &&
      (block !== this.#block || block === "prose");
    if (isSpaced) this.#lines.push("");
    this.#block = block;
  }

  /** Adds a line as it is. */
  add(line: string, look: (text: string) => string = same): void {
    this.#lines.push(line === "" ? "" : look(inertLine(line)));
  }

  /** Adds a text, broken where it is too long. */
  addText(text: string, { sign = "", look = same }: LineLook = {}): void {
    const lines = withoutEnd(text, "\n").split("\n");
    for (const line of wrapped(lines, this.#layout(sign))) {
      this.add(line, look);
    }
  }

  /** Adds a message in Markdown, laid out. */
  addMarkdown(text: string, style: TextStyle): void {
    const columns = this.#columns();
    for (const line of terminalMarkdown(text, { columns, style })) {
      this.add(line);
    }
  }

  /** Adds lines, cut where they are too long. */
  addClipped(
    lines: readonly string[],
    { sign = "", look = same }: LineLook,
  ): void {
    for (const line of clipped(lines, this.#layout(sign))) this.add(line, look);
  }

  /** Gives the lines that were added since the last call. */
  take(): string {
    const text = this.#lines.map((line) => `${line}\n`).join("");
    this.#lines = [];
    return text;
  }

  #layout(sign: string): Layout {
    const columns = this.#columns();
    return { columns, first: sign, rest: " ".repeat(sign.length) };
  }
}

function same(line: string): string {
  return line;
}
