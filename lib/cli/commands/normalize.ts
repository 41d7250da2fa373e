/** `codexpipe normalize`. */

import type { JsonlNormalizerOptions } from "../../pipeline/pipeline.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import type { Surroundings } from "../context.ts";
import { EXIT, UsageError } from "../endings.ts";
import type { ErrorFile } from "../error_file.ts";
import { ENGINES, type FlagName, ON_ERROR } from "../flags.ts";
import type { Input } from "../input.ts";
import { refuseSeveral } from "../refusals.ts";
import { STDIN } from "../standard_streams.ts";
import {
  Normalization,
  type NormalizationOptions,
  normalizing,
} from "./_normalization.ts";
import { readingOptions } from "./_reading_options.ts";

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
  return answerInputs(args, context, { names: files, make });
}

/** A file that is to be answered, or stdin. */
export interface AnsweredInput {
  readonly name: string;
  /** Opens it, if that takes more than its name. */
  readonly open?: () => Promise<Input>;
}

/** How it went so far. */
type HowItWent = Pick<
  Normalization,
  "isIncomplete" | "hasFailures" | "hasStopped"
>;

interface AnsweredInputs<T extends AnsweredInput>
  extends Pick<NormalizationOptions, "make" | "onEnd"> {
  /** The names of the files, as far as they are known: nothing is written over them. */
  readonly names: readonly string[];
  /**
   * The files, to be read one after the other.
   *
   * @default {undefined} Those that are named, which threads may share.
   */
  readonly inputs?: Iterable<T> | AsyncIterable<T>;
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
    args,
    ...(onEnd === undefined ? {} : { onEnd }),
  });
  async function* answer(
    { name, open }: AnsweredInput,
  ): AsyncGenerator<HowItWent> {
    if (isFollowing) await work.follow(name);
    else await work.normalize(name, open);
    const { isIncomplete, hasFailures, hasStopped } = work;
    yield { isIncomplete, hasFailures, hasStopped };
  }
  async function* oneByOne(
    inputs: Iterable<T> | AsyncIterable<T>,
  ): AsyncGenerator<HowItWent> {
    for await (const input of inputs) {
      onBegin?.(input);
      yield* answer(input);
    }
  }
  const all = { isIncomplete: false, hasFailures: false, hasStopped: false };
  try {
    const answers = inputs === undefined
      ? shared(names.map((name) => ({ name })), answer, args, context)
      : oneByOne(inputs);
    for await (const one of answers) {
      all.isIncomplete ||= one.isIncomplete;
      all.hasFailures ||= one.hasFailures;
      all.hasStopped ||= one.hasStopped;
      if (all.hasStopped) break;
    }
  } finally {
    errors?.close();
  }
  if (all.isIncomplete) return EXIT.io;
  const isNo = all.hasStopped || (args.has("strict") && all.hasFailures);
  return isNo ? EXIT.no : EXIT.done;
}

/** With these, the inputs are read one after the other; which engine runs depends on those before. */
const ALONE: readonly FlagName[] = ["errors-to", "line-buffered", "verbose"];

/** Works on inputs, in several threads unless what comes of one depends on those before it. */
async function* shared(
  inputs: readonly AnsweredInput[],
  work: (input: AnsweredInput) => AsyncIterable<HowItWent>,
  args: Arguments,
  context: CommandContext,
): AsyncGenerator<HowItWent> {
  const [input] = inputs;
  if (inputs.length === 1 && input && context.process.starter === undefined) {
    // Nothing more is loaded for the one input that most runs have.
    return yield* work(input);
  }
  const { jobsOf, resultsOf } = await import("../jobs.ts");
  const isAlone = args.value("on-error") === "stop" ||
    ALONE.some((name) => args.has(name));
  yield* resultsOf({
    inputs,
    work,
    jobs: isAlone ? 1 : jobsOf(args),
  }, context);
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
  return {
    ...readingOptions(args),
    onError: args.choice("on-error", ON_ERROR),
    engine: args.choice("engine", ENGINES),
  };
}
