/**
 * What is remembered of calls is remembered under these.
 */

import { ByteWriter } from "../../json/byte_writer.ts";
import type { JsonReader } from "../../json/reader.ts";
import { type JsonNode, JsonSlice } from "../../json/value.ts";

const KEPT_CAPACITY = 1 << 10;
const SEPARATOR = 0x20;

/** Makes keys of what is remembered and of the id of the call. */
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
