/**
 * `codexpipe schema`.
 */

import { jsonSchemaOf, jsonSchemaOfAll } from "../../json_schema.ts";
import { JSON_SCHEMA_NAMES } from "../../schema_names.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { suggestion } from "../suggestion.ts";

/** Prints the JSON Schema of one thing, or of all. */
export async function run(
  { operands }: Arguments,
  { stdout }: CommandContext,
): Promise<number> {
  const [name, ...others] = operands;
  if (others.length > 0) {
    throw new UsageError("schema takes one name, or none for all of them");
  }
  const schema = name === undefined ? jsonSchemaOfAll() : one(name);
  const text = `${JSON.stringify(schema, undefined, 2)}\n`;
  await stdout.write(new TextEncoder().encode(text));
  return EXIT.done;
}

/** The schema of a name, however it is spelled: `ThreadEvent`, `thread-event`, `thread_event`. */
function one(given: string): ReturnType<typeof jsonSchemaOf> {
  const name = JSON_SCHEMA_NAMES.find((name) => plain(name) === plain(given));
  if (name !== undefined) return jsonSchemaOf(name);
  throw new UsageError(
    `there is no schema "${given}"${suggestion(given, JSON_SCHEMA_NAMES)}`,
  );
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}
