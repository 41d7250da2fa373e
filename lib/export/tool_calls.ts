/**
 * Reads tool calls from items of all types that are calls: name, arguments and result.
 *
 * @module
 */

import { statesText } from "../events/contents.ts";
import { USER_SHELL } from "../events/copies.ts";
import { ARGUMENTS_TEXT } from "../events/session_items.ts";
import {
  type Fields,
  fieldsOf,
  jsonTextOf,
  listOf,
  textOf,
} from "../json/fields.ts";
import { knownItem } from "../history/item_types.ts";

/** The name of a tool, and the arguments of a call of it. */
export interface ToolCall {
  readonly name: string;
  readonly args: unknown;
  /** Whether its item is of an unknown type: then the model may have made no such call. */
  readonly isUnknown?: boolean;
}

/** Reads the name of the tool and the arguments from the content and event of an item. */
type ReadCall = (
  content: Fields,
  event: Fields,
) => readonly [name: string, args: unknown];

/** The readers of calls, by the types of items that are calls. */
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

/** The calls that the provider of the model runs: session files have no outputs for them. */
export const HOSTED_TOOLS: ReadonlySet<unknown> = new Set([
  "image_generation",
  "web_search",
]);

/**
 * Reads the tool call of an item; `undefined` if it is not a call. Plans are not calls here, but
 * items of unknown types are, so that the work of releases to come is not left out.
 */
export function toolCallOf(event: Fields): ToolCall | undefined {
  const { item_type, content } = knownItem(event);
  const read = CALLS.get(item_type);
  if (read === undefined) return undefined;
  const [name, args] = read(fieldsOf(content), event);
  return { name, args, isUnknown: item_type !== event.item_type };
}

/** The origin of commands that the user ran, in session files and in app-servers. */
const USERS_ORIGINS: ReadonlySet<unknown> = new Set([USER_SHELL, "userShell"]);

/** Whether an event is of a command that the user ran, and not the model. */
export function isUsersCommand(
  { item_type, call_id, line, content }: Fields,
): boolean {
  return USERS_ORIGINS.has(fieldsOf(content).source) ||
    typeof line === "number" && call_id === undefined &&
      item_type === "command_execution";
}

/** Returns the arguments of a call as text: their JSON as in the input, if that is known. */
export function argumentsTextOf(event: Fields, args: unknown): string {
  const spelled = Reflect.get(fieldsOf(event.content), ARGUMENTS_TEXT);
  return textOf(spelled) ?? textOf(args) ?? jsonTextOf(args);
}

/**
 * Reads the parts of the result of a call, and its error, from its last event; `undefined` if it
 * has none.
 */
export function resultPartsOf(event: Fields): readonly unknown[] | undefined {
  const { stdout, stderr, result, output, content_items, error } = fieldsOf(
    event.content,
  );
  const parts = [
    textOf(stdout),
    textOf(stderr),
    ...[fieldsOf(result).content, output, event.output, content_items]
      .flatMap(listOf),
    // In streams, only the states of agents have what these answered.
    statesText(event),
    textOf(fieldsOf(event.error ?? error).message),
  ].filter((part) => part !== undefined && partText(part) !== "");
  return parts.length === 0 && stdout === undefined ? undefined : parts;
}

/** Reads the result of a call as {@linkcode resultPartsOf} does, with the types of images. */
export function resultTextOf(event: Fields): string | undefined {
  return resultPartsOf(event)?.map(partText).join("\n");
}

/** Returns the URL of a part that is an image of a model or of MCP; `undefined` for other parts. */
export function imageUrlOf(part: unknown): string | undefined {
  const { type, image_url, data, mimeType } = fieldsOf(part);
  if (type === "input_image") return textOf(image_url) ?? "";
  return type === "image" && typeof data === "string"
    ? `data:${textOf(mimeType) ?? ""};base64,${data}`
    : undefined;
}

const DATA_URL_REGEXP = /^data:([\w.+/-]+);base64,/;

/** Returns the media type and the base64 text of a data URL; `undefined` for other URLs. */
export function dataOfUrl(
  url: string,
): { readonly type: string; readonly base64: string } | undefined {
  const [prefix = "", type = ""] = DATA_URL_REGEXP.exec(url) ?? [];
  return prefix === "" ? undefined : { type, base64: url.slice(prefix.length) };
}

/** Returns the text that stands for an image, such as `[image: image/png]`. */
export function imageText(url: string): string {
  return `[image: ${(dataOfUrl(url)?.type ?? url) || "unknown"}]`;
}

/** Returns the text of a part: its own, that which stands for an image, or its JSON. */
export function partText(part: unknown): string {
  const url = imageUrlOf(part);
  if (url !== undefined) return imageText(url);
  return textOf(part) ?? textOf(fieldsOf(part).text) ?? jsonTextOf(part);
}
