/** Usage as JSON records. */

import { explainRule, type UsageDerivation } from "./derivations.ts";
import type { UsageCost } from "./prices.ts";
import { TOKEN_KINDS, type Tokens, type UsageRow } from "./tokens.ts";
import type { UsageGroup } from "./usage_groups.ts";
import type { UsageKey } from "./usage_names.ts";

/** Token counts in JSON: whole numbers of 64 bits, which JavaScript rounds beyond 2^53. */
export type TokenFields = { readonly [Kind in keyof Tokens]: number };

/**
 * A group of usage as JSON: its keys, the numbers of threads and turns, and the tokens.
 *
 * This list may expand over time.
 */
export interface UsageRecord extends TokenFields {
  /** The day, `YYYY-MM-DD`; null if unknown. Only when grouped by day. */
  readonly day?: string | null;
  /** The model; null if unknown. Only when grouped by model. */
  readonly model?: string | null;
  /** The working directory; null if unknown. Only when grouped by directory. */
  readonly cwd?: string | null;
  /** The thread; null if unknown. Only when grouped by thread or turn. */
  readonly thread_id?: string | null;
  /** The thread that spawned it; null if none did. Only when grouped by thread or turn. */
  readonly parent_thread_id?: string | null;
  /** The turn; null if unknown. Only when grouped by turn. */
  readonly turn_id?: string | null;
  /** The first file or stream of the group. Only when grouped by thread or turn. */
  readonly source?: string;
  /** The known models of the group, sorted. Only when not grouped by model. */
  readonly models?: readonly string[];
  /** The number of threads in the group. */
  readonly threads: number;
  /** The number of turns in the group. */
  readonly turns: number;
  /** The exact cost of the tokens that have a price, null if none has. Only with prices. */
  readonly cost?: string | null;
}

/** The output of `codexpipe usage --format json`. */
export interface UsageReport {
  /** The keys of the groups. */
  readonly by: readonly UsageKey[];
  /** The time zone of days. */
  readonly time_zone: string;
  /** The groups. */
  readonly groups: readonly UsageRecord[];
  /** The sum of all groups. */
  readonly total: UsageRecord;
}

/** One line with token counts as JSON: whether they were counted, and by which rule. */
export interface UsageDerivationRecord
  extends TokenFields, Omit<UsageDerivation, "rule" | "tokens"> {
  /** The name of the rule. */
  readonly rule: string;
  /** The explanation of the rule. */
  readonly explanation: string;
}

const KEY_COLUMNS: Readonly<
  Record<UsageKey, readonly (keyof UsageRow & keyof UsageRecord)[]>
> = {
  day: ["day"],
  model: ["model"],
  cwd: ["cwd"],
  thread: ["thread_id", "parent_thread_id", "source"],
  turn: ["thread_id", "parent_thread_id", "turn_id", "source"],
};

/** A value of a field in a usage record. */
export type UsageValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly string[];

/**
 * Returns the fields of a {@linkcode UsageRecord}, in the order in which they are written.
 *
 * @param group The group.
 * @param by The keys of the group.
 * @param cost The cost of the group, if there are prices.
 * @returns The names and values.
 *
 * @example The names of a group by model
 * ```ts
 * import { groupUsage, usageFields, UsageMeter } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * const meter = new UsageMeter();
 * const source = meter.open("run.jsonl");
 * const line = '{"type":"turn.completed","usage":{"input_tokens":7,"output_tokens":1}}\n';
 * source.feed(new TextEncoder().encode(line), () => {});
 * source.flush(() => {});
 * const [group] = groupUsage(meter.rows(), ["model"]);
 * const fields = group === undefined ? [] : [...usageFields(group, ["model"])];
 *
 * assertEquals(fields.slice(0, 3), [["model", null], ["threads", 1], ["turns", 1]]);
 * ```
 */
export function usageFields(
  group: UsageGroup,
  by: readonly UsageKey[],
  cost?: UsageCost,
): Map<string, UsageValue> {
  const fields = new Map<string, UsageValue>();
  for (const key of by) {
    for (const name of KEY_COLUMNS[key]) fields.set(name, group.row[name]);
  }
  if (!by.includes("model")) {
    const models = group.rows.flatMap(({ model }) => model ?? []);
    fields.set("models", [...new Set(models)].sort());
  }
  fields.set("threads", group.threads);
  fields.set("turns", group.turns);
  setTokens(fields, group.tokens);
  if (cost !== undefined) {
    fields.set("cost", cost.isKnown ? cost.amount : null);
  }
  return fields;
}

/**
 * Returns the fields of a {@linkcode UsageDerivationRecord}, in the order in which they are
 * written.
 *
 * @param derivation The derivation of a line.
 * @returns The names and values.
 *
 * @example A line that does not count
 * ```ts
 * import { derivationFields, NO_TOKENS } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * const fields = derivationFields({
 *   source: "run.jsonl",
 *   line: 3,
 *   thread_id: "t",
 *   turn_id: "1",
 *   counted: false,
 *   rule: "repeated",
 *   tokens: NO_TOKENS,
 * });
 *
 * assertEquals(
 *   fields.get("explanation"),
 *   "the total has not changed since it was written last",
 * );
 * ```
 */
export function derivationFields(
  derivation: UsageDerivation,
): Map<string, UsageValue> {
  const { source, line, thread_id, turn_id, counted, rule } = derivation;
  const fields = new Map<string, UsageValue>([
    ["source", source],
    ["line", line],
    ["thread_id", thread_id],
    ["turn_id", turn_id],
    ["counted", counted],
    ["rule", rule],
    ["explanation", explainRule(rule)],
  ]);
  setTokens(fields, derivation.tokens);
  return fields;
}

/**
 * Encodes fields as the text of a JSON object; whole numbers are exact, however large.
 *
 * @param fields The fields.
 * @returns The text, on one line.
 *
 * @example A whole number beyond 2^53
 * ```ts
 * import { encodeFields } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(
 *   encodeFields(new Map([["input_tokens", 9007199254740993n]])),
 *   '{"input_tokens":9007199254740993}',
 * );
 * ```
 */
export function encodeFields(fields: ReadonlyMap<string, UsageValue>): string {
  const members = [...fields].map(([name, value]) =>
    `${JSON.stringify(name)}:${
      typeof value === "bigint" ? String(value) : JSON.stringify(value)
    }`
  );
  return `{${members.join(",")}}`;
}

function setTokens(fields: Map<string, UsageValue>, tokens: Tokens): void {
  for (const kind of TOKEN_KINDS) fields.set(kind, tokens[kind]);
  fields.set("total_tokens", tokens.total_tokens);
}
