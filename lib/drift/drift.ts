/**
 * Reports changes in the format of Codex: kinds of records, fields, types and words that no known
 * release writes.
 *
 * The known format was recorded from releases from 0.1 on; another baseline can replace it. The
 * module takes bytes, and uses nothing of the platform.
 *
 * @example Compare the output of one release with that of another
 * ```ts
 * import { DriftMeter } from "@codexpipe/codexpipe/drift";
 * import { assertEquals } from "@std/assert";
 *
 * const bytes = (text: string) => new TextEncoder().encode(text);
 * const recorder = new DriftMeter({ isRecording: true });
 * const before = recorder.open("before.jsonl");
 * before.feed(bytes('{"type":"thread.started","thread_id":"t"}\n'));
 * before.flush();
 *
 * const meter = new DriftMeter({ baseline: recorder.baseline() });
 * const after = meter.open("after.jsonl");
 * after.feed(bytes('{"type":"thread.started","thread_id":7}\n'));
 * after.flush();
 * const [finding] = meter.findings();
 *
 * assertEquals(finding?.path, "thread_id");
 * assertEquals(finding?.change, "type");
 * assertEquals(finding?.types, ["integer"]);
 * ```
 *
 * @module
 */

export * from "./drift_finding.ts";
export * from "./drift_meter.ts";
