/**
 * The command line, checked against the table of flags.
 */

import { parseArgs } from "@std/cli";
import type { Command } from "./commands.ts";
import { type Flag, type FlagName, flagOf } from "./flags.ts";
import { UsageError } from "./io.ts";
import { suggestion } from "./suggestion.ts";

/** What a command was called with. */
export interface Arguments {
  /** The command. */
  readonly command: Command;
  /** What is no flag, in order. */
  readonly operands: readonly string[];
  /** Whether a switch was given. */
  has(name: FlagName): boolean;
  /** The value of a flag, or its default. */
  value(name: FlagName): string | undefined;
}

/**
 * Parses the arguments behind the name of a command. Nothing is opened or looked up.
 *
 * The last one counts of a flag that comes several times; `--` ends the flags.
 *
 * @throws {UsageError} If a flag is not known, or its value is missing or wrong.
 */
export function parseArguments(
  command: Command,
  args: readonly string[],
): Arguments {
  const flags = command.flags.map((name) => flagOf(name)).filter((flag) =>
    flag !== undefined
  );
  const valued = flags.filter((flag) => flag.value !== undefined);
  const switches = flags.filter((flag) => flag.value === undefined);
  const end = args.indexOf("--");
  const before = end === -1 ? args : args.slice(0, end);
  const parsed: { readonly _: (string | number)[] } & Record<string, unknown> =
    parseArgs([...before], {
      string: [...valued.map(({ name }) => name), "_"],
      boolean: switches.map(({ name }) => name),
      alias: Object.fromEntries(
        flags.flatMap(({ name, short }) =>
          short === undefined ? [] : [[name, [short]] as const]
        ),
      ),
      unknown: (arg: string, key?: string): boolean => {
        if (key === undefined) return true;
        throw unknownFlag(arg, flags);
      },
    });
  for (const flag of valued) checkValue(flag, parsed[flag.name]);
  const operands = [
    ...parsed._.map(String),
    ...(end === -1 ? [] : args.slice(end + 1)),
  ];
  return {
    command,
    operands,
    has: (name) => parsed[name] === true,
    value(name): string | undefined {
      const value = parsed[name];
      return typeof value === "string" ? value : flagOf(name)?.default;
    },
  };
}

function checkValue(
  { name, value = "", choices }: Flag,
  given: unknown,
): void {
  if (given === undefined) return;
  if (typeof given !== "string" || given === "") {
    throw new UsageError(`--${name} needs a value: --${name}=${value}`);
  }
  if (choices === undefined || choices.includes(given)) return;
  throw new UsageError(
    `--${name} cannot be "${given}": expected ${oneOf(choices)}${
      suggestion(given, choices, "")
    }`,
  );
}

function unknownFlag(arg: string, flags: readonly Flag[]): UsageError {
  const name = arg.replace(/=.*$/s, "");
  const known = flags.flatMap(({ name, short }) =>
    short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
  );
  return new UsageError(
    `unknown option ${name}${suggestion(name, known, "")}`,
  );
}

/** A choice in words. */
export function oneOf(choices: readonly string[]): string {
  return choices.length < 2
    ? choices.join("")
    : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}
