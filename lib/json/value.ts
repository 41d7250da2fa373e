/**
 * JSON values that keep their source text, and objects whose members can be moved.
 *
 * @module
 */

import type { JsonKind } from "./tape.ts";

/**
 * A JSON value as a range of the bytes that it was read from.
 *
 * It is a view: it holds as long as the bytes do.
 */
export class JsonSlice {
  /** The bytes that the text of the value lies in. */
  readonly bytes: Uint8Array;
  /** Where the text starts. */
  readonly start: number;
  /** Where the text ends. */
  readonly end: number;
  /** What the value is. */
  readonly kind: JsonKind;
  /** Whether the value is a string with escapes in it. */
  readonly escaped: boolean;
  /** The entry of an object or list whose members are on the reader's tape, or -1. */
  readonly entry: number;

  /** Constructs a new instance. */
  constructor(
    bytes: Uint8Array,
    start: number,
    end: number,
    kind: JsonKind,
    escaped: boolean,
    entry: number,
  ) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.kind = kind;
    this.escaped = escaped;
    this.entry = entry;
  }
}

/** A string that is not in the source; it is encoded where it is written. */
export class JsonString {
  /** What the value is. */
  readonly kind = "string";
  /** The string. */
  readonly text: string;

  /** Constructs a new instance. */
  constructor(text: string) {
    this.text = text;
  }
}

/** A value of a {@linkcode JsonObject}: source text, or put together from it. */
export type JsonNode = JsonSlice | JsonString | JsonObject;

/** The kinds of JSON values, as messages say them. */
export const KIND_WORDS: Readonly<Record<JsonKind, string>> = {
  object: "an object",
  array: "a list",
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  null: "null",
};

/** Beyond this many members an index beats a walk over the names. */
const WALK = 16;
/** Makes names that are looked for in the same place a matter of luck. */
const SEED = Math.floor(Math.random() * 2 ** 31) | 1;

/**
 * The members of one JSON object, in order, without their values being decoded.
 *
 * Every key is ordinary (`__proto__`, `"10"`, `""`: normalize.md J8). A key that comes
 * twice counts once: the last value, at the place of the first (J2).
 */
export class JsonObject {
  /** What the value is. */
  readonly kind = "object";
  #names: string[] = [];
  #values: (JsonNode | undefined)[] = [];
  /**
   * By hash, with open addressing: a place, plus one. Not a `Map`, which makes the engine keep
   * a copy of its own of each name, among what is old.
   */
  #index: Int32Array | undefined;
  #firsts: Map<string, JsonNode> | undefined;
  /** The {@linkcode bit}s of the names: most names that are looked for are not there. */
  #bits = 0;

  /** The number of places, those of members that were taken out included. */
  get size(): number {
    return this.#names.length;
  }

  /** The name at a place. */
  nameAt(place: number): string {
    return this.#names[place] ?? "";
  }

  /** The value at a place; `undefined` if the member was taken out. */
  valueAt(place: number): JsonNode | undefined {
    return this.#values[place];
  }

  /** The value of a member, or `undefined` if there is none. */
  get(name: string): JsonNode | undefined {
    const place = this.#place(name);
    return place === -1 ? undefined : this.#values[place];
  }

  /** The value of a member that is there and not null (*live*). */
  live(name: string): JsonNode | undefined {
    const value = this.get(name);
    return value === undefined || value.kind === "null" ? undefined : value;
  }

  /** Whether there is a member of this name. */
  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Replaces the value of a member where it stands, or adds the member at the end. */
  set(name: string, value: JsonNode): void {
    const place = this.#place(name);
    if (place !== -1) this.#values[place] = value;
    else this.#push(name, value);
  }

  /** Adds a member as the text has it: of two with one name the first value is kept aside. */
  read(name: string, value: JsonNode): void {
    const place = this.#place(name);
    if (place === -1) this.#push(name, value);
    else {
      const first = this.#values[place];
      if (first !== undefined) {
        this.#firsts ??= new Map();
        if (!this.#firsts.has(name)) this.#firsts.set(name, first);
      }
      this.#values[place] = value;
    }
  }

  /** The first value of a member that the text has more than once (normalize.md E9). */
  shadowed(name: string): JsonNode | undefined {
    return this.#firsts?.get(name);
  }

  /** Takes a member out and gives its value. */
  take(name: string): JsonNode | undefined {
    const place = this.#place(name);
    if (place === -1) return undefined;
    const value = this.#values[place];
    this.#values[place] = undefined;
    return value;
  }

  /**
   * Gives a member another name, where it stands. A member that has the new name already
   * is taken out.
   */
  rename(name: string, to: string): void {
    const place = this.#place(name);
    if (place === -1 || name === to) return;
    this.take(to);
    this.#names[place] = to;
    this.#bits |= bit(to);
    if (this.#index !== undefined) this.#enter(this.#index, place);
  }

  #place(name: string): number {
    if ((this.#bits & bit(name)) === 0) return -1;
    if (this.#index !== undefined) return this.#find(this.#index, name);
    for (let place = 0; place < this.#names.length; place++) {
      if (this.#names[place] === name && this.#values[place] !== undefined) {
        return place;
      }
    }
    return -1;
  }

  #push(name: string, value: JsonNode): void {
    const place = this.#names.length;
    this.#bits |= bit(name);
    this.#names.push(name);
    this.#values.push(value);
    if (place < WALK) return;
    const index = this.#index;
    // No more than half of it is taken, but for renamed members, which are few.
    if (index !== undefined && 2 * place < index.length) {
      this.#enter(index, place);
    } else this.#makeIndex(4 * place);
  }

  #makeIndex(least: number): void {
    let size = 4 * WALK;
    while (size < least) size *= 2;
    const index = new Int32Array(size);
    for (let place = 0; place < this.#names.length; place++) {
      this.#enter(index, place);
    }
    this.#index = index;
  }

  #enter(index: Int32Array, place: number): void {
    const mask = index.length - 1;
    let slot = hashOf(this.#names[place] ?? "") & mask;
    while (index[slot] !== 0) slot = (slot + 1) & mask;
    index[slot] = place + 1;
  }

  #find(index: Int32Array, name: string): number {
    const mask = index.length - 1;
    for (let slot = hashOf(name) & mask;; slot = (slot + 1) & mask) {
      const place = (index[slot] ?? 0) - 1;
      if (place === -1) return -1;
      // A member that was taken out or renamed stays where its name was.
      if (this.#names[place] === name && this.#values[place] !== undefined) {
        return place;
      }
    }
  }
}

/** One of 32 bits for a name. */
function bit(name: string): number {
  return 1 << ((name.length + 5 * name.charCodeAt(0)) & 31);
}

function hashOf(name: string): number {
  let hash = SEED;
  for (let i = 0; i < name.length; i++) {
    hash = Math.imul(hash ^ name.charCodeAt(i), SEED);
    hash ^= hash >>> 13;
  }
  return hash ^ (hash >>> 7);
}

/** Whether two values have the same source text. */
export function sameSource(
  one: JsonSlice | undefined,
  other: JsonSlice,
): boolean {
  if (one === undefined) return false;
  const length = one.end - one.start;
  if (length !== other.end - other.start) return false;
  for (let i = 0; i < length; i++) {
    if (one.bytes[one.start + i] !== other.bytes[other.start + i]) return false;
  }
  return true;
}
