/**
 * Calls every command with every hostile input: it ends properly, and its memory stays bounded.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { decode } from "../running.ts";
import { BINARY } from "./binary.ts";
import { COMMAND_NAMES, isReader } from "./hostile_inputs.ts";
import type { HostileOutcome } from "./hostile_process.ts";

const PROCESS = new URL("./hostile_process.ts", import.meta.url);
/** The number of processes at once. */
const PROCESSES = 2;

/** Calls commands with all inputs in one process. */
async function outcomesOf(
  commands: readonly string[],
): Promise<HostileOutcome[]> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-all", "--quiet"],
      ...["--v8-flags=--max-semi-space-size=4,--expose-gc"],
      ...[PROCESS.href, commands.join(","), "small"],
    ],
  }).output();
  assertEquals(decode(stderr), "");
  return decode(stdout).trim().split("\n").map((line) => JSON.parse(line));
}

Deno.test({
  name: "every command answers hostile inputs, and its memory stays in bounds",
  // Only /proc reports the peak of memory, and a binary cannot run hostile_process.ts.
  ignore: Deno.build.os !== "linux" || BINARY !== undefined,
  async fn() {
    const readers = COMMAND_NAMES.filter(isReader);
    const shares = Array.from(
      { length: PROCESSES },
      (_, share) => readers.filter((_, at) => at % PROCESSES === share),
    );
    const outcomes = (await Promise.all(shares.map(outcomesOf))).flat();
    const inputs = new Set(outcomes.map(({ input }) => input));
    assertEquals(outcomes.length, readers.length * inputs.size);
    const violations = outcomes.filter(({ grownMb, limitMb, hasAnswered }) =>
      !hasAnswered || grownMb > limitMb
    );
    assertEquals(violations, []);
  },
});
