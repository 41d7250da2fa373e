/**
 * The records of a history: the messages, commands, patches and so on of a session, in order.
 *
 * Every field is always written: `null` if its value is unknown, `[]` if it is empty. Times are
 * RFC 3339 in UTC with milliseconds, such as `2025-10-01T12:00:00.123Z`. Names are spelled as in the
 * files.
 */

/** The tone in which to show a text. */
export type TextTone =
  | "default"
  | "dim"
  | "primary"
  | "success"
  | "warning"
  | "error"
  | "info";

/** The emphasis of a text. */
export interface Emphasis {
  /** Whether it is bold. */
  readonly bold: boolean;
  /** Whether it is italic. */
  readonly italic: boolean;
  /** Whether it is dimmed. */
  readonly dim: boolean;
  /** Whether it is struck through. */
  readonly strike: boolean;
  /** Whether it is underlined. */
  readonly underline: boolean;
}

/** The meaning of a text: a link with its target, or code. */
export type Entity =
  | { readonly type: "link"; readonly href: string }
  | { readonly type: "code" };

/** A text with one tone and emphasis. */
export interface InlineSpan {
  /** The text. */
  readonly text: string;
  /** The tone. */
  readonly tone: TextTone;
  /** The emphasis. */
  readonly emphasis: Emphasis;
  /** The link or code that the text is, if it is one. */
  readonly entity: Entity | null;
}

/** A line of a message. */
export interface MessageLine {
  /** The kind of the line. */
  readonly kind:
    | "paragraph"
    | "bullet"
    | "code"
    | "quote"
    | "separator"
    | "metadata"
    | "blank";
  /** The text of the line. */
  readonly spans: readonly InlineSpan[];
}

/** The tokens of a message. */
export interface TokenUsage {
  /** The tokens sent to the model. */
  readonly prompt: number;
  /** The tokens that the model returned. */
  readonly completion: number;
  /** The total of the source, or the sum of both. */
  readonly total: number;
}

/** The citations and tokens of a message. */
export interface MessageMetadata {
  /** The sources that the message cites. */
  readonly citations: readonly string[];
  /** The tokens of the message, if they are known. */
  readonly token_usage: TokenUsage | null;
}

/** A complete message, such as a prompt, an error or a note. */
export interface PlainMessagePayload {
  /** The sender. */
  readonly role:
    | "system"
    | "user"
    | "assistant"
    | "tool"
    | "error"
    | "background_event";
  /** The kind of the message. */
  readonly kind:
    | "plain"
    | "user"
    | "assistant"
    | "tool"
    | "error"
    | "background"
    | "notice";
  /** The heading, if it has one, with a short label beside it, if there is one. */
  readonly header:
    | { readonly label: string; readonly badge: string | null }
    | null;
  /** The text. */
  readonly lines: readonly MessageLine[];
  /** The citations and tokens, if it has any. */
  readonly metadata: MessageMetadata | null;
}

/** The heading of a {@linkcode WaitStatusPayload}. */
export interface WaitStatusHeader {
  /** The title: how the waiting ended. */
  readonly title: string;
  /** The tone of the title. */
  readonly title_tone: TextTone;
  /** A short addition, such as the duration. */
  readonly summary: string | null;
  /** The tone of the addition. */
  readonly summary_tone: TextTone;
}

/** One line of details of a {@linkcode WaitStatusPayload}. */
export interface WaitStatusDetail {
  /** The name of the detail. */
  readonly label: string;
  /** The value, if it has one. */
  readonly value: string | null;
  /** The tone. */
  readonly tone: TextTone;
}

/** The result of waiting for a command. */
export interface WaitStatusPayload {
  /** The heading. */
  readonly header: WaitStatusHeader;
  /** The details. */
  readonly details: readonly WaitStatusDetail[];
}

/** A placeholder while content is loading. */
export interface LoadingPayload {
  /** The message to show meanwhile. */
  readonly message: string;
}

/** The value of an argument of a tool: a text, a JSON value, or one that must not be shown. */
export type ToolArgumentValue =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "json"; readonly value: unknown }
  | { readonly type: "secret" };

/** A named argument of a tool. */
export interface ToolArgument {
  /** The name of the argument. */
  readonly name: string;
  /** The value. */
  readonly value: ToolArgumentValue;
}

/** A running tool call. */
export interface RunningToolPayload {
  /** The name of the tool. */
  readonly title: string;
  /** The time of the call. */
  readonly started_at: string;
  /** The arguments of the call. */
  readonly arguments: readonly ToolArgument[];
  /** The longest time that it may wait, in milliseconds, if it waits. */
  readonly wait_cap_ms: number | null;
  /** Whether it waits for a named target. */
  readonly wait_has_target: boolean;
  /** Whether it waits for a call with an id. */
  readonly wait_has_call_id: boolean;
}

/** The status of a tool call. */
export type ToolStatus = "running" | "success" | "failed";

/** The first and last lines of the result of a tool. */
export interface ToolResultPreview {
  /** The lines to show. */
  readonly lines: readonly string[];
  /** Whether lines or characters were left out. */
  readonly truncated: boolean;
}

/** A complete tool call. */
export interface ToolCallPayload {
  /** How it ended. */
  readonly status: ToolStatus;
  /** The name of the tool. */
  readonly title: string;
  /** The duration in milliseconds, if it is known. */
  readonly duration_ms: number | null;
  /** The arguments of the call. */
  readonly arguments: readonly ToolArgument[];
  /** A preview of the result, if there is one. */
  readonly result_preview: ToolResultPreview | null;
  /** The reason, if it failed. */
  readonly error_message: string | null;
}

/** The icon of a plan: one of three, or the name of another, such as `progress-mid`. */
export type PlanIcon =
  | "light_bulb"
  | "rocket"
  | "clipboard"
  | { readonly custom: string };

/** The status of a step of a plan. */
export type StepStatus = "pending" | "in_progress" | "complete" | "skipped";

/** A step of a plan. */
export interface PlanStep {
  /** The task. */
  readonly description: string;
  /** The status. */
  readonly status: StepStatus;
}

/** The state of a plan at one moment. */
export interface PlanUpdatePayload {
  /** The name of the plan. */
  readonly name: string;
  /** The icon. */
  readonly icon: PlanIcon;
  /** The number of complete steps, and of all steps. */
  readonly progress: { readonly completed: number; readonly total: number };
  /** The steps. */
  readonly steps: readonly PlanStep[];
}

/** A notice that the producer has a newer version. */
export interface UpgradeNoticePayload {
  /** The version that ran. */
  readonly current_version: string;
  /** The newest version. */
  readonly latest_version: string;
  /** The text of the notice. */
  readonly message: string;
}

/**
 * A block of a section of reasoning: a paragraph, a list item, code, a quotation, or a separator
 * between two others. A list item has its depth in the list, from 0, and the marker before its
 * text, such as `-` or `3.`.
 */
export type ReasoningBlock =
  | { readonly type: "paragraph"; readonly spans: readonly InlineSpan[] }
  | {
    readonly type: "bullet";
    readonly indent: number;
    readonly marker: string;
    readonly spans: readonly InlineSpan[];
  }
  | {
    readonly type: "code";
    readonly language: string | null;
    readonly content: string;
  }
  | { readonly type: "quote"; readonly spans: readonly InlineSpan[] }
  | { readonly type: "separator" };

/** A section of reasoning. */
export interface ReasoningSection {
  /** Its heading, if it has one. */
  readonly heading: string | null;
  /** A summary in one line. */
  readonly summary: readonly InlineSpan[];
  /** The text. */
  readonly blocks: readonly ReasoningBlock[];
}

/** The reasoning of the model. */
export interface ReasoningPayload {
  /** Whether more text may follow. */
  readonly in_progress: boolean;
  /** The sections of the text. */
  readonly sections: readonly ReasoningSection[];
  /** Whether a collapsed view hides it. codexpipe always writes `false`. */
  readonly hide_when_collapsed: boolean;
}

/** A part of a shell command, as Codex has parsed it. */
export interface ParsedCommand {
  /** `read`, `list_files`, `search`, `read_command` or `unknown`; this list may grow. */
  readonly type: string;
  /** The text of this part. */
  readonly cmd: string;
  /** The base name of the file that it reads. */
  readonly name?: string | null;
  /** The search pattern. */
  readonly query?: string | null;
  /** The path of the file or folder. */
  readonly path?: string | null;
}

/** The kind of a command. */
export type ExecAction = "read" | "search" | "list" | "run";

/** The status of a command. */
export type ExecStatus = "running" | "success" | "error";

/** A chunk of the output of a command. */
export interface ExecChunk {
  /** The offset in the whole output, in bytes of UTF-8. */
  readonly offset: number;
  /** The text. */
  readonly content: string;
}

/** A note made while the model waited for a command. */
export interface ExecWaitNote {
  /** The text. */
  readonly message: string;
  /** The tone. */
  readonly tone: TextTone;
  /** The time of the note. */
  readonly timestamp: string;
}

/** A command and its output. */
export interface ExecPayload {
  /** The call id, if it has one. */
  readonly call_id: string | null;
  /** The command and its arguments. */
  readonly command: readonly string[];
  /** The parts of the command, parsed. */
  readonly parsed: readonly ParsedCommand[];
  /** The kind of the command. */
  readonly action: ExecAction;
  /** The status. */
  readonly status: ExecStatus;
  /** The output to stdout. A first offset above 0 means that the beginning is lost. */
  readonly stdout_chunks: readonly ExecChunk[];
  /** The output to stderr. A first offset above 0 means that the beginning is lost. */
  readonly stderr_chunks: readonly ExecChunk[];
  /** The exit code, if it has one yet. */
  readonly exit_code: number | null;
  /** The total time that the model waited for it, in milliseconds; `null` if it did not. */
  readonly wait_total_ms: number | null;
  /** Whether the model is waiting for it. */
  readonly wait_active: boolean;
  /** The notes made while waiting. */
  readonly wait_notes: readonly ExecWaitNote[];
  /** The time at which it started. */
  readonly started_at: string;
  /** The time at which it ended, if it has. */
  readonly completed_at: string | null;
}

/** A delta of an assistant message. */
export interface AssistantDelta {
  /** The text. */
  readonly delta: string;
  /** The sequence number, if it has one. */
  readonly sequence: number | null;
  /** The time at which it was received; of several joined ones, that of the first. */
  readonly received_at: string;
}

/** An assistant message in progress. */
export interface AssistantStreamPayload {
  /** The id that this record and the complete message share. */
  readonly stream_id: string;
  /** The text so far. */
  readonly preview_markdown: string;
  /** The deltas received. */
  readonly deltas: readonly AssistantDelta[];
  /** The sources that the message cites. */
  readonly citations: readonly string[];
  /** The citations and tokens, if it has any. */
  readonly metadata: MessageMetadata | null;
  /** Whether more text may follow. */
  readonly in_progress: boolean;
  /** The time of the last change. */
  readonly last_updated_at: string;
}

/** A complete assistant message. */
export interface AssistantMessagePayload {
  /** The id of the stream in which it was received, if it has one. */
  readonly stream_id: string | null;
  /** The text. */
  readonly markdown: string;
  /** The sources that the message cites. */
  readonly citations: readonly string[];
  /** The citations and tokens, if it has any. */
  readonly metadata: MessageMetadata | null;
  /** The tokens of the message, if they are known. */
  readonly token_usage: TokenUsage | null;
  /** The time at which it was complete. */
  readonly created_at: string;
}

/** A line of a diff. */
export interface DiffLine {
  /** The kind of the line. */
  readonly kind: "context" | "added" | "removed";
  /** The line, without the leading sign. */
  readonly text: string;
}

/** A hunk of a diff. */
export interface DiffHunk {
  /** The heading, such as `@@ -1 +1 @@`. */
  readonly header: string;
  /** The lines. */
  readonly lines: readonly DiffLine[];
}

/** The diff of a turn. */
export interface DiffPayload {
  /** The hunks. */
  readonly hunks: readonly DiffHunk[];
}

/** An image that was viewed, attached or generated. */
export interface ImagePayload {
  /** The path or URL; empty if it is not known. */
  readonly path: string;
  /** The caption, if it has one. */
  readonly caption: string | null;
  /** Further facts, such as `width` and `mime_type`. */
  readonly metadata: { readonly [name: string]: unknown } | null;
}

/** The status of an exploring command. One that failed may have an exit code. */
export type ExploreStatus =
  | "running"
  | "success"
  | "not_found"
  | { readonly error: { readonly exit_code: number | null } };

/** A command that only reads, searches or lists files. */
export interface ExploreEntry {
  /** The command and its arguments. */
  readonly command: readonly string[];
  /** The folder that it ran in, if it is known. */
  readonly cwd: string | null;
  /** The status. */
  readonly status: ExploreStatus;
}

/** A sequence of commands that only read, search or list files. */
export interface ExplorePayload {
  /** The commands. */
  readonly entries: readonly ExploreEntry[];
  /** Whether only reasoning follows it. A store derives it and ignores the value passed to it. */
  readonly trailing: boolean;
}

/** The used share of the rate limits. */
export interface RateLimitsPayload {
  /** The used share of the short window, in percent. */
  readonly primary_used_percent: number | null;
  /** The used share of the long window, in percent. */
  readonly secondary_used_percent: number | null;
  /** The length of the short window, in percent of that of the long one; at most 100. */
  readonly primary_to_secondary_ratio_percent: number | null;
  /** The length of the short window, in minutes. */
  readonly primary_window_minutes: number | null;
  /** The length of the long window, in minutes. */
  readonly secondary_window_minutes: number | null;
  /** The time until the short window resets, in seconds. */
  readonly primary_reset_after_seconds: number | null;
  /** The time until the long window resets, in seconds. */
  readonly secondary_reset_after_seconds: number | null;
  /** The time at which the short window resets. */
  readonly primary_resets_at: string | null;
  /** The time at which the long window resets. */
  readonly secondary_resets_at: string | null;
}

/**
 * The change of one file by a patch: its content if it is added; its former content if it is
 * deleted, empty if that is not known; else a unified diff, and the new path if it is moved.
 */
export type FileChange =
  | { readonly type: "add"; readonly content: string }
  | { readonly type: "delete"; readonly content: string }
  | {
    readonly type: "update";
    readonly unified_diff: string;
    readonly move_path: string | null;
  };

/** The state of a patch. */
export type PatchEvent =
  | "apply_begin"
  | "apply_success"
  | "apply_failure"
  | "proposed";

/** The failure of a patch. */
export interface PatchFailure {
  /** The reason, in one line. */
  readonly message: string;
  /** The beginning of the output to stdout; `null` if it is blank. */
  readonly stdout_excerpt: string | null;
  /** The beginning of the output to stderr; `null` if it is blank. */
  readonly stderr_excerpt: string | null;
}

/** A patch: changes of files. */
export interface PatchPayload {
  /** The state of the patch. */
  readonly event: PatchEvent;
  /** Whether it needed no approval, if that is known. */
  readonly auto_approved: boolean | null;
  /** The changes, by the path of the file. */
  readonly changes: { readonly [path: string]: FileChange };
  /** The failure, if it failed. */
  readonly failure: PatchFailure | null;
}

/** A notice about work in the background, such as a compaction of the context. */
export interface BackgroundEventPayload {
  /** The title; often empty. */
  readonly title: string;
  /** The text. */
  readonly description: string;
}

/** A notice to the user. */
export interface NoticePayload {
  /** The title, if it has one. */
  readonly title: string | null;
  /** The text. */
  readonly body: readonly MessageLine[];
}

/** The payload of each type of record. */
export interface HistoryPayloads {
  /** A complete message, such as a prompt, an error or a note. */
  readonly plain_message: PlainMessagePayload;
  /** The result of waiting for a command. */
  readonly wait_status: WaitStatusPayload;
  /** A placeholder while content is loading. */
  readonly loading: LoadingPayload;
  /** A running tool call. */
  readonly running_tool: RunningToolPayload;
  /** A complete tool call. */
  readonly tool_call: ToolCallPayload;
  /** The state of a plan. */
  readonly plan_update: PlanUpdatePayload;
  /** A notice that the producer has a newer version. */
  readonly upgrade_notice: UpgradeNoticePayload;
  /** The reasoning of the model. */
  readonly reasoning: ReasoningPayload;
  /** A command and its output. */
  readonly exec: ExecPayload;
  /** An assistant message in progress. */
  readonly assistant_stream: AssistantStreamPayload;
  /** A complete assistant message. */
  readonly assistant_message: AssistantMessagePayload;
  /** The diff of a turn. */
  readonly diff: DiffPayload;
  /** An image. */
  readonly image: ImagePayload;
  /** Commands that only read, search or list files. */
  readonly explore: ExplorePayload;
  /** The used share of the rate limits. */
  readonly rate_limits: RateLimitsPayload;
  /** A patch. */
  readonly patch: PatchPayload;
  /** A notice about work in the background. */
  readonly background_event: BackgroundEventPayload;
  /** A notice to the user. */
  readonly notice: NoticePayload;
}

/** The type of a record. */
export type HistoryRecordType = keyof HistoryPayloads;

/**
 * A record of one type before it has an id.
 *
 * @typeParam T The type.
 */
export interface NewRecordOf<T extends HistoryRecordType> {
  /** The type. */
  readonly type: T;
  /** The content. */
  readonly payload: HistoryPayloads[T];
}

/**
 * A record of one type.
 *
 * @typeParam T The type.
 */
export interface HistoryRecordOf<T extends HistoryRecordType>
  extends NewRecordOf<T> {
  /** The id, from 1. It does not change as long as the history holds the record. */
  readonly id: number;
}

/** A record of a history; `switch` on `type`. */
export type HistoryRecord = {
  [T in HistoryRecordType]: HistoryRecordOf<T>;
}[HistoryRecordType];

/** A record of an unknown type. It is kept unchanged. */
export interface ExtensionRecord {
  /** The id. */
  readonly id: number;
  /** The type: none of the known ones. */
  readonly type: string;
  /** The content. */
  readonly payload: { readonly [name: string]: unknown };
}

/** A record of a known or unknown type; {@linkcode isKnownRecord} distinguishes them. */
export type AnyHistoryRecord = HistoryRecord | ExtensionRecord;

/** A record before it has an id. An `id` that it has at run time is replaced. */
export type NewRecord =
  | { [T in HistoryRecordType]: NewRecordOf<T> }[HistoryRecordType]
  | Omit<ExtensionRecord, "id">;

/** The types of records. */
export const HISTORY_RECORD_TYPES: readonly HistoryRecordType[] = [
  "plain_message",
  "wait_status",
  "loading",
  "running_tool",
  "tool_call",
  "plan_update",
  "upgrade_notice",
  "reasoning",
  "exec",
  "assistant_stream",
  "assistant_message",
  "diff",
  "image",
  "explore",
  "rate_limits",
  "patch",
  "background_event",
  "notice",
];

const KNOWN_TYPES: ReadonlySet<string> = new Set(HISTORY_RECORD_TYPES);

/**
 * Whether a record is of a known type.
 *
 * Only the type is compared. The payloads of a snapshot from `readSnapshot` match their types.
 *
 * @param record The record.
 * @returns Whether `switch` on its type leads to its payload.
 *
 * @example The commands of a history
 * ```ts
 * import { type AnyHistoryRecord, isKnownRecord } from "@codexpipe/codexpipe/history";
 * import { assertEquals } from "@std/assert";
 *
 * const records: AnyHistoryRecord[] = [
 *   { id: 1, type: "loading", payload: { message: "Connecting" } },
 *   { id: 2, type: "hologram", payload: { depth: 3 } },
 * ];
 *
 * assertEquals(records.filter(isKnownRecord).map(({ id }) => id), [1]);
 * ```
 */
export function isKnownRecord(
  record: AnyHistoryRecord,
): record is HistoryRecord {
  return KNOWN_TYPES.has(record.type);
}
