/**
 * What of a transcript is written.
 *
 * @module
 */

import { checkedCount, checkedWord } from "../checked.ts";
import type { Redactor } from "../redact/redactor.ts";

/** The forms that a transcript can have. */
export const RENDER_FORMS = ["text", "markdown", "html", "github"] as const;

/** A form of a transcript. */
export type RenderForm = typeof RENDER_FORMS[number];

/** What may become of reasoning: left out, folded where a form can fold, or written. */
export const REASONING = ["omit", "fold", "include"] as const;

/** What becomes of reasoning. */
export type ReasoningChoice = typeof REASONING[number];

/**
 * What may become of work (commands, edits, tools): left out, only named, or with what went in
 * and came out.
 */
export const TOOLS = ["none", "names", "full"] as const;

/** What becomes of work. */
export type ToolsChoice = typeof TOOLS[number];

/**
 * What masks secrets: a {@linkcode Redactor}, or something that does the same. It is given texts
 * whole: before anything is cut off them and before they are escaped.
 */
export type TextRedactor = Pick<Redactor, "redact" | "redactMember">;

/** Masks nothing. */
export const NO_REDACTOR: TextRedactor = {
  redact: (text) => text,
  redactMember: (_name, text) => text,
};

/** Options of every renderer. */
export interface RenderOptions {
  /**
   * Masks secrets in every text before anything else is done to it.
   *
   * @default {NO_REDACTOR}
   */
  readonly redactor?: TextRedactor | undefined;
  /**
   * What becomes of reasoning. A summary for GitHub never has any.
   *
   * @default {"fold"} but for text, whose default is `include`
   */
  readonly reasoning?: ReasoningChoice | undefined;
  /**
   * What becomes of work.
   *
   * @default {"full"}
   */
  readonly tools?: ToolsChoice | undefined;
  /**
   * How many lines of each output are written at most; what is left out is said. 0 leaves out
   * all output.
   *
   * @default {Infinity} in Markdown, 5 in text, 2000 in HTML, and 20 in a summary for GitHub
   */
  readonly maxOutputLines?: number | undefined;
}

/** Options that have all been decided on. */
export type Decided<T> = { [K in keyof T]-?: Exclude<T[K], undefined> };

/**
 * Decides on the options of a renderer.
 *
 * @param usual What its form writes unless it is told otherwise.
 * @throws {RangeError} If `maxOutputLines` is no whole number from 0, or another option none of
 *   its words.
 */
export function decided(
  { redactor, reasoning, tools, maxOutputLines }: RenderOptions,
  usual: { readonly maxLines: number; readonly reasoning?: ReasoningChoice },
): Decided<RenderOptions> {
  const chosen = reasoning ?? usual.reasoning ?? "fold";
  return {
    redactor: redactor ?? NO_REDACTOR,
    reasoning: checkedWord("reasoning", chosen, REASONING),
    tools: checkedWord("tools", tools ?? "full", TOOLS),
    maxOutputLines: checkedCount(
      "maxOutputLines",
      maxOutputLines ?? usual.maxLines,
    ),
  };
}
