/** Schemas of the JSON output of `codexpipe drift`. */

import * as v from "valibot";
import type { DriftFinding, DriftReport } from "./drift_finding.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.string();

export const DriftFindingSchema: v.GenericSchema<unknown, DriftFinding> = v
  .looseObject({
    release: v.nullable(text),
    dialect: v.picklist(["exec", "rollout", "app-server"]),
    kind: text,
    path: text,
    change: v.picklist(["kind", "field", "type", "word", "missing"]),
    types: v.array(text),
    word: v.nullable(text),
    seen: v.nullable(v.strictTuple([text, text])),
    count,
    file: text,
    line: v.nullable(v.pipe(count, v.minValue(1))),
    treatment: v.nullable(v.picklist(["understood", "kept", "refused"])),
  });

export const DriftReportSchema: v.GenericSchema<unknown, DriftReport> = v
  .looseObject({ findings: v.array(DriftFindingSchema), more: count });
