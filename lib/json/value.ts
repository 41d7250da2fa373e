/**
 * JSON values that keep their source text, and objects whose members can be moved.
 *
 * @module
 */

import { isSame } from "./bytes.ts";
import type { JsonKind } from "./tape.ts";

/**
 * A JSON value as a range of the bytes that it was read from.
 *
 * It is a view: it is valid as long as the bytes are unchanged.
 */
export class JsonSlice {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
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
 * The members of one JSON object, in order, with undecoded values. A member has a *place*, its
 * index in that order.
 *
 * Every key is an ordinary key, also `__proto__`, `"10"` and `""` (normalize.md J8). A key that
 * occurs twice counts once: its last value, at the place of the first (J2).
 */
export class JsonObject {
  readonly kind = "object";
  readonly #names: string[] = [];
  /** By place, the value; `undefined` if the member was removed. */
  readonly #values: (JsonNode | undefined)[] = [];
  /** The places by name, once there are many. Former names of renamed members are in it, too. */
  #index: Map<string, number> | undefined;

  /** The number of places, including those of removed members. */
  get size(): number {
    return this.#values.length;
  }

  nameAt(place: number): string {
    return this.#names[place] ?? "";
  }

  /** Returns the value at a place; `undefined` if the member was removed. */
  valueAt(place: number): JsonNode | undefined {
    return this.#values[place];
  }

  /** Iterates the names and values of the members, in order. Members may be removed meanwhile. */
  *[Symbol.iterator](): Generator<readonly [name: string, value: JsonNode]> {
    for (let place = 0; place < this.size; place++) {
      const value = this.valueAt(place);
      if (value !== undefined) yield [this.nameAt(place), value];
    }
  }

  get(name: string): JsonNode | undefined {
    const place = this.#place(name);
    return place === -1 ? undefined : this.valueAt(place);
  }

  /** Returns the value of a member unless it is missing or null (a *live* value). */
  live(name: string): JsonNode | undefined {
    const value = this.get(name);
    return value === undefined || value.kind === "null" ? undefined : value;
  }

  has(name: string): boolean {
    return this.#place(name) !== -1;
  }

  /** Replaces the value of a member in its place, or adds the member at the end. */
  set(name: string, value: JsonNode): void {
    const place = this.#place(name);
    if (place === -1) this.#push(name, value);
    else this.#values[place] = value;
  }

  take(name: string): JsonNode | undefined {
    const place = this.#place(name);
    if (place === -1) return undefined;
    const value = this.valueAt(place);
    this.#values[place] = undefined;
    return value;
  }

  /** Renames a member in its place. A member that already has the new name is removed. */
  rename(name: string, to: string): void {
    const place = this.#place(name);
    if (place === -1 || name === to) return;
    this.take(to);
    this.#names[place] = to;
    this.#index?.set(to, place);
  }

  setAll(other: JsonObject): void {
    for (const [name, value] of other) this.set(name, value);
  }

  #place(name: string): number {
    const names = this.#names;
    const values = this.#values;
    if (this.#index !== undefined) {
      const place = this.#index.get(name) ?? -1;
      const isThere = names[place] === name && values[place] !== undefined;
      return isThere ? place : -1;
    }
    for (let place = 0; place < names.length; place++) {
      if (names[place] === name && values[place] !== undefined) return place;
    }
    return -1;
  }

  #push(name: string, value: JsonNode): void {
    const place = this.#values.push(value) - 1;
    this.#names.push(name);
    if (place === WALK) {
      this.#index = new Map();
      for (const [at, each] of this.#names.entries()) {
        if (this.#values[at] !== undefined) this.#index.set(each, at);
      }
    } else this.#index?.set(name, place);
  }
}

export function sameSource(
  one: JsonSlice | undefined,
  other: JsonSlice,
): boolean {
  if (one === undefined) return false;
  const length = one.end - one.start;
  if (length !== other.end - other.start) return false;
  return isSame(one.bytes, one.start, other.bytes, other.start, length);
}
