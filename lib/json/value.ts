/**
 * JSON values that keep their source text, and objects whose members can be moved.
 *
 * @module
 */

import { BACKSLASH, isSame, QUOTE } from "./bytes.ts";
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
   * Members that are left on the tape. Their places begin at `#blockAt`, between the other members.
   */
  #block: ManyMembers | undefined;
  #blockAt = 0;

  /**
   * @param block The initial members; none, if absent.
   */
  constructor(block?: ManyMembers) {
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

  #insert(block: ManyMembers): void {
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

// Objects with many members: their members stay on the tape.

/**
 * The number of arrays that are kept for reuse: a record has one large object, or one inside
 * another.
 */
const KEPT = 4;
/** An array is not reused for a size below this fraction of its own. */
const PART = 1 / 8;

/**
 * Arrays of integers for one record, reused for the next record.
 *
 * New arrays for each record would pile up: the engine does not count their memory as garbage where
 * little else is allocated (35 MB in a stream of lines of 100,000 members).
 */
export class Numbers {
  /** The arrays; the first `#taken` of them are in use. */
  readonly #arrays: Int32Array[] = [];
  #taken = 0;

  /** Returns an array of `size` zeros. */
  take(size: number): Int32Array {
    if (this.#taken === KEPT) return new Int32Array(size);
    const arrays = this.#arrays;
    const taken = this.#taken++;
    for (let at = taken; at < arrays.length; at++) {
      const array = arrays[at];
      if (array === undefined || array.length < size) continue;
      if (PART * array.length > size) continue;
      arrays.splice(at, 1);
      arrays.splice(taken, 0, array);
      return array.subarray(0, size).fill(0);
    }
    const array = new Int32Array(size);
    arrays.splice(taken, 0, array);
    arrays.length = Math.min(arrays.length, KEPT);
    return array;
  }

  /** Marks all arrays as unused. */
  clear(): void {
    this.#taken = 0;
  }
}

interface ChangedMember {
  readonly name: string;
  /** Absent if the member was removed. */
  readonly value: JsonNode | undefined;
}

/**
 * The members of a large object, left on the tape: a name or a value is only decoded when it is
 * requested.
 *
 * A member takes some 15 bytes here; with its name, its value and their indexes as objects it takes
 * 130.
 */
export class ManyMembers {
  readonly #tape: JsonTape;
  readonly #bytes: Uint8Array;
  readonly #valueOf: (entry: number) => JsonSlice;
  /** The entry of the first member; members with duplicate names are among the entries after it. */
  readonly #first: number;
  /** By place, the entry of the member on the tape. */
  readonly #entries: Int32Array;
  readonly #index: NameIndex;
  /** By place, the members that differ from the tape. */
  readonly #changed = new Map<number, ChangedMember>();
  /** The places of the renamed members: a few, whose names the rules know. */
  readonly #renamed: number[] = [];

  /** The number of members; those with the same name count once. */
  readonly size: number;

  /**
   * @param tape The tape that holds the object for as long as its members are used.
   * @param bytes The bytes that the tape was made from.
   * @param count The number of its members, duplicates included.
   * @param valueOf Makes a value of an entry.
   * @param numbers The arrays to use; they must not be cleared before the tape is.
   */
  constructor(
    tape: JsonTape,
    bytes: Uint8Array,
    entry: number,
    count: number,
    valueOf: (entry: number) => JsonSlice,
    numbers: Numbers,
  ) {
    this.#tape = tape;
    this.#bytes = bytes;
    this.#valueOf = valueOf;
    this.#first = entry + 1;
    this.#entries = numbers.take(count);
    this.#index = new NameIndex(count, (size) => numbers.take(size));
    const behind = tape.next(entry);
    let size = 0;
    let key = 0;
    const isKnown = (place: number): boolean =>
      isSameKey(bytes, this.#keyAt(place), key);
    for (let at = this.#first; at < behind; at = tape.next(at)) {
      key = tape.key(at);
      const hash = hashOfKey(bytes, key);
      const place = this.#index.find(hash, isKnown);
      if (place !== -1) this.#entries[place] = at;
      else {
        this.#entries[size] = at;
        this.#index.enter(hash, size);
        size += 1;
      }
    }
    this.size = size;
  }

  /** Returns the place of a member, or -1. */
  find(name: string): number {
    const place = this.#read(name);
    const changed = this.#changed.get(place);
    const isThere = changed === undefined ||
      (changed.name === name && changed.value !== undefined);
    if (place !== -1 && isThere) return place;
    const renamed = this.#renamed.find((place) => {
      const member = this.#changed.get(place);
      return member?.name === name && member.value !== undefined;
    });
    return renamed ?? -1;
  }

  /** Returns the name at a place. */
  nameAt(place: number): string {
    return this.#changed.get(place)?.name ??
      this.#tape.name(this.#entries[place] ?? 0);
  }

  /**
   * Returns the value at a place: the last one that the text has for its name. `undefined` if the
   * member was removed.
   */
  valueAt(place: number): JsonNode | undefined {
    const changed = this.#changed.get(place);
    if (changed !== undefined) return changed.value;
    return this.#valueOf(this.#entries[place] ?? 0);
  }

  /** Sets the value at a place; `undefined` removes the member. */
  put(place: number, value: JsonNode | undefined): void {
    this.#changed.set(place, { name: this.nameAt(place), value });
  }

  /** Renames the member at a place. */
  rename(place: number, to: string): void {
    this.#changed.set(place, { name: to, value: this.valueAt(place) });
    this.#renamed.push(place);
  }

  /** Returns the first value of a name that the text has more than once, otherwise `undefined`. */
  shadowed(name: string): JsonSlice | undefined {
    const last = this.#entries[this.#read(name)];
    if (last === undefined) return undefined;
    const tape = this.#tape;
    let at = this.#first;
    while (!isKeyOf(this.#bytes, tape.key(at), name)) at = tape.next(at);
    return at === last ? undefined : this.#valueOf(at);
  }

  /** Returns the place of a name on the tape, or -1. */
  #read(name: string): number {
    return this.#index.find(
      hashOfName(name),
      (place) => isKeyOf(this.#bytes, this.#keyAt(place), name),
    );
  }

  #keyAt(place: number): number {
    return this.#tape.key(this.#entries[place] ?? 0);
  }
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
