/**
 * The families of dialects, and their rules.
 *
 * @module
 */

import { ExecRules, type InitialContext } from "./exec/exec_rules.ts";
import type { LineRules } from "./json/line_rules.ts";

/**
 * A family of dialects: `exec` is what `codex exec --json` has printed since 0.8, in all
 * its spellings; `auto` finds out.
 */
export type Dialect = "auto" | "exec";

/** The names of the families, for options and messages. */
export const DIALECTS: readonly Dialect[] = ["auto", "exec"];

/** What the rules of a stream begin with. */
export interface RulesOptions extends InitialContext {}

/**
 * Gives the rules for a stream.
 *
 * @param dialect The family.
 * @param options The context to begin with.
 * @returns New rules.
 */
export function rulesFor(dialect: Dialect, options: RulesOptions): LineRules {
  switch (dialect) {
    case "auto":
    case "exec":
      return new ExecRules(options);
  }
}
