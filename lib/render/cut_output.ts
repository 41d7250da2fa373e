/**
 * Output that is too long.
 *
 * @module
 */

import { checkedCount } from "../checked.ts";

/** Output, or what is left of it. */
export interface CutOutput {
  /** The lines before the gap; all of them if nothing was cut. */
  readonly head: readonly string[];
  /** How many lines were left out. */
  readonly omitted: number;
  /** The lines behind the gap. */
  readonly tail: readonly string[];
}

/** How long output is cut. */
export interface CutOptions {
  /** How many lines remain at most; of one more, all remain, unless it is 0. */
  readonly maxLines: number;
  /** Which lines remain: the last ones, or half from the beginning and half from the end. */
  readonly keep: "both" | "end";
}

/**
 * Splits output into lines and cuts it to a length.
 *
 * A line feed at the end makes no line of its own. Output of nothing but white space is none.
 *
 * @param text The output.
 * @param options How long it may be.
 * @returns Its lines.
 * @throws {RangeError} If `maxLines` is no whole number from 0.
 *
 * @example Half from both ends
 * ```ts
 * import { cutOutput } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(cutOutput("1\n2\n3\n4\n5\n", { maxLines: 3, keep: "both" }), {
 *   head: ["1"],
 *   omitted: 2,
 *   tail: ["4", "5"],
 * });
 * ```
 */
export function cutOutput(
  text: string,
  { maxLines, keep }: CutOptions,
): CutOutput {
  checkedCount("maxLines", maxLines);
  if (text.trim() === "") return { head: [], omitted: 0, tail: [] };
  const lines = text.replace(/\r?\n$/, "").split("\n");
  // That a line is left out would take one, too.
  const isShort = lines.length <= maxLines + (maxLines > 0 ? 1 : 0);
  if (isShort) return { head: lines, omitted: 0, tail: [] };
  const kept = keep === "end" ? 0 : Math.floor(maxLines / 2);
  const end = lines.length - (maxLines - kept);
  return {
    head: lines.slice(0, kept),
    omitted: end - kept,
    tail: lines.slice(end),
  };
}
