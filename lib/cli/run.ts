/**
 * Runs the command: arguments in, exit status out.
 */

import { parseArguments } from "./arguments.ts";
import { COMMANDS } from "./commands.ts";
import { Diagnostics } from "./diagnostics.ts";
import { ClosedOutput, EXIT, type Io, IoError, UsageError } from "./io.ts";
import { helpOf, overview, VERSION_TEXT } from "./help.ts";
import { suggestion } from "./suggestion.ts";

const ENCODER = new TextEncoder();

/**
 * Runs a command.
 *
 * A reader that closes stdout has all that it wanted: the status is 0. Nothing that the
 * input holds makes this throw; what does is a bug, is said to be one, and ends with 70.
 *
 * @param args The arguments, without the name of the program.
 * @param io The world.
 * @returns The exit status.
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const diagnostics = new Diagnostics(io.stderr, false);
  let status: number;
  try {
    status = await dispatch(args, io);
  } catch (error) {
    status = statusOf(error, args, diagnostics);
  }
  await diagnostics.flush();
  return status;
}

async function dispatch(args: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) {
    await io.stderr.write(ENCODER.encode(overview()));
    return EXIT.usage;
  }
  if (first === "help" && rest.length > 0) {
    return await dispatch([...rest, "--help"], io);
  }
  if (["-h", "--help", "help"].includes(first)) {
    return await print(overview(), io);
  }
  if (["-V", "--version"].includes(first)) {
    return await print(`${VERSION_TEXT}\n`, io);
  }
  const command = COMMANDS.find(({ name }) => name === first);
  if (command === undefined) {
    const names = COMMANDS.map(({ name }) => name);
    const what = first.startsWith("-") ? "option" : "command";
    throw new UsageError(
      `unknown ${what} ${first}${suggestion(first, names, "")}`,
    );
  }
  const parsed = parseArguments(command, rest);
  if (parsed.has("help")) {
    const end = rest.indexOf("--");
    const isLong = rest.slice(0, end === -1 ? rest.length : end).includes(
      "--help",
    );
    return await print(helpOf(command, isLong), io);
  }
  if (parsed.has("version")) return await print(`${VERSION_TEXT}\n`, io);
  const { run: runCommand } = await command.load();
  return await runCommand(parsed, io);
}

async function print(text: string, io: Io): Promise<number> {
  await io.stdout.write(ENCODER.encode(text));
  return EXIT.done;
}

function statusOf(
  error: unknown,
  args: readonly string[],
  diagnostics: Diagnostics,
): number {
  if (error instanceof ClosedOutput) return EXIT.done;
  if (error instanceof UsageError) {
    const command = COMMANDS.find(({ name }) => name === args[0]);
    const help = command === undefined
      ? "codexpipe"
      : `codexpipe ${command.name}`;
    diagnostics.say(error.message);
    diagnostics.say(`try ${help} --help`);
    return EXIT.usage;
  }
  if (error instanceof IoError) {
    diagnostics.say(error.message);
    return EXIT.io;
  }
  const message = error instanceof Error
    ? `${error.name}: ${error.message}`
    : String(error);
  diagnostics.say(
    `internal error: ${message}; this is a bug, please report it`,
  );
  return EXIT.bug;
}
