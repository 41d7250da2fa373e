/**
 * The normalized output of `codex exec --json`: the types of its events and items, and a check for
 * records of other programs.
 *
 * @example Check an event that another program stored as JSON
 * ```ts
 * import { decodeEvent, type TodoEntry } from "@codexpipe/codexpipe/exec";
 * import { assertEquals } from "@std/assert";
 *
 * const steps: TodoEntry[] = [{ title: "Fix the test", completed: true }];
 * const decoded = decodeEvent({
 *   type: "item.completed",
 *   thread_id: "t",
 *   item_id: "item_0",
 *   status: "completed",
 *   item_type: "todo_list",
 *   content: { items: steps },
 * });
 *
 * assertEquals(decoded.ok && decoded.value.type, "item.completed");
 * ```
 *
 * @module
 */

export type { Decoded, DecodedValue, Undecoded } from "../decoded.ts";
export * from "./events.ts";
export * from "./decoder.ts";
export type { InitialContext } from "./exec_rules.ts";
