/**
 * Judges runs of Codex, for CI: whether the work was done, independent of the exit status of the
 * release.
 *
 * @example A run that failed
 * ```ts
 * import { VerdictBuilder } from "@codexpipe/codexpipe/check";
 * import { assertEquals } from "@std/assert";
 *
 * const log = '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n' +
 *   '{"type":"turn.failed","error":{"message":"No such model"}}\n';
 * const builder = new VerdictBuilder();
 * builder.feed(new TextEncoder().encode(log), () => {});
 * builder.flush(() => {});
 * const { isPassed, reasons } = builder.verdict;
 *
 * assertEquals(isPassed, false);
 * assertEquals(reasons, [
 *   { kind: "turn_failed", message: "turn 1 failed: No such model", line: 3 },
 * ]);
 * ```
 *
 * @module
 */

export * from "./happenings.ts";
export * from "./verdict.ts";
export { VerdictBuilder, type VerdictOptions } from "./verdict_builder.ts";
