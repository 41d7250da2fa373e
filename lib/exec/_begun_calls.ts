/**
 * What the begins of calls said that their ends leave out (normalize.md P6 to P8).
 */

import { ByteMap } from "../json/byte_map.ts";
import { lasting, sliceAt } from "../json/literal.ts";
import type { JsonReader } from "../json/reader.ts";
import { fitsSlot } from "../json/record_watch.ts";
import { savedPairs, valueOf } from "../json/saved.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import {
  type JsonNode,
  type JsonObject,
  JsonSlice,
  sameSource,
} from "../json/value.ts";
import { CallKeys } from "./_call_keys.ts";
import { SLOT } from "./_record_slots.ts";

/** The fields that the ends of calls of one type leave out, and what there is without. */
export interface CallDefaults {
  /** The names of the fields. No two types have one in common. */
  readonly names: readonly string[];
  /** The values, by name. */
  readonly values: readonly (JsonSlice | undefined)[];
}

/**
 * How many bytes are remembered, unless one begin alone says more: thousands of calls that
 * never end. The oldest one is forgotten first.
 */
const LIMIT = 1 << 20;

/** A command that has begun, in bytes of its own. */
export interface BegunCommand {
  /** The id of the call. */
  readonly id: JsonSlice;
  /** The command line, a string. */
  readonly command: JsonSlice;
}

/** The one field that commands leave out. */
const COMMAND = "command";

/** Remembers the begins of open calls. */
export class BegunCalls {
  readonly #values = new ByteMap(LIMIT);
  readonly #reader: JsonReader;
  readonly #keys: CallKeys;

  /** The command that began last, if no other call has; what it says is not among the rest. */
  last: BegunCommand | undefined;

  /** Constructs a new instance. */
  constructor(reader: JsonReader) {
    this.#reader = reader;
    this.#keys = new CallKeys(reader);
  }

  /** Remembers what a begin says, instead of what an earlier one of its id said. */
  remember(line: JsonObject, { names }: CallDefaults): void {
    this.#putAside();
    const id = line.get("item_id");
    for (const name of names) this.#set(name, id, line.live(name));
  }

  /**
   * Remembers the command of a begin, as {@linkcode BegunCalls.remember} does.
   *
   * @param command In bytes of its own, if it is a string.
   */
  rememberCommand(
    id: JsonNode | undefined,
    command: JsonNode | undefined,
  ): void {
    // What becomes of the one before is not to be seen from the slots.
    if (this.last !== undefined) this.#reader.looked();
    this.#putAside();
    this.#set(COMMAND, id, undefined);
    if (
      id instanceof JsonSlice && !id.escaped && fitsSlot(id) &&
      command instanceof JsonSlice && command.kind === "string" &&
      fitsSlot(command)
    ) {
      const copy = lasting(id);
      this.#reader.observeKept(id, copy);
      this.last = { id: copy, command };
    } else this.#set(COMMAND, id, command);
  }

  /** Fills in what an end leaves out, as its begin said, else as given; forgets the begin. */
  complete(line: JsonObject, { names, values }: CallDefaults): void {
    const id = line.get("item_id");
    for (let i = 0; i < names.length; i++) {
      const name = names[i] ?? "";
      const value = this.#take(name, id) ?? values[i];
      if (value !== undefined && line.live(name) === undefined) {
        line.set(name, value);
      }
    }
  }

  /** Whether anything is remembered besides the last command. */
  get isOpen(): boolean {
    return this.#values.size > 0;
  }

  /** Forgets all calls but the last command. */
  clear(): void {
    this.#values.clear();
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
    this.last = undefined;
    this.clear();
    for (const [key, text] of savedPairs(saved, name)) {
      const value = typeof text === "string" ? valueOf(text) : undefined;
      if (value === undefined) continue;
      const { bytes, start, end } = value;
      this.#values.set(new TextEncoder().encode(key), bytes, start, end);
    }
  }

  /** Puts the last command to the rest. */
  #putAside(): void {
    const { last } = this;
    if (last === undefined) return;
    this.last = undefined;
    this.#set(COMMAND, last.id, last.command);
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
    const { last } = this;
    if (last !== undefined && name === COMMAND) {
      if (
        id instanceof JsonSlice && !id.escaped && sameSource(last.id, id)
      ) {
        this.#reader.observeSame(id, SLOT.call);
        this.last = undefined;
        return last.command;
      }
      this.#reader.looked();
      this.#putAside();
    }
    if (this.#values.size === 0) return undefined;
    const key = this.#keys.of(name, id);
    const found = this.#values.get(key);
    if (found === undefined) return undefined;
    this.#values.delete(key);
    return sliceAt(found.bytes, found.start, found.end);
  }
}
