/** Options that all renderers share. */

import { checkedCount, checkedWord, checkText } from "../checked.ts";
import type { Redactor } from "../redact/redactor.ts";

/** The output forms of a transcript. */
export const RENDER_FORMS = ["text", "markdown", "html", "github"] as const;

/** An output form of a transcript. */
export type RenderForm = typeof RENDER_FORMS[number];

/** The choices for reasoning: left out, folded where the form can fold, or written in full. */
export const REASONING = ["omit", "fold", "include"] as const;

/** Whether reasoning is left out, folded or written in full. */
export type ReasoningChoice = typeof REASONING[number];

/**
 * The choices for work (commands, edits, tools): left out, named in one line each, or written in
 * full with input and output.
 */
export const TOOLS = ["none", "names", "full"] as const;

/** Whether work (commands, edits, tools) is left out, named or written in full. */
export type ToolsChoice = typeof TOOLS[number];

/**
 * Masks secrets: a {@linkcode Redactor}, or an object with the same methods. It receives whole
 * texts, before they are cut or escaped.
 */
export type TextRedactor = Pick<Redactor, "redact" | "redactMember">;

/** Masks nothing. Throws a `TypeError` for what is no text, as a {@linkcode Redactor} does. */
export const NO_REDACTOR: TextRedactor = {
  redact: asText,
  redactMember: (_name, text) => asText(text),
};

function asText(text: string): string {
  checkText(text);
  return text;
}

/** Options of every renderer. */
export interface RenderOptions {
  /**
   * Masks secrets in every text before the renderer does anything else with it.
   *
   * @default {undefined} Nothing is masked.
   */
  readonly redactor?: TextRedactor | undefined;
  /**
   * Whether reasoning is left out, folded or written in full. A summary for GitHub never has any.
   *
   * @default {"fold"} except for text, where it is `include`
   */
  readonly reasoning?: ReasoningChoice | undefined;
  /**
   * Whether work (commands, edits, tools) is left out, named or written in full.
   *
   * @default {"full"}
   */
  readonly tools?: ToolsChoice | undefined;
  /**
   * The maximum number of lines written of each output. The number of lines left out is noted. 0
   * leaves out all output.
   *
   * @default {Infinity} in Markdown, 5 in text, 2000 in HTML, and 20 in a summary for GitHub
   */
  readonly maxOutputLines?: number | undefined;
}

/** Options with all defaults filled in. */
export type Decided<T> = { [K in keyof T]-?: Exclude<T[K], undefined> };

/** Checks the options of a renderer and fills in the defaults of its form. */
export function decided(
  { redactor, reasoning, tools, maxOutputLines }: RenderOptions,
  defaults: { readonly maxLines: number; readonly reasoning?: ReasoningChoice },
): Decided<RenderOptions> {
  const chosen = reasoning ?? defaults.reasoning ?? "fold";
  return {
    redactor: redactor ?? NO_REDACTOR,
    reasoning: checkedWord("reasoning", chosen, REASONING),
    tools: checkedWord("tools", tools ?? "full", TOOLS),
    maxOutputLines: checkedCount(
      "maxOutputLines",
      maxOutputLines ?? defaults.maxLines,
    ),
  };
}
