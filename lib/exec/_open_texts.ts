/**
 * The texts of the old dialect that come in deltas before they come in full (normalize.md P4,
 * P5).
 */

import { lasting } from "../json/literal.ts";
import type { JsonReader } from "../json/reader.ts";
import { savedField, savedPairs } from "../json/saved.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import type { JsonSlice } from "../json/value.ts";
import { itemId, itemIdValue, itemOf } from "./_old_items.ts";
import { SLOT, type SlotValues } from "./_record_slots.ts";

/** A text that may come in deltas. */
export interface TextKind {
  /** The type of the message with the full text. */
  readonly type: string;
  /** The type of the messages with the deltas. */
  readonly deltaType: string;
  /** The type of the item. */
  readonly itemType: string;
  /** The field of the full text. */
  readonly field: string;
}

const KINDS: readonly TextKind[] = [
  {
    type: "agent_message",
    deltaType: "agent_message_delta",
    itemType: "agent_message",
    field: "message",
  },
  {
    type: "agent_reasoning",
    deltaType: "agent_reasoning_delta",
    itemType: "reasoning",
    field: "text",
  },
  {
    type: "agent_reasoning_raw_content",
    deltaType: "agent_reasoning_raw_content_delta",
    itemType: "agent_reasoning_raw_content",
    field: "text",
  },
];
/** Of this one, a section break begins the next text. */
const SECTIONED_DELTA = "agent_reasoning_delta";
/** More texts than this are never open at once; the oldest one is given up. */
const MAX_OPEN = 256;

/** The text that a message is one of, or a part of. */
export interface FoundText {
  /** Which of the kinds of text. */
  readonly place: number;
  /** What text it is. */
  readonly kind: TextKind;
  /** Whether the message is a delta. */
  readonly isDelta: boolean;
  /** The id of its item; nothing, if it is a new one. */
  readonly id: JsonSlice | undefined;
}

/**
 * Remembers which items are open: what deltas have begun and no full text has ended. The item
 * of a kind is in a slot, unless there are several.
 */
export class OpenTexts {
  readonly #reader: JsonReader;
  readonly #slots: SlotValues;
  /** By kind of text, the numbers of the items, if those are several. */
  readonly #open: readonly number[][] = KINDS.map(() => []);
  #afterBreak = false;

  /** Constructs a new instance. */
  constructor(reader: JsonReader, slots: SlotValues) {
    this.#reader = reader;
    this.#slots = slots;
  }

  /** Takes to account that a section has ended. */
  endSection(): void {
    this.#afterBreak = true;
  }

  /** Whether there is an open item that is in no slot. */
  get isOpen(): boolean {
    return this.#open.some((queue) => queue.length > 0);
  }

  /** Forgets what is open, but for what is in slots. */
  clear(): void {
    for (const queue of this.#open) queue.length = 0;
    this.#afterBreak = false;
  }

  /** Forgets what is in slots. */
  clearSlots(): void {
    for (let i = 0; i < KINDS.length; i++) {
      this.#slots[SLOT.texts + i] = undefined;
    }
  }

  /**
   * Finds the item that a message belongs to.
   *
   * @param type The type of the message.
   * @returns Nothing, if the message is no text.
   */
  find(type: string): FoundText | undefined {
    for (let place = 0; place < KINDS.length; place++) {
      const kind = KINDS[place];
      if (kind === undefined) continue;
      if (kind.type !== type && kind.deltaType !== type) continue;
      // Which texts are open is in no slot, if those are several.
      if (this.isOpen) this.#reader.looked();
      if (kind.type === type) {
        return { place, kind, isDelta: false, id: this.#end(place) };
      }
      let opensNext = false;
      if (type === SECTIONED_DELTA) {
        // Whether a section has ended is in no slot.
        this.#reader.looked();
        opensNext = this.#afterBreak;
        this.#afterBreak = false;
      }
      const id = opensNext ? undefined : this.#last(place);
      return { place, kind, isDelta: true, id };
    }
    return undefined;
  }

  /**
   * Remembers that a delta has begun an item.
   *
   * @param place Which of the kinds of text it is.
   * @param item The number of the item.
   * @param id Its id, which is in the slot of items.
   */
  open(place: number, item: number, id: JsonSlice): void {
    const queue = this.#open[place];
    const slot = SLOT.texts + place;
    const only = this.#slots[slot];
    if (queue === undefined) return;
    if (queue.length === 0 && only === undefined) {
      const copy = lasting(id);
      this.#reader.observeMoved(SLOT.item, copy);
      this.#slots[slot] = copy;
      return;
    }
    const first = only && numberOf(only);
    if (first !== undefined) queue.push(first);
    queue.push(item);
    if (queue.length > MAX_OPEN) queue.shift();
    this.#slots[slot] = undefined;
  }

  /** Writes down what is open. */
  save(): unknown {
    return {
      after_break: this.#afterBreak,
      open: KINDS.map(({ type }, i) => {
        const only = this.#slots[SLOT.texts + i];
        const first = only && numberOf(only);
        const items = first === undefined ? this.#open[i] : [first];
        return [type, items?.map(itemId)];
      }),
    };
  }

  /** Goes on from what was written down. */
  load(saved: unknown): void {
    this.clear();
    this.clearSlots();
    this.#afterBreak = savedField(saved, "after_break") === true;
    for (const [type, ids] of savedPairs(saved, "open")) {
      const place = KINDS.findIndex((kind) => kind.type === type);
      const queue = this.#open[place];
      if (queue === undefined || !Array.isArray(ids)) continue;
      for (const id of ids) {
        const item = itemOf(id);
        if (item !== undefined) queue.push(item);
      }
      const [only] = queue;
      if (queue.length !== 1 || only === undefined) continue;
      queue.length = 0;
      this.#slots[SLOT.texts + place] = itemIdValue(only);
    }
  }

  /** The id of the open item that begun first, which is open no longer. */
  #end(place: number): JsonSlice | undefined {
    const first = this.#open[place]?.shift();
    if (first !== undefined) return itemIdValue(first);
    const only = this.#slots[SLOT.texts + place];
    this.#slots[SLOT.texts + place] = undefined;
    return only;
  }

  /** The id of the open item that begun last. */
  #last(place: number): JsonSlice | undefined {
    const last = this.#open[place]?.at(-1);
    return last === undefined
      ? this.#slots[SLOT.texts + place]
      : itemIdValue(last);
  }
}

/** The number of the item that has an id. */
function numberOf({ bytes, start, end }: JsonSlice): number | undefined {
  return itemOf(decodeUtf8(bytes, start + 1, end - 1));
}
