/**
 * What a turn is about, in a line.
 */

import { entryLabel } from "./entry_label.ts";
import type { EntryView } from "./entry_views.ts";

/** How long a topic is at most, in characters. */
const MAX_LENGTH = 120;

/**
 * Gives the first line of a text.
 *
 * @param text The text.
 * @param limit How many characters remain; `…` stands for what was cut off.
 */
export function firstLine(text: string, limit: number = MAX_LENGTH): string {
  const [line = ""] = text.trim().split("\n", 1);
  return firstCharacters(line.trim(), limit);
}

/**
 * Gives the first characters of a text.
 *
 * @param text The text.
 * @param limit How many characters remain; `…` stands for what was cut off.
 */
export function firstCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = Array.from(text.slice(0, 2 * limit + 2));
  return characters.length <= limit
    ? text
    : `${characters.slice(0, limit - 1).join("").trim()}…`;
}

/** Finds out what a turn is about: what the user asked, or else what was said, or done. */
export class TurnTopic {
  #text = "";
  #rank = 0;

  /** The topic; empty while there is none. */
  get text(): string {
    return this.#text;
  }

  /**
   * Takes in what a reader sees of the next entry.
   *
   * @param view What a reader sees.
   */
  take(view: EntryView): void {
    const isMessage = view.kind === "message";
    const rank = !isMessage ? 1 : view.role === "user" ? 3 : 2;
    if (rank <= this.#rank) return;
    const text = firstLine(entryLabel(view));
    if (text === "") return;
    this.#text = text;
    this.#rank = rank;
  }
}
