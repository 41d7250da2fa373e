/**
 * The arguments of a call, as a list of names and values (B.7).
 *
 * @module
 */

import { memberTexts } from "../../json/member_texts.ts";
import type { ToolArgument, ToolArgumentValue } from "../records.ts";
import { isObject, jsonTextOf } from "../../json/fields.ts";

/** Keys that JavaScript puts before all others. */
const INDEX_REGEXP = /^(?:0|[1-9]\d{0,9})$/;

/**
 * Lists the arguments of a call.
 *
 * @param value The arguments; absent, `null` and `{}` are none.
 * @param texts Gives the texts of the fields, in order, where the source is known: numbers then
 *   stand as they are spelled there.
 * @returns One argument for each field of an object, one for anything else.
 */
export function toolArguments(
  value: unknown,
  texts?: () => ReadonlyMap<string, string>,
): ToolArgument[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return [{ name: "items", value: valueOf(value) }];
  if (!isObject(value)) return [{ name: "args", value: valueOf(value) }];
  const fields = Object.entries(value).filter(([, field]) =>
    field !== undefined
  );
  const known = fields.some(isInexact) ? texts?.() : undefined;
  // A text that does not have them all is not that of these arguments.
  if (known === undefined || !fields.every(([name]) => known.has(name))) {
    return fields.map(([name, field]) => ({ name, value: valueOf(field) }));
  }
  const byName = new Map(fields);
  return [...known]
    .filter(([name]) => byName.has(name))
    .map(([name, text]) => ({ name, value: valueOf(byName.get(name), text) }));
}

/** Tells whether a field may have lost its spelling or its place when it was parsed. */
function isInexact([name, value]: readonly [string, unknown]): boolean {
  return typeof value === "number" || INDEX_REGEXP.test(name);
}

/**
 * Lists the arguments of a call, of which the JSON text may be known.
 *
 * @param value The arguments.
 * @param text Their text.
 * @returns The arguments, with numbers as they are spelled there.
 */
export function toolArgumentsOfText(
  value: unknown,
  text: string,
): ToolArgument[] {
  return typeof value === "number"
    ? [{ name: "args", value: valueOf(value, text.trim()) }]
    : toolArguments(value, () => memberTexts(text));
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
  const { type: _type, query: actionQuery, ...rest } = isObject(action)
    ? action
    : {};
  const words = [query, actionQuery].find((each) =>
    typeof each === "string" && each !== ""
  );
  return toolArguments({ query: words, ...rest });
}

function valueOf(value: unknown, source?: string): ToolArgumentValue {
  if (typeof value === "string") return { type: "text", text: value };
  return typeof value === "object" && value !== null
    ? { type: "json", value }
    : { type: "text", text: source ?? jsonTextOf(value) };
}
