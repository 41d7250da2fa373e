/** The entry of the command line: arguments in, exit status out. */

import { type Arguments, parseArguments } from "./arguments.ts";
import {
  type Command,
  type CommandContext,
  type CommandGroup,
  SESSIONS,
} from "./command.ts";
import { COMMANDS, SEVERAL_FILES } from "./commands.ts";
import type {
  ByteSink,
  FileSource,
  RunContext,
  Surroundings,
} from "./context.ts";
import { Diagnostics } from "./diagnostics.ts";
import { ClosedOutput, EXIT, IoError, UsageError } from "./endings.ts";
import { ALL_FLAGS, COLOR, COMMON_FLAGS, type Flag, flagsOf } from "./flags.ts";
import {
  answerTo,
  COMMANDS_MEANT,
  OPERANDS_MEANT,
  otherWay,
  suggestion,
} from "./guesses.ts";
import type { HelpOptions } from "./help.ts";
import { Output, TerminalOutput } from "./output.ts";
import { Paging } from "./paging.ts";
import { Progress } from "./progress.ts";
import { isNotCapable, reasonOf } from "./reasons.ts";
import {
  COLORED_STYLE,
  PLAIN_STYLE,
  type TextStyle,
} from "../render/text_style.ts";

/**
 * Replaces each folder by the session files below it, in the order of time. Opening one without such
 * files, or one that cannot be read, reports the error.
 */
async function withoutFolders(
  paths: readonly string[],
  context: Pick<Surroundings, "list" | "look">,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const isFolder = (await context.look(path))?.isDirectory ?? false;
    const files = isFolder ? await sessionFiles(path, context) : [];
    for (const file of files.length === 0 ? [path] : files) found.push(file);
  }
  return found;
}

async function sessionFiles(
  folder: string,
  context: Pick<Surroundings, "list" | "look">,
): Promise<string[]> {
  // Loaded here: few runs are given a folder.
  const { isObjectPath, isSessionName } = await import(
    "../sessions/session_start.ts"
  );
  const entries = await context.list(folder).catch(() => undefined);
  if (entries === undefined) return [folder];
  const found: string[] = [];
  const prefix = folder.replace(/(?<=.)[/\\]$/, "");
  for (const { name, isDirectory } of entries) {
    const path = `${prefix}/${name}`;
    if (isDirectory) {
      for (const file of await sessionFiles(path, context)) found.push(file);
    } else if (isSessionName(name) && !isObjectPath(name)) {
      // Opening a named pipe would wait for a writer. A link to a missing file has no facts.
      const facts = await context.look(path);
      if (facts === undefined || facts.identity !== undefined) found.push(path);
    }
  }
  return found.sort();
}

/** The error of engines for JSON nested too deep to stringify; Node has it at 5,000 levels. */
const TOO_DEEP = "Maximum call stack size exceeded";

type Stream = "stdout" | "stderr";

/**
 * Runs the command. Never throws: every error becomes an exit status, 70 if it is unexpected. A
 * reader that closes stdout has all that it wanted, so the status is 0.
 */
export async function run(
  args: readonly string[],
  context: RunContext,
): Promise<number> {
  const bare = new Output(context.stderr, "stderr", context);
  const styleOf = (stream: Stream, parsed?: Arguments): TextStyle => {
    const when = parsed?.choice("color", COLOR) ?? "auto";
    const isColored = when === "auto"
      ? isScreen(stream, context) && !context.env("NO_COLOR")
      : when === "always";
    return isColored ? COLORED_STYLE : PLAIN_STYLE;
  };
  // Only the first thread writes to the terminal.
  const isFirst = context.starter === undefined;
  const paging = new Paging(context, isScreen("stdout", context) && isFirst);
  const progress = new Progress(
    bare,
    context,
    () => isScreen("stderr", context) && !paging.hasPager && isFirst,
  );
  // The progress line is erased before anything else is written to its terminal.
  const inPlace = (name: Stream): ByteSink => {
    if (!context.isTerminal[name]) return context[name];
    const sink = paging.through(context[name], name);
    return {
      async write(bytes): Promise<number> {
        await progress.clear();
        return await sink.write(bytes);
      },
    };
  };
  const stderr = new Output(inPlace("stderr"), "stderr", context);
  const out = inPlace("stdout");
  let diagnostics = new Diagnostics(stderr, styleOf("stderr"));
  // The operands as far as they are known before the arguments are parsed.
  let operands: readonly string[] = args.filter((arg) => !arg.startsWith("-"));
  try {
    const parsed = await parse(args, context);
    operands = parsed.operands;
    diagnostics = new Diagnostics(
      stderr,
      styleOf("stderr", parsed),
      parsed.has("quiet"),
    );
    if (parsed.has("no-pager")) paging.refuse();
    const screen = new Output(out, "stdout", context);
    const style = styleOf("stdout", parsed);
    if (parsed.has("version")) {
      const { VERSION_TEXT } = await import("./about.ts");
      await screen.writeText(`${VERSION_TEXT}\n`);
      return EXIT.done;
    }
    const helped = afterHelp(operands);
    const target = find(helped ?? operands);
    if (helped !== undefined || parsed.has("help")) {
      // `help` and `--help` show everything; `-h` is short.
      const isLong = !parsed.isShort("help");
      if (isLong) paging.begin();
      await screen.writeText(await help(target, { isLong, style }));
      await paging.flush();
      return EXIT.done;
    }
    const { command } = target;
    if (command === undefined) {
      if (target.unknown !== undefined) throw unknownCommand(target);
      // Without arguments, help goes to stderr: in a pipe it must not be taken for data.
      const style = styleOf("stderr", parsed);
      await stderr.writeText(await help(target, { isLong: false, style }));
      return EXIT.usage;
    }
    const commandArgs = parsed.withOperands(
      operands.slice(command.name.split(" ").length),
    );
    checkArguments(command, commandArgs);
    const { run: runCommand } = await command.load();
    const stdout = context.isTerminal.stdout && isFirst
      ? new TerminalOutput(out, "stdout", context)
      : screen;
    // A pager that reads stdout may use the terminal of stderr, too.
    const isOwnScreen = isScreen("stderr", context) &&
      (context.isTerminal.stdout ||
        await context.streamIdentity("stdout", true) !== undefined);
    const commandContext: CommandContext = {
      args: commandArgs,
      process: isOwnScreen
        ? { ...context, open: (path) => watched(path, context, progress) }
        : context,
      words: args,
      stdout,
      screen,
      isLive: isScreen("stdout", context),
      width: () => context.isTerminal.stdout ? context.columns() : undefined,
      diagnostics,
      progress,
      paging,
      style,
      commands: COMMANDS,
    };
    const read = await withFiles(command, commandContext);
    const status = typeof read === "number"
      ? read
      : await runCommand({ ...commandContext, args: read });
    await diagnostics.flush();
    await stdout.end();
    await progress.clear();
    await paging.flush();
    return status;
  } catch (error) {
    await progress.clear();
    if (error instanceof ClosedOutput) return EXIT.done;
    const target = find(afterHelp(operands) ?? operands);
    const status = error === context.interrupt.reason
      ? EXIT.interrupted
      : statusOf(error, target, diagnostics);
    await diagnostics.flush();
    await paging.flush().catch(() => {});
    return status;
  } finally {
    progress.watch();
    await paging.end();
  }
}

async function watched(
  path: string,
  context: RunContext,
  progress: Progress,
): Promise<FileSource> {
  const file = await context.open(path);
  let bytes = 0;
  return {
    ...file,
    async read(into): Promise<number | null> {
      await progress.reading({ bytes, size: file.size() ?? 0 });
      const count = await file.read(into);
      bytes += count ?? 0;
      return count;
    },
  };
}

/** Parses the arguments; if they name no command, inserts the likeliest one. */
async function parse(
  args: readonly string[],
  context: RunContext,
): Promise<Arguments> {
  const parsed = parseArguments(args, (operands) => allowed(find(operands)));
  const guess = await likeliest(parsed, context);
  if (guess === undefined) return parsed;
  const operands = find(parsed.operands).group === undefined
    ? [guess, ...parsed.operands]
    : [...parsed.operands, guess];
  return parseArguments(args, () => allowed(find(operands)))
    .withOperands(operands);
}

/** Replaces folders and `--family` by their files; the exit status if the family is not found. */
async function withFiles(
  { operands }: Command,
  context: CommandContext,
): Promise<Arguments | number> {
  const { args, process } = context;
  // A thread gets its files from the first one.
  const isThread = process.starter !== undefined;
  if (isThread || operands[0]?.[0] !== SEVERAL_FILES) return args;
  if (args.has("family")) {
    const { withFamily } = await import("./commands/sessions_family.ts");
    return await withFamily(context);
  }
  return args.withOperands(await withoutFolders(args.operands, process));
}

/** Guesses the command if none is named: `render` on a terminal, `normalize` in a pipe. */
async function likeliest(
  args: Arguments,
  context: RunContext,
): Promise<string | undefined> {
  const { isTerminal } = context;
  const [first] = args.operands;
  if (args.has("help") || args.has("version")) return undefined;
  if (args.operands.length === 1 && first === "sessions") {
    const isPerson = isTerminal.stdin && isScreen("stdout", context);
    return isPerson ? "choose" : "list";
  }
  const isInput = first === undefined
    ? !isTerminal.stdin
    : find(args.operands).unknown === first &&
      (/[./\\]|^-$/.test(first) || await context.look(first) !== undefined);
  if (!isInput) return undefined;
  const names = isTerminal.stdout
    ? ["render", "normalize"]
    : ["normalize", "render"];
  return names.find((name) => {
    const flags = allowed(find([name]));
    return args.given.every((given) =>
      flags.some((flag) => flag.name === given.name)
    );
  }) ?? names[0];
}

interface Target {
  readonly command?: Command;
  /** The group, if the operands name one but no command of it. */
  readonly group?: CommandGroup;
  /** The operands that should name a command but do not. */
  readonly unknown?: string;
}

function find([first, second]: readonly string[]): Target {
  if (first === undefined) return {};
  const group = first === SESSIONS.name ? SESSIONS : undefined;
  const name = group === undefined ? first : `${first} ${second}`;
  const command = COMMANDS.find((command) => command.name === name);
  if (command !== undefined) return { command };
  if (group === undefined) return { unknown: name };
  return second === undefined ? { group } : { group, unknown: name };
}

/** The operands of `help X`, and of `sessions help X`; `undefined` if help is not asked for. */
function afterHelp(
  [first, ...others]: readonly string[],
): readonly string[] | undefined {
  if (first === "help") return afterHelp(others) ?? others;
  return first === SESSIONS.name && others[0] === "help"
    ? [first, ...others.slice(1)]
    : undefined;
}

async function help(target: Target, options: HelpOptions): Promise<string> {
  if (target.unknown !== undefined) throw unknownCommand(target);
  const { helpOf, overview } = await import("./help.ts");
  return target.command === undefined
    ? overview(target.group, options)
    : helpOf(target.command, options);
}

function unknownCommand({ unknown = "", group }: Target): UsageError {
  const shared = group === undefined ? "" : `${group.name} `;
  const meant = answerTo(unknown.slice(shared.length), COMMANDS_MEANT);
  if (meant !== undefined) {
    return new UsageError(`unknown command "${unknown}"; ${meant}`);
  }
  const names = COMMANDS.map(({ name }) => name);
  // A user may give only the second word of a command, such as `list`.
  const whole = names.filter((name) => name.endsWith(` ${unknown}`));
  const guess = whole.length === 1
    ? `; did you mean "${whole[0]}"?`
    : suggestion(unknown, [...names, SESSIONS.name, "help"], shared);
  return new UsageError(`unknown command "${unknown}"${guess}`);
}

/** The flags that a target accepts: those of its command, or all if no command is named. */
function allowed({ command, unknown }: Target): readonly Flag[] {
  if (command === undefined && unknown === undefined) return ALL_FLAGS;
  const flags = command === undefined ? [] : flagsOf(command);
  return [...flags, ...COMMON_FLAGS];
}

function checkArguments(command: Command, args: Arguments): void {
  const flags = allowed({ command });
  const foreign = args.given.find((given) =>
    flags.every(({ name }) => name !== given.name)
  );
  if (foreign !== undefined) {
    const format = flags.find(({ name }) => name === "format");
    const advice = otherWay(
      foreign.name,
      command.name,
      format?.value?.choices,
    );
    throw new UsageError(
      `--${foreign.name} is not an option of ${command.name}${
        advice === undefined ? "" : `; ${advice}`
      }`,
    );
  }
  const [operand] = args.operands;
  if (command.operands.length === 0 && operand !== undefined) {
    const advice = OPERANDS_MEANT[command.name];
    throw new UsageError(
      `${command.name} takes no ${JSON.stringify(operand)}${
        advice === undefined ? "" : `: ${advice}`
      }`,
    );
  }
  if (args.has("no-redact")) {
    args.refuseIdle(["redact-pattern"], "with --no-redact");
  }
}

/** Whether a stream is a terminal that interprets escape sequences. */
function isScreen(stream: Stream, context: RunContext): boolean {
  return context.isTerminal[stream] && context.env("TERM") !== "dumb";
}

/** Reports the error that ended the command, and returns its exit status. */
function statusOf(
  error: unknown,
  { command, group }: Target,
  diagnostics: Diagnostics,
): number {
  if (error instanceof IoError) {
    diagnostics.say(error.message);
    return EXIT.io;
  }
  if (error instanceof UsageError) {
    const name = command?.name ?? group?.name;
    const words = ["codexpipe", ...(name === undefined ? [] : [name]), "-h"];
    diagnostics.say(error.message);
    const noun = command === undefined ? "commands" : "options";
    diagnostics.say(`"${words.join(" ")}" shows the ${noun}`);
    return EXIT.usage;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError && message === TOO_DEEP) {
    diagnostics.say("a value nests too deep for this runtime; Deno takes more");
    return EXIT.io;
  }
  if (isNotCapable(error)) {
    diagnostics.say(`cannot work: ${reasonOf(error)}`);
    return EXIT.io;
  }
  diagnostics.say(`internal error: ${message}; please report`);
  return EXIT.bug;
}
