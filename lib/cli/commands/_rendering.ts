/** The work of `codexpipe render` and `sessions show`: renders inputs into one document. */

import type { HistorySnapshot } from "../../history/snapshot.ts";
import type { Outcome } from "../../outcome.ts";
import { JsonlRecords } from "../../pipeline/jsonl_records.ts";
import type { Redactor } from "../../redact/redactor.ts";
import type {
  HtmlOptions,
  PageListing,
  PageSequence,
} from "../../render/html.ts";
import type { TranscriptPart } from "../../render/parts.ts";
import {
  REASONING,
  RENDER_FORMS,
  type RenderForm,
  type RenderOptions,
  TOOLS,
} from "../../render/render_options.ts";
import { snapshotParts } from "../../render/snapshot_parts.ts";
import type { TextRenderer } from "../../render/text.ts";
import { COLORED_STYLE, PLAIN_STYLE } from "../../render/text_style.ts";
import { ThreadTranscripts } from "../../render/thread_transcripts.ts";
import { LINES_NOT_SHOWN, TranscriptBuilder } from "../../render/transcript.ts";
import type { Stage } from "../../stage.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import type { ErrorFile } from "../created_file.ts";
import { COLOR, ON_ERROR, STDIN } from "../flags.ts";
import type { FollowListener } from "../followed_input.ts";
import { Gathered, type Output } from "../output.ts";
import type { Blocks, ChosenInput } from "../input.ts";
import {
  continuedInput,
  type HistoryRemarks,
  historyRemarks,
} from "./_continued_input.ts";
import { Normalization, type PlaceOf } from "./_normalization.ts";
import { isObject, type Peeked, peekSnapshot } from "./_snapshot_text.ts";

export interface Destination {
  readonly output: Output;
  /** Closes the file of the current page, if the output is a file. */
  readonly close?: () => void;
  /** Creates further pages, for a page that is too long. */
  readonly pages?: FollowingPages | undefined;
  /** The form of the document; by default, text on a terminal, and Markdown elsewhere. */
  readonly form?: RenderForm | undefined;
  readonly errors?: ErrorFile | undefined;
  /** Whether what is read now is shown and its failures are reported; by default, all is. */
  readonly isShown?: () => boolean;
  /** For a page of a site: the shared redactor, and the listing that collects its facts. */
  readonly site?: {
    readonly redactor: Redactor | undefined;
    readonly listing: PageListing;
  };
}

export interface FollowingPages extends Pick<PageSequence, "nameOf"> {
  next(): Promise<Output>;
}

/** The form that `--to` chooses, or else the given one; with others than html, refuses `--images`. */
export function formOf(
  args: Arguments,
  given?: RenderForm,
): RenderForm | undefined {
  const form = args.choice("to", RENDER_FORMS) ?? given;
  if (form !== "html") args.refuseIdle(["images"], "without --to=html");
  return form;
}

/** Whether a document appears on the terminal. */
function isOnTerminal(
  { output }: Destination,
  { process, screen }: CommandContext,
): boolean {
  return output === screen && process.isTerminal.stdout;
}

/** Renders inputs into one document. A command need not have all of the flags that this reads. */
export class Rendering {
  readonly #context: CommandContext;
  readonly #destination: Destination;
  readonly #rendition: Rendition;
  readonly work: Normalization<Outcome<unknown>>;
  #output: Output;
  /** Whether what is read now is shown, and its failures are reported. */
  readonly #isShown: () => boolean;
  /** Whether failures on stderr appear on the same terminal as the document. */
  readonly #isReportSeen: boolean;
  /** Whether the input is live: text then shows calls when they begin. */
  #isGrowing = false;
  #transcript: TranscriptBuilder | ThreadTranscripts | undefined;
  /** Outcomes that are not in the transcript yet: those before the kind of the input is known. */
  readonly #early: Outcome<unknown>[] = [];
  #nextTurn = 1;
  /** Maps lines of the current input to their own files, if several files are joined. */
  #placeOf: PlaceOf | undefined;
  #remarksOnNext: (() => HistoryRemarks) | undefined;
  #remarks: HistoryRemarks | undefined;

  private constructor(
    context: CommandContext,
    destination: Destination,
    rendition: Rendition,
  ) {
    const { args } = context;
    this.#context = context;
    this.#destination = destination;
    this.#rendition = rendition;
    this.#output = destination.output;
    const onError = args.choice("on-error", ON_ERROR) ?? "report";
    const isReporting = onError === "report";
    const { isShown = () => true } = destination;
    this.#isShown = isShown;
    this.#isReportSeen = isReporting && !args.has("quiet") &&
      isOnTerminal(destination, context) && context.process.isTerminal.stderr;
    this.work = new Normalization(context, {
      make: (options) => new JsonlRecords(options),
      take: (outcome) => {
        this.#early.push(outcome);
        // A failed line does not show the kind of the input, which the transcript depends on.
        if (this.work.kind !== undefined) this.#fold();
      },
      write: () => this.#write(),
      options: {
        ...args.readingOptions,
        except: LINES_NOT_SHOWN,
        // A failure that is reported also appears in the transcript.
        onError: isReporting || onError === "inline" ? "mark" : onError,
      },
      errors: this.#destination.errors,
      get isReporting() {
        return (isReporting || onError === "stop") && isShown();
      },
      onEnd: () => {
        // All lines may be of kinds that are not shown; the transcript exists all the same.
        if (this.work.records > 0) this.#transcript ??= this.#newTranscript();
        return this.#endInput();
      },
    });
  }

  /** Begins a document: loads the renderer of its form. */
  static async create(
    context: CommandContext,
    destination: Destination,
  ): Promise<Rendering> {
    const rendition = await renditionOf(context, destination);
    return new Rendering(context, destination, rendition);
  }

  async render(chosen: ChosenInput): Promise<void> {
    const input = await this.work.open(chosen);
    if (input !== undefined) await this.renderInput(chosen.name, input);
  }

  /** Renders a growing file. After an interrupt, throws once all complete lines are rendered. */
  async follow(file: string, listener?: FollowListener): Promise<void> {
    this.#grow();
    this.#remarksOnNext = () =>
      historyRemarks(file, this.#context, !this.#isShown());
    await this.work.follow(file, listener);
  }

  /** Renders an open input, and closes it. With `placeOf`, its history needs no remarks. */
  async renderInput(
    name: string,
    input: Blocks,
    placeOf?: PlaceOf,
  ): Promise<void> {
    let peeked: Peeked;
    try {
      peeked = await peekSnapshot(input, name, this.#context.args);
    } catch (error) {
      input.close();
      return await this.work.reportUnreadable(error);
    }
    const { snapshot, blocks } = peeked;
    if (snapshot !== undefined) {
      blocks.close();
      return await this.#renderSnapshot(snapshot);
    }
    this.#placeOf = placeOf;
    if (placeOf !== undefined) {
      return await this.work.normalizeInput(name, blocks, placeOf);
    }
    const joined = await continuedInput(name, peeked, this.#context);
    if (name === STDIN) this.#grow();
    else this.#isGrowing = false;
    this.#remarksOnNext = () =>
      historyRemarks(name, this.#context, joined.isBaseKnown);
    this.#placeOf = joined.placeOf;
    await this.work.normalizeInput(name, joined.blocks, joined.placeOf);
  }

  /** Ends the document, and reports the secrets that were masked. */
  async end(): Promise<void> {
    this.#context.progress.watch();
    // After an interrupt too, the part that was read is shown.
    await this.#endInput();
    this.#rendition.renderer.flush?.((text) => this.#add(text));
    await this.#flush();
    const { redactor } = this.#rendition;
    if (redactor !== undefined && this.#destination.site === undefined) {
      const { saySecrets } = await import("./_secrets.ts");
      saySecrets(redactor.counts, this.#context);
    }
    await this.#context.diagnostics.flush();
  }

  /** Marks the input as live: text shows calls when they begin, and a terminal what runs. */
  #grow(): void {
    this.#isGrowing = true;
    if (!isOnTerminal(this.#destination, this.#context)) return;
    this.#context.progress.watch(() => this.#rendition.renderer.running);
  }

  async #renderSnapshot(snapshot: HistorySnapshot): Promise<void> {
    for (const part of snapshotParts(snapshot, this.#nextTurn)) {
      if (part.type === "turn_started") this.#nextTurn = part.turn + 1;
      this.#take(part);
    }
    await this.#flush();
  }

  #fold(): void {
    if (this.#early.length === 0) return;
    const transcript = this.#transcript ??= this.#newTranscript();
    for (const outcome of this.#early) {
      transcript.feed(this.#prepared(outcome), (part) => this.#take(part));
    }
    this.#early.length = 0;
  }

  async #write(): Promise<void> {
    this.#fold();
    if (this.#transcript !== undefined) {
      this.#remarks?.(this.#transcript.history);
    }
    await this.#flush();
  }

  #newTranscript(): TranscriptBuilder | ThreadTranscripts {
    this.#remarks = this.#remarksOnNext?.();
    const options = {
      live: this.#isGrowing && this.#rendition.form === "text",
      firstTurn: this.#nextTurn,
      images: this.#rendition.hasImages,
    };
    return this.work.kind === "app-server"
      ? new ThreadTranscripts(options)
      : new TranscriptBuilder(options);
  }

  async #endInput(): Promise<void> {
    const transcript = this.#transcript;
    this.#transcript = undefined;
    transcript?.flush((part) => this.#take(part));
    this.#nextTurn = transcript?.nextTurn ?? this.#nextTurn;
    await this.#flush();
  }

  #take(part: TranscriptPart): void {
    // The head of a session is always shown.
    if (part.type !== "session" && !this.#isShown()) return;
    const { renderer } = this.#rendition;
    const add = (text: string): void => this.#add(text);
    if (part.type !== "failure") return renderer.feed(part, add);
    if (this.#isReportSeen) return;
    // The line number of a failure is the one in its own file.
    const { line } = this.#placeOf?.({ line: part.line, offset: 0 }) ?? part;
    renderer.feed({ ...part, line }, add);
  }

  /** Prepares an outcome: a failure of an earlier run becomes its record, and `--stamp` applies. */
  #prepared(outcome: Outcome<unknown>): Outcome<unknown> {
    const { line, offset } = outcome;
    if (!outcome.ok) {
      const { inBand: value } = outcome;
      return value === undefined ? outcome : { ok: true, line, offset, value };
    }
    const { args, process } = this.#context;
    if (!args.has("stamp")) return outcome;
    const { value } = outcome;
    const isTimed = !isObject(value) || "timestamp" in value ||
      "payload" in value;
    if (isTimed) return outcome;
    const timestamp = new Date(process.now()).toISOString();
    return { ...outcome, value: { ...value, timestamp } };
  }

  #add(text: string): void {
    this.#rendition.written.at(-1)?.addText(text);
  }

  async #flush(): Promise<void> {
    const { written } = this.#rendition;
    for (const [at, page] of written.entries()) {
      if (at > 0) {
        this.#output = await this.#destination.pages?.next() ?? this.#output;
      }
      await page.writeTo(this.#output);
    }
    written.splice(0, written.length - 1);
  }
}

interface Rendition {
  readonly form: RenderForm;
  /** Masks secrets; `undefined` if they are not masked. */
  readonly redactor: Redactor | undefined;
  /** Whether images are shown; secrets in them cannot be masked. */
  readonly hasImages: boolean;
  /** The renderer; the one for text also has the running call. */
  readonly renderer:
    & Stage<TranscriptPart, string>
    & Partial<Pick<TextRenderer, "running">>;
  /** Text that is not written yet: the end of the current page, and the pages after it. */
  readonly written: Gathered[];
}

const DOCUMENTS: Record<
  Exclude<RenderForm, "text">,
  () => Promise<
    new (options: HtmlOptions) => Stage<TranscriptPart, string>
  >
> = {
  markdown: async () =>
    (await import("../../render/markdown.ts")).MarkdownRenderer,
  html: async () => (await import("../../render/html.ts")).HtmlRenderer,
  github: async () => (await import("../../render/github.ts")).GithubRenderer,
};

async function renditionOf(
  context: CommandContext,
  destination: Destination,
): Promise<Rendition> {
  const { args } = context;
  const { site, pages } = destination;
  const form = destination.form ??
    (isOnTerminal(destination, context) ? "text" : "markdown");
  const isRedacted = !args.has("no-redact") &&
    (form !== "text" || args.has("redact") || args.has("redact-pattern"));
  const redactor = site !== undefined ? site.redactor : isRedacted
    // Loaded here: text on a terminal is usually not masked.
    ? (await import("./_secrets.ts")).redactorOf(args)
    : undefined;
  const hasImages = form === "html" &&
    (args.has("images") || redactor === undefined);
  const options: RenderOptions = {
    redactor,
    reasoning: args.choice("reasoning", REASONING),
    tools: args.choice("tools", TOOLS),
    maxOutputLines: args.number("max-output-lines"),
  };
  const written = [new Gathered()];
  const turn = (): void => void written.push(new Gathered());
  const renderer: Rendition["renderer"] = form === "text"
    ? await textRenderer(options, context, destination)
    : new (await DOCUMENTS[form]())({
      ...options,
      images: hasImages,
      listing: site?.listing,
      sequence: pages && { nameOf: pages.nameOf, turn },
    });
  return { form, redactor, hasImages, renderer, written };
}

async function textRenderer(
  options: RenderOptions,
  { args, screen, style, width }: CommandContext,
  { output }: Destination,
): Promise<TextRenderer> {
  // A file has colours only with --color=always.
  const isColored = args.choice("color", COLOR) === "always";
  const fileStyle = isColored ? COLORED_STYLE : PLAIN_STYLE;
  const { TextRenderer } = await import("../../render/text.ts");
  return new TextRenderer({
    ...options,
    style: output === screen ? style : fileStyle,
    columns: () => output === screen ? width() : undefined,
  });
}
