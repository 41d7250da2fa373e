/** What is said of an input when it has been normalized. */

import type { JsonlNormalizer } from "../../pipeline/pipeline.ts";
import { countedText } from "../../render/quantity_text.ts";
import type { Stage } from "../../stage.ts";

/** What answers the lines of an input. */
export type LineStage<A = Uint8Array<ArrayBuffer>> =
  & Pick<
    JsonlNormalizer,
    "kind" | "engine" | "fastLines" | "failures" | "records"
  >
  & Required<Stage<Uint8Array, A>>;

/** What is known of the lines of an input that failed, beside how many there are. */
export interface FailureFacts {
  /** How many are records of failures that were reported in band. */
  inBand: number;
  /** How many were too long to be looked at. */
  tooLong: number;
  /** How many belong to a thread that nothing names. */
  threadless: number;
}

/** What an input was read as, how many lines it had, and what answered them. */
export function summaryOf(normalizer: LineStage<unknown>): string {
  const { kind, failures, records } = normalizer;
  const dialect = kind === undefined ? "" : `${kind}, `;
  const failed = countedText(failures, "failed line");
  const good = countedText(records, "record");
  return `${dialect}${good}, ${failed}; ${engineOf(normalizer)}`;
}

/** Which engine ran, and how much of the work it did. */
function engineOf(
  { engine, fastLines, records, failures }: LineStage<unknown>,
): string {
  if (engine === "js") return "engine js";
  // Not rounded up: what looks like all of them is all of them.
  const thousandth = Math.floor(1000 * fastLines / (records + failures || 1));
  return `engine wasm, ${(thousandth / 10).toFixed(1)} % of the lines`;
}

/**
 * What to say of an input most of whose lines failed.
 *
 * @returns What may help, if there is something.
 */
export function hintOf(
  { kind, failures, records }: LineStage<unknown>,
  { inBand, tooLong, threadless }: Readonly<FailureFacts>,
): string | undefined {
  const lines = failures + records;
  switch (kind) {
    case undefined:
      return inBand + tooLong > 0
        ? undefined
        : "no line is a JSON object; is it a Codex log?";
    case "exec": {
      const failed =
        `${failures} of ${lines} lines failed when read as exec; if `;
      return failed +
        (2 * threadless > failures
          ? "the log was cut at its start, say --thread-id=ID"
          : "it is a session file, say --from=rollout");
    }
    case "rollout":
      return `${failures} of ${lines} lines failed when read as rollout; if codex exec printed it, say --from=exec`;
    default:
      // Each of its lines was said to be what it is.
      return undefined;
  }
}
