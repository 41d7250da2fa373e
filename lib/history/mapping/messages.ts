/** Records of messages, errors and images. */

import { plainPath } from "../../events/contents.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../../json/fields.ts";
import { sameJson } from "../plain_json.ts";
import type { ImagePayload, NewRecord, TokenUsage } from "../records.ts";
import type { FoldContext, ItemState } from "./fold_context.ts";
import { errorRecord, userRecord } from "./text_lines.ts";

/** Shows a message of the user: replaces the records of the same item, or appends new ones. */
export function showUserMessage(
  context: FoldContext,
  content: Fields,
  item: string,
): void {
  const { memory: { links, turns }, store } = context;
  const text = textOf(content.text) ?? "";
  const images = listOf(content.images).map(attachedImage);
  const isBlank = text.trim() === "";
  // An empty message does not replace a known one.
  if (isBlank && images.length === 0) return;
  const isNew = links.get("user_message", item) === undefined &&
    links.get("user_image", imageKey(item, 0)) === undefined;
  if (isNew) turns.prompt(store.nextId);
  const record = userRecord(text);
  const shown = context.get(links.get("user_message", item)?.id);
  if (isBlank) context.removeItem("user_message", item);
  else if (!sameJson(shown?.payload, record.payload)) {
    context.showItem("user_message", item, record);
  }
  for (const [at, image] of images.entries()) {
    const key = imageKey(item, at);
    const known = context.get(links.get("user_image", key)?.id);
    const isKnown = known?.type === "image" &&
      known.payload.path === image.payload.path;
    if (!isKnown) context.showItem("user_image", key, image);
  }
  for (
    let at = images.length;
    links.get("user_image", imageKey(item, at)) !== undefined;
    at += 1
  ) context.removeItem("user_image", imageKey(item, at));
  if (isNew) turns.prompted(store.nextId);
}

function imageKey(item: string, at: number): string {
  return `${at}:${item}`;
}

/** Makes a record of an image of a message, which has a path, a URL or both. */
function attachedImage(image: unknown): ImageRecord {
  const { path, url } = fieldsOf(image);
  const record = imageRecordOfUrl(textOf(url) ?? "");
  const file = plainPath(path);
  return file === undefined
    ? record
    : imageRecord(file, null, record.payload.metadata);
}

/** Shows an assistant message in progress: its next piece, or the whole text so far. */
export function showStream(
  context: FoldContext,
  streamId: string,
  { text, isPiece }: { readonly text: string; readonly isPiece: boolean },
): void {
  const { store, now } = context;
  const known = context.streamText(streamId) ?? "";
  const preview = isPiece ? known + text : text;
  const isLonger = !isPiece && text.startsWith(known);
  const delta = isPiece ? text : isLonger ? text.slice(known.length) : "";
  context.note(store.upsertAssistant({
    streamId,
    preview,
    delta: delta === "" ? null : { delta, sequence: null, received_at: now },
    at: now,
  }));
}

/** Shows a complete assistant message, and removes the one in progress of the same stream. */
export function showAnswer(
  context: FoldContext,
  streamId: string | null,
  markdown: string,
): void {
  const { memory, store, now } = context;
  const mutations = store.finalizeAssistant({ streamId, markdown, at: now });
  context.note(mutations);
  for (const mutation of mutations) {
    if (!("record" in mutation)) continue;
    const { id, record } = mutation;
    if (record.type === "assistant_message") memory.turns.messageId = id;
  }
}

export function dropStream(context: FoldContext, streamId: string): void {
  const record = context.at(context.store.indexOfStream(streamId));
  // A snapshot of another program may name another record.
  if (record?.type === "assistant_stream") context.remove(record.id);
}

/**
 * Sets the token usage of the last assistant message of the turn; `keep` keeps the one that it has.
 */
export function attachUsage(
  context: FoldContext,
  usage: TokenUsage,
  { keep }: { readonly keep: boolean },
): void {
  const record = context.get(context.memory.turns.messageId);
  if (record?.type !== "assistant_message") return;
  if (keep && record.payload.token_usage !== null) return;
  context.replace(record.id, {
    type: "assistant_message",
    payload: { ...record.payload, token_usage: usage },
  });
}

/** Shows an error that the end of the turn may repeat. */
export function showError(context: FoldContext, message: string): void {
  context.memory.turns.errorMessage = message;
  pushError(context, message);
}

/** Appends an error record, unless the message is blank. */
export function pushError(context: FoldContext, message: string): void {
  if (message.trim() !== "") context.push(errorRecord(message));
}

const DATA_URL_REGEXP = /^data:([^;,]*)[^,]*?(;base64)?$/i;

type ImageRecord = Extract<NewRecord, { readonly type: "image" }>;

export function imageRecord(
  path: string,
  caption: string | null = null,
  metadata: ImagePayload["metadata"] = null,
): ImageRecord {
  return { type: "image", payload: { path, caption, metadata } };
}

/**
 * Makes a record of an image with a URL.
 *
 * The data of a `data:` URL is never copied: the part before the comma becomes the path, and the
 * number of bytes becomes metadata.
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

function base64Length(text: string, start: number): number {
  let end = text.length;
  // The loop ends at the comma before the data at the latest.
  while (text[end - 1] === "=") end -= 1;
  return Math.floor((end - start) * 3 / 4);
}

function percentDecodedLength(text: string, start: number): number {
  const bytes = new TextEncoder().encode(text.slice(start));
  let escapes = 0;
  for (const byte of bytes) if (byte === 0x25) escapes += 1;
  return Math.max(0, bytes.length - 2 * escapes);
}

export function showViewedImage(context: FoldContext, item: ItemState): void {
  const record = imageRecord(plainPath(item.content.path) ?? "");
  const known = context.recordOf(item);
  const isKnown = known?.type === "image" &&
    known.payload.path === record.payload.path;
  if (!isKnown) context.showCall(item, record);
}

/** Shows a generated image, in the record of its call. Absent fields keep their known values. */
export function showMadeImage(context: FoldContext, item: ItemState): void {
  const { saved_path, revised_prompt, status = item.event.status } =
    item.content;
  const known = context.recordOf(item);
  const shown = known?.type === "image" ? known.payload : undefined;
  const word = textOf(status);
  context.showCall(
    item,
    imageRecord(
      plainPath(saved_path) ?? shown?.path ?? "",
      textOf(revised_prompt) ?? shown?.caption ?? null,
      word === undefined ? shown?.metadata ?? null : { status: word },
    ),
  );
}
