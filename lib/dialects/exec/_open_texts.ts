/**
 * The texts of the old dialect that come in deltas before they come in full (normalize.md P4,
 * P5).
 */

import { savedField, savedPairs } from "../../json/saved.ts";
import { itemId, itemOf } from "./_old_lines.ts";

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
  /** The number of its item; nothing, if it is a new one. */
  readonly item: number | undefined;
}

/** Remembers which items are open: what deltas have begun and no full text has ended. */
export class OpenTexts {
  /** By kind of text, the numbers of the items. */
  readonly #open: readonly number[][] = KINDS.map(() => []);
  #afterBreak = false;

  /** Takes to account that a section has ended. */
  endSection(): void {
    this.#afterBreak = true;
  }

  /** Forgets what is open. */
  clear(): void {
    for (const queue of this.#open) queue.length = 0;
    this.#afterBreak = false;
  }

  /**
   * Finds the item that a message belongs to.
   *
   * @param type The type of the message.
   * @returns Nothing, if the message is no text.
   */
  find(type: string): FoundText | undefined {
    for (const [place, kind] of KINDS.entries()) {
      const queue = this.#open[place];
      if (kind.type === type) {
        // The one that began first is open no longer.
        return { place, kind, isDelta: false, item: queue?.shift() };
      }
      if (kind.deltaType !== type) continue;
      let opensNext = false;
      if (type === SECTIONED_DELTA) {
        opensNext = this.#afterBreak;
        this.#afterBreak = false;
      }
      const item = opensNext ? undefined : queue?.at(-1);
      return { place, kind, isDelta: true, item };
    }
    return undefined;
  }

  /**
   * Remembers that a delta has begun an item.
   *
   * @param place Which of the kinds of text it is.
   * @param item The number of the item.
   */
  open(place: number, item: number): void {
    const queue = this.#open[place];
    queue?.push(item);
    if (queue !== undefined && queue.length > MAX_OPEN) queue.shift();
  }

  /** Writes down what is open. */
  save(): unknown {
    return {
      after_break: this.#afterBreak,
      open: KINDS.map(({ type }, i) => [type, this.#open[i]?.map(itemId)]),
    };
  }

  /** Goes on from what was written down. */
  load(saved: unknown): void {
    this.clear();
    this.#afterBreak = savedField(saved, "after_break") === true;
    for (const [type, ids] of savedPairs(saved, "open")) {
      const queue = this.#open[KINDS.findIndex((kind) => kind.type === type)];
      if (queue === undefined || !Array.isArray(ids)) continue;
      for (const id of ids) {
        const item = itemOf(id);
        if (item !== undefined) queue.push(item);
      }
    }
  }
}
