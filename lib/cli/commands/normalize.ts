/** `codexpipe normalize`. */

import type { JsonlOptions } from "../../pipeline/line_answers.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { type Reading, statusAfter, UsageError } from "../endings.ts";
import { ENGINES, type FlagName, ON_ERROR } from "../flags.ts";
import type { ChosenInput } from "../input.ts";
import {
  Normalization,
  type NormalizationOptions,
  normalizing,
  writing,
} from "./_normalization.ts";

export const run: RunCommand = (context) => answerLines(context, normalizing);

/** Processes the lines of the given files, or of stdin, and writes the results to stdout. */
export function answerLines(
  context: CommandContext,
  make: NormalizationOptions["make"],
): Promise<number> {
  const { args, stdout } = context;
  args.refuseSeveral();
  return answerInputs(context, {
    names: args.files,
    inputs: args.files.map((name) => ({ name })),
    answering: { make, ...writing(stdout) },
  });
}

interface TakenReading<R> extends Required<Reading> {
  readonly taken: R | undefined;
}

interface AnsweredInputs<T extends ChosenInput, R, A>
  extends Pick<NormalizationOptions, "onEnd"> {
  /** The stage that processes lines, and the callbacks for its results. */
  readonly answering: Pick<NormalizationOptions<A>, "make" | "take" | "write">;
  /** The names of the files as far as known; they must not be overwritten. */
  readonly names: readonly string[];
  /** The inputs: a list, which threads can share, or a sequence. */
  readonly inputs: readonly T[] | AsyncIterable<T>;
  readonly onBegin?: (input: T) => Promise<void>;
  /** Whether the output of an input depends on the inputs before it. */
  readonly isInTurn?: boolean;
  /** Returns the result of the last input, in the thread that read it. */
  readonly take?: () => R;
  /** Adds the result of `take` to that of all inputs, in the first thread. */
  readonly add?: (taken: R) => void;
}

/** Processes the lines of inputs according to the flags, and writes the results to stdout. */
export async function answerInputs<T extends ChosenInput, R, A>(
  context: CommandContext,
  given: AnsweredInputs<T, R, A>,
): Promise<number> {
  const { names, inputs, answering, onBegin, onEnd, take, add } = given;
  const { args, process } = context;
  const isFollowing = args.has("follow");
  const options: JsonlOptions = {
    ...args.readingOptions,
    onError: args.choice("on-error", ON_ERROR),
    engine: args.choice("engine", ENGINES),
  };
  checkEngine(options, answering.make);
  const errorsTo = args.value("errors-to");
  // Its modules are loaded here, since few runs have such a file.
  const errors = errorsTo === undefined
    ? undefined
    : await (await import("./_overwriting.ts"))
      .createErrorFile(errorsTo, names, context);
  const work = new Normalization(context, {
    ...answering,
    options,
    errors,
    onEnd,
  });
  async function* answer(input: T): AsyncGenerator<TakenReading<R>> {
    await onBegin?.(input);
    if (isFollowing) await work.follow(input.name);
    else await work.normalize(input);
    const { isIncomplete, hasFailures, hasStopped } = work;
    yield { isIncomplete, hasFailures, hasStopped, taken: take?.() };
  }
  const isInTurn = given.isInTurn === true ||
    args.value("on-error") === "stop" ||
    IN_TURN.some((name) => args.has(name));
  async function* answers(): AsyncGenerator<TakenReading<R>> {
    // The module for threads is not loaded for one input, which is the usual case.
    if (
      Symbol.asyncIterator in inputs ||
      (inputs.length === 1 && process.starter === undefined)
    ) {
      for await (const input of inputs) yield* answer(input);
    } else {
      const { resultsOf } = await import("../jobs.ts");
      yield* resultsOf({ inputs, work: answer, isInTurn }, context);
    }
  }
  const all = { isIncomplete: false, hasFailures: false, hasStopped: false };
  try {
    for await (const one of answers()) {
      if (one.taken !== undefined) add?.(one.taken);
      all.isIncomplete ||= one.isIncomplete;
      all.hasFailures ||= one.hasFailures;
      all.hasStopped ||= one.hasStopped;
      if (all.hasStopped) break;
    }
  } finally {
    errors?.close();
  }
  return statusAfter(all, args);
}

/** The flags with which inputs are read one after the other, in one thread. */
const IN_TURN: readonly FlagName[] = ["errors-to", "line-buffered", "verbose"];

/** Throws before any input is read if the chosen engine cannot run. */
function checkEngine(
  options: JsonlOptions,
  make: (options: JsonlOptions) => unknown,
): void {
  if (options.engine !== "wasm") return;
  try {
    make(options);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new UsageError(
      "--engine=wasm: WebAssembly with SIMD cannot run here; use --engine=auto",
    );
  }
}
