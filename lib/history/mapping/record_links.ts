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

const LINK_KINDS = [
  "background",
  "compaction",
  "explore",
  "image",
  "notice",
  "patch",
  "plan",
  "reasoning",
  "review_end",
  "review_notice",
  "review_start",
  "speech",
  "sub_agent",
  "user",
  "user_image",
] as const;

/** What a link can be to. */
export type LinkKind = (typeof LINK_KINDS)[number];

/** The links that find a record of a call where no lookup does. */
export const CALL_LINKS: readonly LinkKind[] = ["explore", "image", "patch"];

/** Links from things to records, and back: records that go take their links along. */
export class RecordLinks {
  readonly #links: ReadonlyMap<LinkKind, Map<string, RecordLink>> = new Map(
    LINK_KINDS.map((kind) => [kind, new Map()]),
  );
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
      const { kind, thing } = partsOf(key);
      if (kind !== undefined) this.set(kind, thing, number, wholeOf(at) ?? 0);
    }
  }

  /** Finds the record of a thing. */
  get(kind: LinkKind, thing: string): RecordLink | undefined {
    return this.#links.get(kind)?.get(thing);
  }

  /** Remembers the record of a thing, instead of any it had. */
  set(kind: LinkKind, thing: string, id: number, at = 0): void {
    this.drop(kind, thing);
    this.#links.get(kind)?.set(thing, { id, at });
    const key = keyOf(kind, thing);
    const keys = this.#keysById.get(id);
    if (keys === undefined) this.#keysById.set(id, new Set([key]));
    else keys.add(key);
  }

  /** Forgets the record of a thing. */
  drop(kind: LinkKind, thing: string): void {
    const link = this.get(kind, thing);
    if (link === undefined) return;
    this.#links.get(kind)?.delete(thing);
    this.#keysById.get(link.id)?.delete(keyOf(kind, thing));
  }

  /** Forgets everything about a record. */
  forget(id: number): void {
    for (const key of this.#keysById.get(id) ?? []) {
      const { kind, thing } = partsOf(key);
      if (kind !== undefined) this.#links.get(kind)?.delete(thing);
    }
    this.#keysById.delete(id);
  }

  /** Gives the links as plain JSON. */
  save(): unknown {
    return [...this.#links].flatMap(([kind, links]) =>
      [...links].map(([thing, { id, at }]) => [keyOf(kind, thing), id, at])
    );
  }
}

/** Joins a kind and a thing, as links are saved. */
function keyOf(kind: LinkKind, thing: string): string {
  return `${kind}:${thing}`;
}

function partsOf(
  key: string,
): { readonly kind: LinkKind | undefined; readonly thing: string } {
  const at = key.indexOf(":");
  const name = key.slice(0, at);
  return {
    kind: LINK_KINDS.find((kind) => kind === name),
    thing: key.slice(at + 1),
  };
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
