/**
 * The items of paginated rollouts (C.5), and the few that legacy ones have.
 *
 * @module
 */

import type { ToolArgument } from "../records.ts";
import { collabCall, statesPreview } from "./agent_calls.ts";
import { endDynamicTool } from "./dynamic_tools.ts";
import { endEventCommand } from "./event_commands.ts";
import { imageRecord, pathOf } from "./images.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isFailedWord,
  numberOf,
  textOf,
  textsOf,
} from "./json_fields.ts";
import { removeLinked, showLinked } from "./linked_records.ts";
import type { MappingContext } from "./mapping_context.ts";
import { showAnswer, showUserMessage, type UserMessage } from "./messages.ts";
import { finishEventPatch } from "./patches.ts";
import { resultPreview } from "./result_preview.ts";
import { showGeneratedImage, showImage } from "./shown_images.ts";
import {
  showCompaction,
  showReviewEnd,
  showReviewStart,
  showSubAgent,
} from "./side_events.ts";
import { noticeRecord, spokenRecord, userRecord } from "./text_lines.ts";
import { showThought } from "./thoughts.ts";
import { durationMsOf, timestampOfMs } from "./times.ts";
import { toolArguments } from "./tool_arguments.ts";
import { contentText, isSuccess, readToolOutput } from "./tool_output.ts";
import { finishTool, mcpResult, qualifiedTitle } from "./tools.ts";
import { readUserItem } from "./user_content.ts";
import { webSearch } from "./web_searches.ts";

/** Shows an item of one type. Without an id it is an item of its own. */
type ShowItem = (
  context: MappingContext,
  item: Fields,
  id: string | null,
) => void;

const ITEMS: ReadonlyMap<string, ShowItem> = new Map<string, ShowItem>([
  ["UserMessage", showUserItem],
  [
    "AgentMessage",
    (context, item, id) =>
      showAnswer(context, id, contentText(contentOf(item))),
  ],
  ["Reasoning", showReasoningItem],
  ["Plan", showPlanItem],
  [
    "CommandExecution",
    (context, item, id) => endEventCommand(context, id, item),
  ],
  ["FileChange", (context, item, id) => finishEventPatch(context, id, item)],
  ["McpToolCall", showMcpItem],
  ["WebSearch", (context, item, id) =>
    finishTool(context, {
      ...webSearch(id, item),
      isFailed: isFailedWord(item.status),
    })],
  [
    "ImageView",
    (context, item, id) =>
      showImage(context, id, imageRecord(pathOf(textOf(item.path) ?? ""))),
  ],
  [
    "ImageGeneration",
    (context, item, id) => showGeneratedImage(context, id, item),
  ],
  ["DynamicToolCall", (context, item, id) =>
    endDynamicTool(context, {
      callId: id,
      title: qualifiedTitle(item.namespace, item.tool),
      arguments: itemArguments(context, item),
    }, item)],
  ["CollabAgentToolCall", (context, item, id) =>
    finishTool(context, {
      ...collabCall(id, item.tool, item),
      isFailed: isFailedWord(item.status),
      preview: statesPreview(item.agents_states),
    })],
  ["SubAgentActivity", showSubAgent],
  ["EnteredReviewMode", showReviewStart],
  ["ExitedReviewMode", showReviewEnd],
  ["ContextCompaction", showCompactionItem],
  ["FunctionCallOutput", showGivenOutput],
  ["Extension", showExtensionItem],
]);

/** The types of items that say what an extension does, by the kind of its item. */
const EXTENSIONS: ReadonlyMap<unknown, string> = new Map([
  ["image_gen.generation", "ImageGeneration"],
  ["web.search", "WebSearch"],
]);

/** What also legacy rollouts have. */
const LEGACY_TYPES: ReadonlySet<unknown> = new Set(["Plan"]);

/**
 * Maps an `item_completed`; one of a type that nobody knows makes no record.
 *
 * @param context Where.
 * @param event The event.
 */
export function mapPaginatedItem(context: MappingContext, event: Fields): void {
  const item = fieldsOf(event.item);
  if (typeof item.type !== "string") return;
  if (context.memory.mode === "legacy" && !LEGACY_TYPES.has(item.type)) return;
  const { now } = context;
  const ms = numberOf(event.completed_at_ms) ?? 0;
  // The time of the item, not of the line that tells it; 0 says that nobody knows.
  context.now = ms > 0 ? timestampOfMs(ms) ?? now : now;
  ITEMS.get(item.type)?.(context, {
    started_at_ms: event.started_at_ms,
    ...item,
  }, idOf(item.id) ?? null);
  context.now = now;
}

/**
 * Maps a `realtime_item`: what was said aloud. What else happens in a conversation by voice makes
 * no record, and none of it begins a turn.
 *
 * @param context Where.
 * @param item The item.
 */
export function mapRealtimeItem(context: MappingContext, item: Fields): void {
  const text = textOf(item.text) ?? "";
  if (item.type !== "transcript_segment" || text.trim() === "") return;
  showLinked(
    context,
    { kind: "speech", thing: idOf(item.id) ?? null },
    spokenRecord(text, item.role === "user"),
  );
}

/** Shows a plan in words, in its place if it has an id. */
export function showPlanNotice(
  context: MappingContext,
  id: string | null,
  text: string,
): void {
  showLinked(
    context,
    { kind: "notice", thing: id },
    noticeRecord("Plan", text),
  );
}

function showPlanItem(
  context: MappingContext,
  item: Fields,
  id: string | null,
): void {
  if (id !== null) context.memory.plans.delete(id);
  showPlanNotice(context, id, textOf(item.text) ?? "");
}

/** Shows what a client gave as the output of a call that the model has not made. */
function showGivenOutput(
  context: MappingContext,
  item: Fields,
  id: string | null,
): void {
  const output = readToolOutput(item.output);
  finishTool(context, {
    callId: id,
    title: qualifiedTitle(item.namespace, item.name),
    isFailed: !isSuccess(output),
    preview: resultPreview(output.blocks),
  });
}

/** Shows what an extension did as the item of Codex itself that says the same. */
function showExtensionItem(
  context: MappingContext,
  item: Fields,
  id: string | null,
): void {
  const type = EXTENSIONS.get(item.kind);
  if (type !== undefined) ITEMS.get(type)?.(context, item, id);
}

/** Shows a compaction, of which an item that comes again says nothing new. */
function showCompactionItem(
  context: MappingContext,
  _item: Fields,
  id: string | null,
): void {
  const { links } = context.memory;
  const link = id === null ? undefined : links.get("compaction", id);
  if (context.get(link?.id) !== undefined) return;
  const shown = showCompaction(context, "event");
  if (id !== null) links.set("compaction", id, shown);
}

function showUserItem(
  context: MappingContext,
  item: Fields,
  id: string | null,
): void {
  // What the program says in the user's name is no item.
  const message = readUserItem(contentOf(item));
  if (id !== null && isKnownUser(context, id)) {
    replaceUser(context, message, id);
    return;
  }
  const { links } = context.memory;
  const { textId, imageIds } = showUserMessage(context, message);
  if (id === null) return;
  if (textId !== undefined) links.set("user", id, textId);
  imageIds.forEach((image, at) =>
    links.set("user_image", imageKey(id, at), image)
  );
}

function isKnownUser({ memory }: MappingContext, id: string): boolean {
  return memory.links.get("user", id) !== undefined ||
    memory.links.get("user_image", imageKey(id, 0)) !== undefined;
}

/** Puts what the user said in the place of what the same item had said. */
function replaceUser(
  context: MappingContext,
  { text, images }: UserMessage,
  id: string,
): void {
  const said = { kind: "user", thing: id } as const;
  if (text.trim() !== "") showLinked(context, said, userRecord(text));
  // What says nothing takes nothing back.
  else if (images.length > 0) removeLinked(context, said);
  else return;
  const link = (at: number) =>
    ({ kind: "user_image", thing: imageKey(id, at) }) as const;
  images.forEach((image, at) => showLinked(context, link(at), image));
  const { links } = context.memory;
  let at = images.length;
  while (links.get("user_image", imageKey(id, at)) !== undefined) {
    removeLinked(context, link(at));
    at += 1;
  }
}

/** What an image of an item is known by. */
function imageKey(id: string, at: number): string {
  return `${at}:${id}`;
}

function showReasoningItem(
  context: MappingContext,
  item: Fields,
  key: string | null,
): void {
  const summary = textsOf(item.summary_text);
  const isSummed = summary.some((part) => part.trim() !== "");
  const parts = isSummed ? summary : textsOf(item.raw_content);
  showThought(context, {
    key,
    text: parts.join("\n\n"),
    isOpen: false,
    joins: false,
  });
}

/** Gives the content of a message, which may be its text alone. */
function contentOf({ content, text }: Fields): unknown {
  return content ?? textOf(text);
}

function itemArguments(context: MappingContext, item: Fields): ToolArgument[] {
  return toolArguments(item.arguments, context.textsOf("item", "arguments"));
}

function showMcpItem(
  context: MappingContext,
  item: Fields,
  id: string | null,
): void {
  const result = mcpResult(item.result, item.error);
  finishTool(context, {
    callId: id,
    title: qualifiedTitle(item.server, item.tool),
    arguments: itemArguments(context, item),
    ...result,
    isFailed: result.isFailed || isFailedWord(item.status),
    durationMs: durationMsOf(item.duration),
  });
}
