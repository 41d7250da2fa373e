/**
 * Laws of snapshots that were changed by hand.
 *
 * @module
 */

import { JsonlDecoder } from "../../lib/pipeline/event_pipeline.ts";
import { HistoryState } from "../../lib/history/history_state.ts";
import { call } from "../cli/memory.ts";
import { emitted } from "../running.ts";
import { mustEnd } from "./commands.ts";
import type { Law } from "./law.ts";
import type { Random } from "./random.ts";
import { mustBeInert } from "./render_laws.ts";
import { ValueMutator } from "./value_mutator.ts";

/** Returns the JSON of a stream's snapshot, with changed values. */
function changedSnapshot(stream: Uint8Array, random: Random): string {
  const state = new HistoryState();
  for (const outcome of emitted(new JsonlDecoder(), [stream])) {
    if (outcome.ok) state.apply(outcome.value);
  }
  const text = JSON.stringify(state.snapshot({ resume: random.oneIn(2) }));
  const mutator = new ValueMutator(random);
  return mutator.change(text) ?? text;
}

/** The command lines that read snapshots. */
const CALLS: readonly (readonly string[])[] = [
  ["history"],
  ["history", "--from=history", "--pretty"],
  ["render", "--to=text"],
  ["render", "--to=markdown"],
  ["render", "--to=html"],
  ["render", "--to=github"],
  ["check"],
  ["usage"],
];

/** The laws of snapshots. */
export const SNAPSHOT_LAWS: readonly Law[] = [
  ...CALLS.map((args): Law => ({
    name: `codexpipe ${args.join(" ")} ends as it should with a snapshot`,
    async check(stream, random): Promise<void> {
      const stdin = changedSnapshot(stream, random);
      const result = await call(args, { stdin });
      mustEnd([...args, stdin], result);
      const { stdout } = result;
      if (args[0] === "render") mustBeInert(stdout);
      else if (args[0] === "history" && stdout !== "") JSON.parse(stdout);
    },
  })),
  {
    name: "history --restore goes on from any snapshot that can be read",
    async check(stream, random): Promise<void> {
      const snapshot = changedSnapshot(stream, random);
      const args = ["history", "--restore=s.json", "--checkpoint"];
      const files = { "s.json": snapshot };
      const result = await call(args, { stdin: stream, files });
      mustEnd([...args, snapshot], result);
      for (const line of result.stdout.split("\n")) {
        if (line !== "") JSON.parse(line);
      }
    },
  },
];
