/**
 * Starts the command as a process.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import { BINARY } from "./binary.ts";

const CLI = new URL("../../cli.ts", import.meta.url);
/** The permissions that the command is run with by its own task. */
const FLAGS = config.tasks.codexpipe.command.split(" ")
  .filter((word) => word.startsWith("--"));

/** Starts the command; its three streams are piped. */
export function startCommand(args: readonly string[]): Deno.ChildProcess {
  const command = BINARY ?? Deno.execPath();
  const source = BINARY === undefined ? ["run", ...FLAGS, CLI.href] : [];
  return new Deno.Command(command, {
    args: [...source, ...args],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}
