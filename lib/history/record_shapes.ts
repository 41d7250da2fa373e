/**
 * The shapes of the payloads of history records.
 *
 * Some shapes are constants of their own though they equal others, such as `INDENT`:
 * `code_layout.ts` rewrites their values before it reads them, and finds the rewrite by the shape
 * object.
 */

import {
  ANY,
  ANY_OBJECT,
  BOOLEAN,
  COUNT,
  either,
  list,
  map,
  maybe,
  nullable,
  NUMBER,
  object,
  type Shape,
  STRING,
  TIME,
  typed,
  variant,
  words,
} from "../shapes/shapes.ts";
import type * as records from "./records.ts";

const TEXTS = list(STRING);
const TEXT_OR_NULL = nullable(STRING);
const NUMBER_OR_NULL = nullable(NUMBER);
const TIME_OR_NULL = nullable(TIME);
/** A duration in milliseconds. */
export const DURATION: Shape<number> = { kind: "number" };

export const TONE: Shape<records.TextTone> = words(
  "default",
  "dim",
  "primary",
  "success",
  "warning",
  "error",
  "info",
);

export const EMPHASIS: Shape<records.Emphasis> = object({
  bold: BOOLEAN,
  italic: BOOLEAN,
  dim: BOOLEAN,
  strike: BOOLEAN,
  underline: BOOLEAN,
});

export const INLINE_SPAN: Shape<records.InlineSpan> = object({
  text: STRING,
  tone: TONE,
  emphasis: EMPHASIS,
  entity: nullable(
    variant(
      "type",
      typed({ link: { href: STRING }, code: {} }),
      '"link" or "code"',
    ),
  ),
});
const SPANS = list(INLINE_SPAN);
export const SUMMARY: Shape<readonly records.InlineSpan[]> = list(INLINE_SPAN);

export const MESSAGE_LINE: Shape<records.MessageLine> = object({
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

export const TOKEN_USAGE: Shape<records.TokenUsage> = object({
  prompt: NUMBER,
  completion: NUMBER,
  total: NUMBER,
});

export const MESSAGE_METADATA: Shape<records.MessageMetadata> = object({
  citations: TEXTS,
  token_usage: nullable(TOKEN_USAGE),
});
const METADATA = nullable(MESSAGE_METADATA);

export const TOOL_ARGUMENT_VALUE: Shape<records.ToolArgumentValue> = variant(
  "type",
  typed({ text: { text: STRING }, json: { value: ANY }, secret: {} }),
  '"text", "json" or "secret"',
);

export const TOOL_ARGUMENT: Shape<records.ToolArgument> = object({
  name: STRING,
  value: TOOL_ARGUMENT_VALUE,
});

export const INDENT: Shape<number> = { kind: "count" };
export const MARKER: Shape<string> = { kind: "string" };
export const TRAILING: Shape<boolean> = { kind: "boolean" };

export const REASONING_BLOCK: Shape<records.ReasoningBlock> = variant(
  "type",
  typed({
    paragraph: { spans: SPANS },
    bullet: { indent: INDENT, marker: MARKER, spans: SPANS },
    code: { language: TEXT_OR_NULL, content: STRING },
    quote: { spans: SPANS },
    separator: {},
  }),
  "the type of a block",
);

export const EXEC_STATUS: Shape<records.ExecPayload["status"]> = words(
  "running",
  "success",
  "error",
);

export const EXEC_CHUNK: Shape<records.ExecChunk> = object({
  offset: COUNT,
  content: STRING,
});
const CHUNKS = list(EXEC_CHUNK);

export const ASSISTANT_DELTA: Shape<records.AssistantDelta> = object({
  delta: STRING,
  sequence: NUMBER_OR_NULL,
  received_at: TIME,
});

export const FILE_CONTENT: Shape<string> = { kind: "string" };

export const FILE_CHANGE: Shape<records.FileChange> = variant(
  "type",
  typed({
    add: { content: FILE_CONTENT },
    delete: { content: FILE_CONTENT },
    update: { unified_diff: STRING, move_path: TEXT_OR_NULL },
  }),
  '"add", "delete" or "update"',
);

export const STEP_STATUS: Shape<records.PlanStep["status"]> = words(
  "pending",
  "in_progress",
  "complete",
  "skipped",
);

export const PLAN_ICON: Shape<records.PlanIcon> = either(
  words("light_bulb", "rocket", "clipboard"),
  object({ custom: STRING }),
);

export const EXPLORE_STATUS: Shape<records.ExploreStatus> = either(
  words("running", "success", "not_found"),
  object({ error: object({ exit_code: NUMBER_OR_NULL }) }),
);

export const DIFF_LINE_KIND: Shape<records.DiffLine["kind"]> = words(
  "context",
  "added",
  "removed",
);

export const ACTION: Shape<records.ExecAction> = words(
  "read",
  "search",
  "list",
  "run",
);

export const PARSED_LINE: Shape<string> = { kind: "string" };
export const PARSED_COMMAND: Shape<records.ParsedCommand> = object({
  type: STRING,
  cmd: PARSED_LINE,
  name: maybe(STRING),
  query: maybe(STRING),
  path: maybe(STRING),
});

export const PAYLOADS: {
  readonly [T in records.HistoryRecordType]: Shape<records.HistoryPayloads[T]>;
} = {
  plain_message: object({
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
    header: nullable(object({ label: STRING, badge: TEXT_OR_NULL })),
    lines: LINES,
    metadata: METADATA,
  }),
  wait_status: object({
    header: object({
      title: STRING,
      title_tone: TONE,
      summary: TEXT_OR_NULL,
      summary_tone: TONE,
    }),
    details: list(object({ label: STRING, value: TEXT_OR_NULL, tone: TONE })),
  }),
  loading: object({ message: STRING }),
  running_tool: object({
    title: STRING,
    started_at: TIME,
    arguments: list(TOOL_ARGUMENT),
    wait_cap_ms: nullable(DURATION),
    wait_has_target: BOOLEAN,
    wait_has_call_id: BOOLEAN,
  }),
  tool_call: object({
    status: words("running", "success", "failed"),
    title: STRING,
    duration_ms: nullable(DURATION),
    arguments: list(TOOL_ARGUMENT),
    result_preview: nullable(object({ lines: TEXTS, truncated: BOOLEAN })),
    error_message: TEXT_OR_NULL,
  }),
  plan_update: object({
    name: STRING,
    icon: PLAN_ICON,
    progress: object({ completed: NUMBER, total: NUMBER }),
    steps: list(object({ description: STRING, status: STEP_STATUS })),
  }),
  upgrade_notice: object({
    current_version: STRING,
    latest_version: STRING,
    message: STRING,
  }),
  reasoning: object({
    in_progress: BOOLEAN,
    sections: list(
      object({
        heading: TEXT_OR_NULL,
        summary: SUMMARY,
        blocks: list(REASONING_BLOCK),
      }),
    ),
    hide_when_collapsed: BOOLEAN,
  }),
  exec: object({
    call_id: TEXT_OR_NULL,
    command: TEXTS,
    parsed: list(PARSED_COMMAND),
    action: ACTION,
    status: EXEC_STATUS,
    stdout_chunks: CHUNKS,
    stderr_chunks: CHUNKS,
    exit_code: NUMBER_OR_NULL,
    wait_total_ms: nullable(DURATION),
    wait_active: BOOLEAN,
    wait_notes: list(object({ message: STRING, tone: TONE, timestamp: TIME })),
    started_at: TIME,
    completed_at: TIME_OR_NULL,
  }),
  assistant_stream: object({
    stream_id: STRING,
    preview_markdown: STRING,
    deltas: list(ASSISTANT_DELTA),
    citations: TEXTS,
    metadata: METADATA,
    in_progress: BOOLEAN,
    last_updated_at: TIME,
  }),
  assistant_message: object({
    stream_id: TEXT_OR_NULL,
    markdown: STRING,
    citations: TEXTS,
    metadata: METADATA,
    token_usage: nullable(TOKEN_USAGE),
    created_at: TIME,
  }),
  diff: object({
    hunks: list(
      object({
        header: STRING,
        lines: list(object({ kind: DIFF_LINE_KIND, text: STRING })),
      }),
    ),
  }),
  image: object({
    path: STRING,
    caption: TEXT_OR_NULL,
    metadata: nullable(ANY_OBJECT),
  }),
  explore: object({
    entries: list(
      object({ command: TEXTS, cwd: TEXT_OR_NULL, status: EXPLORE_STATUS }),
    ),
    trailing: TRAILING,
  }),
  rate_limits: object({
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
  patch: object({
    event: words("apply_begin", "apply_success", "apply_failure", "proposed"),
    auto_approved: nullable(BOOLEAN),
    changes: map(FILE_CHANGE),
    failure: nullable(
      object({
        message: STRING,
        stdout_excerpt: TEXT_OR_NULL,
        stderr_excerpt: TEXT_OR_NULL,
      }),
    ),
  }),
  background_event: object({ title: STRING, description: STRING }),
  notice: object({ title: TEXT_OR_NULL, body: LINES }),
};
