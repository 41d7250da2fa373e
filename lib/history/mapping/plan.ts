/**
 * Plans: their steps, and the icon that says how far they are (B.10).
 *
 * @module
 */

import type { NewRecord, PlanStep, StepStatus } from "../records.ts";
import type { CallIds, FoldContext } from "./fold_context.ts";
import {
  type Fields,
  fieldsOf,
  jsonTextOf,
  listOf,
  textOf,
} from "../../json/fields.ts";

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
export function planRecord(
  name: unknown,
  items: unknown,
): Extract<NewRecord, { readonly type: "plan_update" }> {
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

/** What a plan takes the place of. */
const PLAN_TYPES: ReadonlySet<string> = new Set(["plan_update"]);

/** Shows a plan, in its place; an end that says nothing else changes nothing. */
export function showPlan(
  context: FoldContext,
  call: CallIds,
  { name, items }: Fields,
  { isEnd }: { readonly isEnd: boolean },
): void {
  const record = planRecord(name, items);
  const known = context.recordOf(call);
  const isTold = isEnd && known?.type === "plan_update" &&
    jsonTextOf(known.payload.steps) === jsonTextOf(record.payload.steps);
  if (!isTold) context.showCall(call, record, PLAN_TYPES);
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
