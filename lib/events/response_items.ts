/**
 * Response items: what the model said and was told (C.3, C.5).
 *
 * @module
 */

import {
  callIdOf,
  type Fields,
  fieldsOf,
  firstIdOf,
  idOf,
  isObject,
  jsonTextOf,
  listOf,
  parseJson,
  textOf,
  textsOf,
} from "../json/fields.ts";
import { endCall } from "./call_outputs.ts";
import { imageContent, planContent } from "./contents.ts";
import { commandLineOf } from "./command_line.ts";
import {
  isPlanCopy,
  tellAnswerCopy,
  tellSearchCopy,
  tellThought,
  tellUser,
} from "./copies.ts";
import { isInjectedMessage, readUserContent } from "./user_message.ts";
import { readPatchEnvelope } from "./patch_envelope.ts";
import { scriptedCall } from "./scripts.ts";
import { LOCAL_SHELL } from "./call_outputs.ts";
import type { SessionContext } from "./session_context.ts";
import { withText } from "./session_items.ts";
import { contentText, readToolOutput } from "./tool_output.ts";
import { userShellCommand } from "./user_shell.ts";

/** Tells of an item of one type. */
type TellItem = (context: SessionContext, item: Fields) => void;

/** What becomes of each type of item; of the others nothing. */
const ITEMS: ReadonlyMap<string, TellItem> = new Map<string, TellItem>([
  ["message", tellMessage],
  ["agent_message", tellAgentMessage],
  ["reasoning", tellReasoning],
  ["local_shell_call", tellLocalShell],
  ["function_call", tellFunctionCall],
  ["function_call_output", tellOutput],
  ["local_shell_call_output", tellOutput],
  ["custom_tool_call", tellCustomCall],
  ["custom_tool_call_output", tellOutput],
  ["web_search_call", tellWebSearch],
  ["tool_search_call", tellToolSearch],
  ["tool_search_output", tellToolSearchOutput],
  ["image_generation_call", tellImageGeneration],
]);

/** Items that the model says: behind them nothing has happened yet. */
const SPEECH: ReadonlySet<unknown> = new Set(["message"]);
/** Items that tell nothing, and so open no work behind the end of a turn (C.6). */
const IDLE: ReadonlySet<unknown> = new Set([
  "additional_tools",
  "compaction",
  "compaction_summary",
  "compaction_trigger",
  "context_compaction",
  "ghost_snapshot",
]);

/** Where the functions that run a command have it, and the item that is a call of its own. */
const SHELL_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ["shell", "command"],
  ["container.exec", "command"],
  ["local_shell", "command"],
  [LOCAL_SHELL, "command"],
  ["shell_command", "command"],
  ["exec_command", "cmd"],
]);
const PATCH_TOOL = "apply_patch";
const SCRIPT_TOOL = "exec";
const MCP_PREFIX = "mcp__";

/** Tells what an item says; of a type that nobody knows, nothing. */
export function tellResponseItem(context: SessionContext, item: Fields): void {
  const { type } = item;
  if (typeof type !== "string") return;
  if (!SPEECH.has(type) && !IDLE.has(type)) {
    context.lastAnswer = null;
    context.steps += 1;
  }
  quoteCall(context, type, item);
  ITEMS.get(type)?.(context, item);
}

/** The names of calls that say none. */
const CALL_NAMES: ReadonlyMap<string, string> = new Map([
  ["local_shell_call", LOCAL_SHELL],
  ["tool_search_call", "tool_search"],
]);

/** Tells of a call, or of its output, in the words of the model. */
function quoteCall(context: SessionContext, type: string, item: Fields): void {
  const callId = callIdOf(item.call_id, item.id);
  if (type.endsWith("_output")) {
    const { output = item.tools } = item;
    return context.quote("model_call_output", callId, () => ({ output }));
  }
  const name = CALL_NAMES.get(type) ?? item.name;
  if (!type.endsWith("_call") || typeof name !== "string") return;
  const args = item.arguments ?? item.input ?? item.action;
  context.quote("model_call", callId, () => ({
    name,
    ...(typeof item.namespace === "string"
      ? { namespace: item.namespace }
      : {}),
    arguments: typeof args === "string"
      ? args
      : context.argumentsText(args) ?? jsonTextOf(args ?? {}),
  }));
}

// Messages.

function tellMessage(context: SessionContext, item: Fields): void {
  switch (item.role) {
    case "assistant":
      return tellAnswer(context, item);
    case "user":
      return tellUserItem(context, item);
    case "developer":
    case "system":
      return tellInjected(context, item);
  }
}

function tellInjected(context: SessionContext, item: Fields): void {
  const role = textOf(item.role) ?? "";
  const text = contentText(item.content, role === "system" ? "\n" : "");
  context.complete("injected_context", { role, text }, {
    itemId: idOf(item.id),
  });
}

function tellUserItem(context: SessionContext, item: Fields): void {
  if (!isInjectedMessage(item.content)) {
    if (context.mode === "paginated") return;
    tellUser(context, readUserContent(item.content), "item");
    return;
  }
  tellInjected(context, item);
  if (context.mode === "legacy") {
    const content = userShellCommand(contentText(item.content));
    if (content === undefined) return;
    const { exit_code } = content;
    const status = exit_code === 0 ? "completed" : "failed";
    context.complete("command_execution", content, { status });
  }
}

function tellAnswer(context: SessionContext, item: Fields): void {
  const text = contentText(item.content);
  const itemId = context.mode === "legacy"
    ? tellAnswerCopy(context, item, { text, witness: "item" })
    : undefined;
  context.lastAnswer = { text, itemId: itemId ?? "" };
  context.seen.answer = true;
}

function tellAgentMessage(context: SessionContext, item: Fields): void {
  const text = contentText(item.content, "\n");
  if (text.trim() === "") return;
  const recipient = textOf(item.recipient);
  context.complete("inter_agent_message", {
    text,
    author: textOf(item.author) ?? "",
    ...(recipient === undefined ? {} : { recipient }),
  }, { itemId: idOf(item.id) });
}

function tellReasoning(context: SessionContext, item: Fields): void {
  if (context.mode === "paginated") return;
  for (const part of listOf(item.summary)) {
    tellThought(context, textOf(fieldsOf(part).text) ?? "", {
      kind: "summary",
      witness: "item",
    });
  }
}

// Calls.

/** What a model calls, however it is written down. */
interface ModelCall {
  readonly callId: string | undefined;
  readonly name: string;
  readonly namespace?: unknown;
  /** What it is given. */
  readonly args: unknown;
  /** The JSON text of that, if there is one. */
  readonly text?: string | undefined;
  readonly isScript?: boolean;
}

function tellLocalShell(context: SessionContext, item: Fields): void {
  const { command } = fieldsOf(item.action);
  tellCall(context, {
    callId: callIdOf(item.call_id, item.id),
    name: LOCAL_SHELL,
    args: { command },
  });
}

function tellFunctionCall(context: SessionContext, item: Fields): void {
  const { arguments: args } = item;
  const isText = typeof args === "string";
  tellCall(context, {
    callId: callIdOf(item.call_id, item.id),
    name: textOf(item.name) ?? "",
    namespace: item.namespace,
    args: isText ? parseJson(args) ?? args : args,
    text: isText ? args : context.argumentsText(args),
  });
}

function tellCustomCall(context: SessionContext, item: Fields): void {
  const name = textOf(item.name) ?? "";
  const callId = callIdOf(item.call_id, item.id);
  const { input } = item;
  if (name !== SCRIPT_TOOL || typeof input !== "string") {
    const args = name === PATCH_TOOL ? input : { input };
    return tellCall(context, { callId, name, args });
  }
  const script = scriptedCall(input);
  tellCall(
    context,
    script === undefined
      ? { callId, name, args: { script: input }, isScript: true }
      : {
        callId,
        name: script.name,
        args: parseJson(script.argument),
        text: script.argument,
        isScript: true,
      },
  );
}

/** Tells of a call as the item type that its name says. */
function tellCall(context: SessionContext, made: ModelCall): void {
  const { name, isScript = false } = made;
  const [type, content] = callContent(made);
  const isPoll = type === "tool_call" && name === "write_stdin" &&
    isObject(made.args) && made.args.chars === "";
  if (type === "todo_list" && isPlanCopy(context, content, "item")) return;
  const { call, isNew } = context.beginCall(made.callId, "item", type);
  call.name = name;
  call.isScript = isScript;
  if (name === "write_stdin") {
    const session = fieldsOf(made.args).session_id;
    call.session = typeof session === "number" || typeof session === "string"
      ? String(session)
      : null;
    call.isShown = !isPoll;
  }
  // What an event has said already is better than this.
  if (!isNew) return;
  if (isPoll) {
    call.type = type;
    call.content = content;
  } else context.startCall(call, type, content);
  if (type === "image_view") context.viewedImages += 1;
}

function callContent(
  { name, namespace, args, text }: ModelCall,
): readonly [string, Fields] {
  const fields = fieldsOf(args);
  const argv = commandOf(name, fields);
  if (argv !== undefined) {
    const [program, envelope] = argv;
    return program === PATCH_TOOL && argv.length > 1
      ? patchContent(envelope)
      : ["command_execution", {
        command: commandLineOf(argv),
        argv,
        ...(typeof fields.workdir === "string" ? { cwd: fields.workdir } : {}),
      }];
  }
  if (name === PATCH_TOOL) {
    return patchContent(fields.input ?? fields.patch ?? args);
  }
  if (name === "update_plan" && Array.isArray(fields.plan)) {
    return ["todo_list", planContent(fields)];
  }
  if (name === "view_image" && typeof fields.path === "string") {
    return ["image_view", { path: fields.path }];
  }
  const given: Fields = args === undefined
    ? {}
    : withText({ arguments: args }, text);
  const collab = COLLAB_TOOLS.get(name);
  if (collab !== undefined && isCollabCall(namespace, fields)) {
    return ["collab_tool_call", collabContent(collab, fields)];
  }
  const mcp = mcpNames(namespace, name, fields);
  if (mcp !== undefined) return ["mcp_tool_call", { ...mcp, ...given }];
  const owner = idOf(namespace);
  return ["tool_call", {
    name,
    ...(owner === undefined ? {} : { namespace: owner }),
    ...given,
  }];
}

/** What exec streams call the tools by which agents call each other. */
const COLLAB_TOOLS: ReadonlyMap<string, string> = new Map([
  ["spawn_agent", "spawn_agent"],
  ["send_input", "send_input"],
  ["send_message", "send_input"],
  ["followup_task", "send_input"],
  ["wait", "wait"],
  ["wait_agent", "wait"],
  ["close_agent", "close_agent"],
  ["resume_agent", "resume_agent"],
]);

/** The fork has a tool `wait` of its own, which waits for a command or a while. */
function isCollabCall(namespace: unknown, args: Fields): boolean {
  return idOf(namespace) === undefined && args.for === undefined &&
    args.call_id === undefined;
}

function collabContent(tool: string, args: Fields): Fields {
  const prompt = textOf(args.message) ?? textOf(args.prompt);
  const { ids, targets } = args;
  const one = textOf(args.id) ?? textOf(args.target);
  const receivers = Array.isArray(ids)
    ? ids
    : Array.isArray(targets)
    ? targets
    : one === undefined
    ? []
    : [one];
  return {
    tool,
    receiver_thread_ids: receivers,
    ...(prompt === undefined ? {} : { prompt }),
    ...(typeof args.task_name === "string"
      ? { task_name: args.task_name }
      : {}),
  };
}

/** Gives the command that a function runs; a text is a command of one word. */
function commandOf(name: string, args: Fields): string[] | undefined {
  const command = args[SHELL_FUNCTIONS.get(name) ?? ""];
  if (typeof command === "string") return [command];
  return Array.isArray(command) ? textsOf(command) : undefined;
}

function patchContent(envelope: unknown): readonly [string, Fields] {
  const changes = readPatchEnvelope(textOf(envelope) ?? "");
  return ["file_change", { changes }];
}

/** Codex's own tools for what MCP servers hold; exec streams tell them as calls of a server. */
const RESOURCE_TOOLS: ReadonlySet<string> = new Set([
  "list_mcp_resources",
  "list_mcp_resource_templates",
  "read_mcp_resource",
]);

/** Whose tool a function of an MCP server is: `mcp__server` and `tool`, or both in one name. */
function mcpNames(
  namespace: unknown,
  name: string,
  args: Fields,
): Fields | undefined {
  const owner = textOf(namespace) ?? "";
  if (owner.startsWith(MCP_PREFIX)) {
    return { server_name: owner.slice(MCP_PREFIX.length), tool_name: name };
  }
  if (owner !== "") return undefined;
  if (RESOURCE_TOOLS.has(name)) {
    return { server_name: textOf(args.server) ?? "codex", tool_name: name };
  }
  // Up to 0.44 the prefix was not there.
  const start = name.startsWith(MCP_PREFIX) ? MCP_PREFIX.length : 0;
  const at = name.indexOf("__", start);
  return at <= start ? undefined : {
    server_name: name.slice(start, at),
    tool_name: name.slice(at + 2),
  };
}

function tellToolSearch(context: SessionContext, item: Fields): void {
  const callId = callIdOf(item.call_id, item.id);
  const { arguments: args } = item;
  const isText = typeof args === "string";
  const content = withText({
    name: "tool_search",
    arguments: isText ? parseJson(args) ?? args : args,
  }, isText ? args : context.argumentsText(args));
  const { call } = context.beginCall(callId, "item", "tool_call");
  context.startCall(call, "tool_call", content);
  const isOver = item.execution === "server" &&
    callIdOf(item.call_id) === undefined;
  // What the server searched has ended, and nothing says which call an output belongs to.
  if (!isOver) return;
  const status = item.status === "failed" ? "failed" : "completed";
  context.completeCall(call, content, { status });
}

function tellToolSearchOutput(context: SessionContext, item: Fields): void {
  const callId = callIdOf(item.call_id);
  const call = callId === undefined ? undefined : context.calls.get(callId);
  if (call === undefined || call.state === "closed") return;
  const status = item.status === "failed" ? "failed" : "completed";
  context.completeCall(call, call.content, { status });
}

function tellWebSearch(context: SessionContext, item: Fields): void {
  const callId = firstIdOf(item.id, item.call_id);
  const isFailed = item.status === "failed";
  tellSearchCopy(context, callId, item, { witness: "item", isFailed });
}

function tellImageGeneration(context: SessionContext, item: Fields): void {
  const callId = firstIdOf(item.id, item.call_id);
  const content = imageContent(item);
  if (context.takeLoose("image_generation", "item") !== undefined) {
    return;
  }
  const { call, isNew } = context.beginCall(callId, "item", "image_generation");
  if (!isNew && call.hasItem) return;
  const status = item.status === "failed" ? "failed" : "completed";
  call.content = content;
  context.complete("image_generation", content, {
    ...context.of(call),
    status,
  });
  context.noteLoose("image_generation", "item", call.itemId);
}

// Outputs.

function tellOutput(context: SessionContext, item: Fields): void {
  const callId = callIdOf(item.call_id, item.id);
  const call = callId === undefined ? undefined : context.calls.get(callId);
  if (call === undefined || call.hasItem || call.state === "closed") return;
  const output = readToolOutput(item.output);
  const success = typeof item.success === "boolean"
    ? item.success
    : output.success;
  endCall(context, call, { ...output, success }, item.output);
}
