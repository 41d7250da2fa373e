/**
 * What single lines of a session file say in the name of the user, for those who read but the
 * first of them.
 *
 * @module
 */

import { type Fields, fieldsOf, textOf } from "../json/fields.ts";
import { isInjectedContext } from "./injected_context.ts";
import {
  isInjectedMessage,
  readUserContent,
  readUserEvent,
  type UserMessage,
} from "./user_message.ts";

/** What a user said in a line. */
export interface UserItem extends UserMessage {
  /** The parts of the message, where it has any. */
  readonly parts: unknown;
}

/**
 * Reads what a line says in the name of the user, and no program: a message, its item in the app
 * protocol, or a `user_message` event.
 *
 * @param line The line, normalized.
 * @returns The message; `undefined` if the line is none.
 */
export function readUserItem(line: Fields): UserItem | undefined {
  const payload = fieldsOf(line.payload);
  if (line.type === "response_item") {
    const { type, role, content } = payload;
    const isOfUser = type === "message" && role === "user" &&
      !isInjectedMessage(content);
    return isOfUser
      ? { ...readUserContent(content), parts: content }
      : undefined;
  }
  const event = eventOf(line);
  if (event?.type === "user_message") {
    const message = readUserEvent(event);
    // Some releases wrote such events of what the program put there, too.
    return isInjectedContext(message.text)
      ? undefined
      : { ...message, parts: event.content };
  }
  const { type, content } = fieldsOf(event?.item);
  // What the program says in the user's name is no item.
  return event?.type === "item_completed" && type === "UserMessage"
    ? { ...readUserContent(content), parts: content }
    : undefined;
}

/**
 * Gives the goal that a line says a session has.
 *
 * @param line The line, normalized.
 * @returns The goal; `undefined` if the line says none.
 */
export function readGoal(line: Fields): string | undefined {
  const event = eventOf(line);
  return event?.type === "thread_goal_updated"
    ? textOf(fieldsOf(event.goal).objective)
    : undefined;
}

function eventOf({ type, payload }: Fields): Fields | undefined {
  if (type === "event_msg") return fieldsOf(payload);
  return type === "event" ? fieldsOf(fieldsOf(payload).msg) : undefined;
}
