/**
 * The arguments of a call, as a list of names and values (B.7).
 *
 * @module
 */

import type { ToolArgument, ToolArgumentValue } from "../records.ts";
import { isFields, jsonTextOf, parseJson } from "./json_fields.ts";

/**
 * Lists the arguments of a call.
 *
 * @param value The arguments; absent, `null` and `{}` are none.
 * @returns One argument for each field of an object, one for anything else.
 */
export function toolArguments(value: unknown): ToolArgument[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return [{ name: "items", value: valueOf(value) }];
  if (!isFields(value)) return [{ name: "args", value: valueOf(value) }];
  return Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => ({ name, value: valueOf(field) }));
}

/**
 * Lists the arguments of a call that come as JSON text.
 *
 * @param text The text; what is no JSON is an argument as it stands, blank text is none.
 * @returns The arguments.
 */
export function toolArgumentsOfText(text: unknown): ToolArgument[] {
  if (typeof text !== "string") return toolArguments(text);
  if (text.trim() === "") return [];
  const value = parseJson(text);
  return toolArguments(value === undefined ? text : value);
}

/**
 * Puts newer arguments over older ones, name by name.
 *
 * @param older The arguments so far.
 * @param newer The arguments that replace those of the same name or follow them.
 * @returns All of them.
 */
export function mergeArguments(
  older: readonly ToolArgument[],
  newer: readonly ToolArgument[],
): ToolArgument[] {
  const merged = new Map(older.map((argument) => [argument.name, argument]));
  for (const argument of newer) merged.set(argument.name, argument);
  return [...merged.values()];
}

/**
 * Lists what a web search was asked for: the query, then what else the action says.
 *
 * @param query The query, if there is one.
 * @param action What the search did.
 * @returns The arguments.
 */
export function webSearchArguments(
  query: unknown,
  action: unknown,
): ToolArgument[] {
  const { type: _type, query: actionQuery, ...rest } = isFields(action)
    ? action
    : {};
  const words = [query, actionQuery].find((each) =>
    typeof each === "string" && each !== ""
  );
  return toolArguments({ query: words, ...rest });
}

function valueOf(value: unknown): ToolArgumentValue {
  if (typeof value === "string") return { type: "text", text: value };
  return typeof value === "object" && value !== null
    ? { type: "json", value }
    : { type: "text", text: jsonTextOf(value) };
}
