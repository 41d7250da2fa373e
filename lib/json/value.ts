/**
 * JSON values that keep their source text, and objects whose members can be moved.
 *
 * @module
 */

import { isSame } from "./bytes.ts";
import { hashOfName, NameIndex } from "./name_index.ts";
import type { JsonKind } from "./tape.ts";

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

/** A string that is not in the source; it is encoded when it is written. */
export class JsonString {
  readonly kind = "string";
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A string that is joined from strings of the source. */
export class JsonJoined {
  readonly kind = "string";
  readonly parts: readonly JsonSlice[];
  /** The text between two of them. */
  readonly between: string;

  constructor(parts: readonly JsonSlice[], between: string) {
    this.parts = parts;
    this.between = between;
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
  | JsonString
  | JsonJoined
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
 * A block of members that an object stores elsewhere, as large objects do. The methods are those of
 * {@linkcode JsonObject}.
 */
export interface MemberBlock {
  /** The number of places, including those of removed members. */
  readonly size: number;
  /** Returns the place of a member, or -1. */
  find(name: string): number;
  /** Returns the name at a place. */
  nameAt(place: number): string;
  /** Returns the value at a place; `undefined` if the member was removed. */
  valueAt(place: number): JsonNode | undefined;
  /** Sets the value at a place; `undefined` removes the member. */
  put(place: number, value: JsonNode | undefined): void;
  /** Renames the member at a place. */
  rename(place: number, to: string): void;
  /** Returns the first value of a name that the text has more than once, otherwise `undefined`. */
  shadowed(name: string): JsonNode | undefined;
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
  #names: string[] = [];
  #values: (JsonNode | undefined)[] = [];
  #index: NameIndex | undefined;
  #firsts: Map<string, JsonNode> | undefined;
  /**
   * The {@linkcode bit}s of the names. Most names that are looked up are not members, and most of
   * those are refused by this test.
   */
  #bits = 0;
  /**
   * Members that are stored elsewhere. Their places begin at `#blockAt`, between the other members.
   */
  #block: MemberBlock | undefined;
  #blockAt = 0;

  /**
   * @param block The initial members; none, if absent.
   */
  constructor(block?: MemberBlock) {
    if (block !== undefined) this.#insert(block);
  }

  /** The number of places, including those of removed members. */
  get size(): number {
    return this.#names.length + (this.#block?.size ?? 0);
  }

  /** Returns the name at a place. */
  nameAt(place: number): string {
    const block = this.#block;
    if (block === undefined) return this.#names[place] ?? "";
    return this.#isInBlock(place)
      ? block.nameAt(place - this.#blockAt)
      : this.#names[this.#indexOf(place)] ?? "";
  }

  /** Returns the value at a place; `undefined` if the member was removed. */
  valueAt(place: number): JsonNode | undefined {
    const block = this.#block;
    if (block === undefined) return this.#values[place];
    return this.#isInBlock(place)
      ? block.valueAt(place - this.#blockAt)
      : this.#values[this.#indexOf(place)];
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
    if (place !== -1) this.#put(place, value);
    else this.#push(name, value);
  }

  /**
   * Adds a member as it is read from the text; if the name occurs again, its first value is kept
   * for `shadowed`.
   */
  read(name: string, value: JsonNode): void {
    const place = this.#place(name);
    if (place === -1) this.#push(name, value);
    else {
      const first = this.valueAt(place);
      if (first !== undefined) {
        this.#firsts ??= new Map();
        if (!this.#firsts.has(name)) this.#firsts.set(name, first);
      }
      this.#put(place, value);
    }
  }

  /**
   * Returns the first value of a name that the text has more than once, otherwise `undefined`
   * (normalize.md E9).
   */
  shadowed(name: string): JsonNode | undefined {
    return this.#block?.shadowed(name) ?? this.#firsts?.get(name);
  }

  /** Removes a member and returns its value. */
  take(name: string): JsonNode | undefined {
    const place = this.#place(name);
    if (place === -1) return undefined;
    const value = this.valueAt(place);
    this.#put(place, undefined);
    return value;
  }

  /** Renames a member in its place. A member that already has the new name is removed. */
  rename(name: string, to: string): void {
    const place = this.#place(name);
    if (place === -1 || name === to) return;
    this.take(to);
    this.#bits |= bit(to);
    if (this.#isInBlock(place)) {
      this.#block?.rename(place - this.#blockAt, to);
      return;
    }
    const index = this.#indexOf(place);
    this.#names[index] = to;
    this.#index?.enter(hashOfName(to), index);
  }

  /** Sets all members of another object, which must not be used afterwards. */
  setAll(other: JsonObject): void {
    const block = other.#block;
    const isTaken = this.#block === undefined && block !== undefined;
    const before = isTaken ? other.#blockAt : other.size;
    for (let place = 0; place < before; place++) this.#setFrom(other, place);
    if (!isTaken) return;
    // The block is moved as a whole. A member of this object with the same name gets the value from
    // the block and keeps its place.
    for (let i = 0; i < this.#names.length; i++) {
      if (this.#values[i] === undefined) continue;
      const value = other.take(this.#names[i] ?? "");
      if (value !== undefined) this.#values[i] = value;
    }
    this.#insert(block);
    const behind = before + block.size;
    for (let place = behind; place < other.size; place++) {
      this.#setFrom(other, place);
    }
  }

  #setFrom(other: JsonObject, place: number): void {
    const value = other.valueAt(place);
    if (value !== undefined) this.set(other.nameAt(place), value);
  }

  #insert(block: MemberBlock): void {
    this.#block = block;
    this.#blockAt = this.#names.length;
    this.#bits = -1;
  }

  #isInBlock(place: number): boolean {
    const size = this.#block?.size ?? 0;
    return place >= this.#blockAt && place < this.#blockAt + size;
  }

  /** Returns the index of a place among the members that are not in the block. */
  #indexOf(place: number): number {
    return place < this.#blockAt ? place : place - (this.#block?.size ?? 0);
  }

  #put(place: number, value: JsonNode | undefined): void {
    const block = this.#block;
    if (block === undefined) this.#values[place] = value;
    else if (this.#isInBlock(place)) block.put(place - this.#blockAt, value);
    else this.#values[this.#indexOf(place)] = value;
  }

  #place(name: string): number {
    if ((this.#bits & bit(name)) === 0) return -1;
    const block = this.#block;
    if (block === undefined) return this.#find(name);
    const inBlock = block.find(name);
    if (inBlock !== -1) return this.#blockAt + inBlock;
    const index = this.#find(name);
    return index < this.#blockAt ? index : index + block.size;
  }

  /** Returns the index of a name among the members that are not in the block, or -1. */
  #find(name: string): number {
    const names = this.#names;
    const values = this.#values;
    // The name of a removed member is still in the list, and that of a renamed one is still in the
    // index.
    if (this.#index !== undefined) {
      return this.#index.find(
        hashOfName(name),
        (place) => names[place] === name && values[place] !== undefined,
      );
    }
    for (let place = 0; place < names.length; place++) {
      if (names[place] === name && values[place] !== undefined) return place;
    }
    return -1;
  }

  #push(name: string, value: JsonNode): void {
    const place = this.#names.length;
    this.#bits |= bit(name);
    this.#names.push(name);
    this.#values.push(value);
    if (place < WALK) return;
    // Renamed members are in the index twice; there are few of them.
    if (this.#index?.holds(place + 1)) {
      this.#index.enter(hashOfName(name), place);
    } else this.#makeIndex(2 * place);
  }

  #makeIndex(count: number): void {
    const index = new NameIndex(Math.max(count, 2 * WALK));
    this.#names.forEach((name, place) => index.enter(hashOfName(name), place));
    this.#index = index;
  }
}

/** Returns one of 32 bits for a name. */
function bit(name: string): number {
  return 1 << ((name.length + 5 * name.charCodeAt(0)) & 31);
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
