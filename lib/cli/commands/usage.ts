/** `codexpipe usage`. */

import type { Failure } from "../../outcome.ts";
import {
  PriceList,
  RUN_COUNTERS,
  USAGE_KEYS,
  type UsageCounts,
  type UsageKey,
  UsageMeter,
  type UsageRow,
} from "../../usage/usage.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, IoError, UsageError } from "../endings.ts";
import { type FlagName, USAGE_FORMATS } from "../flags.ts";
import { writeTexts } from "../gathered.ts";
import { blocksOf, readText } from "../input.ts";
import { jobsOf, resultsOf } from "../jobs.ts";
import { refuseIdleFlags } from "../refusals.ts";
import { parseTime } from "../times.ts";
import type { ChosenInput, ChosenInputs } from "./_chosen_input.ts";
import { chosenInputs } from "./_chosen_inputs.ts";
import { type ReadingOptions, readingOptions } from "./_reading_options.ts";
import { derivationText, usageText } from "./_usage_output.ts";
import { grouped } from "./_usage_tables.ts";

/** How large a list of prices can be, in UTF-16 units. */
const MAX_PRICES = 1 << 24;

/** What has no meaning where each line is explained. */
const UNEXPLAINED: readonly FlagName[] = ["by", "prices", "cwd", "time-zone"];

/** Counts tokens in files, in stdin or in Codex homes. */
export async function run(
  args: Arguments,
  context: CommandContext,
): Promise<number> {
  return await new UsageCommand(args, context).run();
}

/** What came of a file or stream. */
interface Counted {
  readonly added: UsageCounts;
  readonly hasFailures: boolean;
  readonly isIncomplete: boolean;
}

/** One call of the command. */
class UsageCommand {
  readonly #args: Arguments;
  readonly #context: CommandContext;
  readonly #timeZone: string;
  readonly #since: number;
  readonly #reading: ReadingOptions;
  /** Counts all. */
  readonly #meter: UsageMeter;
  /** Counts one input after the other: each is taken before the next one begins. */
  readonly #inputMeter: UsageMeter;
  #isIncomplete = false;
  #hasFailures = false;

  constructor(args: Arguments, context: CommandContext) {
    this.#args = args;
    this.#context = context;
    if (args.has("explain")) {
      refuseIdleFlags(
        args,
        UNEXPLAINED,
        "with --explain, which shows every line",
      );
    }
    const now = context.process.now();
    const timeOf = (name: "since" | "until"): number | undefined => {
      const text = args.value(name);
      return text === undefined ? undefined : parseTime(text, now);
    };
    this.#timeZone = timeZoneOf(args.value("time-zone") ?? "UTC");
    this.#since = timeOf("since") ?? -Infinity;
    this.#reading = readingOptions(args);
    const options = {
      timeZone: this.#timeZone,
      explain: args.has("explain"),
      since: this.#since,
      until: timeOf("until") ?? Infinity,
      runCounters: args.choice("run-counters", RUN_COUNTERS) ?? "auto",
    };
    this.#meter = new UsageMeter(options);
    this.#inputMeter = new UsageMeter(options);
  }

  async run(): Promise<number> {
    const { diagnostics, progress, process, style } = this.#context;
    const prices = await this.#prices();
    const { isHome, inputs, isIncomplete, open } = await chosenInputs(
      this.#args,
      this.#context,
      this.#since,
    );
    this.#isIncomplete = isIncomplete;
    const counts = resultsOf({
      inputs,
      work: (input) => this.#read(input, open),
      jobs: jobsOf(this.#args),
      title: "Counting tokens",
    }, this.#context);
    for await (const { added, hasFailures, isIncomplete } of counts) {
      this.#meter.add(added);
      this.#hasFailures ||= hasFailures;
      this.#isIncomplete ||= isIncomplete;
    }
    await progress.clear();
    const rows = await this.#rows();
    this.#sayWhatIsMissing(rows, prices);
    const options = {
      format: this.#args.choice("format", USAGE_FORMATS) ?? "table",
      width: process.columns(),
      style,
    };
    const parts = {
      by: keysOf(this.#args, isHome ? "day" : "thread"),
      timeZone: this.#timeZone,
      prices,
    };
    const { stdout, screen, paging } = this.#context;
    paging.begin();
    await writeTexts(
      options.format === "table" ? screen : stdout,
      this.#args.has("explain")
        ? derivationText(this.#meter.derivations(), rows, options)
        : usageText(rows, parts, options),
    );
    await diagnostics.flush();
    if (this.#isIncomplete) return EXIT.io;
    return this.#args.has("strict") && this.#hasFailures ? EXIT.no : EXIT.done;
  }

  async *#read(
    chosen: ChosenInput,
    open: ChosenInputs["open"],
  ): AsyncGenerator<Counted> {
    const { process, diagnostics, progress } = this.#context;
    const { name } = chosen;
    let isIncomplete = false;
    const source = this.#inputMeter.open(name, this.#reading);
    const isQuiet = this.#args.has("quiet");
    let hasSaid = false;
    const report = ({ line, error }: Failure): void => {
      if (isQuiet) return;
      hasSaid = true;
      diagnostics.failed(name, { line, ...error });
    };
    try {
      const blocks = blocksOf(await open(chosen), process);
      for await (const block of blocks) source.feed(block, report);
    } catch (error) {
      // One file that cannot be read does not keep the others from being.
      if (!(error instanceof IoError)) throw error;
      isIncomplete = true;
      hasSaid = true;
      diagnostics.say(error.message);
    }
    source.flush(report);
    if (hasSaid) {
      await progress.clear();
      await diagnostics.flush();
    }
    const hasFailures = source.failures > 0;
    yield { added: this.#inputMeter.take(), hasFailures, isIncomplete };
  }

  /** Reads the list of prices, if there is one. */
  async #prices(): Promise<PriceList | undefined> {
    const file = this.#args.value("prices");
    if (file === undefined) return undefined;
    const text = await readText(file, this.#context.process, MAX_PRICES);
    try {
      return PriceList.parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new UsageError(`${file}: not a list of prices: ${error.message}`);
    }
  }

  /** The rows that were asked for. */
  async #rows(): Promise<UsageRow[]> {
    const rows = this.#meter.rows();
    const cwd = this.#args.value("cwd");
    if (cwd === undefined) return rows;
    const [{ WorkingFolder }, { workingFolderOf }] = await Promise.all([
      import("../../sessions/working_directory.ts"),
      import("./_sessions.ts"),
    ]);
    const folder = await WorkingFolder.of(
      workingFolderOf(cwd, this.#context.process),
    );
    return rows.filter((row) => folder.holds(row.cwd));
  }

  /** Says what is not in the numbers. */
  #sayWhatIsMissing(
    rows: readonly UsageRow[],
    prices: PriceList | undefined,
  ): void {
    const { diagnostics } = this.#context;
    if (this.#args.has("quiet")) return;
    const { untimed } = this.#meter;
    if (untimed > 0) {
      const counts = untimed === 1 ? "1 count has" : `${untimed} counts have`;
      diagnostics.say(
        `${counts} no time and ${
          untimed === 1 ? "is" : "are"
        } left out: exec streams do not say when they were`,
      );
    }
    if (rows.length === 0 && !this.#isIncomplete) {
      diagnostics.say("no usage was found");
    }
    for (const [model, tokens] of prices?.costOf(rows).unpriced ?? []) {
      const what = model === null
        ? 'usage that names no model (the model "*" of the list would be taken)'
        : `model "${model}"`;
      diagnostics.say(
        `no price for ${what}: ${
          grouped(String(tokens))
        } tokens are not in the cost`,
      );
    }
  }
}

/** What groups are made by. */
function keysOf(args: Arguments, usual: UsageKey): readonly UsageKey[] {
  const given = args.values("by");
  const keys = given.flatMap((name) =>
    USAGE_KEYS.find((key) => key === name) ?? []
  );
  return keys.length === 0 ? [usual] : [...new Set(keys)];
}

/** The name of a time zone; the table of flags has checked that there is one. */
function timeZoneOf(name: string): string {
  const timeZone = name.toLowerCase() === "local" ? undefined : name;
  const { timeZone: found } = new Intl.DateTimeFormat("en-US", { timeZone })
    .resolvedOptions();
  // What a machine is in that does not say (TZ is empty, or no zone is installed).
  return found === "Etc/Unknown" ? "UTC" : found;
}
