/** The findings of `codexpipe drift`, as data and as text. */

/** The dialects that are checked for drift. */
export type DriftDialect = "exec" | "rollout" | "app-server";

/**
 * The sort of difference.
 *
 * - `kind`: a kind of record that is not known.
 * - `field`: a field that is not known, in a known kind of record.
 * - `type`: another type of value in a known field.
 * - `word`: another word in a field that has one of a few words.
 * - `missing`: a kind of record that all sessions of the baseline had, and that is absent here.
 */
export type DriftChange = "kind" | "field" | "type" | "word" | "missing";

/**
 * How codexpipe treats a new part; see docs/drift.md.
 *
 * - `understood`: the types name the part, and its value matches them.
 * - `kept`: the part is passed on unchanged.
 * - `refused`: the line that holds it fails, and is kept as a failure.
 */
export type DriftTreatment = "understood" | "kept" | "refused";

/** One difference from the known format, as `codexpipe drift` reports it. */
export interface DriftFinding {
  /** The release that began the session, or that the server reports; null if there is none. */
  readonly release: string | null;
  /** The dialect. */
  readonly dialect: DriftDialect;
  /** The kind of record, such as `event_msg/token_count`. */
  readonly kind: string;
  /** The path in the record, such as `payload.info.window`; empty for a kind. */
  readonly path: string;
  /** The sort of difference. */
  readonly change: DriftChange;
  /** The types of the values, such as `integer`; empty for `missing`. */
  readonly types: readonly string[];
  /** The word; null if the finding is not about a word, `*` if the word may be user data. */
  readonly word: string | null;
  /** The first and the last release known to write the part; null if none is known. */
  readonly seen: readonly [first: string, last: string] | null;
  /** The number of occurrences; for `missing`, the number of sessions that lack the kind. */
  readonly count: number;
  /** The file of the first occurrence, or the first file that lacks the kind. */
  readonly file: string;
  /** The line of the first occurrence; null for `missing`. */
  readonly line: number | null;
  /** How codexpipe treats it; null for `missing`. */
  readonly treatment: DriftTreatment | null;
}

/** All findings, as `codexpipe drift --json` prints them. */
export interface DriftReport {
  /** The findings. */
  readonly findings: readonly DriftFinding[];
  /** The number of occurrences beyond those findings, past the limit of 10,000 findings. */
  readonly more: number;
}

/**
 * Formats a finding as one line of text.
 *
 * @param finding The finding.
 * @returns The line, without a line end.
 *
 * @example A new field
 * ```ts
 * import { DriftMeter, driftText } from "@codexpipe/codexpipe/drift";
 * import { assertEquals } from "@std/assert";
 *
 * const meter = new DriftMeter();
 * const source = meter.open("run.jsonl");
 * const line = '{"type":"thread.started","thread_id":"t","hue":1}\n';
 * source.feed(new TextEncoder().encode(line));
 * source.flush();
 *
 * assertEquals(
 *   meter.findings().map(driftText),
 *   ["run.jsonl:1: - exec thread.started hue: new field (integer), once: kept"],
 * );
 * ```
 */
export function driftText(finding: DriftFinding): string {
  const { release, dialect, kind, path, file, line, count } = finding;
  const where = line === null ? file : `${file}:${line}`;
  const subject = [release ?? "-", dialect, kind, path].filter((part) =>
    part !== ""
  ).join(" ");
  const times = count === 1 ? "once" : `${count} times`;
  const state = finding.change === "missing"
    ? `not in ${count === 1 ? "1 session" : `${count} sessions`}`
    : `${changeText(finding)}, ${times}: ${finding.treatment}`;
  return `${where}: ${subject}: ${state}`;
}

function changeText({ change, types, word, seen }: DriftFinding): string {
  const name = change === "type" && seen !== null ? "field" : change;
  const part = name === "kind"
    ? "kind of record"
    : `${name} ${name === "word" ? `"${word}"` : `(${types.join(", ")})`}`;
  return seen === null
    ? `new ${part}`
    : `${part} seen only in ${seen.join(" to ")}`;
}
