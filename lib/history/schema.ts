/**
 * Schemas of history records, snapshots and mutations.
 *
 * They admit what is written here, and more fields than are known; their output is their
 * input. What other programs have written goes through `readSnapshot` first.
 *
 * @module
 */

import * as v from "valibot";
import { mapOf, open, type SchemaOf, variantOf } from "./_open_schema.ts";
import type {
  AppendedDeltaMutation,
  AppendedMutation,
  AppendedOutputMutation,
  HistoryMutation,
  InsertedMutation,
  RemovedMutation,
  ReplacedMutation,
  TruncatedMutation,
} from "./mutations.ts";
import {
  AnyHistoryRecordSchema,
  AssistantDeltaSchema,
  ExecChunkSchema,
} from "./record_schema.ts";
import type { HistorySnapshot } from "./snapshot.ts";

export * from "./record_schema.ts";

const text: SchemaOf<string> = v.string();
const flag: SchemaOf<boolean> = v.boolean();
const time: SchemaOf<string> = v.pipe(v.string(), v.isoTimestamp());
const maybeTime: SchemaOf<string | null> = v.nullable(time);
const maybeNumber: SchemaOf<number | null> = v.nullable(v.number());
const whole: SchemaOf<number> = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
);
const execStatus = v.picklist(["running", "success", "error"]);

/** The schema of {@linkcode HistorySnapshot}. */
export const HistorySnapshotSchema: v.GenericSchema<unknown, HistorySnapshot> =
  open<HistorySnapshot>({
    records: v.array(AnyHistoryRecordSchema),
    next_id: whole,
    exec_call_lookup: mapOf(whole),
    tool_call_lookup: mapOf(whole),
    stream_lookup: mapOf(whole),
    resume: v.unknown(),
  }, ["resume"]);

const place = { index: whole, id: whole };

/** The schema of {@linkcode InsertedMutation}. */
export const InsertedMutationSchema: v.GenericSchema<
  unknown,
  InsertedMutation
> = open<InsertedMutation>({
  type: v.literal("inserted"),
  ...place,
  record: AnyHistoryRecordSchema,
});

/** The schema of {@linkcode ReplacedMutation}. */
export const ReplacedMutationSchema: v.GenericSchema<
  unknown,
  ReplacedMutation
> = open<ReplacedMutation>({
  type: v.literal("replaced"),
  ...place,
  record: AnyHistoryRecordSchema,
});

/** The schema of {@linkcode RemovedMutation}. */
export const RemovedMutationSchema: v.GenericSchema<unknown, RemovedMutation> =
  open<RemovedMutation>({
    type: v.literal("removed"),
    ...place,
    record: AnyHistoryRecordSchema,
  });

/** The schema of {@linkcode TruncatedMutation}. */
export const TruncatedMutationSchema: v.GenericSchema<
  unknown,
  TruncatedMutation
> = open<TruncatedMutation>({ type: v.literal("truncated"), index: whole });

/** The schema of {@linkcode AppendedOutputMutation}. */
export const AppendedOutputMutationSchema: v.GenericSchema<
  unknown,
  AppendedOutputMutation
> = open<AppendedOutputMutation>({
  type: v.literal("appended"),
  ...place,
  field: v.picklist(["stdout_chunks", "stderr_chunks"]),
  value: ExecChunkSchema,
  status: execStatus,
  exit_code: maybeNumber,
  completed_at: maybeTime,
  wait_total_ms: maybeNumber,
  wait_active: flag,
}, ["status", "exit_code", "completed_at", "wait_total_ms", "wait_active"]);

/** The schema of {@linkcode AppendedDeltaMutation}. */
export const AppendedDeltaMutationSchema: v.GenericSchema<
  unknown,
  AppendedDeltaMutation
> = open<AppendedDeltaMutation>({
  type: v.literal("appended"),
  ...place,
  field: v.literal("deltas"),
  value: AssistantDeltaSchema,
  preview_markdown: text,
  in_progress: flag,
  last_updated_at: time,
}, ["preview_markdown", "in_progress", "last_updated_at"]);

/** The schema of {@linkcode AppendedMutation}. */
export const AppendedMutationSchema: v.GenericSchema<
  unknown,
  AppendedMutation
> = variantOf<AppendedMutation>("field", [
  AppendedOutputMutationSchema,
  AppendedDeltaMutationSchema,
]);

/** The schema of {@linkcode HistoryMutation}. */
export const HistoryMutationSchema: v.GenericSchema<unknown, HistoryMutation> =
  variantOf<HistoryMutation>("type", [
    InsertedMutationSchema,
    ReplacedMutationSchema,
    RemovedMutationSchema,
    TruncatedMutationSchema,
    AppendedMutationSchema,
  ]);
