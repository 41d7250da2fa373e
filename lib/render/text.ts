/**
 * Transcripts on a terminal, as they happen.
 *
 * @module
 */

import { type Emit, type Stage, StageStream } from "../stage.ts";
import {
  clipped,
  inertLine,
  inertText,
  type Layout,
  wrapped,
} from "./terminal_text.ts";
import { cutOutput } from "./cut_output.ts";
import { pathBelow } from "./edited_files.ts";
import {
  type CommandView,
  type EditView,
  type EntryView,
  NO_REDACTOR,
  type NoticeView,
  type PlanView,
  type ReasoningView,
  type TextRedactor,
  type ToolView,
  viewEntry,
  type WorkStatus,
} from "./entry_view.ts";
import type {
  EntryPart,
  SessionPart,
  TranscriptPart,
  TurnEndedPart,
  TurnStartedPart,
  TurnUsage,
} from "./parts.ts";
import {
  countedText,
  countText,
  durationText,
  timeText,
} from "./quantity_text.ts";
import type { RenderOptions } from "./render_options.ts";
import { PLAIN_STYLE, type TextStyle } from "./text_style.ts";

/** Options for {@linkcode TextRenderer}. */
export interface TextOptions extends RenderOptions {
  /**
   * How text is set off.
   *
   * @default {PLAIN_STYLE}
   */
  readonly style?: TextStyle;
  /**
   * Asked for the width of the terminal before something is written; lines may be of any length
   * if there is none.
   *
   * @default {() => undefined}
   */
  readonly columns?: () => number | undefined;
}

/** How many lines of output are written if nothing else is asked for. */
const MAX_OUTPUT_LINES = 5;
/** How many lines of a command are written: the rest is a document in most cases. */
const MAX_COMMAND_LINES = 12;

/** What a block of lines is: there is space around prose, but none between work. */
type Block = "prose" | "work" | "note";

/**
 * Writes a transcript for somebody who watches: made for parts of a `live` one.
 *
 * Everything is written as soon as its part comes. A command or a tool has a line when it begins,
 * and its end of output, exit status and duration when it ends; if something else was written in
 * between, its first line is written again. Plans are written at every change, reasoning and
 * messages when they are complete.
 *
 * Text of the log does nothing to a terminal: control characters are escaped, colours left out,
 * and no line is a workflow command. Lines are broken at the width of the terminal, lines of
 * output are cut there. Of long output the last lines are written, and how many were left out.
 * The lines of a diff are not written, only how many they are.
 *
 * @example A short turn
 * ```ts
 * import { TextRenderer, type TranscriptPart } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * const renderer = new TextRenderer();
 * let text = "";
 * const part: TranscriptPart = {
 *   type: "turn_ended",
 *   turn: 1,
 *   turn_id: null,
 *   status: "completed",
 *   endedAt: null,
 *   durationMs: 1234,
 *   usage: {
 *     input_tokens: 1234,
 *     cached_input_tokens: 0,
 *     output_tokens: 567,
 *     reasoning_output_tokens: 0,
 *   },
 *   error: null,
 *   isErrorShown: false,
 * };
 * renderer.feed(part, (written) => text += written);
 *
 * assertEquals(text, "✓ done (1,234 in / 567 out) · 1.2s\n");
 * ```
 */
export class TextRenderer implements Stage<TranscriptPart, string> {
  readonly #redactor: TextRedactor;
  readonly #reasoning: RenderOptions["reasoning"];
  readonly #tools: RenderOptions["tools"];
  readonly #maxLines: number;
  readonly #style: TextStyle;
  readonly #columns: () => number | undefined;
  /** What was written last; `undefined` at the beginning. */
  #block: Block | undefined;
  /** The entry whose beginning was written last, so that its end can follow. */
  #open: number | undefined;
  /** The entries whose beginning was written. */
  readonly #begun = new Set<number>();
  #model: string | null = null;
  #cwd: string | null = null;
  #lines: string[] = [];

  /**
   * Constructs a new instance.
   *
   * @param options What is written, and how.
   */
  constructor(options: TextOptions = {}) {
    this.#redactor = options.redactor ?? NO_REDACTOR;
    this.#reasoning = options.reasoning ?? "include";
    this.#tools = options.tools ?? "full";
    this.#maxLines = options.maxOutputLines ?? MAX_OUTPUT_LINES;
    this.#style = options.style ?? PLAIN_STYLE;
    this.#columns = options.columns ?? ((): undefined => undefined);
  }

  /**
   * Takes a part and emits what is written of it.
   *
   * @param part The part.
   * @param emit Is called with whole lines, once at most.
   */
  feed(part: TranscriptPart, emit: Emit<string>): void {
    this.#lines = [];
    this.#write(part);
    if (this.#lines.length > 0) {
      emit(this.#lines.map((line) => `${inertLine(line)}\n`).join(""));
    }
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
        return this.#add(
          `↶ ${countedText(part.turns, "turn")} taken back`,
          this.#style.yellow,
        );
      case "failed_line": {
        this.#begin("note");
        const message = this.#shown(part.message);
        return this.#addText(
          `line ${part.line}: ${part.kind}: ${message}`,
          { sign: "✗ ", look: this.#style.red },
        );
      }
      default:
        part satisfies never;
    }
  }

  #writeSession(
    { thread_id, startedAt, cwd, model, cli_version }: SessionPart,
  ): void {
    this.#model = model;
    this.#cwd = cwd;
    this.#begun.clear();
    const facts = [
      cli_version === null ? null : `Codex ${cli_version}`,
      model,
      cwd,
      startedAt === null ? null : timeText(startedAt),
      thread_id,
    ].filter((fact) => fact !== null);
    if (facts.length === 0) return;
    this.#begin("prose");
    this.#addText(this.#shown(facts.join(" · ")), { look: this.#style.dim });
  }

  #writeTurn({ model, cwd }: TurnStartedPart): void {
    const changes = [
      model === this.#model ? null : model,
      cwd === this.#cwd ? null : cwd,
    ].filter((change) => change !== null);
    this.#model = model ?? this.#model;
    this.#cwd = cwd ?? this.#cwd;
    if (changes.length === 0) return;
    this.#begin("prose");
    this.#addText(this.#shown(changes.join(" · ")), { look: this.#style.dim });
  }

  #writeEntry(part: EntryPart): void {
    const isOver = part.phase === "final" || part.phase === "late";
    if (!isOver && part.phase === "updated") return;
    const view = viewEntry(part, this.#redactor);
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
          this.#add(inertText(`${author}${to}:`), dim);
        }
        return this.#addText(inertText(view.text), {});
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
        return this.#add(
          `→ changed in this turn (+${countText(added)} −${
            countText(removed)
          })`,
          dim,
        );
      }
      case "image": {
        this.#begin("work");
        const caption = view.caption === "" ? "" : ` (${view.caption})`;
        return this.#addText(inertText(`image ${view.path}${caption}`), {
          sign: "→ ",
          look: this.#style.cyan,
        });
      }
      case "explore":
        if (this.#tools === "none") return;
        for (const { command, status, note } of view.looks) {
          this.#begin("work");
          this.#addCommand(command);
          this.#addStatus({ status, notes: [note] });
        }
        return;
      case "notice":
        return this.#writeNotice(view);
      case "unknown":
        this.#begin("note");
        return this.#add(inertText(`· ${view.type}`).slice(0, 200), dim);
      default:
        view satisfies never;
    }
  }

  /** Writes the beginning of work, its end, or both. */
  #writeWork(part: EntryPart, view: CommandView | ToolView): void {
    const isOver = part.phase !== "started" && part.phase !== "updated";
    const isBegun = this.#begun.has(part.id);
    // What is searched for is not known when a search begins.
    if (!isOver && view.kind === "tool" && view.title === "web_search") return;
    if (!isBegun) {
      this.#begin("work");
      if (view.kind === "command") this.#addCommand(view.command);
      else this.#addTool(view);
      this.#begun.add(part.id);
      this.#open = part.id;
      if (!isOver) return;
    }
    if (this.#open !== part.id) {
      this.#begin("work");
      const title = view.kind === "command"
        ? `$ ${view.command.split("\n", 1)[0]}`
        : `» ${view.title}`;
      this.#addClipped([inertText(title)], { look: this.#style.dim });
    }
    this.#open = undefined;
    if (view.status !== "running") this.#begun.delete(part.id);
    const text = view.kind === "command"
      ? [view.stdout, view.stderr].filter((each) => each !== "").join("\n")
      : [view.error, view.result].filter((each) => each !== "").join("\n");
    if (this.#tools === "full") this.#addOutput(text);
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
    const lines = inertText(command.trimEnd()).split("\n");
    const shown = lines.slice(0, MAX_COMMAND_LINES);
    const omitted = lines.length - shown.length;
    const { columns } = this.#layout("");
    const layout = { columns, first: "$ ", rest: "  " };
    for (const line of wrapped(shown, layout)) {
      this.#add(line, this.#style.cyan);
    }
    if (omitted > 0) {
      this.#add(`  … ${countedText(omitted, "more line")}`, this.#style.dim);
    }
  }

  #addTool({ title, arguments: list }: ToolView): void {
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
    this.#addClipped([inertText(text).replaceAll("\n", " ")], {
      sign: "» ",
      look: this.#style.cyan,
    });
  }

  #addOutput(text: string): void {
    const { omitted, tail, head } = cutOutput(inertText(text), {
      maxLines: this.#maxLines,
      keep: "end",
    });
    const { dim } = this.#style;
    if (omitted > 0) {
      this.#add(`  … ${countedText(omitted, "line")} left out`, dim);
    }
    this.#addClipped(omitted > 0 ? tail : head, { sign: "  ", look: dim });
  }

  #addStatus(
    { status, notes }: {
      readonly status: WorkStatus;
      readonly notes: readonly string[];
    },
  ): void {
    const known = notes.filter((note) => note !== "").join(" · ");
    const { red, dim } = this.#style;
    if (status === "running") this.#add("  … still running", dim);
    else if (status === "success") this.#add(`  ✓ ${known}`.trimEnd(), dim);
    else this.#add(`  ✗ ${known || "failed"}`, red);
  }

  #writeEdit({ status, files, failure }: EditView): void {
    if (this.#tools === "none") return;
    this.#begin("work");
    const { cyan, red, dim } = this.#style;
    const sign = status === "failed"
      ? "✗ "
      : status === "proposed"
      ? "? "
      : "→ ";
    for (const { path, change, movedTo, added, removed } of files) {
      const verb = change === "update" ? "edit" : change;
      const counts = [
        added === null || change === "delete" ? "" : `+${countText(added)}`,
        removed === null || change === "add" ? "" : `−${countText(removed)}`,
      ].filter((count) => count !== "").join(" ");
      const [from, to] = [path, movedTo].map((name) =>
        pathBelow(name, this.#cwd)
      );
      const text = [
        verb,
        from,
        ...(movedTo === "" ? [] : ["→", to]),
        ...(counts === "" ? [] : [`(${counts})`]),
      ].join(" ");
      this.#addText(inertText(text).replaceAll("\n", "\\n"), {
        sign,
        look: status === "failed" ? red : cyan,
      });
    }
    if (files.length === 0) {
      this.#add(`${sign}edit`, status === "failed" ? red : cyan);
    }
    if (failure !== "" && this.#tools === "full") this.#addOutput(failure);
    if (status === "running") this.#add("  … not finished", dim);
    if (status === "failed" && failure === "") this.#add("  ✗ failed", red);
  }

  #writePlan({ name, steps }: PlanView): void {
    this.#begin("prose");
    const { bold, dim, green, cyan } = this.#style;
    const done = steps.filter(({ status }) => status === "complete").length;
    const title = inertText(name).replaceAll("\n", " ");
    this.#add(`${title} (${done}/${steps.length})`, bold);
    const looks = {
      complete: ["✓ ", green],
      in_progress: ["▸ ", cyan],
      pending: ["○ ", dim],
      skipped: ["– ", dim],
    } as const;
    for (const { description, status } of steps) {
      const [sign, look] = looks[status] ?? looks.pending;
      this.#addText(inertText(description), { sign: `  ${sign}`, look });
    }
  }

  #writeReasoning({ text }: ReasoningView): void {
    if (this.#reasoning === "omit" || text.trim() === "") return;
    this.#begin("prose");
    const shown = this.#reasoning === "fold" ? headingsOf(text) : text;
    this.#addText(inertText(shown).replace(/^\*\*(.*)\*\*$/gm, "$1"), {
      sign: "· ",
      look: this.#style.dim,
    });
  }

  #writeNotice({ level, title, text }: NoticeView): void {
    const { red, yellow, dim } = this.#style;
    this.#begin("note");
    const whole = [title, text].filter((part) => part !== "").join(": ");
    const [sign, look] = {
      error: ["✗ ", red] as const,
      warning: ["⚠ ", yellow] as const,
      info: ["· ", dim] as const,
    }[level];
    this.#addText(inertText(whole), { sign, look });
  }

  #writeEnd(part: TurnEndedPart): void {
    const { status, usage, durationMs, error, isErrorShown } = part;
    const { green, red, yellow, dim } = this.#style;
    const tokens = usage === null ? "" : usageText(usage);
    const duration = durationMs === null
      ? ""
      : ` · ${durationText(durationMs)}`;
    const beside = `${tokens === "" ? "" : ` (${tokens})`}${duration}`;
    const reason = error === null || isErrorShown || error.trim() === ""
      ? ""
      : `: ${this.#shown(error.trim())}`;
    const [sign, text, look] = {
      completed: ["✓ ", `done${beside}`, green] as const,
      failed: ["✗ ", `failed${reason}${beside}`, red] as const,
      aborted: ["✗ ", `aborted${reason}${beside}`, red] as const,
      open: ["… ", `no end of the turn${beside}`, yellow] as const,
      unknown: ["· ", tokens === "" ? "" : tokens + duration, dim] as const,
    }[status];
    if (text === "") return;
    this.#begin("prose");
    this.#addText(text, { sign, look });
  }

  /** Begins a block, with space before it where there should be some. */
  #begin(block: Block): void {
    const isSpaced = this.#block !== undefined &&
      (block !== this.#block || block === "prose");
    if (isSpaced) this.#lines.push("");
    this.#block = block;
    this.#open = undefined;
  }

  #add(line: string, look: (text: string) => string): void {
    this.#lines.push(look(line));
  }

  /** Adds a text, broken where it is too long. */
  #addText(
    text: string,
    { sign = "", look = (line) => line }: {
      readonly sign?: string;
      readonly look?: (line: string) => string;
    },
  ): void {
    const lines = text.replace(/\n+$/, "").split("\n");
    for (const line of wrapped(lines, this.#layout(sign))) {
      this.#add(line, line === "" ? (same) => same : look);
    }
  }

  /** Adds lines, cut where they are too long. */
  #addClipped(
    lines: readonly string[],
    { sign = "", look }: {
      readonly sign?: string;
      readonly look: (line: string) => string;
    },
  ): void {
    for (const line of clipped(lines, this.#layout(sign))) {
      this.#add(line, look);
    }
  }

  #layout(sign: string): Layout {
    return {
      columns: this.#columns(),
      first: sign,
      rest: " ".repeat(sign.length),
    };
  }

  #shown(text: string): string {
    return inertText(this.#redactor.redact(text));
  }
}

/** {@linkcode TextRenderer} as a stream. */
export class TextRendererStream extends StageStream<TranscriptPart, string> {
  /**
   * Constructs a new instance.
   *
   * @param options How it is written.
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

/** Gives the headings of reasoning, or its first line if it has none. */
function headingsOf(text: string): string {
  const lines = text.trim().split("\n");
  const headings = lines.filter((line) => /^\*\*.*\*\*$/.test(line.trim()));
  return (headings.length === 0 ? lines.slice(0, 1) : headings).join("\n");
}

/** Writes how many tokens were used: `1,234 in / 567 out`. */
function usageText({ input_tokens, output_tokens }: TurnUsage): string {
  return `${countText(input_tokens)} in / ${countText(output_tokens)} out`;
}
