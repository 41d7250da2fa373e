/** How sessions went: what only their whole files tell. */

import type { Verdict, VerdictBuilder } from "../check/verdict_builder.ts";
import { blocksOf } from "../files/byte_source.ts";
import { withSession } from "./open_session.ts";
import type { SessionFile } from "./session_files.ts";

/** How a session went, as its file tells. */
export interface SessionRun {
  /** How its last turn ended; `null` if it has none. */
  readonly outcome: Verdict["status"];
  /** The tokens that it used; `null` if it does not say. */
  readonly totalTokens: number | null;
  /** How long its turns took, in milliseconds; `null` if it does not say. */
  readonly durationMs: number | null;
}

/**
 * Reads a session file whole for how its session went: the verdict of `VerdictBuilder`, and its
 * tokens.
 *
 * @param file The file.
 * @param signal Ends the work when it is aborted: the reason is thrown.
 * @returns How it went; `undefined` if the file cannot be read.
 *
 * @example What a session used
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
    // How another end came about may hang on what was not read.
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
    if (part.type !== "turn_ended" || part.durationMs === null) return;
    durationMs = (durationMs ?? 0) + part.durationMs;
  };
  try {
    await withSession(file, async (source, block) => {
      for await (const bytes of blocksOf(source, block)) {
        signal?.throwIfAborted();
        builder.feed(bytes, take);
      }
    });
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
