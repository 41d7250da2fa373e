/**
 * Records that the producer updates by an id of its own.
 *
 * @module
 */

import type { NewRecord } from "../records.ts";
import type { MappingContext } from "./mapping_context.ts";
import type { LinkKind } from "./record_links.ts";

/**
 * Puts a record in the place of the one with the same id, or at the end.
 *
 * @param context Where.
 * @param link What the id is of, and the id; without one the record is new.
 * @param record The record.
 * @returns The number of the record.
 */
export function showLinked(
  context: MappingContext,
  { kind, thing }: { readonly kind: LinkKind; readonly thing: string | null },
  record: NewRecord,
): number {
  const { links } = context.memory;
  const known = thing === null ? undefined : links.get(kind, thing);
  if (known !== undefined && context.get(known.id)?.type === record.type) {
    context.replace(known.id, record);
    return known.id;
  }
  const id = context.push(record);
  if (thing !== null) links.set(kind, thing, id);
  return id;
}

/** Takes out the record with an id, if there is one. */
export function removeLinked(
  context: MappingContext,
  { kind, thing }: { readonly kind: LinkKind; readonly thing: string | null },
): void {
  const known = thing === null
    ? undefined
    : context.memory.links.get(kind, thing);
  if (known !== undefined) context.remove(known.id);
}
