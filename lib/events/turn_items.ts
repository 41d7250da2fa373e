/**
 * Converts the completed items that the program writes: everything that happens in paginated files,
 * and the few items in legacy files (C.5).
 */

import {
  type Fields,
  fieldsOf,
  idOf,
  knownFields,
  snakeCase,
  textOf,
  textsOf,
} from "../json/fields.ts";
import type { Call } from "./calls.ts";
import {
  type Ended,
  endedCommand,
  endedDynamic,
  endedMcp,
  endedPatch,
  endStatus,
  imageContent,
  noteReview,
  PATCH_REGEXP,
  plainPath,
  startOf,
  statedStatus,
  timesOf,
} from "./contents.ts";
import {
  isReviewPromptCopy,
  messageOfCommand,
  saidBeside,
  searchContent,
  takeViewedImage,
  tellCompaction,
  userContent,
  withKeptImages,
} from "./copies.ts";
import { isMigratedItem } from "./ids.ts";
import type { SessionContext } from "./session_context.ts";
import { contentText, contentTexts, readToolOutput } from "./tool_output.ts";
import { readUserContent } from "./user_message.ts";

type TellItem = (
  context: SessionContext,
  item: Fields,
  place: ItemPlace,
) => void;

/**
 * The rule of each item type, by its name in snake case: app-servers spell the types in camel case,
 * and a session file that did would lose its prompts and answers.
 */
const ITEMS: ReadonlyMap<string, TellItem> = new Map(
  Object.entries<TellItem>({
    UserMessage: say("user_message", promptContent),
    AgentMessage: say("agent_message", (item) => ({
      text: contentText(bodyOf(item)),
      ...saidBeside(item),
    })),
    Reasoning: say("reasoning", (item) => ({ text: thoughtOf(item) })),
    Plan: say("plan", (item) => ({ text: textOf(item.text) ?? "" })),
    SubAgentActivity: say("sub_agent_activity", restOf),
    EnteredReviewMode: say("entered_review_mode", restOf),
    ExitedReviewMode: say("exited_review_mode", restOf),
    ContextCompaction: tellCompactionItem,
    CommandExecution: tellCommand,
    FileChange: act("file_change", endedPatch),
    McpToolCall: act("mcp_tool_call", endedMcp),
    WebSearch: act(
      "web_search",
      (item) => withStatus(item, searchContent(item)),
    ),
    ImageView: act("image_view", ({ path }) => ({
      content: { path: plainPath(path) ?? "" },
      status: "completed",
    })),
    ImageGeneration: act(
      "image_generation",
      (item) => withStatus(item, imageContent(item)),
    ),
    DynamicToolCall: act("dynamic_tool_call", endedDynamic),
    CollabAgentToolCall: act(
      "collab_tool_call",
      ({ status, ...item }) => withStatus({ status }, restOf(item)),
    ),
    FunctionCallOutput: act("tool_call", clientOutput),
  }).map(([type, tell]) => [snakeCase(type), tell]),
);

/** By kind of an `Extension` item, the item type that it is treated as. */
const EXTENSIONS: ReadonlyMap<unknown, string> = new Map([
  ["clock.sleep", "Sleep"],
  ["image_gen.generation", "ImageGeneration"],
  ["web.search", "WebSearch"],
]);
/** The item types that legacy files have too. */
const LEGACY_TYPES: ReadonlySet<string> = new Set(["plan", "sleep"]);
/** The item types whose response items have no common id with the item. */
const LOOSE_TYPES: ReadonlySet<string> = new Set([
  "image_generation",
  "web_search",
]);

/** Emits the events of an `item_completed`; an item without a rule keeps its fields. */
export function tellTurnItem(context: SessionContext, event: Fields): void {
  const item = fieldsOf(event.item);
  const { type } = item;
  if (typeof type !== "string") return;
  const itemType = snakeCase(
    type === "Extension" ? EXTENSIONS.get(item.kind) ?? type : type,
  );
  if (context.mode === "legacy" && !LEGACY_TYPES.has(itemType)) return;
  const place = {
    // In a review, the prompt has the id of the reviewer's turn.
    turnId: context.reviewPrompt === null
      ? idOf(event.turn_id)
      : context.turnId ?? undefined,
    ...timesOf(event, context.now),
  };
  const tell = ITEMS.get(itemType);
  if (tell !== undefined) return tell(context, item, place);
  context.complete(itemType, restOf(item), {
    itemId: idOf(item.id),
    ...place,
  });
}

interface ItemPlace {
  readonly turnId: string | undefined;
  readonly startedAt: string | undefined;
  readonly at: string | undefined;
}

/** Returns the rule of a message or notice, which has no statement of another witness. */
function say(
  type: string,
  read: (item: Fields, context: SessionContext) => Fields,
): TellItem {
  return (context, item, place) => {
    const content = read(item, context);
    if (type === "user_message") {
      if (Object.keys(content).length === 0) return;
      context.prompt();
    }
    if (type === "reasoning" && textOf(content.text)?.trim() === "") return;
    if (type === "exited_review_mode" || type === "entered_review_mode") {
      noteReview(context, item, place.turnId);
    }
    const id = idOf(item.id);
    const call = context.calls.get(id);
    const itemId = context.complete(type, content, {
      // An action of an agent that was caused by a call is an item of its own.
      itemId: call === undefined ? id : `${type}:${id}`,
      callId: call?.callId,
      ...place,
    });
    // In legacy files, the message with the plan follows.
    if (type === "plan" && context.mode === "legacy") {
      const text = textOf(content.text) ?? "";
      context.pairing.add("assistant", text, "event", { itemId });
    }
  };
}

/** Returns the rule of an action, which a response item states too. */
function act(type: string, read: (item: Fields) => Ended): TellItem {
  return (context, item, place) => {
    const { content, status } = read(item);
    const id = idOf(item.id);
    const known = context.calls.get(id) ??
      scriptedCall(context, type, content);
    const itemId = context.pairing
      .match("loose", type, "event", known?.itemId)?.itemId;
    const call = known ?? context.beginCall(id, "event", type, itemId).call;
    call.type = type;
    call.hasItem = true;
    const isNew = known === undefined && itemId === undefined;
    const startedAt = place.startedAt ??
      (isNew ? startOf(content, place.at ?? context.now) : undefined);
    context.completeCall(call, context.spelled(content, ["item"]), {
      ...place,
      status,
      startedAt,
    });
    if (isNew && LOOSE_TYPES.has(type)) {
      context.noteLoose(type, "event", call.itemId);
    }
    // If the item of a script's call is repeated, it must not become the item of another call.
    if (id !== undefined && id !== call.callId) context.calls.link(id, call);
  };
}

/**
 * Finds the call of a script in code mode that an item belongs to; the id of the item is the
 * program's own. A command that continued is found by its session, another command by its command
 * line. Otherwise the first open call of that type is returned. Open calls of earlier turns never
 * end: a fork has inherited them, or their process was killed.
 */
function scriptedCall(
  context: SessionContext,
  type: string,
  content: Fields,
): Call | undefined {
  let first: Call | undefined;
  let ended: Call | undefined;
  const session = textOf(content.process_id);
  const command = textsOf(content.argv).at(-1);
  for (const call of context.calls.scripted()) {
    if (session !== undefined && call.session === session) return call;
    if (call.output !== null || !isOfKind(call, type)) continue;
    const isSame = command !== undefined && call.content.command === command;
    if (call.state === "closed") {
      if (isSame) ended = call;
    } else if (context.turnId === null || call.turnId === context.turnId) {
      if (isSame) return call;
      first ??= call;
    }
  }
  return ended ?? first;
}

function isOfKind({ type, name, content }: Call, itemType: string): boolean {
  switch (itemType) {
    case "collab_tool_call":
    case "command_execution":
    case "mcp_tool_call":
    case "image_view":
      return type === itemType;
    case "file_change":
      // A patch may be passed to a shell.
      return type === itemType ||
        (type === "command_execution" &&
          PATCH_REGEXP.test(textOf(content.command) ?? ""));
    case "dynamic_tool_call":
      return type === "tool_call" && name !== "exec" && name !== "write_stdin";
    default:
      return false;
  }
}

/**
 * Returns the content of a prompt. It has no fields if the item, which `codex migrate-rollouts` made
 * of a message, passes an image that the model had asked for, or repeats the prompt of a review.
 */
function promptContent(item: Fields, context: SessionContext): Fields {
  const { text, images } = readUserContent(bodyOf(item));
  const isNone = isMigratedItem(item.id) &&
    (text.trim() === ""
      ? images.length === 1 && takeViewedImage(context)
      : isReviewPromptCopy(context, text));
  const message = withKeptImages(context, { text, images });
  return isNone ? {} : userContent(message);
}

const endCommand = act("command_execution", endedCommand);

/** Emits a command; that of a user completes the one that the message about it has begun. */
function tellCommand(
  context: SessionContext,
  item: Fields,
  place: ItemPlace,
): void {
  const message = messageOfCommand(context, item);
  if (message === undefined) return endCommand(context, item, place);
  const { content, status } = endedCommand(item);
  context.complete("command_execution", content, {
    itemId: message.itemId,
    status,
    ...place,
  });
}

/** Emits a compaction; an item that is repeated adds nothing. */
function tellCompactionItem(context: SessionContext, item: Fields): void {
  const id = idOf(item.id);
  if (id !== undefined) {
    if (context.calls.get(id) !== undefined) return;
    const { call } = context.beginCall(id, "event", "context_compaction");
    context.calls.close(call);
  }
  tellCompaction(context, "event", { itemId: id });
}

function withStatus(fields: Fields, content: Fields): Ended {
  return { content, status: statedStatus(fields) };
}

/** Converts an output that a client provided for a call which the model did not make. */
function clientOutput(item: Fields): Ended {
  const output = readToolOutput(item.output);
  return {
    content: knownFields({
      name: textOf(item.name) ?? "",
      namespace: idOf(item.namespace),
      output: output.blocks,
    }),
    status: endStatus(output.success === false),
  };
}

function restOf(item: Fields): Fields {
  const { type: _type, id: _id, ...rest } = item;
  return rest;
}

function thoughtOf({ summary_text, raw_content }: Fields): string {
  const summary = contentTexts(summary_text);
  const isSummed = summary.some((part) => part.trim() !== "");
  return (isSummed ? summary : contentTexts(raw_content)).join("\n\n");
}

/** Returns the content of a message, which may be just its text. */
function bodyOf({ content, text }: Fields): unknown {
  return content ?? text;
}
