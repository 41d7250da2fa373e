/**
 * Laws of commands: they hold however broken the input is.
 *
 * @module
 */

import { assert } from "@std/assert";
import { call, Sink } from "../cli/memory.ts";
import type { Result } from "../cli/world.ts";
import type { Law } from "./law.ts";
import { mustBeInert } from "./render_laws.ts";

/** A command line that reads a stream. */
interface Call {
  /** The arguments. */
  readonly args: readonly string[];
  /** The form of its output: JSONL, text, or the lines of the input, valid or not. */
  readonly output: "json" | "text" | "lines";
}

/** The command lines that read a stream. */
const CALLS: readonly Call[] = [
  { args: ["normalize", "--on-error=inline"], output: "json" },
  { args: ["normalize", "--from=exec", "--strict"], output: "json" },
  { args: ["normalize", "--from=rollout", "--line-buffered"], output: "json" },
  { args: ["normalize", "--max-line-bytes=300", "-v"], output: "json" },
  { args: ["history"], output: "json" },
  { args: ["history", "--mutations", "--checkpoint"], output: "json" },
  { args: ["redact"], output: "lines" },
  { args: ["redact", "--redact-pattern=e+"], output: "lines" },
  { args: ["render", "--to=text"], output: "text" },
  { args: ["render", "--to=markdown"], output: "text" },
  { args: ["render", "--to=html"], output: "text" },
  { args: ["render", "--to=github"], output: "text" },
  { args: ["render", "--on-error=inline", "--stamp"], output: "text" },
  { args: ["check", "--format=json"], output: "json" },
  { args: ["check", "--last-message"], output: "text" },
  { args: ["check", "--github", "--tee", "--max-tokens=1"], output: "lines" },
  { args: ["check", "--json-output", "--fail-on-command"], output: "text" },
  { args: ["usage", "--format=jsonl", "--by=turn"], output: "json" },
  { args: ["usage", "--format=csv", "--by=day"], output: "text" },
  { args: ["usage", "--explain"], output: "text" },
  { args: ["usage", "--since=2026-01-01", "--by=model"], output: "text" },
  { args: ["events"], output: "json" },
  { args: ["drift", "--json"], output: "json" },
  { args: ["export", "--to=atif"], output: "json" },
  { args: ["export", "--to=otlp", "--stamp", "--content"], output: "json" },
  { args: ["export", "--to=tables", "--table=items"], output: "json" },
];

/**
 * Matches lines on stderr that GitHub's runner would run as a command, except annotations: their
 * texts cannot contain another command.
 */
const COMMAND_REGEXP =
  /^(?!::(?:error|warning|notice) title=)(?:[^\S\n]*::|.*##\[)/m;

/**
 * Throws if a call ended with an unexpected status or an internal error. Returns `false` if it
 * refused its input because that has several threads, which have no common history.
 */
export function mustEnd(
  args: readonly string[],
  { status, stderr }: Pick<Result, "status" | "stderr">,
): boolean {
  const isRefused = status === 2 && stderr.includes("has several threads");
  assert(
    ([0, 1, 3].includes(status) || isRefused) &&
      !stderr.includes("internal error"),
    `${args.join(" ")}: status ${status}: ${stderr}`,
  );
  mustBeInert(stderr);
  return !isRefused;
}

/** One law for each command. */
export const COMMAND_LAWS: readonly Law[] = CALLS.map(({ args, output }) => ({
  name: `codexpipe ${args.join(" ")} ends as it should`,
  async check(stream): Promise<void> {
    const sink = new Sink();
    const { status, stderr } = await call(["--color=never", ...args], {
      stdin: stream,
      stdout: sink,
      terminals: ["stdout"],
      columns: 80,
    });
    const isRefused = !mustEnd(args, { status, stderr });
    assert(!COMMAND_REGEXP.test(stderr), stderr);
    const stdout = sink.text;
    mustBeInert(stdout);
    if (output !== "json" || isRefused) return;
    for (const line of stdout.split("\n")) {
      if (line !== "") JSON.parse(line);
    }
  },
}));
