/**
 * Schemas of what sessions take, as JSON.
 *
 * @module
 */

import * as v from "valibot";
import type {
  SessionSizeGroup,
  SessionSizeRecord,
  SessionSizesReport,
} from "./size_records.ts";

const bytes = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.string();

/**
 * The schema of {@linkcode SessionSizeRecord}.
 *
 * @example What is none
 * ```ts
 * import { SessionSizeRecordSchema } from "@codexpipe/codexpipe/schema";
 * import { assertEquals } from "@std/assert";
 * import * as v from "valibot";
 *
 * assertEquals(v.is(SessionSizeRecordSchema, { bytes: -1 }), false);
 * ```
 */
export const SessionSizeRecordSchema: v.GenericSchema<
  unknown,
  SessionSizeRecord
> = v.looseObject({
  id: v.nullable(text),
  title: text,
  project: v.nullable(text),
  kind: text,
  archived: v.boolean(),
  compression: text,
  updated: text,
  bytes,
  disk_bytes: bytes,
  parts: v.record(text, bytes),
  path: text,
  problem: v.nullable(text),
});

/**
 * The schema of {@linkcode SessionSizeGroup}.
 *
 * @example A line of `codexpipe sessions du --by kind --format jsonl`
 * ```ts
 * import { SessionSizeGroupSchema } from "@codexpipe/codexpipe/schema";
 * import { assert } from "@std/assert";
 * import * as v from "valibot";
 *
 * const group = JSON.parse(
 *   '{"by":"kind","name":"main","files":2,"bytes":9,"disk_bytes":9,"share":1}',
 * );
 *
 * assert(v.is(SessionSizeGroupSchema, group));
 * ```
 */
export const SessionSizeGroupSchema: v.GenericSchema<
  unknown,
  SessionSizeGroup
> = v.looseObject({
  by: text,
  name: v.nullable(text),
  files: bytes,
  bytes,
  disk_bytes: v.nullable(bytes),
  share: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
});

/**
 * The schema of {@linkcode SessionSizesReport}.
 *
 * @example What is none
 * ```ts
 * import { SessionSizesReportSchema } from "@codexpipe/codexpipe/schema";
 * import { assertEquals } from "@std/assert";
 * import * as v from "valibot";
 *
 * assertEquals(v.is(SessionSizesReportSchema, { files: 0 }), false);
 * ```
 */
export const SessionSizesReportSchema: v.GenericSchema<
  unknown,
  SessionSizesReport
> = v.looseObject({
  files: bytes,
  bytes,
  disk_bytes: bytes,
  archived_disk_bytes: bytes,
  packed_disk_bytes: bytes,
  groups: v.array(SessionSizeGroupSchema),
  largest: v.array(SessionSizeRecordSchema),
  spare: v.array(v.looseObject({
    id: text,
    reason: text,
    command: text,
    disk_bytes: bytes,
  })),
  problems: v.array(v.looseObject({})),
});
