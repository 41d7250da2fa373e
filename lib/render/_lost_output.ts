/**
 * What is said of output that the history does not have: the same in every form.
 */

import { countedText } from "./quantity_text.ts";

/** What is said behind an answer of a tool of which the history has only the beginning. */
export const NO_MORE_RESULT = "the history keeps no more of it";

/**
 * Says how much of the output of a command the history did not keep.
 *
 * @param bytes How many bytes; not 0.
 */
export function lostOutput(bytes: number): string {
  return `${countedText(bytes, "byte")} of output not kept`;
}
