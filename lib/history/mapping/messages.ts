/**
 * What people and agents say.
 *
 * @module
 */

import {
  type Fields,
  fieldsOf,
  jsonTextOf,
  textOf,
} from "../../json/fields.ts";
import type { HistoryMutation } from "../mutations.ts";
import type { ImagePayload, NewRecord, TokenUsage } from "../records.ts";
import type { CallIds, FoldContext } from "./fold_context.ts";
import { errorRecord, userRecord } from "./text_lines.ts";

interface UserMessage {
  readonly text: string;
  /** The images, as records. */
  readonly images: readonly ImageRecord[];
}

/**
 * Shows what the user said: as an item, in its place if the item has been shown.
 *
 * @param message What was said.
 * @param item The id of the item; `null` if the message is none.
 */
export function showUserMessage(
  context: FoldContext,
  { text, images }: UserMessage,
  item: string | null,
): void {
  const { memory, store } = context;
  const { links } = memory;
  const isBlank = text.trim() === "";
  // What says nothing takes nothing back.
  if (isBlank && images.length === 0) return;
  if (item !== null && isKnownUser(context, item)) {
    replaceUser(context, { text, images }, item);
    return;
  }
  memory.turns.prompt(store.length);
  if (!isBlank) {
    const id = context.push(userRecord(text));
    if (item !== null) links.set("user_message", item, id);
  }
  for (const [at, image] of images.entries()) {
    const id = context.push(image);
    if (item !== null) links.set("user_image", imageKey(item, at), id);
  }
  memory.turns.prompted(store.length);
}

function isKnownUser({ memory }: FoldContext, item: string): boolean {
  return memory.links.get("user_message", item) !== undefined ||
    memory.links.get("user_image", imageKey(item, 0)) !== undefined;
}

/** Puts what the user said in the place of what the same item had said. */
function replaceUser(
  context: FoldContext,
  { text, images }: UserMessage,
  item: string,
): void {
  const { links } = context.memory;
  const record = userRecord(text);
  const shown = context.get(links.get("user_message", item)?.id);
  if (text.trim() === "") context.removeItem("user_message", item);
  else if (jsonTextOf(shown?.payload) !== jsonTextOf(record.payload)) {
    context.showItem("user_message", item, record);
  }
  for (const [at, image] of images.entries()) {
    const key = imageKey(item, at);
    const known = context.get(links.get("user_image", key)?.id);
    // The data may have been told before its file is named.
    const metadata = image.payload.metadata ??
      (known?.type === "image" ? known.payload.metadata : null);
    const { path, caption } = image.payload;
    if (known?.type === "image" && known.payload.path === path) continue;
    context.showItem("user_image", key, imageRecord(path, caption, metadata));
  }
  for (
    let at = images.length;
    links.get("user_image", imageKey(item, at)) !== undefined;
    at += 1
  ) context.removeItem("user_image", imageKey(item, at));
}

/** What an image of an item is known by. */
function imageKey(item: string, at: number): string {
  return `${at}:${item}`;
}

/** Gives an image of a message as a record: it has a file, a URL or both. */
export function attachedImage(image: unknown): ImageRecord {
  const path = textOf(fieldsOf(image).path);
  const url = textOf(fieldsOf(image).url);
  const record = url === undefined ? undefined : imageRecordOfUrl(url);
  return path === undefined && record !== undefined
    ? record
    : imageRecord(pathOf(path ?? ""), null, record?.payload.metadata);
}

/**
 * Shows what a stream has come to.
 *
 * @param update The text so far, and the piece that is new.
 */
function showStream(
  context: FoldContext,
  streamId: string,
  { text, delta }: { readonly text: string; readonly delta: string },
): void {
  const { memory, store, now } = context;
  memory.streams.set(streamId, text);
  context.note(store.upsertAssistant({
    streamId,
    preview: text,
    delta: delta === "" ? null : { delta, sequence: null, received_at: now },
    at: now,
  }));
}

export function appendToStream(
  context: FoldContext,
  streamId: string,
  delta: string,
): void {
  const text = (context.memory.streams.get(streamId) ?? "") + delta;
  showStream(context, streamId, { text, delta });
}

/** Shows the whole text of a stream, of which an earlier part may be known. */
export function replaceStream(
  context: FoldContext,
  streamId: string,
  text: string,
): void {
  const known = context.memory.streams.get(streamId) ?? "";
  const delta = text.startsWith(known) ? text.slice(known.length) : "";
  showStream(context, streamId, { text, delta });
}

/**
 * Shows an answer, in the place of its stream if there is one.
 *
 * @param streamId The stream, or `null`.
 */
export function showAnswer(
  context: FoldContext,
  streamId: string | null,
  markdown: string,
): void {
  const { memory, store, now } = context;
  if (streamId !== null) {
    const index = store.indexOfStream(streamId);
    const id = index === -1 ? undefined : store.idAt(index);
    if (id !== undefined) memory.forget(id);
    memory.streams.delete(streamId);
  }
  const mutations = store.finalizeAssistant({ streamId, markdown, at: now });
  context.note(mutations);
  memory.turns.messageId = answerId(mutations) ?? memory.turns.messageId;
}

/** Takes back what a stream has come to. */
export function dropStream(context: FoldContext, streamId: string): void {
  const { memory, store } = context;
  memory.streams.delete(streamId);
  const id = store.idAt(store.indexOfStream(streamId));
  if (id !== undefined) context.remove(id);
}

function answerId(mutations: readonly HistoryMutation[]): number | undefined {
  for (const mutation of mutations) {
    if (
      (mutation.type === "inserted" || mutation.type === "replaced") &&
      mutation.record.type === "assistant_message"
    ) return mutation.id;
  }
  return undefined;
}

/**
 * Notes the tokens of the last answer of the turn.
 *
 * @param options Whether to keep what the answer has.
 */
export function attachUsage(
  context: FoldContext,
  usage: TokenUsage,
  { keep }: { readonly keep: boolean },
): void {
  const { turns } = context.memory;
  const id = turns.messageId;
  const record = context.get(id);
  if (id === null || record?.type !== "assistant_message") return;
  if (keep && record.payload.token_usage !== null) return;
  if (keep) turns.isCounted = true;
  context.replace(id, {
    type: "assistant_message",
    payload: { ...record.payload, token_usage: usage },
  });
}

/** Shows an error that the end of the turn may repeat. */
export function showError(context: FoldContext, message: string): void {
  context.memory.turns.errorMessage = message;
  showRemark(context, message);
}

/** Shows the error that ended a turn, unless it has just been shown. */
export function showFinalError(context: FoldContext, message: string): void {
  if (context.memory.turns.errorMessage === message) return;
  showRemark(context, message);
}

/** Shows an error that stands for itself. */
export function showRemark(context: FoldContext, message: string): void {
  if (message.trim() !== "") context.push(errorRecord(message));
}

// Images that were attached, looked at or made.

const DATA_URL_REGEXP = /^data:([^;,]*)[^,]*?(;base64)?$/i;
const FILE_URI_REGEXP = /^file:\/\//i;
const DRIVE_REGEXP = /^\/[A-Za-z]:/;

/** What is said of an image beside its path. */
type ImageMetadata = NonNullable<ImagePayload["metadata"]>;

type ImageRecord = Extract<NewRecord, { readonly type: "image" }>;

export function imageRecord(
  path: string,
  caption: string | null = null,
  metadata: ImageMetadata | null = null,
): ImageRecord {
  return { type: "image", payload: { path, caption, metadata } };
}

/**
 * Makes a record of an image that is named by an URL.
 *
 * The data in a `data:` URL is never copied: what stands before it is the path, and how
 * many bytes it has is metadata.
 */
export function imageRecordOfUrl(url: string): ImageRecord {
  const comma = url.indexOf(",");
  if (comma === -1 || !/^data:/i.test(url)) return imageRecord(url);
  const path = url.slice(0, comma);
  const [, mimeType = "", base64] = DATA_URL_REGEXP.exec(path) ?? [];
  return imageRecord(path, null, {
    mime_type: mimeType,
    byte_len: base64 === undefined
      ? percentDecodedLength(url, comma + 1)
      : base64Length(url, comma + 1),
  });
}

/** Gives the path in a `file:` URI; anything else is left as it is. */
export function pathOf(path: string): string {
  if (!FILE_URI_REGEXP.test(path)) return path;
  if (path !== last.uri) last = { uri: path, path: pathInUri(path) };
  return last.path;
}

/** The last one that was read: commands mostly run where the one before did. */
let last = { uri: "", path: "" };

function pathInUri(uri: string): string {
  try {
    const pathname = decodeURIComponent(new URL(uri).pathname);
    return DRIVE_REGEXP.test(pathname) ? pathname.slice(1) : pathname;
  } catch {
    return uri;
  }
}

function base64Length(text: string, start: number): number {
  let end = text.length;
  // At the latest, the comma before the data stops it.
  while (text[end - 1] === "=") end -= 1;
  return Math.floor((end - start) * 3 / 4);
}

function percentDecodedLength(text: string, start: number): number {
  const bytes = new TextEncoder().encode(text.slice(start));
  let escapes = 0;
  for (const byte of bytes) if (byte === 0x25) escapes += 1;
  return Math.max(0, bytes.length - 2 * escapes);
}

/** What an image takes the place of. */
const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "image",
  "running_tool",
  "tool_call",
]);

/** Shows an image that the agent looks at, in its place. */
export function showViewedImage(
  context: FoldContext,
  call: CallIds,
  { path }: Fields,
): void {
  const record = imageRecord(pathOf(textOf(path) ?? ""));
  const known = context.recordOf(call);
  const isKnown = known?.type === "image" &&
    known.payload.path === record.payload.path;
  if (!isKnown) context.showCall(call, record, IMAGE_TYPES);
}

/** Shows an image that was made, in its place; what is not said again stays. */
export function showMadeImage(
  context: FoldContext,
  call: CallIds,
  { saved_path, revised_prompt, status }: Fields,
): void {
  const known = context.recordOf(call);
  const shown = known?.type === "image" ? known.payload : undefined;
  const path = textOf(saved_path);
  const word = textOf(status);
  context.showCall(
    call,
    imageRecord(
      path === undefined ? shown?.path ?? "" : pathOf(path),
      textOf(revised_prompt) ?? shown?.caption ?? null,
      word === undefined ? shown?.metadata ?? null : { status: word },
    ),
    IMAGE_TYPES,
  );
}
