/**
 * The response items in rollouts (C.3): what the model said and was told.
 *
 * @module
 */

import type { ToolArgument } from "../records.ts";
import { beginCall } from "./calls.ts";
import { appendOutput } from "./command_output.ts";
import { finishCommand, isKnownCommand, startCommand } from "./commands.ts";
import { changesOf } from "./file_changes.ts";
import { imageRecord, pathOf } from "./images.ts";
import {
  booleanOf,
  callIdOf,
  type Fields,
  fieldsOf,
  firstIdOf,
  idOf,
  listOf,
  parseJson,
  textOf,
  textsOf,
} from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";
import { showAnswerCopy, showUserCopy, takeViewedImage } from "./messages.ts";
import { readPatchEnvelope } from "./patch_envelope.ts";
import { finishPatch, isOpenPatch, showPatch } from "./patches.ts";
import { planRecord, showPlanCopy } from "./plan.ts";
import { resultPreview } from "./result_preview.ts";
import { showGeneratedImage, showImage } from "./shown_images.ts";
import { agentRecord } from "./text_lines.ts";
import { showThoughtCopy } from "./thoughts.ts";
import { toolArguments, toolArgumentsOfText } from "./tool_arguments.ts";
import {
  contentText,
  isSuccess,
  readToolOutput,
  type ToolOutput,
} from "./tool_output.ts";
import {
  finishTool,
  isRunningTool,
  qualifiedTitle,
  startTool,
  type ToolStart,
} from "./tools.ts";
import { readUserContent } from "./user_content.ts";
import { showSearchCopy } from "./web_searches.ts";

/** Maps an item of one type. */
type MapItem = (context: MappingContext, item: Fields) => void;

/** What is done with each type of item; the others make no record. */
const ITEMS: ReadonlyMap<string, MapItem> = new Map<string, MapItem>([
  ["message", mapMessage],
  ["agent_message", mapAgentMessage],
  ["reasoning", mapReasoning],
  ["local_shell_call", mapLocalShellCall],
  ["function_call", mapFunctionCall],
  ["function_call_output", mapOutput],
  ["local_shell_call_output", mapOutput],
  ["custom_tool_call", mapCustomCall],
  ["custom_tool_call_output", mapOutput],
  ["web_search_call", mapWebSearch],
  ["tool_search_call", mapToolSearch],
  ["tool_search_output", mapToolSearchOutput],
  [
    "image_generation_call",
    (context, item) =>
      showGeneratedImage(
        context,
        begunCall(context, firstIdOf(item.id, item.call_id)),
        item,
      ),
  ],
]);

/** Where the functions that run a command have it. */
const SHELL_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ["shell", "command"],
  ["container.exec", "command"],
  ["local_shell", "command"],
  ["shell_command", "command"],
  ["exec_command", "cmd"],
]);
const PATCH_TOOL = "apply_patch";
/** The output of `view_image` up to 0.104, behind which the image is the user's. */
const ATTACHED = "attached local image path";
const MCP_PREFIX = "mcp__";
/** How the output of a patch begins that was applied. */
const APPLIED_REGEXP = /^(?:Success|Done)\b/;
/** What the first line of a patch's output says if it was not applied. */
const FAILED_REGEXP =
  /\b(?:aborted|cancell?ed|cannot|could not|declined|denied|error|failed|failure|invalid|rejected|timed out|unable to|unsupported)\b/i;

/** Maps an item; of a type that nobody knows, nothing. */
export function mapResponseItem(context: MappingContext, item: Fields): void {
  if (typeof item.type === "string") ITEMS.get(item.type)?.(context, item);
}

function mapMessage(context: MappingContext, item: Fields): void {
  if (item.role === "assistant") {
    showAnswerCopy(context, {
      streamId: idOf(item.id) ?? null,
      text: contentText(item.content),
      source: "item",
    });
  }
  if (item.role !== "user") return;
  const message = readUserContent(item.content);
  if (message !== undefined) showUserCopy(context, message, "item");
}

function mapAgentMessage(context: MappingContext, item: Fields): void {
  const text = contentText(item.content, "\n");
  if (text.trim() === "") return;
  context.push(
    agentRecord(
      text,
      textOf(item.author) ?? "",
      textOf(item.recipient) ?? null,
    ),
  );
}

function mapReasoning(context: MappingContext, item: Fields): void {
  for (const part of listOf(item.summary)) {
    showThoughtCopy(context, textOf(fieldsOf(part).text) ?? "", {
      kind: "summary",
      source: "item",
    });
  }
}

// Calls.

/** Gives the id of a call that begins, which may be another one of a known id. */
function begunCall(
  context: MappingContext,
  callId: string | undefined,
): string | null {
  beginCall(context, callId, "item");
  return callId ?? null;
}

function mapLocalShellCall(context: MappingContext, item: Fields): void {
  const callId = begunCall(context, callIdOf(item.call_id, item.id));
  startShell(context, callId, textsOf(fieldsOf(item.action).command));
}

function mapFunctionCall(context: MappingContext, item: Fields): void {
  const name = textOf(item.name) ?? "";
  const callId = begunCall(context, callIdOf(item.call_id, item.id));
  const args = typeof item.arguments === "string"
    ? parseJson(item.arguments)
    : item.arguments;
  const fields = fieldsOf(args);
  const command = commandOf(name, fields);
  if (command !== undefined) startShell(context, callId, command);
  else if (name === PATCH_TOOL) {
    startPatch(context, callId, fields.input ?? fields.patch ?? args);
  } else if (name === "update_plan" && Array.isArray(fields.plan)) {
    showPlanCopy(context, planRecord(fields.name, fields.plan), "item");
  } else if (name === "view_image" && typeof fields.path === "string") {
    showImage(context, callId, imageRecord(pathOf(fields.path)));
    context.memory.viewedImages += 1;
  } else if (!isKnownCall(context, callId)) {
    startTool(context, {
      callId,
      title: functionTitle(item.namespace, name),
      arguments: argumentsOf(context, item),
    });
  }
}

/** Gives the command that a function runs; a text is a command of one word. */
function commandOf(name: string, args: Fields): string[] | undefined {
  const command = args[SHELL_FUNCTIONS.get(name) ?? ""];
  if (typeof command === "string") return [command];
  return Array.isArray(command) ? textsOf(command) : undefined;
}

/** Most releases write the arguments of a call as the text of their JSON. */
function argumentsOf(context: MappingContext, item: Fields): ToolArgument[] {
  return typeof item.arguments === "string"
    ? toolArgumentsOfText(item.arguments)
    : toolArguments(item.arguments, context.textsOf("arguments"));
}

function functionTitle(namespace: unknown, name: string): string {
  if (idOf(namespace) !== undefined) return qualifiedTitle(namespace, name);
  const tool = name.startsWith(MCP_PREFIX)
    ? name.slice(MCP_PREFIX.length)
    : name;
  return tool.replace("__", ".");
}

function mapCustomCall(context: MappingContext, item: Fields): void {
  const name = textOf(item.name) ?? "";
  const callId = begunCall(context, callIdOf(item.call_id, item.id));
  if (name === PATCH_TOOL) startPatch(context, callId, item.input);
  else if (!isKnownCall(context, callId)) {
    startTool(context, {
      callId,
      title: name,
      arguments: toolArguments({ input: item.input }),
    });
  }
}

function startShell(
  context: MappingContext,
  callId: string | null,
  command: readonly string[],
): void {
  const [program, envelope] = command;
  if (program === PATCH_TOOL) {
    startPatch(context, callId, envelope);
    return;
  }
  // What an event has said already is better than this.
  if (isKnownCall(context, callId)) return;
  startCommand(context, {
    callId,
    command,
    parsed: [],
    cwd: null,
    startedAt: context.now,
  });
}

function startPatch(
  context: MappingContext,
  callId: string | null,
  envelope: unknown,
): void {
  if (isKnownCall(context, callId)) return;
  showPatch(context, callId, {
    event: "apply_begin",
    changes: changesOf(readPatchEnvelope(textOf(envelope) ?? "")),
  });
}

/** Tells whether an event has already shown the call. */
function isKnownCall(
  context: MappingContext,
  callId: string | null,
): boolean {
  return callId !== null && (
    isKnownCommand(context, callId) ||
    context.indexOfTool(callId) !== -1 ||
    context.memory.links.get("patch", callId) !== undefined
  );
}

function mapWebSearch(context: MappingContext, item: Fields): void {
  const callId = begunCall(context, firstIdOf(item.id, item.call_id));
  showSearchCopy(context, callId, item, {
    source: "item",
    isFailed: item.status === "failed",
  });
}

function mapToolSearch(context: MappingContext, item: Fields): void {
  const call: ToolStart = {
    callId: begunCall(context, callIdOf(item.call_id, item.id)),
    title: "tool_search",
    arguments: argumentsOf(context, item),
  };
  const isOver = item.execution === "server" &&
    callIdOf(item.call_id) === undefined;
  // What the server searched has ended, and nothing says which call an output belongs to.
  if (isOver) {
    finishTool(context, { ...call, isFailed: item.status === "failed" });
  } else startTool(context, call);
}

function mapToolSearchOutput(context: MappingContext, item: Fields): void {
  const callId = callIdOf(item.call_id);
  if (callId === undefined || !isRunningTool(context, callId)) return;
  finishTool(context, { callId, isFailed: item.status === "failed" });
}

// Outputs.

function mapOutput(context: MappingContext, item: Fields): void {
  const callId = callIdOf(item.call_id, item.id);
  if (callId === undefined) return;
  const record = context.at(context.indexOfExec(callId));
  if (record?.type === "exec") {
    if (record.payload.status !== "running") return;
    const output = outputOf(item);
    appendOutput(context, callId, { stdout: output.text });
    if (!output.isRunning) finishShell(context, callId, output);
  } else if (isOpenPatch(context, callId)) {
    endPatch(context, callId, outputOf(item));
  } else if (isRunningTool(context, callId)) {
    const output = outputOf(item);
    finishTool(context, {
      callId,
      isFailed: !isSuccess(output),
      preview: resultPreview(output.blocks),
    });
  } else if (context.memory.links.get("image", callId) !== undefined) {
    // Where it is not said to be attached, it is in the output, or could not be read.
    if (item.output !== ATTACHED) takeViewedImage(context);
  }
}

/** Reads the output of an item, which may say beside it how the call ended. */
function outputOf(item: Fields): ToolOutput {
  const output = readToolOutput(item.output);
  return { ...output, success: booleanOf(item.success) ?? output.success };
}

function finishShell(
  context: MappingContext,
  callId: string,
  output: ToolOutput,
): void {
  finishCommand(context, callId, {
    exitCode: output.exitCode,
    status: output.success === false ? "failed" : "completed",
    completedAt: context.now,
  });
}

/** Tells whether a patch was applied by what was printed: it was, unless that says otherwise. */
function saysApplied(text: string): boolean {
  const [line = ""] = text.trimStart().split("\n", 1);
  return APPLIED_REGEXP.test(line) || !FAILED_REGEXP.test(line);
}

function endPatch(
  context: MappingContext,
  callId: string,
  output: ToolOutput,
): void {
  const { text, exitCode, success } = output;
  const isApplied = exitCode === null
    ? success ?? saysApplied(text)
    : isSuccess(output);
  finishPatch(context, callId, {
    isSuccess: isApplied,
    changes: {},
    stdout: "",
    stderr: text,
  });
}
