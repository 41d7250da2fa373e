/**
 * What a person wrote in a record of a session.
 */

import {
  readGoal,
  readUserItem,
  type UserItem,
} from "../events/user_message.ts";
import { fieldsOf, listOf, textOf } from "../json/fields.ts";

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
  const item = readUserItem(fieldsOf(record));
  return item && messageText(item);
}

/**
 * Gives the goal that a record says a session has.
 *
 * @param record A normalized rollout record.
 * @returns The goal; `undefined` if the record says none.
 */
export function goalOf(record: unknown): string | undefined {
  const words = readGoal(fieldsOf(record))?.trim() ?? "";
  return words === "" ? undefined : startOf(words);
}

function messageText({ text, images, parts }: UserItem): string | undefined {
  const at = text.indexOf(REQUEST_MARK);
  const words = (at === -1 ? text : text.slice(at + REQUEST_MARK.length))
    .trim();
  if (words !== "") return startOf(words);
  if (images.length > 0) return "[Image]";
  const types = listOf(parts).map((part) => textOf(fieldsOf(part).type) ?? "");
  return types.some((type) => /audio/.test(type)) ? "[Audio]" : undefined;
}

/** Gives the beginning of a text, and not half of a pair at its end. */
function startOf(words: string): string {
  const start = words.length > MAX_MESSAGE
    ? words.slice(0, MAX_MESSAGE).replace(/[\ud800-\udbff]$/, "")
    : words;
  return start.toWellFormed();
}
