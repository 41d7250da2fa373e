/**
 * The steps of plans.
 *
 * @module
 */

import { type Fields, fieldsOf, listOf, textOf } from "../json/fields.ts";

/**
 * Reads the steps of a plan, in the spelling that events have (normalize.md P10).
 *
 * @param steps The steps: `step`, and a `status`.
 * @returns The steps: `title`, `completed`, and the word of the status.
 */
export function planSteps(steps: unknown): Fields[] {
  return listOf(steps).map((each) => {
    const { step, title, text, status, completed } = fieldsOf(each);
    const named = [step, title, text].find((name) => typeof name === "string");
    const isDone = status === "completed" || completed === true;
    return {
      title: textOf(named) ?? "",
      completed: isDone,
      ...(typeof status === "string" ? { status } : {}),
    };
  });
}
