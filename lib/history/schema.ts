/**
 * Schemas of history records, snapshots and mutations.
 *
 * They admit what is written here, and more fields than are known. What other programs have
 * written goes through `readSnapshot` first.
 *
 * @module
 */

import { type SchemasOf, schemasOf } from "../shapes/schema.ts";
import {
  ANY,
  ANY_OBJECT,
  BOOLEAN,
  COUNT,
  type Known,
  list,
  literal,
  map,
  maybe,
  NUMBER,
  object,
  optional,
  other,
  type Shape,
  STRING,
  TIME,
  typed,
  variant,
  words,
} from "../shapes/shapes.ts";
import type * as mutations from "./mutations.ts";
import {
  ASSISTANT_DELTA,
  EXEC_CHUNK,
  EXEC_STATUS,
  FILE_CHANGE,
  INLINE_SPAN,
  MESSAGE_LINE,
  MESSAGE_METADATA,
  PAYLOADS,
  REASONING_BLOCK,
  TOKEN_USAGE,
  TOOL_ARGUMENT,
} from "./record_shapes.ts";
import * as records from "./records.ts";
import type { HistorySnapshot } from "./snapshot.ts";

const RECORDS = typed<Known<records.HistoryRecord, "type">>({
  plain_message: { id: COUNT, payload: PAYLOADS.plain_message },
  wait_status: { id: COUNT, payload: PAYLOADS.wait_status },
  loading: { id: COUNT, payload: PAYLOADS.loading },
  running_tool: { id: COUNT, payload: PAYLOADS.running_tool },
  tool_call: { id: COUNT, payload: PAYLOADS.tool_call },
  plan_update: { id: COUNT, payload: PAYLOADS.plan_update },
  upgrade_notice: { id: COUNT, payload: PAYLOADS.upgrade_notice },
  reasoning: { id: COUNT, payload: PAYLOADS.reasoning },
  exec: { id: COUNT, payload: PAYLOADS.exec },
  assistant_stream: { id: COUNT, payload: PAYLOADS.assistant_stream },
  assistant_message: { id: COUNT, payload: PAYLOADS.assistant_message },
  diff: { id: COUNT, payload: PAYLOADS.diff },
  image: { id: COUNT, payload: PAYLOADS.image },
  explore: { id: COUNT, payload: PAYLOADS.explore },
  rate_limits: { id: COUNT, payload: PAYLOADS.rate_limits },
  patch: { id: COUNT, payload: PAYLOADS.patch },
  background_event: { id: COUNT, payload: PAYLOADS.background_event },
  notice: { id: COUNT, payload: PAYLOADS.notice },
});

const EXTENSION_RECORD = object<records.ExtensionRecord>({
  id: COUNT,
  type: other(records.HISTORY_RECORD_TYPES),
  payload: ANY_OBJECT,
});

const HISTORY_RECORD = variant<records.HistoryRecord, "type">(
  "type",
  RECORDS,
  "the type of a record",
);

const ANY_HISTORY_RECORD = variant<records.AnyHistoryRecord, "type">(
  "type",
  RECORDS,
  EXTENSION_RECORD,
);

/** The members of a snapshot that have names; it may have others. */
type Named<T> = {
  readonly [K in keyof T as string extends K ? never : K]: T[K];
};

const HISTORY_SNAPSHOT: Shape<HistorySnapshot> = object<
  Named<HistorySnapshot>
>({
  records: list(ANY_HISTORY_RECORD),
  next_id: COUNT,
  exec_call_lookup: map(COUNT),
  tool_call_lookup: map(COUNT),
  stream_lookup: map(COUNT),
  resume: optional(ANY),
});

const PLACE = { index: COUNT, id: COUNT };
const RECORD = { ...PLACE, record: ANY_HISTORY_RECORD };

const APPENDED_OUTPUT = object<mutations.AppendedOutputMutation>({
  type: literal("appended"),
  ...PLACE,
  field: words("stdout_chunks", "stderr_chunks"),
  value: EXEC_CHUNK,
  status: optional(EXEC_STATUS),
  exit_code: maybe(NUMBER),
  completed_at: maybe(TIME),
  wait_total_ms: maybe(NUMBER),
  wait_active: optional(BOOLEAN),
});

const APPENDED_DELTA = object<mutations.AppendedDeltaMutation>({
  type: literal("appended"),
  ...PLACE,
  field: literal("deltas"),
  value: ASSISTANT_DELTA,
  preview_markdown: optional(STRING),
  in_progress: optional(BOOLEAN),
  last_updated_at: optional(TIME),
});

const MUTATIONS = {
  ...typed<
    Omit<Known<mutations.HistoryMutation, "type">, "appended">
  >({
    inserted: RECORD,
    replaced: RECORD,
    removed: RECORD,
    truncated: { index: COUNT },
  }),
  appended: variant<mutations.AppendedMutation, "field">(
    "field",
    {
      stdout_chunks: APPENDED_OUTPUT,
      stderr_chunks: APPENDED_OUTPUT,
      deltas: APPENDED_DELTA,
    },
    "a field that grows",
  ),
};

/** What histories hold, by name. */
export type HistoryTypes = {
  readonly HistorySnapshot: HistorySnapshot;
  readonly HistoryMutation: mutations.HistoryMutation;
  readonly InsertedMutation: mutations.InsertedMutation;
  readonly ReplacedMutation: mutations.ReplacedMutation;
  readonly RemovedMutation: mutations.RemovedMutation;
  readonly TruncatedMutation: mutations.TruncatedMutation;
  readonly AppendedMutation: mutations.AppendedMutation;
  readonly AppendedOutputMutation: mutations.AppendedOutputMutation;
  readonly AppendedDeltaMutation: mutations.AppendedDeltaMutation;
  readonly AnyHistoryRecord: records.AnyHistoryRecord;
  readonly HistoryRecord: records.HistoryRecord;
  readonly ExtensionRecord: records.ExtensionRecord;
  readonly InlineSpan: records.InlineSpan;
  readonly MessageLine: records.MessageLine;
  readonly TokenUsage: records.TokenUsage;
  readonly MessageMetadata: records.MessageMetadata;
  readonly ToolArgument: records.ToolArgument;
  readonly ReasoningBlock: records.ReasoningBlock;
  readonly ExecChunk: records.ExecChunk;
  readonly AssistantDelta: records.AssistantDelta;
  readonly FileChange: records.FileChange;
  readonly PlainMessagePayload: records.PlainMessagePayload;
  readonly WaitStatusPayload: records.WaitStatusPayload;
  readonly LoadingPayload: records.LoadingPayload;
  readonly RunningToolPayload: records.RunningToolPayload;
  readonly ToolCallPayload: records.ToolCallPayload;
  readonly PlanUpdatePayload: records.PlanUpdatePayload;
  readonly UpgradeNoticePayload: records.UpgradeNoticePayload;
  readonly ReasoningPayload: records.ReasoningPayload;
  readonly ExecPayload: records.ExecPayload;
  readonly AssistantStreamPayload: records.AssistantStreamPayload;
  readonly AssistantMessagePayload: records.AssistantMessagePayload;
  readonly DiffPayload: records.DiffPayload;
  readonly ImagePayload: records.ImagePayload;
  readonly ExplorePayload: records.ExplorePayload;
  readonly RateLimitsPayload: records.RateLimitsPayload;
  readonly PatchPayload: records.PatchPayload;
  readonly BackgroundEventPayload: records.BackgroundEventPayload;
  readonly NoticePayload: records.NoticePayload;
  readonly PlainMessageRecord: records.HistoryRecordOf<"plain_message">;
  readonly WaitStatusRecord: records.HistoryRecordOf<"wait_status">;
  readonly LoadingRecord: records.HistoryRecordOf<"loading">;
  readonly RunningToolRecord: records.HistoryRecordOf<"running_tool">;
  readonly ToolCallRecord: records.HistoryRecordOf<"tool_call">;
  readonly PlanUpdateRecord: records.HistoryRecordOf<"plan_update">;
  readonly UpgradeNoticeRecord: records.HistoryRecordOf<"upgrade_notice">;
  readonly ReasoningRecord: records.HistoryRecordOf<"reasoning">;
  readonly ExecRecord: records.HistoryRecordOf<"exec">;
  readonly AssistantStreamRecord: records.HistoryRecordOf<"assistant_stream">;
  readonly AssistantMessageRecord: records.HistoryRecordOf<"assistant_message">;
  readonly DiffRecord: records.HistoryRecordOf<"diff">;
  readonly ImageRecord: records.HistoryRecordOf<"image">;
  readonly ExploreRecord: records.HistoryRecordOf<"explore">;
  readonly RateLimitsRecord: records.HistoryRecordOf<"rate_limits">;
  readonly PatchRecord: records.HistoryRecordOf<"patch">;
  readonly BackgroundEventRecord: records.HistoryRecordOf<"background_event">;
  readonly NoticeRecord: records.HistoryRecordOf<"notice">;
};

/** The schema of each of them. */
export const HISTORY_SCHEMAS: SchemasOf<HistoryTypes> = schemasOf<
  HistoryTypes
>({
  HistorySnapshot: HISTORY_SNAPSHOT,
  HistoryMutation: variant<mutations.HistoryMutation, "type">(
    "type",
    MUTATIONS,
    "the type of a mutation",
  ),
  InsertedMutation: MUTATIONS.inserted,
  ReplacedMutation: MUTATIONS.replaced,
  RemovedMutation: MUTATIONS.removed,
  TruncatedMutation: MUTATIONS.truncated,
  AppendedMutation: MUTATIONS.appended,
  AppendedOutputMutation: APPENDED_OUTPUT,
  AppendedDeltaMutation: APPENDED_DELTA,
  AnyHistoryRecord: ANY_HISTORY_RECORD,
  HistoryRecord: HISTORY_RECORD,
  ExtensionRecord: EXTENSION_RECORD,
  InlineSpan: INLINE_SPAN,
  MessageLine: MESSAGE_LINE,
  TokenUsage: TOKEN_USAGE,
  MessageMetadata: MESSAGE_METADATA,
  ToolArgument: TOOL_ARGUMENT,
  ReasoningBlock: REASONING_BLOCK,
  ExecChunk: EXEC_CHUNK,
  AssistantDelta: ASSISTANT_DELTA,
  FileChange: FILE_CHANGE,
  PlainMessagePayload: PAYLOADS.plain_message,
  WaitStatusPayload: PAYLOADS.wait_status,
  LoadingPayload: PAYLOADS.loading,
  RunningToolPayload: PAYLOADS.running_tool,
  ToolCallPayload: PAYLOADS.tool_call,
  PlanUpdatePayload: PAYLOADS.plan_update,
  UpgradeNoticePayload: PAYLOADS.upgrade_notice,
  ReasoningPayload: PAYLOADS.reasoning,
  ExecPayload: PAYLOADS.exec,
  AssistantStreamPayload: PAYLOADS.assistant_stream,
  AssistantMessagePayload: PAYLOADS.assistant_message,
  DiffPayload: PAYLOADS.diff,
  ImagePayload: PAYLOADS.image,
  ExplorePayload: PAYLOADS.explore,
  RateLimitsPayload: PAYLOADS.rate_limits,
  PatchPayload: PAYLOADS.patch,
  BackgroundEventPayload: PAYLOADS.background_event,
  NoticePayload: PAYLOADS.notice,
  PlainMessageRecord: RECORDS.plain_message,
  WaitStatusRecord: RECORDS.wait_status,
  LoadingRecord: RECORDS.loading,
  RunningToolRecord: RECORDS.running_tool,
  ToolCallRecord: RECORDS.tool_call,
  PlanUpdateRecord: RECORDS.plan_update,
  UpgradeNoticeRecord: RECORDS.upgrade_notice,
  ReasoningRecord: RECORDS.reasoning,
  ExecRecord: RECORDS.exec,
  AssistantStreamRecord: RECORDS.assistant_stream,
  AssistantMessageRecord: RECORDS.assistant_message,
  DiffRecord: RECORDS.diff,
  ImageRecord: RECORDS.image,
  ExploreRecord: RECORDS.explore,
  RateLimitsRecord: RECORDS.rate_limits,
  PatchRecord: RECORDS.patch,
  BackgroundEventRecord: RECORDS.background_event,
  NoticeRecord: RECORDS.notice,
});
