/** What a finding of drift says. */

/** The dialects that drift is looked for in. */
export type DriftDialect = "exec" | "rollout" | "app-server";

/**
 * What is new.
 *
 * - `kind`: a kind of record.
 * - `field`: a field, in a kind of record that is known.
 * - `type`: another type of value in a field that is known.
 * - `word`: another word where only some are known.
 * - `missing`: a kind of record that all sessions of the baseline had is not there.
 */
export type DriftChange = "kind" | "field" | "type" | "word" | "missing";

/**
 * What codexpipe does with what is new; see docs/drift.md.
 *
 * - `understood`: its types name it, and its value is as they say.
 * - `kept`: it is passed on as it is.
 * - `refused`: the line that it is on fails, and is kept as a failure.
 */
export type DriftTreatment = "understood" | "kept" | "refused";

/** One thing that is new, as `codexpipe drift` tells it. */
export interface DriftFinding {
  /** The release that began the session, or that the server says it is; null if none is said. */
  readonly release: string | null;
  /** The dialect. */
  readonly dialect: DriftDialect;
  /** The kind of record, such as `event_msg/token_count`. */
  readonly kind: string;
  /** The way to it in the record, such as `payload.info.window`; empty for a kind. */
  readonly path: string;
  /** What is new. */
  readonly change: DriftChange;
  /** The types of the values, such as `integer`; none for what is missing. */
  readonly types: readonly string[];
  /** The word; null if it is not about one, `*` if it could be somebody's. */
  readonly word: string | null;
  /** The first and the last release that wrote it, if others did; null if none did. */
  readonly seen: readonly [first: string, last: string] | null;
  /** How often it is there; of what is missing, in how many sessions it is not. */
  readonly count: number;
  /** The file where it is first, or where it is missing. */
  readonly file: string;
  /** The line there; null if it is missing. */
  readonly line: number | null;
  /** What codexpipe does with it; null for what is missing. */
  readonly treatment: DriftTreatment | null;
}

/** What is new, as `codexpipe drift --json` prints it. */
export interface DriftReport {
  /** The findings. */
  readonly findings: readonly DriftFinding[];
  /** How many there are beyond those. */
  readonly more: number;
}

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
