/**
 * The schema of verdicts as JSON.
 *
 * @module
 */

import * as v from "valibot";
import type { VerdictRecord } from "./verdict_json.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const textOrNull = v.nullable(v.string());

/** The schema of {@linkcode VerdictRecord}. */
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
    usage: v.nullable(v.looseObject({
      input_tokens: count,
      cached_input_tokens: count,
      cache_write_input_tokens: count,
      output_tokens: count,
      reasoning_output_tokens: count,
      total_tokens: count,
    })),
    final_message: textOrNull,
  });
