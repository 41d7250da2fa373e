/**
 * Telling the two copies of a message from two equal messages (C.3).
 *
 * Session files hold user, assistant and reasoning text as a response item and as an event, and
 * so they do with searches, which in some releases have no id in common, and with plans, which
 * never have one. A copy uses up an equal unmatched one of the other witness; only what finds
 * none is told.
 *
 * @module
 */

import { fieldsOf, listOf } from "../json/fields.ts";
import type { Witness } from "./calls.ts";

/** What there are copies of. */
export type CopyKind = "user" | "assistant" | "reasoning" | "search" | "plan";

/** Where the copies are kept, by who told them: no name is put together for a line. */
const SLOTS: Readonly<Record<CopyKind, Readonly<Record<Witness, string>>>> = {
  user: { item: "user_item", event: "user_event" },
  assistant: { item: "assistant_item", event: "assistant_event" },
  reasoning: { item: "reasoning_item", event: "reasoning_event" },
  search: { item: "search_item", event: "search_event" },
  plan: { item: "plan_item", event: "plan_event" },
};

/** For each text, what was told with each copy. */
type Copies<T> = Map<string, T[]>;

/** Remembers the copies that are still alone. */
export class Pairing<T> {
  readonly #unmatched = new Map<string, Copies<T>>();
  readonly #isIdle: boolean;
  /** How many copies wait: mostly none. */
  #waiting = 0;

  /**
   * Constructs a new instance.
   *
   * @param isIdle Whether no copies are kept, since the other ones are not read.
   */
  constructor(saved?: unknown, isIdle = false) {
    this.#isIdle = isIdle;
    for (const [slot, copies] of Object.entries(fieldsOf(saved))) {
      for (const copy of listOf(copies)) {
        const [text, values] = listOf(copy);
        if (typeof text !== "string") continue;
        // What was saved is what was told.
        for (const each of listOf(values)) this.#add(slot, text, each as T);
      }
    }
  }

  /**
   * Looks for the other copy of a message and uses it up.
   *
   * @param kind What the message is.
   * @param text Its text, or what else tells it from others.
   * @param witness Who tells this copy.
   * @returns What was told with the other copy; `undefined` if this is the first one.
   */
  match(kind: CopyKind, text: string, witness: Witness): T | undefined {
    const copies = this.#unmatched.get(
      SLOTS[kind][witness === "item" ? "event" : "item"],
    );
    if (copies === undefined || copies.size === 0) return undefined;
    const key = keyOf(text);
    const waiting = copies.get(key);
    if (waiting === undefined) return undefined;
    const value = waiting.shift();
    this.#waiting -= 1;
    if (waiting.length === 0) copies.delete(key);
    return value;
  }

  /**
   * Remembers a copy that was told.
   *
   * @param kind What the message is.
   * @param text Its text, or what else tells it from others.
   * @param witness Who told it.
   * @param value What was told with it.
   */
  add(kind: CopyKind, text: string, witness: Witness, value: T): void {
    if (!this.#isIdle) this.#add(SLOTS[kind][witness], keyOf(text), value);
  }

  /** Forgets the copies of some kinds: what comes now belongs to other messages. */
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

  /** Gives the copies as plain JSON. */
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

  #add(slot: string, text: string, value: T): void {
    let copies = this.#unmatched.get(slot);
    if (copies === undefined) this.#unmatched.set(slot, copies = new Map());
    this.#waiting += 1;
    const waiting = copies.get(text);
    if (waiting === undefined) copies.set(text, [value]);
    else waiting.push(value);
  }
}

function keyOf(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}
