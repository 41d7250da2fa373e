/**
 * What a person wrote in a record of a session.
 */

import { isInjectedContext } from "../history/mapping/injected_context.ts";
import {
  type Fields,
  fieldsOf,
  listOf,
  textOf,
} from "../history/mapping/json_fields.ts";
import type { UserMessage } from "../history/mapping/messages.ts";
import {
  readUserContent,
  readUserEvent,
} from "../history/mapping/user_content.ts";

/** How much is kept of a message, in UTF-16 code units. */
const MAX_MESSAGE = 500;
/** What an editor's extension puts before the words of the person. */
const REQUEST_MARK = "## My request for Codex:";

/**
 * Gives what a person wrote in a record, or what stands for it.
 *
 * @param record A normalized rollout record.
 * @returns The text; `undefined` if the record is no message, or none of a person's.
 */
export function userMessageOf(record: unknown): string | undefined {
  const { type, payload } = fieldsOf(record);
  const item = fieldsOf(payload);
  switch (type) {
    case "response_item":
      return item.type === "message" && item.role === "user"
        ? messageText(readUserContent(item.content), item)
        : undefined;
    case "event_msg":
      return messageInEvent(item);
    case "event":
      return messageInEvent(fieldsOf(item.msg));
    default:
      return undefined;
  }
}

function messageInEvent(event: Fields): string | undefined {
  if (event.type === "user_message") {
    const message = readUserEvent(event);
    // Some releases wrote such events of what the program put there, too.
    return isInjectedContext(message.text)
      ? undefined
      : messageText(message, event);
  }
  const item = fieldsOf(event.item);
  return event.type === "item_completed" && item.type === "UserMessage"
    ? messageText(readUserContent(item.content), item)
    : undefined;
}

function messageText(
  message: UserMessage | undefined,
  source: Fields,
): string | undefined {
  if (message === undefined) return undefined;
  const { text, images } = message;
  const at = text.indexOf(REQUEST_MARK);
  const words = (at === -1 ? text : text.slice(at + REQUEST_MARK.length))
    .trim();
  if (words.length > MAX_MESSAGE) {
    // Not with half of a pair at the end.
    return words.slice(0, MAX_MESSAGE).replace(/[\ud800-\udbff]$/, "")
      .toWellFormed();
  }
  if (words !== "") return words.toWellFormed();
  if (images.length > 0) return "[Image]";
  const parts = listOf(source.content).map((part) => fieldsOf(part).type);
  return parts.some((type) => /audio/.test(textOf(type) ?? ""))
    ? "[Audio]"
    : undefined;
}
