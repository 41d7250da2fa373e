/**
 * Starts the command as a process.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };

const CLI = new URL("../../cli.ts", import.meta.url);
/** The permissions that the command is run with by its own task. */
const FLAGS = config.tasks.codexpipe.command.split(" ")
  .filter((word) => word.startsWith("--"));

/** Starts the command; its three streams are piped. */
export function startCommand(args: readonly string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...FLAGS, CLI.href, ...args],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}
