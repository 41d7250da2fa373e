/**
 * The texts of the old dialect that come in deltas before they come in full (normalize.md P4,
 * P5).
 */

import { savedField, savedPairs } from "../json/saved.ts";
import { itemId, itemOf } from "./_old_items.ts";

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
const SECTIONED = "agent_reasoning";
/** More texts than this are never open at once; the oldest one is given up. */
const MAX_OPEN = 256;

/** The text that a message is one of, or a part of. */
export interface FoundText {
  /** What text it is. */
  readonly kind: TextKind;
  /** Whether the message is a delta. */
  readonly isDelta: boolean;
  /** The number of its item. */
  readonly item: number;
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

  /** Whether there is an open item. */
  get isOpen(): boolean {
    return this.#open.some((queue) => queue.length > 0);
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
   * @param next The number of the next new item; the text has it if it is one.
   * @returns Nothing, if the message is no text.
   */
  find(type: string, next: number): FoundText | undefined {
    for (let i = 0; i < KINDS.length; i++) {
      const kind = KINDS[i];
      const queue = this.#open[i];
      if (kind === undefined || queue === undefined) continue;
      if (kind.type === type) {
        return { kind, isDelta: false, item: queue.shift() ?? next };
      }
      if (kind.deltaType === type) {
        const opensNext = this.#afterBreak && kind.type === SECTIONED;
        if (opensNext) this.#afterBreak = false;
        if (queue.length === 0 || opensNext) queue.push(next);
        if (queue.length > MAX_OPEN) queue.shift();
        return { kind, isDelta: true, item: queue.at(-1) ?? next };
      }
    }
    return undefined;
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
