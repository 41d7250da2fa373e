/**
 * The items that the program says are complete: all that happens in paginated files, and the few
 * that legacy ones have (C.5).
 *
 * @module
 */

import {
  type Fields,
  fieldsOf,
  idOf,
  isFailedWord,
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
  imageContent,
  noteReview,
  startOf,
  timesOf,
} from "./contents.ts";
import {
  saidBeside,
  searchContent,
  tellCompaction,
  userContent,
} from "./copies.ts";
import type { SessionContext } from "./session_context.ts";
import { contentText, isSuccess, readToolOutput } from "./tool_output.ts";
import { readUserContent } from "./user_message.ts";

/** What an item is in events. */
type Read = (item: Fields) => readonly [type: string, ended: Ended];

/** The items that say something, which have no other witness to be told from. */
const SAID: ReadonlyMap<unknown, Read> = new Map<unknown, Read>([
  ["UserMessage", (item) => [
    "user_message",
    done(userContent(readUserContent(contentOf(item)))),
  ]],
  ["AgentMessage", (item) => [
    "agent_message",
    done({ text: contentText(contentOf(item)), ...saidBeside(item) }),
  ]],
  ["Reasoning", (item) => ["reasoning", done({ text: thoughtOf(item) })]],
  ["Plan", (item) => ["plan", done({ text: textOf(item.text) ?? "" })]],
  ["SubAgentActivity", (item) => ["sub_agent_activity", done(restOf(item))]],
  ["EnteredReviewMode", (item) => ["entered_review_mode", done(restOf(item))]],
  ["ExitedReviewMode", (item) => ["exited_review_mode", done(restOf(item))]],
]);

/** The items that say what was done, of which response items tell, too. */
const DONE: ReadonlyMap<unknown, Read> = new Map<unknown, Read>([
  ["CommandExecution", (item) => ["command_execution", endedCommand(item)]],
  ["FileChange", (item) => ["file_change", endedPatch(item)]],
  ["McpToolCall", (item) => ["mcp_tool_call", endedMcpItem(item)]],
  [
    "WebSearch",
    (item) => ["web_search", withStatus(item, searchContent(item))],
  ],
  ["ImageView", (item) => [
    "image_view",
    done({ path: textOf(item.path) ?? "" }),
  ]],
  ["ImageGeneration", (item) => [
    "image_generation",
    withStatus(item, imageContent(item)),
  ]],
  ["DynamicToolCall", (item) => ["dynamic_tool_call", endedDynamic(item)]],
  ["CollabAgentToolCall", (item) => [
    "collab_tool_call",
    withStatus(item, collabContent(item)),
  ]],
  ["FunctionCallOutput", (item) => ["tool_call", clientOutput(item)]],
]);

/** The types of items that say what an extension does, by the kind of its item. */
const EXTENSIONS: ReadonlyMap<unknown, string> = new Map([
  ["image_gen.generation", "ImageGeneration"],
  ["web.search", "WebSearch"],
]);
/** What also legacy files have. */
const LEGACY_TYPES: ReadonlySet<unknown> = new Set(["Plan", "Sleep"]);
/** Items that are told by a response item without an id in common. */
const LOOSE_TYPES: ReadonlySet<string> = new Set([
  "image_generation",
  "image_view",
  "web_search",
]);

/** Tells of an `item_completed`. */
export function tellTurnItem(context: SessionContext, event: Fields): void {
  const item = fieldsOf(event.item);
  const { type } = item;
  if (typeof type !== "string") return;
  if (context.mode === "legacy" && !LEGACY_TYPES.has(type)) return;
  const name = type === "Extension" ? EXTENSIONS.get(item.kind) : type;
  const place = {
    turnId: idOf(event.turn_id),
    ...timesOf(event, context.now),
  };
  if (name === "ContextCompaction") {
    return tellCompactionItem(context, idOf(item.id));
  }
  const said = SAID.get(name);
  if (said !== undefined) return tellSaid(context, item, said, place);
  const read = DONE.get(name);
  if (read !== undefined) return tellDone(context, item, read, place);
  context.complete(snakeCase(type), restOf(item), {
    itemId: idOf(item.id),
    ...place,
  });
}

interface ItemPlace {
  readonly turnId: string | undefined;
  readonly startedAt?: string;
  readonly at?: string;
}

function tellSaid(
  context: SessionContext,
  item: Fields,
  read: Read,
  place: ItemPlace,
): void {
  const [type, { content, status }] = read(item);
  if (type === "user_message") {
    if (Object.keys(content).length === 0) return;
    context.prompt();
  }
  if (type === "reasoning" && textOf(content.text)?.trim() === "") return;
  if (type === "exited_review_mode" || type === "entered_review_mode") {
    noteReview(context, item);
  }
  const id = idOf(item.id);
  const call = context.calls.get(id);
  context.complete(type, content, {
    // What an agent does because of a call is a note of its own.
    itemId: call === undefined ? id : `${type}:${id}`,
    callId: call?.callId,
    status,
    ...place,
  });
}

function tellDone(
  context: SessionContext,
  item: Fields,
  read: Read,
  place: ItemPlace,
): void {
  const [type, { content, status }] = read(item);
  const id = idOf(item.id);
  const known = context.calls.get(id) ??
    scriptedCall(context, type, content);
  if (known === undefined && LOOSE_TYPES.has(type)) {
    const itemId = context.takeLoose(type, "event");
    if (itemId !== undefined) {
      context.complete(type, content, { itemId, status, ...place });
      return;
    }
  }
  const call = known ?? context.beginCall(id, "event", type).call;
  call.type = type;
  call.hasItem = true;
  const ended = place.at ?? context.now;
  const startedAt = place.startedAt ??
    (known === undefined ? startOf(content, ended).startedAt : undefined);
  context.completeCall(call, context.spelled(content, ["item"]), {
    status,
    ...place,
    ...(startedAt === undefined ? {} : { startedAt }),
  });
  if (known === undefined && LOOSE_TYPES.has(type)) {
    context.noteLoose(type, "event", call.itemId);
  }
}

/**
 * Finds the call in a script of code mode that an item is of: the item's id is the program's own.
 * A command that went on is known by its session, another one by what it runs, else by its turn:
 * a fork may have inherited calls that nothing ends.
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
    if (session !== undefined && call.session === session) {
      if (call.type === "command_execution") return call;
    }
    if (call.output !== null || !isOfKind(call, type)) continue;
    const isSame = call.content.command === command;
    if (call.state === "closed") {
      if (isSame && command !== undefined) ended = call;
    } else if (isSame) return call;
    else first ??= call;
  }
  return ended ?? first;
}

/** Tells whether a call may turn out to be an item of a type. */
function isOfKind({ type, name, content }: Call, itemType: string): boolean {
  switch (itemType) {
    case "command_execution":
    case "mcp_tool_call":
    case "image_view":
      return type === itemType;
    case "file_change":
      // A patch may be given to a shell.
      return type === itemType ||
        (type === "command_execution" &&
          (textOf(content.command) ?? "").includes("apply_patch"));
    case "collab_tool_call":
      return type === itemType || (type === "tool_call" && /agent/.test(name));
    case "dynamic_tool_call":
      return type === "tool_call" && name !== "exec" && name !== "write_stdin";
    default:
      return false;
  }
}

/** Tells of a compaction, of which an item that comes again says nothing new. */
function tellCompactionItem(
  context: SessionContext,
  id: string | undefined,
): void {
  if (id !== undefined) {
    if (context.calls.get(id) !== undefined) return;
    const { call } = context.beginCall(id, "event", "context_compaction");
    context.calls.close(call);
  }
  tellCompaction(context, "event", { itemId: id });
}

function done(content: Fields): Ended {
  return { content, status: "completed" };
}

function withStatus({ status }: Fields, content: Fields): Ended {
  return { content, status: isFailedWord(status) ? "failed" : "completed" };
}

function endedMcpItem(item: Fields): Ended {
  const ended = endedMcp(item, item.result, item.error, item.duration);
  return isFailedWord(item.status) ? { ...ended, status: "failed" } : ended;
}

function collabContent(item: Fields): Fields {
  const { type: _type, id: _id, status: _status, ...rest } = item;
  return rest;
}

/** What a client gave as the output of a call that the model has not made. */
function clientOutput(item: Fields): Ended {
  const output = readToolOutput(item.output);
  const namespace = idOf(item.namespace);
  return {
    content: {
      name: textOf(item.name) ?? "",
      ...(namespace === undefined ? {} : { namespace }),
      output: output.blocks,
    },
    status: isSuccess(output) ? "completed" : "failed",
  };
}

/** The fields of an item that are its own. */
function restOf(item: Fields): Fields {
  const { type: _type, id: _id, ...rest } = item;
  return rest;
}

function thoughtOf({ summary_text, raw_content }: Fields): string {
  const summary = textsOf(summary_text);
  const isSummed = summary.some((part) => part.trim() !== "");
  return (isSummed ? summary : textsOf(raw_content)).join("\n\n");
}

/** Gives the content of a message, which may be its text alone. */
function contentOf({ content, text }: Fields): unknown {
  return content ?? textOf(text);
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}
