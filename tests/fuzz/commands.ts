/**
 * What holds for every command, however broken its input is.
 *
 * @module
 */

import { call, Sink } from "../cli/memory.ts";
import { type Law, LawBroken } from "./law.ts";
import { mustBeInert } from "./render_laws.ts";

/** A call of a command that reads a stream. */
interface Call {
  /** Its arguments. */
  readonly args: readonly string[];
  /** What it writes: JSONL, text, or lines that are what they were, valid or not. */
  readonly output: "json" | "text" | "lines";
}

/** How the commands that read a stream are called. */
const CALLS: readonly Call[] = [
  { args: ["normalize", "--on-error=inline"], output: "json" },
  { args: ["normalize", "--from=exec", "--strict"], output: "json" },
  { args: ["normalize", "--from=rollout", "--line-buffered"], output: "json" },
  { args: ["history"], output: "json" },
  { args: ["history", "--mutations", "--checkpoint"], output: "json" },
  { args: ["redact"], output: "lines" },
  { args: ["render", "--to=text"], output: "text" },
  { args: ["render", "--to=markdown"], output: "text" },
  { args: ["render", "--to=html"], output: "text" },
  { args: ["render", "--to=github"], output: "text" },
  { args: ["check", "--format=json"], output: "json" },
  { args: ["check", "--github", "--last-message"], output: "text" },
  { args: ["usage", "--format=jsonl", "--by=turn"], output: "json" },
  { args: ["usage", "--format=csv", "--by=day"], output: "text" },
];

/** One law for each command. */
export const COMMAND_LAWS: readonly Law[] = CALLS.map(({ args, output }) => ({
  name: `codexpipe ${args.join(" ")} ends as it should`,
  async check(stream): Promise<void> {
    const sink = new Sink();
    const world = { stdin: stream, stdout: sink };
    const { status, stderr } = await call(args, world);
    if (![0, 1, 3].includes(status) || stderr.includes("internal error")) {
      throw new LawBroken(`status ${status}: ${stderr}`);
    }
    mustBeInert(stderr);
    if (output === "lines") return;
    const stdout = sink.text;
    if (output === "json") {
      for (const line of stdout.split("\n")) {
        if (line !== "") JSON.parse(line);
      }
    } else mustBeInert(stdout);
  },
}));
