/** The work of `codexpipe normalize`: input after input, block after block. */

import type { StreamKind } from "../../dialects/dialect_names.ts";
import {
  type FailureView,
  JsonlNormalizer,
  type JsonlNormalizerOptions,
} from "../../pipeline/pipeline.ts";
import type {
  LineageSource,
  LinePlace,
} from "../../sessions/session_lineage.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { Interrupted, IoError } from "../endings.ts";
import type { ErrorFile } from "../error_file.ts";
import { type Blocks, type Input, invite, openInput } from "../input.ts";
import type { DriftRemark } from "./_drift_remark.ts";
import type { FailureFacts, LineStage } from "./_normalization_report.ts";
import type { Output } from "../output.ts";

const LF = 0x0a;

/**
 * How much is answered at once where lines fail: what is said of a short one is fifty times as
 * long, and waits in memory until it is written.
 */
const FAILING_PIECE = 1 << 15;

/** How much is answered at first, which tells whether lines fail and what engine is of use. */
const FIRST_PIECE = 1 << 12;

/**
 * How much is read at once as long as the engine is `js`, for which larger blocks save no time:
 * with blocks of half a megabyte, a stream of the old protocol takes 4 MB more.
 */
const SLOW_BLOCK = 1 << 17;

/** Says where a line of an input is that was put together of several files. */
export type PlaceOf = LineageSource["placeOf"];

export function normalizing(options: JsonlNormalizerOptions): JsonlNormalizer {
  return new JsonlNormalizer(options);
}

/** Writes answers to an output; they are not copied until then. */
export function writing(
  output: Output,
): Pick<NormalizationOptions, "take" | "write"> {
  let answers: Uint8Array[] = [];
  return {
    take: (bytes) => answers.push(bytes),
    async write() {
      const gathered = answers;
      answers = [];
      for (const bytes of gathered) await output.write(bytes);
    },
  };
}

export interface NormalizationOptions<A = Uint8Array<ArrayBuffer>> {
  /** Makes what answers the lines of an input. */
  readonly make: (options: JsonlNormalizerOptions) => LineStage<A>;
  /** Takes an answer: of the stage nothing else is asked until it is written. */
  readonly take: (answer: A) => void;
  /** Writes what has come of the answers to a piece of the input. */
  readonly write: () => Promise<void>;
  /** The options of the stage. */
  readonly options: JsonlNormalizerOptions;
  /** Where failed lines are kept. */
  readonly errors?: ErrorFile | undefined;
  /** What the command was called with: how much is said, and when answers are written. */
  readonly args: Arguments;
  /**
   * Whether something is said about each failed line.
   *
   * @default {true} Unless `onError` keeps them in band, or drops them.
   */
  readonly isReporting?: boolean;
  /** Is called when an input has been answered to its end. */
  readonly onEnd?: () => Promise<void>;
}

/** Normalizes one input after the other, and remembers how it went. */
export class Normalization<A = Uint8Array<ArrayBuffer>> {
  readonly #context: CommandContext;
  readonly #options: NormalizationOptions<A>;
  readonly #isQuiet: boolean;
  readonly #isVerbose: boolean;
  /** Whether something could not be read to its end. */
  isIncomplete = false;
  /** Whether a line has failed. */
  hasFailures = false;
  /** Whether a failed line was to end everything, and has. */
  hasStopped = false;
  #isFollowing = false;
  #normalizer: LineStage<A> | undefined;
  /** What the first input goes on from: those behind it are streams of their own. */
  #resume: unknown;
  /** What is known of the lines of the input that failed. */
  #failures: FailureFacts = { inBand: 0, tooLong: 0, threadless: 0 };

  constructor(context: CommandContext, options: NormalizationOptions<A>) {
    this.#context = context;
    this.#options = options;
    this.#isQuiet = options.args.has("quiet");
    this.#isVerbose = options.args.has("verbose");
    this.#resume = options.options.resume;
  }

  /** What the input that is being read has turned out to be. */
  get kind(): StreamKind | undefined {
    return this.#normalizer?.kind;
  }

  /** How many lines of the input have become records so far. */
  get records(): number {
    return this.#normalizer?.records ?? 0;
  }

  /**
   * Normalizes a file, or stdin; one that cannot be read is reported.
   *
   * @param opening Opens it, if it takes more than its name.
   */
  async normalize(file: string, opening?: () => Promise<Input>): Promise<void> {
    const input = await this.open(file, opening);
    if (input !== undefined) await this.normalizeInput(file, input);
  }

  /**
   * Normalizes a file while it grows; one that cannot be read is reported. A file that is
   * emptied or replaced begins another stream.
   *
   * @throws {Interrupted} When what was complete has been answered, if the user wanted the
   *   work to end.
   */
  async follow(file: string): Promise<void> {
    const { followInput } = await import("../followed_input.ts");
    this.#isFollowing = true;
    try {
      const inputs = followInput(file, this.#context, {
        isQuiet: this.#isQuiet,
        isVerbose: this.#isVerbose,
      });
      for await (const input of inputs) {
        await this.normalizeInput(file, input);
        if (this.hasStopped) break;
      }
    } catch (error) {
      this.#reportUnreadable(error);
      await this.#context.diagnostics.flush();
    } finally {
      this.#isFollowing = false;
    }
  }

  /**
   * Opens a file, or stdin; one that cannot be opened is reported.
   *
   * @param opening Opens it, if it takes more than its name.
   */
  async open(
    file: string,
    opening = (): Promise<Input> => openInput(file, this.#context.process),
  ): Promise<Input | undefined> {
    try {
      const input = await opening();
      if (!this.#isQuiet) await invite(file, this.#context);
      return input;
    } catch (error) {
      this.#reportUnreadable(error);
      await this.#context.diagnostics.flush();
      return undefined;
    }
  }

  /**
   * Normalizes what was opened, and closes it.
   *
   * @param placeOf Where its lines are, if it was put together of several files.
   */
  async normalizeInput(
    file: string,
    input: Blocks,
    placeOf?: PlaceOf,
  ): Promise<void> {
    const { options } = this.#options;
    const { diagnostics } = this.#context;
    this.#failures = { inBand: 0, tooLong: 0, threadless: 0 };
    const normalizer = this.#options.make({
      ...options,
      resume: this.#resume,
      fileName: file,
      expectedBytes: input.size,
      onFailure: (failed) => {
        const { line, offset } = failed;
        this.#failed(failed, placeOf?.(failed) ?? { path: file, line, offset });
      },
    });
    this.#normalizer = normalizer;
    this.#resume = undefined;
    let drift: DriftRemark | undefined;
    if (this.#isVerbose) {
      const { DriftRemark } = await import("./_drift_remark.ts");
      const { maxLineBytes } = options;
      drift = new DriftRemark(file, { maxLineBytes, isWhole: true });
    }
    try {
      await this.#answerAll(input, normalizer, drift);
    } finally {
      input.close();
    }
    await this.#options.onEnd?.();
    await this.#report(file, normalizer);
    drift?.flush();
    if (drift?.text !== undefined) diagnostics.say(`${file}: ${drift.text}`);
    await diagnostics.flush();
  }

  async #answerAll(
    input: Blocks,
    normalizer: LineStage<A>,
    drift: DriftRemark | undefined,
  ): Promise<void> {
    let size = FIRST_PIECE;
    for (;;) {
      let block: Uint8Array | undefined;
      try {
        const isFast = normalizer.engine === "wasm";
        block = await input.next(isFast ? undefined : SLOW_BLOCK);
      } catch (error) {
        this.#reportUnreadable(error);
      }
      // What came before the end, or before what broke, is answered either way.
      if (block === undefined) {
        return await this.#answer((emit) => normalizer.flush(emit));
      }
      drift?.feed(block);
      const { failures } = normalizer;
      const pieces = this.#options.args.has("line-buffered")
        ? linesIn(block)
        : piecesIn(block, size, normalizer);
      for (const piece of pieces) {
        await this.#answer((emit) => normalizer.feed(piece, emit));
        if (this.hasStopped) return;
      }
      size = normalizer.failures > failures ? FAILING_PIECE : Infinity;
    }
  }

  /** Lets the normalizer work, and writes what it emits and reports. */
  async #answer(
    work: (emit: (answer: A) => void) => void,
  ): Promise<void> {
    const { diagnostics, process } = this.#context;
    try {
      work(this.#options.take);
    } catch (error) {
      if (!this.hasStopped) throw error;
    }
    // First what could be lost: a reader of an answer can trust that the failures before
    // it are on record.
    await this.#options.errors?.flush();
    await this.#options.write();
    await diagnostics.flush();
    // Of a file that is followed, what is complete is still answered.
    if (process.interrupt.aborted && !this.#isFollowing) {
      throw new Interrupted();
    }
  }

  #failed(failed: FailureView, place: LinePlace): void {
    const { errors, options: { onError } } = this.#options;
    const isKept = onError === "inline" || onError === "drop";
    const { isReporting = !isKept } = this.#options;
    this.hasFailures = true;
    if (onError === "stop") this.hasStopped = true;
    if (failed.isInBand) this.#failures.inBand += 1;
    else if (failed.error.kind === "line_too_long") {
      this.#failures.tooLong += 1;
    } else if (failed.error.field === "thread_id") {
      this.#failures.threadless += 1;
    }
    errors?.add(failed, place);
    if (this.#isQuiet || !isReporting) return;
    const { kind, message } = failed.error;
    this.#context.diagnostics.failed(place.path, {
      line: place.line,
      kind,
      message,
    });
  }

  #reportUnreadable(error: unknown): void {
    if (!(error instanceof IoError)) throw error;
    this.isIncomplete = true;
    this.#context.diagnostics.say(error.message);
  }

  /** Says how an input went, if that was asked for or looks like a wrong guess. */
  async #report(file: string, normalizer: LineStage<A>): Promise<void> {
    const { from } = this.#options.options;
    const { failures, records } = normalizer;
    // What failed when it was read before, and what is too long to be looked at, says nothing
    // of how it was read now.
    const { inBand, tooLong } = this.#failures;
    const isDoubtful = !this.hasStopped && !this.#isQuiet && from === "auto" &&
      failures - inBand - tooLong > records;
    if (!this.#isVerbose && !isDoubtful) return;
    const { hintOf, summaryOf } = await import("./_normalization_report.ts");
    const { diagnostics } = this.#context;
    if (this.#isVerbose) diagnostics.say(`${file}: ${summaryOf(normalizer)}`);
    const hint = isDoubtful ? hintOf(normalizer, this.#failures) : undefined;
    if (hint !== undefined) diagnostics.say(`${file}: ${hint}`);
  }
}

/** The lines of a block, with their ends; the last one may lack its own. */
function* linesIn(block: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < block.length;) {
    const end = block.indexOf(LF, start);
    const next = end === -1 ? block.length : end + 1;
    yield block.subarray(start, next);
    start = next;
  }
}

/** A block, cut into pieces as long as lines fail; the first one is of a given size. */
function* piecesIn(
  block: Uint8Array,
  size: number,
  normalizer: LineStage<unknown>,
): Generator<Uint8Array> {
  // A first line tells what the input is, however long it is.
  let end = Math.min(Math.max(size, block.indexOf(LF) + 1), block.length);
  for (let start = 0; start < block.length;) {
    const { failures } = normalizer;
    yield block.subarray(start, end);
    start = end;
    const isFailing = normalizer.failures > failures;
    end = isFailing
      ? Math.min(start + FAILING_PIECE, block.length)
      : block.length;
  }
}
