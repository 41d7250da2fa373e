/**
 * Says when Codex has changed what it writes: kinds of records, fields, types and words that no
 * release is known to write.
 *
 * What is known was made of what releases from 0.1 on wrote; another baseline can stand in its
 * place. Nothing here knows the platform: it is fed bytes.
 *
 * @example Compare what one release writes with what another one wrote
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
