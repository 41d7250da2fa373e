/**
 * Schemas of history records, snapshots and mutations.
 *
 * They admit codexpipe's layout, and unknown fields. Pass snapshots of other programs through
 * `readSnapshot` first.
 */

import {
  type SchemaOf,
  schemaOf,
  type SchemasOf,
  schemasOf,
} from "../shapes/schema.ts";
import {
  ANY,
  ANY_OBJECT,
  type AnyShape,
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
import * as shapes from "./record_shapes.ts";
import * as records from "./records.ts";
import type { HistorySnapshot } from "./snapshot.ts";

/** The shape of the record of each type. The compiler checks each payload in `PAYLOADS`. */
const RECORDS = typed<Known<records.HistoryRecord, "type">>(
  Object.fromEntries(
    records.HISTORY_RECORD_TYPES.map((type) => [
      type,
      { id: COUNT, payload: shapes.PAYLOADS[type] },
    ]),
    // The boundary: the compiler cannot see names that are put together at runtime.
  ) as never,
);

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

/** The named members of a type with an index signature. */
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
  value: shapes.EXEC_CHUNK,
  status: optional(shapes.EXEC_STATUS),
  exit_code: maybe(NUMBER),
  completed_at: maybe(TIME),
  wait_total_ms: maybe(NUMBER),
  wait_active: optional(BOOLEAN),
});

const APPENDED_DELTA = object<mutations.AppendedDeltaMutation>({
  type: literal("appended"),
  ...PLACE,
  field: literal("deltas"),
  value: shapes.ASSISTANT_DELTA,
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

/** The types of histories, by name. */
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
};

/** The payload and the record of each type, by name: `ExecPayload`, `ExecRecord`. */
export type HistoryRecordTypes =
  & {
    readonly [
      T in records.HistoryRecordType as `${PascalCase<T>}Payload`
    ]: records.HistoryPayloads[T];
  }
  & {
    readonly [
      T in records.HistoryRecordType as `${PascalCase<T>}Record`
    ]: records.HistoryRecordOf<T>;
  };

/**
 * A record type in PascalCase: `plain_message` becomes `PlainMessage`.
 *
 * @typeParam S The record type.
 */
export type PascalCase<S extends string> = S extends
  `${infer First}_${infer Rest}` ? `${Capitalize<First>}${PascalCase<Rest>}`
  : Capitalize<S>;

/** Returns a schema for each record type, named by the type and a suffix. */
function namedSchemas(
  shapes: { readonly [T in records.HistoryRecordType]: AnyShape },
  end: string,
): Record<string, SchemaOf<unknown>> {
  return Object.fromEntries(
    records.HISTORY_RECORD_TYPES.map((type) => [
      type.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase()) +
      end,
      schemaOf(shapes[type]),
    ]),
  );
}

const NAMED_SCHEMAS = schemasOf<HistoryTypes>({
  HistorySnapshot: HISTORY_SNAPSHOT,
  HistoryMutation: variant("type", MUTATIONS, "the type of a mutation"),
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
  InlineSpan: shapes.INLINE_SPAN,
  MessageLine: shapes.MESSAGE_LINE,
  TokenUsage: shapes.TOKEN_USAGE,
  MessageMetadata: shapes.MESSAGE_METADATA,
  ToolArgument: shapes.TOOL_ARGUMENT,
  ReasoningBlock: shapes.REASONING_BLOCK,
  ExecChunk: shapes.EXEC_CHUNK,
  AssistantDelta: shapes.ASSISTANT_DELTA,
  FileChange: shapes.FILE_CHANGE,
});

export const HISTORY_SCHEMAS: SchemasOf<HistoryTypes & HistoryRecordTypes> = {
  ...NAMED_SCHEMAS,
  ...namedSchemas(shapes.PAYLOADS, "Payload"),
  ...namedSchemas(RECORDS, "Record"),
  // The boundary: the compiler cannot see names that are put together at runtime.
} as never;
