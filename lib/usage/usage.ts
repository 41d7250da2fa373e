/**
 * Counts the tokens that Codex used, each request once: per turn, thread, model, day and
 * directory, from exec streams and session files of every release.
 *
 * Releases count differently, and write the same count more than once;
 * {@link https://github.com/codexpipe/codexpipe/blob/main/docs/usage.md | docs/usage.md}
 * explains how each number is derived, and {@linkcode UsageMeter.derivations} lists it line by
 * line. The module takes bytes and uses no API of a platform.
 *
 * @example The tokens of a stream, by thread
 * ```ts
 * import { groupUsage, UsageMeter } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * const log = `{"type":"thread.started","thread_id":"t"}
 * {"type":"turn.started"}
 * {"type":"turn.completed","usage":{"input_tokens":2500,"output_tokens":80}}
 * `;
 * const meter = new UsageMeter();
 * const source = meter.open("run.jsonl");
 * source.feed(new TextEncoder().encode(log), () => {});
 * source.flush(() => {});
 * const [group] = groupUsage(meter.rows(), ["thread"]);
 *
 * assertEquals(group?.row.thread_id, "t");
 * assertEquals(group?.tokens.total_tokens, 2580n);
 * ```
 *
 * @module
 */

export {
  addTokens,
  NO_TOKENS,
  TOKEN_KINDS,
  type TokenKind,
  type Tokens,
  type UsageRow,
} from "./tokens.ts";
export * from "./usage_names.ts";
export {
  type UsageCounts,
  UsageMeter,
  type UsageMeterOptions,
  type UsageSource,
  type UsageSourceOptions,
} from "./usage_meter.ts";
export * from "./usage_groups.ts";
export * from "./derivations.ts";
export { PriceList, type UsageCost } from "./prices.ts";
export * from "./usage_records.ts";
