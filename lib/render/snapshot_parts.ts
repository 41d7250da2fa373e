/** Makes transcripts of snapshots. */

import { isPrompt } from "../history/mapping/text_lines.ts";
import type { HistorySnapshot } from "../history/snapshot.ts";
import { fieldsOf, numberOf } from "../json/fields.ts";
import type { TranscriptPart, TurnEndedPart } from "./parts.ts";

/**
 * Makes a transcript of a snapshot.
 *
 * A snapshot holds neither the id of its session nor the bounds of turns. So each message of the
 * user opens a turn, and the status of every turn is `unknown`.
 *
 * @param snapshot The snapshot.
 * @param firstTurn The number of the first turn.
 * @returns The parts, in order.
 *
 * @example The parts of a short history
 * ```ts
 * import { HistoryState } from "@codexpipe/codexpipe";
 * import { snapshotParts } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * const state = new HistoryState();
 * state.apply({ type: "turn.started", input_text: "Hi" });
 * const parts = [...snapshotParts(state.snapshot())];
 *
 * assertEquals(parts.map(({ type }) => type), [
 *   "session",
 *   "turn_started",
 *   "entry",
 *   "turn_ended",
 * ]);
 * ```
 */
export function* snapshotParts(
  snapshot: HistorySnapshot,
  firstTurn = 1,
): Generator<TranscriptPart> {
  const nothing = { cwd: null, model: null, startedAt: null };
  yield { type: "session", thread_id: null, cli_version: null, ...nothing };
  let turn = firstTurn - 1;
  for (const record of snapshot.records) {
    const { payload } = record;
    if (isPrompt(record)) {
      if (turn >= firstTurn) yield endOf(turn);
      turn += 1;
      yield { type: "turn_started", turn, turn_id: null, ...nothing };
    }
    yield {
      type: "entry",
      phase: "final",
      id: record.id,
      turn: turn < firstTurn ? null : turn,
      record,
      startedAt: null,
      endedAt: null,
      durationMs: numberOf(fieldsOf(payload).duration_ms) ?? null,
    };
  }
  if (turn >= firstTurn) yield endOf(turn);
}

function endOf(turn: number): TurnEndedPart {
  return {
    type: "turn_ended",
    turn,
    turn_id: null,
    status: "unknown",
    endedAt: null,
    durationMs: null,
    usage: null,
    error: null,
    isErrorShown: false,
  };
}
