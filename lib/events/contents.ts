/**
 * Converts the fields of events and items in session files to the content of event items.
 *
 * @module
 */

import { commandLineOf } from "./command_line.ts";
import {
  type Fields,
  fieldsOf,
  isFailedWord,
  isObject,
  listOf,
  numberOf,
  textOf,
  textsOf,
  wholeOf,
} from "../json/fields.ts";
import type { SessionContext } from "./session_context.ts";
import { durationMsOf, timestampOfMs } from "./times.ts";

/** The content and status of an item that has ended. */
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
): { readonly startedAt?: string; readonly at?: string } {
  const startedAt = timeAt(started_at_ms);
  const at = timeAt(completed_at_ms);
  return {
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(at === undefined || at === now ? {} : { at }),
  };
}

function timeAt(ms: unknown): string | undefined {
  const known = numberOf(ms) ?? 0;
  return known > 0 ? timestampOfMs(known) : undefined;
}

/** Computes when an item began from its end and its duration. */
export function startOf(
  { duration_ms }: Fields,
  ended: string | undefined,
): { readonly startedAt?: string } {
  const ms = numberOf(duration_ms);
  if (ms === undefined || ended === undefined) return {};
  const startedAt = timestampOfMs(Date.parse(ended) - ms);
  return startedAt === undefined ? {} : { startedAt };
}

export function commandContent(event: Fields): Fields {
  const { command, parsed_cmd, cwd, process_id, source } = event;
  const argv = typeof command === "string" ? [command] : textsOf(command);
  return {
    ...(argv.length === 0 ? {} : { command: commandLineOf(argv), argv }),
    ...(Array.isArray(parsed_cmd) ? { parsed_cmd } : {}),
    ...(typeof cwd === "string" ? { cwd } : {}),
    ...(typeof process_id === "string" ? { process_id } : {}),
    ...(typeof source === "string" ? { source } : {}),
  };
}

export function endedCommand(event: Fields): Ended {
  const stdout = textOf(event.stdout) ?? "";
  const stderr = textOf(event.stderr) ?? "";
  const isBlank = stdout.trim() === "" && stderr.trim() === "";
  const exitCode = wholeOf(event.exit_code);
  const isFailed = isFailedWord(event.status) || (exitCode ?? 0) !== 0;
  return {
    content: {
      ...(typeof event.command === "undefined" ? { command: "" } : {}),
      ...commandContent(event),
      ...(exitCode === undefined ? {} : { exit_code: exitCode }),
      stdout: isBlank ? textOf(event.aggregated_output) ?? stdout : stdout,
      ...(isBlank || stderr === "" ? {} : { stderr }),
      ...spent(event.duration),
    },
    status: textOf(event.status) ?? (isFailed ? "failed" : "completed"),
  };
}

/** Returns the output of a command from its content; stderr begins on a line of its own. */
export function printedText(content: Fields): string {
  const stdout = textOf(content.stdout) ?? "";
  const stderr = textOf(content.stderr) ?? "";
  if (stdout.trim() === "") return stderr.trim() === "" ? stdout : stderr;
  return stderr.trim() === ""
    ? stdout
    : `${stdout.replace(/\r?\n$/, "")}\n${stderr}`;
}

/** Returns the content of a call of an MCP server. */
export function mcpContent({ server, tool, arguments: args }: Fields): Fields {
  return {
    server_name: textOf(server) ?? "",
    tool_name: textOf(tool) ?? "",
    ...(args === undefined || args === null ? {} : { arguments: args }),
  };
}

/** Returns the result of an MCP call, as exec streams have it. */
export function endedMcp(
  call: Fields,
  ok: unknown,
  error: unknown,
  duration: unknown,
): Ended {
  const { is_error, isError } = fieldsOf(ok);
  const hasError = error !== undefined && error !== null;
  const isFailed = hasError || is_error === true || isError === true;
  return {
    content: {
      ...mcpContent(call),
      ...(ok === undefined || ok === null ? {} : { result: ok }),
      ...(hasError
        ? { error: isObject(error) ? error : { message: textOf(error) ?? "" } }
        : {}),
      ...spent(duration),
    },
    status: isFailed ? "failed" : "completed",
  };
}

/** Returns a duration as `duration_ms`. */
export function spent(duration: unknown): Fields {
  const durationMs = durationMsOf(duration);
  return durationMs === undefined ? {} : { duration_ms: durationMs };
}

/**
 * Returns the files of a patch. There are three formats, which differ in where a change states its
 * kind (A.16).
 */
export function patchContent(event: Fields): Fields {
  const changes = Object.entries(fieldsOf(event.changes)).map(
    ([path, change]) => ({ path, ...changeOf(change) }),
  );
  const { auto_approved } = event;
  return {
    ...(changes.length === 0 ? {} : { changes }),
    ...(typeof auto_approved === "boolean" ? { auto_approved } : {}),
  };
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

export function endedPatch(event: Fields): Ended {
  const isWell = typeof event.success === "boolean"
    ? event.success
    : !isFailedWord(event.status);
  const { stdout, stderr } = event;
  return {
    content: {
      ...patchContent(event),
      ...(typeof stdout === "string" ? { stdout } : {}),
      ...(typeof stderr === "string" ? { stderr } : {}),
    },
    status: isWell ? "completed" : textOf(event.status) ?? "failed",
  };
}

/** Returns the content of a call of a tool that the program around Codex provides. */
export function dynamicContent(event: Fields): Fields {
  const { namespace, tool, arguments: args } = event;
  return {
    ...(typeof namespace === "string" ? { namespace } : {}),
    tool: textOf(tool) ?? "",
    ...(args === undefined ? {} : { arguments: args }),
  };
}

export function endedDynamic(event: Fields): Ended {
  const { error, success } = event;
  const items = event.content_items ?? event.contentItems;
  const isFailed = (error !== undefined && error !== null) ||
    success === false || isFailedWord(event.status);
  return {
    content: {
      ...dynamicContent(event),
      ...(Array.isArray(items) ? { content_items: items } : {}),
      ...(typeof success === "boolean" ? { success } : {}),
      ...(error === undefined || error === null ? {} : { error }),
      ...spent(event.duration),
    },
    status: isFailed ? "failed" : "completed",
  };
}

/** Registers the beginning or end of a review. */
export function noteReview(
  context: SessionContext,
  { type, review_output }: Fields,
): void {
  const isOver = type === "exited_review_mode" || type === "ExitedReviewMode";
  context.reviewPrompt = isOver ? null : "";
  if (!isOver) return;
  context.seen.review = review_output === null ? "unreviewed" : "reviewed";
}

/** Returns the content of a generated image; items of extensions spell the fields in camel case. */
export function imageContent(fields: Fields): Fields {
  const path = textOf(fields.saved_path ?? fields.savedPath);
  const prompt = textOf(fields.revised_prompt ?? fields.revisedPrompt);
  const status = textOf(fields.status);
  const result = textOf(fields.result);
  return {
    ...(result === undefined ? {} : { result }),
    ...(path === undefined ? {} : { saved_path: path }),
    ...(prompt === undefined ? {} : { revised_prompt: prompt }),
    ...(status === undefined ? {} : { status }),
  };
}

export function planContent(
  { name, explanation, plan, steps }: Fields,
): Fields {
  return {
    items: planSteps(plan ?? steps),
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof explanation === "string" ? { explanation } : {}),
  };
}

/** The counts of which a request has at least one. */
const FLAT_COUNTS: readonly string[] = [
  "total_tokens",
  "input_tokens",
  "output_tokens",
];

/**
 * Returns the content of a token count; before there was `info`, the counts stood in the event
 * itself.
 */
export function tokenContent(event: Fields): Fields {
  if (event.info !== undefined) return event;
  const { rate_limits, ...flat } = event;
  if (!FLAT_COUNTS.some((name) => numberOf(flat[name]) !== undefined)) {
    return event;
  }
  return {
    info: { last_token_usage: flat },
    ...(rate_limits === undefined ? {} : { rate_limits }),
  };
}

/**
 * Converts the steps of a plan to those of a `todo_list` item (normalize.md P10).
 *
 * @param steps The steps: `step`, `title` or `text`, and a `status` or `completed`.
 * @returns The steps: `title`, `completed`, and the `status` if it is a string.
 */
function planSteps(steps: unknown): Fields[] {
  return listOf(steps).map((each) => {
    const { step, title, text, status, completed } = fieldsOf(each);
    const named = [step, title, text].find((name) => typeof name === "string");
    const isDone = status === "completed" || completed === true;
    return {
      title: textOf(named) ?? "",
      completed: isDone,
      ...(typeof status === "string" ? { status } : {}),
    };
  });
}
