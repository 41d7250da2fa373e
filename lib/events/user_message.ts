/** User messages, and the distinction of prompts from text that the program inserts. */

import {
  type Fields,
  fieldsOf,
  knownFields,
  listOf,
  textOf,
  textsOf,
} from "../json/fields.ts";
import type { SessionImage } from "./session_items.ts";
import { contentTexts } from "./tool_output.ts";

export interface UserMessage {
  readonly text: string;
  readonly images: readonly SessionImage[];
  /** The text with those that stand for images, if there are any: some events have it. */
  readonly whole?: string;
}

const MEDIA_TYPES: ReadonlySet<unknown> = new Set([
  "audio",
  "image",
  "input_audio",
  "input_image",
  "local_audio",
  "local_image",
]);
/** The types of images with a URL or data; dynamic tools return the last one. */
const IMAGE_TYPES: ReadonlySet<unknown> = new Set([
  "image",
  "input_image",
  "inputImage",
]);
/** Matches the text that the model receives in place of an image that could not be read. */
const UNREAD_REGEXP =
  /^(?:Codex could not read the local image|Codex cannot attach image|Image located) at `([^`\n]+)`(?: is invalid)?: /;
/** Matches the text that the model receives in place of media that could not be processed. */
const OMITTED_REGEXP =
  /^(?:(?:image|audio) content omitted because |Codex (?:cannot attach|could not read the local) audio at `[^`\n]+`: ).*$/;
const LABEL_PATH_REGEXP = /^<image\b[^>]*\bpath="([^"]*)"/;
const LABEL_REGEXP = /^<(?:image|audio)\b[^>]*>$|^<\/(?:image|audio)>$/i;

export function isUnreadImage(text: string): boolean {
  return UNREAD_REGEXP.test(text);
}

/** Whether the program inserted a message: one of its parts is injected context. */
export function isInjectedMessage(content: unknown): boolean {
  return partsOf(content).some((part) =>
    isInjectedContext(wordsOf(part) ?? "")
  );
}

/** Reads the parts of a user message, in a response item or in an item of the program. */
export function readUserContent(content: unknown): UserMessage {
  const parts = partsOf(content);
  const words: string[] = [];
  const texts: string[] = [];
  const images: SessionImage[] = [];
  for (const [at, part] of parts.entries()) {
    const image = imageOf(part, parts[at - 1]);
    if (image !== undefined) images.push(image);
    const text = wordsOf(part);
    if (text === undefined) continue;
    const isBesideMedia = isMedia(parts[at - 1]) || isMedia(parts[at + 1]);
    if (isBesideMedia && LABEL_REGEXP.test(text.trim())) continue;
    words.push(text);
    if (image === undefined) texts.push(text);
  }
  const hasSound = parts.some(({ type }) => /audio/.test(textOf(type) ?? ""));
  return {
    text: toldText(texts.join(""), images, hasSound),
    images,
    ...(words.length === texts.length ? {} : { whole: words.join("") }),
  };
}

/** Reads a `user_message` event; its images with URLs come before those with paths. */
export function readUserEvent(event: Fields): UserMessage {
  const images = [
    ...textsOf(event.images).map((url) => ({ url })),
    ...textsOf(event.local_images).map((path) => ({ path })),
  ];
  const hasSound = [event.audio, event.local_audio]
    .some((sounds) => listOf(sounds).length > 0);
  return {
    text: toldText(textOf(event.message) ?? "", images, hasSound),
    images,
  };
}

/** A message with only audio has no other content to show. */
function toldText(
  text: string,
  images: readonly SessionImage[],
  hasSound: boolean,
): string {
  const isSound = hasSound && text.trim() === "" && images.length === 0;
  return isSound ? "[Audio]" : text;
}

function partsOf(content: unknown): Fields[] {
  return (Array.isArray(content) ? content : [content])
    .map((part) => typeof part === "string" ? { text: part } : fieldsOf(part));
}

/** Returns the text of a part of any type except media. */
function wordsOf(part: Fields): string | undefined {
  const texts = isMedia(part) ? [] : contentTexts(part.text);
  return texts.length === 0 ? undefined : texts.join("");
}

function isMedia(part: Fields | undefined): boolean {
  return MEDIA_TYPES.has(part?.type) || isOmitted(part);
}

/** Whether the model received a text in place of media; items of the program have the media. */
function isOmitted(part: Fields | undefined): boolean {
  return part?.type === "input_text" &&
    OMITTED_REGEXP.test(textOf(part.text) ?? "");
}

/**
 * Returns the image of a part; the part before it may be a label with its path. An omitted image
 * without one has its place all the same: events name images by their order.
 */
function imageOf(
  part: Fields,
  label: Fields | undefined,
): SessionImage | undefined {
  if (part.type === "local_image") {
    const path = textOf(part.path);
    return path === undefined ? undefined : { path };
  }
  if (!IMAGE_TYPES.has(part.type)) {
    const text = textOf(part.text) ?? "";
    if (isOmitted(part) && text.startsWith("image")) {
      const [, path] = LABEL_PATH_REGEXP.exec(textOf(label?.text) ?? "") ?? [];
      return knownFields({ path });
    }
    const [, path] = UNREAD_REGEXP.exec(text) ?? [];
    return path === undefined ? undefined : { path };
  }
  const image = part.image_url ?? part.imageUrl;
  const url = textOf(image) ?? textOf(fieldsOf(image).url) ??
    textOf(part.url) ?? dataUrlOf(part);
  return url === undefined ? undefined : { url };
}

/** Builds a `data:` URL from an image of a tool: its base64 data and its media type. */
function dataUrlOf({ data, mimeType }: Fields): string | undefined {
  return typeof data === "string" && typeof mimeType === "string"
    ? `data:${mimeType};base64,${data}`
    : undefined;
}

/** The types of generated images, by the first characters of their base64. */
const MADE_TYPES = new Map([
  ["/9j/", "jpeg"],
  ["UklG", "webp"],
]);

/**
 * Returns the URLs of the images of an item: those that the user attached, that a tool returned, or
 * that the model generated. An image without a URL is an empty string, so that the others keep
 * their index.
 */
export function imageUrlsOf({ item_type, content }: Fields): readonly string[] {
  const { images, result, output, content_items } = fieldsOf(content);
  if (item_type === "image_generation") {
    const data = textOf(result) ?? "";
    const type = MADE_TYPES.get(data.slice(0, 4)) ?? "png";
    return [data && `data:image/${type};base64,${data}`];
  }
  if (item_type === "user_message") {
    return listOf(images).map((image) => textOf(fieldsOf(image).url) ?? "");
  }
  return urlsIn([
    ...listOf(fieldsOf(result).content),
    ...listOf(output),
    ...listOf(content_items),
  ]);
}

/**
 * Returns the URLs of the images that a line of a session file passes to the model: in the output
 * of a call, or in a user message. The images that a call views are in no event.
 */
export function handedImages(line: Fields): readonly string[] {
  const { type, role, output, content } = fieldsOf(line.payload ?? line);
  if (type === "message" && role === "user") {
    const parts = listOf(content);
    // An image that could not be read is passed to the model as an empty message, or as a text.
    return parts.length === 0 ? [""] : urlsIn(parts);
  }
  return urlsIn(listOf(output));
}

/** Returns the URLs of images; that of an image that could not be read is empty. */
function urlsIn(parts: readonly unknown[]): string[] {
  const all = parts.map(fieldsOf);
  return all.map((part, at) => imageOf(part, all[at - 1]))
    .filter((image) => image !== undefined).map(({ url }) => url ?? "");
}

// Distinguishes text of a person from text that the program inserts into the conversation.

/** The starts and ends of injected text, in lower case. */
const MARKER_PAIRS: readonly (readonly [string, string])[] = [
  ...[
    "user_instructions",
    "environment_context",
    "turn_aborted",
    "user_shell_command",
    "subagent_notification",
    "goal_context",
    "recommended_plugins",
    "skill",
  ].map((tag) => [`<${tag}>`, `</${tag}>`] as const),
  ["# agents.md instructions", "</instructions>"],
  ["<codex_internal_context", "</codex_internal_context>"],
  ["<hook_prompt", "</hook_prompt>"],
];

/** Matches the start of context that a client passes beside a prompt. */
const CLIENT_REGEXP = /^<(external_[^<>]{1,256})>/;

/** The starts that alone mark injected text, in lower case. */
const STARTS: readonly string[] = [
  "<user_action>",
  "== system status ==",
  "warning: the maximum number of unified exec processes",
  "warning: apply_patch was requested via ",
  "warning: your account was flagged",
];

/** The first characters of all of these, which most prompts do not begin with. */
const FIRST_REGEXP = /^\s*[<#=w]/i;

/** The length of text at each end that has to be compared. */
const LONGEST = Math.max(
  ...MARKER_PAIRS.flat().map(({ length }) => length),
  ...STARTS.map(({ length }) => length),
);

/**
 * Whether the program inserted a text into the conversation. Most markers only count in pairs,
 * because a prompt may begin with one of them.
 */
export function isInjectedContext(text: string): boolean {
  if (!FIRST_REGEXP.test(text)) return false;
  const trimmed = text.trim();
  // Only the ends are lowercased: the text itself may be long.
  const head = trimmed.slice(0, LONGEST).toLowerCase();
  if (STARTS.some((start) => head.startsWith(start))) return true;
  const tail = trimmed.slice(-LONGEST).toLowerCase();
  const [, tag] = CLIENT_REGEXP.exec(trimmed) ?? [];
  if (tag !== undefined) return trimmed.endsWith(`</${tag}>`);
  return MARKER_PAIRS.some(([start, end]) =>
    head.startsWith(start) && tail.endsWith(end) &&
    trimmed.length >= start.length + end.length
  );
}

const FOLDER_REGEXP = /<environment_context>\s*<cwd>([^<]+)<\/cwd>/;
/** Longer texts are not an environment context. */
const MAX_SURROUNDINGS = 100_000;

/** Returns the working directory in an environment context: older headers have none. */
export function workingFolderIn(text: string): string | undefined {
  return text.length > MAX_SURROUNDINGS
    ? undefined
    : FOLDER_REGEXP.exec(text)?.[1];
}
