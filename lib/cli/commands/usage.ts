/** `codexpipe usage`. */

import { csvRow } from "../../export/csv.ts";
import type { Failure } from "../../outcome.ts";
import { countText } from "../../render/quantity_text.ts";
import {
  derivationFields,
  encodeFields,
  usageFields,
  type UsageValue,
} from "../../usage/usage_records.ts";
import { explainRule, type UsageDerivation } from "../../usage/derivations.ts";
import { groupUsage, type UsageGroup } from "../../usage/usage_groups.ts";
import { NO_TOKENS, type UsageRow } from "../../usage/tokens.ts";
import { PriceList, type UsageCost } from "../../usage/prices.ts";
import {
  RUN_COUNTERS,
  USAGE_KEYS,
  type UsageKey,
} from "../../usage/usage_names.ts";
import { UsageMeter } from "../../usage/usage_meter.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { statusAfter, UsageError } from "../endings.ts";
import { escapeControls } from "../escape.ts";
import { type FlagName, FORMATS } from "../flags.ts";
import { openChosen, openNamed, readOrSay, readText } from "../input.ts";
import { resultsOf } from "../jobs.ts";
import {
  type Column,
  numbers,
  type TableOptions,
  tableText,
} from "../table.ts";
import { chosenInputs } from "./_chosen_inputs.ts";
import { formatOf, listTexts, writePages } from "./_formats.ts";
import type { ChosenInputs } from "./_home_inputs.ts";

/** The limit of a price list, in UTF-16 units. */
const MAX_PRICES = 1 << 24;

const UNEXPLAINED: readonly FlagName[] = ["by", "prices", "cwd", "time-zone"];

export const run: RunCommand = async (context) => {
  const { args, diagnostics, process, style } = context;
  if (args.has("explain")) {
    args.refuseIdle(UNEXPLAINED, "with --explain, which shows every line");
  }
  const timeZone = timeZoneOf(args.value("time-zone") ?? "UTC");
  const options = {
    timeZone,
    explain: args.has("explain"),
    ...args.period(process.now()),
    runCounters: args.choice("run-counters", RUN_COUNTERS),
  };
  const meter = new UsageMeter(options);
  /** Counts one input at a time; its counts are taken out before the next input begins. */
  const inputMeter = new UsageMeter(options);
  const chosen = await chosenInputs(context);
  const prices = await pricesOf(chosen, context);
  let { isIncomplete } = chosen;
  let hasFailures = false;
  const counts = resultsOf({
    inputs: chosen.inputs,
    async *work(input) {
      const { name } = input;
      const source = inputMeter.open(name, args.readingOptions);
      const report = ({ line, error }: Failure): void =>
        diagnostics.failed(name, line, error);
      const isRead = await readOrSay(async () => {
        const blocks = await openChosen(input, process);
        for await (const block of blocks) source.feed(block, report);
      }, diagnostics);
      source.flush(report);
      await diagnostics.flush();
      yield { added: inputMeter.take(), failures: source.failures, isRead };
    },
    title: "Counting tokens",
  }, context);
  for await (const { added, failures, isRead } of counts) {
    meter.add(added);
    hasFailures ||= failures > 0;
    isIncomplete ||= !isRead;
  }
  const rows = await rowsOf(meter, context);
  const missing = omissionsIn(rows, prices, meter.untimed, isIncomplete);
  for (const line of missing) diagnostics.remark(line);
  const format = formatOf(args, FORMATS.usage);
  const tableOptions = { width: context.width(), style };
  const keys = new Set(args.choices("by", USAGE_KEYS));
  if (keys.size === 0) keys.add(chosen.isHome ? "day" : "thread");
  const parts = { by: [...keys], timeZone, prices };
  const texts = args.has("explain")
    ? derivationText(meter.derivations(), rows, format, tableOptions)
    : usageText(rows, parts, format, tableOptions);
  await writePages(format, texts, context);
  return statusAfter({ isIncomplete, hasFailures }, args);
};

async function pricesOf(
  { inputs }: ChosenInputs,
  { args, process }: CommandContext,
): Promise<PriceList | undefined> {
  const file = args.value("prices");
  // A thread only counts; and a pipe, which the first thread has read, is empty by then.
  if (file === undefined || process.starter !== undefined) return undefined;
  const input = await openNamed("prices", file, inputs, process);
  const text = await readText(input, MAX_PRICES);
  try {
    return PriceList.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(`${file}: not a price list: ${error.message}`);
  }
}

async function rowsOf(
  meter: UsageMeter,
  { args, diagnostics, process }: CommandContext,
): Promise<UsageRow[]> {
  const rows = meter.rows();
  const cwd = args.value("cwd");
  if (cwd === undefined) return rows;
  const [{ WorkingFolder }, { workingFolderOf }] = await Promise.all([
    import("../../sessions/working_directory.ts"),
    import("./_sessions.ts"),
  ]);
  const folder = await WorkingFolder.of(workingFolderOf(cwd, process));
  const unplaced = rows.filter((row) => row.cwd === null)
    .reduce((tokens, row) => tokens + row.total_tokens, 0n);
  if (unplaced > 0n) {
    diagnostics.remark(
      `${countText(unplaced)} tokens of an unknown folder are left out`,
    );
  }
  return rows.filter((row) => folder.holds(row.cwd));
}

function* omissionsIn(
  rows: readonly UsageRow[],
  prices: PriceList | undefined,
  untimed: number,
  isIncomplete: boolean,
): Generator<string> {
  if (untimed > 0) {
    const [counts, are] = untimed === 1
      ? ["1 count has", "is"]
      : [`${untimed} counts have`, "are"];
    yield `${counts} no time and ${are} left out: exec streams contain no times`;
  }
  if (rows.length === 0 && !isIncomplete) yield "no usage was found";
  for (const [model, tokens] of prices?.costOf(rows).unpriced ?? []) {
    const usage = model === null
      ? 'usage without a model (the model "*" of the list would apply)'
      : `model "${model}"`;
    yield `no price for ${usage}: ${
      countText(tokens)
    } tokens are not in the cost`;
  }
}

/** Resolves the name of a time zone, which the table of flags has validated. */
function timeZoneOf(name: string): string {
  if (name === "UTC") return name;
  const timeZone = name.toLowerCase() === "local" ? undefined : name;
  const { timeZone: found } = new Intl.DateTimeFormat("en-US", { timeZone })
    .resolvedOptions();
  // The zone of a machine that has none: TZ is empty, or no zones are installed.
  return found === "Etc/Unknown" ? "UTC" : found;
}

type UsageFormat = typeof FORMATS.usage[number];

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

const NO_DERIVATION: UsageDerivation = {
  source: "",
  line: 0,
  thread_id: null,
  turn_id: null,
  counted: false,
  rule: "unknown",
  tokens: NO_TOKENS,
};

async function* usageText(
  rows: readonly UsageRow[],
  { by, timeZone, prices }: {
    readonly by: readonly UsageKey[];
    readonly timeZone: string;
    readonly prices: PriceList | undefined;
  },
  format: UsageFormat,
  options: TableOptions,
): AsyncGenerator<string, void, void> {
  const groups = groupUsage(rows, by);
  const total = totalOf(rows);
  const costed = (group: UsageGroup): CostedGroup => ({
    group,
    cost: prices?.costOf(group.rows),
  });
  const fieldsOf = (group: UsageGroup): Fields =>
    usageFields(group, by, prices?.costOf(group.rows));
  switch (format) {
    case "table":
      // A message tells that there is none.
      if (groups.length === 0) return;
      yield await groupsTable(groups.map(costed), costed(total), by, options);
      return;
    case "json": {
      const sum = usageFields(total, [], prices?.costOf(total.rows));
      yield `{"by":${JSON.stringify(by)},`;
      yield `"time_zone":${JSON.stringify(timeZone)},"groups":`;
      yield* listTexts(groups.map(fieldsOf).map(encodeFields));
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

async function* derivationText(
  derivations: readonly UsageDerivation[],
  rows: readonly UsageRow[],
  format: UsageFormat,
  options: TableOptions,
): AsyncGenerator<string, void, void> {
  switch (format) {
    case "table":
      yield await derivationsTable(derivations, totalOf(rows), options);
      return;
    case "json":
      yield* listTexts(derivations.map(derivationFields).map(encodeFields));
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

function totalOf(rows: readonly UsageRow[]): UsageGroup {
  const [total] = groupUsage(rows, []);
  return total ??
    { row: NO_ROW, rows, threads: 0, turns: 0, tokens: NO_TOKENS };
}

type Fields = ReadonlyMap<string, UsageValue>;

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

interface CostedGroup {
  readonly group: UsageGroup;
  readonly cost: UsageCost | undefined;
}

type GroupColumn = Column<CostedGroup>;

const UNKNOWN = "unknown";
const MADE_UP_REGEXP = /^synthetic-(?:thread|turn)-(\d+)$/;

const KEY_COLUMNS: Readonly<Record<UsageKey, GroupColumn>> = {
  day: { title: "Day", cell: ({ group }) => group.row.day ?? UNKNOWN },
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

const NUMBERS: readonly GroupColumn[] = [
  counts("Input", ({ group }) => group.tokens.input_tokens),
  counts("Cached", ({ group }) => group.tokens.cached_input_tokens),
  counts("Cache write", ({ group }) => group.tokens.cache_write_input_tokens),
  counts("Output", ({ group }) => group.tokens.output_tokens),
  counts("Reasoning", ({ group }) => group.tokens.reasoning_output_tokens),
  counts("Total", ({ group }) => group.tokens.total_tokens),
];

const TURNS: GroupColumn = {
  ...counts("Turns", ({ group }) => group.turns),
  isSpare: true,
};

const COST: GroupColumn = numbers(
  "Cost",
  ({ cost }) =>
    cost?.isKnown
      ? cost.rounded.replace(/^\d+/, (whole) => countText(BigInt(whole)))
      : "-",
);

async function groupsTable(
  rows: readonly CostedGroup[],
  total: CostedGroup,
  by: readonly UsageKey[],
  options: TableOptions,
): Promise<string> {
  // Turns are shown with their threads.
  const keys = by.includes("turn") && !by.includes("thread")
    ? by.flatMap((key): UsageKey[] => key === "turn" ? ["thread", key] : [key])
    : by;
  const columns: GroupColumn[] = [
    ...keys.map((key, i): GroupColumn => {
      const column = KEY_COLUMNS[key];
      const label = i === 0 ? "Total" : "";
      const cell = (row: CostedGroup): string =>
        row === total ? label : column.cell(row);
      return { ...column, cell };
    }),
    ...(by.includes("turn") ? [] : [TURNS]),
    ...NUMBERS.filter((column) =>
      column.title !== "Cache write" || column.cell(total) !== "0"
    ),
    ...(total.cost === undefined ? [] : [COST]),
  ];
  return await tableText(columns, [...rows, total], options);
}

async function derivationsTable(
  derivations: readonly UsageDerivation[],
  total: UsageGroup,
  options: TableOptions,
): Promise<string> {
  const { bold } = options.style;
  const counted = (
    { counted, tokens }: UsageDerivation,
    name: "input_tokens" | "output_tokens",
  ): string => counted ? countText(tokens[name]) : "-";
  const columns: Column<UsageDerivation>[] = [
    numbers("Line", ({ line }) => String(line)),
    {
      title: "Turn",
      cut: "end",
      cell: (step) => turnOf(step, { isAlone: true }),
    },
    numbers("Input", (step) => counted(step, "input_tokens")),
    numbers("Output", (step) => counted(step, "output_tokens")),
    { title: "Rule", cell: ({ rule }) => rule },
    { title: "Why", cut: "end", cell: ({ rule }) => explainRule(rule) },
  ];
  const tables = [...bySource(derivations)].map(async ([source, steps]) => {
    const table = await tableText(columns, steps, options);
    return `${bold(escapeControls(source))}\n${table}\n`;
  });
  const { input_tokens, output_tokens } = total.tokens;
  const sum = `${countText(input_tokens)} input, ${
    countText(output_tokens)
  } output`;
  return [...await Promise.all(tables), `${bold("Total:")} ${sum}\n`].join("");
}

function counts(
  title: string,
  of: (row: CostedGroup) => number | bigint,
): GroupColumn {
  return numbers(title, (row) => countText(of(row)));
}

/** The id of a thread, or the name of its input if it has none. */
function threadOf({ row }: UsageGroup): string {
  const { thread_id, source } = row;
  return thread_id === null || MADE_UP_REGEXP.test(thread_id)
    ? source
    : thread_id;
}

/** The id of a turn, or its number and file if it has none. */
function turnOf(
  { turn_id, source }: Pick<UsageDerivation, "turn_id" | "source">,
  { isAlone = false }: { readonly isAlone?: boolean } = {},
): string {
  const [, number] = MADE_UP_REGEXP.exec(turn_id ?? "") ?? [];
  if (number === undefined) return turn_id ?? UNKNOWN;
  if (isAlone) return number;
  return `${number} of ${source.replace(/^.*[/\\]/, "")}`;
}

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
