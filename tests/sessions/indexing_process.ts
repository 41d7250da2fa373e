/**
 * A process that refreshes an index, and prints how many sessions it added.
 *
 * @module
 */

import { type IndexedHome, refresh } from "./indexes.ts";

/** Starts the process. */
export function startIndexing(index: IndexedHome): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", import.meta.url, JSON.stringify(index)],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

if (import.meta.main) {
  const index: IndexedHome = JSON.parse(Deno.args[0] ?? "");
  const { added } = await refresh(index, 3);
  await Deno.stdout.write(new TextEncoder().encode(`${added}`));
}
