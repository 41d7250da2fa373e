/**
 * Changes JSON values, mostly those of meaningful fields deep inside. The result is still JSON, so
 * only a close check of the values finds the change.
 *
 * @module
 */

import { isObject } from "../../lib/json/fields.ts";
import { setOwn } from "../../lib/history/plain_json.ts";
import { KEYS, NUMBERS, TEXTS, TIMES, VALUES } from "./hostile.ts";
import type { Random } from "./random.ts";

/** The length of long texts and lists. */
const LONG = 1_000_000;
const LONG_TEXTS = [
  "x",
  "\n",
  "😀",
  "a b",
  "[",
  "**",
  "`",
  "|\n",
  "<",
  "\u001b[",
  "1.",
  "> ",
] as const;
const TIME_REGEXP = /time|_at$|date|_ms$/;
const ID_REGEXP = /(?:^|_)id$/;

/** A place in a value: an object or list, and a key in it. */
interface Place {
  readonly holder: object;
  readonly key: string;
}

/** Changes values. It keeps ids, to repeat them in wrong places. */
export class ValueMutator {
  readonly #random: Random;
  readonly #ids: unknown[] = [];
  /** JSON texts that `JSON.stringify` cannot write, such as 1e400, by their placeholders' index. */
  #raw: string[] = [];

  /** Constructs a new instance. */
  constructor(random: Random) {
    this.#random = random;
  }

  /**
   * Changes a value in one to three places.
   *
   * @param text The value, as JSON.
   * @returns The changed value, as JSON; `undefined` if it is no object or list.
   */
  change(text: string): string | undefined {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return undefined;
    }
    if (!isContainer(value)) return undefined;
    this.#raw = [];
    for (let i = 0; i <= this.#random.below(3); i++) {
      const place = this.#random.pick(placesIn(value));
      if (place !== undefined) this.#changeAt(place);
    }
    return JSON.stringify(value).replace(
      /"\\u0000raw (\d+)"/g,
      (_, at) => this.#raw[Number(at)] ?? "null",
    );
  }

  #changeAt({ holder, key }: Place): void {
    const random = this.#random;
    const old: unknown = Reflect.get(holder, key);
    const set = (value: unknown): void => setOwn(holder, key, value);
    if (ID_REGEXP.test(key)) {
      if (!isContainer(old)) this.#ids.push(old);
      if (random.oneIn(2)) return set(random.pick(this.#ids));
    }
    if (TIME_REGEXP.test(key) && random.oneIn(2)) {
      return set(this.#json(random.pick(TIMES)));
    }
    switch (random.below(12)) {
      case 0:
        return void Reflect.deleteProperty(holder, key);
      case 1:
        return set(null);
      case 2:
        return set([old]);
      case 3:
        return set({ [random.pick(KEYS)]: old });
      case 4:
        return this.#renamed(holder, key);
      case 5:
        return set(this.#json(random.pick(NUMBERS)));
      case 6:
        return set(this.#json(random.pick(TEXTS)));
      case 7:
        return set(this.#other(old));
      case 8:
        if (isContainer(old)) this.#grown(old);
        else set(this.#json(random.pick(VALUES)));
        return;
      case 9:
        return this.#swapped(holder, key);
      case 10:
        if (random.oneIn(100)) set(this.#long());
        else set(JSON.stringify(old));
        return;
      default:
        return set(this.#json(random.pick(VALUES)));
    }
  }

  /** Returns the same value in another type, as another program may write it. */
  #other(value: unknown): unknown {
    if (typeof value === "number") return String(value);
    if (typeof value === "boolean") return value ? "true" : 0;
    if (typeof value === "string") {
      return this.#random.pick([
        { text: value },
        [{ type: "text", text: value }],
        [...value.slice(0, 5)],
        value.length,
        value + value,
        value.slice(0, this.#random.below(value.length + 1)),
        JSON.stringify(value),
      ]);
    }
    if (Array.isArray(value)) {
      return this.#random.pick([
        Object.fromEntries(value.slice(0, 9).entries()),
        value.toReversed(),
        value[0],
        JSON.stringify(value),
      ]);
    }
    if (isObject(value)) {
      return this.#random.pick([
        Object.values(value),
        Object.entries(value),
        Object.keys(value).join(" "),
        JSON.stringify(value),
      ]);
    }
    return "null";
  }

  /** Adds members to an object, or repeats elements of a list. */
  #grown(holder: object): void {
    const random = this.#random;
    const count = random.oneIn(50) ? 5_000 : 1 + random.below(4);
    if (Array.isArray(holder)) {
      const more = holder[random.below(holder.length)] ?? null;
      holder.push(...Array<unknown>(count).fill(more));
      return;
    }
    for (let i = 0; i < Math.min(count, 100); i++) {
      const key = random.oneIn(2) ? random.pick(KEYS) : `new_${i}`;
      setOwn(holder, key, this.#json(random.pick(VALUES)));
    }
  }

  #renamed(holder: object, key: string): void {
    if (Array.isArray(holder)) return;
    const old: unknown = Reflect.get(holder, key);
    Reflect.deleteProperty(holder, key);
    setOwn(holder, this.#random.pick(KEYS), old);
  }

  /** Swaps two values in an object or list. */
  #swapped(holder: object, key: string): void {
    const other = this.#random.pick(Object.keys(holder));
    if (other === undefined) return;
    const old: unknown = Reflect.get(holder, key);
    setOwn(holder, key, Reflect.get(holder, other));
    setOwn(holder, other, old);
  }

  #long(): unknown {
    const random = this.#random;
    const part = random.pick(LONG_TEXTS);
    return random.oneIn(4)
      ? Array<number>(LONG / 20).fill(random.below(256))
      : part.repeat(LONG / 10 / part.length * (random.oneIn(5) ? 10 : 1));
  }

  /** Returns a placeholder for a JSON text, which is replaced when the value is encoded. */
  #json(text: string): string {
    this.#raw.push(text);
    return `\0raw ${this.#raw.length - 1}`;
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns the places in a value, about 500 at most. */
function placesIn(value: object): Place[] {
  const places: Place[] = [];
  const holders = [value];
  for (let holder = holders.shift(); holder; holder = holders.shift()) {
    for (const key of Object.keys(holder).slice(0, 50)) {
      places.push({ holder, key });
      const inner: unknown = Reflect.get(holder, key);
      if (isContainer(inner)) holders.push(inner);
    }
    if (places.length > 500) break;
  }
  return places;
}
