/**
 * Schemas of history records.
 *
 * They admit what is written here, and more fields than are known; their output is their
 * input. What other programs have written goes through `readSnapshot` first.
 *
 * @module
 */

import * as v from "valibot";
import { mapOf, open, type SchemaOf, variantOf } from "./_open_schema.ts";
import {
  type AnyHistoryRecord,
  type AssistantDelta,
  type AssistantMessagePayload,
  type AssistantStreamPayload,
  type BackgroundEventPayload,
  type DiffPayload,
  type Entity,
  type ExecChunk,
  type ExecPayload,
  type ExplorePayload,
  type ExploreStatus,
  type ExtensionRecord,
  type FileChange,
  HISTORY_RECORD_TYPES,
  type HistoryPayloads,
  type HistoryRecord,
  type HistoryRecordOf,
  type HistoryRecordType,
  type ImagePayload,
  type InlineSpan,
  type LoadingPayload,
  type MessageLine,
  type MessageMetadata,
  type NoticePayload,
  type ParsedCommand,
  type PatchPayload,
  type PlainMessagePayload,
  type PlanIcon,
  type PlanUpdatePayload,
  type RateLimitsPayload,
  type ReasoningBlock,
  type ReasoningPayload,
  type RunningToolPayload,
  type TokenUsage,
  type ToolArgument,
  type ToolArgumentValue,
  type ToolCallPayload,
  type UpgradeNoticePayload,
  type WaitStatusPayload,
} from "./records.ts";

const text: SchemaOf<string> = v.string();
const texts: SchemaOf<string[]> = v.array(text);
const number: SchemaOf<number> = v.number();
const flag: SchemaOf<boolean> = v.boolean();
const time: SchemaOf<string> = v.pipe(v.string(), v.isoTimestamp());
const maybeText: SchemaOf<string | null> = v.nullable(text);
const maybeTime: SchemaOf<string | null> = v.nullable(time);
const maybeNumber: SchemaOf<number | null> = v.nullable(number);
const whole: SchemaOf<number> = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
);
const anyObject: SchemaOf<{ readonly [name: string]: unknown }> = open({});

const tone = v.picklist([
  "default",
  "dim",
  "primary",
  "success",
  "warning",
  "error",
  "info",
]);

const entity: SchemaOf<Entity> = variantOf<Entity>("type", [
  open({ type: v.literal("link"), href: text }),
  open({ type: v.literal("code") }),
]);

/** The schema of {@linkcode InlineSpan}. */
export const InlineSpanSchema: v.GenericSchema<unknown, InlineSpan> = open<
  InlineSpan
>({
  text,
  tone,
  emphasis: open({
    bold: flag,
    italic: flag,
    dim: flag,
    strike: flag,
    underline: flag,
  }),
  entity: v.nullable(entity),
});
const spans = v.array(InlineSpanSchema);

/** The schema of {@linkcode MessageLine}. */
export const MessageLineSchema: v.GenericSchema<unknown, MessageLine> = open<
  MessageLine
>({
  kind: v.picklist([
    "paragraph",
    "bullet",
    "code",
    "quote",
    "separator",
    "metadata",
    "blank",
  ]),
  spans,
});
const lines = v.array(MessageLineSchema);

/** The schema of {@linkcode TokenUsage}. */
export const TokenUsageSchema: v.GenericSchema<unknown, TokenUsage> = open<
  TokenUsage
>({ prompt: number, completion: number, total: number });

/** The schema of {@linkcode MessageMetadata}. */
export const MessageMetadataSchema: v.GenericSchema<unknown, MessageMetadata> =
  open<MessageMetadata>({
    citations: texts,
    token_usage: v.nullable(TokenUsageSchema),
  });
const metadata = v.nullable(MessageMetadataSchema);

/** The schema of {@linkcode ToolArgument}. */
export const ToolArgumentSchema: v.GenericSchema<unknown, ToolArgument> = open<
  ToolArgument
>({
  name: text,
  value: variantOf<ToolArgumentValue>("type", [
    open({ type: v.literal("text"), text }),
    open({ type: v.literal("json"), value: v.unknown() }),
    open({ type: v.literal("secret") }),
  ]),
});

const icon: SchemaOf<PlanIcon> = v.union([
  v.picklist(["light_bulb", "rocket", "clipboard"]),
  open<{ custom: string }>({ custom: text }),
]);

/** The schema of {@linkcode ReasoningBlock}. */
export const ReasoningBlockSchema: v.GenericSchema<unknown, ReasoningBlock> =
  variantOf<ReasoningBlock>("type", [
    open({ type: v.literal("paragraph"), spans }),
    open({
      type: v.literal("bullet"),
      indent: number,
      marker: text,
      spans,
    }),
    open({ type: v.literal("code"), language: maybeText, content: text }),
    open({ type: v.literal("quote"), spans }),
    open({ type: v.literal("separator") }),
  ]);

/** The schema of {@linkcode ExecChunk}. */
export const ExecChunkSchema: v.GenericSchema<unknown, ExecChunk> = open<
  ExecChunk
>({ offset: number, content: text });
const chunks = v.array(ExecChunkSchema);

/** The schema of {@linkcode AssistantDelta}. */
export const AssistantDeltaSchema: v.GenericSchema<unknown, AssistantDelta> =
  open<AssistantDelta>({
    delta: text,
    sequence: maybeNumber,
    received_at: time,
  });

const exploreStatus: SchemaOf<ExploreStatus> = v.union([
  v.picklist(["running", "success", "not_found"]),
  open<{ error: { exit_code: number | null } }>({
    error: open({ exit_code: maybeNumber }),
  }),
]);

/** The schema of {@linkcode FileChange}. */
export const FileChangeSchema: v.GenericSchema<unknown, FileChange> = variantOf<
  FileChange
>("type", [
  open({ type: v.literal("add"), content: text }),
  open({ type: v.literal("delete"), content: text }),
  open({
    type: v.literal("update"),
    unified_diff: text,
    move_path: maybeText,
  }),
]);

const execStatus = v.picklist(["running", "success", "error"]);

/** The schema of {@linkcode PlainMessagePayload}. */
export const PlainMessagePayloadSchema: v.GenericSchema<
  unknown,
  PlainMessagePayload
> = open<PlainMessagePayload>({
  role: v.picklist([
    "system",
    "user",
    "assistant",
    "tool",
    "error",
    "background_event",
  ]),
  kind: v.picklist([
    "plain",
    "user",
    "assistant",
    "tool",
    "error",
    "background",
    "notice",
  ]),
  header: v.nullable(open({ label: text, badge: maybeText })),
  lines,
  metadata,
});

/** The schema of {@linkcode WaitStatusPayload}. */
export const WaitStatusPayloadSchema: v.GenericSchema<
  unknown,
  WaitStatusPayload
> = open<WaitStatusPayload>({
  header: open({
    title: text,
    title_tone: tone,
    summary: maybeText,
    summary_tone: tone,
  }),
  details: v.array(open({ label: text, value: maybeText, tone })),
});

/** The schema of {@linkcode LoadingPayload}. */
export const LoadingPayloadSchema: v.GenericSchema<unknown, LoadingPayload> =
  open<LoadingPayload>({ message: text });

/** The schema of {@linkcode RunningToolPayload}. */
export const RunningToolPayloadSchema: v.GenericSchema<
  unknown,
  RunningToolPayload
> = open<RunningToolPayload>({
  title: text,
  started_at: time,
  arguments: v.array(ToolArgumentSchema),
  wait_cap_ms: maybeNumber,
  wait_has_target: flag,
  wait_has_call_id: flag,
});

/** The schema of {@linkcode ToolCallPayload}. */
export const ToolCallPayloadSchema: v.GenericSchema<unknown, ToolCallPayload> =
  open<ToolCallPayload>({
    status: v.picklist(["running", "success", "failed"]),
    title: text,
    duration_ms: maybeNumber,
    arguments: v.array(ToolArgumentSchema),
    result_preview: v.nullable(open({ lines: texts, truncated: flag })),
    error_message: maybeText,
  });

/** The schema of {@linkcode PlanUpdatePayload}. */
export const PlanUpdatePayloadSchema: v.GenericSchema<
  unknown,
  PlanUpdatePayload
> = open<PlanUpdatePayload>({
  name: text,
  icon,
  progress: open({ completed: number, total: number }),
  steps: v.array(
    open({
      description: text,
      status: v.picklist(["pending", "in_progress", "complete", "skipped"]),
    }),
  ),
});

/** The schema of {@linkcode UpgradeNoticePayload}. */
export const UpgradeNoticePayloadSchema: v.GenericSchema<
  unknown,
  UpgradeNoticePayload
> = open<UpgradeNoticePayload>({
  current_version: text,
  latest_version: text,
  message: text,
});

/** The schema of {@linkcode ReasoningPayload}. */
export const ReasoningPayloadSchema: v.GenericSchema<
  unknown,
  ReasoningPayload
> = open<ReasoningPayload>({
  in_progress: flag,
  sections: v.array(
    open({
      heading: maybeText,
      summary: spans,
      blocks: v.array(ReasoningBlockSchema),
    }),
  ),
  hide_when_collapsed: flag,
});

/** The schema of {@linkcode ExecPayload}. */
export const ExecPayloadSchema: v.GenericSchema<unknown, ExecPayload> = open<
  ExecPayload
>({
  call_id: maybeText,
  command: texts,
  parsed: v.array(
    open<ParsedCommand>({
      type: text,
      cmd: text,
      name: maybeText,
      path: maybeText,
      query: maybeText,
    }, ["name", "path", "query"]),
  ),
  action: v.picklist(["read", "search", "list", "run"]),
  status: execStatus,
  stdout_chunks: chunks,
  stderr_chunks: chunks,
  exit_code: maybeNumber,
  wait_total_ms: maybeNumber,
  wait_active: flag,
  wait_notes: v.array(open({ message: text, tone, timestamp: time })),
  started_at: time,
  completed_at: maybeTime,
});

/** The schema of {@linkcode AssistantStreamPayload}. */
export const AssistantStreamPayloadSchema: v.GenericSchema<
  unknown,
  AssistantStreamPayload
> = open<AssistantStreamPayload>({
  stream_id: text,
  preview_markdown: text,
  deltas: v.array(AssistantDeltaSchema),
  citations: texts,
  metadata,
  in_progress: flag,
  last_updated_at: time,
});

/** The schema of {@linkcode AssistantMessagePayload}. */
export const AssistantMessagePayloadSchema: v.GenericSchema<
  unknown,
  AssistantMessagePayload
> = open<AssistantMessagePayload>({
  stream_id: maybeText,
  markdown: text,
  citations: texts,
  metadata,
  token_usage: v.nullable(TokenUsageSchema),
  created_at: time,
});

/** The schema of {@linkcode DiffPayload}. */
export const DiffPayloadSchema: v.GenericSchema<unknown, DiffPayload> = open<
  DiffPayload
>({
  hunks: v.array(
    open({
      header: text,
      lines: v.array(
        open({ kind: v.picklist(["context", "added", "removed"]), text }),
      ),
    }),
  ),
});

/** The schema of {@linkcode ImagePayload}. */
export const ImagePayloadSchema: v.GenericSchema<unknown, ImagePayload> = open<
  ImagePayload
>({ path: text, caption: maybeText, metadata: v.nullable(anyObject) });

/** The schema of {@linkcode ExplorePayload}. */
export const ExplorePayloadSchema: v.GenericSchema<unknown, ExplorePayload> =
  open<ExplorePayload>({
    entries: v.array(
      open({ command: texts, cwd: maybeText, status: exploreStatus }),
    ),
    trailing: flag,
  });

/** The schema of {@linkcode RateLimitsPayload}. */
export const RateLimitsPayloadSchema: v.GenericSchema<
  unknown,
  RateLimitsPayload
> = open<RateLimitsPayload>({
  primary_used_percent: maybeNumber,
  secondary_used_percent: maybeNumber,
  primary_to_secondary_ratio_percent: maybeNumber,
  primary_window_minutes: maybeNumber,
  secondary_window_minutes: maybeNumber,
  primary_reset_after_seconds: maybeNumber,
  secondary_reset_after_seconds: maybeNumber,
  primary_resets_at: maybeTime,
  secondary_resets_at: maybeTime,
});

/** The schema of {@linkcode PatchPayload}. */
export const PatchPayloadSchema: v.GenericSchema<unknown, PatchPayload> = open<
  PatchPayload
>({
  event: v.picklist([
    "apply_begin",
    "apply_success",
    "apply_failure",
    "proposed",
  ]),
  auto_approved: v.nullable(flag),
  changes: mapOf(FileChangeSchema),
  failure: v.nullable(
    open({
      message: text,
      stdout_excerpt: maybeText,
      stderr_excerpt: maybeText,
    }),
  ),
});

/** The schema of {@linkcode BackgroundEventPayload}. */
export const BackgroundEventPayloadSchema: v.GenericSchema<
  unknown,
  BackgroundEventPayload
> = open<BackgroundEventPayload>({ title: text, description: text });

/** The schema of {@linkcode NoticePayload}. */
export const NoticePayloadSchema: v.GenericSchema<unknown, NoticePayload> =
  open<NoticePayload>({ title: maybeText, body: lines });

/** Makes the schema of a record of one type. */
function recordOf<T extends HistoryRecordType>(
  type: T,
  payload: SchemaOf<HistoryPayloads[T]>,
): SchemaOf<HistoryRecordOf<T>> {
  const schema = open<{ id: number; type: string; payload: unknown }>({
    id: whole,
    type: v.literal(type),
    payload,
  });
  // The boundary: the payload has been tied to the type by the signature.
  return schema as unknown as SchemaOf<HistoryRecordOf<T>>;
}

/** The schema of a record of type `plain_message`. */
export const PlainMessageRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"plain_message">
> = recordOf("plain_message", PlainMessagePayloadSchema);

/** The schema of a record of type `wait_status`. */
export const WaitStatusRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"wait_status">
> = recordOf("wait_status", WaitStatusPayloadSchema);

/** The schema of a record of type `loading`. */
export const LoadingRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"loading">
> = recordOf("loading", LoadingPayloadSchema);

/** The schema of a record of type `running_tool`. */
export const RunningToolRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"running_tool">
> = recordOf("running_tool", RunningToolPayloadSchema);

/** The schema of a record of type `tool_call`. */
export const ToolCallRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"tool_call">
> = recordOf("tool_call", ToolCallPayloadSchema);

/** The schema of a record of type `plan_update`. */
export const PlanUpdateRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"plan_update">
> = recordOf("plan_update", PlanUpdatePayloadSchema);

/** The schema of a record of type `upgrade_notice`. */
export const UpgradeNoticeRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"upgrade_notice">
> = recordOf("upgrade_notice", UpgradeNoticePayloadSchema);

/** The schema of a record of type `reasoning`. */
export const ReasoningRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"reasoning">
> = recordOf("reasoning", ReasoningPayloadSchema);

/** The schema of a record of type `exec`. */
export const ExecRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"exec">
> = recordOf("exec", ExecPayloadSchema);

/** The schema of a record of type `assistant_stream`. */
export const AssistantStreamRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"assistant_stream">
> = recordOf("assistant_stream", AssistantStreamPayloadSchema);

/** The schema of a record of type `assistant_message`. */
export const AssistantMessageRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"assistant_message">
> = recordOf("assistant_message", AssistantMessagePayloadSchema);

/** The schema of a record of type `diff`. */
export const DiffRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"diff">
> = recordOf("diff", DiffPayloadSchema);

/** The schema of a record of type `image`. */
export const ImageRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"image">
> = recordOf("image", ImagePayloadSchema);

/** The schema of a record of type `explore`. */
export const ExploreRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"explore">
> = recordOf("explore", ExplorePayloadSchema);

/** The schema of a record of type `rate_limits`. */
export const RateLimitsRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"rate_limits">
> = recordOf("rate_limits", RateLimitsPayloadSchema);

/** The schema of a record of type `patch`. */
export const PatchRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"patch">
> = recordOf("patch", PatchPayloadSchema);

/** The schema of a record of type `background_event`. */
export const BackgroundEventRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"background_event">
> = recordOf("background_event", BackgroundEventPayloadSchema);

/** The schema of a record of type `notice`. */
export const NoticeRecordSchema: v.GenericSchema<
  unknown,
  HistoryRecordOf<"notice">
> = recordOf("notice", NoticePayloadSchema);

const knownRecords: readonly SchemaOf<HistoryRecord>[] = [
  PlainMessageRecordSchema,
  WaitStatusRecordSchema,
  LoadingRecordSchema,
  RunningToolRecordSchema,
  ToolCallRecordSchema,
  PlanUpdateRecordSchema,
  UpgradeNoticeRecordSchema,
  ReasoningRecordSchema,
  ExecRecordSchema,
  AssistantStreamRecordSchema,
  AssistantMessageRecordSchema,
  DiffRecordSchema,
  ImageRecordSchema,
  ExploreRecordSchema,
  RateLimitsRecordSchema,
  PatchRecordSchema,
  BackgroundEventRecordSchema,
  NoticeRecordSchema,
];

/** The schema of {@linkcode HistoryRecord}. */
export const HistoryRecordSchema: v.GenericSchema<unknown, HistoryRecord> =
  variantOf<HistoryRecord>("type", knownRecords);

/** The schema of {@linkcode ExtensionRecord}: of no known type. */
export const ExtensionRecordSchema: v.GenericSchema<unknown, ExtensionRecord> =
  open<ExtensionRecord>({
    id: whole,
    type: v.pipe(v.string(), v.notValues([...HISTORY_RECORD_TYPES])),
    payload: anyObject,
  });

/** The schema of {@linkcode AnyHistoryRecord}. */
export const AnyHistoryRecordSchema: v.GenericSchema<
  unknown,
  AnyHistoryRecord
> = variantOf<AnyHistoryRecord>("type", [
  ...knownRecords,
  ExtensionRecordSchema,
]);
