/**
 * Distinguishes the two copies of one message from two equal messages (C.3).
 *
 * Session files contain user, assistant and reasoning texts twice: as a response item and as an
 * event. The same is true of searches, which in some releases have no common id, and of plans and
 * commands of the user, which never have one. A copy consumes an equal unmatched copy of the other
 * witness; only a copy that finds none has an event.
 */

import { fieldsOf, knownFields, listOf, textOf } from "../json/fields.ts";
import type { Witness } from "./calls.ts";
import type { SessionImage } from "./session_items.ts";

/**
 * The kinds of messages that have copies. `loose` are items of the current turn in paginated files
 * that are paired by their type, because their witnesses have no common id.
 */
export type CopyKind = typeof COPY_KINDS[number];

const COPY_KINDS = [
  "user",
  "assistant",
  "reasoning",
  "search",
  "plan",
  "command",
  "loose",
] as const;

/** The number of unmatched copies of one kind and witness that are kept, the latest ones. */
const MAX_COPIES = 256;

/** The item that was emitted for one copy of a message. */
export interface PairedItem {
  /** Its id; empty if none was emitted. */
  readonly itemId: string;
  readonly images?: readonly SessionImage[];
}

/** The unmatched copies of one kind and witness, in order: their keys and items. */
type Copies = { readonly key: string; readonly item: PairedItem }[];
type Witnessed = Readonly<Record<Witness, Copies>>;

export class Pairing {
  readonly #unmatched: Readonly<Record<CopyKind, Witnessed>>;
  readonly #isIdle: boolean;

  /** An idle pairing keeps no copies, because the other copies are not read. */
  constructor(saved?: unknown, isIdle = false) {
    const fields = fieldsOf(saved);
    this.#isIdle = isIdle;
    // Every kind has its copies.
    this.#unmatched = Object.fromEntries(
      COPY_KINDS.map((kind) => [kind, readWitnessed(fields[kind])]),
    ) as Record<CopyKind, Witnessed>;
  }

  /**
   * Removes an unmatched copy of the other witness, and returns its item; `undefined` if this copy
   * is the first. `text` is that of the message, or another key that identifies it. Without
   * `itemId`, the first item is taken.
   */
  match(
    kind: CopyKind,
    text: string,
    witness: Witness,
    itemId?: string,
  ): PairedItem | undefined {
    const { item, event } = this.#unmatched[kind];
    const copies = witness === "item" ? event : item;
    if (copies.length === 0) return undefined;
    const key = keyOf(text);
    const at = copies.findIndex((copy) =>
      copy.key === key &&
      (itemId === undefined || copy.item.itemId === itemId)
    );
    return at === -1 ? undefined : copies.splice(at, 1)[0]?.item;
  }

  add(kind: CopyKind, text: string, witness: Witness, item: PairedItem): void {
    if (this.#isIdle) return;
    const copies = this.#unmatched[kind][witness];
    copies.push({ key: keyOf(text), item });
    if (copies.length > MAX_COPIES) copies.shift();
  }

  /** Removes the copies of some kinds: later copies belong to other messages. */
  forget(...kinds: readonly CopyKind[]): void {
    for (const kind of kinds) {
      const { item, event } = this.#unmatched[kind];
      item.length = 0;
      event.length = 0;
    }
  }

  save(): unknown {
    return Object.fromEntries(
      Object.entries(this.#unmatched).map(([kind, { item, event }]) => [
        kind,
        { item: saveCopies(item), event: saveCopies(event) },
      ]),
    );
  }
}

function readWitnessed(saved: unknown): Witnessed {
  const { item, event } = fieldsOf(saved);
  return { item: readCopies(item), event: readCopies(event) };
}

function saveCopies(copies: Copies): unknown {
  return copies.map(({ key, item }) => [key, item]);
}

function readCopies(saved: unknown): Copies {
  return listOf(saved).map(listOf).map(([key, item]) => ({
    key: textOf(key) ?? "",
    item: readItem(item),
  }));
}

function readItem(saved: unknown): PairedItem {
  const { itemId, images } = fieldsOf(saved);
  const id = textOf(itemId) ?? "";
  if (!Array.isArray(images)) return { itemId: id };
  return { itemId: id, images: images.map(readImage) };
}

function readImage(saved: unknown): SessionImage {
  const { path, url } = fieldsOf(saved);
  return knownFields({ path: textOf(path), url: textOf(url) });
}

function keyOf(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}
