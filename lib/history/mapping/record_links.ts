/**
 * Which record an item has become, where the lookups of the contract do not say it.
 *
 * @module
 */

import { booleanOf, fieldsOf, listOf, wholeOf } from "../../json/fields.ts";

/** Where an item is. */
export interface RecordLink {
  /** The number of the record. */
  readonly id: number;
  /** Its place in the record: of an entry in an explore, of a part in a reasoning. */
  readonly at: number;
  /** Whether an `item.started` told of it. */
  hasBegun: boolean;
}

/**
 * What is linked. Calls share one kind: what begins as a command may turn out to be a patch.
 * Other items have their type, since some producers count the items of each type from 0.
 */
export type LinkKind =
  /** A command, a tool, a patch, a plan or an image. */
  | "call"
  /** A command in an explore record, by the id of its call. */
  | "explored"
  /** Work that a bare snapshot shows as under way, by the id of its call. */
  | "restored"
  | "background_event"
  | "context_compaction"
  | "entered_review_mode"
  | "exited_review_mode"
  | "plan"
  | "reasoning"
  /** What the end of a review says besides. */
  | "review_notice"
  | "speech"
  | "sub_agent_activity"
  | "user_image"
  | "user_message";

/** Links from items to records, and back: records that go take their links along. */
export class RecordLinks {
  /** Most links are to calls. */
  readonly #calls = new Map<string, RecordLink>();
  readonly #links = new Map<string, Map<string, RecordLink>>([
    ["call", this.#calls],
  ]);
  readonly #keysById = new Map<number, (readonly [LinkKind, string])[]>();

  /**
   * Constructs a new instance.
   *
   * @param saved What {@linkcode RecordLinks.save} has given.
   */
  constructor(saved?: unknown) {
    for (const entry of listOf(saved)) {
      const [kind, item, id, at, hasBegun] = listOf(entry);
      const number = wholeOf(id);
      if (typeof kind !== "string" || typeof item !== "string") continue;
      if (number === undefined) continue;
      // Of another kind nothing asks.
      const link = this.set(kind as LinkKind, item, number, wholeOf(at) ?? 0);
      link.hasBegun = booleanOf(hasBegun) ?? false;
    }
  }

  /** Finds the record of an item. */
  get(kind: LinkKind, item: string): RecordLink | undefined {
    return kind === "call"
      ? this.#calls.get(item)
      : this.#links.get(kind)?.get(item);
  }

  /** Remembers the record of an item, instead of any it had. */
  set(kind: LinkKind, item: string, id: number, at = 0): RecordLink {
    const link: RecordLink = { id, at, hasBegun: false };
    let links = this.#links.get(kind);
    if (links === undefined) this.#links.set(kind, links = new Map());
    links.set(item, link);
    const keys = this.#keysById.get(id);
    if (keys === undefined) this.#keysById.set(id, [[kind, item]]);
    else keys.push([kind, item]);
    return link;
  }

  /** Forgets the record of an item. */
  drop(kind: LinkKind, item: string): void {
    this.#links.get(kind)?.delete(item);
  }

  /** Forgets everything about a record. */
  forget(id: number): void {
    for (const [kind, item] of this.#keysById.get(id) ?? []) {
      // It may be the link of another record by now.
      if (this.get(kind, item)?.id === id) this.drop(kind, item);
    }
    this.#keysById.delete(id);
  }

  /** Gives the links as plain JSON. */
  save(): unknown {
    return [...this.#links].flatMap(([kind, links]) =>
      [...links].map(([item, { id, at, hasBegun }]) =>
        hasBegun ? [kind, item, id, at, true] : [kind, item, id, at]
      )
    );
  }
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
