/** Usage as tables for people. */

import { countText } from "../../render/quantity_text.ts";
import {
  explainRule,
  type UsageCost,
  type UsageDerivation,
  type UsageGroup,
  type UsageKey,
} from "../../usage/usage.ts";
import { escapeControls } from "../escape.ts";
import type { Style } from "../styles.ts";
import { type Column, tableText } from "../table.ts";

/** How tables are laid out. */
export interface UsageTableOptions {
  /** What they should fit into, if there is a limit. */
  readonly width: number | undefined;
  /** How they are set off. */
  readonly style: Style;
}

/** A group, and what it cost if there are prices. */
export interface CostedGroup {
  readonly group: UsageGroup;
  readonly cost: UsageCost | undefined;
}

interface GroupColumn extends Column {
  cell(row: CostedGroup): string;
  /** Whether it is left out where the table would be too wide. */
  readonly isSpare?: boolean;
}

const UNKNOWN = "unknown";
const MADE_UP_REGEXP = /^synthetic-(?:thread|turn)-(\d+)$/;

/** The columns that say what groups were made by. */
const KEY_COLUMNS: Readonly<Record<UsageKey, GroupColumn>> = {
  day: {
    title: "Day",
    cell: ({ group }) => group.row.day ?? UNKNOWN,
  },
  model: {
    title: "Model",
    cut: "end",
    cell: ({ group }) => group.row.model ?? UNKNOWN,
  },
  cwd: {
    title: "Folder",
    cut: "start",
    cell: ({ group }) => group.row.cwd ?? UNKNOWN,
  },
  thread: { title: "Thread", cut: "end", cell: ({ group }) => threadOf(group) },
  turn: { title: "Turn", cut: "end", cell: ({ group }) => turnOf(group.row) },
};

/** The columns of numbers that every table has. */
const NUMBERS: readonly GroupColumn[] = [
  number("Input", ({ group }) => group.tokens.input_tokens),
  number("Cached", ({ group }) => group.tokens.cached_input_tokens),
  number("Cache write", ({ group }) => group.tokens.cache_write_input_tokens),
  number("Output", ({ group }) => group.tokens.output_tokens),
  number("Reasoning", ({ group }) => group.tokens.reasoning_output_tokens),
  number("Total", ({ group }) => group.tokens.total_tokens),
];

const TURNS: GroupColumn = {
  ...number("Turns", ({ group }) => BigInt(group.turns)),
  isSpare: true,
};

const COST: GroupColumn = {
  title: "Cost",
  align: "right",
  cell: ({ cost }) => cost?.isKnown ? grouped(cost.rounded) : "-",
};

/** Lays out groups, and what they are together. */
export async function groupsTable(
  rows: readonly CostedGroup[],
  total: CostedGroup,
  by: readonly UsageKey[],
  { width, style }: UsageTableOptions,
): Promise<string> {
  // A turn is one of its thread.
  const keys = by.includes("turn") && !by.includes("thread")
    ? by.flatMap((key): UsageKey[] => key === "turn" ? ["thread", key] : [key])
    : by;
  const columns: GroupColumn[] = [
    ...keys.map((key) => KEY_COLUMNS[key]),
    ...(by.includes("turn") ? [] : [TURNS]),
    ...NUMBERS.filter((column) =>
      column.title !== "Cache write" || column.cell(total) !== "0"
    ),
    ...(total.cost === undefined ? [] : [COST]),
  ];
  const cellsOf = (columns: readonly GroupColumn[]): string[][] => [
    ...rows.map((row) => columns.map(({ cell }) => cell(row))),
    columns.map((column, i) =>
      i < keys.length ? (i === 0 ? "Total" : "") : column.cell(total)
    ),
  ];
  const isTooWide = width !== undefined &&
    widthOf(columns, cellsOf(columns)) > width;
  const shown = isTooWide
    ? columns.filter(({ isSpare }) => isSpare !== true)
    : columns;
  return await tableText(shown, cellsOf(shown), { width, style });
}

/** Lays out what became of lines. */
export async function derivationsTable(
  derivations: readonly UsageDerivation[],
  total: UsageGroup,
  { width, style }: UsageTableOptions,
): Promise<string> {
  const columns: Column[] = [
    { title: "Line", align: "right" },
    { title: "Turn", cut: "end" },
    { title: "Input", align: "right" },
    { title: "Output", align: "right" },
    { title: "Rule" },
    { title: "Why", cut: "end" },
  ];
  const tables = await Promise.all(
    [...bySource(derivations)]
      .map(async ([source, steps]) => {
        const cells = steps.map((step) => [
          String(step.line),
          turnOf(step, { isAlone: true }),
          ...[step.tokens.input_tokens, step.tokens.output_tokens].map((
            count,
          ) => step.counted ? grouped(String(count)) : "-"),
          step.rule,
          explainRule(step.rule),
        ]);
        const heading = style.bold(escapeControls(source));
        const table = await tableText(columns, cells, { width, style });
        return `${heading}\n${table}\n`;
      }),
  );
  const { input_tokens, output_tokens } = total.tokens;
  const sum = `${grouped(String(input_tokens))} input, ${
    grouped(String(output_tokens))
  } output`;
  return `${tables.join("")}${style.bold("Total:")} ${sum}\n`;
}

/**
 * Writes a number with commas between thousands.
 *
 * @param text The number in digits, with a point in it or none.
 */
export function grouped(text: string): string {
  const [whole = "", places] = text.split(".");
  const commas = countText(BigInt(whole));
  return places === undefined ? commas : `${commas}.${places}`;
}

/** How wide a table is, as far as that has to be known to choose its columns. */
function widthOf(
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
): number {
  return columns.reduce((sum, { title }, i) => {
    const width = cells.reduce(
      (most, row) => Math.max(most, row[i]?.length ?? 0),
      title.length,
    );
    return sum + width + 2;
  }, -2);
}

function number(
  title: string,
  count: (row: CostedGroup) => bigint,
): GroupColumn {
  return {
    title,
    align: "right",
    cell: (row) => grouped(String(count(row))),
  };
}

/** A thread by its id, or by where it is from if it has none. */
function threadOf({ row }: UsageGroup): string {
  const { thread_id, source } = row;
  return thread_id === null || MADE_UP_REGEXP.test(thread_id)
    ? source
    : thread_id;
}

/** A turn by its id, or by its number, and its file, if it has none of its own. */
function turnOf(
  { turn_id, source }: {
    readonly turn_id: string | null;
    readonly source: string;
  },
  { isAlone = false }: { readonly isAlone?: boolean } = {},
): string {
  const [, number] = MADE_UP_REGEXP.exec(turn_id ?? "") ?? [];
  if (number === undefined) return turn_id ?? UNKNOWN;
  if (isAlone) return number;
  return `${number} of ${source.replace(/^.*[/\\]/, "")}`;
}

/** Puts the derivations of each source together, in the order of the sources. */
function bySource(
  derivations: readonly UsageDerivation[],
): Map<string, UsageDerivation[]> {
  const sources = new Map<string, UsageDerivation[]>();
  for (const step of derivations) {
    const steps = sources.get(step.source);
    if (steps === undefined) sources.set(step.source, [step]);
    else steps.push(step);
  }
  return sources;
}
