/**
 * Transcripts as Markdown.
 *
 * @module
 */

import { type Emit, type Stage, StageStream } from "../stage.ts";
import { reasoningOf, toolsOf } from "./_decided_options.ts";
import { type MarkdownBlock, quoted } from "./_markdown_blocks.ts";
import { MarkdownEntries } from "./_markdown_entries.ts";
import { NO_REDACTOR, type TextRedactor } from "./entry_view.ts";
import { inertText } from "./inert_text.ts";
import type {
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
import { outputLines } from "./_output_lines.ts";
import type { RenderOptions } from "./render_options.ts";
import { codeSpan, plainLine, plainLines } from "./safe_markdown.ts";

/**
 * Writes a transcript as Markdown, to paste and to keep: CommonMark with `<details>`, as GitHub
 * and most others show it.
 *
 * The document begins with front matter in YAML (`id`, `time`, `cwd`, `model`, `version`, as far
 * as they are known) and has a heading for each turn. What the user says is a quotation, what the
 * assistant says is Markdown as it stands; commands, diffs and tools can be folded. All output is
 * written unless `maxOutputLines` is given.
 *
 * Text of the log cannot break out of its place: HTML is text, images are links, links lead to
 * the web or to paths only, headings are deeper than those of turns, and fences are longer than
 * any run of backticks in what they hold. Control characters are escaped.
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
  readonly #redactor: TextRedactor;
  readonly #entries: MarkdownEntries;
  #isBegun = false;
  #model: string | null = null;
  #blocks: MarkdownBlock[] = [];

  /**
   * Constructs a new instance.
   *
   * @param options What is written.
   * @throws {RangeError} If `maxOutputLines` is no whole number from 0, or another option none
   *   of its words.
   */
  constructor(options: RenderOptions = {}) {
    this.#redactor = options.redactor ?? NO_REDACTOR;
    this.#entries = new MarkdownEntries({
      redactor: this.#redactor,
      reasoning: reasoningOf(options),
      tools: toolsOf(options),
      maxOutputLines: outputLines(options, Infinity),
    });
  }

  /**
   * Takes a part and emits what is written of it.
   *
   * @param part The part.
   * @param emit Is called with whole lines, once at most.
   */
  feed(part: TranscriptPart, emit: Emit<string>): void {
    this.#blocks = [];
    this.#write(part);
    let text = "";
    for (const block of this.#blocks) {
      text += `${this.#isBegun ? "\n" : ""}${block.join("\n")}\n`;
      this.#isBegun = true;
    }
    if (text !== "") emit(text);
  }

  #write(part: TranscriptPart): void {
    switch (part.type) {
      case "session":
        return this.#writeSession(part);
      case "turn_started":
        return this.#writeTurn(part);
      case "entry":
        for (const block of this.#entries.blocksOf(part)) this.#add(block);
        return;
      case "turn_ended":
        return this.#writeEnd(part);
      case "rolled_back":
        return this.#addLine(
          `*↶ ${countedText(part.turns, "turn")} taken back*`,
        );
      case "failure": {
        const message = plainLine(this.#redactor.redact(part.message));
        const kind = plainLine(part.kind);
        return this.#addLine(
          `> **Line ${part.line} could not be read** (${kind}): ${message}`,
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
    this.#entries.cwd = cwd;
    this.#model = model;
    const facts = Object.entries({
      id: thread_id,
      parent: parent_thread_id ?? null,
      time: startedAt,
      cwd,
      model,
      version: cli_version,
    }).flatMap(([name, value]) =>
      value === null ? [] : [[name, this.#redactor.redact(value)] as const]
    );
    // Only the beginning of a document can have front matter.
    const hasFrontMatter = !this.#isBegun && facts.length > 0;
    if (hasFrontMatter) {
      const lines = facts.map(([name, value]) => `${name}: ${yamlText(value)}`);
      this.#add(["---", ...lines, "---"]);
    }
    this.#addLine("# Codex session");
    if (hasFrontMatter || facts.length === 0) return;
    this.#add(facts.map(([name, value]) => `- ${name}: ${codeSpan(value)}`));
  }

  #writeTurn({ turn, startedAt, model, cwd }: TurnStartedPart): void {
    this.#addLine(`## Turn ${turn}`);
    const facts = [
      startedAt === null ? null : timeText(startedAt),
      model === this.#model ? null : model,
      cwd === this.#entries.cwd ? null : cwd,
    ].flatMap((fact) =>
      fact === null ? [] : [plainLine(this.#redactor.redact(fact))]
    );
    this.#model = model ?? this.#model;
    this.#entries.cwd = cwd ?? this.#entries.cwd;
    if (facts.length > 0) this.#addLine(`*${facts.join(" · ")}*`);
  }

  #writeEnd(part: TurnEndedPart): void {
    const { status, usage, durationMs, error, isErrorShown } = part;
    const beside = [
      usage === null
        ? ""
        : `${countText(usage.input_tokens)} in / ${
          countText(usage.output_tokens)
        } out`,
      durationMs === null ? "" : durationText(durationMs),
    ].filter((fact) => fact !== "").join(" · ");
    const behind = beside === "" ? "" : ` (${beside})`;
    const text = {
      completed: `*✓ done${behind}*`,
      failed: `**✗ failed**${behind}`,
      aborted: `**✗ aborted**${behind}`,
      open: `**… no end of the turn**${behind}`,
      unknown: usage === null ? "" : `*${beside}*`,
    }[status];
    if (error !== null && !isErrorShown && error.trim() !== "") {
      this.#add(quoted(plainLines(this.#redactor.redact(error))));
    }
    if (text !== "") this.#addLine(text);
  }

  #addLine(line: string): void {
    this.#blocks.push([line]);
  }

  #add(block: MarkdownBlock): void {
    this.#blocks.push(block);
  }
}

/** {@linkcode MarkdownRenderer} as a stream. */
export class MarkdownRendererStream
  extends StageStream<TranscriptPart, string> {
  /**
   * Constructs a new instance.
   *
   * @param options What is written.
   * @throws {RangeError} If `maxOutputLines` is no whole number from 0.
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
 * Writes a text as YAML: quoted as JSON, which is YAML too. What knows no front matter takes
 * it for Markdown, so what could be an element or an image there is written as an escape.
 */
function yamlText(text: string): string {
  return JSON.stringify(inertText(text)).replace(
    /[&<>[\]]/g,
    (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`,
  );
}
