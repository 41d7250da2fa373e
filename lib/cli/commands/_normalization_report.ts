/** Messages about an input after it was processed. */

import type { JsonlNormalizer } from "../../pipeline/pipeline.ts";
import { countedText } from "../../render/quantity_text.ts";
import type { Stage } from "../../stage.ts";

/** A stage that processes the lines of an input. */
export type LineStage<A = Uint8Array<ArrayBuffer>> =
  & Pick<
    JsonlNormalizer,
    "kind" | "engine" | "fastLines" | "failures" | "records"
  >
  & Required<Stage<Uint8Array, A>>;

/** Counts of failed lines by cause. */
export interface FailureFacts {
  /** Failures of an earlier run: `line.failed` records in the input. */
  inBand: number;
  tooLong: number;
  /** Lines without a thread id, before any line that names one. */
  threadless: number;
  /** Lines that are not JSON in any dialect. */
  notJson: number;
}

/** The summary of an input: dialect, counts of lines, and engine. */
export function summaryOf(normalizer: LineStage<unknown>): string {
  const { kind, failures, records } = normalizer;
  const dialect = kind === undefined ? "" : `${kind}, `;
  const failed = countedText(failures, "failed line");
  const good = countedText(records, "record");
  return `${dialect}${good}, ${failed}; ${engineOf(normalizer)}`;
}

/** The engine, and the share of lines that it processed. */
function engineOf(
  { engine, fastLines, records, failures }: LineStage<unknown>,
): string {
  if (engine === "js") return "engine js";
  // Rounded down, so that 100 % means all lines.
  const thousandth = Math.floor(1000 * fastLines / (records + failures || 1));
  return `engine wasm, ${(thousandth / 10).toFixed(1)} % of the lines`;
}

/** Writes a hint for an input most of whose lines failed, if there is advice. */
export function hintOf(
  { kind, failures, records }: LineStage<unknown>,
  { inBand, tooLong, threadless, notJson }: Readonly<FailureFacts>,
): string | undefined {
  const lines = failures + records;
  if (kind !== undefined && 2 * notJson >= failures) {
    return `${notJson} of ${lines} lines are not JSON; leave stderr out of the log (no 2>&1), or write its objects one per line with jq -c .`;
  }
  switch (kind) {
    case undefined:
      return inBand + tooLong > 0
        ? undefined
        : "no line is a JSON object; is it a Codex log? If so, remove the text before each object with sed 's/^[^{]*//', or write its objects one per line with jq -c .";
    case "exec": {
      const failed =
        `${failures} of ${lines} lines failed when read as exec; if `;
      return failed +
        (2 * threadless > failures
          ? "the beginning of the log was cut off, use --thread-id=ID"
          : "it is a session file, use --from=rollout; if an app-server wrote it, --from=app-server; if another program wrapped its lines, unwrap them with jq -rc .FIELD");
    }
    case "rollout":
      return `${failures} of ${lines} lines failed when read as rollout; if codex exec printed it, use --from=exec`;
    default:
      // The user chose this kind of input.
      return undefined;
  }
}
