/**
 * Calls: telling another call of the same id from another copy of the same call (B.3, C.3).
 *
 * @module
 */

import { isRunningCommand, leaveCommand } from "./commands.ts";
import type { MappingContext } from "./mapping_context.ts";
import type { CopySource } from "./pairing.ts";
import { isOpenPatch } from "./patches.ts";
import { CALL_LINKS } from "./record_links.ts";
import { isRunningTool } from "./tools.ts";

/**
 * Takes note that a call begins. The first time that a source tells of it, this is the copy of
 * what the other source may have told; what it tells again is another call, whose records are
 * its own.
 *
 * An event that comes again while the call is open only says more of it, but each response item
 * is a call.
 *
 * @param context Where.
 * @param callId The id of the call, if it has one.
 * @param source Who tells of it; all items of exec streams count as events.
 */
export function beginCall(
  context: MappingContext,
  callId: string | null | undefined,
  source: CopySource,
): void {
  if (callId === null || callId === undefined) return;
  const { calls } = context.memory;
  const isAnother = calls.hasBegun(callId, source) &&
    (source === "item" || !isOpenCall(context, callId));
  if (isAnother) leaveCall(context, callId);
  calls.begin(callId, source);
}

/** Leaves a call as it is: what comes now for its id is of another one. */
function leaveCall(context: MappingContext, callId: string): void {
  const { store } = context;
  const { calls, links, working } = context.memory;
  const ids = [context.indexOfExec(callId), context.indexOfTool(callId)]
    .map((index) => store.idAt(index)).filter((id) => id !== undefined);
  calls.leave(callId, ids);
  for (const id of ids) {
    // When its turn fails, it must not take the id back from the newer call.
    if (working.has(id)) working.set(id, null);
  }
  for (const kind of CALL_LINKS) links.drop(kind, callId);
  leaveCommand(context, callId);
}

function isOpenCall(context: MappingContext, callId: string): boolean {
  return isRunningCommand(context, callId) || isRunningTool(context, callId) ||
    isOpenPatch(context, callId);
}
