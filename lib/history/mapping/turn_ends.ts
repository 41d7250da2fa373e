/**
 * What becomes of unfinished work when a turn ends (C.2).
 *
 * @module
 */

import { interruptCommand } from "./commands.ts";
import type { MappingContext } from "./mapping_context.ts";
import { showAnswer } from "./messages.ts";
import { settleThought } from "./thoughts.ts";
import { interruptTool } from "./tools.ts";

/**
 * Settles what a turn leaves behind. Running commands and tools go on unless it failed.
 *
 * @param context Where.
 * @param options Whether the turn failed.
 */
export function settleTurn(
  context: MappingContext,
  { isFailed }: { readonly isFailed: boolean },
): void {
  const { memory, store } = context;
  for (const [streamId, text] of [...memory.streams]) {
    if (text.trim() !== "") showAnswer(context, streamId, text);
    else {
      memory.streams.delete(streamId);
      const id = store.idAt(store.indexOfStream(streamId));
      if (id !== undefined) context.remove(id);
    }
  }
  memory.liveStream = null;
  for (const id of [...memory.thinking.keys()]) settleThought(context, id);
  memory.isThoughtBroken = false;
  memory.viewedImages = 0;
  if (isFailed) {
    for (const [id, callId] of [...memory.working]) {
      interruptTool(context, id, callId);
      interruptCommand(context, id);
    }
    memory.working.clear();
    memory.decoders.clear();
    memory.exploring.clear();
  }
  if (memory.mode === "paginated") memory.compaction = null;
  memory.turns.close();
}
