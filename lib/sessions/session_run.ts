/** The run of a session: facts that only its whole file holds. */

import { sum } from "../groups.ts";
import type { Verdict } from "../check/verdict.ts";
import type { VerdictBuilder } from "../check/verdict_builder.ts";
import { sessionBlocks } from "./open_session.ts";
import type { SessionFile } from "./session_files.ts";

/** The outcome, tokens and duration of a session, from its file. */
export interface SessionRun {
  /** How the last turn ended; `null` if the session has no turn. */
  readonly outcome: Verdict["status"];
  /** The tokens used; `null` if the file does not count them. */
  readonly totalTokens: number | null;
  /** The duration of all turns in milliseconds; `null` if the file does not hold it. */
  readonly durationMs: number | null;
}

/**
 * Reads the whole file of a session for its run: the verdict of `VerdictBuilder`, the tokens and
 * the duration.
 *
 * @param file The file.
 * @param signal Ends the work when it is aborted: its reason is thrown.
 * @returns The run; `undefined` if the file cannot be read.
 *
 * @example The tokens of a session
 * ```ts
 * import { readSessionRun } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const path = "testdata/captures/0.44.0/msg/" +
 *   "rollout-2026-11-20T15-30-37-01a1f994-bf38-7b30-a5b6-37341edadf48.jsonl";
 *
 * assertEquals(await readSessionRun({ path }), {
 *   outcome: "completed",
 *   totalTokens: 1260,
 *   durationMs: 7,
 * });
 * ```
 */
export async function readSessionRun(
  file: Pick<SessionFile, "path">,
  signal?: AbortSignal,
): Promise<SessionRun | undefined> {
  const { VerdictBuilder } = await import("../check/verdict_builder.ts");
  for (const turnsOnly of [true, false]) {
    const run = await judged(file, new VerdictBuilder({ turnsOnly }), signal);
    // Any other outcome may depend on lines that `turnsOnly` skips: the file is read again.
    if (run?.outcome === "completed" || !turnsOnly) return run;
  }
}

async function judged(
  file: Pick<SessionFile, "path">,
  builder: VerdictBuilder,
  signal: AbortSignal | undefined,
): Promise<SessionRun | undefined> {
  let durationMs: number | null = null;
  const take: Parameters<VerdictBuilder["feed"]>[1] = (part) => {
    if (part.type === "turn_ended") {
      durationMs = sum(durationMs, part.durationMs);
    }
  };
  try {
    for await (const block of sessionBlocks(file)) {
      signal?.throwIfAborted();
      builder.feed(block, take);
    }
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
  builder.flush(take);
  const { status, tokens } = builder.verdict;
  return {
    outcome: status,
    totalTokens: tokens === null ? null : Number(tokens.total_tokens),
    durationMs,
  };
}
