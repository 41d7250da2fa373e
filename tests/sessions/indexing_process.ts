/**
 * A process that refreshes an index, and can kill itself before a given statement.
 *
 * @module
 */

import { withSessionIndex } from "../../lib/sessions/session_index_database.ts";
import { refreshSessionIndex } from "../../lib/sessions/session_indexer.ts";
import type { IndexedHome } from "./indexes.ts";

/** The argument of the process. */
export interface IndexingTask {
  /** The home and the index. */
  readonly index: IndexedHome;
  /**
   * The number of the writing statement before which the process kills itself; never if there are
   * fewer.
   */
  readonly killAt: number;
}

/** The output of the process. */
export interface IndexingResult {
  /** The number of statements that wrote. */
  readonly steps: number;
  /** The number of sessions added to the index. */
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
  const { added } = await withSessionIndex(index, async (database) => {
    const run = database.run.bind(database);
    database.run = (sql, ...values) => {
      if (steps === killAt) Deno.kill(Deno.pid, "SIGKILL");
      steps += 1;
      run(sql, ...values);
    };
    return await refreshSessionIndex(database, index, 3);
  });
  const result: IndexingResult = { steps, added };
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(result)));
}
