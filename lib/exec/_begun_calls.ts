/**
 * What the begins of calls said that their ends leave out (normalize.md P6 to P8).
 */

import { ByteMap } from "../json/byte_map.ts";
import { lasting, sliceAt, sliceOf, stringValue } from "../json/literal.ts";
import type { JsonReader } from "../json/reader.ts";
import { fitsSlot } from "../json/record_watch.ts";
import { savedPairs, valueOf } from "../json/saved.ts";
import type { JsonKind } from "../json/tape.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import {
  type JsonNode,
  type JsonObject,
  JsonSlice,
  sameSource,
} from "../json/value.ts";
import { CallKeys } from "./_call_keys.ts";
import { SLOT, type SlotValues } from "./_record_slots.ts";

/** A field that the ends of calls of one type leave out. */
export interface CallField {
  /** Its name. No two types have one in common. */
  readonly name: string;
  /** Its slot. */
  readonly slot: number;
  /** What it is when it is in its slot. */
  readonly kind: JsonKind;
  /** What there is without a begin. */
  readonly default: JsonSlice | undefined;
}

const EMPTY_STRING = stringValue("");
const EMPTY_LIST = sliceOf(new TextEncoder().encode("[]"), "array");

/** What the ends of commands leave out. */
export const COMMAND_FIELDS: readonly CallField[] = [
  {
    name: "command",
    slot: SLOT.command,
    kind: "string",
    default: EMPTY_STRING,
  },
];
/** What the ends of patches leave out. */
export const PATCH_FIELDS: readonly CallField[] = [
  { name: "changes", slot: SLOT.changes, kind: "array", default: EMPTY_LIST },
];
/** What the ends of tools leave out. */
export const TOOL_FIELDS: readonly CallField[] = [
  { name: "server", slot: SLOT.server, kind: "string", default: EMPTY_STRING },
  { name: "tool", slot: SLOT.tool, kind: "string", default: EMPTY_STRING },
  {
    name: "arguments",
    slot: SLOT.arguments,
    kind: "object",
    default: undefined,
  },
];
const ALL_FIELDS = [...COMMAND_FIELDS, ...PATCH_FIELDS, ...TOOL_FIELDS];

/**
 * How many bytes are remembered, unless one begin alone says more: thousands of calls that
 * never end. The oldest one is forgotten first.
 */
const LIMIT = 1 << 20;

/** Remembers the begins of open calls: the last one in slots, the others in a map. */
export class BegunCalls {
  readonly #values = new ByteMap(LIMIT);
  readonly #reader: JsonReader;
  readonly #slots: SlotValues;
  readonly #keys: CallKeys;

  /** Constructs a new instance. */
  constructor(reader: JsonReader, slots: SlotValues) {
    this.#reader = reader;
    this.#slots = slots;
    this.#keys = new CallKeys(reader);
  }

  /**
   * Remembers what a begin says, instead of what an earlier one of its id said.
   *
   * @param made The one value that is in bytes of its own already.
   */
  remember(
    line: JsonObject,
    fields: readonly CallField[],
    made?: JsonSlice,
  ): void {
    // What becomes of the one before is not to be seen from the slots.
    if (this.#slots[SLOT.call] !== undefined) this.#reader.looked();
    this.#putAside();
    const id = line.get("item_id");
    const fits = this.#fits(id, line, fields, made);
    for (const { name, slot } of fields) {
      const value = line.live(name);
      this.#set(name, id, fits ? undefined : value);
      if (!fits || !(value instanceof JsonSlice)) continue;
      this.#slots[slot] = value === made ? value : this.#kept(value);
    }
    if (fits && id instanceof JsonSlice) {
      this.#slots[SLOT.call] = this.#kept(id);
    }
  }

  /** Fills in what an end leaves out, as its begin said, else as given; forgets the begin. */
  complete(line: JsonObject, fields: readonly CallField[]): void {
    const id = line.get("item_id");
    const isLast = this.#isLast(id, fields);
    for (const field of fields) {
      const { name } = field;
      const value = (isLast ? this.#slots[field.slot] : this.#take(name, id)) ??
        field.default;
      if (value !== undefined && line.live(name) === undefined) {
        line.set(name, value);
      }
    }
    if (isLast) this.clearSlots();
  }

  /** Whether anything is remembered that is in no slot. */
  get isOpen(): boolean {
    return this.#values.size > 0;
  }

  /** Forgets all calls but the one in slots. */
  clear(): void {
    this.#values.clear();
  }

  /** Forgets the one in slots. */
  clearSlots(): void {
    this.#slots[SLOT.call] = undefined;
    for (const { slot } of ALL_FIELDS) this.#slots[slot] = undefined;
  }

  /** Writes down what is remembered. */
  save(): unknown {
    this.#putAside();
    return [...this.#values.entries()].map((texts) =>
      texts.map((text) => decodeUtf8(text, 0, text.length))
    );
  }

  /** Goes on from what was written down under a name. */
  load(saved: unknown, name: string): void {
    this.clear();
    this.clearSlots();
    for (const [key, text] of savedPairs(saved, name)) {
      const value = typeof text === "string" ? valueOf(text) : undefined;
      if (value === undefined) continue;
      const { bytes, start, end } = value;
      this.#values.set(new TextEncoder().encode(key), bytes, start, end);
    }
  }

  /** Whether slots can hold what a begin says, if it says anything. */
  #fits(
    id: JsonNode | undefined,
    line: JsonObject,
    fields: readonly CallField[],
    made: JsonSlice | undefined,
  ): boolean {
    if (!(id instanceof JsonSlice) || id.escaped || !fitsSlot(id)) return false;
    let isAny = false;
    for (const { name, kind } of fields) {
      const value = line.live(name);
      if (value === undefined) continue;
      // A list is checked by those who write it, element by element, unless it was made here.
      const isGood = value instanceof JsonSlice && value.kind === kind &&
        (kind !== "array" || value === made);
      if (!isGood || !fitsSlot(value)) return false;
      isAny = true;
    }
    return isAny;
  }

  #kept(value: JsonSlice): JsonSlice {
    const copy = lasting(value);
    this.#reader.observeKept(value, copy);
    return copy;
  }

  /** Whether the call in slots is of a type, and has an id. */
  #isLast(id: JsonNode | undefined, fields: readonly CallField[]): boolean {
    const last = this.#slots[SLOT.call];
    if (last === undefined) return false;
    if (fields.every(({ slot }) => this.#slots[slot] === undefined)) {
      return false;
    }
    if (id instanceof JsonSlice && !id.escaped && sameSource(last, id)) {
      this.#reader.observeSame(id, SLOT.call);
      return true;
    }
    this.#reader.looked();
    this.#putAside();
    return false;
  }

  /** Puts what is in slots to the rest. */
  #putAside(): void {
    const id = this.#slots[SLOT.call];
    if (id === undefined) return;
    for (const { name, slot } of ALL_FIELDS) {
      const value = this.#slots[slot];
      if (value !== undefined) this.#set(name, id, value);
    }
    this.clearSlots();
  }

  #set(
    name: string,
    id: JsonNode | undefined,
    value: JsonNode | undefined,
  ): void {
    const key = this.#keys.of(name, id);
    if (value instanceof JsonSlice) {
      this.#values.set(key, value.bytes, value.start, value.end);
    } else this.#values.delete(key);
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
