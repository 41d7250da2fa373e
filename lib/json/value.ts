/**
 * JSON values that keep their source text, and objects whose members can be moved.
 *
 * @module
 */

import { BACKSLASH, isSame, NO_BYTES, QUOTE } from "./bytes.ts";
import { hashOfKey, hashOfName, NameIndex } from "./name_index.ts";
import { type JsonKind, type JsonTape, keyText } from "./tape.ts";

/**
 * A JSON value as a range of the bytes that it was read from.
 *
 * It is a view: it is valid as long as the bytes are unchanged.
 */
export class JsonSlice {
  /** The bytes that contain the text of the value. */
  readonly bytes: Uint8Array;
  /** The index where the text starts. */
  readonly start: number;
  /** The index behind the end of the text. */
  readonly end: number;
  /** The kind of the value. */
  readonly kind: JsonKind;
  /** Whether the value is a string that contains escapes. */
  readonly escaped: boolean;
  /** The entry of the value on the reader's tape if its parts follow there, otherwise -1. */
  readonly entry: number;

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

/** An array that is not in the source; its elements may be. */
export class JsonList {
  readonly kind = "array";
  readonly nodes: readonly JsonNode[];

  constructor(nodes: readonly JsonNode[]) {
    this.nodes = nodes;
  }
}

/** The value of a member of a {@linkcode JsonObject}: source text, or a value composed of it. */
export type JsonNode =
  | JsonSlice
  | JsonObject
  | JsonList;

/** The kinds of JSON values, as messages name them. */
export const KIND_WORDS: Readonly<Record<JsonKind, string>> = {
  object: "an object",
  array: "a list",
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  null: "null",
};

/**
 * With more members than this, an index is faster than a search through the names. With a limit of
 * 16, streams of an app-server, whose threads have some 25 members, took 5 % longer (`deno task
 * bench --input server`).
 */
const WALK = 32;

/**
 * The members of a large object, left on the tape: a name or a value is only decoded when it is
 * requested. A member takes some 32 bytes then; with its name and its value as objects it takes 130.
 */
export interface TapedMembers {
  /** The tape that holds the object for as long as its members are used. */
  readonly tape: JsonTape;
  /** The bytes that the tape was made from. */
  readonly bytes: Uint8Array;
  /** The entry of the object. */
  readonly entry: number;
  /** The number of its members, duplicates included. */
  readonly count: number;
  /** Makes a value of an entry. */
  readonly valueOf: (entry: number) => JsonSlice;
}

/**
 * The members of one JSON object, in order, with undecoded values. A member has a *place*, its
 * index in that order.
 *
 * Every key is an ordinary key, also `__proto__`, `"10"` and `""` (normalize.md J8). A key that
 * occurs twice counts once: its last value, at the place of the first (J2).
 */
export class JsonObject {
  readonly kind = "object";
  /** By place, the name, unless it is left on the tape. */
  readonly #names: (string | undefined)[] = [];
  /** By place, the value, or its entry on the tape; `undefined` if the member was removed. */
  #values: (JsonNode | number | undefined)[] = [];
  #taped: TapedMembers | undefined;
  #index: NameIndex | undefined;

  /**
   * @param taped The initial members; none, if absent.
   */
  constructor(taped?: TapedMembers) {
    if (taped === undefined) return;
    const { tape, bytes, entry, count } = taped;
    const index = new NameIndex(Math.max(count, 2 * WALK));
    const behind = tape.next(entry);
    let key = 0;
    const isKnown = (place: number): boolean =>
      isSameKey(bytes, this.#keyAt(place), key);
    this.#taped = taped;
    this.#index = index;
    for (let at = entry + 1; at < behind; at = tape.next(at)) {
      key = tape.key(at);
      const hash = hashOfKey(bytes, key);
      const place = index.find(hash, isKnown);
      if (place !== -1) this.#values[place] = at;
      else index.enter(hash, this.#values.push(at) - 1);
    }
  }

  /** The number of places, including those of removed members. */
  get size(): number {
    return this.#values.length;
  }

  /** Returns the name at a place. */
  nameAt(place: number): string {
    const name = this.#names[place];
    if (name !== undefined) return name;
    const entry = this.#values[place];
    return typeof entry === "number" ? this.#taped?.tape.name(entry) ?? "" : "";
  }

  /** Returns the value at a place; `undefined` if the member was removed. */
  valueAt(place: number): JsonNode | undefined {
    const value = this.#values[place];
    return typeof value === "number" ? this.#taped?.valueOf(value) : value;
  }

  /** Iterates the names and values of the members, in order. Members may be removed meanwhile. */
  *[Symbol.iterator](): Generator<readonly [name: string, value: JsonNode]> {
    for (let place = 0; place < this.size; place++) {
      const value = this.valueAt(place);
      if (value !== undefined) yield [this.nameAt(place), value];
    }
  }

  /** Returns the value of a member, or `undefined` if there is none. */
  get(name: string): JsonNode | undefined {
    const place = this.#place(name);
    return place === -1 ? undefined : this.valueAt(place);
  }

  /** Returns the value of a member unless it is missing or null (a *live* value). */
  live(name: string): JsonNode | undefined {
    const value = this.get(name);
    return value === undefined || value.kind === "null" ? undefined : value;
  }

  /** Whether there is a member of this name. */
  has(name: string): boolean {
    return this.#place(name) !== -1;
  }

  /** Replaces the value of a member in its place, or adds the member at the end. */
  set(name: string, value: JsonNode): void {
    const place = this.#place(name);
    if (place === -1) this.#push(name, value);
    else this.#put(place, name, value);
  }

  /** Removes a member and returns its value. */
  take(name: string): JsonNode | undefined {
    const place = this.#place(name);
    if (place === -1) return undefined;
    const value = this.valueAt(place);
    this.#put(place, name, undefined);
    return value;
  }

  /** Renames a member in its place. A member that already has the new name is removed. */
  rename(name: string, to: string): void {
    const place = this.#place(name);
    if (place === -1 || name === to) return;
    this.take(to);
    this.#names[place] = to;
    this.#index?.enter(hashOfName(to), place);
  }

  /** Sets all members of another object, which must not be used afterwards. */
  setAll(other: JsonObject): void {
    if (this.#taped !== undefined || other.#taped === undefined) {
      for (let place = 0; place < other.size; place++) {
        const value = other.valueAt(place);
        if (value !== undefined) this.set(other.nameAt(place), value);
      }
      return;
    }
    // The members of the other object stay on its tape, behind those of this one. A member of both
    // gets the value of the other one.
    for (let place = 0; place < this.size; place++) {
      if (this.#values[place] === undefined) continue;
      const value = other.take(this.nameAt(place));
      if (value !== undefined) this.#values[place] = value;
    }
    const before = this.size;
    other.#names.forEach((name, place) => this.#names[before + place] = name);
    this.#values = this.#values.concat(other.#values);
    this.#taped = other.#taped;
    this.#makeIndex(this.size);
  }

  #put(place: number, name: string, value: JsonNode | undefined): void {
    this.#names[place] = name;
    this.#values[place] = value;
  }

  #place(name: string): number {
    const names = this.#names;
    // The name of a removed member is still in the list, and that of a renamed one is still in the
    // index.
    if (this.#index !== undefined) {
      return this.#index.find(
        hashOfName(name),
        (place) => this.#isMember(place, name),
      );
    }
    for (let place = 0; place < names.length; place++) {
      if (names[place] === name && this.#values[place] !== undefined) {
        return place;
      }
    }
    return -1;
  }

  #isMember(place: number, name: string): boolean {
    if (this.#values[place] === undefined) return false;
    const known = this.#names[place];
    return known === undefined
      ? isKeyOf(this.#taped?.bytes ?? NO_BYTES, this.#keyAt(place), name)
      : known === name;
  }

  /** Returns the index of the opening quote of a key that is left on the tape. */
  #keyAt(place: number): number {
    const entry = this.#values[place];
    return typeof entry === "number" ? this.#taped?.tape.key(entry) ?? -1 : -1;
  }

  #push(name: string, value: JsonNode): void {
    const place = this.#values.length;
    this.#names[place] = name;
    this.#values.push(value);
    if (this.#index === undefined && place < WALK) return;
    // Renamed members are in the index twice; there are few of them.
    if (this.#index?.holds(place + 1)) {
      this.#index.enter(hashOfName(name), place);
    } else this.#makeIndex(2 * place);
  }

  #makeIndex(count: number): void {
    const index = new NameIndex(Math.max(count, 2 * WALK));
    const bytes = this.#taped?.bytes ?? NO_BYTES;
    for (let place = 0; place < this.size; place++) {
      const name = this.#names[place];
      const hash = name === undefined
        ? hashOfKey(bytes, this.#keyAt(place))
        : hashOfName(name);
      index.enter(hash, place);
    }
    this.#index = index;
  }
}

/** Whether two values have the same source text. */
export function sameSource(
  one: JsonSlice | undefined,
  other: JsonSlice,
): boolean {
  if (one === undefined) return false;
  const length = one.end - one.start;
  if (length !== other.end - other.start) return false;
  return isSame(one.bytes, one.start, other.bytes, other.start, length);
}

/**
 * Whether two keys spell the same name. `one` and `other` are the indexes of their opening quotes.
 */
function isSameKey(bytes: Uint8Array, one: number, other: number): boolean {
  for (let at = 1;; at++) {
    const byte = bytes[one + at];
    const otherByte = bytes[other + at];
    if (byte === BACKSLASH || otherByte === BACKSLASH) {
      return keyText(bytes, one) === keyText(bytes, other);
    }
    if (byte !== otherByte) return false;
    if (byte === QUOTE) return true;
  }
}

/** Whether a key spells a name. `key` is the index of its opening quote. */
function isKeyOf(bytes: Uint8Array, key: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const byte = bytes[key + 1 + i] ?? 0;
    if (byte === BACKSLASH || byte >= 0x80) {
      return keyText(bytes, key) === name;
    }
    if (byte === QUOTE || byte !== name.charCodeAt(i)) return false;
  }
  return bytes[key + 1 + name.length] === QUOTE;
}
