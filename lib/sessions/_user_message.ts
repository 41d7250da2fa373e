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
import { eventOf } from "../history/mapping/line_events.ts";
import type { UserMessage } from "../history/mapping/messages.ts";
import {
  readUserContent,
  readUserEvent,
  readUserItem,
  userItemOf,
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
  const item = userItemOf(fieldsOf(record));
  if (item === undefined) return undefined;
  // What the program says in the user's name is no item.
  if (item.type === "UserMessage") {
    return messageText(readUserItem(item.content), item);
  }
  if (item.type !== "user_message") {
    return messageText(readUserContent(item.content), item);
  }
  const message = readUserEvent(item);
  // Some releases wrote such events of what the program put there, too.
  return isInjectedContext(message.text)
    ? undefined
    : messageText(message, item);
}

/**
 * Gives the goal that a record says a session has.
 *
 * @param record A normalized rollout record.
 * @returns The goal; `undefined` if the record says none.
 */
export function goalOf(record: unknown): string | undefined {
  const event = eventOf(fieldsOf(record));
  if (event?.type !== "thread_goal_updated") return undefined;
  const words = textOf(fieldsOf(event.goal).objective)?.trim() ?? "";
  return words === "" ? undefined : startOf(words);
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
  if (words !== "") return startOf(words);
  if (images.length > 0) return "[Image]";
  const parts = listOf(source.content).map((part) => fieldsOf(part).type);
  return parts.some((type) => /audio/.test(textOf(type) ?? ""))
    ? "[Audio]"
    : undefined;
}

/** Gives the beginning of a text, and not half of a pair at its end. */
function startOf(words: string): string {
  const start = words.length > MAX_MESSAGE
    ? words.slice(0, MAX_MESSAGE).replace(/[\ud800-\udbff]$/, "")
    : words;
  return start.toWellFormed();
}
