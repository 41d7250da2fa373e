/** Finds the message in errors of servers. */

import { fieldsOf, parseJson, textOf } from "../json/fields.ts";

/**
 * Returns an error with the message of a server in place of the JSON that holds it.
 *
 * @param text The message of an error: prose, JSON, or JSON within prose.
 */
export function errorText(text: string): string {
  const start = text.indexOf("{");
  if (start === -1) return text;
  const end = text.lastIndexOf("}") + 1;
  const fields = fieldsOf(parseJson(text.slice(start, end)));
  const message = textOf(fieldsOf(fields.error).message) ??
    textOf(fields.message) ?? textOf(fields.detail) ?? "";
  return message.trim() === ""
    ? text
    : text.slice(0, start) + message.trim() + text.slice(end);
}
