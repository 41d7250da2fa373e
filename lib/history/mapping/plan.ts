/**
 * Plans: their steps, and the icon that says how far they are (B.10).
 *
 * @module
 */

import type { NewRecord, PlanStep, StepStatus } from "../records.ts";
import { fieldsOf, jsonTextOf, listOf, textOf } from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";
import type { CopySource } from "./pairing.ts";

const STATUSES: ReadonlyMap<unknown, StepStatus> = new Map([
  ["pending", "pending"],
  ["in_progress", "in_progress"],
  ["complete", "complete"],
  ["completed", "complete"],
  ["skipped", "skipped"],
]);

/**
 * Makes a record of a plan.
 *
 * @param name The name; a blank one becomes `Plan`.
 * @param items The steps, in any spelling: `step`, `title` or `text`, and a status or
 * `completed`.
 * @returns The record.
 */
export function planRecord(name: unknown, items: unknown): NewRecord {
  const steps = listOf(items).map(stepOf);
  const completed = steps.filter(({ status }) => status === "complete").length;
  const total = steps.length;
  return {
    type: "plan_update",
    payload: {
      name: textOf(name)?.trim() || "Plan",
      icon: { custom: iconOf(completed, total) },
      progress: { completed, total },
      steps,
    },
  };
}

/**
 * Shows a copy of a plan, unless the other copy has been shown: where everything is kept, the
 * call of a plan and its event are.
 *
 * @param context Where.
 * @param record The plan.
 * @param source Where the copy comes from.
 */
export function showPlanCopy(
  context: MappingContext,
  record: NewRecord,
  source: CopySource,
): void {
  const { pairing } = context.memory;
  const key = jsonTextOf(record.payload);
  if (pairing.match("plan", key, source) !== undefined) return;
  context.push(record);
  pairing.add("plan", key, { source });
}

function stepOf(item: unknown): PlanStep {
  const { step, title, text, status, completed } = fieldsOf(item);
  const description = [step, title, text].find((each) =>
    typeof each === "string"
  );
  return {
    description: textOf(description) ?? "",
    status: completed === true ? "complete" : STATUSES.get(status) ?? "pending",
  };
}

function iconOf(done: number, total: number): string {
  if (done === 0) return "progress-empty";
  if (done >= total) return "progress-complete";
  if (3 * done <= total) return "progress-start";
  return 3 * done < 2 * total ? "progress-mid" : "progress-late";
}
