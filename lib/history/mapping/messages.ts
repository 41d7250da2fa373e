/**
 * What people and agents say.
 *
 * @module
 */

import type { HistoryMutation } from "../mutations.ts";
import type { NewRecord, TokenUsage } from "../records.ts";
import { imageRecord } from "./images.ts";
import type { MappingContext } from "./mapping_context.ts";
import type { CopySource } from "./pairing.ts";
import { errorRecord, userRecord } from "./text_lines.ts";

/** What a user said, with what was attached. */
export interface UserMessage {
  /** The text. */
  readonly text: string;
  /** The images, as records. */
  readonly images: readonly NewRecord[];
}

/** The records of what a user said. */
export interface ShownUserMessage {
  /** The number of the text. */
  readonly textId: number | undefined;
  /** The numbers of the images. */
  readonly imageIds: readonly number[];
}

const NOTHING_SHOWN: ShownUserMessage = { textId: undefined, imageIds: [] };

/**
 * Shows what the user said.
 *
 * @param context Where.
 * @param message What.
 * @returns The numbers of the records.
 */
export function showUserMessage(
  context: MappingContext,
  { text, images }: UserMessage,
): ShownUserMessage {
  const { memory, store } = context;
  const isBlank = text.trim() === "";
  if (isBlank && images.length === 0) return NOTHING_SHOWN;
  memory.turns.prompt(store.length);
  const textId = isBlank ? undefined : context.push(userRecord(text));
  const imageIds = images.map((image) => context.push(image));
  memory.turns.prompted(store.length);
  return { textId, imageIds };
}

/**
 * Shows a copy of what the user said, unless the other copy has been shown.
 *
 * The event that pairs later knows the files that the images came from.
 *
 * @param context Where.
 * @param message What.
 * @param source Where the copy comes from.
 */
export function showUserCopy(
  context: MappingContext,
  message: UserMessage,
  source: CopySource,
): void {
  const { pairing } = context.memory;
  const isBlank = message.text.trim() === "";
  // An image that could not be read is handed over as nothing.
  if (isBlank && message.images.length === 0) {
    takeViewedImage(context);
    return;
  }
  const shown = pairing.match("user", message.text, source);
  if (shown === undefined) {
    const isViewed = isBlank && message.images.length === 1 &&
      takeViewedImage(context);
    const { imageIds: images } = isViewed
      ? NOTHING_SHOWN
      : showUserMessage(context, message);
    pairing.add("user", message.text, { source, images });
  } else if (source === "event") {
    message.images.forEach((image, at) =>
      renameImage(context, shown[at], image)
    );
  }
}

/**
 * Takes note that the model has been handed an image that it had asked for: some releases do
 * that in the name of the user, when all calls of the response have been answered.
 *
 * @param context Where.
 * @returns Whether it had asked for one.
 */
export function takeViewedImage({ memory }: MappingContext): boolean {
  if (memory.viewedImages === 0) return false;
  memory.viewedImages -= 1;
  return true;
}

function renameImage(
  context: MappingContext,
  id: number | undefined,
  { payload }: NewRecord,
): void {
  const shown = context.get(id);
  const path = "path" in payload ? payload.path : undefined;
  if (id === undefined || shown?.type !== "image") return;
  if (typeof path !== "string" || path === shown.payload.path) return;
  const { caption, metadata } = shown.payload;
  context.replace(id, imageRecord(path, caption, metadata));
}

/**
 * Shows what a stream has come to.
 *
 * @param context Where.
 * @param streamId The stream.
 * @param update The text so far, and the piece that is new.
 */
function showStream(
  context: MappingContext,
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

/** Adds a piece to a stream. */
export function appendToStream(
  context: MappingContext,
  streamId: string,
  delta: string,
): void {
  const text = (context.memory.streams.get(streamId) ?? "") + delta;
  showStream(context, streamId, { text, delta });
}

/** Shows the whole text of a stream, of which an earlier part may be known. */
export function replaceStream(
  context: MappingContext,
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
 * @param context Where.
 * @param streamId The stream, or `null`.
 * @param markdown The answer.
 */
export function showAnswer(
  context: MappingContext,
  streamId: string | null,
  markdown: string,
): void {
  const { memory, store, now } = context;
  if (streamId !== null) {
    const index = store.indexOfStream(streamId);
    const id = index === -1 ? undefined : store.idAt(index);
    if (id !== undefined) memory.forget(id);
    memory.streams.delete(streamId);
    if (memory.liveStream === streamId) memory.liveStream = null;
  }
  const mutations = store.finalizeAssistant({ streamId, markdown, at: now });
  context.note(mutations);
  memory.turns.messageId = answerId(mutations) ?? memory.turns.messageId;
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

/** Shows a copy of an answer, unless the other copy has been shown. */
export function showAnswerCopy(
  context: MappingContext,
  { streamId, text, source }: {
    readonly streamId: string | null;
    readonly text: string;
    readonly source: CopySource;
  },
): void {
  const { memory } = context;
  if (text.trim() === "" && memory.liveStream === null) return;
  if (memory.pairing.match("assistant", text, source) !== undefined) return;
  // A live stream has no other end than the answer it is a part of.
  showAnswer(context, memory.liveStream ?? streamId, text);
  memory.pairing.add("assistant", text, { source });
}

/**
 * Notes the tokens of the last answer of the turn.
 *
 * @param context Where.
 * @param usage The tokens.
 * @param options Whether to keep what the answer has.
 */
export function attachUsage(
  context: MappingContext,
  usage: TokenUsage,
  { keep }: { readonly keep: boolean },
): void {
  const id = context.memory.turns.messageId;
  const record = context.get(id);
  if (id === null || record?.type !== "assistant_message") return;
  if (keep && record.payload.token_usage !== null) return;
  context.replace(id, {
    type: "assistant_message",
    payload: { ...record.payload, token_usage: usage },
  });
}

/** Shows an error that the end of the turn may repeat. */
export function showError(context: MappingContext, message: string): void {
  context.memory.turns.errorMessage = message;
  showRemark(context, message);
}

/** Shows the error that ended a turn, unless it has just been shown. */
export function showFinalError(context: MappingContext, message: string): void {
  if (context.memory.turns.errorMessage === message) return;
  showRemark(context, message);
}

/** Shows an error that stands for itself. */
export function showRemark(context: MappingContext, message: string): void {
  if (message.trim() !== "") context.push(errorRecord(message));
}
