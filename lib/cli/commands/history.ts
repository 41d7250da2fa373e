/**
 * `codexpipe history`.
 */

import { DIALECTS, encodeLine, HistoryState } from "../../../mod.ts";
import type { Arguments } from "../arguments.ts";
import { parseByteSize } from "../byte_size.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, IoError } from "../endings.ts";
import { STDIN } from "../input.ts";
import { Output } from "../output.ts";
import { Normalization } from "./_normalization.ts";
import { peekSnapshot, snapshotText } from "./_snapshot_text.ts";

const ENCODER = new TextEncoder();
/** How much text is gathered before it is written, in UTF-16 units. */
const GATHERED = 1 << 18;

/** Folds the named files, or stdin, into histories. */
export async function run(
  args: Arguments,
  context: CommandContext,
): Promise<number> {
  const files = args.operands.length === 0 ? [STDIN] : args.operands;
  let isIncomplete = false;
  let hasFailures = false;
  for (const file of files) {
    const fold = new Fold(args, context);
    try {
      await fold.run(file);
    } catch (error) {
      // One file that cannot be read does not keep the others from being.
      if (!(error instanceof IoError)) throw error;
      isIncomplete = true;
      context.diagnostics.say(error.message);
      await context.diagnostics.flush();
    }
    isIncomplete ||= fold.work.isIncomplete;
    hasFailures ||= fold.work.hasFailures;
  }
  if (isIncomplete) return EXIT.io;
  return args.has("strict") && hasFailures ? EXIT.no : EXIT.done;
}

/** Folds one file. */
class Fold {
  readonly #args: Arguments;
  readonly #stdout: Output;
  readonly #state = new HistoryState();
  readonly #decoder = new TextDecoder();
  /** Normalizes, and hands what it writes to the state. */
  readonly work: Normalization;

  constructor(args: Arguments, context: CommandContext) {
    const { process, stdout } = context;
    this.#args = args;
    this.#stdout = stdout;
    const records = new Output(
      { write: (bytes) => this.#fold(bytes) },
      "records",
      process,
    );
    const from = args.choice("from", DIALECTS);
    const maxLineBytes = parseByteSize(args.value("max-line-bytes") ?? "");
    this.work = new Normalization({ ...context, stdout: records }, {
      options: {
        initialThreadId: args.value("thread-id"),
        initialTurnId: args.value("turn-id"),
        ...(from === undefined ? {} : { from }),
        ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
      },
      errors: undefined,
      isLineBuffered: false,
      isQuiet: args.has("quiet"),
      isVerbose: args.has("verbose"),
    });
  }

  async run(file: string): Promise<void> {
    const input = await this.work.open(file);
    if (input === undefined) return;
    const isPretty = this.#args.has("pretty");
    const { snapshot, blocks } = await peekSnapshot(input, file);
    if (snapshot !== undefined) {
      input.close();
      return await this.#write(snapshotText(snapshot, isPretty));
    }
    await this.work.normalizeInput(file, blocks);
    if (this.#args.has("mutations")) return;
    await this.#write(snapshotText(this.#state.snapshot(), isPretty));
  }

  /** Takes normalized records, and writes what they change if that was asked for. */
  async #fold(bytes: Uint8Array): Promise<number> {
    const isWritten = this.#args.has("mutations");
    let changes = "";
    for (const line of this.#decoder.decode(bytes).split("\n")) {
      if (line === "") continue;
      for (const mutation of this.#state.apply(JSON.parse(line))) {
        if (isWritten) changes += encodeLine(mutation);
      }
      if (changes.length > GATHERED) {
        await this.#stdout.write(ENCODER.encode(changes));
        changes = "";
      }
    }
    if (changes !== "") await this.#stdout.write(ENCODER.encode(changes));
    return bytes.length;
  }

  async #write(pieces: Iterable<string>): Promise<void> {
    let text = "";
    for (const piece of pieces) {
      text += piece;
      if (text.length <= GATHERED) continue;
      await this.#stdout.write(ENCODER.encode(text));
      text = "";
    }
    await this.#stdout.write(ENCODER.encode(text));
  }
}
