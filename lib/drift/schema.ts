/**
 * Schemas of drift as JSON.
 *
 * @module
 */

import * as v from "valibot";
import type { DriftFinding, DriftReport } from "./drift_finding.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.string();

/**
 * The schema of {@linkcode DriftFinding}.
 *
 * @example A line of `codexpipe drift --format jsonl`
 * ```ts
 * import { DriftFindingSchema } from "@codexpipe/codexpipe/schema";
 * import { assert } from "@std/assert";
 * import * as v from "valibot";
 *
 * const line = JSON.parse(
 *   '{"release":null,"dialect":"exec","kind":"turn.completed","path":"usage.colour",' +
 *     '"change":"field","types":["string"],"word":null,"seen":null,"count":1,' +
 *     '"file":"run.jsonl","line":4,"treatment":"kept"}',
 * );
 *
 * assert(v.is(DriftFindingSchema, line));
 * ```
 */
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

/**
 * The schema of {@linkcode DriftReport}.
 *
 * @example What `codexpipe drift --json` prints if nothing is new
 * ```ts
 * import { DriftReportSchema } from "@codexpipe/codexpipe/schema";
 * import { assert } from "@std/assert";
 * import * as v from "valibot";
 *
 * assert(v.is(DriftReportSchema, { findings: [], more: 0 }));
 * ```
 */
export const DriftReportSchema: v.GenericSchema<unknown, DriftReport> = v
  .looseObject({ findings: v.array(DriftFindingSchema), more: count });
