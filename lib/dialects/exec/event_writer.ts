/**
 * Writes events by the field tables, whichever dialect they came in.
 */

import type { FailureReason } from "../../errors.ts";
import { CLOSE_BRACE, OPEN_BRACE } from "../../json/bytes.ts";
import type { ByteWriter } from "../../json/byte_writer.ts";
import { wordValue } from "../../json/literal.ts";
import { writeKey, writeNode } from "../../json/object_writer.ts";
import type { JsonReader } from "../../json/reader.ts";
import type { JsonObject, JsonSlice } from "../../json/value.ts";
import { WordTable } from "../../json/word_table.ts";
import { type PayloadFields, RecordWriter } from "./_record_writer.ts";
import {
  EVENT_FIELDS,
  EVENTS,
  type EventType,
  type Payload,
  PAYLOADS,
} from "./fields.ts";

const TYPE_VALUES = new Map<EventType, JsonSlice>();
for (const type of new Set(EVENTS.values())) {
  TYPE_VALUES.set(type, wordValue(type));
}
const PAYLOAD_WORDS = new WordTable(PAYLOADS);

/** The payload of an item type; nothing, if the type is not known. */
export function payloadOf(itemType: string | undefined): Payload | undefined {
  return itemType === undefined ? undefined : PAYLOAD_WORDS.get(itemType);
}

/** The fields of the payload of an event. */
export function payloadFields(
  payload: Payload | undefined,
  isDelta: boolean,
): PayloadFields | undefined {
  if (payload === undefined) return undefined;
  return isDelta
    ? { fields: payload.delta }
    : { fields: payload.content, oneOf: payload.oneOf };
}

/** Writes events, one after the other. */
export class EventWriter {
  readonly #records: RecordWriter;

  /**
   * Constructs a new instance.
   *
   * @param reader The reader that the values come from.
   */
  constructor(reader: JsonReader) {
    this.#records = new RecordWriter(reader);
  }

  /**
   * Writes an event.
   *
   * @param fields The fields; the known ones are taken out.
   * @param payload The fields of its payload; without them any value will do for it.
   * @returns Why it is none; what was written of it is worthless then.
   */
  write(
    out: ByteWriter,
    type: EventType,
    fields: JsonObject,
    payload?: PayloadFields,
  ): FailureReason | undefined {
    out.byte(OPEN_BRACE);
    writeKey(out, "type");
    writeNode(out, TYPE_VALUES.get(type) ?? wordValue(type));
    if (!this.#records.write(out, fields, EVENT_FIELDS[type], payload)) {
      const { field, state } = this.#records;
      return {
        kind: "typed",
        message: `Cannot decode ${type}: ${field} is ${state}`,
        field,
      };
    }
    out.byte(CLOSE_BRACE);
    return undefined;
  }
}
