/** Reads JSON texts as values that are opened one level at a time. */

import { hashBytes, WORDS } from "./names.ts";
import { isWhole } from "./number.ts";
import { type DEEPEST_LEVEL, JsonTape, stringText } from "./tape.ts";
import { decodeUtf8 } from "./utf8.ts";
import {
  JsonList,
  type JsonNode,
  JsonObject,
  JsonSlice,
  sameSource,
} from "./value.ts";

/**
 * How many levels of a record the reader puts on its tape: 1 is the members of the record, 2 adds
 * theirs. Values on deeper levels are scanned again when they are opened.
 */
type NotedLevels = 1 | 2 | 4 | typeof DEEPEST_LEVEL;

/** Lists with more elements than this are left on the tape: their elements take more memory. */
const MANY = 64;

/** A value and the copy that the rules kept of it. */
interface KeptValue {
  readonly value: JsonSlice;
  readonly copy: JsonSlice;
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
  /** Whether the rules looked at anything else, such as a text. Then no plan can be made. */
  isOpaque: boolean;
}

export function noObservations(): Observations {
  return {
    words: [],
    wholes: [],
    kept: [],
    opened: [],
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
  /** Whether a value inside the record had more parts than a tape holds: it was taken for empty. */
  isOverfull = false;
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
    this.isOverfull = false;
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

  /** Returns the members of an object; none for any other value. */
  members(node: JsonNode | undefined): JsonObject {
    if (node instanceof JsonObject) return node;
    if (!(node instanceof JsonSlice) || node.kind !== "object") {
      return new JsonObject();
    }
    const tape = this.#tapeOf(node);
    const entry = Math.max(node.entry, 0);
    const behind = tape.next(entry);
    const object = new JsonObject();
    for (let at = entry + 1; at < behind; at = tape.next(at)) {
      object.set(tape.name(at), this.#slice(tape, node, at));
    }
    return object;
  }

  /** Returns one member of an object, as `members(node).get(name)` does in more time. */
  member(node: JsonNode | undefined, name: string): JsonNode | undefined {
    if (!(node instanceof JsonSlice) || node.kind !== "object") {
      return node instanceof JsonObject ? node.get(name) : undefined;
    }
    const tape = this.#tapeOf(node);
    const entry = Math.max(node.entry, 0);
    const behind = tape.next(entry);
    let last = -1;
    for (let at = entry + 1; at < behind; at = tape.next(at)) {
      if (tape.name(at) === name) last = at;
    }
    return last === -1 ? undefined : this.#slice(tape, node, last);
  }

  /**
   * Returns the first value of a name that the text of an object has more than once, otherwise
   * `undefined` (normalize.md E9).
   */
  shadowed(node: JsonSlice, name: string): JsonSlice | undefined {
    const tape = this.#tapeOf(node);
    const entry = Math.max(node.entry, 0);
    const behind = tape.next(entry);
    let first = -1;
    for (let at = entry + 1; at < behind; at = tape.next(at)) {
      if (tape.name(at) !== name) continue;
      if (first !== -1) return this.#slice(tape, node, first);
      first = at;
    }
    return undefined;
  }

  /**
   * Returns the elements of an array; none for any other value. They may be iterated any number of
   * times until the next `read`.
   */
  elements(list: JsonSlice): Iterable<JsonSlice>;
  elements(list: JsonNode | undefined): Iterable<JsonNode>;
  elements(list: JsonNode | undefined): Iterable<JsonNode> {
    if (list instanceof JsonList) return list.nodes;
    if (!(list instanceof JsonSlice) || list.kind !== "array") return [];
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

  text({ bytes, start, end, escaped }: JsonSlice): string {
    this.looked();
    return escaped
      ? stringText(bytes, start, end)
      : decodeUtf8(bytes, start + 1, end - 1);
  }

  textOf(node: JsonNode | undefined): string | undefined {
    return node?.kind === "string" ? this.text(node) : undefined;
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

  isWhole(number: JsonSlice): boolean {
    this.#observations?.wholes.push(number);
    return isWhole(number.bytes, number.start, number.end);
  }

  isSame(one: JsonNode, other: JsonNode): boolean {
    if (!(one instanceof JsonSlice && other instanceof JsonSlice)) return false;
    this.#observations?.words.push(one, other);
    return sameSource(one, other);
  }

  source(value: JsonSlice): string {
    this.looked();
    return decodeUtf8(value.bytes, value.start, value.end);
  }

  /** Returns the tape that has the parts of a value, and scans the value if none has. */
  #tapeOf(node: JsonSlice): JsonTape {
    this.#observations?.opened.push(node);
    if (node.entry !== -1) return this.tape;
    const inner = this.#inner ??= new JsonTape();
    // The text was found valid when the record was read.
    if (!inner.scan(node.bytes, node.start, node.end, 1)) {
      this.isOverfull = true;
    }
    return inner;
  }

  /**
   * Leaves the inner tape to a long list, which needs it until the next record; the next value gets
   * a new one.
   */
  #leave(tape: JsonTape): void {
    if (tape === this.#inner) this.#inner = undefined;
  }

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
