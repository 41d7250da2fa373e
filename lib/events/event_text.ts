/**
 * Events as JSON text.
 *
 * @module
 */

import { type Fields, isObject } from "../json/fields.ts";
import { ARGUMENTS_TEXT } from "./session_items.ts";

/** Stands for arguments until their text is put in its place; no text of JSON has it unescaped. */
const PLACE = "\u0000arguments";
const PLACE_TEXT = JSON.stringify(PLACE);
const LINE_END_REGEXP = /[\r\n]/;
/**
 * How long a line may be whose events are written whole, in UTF-16 code units: V8 cannot write
 * longer ones, and ends the process. Of a longer one, contents are left out.
 */
const MAX_LINE = 1 << 25;

/**
 * Writes an event of a session file as JSON: numbers among arguments as they were spelled, counts
 * beyond 2^53 exactly.
 *
 * @param event The event.
 * @param lineLength How long the line is that it comes from.
 * @returns The text, without line ends.
 */
export function eventText(event: Fields, lineLength = 0): string {
  if (lineLength > MAX_LINE) return textOf(withoutContent(event));
  const { content } = event;
  const given = isObject(content)
    ? Reflect.get(content, ARGUMENTS_TEXT)
    : undefined;
  if (typeof given !== "string" || LINE_END_REGEXP.test(given)) {
    return textOf(event);
  }
  const text = textOf({
    ...event,
    content: { ...fieldsIn(content), arguments: PLACE },
  });
  const at = text.indexOf(PLACE_TEXT);
  return text.slice(0, at) + given + text.slice(at + PLACE_TEXT.length);
}

function fieldsIn(content: unknown): Fields {
  return isObject(content) ? content : {};
}

function withoutContent(event: Fields): Fields {
  const { content: _content, delta: _delta, error: _error, ...rest } = event;
  return { ...rest, is_cut: true };
}

function textOf(event: Fields): string {
  try {
    return JSON.stringify(event);
  } catch (error) {
    // Only exact counts have no JSON form of their own, and what nests too deep has none at all.
    return error instanceof TypeError
      ? JSON.stringify(event, exactNumber)
      : JSON.stringify(withoutContent(event));
  }
}

function exactNumber(_name: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  // Of ES2025, which the types of the compiler do not have yet.
  const rawJson: unknown = Reflect.get(JSON, "rawJSON");
  return typeof rawJson === "function" ? rawJson(String(value)) : Number(value);
}
