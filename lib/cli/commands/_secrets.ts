/**
 * Secrets, for the commands that mask them.
 */

import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { refuseIdleFlags } from "../idle_flags.ts";

/**
 * Makes the patterns that the flags ask for: with the Unicode rules, or, if such a one is none
 * under them, without.
 *
 * @param args What the command was called with.
 * @returns The patterns, in order.
 */
export function patternsOf(args: Arguments): RegExp[] {
  return args.values("redact-pattern").map((pattern) => {
    try {
      return new RegExp(pattern, "u");
    } catch {
      return new RegExp(pattern);
    }
  });
}

/**
 * Refuses patterns that would mask nothing. It is called before any file is opened to be
 * written.
 *
 * @param args What the command was called with.
 * @throws {UsageError} If there are some, and nothing is to be masked.
 */
export function refuseIdlePatterns(args: Arguments): void {
  if (!args.has("no-redact")) return;
  refuseIdleFlags(args, ["redact-pattern"], "with --no-redact");
}

/**
 * Says how many secrets were masked, by kind, if there were any.
 *
 * @param counts How many of each kind.
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
