/**
 * How long commands took, as their output says it.
 *
 * @module
 */

import { type Fields, fieldsOf } from "../history/mapping/json_fields.ts";
import { readToolOutput } from "../history/mapping/tool_output.ts";
import type { HistoryMutation } from "../history/mutations.ts";

/** How much is looked at, at either end of an output, to see whether it has to be read. */
const END_LENGTH = 1000;
/** A duration that is not nothing: in the header of a text, or in JSON behind it. */
const DURATION_REGEXP =
  /(?:Wall time: |"duration_seconds":\s*)(?!0(?:\.0+)?(?![\d.]))\d/;

/**
 * Reads how long a command took that an event ends.
 *
 * Up to 0.58 the call is written together with its output, so that the times of the two lines do
 * not tell it.
 *
 * @param event The event.
 * @param mutations What it has changed.
 * @returns The milliseconds; `undefined` if it ends no command, or does not say.
 */
export function readSaidDuration(
  { type, payload }: Fields,
  mutations: readonly HistoryMutation[],
): number | undefined {
  if (type !== "response_item" || !mutations.some(changesCommand)) {
    return undefined;
  }
  const { output } = fieldsOf(payload);
  if (typeof output === "string" && !saysMore(output)) return undefined;
  const { seconds } = readToolOutput(output);
  // It is rounded to tenths: nothing may be anything.
  return seconds === null || !(seconds > 0)
    ? undefined
    : Math.round(seconds * 1000);
}

/** Tells whether a text may say a duration other than nothing, without reading all of it. */
function saysMore(output: string): boolean {
  const ends = output.length > 2 * END_LENGTH
    ? output.slice(0, END_LENGTH) + output.slice(-END_LENGTH)
    : output;
  return DURATION_REGEXP.test(ends);
}

function changesCommand(mutation: HistoryMutation): boolean {
  return mutation.type === "replaced" && mutation.record.type === "exec";
}
