/**
 * Types for the lines of session files (`rollout-*.jsonl`), as Codex writes them. `decodeRecords()`
 * reads such lines; `decodeEvents()` reads the same files as events.
 *
 * @example The folder that a session began in
 * ```ts
 * import { decodeRecords } from "@codexpipe/codexpipe";
 * import { isOfType } from "@codexpipe/codexpipe/rollout";
 * import { openStream } from "@codexpipe/codexpipe/files";
 * import { assertEquals } from "@std/assert";
 *
 * const path = "testdata/captures/0.44.0/msg/" +
 *   "rollout-2026-11-20T15-30-37-01a1f994-bf38-7b30-a5b6-37341edadf48.jsonl";
 * const folders: (string | null | undefined)[] = [];
 * for await (const { value: line } of decodeRecords(await openStream(path), { from: "rollout" })) {
 *   if (line && isOfType(line, "session_meta")) folders.push(line.payload.cwd);
 * }
 *
 * assertEquals(folders, ["/home/dev/proj"]);
 * ```
 *
 * @module
 */

export type { Decoded, DecodedValue, Undecoded } from "../decoded.ts";
export type * from "./lines.ts";
export { isKnownRolloutLine } from "./lines.ts";
export * from "./of_type.ts";
export type * from "./token_counts.ts";
export type * from "./response_items.ts";
export { isKnownResponseItem } from "./response_items.ts";
export type * from "./event_msgs.ts";
export { isKnownEventMsg } from "./event_msgs.ts";
export type * from "./turn_items.ts";
export { isKnownTurnItem } from "./turn_items.ts";
export type * from "./call_details.ts";
export { decodeRolloutLine, isRolloutLine } from "./decoder.ts";
export type { RolloutContext } from "./rollout_rules.ts";
