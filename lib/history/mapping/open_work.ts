/**
 * What a snapshot without a checkpoint still tells of unfinished work.
 *
 * @module
 */

import { entryKey } from "./explores.ts";
import type { FoldContext } from "./fold_context.ts";
import { textOf } from "../../json/fields.ts";

/**
 * Finds the work that the records show as under way, so that what ends it, or its turn, finds
 * it. What has ended stays as it is: the ids that are to come are of other calls, since the
 * producers begin anew with them.
 *
 * @param context The records and a memory that knows nothing yet.
 * @param toolCalls The numbers of tools by the ids of their calls.
 * @param expect Is called with the id and the item type of what has a call.
 */
export function findOpenWork(
  context: FoldContext,
  toolCalls: { readonly [callId: string]: number },
  expect: (callId: string, itemType: string) => void,
): void {
  const { memory, store } = context;
  const restore = (
    id: number,
    callId: string | null,
    itemType: string,
  ): void => {
    memory.working.set(id, callId);
    if (callId === null) return;
    memory.links.set("restored", callId, id);
    expect(callId, itemType);
  };
  const callIds = new Map(
    Object.entries(toolCalls).map(([callId, id]) => [id, callId]),
  );
  for (let index = 0; index < store.length; index++) {
    const record = context.at(index);
    switch (record?.type) {
      case "exec":
        if (record.payload.status === "running") {
          restore(record.id, record.payload.call_id, "command_execution");
        }
        break;
      case "running_tool":
        restore(record.id, callIds.get(record.id) ?? null, "tool_call");
        break;
      case "reasoning":
        if (record.payload.in_progress) {
          memory.thinking.set(record.id, new Set());
        }
        break;
      case "assistant_stream": {
        const { stream_id, preview_markdown } = record.payload;
        memory.streams.set(stream_id, textOf(preview_markdown) ?? "");
        break;
      }
      case "explore": {
        const { entries, trailing } = record.payload;
        if (entries.some(({ status }) => status === "running")) {
          memory.working.set(record.id, null);
        }
        if (!trailing) break;
        memory.explore = {
          id: record.id,
          entries: new Map(
            entries.map((entry, at) => [entryKey(entry), at]),
          ),
        };
        break;
      }
    }
  }
}
