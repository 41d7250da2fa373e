/**
 * The spelling of the app-server in that of events: `commandExecution` is `command_execution`.
 */

import { wordValue } from "../../json/literal.ts";
import type { JsonReader } from "../../json/reader.ts";
import { type JsonNode, JsonSlice } from "../../json/value.ts";

const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;
const PLAIN_WORD_REGEXP = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Spells a name of the app-server as events do: in snake case. */
export function snakeCase(name: string): string {
  let spelled = "";
  let from = 0;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code < UPPER_A || code > UPPER_Z) continue;
    spelled += name.slice(from, at) + (at === 0 ? "" : "_") +
      String.fromCharCode(code + TO_LOWER);
    from = at + 1;
  }
  return from === 0 ? name : spelled + name.slice(from);
}

/** Spells the method of a notification as the type of an item: `thread/name/updated`. */
export function itemTypeOfMethod(method: string): string {
  return method.split("/").map(snakeCase).join("_");
}

/** Spells a value as events do, if it is a word; a value of another kind stays what it is. */
export function snakeWord(reader: JsonReader, value: JsonNode): JsonNode {
  if (!(value instanceof JsonSlice) || value.kind !== "string") return value;
  const word = reader.wordOf(value) ?? "";
  const spelled = snakeCase(word);
  return spelled === word || !PLAIN_WORD_REGEXP.test(spelled)
    ? value
    : wordValue(spelled);
}
