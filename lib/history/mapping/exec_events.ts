/**
 * The events of exec streams (C.1).
 *
 * @module
 */

import {
  failItem,
  itemContent,
  type ItemPhase,
  showItem,
} from "./exec_items.ts";
import { type Fields, fieldsOf, idOf, textOf } from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";
import {
  attachUsage,
  showError,
  showFinalError,
  showUserMessage,
} from "./messages.ts";
import { messageOf } from "./side_events.ts";
import { settleTurn } from "./turn_ends.ts";
import { readUsage } from "./usage.ts";

/** Maps an event of one type. */
type MapEvent = (context: MappingContext, event: Fields) => void;

const EVENTS: ReadonlyMap<string, MapEvent> = new Map<string, MapEvent>([
  ["thread.started", startRun],
  ["turn.started", startTurn],
  ["turn.completed", completeTurn],
  ["turn.failed", failTurn],
  ["item.started", mapItem("started")],
  ["item.delta", mapItem("delta")],
  ["item.completed", mapItem("completed")],
  ["item.failed", mapItemFailure],
  ["error", (context, event) => showError(context, messageOf(event))],
]);

/** Tells whether a type is one of exec events. */
export function isExecType(type: unknown): boolean {
  return typeof type === "string" && EVENTS.has(type);
}

/** Maps an event; of a type that nobody knows, nothing. */
export function mapExecEvent(context: MappingContext, event: Fields): void {
  context.path = [];
  if (typeof event.type === "string") EVENTS.get(event.type)?.(context, event);
}

function startRun({ memory }: MappingContext, event: Fields): void {
  memory.run += 1;
  // A process that was killed has not ended its turn.
  memory.turns.close();
  memory.threadId = idOf(event.thread_id) ?? memory.threadId;
}

function startTurn(context: MappingContext, event: Fields): void {
  const { memory, store } = context;
  memory.turns.open(store.length);
  const text = textOf(event.input_text) ?? "";
  if (text.trim() !== "") showUserMessage(context, { text, images: [] });
}

function completeTurn(context: MappingContext, event: Fields): void {
  settleTurn(context, { isFailed: false });
  attachTurnUsage(context, event);
}

function failTurn(context: MappingContext, event: Fields): void {
  settleTurn(context, { isFailed: true });
  attachTurnUsage(context, event);
  showFinalError(context, textOf(fieldsOf(event.error).message) ?? "");
}

function attachTurnUsage(context: MappingContext, { usage }: Fields): void {
  const tokens = readUsage(usage);
  if (tokens === undefined) return;
  // Some producers count what was cached into the total; here it is the sum of the two.
  const { prompt, completion } = tokens;
  const total = prompt + completion;
  attachUsage(context, { prompt, completion, total }, { keep: false });
}

function mapItem(phase: ItemPhase): MapEvent {
  return (context, event) => {
    const id = scopedId(context, event);
    if (id === undefined) return;
    showItem(context, event.item_type, {
      id,
      phase: phase === "delta" ? phaseOfDelta(event.snapshot) : phase,
      content: itemContent(event),
      event,
    });
  };
}

/** A delta may say itself whether it is all of the item or a piece of it. */
function phaseOfDelta(snapshot: unknown): ItemPhase {
  if (snapshot === true) return "updated";
  return snapshot === false ? "piece" : "delta";
}

function mapItemFailure(context: MappingContext, event: Fields): void {
  const id = scopedId(context, event);
  if (id === undefined) return;
  failItem(context, id, textOf(fieldsOf(event.error).message) ?? "");
}

/** Item ids begin again with every process: those of later runs are told apart. */
function scopedId(
  { memory }: MappingContext,
  event: Fields,
): string | undefined {
  // The empty one is an id like any other: its item is not lost.
  const id = textOf(event.item_id);
  if (id === undefined) return undefined;
  return memory.run >= 2 ? `${memory.run}:${id}` : id;
}
