/**
 * How much of each output is written.
 */

import { checkedCount } from "../checked.ts";
import type { RenderOptions } from "./render_options.ts";

/**
 * Gives how many lines of each output are written at most.
 *
 * @param options The options of a renderer.
 * @param usual What its form writes unless it is told otherwise.
 * @throws {RangeError} If it is no whole number from 0.
 */
export function outputLines(
  { maxOutputLines }: RenderOptions,
  usual: number,
): number {
  return checkedCount("maxOutputLines", maxOutputLines ?? usual);
}
