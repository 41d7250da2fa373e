/** Usage in the forms that it is printed in. */

import {
  derivationFields,
  encodeFields,
  groupUsage,
  NO_TOKENS,
  type PriceList,
  type UsageDerivation,
  usageFields,
  type UsageGroup,
  type UsageKey,
  type UsageRow,
  type UsageValue,
} from "../../usage/usage.ts";
import { csvRow } from "../../export/csv.ts";
import type { USAGE_FORMATS } from "../flags.ts";
import {
  type CostedGroup,
  derivationsTable,
  groupsTable,
  type UsageTableOptions,
} from "./_usage_tables.ts";

/** A form that usage has. */
export type UsageFormat = typeof USAGE_FORMATS[number];

/** How usage is printed. */
export interface UsageOutputOptions extends UsageTableOptions {
  /** The form. */
  readonly format: UsageFormat;
}

/** What is printed. */
export interface UsageReportParts {
  /** What groups are made by. */
  readonly by: readonly UsageKey[];
  /** The time zone of days. */
  readonly timeZone: string;
  readonly prices: PriceList | undefined;
}

/** What no rows are made of. */
const NO_ROW: UsageRow = {
  ...NO_TOKENS,
  source: "",
  thread_id: null,
  parent_thread_id: null,
  turn_id: null,
  model: null,
  cwd: null,
  day: null,
};

/** What no line is explained by. */
const NO_DERIVATION: UsageDerivation = {
  source: "",
  line: 0,
  thread_id: null,
  turn_id: null,
  counted: false,
  rule: "unknown",
  tokens: NO_TOKENS,
};

/**
 * Prints what was used.
 *
 * @param parts What is to be made of them.
 */
export async function* usageText(
  rows: readonly UsageRow[],
  { by, timeZone, prices }: UsageReportParts,
  options: UsageOutputOptions,
): AsyncGenerator<string, void, void> {
  const groups = groupUsage(rows, by);
  const total = totalOf(rows);
  const costed = (group: UsageGroup): CostedGroup => ({
    group,
    cost: prices?.costOf(group.rows),
  });
  const fieldsOf = (group: UsageGroup): Fields =>
    usageFields(group, by, prices?.costOf(group.rows));
  switch (options.format) {
    case "table":
      yield await groupsTable(groups.map(costed), costed(total), by, options);
      return;
    case "json": {
      const sum = usageFields(total, [], prices?.costOf(total.rows));
      yield `{"by":${JSON.stringify(by)},`;
      yield `"time_zone":${JSON.stringify(timeZone)},"groups":`;
      yield* listText(groups.map(fieldsOf));
      yield `,"total":${encodeFields(sum)}}\n`;
      return;
    }
    case "jsonl":
      yield* linesText(groups.map(fieldsOf));
      return;
    case "csv":
      yield* csvText([...fieldsOf(total).keys()], groups.map(fieldsOf));
  }
}

/** Prints what became of lines. */
export async function* derivationText(
  derivations: readonly UsageDerivation[],
  rows: readonly UsageRow[],
  options: UsageOutputOptions,
): AsyncGenerator<string, void, void> {
  switch (options.format) {
    case "table":
      yield await derivationsTable(derivations, totalOf(rows), options);
      return;
    case "json":
      yield* listText(derivations.map(derivationFields));
      yield "\n";
      return;
    case "jsonl":
      yield* linesText(derivations.map(derivationFields));
      return;
    case "csv": {
      const names = [...derivationFields(NO_DERIVATION).keys()];
      yield* csvText(names, derivations.map(derivationFields));
    }
  }
}

export function totalOf(rows: readonly UsageRow[]): UsageGroup {
  const [total] = groupUsage(rows, []);
  return total ??
    { row: NO_ROW, rows, threads: 0, turns: 0, tokens: NO_TOKENS };
}

type Fields = ReadonlyMap<string, UsageValue>;

function* listText(records: readonly Fields[]): Generator<string> {
  yield records.length === 0 ? "[" : "[\n";
  for (const [i, fields] of records.entries()) {
    yield `${encodeFields(fields)}${i === records.length - 1 ? "" : ","}\n`;
  }
  yield "]";
}

function* linesText(records: readonly Fields[]): Generator<string> {
  for (const fields of records) yield `${encodeFields(fields)}\n`;
}

function* csvText(
  names: readonly string[],
  records: readonly Fields[],
): Generator<string> {
  yield csvRow(names);
  for (const fields of records) {
    yield csvRow(names.map((name) => {
      const value = fields.get(name) ?? null;
      return isList(value) ? value.join(" ") : value;
    }));
  }
}

function isList(value: UsageValue): value is readonly string[] {
  return Array.isArray(value);
}
