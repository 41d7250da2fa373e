/** The fold: applies the events of a thread to its records (C.1, C.2). */

import { messageOf } from "../../events/contents.ts";
import { type Fields, fieldsOf, idOf, textOf } from "../../json/fields.ts";
import { interruptCommand } from "./commands.ts";
import type { AnyHistoryRecord } from "../records.ts";
import type { FoldContext, ItemPhase } from "./fold_context.ts";
import { HISTORY_MODES, readHistoryBase } from "./fold_memory.ts";
import { isMadeUp } from "../item_types.ts";
import { failItem, itemContent, showItem } from "./items.ts";
import {
  attachUsage,
  dropStream,
  pushError,
  showAnswer,
  showError,
} from "./messages.ts";
import { settleThought } from "./reasoning.ts";
import { backgroundRecord, userRecord } from "./text_lines.ts";
import { interruptTool } from "./tools.ts";
import { readUsage } from "./usage.ts";

type EventRule = (context: FoldContext, event: Fields) => void;

const EVENTS: ReadonlyMap<string, EventRule> = new Map<string, EventRule>([
  ["thread.started", startThread],
  ["turn.started", startTurn],
  ["turn.completed", completeTurn],
  ["turn.failed", failTurn],
  ["item.started", itemRule("started")],
  ["item.delta", itemRule("delta")],
  ["item.completed", itemRule("completed")],
  ["item.failed", applyItemFailure],
  ["error", applyError],
]);

/** The limit of an unknown `history_mode`, in UTF-16 code units. */
const MAX_MODE = 40;

/** Applies an event; one of an unknown type changes nothing. */
export function foldEvent(context: FoldContext, event: Fields): void {
  if (event.inherited === true && context.memory.skipsInherited) return;
  if (typeof event.type === "string") EVENTS.get(event.type)?.(context, event);
}

function startThread({ memory }: FoldContext, event: Fields): void {
  memory.run += 1;
  // A killed process leaves its turn open.
  memory.turns.close();
  memory.threadId = idOf(event.thread_id) ?? memory.threadId;
  memory.isSession = event.started_at !== undefined;
  memory.isCounted = false;
  const mode = textOf(event.history_mode);
  // The part of another file that this one continues may have been read before it: its records
  // stay.
  memory.skipsInherited = event.subagent_history_start_ordinal !== undefined;
  memory.unknownMode = mode === undefined || HISTORY_MODES.has(mode)
    ? null
    : mode.slice(0, MAX_MODE).toWellFormed();
  memory.base = readHistoryBase(event.history_base);
}

function startTurn(context: FoldContext, event: Fields): void {
  const { memory, store } = context;
  // A turn without a start event is opened by its prompt, and ends at the next prompt.
  if (event.implied === true) return memory.turns.leavePrompt();
  // A turn without an end was killed or copied from another file: its calls do not go on in this
  // one. An app-server may announce a turn whose input the running one takes (0.104).
  if (memory.isSession && memory.turns.isOpen) memory.working.clear();
  memory.turns.open(store.nextId);
  const text = textOf(event.input_text) ?? "";
  if (text.trim() !== "") context.push(userRecord(text));
}

function completeTurn(context: FoldContext, event: Fields): void {
  settleTurn(context);
  attachTurnUsage(context, event);
}

function failTurn(context: FoldContext, event: Fields): void {
  const { memory } = context;
  settleTurn(context);
  // The turn failed or was aborted: what runs is ended in error (C.2).
  for (const id of [...memory.working]) {
    interruptTool(context, id);
    interruptCommand(context, id);
  }
  memory.working.clear();
  attachTurnUsage(context, event);
  const reason = textOf(event.reason);
  const message = textOf(fieldsOf(event.error).message) ?? "";
  if (reason !== undefined) {
    context.push(backgroundRecord("Turn aborted", reason));
    // The error may have been shown just before.
  } else if (message !== memory.turns.errorMessage) {
    pushError(context, message);
  }
}

/** Completes the unfinished messages and reasoning of a turn (C.2); calls stay running. */
function settleTurn(context: FoldContext): void {
  const { memory } = context;
  for (const streamId of [...context.store.streamIds]) {
    const text = context.streamText(streamId) ?? "";
    if (text.trim() !== "") showAnswer(context, streamId, text);
    else dropStream(context, streamId);
  }
  for (const id of [...memory.thinking.keys()]) settleThought(context, id);
  memory.turns.close();
}

/** Shows an error. If Codex will retry the request, drops the unfinished messages. */
function applyError(context: FoldContext, event: Fields): void {
  if (event.will_retry === true) {
    for (const streamId of [...context.store.streamIds]) {
      dropStream(context, streamId);
    }
  }
  showError(context, messageOf(event));
}

function attachTurnUsage(context: FoldContext, { usage }: Fields): void {
  const { isSession, isCounted } = context.memory;
  // `usage` may count the whole thread, and always does in session files and app-servers, which
  // have counts of requests as well: a message without one has no known usage.
  if (isSession || isCounted) return;
  const tokens = readUsage(usage);
  if (tokens === undefined) return;
  // Some producers add cached tokens to the total; here it is always the sum of the two.
  const { prompt, completion } = tokens;
  const total = prompt + completion;
  attachUsage(context, { prompt, completion, total }, { keep: false });
}

function itemRule(phase: ItemPhase): EventRule {
  return (context, event) => {
    const id = scopedId(context, event);
    if (id === undefined) return;
    showItem(context, event.item_type, {
      id,
      callId: callIdOf(event, id),
      phase: phase === "delta" ? phaseOfDelta(context, event) : phase,
      content: itemContent(event),
      event,
    });
  };
}

/**
 * The normalizer may mark a delta as a snapshot of the whole item, or as an increment. Deltas in
 * session files are always increments.
 */
function phaseOfDelta(
  { memory }: FoldContext,
  { snapshot }: Fields,
): ItemPhase {
  if (snapshot === true) return "updated";
  return snapshot === false || memory.isSession ? "piece" : "delta";
}

function applyItemFailure(context: FoldContext, event: Fields): void {
  const id = scopedId(context, event);
  if (id === undefined) return;
  const message = textOf(fieldsOf(event.error).message) ?? "";
  failItem(context, { id, callId: callIdOf(event, id) }, message);
}

function scopedId({ memory }: FoldContext, event: Fields): string | undefined {
  // An empty id is valid: its item must not be lost.
  const id = textOf(event.item_id);
  return id === undefined ? undefined : memory.scopedId(id);
}

function callIdOf(event: Fields, id: string): string | null {
  return textOf(event.call_id) ?? (isMadeUp(event) ? null : id);
}

const RUN_REGEXP = /^(\d{1,9}):/;

/** Returns the run of the producer that a record is from, by the ids in it. */
function runOf(record: AnyHistoryRecord | undefined): number {
  const { stream_id, call_id } = fieldsOf(record?.payload);
  const id = textOf(stream_id) ?? textOf(call_id) ?? "";
  return Number(RUN_REGEXP.exec(id)?.[1] ?? 1);
}

/**
 * Restores the memory of the last run, and of unfinished work, from the records of a snapshot
 * without `resume`, so that later events can end that work. Complete records get no links: producers restart their ids, so that
 * later items with the same ids are other calls.
 *
 * @param expect Is called with the call id and the item type of unfinished calls.
 */
export function findOpenWork(
  context: FoldContext,
  expect: (callId: string, itemType: string) => void,
): void {
  const { memory, store } = context;
  const restore = (
    id: number,
    callId: string | null,
    itemType: string,
  ): void => {
    memory.working.add(id);
    if (callId === null) return;
    // The item ids of calls are their call ids.
    memory.links.set("call", callId, id);
    expect(callId, itemType);
  };
  for (let index = 0; index < store.length; index++) {
    const record = context.at(index);
    // A new run uses the item ids again: without this, its answers would replace those known.
    memory.run = Math.max(memory.run, runOf(record));
    switch (record?.type) {
      case "exec":
        if (record.payload.status === "running") {
          restore(record.id, record.payload.call_id, "command_execution");
        }
        break;
      case "running_tool":
        restore(record.id, store.callIdAt(index), "tool_call");
        break;
      case "reasoning":
        if (record.payload.in_progress) {
          memory.thinking.set(record.id, new Map());
        }
        break;
      case "explore": {
        const { entries } = record.payload;
        if (entries.some(({ status }) => status === "running")) {
          memory.working.add(record.id);
        }
        break;
      }
    }
  }
}
