/**
 * The parts that entries are given as, with their times.
 *
 * @module
 */

import { fieldsOf } from "../json/fields.ts";
import { EPOCH } from "../events/times.ts";
import type { AnyHistoryRecord } from "../history/records.ts";
import type { Rest } from "./_given_record.ts";
import type { EntryPart, EntryPhase } from "./parts.ts";

/** What is known of an entry beside its record. */
export type EntryTimes =
  & Pick<
    EntryPart,
    "id" | "turn" | "isWarning" | "isFromUser" | "startedAt" | "endedAt"
  >
  & {
    /** How long its output says that it took, in milliseconds. */
    readonly saidMs?: number | undefined;
  };

/** Makes the part that says how far an entry is. */
export function entryPart(
  entry: EntryTimes,
  phase: EntryPhase,
  { record, outputs }: Rest,
): EntryPart {
  const { id, turn, isWarning, isFromUser } = entry;
  const isTimed = entry.startedAt !== null;
  const startedAt = timeIn(record, "started_at", isTimed) ?? entry.startedAt;
  const endedAt = timeIn(record, "completed_at", isTimed) ?? entry.endedAt;
  return {
    type: "entry",
    phase,
    id,
    turn,
    record,
    ...(outputs === undefined ? {} : { outputs }),
    ...(isWarning === true ? { isWarning } : {}),
    ...(isFromUser === true ? { isFromUser } : {}),
    startedAt,
    endedAt,
    durationMs: longer(
      durationOf(record, { startedAt, endedAt }),
      entry.saidMs,
    ),
  };
}

/** Reads a time of a record. Where the input has none, all of them are made up. */
function timeIn(
  { payload }: AnyHistoryRecord,
  name: "started_at" | "completed_at",
  isTimed: boolean,
): string | undefined {
  const time = fieldsOf(payload)[name];
  return isTimed && typeof time === "string" && time !== EPOCH
    ? time
    : undefined;
}

function durationOf(
  { type, payload }: AnyHistoryRecord,
  { startedAt, endedAt }: Pick<EntryPart, "startedAt" | "endedAt">,
): number | null {
  if ("duration_ms" in payload && typeof payload.duration_ms === "number") {
    return payload.duration_ms;
  }
  const isWork = type === "exec" || type === "tool_call";
  return isWork ? msBetween(startedAt, endedAt) : null;
}

/** Gives the longer one of what the times tell and what the output says. */
function longer(ms: number | null, saidMs = 0): number | null {
  return saidMs > (ms ?? 0) ? saidMs : ms;
}

/** Gives the milliseconds from one time to a later one; `null` if that is not known. */
export function msBetween(
  from: string | null,
  to: string | null,
): number | null {
  if (from === null || to === null) return null;
  const ms = Date.parse(to) - Date.parse(from);
  return ms >= 0 ? ms : null;
}
