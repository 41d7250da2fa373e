/**
 * The keys of a record without their secrets: two that differ still do, or a reader would take
 * one of them for the other.
 */

import { numbered } from "./_placeholder.ts";

/** Gives the keys of one record names that no two of them share. */
export class MaskedKeys {
  /** The key that a name was given to. */
  readonly #owners = new Map<string, string>();
  /** The names, by key. */
  readonly #names = new Map<string, string>();
  /** The last number that was given behind a name. */
  readonly #numbers = new Map<string, number>();

  /**
   * Names a key in which something stands in place of a secret.
   *
   * @param key The key.
   * @param masked The same without its secrets.
   * @returns Its name: the same one for each key that is the same, and with a number if another
   *   key has it.
   */
  nameOf(key: string, masked: string): string {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    let name = masked;
    let number = this.#numbers.get(masked) ?? 1;
    while (this.#owners.has(name)) name = numbered(masked, ++number);
    this.#numbers.set(masked, number);
    this.#owners.set(name, key);
    this.#names.set(key, name);
    return name;
  }
}
