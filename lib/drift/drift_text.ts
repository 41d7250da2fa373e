/**
 * Findings of drift in words.
 *
 * @module
 */

import type { DriftFinding } from "./drift_finding.ts";

/**
 * Says a finding in one line, for people.
 *
 * @param finding The finding.
 * @returns The line, without its end.
 *
 * @example A field that is new
 * ```ts
 * import { driftText } from "@codexpipe/codexpipe/drift";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(
 *   driftText({
 *     release: "0.170.0",
 *     dialect: "rollout",
 *     kind: "event_msg/token_count",
 *     path: "payload.info.window",
 *     change: "field",
 *     types: ["integer"],
 *     word: null,
 *     seen: null,
 *     count: 2,
 *     file: "rollout.jsonl",
 *     line: 7,
 *     treatment: "kept",
 *   }),
 *   "rollout.jsonl:7: 0.170.0 rollout event_msg/token_count payload.info.window: " +
 *     "new field (integer), 2 times: kept",
 * );
 * ```
 */
export function driftText(finding: DriftFinding): string {
  const { release, dialect, kind, path, file, line, count } = finding;
  const where = line === null ? file : `${file}:${line}`;
  const what = [release ?? "-", dialect, kind, path].filter((part) =>
    part !== ""
  ).join(" ");
  const times = count === 1 ? "once" : `${count} times`;
  const said = finding.change === "missing"
    ? `not in ${count === 1 ? "1 session" : `${count} sessions`}`
    : `${changeText(finding)}, ${times}: ${finding.treatment}`;
  return `${where}: ${what}: ${said}`;
}

function changeText({ change, types, word, seen }: DriftFinding): string {
  const only = seen === null ? "" : ` seen only in ${seen.join(" to ")}`;
  const state = seen === null ? "new " : "";
  const list = types.join(", ");
  switch (change) {
    case "field":
      return `${state}field (${list})${only}`;
    case "type":
      return seen === null ? `new type (${list})` : `field (${list})${only}`;
    case "word":
      return `${state}word "${word ?? ""}"${only}`;
    default:
      return `${state}kind of record${only}`;
  }
}
