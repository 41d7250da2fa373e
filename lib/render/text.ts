/**
 * Transcripts on a terminal, as they happen.
 *
 * @module
 */

import { type Emit, type Stage, StageStream } from "../stage.ts";
import { outputLines, reasoningOf, toolsOf } from "./_decided_options.ts";
import { LiveLines, type RunningWork, TextEntries } from "./_text_entries.ts";
import { NO_REDACTOR, type TextRedactor } from "./entry_view.ts";
import { inertText } from "./inert_text.ts";
import type {
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

export type { RunningWork };

/** Options for {@linkcode TextRenderer}. */
export interface TextOptions extends RenderOptions {
  /**
   * How text is set off.
   *
   * @default {PLAIN_STYLE}
   */
  readonly style?: TextStyle | undefined;
  /**
   * Whether answers are laid out as their Markdown says, and diffs are written; otherwise answers
   * stand as they are, and of diffs how many lines they have.
   *
   * @default {false}
   */
  readonly isFormatted?: boolean | undefined;
  /**
   * Asked for the width of the terminal before something is written; lines may be of any length
   * if there is none.
   *
   * @default {() => undefined}
   */
  readonly columns?: (() => number | undefined) | undefined;
}

/** How many lines of output are written if nothing else is asked for. */
const MAX_OUTPUT_LINES = 5;
const MAX_DIFF_LINES = 20;

/**
 * Writes a transcript for a person who watches: made for parts of a `live` one.
 *
 * Everything is written as soon as its part comes. A command or a tool has a line when it begins,
 * and its end of output, exit status and duration when it ends; if something else was written in
 * between, its first line is written again. Plans are written at every change, reasoning and
 * messages when they are complete.
 *
 * Text of the log does nothing to a terminal: control characters are escaped, colours left out,
 * and no line is a workflow command. Lines are broken at the width of the terminal, lines of
 * output are cut there. Of long output the last lines are written, and how many were left out.
 * Where text is formatted, answers are laid out as their Markdown says, and diffs are written;
 * elsewhere answers stand as they are, and of a diff how many lines it has.
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
  readonly #style: TextStyle;
  readonly #lines: LiveLines;
  readonly #entries: TextEntries;
  #model: string | null = null;
  /** The turn that goes on. */
  #turn: RunningWork | undefined;

  /**
   * Constructs a new instance.
   *
   * @param options What is written, and how.
   * @throws {RangeError} If `maxOutputLines` is no whole number from 0, or another option none
   *   of its words.
   */
  constructor(options: TextOptions = {}) {
    this.#redactor = options.redactor ?? NO_REDACTOR;
    this.#style = options.style ?? PLAIN_STYLE;
    this.#lines = new LiveLines(
      options.columns ?? ((): undefined => undefined),
    );
    this.#entries = new TextEntries({
      lines: this.#lines,
      redactor: this.#redactor,
      style: this.#style,
      isFormatted: options.isFormatted ?? false,
      reasoning: reasoningOf(options, "include"),
      tools: toolsOf(options),
      maxOutputLines: outputLines(options, MAX_OUTPUT_LINES),
      maxDiffLines: outputLines(options, MAX_DIFF_LINES),
    });
  }

  /**
   * Takes a part and emits what is written of it.
   *
   * @param part The part.
   * @param emit Is called with whole lines, once at most.
   */
  feed(part: TranscriptPart, emit: Emit<string>): void {
    this.#write(part);
    const text = this.#lines.take();
    if (text !== "") emit(text);
  }

  /**
   * What runs, as far as the parts tell: the command or tool that has begun last of those that
   * have not ended, else the turn that goes on. A program may show it while it waits.
   */
  get running(): RunningWork | undefined {
    return this.#turn && (this.#entries.running ?? this.#turn);
  }

  #write(part: TranscriptPart): void {
    switch (part.type) {
      case "session":
        return this.#writeSession(part);
      case "turn_started":
        return this.#writeTurn(part);
      case "entry":
        return this.#entries.write(part);
      case "turn_ended":
        return this.#writeEnd(part);
      case "rolled_back":
        this.#begin("prose");
        return this.#lines.add(
          `↶ ${countedText(part.turns, "turn")} taken back`,
          this.#style.yellow,
        );
      case "failure": {
        this.#begin("note");
        const message = this.#shown(part.message);
        return this.#lines.addText(
          `line ${part.line}: ${part.kind}: ${message}`,
          { sign: "✗ ", look: this.#style.red },
        );
      }
      default:
        part satisfies never;
    }
  }

  #writeSession(
    { thread_id, startedAt, cwd, model, cli_version, parent_thread_id }:
      SessionPart,
  ): void {
    this.#model = model;
    this.#entries.cwd = cwd;
    this.#entries.restart();
    const facts = [
      cli_version === null ? null : `Codex ${cli_version}`,
      model,
      cwd,
      startedAt === null ? null : timeText(startedAt),
    ].filter((fact) => fact !== null).map(oneLine);
    // An id alone does not say what it is the id of.
    if (thread_id !== null) {
      facts.push(facts.length === 0 ? `Thread ${thread_id}` : thread_id);
    }
    if (parent_thread_id !== undefined) {
      facts.push(`sub-agent of ${oneLine(parent_thread_id)}`);
    }
    if (facts.length === 0) return;
    this.#begin("prose");
    this.#lines.addText(this.#shown(facts.join(" · ")), {
      look: this.#style.dim,
    });
  }

  #writeTurn({ model, cwd }: TurnStartedPart): void {
    this.#turn = { title: "working" };
    const changes = [
      model === this.#model ? null : model,
      cwd === this.#entries.cwd ? null : cwd,
    ].filter((change) => change !== null).map(oneLine);
    this.#model = model ?? this.#model;
    this.#entries.cwd = cwd ?? this.#entries.cwd;
    if (changes.length === 0) return;
    this.#begin("prose");
    this.#lines.addText(this.#shown(changes.join(" · ")), {
      look: this.#style.dim,
    });
  }

  #writeEnd(part: TurnEndedPart): void {
    const { status, usage, durationMs, error, isErrorShown } = part;
    this.#turn = undefined;
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
    this.#lines.addText(text, { sign, look });
  }

  /** Begins something else than an entry. */
  #begin(block: "prose" | "note"): void {
    this.#lines.begin(block);
    this.#entries.interrupt();
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

/** Writes how many tokens were used: `1,234 in / 567 out`. */
function usageText({ input_tokens, output_tokens }: TurnUsage): string {
  return `${countText(input_tokens)} in / ${countText(output_tokens)} out`;
}

/** A fact that stands on a line with others. */
function oneLine(fact: string): string {
  return fact.replace(/[\r\n]+/g, " ");
}
