/**
 * What was found out about short texts: every record has the same keys, types and words.
 */

import { ownText } from "../json/own_text.ts";

/** Longer texts are data, which hardly ever comes again. */
const LONGEST = 32;
/** How many texts are remembered; then all are forgotten, and the usual ones soon known again. */
const MOST = 1024;

/** Remembers what was found out about short texts, and bounds how many there are. */
export class KnownTexts<T> {
  readonly #known = new Map<string, T>();

  /** Gives what is known of a text. */
  get(text: string): T | undefined {
    return text.length > LONGEST ? undefined : this.#known.get(text);
  }

  /** Remembers something of a text, if it is short. */
  set(text: string, found: T): void {
    if (text.length > LONGEST) return;
    if (this.#known.size === MOST) this.#known.clear();
    this.#known.set(ownText(text), found);
  }
}
