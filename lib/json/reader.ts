/**
 * Reads JSON texts as values that can be opened one level at a time.
 */

import { ManyMembers, Numbers } from "./many_members.ts";
import { hashBytes, WordCache } from "./names.ts";
import { isWhole } from "./number.ts";
import { JsonTape, NAMED_ENTRIES, stringText } from "./tape.ts";
import { decodeUtf8 } from "./utf8.ts";
import { type JsonNode, JsonObject, JsonSlice, JsonString } from "./value.ts";

/**
 * How deep the reader notes where values are: the members of a record, or theirs too. What
 * lies deeper is read again when it is asked for.
 */
export type NotedLevels = 1 | 2 | 4;

/** What has more parts than this is left on the tape. */
const MANY = NAMED_ENTRIES;

/** A value of which a copy was kept. */
export interface KeptValue {
  readonly value: JsonSlice;
  readonly copy: JsonSlice;
}

/**
 * What somebody learned of a record beyond its shape: of which values the text was looked
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
  readonly #words = new WordCache();
  readonly #tape = new JsonTape(this.#words);
  #inner = new JsonTape(this.#words);
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
    if (node instanceof JsonString || node.kind !== "object") {
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
    return this.#words.text(node.bytes, start, end, hash);
  }

  /** Whether a number is an integer, however it is spelled. */
  isWhole(number: JsonSlice): boolean {
    this.#observations?.wholes.push(number);
    return isWhole(number.bytes, number.start, number.end);
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
    this.#inner.scan(node.bytes, node.start, node.end, 1);
    return this.#inner;
  }

  /** Leaves a tape as it is to somebody who has need of it until the next record. */
  #leave(tape: JsonTape): void {
    if (tape === this.#inner) this.#inner = new JsonTape(this.#words);
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

/** How many members or elements there are. */
function countParts(tape: JsonTape, entry: number): number {
  let count = 0;
  const behind = tape.next(entry);
  for (let at = entry + 1; at < behind; at = tape.next(at)) count += 1;
  return count;
}
