/** Reads JSON texts as values that can be opened one level at a time. */

import { BACKSLASH, isSame, QUOTE } from "./bytes.ts";
import { hashOfKey, hashOfName, NameIndex } from "./name_index.ts";
import { hashBytes, WORDS } from "./names.ts";
import { isWhole } from "./number.ts";
import { JsonTape, keyText, NAMED_ENTRIES, stringText } from "./tape.ts";
import { decodeUtf8 } from "./utf8.ts";
import {
  JsonJoined,
  type JsonNode,
  JsonObject,
  JsonSlice,
  JsonString,
  type MemberBlock,
  sameSource,
} from "./value.ts";

// The members of an object that has more of them than are asked for.

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

/** Whether a value is a string of the source. */
function isString(node: JsonNode | undefined): node is JsonSlice {
  return node instanceof JsonSlice && node.kind === "string";
}

/**
 * How deep the reader notes where values are: the members of a record, or theirs too. What
 * lies deeper is read again when it is asked for.
 */
type NotedLevels = 1 | 2 | 4;

/** What has more parts than this is left on the tape. */
const MANY = NAMED_ENTRIES;

/** A value of which a copy was kept. */
interface KeptValue {
  readonly value: JsonSlice;
  readonly copy: JsonSlice;
}

/** A string of which the end was left out: a text, and the inside of another string. */
export interface ObservedCut {
  readonly value: JsonSlice;
  readonly text: Uint8Array;
  readonly tail: JsonSlice;
  /** Where the rest ends. */
  readonly end: number;
}

/**
 * What the rules looked at in a record beyond its shape: of which values the text was looked
 * at, and to what end.
 */
export interface Observations {
  /** Values that were read as words of the rules. */
  readonly words: JsonSlice[];
  /** Numbers that were found to be integers. */
  readonly wholes: JsonSlice[];
  /** Strings that are their own trimmed text, of which copies were kept. */
  readonly kept: KeptValue[];
  /** Objects and lists, the record itself apart, whose parts were asked for. */
  readonly opened: JsonSlice[];
  /** Strings of which the end was left out. */
  readonly cuts: ObservedCut[];
  /** Whether anything else was looked at. */
  isOpaque: boolean;
}

/** What is known before anything has been looked at. */
export function noObservations(): Observations {
  return {
    words: [],
    wholes: [],
    kept: [],
    opened: [],
    cuts: [],
    isOpaque: false,
  };
}

/**
 * Reads JSON texts, one after the other.
 *
 * The values it gives are views of the bytes and of the reader's own tape: they hold until
 * the next `read`.
 */
export class JsonReader {
  readonly #tape = new JsonTape();
  #inner: JsonTape | undefined;
  readonly #numbers = new Numbers();
  readonly #levels: NotedLevels;
  #observations: Observations | undefined;

  /**
   * Constructs a new instance.
   *
   * @param levels How deep most records are looked into.
   */
  constructor(levels: NotedLevels) {
    this.#levels = levels;
  }

  /**
   * Reads one JSON text; the byte behind it must be as {@linkcode JsonTape.scan} says.
   *
   * @returns The value, or `undefined` if the text is not valid: `problem` tells why.
   */
  read(bytes: Uint8Array, start: number, end: number): JsonSlice | undefined {
    const tape = this.#tape;
    this.#numbers.clear();
    if (!tape.scan(bytes, start, end, this.#levels)) return undefined;
    return new JsonSlice(
      bytes,
      tape.start(0),
      tape.end(0),
      tape.kind(0),
      tape.isEscaped(0),
      0,
    );
  }

  /** Where the values of the last record are. */
  get tape(): JsonTape {
    return this.#tape;
  }

  /** Notes down from now on what of the record is looked at, until told to stop. */
  observe(observations: Observations | undefined): void {
    this.#observations = observations;
  }

  /** Whether it is noted down what of the record is looked at. */
  get isObserved(): boolean {
    return this.#observations !== undefined;
  }

  /** Notes down that a copy was kept of a string that is its own trimmed text. */
  observeId(value: JsonSlice, copy: JsonSlice): void {
    this.#observations?.kept.push({ value, copy });
  }

  /** Notes down that a decision came from the text of a value. */
  looked(): void {
    if (this.#observations !== undefined) this.#observations.isOpaque = true;
  }

  /** What is wrong with the text that the last `read` refused. */
  get problem(): string {
    return this.#tape.problem;
  }

  /** Where it is wrong: an index into its bytes. */
  get problemAt(): number {
    return this.#tape.problemAt;
  }

  /** The members of an object; none of what is no object. */
  members(node: JsonNode): JsonObject {
    if (node instanceof JsonObject) return node;
    if (!(node instanceof JsonSlice) || node.kind !== "object") {
      return new JsonObject();
    }
    const tape = this.#tapeOf(node);
    const entry = Math.max(node.entry, 0);
    const behind = tape.next(entry);
    if (behind - entry > MANY) {
      const count = countParts(tape, entry);
      if (count > MANY) {
        this.#leave(tape);
        const valueOf = this.#slice.bind(this, tape, node);
        const many = new ManyMembers(
          tape,
          node.bytes,
          entry,
          count,
          valueOf,
          this.#numbers,
        );
        return new JsonObject(many);
      }
    }
    const object = new JsonObject();
    for (let at = entry + 1; at < behind; at = tape.next(at)) {
      object.read(tape.name(at), this.#slice(tape, node, at));
    }
    return object;
  }

  /** The elements of a list, to be walked until the next `read`, as often as one likes. */
  elements(list: JsonSlice): Iterable<JsonSlice> {
    const tape = this.#tapeOf(list);
    const entry = Math.max(list.entry, 0);
    const behind = tape.next(entry);
    if (behind - entry > MANY) {
      this.#leave(tape);
      return { [Symbol.iterator]: () => this.#left(tape, list, entry) };
    }
    const elements: JsonSlice[] = [];
    for (let at = entry + 1; at < behind; at = tape.next(at)) {
      elements.push(this.#slice(tape, list, at));
    }
    return elements;
  }

  /** The elements of a list that is left on its tape. */
  *#left(
    tape: JsonTape,
    list: JsonSlice,
    entry: number,
  ): Generator<JsonSlice> {
    const behind = tape.next(entry);
    for (let at = entry + 1; at < behind; at = tape.next(at)) {
      yield this.#slice(tape, list, at);
    }
  }

  /**
   * Leaves out what a string ends with: a text, and behind it all of another string.
   *
   * @param text The text as JSON spells it.
   * @returns The rest; nothing if the string does not end with them, as they are spelled.
   */
  withoutEnd(
    value: JsonNode | undefined,
    text: Uint8Array,
    tail: JsonNode | undefined,
  ): JsonJoined | undefined {
    if (!isString(value) || !isString(tail)) return undefined;
    const { bytes, start } = value;
    const behind = value.end - 1 - (tail.end - 1 - (tail.start + 1));
    const end = behind - text.length;
    const isThere = end > start && bytes === tail.bytes &&
      isSame(bytes, end, text, 0, text.length) &&
      isSame(bytes, behind, bytes, tail.start + 1, value.end - 1 - behind);
    // Behind an odd number of backslashes stands the rest of an escape.
    let at = end;
    while (isThere && bytes[at - 1] === BACKSLASH) at -= 1;
    if (!isThere || (end - at) % 2 === 1) {
      this.looked();
      return undefined;
    }
    this.#observations?.cuts.push({ value, text, tail, end });
    const rest = new JsonSlice(bytes, start, end + 1, "string", true, -1);
    return new JsonJoined([rest], "");
  }

  /** The text of a string. */
  text({ bytes, start, end, escaped }: JsonSlice): string {
    this.looked();
    return escaped
      ? stringText(bytes, start, end)
      : decodeUtf8(bytes, start + 1, end - 1);
  }

  /** The text of a value, if it is a string. */
  textOf(node: JsonNode | undefined): string | undefined {
    if (node instanceof JsonString) return node.text;
    if (node instanceof JsonJoined) {
      return node.parts.map((part) => this.text(part)).join(node.between);
    }
    return node instanceof JsonSlice && node.kind === "string"
      ? this.text(node)
      : undefined;
  }

  /** The text of a value that is a word of the rules, such as a type, if it is a string. */
  wordOf(node: JsonNode | undefined): string | undefined {
    if (!(node instanceof JsonSlice) || node.escaped) return this.textOf(node);
    if (node.kind !== "string") return undefined;
    this.#observations?.words.push(node);
    const start = node.start + 1;
    const end = node.end - 1;
    const hash = hashBytes(node.bytes, start, end);
    return WORDS.text(node.bytes, start, end, hash);
  }

  /** Whether a number is an integer, however it is spelled. */
  isWhole(number: JsonSlice): boolean {
    this.#observations?.wholes.push(number);
    return isWhole(number.bytes, number.start, number.end);
  }

  /** Whether two values have the same text. */
  isSame(one: JsonNode, other: JsonNode): boolean {
    if (!(one instanceof JsonSlice && other instanceof JsonSlice)) return false;
    this.#observations?.words.push(one, other);
    return sameSource(one, other);
  }

  /** The source text of a value. */
  source(value: JsonSlice): string {
    this.looked();
    return decodeUtf8(value.bytes, value.start, value.end);
  }

  /** The tape that the parts of a value are on; puts them on one if they are on none. */
  #tapeOf(node: JsonSlice): JsonTape {
    this.#observations?.opened.push(node);
    if (node.entry !== -1) return this.#tape;
    // The text was found valid when the record was read.
    const inner = this.#inner ??= new JsonTape();
    inner.scan(node.bytes, node.start, node.end, 1);
    return inner;
  }

  /** Leaves a tape as it is to its user, who needs it until the next record. */
  #leave(tape: JsonTape): void {
    if (tape === this.#inner) this.#inner = undefined;
  }

  /** A part of a value, by its entry on the tape. */
  #slice(tape: JsonTape, node: JsonSlice, at: number): JsonSlice {
    return new JsonSlice(
      node.bytes,
      tape.start(at),
      tape.end(at),
      tape.kind(at),
      tape.isEscaped(at),
      // What is in an empty one, or in one of the last level, is not on the tape.
      tape === this.#tape && tape.next(at) > at + 1 ? at : -1,
    );
  }
}

function countParts(tape: JsonTape, entry: number): number {
  let count = 0;
  const behind = tape.next(entry);
  for (let at = entry + 1; at < behind; at = tape.next(at)) count += 1;
  return count;
}
