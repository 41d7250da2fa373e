/**
 * Which record a thing of the producer has become, where the lookups of the contract do not
 * say it.
 *
 * @module
 */

import { fieldsOf, listOf, wholeOf } from "./json_fields.ts";

/** Where a thing is. */
export interface RecordLink {
  /** The number of the record. */
  readonly id: number;
  /** Its place in the record: of an entry in an explore, of a part in a reasoning. */
  readonly at: number;
}

/** What a link can be to. */
export type LinkKind =
  | "background"
  | "compaction"
  | "explore"
  | "image"
  | "notice"
  | "patch"
  | "plan"
  | "reasoning"
  | "review_end"
  | "review_notice"
  | "review_start"
  | "sub_agent"
  | "user"
  | "user_image";

/** The links that find a record of a call where no lookup does. */
export const CALL_LINKS: readonly LinkKind[] = ["explore", "image", "patch"];

/** Links from things to records, and back: records that go take their links along. */
export class RecordLinks {
  readonly #links = new Map<string, RecordLink>();
  readonly #keysById = new Map<number, Set<string>>();

  /**
   * Constructs a new instance.
   *
   * @param saved What {@linkcode RecordLinks.save} gave.
   */
  constructor(saved?: unknown) {
    for (const entry of listOf(saved)) {
      const [key, id, at] = listOf(entry);
      const number = wholeOf(id);
      if (typeof key !== "string" || number === undefined) continue;
      this.#set(key, { id: number, at: wholeOf(at) ?? 0 });
    }
  }

  /** Finds the record of a thing. */
  get(kind: LinkKind, thing: string): RecordLink | undefined {
    return this.#links.get(keyOf(kind, thing));
  }

  /** Remembers the record of a thing, instead of any it had. */
  set(kind: LinkKind, thing: string, id: number, at = 0): void {
    this.#set(keyOf(kind, thing), { id, at });
  }

  /** Forgets the record of a thing. */
  drop(kind: LinkKind, thing: string): void {
    const key = keyOf(kind, thing);
    const link = this.#links.get(key);
    if (link === undefined) return;
    this.#links.delete(key);
    this.#keysById.get(link.id)?.delete(key);
  }

  /** Forgets everything about a record. */
  forget(id: number): void {
    for (const key of this.#keysById.get(id) ?? []) this.#links.delete(key);
    this.#keysById.delete(id);
  }

  /** Gives the links as plain JSON. */
  save(): unknown {
    return [...this.#links].map(([key, { id, at }]) => [key, id, at]);
  }

  #set(key: string, link: RecordLink): void {
    const older = this.#links.get(key);
    if (older !== undefined) this.#keysById.get(older.id)?.delete(key);
    this.#links.set(key, link);
    const keys = this.#keysById.get(link.id);
    if (keys === undefined) this.#keysById.set(link.id, new Set([key]));
    else keys.add(key);
  }
}

function keyOf(kind: LinkKind, thing: string): string {
  return `${kind}:${thing}`;
}

/** Reads pairs of a saved map. */
export function savedPairs(saved: unknown): (readonly [unknown, unknown])[] {
  return listOf(saved).map((pair) => [listOf(pair)[0], listOf(pair)[1]]);
}

/** Reads a field of something saved. */
export function savedField(saved: unknown, name: string): unknown {
  const fields = fieldsOf(saved);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
