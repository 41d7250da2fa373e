/** Groups rows of usage and sums them up. */

import { comparablePath } from "../events/folders.ts";
import { groupsBy } from "../groups.ts";
import {
  addTokens,
  isShared,
  NO_TOKENS,
  type Tokens,
  type UsageRow,
} from "./tokens.ts";
import type { UsageKey } from "./usage_names.ts";

/** Rows with the same keys, and their sums. */
export interface UsageGroup {
  /** The first row; the keys of the group are equal in all rows, or spell the same folder. */
  readonly row: UsageRow;
  /** The rows, in their order. */
  readonly rows: readonly UsageRow[];
  /** The number of distinct threads in the rows. */
  readonly threads: number;
  /** The number of distinct turns in the rows. */
  readonly turns: number;
  /** The sum of the tokens. */
  readonly tokens: Tokens;
}

/**
 * Groups rows and sums them up.
 *
 * @param rows The rows.
 * @param by The keys that rows of a group share. Without keys, all rows make one group; no rows
 * make none.
 * @returns The groups: sorted by day, model and directory; threads and turns in the order of the
 * rows.
 *
 * @example Tokens by model
 * ```ts
 * import { groupUsage, UsageMeter } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * const meter = new UsageMeter();
 * const source = meter.open("run.jsonl");
 * const line = '{"type":"turn.completed","usage":{"input_tokens":1200,"output_tokens":60}}\n';
 * source.feed(new TextEncoder().encode(line), () => {});
 * source.flush(() => {});
 * const rows = meter.rows().map((row) => ({ ...row, model: "gpt-5" }));
 * const [group] = groupUsage(rows, ["model"]);
 *
 * assertEquals([group?.row.model, group?.tokens.total_tokens], ["gpt-5", 1260n]);
 * ```
 */
export function groupUsage(
  rows: readonly UsageRow[],
  by: readonly UsageKey[],
): UsageGroup[] {
  const groups = groupsBy(
    rows,
    (row) => by.map((key) => keyOf(row, key)).join("\n"),
  );
  return [...groups.values()].flatMap((rows) => {
    const [row] = rows;
    return row === undefined ? [] : [{
      row,
      rows,
      ...countsOf(rows),
      tokens: rows.reduce(addTokens, NO_TOKENS),
    }];
  }).sort(({ row: one }, { row: other }) => compare(one, other, by));
}

/** Counts threads and turns; a string key for each turn would take more memory than the rows. */
function countsOf(
  rows: readonly UsageRow[],
): Pick<UsageGroup, "threads" | "turns"> {
  const threads = new Set<string | null>();
  let ownThreads = 0;
  let turns = 0;
  for (const ofSource of groupsBy(rows, ({ source }) => source).values()) {
    const byThread = groupsBy(ofSource, ({ thread_id }) => thread_id);
    for (const [id, ofThread] of byThread) {
      if (isShared(id)) threads.add(id);
      else ownThreads += 1;
      turns += new Set(ofThread.map(({ turn_id }) => turn_id)).size;
    }
  }
  return { threads: threads.size + ownThreads, turns };
}

/** Compares rows by the keys that are sorted; null comes last. */
function compare(
  one: UsageRow,
  other: UsageRow,
  by: readonly UsageKey[],
): number {
  for (const key of by) {
    if (key === "thread" || key === "turn") continue;
    const a = one[key];
    const b = other[key];
    if (a === b) continue;
    if (a === null) return 1;
    if (b === null) return -1;
    return a < b ? -1 : 1;
  }
  return 0;
}

/** Returns the text that is equal for rows with the same key. */
function keyOf(row: UsageRow, key: UsageKey): string {
  if (key === "cwd" && row.cwd !== null) {
    return JSON.stringify(comparablePath(row.cwd));
  }
  if (key !== "thread" && key !== "turn") return JSON.stringify(row[key]);
  const { thread_id, source, turn_id } = row;
  const thread = [thread_id, isShared(thread_id) ? null : source];
  // A stream counts its turns from 1, and so does the next one of the thread.
  const parts = key === "thread" ? thread : [...thread, source, turn_id];
  return JSON.stringify(parts);
}
