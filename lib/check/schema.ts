/** The schema of verdicts as JSON. */

import * as v from "valibot";
import { TOKENS } from "../usage/schema.ts";
import type { HappeningRecord } from "./happenings.ts";
import type { VerdictRecord } from "./verdict.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const textOrNull = v.nullable(v.string());

export const VerdictRecordSchema: v.GenericSchema<unknown, VerdictRecord> = v
  .looseObject({
    file: v.exactOptional(v.string()),
    verdict: v.picklist(["passed", "failed"]),
    reasons: v.array(v.looseObject({
      kind: v.string(),
      message: v.string(),
      line: v.nullable(v.pipe(count, v.minValue(1))),
    })),
    thread_id: textOrNull,
    turns: count,
    status: v.nullable(v.picklist(["completed", "failed", "aborted", "open"])),
    failed_commands: count,
    failed_lines: count,
    usage: v.nullable(v.looseObject(TOKENS)),
    final_message: textOrNull,
  });

export const HappeningRecordSchema: v.GenericSchema<unknown, HappeningRecord> =
  v.looseObject({
    type: v.picklist([
      "session.started",
      "session.archived",
      "session.unarchived",
      "session.packed",
      "session.unpacked",
      "session.deleted",
      "session.damaged",
      "turn.started",
      "turn.ended",
      "command.started",
      "command.ended",
    ]),
    at: v.string(),
    session_id: textOrNull,
    parent_id: textOrNull,
    title: v.string(),
    path: v.string(),
    cwd: v.exactOptional(textOrNull),
    model: v.exactOptional(textOrNull),
    cli_version: v.exactOptional(textOrNull),
    source: v.exactOptional(textOrNull),
    agent: v.exactOptional(textOrNull),
    command: v.exactOptional(v.string()),
    status: v.exactOptional(v.string()),
    exit_code: v.exactOptional(v.nullable(v.pipe(v.number(), v.integer()))),
    duration_ms: v.exactOptional(v.nullable(v.number())),
    verdict: v.exactOptional(VerdictRecordSchema),
    line: v.exactOptional(v.nullable(v.pipe(count, v.minValue(1)))),
    message: v.exactOptional(v.string()),
  });
