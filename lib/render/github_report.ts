/**
 * What a step of GitHub Actions tells later ones.
 *
 * @module
 */

import { cutText } from "./cut_text.ts";
import { githubOutput } from "./github_commands.ts";
import type { TurnStatus, TurnUsage } from "./parts.ts";

/** How many characters of the final message are an output of the step. */
const MAX_MESSAGE_LENGTH = 400_000;

/**
 * How long the id of a thread is at most, in UTF-16 code units: a longer one is none, and would
 * fill what a job may say.
 */
const MAX_ID_LENGTH = 1000;

/** What is known of a run. */
export interface GithubVerdict {
  /** Whether the run is good. */
  readonly isPassed: boolean;
  /** The verdict, in a line. */
  readonly title: string;
  /** Why, a line each. */
  readonly reasons: readonly string[];
  /** What no known release of Codex writes, a line each; none if it was not looked for. */
  readonly drift?: readonly string[] | undefined;
}

/** What a step can tell later ones of a run. */
export interface GithubReport {
  /** The id of the thread; `null` if it is not known. */
  readonly threadId: string | null;
  /** How the last turn ended; `null` if there was none. */
  readonly status: TurnStatus | null;
  /** The tokens of all turns; `null` if no turn says how many, or runs of a thread repeat some. */
  readonly usage: TurnUsage | null;
  /** What was said last; `null` if nothing was. */
  readonly finalMessage: string | null;
}

/**
 * Writes what a step can tell later ones, for the file that `GITHUB_OUTPUT` names: `thread-id`,
 * `status`, `verdict` (`passed` or `failed`, if there is one), `input-tokens`,
 * `cached-input-tokens`, `output-tokens`, `reasoning-output-tokens` and `final-message`. What is
 * not known is left out, and so is an id of more than 1,000 characters. Of a message only the first
 * 400,000 characters are given: GitHub takes no more than 1 MB.
 *
 * @param report What is known of the run.
 * @param verdict What is known of it.
 * @returns The lines to append to the file.
 *
 * @example The message of a run
 * ```ts
 * import { githubOutputs } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * const outputs = githubOutputs({
 *   threadId: null,
 *   status: "completed",
 *   usage: null,
 *   finalMessage: "Done.",
 * });
 *
 * assertEquals(
 *   outputs,
 *   "status<<codexpipe_end\ncompleted\ncodexpipe_end\n" +
 *     "final-message<<codexpipe_end\nDone.\ncodexpipe_end\n",
 * );
 * ```
 */
export function githubOutputs(
  report: GithubReport,
  verdict?: GithubVerdict,
): string {
  const { threadId, status, usage, finalMessage } = report;
  const values: [name: string, value: string | number | null | undefined][] = [
    [
      "thread-id",
      threadId && threadId.length > MAX_ID_LENGTH ? null : threadId,
    ],
    ["status", status],
    ["verdict", verdict && (verdict.isPassed ? "passed" : "failed")],
    ["input-tokens", usage?.input_tokens],
    ["cached-input-tokens", usage?.cached_input_tokens],
    ["output-tokens", usage?.output_tokens],
    ["reasoning-output-tokens", usage?.reasoning_output_tokens],
    [
      "final-message",
      finalMessage && cutText(finalMessage, MAX_MESSAGE_LENGTH),
    ],
  ];
  return values.map(([name, value]) =>
    value === null || value === undefined
      ? ""
      : githubOutput(name, String(value))
  ).join("");
}
