/** The schemas of the records in `session_records.ts`. */

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
      v.nullable(v.picklist(["unindexed", "moved", "no_message", "refused"])),
    ),
    outcome: v.exactOptional(
      v.nullable(v.picklist(["completed", "failed", "aborted", "open"])),
    ),
    total_tokens: v.exactOptional(v.nullable(bytes)),
    duration_ms: v.exactOptional(v.nullable(v.number())),
  });

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
