/** Records of tool calls: their start and end, arguments and results (B.7, B.9). */

import { derivedQuery, statesText } from "../../events/contents.ts";
import { INDEX_REGEXP } from "../../events/exact_numbers.ts";
import { ARGUMENTS_TEXT } from "../../events/session_items.ts";
import { shortDuration } from "../../events/times.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isFailedWord,
  isObject,
  jsonTextOf,
  listOf,
  parseJson,
  snakeCase,
  textOf,
  wholeOf,
} from "../../json/fields.ts";
import { endOfString, memberTexts } from "../../json/member_texts.ts";
import type {
  HistoryRecord,
  NewRecord,
  RunningToolPayload,
  ToolArgument,
  ToolArgumentValue,
  ToolCallPayload,
  ToolResultPreview,
  ToolStatus,
} from "../records.ts";
import { CANCELLED } from "./commands.ts";
import type { CallIds, FoldContext, ItemState } from "./fold_context.ts";
import { errorRecord, splitLines } from "./text_lines.ts";

interface ToolStart {
  readonly title: string;
  readonly arguments: readonly ToolArgument[];
  readonly wait?: Pick<
    RunningToolPayload,
    "wait_cap_ms" | "wait_has_target" | "wait_has_call_id"
  >;
}

/** The end of a call. A title or arguments that are absent or empty are those of the start. */
type ToolEnd =
  & Pick<ToolCallPayload, "status">
  & Partial<ToolCallPayload>;

/** The error message of a tool that was running when its turn failed. */
export const INTERRUPTED = "interrupted";
const NO_WAIT = {
  wait_cap_ms: null,
  wait_has_target: false,
  wait_has_call_id: false,
};

/** Shows a tool that starts; for one that is running, updates the arguments. */
function startTool(
  context: FoldContext,
  call: CallIds,
  start: ToolStart,
): void {
  const { memory } = context;
  const { title, wait = NO_WAIT } = start;
  const record = context.recordOf(call);
  const known = record?.type === "running_tool" ? record.payload : undefined;
  // An ended call stays as it is.
  const isEnded = known === undefined && record !== undefined &&
    context.mayBecome(record, "running_tool");
  if (isEnded) return;
  const id = context.showCall(
    call,
    {
      type: "running_tool",
      payload: {
        title,
        started_at: known?.started_at ?? context.now,
        arguments: mergeArguments(known?.arguments ?? [], start.arguments),
        ...wait,
      },
    },
    record,
  );
  memory.working.add(id);
}

export function finishTool(
  context: FoldContext,
  call: CallIds,
  end: ToolEnd,
): void {
  const known = context.recordOf(call);
  finishAs(context, call, toolCall(end, known), known);
}

/** Makes the record of a call that ended, with what its known record has and its end lacks. */
function toolCall(end: ToolEnd, known: HistoryRecord | undefined): NewRecord {
  const payload = known?.type === "running_tool" || known?.type === "tool_call"
    ? known.payload
    : undefined;
  return {
    type: "tool_call",
    payload: {
      status: end.status,
      title: end.title || payload?.title || "",
      duration_ms: end.duration_ms ??
        (known?.type === "tool_call" ? known.payload.duration_ms : null),
      arguments: end.arguments?.length
        ? end.arguments
        : payload?.arguments ?? [],
      result_preview: end.result_preview ?? null,
      error_message: end.error_message ?? null,
    },
  };
}

/** Replaces the record of a tool call that ended by another one, or appends that. */
function finishAs(
  context: FoldContext,
  call: CallIds,
  record: NewRecord,
  known?: HistoryRecord,
): void {
  const id = context.showCall(call, record, known);
  context.memory.working.delete(id);
}

/** Ends a tool call that is still running when its turn fails. */
export function interruptTool(context: FoldContext, id: number): void {
  const record = context.get(id);
  if (record?.type !== "running_tool") return;
  const end: ToolEnd = { status: "failed", error_message: INTERRUPTED };
  context.replace(id, toolCall(end, record));
}

function showTool(
  context: FoldContext,
  item: ItemState,
  start: ToolStart,
  end: ToolEnd,
): void {
  if (item.phase === "started") startTool(context, item, start);
  if (item.phase !== "completed") return;
  finishTool(context, item, { ...start, ...end });
}

/** Returns the end of a call whose content may have an error and a duration. */
function toolEnd(
  { content, event }: ItemState,
  blocks: unknown,
  isFailed = false,
): ToolEnd {
  const error = errorText(content.error);
  return {
    status: toolStatus(
      isFailed || error !== null || isFailedWord(event.status),
    ),
    duration_ms: wholeOf(content.duration_ms) ?? null,
    result_preview: resultPreview(listOf(blocks)),
    error_message: error,
  };
}

function toolStatus(isFailed: boolean): ToolStatus {
  return isFailed ? "failed" : "success";
}

function argumentsOf({ content }: ItemState): ToolArgument[] {
  const text = textOf(Reflect.get(content, ARGUMENTS_TEXT));
  return toolArguments(content.arguments, text);
}

export function showMcpCall(context: FoldContext, item: ItemState): void {
  const { server_name, tool_name, result, status } = item.content;
  const { is_error, isError, content } = fieldsOf(result);
  const isFailed = isFailedWord(status) || is_error === true ||
    isError === true;
  showTool(context, item, {
    title: qualifiedTitle(server_name, tool_name),
    arguments: argumentsOf(item),
  }, toolEnd(item, content, isFailed));
}

export function showWebSearch(context: FoldContext, item: ItemState): void {
  const { query, action } = item.content;
  // In session files, the query may only repeat the action: then it is left out.
  const isDerived = context.memory.isSession && query === derivedQuery(action);
  const { type: _type, query: searched, ...rest } = fieldsOf(action);
  const words = [isDerived ? undefined : query, searched].find((each) =>
    typeof each === "string" && each !== ""
  );
  showTool(context, item, {
    title: "web_search",
    arguments: toolArguments({ query: words, ...rest }),
    // Its status alone says whether a search failed.
  }, { status: toolStatus(isFailedWord(item.event.status)) });
}

export function showCollabCall(context: FoldContext, item: ItemState): void {
  const { content, event } = item;
  const { tool, prompt, receiver_thread_ids, output } = content;
  const states = statesText(content);
  showTool(context, item, {
    title: qualifiedTitle("collab", tool),
    arguments: toolArguments({
      ...(prompt === undefined || prompt === null ? {} : { prompt }),
      ...(Array.isArray(receiver_thread_ids) ? { receiver_thread_ids } : {}),
    }),
  }, {
    // Its status alone says whether the call failed, also beside an error.
    status: toolStatus(isFailedWord(event.status)),
    result_preview: resultPreview(
      states === undefined ? listOf(output) : [states],
    ),
    error_message: errorText(content.error),
  });
}

export function showDynamicCall(context: FoldContext, item: ItemState): void {
  const { namespace, tool, success, content_items } = item.content;
  showTool(context, item, {
    title: qualifiedTitle(namespace, tool),
    arguments: argumentsOf(item),
  }, toolEnd(item, content_items, success === false));
}

export function showToolCall(context: FoldContext, item: ItemState): void {
  const { content, phase } = item;
  const wait = waitOf(content);
  if (wait !== undefined && phase === "completed" && endWait(context, item)) {
    return;
  }
  showTool(context, item, {
    title: qualifiedTitle(content.namespace, content.name),
    arguments: argumentsOf(item),
    wait: {
      wait_cap_ms: wholeOf(wait?.timeout_ms) ?? null,
      wait_has_target: idOf(wait?.for) !== undefined,
      wait_has_call_id: idOf(wait?.call_id) !== undefined,
    },
  }, toolEnd(item, content.output));
}

/** The argument names of the tool `wait`, which waits for a command or for some time. */
const WAIT_ARGUMENTS: ReadonlySet<string> = new Set([
  "call_id",
  "for",
  "timeout_ms",
]);

/** Returns the arguments of that tool; other tools named `wait` have other arguments. */
function waitOf(content: Fields): Fields | undefined {
  const { name, namespace } = content;
  if (name !== "wait" || idOf(namespace) !== undefined) return undefined;
  const args = fieldsOf(content.arguments);
  return Object.keys(args).every((key) => WAIT_ARGUMENTS.has(key))
    ? args
    : undefined;
}

/**
 * Shows that a wait ended or was cancelled. Returns whether it did: a wait that failed for another
 * reason is shown as a tool call.
 */
function endWait(context: FoldContext, item: ItemState): boolean {
  const { content, event } = item;
  const error = errorText(content.error);
  if (error !== null || isFailedWord(event.status)) {
    const isCancelled = (error ?? "").includes(CANCELLED);
    if (isCancelled) finishAs(context, item, errorRecord("Wait cancelled"));
    return isCancelled;
  }
  const durationMs = wholeOf(content.duration_ms);
  const target = textOf(fieldsOf(content.arguments).for);
  finishAs(context, item, {
    type: "wait_status",
    payload: {
      header: {
        title: "Waited",
        title_tone: "success",
        summary: durationMs === undefined ? null : shortDuration(durationMs),
        summary_tone: "dim",
      },
      details: target === undefined
        ? []
        : [{ label: "for", value: target, tone: "dim" }],
    },
  });
  return true;
}

function errorText(error: unknown): string | null {
  if (typeof error === "string") return error;
  return isObject(error) ? textOf(error.message) ?? "" : null;
}

/** Joins the names of a server or namespace and a tool with a dot. */
function qualifiedTitle(owner: unknown, name: unknown): string {
  return [owner, name].filter((part) => typeof part === "string" && part !== "")
    .join(".");
}

/**
 * The deepest nesting that is laid out: the length of the indentation grows with the square of the
 * depth.
 */
const MAX_DEPTH = 128;

/**
 * Lays out a JSON object or list with two spaces per level; `undefined` for any other text, and for
 * one that nests too deep.
 *
 * It lays out the tokens of the text: parsing and encoding would round large numbers and reorder
 * keys that look like numbers.
 */
export function prettyJson(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed) || parseJson(trimmed) === undefined) {
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
    // Some servers escape all letters but ASCII; the layout is for people.
    const shown = token.includes("\\u")
      ? JSON.stringify(JSON.parse(token))
      : token;
    pieces.push(shown === ":" ? ": " : shown);
    if (token === "{" || token === "[") {
      depth += 1;
      if (depth > MAX_DEPTH) return undefined;
    }
    before = token;
  }
  return pieces.join("");
}

/** Matches a token of JSON text; of a string, only the quote at its start. */
const TOKEN_REGEXP = /[{}[\],:"]|[^\s{}[\],:"]+/g;

/**
 * Splits JSON text into its tokens.
 *
 * A regular expression for whole strings would need a stack as deep as a string is long.
 */
function* tokensOf(text: string): Generator<string> {
  const regexp = new RegExp(TOKEN_REGEXP);
  for (
    let match = regexp.exec(text);
    match !== null;
    match = regexp.exec(text)
  ) {
    const [token] = match;
    if (token === '"') regexp.lastIndex = endOfString(text, match.index);
    yield token === '"' ? text.slice(match.index, regexp.lastIndex) : token;
  }
}

/** The limit of a previewed text in characters, counted from its end. */
const MAX_CHARACTERS = 16_000;
const MAX_LINES = 7;
const HEAD_LINES = 2;
const TAIL_LINES = 5;
const GAP = "⋮";

/**
 * Makes a preview of the blocks of a result (B.9), in the form of MCP or of response items; a
 * string is a text. Returns `null` if it has no lines.
 */
export function resultPreview(
  blocks: readonly unknown[],
): ToolResultPreview | null {
  const lines: string[] = [];
  let truncated = false;
  for (const block of blocks) {
    const line = placeholderOf(block);
    if (line !== undefined) {
      lines.push(line);
      continue;
    }
    const text = textOf(block) ?? textOf(fieldsOf(block).text) ?? "";
    const part = textPreview(text);
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
  // A character has up to two units; spreading does not split it.
  return [...text.slice(-2 * MAX_CHARACTERS)].slice(-MAX_CHARACTERS).join("");
}

/** Returns the line for a block that is no text; `undefined` for a text. */
function placeholderOf(block: unknown): string | undefined {
  const fields = fieldsOf(block);
  // `image`, `input_image` or `inputImage`.
  switch (snakeCase(textOf(fields.type) ?? "").replace(/^input_/, "")) {
    case "image":
      return "<image content>";
    case "audio":
      return "<audio content>";
    case "resource_link":
      return `link: ${textOf(fields.uri) ?? ""}`;
    case "resource":
      return "embedded resource: " +
        (textOf(fieldsOf(fields.resource).uri) ?? "");
    default:
      return undefined;
  }
}

/**
 * Converts the arguments of a call to a list of names and values (B.7).
 *
 * @param value The arguments; absent, `null` and `{}` are none.
 * @param text Their JSON text, if it is known: numbers then keep their spelling, and keys their
 *   order.
 * @returns One argument for each field of an object, one for anything else.
 */
export function toolArguments(value: unknown, text?: string): ToolArgument[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return [{ name: "items", value: valueOf(value) }];
  if (!isObject(value)) {
    return [{ name: "args", value: valueOf(value, text?.trim()) }];
  }
  const fields = Object.entries(value).filter(([, field]) =>
    field !== undefined
  );
  const known = text !== undefined && fields.some(isInexact)
    ? memberTexts(text)
    : undefined;
  // A lone surrogate in a name cannot be encoded as UTF-8, so its text is not found.
  if (known === undefined || !fields.every(([name]) => known.has(name))) {
    return fields.map(([name, field]) => ({ name, value: valueOf(field) }));
  }
  const byName = new Map(fields);
  return [...known]
    .filter(([name]) => byName.has(name))
    .map(([name, text]) => ({ name, value: valueOf(byName.get(name), text) }));
}

/** Whether parsing may have changed the spelling of a field's value or its place. */
function isInexact([name, value]: readonly [string, unknown]): boolean {
  return typeof value === "number" || INDEX_REGEXP.test(name);
}

/** Merges arguments by name: newer ones replace those of the same name, or follow the others. */
function mergeArguments(
  older: readonly ToolArgument[],
  newer: readonly ToolArgument[],
): ToolArgument[] {
  const merged = new Map(older.map((argument) => [argument.name, argument]));
  for (const argument of newer) merged.set(argument.name, argument);
  return [...merged.values()];
}

function valueOf(value: unknown, source?: string): ToolArgumentValue {
  if (typeof value === "string") return { type: "text", text: value };
  return typeof value === "object" && value !== null
    ? { type: "json", value }
    : { type: "text", text: source ?? jsonTextOf(value) };
}
