/** Schemas of usage as JSON. */

import * as v from "valibot";
import type {
  TokenFields,
  UsageDerivationRecord,
  UsageRecord,
  UsageReport,
} from "./usage_records.ts";
import { USAGE_KEYS } from "./usage_names.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.string();
const textOrNull = v.nullable(v.string());

/** The members of {@linkcode TokenFields}. */
export const TOKENS: Readonly<
  Record<keyof TokenFields, v.GenericSchema<number>>
> = {
  input_tokens: count,
  cached_input_tokens: count,
  cache_write_input_tokens: count,
  output_tokens: count,
  reasoning_output_tokens: count,
  total_tokens: count,
};

export const UsageRecordSchema: v.GenericSchema<unknown, UsageRecord> = v
  .looseObject({
    day: v.exactOptional(textOrNull),
    model: v.exactOptional(textOrNull),
    cwd: v.exactOptional(textOrNull),
    thread_id: v.exactOptional(textOrNull),
    parent_thread_id: v.exactOptional(textOrNull),
    turn_id: v.exactOptional(textOrNull),
    source: v.exactOptional(text),
    models: v.exactOptional(v.array(text)),
    threads: count,
    turns: count,
    ...TOKENS,
    cost: v.exactOptional(
      v.nullable(v.pipe(text, v.regex(/^\d+(?:\.\d+)?$/))),
    ),
  });

export const UsageReportSchema: v.GenericSchema<unknown, UsageReport> = v
  .looseObject({
    by: v.array(v.picklist(USAGE_KEYS)),
    time_zone: text,
    groups: v.array(UsageRecordSchema),
    total: UsageRecordSchema,
  });

export const UsageDerivationRecordSchema: v.GenericSchema<
  unknown,
  UsageDerivationRecord
> = v.looseObject({
  source: text,
  line: v.pipe(v.number(), v.integer(), v.minValue(1)),
  thread_id: textOrNull,
  turn_id: textOrNull,
  counted: v.boolean(),
  rule: text,
  explanation: text,
  ...TOKENS,
});
