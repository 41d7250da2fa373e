/** The schema of the records of failed lines. */

import * as v from "valibot";
import { FAILURE_KINDS } from "../errors.ts";
import { LINE_FAILED, type LineFailed } from "./failures.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

export const LineFailedSchema: v.GenericSchema<unknown, LineFailed> = v
  .looseObject({
    type: v.literal(LINE_FAILED),
    line: v.pipe(v.number(), v.integer(), v.minValue(1)),
    offset: count,
    error: v.looseObject({
      kind: v.picklist(FAILURE_KINDS),
      message: v.string(),
    }),
    bytes: v.exactOptional(count),
    raw: v.exactOptional(v.string()),
    raw_base64: v.exactOptional(v.string()),
  });
