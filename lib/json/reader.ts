/** Reads JSON texts as values that are opened one level at a time. */

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
export class ManyMembers implements MemberBlock {
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

/** Whether a value is a string of the source. */
function isString(node: JsonNode | undefined): node is JsonSlice {
  return node instanceof JsonSlice && node.kind === "string";
}

/**
 * How many levels of a record the reader puts on its tape: 1 is the members of the record, 2 adds
 * theirs. Values on deeper levels are scanned again when they are opened.
 */
type NotedLevels = 1 | 2 | 4;

/** Containers with more parts than this are left on the tape. */
const MANY = NAMED_ENTRIES;

/** A value and the copy that the rules kept of it. */
interface KeptValue {
  readonly value: JsonSlice;
  readonly copy: JsonSlice;
}

/** A string whose end was left out: a text, followed by the inside of another string. */
export interface ObservedCut {
  readonly value: JsonSlice;
  readonly text: Uint8Array;
  readonly tail: JsonSlice;
  /** The index in the bytes where the rest of the string ends. */
  readonly end: number;
}

/**
 * The values of a record that the rules looked at, beyond its shape. A plan is valid for the
 * records that agree in all of these.
 */
export interface Observations {
  /** Values that were read as words, such as a type. */
  readonly words: JsonSlice[];
  /** Numbers that were found to be integers. */
  readonly wholes: JsonSlice[];
  /** Strings that equal their own trimmed text and were copied, to be kept for later records. */
  readonly kept: KeptValue[];
  /** Objects and arrays whose parts were read, except the record itself. */
  readonly opened: JsonSlice[];
  /** Strings whose end was left out. */
  readonly cuts: ObservedCut[];
  /** Whether the rules looked at anything else, such as a text. Then no plan can be made. */
  isOpaque: boolean;
}

/** Returns an empty set of observations. */
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
 * The values are views of the bytes and of the reader's own tape: they are valid until the next
 * `read`.
 */
export class JsonReader {
  /** The tape with the values of the last record, or the reason why it was refused. */
  readonly tape: JsonTape = new JsonTape();
  #inner: JsonTape | undefined;
  readonly #numbers = new Numbers();
  readonly #levels: NotedLevels;
  #observations: Observations | undefined;

  /**
   * @param levels How many levels of most records are opened.
   */
  constructor(levels: NotedLevels) {
    this.#levels = levels;
  }

  /**
   * Reads one JSON text. The byte behind it must be as {@linkcode JsonTape.scan} requires.
   *
   * @returns The value, or `undefined` if the text is not valid; the tape holds the reason then.
   */
  read(bytes: Uint8Array, start: number, end: number): JsonSlice | undefined {
    const { tape } = this;
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

  /** Records in `observations` which values are looked at from now on; `undefined` ends that. */
  observe(observations: Observations | undefined): void {
    this.#observations = observations;
  }

  /** Whether observations are recorded. */
  get isObserved(): boolean {
    return this.#observations !== undefined;
  }

  /** Records that the rules kept a copy of a string that equals its own trimmed text. */
  observeId(value: JsonSlice, copy: JsonSlice): void {
    this.#observations?.kept.push({ value, copy });
  }

  /** Records that a decision depended on the text of a value, so that no plan can be made. */
  looked(): void {
    if (this.#observations !== undefined) this.#observations.isOpaque = true;
  }

  /** Returns the members of an object; none for a value of another kind. */
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

  /** Returns one member of an object, as `members(node).get(name)` does in more time. */
  member(node: JsonNode, name: string): JsonNode | undefined {
    if (!(node instanceof JsonSlice) || node.kind !== "object") {
      return node instanceof JsonObject ? node.get(name) : undefined;
    }
    const tape = this.#tapeOf(node);
    const entry = Math.max(node.entry, 0);
    const behind = tape.next(entry);
    if (behind - entry > MANY) return this.members(node).get(name);
    let last = -1;
    for (let at = entry + 1; at < behind; at = tape.next(at)) {
      if (tape.name(at) === name) last = at;
    }
    return last === -1 ? undefined : this.#slice(tape, node, last);
  }

  /**
   * Returns the elements of an array. They may be iterated any number of times until the next
   * `read`.
   */
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

  /** Iterates the elements of an array that is left on its tape. */
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
   * Leaves out the end of a string: a text, followed by the inside of another string.
   *
   * @param text The text as JSON spells it.
   * @returns The rest of the string; nothing if the string does not end with both, spelled the same
   *   way.
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
    // After an odd number of backslashes, the text at `end` is the rest of an escape.
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

  /** Returns the text of a string. */
  text({ bytes, start, end, escaped }: JsonSlice): string {
    this.looked();
    return escaped
      ? stringText(bytes, start, end)
      : decodeUtf8(bytes, start + 1, end - 1);
  }

  /** Returns the text of a value if it is a string. */
  textOf(node: JsonNode | undefined): string | undefined {
    if (node instanceof JsonString) return node.text;
    if (node instanceof JsonJoined) {
      return node.parts.map((part) => this.text(part)).join(node.between);
    }
    return node instanceof JsonSlice && node.kind === "string"
      ? this.text(node)
      : undefined;
  }

  /**
   * Returns the text of a value that the rules compare with their vocabulary, such as a type, if it
   * is a string.
   */
  wordOf(node: JsonNode | undefined): string | undefined {
    if (!(node instanceof JsonSlice) || node.escaped) return this.textOf(node);
    if (node.kind !== "string") return undefined;
    this.#observations?.words.push(node);
    const start = node.start + 1;
    const end = node.end - 1;
    const hash = hashBytes(node.bytes, start, end);
    return WORDS.text(node.bytes, start, end, hash);
  }

  /** Whether a number is an integer, in any spelling. */
  isWhole(number: JsonSlice): boolean {
    this.#observations?.wholes.push(number);
    return isWhole(number.bytes, number.start, number.end);
  }

  /** Whether two values have the same source text. */
  isSame(one: JsonNode, other: JsonNode): boolean {
    if (!(one instanceof JsonSlice && other instanceof JsonSlice)) return false;
    this.#observations?.words.push(one, other);
    return sameSource(one, other);
  }

  /** Returns the source text of a value. */
  source(value: JsonSlice): string {
    this.looked();
    return decodeUtf8(value.bytes, value.start, value.end);
  }

  /** Returns the tape that has the parts of a value, and scans the value if none has. */
  #tapeOf(node: JsonSlice): JsonTape {
    this.#observations?.opened.push(node);
    if (node.entry !== -1) return this.tape;
    // The text was found valid when the record was read.
    const inner = this.#inner ??= new JsonTape();
    inner.scan(node.bytes, node.start, node.end, 1);
    return inner;
  }

  /**
   * Leaves the inner tape to a large object, which needs it until the next record; the next value
   * gets a new one.
   */
  #leave(tape: JsonTape): void {
    if (tape === this.#inner) this.#inner = undefined;
  }

  /** Makes a value of an entry, a part of `node`. */
  #slice(tape: JsonTape, node: JsonSlice, at: number): JsonSlice {
    return new JsonSlice(
      node.bytes,
      tape.start(at),
      tape.end(at),
      tape.kind(at),
      tape.isEscaped(at),
      // The parts of an empty container, or of one on the last level, are not on the tape.
      tape === this.tape && tape.next(at) > at + 1 ? at : -1,
    );
  }
}

function countParts(tape: JsonTape, entry: number): number {
  let count = 0;
  const behind = tape.next(entry);
  for (let at = entry + 1; at < behind; at = tape.next(at)) count += 1;
  return count;
}
