/** What was used, summed up. */

import {
  addTokens,
  isShared,
  NO_TOKENS,
  type Tokens,
  type UsageRow,
} from "./tokens.ts";
import type { UsageKey } from "./usage_names.ts";

/** What the rows that have something in common used. */
export interface UsageGroup {
  /** The first of the rows; what the group was made by is the same in all of them. */
  readonly row: UsageRow;
  /** The rows, in their order. */
  readonly rows: readonly UsageRow[];
  /** How many threads they are of. */
  readonly threads: number;
  /** How many turns they are of. */
  readonly turns: number;
  /** What they used together. */
  readonly tokens: Tokens;
}

/**
 * Sums rows up.
 *
 * @param rows The rows.
 * @param by What the rows of a group have in common; nothing makes one group of all, if
 * there are any.
 * @returns The groups: days, models and directories in their own order, threads and turns in
 * that of the rows.
 *
 * @example Tokens by model
 * ```ts
 * import { groupUsage, NO_TOKENS, type UsageRow } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * const row: UsageRow = {
 *   ...NO_TOKENS,
 *   total_tokens: 1260n,
 *   source: "run.jsonl",
 *   thread_id: "t",
 *   parent_thread_id: null,
 *   turn_id: "1",
 *   model: "gpt-5",
 *   cwd: "/w",
 *   day: "2026-11-20",
 * };
 * const groups = groupUsage([row, { ...row, turn_id: "2" }], ["model"]);
 *
 * assertEquals(groups.map(({ row, turns }) => [row.model, turns]), [["gpt-5", 2]]);
 * ```
 */
export function groupUsage(
  rows: readonly UsageRow[],
  by: readonly UsageKey[],
): UsageGroup[] {
  const groups = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const key = by.map((key) => keyOf(row, key)).join("\n");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
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

/** Counts threads and turns; a text for each turn would take more memory than the rows. */
function countsOf(
  rows: readonly UsageRow[],
): Pick<UsageGroup, "threads" | "turns"> {
  const sources = new Map<string, Map<string | null, Set<string | null>>>();
  for (const { source, thread_id, turn_id } of rows) {
    let threads = sources.get(source);
    if (threads === undefined) sources.set(source, threads = new Map());
    const turns = threads.get(thread_id);
    if (turns === undefined) threads.set(thread_id, new Set([turn_id]));
    else turns.add(turn_id);
  }
  const threads = new Set<string | null>();
  let ownThreads = 0;
  let turns = 0;
  for (const threadsOfSource of sources.values()) {
    for (const [id, turnsOfThread] of threadsOfSource) {
      if (isShared(id)) threads.add(id);
      else ownThreads += 1;
      turns += turnsOfThread.size;
    }
  }
  return { threads: threads.size + ownThreads, turns };
}

/** Compares what is put in order; what is not known comes last. */
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

/** What makes rows belong together. */
function keyOf(row: UsageRow, key: UsageKey): string {
  if (key === "thread") return threadKey(row);
  return key === "turn" ? turnKey(row) : JSON.stringify(row[key]);
}

function threadKey({ thread_id, source }: UsageRow): string {
  return JSON.stringify([thread_id, isShared(thread_id) ? null : source]);
}

function turnKey(row: UsageRow): string {
  // A stream counts its turns from 1, and so does the next one of the thread.
  return JSON.stringify([threadKey(row), row.source, row.turn_id]);
}
