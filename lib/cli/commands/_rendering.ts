/**
 * The work of `codexpipe render`, for every command that shows a session: input after input
 * into one document.
 */

import type { HistorySnapshot } from "../../history/snapshot.ts";
import type { Outcome } from "../../outcome.ts";
import { JsonlRecords } from "../../pipeline/event_pipeline.ts";
import type { TranscriptPart } from "../../render/parts.ts";
import { snapshotParts } from "../../render/snapshot_parts.ts";
import { ThreadTranscripts } from "../../render/thread_transcripts.ts";
import { LINES_NOT_SHOWN, TranscriptBuilder } from "../../render/transcript.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { IoError } from "../endings.ts";
import { ON_ERROR, STDIN } from "../flags.ts";
import { GATHERED, Gathered, type Output } from "../output.ts";
import type { Blocks } from "../input.ts";
import { continuedInput } from "./_continued_input.ts";
import { HistoryRemarks } from "./_history_remarks.ts";
import {
  Normalization,
  type NormalizationOptions,
  type PlaceOf,
} from "./_normalization.ts";
import { readingOptions } from "./_reading_options.ts";
import { type Destination, type Rendition, renditionOf } from "./_rendition.ts";
import { saySecrets } from "./_secrets.ts";
import {
  isObject,
  type Peeked,
  peekOptions,
  peekSnapshot,
} from "./_snapshot_text.ts";

/**
 * Renders inputs into one document, as the flags of a command say: `to`, `reasoning`, `tools`,
 * `max-output-lines`, `redact`, `no-redact`, `redact-pattern`, `stamp`, `on-error`, `quiet` and
 * what says how to read. A command need not have all of them.
 */
export class Rendering {
  readonly #args: Arguments;
  readonly #context: CommandContext;
  readonly #destination: Destination;
  readonly #rendition: Rendition;
  /** Has the lines read, and hands what comes of them to the document. */
  readonly work: Normalization<Outcome<unknown>>;
  /** What is to be written: the end of a page, and the next one. */
  readonly #written: Gathered[];
  #output: Output;
  #page = 1;
  #length = 0;
  #isIncomplete = false;
  /** Whether more may be written: text then says at once what begins. */
  #isGrowing = false;
  #transcript: TranscriptBuilder | ThreadTranscripts | undefined;
  /** What has become of lines before the transcript. */
  #early: Outcome<unknown>[] = [];
  #nextTurn = 1;
  /** Where the lines of the input are that is being read, if several files are one. */
  #placeOf: PlaceOf | undefined;
  /** Makes what says that something may be missing in a transcript. */
  #remarksOnNext: (() => HistoryRemarks) | undefined;
  #remarks: HistoryRemarks | undefined;

  private constructor(
    args: Arguments,
    context: CommandContext,
    destination: Destination,
    rendition: Rendition,
    written: Gathered[],
  ) {
    this.#args = args;
    this.#context = context;
    this.#destination = destination;
    this.#rendition = rendition;
    this.#written = written;
    this.#output = destination.output;
    this.work = new Normalization(context, this.#normalizationOptions());
  }

  /**
   * Begins a document: loads what renders it.
   *
   * @param destination Where the document goes.
   */
  static async create(
    args: Arguments,
    context: CommandContext,
    destination: Destination,
  ): Promise<Rendering> {
    const written = [new Gathered()];
    const turn = (): void => void written.push(new Gathered());
    const rendition = await renditionOf(args, context, destination, turn);
    return new Rendering(args, context, destination, rendition, written);
  }

  /** Whether something could not be read to its end. */
  get isIncomplete(): boolean {
    return this.#isIncomplete || this.work.isIncomplete;
  }

  /** Renders a file, or stdin; one that cannot be read is reported. */
  async render(file: string): Promise<void> {
    const input = await this.work.open(file);
    const peeked = input && await this.#peek(file, input);
    if (peeked === undefined) return;
    const { snapshot } = peeked;
    if (snapshot !== undefined) {
      return await this.#renderSnapshot(snapshot, peeked.blocks);
    }
    const { blocks, placeOf, isBaseKnown } = await continuedInput(
      file,
      peeked,
      this.#args,
      this.#context,
    );
    if (file === STDIN) this.#grow();
    else this.#isGrowing = false;
    this.#remarksOnNext = () => this.#remarksOn(file, isBaseKnown);
    await this.#renderLines(file, blocks, placeOf);
  }

  /**
   * Renders a file while it grows; one that cannot be read is reported.
   *
   * @throws {Interrupted} When what was complete has been rendered, if the user wanted the
   *   work to end.
   */
  async follow(file: string): Promise<void> {
    this.#grow();
    this.#remarksOnNext = () => this.#remarksOn(file, false);
    await this.work.follow(file);
  }

  /**
   * Renders what was opened, and closes it. What may be missing in it is not said.
   *
   * @param placeOf Where its lines are, if it was put together of several files.
   */
  async renderInput(
    name: string,
    input: Blocks,
    placeOf?: PlaceOf,
  ): Promise<void> {
    const peeked = await this.#peek(name, input);
    if (peeked === undefined) return;
    const { snapshot, blocks } = peeked;
    if (snapshot === undefined) await this.#renderLines(name, blocks, placeOf);
    else await this.#renderSnapshot(snapshot, blocks);
  }

  /** Ends the document, and says what was masked in it. */
  async end(): Promise<void> {
    this.#context.progress.watch();
    // Whatever ended the work: what was read so far is shown.
    await this.#endInput();
    this.#rendition.renderer.flush?.((text) => this.#add(text));
    await this.#flush();
    if (this.#destination.site === undefined) {
      const { counts } = this.#rendition.redactor ?? { counts: new Map() };
      saySecrets(counts, this.#args, this.#context);
    }
    await this.#context.diagnostics.flush();
  }

  /** More may be written: text says at once what begins, and a person sees that it runs. */
  #grow(): void {
    this.#isGrowing = true;
    const { renderer } = this.#rendition;
    const { progress, screen } = this.#context;
    const { output, isTerminal } = this.#destination;
    if (!isTerminal || output !== screen) return;
    progress.watch(() => renderer.running);
  }

  async #renderSnapshot(
    snapshot: HistorySnapshot,
    blocks: Blocks,
  ): Promise<void> {
    blocks.close();
    for (const part of snapshotParts(snapshot, this.#nextTurn)) {
      if (part.type === "turn_started") this.#nextTurn = part.turn + 1;
      this.#take(part);
      if (this.#length > GATHERED) await this.#flush();
    }
    await this.#flush();
  }

  async #renderLines(
    name: string,
    blocks: Blocks,
    placeOf: PlaceOf | undefined,
  ): Promise<void> {
    this.#placeOf = placeOf;
    await this.work.normalizeInput(name, blocks, placeOf);
  }

  #remarksOn(file: string, isBaseKnown: boolean): HistoryRemarks {
    const isQuiet = this.#args.has("quiet");
    return new HistoryRemarks(file, this.#context, { isQuiet, isBaseKnown });
  }

  /** Finds out whether an input is a snapshot; one that cannot be read is reported. */
  async #peek(name: string, input: Blocks): Promise<Peeked | undefined> {
    try {
      return await peekSnapshot(input, name, peekOptions(this.#args));
    } catch (error) {
      input.close();
      // One file that cannot be read does not keep the others from being.
      if (!(error instanceof IoError)) throw error;
      this.#isIncomplete = true;
      const { diagnostics } = this.#context;
      diagnostics.say(error.message);
      await diagnostics.flush();
      return undefined;
    }
  }

  #normalizationOptions(): NormalizationOptions<Outcome<unknown>> {
    const args = this.#args;
    const onError = args.choice("on-error", ON_ERROR) ?? "report";
    const isReporting = onError === "report";
    return {
      make: (options) => new JsonlRecords(options),
      take: (outcome) => this.#fold(outcome),
      write: () => this.#write(),
      options: {
        ...readingOptions(args),
        except: LINES_NOT_SHOWN,
        // What is reported has its place in the transcript too.
        onError: isReporting || onError === "inline" ? "mark" : onError,
      },
      errors: this.#destination.errors,
      args,
      isReporting: isReporting || onError === "stop",
      onEnd: () => {
        // There may have been nothing but lines that are not shown.
        if (this.work.records > 0) this.#transcript ??= this.#newTranscript();
        return this.#endInput();
      },
    };
  }

  /** Takes what has become of a line into the document. */
  #fold(outcome: Outcome<unknown>): void {
    if (this.#transcript === undefined) {
      // Whose transcript it is, a line that has failed does not tell.
      this.#early.push(outcome);
      if (this.work.kind !== undefined) this.#begin();
    } else this.#feed(this.#transcript, outcome);
  }

  /** Begins a transcript with the lines so far. */
  #begin(): void {
    const transcript = this.#transcript = this.#newTranscript();
    for (const outcome of this.#early) this.#feed(transcript, outcome);
    this.#early = [];
  }

  #feed(
    transcript: TranscriptBuilder | ThreadTranscripts,
    outcome: Outcome<unknown>,
  ): void {
    transcript.feed(this.#told(outcome), (part) => this.#take(part));
  }

  /** Writes what a piece of the input has added to the document. */
  async #write(): Promise<void> {
    if (this.#early.length > 0) this.#begin();
    if (this.#transcript !== undefined) this.#remarks?.see(this.#transcript);
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
    if (part.type === "failure" && this.#isReportSeen) return;
    this.#rendition.renderer.feed(
      this.#placed(part),
      (text) => this.#add(text),
    );
  }

  /** Whether what is reported of failed lines stands where the document does. */
  get #isReportSeen(): boolean {
    const onError = this.#args.choice("on-error", ON_ERROR) ?? "report";
    return onError === "report" && !this.#args.has("quiet") &&
      this.#destination.isTerminal && this.#context.process.isTerminal.stderr;
  }

  /** Gives a failed line the number that it has in its own file. */
  #placed(part: TranscriptPart): TranscriptPart {
    if (part.type !== "failure") return part;
    const place = this.#placeOf?.({ line: part.line, offset: 0 });
    return place === undefined ? part : { ...part, line: place.line };
  }

  /** What is said of a line: what failed before says so itself, and a record may need a time. */
  #told(outcome: Outcome<unknown>): Outcome<unknown> {
    const { line, offset } = outcome;
    if (!outcome.ok) {
      const { inBand: value } = outcome;
      return value === undefined ? outcome : { ok: true, line, offset, value };
    }
    if (!this.#args.has("stamp")) return outcome;
    const { value } = outcome;
    const isTimed = !isObject(value) || "timestamp" in value ||
      "payload" in value;
    if (isTimed) return outcome;
    const timestamp = new Date(this.#context.process.now()).toISOString();
    return { ...outcome, value: { ...value, timestamp } };
  }

  #add(text: string): void {
    this.#written.at(-1)?.addText(text);
    this.#length += text.length;
  }

  async #flush(): Promise<void> {
    this.#length = 0;
    for (const written of this.#written) {
      if (written !== this.#written[0]) {
        this.#page += 1;
        this.#output = await this.#destination.pages?.open(this.#page) ??
          this.#output;
      }
      await written.writeTo(this.#output);
    }
    this.#written.splice(0, this.#written.length - 1);
  }
}
