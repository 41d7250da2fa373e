/**
 * Images that were attached, looked at or made.
 *
 * @module
 */

import type { ImagePayload, NewRecord } from "../records.ts";
import type { CallIds, FoldContext } from "./fold_context.ts";
import { type Fields, textOf } from "../../json/fields.ts";

const DATA_URL_REGEXP = /^data:([^;,]*)[^,]*?(;base64)?$/i;
const FILE_URI_REGEXP = /^file:\/\//i;
const DRIVE_REGEXP = /^\/[A-Za-z]:/;

/** What is said of an image beside its path. */
export type ImageMetadata = NonNullable<ImagePayload["metadata"]>;

/** A record of an image. */
export type ImageRecord = Extract<NewRecord, { readonly type: "image" }>;

/** Makes a record of an image. */
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
 *
 * @param url The URL.
 * @returns The record.
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

/**
 * Gives the path in a `file:` URI; anything else is left as it is.
 *
 * @param path A path or URI.
 * @returns The path.
 */
export function pathOf(path: string): string {
  if (!FILE_URI_REGEXP.test(path)) return path;
  try {
    const pathname = decodeURIComponent(new URL(path).pathname);
    return DRIVE_REGEXP.test(pathname) ? pathname.slice(1) : pathname;
  } catch {
    return path;
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
