/**
 * Schemas of what codexpipe makes of the output of the Codex CLI, for
 * {@link https://valibot.dev | valibot}: one for each event, for what items hold, and for
 * the lines of rollout files and what they hold.
 *
 * They describe normalized records: canonical names only, defaults written. They are open,
 * as the formats are: fields that they do not name are kept, and so is every item type. The
 * output of each schema is its input, the same object. `@valibot/to-json-schema` makes JSON
 * Schema of them.
 *
 * To decode records, use the decoders of `@codexpipe/codexpipe`: they check the same, are
 * many times as fast, and do not load valibot.
 *
 * @example Check a record, and see what is wrong
 * ```ts
 * import { CommandExecutionContentSchema } from "@codexpipe/codexpipe/schema";
 * import { assertEquals } from "@std/assert";
 * import * as v from "valibot";
 *
 * const content = { command: "ls", exit_code: "0", pid: 17 };
 * const { success, issues } = v.safeParse(CommandExecutionContentSchema, content);
 *
 * assertEquals(success, false);
 * assertEquals(issues?.map(({ message }) => message), ["a string, expected a whole number"]);
 * ```
 *
 * @example JSON Schema
 * ```ts
 * import { TodoEntrySchema } from "@codexpipe/codexpipe/schema";
 * import { assertEquals } from "@std/assert";
 * import { toJsonSchema } from "@valibot/to-json-schema";
 *
 * assertEquals(toJsonSchema(TodoEntrySchema), {
 *   $schema: "http://json-schema.org/draft-07/schema#",
 *   type: "object",
 *   properties: { title: { type: "string" }, completed: { type: "boolean" } },
 *   required: ["title", "completed"],
 * });
 * ```
 *
 * @module
 */

export * from "./check/schema.ts";
export * from "./drift/schema.ts";
export * from "./events/schema.ts";
export * from "./dialects/exec/schema.ts";
export * from "./history/schema.ts";
export * from "./lines/schema.ts";
export * from "./dialects/rollout/schema.ts";
export * from "./sessions/schema.ts";
export * from "./usage/schema.ts";
