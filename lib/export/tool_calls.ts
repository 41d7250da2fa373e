/**
 * What events say of the calls of tools, whatever type their items have.
 *
 * @module
 */

import {
  type Fields,
  fieldsOf,
  jsonTextOf,
  listOf,
  textOf,
} from "../json/fields.ts";

/** Gives what a call is of, and what it was given, by what an event says of its item. */
type ReadCall = (
  content: Fields,
  event: Fields,
) => readonly [name: string, args: unknown];

/** The items that are calls of a tool. */
const CALLS: ReadonlyMap<unknown, ReadCall> = new Map<unknown, ReadCall>([
  ["command_execution", ({ command, cwd }) => ["shell", { command, cwd }]],
  ["file_change", ({ changes }) => ["apply_patch", { changes }]],
  ["mcp_tool_call", ({ server_name, tool_name, arguments: args }) => [
    `mcp__${server_name}__${tool_name}`,
    args,
  ]],
  ["web_search", ({ query, action }) => ["web_search", { query, action }]],
  ["collab_tool_call", (_, { tool, prompt, receiver_thread_ids }) => [
    textOf(tool) ?? "",
    { prompt, receiver_thread_ids },
  ]],
  ["tool_call", ({ name, arguments: args }) => [textOf(name) ?? "", args]],
  ["dynamic_tool_call", ({ tool, arguments: args }) => [
    textOf(tool) ?? "",
    args,
  ]],
  ["image_view", ({ path }) => ["view_image", { path }]],
  ["image_generation", ({ revised_prompt }) => [
    "image_generation",
    { prompt: revised_prompt },
  ]],
]);

/**
 * Gives what a call is of, and what it was given.
 *
 * @param event An event of an item.
 * @returns The name of the tool and its arguments; nothing if the item is no call, or is a plan.
 */
export function toolCallOf(
  event: Fields,
): { readonly name: string; readonly args: unknown } | undefined {
  const read = CALLS.get(event.item_type);
  if (read === undefined) return undefined;
  const [name, args] = read(fieldsOf(event.content), event);
  return { name, args };
}

/**
 * Gives what came of a call.
 *
 * @param event The event that says that the item has ended.
 * @returns The text; nothing if the event has none.
 */
export function resultTextOf(event: Fields): string | undefined {
  const { stdout, stderr, result, output, content_items, error } = fieldsOf(
    event.content,
  );
  const parts = [
    textOf(stdout),
    textOf(stderr),
    ...[fieldsOf(result).content, output, event.output, content_items]
      .flatMap(listOf).map(partText),
    textOf(fieldsOf(event.error ?? error).message),
  ].filter((text) => text !== undefined && text !== "");
  return parts.length === 0 && stdout === undefined
    ? undefined
    : parts.join("\n");
}

function partText(part: unknown): string {
  return textOf(part) ?? textOf(fieldsOf(part).text) ?? jsonTextOf(part);
}
