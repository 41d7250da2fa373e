/** Converts response items: messages, reasoning and calls, and the model's input (C.3, C.5). */

import {
  arrayOf,
  booleanOf,
  callIdOf,
  type Fields,
  fieldsOf,
  idOf,
  isDeeperThan,
  isObject,
  jsonTextOf,
  knownFields,
  parseJson,
  textOf,
  textsOf,
} from "../json/fields.ts";
import { endOfString, endOfValue } from "../json/member_texts.ts";
import { readAnswerText } from "./answer_text.ts";
import type { Call } from "./calls.ts";
import { commandLineOf } from "../dialects/exec/command_line.ts";
import {
  endStatus,
  imageContent,
  isAnyAgentLost,
  PATCH_REGEXP,
  planContent,
  statedStatus,
} from "./contents.ts";
import {
  isPlanCopy,
  keepImages,
  takeViewedImage,
  tellAnswerCopy,
  tellSearchCopy,
  tellThought,
  tellUser,
  USER_SHELL,
} from "./copies.ts";
import { IDLE_RESPONSE_ITEMS } from "./line_selection.ts";
import type { SessionContext } from "./session_context.ts";
import { type SessionFileChange, withText } from "./session_items.ts";
import {
  contentText,
  contentTexts,
  readToolOutput,
  secondsIn,
  sessionOf,
  type ToolOutput,
} from "./tool_output.ts";
import { isInjectedMessage, readUserContent } from "./user_message.ts";

type TellItem = (context: SessionContext, item: Fields) => void;

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

const IDLE: ReadonlySet<string> = new Set(IDLE_RESPONSE_ITEMS);
/** What the program writes for an item whose type it did not know itself: without any fields. */
const UNNAMED = "other";

/** The name of a call that is an item type of its own, up to 0.29. */
const LOCAL_SHELL = "local_shell_call";

/** By name of a function that runs a command, the argument with it; one is an item itself. */
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
const WRITE_TOOL = "write_stdin";
const WAIT_TOOL = "wait";
const MCP_PREFIX = "mcp__";

/** Emits the events of an item. An item of an unknown type keeps its fields. */
export function tellResponseItem(context: SessionContext, item: Fields): void {
  const { type } = item;
  if (typeof type !== "string") return;
  // Messages do not count as work that follows an answer.
  if (type !== "message" && !IDLE.has(type)) {
    context.lastAnswer = null;
    context.steps += 1;
  }
  if (context.hasModelCalls) quoteCall(context, type, item);
  const tell = ITEMS.get(type);
  if (tell !== undefined) tell(context, item);
  else if (!IDLE.has(type) && type !== UNNAMED) {
    tellUnknown(context, type, item);
  }
}

function tellUnknown(
  context: SessionContext,
  type: string,
  { type: _type, id, call_id, status, ...content }: Fields,
): void {
  const callId = idOf(call_id);
  context.complete(type, content, {
    // Calls of many releases have no `id`. A call and its output are two items.
    itemId: idOf(id) ?? (callId && `${type}:${callId}`),
    callId,
    status: textOf(status),
  });
}

/** Emits a call, or its output, exactly as the model wrote or received it. */
function quoteCall(context: SessionContext, type: string, item: Fields): void {
  const callId = callIdOf(item.call_id, item.id);
  const ids = { itemId: callId ?? "", callId };
  if (type.endsWith("_output")) {
    const { output = item.tools } = item;
    context.complete("model_call_output", { output }, ids);
    return;
  }
  const name = callName(type, item);
  if (!type.endsWith("_call") || name === undefined) return;
  const args = item.arguments ?? item.input ?? item.action;
  context.openPrompted();
  context.complete("model_call", {
    name,
    ...knownFields({ namespace: textOf(item.namespace) }),
    arguments: typeof args === "string"
      ? args
      : context.argumentsText(args) ?? jsonTextOf(args ?? {}),
  }, ids);
}

function callName(type: string, { name }: Fields): string | undefined {
  if (type === "tool_search_call") return "tool_search";
  return type === LOCAL_SHELL ? LOCAL_SHELL : textOf(name);
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
      return tellInjected(context, item.role, item);
  }
}

function tellInjected(
  context: SessionContext,
  role: string,
  item: Fields,
): void {
  const text = contentText(item.content, role === "system" ? "\n" : "");
  context.complete("injected_context", { role, text }, {
    itemId: idOf(item.id),
  });
}

function tellUserItem(context: SessionContext, item: Fields): void {
  if (!isInjectedMessage(item.content)) {
    const message = readUserContent(item.content);
    if (context.mode === "paginated") keepImages(context, message);
    else tellUser(context, message, "item");
    return;
  }
  tellInjected(context, "user", item);
  const content = userShellCommand(contentText(item.content));
  if (content === undefined) return;
  const { pairing } = context;
  if (pairing.match("command", content.command, "item") !== undefined) return;
  const itemId = context.complete("command_execution", content, {
    status: endStatus(content.exit_code !== 0),
  });
  pairing.add("command", content.command, "item", { itemId });
}

function tellAnswer(context: SessionContext, item: Fields): void {
  const text = contentText(item.content);
  const itemId = context.mode === "legacy"
    ? tellAnswerCopy(context, item, text, "item")
    : undefined;
  const { said } = readAnswerText(text);
  context.lastAnswer = { text: said, itemId: itemId ?? "" };
}

function tellAgentMessage(context: SessionContext, item: Fields): void {
  const text = contentText(item.content, "\n");
  if (text.trim() === "") return;
  const content = knownFields({
    text,
    author: textOf(item.author) ?? "",
    recipient: textOf(item.recipient),
  });
  context.complete("inter_agent_message", content, { itemId: idOf(item.id) });
}

function tellReasoning(context: SessionContext, item: Fields): void {
  if (context.mode === "paginated") return;
  for (const text of contentTexts(item.summary)) {
    tellThought(context, "summary", text, "item");
  }
}

// Calls.

/** A call of the model, independent of its item type. */
interface ModelCall {
  readonly callId: string | undefined;
  readonly name: string;
  readonly namespace?: unknown;
  readonly args: unknown;
  /** The JSON text of the arguments, if there is one. */
  readonly text?: string | undefined;
  readonly isScript?: boolean;
}

function tellLocalShell(context: SessionContext, item: Fields): void {
  const { command, working_directory: workdir } = fieldsOf(item.action);
  tellCall(context, {
    callId: callIdOf(item.call_id, item.id),
    name: LOCAL_SHELL,
    args: knownFields({ command, workdir }),
  });
}

function tellFunctionCall(context: SessionContext, item: Fields): void {
  tellCall(context, {
    callId: callIdOf(item.call_id, item.id),
    name: textOf(item.name) ?? "",
    namespace: item.namespace,
    ...argumentsIn(context, item.arguments),
  });
}

/** The deepest nesting of JSON texts that become parts of events: some engines encode no more. */
const MAX_DEPTH = 1000;

/** Parses JSON text; returns `undefined` if it is not valid, or nests too deep for an event. */
function parsePart(text: string): unknown {
  const value = parseJson(text);
  // Each level takes two characters, so most texts need not be walked through.
  const mayBeDeep = text.length > 2 * MAX_DEPTH;
  return mayBeDeep && isDeeperThan(value, MAX_DEPTH) ? undefined : value;
}

/** Returns the arguments of a call and their JSON text; any other string is a text argument. */
function argumentsIn(
  context: SessionContext,
  encoded: unknown,
): Pick<ModelCall, "args" | "text"> {
  if (typeof encoded !== "string") {
    return { args: encoded, text: context.argumentsText(encoded) };
  }
  const args = parsePart(encoded) ?? undefined;
  return args === undefined ? { args: encoded } : { args, text: encoded };
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
      : { callId, ...script, isScript: true },
  );
}

/** Emits a call as an item of the type that its name implies. */
function tellCall(context: SessionContext, modelCall: ModelCall): void {
  const { name, isScript = false } = modelCall;
  context.seen.request = "called";
  const [type, content] = callContent(modelCall);
  if (type === "todo_list" && isPlanCopy(context, content, "item")) return;
  const { call, isNew } = context.beginCall(modelCall.callId, "item", type);
  call.name = name;
  if (isScript) context.calls.script(call);
  // An event has begun the call already, with better content than this item has.
  if (!isNew) return;
  if (isPoll(call, content)) {
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
    const [program = "", envelope] = argv;
    const cwd = textOf(fields.workdir);
    return PATCH_REGEXP.exec(program)?.[0] === program && envelope !== undefined
      ? patchContent(envelope, cwd)
      : [
        "command_execution",
        knownFields({ command: commandLineOf(argv), argv, cwd }),
      ];
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
  const argumentFields: Fields = args === undefined || args === null
    ? {}
    : withText({ arguments: args }, text);
  const collab = COLLAB_TOOLS.get(name);
  if (collab !== undefined && isCollabCall(namespace, fields)) {
    return ["collab_tool_call", collabContent(collab, fields)];
  }
  const mcp = mcpNames(namespace, name, fields);
  if (mcp !== undefined) {
    return ["mcp_tool_call", { ...mcp, ...argumentFields }];
  }
  return ["tool_call", {
    ...knownFields({ name, namespace: idOf(namespace) }),
    ...argumentFields,
  }];
}

/** The namespace of the tools for calls between agents, in releases that have one. */
const COLLAB_NAMESPACE = "multi_agent_v1";
/** By name of a tool for calls between agents, its name in exec streams. */
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

/**
 * Whether such a call is one between agents. Releases after 0.130 have the tools in a namespace;
 * calls in another one, `collaboration` (0.160 and later), are none in exec streams either. There
 * are other tools `wait`: that of the fork waits for a command or for some time, that of code mode
 * for a script.
 */
function isCollabCall(namespace: unknown, args: Fields): boolean {
  return (idOf(namespace) ?? COLLAB_NAMESPACE) === COLLAB_NAMESPACE &&
    args.for === undefined && args.call_id === undefined &&
    args.cell_id === undefined;
}

function collabContent(tool: string, args: Fields): Fields {
  const one = textOf(args.id) ?? textOf(args.target);
  return knownFields({
    tool,
    receiver_thread_ids: arrayOf(args.ids) ?? arrayOf(args.targets) ??
      (one === undefined ? [] : [one]),
    prompt: textOf(args.message) ?? textOf(args.prompt),
    task_name: textOf(args.task_name),
  });
}

/** Returns the command that a function runs; a string is a command of one word. */
function commandOf(name: string, args: Fields): string[] | undefined {
  const command = args[SHELL_FUNCTIONS.get(name) ?? ""];
  if (typeof command === "string") return [command];
  return Array.isArray(command) ? textsOf(command) : undefined;
}

function patchContent(
  envelope: unknown,
  folder?: string,
): readonly [string, Fields] {
  const changes = readPatchEnvelope(textOf(envelope) ?? "", folder);
  return ["file_change", { changes }];
}

/** Codex's tools for the resources of MCP servers: in exec streams, calls of a server. */
const RESOURCE_TOOLS: ReadonlySet<string> = new Set([
  "list_mcp_resources",
  "list_mcp_resource_templates",
  "read_mcp_resource",
]);

/** Returns server and tool of an MCP function: `mcp__server` and `tool`, or one name. */
function mcpNames(
  namespace: unknown,
  name: string,
  args: Fields,
): Fields | undefined {
  const owner = textOf(namespace) ?? "";
  if (owner.startsWith(MCP_PREFIX)) {
    // In some releases (0.121, 0.128) the namespace is the prefix of the names of its tools.
    const server_name = owner.slice(MCP_PREFIX.length).replace(/__$/, "");
    return { server_name, tool_name: name };
  }
  if (owner !== "") return undefined;
  if (RESOURCE_TOOLS.has(name)) {
    return { server_name: textOf(args.server) ?? "codex", tool_name: name };
  }
  // Up to 0.44 the prefix was missing.
  const start = name.startsWith(MCP_PREFIX) ? MCP_PREFIX.length : 0;
  const at = name.indexOf("__", start);
  return at <= start ? undefined : {
    server_name: name.slice(start, at),
    tool_name: name.slice(at + 2),
  };
}

function tellToolSearch(context: SessionContext, item: Fields): void {
  const callId = callIdOf(item.call_id, item.id);
  const { args, text } = argumentsIn(context, item.arguments);
  const content = withText({ name: "tool_search", arguments: args }, text);
  const { call } = context.beginCall(callId, "item", "tool_call");
  context.startCall(call, "tool_call", content);
  const isOver = item.execution === "server" &&
    callIdOf(item.call_id) === undefined;
  // A search by the server has ended already, and nothing in an output shows which call it belongs
  // to.
  if (!isOver) return;
  const status = statedStatus(item);
  context.completeCall(call, content, { status });
}

function tellToolSearchOutput(context: SessionContext, item: Fields): void {
  const callId = callIdOf(item.call_id);
  const call = context.calls.get(callId);
  if (call?.state !== "open") return;
  const status = statedStatus(item);
  context.completeCall(call, call.content, { status });
}

function tellWebSearch(context: SessionContext, item: Fields): void {
  const callId = idOf(item.id) ?? idOf(item.call_id);
  tellSearchCopy(context, callId, item, "item");
}

function tellImageGeneration(context: SessionContext, item: Fields): void {
  const callId = idOf(item.id) ?? idOf(item.call_id);
  const id = context.calls.get(callId)?.itemId;
  const { pairing } = context;
  const other = pairing.match("loose", "image_generation", "item", id);
  if (other !== undefined) return;
  const { call, isNew } = context.beginCall(callId, "item", "image_generation");
  // The event or item that came first has the path of the image, too.
  if (!isNew) return;
  // The image itself is not kept while the call waits for its event.
  call.content = imageContent({ ...item, result: undefined });
  const status = statedStatus(item);
  context.complete("image_generation", imageContent(item), { call, status });
  context.noteLoose("image_generation", "item", call.itemId);
}

// Outputs.

function tellOutput(context: SessionContext, item: Fields): void {
  const { output } = item;
  const call = context.calls.get(callIdOf(item.call_id, item.id));
  if (call?.state !== "open" || call.hasItem) return;
  const cell = cellOf(call.name, call.content);
  const isOfScript = call.isScript || cell !== undefined;
  const script = isOfScript ? readScriptOutput(output) : undefined;
  if (script !== undefined) {
    const waited = cell === undefined ? call : context.calls.inSession(cell);
    if (waited !== undefined && waited !== call) context.calls.close(call);
    return tellScript(context, waited ?? call, script);
  }
  if (call.type === "image_view") {
    // Without that text, the image is part of the output, or could not be read. With it, the image
    // follows, although a message of the same response may have come after the call.
    if (output !== ATTACHED) takeViewedImage(context);
    else context.viewedImages = Math.max(context.viewedImages, 1);
  }
  endCall(context, call, plainResult(item));
}

/** Ends the call of a script, or keeps what the script has printed while it still runs. */
function tellScript(
  context: SessionContext,
  call: Call,
  script: ScriptOutput,
): void {
  const { state, cell, texts } = script;
  if (call.state === "closed") return;
  if (state !== "running") return endCall(context, call, scriptResult(script));
  if (cell !== undefined) context.calls.bind(call, cell);
  // The output of a script that is a single call is that of the call, whose item may still come.
  if (call.name !== SCRIPT_TOOL || texts.length === 0) return;
  context.calls.append(call, `${texts.join("\n")}\n`);
}

function endCall(
  context: SessionContext,
  call: Call,
  callResult: CallResult,
): void {
  const end = call.name === WRITE_TOOL ? endWriting : ENDS.get(call.type);
  (end ?? endTool)(context, call, callResult);
}

// The text that the model passes to `apply_patch`.

/** The prefix of all lines of an envelope that do not belong to a file. */
const MARK = "*** ";
const SECTION_REGEXP = /^\*\*\* (Add|Delete|Update) File: (.*)$/;
const MOVE_REGEXP = /^\*\*\* Move to: (.*)$/;
const END_OF_FILE_REGEXP = /^\*\*\* End of File\s*$/;
const END_OF_PATCH_REGEXP = /^\*\*\* End Patch\s*$/;

/** One file of an envelope, while it is parsed. */
interface Section {
  readonly verb: string;
  readonly path: string;
  movePath?: string;
  readonly lines: string[];
}

/**
 * Parses the file changes in a patch envelope, the text from `*** Begin Patch` to `*** End Patch`;
 * any other text has none. An update keeps its hunk lines unchanged; the contents of a deleted file
 * are unknown. A second section for a path replaces the first one. Paths are those below the folder
 * in which the patch is applied.
 */
export function readPatchEnvelope(
  envelope: string,
  folder = "",
): SessionFileChange[] {
  const sections = new Map<string, Section>();
  let section: Section | undefined;
  const lines = envelope.split(/\r?\n/);
  // The terminator of the last line does not begin another line.
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    if (!line.startsWith(MARK)) {
      section?.lines.push(line);
      continue;
    }
    const [, verb, file = ""] = SECTION_REGEXP.exec(line) ?? [];
    const move = section?.lines.length === 0 ? MOVE_REGEXP.exec(line) : null;
    if (verb !== undefined) {
      section = { verb, path: pathIn(folder, file.trim()), lines: [] };
      sections.set(section.path, section);
    } else if (END_OF_PATCH_REGEXP.test(line)) section = undefined;
    else if (END_OF_FILE_REGEXP.test(line) || section === undefined) continue;
    else if (move !== null) {
      section.movePath = pathIn(folder, (move[1] ?? "").trim());
    } else section.lines.push(line);
  }
  return Array.from(sections.values(), changeOf);
}

/** Returns a path as seen from where a folder is; an absolute path stays. */
function pathIn(folder: string, path: string): string {
  return folder === "" || /^(?:[\\/]|[A-Za-z]:)/.test(path)
    ? path
    : `${folder.replace(/\/$/, "")}/${path}`;
}

function changeOf({ verb, path, movePath, lines }: Section): SessionFileChange {
  if (verb === "Delete") return { path, kind: "delete" };
  const added = verb === "Add";
  const content = lines
    .map((line) => `${added && line.startsWith("+") ? line.slice(1) : line}\n`)
    .join("");
  if (added) return { path, kind: "add", content };
  const move = movePath === undefined ? {} : { move_path: movePath };
  return { path, kind: "update", unified_diff: content, ...move };
}

// Scripts of code mode (0.160 and later): the model calls `exec` with a script that calls tools.

interface ScriptedCall {
  readonly name: string;
  readonly args: unknown;
  /** The JSON text of the arguments. */
  readonly text: string;
}

interface ScriptOutput {
  /** Whether the script runs, or how it ended: the word in its header. */
  readonly state: string;
  /** The key of a script that runs, for {@linkcode CallBook.inSession}. */
  readonly cell: string | undefined;
  /** The texts that it printed, or its error. */
  readonly texts: readonly string[];
  /** Its duration in seconds, if stated. */
  readonly seconds: number | null;
}

/** Matches the possible beginning of a string or comment, or a call of a tool. */
const STEP_REGEXP =
  /["'`/]|(?<![\w$.])tools\s*\.\s*([A-Za-z_$][\w$]*)\s*\(\s*/g;
/** Matches the header that Codex puts before the output of a script. */
const HEADER_REGEXP =
  /^Script (completed|failed|terminated|running)\b(?: with cell ID (\S+))?[^\n]*\n(?:Wall time (?<seconds>\S+) seconds[^\n]*\n)?(?:Output:\n*)?/;
const ERROR_HEAD = "Script error:\n";
/** What distinguishes the ids of scripts that run from those of sessions. */
const CELL = "cell ";
/** Longer scripts are not searched for a call. */
const MAX_SCRIPT = 1 << 22;

/** Returns the key of the script that a call of `wait` waits for. */
function cellOf(name: string, content: Fields): string | undefined {
  if (name !== WAIT_TOOL) return undefined;
  const id = idOf(fieldsOf(content.arguments).cell_id);
  return id && CELL + id;
}

/** Finds the call in a script (C.5) that has only one, `tools.NAME(…)` with a JSON literal. */
export function scriptedCall(script: string): ScriptedCall | undefined {
  if (script.length > MAX_SCRIPT || !script.includes("tools")) return undefined;
  let found: ScriptedCall | undefined;
  for (let at = 0;;) {
    STEP_REGEXP.lastIndex = at;
    const match = STEP_REGEXP.exec(script);
    if (match === null) return found;
    const name = match[1];
    const start = STEP_REGEXP.lastIndex;
    if (name === undefined) {
      at = Math.max(start, afterQuotes(script, match.index));
      continue;
    }
    if (found !== undefined) return undefined;
    at = endOfValue(script, start);
    const text = script.slice(start, at);
    const args = parsePart(text);
    const isAll = /^\s*\)/.test(script.slice(at, at + 100));
    if (args === undefined || !isAll) return undefined;
    found = { name, args, text };
  }
}

/** Returns the end of the string or comment at an index; the index if none begins there. */
function afterQuotes(script: string, start: number): number {
  if (script[start] !== "/") return endOfString(script, start);
  const end = script.startsWith("//", start)
    ? script.indexOf("\n", start)
    : script.startsWith("/*", start)
    ? script.indexOf("*/", start) + 2
    : start;
  return end < start ? script.length : end;
}

/** Parses the output of a script; `undefined` if it does not begin with the header of one. */
export function readScriptOutput(output: unknown): ScriptOutput | undefined {
  const [first = "", ...rest] = contentTexts(output);
  const match = HEADER_REGEXP.exec(first);
  if (match === null) return undefined;
  const [head, state = "", cell] = match;
  const behind = first.slice(head.length);
  const texts = behind === "" ? rest : [behind, ...rest];
  return {
    state,
    cell: cell && CELL + cell,
    texts: state === "failed"
      ? texts.map((text) =>
        text.startsWith(ERROR_HEAD) ? text.slice(ERROR_HEAD.length) : text
      )
      : texts,
    seconds: secondsIn(match),
  };
}

// Commands that the user runs beside the agent (`!cmd`). Up to 0.147 most files have no other trace
// of them than the message to the model.

const USER_SHELL_REGEXP =
  /^\s*<user_shell_command>\n<command>\n([^]*?)\n<\/command>\n<result>\nExit code: (-?\d+)\nDuration: ([\d.]+) seconds\nOutput:\n([^]*?)\n?<\/result>\n<\/user_shell_command>\s*$/;
const USER_SHELL_END = "</result>\n</user_shell_command>";

/** Returns the content of a command of the user, from the message to the model about it. */
function userShellCommand(text: string) {
  // Without this end, the expression would search the rest again at each place that looks like one.
  if (!text.trimEnd().endsWith(USER_SHELL_END)) return undefined;
  const [, command, code, seconds, stdout] = USER_SHELL_REGEXP.exec(text) ?? [];
  return command === undefined ? undefined : {
    command,
    argv: [command],
    exit_code: Number(code),
    stdout,
    duration_ms: Math.round(Number(seconds) * 1000),
    source: USER_SHELL,
  };
}

// The outputs of calls (C.6).

/** The output of `view_image` up to 0.104, when the image follows in a user message. */
const ATTACHED = "attached local image path";
/** The beginning of the output of an applied patch. */
const APPLIED = "Success.";
/** The beginning of the output of a patch that does not fit, if it is passed to a shell. */
const UNFIT = "apply_patch verification failed";
/** The beginnings of the outputs of failed tool calls. */
const FAILURES: readonly string[] = [
  "failed to parse function arguments",
  "unsupported call:",
  "unsupported custom tool call:",
  "tool call error:",
  'err: "tool call error:',
  "err: EOF while parsing",
  "err: expected ",
  "err: key must be ",
  "write_stdin failed:",
  "unknown session id ",
  "write_stdin rejected:",
  "Tool call blocked by PreToolUse hook:",
  "unified exec failed:",
  "invalid session_id:",
  "unable to locate image at",
  "unable to process image",
  "unable to read image at",
  "unable to resolve image path:",
  "image path `",
  "view_image is not allowed",
  "resources/read failed:",
  "resources/list failed:",
  "failed to spawn code-mode host",
  "collab spawn failed:",
  "Script failed",
  "aborted by user",
];

/** The beginnings of the outputs of commands that did not run to their end. */
const SHELL_FAILURES: readonly string[] = [
  ...FAILURES,
  "exec command rejected",
  "patch rejected",
  "execution error:",
  "failed in sandbox",
];

/**
 * Matches the output of a command or patch that the user, a reviewer, a rule or a hook declined: the
 * first line, or all up to the end of the command that it quotes. A patch that the settings just do not
 * allow is not declined, nor is a command whose program or folder does not exist.
 */
const DECLINED_REGEXP =
  /^(?:`[^]*` rejected: |exec_command failed\b[^]*: CreateProcess \{ message: "Rejected\((?!\\"Failed to create )|.*\b(?:rejected by user\b(?! approval settings)|rejected due to unacceptable risk\b|approval required by policy\b|blocked by PreToolUse hook:))/;

/** The result of a call, from an output in any form. */
interface CallResult extends ToolOutput {
  /** The error text; `null` if the call did not fail. */
  readonly failure: string | null;
  /** Whether a script of code mode printed it. */
  readonly isScript: boolean;
}

type EndCall = (
  context: SessionContext,
  call: Call,
  callResult: CallResult,
) => void;

/** By item type, the rule that ends a call; other calls end as those of tools. */
const ENDS: ReadonlyMap<string, EndCall> = new Map([
  ["command_execution", endCommand],
  ["file_change", endPatch],
  ["todo_list", endOrFail],
  ["image_view", endOrFail],
  ["mcp_tool_call", endMcp],
  ["collab_tool_call", endCollab],
]);

function plainResult(item: Fields): CallResult {
  const output = readToolOutput(item.output);
  const { text, blocks } = output;
  const isFailed = beginsWithAny(text, FAILURES) ||
    blocks.some((part) => fieldsOf(part).isError === true);
  return {
    ...output,
    success: booleanOf(item.success) ?? output.success,
    failure: isFailed ? unquotedError(text) : null,
    isScript: false,
  };
}

/** Returns an error without the quotes and escapes that 0.66 to 0.104 write it with, `err: "…"`. */
function unquotedError(text: string): string {
  const [, quoted = ""] = /^err: (".*")$/.exec(text) ?? [];
  return textOf(parseJson(quoted)) ?? text;
}

function beginsWithAny(text: string, starts: readonly string[]): boolean {
  return starts.some((start) => text.startsWith(start));
}

/** Converts the output of a script, which usually is the JSON of its only call. */
function scriptResult({ state, texts, seconds }: ScriptOutput): CallResult {
  const text = texts.join("\n");
  const base: CallResult = {
    ...readToolOutput(""),
    text,
    blocks: texts,
    seconds,
    success: state === "completed" ? null : false,
    failure: state === "failed" ? text : null,
    isScript: true,
  };
  if (state !== "completed") return base;
  // A command that Codex executed as another tool, such as a patch, has a second header inside.
  const [first = ""] = texts;
  const printed = readToolOutput(first);
  if (printed.text !== first) {
    const inner = readToolOutput(printed.text);
    const hasEnd = inner.exitCode !== null || inner.session !== null;
    const result = hasEnd ? inner : printed;
    // The script may have printed other texts behind it.
    const blocks = [...result.blocks, ...texts.slice(1)];
    return { ...result, blocks, failure: null, isScript: true };
  }
  const { isError } = fieldsOf(parseJson(printed.text));
  return isError === true ? { ...base, failure: text } : base;
}

// Commands.

function endCommand(
  context: SessionContext,
  call: Call,
  callResult: CallResult,
): void {
  if (callResult.session === null) {
    return finishCommand(context, call, callResult);
  }
  context.calls.bind(call, callResult.session);
  tellPrinted(context, call, callResult.text);
}

/** Emits the output of a command that continues. */
function tellPrinted(context: SessionContext, call: Call, text: string): void {
  if (text === "") return;
  context.calls.append(call, text);
  context.delta(call.type, { stdout: text }, { call });
}

function finishCommand(
  context: SessionContext,
  call: Call,
  callResult: CallResult,
): void {
  const { text, exitCode, seconds } = callResult;
  const isApplied = text.startsWith(APPLIED) && (exitCode ?? 0) === 0;
  if (isApplied || text.startsWith(UNFIT)) {
    // Codex applies a patch that is passed to a shell itself.
    const { argv, cwd } = call.content;
    const script = textsOf(argv).at(-1) ?? "";
    const match = PATCH_REGEXP.exec(script);
    const folder = match?.slice(1).find((name) => name !== undefined) ?? "";
    const changes = match === null
      ? []
      : readPatchEnvelope(script, pathIn(textOf(cwd) ?? "", folder));
    if (changes.length > 0) {
      call.type = "file_change";
      call.content = { changes };
      return endPatch(context, call, { ...callResult, success: isApplied });
    }
  }
  const before = call.output ?? "";
  // An output that was too long to be kept has been emitted as deltas.
  const isLost = call.output === "";
  if (isLost && text !== "") {
    context.delta(call.type, { stdout: text }, { call });
  }
  context.completeCall(call, {
    ...call.content,
    ...knownFields({
      exit_code: exitCode ?? undefined,
      stdout: isLost ? undefined : before + text,
      duration_ms: durationOf(call, seconds),
    }),
  }, { status: statusOf(isWellRun(call, callResult), callResult) });
}

/** Whether a command that a shell function ran succeeded. */
function isWellRun(
  { name, type }: Call,
  { text, exitCode, success }: CallResult,
): boolean {
  if (success === false) return false;
  if (exitCode !== null) return exitCode === 0;
  // The output of a `local_shell_call` has no exit code at all, that of another tool may have none.
  const isPlain = name === LOCAL_SHELL || type === "tool_call";
  return success === true ||
    (isPlain && !beginsWithAny(text, SHELL_FAILURES));
}

/**
 * Returns the duration of a call. That of a call which went on is only the one of its last output;
 * 0 is left out, because times are rounded to tenths of a second.
 */
function durationOf(
  { session }: Call,
  seconds: number | null,
): number | undefined {
  return session === null && seconds !== null && seconds > 0
    ? Math.round(seconds * 1000)
    : undefined;
}

/**
 * Ends a call of `write_stdin`, which writes to a session or polls it. Its output is the output of
 * the command that runs in the session, and may be the end of that command.
 */
function endWriting(
  context: SessionContext,
  call: Call,
  callResult: CallResult,
): void {
  const { failure, success, text, exitCode } = callResult;
  if (failure !== null || success === false) {
    return endTool(context, call, callResult);
  }
  const { session_id } = fieldsOf(call.content.arguments);
  const command = context.calls.inSession(sessionOf(session_id) ?? "");
  const isHeard = command !== undefined && command.state === "open" &&
    !command.hasItem;
  if (isPoll(call, call.content)) context.calls.close(call);
  else {
    const { content } = call;
    const output = command === undefined ? { output: callResult.blocks } : {};
    context.completeCall(call, { ...content, ...output });
  }
  if (!isHeard) return;
  if (exitCode === null) tellPrinted(context, command, text);
  else finishCommand(context, command, callResult);
}

/** Whether a call only polls a session or waits for a script: it has no events. */
function isPoll({ type, name }: Call, content: Fields): boolean {
  if (cellOf(name, content) !== undefined) return true;
  const { arguments: args } = content;
  return type === "tool_call" && name === WRITE_TOOL && isObject(args) &&
    (args.chars ?? "") === "";
}

// Other tools.

function endPatch(
  context: SessionContext,
  call: Call,
  callResult: CallResult,
): void {
  const { text, exitCode, success, failure, isScript } = callResult;
  const isApplied = exitCode === null
    ? failure === null && success !== false &&
      (success === true || isScript ||
        text.trimStart().startsWith(APPLIED))
    : exitCode === 0 && success !== false;
  context.completeCall(call, {
    ...call.content,
    ...(exitCode === null ? {} : { exit_code: exitCode }),
    ...(isApplied ? { stdout: text } : { stderr: text }),
  }, { status: statusOf(isApplied, callResult) });
}

function statusOf(isWell: boolean, { text, exitCode }: CallResult): string {
  const isDeclined = !isWell && exitCode === null && DECLINED_REGEXP.test(text);
  return isDeclined ? "declined" : endStatus(!isWell);
}

function endOrFail(
  context: SessionContext,
  call: Call,
  { failure, success, text }: CallResult,
): void {
  if (failure === null && success !== false) {
    return context.completeCall(call, call.content);
  }
  context.fail(call.type, failure ?? text, { call });
  context.calls.close(call);
}

function endMcp(
  context: SessionContext,
  call: Call,
  { text, blocks, failure, success, seconds, isScript }: CallResult,
): void {
  const printed = isScript ? parsePart(text) : undefined;
  const listed = listedBlocks(blocks);
  const result = isObject(printed) && Array.isArray(printed.content)
    ? printed
    : { content: listed ?? blocks.map(contentBlock) };
  const said = textOf(fieldsOf(listed?.[0]).text) ?? "";
  const message = failure ?? (beginsWithAny(said, FAILURES) ? said : null);
  context.completeCall(call, {
    ...call.content,
    ...(message === null || result === printed
      ? { result }
      : { error: { message } }),
    ...knownFields({ duration_ms: durationOf(call, seconds) }),
  }, { status: endStatus(message !== null || success === false) });
}

/** Returns a block as MCP has it: a text is an object there. */
function contentBlock(block: unknown): unknown {
  return typeof block === "string" ? { type: "text", text: block } : block;
}

/** Returns the content blocks that releases before 0.148 encode as the JSON text of a list. */
function listedBlocks(
  blocks: readonly unknown[],
): readonly unknown[] | undefined {
  const [text, ...more] = blocks;
  const json = textOf(text) ?? textOf(fieldsOf(text).text) ?? "";
  if (more.length > 0 || !json.startsWith("[")) return undefined;
  const list = parsePart(json);
  const isContent = Array.isArray(list) &&
    list.every((block) => typeof fieldsOf(block).type === "string");
  return isContent ? list : undefined;
}

function endCollab(
  context: SessionContext,
  call: Call,
  { blocks, failure, success, isScript }: CallResult,
): void {
  const printed = contentText(blocks[0]);
  const { agent_id, status } = fieldsOf(parseJson(printed));
  // Up to 0.148, no other line contains the id of the spawned thread.
  const spawned = call.content.tool === "spawn_agent"
    ? idOf(agent_id)
    : undefined;
  // The tools return an object or nothing; any other text says why they did not do it.
  const isRefused = !isScript && printed !== "" && !printed.startsWith("{");
  const isFailed = isRefused || failure !== null || success === false ||
    isAnyAgentLost(status);
  context.completeCall(call, {
    ...call.content,
    ...(spawned === undefined ? {} : { receiver_thread_ids: [spawned] }),
    ...outputOrError(blocks, failure),
  }, { status: endStatus(isFailed) });
}

function endTool(
  context: SessionContext,
  call: Call,
  callResult: CallResult,
): void {
  const { blocks, failure, seconds, success } = callResult;
  // A command with arguments that are not known is a tool; its output tells as much as ever.
  const isShell = SHELL_FUNCTIONS.has(call.name);
  const isFailed = failure !== null || success === false ||
    (isShell && !isWellRun(call, callResult));
  const before = call.output ?? "";
  const output = before === "" ? blocks : [before, ...blocks];
  context.completeCall(call, {
    ...call.content,
    ...outputOrError(output, failure === null ? null : before + failure),
    ...knownFields({ duration_ms: durationOf(call, seconds) }),
  }, { status: endStatus(isFailed) });
}

function outputOrError(
  output: readonly unknown[],
  failure: string | null,
): Fields {
  return failure === null ? { output } : { error: { message: failure } };
}
