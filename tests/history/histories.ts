/**
 * Folds captures and handmade lines into histories.
 *
 * @module
 */

import { assert } from "@std/assert";
import { HistoryState } from "../../lib/history/history_state.ts";
import { applyMutation } from "../../lib/history/mutations.ts";
import {
  type AnyHistoryRecord,
  type HistoryRecord,
  isKnownRecord,
  type MessageLine,
} from "../../lib/history/records.ts";
import type { HistorySnapshot } from "../../lib/history/snapshot.ts";
import { LineSplitter } from "../../lib/lines/line_splitter.ts";
import { Normalizer } from "../../lib/dialects/normalizer.ts";
import { compose } from "../../lib/stage.ts";
import { equalJson } from "../fixtures.ts";
import type { CapturedFile } from "../rollouts.ts";
import { emitted } from "../running.ts";

/** A file of events, normalized. */
export interface EventFile {
  /** The path below `testdata/captures/`. */
  readonly path: string;
  /** Whether it is a rollout. */
  readonly isRollout: boolean;
  /** The events. */
  readonly events: readonly unknown[];
}

/** Normalizes a captured file. */
export function readEvents({ path, name, bytes }: CapturedFile): EventFile {
  // The first CLI printed response items, which bare rollouts also have.
  const isRollout = name.includes("rollout") || path.startsWith("0.1.");
  const stage = compose(
    new LineSplitter(),
    new Normalizer({ from: isRollout ? "rollout" : "exec" }),
  );
  const events = emitted(stage, [bytes]).flatMap((outcome): unknown[] =>
    outcome.ok ? [JSON.parse(outcome.value)] : []
  );
  return { path, isRollout, events };
}

/** Folds events into a history. */
export function historyOf(
  events: Iterable<unknown>,
  state: HistoryState = new HistoryState(),
): HistoryState {
  for (const event of events) state.apply(event);
  return state;
}

/** Folds events and returns the snapshot. */
export function snapshotOf(events: Iterable<unknown>): HistorySnapshot {
  return historyOf(events).snapshot();
}

/**
 * Folds events and returns the snapshot with its state.
 *
 * Throws unless the mutations make the records of the snapshot, and every state that is restored
 * from a checkpoint ends with the same snapshot.
 *
 * @param events The events.
 * @param where The name of the events in messages.
 * @param checkpoints The events before which a checkpoint is taken; by default, before and after
 * each event.
 */
export function checkedSnapshot(
  events: readonly unknown[],
  where = "",
  checkpoints: readonly number[] = [...events.keys(), events.length],
): HistorySnapshot {
  const state = new HistoryState();
  const records: AnyHistoryRecord[] = [];
  for (const event of events) {
    for (const mutation of state.apply(event)) applyMutation(records, mutation);
  }
  const snapshot = state.snapshot({ resume: true });
  assert(equalJson(records, snapshot.records), `${where}: mutations`);
  for (const at of checkpoints) {
    const saved = historyOf(events.slice(0, at)).snapshot({ resume: true });
    const restored = historyOf(
      events.slice(at),
      HistoryState.restore(JSON.parse(JSON.stringify(saved))),
    );
    assert(
      equalJson(restored.snapshot({ resume: true }), snapshot),
      `${where}: checkpoint before event ${at}`,
    );
  }
  return snapshot;
}

/** Returns the payloads of the records of one type. */
export function payloadsOf(
  { records }: HistorySnapshot,
  type: string,
): Record<string, unknown>[] {
  return records.filter((record) => record.type === type)
    .map(({ payload }) => ({ ...payload }));
}

/** Returns a short text for each record of a snapshot. */
export function summariesOf({ records }: HistorySnapshot): string[] {
  return records.filter(isKnownRecord).map(summaryOfRecord);
}

function summaryOfRecord(record: HistoryRecord): string {
  switch (record.type) {
    case "exec": {
      const { command, status, stdout_chunks } = record.payload;
      const text = stdout_chunks.map(({ content }) => content).join("");
      return `exec ${command.join(" ")}: ${status} ${text}`.trim();
    }
    case "explore":
      return record.payload.entries.map(({ command, status }) =>
        `explore ${command.join(" ")}: ${JSON.stringify(status)}`
      ).join(", ");
    case "patch":
      return `patch ${
        Object.keys(record.payload.changes)
      }: ${record.payload.event}`;
    case "image":
      return `image ${record.payload.path}`;
    case "running_tool":
      return `tool ${record.payload.title}: running`;
    case "tool_call": {
      const { title, status, duration_ms, error_message, result_preview } =
        record.payload;
      return [
        `tool ${title}: ${status}`,
        duration_ms === null ? [] : `${duration_ms} ms`,
        error_message ?? [],
        result_preview?.lines ?? [],
      ].flat().join(" ");
    }
    case "background_event":
      return `background ${record.payload.title}: ${record.payload.description}`;
    case "notice":
      return `notice ${record.payload.title}: ${wordsIn(record.payload.body)}`;
    case "plain_message":
      return `${record.payload.kind}: ${wordsIn(record.payload.lines)}`;
    case "assistant_message":
      return `answer: ${record.payload.markdown}`;
    case "assistant_stream":
      return `stream ${record.payload.stream_id}: ${record.payload.preview_markdown}`;
    case "reasoning":
      return `reasoning: ${
        record.payload.sections.map(({ summary }) =>
          summary.map(({ text }) => text).join("")
        ).join(" ")
      }`;
    default:
      return record.type;
  }
}

/** The text of lines, as one line. */
function wordsIn(lines: readonly MessageLine[]): string {
  return lines.map(({ spans }) => spans.map(({ text }) => text).join(""))
    .join(" ");
}
