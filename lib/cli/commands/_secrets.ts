/** Patterns and counts of secrets, for the commands that mask them. */

import { LinearPattern } from "../../redact/linear_pattern.ts";
import { Redactor } from "../../redact/redactor.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { UsageError } from "../endings.ts";

/** A character class, or an escape that is not needed. */
const ESCAPE_REGEXP = /\[(?:\\.|[^\]\\])*\]|\\[-!"#%&',:;<=>@`~ ]/g;

/** Compiles the patterns of `--redact-pattern`; refuses those that may exceed linear time. */
export function patternsOf(args: Arguments): LinearPattern[] {
  return args.values("redact-pattern").map((text) => {
    // Unicode mode rejects needless escapes such as `\-` outside of character classes.
    const pattern = text.replace(
      ESCAPE_REGEXP,
      (found) => found.startsWith("[") ? found : found.slice(1),
    );
    try {
      return new LinearPattern(pattern);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new UsageError(`--redact-pattern: ${error.message}`);
    }
  });
}

export function redactorOf(args: Arguments): Redactor | undefined {
  return args.has("no-redact")
    ? undefined
    : new Redactor({ patterns: patternsOf(args) });
}

export function addSecrets(
  counts: Map<string, number>,
  more: ReadonlyMap<string, number> = new Map(),
): void {
  for (const [kind, count] of more) {
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
}

/** Reports the number of masked secrets by kind, if there are any, unless `--quiet` is given. */
export function saySecrets(
  counts: ReadonlyMap<string, number>,
  { diagnostics }: CommandContext,
): void {
  if (counts.size === 0) return;
  let total = 0;
  for (const count of counts.values()) total += count;
  const kinds = [...counts].map(([kind, count]) => `${kind} ${count}`);
  diagnostics.remark(
    `masked ${total} secret${total === 1 ? "" : "s"}: ${kinds.join(", ")}`,
  );
}
