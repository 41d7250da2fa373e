/** Secrets, for the commands that mask them. */

import { LinearPattern } from "../../redact/linear_pattern.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { UsageError } from "../endings.ts";

/** A class of characters, or an escape that has no meaning of its own. */
const ESCAPE_REGEXP = /\[(?:\\.|[^\]\\])*\]|\\[-!"#%&',:;<=>@`~ ]/g;

/**
 * Makes the patterns that the flags ask for.
 *
 * @returns The patterns, in order.
 * @throws {UsageError} If one could hang; the message says why.
 */
export function patternsOf(args: Arguments): LinearPattern[] {
  return args.values("redact-pattern").map((given) => {
    // The Unicode rules know no `\-` but in a class, where it is needed.
    const pattern = given.replace(
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

/** Adds how many secrets were masked, by kind, to what was counted before. */
export function addSecrets(
  counts: Map<string, number>,
  more: ReadonlyMap<string, number> = new Map(),
): void {
  for (const [kind, count] of more) {
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
}

/**
 * Says how many secrets were masked, by kind, if there were any.
 *
 * @param args What the command was called with: it may be quiet.
 * @param context Says it.
 */
export function saySecrets(
  counts: ReadonlyMap<string, number>,
  args: Arguments,
  { diagnostics }: CommandContext,
): void {
  if (counts.size === 0 || args.has("quiet")) return;
  let total = 0;
  for (const count of counts.values()) total += count;
  const kinds = [...counts].map(([kind, count]) => `${kind} ${count}`);
  diagnostics.say(
    `masked ${total} secret${total === 1 ? "" : "s"}: ${kinds.join(", ")}`,
  );
}
