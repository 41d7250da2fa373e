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

/** A string that is put together from strings of the source. */
export class JsonJoined {
  /** What the value is. */
  readonly kind = "string";
  /** The strings. */
  readonly parts: readonly JsonSlice[];
  /** What stands between two of them. */
  readonly between: string;

  /** Constructs a new instance. */
  constructor(parts: readonly JsonSlice[], between: string) {
    this.parts = parts;
    this.between = between;
  }
}

/** A list that is not in the source, of values that are, or are put together from it. */
export class JsonList {
  /** What the value is. */
  readonly kind = "array";
  /** The values. */
  readonly nodes: readonly JsonNode[];

  /** Constructs a new instance. */
  constructor(nodes: readonly JsonNode[]) {
    this.nodes = nodes;
  }
}

/** A value of a {@linkcode JsonObject}: source text, or put together from it. */
export type JsonNode =
  | JsonSlice
  | JsonString
  | JsonJoined
  | JsonObject
  | JsonList;

/** The kinds of JSON values, as messages say them. */
export const KIND_WORDS: Readonly<Record<JsonKind, string>> = {
  object: "an object",
  array: "a list",
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  null: "null",
};

/**
 * Beyond this many members an index beats a walk over the names: at 16, streams of an app-server,
 * whose threads have some 25, took 5 % longer (`deno task bench --input server`).
 */
const WALK = 32;

/** Members of an object that are kept in another place, as those with many members are. */
export interface MemberBlock {
  /** The number of places, those of members that were taken out included. */
  readonly size: number;
  /** The place of a member, or -1. */
  find(name: string): number;
  /** The name at a place. */
  nameAt(place: number): string;
  /** The value at a place; `undefined` if the member was taken out. */
  valueAt(place: number): JsonNode | undefined;
  /** Puts a value at a place, or takes the member out. */
  put(place: number, value: JsonNode | undefined): void;
  /** Gives the member at a place another name. */
  rename(place: number, to: string): void;
  /** The first value of a member that the text has more than once. */
  shadowed(name: string): JsonNode | undefined;
}

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
  #index: NameIndex | undefined;
  #firsts: Map<string, JsonNode> | undefined;
  /** The {@linkcode bit}s of the names: most names that are looked for are not there. */
  #bits = 0;
  /** Members that are kept elsewhere, and between which of those above they stand. */
  #block: MemberBlock | undefined;
  #blockAt = 0;

  /**
   * Constructs a new instance.
   *
   * @param block The members that it has to begin with; none, if absent.
   */
  constructor(block?: MemberBlock) {
    if (block !== undefined) this.#insert(block);
  }

  /** The number of places, those of members that were taken out included. */
  get size(): number {
    return this.#names.length + (this.#block?.size ?? 0);
  }

  /** The name at a place. */
  nameAt(place: number): string {
    const block = this.#block;
    if (block === undefined) return this.#names[place] ?? "";
    return this.#isInBlock(place)
      ? block.nameAt(place - this.#blockAt)
      : this.#names[this.#own(place)] ?? "";
  }

  /** The value at a place; `undefined` if the member was taken out. */
  valueAt(place: number): JsonNode | undefined {
    const block = this.#block;
    if (block === undefined) return this.#values[place];
    return this.#isInBlock(place)
      ? block.valueAt(place - this.#blockAt)
      : this.#values[this.#own(place)];
  }

  /** The value of a member, or `undefined` if there is none. */
  get(name: string): JsonNode | undefined {
    const place = this.#place(name);
    return place === -1 ? undefined : this.valueAt(place);
  }

  /** The value of a member that is there and not null (*live*). */
  live(name: string): JsonNode | undefined {
    const value = this.get(name);
    return value === undefined || value.kind === "null" ? undefined : value;
  }

  /** Whether there is a member of this name. */
  has(name: string): boolean {
    return this.#place(name) !== -1;
  }

  /** Replaces the value of a member where it stands, or adds the member at the end. */
  set(name: string, value: JsonNode): void {
    const place = this.#place(name);
    if (place !== -1) this.#put(place, value);
    else this.#push(name, value);
  }

  /** Adds a member as the text has it: of two with one name the first value is kept aside. */
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

  /** The first value of a member that the text has more than once (normalize.md E9). */
  shadowed(name: string): JsonNode | undefined {
    return this.#block?.shadowed(name) ?? this.#firsts?.get(name);
  }

  /** Takes a member out and gives its value. */
  take(name: string): JsonNode | undefined {
    const place = this.#place(name);
    if (place === -1) return undefined;
    const value = this.valueAt(place);
    this.#put(place, undefined);
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
    this.#bits |= bit(to);
    if (this.#isInBlock(place)) {
      this.#block?.rename(place - this.#blockAt, to);
      return;
    }
    const own = this.#own(place);
    this.#names[own] = to;
    this.#index?.enter(hashOfName(to), own);
  }

  /** Sets all members of another object, which is used up by it. */
  setAll(other: JsonObject): void {
    const block = other.#block;
    const isTaken = this.#block === undefined && block !== undefined;
    const before = isTaken ? other.#blockAt : other.size;
    for (let place = 0; place < before; place++) this.#setFrom(other, place);
    if (!isTaken) return;
    // The block comes as it is, but for namesakes of what is here.
    for (let own = 0; own < this.#names.length; own++) {
      if (this.#values[own] === undefined) continue;
      const value = other.take(this.#names[own] ?? "");
      if (value !== undefined) this.#values[own] = value;
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

  /** The place among the members that are not in the block. */
  #own(place: number): number {
    return place < this.#blockAt ? place : place - (this.#block?.size ?? 0);
  }

  #put(place: number, value: JsonNode | undefined): void {
    const block = this.#block;
    if (block === undefined) this.#values[place] = value;
    else if (this.#isInBlock(place)) block.put(place - this.#blockAt, value);
    else this.#values[this.#own(place)] = value;
  }

  #place(name: string): number {
    if ((this.#bits & bit(name)) === 0) return -1;
    const block = this.#block;
    if (block === undefined) return this.#find(name);
    const inBlock = block.find(name);
    if (inBlock !== -1) return this.#blockAt + inBlock;
    const own = this.#find(name);
    return own < this.#blockAt ? own : own + block.size;
  }

  /** Finds the place of a name among the members that are not in the block. */
  #find(name: string): number {
    const names = this.#names;
    const values = this.#values;
    // A member that was taken out or renamed stays where its name was.
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
    // Members that are renamed are in it twice; those are few.
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

/** One of 32 bits for a name. */
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
