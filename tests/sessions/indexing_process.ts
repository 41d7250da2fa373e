/**
 * A process that brings an index up to date, and can be killed while it does.
 *
 * @module
 */

import { type IndexedHome, refresh } from "./indexes.ts";

/** What the process is told. */
export interface IndexingTask {
  /** What to index. */
  readonly index: IndexedHome;
  /** Before which step it kills itself; never if it is beyond the last one. */
  readonly killAt: number;
}

/** What the process says of its work. */
export interface IndexingResult {
  /** How many steps there were. */
  readonly steps: number;
  /** How many sessions it put into the index. */
  readonly added: number;
}

/** Starts the process. */
export function startIndexing(task: IndexingTask): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", import.meta.url, JSON.stringify(task)],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

if (import.meta.main) {
  const { index, killAt }: IndexingTask = JSON.parse(Deno.args[0] ?? "");
  let steps = 0;
  const { added } = await refresh(index, {
    batchFiles: 3,
    onStep(): void {
      if (steps === killAt) Deno.kill(Deno.pid, "SIGKILL");
      steps += 1;
    },
  });
  const result: IndexingResult = { steps, added };
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(result)));
}
