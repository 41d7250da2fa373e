/**
 * The lines of rollouts (C.3 to C.5).
 *
 * @module
 */

import { mapEventMessage } from "./event_messages.ts";
import { firstOrdinalOf, isInherited } from "./inherited_lines.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  numberOf,
  textOf,
} from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";
import {
  HISTORY_MODES,
  type MappingMemory,
  readHistoryBase,
} from "./mapping_memory.ts";
import { mapRealtimeItem } from "./paginated_items.ts";
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
  ["realtime_item", mapRealtimeItem],
]);

/** How much is kept of a word that nobody knows, in UTF-16 code units. */
const MAX_MODE = 40;

/** The types of lines that a history can be made of. */
export const MAPPED_LINE_TYPES: readonly string[] = [...LINES.keys()];

/**
 * Maps a line; of a type that nobody knows, and of what another thread left, nothing.
 *
 * @param context Where.
 * @param line The line.
 */
export function mapRolloutLine(context: MappingContext, line: Fields): void {
  const { memory } = context;
  if (isInherited(line, memory.firstOrdinal)) return;
  // Where no header tells, the lines do: all of paginated files are counted, and no others.
  if (isModeOpen(memory) && numberOf(line.ordinal) !== undefined) {
    memory.mode = "paginated";
  }
  if (typeof line.type !== "string") return;
  context.path = PAYLOAD;
  LINES.get(line.type)?.(context, fieldsOf(line.payload));
}

/** Whether nothing has said how the rollout tells its history, or not in words that are known. */
function isModeOpen({ hasHeader, unknownMode }: MappingMemory): boolean {
  return !hasHeader || unknownMode !== null;
}

/** Reads the header of the file; later ones are copied from other files. */
function readHeader({ memory }: MappingContext, meta: Fields): void {
  if (memory.hasHeader) return;
  memory.hasHeader = true;
  memory.threadId = idOf(meta.id) ?? idOf(meta.session_id) ?? null;
  const mode = textOf(meta.history_mode) ?? "legacy";
  memory.mode = mode === "paginated" ? mode : "legacy";
  memory.unknownMode = HISTORY_MODES.has(mode)
    ? null
    : mode.slice(0, MAX_MODE).toWellFormed();
  memory.firstOrdinal = firstOrdinalOf(meta);
  memory.base = readHistoryBase(meta.history_base);
}
