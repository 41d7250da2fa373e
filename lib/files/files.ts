/**
 * Opens files, packed or not, on Deno, Node and Bun.
 *
 * @example The lines of a packed session file
 * ```ts
 * import { decodeEvents } from "@codexpipe/codexpipe";
 * import { openStream } from "@codexpipe/codexpipe/files";
 * import { assertEquals } from "@std/assert";
 *
 * const path = "testdata/captures/0.169.0/compressed/" +
 *   "rollout-2026-11-20T16-12-04-01a1f9ba-b201-7f30-bb3e-ae4332b1861a.jsonl.zst";
 * const types = new Set<string>();
 * const stream = await openStream(path);
 * for await (const outcome of decodeEvents(stream, { from: "rollout" })) {
 *   if (outcome.ok) types.add(outcome.value.type);
 * }
 *
 * assertEquals(types.has("thread.started"), true);
 * ```
 *
 * @module
 */

export {
  type ByteSource,
  PackedDataError,
  type PackedFormat,
} from "./byte_source.ts";
export { decompressed, type DecompressOptions } from "./decompress.ts";
export {
  type ChangeWaiter,
  FileChanges,
  type FileChangesOptions,
} from "./file_changes.ts";
export { follow, type FollowChange, type FollowOptions } from "./follow.ts";
export * from "./open.ts";
