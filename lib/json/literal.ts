/** JSON values that are not in the source. */

import { copyOf, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./bytes.ts";
import { ByteWriter } from "./byte_writer.ts";
import type { JsonKind } from "./tape.ts";
import { type JsonNode, JsonObject, JsonSlice } from "./value.ts";

/** Makes a value of a range of bytes that contains its JSON text. */
export function sliceAt(
  bytes: Uint8Array,
  start = 0,
  end: number = bytes.length,
): JsonSlice {
  const kind = KINDS.get(bytes[start] ?? 0) ?? "number";
  // A string is marked as escaped, which is always safe: whether it is does not matter to a value
  // that is only written.
  return new JsonSlice(bytes, start, end, kind, kind === "string", -1);
}

/** The kind of a JSON text by its first byte; all other bytes begin a number. */
const KINDS: ReadonlyMap<number, JsonKind> = new Map([
  [OPEN_BRACE, "object"],
  [OPEN_BRACKET, "array"],
  [QUOTE, "string"],
  [0x74, "boolean"],
  [0x66, "boolean"],
  [0x6e, "null"],
]);

const ENCODER = new TextEncoder();
/** The buffer in which strings are encoded. */
const SCRATCH = new ByteWriter(256);
/**
 * The capacity that the buffer keeps after a long string: allocating it takes longer than the
 * encoding.
 */
const KEPT_ROOM = 1 << 13;

export function valueOfText(json: string): JsonSlice {
  return sliceAt(ENCODER.encode(json));
}

export function stringValue(text: string): JsonSlice {
  SCRATCH.clear(KEPT_ROOM);
  SCRATCH.string(text);
  return sliceAt(SCRATCH.view().slice());
}

/**
 * Makes a string value of a word that needs no escapes; unlike `stringValue`, it can be compared
 * with `JsonReader.wordOf`.
 */
export function wordValue(word: string): JsonSlice {
  const bytes = ENCODER.encode(`"${word}"`);
  return new JsonSlice(bytes, 0, bytes.length, "string", false, -1);
}

export function objectOf(name: string, value: JsonNode): JsonObject {
  const object = new JsonObject();
  object.set(name, value);
  return object;
}

/** Copies a value whose bytes will be overwritten. */
export function lasting({ bytes, start, end }: JsonSlice): JsonSlice {
  return sliceAt(copyOf(bytes, start, end));
}

export const TRUE_VALUE: JsonSlice = valueOfText("true");
export const FALSE_VALUE: JsonSlice = valueOfText("false");
export const NULL_VALUE: JsonSlice = valueOfText("null");
