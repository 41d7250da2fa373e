/** Converts the fields of events and items in session files to the content of event items. */

import { commandLine, commandLineOf } from "../dialects/exec/command_line.ts";
import { REVIEW_OUTPUT } from "../dialects/rollout/call_details.ts";
import {
  arrayOf,
  booleanOf,
  type Fields,
  fieldsOf,
  isFailedWord,
  isObject,
  jsonTextOf,
  knownFields,
  listOf,
  numberOf,
  parseJson,
  textOf,
  textsOf,
  wholeOf,
} from "../json/fields.ts";
import { fits } from "../shapes/check.ts";
import type { SessionContext } from "./session_context.ts";
import { durationMsOf, msOf, timestampOfMs } from "./times.ts";

export interface Ended {
  readonly content: Fields;
  readonly status: string;
}

/**
 * Returns when an event or item began and ended, as it states itself; 0 there means unknown. An end
 * equal to `now` is left out.
 */
export function timesOf(
  { started_at_ms, completed_at_ms }: Fields,
  now: string | undefined,
): { readonly startedAt: string | undefined; readonly at: string | undefined } {
  const at = timeAt(completed_at_ms);
  return { startedAt: timeAt(started_at_ms), at: at === now ? undefined : at };
}

function timeAt(ms: unknown): string | undefined {
  const known = numberOf(ms) ?? 0;
  return known > 0 ? timestampOfMs(known) : undefined;
}

/** Computes when an item began from its end and its duration. */
export function startOf(
  { duration_ms }: Fields,
  ended: string | undefined,
): string | undefined {
  const ms = numberOf(duration_ms) ?? NaN;
  return timestampOfMs(msOf(ended ?? "") - ms);
}

export function commandContent(event: Fields): Fields {
  const { command, parsed_cmd, cwd, process_id, source } = event;
  const argv = typeof command === "string" ? [command] : textsOf(command);
  const isKnown = argv.length > 0;
  return knownFields({
    command: isKnown ? commandLineOf(argv) : undefined,
    argv: isKnown ? argv : undefined,
    parsed_cmd: arrayOf(parsed_cmd),
    cwd: plainPath(cwd),
    process_id: textOf(process_id),
    source: textOf(source),
  });
}

/** Matches the start of a `file:` URL without a host. */
const FILE_URL_REGEXP = /^file:\/\/(?=\/)/i;

/** Returns a path, which items of session files have as a `file:` URL since 0.148. */
export function plainPath(value: unknown): string | undefined {
  const text = textOf(value);
  if (text === undefined || !FILE_URL_REGEXP.test(text)) return text;
  try {
    const path = decodeURIComponent(text.replace(FILE_URL_REGEXP, ""));
    const isOfWindows = /^\/[A-Za-z]:/.test(path);
    return isOfWindows ? path.slice(1).replaceAll("/", "\\") : path;
  } catch {
    return text;
  }
}

export function endedCommand(event: Fields): Ended {
  const stdout = textOf(event.stdout) ?? "";
  const stderr = textOf(event.stderr) ?? "";
  const isBlank = stdout.trim() === "" && stderr.trim() === "";
  const all = isBlank
    ? textOf(event.aggregated_output) || undefined
    : undefined;
  const exitCode = wholeOf(event.exit_code);
  const isFailed = isFailedWord(event.status) || (exitCode ?? 0) !== 0;
  return {
    content: knownFields({
      ...commandContent(event),
      exit_code: exitCode,
      stdout: all ?? stdout,
      stderr: all !== undefined || stderr === "" ? undefined : stderr,
      duration_ms: durationMsOf(event.duration),
    }),
    status: textOf(event.status) ?? endStatus(isFailed),
  };
}

/** Returns the command of the item of a command, as a person would type it. */
export function typedCommand({ argv, command }: Fields): string {
  const words = textsOf(argv);
  return words.length > 0 ? commandLine(words) : textOf(command) ?? "";
}

/** Returns the output of a command from its content; stderr begins on a line of its own. */
export function printedText(content: Fields): string {
  const stdout = textOf(content.stdout) ?? "";
  const stderr = textOf(content.stderr) ?? "";
  if (stderr.trim() === "") return stdout;
  return stdout.trim() === ""
    ? stderr
    : `${stdout.replace(/\r?\n$/, "")}\n${stderr}`;
}

export function mcpContent({ server, tool, arguments: args }: Fields): Fields {
  return knownFields({
    server_name: textOf(server) ?? "",
    tool_name: textOf(tool) ?? "",
    arguments: args ?? undefined,
  });
}

/** Returns the result of an MCP call, as exec streams have it. */
export function endedMcp(call: Fields): Ended {
  const result = call.result ?? undefined;
  const error = call.error ?? undefined;
  const { structuredContent, ...rest } = fieldsOf(result);
  const isFailed = error !== undefined || rest.is_error === true ||
    rest.isError === true || isFailedWord(call.status);
  return {
    content: knownFields({
      ...mcpContent(call),
      result: structuredContent === undefined
        ? result
        : { ...rest, structured_content: structuredContent },
      error: error === undefined || isObject(error)
        ? error
        : { message: textOf(error) ?? "" },
      duration_ms: durationMsOf(call.duration),
    }),
    status: endStatus(isFailed),
  };
}

export function endStatus(isFailed: boolean): string {
  return isFailed ? "failed" : "completed";
}

/** Returns the status of an item that has ended, by the word in its line. */
export function statedStatus({ status }: Fields): string {
  return endStatus(isFailedWord(status));
}

/** Whether an item was declined; a patch of an app-server has that in its content. */
export function isDeclined({ status, content }: Fields): boolean {
  return status === "declined" || fieldsOf(content).declined === true;
}

/** Returns the query that Codex derives from the action of a search. */
export function derivedQuery(action: unknown): string {
  const { url, pattern, query, queries } = fieldsOf(action);
  const page = textOf(url) ?? "";
  if (typeof pattern === "string") {
    return page === "" ? `'${pattern}'` : `'${pattern}' in ${page}`;
  }
  const [first = "", ...others] = textsOf(queries);
  const dots = first === "" || others.length === 0 ? "" : " ...";
  return textOf(query) || first + dots || page;
}

/** Returns the files of a patch, whose formats differ in where a change has its kind (A.16). */
export function patchContent(event: Fields): Fields {
  const changes = Object.entries(fieldsOf(event.changes)).map(
    ([path, change]) => ({ path, ...changeOf(change) }),
  );
  return knownFields({
    changes: changes.length === 0 ? undefined : changes,
    auto_approved: booleanOf(event.auto_approved),
  });
}

function changeOf(change: unknown): Fields {
  if (typeof change === "string") return { kind: change };
  const { type, ...fields } = fieldsOf(change);
  if (typeof type === "string") return { kind: type, ...fields };
  for (const kind of ["add", "delete", "update"]) {
    const inner = fields[kind];
    if (isObject(inner)) return { kind, ...inner };
  }
  return { kind: "update", ...fields };
}

/** Matches the call of `apply_patch` in a command, by either name, and the folder that it changes to. */
export const PATCH_REGEXP =
  /(?:\bcd\s+(?:'([^']+)'|"([^"]+)"|(\S+))\s*&&\s*)?\bapply_?patch\b/;

export function endedPatch(event: Fields): Ended {
  const isWell = booleanOf(event.success) ?? !isFailedWord(event.status);
  return {
    content: knownFields({
      ...patchContent(event),
      stdout: textOf(event.stdout),
      stderr: textOf(event.stderr),
    }),
    status: isWell ? "completed" : textOf(event.status) ?? "failed",
  };
}

/** Returns the content of a call of a tool that the program around Codex provides. */
export function dynamicContent(event: Fields): Fields {
  const { namespace, tool, arguments: args } = event;
  return knownFields({
    namespace: textOf(namespace),
    tool: textOf(tool) ?? "",
    arguments: args,
  });
}

export function endedDynamic(event: Fields): Ended {
  const error = event.error ?? undefined;
  const success = booleanOf(event.success);
  return {
    content: knownFields({
      ...dynamicContent(event),
      content_items: arrayOf(event.content_items ?? event.contentItems),
      success,
      error,
      duration_ms: durationMsOf(event.duration),
    }),
    status: endStatus(
      error !== undefined || success === false || isFailedWord(event.status),
    ),
  };
}

/** Returns the message of an error or notice, which may be that of its `error`. */
export function messageOf({ message, error }: Fields): string {
  return textOf(message) ?? textOf(fieldsOf(error).message) ?? "";
}

/**
 * The reasons of `turn_aborted` events. In the old dialect of exec streams only the reason is left
 * of such an event: normalized, it is a `turn.failed` with one of these words as its message.
 */
const ABORT_REASONS: ReadonlySet<unknown> = new Set([
  "budget_limited",
  "interrupted",
  "replaced",
  "review_ended",
]);

/** Returns the reason why a turn was aborted, from its end; `undefined` if it was not. */
export function abortReason({ reason, error }: Fields): string | undefined {
  const message = textOf(fieldsOf(error).message);
  return textOf(reason) ?? (ABORT_REASONS.has(message) ? message : undefined);
}

/** Registers the beginning or end of a review, in the turn with the given id, if that is known. */
export function noteReview(
  context: SessionContext,
  { type, review_output }: Fields,
  turnId: string | undefined,
): void {
  const isOver = type === "exited_review_mode" || type === "ExitedReviewMode";
  context.reviewPrompt = isOver ? null : "";
  if (isOver) {
    context.seen.review = review_output === null ? "unreviewed" : "reviewed";
  } else if (context.turn === "none") context.turnId = turnId ?? null;
}

/**
 * Returns the answer of a reviewer, which is JSON, in the form in which Codex passes it to the
 * thread that asked for the review, after the verdict; any other text as it is.
 */
export function readableReview(text: string): string {
  const review = parseJson(text);
  if (!fits(REVIEW_OUTPUT, review)) return text;
  const { findings, overall_correctness, overall_explanation } = review;
  if (!findings || !overall_correctness || !overall_explanation) return text;
  const plural = findings.length > 1
    ? "Full review comments"
    : "Review comment";
  return [
    `${overall_correctness}: ${overall_explanation.trim()}`,
    ...(findings.length > 0 ? [`${plural}:`] : []),
    ...findings.map(({ title, body, code_location }) => {
      const { absolute_file_path: path, line_range } = code_location ?? {};
      const lines = line_range ? `:${line_range.start}-${line_range.end}` : "";
      const headline = path ? `- ${title} — ${path}${lines}` : `- ${title}`;
      return [headline, ...(body?.split("\n") ?? [])].join("\n  ");
    }),
  ].join("\n\n");
}

/** Returns the content of a generated image; items of extensions spell the fields in camel case. */
export function imageContent(fields: Fields): Fields {
  return knownFields({
    result: textOf(fields.result),
    saved_path: textOf(fields.saved_path ?? fields.savedPath),
    revised_prompt: textOf(fields.revised_prompt ?? fields.revisedPrompt),
    status: textOf(fields.status),
  });
}

export function planContent(event: Fields): Fields {
  return knownFields({
    items: planSteps(event.plan),
    name: textOf(event.name),
    explanation: textOf(event.explanation),
  });
}

/** Returns the content of a token count; before there was `info`, the event had the counts. */
export function tokenContent(event: Fields): Fields {
  if (event.info !== undefined) return event;
  const { rate_limits, ...flat } = event;
  const counts = [flat.total_tokens, flat.input_tokens, flat.output_tokens];
  return counts.some((count) => numberOf(count) !== undefined)
    ? knownFields({ info: { last_token_usage: flat }, rate_limits })
    : event;
}

/** Converts the steps of a plan to those of a `todo_list` item (normalize.md P10). */
function planSteps(steps: unknown): Fields[] {
  return listOf(steps).map((each) => {
    const { step, title, text, status, completed } = fieldsOf(each);
    const isDone = status === "completed" || completed === true;
    return knownFields({
      title: textOf(step) ?? textOf(title) ?? textOf(text) ?? "",
      completed: isDone,
      status: textOf(status),
    });
  });
}

/** Whether a status of an agent, or one of statuses by agent, says that it failed or is unknown. */
export function isAnyAgentLost(status: unknown): boolean {
  return [status, ...Object.values(fieldsOf(status))].some((one) =>
    one === "not_found" || isObject(one) && Object.hasOwn(one, "errored")
  );
}

/** Returns the states of agents that a call between agents tells, as JSON text. */
export function statesText({ agents_states }: Fields): string | undefined {
  return isObject(agents_states) && Object.keys(agents_states).length > 0
    ? jsonTextOf(agents_states)
    : undefined;
}
