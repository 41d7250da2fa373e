/**
 * What the begins of calls said that their ends leave out (normalize.md P6 to P8).
 */

import { ByteMap } from "../json/byte_map.ts";
import { lasting, sliceAt, sliceOf, wordValue } from "../json/literal.ts";
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
import { NOTE, SLOT, type SlotValues } from "./_record_slots.ts";

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

const EMPTY_STRING = wordValue("");
const EMPTY_LIST = sliceOf(new TextEncoder().encode("[]"), "array");

/** A type of calls. */
export interface CallType {
  /** What their ends leave out. */
  readonly fields: readonly CallField[];
  /** The note of a begin. */
  readonly begun: number;
}

/** Commands. */
export const COMMANDS: CallType = {
  begun: NOTE.commandBegun,
  fields: [
    {
      name: "command",
      slot: SLOT.command,
      kind: "string",
      default: EMPTY_STRING,
    },
  ],
};
/** Patches. */
export const PATCHES: CallType = {
  begun: NOTE.patchBegun,
  fields: [
    { name: "changes", slot: SLOT.changes, kind: "array", default: EMPTY_LIST },
  ],
};
/** Tools. */
export const TOOLS: CallType = {
  begun: NOTE.toolBegun,
  fields: [
    {
      name: "server",
      slot: SLOT.server,
      kind: "string",
      default: EMPTY_STRING,
    },
    { name: "tool", slot: SLOT.tool, kind: "string", default: EMPTY_STRING },
    {
      name: "arguments",
      slot: SLOT.arguments,
      kind: "object",
      default: undefined,
    },
  ],
};
const TYPES = [COMMANDS, PATCHES, TOOLS];
const ALL_FIELDS = TYPES.flatMap(({ fields }) => fields);

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
  remember(line: JsonObject, type: CallType, made?: JsonSlice): void {
    // What becomes of the one before is not to be seen from the slots.
    if (this.#slots[SLOT.call] !== undefined) this.#reader.looked();
    this.#putAside();
    const id = line.get("item_id");
    if (this.isOpen && id instanceof JsonSlice) {
      this.#reader.note(type.begun, id);
      this.#forget(type, id);
    }
    if (this.#fits(id, line, type, made)) this.#fill(id, line, type, made);
    else {
      this.#reader.looked();
      for (const { name } of type.fields) {
        const value = line.live(name);
        if (value instanceof JsonSlice) this.#set(name, id, value);
      }
    }
  }

  /** Forgets what is in no slot of a call that begins anew; see {@linkcode NOTE}. */
  forget(note: number, id: JsonSlice): void {
    for (const type of TYPES) if (type.begun === note) this.#forget(type, id);
  }

  /** Fills in what an end leaves out, as its begin said, else as given; forgets the begin. */
  complete(line: JsonObject, { fields }: CallType): void {
    const id = line.get("item_id");
    const isLast = this.#isLast(id, fields);
    if (!isLast && this.isOpen) this.#reader.looked();
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

  /** Whether slots can hold what a begin says. */
  #fits(
    id: JsonNode | undefined,
    line: JsonObject,
    { fields }: CallType,
    made: JsonSlice | undefined,
  ): id is JsonSlice {
    if (!(id instanceof JsonSlice) || id.escaped || !fitsSlot(id)) return false;
    return fields.every(({ name, kind }) => {
      const value = line.live(name);
      if (value === undefined) return true;
      // A list is checked by those who write it, element by element, unless it was made here.
      return value instanceof JsonSlice && value.kind === kind &&
        (kind !== "array" || value === made) && fitsSlot(value);
    });
  }

  /** Puts what a begin says into slots, if it says anything. */
  #fill(
    id: JsonSlice,
    line: JsonObject,
    { fields }: CallType,
    made: JsonSlice | undefined,
  ): void {
    for (const { name, slot } of fields) {
      const value = line.live(name);
      if (!(value instanceof JsonSlice)) continue;
      this.#slots[slot] = value === made ? value : this.#kept(value);
      this.#slots[SLOT.call] ??= this.#kept(id);
    }
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

  #forget({ fields }: CallType, id: JsonSlice): void {
    for (const { name } of fields) this.#values.delete(this.#keys.of(name, id));
  }

  #set(name: string, id: JsonNode | undefined, value: JsonSlice): void {
    const key = this.#keys.of(name, id);
    this.#values.set(key, value.bytes, value.start, value.end);
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
