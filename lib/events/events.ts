/**
 * The events of session files and app-servers that `codex exec --json` does not have: prompts, the
 * context of turns, approvals, compactions, token counts.
 *
 * `decodeEvents()` reads the events of all carriers; `./exec` has the types of the events that they
 * share.
 *
 * @example The prompts of the user
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
  type SessionImage,
  type SessionItem,
  type SessionItemContents,
  type SessionItemEvent,
  type SessionItemFields,
} from "./session_items.ts";
