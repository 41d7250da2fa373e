/** The work of `codexpipe normalize` and other commands: inputs, blocks, pieces. */

import { DIALECTS, type StreamKind } from "../../dialects/dialect_names.ts";
import type { FailureView } from "../../lines/failures.ts";
import type { JsonlOptions, JsonlStage } from "../../pipeline/line_answers.ts";
import { JsonlNormalizer } from "../../pipeline/pipeline.ts";
import type {
  LineageSource,
  LinePlace,
} from "../../sessions/session_lineage.ts";
import type { CommandContext } from "../command.ts";
import { IoError, type Reading } from "../endings.ts";
import type { ErrorFile } from "../created_file.ts";
import type { FollowListener } from "../followed_input.ts";
import {
  type Blocks,
  type ChosenInput,
  type Input,
  invite,
  openChosen,
} from "../input.ts";
import type { DriftRemark } from "./_drift_remark.ts";
import type { Output } from "../output.ts";

const LF = 0x0a;

/** The bytes that are processed at once while lines fail: a message can be fifty times its line. */
const FAILING_PIECE = 1 << 15;

/** The bytes that are processed first: they show whether lines fail, and which engine to use. */
const FIRST_PIECE = 1 << 12;

/** Maps a line of an input that joins several files to its own file. */
export type PlaceOf = LineageSource["placeOf"];

export function normalizing(options: JsonlOptions): JsonlNormalizer {
  return new JsonlNormalizer(options);
}

/** Collects results without copying them, and writes them to an output. */
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
  readonly make: (options: JsonlOptions) => JsonlStage<A>;
  /** Takes a result; the stage is not used again until `write` is done. */
  readonly take: (answer: A) => void;
  readonly write: () => Promise<void>;
  readonly options: JsonlOptions;
  readonly errors?: ErrorFile | undefined;
  /** Whether failed lines go to stderr; by default, unless `onError` is `inline` or `drop`. */
  readonly isReporting?: boolean;
  readonly onEnd?: (() => Promise<void>) | undefined;
}

/** Processes one input after the other, and records failures for the exit status. */
export class Normalization<A = Uint8Array<ArrayBuffer>> implements Reading {
  readonly #context: CommandContext;
  readonly #options: NormalizationOptions<A>;
  readonly #isVerbose: boolean;
  #isFollowing = false;
  isIncomplete = false;
  hasFailures = false;
  hasStopped = false;
  #normalizer: JsonlStage<A> | undefined;
  #drift: DriftRemark | undefined;
  /** The saved state that the first input continues; later inputs are independent streams. */
  #resume: unknown;
  /** The failed lines of the current input that hint at a dialect that was guessed wrong. */
  #doubtful = 0;

  constructor(context: CommandContext, options: NormalizationOptions<A>) {
    this.#context = context;
    this.#options = options;
    this.#isVerbose = context.args.has("verbose");
    this.#resume = options.options.resume;
  }

  get kind(): StreamKind | undefined {
    return this.#normalizer?.kind;
  }

  get records(): number {
    return this.#normalizer?.records ?? 0;
  }

  /** Processes an input. An error of reading is reported, not thrown; so it is by `follow` and `open`. */
  async normalize(chosen: ChosenInput): Promise<void> {
    const input = await this.open(chosen);
    if (input !== undefined) await this.normalizeInput(chosen.name, input);
  }

  /** Processes a growing file; one that is emptied or replaced begins another stream. */
  async follow(file: string, listener?: FollowListener): Promise<void> {
    const { followInput } = await import("../followed_input.ts");
    this.#isFollowing = true;
    try {
      for await (const input of followInput(file, this.#context, listener)) {
        await this.normalizeInput(file, input);
        if (this.hasStopped) break;
      }
    } catch (error) {
      await this.reportUnreadable(error);
    }
  }

  async open(chosen: ChosenInput): Promise<Input | undefined> {
    try {
      const input = await openChosen(chosen, this.#context.process);
      await invite(chosen.name, this.#context);
      return input;
    } catch (error) {
      await this.reportUnreadable(error);
      return undefined;
    }
  }

  /** Processes an open input, and closes it. `placeOf` maps lines to their own files, if joined. */
  async normalizeInput(
    file: string,
    input: Blocks,
    placeOf?: PlaceOf,
  ): Promise<void> {
    const { options } = this.#options;
    const { diagnostics } = this.#context;
    this.#doubtful = 0;
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
      drift = this.#drift ??= new DriftRemark();
      drift.begin(file, { maxLineBytes, isWhole: true });
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
    normalizer: JsonlStage<A>,
    drift: DriftRemark | undefined,
  ): Promise<void> {
    const isLineBuffered = this.#context.args.has("line-buffered");
    let size = isLineBuffered ? 0 : FIRST_PIECE;
    for (;;) {
      let block: Uint8Array | undefined;
      try {
        block = await input.next();
      } catch (error) {
        await this.reportUnreadable(error);
      }
      // At the end, and after an error, the bytes that were read are processed.
      if (block === undefined) {
        return await this.#answer((emit) => normalizer.flush(emit));
      }
      drift?.feed(block);
      for (let start = 0; start < block.length;) {
        const { failures } = normalizer;
        // At least one line, if the block has one: the first determines the dialect.
        const lineEnd = block.indexOf(LF, start) + 1 || block.length;
        const end = Math.min(Math.max(start + size, lineEnd), block.length);
        const piece = block.subarray(start, end);
        await this.#answer((emit) => normalizer.feed(piece, emit));
        if (this.hasStopped) return;
        start = end;
        if (isLineBuffered) continue;
        size = normalizer.failures > failures ? FAILING_PIECE : Infinity;
      }
    }
  }

  async #answer(work: (emit: (answer: A) => void) => void): Promise<void> {
    const { diagnostics, process } = this.#context;
    try {
      work(this.#options.take);
    } catch (error) {
      if (!this.hasStopped) throw error;
    }
    // The error file comes first: a reader of a result can rely on the failures before it being
    // in that file.
    await this.#options.errors?.flush();
    await this.#options.write();
    await diagnostics.flush();
    // A followed file ends by itself, after its complete lines are processed.
    if (!this.#isFollowing) process.interrupt.throwIfAborted();
  }

  #failed(failed: FailureView, place: LinePlace): void {
    const { errors, options: { onError } } = this.#options;
    const isKept = onError === "inline" || onError === "drop";
    const { isReporting = !isKept } = this.#options;
    this.hasFailures = true;
    if (onError === "stop") this.hasStopped = true;
    // Neither failures of an earlier run nor lines that are too long are of a wrong dialect.
    const isOld = failed.isInBand || failed.error.kind === "line_too_long";
    if (!isOld) this.#doubtful += 1;
    errors?.add(failed, place);
    if (!isReporting) return;
    const { line, path } = place;
    this.#context.diagnostics.failed(path, line, failed.error);
  }

  /** Reports an error of reading, so that the other inputs are still read. Throws other errors. */
  async reportUnreadable(error: unknown): Promise<void> {
    if (!(error instanceof IoError)) throw error;
    this.isIncomplete = true;
    this.#context.diagnostics.say(error.message);
    await this.#context.diagnostics.flush();
  }

  /** Prints the summary of `--verbose`, and a hint if the dialect may have been guessed wrong. */
  async #report(file: string, normalizer: JsonlStage<A>): Promise<void> {
    const { diagnostics } = this.#context;
    const { failures, records, kind } = normalizer;
    if (this.#isVerbose) {
      const { countedText } = await import("../../render/quantity_text.ts");
      const dialect = kind === undefined ? "" : `${kind}, `;
      const good = countedText(records, "record");
      const bad = countedText(failures, "failed line");
      diagnostics.say(
        `${file}: ${dialect}${good}, ${bad}; ${engineOf(normalizer)}`,
      );
    }
    // The failures of other inputs, such as a snapshot, say that they are no log.
    const mayBeLog = DIALECTS.some((dialect) => dialect === (kind ?? "auto"));
    const isDoubtful = mayBeLog && !this.hasStopped &&
      this.#doubtful > records && this.#options.options.from === "auto";
    if (isDoubtful) {
      diagnostics.remark(
        `${file}: ${failures} of ${
          failures + records
        } lines failed when read as ${
          kind ?? "a log of Codex"
        }; a line is one JSON object: leave out stderr (2>&1), remove text before objects with sed 's/^[^{]*//', join their lines with jq -c .; or set the dialect with --from=DIALECT, or the thread of a log that was cut off with --thread-id=ID`,
      );
    }
  }
}

/** The engine, and the share of lines that it processed. */
function engineOf(
  { engine, fastLines, records, failures }: JsonlStage<unknown>,
): string {
  if (engine === "js") return "engine js";
  // Rounded down, so that 100 % means all lines.
  const thousandth = Math.floor(1000 * fastLines / (records + failures || 1));
  return `engine wasm, ${(thousandth / 10).toFixed(1)} % of the lines`;
}

/** Splits a block into lines with their line feeds; the last line may be incomplete. */
export function* linesIn(block: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < block.length;) {
    const end = block.indexOf(LF, start);
    const next = end === -1 ? block.length : end + 1;
    yield block.subarray(start, next);
    start = next;
  }
}
