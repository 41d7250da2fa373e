/**
 * What the begins of calls said that their ends leave out (normalize.md P6 to P8).
 */

import { ByteMap } from "../../json/byte_map.ts";
import { ByteWriter } from "../../json/byte_writer.ts";
import { sliceAt, sliceOf, wordValue } from "../../json/literal.ts";
import type { JsonReader } from "../../json/reader.ts";
import { savedPairs, valueOf } from "../../json/saved.ts";
import { decodeUtf8 } from "../../json/utf8.ts";
import { type JsonNode, type JsonObject, JsonSlice } from "../../json/value.ts";

/** What the ends of calls of one type leave out: by name, what there is without a begin. */
export type CallType = ReadonlyMap<string, JsonSlice | undefined>;

const EMPTY_STRING = wordValue("");
const EMPTY_LIST = sliceOf(new TextEncoder().encode("[]"), "array");

/** Commands. */
export const COMMANDS: CallType = new Map([["command", EMPTY_STRING]]);
/** Patches. */
export const PATCHES: CallType = new Map([["changes", EMPTY_LIST]]);
/** Tools. */
export const TOOLS: CallType = new Map([
  ["server", EMPTY_STRING],
  ["tool", EMPTY_STRING],
  ["arguments", undefined],
]);

/**
 * How many bytes are remembered, unless one begin alone says more: thousands of calls that
 * never end. The oldest one is forgotten first.
 */
const LIMIT = 1 << 20;

/** Remembers the begins of open calls. */
export class BegunCalls {
  readonly #values = new ByteMap(LIMIT);
  readonly #keys: CallKeys;

  /** Constructs a new instance. */
  constructor(reader: JsonReader) {
    this.#keys = new CallKeys(reader);
  }

  /** Remembers what a begin says, instead of what an earlier one of its id said. */
  remember(line: JsonObject, type: CallType): void {
    const id = line.get("item_id");
    for (const name of type.keys()) {
      const key = this.#keys.of(name, id);
      const value = line.live(name);
      if (value instanceof JsonSlice) {
        this.#values.set(key, value.bytes, value.start, value.end);
      } else this.#values.delete(key);
    }
  }

  /** Fills in what an end leaves out, as its begin said, else as given; forgets the begin. */
  complete(line: JsonObject, type: CallType): void {
    const id = line.get("item_id");
    for (const [name, absent] of type) {
      const value = this.#take(name, id) ?? absent;
      if (value !== undefined && line.live(name) === undefined) {
        line.set(name, value);
      }
    }
  }

  /** Forgets all calls. */
  clear(): void {
    this.#values.clear();
  }

  /** Writes down what is remembered. */
  save(): unknown {
    return [...this.#values.entries()].map((texts) =>
      texts.map((text) => decodeUtf8(text, 0, text.length))
    );
  }

  /** Goes on from what was written down under a name. */
  load(saved: unknown, name: string): void {
    this.clear();
    for (const [key, text] of savedPairs(saved, name)) {
      const value = typeof text === "string" ? valueOf(text) : undefined;
      if (value === undefined) continue;
      const { bytes, start, end } = value;
      this.#values.set(new TextEncoder().encode(key), bytes, start, end);
    }
  }

  #take(name: string, id: JsonNode | undefined): JsonSlice | undefined {
    if (this.#values.size === 0) return undefined;
    const key = this.#keys.of(name, id);
    const found = this.#values.get(key);
    if (found === undefined) return undefined;
    this.#values.delete(key);
    return sliceAt(found.bytes, found.start, found.end);
  }
}

const KEPT_CAPACITY = 1 << 10;
const SEPARATOR = 0x20;

/** Makes keys of what is remembered of a call, and of its id. */
export class CallKeys {
  readonly #reader: JsonReader;
  readonly #key = new ByteWriter(KEPT_CAPACITY);

  /** Constructs a new instance. */
  constructor(reader: JsonReader) {
    this.#reader = reader;
  }

  /**
   * Gives a key that holds until the next one is made.
   *
   * @param name What is remembered, in ASCII.
   * @param id A string; two spellings of a text are one id.
   */
  of(name: string, id: JsonNode | undefined): Uint8Array {
    const key = this.#key;
    key.clear(KEPT_CAPACITY);
    for (let i = 0; i < name.length; i++) key.byte(name.charCodeAt(i));
    key.byte(SEPARATOR);
    if (id instanceof JsonSlice && !id.escaped) {
      key.range(id.bytes, id.start + 1, id.end - 1);
    } else key.text(this.#reader.textOf(id) ?? "");
    return key.view();
  }
}
