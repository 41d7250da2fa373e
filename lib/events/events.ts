/**
 * What events of session files and app servers say beyond those of `codex exec --json`: prompts,
 * the context of turns, approvals, compactions, counts of tokens.
 *
 * The events of both are read by `decodeEvents()`; `./exec` has the types of what both say.
 *
 * @example What the user said
 * ```ts
 * import { decodeEvents } from "@codexpipe/codexpipe";
 * import { isSessionItem } from "@codexpipe/codexpipe/events";
 * import { assertEquals } from "@std/assert";
 *
 * const line = '{"type":"event_msg","payload":{"type":"user_message","message":"Hi"}}\n';
 * const prompts: (string | undefined)[] = [];
 * for await (const { value: event } of decodeEvents(new Blob([line]).stream())) {
 *   if (event && isSessionItem(event, "user_message")) prompts.push(event.content.text);
 * }
 *
 * assertEquals(prompts, ["Hi"]);
 * ```
 *
 * @module
 */

export {
  ARGUMENTS_TEXT,
  isSessionItem,
  type SessionContents,
  type SessionEventFields,
  type SessionFileChange,
  type SessionHeaderFields,
  type SessionImage,
  type SessionItem,
  type SessionItemContents,
  type SessionItemEvent,
  type SessionItemFields,
} from "./session_items.ts";
