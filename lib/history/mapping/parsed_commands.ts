/**
 * What a command does, as the producer parsed it.
 *
 * @module
 */

import type { ExecAction, ParsedCommand } from "../records.ts";
import { type Fields, isObject, listOf, textOf } from "../../json/fields.ts";

/** The variants of the fork, which tags with a key of its own. */
const FORK_TYPES: ReadonlyMap<string, string> = new Map([
  ["Read", "read"],
  ["ListFiles", "list_files"],
  ["Search", "search"],
  ["ReadCommand", "read_command"],
  ["Unknown", "unknown"],
]);
const ACTIONS: ReadonlyMap<string, ExecAction> = new Map([
  ["read", "read"],
  ["search", "search"],
  ["list_files", "list"],
]);

/**
 * Reads parsed commands in either spelling; what is neither is left out.
 *
 * @param value The field `parsed_cmd`.
 * @returns The commands, as the protocol spells them.
 */
export function readParsedCommands(value: unknown): ParsedCommand[] {
  return listOf(value).map(parsedCommandOf).filter((each) =>
    each !== undefined
  );
}

function parsedCommandOf(value: unknown): ParsedCommand | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value.type === "string") {
    return withType(value.type, value);
  }
  const [name, ...others] = Object.keys(value);
  const type = FORK_TYPES.get(name ?? "");
  if (name === undefined || type === undefined || others.length > 0) {
    return undefined;
  }
  const fields = value[name];
  return isObject(fields) ? withType(type, fields) : undefined;
}

function withType(type: string, fields: Fields): ParsedCommand {
  // Unknown fields stay; `cmd` is the one that every reader relies on.
  return { ...fields, type, cmd: textOf(fields.cmd) ?? "" };
}

/** Gives what a command does: the first thing that is more than running it. */
export function actionOf(parsed: readonly ParsedCommand[]): ExecAction {
  for (const { type } of parsed) {
    const action = ACTIONS.get(type);
    if (action !== undefined) return action;
  }
  return "run";
}

/** Tells whether a command only looks at things (B.11). */
export function isExploring(parsed: readonly ParsedCommand[]): boolean {
  return actionOf(parsed) !== "run" ||
    parsed.some(({ type }) => type === "read_command");
}
