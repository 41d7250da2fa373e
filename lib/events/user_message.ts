/**
 * What user messages hold: text, and what is attached to it.
 *
 * @module
 */

import {
  type Fields,
  fieldsOf,
  listOf,
  textOf,
  textsOf,
} from "../json/fields.ts";
import { isInjectedContext } from "./injected_context.ts";
import type { SessionImage } from "./session_items.ts";

/** What a user said, with what was attached. */
export interface UserMessage {
  /** The text. */
  readonly text: string;
  /** The images. */
  readonly images: readonly SessionImage[];
}

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
 * Tells whether the program put a message into the conversation: one of its parts says so.
 *
 * @param content The parts of a response item.
 */
export function isInjectedMessage(content: unknown): boolean {
  return partsOf(content).some((part) =>
    isInjectedContext(wordsOf(part) ?? "")
  );
}

/**
 * Reads the content of a user message.
 *
 * @param content The parts: those of a response item, or of an item of the program.
 * @returns The message.
 */
export function readUserContent(content: unknown): UserMessage {
  const parts = partsOf(content);
  const texts: string[] = [];
  const images: SessionImage[] = [];
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
      ...textsOf(event.images).map((url) => ({ url })),
      ...textsOf(event.local_images).map((path) => ({ path })),
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

function imageOf(part: Fields): SessionImage | undefined {
  if (part.type === "local_image") {
    const path = textOf(part.path);
    return path === undefined ? undefined : { path };
  }
  if (part.type !== "input_image" && part.type !== "image") return undefined;
  const url = textOf(part.image_url) ?? textOf(fieldsOf(part.image_url).url) ??
    textOf(part.url);
  return url === undefined ? undefined : { url };
}
