/**
 * Runs the command: arguments in, exit status out.
 */

import { type Arguments, parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { COMMANDS, COMMON_FLAGS } from "./commands.ts";
import type { RunContext } from "./context.ts";
import { Diagnostics } from "./diagnostics.ts";
import {
  ClosedOutput,
  EXIT,
  Interrupted,
  IoError,
  UsageError,
} from "./endings.ts";
import { COLOR } from "./flags.ts";
import { helpOf, overview, VERSION_TEXT } from "./help.ts";
import { Output } from "./output.ts";
import { COLORED, PLAIN, type Style } from "./styles.ts";
import { suggestion } from "./suggestion.ts";

const ENCODER = new TextEncoder();

/** Where text may go. */
type Stream = "stdout" | "stderr";

/**
 * Runs the command.
 *
 * Whatever happens becomes an exit status: a reader that closes stdout has all that it
 * wanted, so the status is 0; what nobody thought of is a bug, is said to be one, and ends
 * with 70.
 *
 * @param args The arguments, without the name of the program.
 * @param context The process.
 * @returns The exit status.
 */
export async function run(
  args: readonly string[],
  context: RunContext,
): Promise<number> {
  const stderr = new Output(context.stderr, "stderr", context);
  const styleOf = (stream: Stream, parsed?: Arguments): Style =>
    isColored(stream, context, parsed) ? COLORED : PLAIN;
  let diagnostics = new Diagnostics(stderr, styleOf("stderr"));
  try {
    const parsed = parseArguments(args);
    diagnostics = new Diagnostics(stderr, styleOf("stderr", parsed));
    const stdout = new Output(context.stdout, "stdout", context);
    const [name] = parsed.operands;
    if (parsed.has("version")) {
      await stdout.write(ENCODER.encode(`${VERSION_TEXT}\n`));
      return EXIT.done;
    }
    if (name === "help" || parsed.has("help")) {
      const text = help(parsed, styleOf("stdout", parsed));
      await stdout.write(ENCODER.encode(text));
      return EXIT.done;
    }
    if (name === undefined) {
      // Nothing was asked for, and in a pipe help must not be taken for data.
      const style = styleOf("stderr", parsed);
      await stderr.write(ENCODER.encode(overview({ isLong: false, style })));
      return EXIT.usage;
    }
    const command = commandNamed(name);
    checkFlags(command, parsed);
    const { run: runCommand } = await command.load();
    return await runCommand(parsed.shifted(), {
      process: context,
      stdout,
      diagnostics,
    });
  } catch (error) {
    if (error instanceof ClosedOutput) return EXIT.done;
    const status = statusOf(error, args, diagnostics);
    await diagnostics.flush();
    return status;
  }
}

/** The help of the command that is named, or of all. */
function help(args: Arguments, style: Style): string {
  const [first, second] = args.operands;
  const name = first === "help" ? second : first;
  // Only -h asks for less than everything.
  const isLong = !args.isShort("help");
  return name === undefined
    ? overview({ isLong, style })
    : helpOf(commandNamed(name), { isLong, style });
}

function commandNamed(name: string): Command {
  const command = COMMANDS.find((command) => command.name === name);
  if (command !== undefined) return command;
  const names = [...COMMANDS.map(({ name }) => name), "help"];
  throw new UsageError(`unknown command "${name}"${suggestion(name, names)}`);
}

function checkFlags({ name, flags }: Command, args: Arguments): void {
  const foreign = args.given.find((flag) =>
    !flags.includes(flag.name) && !COMMON_FLAGS.includes(flag.name)
  );
  if (foreign !== undefined) {
    throw new UsageError(`--${foreign.name} is not an option of ${name}`);
  }
}

function isColored(
  stream: Stream,
  context: RunContext,
  args: Arguments | undefined,
): boolean {
  const when = args?.choice("color", COLOR) ?? "auto";
  if (when !== "auto") return when === "always";
  return context.isTerminal[stream] && !context.env("NO_COLOR");
}

/** Says why the command has ended, and gives the status that says the same. */
function statusOf(
  error: unknown,
  args: readonly string[],
  diagnostics: Diagnostics,
): number {
  if (error instanceof Interrupted) return EXIT.interrupted;
  if (error instanceof IoError) {
    diagnostics.say(error.message);
    return EXIT.io;
  }
  if (error instanceof UsageError) {
    const command = COMMANDS.find(({ name }) => args.includes(name));
    const words = ["codexpipe", ...(command ? [command.name] : []), "-h"];
    diagnostics.say(error.message);
    diagnostics.say(`"${words.join(" ")}" shows the options`);
    return EXIT.usage;
  }
  const message = error instanceof Error ? error.message : String(error);
  diagnostics.say(`internal error: ${message}; please report`);
  return EXIT.bug;
}
