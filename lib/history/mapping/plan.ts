/**
 * Plans: their steps, and the icon that says how far they are (B.10).
 *
 * @module
 */

import type { NewRecord, PlanStep, StepStatus } from "../records.ts";
import { fieldsOf, listOf, textOf } from "./json_fields.ts";

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
  if (total === 0 || done === 0) return "progress-empty";
  if (done >= total) return "progress-complete";
  if (3 * done <= total) return "progress-start";
  return 3 * done < 2 * total ? "progress-mid" : "progress-late";
}
