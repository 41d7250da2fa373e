/**
 * What session files say of things, in the words of events.
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

export interface Ended {
  readonly content: Fields;
  readonly status: string;
}

/** When something ended, and began, as its event or item says; 0 says that it is not known. */
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

/** When something began that only its end tells of, and how long it took. */
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

/** What a command printed, by its content: what went to stderr on lines of its own. */
export function printedText(content: Fields): string {
  const stdout = textOf(content.stdout) ?? "";
  const stderr = textOf(content.stderr) ?? "";
  if (stdout.trim() === "") return stderr.trim() === "" ? stdout : stderr;
  return stderr.trim() === ""
    ? stdout
    : `${stdout.replace(/\r?\n$/, "")}\n${stderr}`;
}

/** What is said of a call of an MCP server. */
export function mcpContent({ server, tool, arguments: args }: Fields): Fields {
  return {
    server_name: textOf(server) ?? "",
    tool_name: textOf(tool) ?? "",
    ...(args === undefined || args === null ? {} : { arguments: args }),
  };
}

/** What an MCP call gave, as exec streams say it. */
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

/** How long something took. */
export function spent(duration: unknown): Fields {
  const durationMs = durationMsOf(duration);
  return durationMs === undefined ? {} : { duration_ms: durationMs };
}

/** The files of a patch, whose three spellings differ in how a change says what it is (A.16). */
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

/** What is said of a tool of the program around Codex. */
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

/** Takes note that a review begins or ends. */
export function noteReview(
  context: SessionContext,
  { type, review_output }: Fields,
): void {
  const isOver = type === "exited_review_mode" || type === "ExitedReviewMode";
  context.reviewPrompt = isOver ? null : "";
  if (!isOver) return;
  context.seen.review = review_output === null ? "unreviewed" : "reviewed";
}

/** What is said of an image that was made; the items of extensions have names of their own. */
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

/** The counts of a request, of which there is one at least. */
const FLAT_COUNTS: readonly string[] = [
  "total_tokens",
  "input_tokens",
  "output_tokens",
];

/** What is said of tokens; before there was `info`, the counts stood beside it. */
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
 * Reads the steps of a plan, in the spelling that events have (normalize.md P10).
 *
 * @param steps The steps: `step`, and a `status`.
 * @returns The steps: `title`, `completed`, and the word of the status.
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
