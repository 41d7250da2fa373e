/**
 * Schemas of the records that codexpipe makes of the output of the Codex CLI, for
 * {@link https://valibot.dev | valibot}: one for each event, for the contents of items, and for
 * the lines of rollout files and their payloads.
 *
 * They describe normalized records: canonical names only, defaults written. They are open, as the
 * formats are: unknown fields and unknown item types are kept. Like every open object of valibot,
 * they accept a list for an object without required fields; the JSON Schema that
 * `@valibot/to-json-schema` makes of them does not.
 *
 * To decode records, use the decoders of `@codexpipe/codexpipe`: they make the same checks, are
 * many times as fast, and do not load valibot.
 *
 * @example Check a record and list its mistakes
 * ```ts
 * import { SCHEMAS } from "@codexpipe/codexpipe/schema";
 * import { assertEquals } from "@std/assert";
 * import * as v from "valibot";
 *
 * const content = { command: "ls", exit_code: "0", pid: 17 };
 * const { success, issues } = v.safeParse(SCHEMAS.CommandExecutionContent, content);
 *
 * assertEquals(success, false);
 * assertEquals(issues?.map(({ message }) => message), [
 *   'Invalid type: Expected number but received "0"',
 * ]);
 * ```
 *
 * @example Recognize the failed lines in a normalized stream
 * ```ts
 * import { SCHEMAS } from "@codexpipe/codexpipe/schema";
 * import { assert } from "@std/assert";
 * import * as v from "valibot";
 *
 * const record = JSON.parse(
 *   '{"type":"line.failed","line":2,"offset":40,"error":{"kind":"json","message":"…"},"raw":"{"}',
 * );
 *
 * assert(v.is(SCHEMAS.LineFailed, record));
 * ```
 *
 * @example JSON Schema
 * ```ts
 * import { SCHEMAS } from "@codexpipe/codexpipe/schema";
 * import { assertEquals } from "@std/assert";
 * import { toJsonSchema } from "@valibot/to-json-schema";
 *
 * assertEquals(toJsonSchema(SCHEMAS.TodoEntry), {
 *   $schema: "http://json-schema.org/draft-07/schema#",
 *   type: "object",
 *   properties: { title: { type: "string" }, completed: { type: "boolean" } },
 *   required: ["title", "completed"],
 * });
 * ```
 *
 * @module
 */

import * as check from "./check/schema.ts";
import * as drift from "./drift/schema.ts";
import * as events from "./events/schema.ts";
import { EXEC_SCHEMAS, type ExecTypes } from "./dialects/exec/schema.ts";
import * as tables from "./export/schema.ts";
import {
  HISTORY_SCHEMAS,
  type HistoryRecordTypes,
  type HistoryTypes,
} from "./history/schema.ts";
import * as lines from "./lines/schema.ts";
import {
  ROLLOUT_SCHEMA_MAPS,
  ROLLOUT_SCHEMAS,
  type RolloutTypeMaps,
  type RolloutTypes,
} from "./dialects/rollout/schema.ts";
import * as sessions from "./sessions/schema.ts";
import type { SchemasOf } from "./shapes/schema.ts";
import * as usage from "./usage/schema.ts";

export type { ExecTypes } from "./dialects/exec/schema.ts";
export type {
  RolloutTypeMaps,
  RolloutTypes,
} from "./dialects/rollout/schema.ts";
export type {
  HistoryRecordTypes,
  HistoryTypes,
  PascalCase,
} from "./history/schema.ts";
export type { SchemasOf } from "./shapes/schema.ts";

/** The exports of the modules that hold schemas as `*Schema` constants. */
export type SchemaModules =
  & typeof check
  & typeof drift
  & typeof events
  & typeof lines
  & typeof sessions
  & typeof tables
  & typeof usage;

/**
 * The schema of each type, by its name: `SCHEMAS.ThreadEvent` is that of `ThreadEvent`. For a map
 * of types such as `EventMsgs`, it is a map of schemas.
 */
export const SCHEMAS:
  & SchemasOf<ExecTypes & RolloutTypes & HistoryTypes & HistoryRecordTypes>
  & { readonly [N in keyof RolloutTypeMaps]: SchemasOf<RolloutTypeMaps[N]> }
  & {
    readonly [
      Name in keyof SchemaModules as Name extends `${infer Type}Schema` ? Type
        : never
    ]: SchemaModules[Name];
  } = {
    ...EXEC_SCHEMAS,
    ...ROLLOUT_SCHEMAS,
    ...HISTORY_SCHEMAS,
    ...ROLLOUT_SCHEMA_MAPS,
    ...Object.fromEntries(
      [check, drift, events, lines, sessions, tables, usage]
        .flatMap((module) => Object.entries(module))
        .map(([name, schema]) => [name.replace("Schema", ""), schema]),
    ),
  } as never;
