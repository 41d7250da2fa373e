/**
 * Options of renderers when nothing is left open: each is what was given, or the default.
 */

import { checkedWord } from "../checked.ts";
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
