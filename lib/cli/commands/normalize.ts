/**
 * `codexpipe normalize`.
 */

import { DIALECTS } from "../../dialects/dialect_names.ts";
import type { JsonlNormalizerOptions } from "../../pipeline/pipeline.ts";
import type { Arguments } from "../arguments.ts";
import { parseByteSize } from "../byte_size.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { STDIN } from "../standard_streams.ts";
import type { Surroundings } from "../context.ts";
import type { ErrorFile } from "../error_file.ts";
import { ENGINES, ON_ERROR } from "../flags.ts";
import type { Input } from "../input.ts";
import { refuseSeveral } from "./_following.ts";
import {
  Normalization,
  type NormalizationOptions,
  normalizing,
} from "./_normalization.ts";

/** Normalizes the named files, or stdin, to stdout. */
export function run(
  args: Arguments,
  context: CommandContext,
): Promise<number> {
  return answerLines(args, context, normalizing);
}

/** Answers the lines of the named files, or of stdin, to stdout. */
export function answerLines(
  args: Arguments,
  context: CommandContext,
  make: NormalizationOptions["make"],
): Promise<number> {
  const files = args.operands.length === 0 ? [STDIN] : args.operands;
  refuseSeveral(args, files);
  const inputs = files.map((name) => ({ name }));
  return answerInputs(args, context, { names: files, inputs, make });
}

/** A file that is to be answered, or stdin. */
export interface AnsweredInput {
  /** Its name. */
  readonly name: string;
  /** Opens it, if that takes more than its name. */
  readonly open?: () => Promise<Input>;
}

/**
 * What is to be answered.
 *
 * @typeParam T What is known of each input.
 */
interface AnsweredInputs<T extends AnsweredInput>
  extends Pick<NormalizationOptions, "make" | "onEnd"> {
  /** The names of the files, as far as they are known: nothing is written over them. */
  readonly names: readonly string[];
  /** The files. */
  readonly inputs: Iterable<T> | AsyncIterable<T>;
  /** Is called before an input is read. */
  readonly onBegin?: (input: T) => void;
}

/** Answers the lines of inputs to stdout, as the flags say. */
export async function answerInputs<T extends AnsweredInput>(
  args: Arguments,
  context: CommandContext,
  { names, inputs, make, onBegin, onEnd }: AnsweredInputs<T>,
): Promise<number> {
  const { process } = context;
  const isFollowing = args.has("follow");
  const options = optionsOf(args);
  checkEngine(options, make);
  const errorsTo = args.value("errors-to");
  const errors = errorsTo === undefined
    ? undefined
    : await createErrorFile(errorsTo, names, process);
  const work = new Normalization(context, {
    make,
    options,
    errors,
    isLineBuffered: args.has("line-buffered"),
    isQuiet: args.has("quiet"),
    isVerbose: args.has("verbose"),
    ...(onEnd === undefined ? {} : { onEnd }),
  });
  try {
    for await (const input of inputs) {
      const { name, open } = input;
      onBegin?.(input);
      if (isFollowing) await work.follow(name);
      else await work.normalize(name, open);
      if (work.hasStopped) break;
    }
  } finally {
    errors?.close();
  }
  if (work.isIncomplete) return EXIT.io;
  const isNo = work.hasStopped || (args.has("strict") && work.hasFailures);
  return isNo ? EXIT.no : EXIT.done;
}

/** Opens the file that failed lines are kept in; few runs have one. */
async function createErrorFile(
  path: string,
  inputs: readonly string[],
  process: Surroundings,
): Promise<ErrorFile> {
  const [{ ErrorFile }, { refuseOverwriting }] = await Promise.all([
    import("../error_file.ts"),
    import("./_overwriting.ts"),
  ]);
  await refuseOverwriting("errors-to", path, inputs, process);
  return await ErrorFile.create(path, process);
}

/** Says so before anything is read if the engine that was asked for cannot run. */
function checkEngine(
  options: JsonlNormalizerOptions,
  make: NormalizationOptions["make"],
): void {
  if (options.engine !== "wasm") return;
  try {
    make(options);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new UsageError(
      "--engine=wasm: WebAssembly with SIMD cannot run here; say --engine=auto",
    );
  }
}

/** The options that the flags ask for. */
function optionsOf(args: Arguments): JsonlNormalizerOptions {
  const from = args.choice("from", DIALECTS);
  const onError = args.choice("on-error", ON_ERROR);
  const engine = args.choice("engine", ENGINES);
  const maxLineBytes = parseByteSize(args.value("max-line-bytes") ?? "");
  return {
    thread: args.value("thread"),
    initialThreadId: args.value("thread-id"),
    initialTurnId: args.value("turn-id"),
    ...(from === undefined ? {} : { from }),
    ...(onError === undefined ? {} : { onError }),
    ...(engine === undefined ? {} : { engine }),
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
  };
}
