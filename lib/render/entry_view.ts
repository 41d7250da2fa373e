/** Views of entries: the texts and states to show, redacted but neither cut nor escaped. */

import { checkText } from "../checked.ts";
import { commandLine } from "../dialects/exec/command_line.ts";
import { isRetryNotice } from "../dialects/exec/retry_notices.ts";
import { readableReview } from "../events/contents.ts";
import {
  type AnyHistoryRecord,
  type ExecChunk,
  type ExploreStatus,
  type HistoryRecord,
  type ImagePayload,
  isKnownRecord,
  type PlanStep,
  type RateLimitsPayload,
} from "../history/records.ts";
import { prettyJson } from "../history/mapping/tools.ts";
import { isFailedWord, jsonTextOf } from "../json/fields.ts";
import { byteLength } from "../json/utf8_length.ts";
import { type EditedFile, editedFiles } from "./edited_files.ts";
import type { EntryPart } from "./parts.ts";
import { linesText, reasoningMarkdown } from "./record_text.ts";
import { NO_REDACTOR, type TextRedactor } from "./render_options.ts";

/** A message of the user, of Codex, or of an agent. */
export interface MessageView {
  /** Always `message`. */
  readonly kind: "message";
  /** The role of the sender. */
  readonly role: "user" | "assistant";
  /** The name of the agent that sent it; `null` for the agent of the session itself. */
  readonly author: string | null;
  /** The name of the agent that it was sent to; `null` if unknown. */
  readonly recipient: string | null;
  /** The text: Markdown from the assistant, any text from the user. */
  readonly text: string;
}

/** The reasoning of the model. */
export interface ReasoningView {
  /** Always `reasoning`. */
  readonly kind: "reasoning";
  /** The text, as Markdown. */
  readonly text: string;
}

/** The state of work. Work whose end is not in the input is `running`, too. */
export type WorkStatus = "running" | "success" | "failed";

/** A command and its output. */
export interface CommandView {
  /** Always `command`. */
  readonly kind: "command";
  /** The command line, without the shell that was started for it. */
  readonly command: string;
  /** The state of the command. */
  readonly status: WorkStatus;
  /** The exit code; `null` if unknown. */
  readonly exitCode: number | null;
  /** A note on its end, such as `exit 2`; empty if the status says all. */
  readonly note: string;
  /** The output on stdout, or on both streams if the input does not separate them. */
  readonly stdout: string;
  /** The output on stderr, if the input separates the streams; otherwise empty. */
  readonly stderr: string;
  /** The number of bytes missing from the output, usually at its beginning. */
  readonly lostBytes: number;
}

/** A patch of files. */
export interface EditView {
  /** Always `edit`. */
  readonly kind: "edit";
  /** The state of the patch. */
  readonly status: WorkStatus | "proposed";
  /** A note on its end, such as `not applied`; empty if the status says all. */
  readonly note: string;
  /** The files with their changes. */
  readonly files: readonly EditedFile[];
  /** The error message and the output of a failed patch; empty if it did not fail. */
  readonly failure: string;
}

/** An argument of a tool call. */
export interface ArgumentView {
  /** The name of the argument. */
  readonly name: string;
  /** The value: its text, or indented JSON. */
  readonly text: string;
}

/** A call of a tool. */
export interface ToolView {
  /** Always `tool`. */
  readonly kind: "tool";
  /** The name of the tool, such as `server.tool` or `web_search`. */
  readonly title: string;
  /** The state of the call. */
  readonly status: WorkStatus;
  /** A note on its end, such as `not finished`; empty if the status says all. */
  readonly note: string;
  /** The arguments of the call. */
  readonly arguments: readonly ArgumentView[];
  /** The result, cut by the history to a few lines; empty if there is none. */
  readonly result: string;
  /** Whether the history has cut the result. */
  readonly isResultCut: boolean;
  /** The error message; empty if the call did not fail, or the log has no message. */
  readonly error: string;
}

/** A plan. */
export interface PlanView {
  /** Always `plan`. */
  readonly kind: "plan";
  /** The name of the plan. */
  readonly name: string;
  /** The steps with their status. */
  readonly steps: readonly PlanStep[];
  /** How many steps are complete. */
  readonly done: number;
}

/** All changes of files during a turn. */
export interface DiffView {
  /** Always `diff`. */
  readonly kind: "diff";
  /** The diff. */
  readonly diff: string;
}

/** An image. Its bytes are not in a history. */
export interface ImageView {
  /** Always `image`. */
  readonly kind: "image";
  /** The path of its file, or the media type of a `data:` URL; empty if unknown. */
  readonly path: string;
  /** The caption, after `failed` if the image could not be made; may be empty. */
  readonly caption: string;
}

/** A command that only read, listed or searched files. */
export interface LookView {
  /** The command line. */
  readonly command: string;
  /** The state of the command. */
  readonly status: WorkStatus;
  /** A note on its end, such as `nothing found` or `exit 2`; empty if the status says all. */
  readonly note: string;
  /** The output; empty if there was none, or it is not in the input. */
  readonly output: string;
}

/** Commands that only read, listed or searched files. */
export interface ExploreView {
  /** Always `explore`. */
  readonly kind: "explore";
  /** The commands. */
  readonly looks: readonly LookView[];
}

/** An error, a warning or another notice. */
export interface NoticeView {
  /** Always `notice`. */
  readonly kind: "notice";
  /** The severity. */
  readonly level: "error" | "warning" | "info";
  /** The heading; may be empty. */
  readonly title: string;
  /** The text of the notice. */
  readonly text: string;
}

/** A record of a type that this release does not know. */
export interface UnknownView {
  /** Always `unknown`. */
  readonly kind: "unknown";
  /** The type of the record. */
  readonly type: string;
  /** Its payload, as indented JSON. */
  readonly json: string;
}

/** The texts and states of an entry to show; `switch` on `kind`. This list may expand over time. */
export type EntryView =
  | MessageView
  | ReasoningView
  | CommandView
  | EditView
  | ToolView
  | PlanView
  | DiffView
  | ImageView
  | ExploreView
  | NoticeView
  | UnknownView;

/**
 * Returns the texts and states of an entry to show.
 *
 * Every text in it is redacted as a whole. Nothing is escaped or cut; the renderer does that for
 * its form.
 *
 * @param part The entry.
 * @param redactor Masks secrets; by default, nothing is masked.
 * @returns The view of the entry.
 *
 * @example A message without a secret
 * ```ts
 * import { viewEntry } from "@codexpipe/codexpipe/render";
 * import { Redactor } from "@codexpipe/codexpipe/redact";
 * import { assertEquals } from "@std/assert";
 *
 * const message = "Connecting with API_TOKEN=abc123def";
 * const record = { id: 1, type: "loading", payload: { message } } as const;
 * const view = viewEntry({ record }, new Redactor());
 *
 * assertEquals(view, {
 *   kind: "notice",
 *   level: "info",
 *   title: "",
 *   text: "Connecting with API_TOKEN=[redacted:token]",
 * });
 * ```
 */
export function viewEntry(
  { record, isWarning = false, outputs = [] }: Pick<
    EntryPart,
    "record" | "isWarning" | "outputs"
  >,
  redactor: TextRedactor = NO_REDACTOR,
): EntryView {
  try {
    if (!isKnownRecord(record)) return viewUnknown(record, redactor);
    const view = viewKnown(record, redactor, outputs);
    const isNotice = view.kind === "notice" && view.level === "error";
    return isWarning && isNotice ? { ...view, level: "warning" } : view;
  } catch (error) {
    // The records of an unchecked snapshot may lack fields, which makes `viewKnown` throw.
    if (!(error instanceof TypeError)) throw error;
    return viewUnknown(record, redactor);
  }
}

/** Returns the caption of an image, after `failed` if the image could not be made. */
function imageCaption({ caption, metadata }: ImagePayload): string {
  const failed = isFailedWord(metadata?.status) ? "failed" : "";
  return [failed, caption ?? ""].filter((part) => part !== "").join(": ");
}

function viewUnknown(
  { type, payload }: AnyHistoryRecord,
  redactor: TextRedactor,
): UnknownView {
  const json = redactor.redact(indentedJson(payload));
  return { kind: "unknown", type: redactor.redact(type), json };
}

function viewKnown(
  record: HistoryRecord,
  redactor: TextRedactor,
  outputs: readonly string[],
): EntryView {
  const redact = (text: string): string => redactor.redact(text);
  const notice = (title: string, text: string): NoticeView => ({
    kind: "notice",
    level: "info",
    title: redact(title),
    text: redact(text),
  });
  switch (record.type) {
    case "plain_message":
      return viewPlain(record.payload, redact);
    case "assistant_message":
      return viewAnswer(redact(readableReview(record.payload.markdown)));
    case "assistant_stream":
      return viewAnswer(redact(record.payload.preview_markdown));
    case "reasoning":
      return {
        kind: "reasoning",
        text: redact(reasoningMarkdown(record.payload.sections)),
      };
    case "exec":
      return viewCommand(record.payload, redact);
    case "patch":
      return viewEdit(record.payload, redact);
    case "running_tool":
      return viewTool({ ...record.payload, status: "running" }, redactor);
    case "tool_call":
      return viewTool(record.payload, redactor);
    case "plan_update": {
      const { name, steps } = record.payload;
      return {
        kind: "plan",
        name: redact(name),
        steps: steps.map(({ description, status }) => ({
          description: redact(description),
          // An unchecked snapshot may have another status.
          status: STEP_STATUSES.has(status) ? status : "pending",
        })),
        done: steps.filter(({ status }) => status === "complete").length,
      };
    }
    case "diff":
      return { kind: "diff", diff: redact(diffText(record.payload.hunks)) };
    case "image": {
      const { path } = record.payload;
      return {
        kind: "image",
        path: redact(/^data:([^;,]*)/i.exec(path)?.[1] ?? path),
        caption: redact(imageCaption(record.payload)),
      };
    }
    case "explore":
      return {
        kind: "explore",
        looks: record.payload.entries.map(({ command, status }, at) => ({
          command: redact(commandLine(command)),
          ...lookEnd(status),
          output: redact(outputs[at] ?? ""),
        })),
      };
    case "notice":
      return notice(record.payload.title ?? "", linesText(record.payload.body));
    case "background_event": {
      const { title, description } = record.payload;
      return notice(title, description.replace(PREAMBLE_REGEXP, ""));
    }
    case "loading":
      return notice("", record.payload.message);
    case "upgrade_notice": {
      const { current_version, latest_version, message } = record.payload;
      return notice(`${current_version} → ${latest_version}`, message);
    }
    case "wait_status": {
      const { header, details } = record.payload;
      const lines = [
        header.summary ?? "",
        ...details.map(({ label, value }) => `${label}: ${value ?? ""}`),
      ];
      return notice(
        header.title,
        lines.filter((line) => line !== "").join("\n"),
      );
    }
    case "rate_limits":
      return notice("Rate limits", limitsText(record.payload));
    default:
      return viewUnknown(record, redactor);
  }
}

const STEP_STATUSES: ReadonlySet<PlanStep["status"]> = new Set(
  ["pending", "in_progress", "complete", "skipped"] as const,
);

type RedactText = (text: string) => string;

type PayloadOf<T extends HistoryRecord["type"]> = Extract<
  HistoryRecord,
  { readonly type: T }
>["payload"];

function viewAnswer(text: string): MessageView {
  return {
    kind: "message",
    role: "assistant",
    author: null,
    recipient: null,
    text,
  };
}

function viewPlain(
  { role, kind, header, lines }: PayloadOf<"plain_message">,
  redact: RedactText,
): MessageView | NoticeView {
  const text = redact(linesText(lines));
  if (role === "user") return { ...viewAnswer(text), role };
  if (role === "assistant") {
    const named = (name: unknown): string | null =>
      typeof name === "string" ? redact(name) : null;
    return {
      ...viewAnswer(withoutEnvelope(text)),
      author: named(header?.label),
      recipient: named(header?.badge),
    };
  }
  const isError = role === "error" || kind === "error";
  if (isError) {
    // A request that Codex retries has not failed yet.
    const level = isRetryNotice(text) ? "warning" : "error";
    return { kind: "notice", level, title: "", text };
  }
  // Histories mark warnings only by this sign.
  const isWarning = text.startsWith("⚠ ");
  return {
    kind: "notice",
    level: isWarning ? "warning" : "info",
    title: "",
    text: isWarning ? text.slice(2) : text,
  };
}

/** What Codex tells the model before the summary of a compaction. */
const PREAMBLE_REGEXP =
  /^Another language model started to solve this problem and .*:\n/;

/** The lines before the text of a message between agents; they repeat the author and recipient. */
const ENVELOPE_REGEXP =
  /^Message Type: ([A-Z])([A-Z_]*)\nTask name: .*\nSender: .*\nPayload:(?:\n|$)/;

/** Returns the text of a message between agents, or its type if the text is encrypted. */
function withoutEnvelope(message: string): string {
  const [envelope = "", initial, rest] = ENVELOPE_REGEXP.exec(message) ?? [];
  const text = message.slice(envelope.length);
  return envelope === "" || text.trim() !== ""
    ? text
    : `${initial}${rest?.toLowerCase().replaceAll("_", " ")} (encrypted)`;
}

function viewCommand(
  payload: PayloadOf<"exec">,
  redact: RedactText,
): CommandView {
  const status = payload.status === "error" ? "failed" : payload.status;
  const stdout = joined(payload.stdout_chunks);
  const stderr = joined(payload.stderr_chunks);
  return {
    kind: "command",
    command: redact(commandLine(payload.command)),
    status,
    exitCode: payload.exit_code,
    note: noteOf(status, payload.exit_code),
    stdout: redact(stdout.text),
    stderr: redact(stderr.text),
    lostBytes: stdout.lostBytes + stderr.lostBytes,
  };
}

/** The status after each event of a patch, and a note on it. */
const EDIT_ENDS = {
  proposed: { status: "proposed", note: "proposed" },
  apply_begin: { status: "running", note: "not finished" },
  apply_success: { status: "success", note: "" },
  apply_failure: { status: "failed", note: "not applied" },
} as const;

function viewEdit(
  { event, changes, failure }: PayloadOf<"patch">,
  redact: RedactText,
): EditView {
  const { status, note } = EDIT_ENDS[event];
  const printed = [failure?.stdout_excerpt, failure?.stderr_excerpt]
    .filter((excerpt) => typeof excerpt === "string");
  // The message is usually the first line of the output, and would be shown twice.
  const reason = failure?.message ?? "";
  const isRepeated = printed.some((excerpt) => excerpt.includes(reason));
  const reasons = isRepeated ? printed : [reason, ...printed];
  return {
    kind: "edit",
    status,
    note: redact(note),
    files: editedFiles(changes, redact),
    failure: redact(reasons.join("\n")),
  };
}

function viewTool(
  payload:
    & Pick<PayloadOf<"running_tool">, "title" | "arguments">
    & Partial<Omit<PayloadOf<"tool_call">, "status">>
    & Pick<ToolView, "status">,
  redactor: TextRedactor,
): ToolView {
  const { title, status, result_preview: preview } = payload;
  return {
    kind: "tool",
    title: redactor.redact(title),
    status,
    note: noteOf(status),
    arguments: viewArguments(payload.arguments, redactor),
    result: redactor.redact(preview?.lines.join("\n") ?? ""),
    isResultCut: preview?.truncated ?? false,
    error: redactor.redact(payload.error_message ?? ""),
  };
}

/** Redacts values together with their names, since a name may mark its value as a secret. */
function viewArguments(
  list: PayloadOf<"tool_call">["arguments"],
  redactor: TextRedactor,
): ArgumentView[] {
  return list.map(({ name, value }) => ({
    name: redactor.redact(name),
    text: value.type === "secret" ? "(secret)" : redactor.redactMember(
      name,
      value.type === "text" ? value.text : indentedJson(value.value),
    ),
  }));
}

/** Lists the used share of each rate limit window that the plan has. */
function limitsText(limits: RateLimitsPayload): string {
  const windows = [
    ["short", limits.primary_window_minutes, limits.primary_used_percent],
    ["long", limits.secondary_window_minutes, limits.secondary_used_percent],
  ] as const;
  return windows.flatMap(([place, length, used]) => {
    const minutes = length ?? 0;
    const name = minutes > 0 ? lengthName(minutes) : place;
    return used !== null && (minutes > 0 || used > 0)
      ? [`${name} window ${used} % used`]
      : [];
  }).join(", ");
}

/** Names a window by its length, as the primary window is not the shorter one in all plans. */
function lengthName(minutes: number): string {
  if (minutes < 60) return `${minutes}-minute`;
  // 1,430 and not 1,440: some releases write a day as 1,439 minutes.
  return minutes < 1_430
    ? `${Math.round(minutes / 60)}-hour`
    : `${Math.round(minutes / 1_440)}-day`;
}

function noteOf(status: WorkStatus, exitCode: number | null = null): string {
  const words = { success: "", failed: "failed", running: "not finished" };
  const note = words[status];
  // An unchecked snapshot may have another status.
  checkText(note);
  return exitCode !== null && exitCode !== 0 ? `exit ${exitCode}` : note;
}

function lookEnd(status: ExploreStatus): Pick<LookView, "status" | "note"> {
  if (status === "not_found") {
    return { status: "success", note: "nothing found" };
  }
  return typeof status === "string"
    ? { status, note: noteOf(status) }
    : { status: "failed", note: noteOf("failed", status.error.exit_code) };
}

/** Joins the chunks of an output, and counts the bytes missing between them. */
function joined(
  chunks: readonly ExecChunk[],
): { readonly text: string; readonly lostBytes: number } {
  let text = "";
  let end = 0;
  let lostBytes = 0;
  for (const { offset, content } of chunks) {
    if (offset > end) lostBytes += offset - end;
    text += content;
    end = offset + byteLength(content);
  }
  return { text, lostBytes };
}

function diffText(hunks: PayloadOf<"diff">["hunks"]): string {
  const signs = { context: " ", added: "+", removed: "-" } as const;
  return hunks.flatMap(({ header, lines }) => [
    ...(header === "" ? [] : [header]),
    ...lines.map(({ kind, text }) => signs[kind] + text),
  ]).join("\n");
}

/** Writes a value as indented JSON; empty if that fails, as it does for very deep nesting. */
function indentedJson(value: unknown): string {
  const text = jsonTextOf(value);
  return prettyJson(text) ?? text;
}
