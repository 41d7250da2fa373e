/**
 * Lines of JSONL with any content: splitting, numbering and writing them, and the records of failed
 * lines.
 *
 * @example The lines that an earlier run could not read
 * ```ts
 * import { LineSplitter, type LineFailed } from "@codexpipe/codexpipe/lines";
 * import { assertEquals } from "@std/assert";
 *
 * const errors = '{"type":"line.failed","line":7,"offset":90,' +
 *   '"error":{"kind":"json","message":"Cannot parse the line"},"raw":"{"}\n';
 * const raws: (string | undefined)[] = [];
 * new LineSplitter().feed(new TextEncoder().encode(errors), (outcome) => {
 *   const failed: LineFailed | false = outcome.ok && JSON.parse(outcome.value);
 *   if (failed) raws.push(failed.raw);
 * });
 *
 * assertEquals(raws, ["{"]);
 * ```
 *
 * @module
 */

export {
  LineSplitter,
  type LineSplitterOptions,
  LineSplitterStream,
} from "./line_splitter.ts";
export * from "./line_numberer.ts";
export * from "./jsonl_encoder.ts";
export type { FailureView, LineFailed } from "./failures.ts";
export { FAILURE_KINDS } from "../errors.ts";
export { DEFAULT_MAX_LINE_BYTES, MAX_LINE_BYTES } from "./line_framer.ts";
