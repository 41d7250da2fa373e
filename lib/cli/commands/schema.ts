/** `codexpipe schema`. */

import {
  type ColumnOptions,
  createTable,
  TABLE_NAMES,
} from "../../export/tables.ts";
import { jsonSchemaOf, jsonSchemaOfAll } from "../../json_schema.ts";
import { JSON_SCHEMA_NAMES } from "../../schema_names.ts";
import type { RunCommand } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { SCHEMA_FORMATS } from "../flags.ts";
import { suggestion } from "../guesses.ts";

export const run: RunCommand = async ({ args, stdout }) => {
  const [name, ...others] = args.operands;
  if (others.length > 0) {
    throw new UsageError("schema takes one name, or none for all of them");
  }
  const isSql = args.choice("format", SCHEMA_FORMATS) === "sql";
  if (!isSql) args.refuseIdle(["content"], "without --format=sql");
  const text = isSql
    ? statements(name, { content: args.has("content") })
    : `${JSON.stringify(schemaOf(name), undefined, 2)}\n`;
  await stdout.writeText(text);
  return EXIT.done;
};

/** The CREATE TABLE statement of a table, or of all tables. */
function statements(given: string | undefined, options: ColumnOptions): string {
  const names = given === undefined
    ? TABLE_NAMES
    : [named(given, TABLE_NAMES, "table")];
  return names.map((name) => `${createTable(name, options)}\n`).join("\n");
}

function schemaOf(
  given: string | undefined,
): ReturnType<typeof jsonSchemaOfAll> {
  return given === undefined
    ? jsonSchemaOfAll()
    : jsonSchemaOf(named(given, JSON_SCHEMA_NAMES, "schema"));
}

/** Finds a name regardless of its spelling: `ThreadEvent`, `thread-event`, `thread_event`. */
function named<T extends string>(
  given: string,
  names: readonly T[],
  noun: string,
): T {
  const name = names.find((name) => plain(name) === plain(given));
  if (name !== undefined) return name;
  throw new UsageError(
    `there is no ${noun} "${given}"${suggestion(given, names)}`,
  );
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}
