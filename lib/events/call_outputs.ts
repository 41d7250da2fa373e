/**
 * What the output of a call says (C.6).
 *
 * @module
 */

import {
  type Fields,
  fieldsOf,
  isObject,
  listOf,
  parseJson,
  textOf,
  textsOf,
} from "../json/fields.ts";
import type { Call } from "./calls.ts";
import { takeViewedImage } from "./copies.ts";
import { readPatchEnvelope } from "./patch_envelope.ts";
import { readScriptOutput, type ScriptOutput } from "./scripts.ts";
import type { SessionContext } from "./session_context.ts";
import type { SessionFileChange } from "./session_items.ts";
import { readToolOutput, type ToolOutput } from "./tool_output.ts";

/** The output of `view_image` up to 0.104, behind which the image is the user's. */
const ATTACHED = "attached local image path";
/** How the output of a patch begins that was applied. */
const APPLIED = "Success.";
/** How the output of a tool begins that did not do what it was asked. */
const FAILURES: readonly string[] = [
  "failed to parse function arguments",
  "unsupported call:",
  "unsupported custom tool call:",
  "tool call error:",
  'err: "tool call error:',
  "write_stdin failed:",
  "unable to locate image at",
  "unable to process image:",
  "collab spawn failed:",
  "resources/list failed:",
  "resources/read failed:",
  "resources/templates/list failed:",
  "Script failed",
  "aborted by user",
];

/** The name of a call that is an item type of its own, up to 0.29. */
export const LOCAL_SHELL = "local_shell_call";
/** How the output of a command begins that did not run to its end. */
const SHELL_FAILURES: readonly string[] = [
  ...FAILURES,
  "execution error:",
  "failed in sandbox",
];

/** What a call gave, however it was told. */
interface Given extends ToolOutput {
  /** Why it failed, if it did. */
  readonly failure: string | null;
}

/**
 * Tells what came of a call.
 *
 * @param context Where.
 * @param call The call.
 * @param output What its output says.
 * @param raw The field `output`.
 */
export function endCall(
  context: SessionContext,
  call: Call,
  output: ToolOutput,
  raw: unknown,
): void {
  const script = call.isScript ? readScriptOutput(raw) : undefined;
  // The script goes on, and says later what came of it.
  if (script?.isFailed === null) return;
  const given = script === undefined
    ? { ...output, failure: failureOf(output) }
    : givenByScript(script);
  if (call.name === "write_stdin") return endWriting(context, call, given);
  switch (call.type) {
    case "command_execution":
      return endCommand(context, call, given);
    case "file_change":
      return endPatch(context, call, given, script);
    case "todo_list":
      return endOrFail(context, call, given);
    case "image_view":
      // Where it is not said to be attached, it is in the output, or could not be read.
      if (raw !== ATTACHED) takeViewedImage(context);
      return endOrFail(context, call, given);
    case "mcp_tool_call":
      return endMcp(context, call, given, script);
    case "collab_tool_call":
      return endCollab(context, call, given);
    default:
      return endTool(context, call, given);
  }
}

/** Says why a call failed by the text of its output; `null` if it did not. */
function failureOf({ text, blocks }: ToolOutput): string | null {
  const failed = blocks.map(fieldsOf).some((part) => part.isError === true);
  return failed || beginsWithAny(text, FAILURES) ? text : null;
}

function beginsWithAny(text: string, starts: readonly string[]): boolean {
  return starts.some((start) => text.startsWith(start));
}

/** Reads what a script printed: JSON of its only call, as a rule. */
function givenByScript({ isFailed, texts, seconds }: ScriptOutput): Given {
  const text = texts.join("\n");
  const blocks = texts.length === 0 ? [""] : texts;
  const base: Given = {
    ...readToolOutput(""),
    text,
    blocks,
    seconds,
    success: isFailed ? false : null,
    failure: isFailed ? text : null,
  };
  if (isFailed) return base;
  // What stands for a command that was none has a header of its own inside.
  const printed = readToolOutput(texts[0] ?? "");
  if (printed.text !== texts[0]) {
    const inner = readToolOutput(printed.text);
    return { ...(inner.hasForm ? inner : printed), failure: null };
  }
  const { isError } = fieldsOf(parseJson(printed.text));
  return isError === true ? { ...base, failure: text } : base;
}

// Commands.

function endCommand(context: SessionContext, call: Call, given: Given): void {
  if (given.isRunning) {
    if (given.session !== null) context.calls.bind(call, given.session);
    tellPrinted(context, call, given.text);
    return;
  }
  finishCommand(context, call, given);
}

/** Tells what a command that goes on has printed. */
function tellPrinted(context: SessionContext, call: Call, text: string): void {
  if (text === "") return;
  context.calls.append(call, text);
  context.delta(call.type, { stdout: text }, context.of(call));
}

function finishCommand(
  context: SessionContext,
  call: Call,
  given: Given,
): void {
  const { text, exitCode, seconds, success, hasForm } = given;
  if (text.startsWith(APPLIED) && (exitCode ?? 0) === 0) {
    // Codex takes a patch that is given to a shell for what it is.
    const changes = patchInShell(call);
    if (changes.length > 0) {
      call.type = "file_change";
      call.content = { changes };
      return endPatch(context, call, { ...given, success: true }, undefined);
    }
  }
  const before = call.output ?? "";
  // The output of a call that is an item of its own has no form at all.
  const saysWell = hasForm || success === true ||
    (call.name === LOCAL_SHELL && !beginsWithAny(text, SHELL_FAILURES));
  const isWell = success !== false &&
    (exitCode === null ? saysWell : exitCode === 0);
  // What was too long to be held has been told in pieces.
  const isLost = call.output === "" && before === "";
  if (isLost && text !== "") {
    context.delta(call.type, { stdout: text }, context.of(call));
  }
  context.completeCall(call, {
    ...call.content,
    ...(exitCode === null ? {} : { exit_code: exitCode }),
    ...(isLost ? {} : { stdout: before + text }),
    ...durationOf(seconds),
  }, { status: isWell ? "completed" : "failed" });
}

/** Gives the changes of a patch that the last word of a command holds. */
function patchInShell({ content }: Call): SessionFileChange[] {
  const script = textsOf(content.argv).at(-1) ?? "";
  const start = script.indexOf("*** Begin Patch\n");
  return start !== -1 && script.slice(0, start).includes("apply_patch")
    ? readPatchEnvelope(script.slice(start))
    : [];
}

/** Times are rounded to tenths of a second: nothing may be anything. */
function durationOf(seconds: number | null): Fields {
  return seconds === null || !(seconds > 0)
    ? {}
    : { duration_ms: Math.round(seconds * 1000) };
}

/**
 * Tells what came of writing to a session, or of looking whether it has printed anything: that is
 * the output of the command that runs in it, and may be its end.
 */
function endWriting(context: SessionContext, call: Call, given: Given): void {
  const { failure, text, exitCode } = given;
  if (failure !== null) return endTool(context, call, given);
  const command = call.session === null
    ? undefined
    : context.calls.inSession(call.session);
  const isHeard = command !== undefined && command.state === "open" &&
    !command.hasItem;
  if (call.isShown) {
    const { content } = call;
    const output = command === undefined && text !== ""
      ? { output: given.blocks }
      : {};
    context.completeCall(call, { ...content, ...output });
  } else context.calls.close(call);
  if (!isHeard) return;
  if (exitCode === null) tellPrinted(context, command, text);
  else finishCommand(context, command, given);
}

// Everything else.

function endPatch(
  context: SessionContext,
  call: Call,
  { text, exitCode, success, failure }: Given,
  script: ScriptOutput | undefined,
): void {
  const isApplied = exitCode === null
    ? failure === null && success !== false &&
      (success === true || script !== undefined ||
        text.trimStart().startsWith(APPLIED))
    : exitCode === 0 && success !== false;
  context.completeCall(call, {
    ...call.content,
    ...(exitCode === null ? {} : { exit_code: exitCode }),
    ...(isApplied ? { stdout: text } : { stderr: text }),
  }, { status: isApplied ? "completed" : "failed" });
}

function endOrFail(
  context: SessionContext,
  call: Call,
  { failure, success, text }: Given,
): void {
  if (failure === null && success !== false) {
    return context.completeCall(call, call.content);
  }
  context.fail(call.type, failure ?? text, context.of(call));
  context.calls.close(call);
}

function endMcp(
  context: SessionContext,
  call: Call,
  given: Given,
  script: ScriptOutput | undefined,
): void {
  const { blocks, failure, seconds } = given;
  const printed = script === undefined ? undefined : parseJson(given.text);
  const result = isObject(printed) && Array.isArray(printed.content)
    ? printed
    : { content: listedBlocks(blocks) ?? blocks };
  context.completeCall(call, {
    ...call.content,
    ...(failure === null || result === printed ? { result } : {}),
    ...(failure === null || result === printed
      ? {}
      : { error: { message: failure } }),
    ...durationOf(seconds),
  }, { status: failure === null ? "completed" : "failed" });
}

/** The blocks that releases before 0.148 give as the JSON text of a list. */
function listedBlocks(
  blocks: readonly unknown[],
): readonly unknown[] | undefined {
  const [text, ...more] = blocks;
  const given = textOf(text) ?? textOf(fieldsOf(text).text) ?? "";
  if (more.length > 0 || !given.startsWith("[{")) return undefined;
  const list = parseJson(given);
  const isContent = Array.isArray(list) &&
    list.every((block) => typeof fieldsOf(block).type === "string");
  return isContent ? list : undefined;
}

function endCollab(
  context: SessionContext,
  call: Call,
  { blocks, failure }: Given,
): void {
  context.completeCall(call, {
    ...call.content,
    ...(failure === null
      ? { output: outputOf(blocks) }
      : { error: { message: failure } }),
  }, { status: failure === null ? "completed" : "failed" });
}

function endTool(context: SessionContext, call: Call, given: Given): void {
  const { blocks, exitCode, seconds, success } = given;
  const failure = given.failure ??
    (exitCode !== null && exitCode !== 0 ? given.text : null);
  const isFailed = failure !== null || success === false;
  context.completeCall(call, {
    ...call.content,
    ...(failure === null ? { output: outputOf(blocks) } : {}),
    ...(failure === null ? {} : { error: { message: failure } }),
    ...durationOf(seconds),
  }, { status: isFailed ? "failed" : "completed" });
}

function outputOf(blocks: readonly unknown[]): readonly unknown[] {
  return listOf(blocks).map((block) => textOf(block) ?? block);
}
