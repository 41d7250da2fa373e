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
  either,
  type Known,
  list,
  literal,
  map,
  maybe,
  nullable,
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
import * as records from "./records.ts";
import type { HistorySnapshot } from "./snapshot.ts";

const TEXTS = list(STRING);
const TEXT_OR_NULL = nullable(STRING);
const NUMBER_OR_NULL = nullable(NUMBER);
const TIME_OR_NULL = nullable(TIME);

const TONE = words(
  "default",
  "dim",
  "primary",
  "success",
  "warning",
  "error",
  "info",
);

const INLINE_SPAN = object<records.InlineSpan>({
  text: STRING,
  tone: TONE,
  emphasis: object<records.Emphasis>({
    bold: BOOLEAN,
    italic: BOOLEAN,
    dim: BOOLEAN,
    strike: BOOLEAN,
    underline: BOOLEAN,
  }),
  entity: nullable(
    variant<records.Entity, "type">(
      "type",
      typed<Known<records.Entity, "type">>({
        link: { href: STRING },
        code: {},
      }),
      '"link" or "code"',
    ),
  ),
});
const SPANS = list(INLINE_SPAN);

const MESSAGE_LINE = object<records.MessageLine>({
  kind: words(
    "paragraph",
    "bullet",
    "code",
    "quote",
    "separator",
    "metadata",
    "blank",
  ),
  spans: SPANS,
});
const LINES = list(MESSAGE_LINE);

const TOKEN_USAGE = object<records.TokenUsage>({
  prompt: NUMBER,
  completion: NUMBER,
  total: NUMBER,
});

const MESSAGE_METADATA = object<records.MessageMetadata>({
  citations: TEXTS,
  token_usage: nullable(TOKEN_USAGE),
});
const METADATA = nullable(MESSAGE_METADATA);

const TOOL_ARGUMENT = object<records.ToolArgument>({
  name: STRING,
  value: variant<records.ToolArgumentValue, "type">(
    "type",
    typed<Known<records.ToolArgumentValue, "type">>({
      text: { text: STRING },
      json: { value: ANY },
      secret: {},
    }),
    '"text", "json" or "secret"',
  ),
});

const REASONING_BLOCK = variant<records.ReasoningBlock, "type">(
  "type",
  typed<Known<records.ReasoningBlock, "type">>({
    paragraph: { spans: SPANS },
    bullet: { indent: NUMBER, marker: STRING, spans: SPANS },
    code: { language: TEXT_OR_NULL, content: STRING },
    quote: { spans: SPANS },
    separator: {},
  }),
  "the type of a block",
);

const EXEC_STATUS = words("running", "success", "error");

const EXEC_CHUNK = object<records.ExecChunk>({
  offset: NUMBER,
  content: STRING,
});
const CHUNKS = list(EXEC_CHUNK);

const ASSISTANT_DELTA = object<records.AssistantDelta>({
  delta: STRING,
  sequence: NUMBER_OR_NULL,
  received_at: TIME,
});

const FILE_CHANGE = variant<records.FileChange, "type">(
  "type",
  typed<Known<records.FileChange, "type">>({
    add: { content: STRING },
    delete: { content: STRING },
    update: { unified_diff: STRING, move_path: TEXT_OR_NULL },
  }),
  '"add", "delete" or "update"',
);

const PAYLOADS: {
  readonly [T in records.HistoryRecordType]: Shape<records.HistoryPayloads[T]>;
} = {
  plain_message: object<records.PlainMessagePayload>({
    role: words(
      "system",
      "user",
      "assistant",
      "tool",
      "error",
      "background_event",
    ),
    kind: words(
      "plain",
      "user",
      "assistant",
      "tool",
      "error",
      "background",
      "notice",
    ),
    header: nullable(
      object<records.MessageHeader>({ label: STRING, badge: TEXT_OR_NULL }),
    ),
    lines: LINES,
    metadata: METADATA,
  }),
  wait_status: object<records.WaitStatusPayload>({
    header: object<records.WaitStatusHeader>({
      title: STRING,
      title_tone: TONE,
      summary: TEXT_OR_NULL,
      summary_tone: TONE,
    }),
    details: list(
      object<records.WaitStatusDetail>({
        label: STRING,
        value: TEXT_OR_NULL,
        tone: TONE,
      }),
    ),
  }),
  loading: object<records.LoadingPayload>({ message: STRING }),
  running_tool: object<records.RunningToolPayload>({
    title: STRING,
    started_at: TIME,
    arguments: list(TOOL_ARGUMENT),
    wait_cap_ms: NUMBER_OR_NULL,
    wait_has_target: BOOLEAN,
    wait_has_call_id: BOOLEAN,
  }),
  tool_call: object<records.ToolCallPayload>({
    status: words("running", "success", "failed"),
    title: STRING,
    duration_ms: NUMBER_OR_NULL,
    arguments: list(TOOL_ARGUMENT),
    result_preview: nullable(
      object<records.ToolResultPreview>({ lines: TEXTS, truncated: BOOLEAN }),
    ),
    error_message: TEXT_OR_NULL,
  }),
  plan_update: object<records.PlanUpdatePayload>({
    name: STRING,
    icon: either(
      words("light_bulb", "rocket", "clipboard"),
      object<records.CustomPlanIcon>({ custom: STRING }),
    ),
    progress: object<records.PlanProgress>({
      completed: NUMBER,
      total: NUMBER,
    }),
    steps: list(
      object<records.PlanStep>({
        description: STRING,
        status: words("pending", "in_progress", "complete", "skipped"),
      }),
    ),
  }),
  upgrade_notice: object<records.UpgradeNoticePayload>({
    current_version: STRING,
    latest_version: STRING,
    message: STRING,
  }),
  reasoning: object<records.ReasoningPayload>({
    in_progress: BOOLEAN,
    sections: list(
      object<records.ReasoningSection>({
        heading: TEXT_OR_NULL,
        summary: SPANS,
        blocks: list(REASONING_BLOCK),
      }),
    ),
    hide_when_collapsed: BOOLEAN,
  }),
  exec: object<records.ExecPayload>({
    call_id: TEXT_OR_NULL,
    command: TEXTS,
    parsed: list(
      object<records.ParsedCommand>({
        type: STRING,
        cmd: STRING,
        name: maybe(STRING),
        path: maybe(STRING),
        query: maybe(STRING),
      }),
    ),
    action: words("read", "search", "list", "run"),
    status: EXEC_STATUS,
    stdout_chunks: CHUNKS,
    stderr_chunks: CHUNKS,
    exit_code: NUMBER_OR_NULL,
    wait_total_ms: NUMBER_OR_NULL,
    wait_active: BOOLEAN,
    wait_notes: list(
      object<records.ExecWaitNote>({
        message: STRING,
        tone: TONE,
        timestamp: TIME,
      }),
    ),
    started_at: TIME,
    completed_at: TIME_OR_NULL,
  }),
  assistant_stream: object<records.AssistantStreamPayload>({
    stream_id: STRING,
    preview_markdown: STRING,
    deltas: list(ASSISTANT_DELTA),
    citations: TEXTS,
    metadata: METADATA,
    in_progress: BOOLEAN,
    last_updated_at: TIME,
  }),
  assistant_message: object<records.AssistantMessagePayload>({
    stream_id: TEXT_OR_NULL,
    markdown: STRING,
    citations: TEXTS,
    metadata: METADATA,
    token_usage: nullable(TOKEN_USAGE),
    created_at: TIME,
  }),
  diff: object<records.DiffPayload>({
    hunks: list(
      object<records.DiffHunk>({
        header: STRING,
        lines: list(
          object<records.DiffLine>({
            kind: words("context", "added", "removed"),
            text: STRING,
          }),
        ),
      }),
    ),
  }),
  image: object<records.ImagePayload>({
    path: STRING,
    caption: TEXT_OR_NULL,
    metadata: nullable(ANY_OBJECT),
  }),
  explore: object<records.ExplorePayload>({
    entries: list(
      object<records.ExploreEntry>({
        command: TEXTS,
        cwd: TEXT_OR_NULL,
        status: either(
          words("running", "success", "not_found"),
          object<records.ExploreError>({
            error: object<records.ExploreError["error"]>({
              exit_code: NUMBER_OR_NULL,
            }),
          }),
        ),
      }),
    ),
    trailing: BOOLEAN,
  }),
  rate_limits: object<records.RateLimitsPayload>({
    primary_used_percent: NUMBER_OR_NULL,
    secondary_used_percent: NUMBER_OR_NULL,
    primary_to_secondary_ratio_percent: NUMBER_OR_NULL,
    primary_window_minutes: NUMBER_OR_NULL,
    secondary_window_minutes: NUMBER_OR_NULL,
    primary_reset_after_seconds: NUMBER_OR_NULL,
    secondary_reset_after_seconds: NUMBER_OR_NULL,
    primary_resets_at: TIME_OR_NULL,
    secondary_resets_at: TIME_OR_NULL,
  }),
  patch: object<records.PatchPayload>({
    event: words("apply_begin", "apply_success", "apply_failure", "proposed"),
    auto_approved: nullable(BOOLEAN),
    changes: map(FILE_CHANGE),
    failure: nullable(
      object<records.PatchFailure>({
        message: STRING,
        stdout_excerpt: TEXT_OR_NULL,
        stderr_excerpt: TEXT_OR_NULL,
      }),
    ),
  }),
  background_event: object<records.BackgroundEventPayload>({
    title: STRING,
    description: STRING,
  }),
  notice: object<records.NoticePayload>({ title: TEXT_OR_NULL, body: LINES }),
};

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
