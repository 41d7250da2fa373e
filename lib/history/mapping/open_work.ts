/**
 * What a snapshot without a checkpoint still tells of unfinished work.
 *
 * @module
 */

import { entryKey } from "./explores.ts";
import { fieldsOf, textOf } from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";

/** The records that the lookups lead to; the fork has commands that were joined. */
const CALL_TYPES: ReadonlySet<string> = new Set([
  "exec",
  "merged_exec",
  "tool_call",
]);

/**
 * Finds the work that the records show as under way, so that what ends it, or its turn, finds
 * it. What has ended stays as it is: the ids that are to come are of other calls, since the
 * producers begin anew with them.
 *
 * @param context The records and a memory that knows nothing yet.
 * @param toolCalls The numbers of tools by the ids of their calls.
 */
export function findOpenWork(
  context: MappingContext,
  toolCalls: { readonly [callId: string]: number },
): void {
  const { memory, store } = context;
  const callIds = new Map(
    Object.entries(toolCalls).map(([callId, id]) => [id, callId]),
  );
  for (let index = 0; index < store.length; index++) {
    const record = context.at(index);
    setAsideEnded(context, index);
    switch (record?.type) {
      case "exec":
        if (record.payload.status === "running") {
          memory.working.set(record.id, record.payload.call_id);
        }
        break;
      case "running_tool":
        memory.working.set(record.id, callIds.get(record.id) ?? null);
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

/** Takes a command or tool that has ended from those that a call id leads to. */
function setAsideEnded({ memory, store }: MappingContext, index: number): void {
  const record = store.at(index);
  const isOpen = record?.type === "running_tool" ||
    (record?.type === "exec" && fieldsOf(record.payload).status === "running");
  // With a number that is still to be given, it could not be told from the record that gets it.
  if (record === undefined || isOpen || record.id >= store.nextId) return;
  if (CALL_TYPES.has(record.type)) memory.calls.setAside(record.id);
}
