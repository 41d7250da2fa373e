/**
 * Images that the agent looked at or had made.
 *
 * @module
 */

import type { NewRecord } from "../records.ts";
import { imageRecord, pathOf } from "./images.ts";
import { type Fields, textOf } from "./json_fields.ts";
import { showLinked } from "./linked_records.ts";
import type { MappingContext } from "./mapping_context.ts";

/** Shows an image that was looked at or made, in its place, and gives its number. */
export function showImage(
  context: MappingContext,
  callId: string | null,
  record: NewRecord,
): number {
  return showLinked(context, { kind: "image", thing: callId }, record);
}

/** Shows an image that was made; where it is saved comes with the event. */
export function showGeneratedImage(
  context: MappingContext,
  callId: string | null,
  fields: Fields,
): void {
  const link = callId === null || context.replaces
    ? undefined
    : context.memory.links.get("image", callId);
  const known = context.get(link?.id);
  const shown = known?.type === "image" ? known.payload : undefined;
  // The items of extensions have names of their own.
  const path = textOf(fields.saved_path ?? fields.savedPath);
  const status = textOf(fields.status);
  showImage(
    context,
    callId,
    imageRecord(
      path === undefined ? shown?.path ?? "" : pathOf(path),
      textOf(fields.revised_prompt ?? fields.revisedPrompt) ??
        shown?.caption ?? null,
      status === undefined ? shown?.metadata ?? null : { status },
    ),
  );
}
