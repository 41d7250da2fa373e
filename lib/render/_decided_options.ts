/**
 * Options of renderers when nothing is left open: each is what was given, or the default.
 */

import { checkedCount, checkedWord } from "../checked.ts";
import {
  REASONING,
  type ReasoningChoice,
  type RenderOptions,
  TOOLS,
  type ToolsChoice,
} from "./render_options.ts";

/** Options that have all been decided on. */
export type Decided<T> = { [K in keyof T]-?: Exclude<T[K], undefined> };

/**
 * Says what becomes of reasoning.
 *
 * @throws {RangeError} If the option is none of its words.
 */
export function reasoningOf(
  { reasoning }: RenderOptions,
  usual: ReasoningChoice = "fold",
): ReasoningChoice {
  return checkedWord("reasoning", reasoning ?? usual, REASONING);
}

/**
 * Says what becomes of work.
 *
 * @throws {RangeError} If the option is none of its words.
 */
export function toolsOf({ tools }: RenderOptions): ToolsChoice {
  return checkedWord("tools", tools ?? "full", TOOLS);
}

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
