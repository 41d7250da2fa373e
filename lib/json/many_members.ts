/**
 * The members of an object that has more of them than anybody asks for.
 */

import { BACKSLASH, QUOTE } from "./bytes.ts";
import { hashOfKey, hashOfName, NameIndex } from "./name_index.ts";
import { type JsonTape, keyText } from "./tape.ts";
import type { JsonNode, JsonSlice, MemberBlock } from "./value.ts";

/** How many arrays are used again: a record has one large object, or one in another. */
const KEPT = 4;
/** An array is not used again for what needs less than this part of it. */
const PART = 1 / 8;

/**
 * Room for the numbers of one record, which is used again for the next.
 *
 * The engine does not see how much of it is garbage where little else is made: 35 MB in a
 * stream of lines of 100,000 members.
 */
export class Numbers {
  /** Those that are taken come first. */
  readonly #arrays: Int32Array[] = [];
  #taken = 0;

  /** Gives room for so many numbers, all of them 0. */
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

  /** Takes all room back. */
  clear(): void {
    this.#taken = 0;
  }
}

/** What became of a member. */
interface ChangedMember {
  readonly name: string;
  /** Absent if it was taken out. */
  readonly value: JsonNode | undefined;
}

/**
 * Members that stay on the tape: nothing is made of a name or a value until it is asked for.
 *
 * A member takes some 15 bytes here, where its name, its value and their places take 130.
 */
export class ManyMembers implements MemberBlock {
  readonly #tape: JsonTape;
  readonly #bytes: Uint8Array;
  readonly #valueOf: (entry: number) => JsonSlice;
  /** The entry of the first member, the duplicates of others included. */
  readonly #first: number;
  /** By place, the entry of each member. */
  readonly #entries: Int32Array;
  readonly #index: NameIndex;
  /** By place, those that are not what the tape has. */
  readonly #changed = new Map<number, ChangedMember>();
  /** Where those are that have another name than on the tape: a few that the rules know. */
  readonly #renamed: number[] = [];

  /** How many there are; of those with one name, one. */
  readonly size: number;

  /**
   * Constructs a new instance.
   *
   * @param tape Has the object, as long as its members are asked for.
   * @param bytes What the tape is of.
   * @param entry The object.
   * @param count How many members it has, duplicates included.
   * @param valueOf Makes a value of an entry.
   * @param numbers What room is taken of, and has to be kept as long as the tape.
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
    const isSame = (place: number): boolean =>
      isSameKey(bytes, this.#keyAt(place), key);
    for (let at = this.#first; at < behind; at = tape.next(at)) {
      key = tape.key(at);
      const hash = hashOfKey(bytes, key);
      const place = this.#index.find(hash, isSame);
      if (place !== -1) this.#entries[place] = at;
      else {
        this.#entries[size] = at;
        this.#index.enter(hash, size);
        size += 1;
      }
    }
    this.size = size;
  }

  /** The place of a member, or -1. */
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

  /** The name at a place. */
  nameAt(place: number): string {
    return this.#changed.get(place)?.name ??
      this.#tape.name(this.#entries[place] ?? 0);
  }

  /**
   * The value at a place, the last one that the text has for its name; `undefined` if the
   * member was taken out.
   */
  valueAt(place: number): JsonNode | undefined {
    const changed = this.#changed.get(place);
    if (changed !== undefined) return changed.value;
    return this.#valueOf(this.#entries[place] ?? 0);
  }

  /** Puts a value at a place, or takes the member out. */
  put(place: number, value: JsonNode | undefined): void {
    this.#changed.set(place, { name: this.nameAt(place), value });
  }

  /** Gives the member at a place another name. */
  rename(place: number, to: string): void {
    this.#changed.set(place, { name: to, value: this.valueAt(place) });
    this.#renamed.push(place);
  }

  /** The first value of a member that the text has more than once. */
  shadowed(name: string): JsonSlice | undefined {
    const last = this.#entries[this.#read(name)];
    if (last === undefined) return undefined;
    const tape = this.#tape;
    let at = this.#first;
    while (!isKeyOf(this.#bytes, tape.key(at), name)) at = tape.next(at);
    return at === last ? undefined : this.#valueOf(at);
  }

  /** The place of a name on the tape, or -1. */
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

/** Whether two keys, which start at their quotes, spell the same name. */
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

/** Whether a key, which starts at its quote, spells a name. */
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
