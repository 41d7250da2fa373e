/** Outputs of a GitHub Actions step, for later steps of the job. */

import { cutText } from "./cut_text.ts";
import { githubOutput } from "./github_commands.ts";
import type { TurnStatus, TurnUsage } from "./parts.ts";

/** The longest final message that is written as an output, in UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 400_000;

/**
 * The longest thread id that is written as an output, in UTF-16 code units. A longer value is not
 * an id, and would use up the size that GitHub allows for the outputs of a job.
 */
const MAX_ID_LENGTH = 1000;

/** The verdict on a run. */
export interface GithubVerdict {
  /** Whether the run is good. */
  readonly isPassed: boolean;
  /** The verdict in one line. */
  readonly title: string;
  /** The reasons for the verdict, one line each. */
  readonly reasons: readonly string[];
  /**
   * Parts of the input that no known release of Codex writes, one line each; `undefined` if the
   * input was not compared with known releases.
   */
  readonly drift?: readonly string[] | undefined;
}

/** The facts of a run that a step can hand to later steps. */
export interface GithubReport {
  /** The id of the thread; `null` if unknown. */
  readonly threadId: string | null;
  /** The status of the last turn; `null` if there was none. */
  readonly status: TurnStatus | null;
  /** The tokens of all turns; `null` if no turn has token counts. */
  readonly usage:
    | { readonly [Kind in keyof TurnUsage]: number | bigint | null }
    | null;
  /** The last message of the agent; `null` if there was none. */
  readonly finalMessage: string | null;
}

/**
 * Writes the outputs of a step, for the file that `GITHUB_OUTPUT` names: `thread-id`, `status`,
 * `verdict` (`passed` or `failed`, if there is a verdict), `input-tokens`, `cached-input-tokens`,
 * `output-tokens`, `reasoning-output-tokens` and `final-message`.
 *
 * Unknown values are left out, and so is an id of more than 1,000 characters. A message is cut
 * after 400,000 characters: GitHub allows at most 1 MB of outputs per job.
 *
 * @param report The facts of the run.
 * @param verdict The verdict on the run, if there is one.
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
  verdict?: Pick<GithubVerdict, "isPassed">,
): string {
  const { threadId, status, usage, finalMessage } = report;
  const values = {
    "thread-id": (threadId ?? "").length > MAX_ID_LENGTH ? null : threadId,
    status,
    verdict: verdict && (verdict.isPassed ? "passed" : "failed"),
    "input-tokens": usage?.input_tokens,
    "cached-input-tokens": usage?.cached_input_tokens,
    "output-tokens": usage?.output_tokens,
    "reasoning-output-tokens": usage?.reasoning_output_tokens,
    "final-message": finalMessage && cutText(finalMessage, MAX_MESSAGE_LENGTH),
  };
  return Object.entries(values).map(([name, value]) =>
    value === null || value === undefined
      ? ""
      : githubOutput(name, String(value))
  ).join("");
}
