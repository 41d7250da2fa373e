/**
 * Reads records as the contract has them.
 *
 * Spellings that are told apart by themselves, such as those of file changes, are read in all
 * forms.
 *
 * @module
 */

import { durationMsOf, timestampOf, timestampOfMs } from "../events/times.ts";
import { type Fields, isObject } from "../json/fields.ts";
import { setOwn } from "./plain_json.ts";
import type {
  AssistantDelta,
  DiffHunk,
  Emphasis,
  Entity,
  ExecAction,
  ExecChunk,
  ExecPayload,
  ExecWaitNote,
  ExploreEntry,
  ExploreStatus,
  FileChange,
  HistoryPayloads,
  HistoryRecordType,
  InlineSpan,
  MessageLine,
  MessageMetadata,
  ParsedCommand,
  PlanIcon,
  PlanStep,
  ReasoningBlock,
  ReasoningSection,
  TextTone,
  TokenUsage,
  ToolArgument,
  ToolArgumentValue,
  WaitStatusDetail,
} from "./records.ts";
import { refuse } from "./snapshot.ts";

// Small readers that check a JSON value and give it its type, and readers put together of
// them.

/** Checks the value at a path and gives it its type. An absent value is `undefined`. */
export type Reader<T> = (value: unknown, path: string) => T;

/** Any value. */
export const anything: Reader<unknown> = (value) => value;

/** A text. */
const text: Reader<string> = (value, path) =>
  typeof value === "string" ? value : refuse(value, path, "a string");

/** A number. */
export const number: Reader<number> = (value, path) =>
  typeof value === "number" ? value : refuse(value, path, "a number");

/** The number of a record. */
export const recordId: Reader<number> = (value, path) =>
  typeof value === "number" && value >= 0 && Number.isInteger(value)
    ? value
    : refuse(value, path, "a whole number that is not negative");

/** `true` or `false`; absent is `false`. */
const flag: Reader<boolean> = (value, path) =>
  typeof value === "boolean"
    ? value
    : value === undefined
    ? false
    : refuse(value, path, "true or false");

/** A point in time: RFC 3339 of any zone, or the seconds and nanoseconds since 1970. */
export const timestamp: Reader<string> = (value, path) => {
  let time = timestampOf(value);
  if (isObject(value)) {
    const { secs_since_epoch: secs, nanos_since_epoch: nanos } = value;
    if (typeof secs === "number" && typeof nanos === "number") {
      time = timestampOfMs(secs * 1000 + Math.floor(nanos / 1e6));
    }
  }
  return time ?? refuse(value, path, "a point in time");
};

/** A duration in milliseconds: a number, ISO 8601, or seconds and nanoseconds. */
const milliseconds: Reader<number> = (value, path) =>
  durationMsOf(value) ?? refuse(value, path, "a duration");

/** One of some words. */
function word<const T extends string>(
  ...words: readonly T[]
): Reader<T> {
  return (value, path) =>
    words.find((each) => each === value) ??
      refuse(value, path, words.map((each) => `"${each}"`).join(" or "));
}

/** What may be `null` or absent, which is `null` too. */
function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return (value, path) =>
    value === undefined || value === null ? null : reader(value, path);
}

/** What may be absent and then has a value all the same. */
function withDefault<T>(reader: Reader<T>, value: T): Reader<T> {
  return (given, path) => given === undefined ? value : reader(given, path);
}

/** What has another spelling too, which is rewritten first. */
export function rewritten<T>(
  rewrite: (value: unknown) => unknown,
  reader: Reader<T>,
): Reader<T> {
  return (value, path) => reader(rewrite(value), path);
}

/** A list; absent is empty. */
export function list<T>(reader: Reader<T>): Reader<readonly T[]> {
  return (value, path) => {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return refuse(value, path, "a list");
    return value.map((part: unknown, at) => reader(part, `${path}[${at}]`));
  };
}

/** An object whose names may be anything; absent is empty. */
export function map<T>(
  reader: Reader<T>,
): Reader<{ readonly [name: string]: T }> {
  return (value, path) => {
    if (value !== undefined && !isObject(value)) {
      return refuse(value, path, "an object");
    }
    const result: { [name: string]: T } = {};
    for (const [name, member] of Object.entries(value ?? {})) {
      setOwn(result, name, reader(member, join(path, name)));
    }
    return result;
  };
}

/** An object of which some fields are known; the others are kept as they are. */
export function object<T>(
  fields: { readonly [K in keyof T]-?: Reader<T[K]> },
): Reader<T> {
  const readers = Object.entries<Reader<unknown>>(fields);
  return (value, path) => {
    if (!isObject(value)) return refuse(value, path, "an object");
    const result: Fields = {};
    for (const [name, reader] of readers) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      const member = reader(given, join(path, name));
      if (member !== undefined) setOwn(result, name, member);
    }
    for (const [name, member] of Object.entries(value)) {
      if (!Object.hasOwn(fields, name)) setOwn(result, name, member);
    }
    // The boundary: every field of the type has been read with the reader of its type.
    return result as T;
  };
}

/** An object that is one of several, told apart by a field. */
function variant<T>(
  tag: string,
  variants: { readonly [name: string]: Reader<T> },
): Reader<T> {
  const names = Object.keys(variants).map((name) => `"${name}"`).join(" or ");
  return (value, path) => {
    if (!isObject(value)) return refuse(value, path, "an object");
    const name = value[tag];
    const reader = typeof name === "string" && Object.hasOwn(variants, name)
      ? variants[name]
      : undefined;
    return reader === undefined
      ? refuse(name, join(path, tag), names)
      : reader(value, path);
  };
}

/** Gives the path of a member. */
export function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

const texts = list(text);

const tone: Reader<TextTone> = withDefault(
  word("default", "dim", "primary", "success", "warning", "error", "info"),
  "default",
);

const emphasis: Reader<Emphasis> = rewritten(
  (value) => value ?? {},
  object<Emphasis>({
    bold: flag,
    italic: flag,
    dim: flag,
    strike: flag,
    underline: flag,
  }),
);

const entity: Reader<Entity> = variant<Entity>("type", {
  link: object({ type: word("link"), href: text }),
  code: object({ type: word("code") }),
});

const spans: Reader<readonly InlineSpan[]> = list(
  object<InlineSpan>({ text, tone, emphasis, entity: nullable(entity) }),
);

const lines: Reader<readonly MessageLine[]> = list(
  object<MessageLine>({
    kind: word(
      "paragraph",
      "bullet",
      "code",
      "quote",
      "separator",
      "metadata",
      "blank",
    ),
    spans,
  }),
);

const usage: Reader<TokenUsage | null> = nullable(
  object<TokenUsage>({ prompt: number, completion: number, total: number }),
);

const metadata: Reader<MessageMetadata | null> = nullable(
  object<MessageMetadata>({ citations: texts, token_usage: usage }),
);

const argumentsOfTool: Reader<readonly ToolArgument[]> = list(
  object<ToolArgument>({
    name: text,
    value: variant<ToolArgumentValue>("type", {
      text: object({ type: word("text"), text }),
      json: object({
        type: word("json"),
        value: (value) => value === undefined ? null : value,
      }),
      secret: object({ type: word("secret") }),
    }),
  }),
);

const icon: Reader<PlanIcon> = (value, path) =>
  isObject(value)
    ? object<{ custom: string }>({ custom: text })(value, path)
    : word("light_bulb", "rocket", "clipboard")(value, path);

const steps: Reader<readonly PlanStep[]> = list(
  object<PlanStep>({
    description: text,
    status: rewritten(
      (value) => value === "completed" ? "complete" : value,
      word("pending", "in_progress", "complete", "skipped"),
    ),
  }),
);

const blocks: Reader<readonly ReasoningBlock[]> = list(
  variant<ReasoningBlock>("type", {
    paragraph: object({ type: word("paragraph"), spans }),
    bullet: object({
      type: word("bullet"),
      indent: withDefault(number, 0),
      marker: withDefault(text, "-"),
      spans,
    }),
    code: object({
      type: word("code"),
      language: nullable(text),
      content: text,
    }),
    quote: object({ type: word("quote"), spans }),
    separator: object({ type: word("separator") }),
  }),
);

const sections: Reader<readonly ReasoningSection[]> = list(
  object<ReasoningSection>({
    heading: nullable(text),
    summary: rewritten((value) => value ?? [], spans),
    blocks,
  }),
);

/** What a command does. */
export const action: Reader<ExecAction> = word("read", "search", "list", "run");

/** `{"Read": {"cmd": …}}` is what some spell `{"type": "read", "cmd": …}`. */
const parsed: Reader<readonly ParsedCommand[]> = list(
  rewritten(
    tagInside,
    object<ParsedCommand>({
      type: text,
      cmd: withDefault(text, ""),
      name: optional(nullable(text)),
      path: optional(nullable(text)),
      query: optional(nullable(text)),
    }),
  ),
);

const chunks: Reader<readonly ExecChunk[]> = list(
  object<ExecChunk>({ offset: number, content: text }),
);

/** A command and its output. */
export const exec: Reader<ExecPayload> = object<ExecPayload>({
  call_id: nullable(text),
  command: texts,
  parsed,
  action,
  status: word("running", "success", "error"),
  stdout_chunks: chunks,
  stderr_chunks: chunks,
  exit_code: nullable(number),
  wait_total_ms: nullable(milliseconds),
  wait_active: flag,
  wait_notes: list(
    object<ExecWaitNote>({ message: text, tone, timestamp }),
  ),
  started_at: timestamp,
  completed_at: nullable(timestamp),
});

const exploreStatus: Reader<ExploreStatus> = (value, path) =>
  isObject(value)
    ? object<{ error: { exit_code: number | null } }>({
      error: object({ exit_code: nullable(number) }),
    })(value, path)
    : word("running", "success", "not_found")(value, path);

const change: Reader<FileChange> = rewritten(
  canonicalChange,
  variant<FileChange>("type", {
    add: object({ type: word("add"), content: withDefault(text, "") }),
    delete: object({ type: word("delete"), content: withDefault(text, "") }),
    update: object({
      type: word("update"),
      unified_diff: text,
      move_path: nullable(text),
    }),
  }),
);

/** The reader of the payload of each type. */
export const PAYLOAD_READERS: {
  readonly [T in HistoryRecordType]: Reader<HistoryPayloads[T]>;
} = {
  plain_message: object({
    role: word(
      "system",
      "user",
      "assistant",
      "tool",
      "error",
      "background_event",
    ),
    kind: word(
      "plain",
      "user",
      "assistant",
      "tool",
      "error",
      "background",
      "notice",
    ),
    header: nullable(object({ label: text, badge: nullable(text) })),
    lines,
    metadata,
  }),
  wait_status: object({
    header: object({
      title: text,
      title_tone: tone,
      summary: nullable(text),
      summary_tone: tone,
    }),
    details: list(
      object<WaitStatusDetail>({ label: text, value: nullable(text), tone }),
    ),
  }),
  loading: object({ message: text }),
  running_tool: object({
    title: text,
    started_at: timestamp,
    arguments: argumentsOfTool,
    wait_cap_ms: nullable(milliseconds),
    wait_has_target: flag,
    wait_has_call_id: flag,
  }),
  tool_call: object({
    status: word("running", "success", "failed"),
    title: text,
    duration_ms: nullable(milliseconds),
    arguments: argumentsOfTool,
    result_preview: nullable(object({ lines: texts, truncated: flag })),
    error_message: nullable(text),
  }),
  plan_update: object({
    name: text,
    icon,
    progress: object({ completed: number, total: number }),
    steps,
  }),
  upgrade_notice: object({
    current_version: text,
    latest_version: text,
    message: text,
  }),
  reasoning: object({
    in_progress: flag,
    sections,
    hide_when_collapsed: flag,
  }),
  exec,
  assistant_stream: object({
    stream_id: text,
    preview_markdown: text,
    deltas: list(
      object<AssistantDelta>({
        delta: text,
        sequence: nullable(number),
        received_at: timestamp,
      }),
    ),
    citations: texts,
    metadata,
    in_progress: flag,
    last_updated_at: timestamp,
  }),
  assistant_message: object({
    stream_id: nullable(text),
    markdown: text,
    citations: texts,
    metadata,
    token_usage: usage,
    created_at: timestamp,
  }),
  diff: object({
    hunks: list(
      object<DiffHunk>({
        header: text,
        lines: list(
          object({ kind: word("context", "added", "removed"), text }),
        ),
      }),
    ),
  }),
  image: object({
    path: text,
    caption: nullable(text),
    metadata: nullable(map(anything)),
  }),
  explore: object({
    entries: list(
      object<ExploreEntry>({
        command: texts,
        cwd: nullable(text),
        status: exploreStatus,
      }),
    ),
    trailing: flag,
  }),
  rate_limits: object({
    primary_used_percent: nullable(number),
    secondary_used_percent: nullable(number),
    primary_to_secondary_ratio_percent: nullable(number),
    primary_window_minutes: nullable(number),
    secondary_window_minutes: nullable(number),
    primary_reset_after_seconds: nullable(number),
    secondary_reset_after_seconds: nullable(number),
    primary_resets_at: nullable(timestamp),
    secondary_resets_at: nullable(timestamp),
  }),
  patch: object({
    event: word("apply_begin", "apply_success", "apply_failure", "proposed"),
    auto_approved: nullable(flag),
    changes: map(change),
    failure: nullable(
      object({
        message: text,
        stdout_excerpt: nullable(text),
        stderr_excerpt: nullable(text),
      }),
    ),
  }),
  background_event: object({ title: text, description: text }),
  notice: object({ title: nullable(text), body: lines }),
};

/** What may be absent and then stays so. */
function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, path) => value === undefined ? undefined : reader(value, path);
}

/** Writes a word in PascalCase with small letters and underscores. */
export function toSnakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}

/** Gives the name and the value of an object with one member. */
export function onlyMember(value: unknown): [string, unknown] | undefined {
  if (!isObject(value)) return undefined;
  const [member, ...others] = Object.entries(value);
  return others.length === 0 ? member : undefined;
}

function tagInside(value: unknown): unknown {
  const [name, fields] = onlyMember(value) ?? [];
  if (name === undefined || !isObject(fields)) return value;
  return { type: toSnakeCase(name), ...fields };
}

/** The three spellings of a change of a file become one. */
function canonicalChange(value: unknown): unknown {
  if (value === "delete") return { type: "delete" };
  const [type, fields] = onlyMember(value) ?? [];
  if (type === undefined || !isObject(fields)) return value;
  const { original_content: _before, new_content: _after, ...rest } = fields;
  return { type, ...rest };
}
