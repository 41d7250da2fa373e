/**
 * The records of a history: what a reader of a session sees, in order.
 *
 * Every field is always written: `null` where nothing is known, `[]` where there is
 * nothing. Times are RFC 3339 in UTC with milliseconds, such as
 * `2025-10-01T12:00:00.123Z`. Names are spelled as in the files.
 *
 * @module
 */

/** How a piece of text is meant to look. */
export type TextTone =
  | "default"
  | "dim"
  | "primary"
  | "success"
  | "warning"
  | "error"
  | "info";

/** What stresses a piece of text. */
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

/** A piece of text that links to something. */
export interface LinkEntity {
  /** Always `link`. */
  readonly type: "link";
  /** Where the link leads. */
  readonly href: string;
}

/** A piece of text that is code. */
export interface CodeEntity {
  /** Always `code`. */
  readonly type: "code";
}

/** What a piece of text is, besides text. */
export type Entity = LinkEntity | CodeEntity;

/** A piece of text of one look. */
export interface InlineSpan {
  /** The text. */
  readonly text: string;
  /** How it is meant to look. */
  readonly tone: TextTone;
  /** What stresses it. */
  readonly emphasis: Emphasis;
  /** What it is besides text, if anything. */
  readonly entity: Entity | null;
}

/** What a line of a message is. */
export type MessageLineKind =
  | "paragraph"
  | "bullet"
  | "code"
  | "quote"
  | "separator"
  | "metadata"
  | "blank";

/** A line of a message. */
export interface MessageLine {
  /** What the line is. */
  readonly kind: MessageLineKind;
  /** Its text, in pieces of one look each. */
  readonly spans: readonly InlineSpan[];
}

/** The tokens that something took. */
export interface TokenUsage {
  /** Tokens sent to the model. */
  readonly prompt: number;
  /** Tokens that came back. */
  readonly completion: number;
  /** Both together, or what the source gave as the total. */
  readonly total: number;
}

/** What belongs to a message besides its text. */
export interface MessageMetadata {
  /** What the message refers to. */
  readonly citations: readonly string[];
  /** The tokens that it took, if known. */
  readonly token_usage: TokenUsage | null;
}

/** Who or what a message comes from. */
export type MessageRole =
  | "system"
  | "user"
  | "assistant"
  | "tool"
  | "error"
  | "background_event";

/** What a message is. */
export type PlainMessageKind =
  | "plain"
  | "user"
  | "assistant"
  | "tool"
  | "error"
  | "background"
  | "notice";

/** The heading of a message. */
export interface MessageHeader {
  /** The heading. */
  readonly label: string;
  /** A short mark beside it, if any. */
  readonly badge: string | null;
}

/** A message that is complete: a prompt, an error, a note. */
export interface PlainMessagePayload {
  /** Who or what it comes from. */
  readonly role: MessageRole;
  /** What it is. */
  readonly kind: PlainMessageKind;
  /** Its heading, if it has one. */
  readonly header: MessageHeader | null;
  /** Its text. */
  readonly lines: readonly MessageLine[];
  /** What belongs to it besides its text, if anything. */
  readonly metadata: MessageMetadata | null;
}

/** The heading of a {@linkcode WaitStatusPayload}. */
export interface WaitStatusHeader {
  /** What happened. */
  readonly title: string;
  /** How the title is meant to look. */
  readonly title_tone: TextTone;
  /** A short addition, such as how long it took. */
  readonly summary: string | null;
  /** How the addition is meant to look. */
  readonly summary_tone: TextTone;
}

/** One line of details of a {@linkcode WaitStatusPayload}. */
export interface WaitStatusDetail {
  /** What the detail is. */
  readonly label: string;
  /** Its value, if it has one. */
  readonly value: string | null;
  /** How it is meant to look. */
  readonly tone: TextTone;
}

/** How waiting for a command ended. */
export interface WaitStatusPayload {
  /** The heading. */
  readonly header: WaitStatusHeader;
  /** What else is known. */
  readonly details: readonly WaitStatusDetail[];
}

/** Something that is being loaded. */
export interface LoadingPayload {
  /** What is shown meanwhile. */
  readonly message: string;
}

/** An argument of a tool that is text. */
export interface TextArgument {
  /** Always `text`. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** An argument of a tool that is a JSON value. */
export interface JsonArgument {
  /** Always `json`. */
  readonly type: "json";
  /** The value. */
  readonly value: unknown;
}

/** An argument of a tool that is not to be shown. */
export interface SecretArgument {
  /** Always `secret`. */
  readonly type: "secret";
}

/** The value of an argument of a tool. */
export type ToolArgumentValue = TextArgument | JsonArgument | SecretArgument;

/** What a tool was called with. */
export interface ToolArgument {
  /** The name of the argument. */
  readonly name: string;
  /** Its value. */
  readonly value: ToolArgumentValue;
}

/** A tool at work. */
export interface RunningToolPayload {
  /** Which tool it is. */
  readonly title: string;
  /** When it was called. */
  readonly started_at: string;
  /** What it was called with. */
  readonly arguments: readonly ToolArgument[];
  /** How many milliseconds it may wait at most, if it waits. */
  readonly wait_cap_ms: number | null;
  /** Whether it waits for something that has a name. */
  readonly wait_has_target: boolean;
  /** Whether it waits for a call that has an id. */
  readonly wait_has_call_id: boolean;
}

/** How far a tool is. */
export type ToolStatus = "running" | "success" | "failed";

/** The beginning and the end of what a tool gave. */
export interface ToolResultPreview {
  /** The lines that are shown. */
  readonly lines: readonly string[];
  /** Whether there was more. */
  readonly truncated: boolean;
}

/** A tool that is done. */
export interface ToolCallPayload {
  /** How it ended. */
  readonly status: ToolStatus;
  /** Which tool it was. */
  readonly title: string;
  /** How many milliseconds it took, if known. */
  readonly duration_ms: number | null;
  /** What it was called with. */
  readonly arguments: readonly ToolArgument[];
  /** What it gave, if anything. */
  readonly result_preview: ToolResultPreview | null;
  /** Why it failed, if it did. */
  readonly error_message: string | null;
}

/** An icon that is none of the usual ones. */
export interface CustomPlanIcon {
  /** The name of the icon, such as `progress-mid`. */
  readonly custom: string;
}

/** The icon of a plan. */
export type PlanIcon = "light_bulb" | "rocket" | "clipboard" | CustomPlanIcon;

/** How far a plan is. */
export interface PlanProgress {
  /** How many steps are complete. */
  readonly completed: number;
  /** How many steps there are. */
  readonly total: number;
}

/** How far a step of a plan is. */
export type StepStatus = "pending" | "in_progress" | "complete" | "skipped";

/** A step of a plan. */
export interface PlanStep {
  /** What is to be done. */
  readonly description: string;
  /** How far it is. */
  readonly status: StepStatus;
}

/** A plan as it stood at one moment. */
export interface PlanUpdatePayload {
  /** What the plan is called. */
  readonly name: string;
  /** Its icon. */
  readonly icon: PlanIcon;
  /** How far it is. */
  readonly progress: PlanProgress;
  /** Its steps. */
  readonly steps: readonly PlanStep[];
}

/** A newer version of the producer. */
export interface UpgradeNoticePayload {
  /** The version that ran. */
  readonly current_version: string;
  /** The newest version. */
  readonly latest_version: string;
  /** What was said about it. */
  readonly message: string;
}

/** A paragraph of reasoning. */
export interface ReasoningParagraph {
  /** Always `paragraph`. */
  readonly type: "paragraph";
  /** Its text. */
  readonly spans: readonly InlineSpan[];
}

/** A list item of reasoning. */
export interface ReasoningBullet {
  /** Always `bullet`. */
  readonly type: "bullet";
  /** How deep it is in the list, from 0. */
  readonly indent: number;
  /** What stands before it, such as `-` or `3.`. */
  readonly marker: string;
  /** Its text. */
  readonly spans: readonly InlineSpan[];
}

/** Code inside reasoning. */
export interface ReasoningCode {
  /** Always `code`. */
  readonly type: "code";
  /** The language, if known. */
  readonly language: string | null;
  /** The code. */
  readonly content: string;
}

/** A quotation inside reasoning. */
export interface ReasoningQuote {
  /** Always `quote`. */
  readonly type: "quote";
  /** Its text. */
  readonly spans: readonly InlineSpan[];
}

/** A line between two parts of reasoning. */
export interface ReasoningSeparator {
  /** Always `separator`. */
  readonly type: "separator";
}

/** A part of a section of reasoning. */
export type ReasoningBlock =
  | ReasoningParagraph
  | ReasoningBullet
  | ReasoningCode
  | ReasoningQuote
  | ReasoningSeparator;

/** A section of reasoning. */
export interface ReasoningSection {
  /** Its heading, if it has one. */
  readonly heading: string | null;
  /** One line that stands for it. */
  readonly summary: readonly InlineSpan[];
  /** Its text. */
  readonly blocks: readonly ReasoningBlock[];
}

/** What the model thought. */
export interface ReasoningPayload {
  /** Whether more may follow. */
  readonly in_progress: boolean;
  /** The text. */
  readonly sections: readonly ReasoningSection[];
  /** Whether a view that is folded shows nothing of it. */
  readonly hide_when_collapsed: boolean;
}

/** What a part of a shell command does, as far as that could be told. */
export interface ParsedCommand {
  /** `read`, `list_files`, `search`, `read_command` or `unknown`; this list may grow. */
  readonly type: string;
  /** The part of the command. */
  readonly cmd: string;
  /** The file that it reads, by its last name. */
  readonly name?: string | null;
  /** The file or folder that it is about. */
  readonly path?: string | null;
  /** What it searches for. */
  readonly query?: string | null;
}

/** What a command does. */
export type ExecAction = "read" | "search" | "list" | "run";

/** How far a command is. */
export type ExecStatus = "running" | "success" | "error";

/** A piece of the output of a command. */
export interface ExecChunk {
  /** Where it begins in the whole output, in bytes of UTF-8. */
  readonly offset: number;
  /** The text. */
  readonly content: string;
}

/** Something that was said while a command was waited for. */
export interface ExecWaitNote {
  /** What was said. */
  readonly message: string;
  /** How it is meant to look. */
  readonly tone: TextTone;
  /** When it was said. */
  readonly timestamp: string;
}

/** A command and its output. */
export interface ExecPayload {
  /** The id of the call, if it has one. */
  readonly call_id: string | null;
  /** The command and its arguments. */
  readonly command: readonly string[];
  /** What the parts of the command do. */
  readonly parsed: readonly ParsedCommand[];
  /** What the command does. */
  readonly action: ExecAction;
  /** How far it is. */
  readonly status: ExecStatus;
  /** What it wrote to stdout. A first offset above 0 means that the beginning is lost. */
  readonly stdout_chunks: readonly ExecChunk[];
  /** What it wrote to stderr. A first offset above 0 means that the beginning is lost. */
  readonly stderr_chunks: readonly ExecChunk[];
  /** Its exit code, if it has one yet. */
  readonly exit_code: number | null;
  /** How many milliseconds it was waited for, if it was. */
  readonly wait_total_ms: number | null;
  /** Whether it is being waited for. */
  readonly wait_active: boolean;
  /** What was said meanwhile. */
  readonly wait_notes: readonly ExecWaitNote[];
  /** When it began. */
  readonly started_at: string;
  /** When it ended, if it did. */
  readonly completed_at: string | null;
}

/** A piece of an answer that was still being written. */
export interface AssistantDelta {
  /** The text. */
  readonly delta: string;
  /** Its number, if it has one. */
  readonly sequence: number | null;
  /** When it came; when its first part came, if it came in parts. */
  readonly received_at: string;
}

/** An answer that is still being written. */
export interface AssistantStreamPayload {
  /** What connects the stream and the final message. */
  readonly stream_id: string;
  /** The text so far. */
  readonly preview_markdown: string;
  /** The pieces that it came in. */
  readonly deltas: readonly AssistantDelta[];
  /** What it refers to. */
  readonly citations: readonly string[];
  /** What belongs to it besides its text, if anything. */
  readonly metadata: MessageMetadata | null;
  /** Whether more may follow. */
  readonly in_progress: boolean;
  /** When it last changed. */
  readonly last_updated_at: string;
}

/** An answer that is complete. */
export interface AssistantMessagePayload {
  /** The stream that it came from, if any. */
  readonly stream_id: string | null;
  /** The text. */
  readonly markdown: string;
  /** What it refers to. */
  readonly citations: readonly string[];
  /** What belongs to it besides its text, if anything. */
  readonly metadata: MessageMetadata | null;
  /** The tokens that it took, if known. */
  readonly token_usage: TokenUsage | null;
  /** When it was complete. */
  readonly created_at: string;
}

/** What a line of a diff is. */
export type DiffLineKind = "context" | "added" | "removed";

/** A line of a diff. */
export interface DiffLine {
  /** What the line is. */
  readonly kind: DiffLineKind;
  /** The line, without the sign before it. */
  readonly text: string;
}

/** A part of a diff. */
export interface DiffHunk {
  /** Its heading, such as `@@ -1 +1 @@`. */
  readonly header: string;
  /** Its lines. */
  readonly lines: readonly DiffLine[];
}

/** What changed in files. */
export interface DiffPayload {
  /** The parts of the diff. */
  readonly hunks: readonly DiffHunk[];
}

/** An image that was shown, given or made. */
export interface ImagePayload {
  /** Where it is; empty if that is not known. */
  readonly path: string;
  /** What is said about it, if anything. */
  readonly caption: string | null;
  /** What else is known, such as `width` and `mime_type`. */
  readonly metadata: { readonly [name: string]: unknown } | null;
}

/** A look at files that failed. */
export interface ExploreError {
  /** How it failed. */
  readonly error: {
    /** Its exit code, if it has one. */
    readonly exit_code: number | null;
  };
}

/** How far a look at files is. */
export type ExploreStatus = "running" | "success" | "not_found" | ExploreError;

/** One look at files. */
export interface ExploreEntry {
  /** The command and its arguments. */
  readonly command: readonly string[];
  /** The folder that it ran in, if known. */
  readonly cwd: string | null;
  /** How far it is. */
  readonly status: ExploreStatus;
}

/** Looks at files, one after the other. */
export interface ExplorePayload {
  /** The looks. */
  readonly entries: readonly ExploreEntry[];
  /** Whether nothing but reasoning follows. Derived: what is put in is not kept. */
  readonly trailing: boolean;
}

/** How much of what is allowed has been used. */
export interface RateLimitsPayload {
  /** How much of the short window is used, in percent. */
  readonly primary_used_percent: number | null;
  /** How much of the long window is used, in percent. */
  readonly secondary_used_percent: number | null;
  /** How much of the long window a full short one is, in percent. */
  readonly primary_to_secondary_ratio_percent: number | null;
  /** The length of the short window. */
  readonly primary_window_minutes: number | null;
  /** The length of the long window. */
  readonly secondary_window_minutes: number | null;
  /** In how many seconds the short window begins anew. */
  readonly primary_reset_after_seconds: number | null;
  /** In how many seconds the long window begins anew. */
  readonly secondary_reset_after_seconds: number | null;
  /** When the short window begins anew. */
  readonly primary_resets_at: string | null;
  /** When the long window begins anew. */
  readonly secondary_resets_at: string | null;
}

/** A file that is made. */
export interface AddedFile {
  /** Always `add`. */
  readonly type: "add";
  /** What is in it. */
  readonly content: string;
}

/** A file that is deleted. */
export interface DeletedFile {
  /** Always `delete`. */
  readonly type: "delete";
  /** What was in it; empty if that is not known. */
  readonly content: string;
}

/** A file that is changed. */
export interface UpdatedFile {
  /** Always `update`. */
  readonly type: "update";
  /** What changes. */
  readonly unified_diff: string;
  /** Where the file moves, if it does. */
  readonly move_path: string | null;
}

/** What a patch does to one file. */
export type FileChange = AddedFile | DeletedFile | UpdatedFile;

/** How far a patch is. */
export type PatchEvent =
  | "apply_begin"
  | "apply_success"
  | "apply_failure"
  | "proposed";

/** Why a patch could not be applied. */
export interface PatchFailure {
  /** The reason, in one line. */
  readonly message: string;
  /** The beginning of what was written to stdout, if anything was. */
  readonly stdout_excerpt: string | null;
  /** The beginning of what was written to stderr, if anything was. */
  readonly stderr_excerpt: string | null;
}

/** A change of files. */
export interface PatchPayload {
  /** How far it is. */
  readonly event: PatchEvent;
  /** Whether it needed no approval, if known. */
  readonly auto_approved: boolean | null;
  /** What happens to each file, by its path. */
  readonly changes: { readonly [path: string]: FileChange };
  /** Why it failed, if it did. */
  readonly failure: PatchFailure | null;
}

/** Something that happened beside the work. */
export interface BackgroundEventPayload {
  /** What happened; often empty. */
  readonly title: string;
  /** What is said about it. */
  readonly description: string;
}

/** Something that a reader should know. */
export interface NoticePayload {
  /** What it is about, if that is said. */
  readonly title: string | null;
  /** The text. */
  readonly body: readonly MessageLine[];
}

/** The payload of each type of record. */
export interface HistoryPayloads {
  /** A message that is complete. */
  readonly plain_message: PlainMessagePayload;
  /** How waiting for a command ended. */
  readonly wait_status: WaitStatusPayload;
  /** Something that is being loaded. */
  readonly loading: LoadingPayload;
  /** A tool at work. */
  readonly running_tool: RunningToolPayload;
  /** A tool that is done. */
  readonly tool_call: ToolCallPayload;
  /** A plan. */
  readonly plan_update: PlanUpdatePayload;
  /** A newer version of the producer. */
  readonly upgrade_notice: UpgradeNoticePayload;
  /** What the model thought. */
  readonly reasoning: ReasoningPayload;
  /** A command and its output. */
  readonly exec: ExecPayload;
  /** An answer that is still being written. */
  readonly assistant_stream: AssistantStreamPayload;
  /** An answer that is complete. */
  readonly assistant_message: AssistantMessagePayload;
  /** What changed in files. */
  readonly diff: DiffPayload;
  /** An image. */
  readonly image: ImagePayload;
  /** Looks at files. */
  readonly explore: ExplorePayload;
  /** How much of what is allowed has been used. */
  readonly rate_limits: RateLimitsPayload;
  /** A change of files. */
  readonly patch: PatchPayload;
  /** Something that happened beside the work. */
  readonly background_event: BackgroundEventPayload;
  /** Something that a reader should know. */
  readonly notice: NoticePayload;
}

/** The type of a record. */
export type HistoryRecordType = keyof HistoryPayloads;

/**
 * A record of one type.
 *
 * @typeParam T The type.
 */
export interface HistoryRecordOf<T extends HistoryRecordType> {
  /** Its number, from 1. It stays the same for as long as the record is there. */
  readonly id: number;
  /** What the record is. */
  readonly type: T;
  /** What is in it. */
  readonly payload: HistoryPayloads[T];
}

/** A record of a history; `switch` on `type`. */
export type HistoryRecord = {
  [T in HistoryRecordType]: HistoryRecordOf<T>;
}[HistoryRecordType];

/** A record of a type that is not in this list. It is kept as it is. */
export interface ExtensionRecord {
  /** Its number. */
  readonly id: number;
  /** What the record is: none of the known types. */
  readonly type: string;
  /** What is in it. */
  readonly payload: { readonly [name: string]: unknown };
}

/** A record of a known type, or of one that is not known; {@linkcode isKnownRecord} tells. */
export type AnyHistoryRecord = HistoryRecord | ExtensionRecord;

/**
 * A record of one type before it has a number.
 *
 * @typeParam T The type.
 */
export interface NewRecordOf<T extends HistoryRecordType> {
  /** What the record is. */
  readonly type: T;
  /** What is in it. */
  readonly payload: HistoryPayloads[T];
}

/** A record before it has a number. A number that it has all the same is not kept. */
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
 * Tells whether a record is of a known type.
 *
 * Only the type is looked at; a snapshot that was read with `readSnapshot` has payloads that
 * fit.
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
