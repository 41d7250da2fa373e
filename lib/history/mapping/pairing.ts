/**
 * Telling the two copies of a message from two equal messages (C.3).
 *
 * Rollouts hold user, assistant and reasoning text as a response item and as an event, and so
 * they do with searches, which in some releases have no id in common, and with plans, which
 * never have one. A copy uses up an equal unmatched one of the other source; only what finds
 * none is shown.
 *
 * @module
 */

import { listOf, wholeOf } from "./json_fields.ts";
import { savedField, savedPairs } from "./record_links.ts";

/** What there are copies of. */
export type CopyKind = "user" | "assistant" | "reasoning" | "search" | "plan";

/** Where a copy comes from. */
export type CopySource = "item" | "event";

/** Numbers of the image records that belong to one copy. */
type Images = readonly number[];

const KINDS: readonly CopyKind[] = [
  "user",
  "assistant",
  "reasoning",
  "search",
  "plan",
];
const SOURCES: readonly CopySource[] = ["item", "event"];

/** For each text, the images of each copy. */
type Copies = Map<string, Images[]>;

/** Remembers the copies that are still alone. */
export class Pairing {
  readonly #unmatched: Readonly<Record<CopyKind, Record<CopySource, Copies>>>;

  /**
   * Constructs a new instance.
   *
   * @param saved What {@linkcode Pairing.save} gave.
   */
  constructor(saved?: unknown) {
    const copiesOf = (kind: CopyKind): Record<CopySource, Copies> => ({
      item: readCopies(savedField(saved, slotOf(kind, "item"))),
      event: readCopies(savedField(saved, slotOf(kind, "event"))),
    });
    this.#unmatched = {
      user: copiesOf("user"),
      assistant: copiesOf("assistant"),
      reasoning: copiesOf("reasoning"),
      search: copiesOf("search"),
      plan: copiesOf("plan"),
    };
  }

  /**
   * Looks for the other copy of a message and uses it up.
   *
   * @param kind What the message is.
   * @param text Its text, or what else tells it from others.
   * @param source Where this copy comes from.
   * @returns The images of the other copy, or `undefined` if this is the first one.
   */
  match(
    kind: CopyKind,
    text: string,
    source: CopySource,
  ): Images | undefined {
    const other = source === "item" ? "event" : "item";
    const copies = this.#unmatched[kind][other];
    const key = keyOf(text);
    const waiting = copies.get(key);
    const images = waiting?.shift();
    if (waiting?.length === 0) copies.delete(key);
    return images;
  }

  /**
   * Remembers a copy that was shown.
   *
   * @param kind What the message is.
   * @param text Its text, or what else tells it from others.
   * @param copy Where it comes from, and the images that were shown with it.
   */
  add(
    kind: CopyKind,
    text: string,
    { source, images = [] }: {
      readonly source: CopySource;
      readonly images?: Images;
    },
  ): void {
    const copies = this.#unmatched[kind][source];
    const key = keyOf(text);
    const waiting = copies.get(key);
    if (waiting === undefined) copies.set(key, [images]);
    else waiting.push(images);
  }

  /** Forgets the copies of some kinds: what comes now belongs to other messages. */
  forget(...kinds: readonly CopyKind[]): void {
    for (const kind of kinds) {
      for (const source of SOURCES) {
        const copies = this.#unmatched[kind][source];
        // Mostly there are none, and clearing makes a new table.
        if (copies.size > 0) copies.clear();
      }
    }
  }

  /** Forgets all copies. */
  forgetAll(): void {
    this.forget(...KINDS);
  }

  /** Gives the copies as plain JSON. */
  save(): unknown {
    return Object.fromEntries(
      KINDS.flatMap((kind) =>
        SOURCES.map((source) => [
          slotOf(kind, source),
          // Copies, all of it: what is saved must not change any more.
          [...this.#unmatched[kind][source]].map(([text, waiting]) => [
            text,
            waiting.map((images) => [...images]),
          ]),
        ])
      ),
    );
  }
}

function slotOf(kind: CopyKind, source: CopySource): string {
  return `${kind}_${source}`;
}

function keyOf(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}

function readCopies(saved: unknown): Copies {
  const copies: Copies = new Map();
  for (const [text, waiting] of savedPairs(saved)) {
    if (typeof text !== "string") continue;
    copies.set(
      text,
      listOf(waiting).map((images) =>
        listOf(images).map(wholeOf).filter((id) => id !== undefined)
      ),
    );
  }
  return copies;
}
