/**
 * Laws of histories: they hold however broken a stream is.
 *
 * @module
 */

import { JsonlDecoder } from "../../lib/pipeline/event_pipeline.ts";
import { isObject } from "../../lib/json/fields.ts";
import { readSnapshot } from "../../lib/history/code_layout.ts";
import { HistoryState } from "../../lib/history/history_state.ts";
import { applyMutation } from "../../lib/history/mutations.ts";
import type { AnyHistoryRecord } from "../../lib/history/records.ts";
import { RecordStore } from "../../lib/history/record_store.ts";
import { assertSameText, emitted } from "../running.ts";
import type { Law } from "./law.ts";
import type { Random } from "./random.ts";

/** Limits so small that outputs are cut off soon. */
const TIGHT = {
  streamBytes: 40,
  totalBytes: 100,
  prunedStreamBytes: 10,
  deltaBytes: 20,
};

/** Decodes the events of a stream. */
function eventsOf(stream: Uint8Array): unknown[] {
  return emitted(new JsonlDecoder(), [stream])
    .flatMap((outcome): unknown[] => outcome.ok ? [outcome.value] : []);
}

function limitsFor(random: Random): { limits?: typeof TIGHT } {
  return random.oneIn(3) ? { limits: TIGHT } : {};
}

/** The laws of histories. */
export const HISTORY_LAWS: readonly Law[] = [
  {
    name: "applying the mutations gives the records of the snapshot",
    check(stream, random): void {
      const state = new HistoryState(limitsFor(random));
      const records: AnyHistoryRecord[] = [];
      for (const event of eventsOf(stream)) {
        for (const mutation of state.apply(event)) {
          // Encoded and parsed, because readers get mutations as JSON.
          applyMutation(records, JSON.parse(JSON.stringify(mutation)));
        }
        if (random.oneIn(20)) {
          assertSameText(textOf(records), textOf(state.snapshot().records));
        }
      }
      assertSameText(textOf(records), textOf(state.snapshot().records));
    },
  },
  {
    name: "restoring and going on equals never having stopped",
    check(stream, random): void {
      const options = limitsFor(random);
      const events = eventsOf(stream);
      const state = new HistoryState(options);
      const at = random.below(events.length + 1);
      for (const event of events.slice(0, at)) state.apply(event);
      // Restored from JSON as it was saved, because the order of members matters: arguments of
      // calls are shown in it.
      const saved = JSON.stringify(state.snapshot({ resume: true }));
      const restored = HistoryState.restore(
        readSnapshot(JSON.parse(saved)),
        options,
      );
      assertSameText(
        textOf(restored.snapshot({ resume: true })),
        textOf(JSON.parse(saved)),
      );
      for (const event of events.slice(at)) {
        assertSameText(
          textOf(restored.apply(event)),
          textOf(state.apply(event)),
        );
      }
      assertSameText(
        textOf(restored.snapshot({ resume: true })),
        textOf(state.snapshot({ resume: true })),
      );
    },
  },
  {
    name:
      "a history goes on from a bare snapshot, which reads as it was written",
    check(stream, random): void {
      const events = eventsOf(stream);
      const state = new HistoryState();
      const at = random.below(events.length + 1);
      for (const event of events.slice(0, at)) state.apply(event);
      const snapshot = readSnapshot(JSON.parse(textOf(state.snapshot())));
      assertSameText(textOf(snapshot), textOf(state.snapshot()));
      assertSameText(
        textOf(RecordStore.restore(snapshot, { exact: true }).snapshot()),
        textOf(snapshot),
      );
      const restored = HistoryState.restore(snapshot);
      for (const event of events.slice(at)) restored.apply(event);
      textOf(restored.snapshot());
    },
  },
  {
    name: "each record of a history has a unique id",
    check(stream): void {
      const state = new HistoryState();
      for (const event of eventsOf(stream)) state.apply(event);
      const ids = state.snapshot().records.map(({ id }) => id);
      assertSameText(textOf([...new Set(ids)]), textOf(ids));
    },
  },
];

/** Encodes a value as JSON, with the members of objects sorted by name. */
function textOf(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, inner: unknown) =>
      isObject(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(byName))
        : inner,
  );
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
