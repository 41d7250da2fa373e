/**
 * Distinguishes the two copies of one message from two equal messages (C.3).
 *
 * Session files contain user, assistant and reasoning texts twice: as a response item and as an
 * event. The same is true of searches, which in some releases have no common id, and of plans,
 * which never have one. A copy consumes an equal unmatched copy of the other witness; only a copy
 * that finds none has an event.
 *
 * @module
 */

import { fieldsOf, knownFields, listOf, textOf } from "../json/fields.ts";
import type { Witness } from "./calls.ts";
import type { SessionImage } from "./session_items.ts";

/**
 * The kinds of messages that have copies. `loose` are items of the current turn in paginated files
 * that are paired by their type, because their witnesses have no common id.
 */
export type CopyKind =
  | "user"
  | "assistant"
  | "reasoning"
  | "search"
  | "plan"
  | "loose";

/**
 * The map keys of the copies, by kind and witness. A table, so that no string is concatenated for a
 * line.
 */
const SLOTS: Readonly<Record<CopyKind, Readonly<Record<Witness, string>>>> = {
  user: { item: "user_item", event: "user_event" },
  assistant: { item: "assistant_item", event: "assistant_event" },
  reasoning: { item: "reasoning_item", event: "reasoning_event" },
  search: { item: "search_item", event: "search_event" },
  plan: { item: "plan_item", event: "plan_event" },
  loose: { item: "loose_item", event: "loose_event" },
};

/** The number of unmatched copies with one text that are kept. Matching takes as many steps. */
const MAX_ALIKE = 256;

/** The item that was emitted for one copy of a message. */
export interface PairedItem {
  /** Its id; empty if none was emitted. */
  readonly itemId: string;
  /** The images of the message. */
  readonly images?: readonly SessionImage[];
}

/** By text, the items of the unmatched copies, in order. */
type Copies = Map<string, PairedItem[]>;

/** The unmatched copies of messages. */
export class Pairing {
  readonly #unmatched = new Map<string, Copies>();
  readonly #isIdle: boolean;
  /** The number of unmatched copies: mostly none. */
  #waiting = 0;

  /**
   * @param saved The result of `save`.
   * @param isIdle Whether to keep no copies, because the other copies are not read.
   */
  constructor(saved?: unknown, isIdle = false) {
    this.#isIdle = isIdle;
    for (const [slot, copies] of Object.entries(fieldsOf(saved))) {
      for (const copy of listOf(copies)) {
        const [text, items] = listOf(copy);
        if (typeof text !== "string") continue;
        for (const item of listOf(items)) {
          this.#add(slot, text, readItem(item));
        }
      }
    }
  }

  /**
   * Finds an unmatched copy of the other witness, and removes it.
   *
   * @param kind The kind of the message.
   * @param text Its text, or another key that identifies it.
   * @param witness The witness of this copy.
   * @param isSought Whether an item is that of the other copy; by default, the first one is.
   * @returns The item of the other copy; `undefined` if this copy is the first.
   */
  match(
    kind: CopyKind,
    text: string,
    witness: Witness,
    isSought: (item: PairedItem) => boolean = () => true,
  ): PairedItem | undefined {
    const copies = this.#unmatched.get(
      SLOTS[kind][witness === "item" ? "event" : "item"],
    );
    if (copies === undefined || copies.size === 0) return undefined;
    const key = keyOf(text);
    const waiting = copies.get(key);
    const at = waiting?.findIndex(isSought) ?? -1;
    if (waiting === undefined || at === -1) return undefined;
    const [item] = waiting.splice(at, 1);
    this.#waiting -= 1;
    if (waiting.length === 0) copies.delete(key);
    return item;
  }

  /**
   * Adds an unmatched copy.
   *
   * @param kind The kind of the message.
   * @param text Its text, or another key that identifies it.
   * @param witness The witness of this copy.
   * @param item The item to keep.
   */
  add(kind: CopyKind, text: string, witness: Witness, item: PairedItem): void {
    if (!this.#isIdle) this.#add(SLOTS[kind][witness], keyOf(text), item);
  }

  /** Removes the copies of some kinds: later copies belong to other messages. */
  forget(...kinds: readonly CopyKind[]): void {
    if (this.#waiting === 0) return;
    for (const kind of kinds) {
      for (const slot of Object.values(SLOTS[kind])) {
        const copies = this.#unmatched.get(slot);
        if (copies === undefined || copies.size === 0) continue;
        for (const { length } of copies.values()) this.#waiting -= length;
        copies.clear();
      }
    }
  }

  /** Returns the copies as plain JSON. */
  save(): unknown {
    return Object.fromEntries(
      [...this.#unmatched].filter(([, copies]) => copies.size > 0).map((
        [slot, copies],
      ) => [
        slot,
        [...copies].map(([text, values]) => [text, [...values]]),
      ]),
    );
  }

  #add(slot: string, text: string, item: PairedItem): void {
    let copies = this.#unmatched.get(slot);
    if (copies === undefined) this.#unmatched.set(slot, copies = new Map());
    const waiting = copies.get(text);
    if (waiting?.length === MAX_ALIKE) return;
    this.#waiting += 1;
    if (waiting === undefined) copies.set(text, [item]);
    else waiting.push(item);
  }
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
