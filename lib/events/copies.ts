/** Emits what session files contain twice, as a response item and as an event, only once (C.3). */

import { groupsBy } from "../groups.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isObject,
  jsonTextOf,
  knownFields,
  listOf,
  textOf,
  textsOf,
} from "../json/fields.ts";
import { readAnswerText } from "./answer_text.ts";
import type { Witness } from "./calls.ts";
import { derivedQuery, statedStatus } from "./contents.ts";
import type { PairedItem } from "./pairing.ts";
import type { SessionContext } from "./session_context.ts";
import type { SessionImage } from "./session_items.ts";
import { contentText } from "./tool_output.ts";
import { isUnreadImage, type UserMessage } from "./user_message.ts";

/**
 * Emits a user message, unless it is the second copy. A second copy that is an event adds the paths
 * of the images.
 */
export function tellUser(
  context: SessionContext,
  { text, images, whole }: UserMessage,
  witness: Witness,
): void {
  const { pairing } = context;
  // In a selection of lines, the event is not the copy of an item that has no such text.
  const isBlank = text.trim() === "" ||
    (context.isSelection && isUnreadImage(text));
  // An image that could not be read is passed to the model as an empty message.
  if (isBlank && images.length === 0) {
    takeViewedImage(context);
    if (witness === "event") context.seen.prompt = true;
    return;
  }
  const first = pairing.match("user", text, witness);
  if (first !== undefined) {
    if (witness !== "event" || images.length === 0) return;
    const known = first.images ?? [];
    const named = withNames(known, inOrderOf(known, images));
    if (named === undefined) return;
    context.complete("user_message", userContent({ text, images: named }), {
      itemId: first.itemId,
    });
    return;
  }
  let itemId = "";
  const isViewed = isBlank && images.length === 1 && takeViewedImage(context);
  if (!isViewed) {
    context.prompt();
    const said = isBlank ? whole ?? text : text;
    const content = userContent({ text: said, images });
    itemId = context.complete("user_message", content);
  }
  const hasImages = !isViewed && images.length > 0;
  const copy = { itemId, ...(hasImages ? { images } : {}) };
  pairing.add("user", text, witness, copy);
  if (whole !== undefined) pairing.add("user", whole, witness, copy);
}

/** Keeps the images of a user message for its item, which has only their paths. */
export function keepImages(
  { pairing }: SessionContext,
  { text, images }: UserMessage,
): void {
  if (images.length === 0) return;
  pairing.add("user", text, "item", { itemId: "", images });
}

/** Returns the user message of an item, with the images that were kept for it. */
export function withKeptImages(
  { pairing }: SessionContext,
  message: UserMessage,
): UserMessage {
  const { images = [] } = pairing.match("user", message.text, "event") ?? {};
  return {
    ...message,
    images: withNames(images, message.images) ?? message.images,
  };
}

/** Returns the content of a message, without its text if that is blank. */
export function userContent({ text, images }: UserMessage): Fields {
  return knownFields({
    text: text.trim() === "" ? undefined : text,
    images: images.length === 0 ? undefined : images,
  });
}

/**
 * Returns the images of an event in the order of the same images in the item: the event lists URLs
 * before paths.
 */
function inOrderOf(
  known: readonly SessionImage[],
  named: readonly SessionImage[],
): readonly (SessionImage | undefined)[] {
  // Iterators: a list of many images that loses one after the other takes quadratic time.
  const same = new Map(
    Array.from(
      groupsBy(named, placeOf),
      ([place, images]) => [place, images.values()] as const,
    ),
  );
  const found = known.map((image) => same.get(placeOf(image))?.next().value);
  const taken = new Set(found);
  const rest = named.filter((image) => !taken.has(image)).values();
  return found.map((image) => image ?? rest.next().value);
}

function placeOf({ url, path }: SessionImage): string | undefined {
  return url ?? path;
}

/**
 * Adds paths to images; returns `undefined` if there is no new path. A `data:` URL, which may be that
 * of the image before it was scaled, is none.
 */
function withNames(
  known: readonly SessionImage[],
  named: readonly (SessionImage | undefined)[],
): SessionImage[] | undefined {
  let isNew = false;
  const images = known.map((image, at) => {
    const name = named[at];
    const path = name?.path ?? name?.url;
    const isNamed = path !== undefined && !/^data:/i.test(path);
    if (!isNamed || path === (image.path ?? image.url)) return image;
    isNew = true;
    return { ...image, path };
  });
  return isNew ? images : undefined;
}

/**
 * Registers that the model has received an image; returns whether it had asked for one. Some
 * releases pass images as a user message, after the outputs of all calls of the response.
 */
export function takeViewedImage(context: SessionContext): boolean {
  // The lines of calls are not selected. Prompts have a text, nearly always.
  if (context.isSelection) return context.turn === "open";
  if (context.viewedImages === 0) return false;
  context.viewedImages -= 1;
  return true;
}

/** Whether the prompt of a review repeats the one before it, as in most files up to 0.147. */
export function isReviewPromptCopy(
  context: SessionContext,
  text: string,
): boolean {
  if (context.reviewPrompt === null) return false;
  const isCopy = context.reviewPrompt === text;
  context.reviewPrompt = text;
  return isCopy;
}

/** Emits a part of the reasoning, unless it is the second copy. */
export function tellThought(
  context: SessionContext,
  kind: ThoughtKind,
  text: string,
  witness: Witness,
): void {
  const { liveThoughts, pairing } = context;
  if (text.trim() === "") return;
  if (pairing.match("reasoning", text, witness) !== undefined) return;
  const itemId = context.complete(
    THOUGHT_TYPES[kind],
    { text, continues: true },
    { itemId: liveThoughts[kind].shift() },
  );
  pairing.add("reasoning", text, witness, { itemId });
}

/** Emits a delta of reasoning without an id; the next complete part without one will end it. */
export function tellLiveThought(
  context: SessionContext,
  kind: ThoughtKind,
  delta: string,
): void {
  const live = context.liveThoughts[kind];
  let itemId = live.at(-1);
  if (itemId === undefined || (kind === "summary" && context.isThoughtBroken)) {
    context.made.thoughts += 1;
    itemId = `${kind}-${context.made.thoughts}`;
    live.push(itemId);
  }
  if (kind === "summary") context.isThoughtBroken = false;
  context.delta(
    THOUGHT_TYPES[kind],
    { text_delta: delta, continues: true },
    { itemId },
  );
}

export const THOUGHT_TYPES = {
  summary: "reasoning",
  raw: "agent_reasoning_raw_content",
} as const;

export type ThoughtKind = keyof typeof THOUGHT_TYPES;

/**
 * Emits the end of a search, unless it is the second copy. Copies share their id. An item without
 * an id is the copy of an event with the same action.
 */
export function tellSearchCopy(
  context: SessionContext,
  callId: string | undefined,
  fields: Fields,
  witness: Witness,
): void {
  const { pairing } = context;
  const known = context.calls.get(callId);
  const isOpen = known?.state === "open";
  // The event of an item with an id has that id too.
  const pairs = witness === "event" || callId === undefined;
  if (context.mode === "paginated" && (pairs || known !== undefined)) {
    const itemId = known?.itemId;
    const other = pairing.match("loose", "web_search", witness, itemId);
    if (known !== undefined || other !== undefined) return;
  }
  const key = actionKey(fields);
  const isCopy = (pairs || known !== undefined) &&
    pairing.match("search", key, witness) !== undefined;
  const isSecond = known === undefined ? isCopy : witness === "item" && !isOpen;
  if (isSecond) return;
  const call = known ?? context.beginCall(callId, witness, "web_search").call;
  context.completeCall(call, searchContent(fields), {
    status: statedStatus(fields),
  });
  if (pairs) context.noteLoose("web_search", witness, call.itemId);
  if (pairs && (isOpen || known === undefined)) {
    pairing.add("search", key, witness, { itemId: call.itemId });
  }
}

/** Returns the content of a search; without a query, one is derived from the action, as in exec. */
export function searchContent({ query, action }: Fields): Fields {
  return knownFields({
    query: textOf(query) || derivedQuery(action),
    action: action ?? undefined,
  });
}

/**
 * Returns a key that both copies of a search share: the fields of its action. An event has the
 * query beside the action; older events have only the query.
 */
function actionKey({ query, action }: Fields): string {
  const { type: _type, ...fields } = fieldsOf(action ?? { query });
  return jsonTextOf(
    Object.entries(fields)
      .filter(([, value]) => (value ?? "") !== "")
      .sort(([a], [b]) => a < b ? -1 : 1),
  );
}

/**
 * Whether a plan is the second copy of one that has an event. If not, it is registered as the first
 * copy: in files that contain everything, a plan is both a call and an event.
 */
export function isPlanCopy(
  context: SessionContext,
  { items, name }: Fields,
  witness: Witness,
): boolean {
  const { pairing } = context;
  const steps = listOf(items).map(fieldsOf).map(({ title, status }) => [
    title,
    status,
  ]);
  const key = jsonTextOf([name, steps]);
  if (pairing.match("plan", key, witness) !== undefined) return true;
  pairing.add("plan", key, witness, { itemId: "" });
  return false;
}

/** The origin of commands that the user runs beside the agent. */
export const USER_SHELL = "user_shell";

/**
 * Returns the item of the message to the model about such a command, if it came first, as it does if
 * the command was cancelled. Otherwise the message follows, and is the second copy.
 */
export function messageOfCommand(
  { pairing }: SessionContext,
  { source, command }: Fields,
): PairedItem | undefined {
  if (source !== USER_SHELL) return undefined;
  const text = textsOf(command).at(-1) ?? "";
  const first = pairing.match("command", text, "event");
  if (first === undefined) {
    pairing.add("command", text, "event", { itemId: "" });
  }
  return first;
}

/**
 * Emits a compaction. A line contains the summary, an event does not. The two are one item if no
 * item that a reader sees stands between them; in paginated files, where an item stands for the
 * event, if they are in one turn with the line first.
 */
export function tellCompaction(
  context: SessionContext,
  from: "line" | "event",
  { message = "", itemId }: {
    readonly message?: string | undefined;
    readonly itemId?: string | undefined;
  } = {},
): void {
  const { compaction, lastAnswer } = context;
  const content = message === "" ? {} : { message };
  if (compaction !== null && compaction.from !== from) {
    const isOne = context.mode === "paginated"
      ? from === "event"
      : compaction.itemId === context.lastItem;
    context.compaction = null;
    if (isOne) {
      if (from === "line") {
        context.complete("context_compaction", content, {
          itemId: compaction.itemId,
        });
      }
      return;
    }
  }
  // Some releases also write the summary as a message to the user.
  const isSummary = from === "line" && lastAnswer !== null &&
    lastAnswer.itemId === context.lastItem && lastAnswer.text.trim() !== "" &&
    message.trimEnd().endsWith(lastAnswer.text.trim());
  const id = context.complete("context_compaction", content, {
    itemId: isSummary ? lastAnswer.itemId : itemId,
  });
  if (isSummary) context.lastAnswer = null;
  context.compaction = { itemId: id, from };
  context.seen.request = null;
}

/** Emits a message of the model, unless it is the second copy; returns the id of its item. */
export function tellAnswerCopy(
  context: SessionContext,
  fields: Fields,
  text: string,
  witness: Witness,
): string | undefined {
  const { liveStream, pairing } = context;
  const { said, plan } = readAnswerText(text);
  const isBlank = said.trim() === "";
  // Exec streams have the blank messages of events, and not those of items. Nor is a plan that is
  // an item a message too.
  const isTold = isBlank && witness === "item" &&
    (plan === "" || pairing.match("assistant", plan, witness) !== undefined);
  if (isTold) return undefined;
  const key = isBlank ? text : said;
  const other = pairing.match("assistant", key, witness) ??
    matchParts(context, fields.content);
  if (other !== undefined) return other.itemId;
  const id = witness === "item" ? idOf(fields.id) : undefined;
  // A live stream only ends with its complete message.
  const itemId = context.complete("agent_message", {
    text,
    ...saidBeside(fields),
  }, { itemId: liveStream ?? id });
  context.liveStream = null;
  pairing.add("assistant", key, witness, { itemId });
  return itemId;
}

/** Finds the copies of a message whose parts have one event each (up to 0.98). */
function matchParts(
  { pairing }: SessionContext,
  content: unknown,
): { readonly itemId: string } | undefined {
  const parts = listOf(content);
  if (parts.length < 2) return undefined;
  return parts.map((part) =>
    pairing.match("assistant", contentText([part]), "item")
  ).findLast((copy) => copy !== undefined);
}

export function saidBeside({ phase, memory_citation }: Fields): Fields {
  return knownFields({
    phase: textOf(phase),
    memory_citation: isObject(memory_citation) ? memory_citation : undefined,
  });
}
