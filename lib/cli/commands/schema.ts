/** `codexpipe schema`. */

import { createTable, TABLE_NAMES } from "../../export/tables.ts";
import { jsonSchemaOf, jsonSchemaOfAll } from "../../json_schema.ts";
import { JSON_SCHEMA_NAMES } from "../../schema_names.ts";
import type { RunCommand } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { FORMATS } from "../flags.ts";
import { suggestion } from "../guesses.ts";

export const run: RunCommand = async ({ args, stdout }) => {
  const [name, ...others] = args.operands;
  if (others.length > 0) {
    throw new UsageError("schema takes one name, or none for all of them");
  }
  const isSql = args.choice("format", FORMATS.schema) === "sql";
  if (!isSql) args.refuseIdle(["content"], "without --format=sql");
  if (isSql) {
    const tables = name === undefined
      ? TABLE_NAMES
      : [named(name, TABLE_NAMES, "table")];
    const content = args.has("content");
    const texts = tables.map((table) => `${createTable(table, { content })}\n`);
    await stdout.writeText(texts.join("\n"));
  } else {
    const schema = name === undefined
      ? jsonSchemaOfAll()
      : jsonSchemaOf(named(name, JSON_SCHEMA_NAMES, "schema"));
    await stdout.writeText(`${JSON.stringify(schema, undefined, 2)}\n`);
  }
  return EXIT.done;
};

function named<T extends string>(
  given: string,
  names: readonly T[],
  noun: string,
): T {
  const name = names.find((name) => name === given);
  if (name !== undefined) return name;
  throw new UsageError(
    `there is no ${noun} "${given}"${suggestion(given, names)}`,
  );
}
