/**
 * Starts the command as a process.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import { BINARY } from "./binary.ts";

const CLI = new URL("../../cli.ts", import.meta.url);
/** The permissions that the task `codexpipe` runs the command with. */
const FLAGS = config.tasks.codexpipe.command.split(" ")
  .filter((word) => word.startsWith("--"));

/** The program and the arguments that start the command. */
export const COMMAND_WORDS: readonly [string, ...string[]] =
  BINARY === undefined
    ? [Deno.execPath(), "run", ...FLAGS, CLI.href]
    : [BINARY];

/** Starts the command; its three streams are piped. */
export function startCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Deno.ChildProcess {
  const [program, ...words] = COMMAND_WORDS;
  return new Deno.Command(program, {
    args: [...words, ...args],
    env: { NO_COLOR: "1", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}
