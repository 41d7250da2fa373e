/**
 * The content of user messages: text, and what is attached to it.
 *
 * @module
 */

import {
  type ImageRecord,
  imageRecord,
  imageRecordOfUrl,
  pathOf,
} from "./images.ts";
import { isInjectedContext } from "./injected_context.ts";
import {
  type Fields,
  fieldsOf,
  listOf,
  textOf,
  textsOf,
} from "./json_fields.ts";
import { eventOf } from "./line_events.ts";
import type { UserMessage } from "./messages.ts";

const MEDIA_TYPES: ReadonlySet<unknown> = new Set([
  "audio",
  "image",
  "input_audio",
  "input_image",
  "local_audio",
  "local_image",
]);
const LABEL_REGEXP = /^<(?:image|audio)\b[^>]*>$|^<\/(?:image|audio)>$/i;

/**
 * Gives what a record of a session says in the name of the user: a message, its item in the app
 * protocol, or a `user_message` event. What the program said in that name is among them.
 *
 * @param record A normalized rollout record.
 * @returns Its fields; `undefined` if the record is none of these.
 */
export function userItemOf(record: Fields): Fields | undefined {
  if (record.type !== "response_item") return userItemIn(eventOf(record));
  const { type, role } = fieldsOf(record.payload);
  return type === "message" && role === "user"
    ? fieldsOf(record.payload)
    : undefined;
}

function userItemIn(event: Fields | undefined): Fields | undefined {
  if (event?.type === "user_message") return event;
  const item = fieldsOf(event?.item);
  return event?.type === "item_completed" && item.type === "UserMessage"
    ? item
    : undefined;
}

/**
 * Reads the content of a user message as the model has it, where the program speaks, too.
 *
 * @param content The parts: those of a response item, or of an item of the app protocol.
 * @returns The message, or `undefined` if the program put it into the conversation.
 */
export function readUserContent(content: unknown): UserMessage | undefined {
  const isInjected = partsOf(content).some((part) =>
    isInjectedContext(wordsOf(part) ?? "")
  );
  return isInjected ? undefined : readUserItem(content);
}

/**
 * Reads the content of a message that is the user's whatever it says.
 *
 * @param content The parts, as for {@linkcode readUserContent}.
 * @returns The message.
 */
export function readUserItem(content: unknown): UserMessage {
  const parts = partsOf(content);
  const texts: string[] = [];
  const images: ImageRecord[] = [];
  for (const [at, part] of parts.entries()) {
    const image = imageOf(part);
    if (image !== undefined) images.push(image);
    const text = wordsOf(part);
    if (text === undefined) continue;
    const isBesideMedia = isMedia(parts[at - 1]) || isMedia(parts[at + 1]);
    if (!isBesideMedia || !LABEL_REGEXP.test(text.trim())) texts.push(text);
  }
  return { text: texts.join(""), images };
}

/**
 * Reads a `user_message` event.
 *
 * @param event The event.
 * @returns The message: URLs first, then files.
 */
export function readUserEvent(event: Fields): UserMessage {
  return {
    text: textOf(event.message) ?? "",
    images: [
      ...textsOf(event.images).map(imageRecordOfUrl),
      ...textsOf(event.local_images).map((path) => imageRecord(pathOf(path))),
    ],
  };
}

function partsOf(content: unknown): Fields[] {
  return (typeof content === "string" ? [content] : listOf(content))
    .map((part) => typeof part === "string" ? { text: part } : fieldsOf(part));
}

/** Whatever a part is called: if it has a text, and is no image, that was said. */
function wordsOf(part: Fields): string | undefined {
  return isMedia(part) ? undefined : textOf(part.text);
}

function isMedia(part: Fields | undefined): boolean {
  return MEDIA_TYPES.has(part?.type);
}

function imageOf(part: Fields): ImageRecord | undefined {
  if (part.type === "local_image") {
    const path = textOf(part.path);
    return path === undefined ? undefined : imageRecord(pathOf(path));
  }
  if (part.type !== "input_image" && part.type !== "image") return undefined;
  const url = textOf(part.image_url) ?? textOf(fieldsOf(part.image_url).url) ??
    textOf(part.url);
  return url === undefined ? undefined : imageRecordOfUrl(url);
}
