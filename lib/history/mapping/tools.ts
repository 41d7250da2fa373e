/**
 * Tools: how they begin and end (B.7).
 *
 * @module
 */

import {
  booleanOf,
  type Fields,
  fieldsOf,
  isObject,
  jsonTextOf,
  listOf,
  textOf,
} from "../../json/fields.ts";
import { endOfString, memberTexts } from "../../json/member_texts.ts";
import type {
  HistoryRecord,
  NewRecord,
  ToolArgument,
  ToolArgumentValue,
  ToolResultPreview,
} from "../records.ts";
import type { CallIds, FoldContext } from "./fold_context.ts";
import { splitLines } from "./text_lines.ts";

export interface ToolStart {
  /** What it is called. */
  readonly title: string;
  /** What it is called with. */
  readonly arguments: readonly ToolArgument[];
  /** What a tool that waits waits for. */
  readonly wait?: ToolWait;
}

/** What a tool that waits waits for. */
interface ToolWait {
  /** How long at most, in milliseconds. */
  readonly capMs: number | null;
  /** Whether it says what for. */
  readonly hasTarget: boolean;
  /** Whether it names a call. */
  readonly hasCallId: boolean;
}

export interface ToolEnd {
  /** What it is called; absent or empty if only the beginning says it. */
  readonly title?: string;
  /** What it was called with; absent or empty if only the beginning says it. */
  readonly arguments?: readonly ToolArgument[];
  /** Whether it failed. */
  readonly isFailed: boolean;
  /** How long it took, in milliseconds. */
  readonly durationMs?: number | undefined;
  /** What it gave. */
  readonly preview?: ToolResultPreview | null;
  /** Why it failed. */
  readonly errorMessage?: string | null;
}

/** What a tool gave, as MCP says it. */
interface ToolResult {
  readonly isFailed: boolean;
  readonly preview: ToolResultPreview | null;
  readonly errorMessage: string | null;
}

/** Says that a turn ended before its tool did. */
const INTERRUPTED = "interrupted";
const NO_WAIT: ToolWait = { capMs: null, hasTarget: false, hasCallId: false };

/** What a tool takes the place of; commands, patches and what is explored stay. */
const TOOL_TYPES: ReadonlySet<string> = new Set([
  "image",
  "plain_message",
  "plan_update",
  "running_tool",
  "tool_call",
  "wait_status",
]);

/** Shows a tool that begins; of one that runs, the arguments become better known. */
export function startTool(
  context: FoldContext,
  call: CallIds,
  start: ToolStart,
): void {
  const { memory } = context;
  const { title, wait = NO_WAIT } = start;
  const record = context.recordOf(call);
  const known = record?.type === "running_tool" ? record.payload : undefined;
  if (record !== undefined && known === undefined && isEnded(record)) return;
  const id = context.showCall(
    call,
    {
      type: "running_tool",
      payload: {
        title,
        started_at: known?.started_at ?? context.now,
        arguments: mergeArguments(known?.arguments ?? [], start.arguments),
        wait_cap_ms: wait.capMs,
        wait_has_target: wait.hasTarget,
        wait_has_call_id: wait.hasCallId,
      },
    },
    TOOL_TYPES,
    record,
  );
  memory.working.set(id, call.callId);
}

function isEnded({ type }: HistoryRecord): boolean {
  return TOOL_TYPES.has(type);
}

export function isRunningTool(context: FoldContext, call: CallIds): boolean {
  return context.recordOf(call)?.type === "running_tool";
}

/** Shows how a tool ended, in its place or at the end. */
export function finishTool(
  context: FoldContext,
  call: CallIds,
  end: ToolEnd,
): void {
  const known = context.recordOf(call);
  const payload = known?.type === "running_tool" || known?.type === "tool_call"
    ? known.payload
    : undefined;
  finishAs(context, call, {
    type: "tool_call",
    payload: {
      status: end.isFailed ? "failed" : "success",
      title: end.title || payload?.title || "",
      duration_ms: end.durationMs ??
        (known?.type === "tool_call" ? known.payload.duration_ms : null),
      arguments: end.arguments?.length
        ? end.arguments
        : payload?.arguments ?? [],
      result_preview: end.preview ?? null,
      error_message: end.errorMessage ?? null,
    },
  }, known);
}

/** Puts a record in the place of a tool that ended, or at the end. */
export function finishAs(
  context: FoldContext,
  call: CallIds,
  record: NewRecord,
  known?: HistoryRecord,
): void {
  const id = context.showCall(call, record, TOOL_TYPES, known);
  context.memory.working.delete(id);
}

/** Ends a tool that a failed turn leaves behind. */
export function interruptTool(
  context: FoldContext,
  id: number,
  callId: string | null,
): void {
  const record = context.get(id);
  if (record?.type !== "running_tool") return;
  const { title, arguments: args } = record.payload;
  context.replace(id, {
    type: "tool_call",
    payload: {
      status: "failed",
      title,
      duration_ms: null,
      arguments: args,
      result_preview: null,
      error_message: INTERRUPTED,
    },
  }, callId);
}

/** Reads the result of an MCP call and its error, if any. */
export function mcpResult(result: unknown, error: unknown): ToolResult {
  const fields: Fields = fieldsOf(result);
  const message = errorText(error);
  return {
    isFailed: message !== null ||
      (booleanOf(fields.is_error) ?? booleanOf(fields.isError)) === true,
    preview: resultPreview(listOf(fields.content)),
    errorMessage: message,
  };
}

/** Reads the message of an error: an object or a text. */
export function errorText(error: unknown): string | null {
  if (typeof error === "string") return error;
  return isObject(error) ? textOf(error.message) ?? "" : null;
}

/** Makes the title of a tool that belongs to a server or a namespace. */
export function qualifiedTitle(owner: unknown, name: unknown): string {
  return [owner, name].filter((part) => typeof part === "string" && part !== "")
    .join(".");
}

// JSON text laid out for reading, without changing a number or a key.

/**
 * The nesting beyond which a text is left alone: indentation grows with the square of
 * the depth.
 */
const MAX_DEPTH = 128;

const PUNCTUATION = new Set(["{", "}", "[", "]", ",", ":"]);
const WHITE_SPACE = new Set([" ", "\t", "\n", "\r"]);

/**
 * Lays out a JSON object or list with two spaces per level.
 *
 * Going through values would round large numbers and reorder keys that look like them, so
 * the tokens of the text are laid out instead.
 *
 * @returns The layout, or `undefined` if the text is no object or list, or nests too deep.
 */
export function prettyJson(text: string): string | undefined {
  const trimmed = text.trim();
  const [first] = trimmed;
  if (first !== "{" && first !== "[") return undefined;
  try {
    JSON.parse(trimmed);
  } catch {
    return undefined;
  }
  const pieces: string[] = [];
  let depth = 0;
  let before = "";
  const breakLine = (): void => {
    pieces.push("\n" + "  ".repeat(depth));
  };
  for (const token of tokensOf(trimmed)) {
    const closes = token === "}" || token === "]";
    const afterOpen = before === "{" || before === "[";
    if (closes) {
      depth -= 1;
      if (!afterOpen) breakLine();
    } else if (afterOpen || before === ",") breakLine();
    pieces.push(token === ":" ? ": " : token);
    if (token === "{" || token === "[") {
      depth += 1;
      if (depth > MAX_DEPTH) return undefined;
    }
    before = token;
  }
  return pieces.join("");
}

/**
 * Cuts JSON text into its tokens.
 *
 * A regular expression would need a stack as deep as a string is long.
 */
function* tokensOf(text: string): Generator<string> {
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    let end = at + 1;
    if (char === '"') end = endOfString(text, at);
    else if (!PUNCTUATION.has(char) && !WHITE_SPACE.has(char)) {
      while (end < text.length && isLiteral(text.charAt(end))) end += 1;
    }
    if (!WHITE_SPACE.has(char)) yield text.slice(at, end);
    at = end;
  }
}

function isLiteral(char: string): boolean {
  return !PUNCTUATION.has(char) && !WHITE_SPACE.has(char);
}

// The few lines that stand for the result of a tool.

/** The characters of a text that are looked at, from its end. */
const MAX_CHARACTERS = 16_000;
const MAX_LINES = 7;
const HEAD_LINES = 2;
const TAIL_LINES = 5;
/** What stands for the lines left out. */
const GAP = "⋮";

/**
 * Makes a preview of the blocks of a result.
 *
 * @param blocks The blocks, as MCP or a response item gives them; a string is a text.
 * @returns The lines, or `null` if there are none.
 */
export function resultPreview(
  blocks: readonly unknown[],
): ToolResultPreview | null {
  const lines: string[] = [];
  let truncated = false;
  for (const block of blocks) {
    const text = typeof block === "string" ? block : undefined;
    const line = text === undefined ? placeholderOf(block) : undefined;
    if (line !== undefined) {
      lines.push(line);
      continue;
    }
    const part = textPreview(text ?? textOf(fieldsOf(block).text) ?? "");
    lines.push(...part.lines);
    truncated ||= part.truncated;
  }
  return lines.length === 0 ? null : { lines, truncated };
}

function textPreview(text: string): ToolResultPreview {
  const laidOut = prettyJson(text) ?? text;
  const kept = lastCharacters(laidOut);
  const lines = splitLines(kept).filter((line) => line.trim() !== "");
  const isCut = kept.length < laidOut.length;
  if (lines.length <= MAX_LINES) return { lines, truncated: isCut };
  return {
    lines: [...lines.slice(0, HEAD_LINES), GAP, ...lines.slice(-TAIL_LINES)],
    truncated: true,
  };
}

function lastCharacters(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  let start = text.length;
  for (let count = 0; count < MAX_CHARACTERS && start > 0; count++) {
    start -= 1;
    // Both halves of a character stay together.
    if ((text.codePointAt(start - 1) ?? 0) > 0xffff) start -= 1;
  }
  return start === 0 ? text : text.slice(start);
}

/** Gives what stands for a block that is no text. */
function placeholderOf(block: unknown): string | undefined {
  const fields = fieldsOf(block);
  switch (fields.type) {
    case "image":
    case "input_image":
    case "inputImage":
      return "<image content>";
    case "audio":
    case "input_audio":
    case "inputAudio":
      return "<audio content>";
    case "resource_link":
      return `link: ${textOf(fields.uri) ?? ""}`;
    case "resource":
      return `embedded resource: ${
        textOf(fieldsOf(fields.resource).uri) ?? ""
      }`;
    default:
      return undefined;
  }
}

// The arguments of a call, as a list of names and values (B.7).

/** Keys that JavaScript puts before all others. */
const INDEX_REGEXP = /^(?:0|[1-9]\d{0,9})$/;

/**
 * Lists the arguments of a call.
 *
 * @param value The arguments; absent, `null` and `{}` are none.
 * @param texts Gives the texts of the fields, in order, where the source is known: numbers then
 *   stand as they are spelled there.
 * @returns One argument for each field of an object, one for anything else.
 */
export function toolArguments(
  value: unknown,
  texts?: () => ReadonlyMap<string, string>,
): ToolArgument[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return [{ name: "items", value: valueOf(value) }];
  if (!isObject(value)) return [{ name: "args", value: valueOf(value) }];
  const fields = Object.entries(value).filter(([, field]) =>
    field !== undefined
  );
  const known = fields.some(isInexact) ? texts?.() : undefined;
  // A text that does not have them all is not that of these arguments.
  if (known === undefined || !fields.every(([name]) => known.has(name))) {
    return fields.map(([name, field]) => ({ name, value: valueOf(field) }));
  }
  const byName = new Map(fields);
  return [...known]
    .filter(([name]) => byName.has(name))
    .map(([name, text]) => ({ name, value: valueOf(byName.get(name), text) }));
}

/** Tells whether a field may have lost its spelling or its place when it was parsed. */
function isInexact([name, value]: readonly [string, unknown]): boolean {
  return typeof value === "number" || INDEX_REGEXP.test(name);
}

/**
 * Lists the arguments of a call, of which the JSON text may be known.
 *
 * @param text Their text.
 * @returns The arguments, with numbers as they are spelled there.
 */
export function toolArgumentsOfText(
  value: unknown,
  text: string,
): ToolArgument[] {
  return typeof value === "number"
    ? [{ name: "args", value: valueOf(value, text.trim()) }]
    : toolArguments(value, () => memberTexts(text));
}

/**
 * Puts newer arguments over older ones, name by name.
 *
 * @param newer The arguments that replace those of the same name or follow them.
 */
function mergeArguments(
  older: readonly ToolArgument[],
  newer: readonly ToolArgument[],
): ToolArgument[] {
  const merged = new Map(older.map((argument) => [argument.name, argument]));
  for (const argument of newer) merged.set(argument.name, argument);
  return [...merged.values()];
}

/**
 * Lists what a web search was asked for: the query, then what else the action says.
 *
 * @param query The query, if there is one.
 * @param action What the search did.
 */
export function webSearchArguments(
  query: unknown,
  action: unknown,
): ToolArgument[] {
  const { type: _type, query: actionQuery, ...rest } = isObject(action)
    ? action
    : {};
  const words = [query, actionQuery].find((each) =>
    typeof each === "string" && each !== ""
  );
  return toolArguments({ query: words, ...rest });
}

function valueOf(value: unknown, source?: string): ToolArgumentValue {
  if (typeof value === "string") return { type: "text", text: value };
  return typeof value === "object" && value !== null
    ? { type: "json", value }
    : { type: "text", text: source ?? jsonTextOf(value) };
}
