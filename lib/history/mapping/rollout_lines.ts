/**
 * The lines of rollouts (C.3 to C.5).
 *
 * @module
 */

import { mapEventMessage } from "./event_messages.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  numberOf,
  textOf,
} from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";
import { readHistoryBase } from "./mapping_memory.ts";
import { mapResponseItem } from "./response_items.ts";
import { showCompaction } from "./side_events.ts";

/** Maps a line of one type. */
type MapLine = (context: MappingContext, payload: Fields) => void;

/** Where what a line tells is in it; the fork has it one level deeper. */
const PAYLOAD: readonly string[] = ["payload"];
const FORK_EVENT: readonly string[] = ["payload", "msg"];

const LINES: ReadonlyMap<string, MapLine> = new Map<string, MapLine>([
  ["session_meta", readHeader],
  ["response_item", (context, payload) => {
    if (context.memory.mode === "legacy") mapResponseItem(context, payload);
  }],
  ["event_msg", (context, payload) => mapEventMessage(context, payload)],
  [
    "event",
    (context, payload) => {
      context.path = FORK_EVENT;
      mapEventMessage(context, fieldsOf(payload.msg), idOf(payload.id) ?? null);
    },
  ],
  [
    "compacted",
    (context, payload) =>
      showCompaction(context, "line", textOf(payload.message) ?? ""),
  ],
]);

/** The types of lines that a history can be made of. */
export const MAPPED_LINE_TYPES: readonly string[] = [...LINES.keys()];

/**
 * Maps a line; of a type that nobody knows, and of what another thread left, nothing.
 *
 * @param context Where.
 * @param line The line.
 */
export function mapRolloutLine(context: MappingContext, line: Fields): void {
  if (isInherited(line, context.memory.firstOrdinal)) return;
  if (typeof line.type !== "string") return;
  context.path = PAYLOAD;
  LINES.get(line.type)?.(context, fieldsOf(line.payload));
}

/**
 * Tells whether a line is what another thread left, copied to the beginning of a file.
 *
 * @param line The line.
 * @param firstOrdinal The ordinal of the first line of the thread itself; `null` if all are.
 * @returns Whether it is inherited.
 */
export function isInherited(
  line: Fields,
  firstOrdinal: number | null,
): boolean {
  const ordinal = numberOf(line.ordinal);
  return firstOrdinal !== null && ordinal !== undefined &&
    ordinal < firstOrdinal;
}

/** Gives the ordinal of the first line of the thread itself, as its header says it. */
export function firstOrdinalOf(meta: Fields): number | null {
  return numberOf(meta.subagent_history_start_ordinal) ?? null;
}

/** Reads the header of the file; later ones are copied from other files. */
function readHeader({ memory }: MappingContext, meta: Fields): void {
  if (memory.hasHeader) return;
  memory.hasHeader = true;
  memory.threadId = idOf(meta.id) ?? idOf(meta.session_id) ?? null;
  memory.mode = meta.history_mode === "paginated" ? "paginated" : "legacy";
  memory.firstOrdinal = firstOrdinalOf(meta);
  memory.base = readHistoryBase(meta.history_base);
}
