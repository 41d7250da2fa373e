/**
 * Schemas of sessions and what they take, as JSON.
 *
 * @module
 */

import * as v from "valibot";
import type {
  SessionListReport,
  SessionRecord,
  SessionSizeGroup,
  SessionSizeRecord,
  SessionSizesReport,
} from "./session_records.ts";

const bytes = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.string();
const textOrNull = v.nullable(text);

const problems = v.array(
  v.looseObject({ path: text, code: textOrNull, message: text }),
);

/**
 * The schema of {@linkcode SessionRecord}.
 *
 * @example What is none
 * ```ts
 * import { SessionRecordSchema } from "@codexpipe/codexpipe/schema";
 * import { assertEquals } from "@std/assert";
 * import * as v from "valibot";
 *
 * assertEquals(v.is(SessionRecordSchema, { id: "01a1f9a3" }), false);
 * ```
 */
export const SessionRecordSchema: v.GenericSchema<unknown, SessionRecord> = v
  .looseObject({
    id: textOrNull,
    started: textOrNull,
    updated: text,
    title: text,
    name: textOrNull,
    first_message: textOrNull,
    cwd: textOrNull,
    git_branch: textOrNull,
    git_commit: textOrNull,
    git_url: textOrNull,
    cli_version: textOrNull,
    source: textOrNull,
    originator: textOrNull,
    model: textOrNull,
    model_provider: textOrNull,
    kind: v.picklist(["main", "fork", "subagent"]),
    forked_from: textOrNull,
    parent_id: textOrNull,
    agent: textOrNull,
    history_mode: textOrNull,
    archived: v.boolean(),
    compression: text,
    size: bytes,
    home: text,
    path: text,
    copies: v.array(text),
    problem: textOrNull,
    hidden: v.exactOptional(
      v.nullable(v.picklist(["unindexed", "moved", "refused"])),
    ),
  });

/**
 * The schema of {@linkcode SessionListReport}.
 *
 * @example What `codexpipe sessions list --json` prints if there are none
 * ```ts
 * import { SessionListReportSchema } from "@codexpipe/codexpipe/schema";
 * import { assert } from "@std/assert";
 * import * as v from "valibot";
 *
 * const list = JSON.parse(
 *   '{"sessions":[],"next_cursor":null,"total":0,"problems":[],"codex_indexes":[]}',
 * );
 *
 * assert(v.is(SessionListReportSchema, list));
 * ```
 */
export const SessionListReportSchema: v.GenericSchema<
  unknown,
  SessionListReport
> = v.looseObject({
  sessions: v.array(SessionRecordSchema),
  next_cursor: textOrNull,
  total: bytes,
  problems,
  codex_indexes: v.array(v.looseObject({
    home: text,
    state: v.picklist(["read", "none", "unknown"]),
    file: textOrNull,
    reason: textOrNull,
  })),
});

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
  id: textOrNull,
  title: text,
  project: textOrNull,
  kind: text,
  archived: v.boolean(),
  compression: text,
  updated: text,
  bytes,
  disk_bytes: bytes,
  parts: v.record(text, bytes),
  path: text,
  problem: textOrNull,
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
  name: textOrNull,
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
  problems,
});
