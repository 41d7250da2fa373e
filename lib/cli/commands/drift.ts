/** `codexpipe drift`. */

import {
  type DriftCounts,
  type DriftFinding,
  DriftMeter,
  driftText,
} from "../../drift/drift.ts";
import { githubAnnotation } from "../../render/github_commands.ts";
import { countedText, countText } from "../../render/quantity_text.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { writeFile } from "../created_file.ts";
import { EXIT, UsageError } from "../endings.ts";
import { DRIFT_FORMATS } from "../flags.ts";
import { writeTexts } from "../output.ts";
import { blocksOf, readOrSay, readText } from "../input.ts";
import { resultsOf } from "../jobs.ts";
import { refuseIdleFlags } from "../refusals.ts";
import { chosenInputs } from "./_chosen_inputs.ts";
import type { ChosenInput, ChosenInputs } from "./_home_inputs.ts";
import { refuseOverwriting } from "./_overwriting.ts";
import { maxLineBytesOf } from "./_reading_options.ts";

/** How large a baseline can be, in UTF-16 units. */
const MAX_BASELINE = 1 << 26;

/** GitHub shows no more notices of a step. */
const MAX_ANNOTATIONS = 10;

export async function run(
  args: Arguments,
  context: CommandContext,
): Promise<number> {
  const target = args.value("write-baseline");
  if (target !== undefined) {
    const idle = ["format", "json", "github"] as const;
    refuseIdleFlags(
      args,
      idle,
      "with --write-baseline, which compares nothing",
    );
    await refuseOverwriting(
      "write-baseline",
      target,
      args.operands,
      context.process,
    );
  }
  const meter = await meterOf(args, context, target !== undefined);
  const { inputs, isIncomplete, open } = await chosenInputs(
    args,
    context,
    args.time("since", context.process.now()) ?? -Infinity,
  );
  const drift = new Drift(args, context, meter);
  const found = resultsOf({
    inputs,
    work: (input) => drift.read(input, open),
    // What is recorded stays where it was read.
    jobs: target === undefined ? args.number("jobs") : 1,
    title: "Looking for drift",
  }, context);
  for await (const one of found) drift.add(one);
  await context.progress.clear();
  if (target === undefined) await drift.print();
  else await drift.write(target);
  await context.diagnostics.flush();
  if (isIncomplete || drift.isIncomplete) return EXIT.io;
  return target === undefined && meter.count > 0 ? EXIT.no : EXIT.done;
}

async function meterOf(
  args: Arguments,
  { process }: CommandContext,
  isRecording: boolean,
): Promise<DriftMeter> {
  const file = args.value("baseline");
  if (file === undefined) return new DriftMeter({ isRecording });
  const baseline = await readText(file, process, MAX_BASELINE);
  try {
    return new DriftMeter({ isRecording, baseline });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(
      `${file}: not a baseline: --write-baseline writes one`,
    );
  }
}

interface Found {
  readonly counts: DriftCounts | undefined;
  readonly isCompared: boolean;
  readonly isIncomplete: boolean;
}

class Drift {
  readonly #args: Arguments;
  readonly #context: CommandContext;
  readonly #meter: DriftMeter;
  readonly #isRecording: boolean;
  #files = 0;
  isIncomplete = false;

  constructor(args: Arguments, context: CommandContext, meter: DriftMeter) {
    this.#args = args;
    this.#context = context;
    this.#meter = meter;
    this.#isRecording = args.has("write-baseline");
  }

  /** Reads a file, or stdin; one that cannot be read is reported. */
  async *read(
    chosen: ChosenInput,
    open: ChosenInputs["open"],
  ): AsyncGenerator<Found> {
    const { name, place } = chosen;
    const { diagnostics, process, progress } = this.#context;
    const maxLineBytes = maxLineBytesOf(this.#args);
    const source = this.#meter.open(place ?? name, { maxLineBytes });
    let hasSaid = false;
    const say = (message: string): void => {
      hasSaid = true;
      diagnostics.say(message);
    };
    const isRead = await readOrSay(async () => {
      const blocks = blocksOf(await open(chosen), process);
      for await (const block of blocks) source.feed(block);
    }, say);
    source.flush();
    const { other, failures } = source;
    if (!this.#args.has("quiet")) {
      if (other !== undefined) {
        say(
          `${name}: left out: it is a ${other}, not a stream or session of Codex's`,
        );
      }
      if (failures > 0) {
        const lines = countedText(failures, "line");
        say(`${name}: ${lines} could not be read; normalize says why`);
      }
    }
    if (hasSaid) {
      await progress.clear();
      await diagnostics.flush();
    }
    yield {
      counts: this.#isRecording ? undefined : this.#meter.take(),
      isCompared: isRead && other === undefined,
      isIncomplete: !isRead,
    };
  }

  add({ counts, isCompared, isIncomplete }: Found): void {
    if (counts !== undefined) this.#meter.add(counts);
    if (isCompared) this.#files += 1;
    this.isIncomplete ||= isIncomplete;
  }

  async print(): Promise<void> {
    const { stdout, diagnostics } = this.#context;
    const findings = this.#meter.findings();
    const { more } = this.#meter;
    const format = this.#args.choice("format", DRIFT_FORMATS) ?? "text";
    await writeTexts(
      stdout,
      format === "json"
        ? [`${JSON.stringify({ findings, more })}\n`]
        : findings.map((finding) =>
          `${
            format === "jsonl" ? JSON.stringify(finding) : driftText(finding)
          }\n`
        ),
    );
    if (this.#args.has("github")) this.#annotate(findings);
    if (this.#args.has("quiet")) return;
    if (more > 0) {
      diagnostics.say(`... and ${countText(more)} more that are not told`);
    }
    if (findings.length === 0 && this.#files > 0) {
      diagnostics.say(`nothing new in ${countedText(this.#files, "file")}`);
    }
  }

  #annotate(findings: readonly DriftFinding[]): void {
    const { diagnostics } = this.#context;
    for (const finding of findings.slice(0, MAX_ANNOTATIONS)) {
      diagnostics.command(githubAnnotation({
        level: finding.treatment === "refused" ? "warning" : "notice",
        title: "Codex has changed",
        message: driftText(finding),
      }));
    }
    const left = findings.length - MAX_ANNOTATIONS;
    if (left > 0) {
      diagnostics.say(`${countText(left)} more are not annotations`);
    }
  }

  async write(path: string): Promise<void> {
    const { process, diagnostics } = this.#context;
    await writeFile(path, this.#meter.baseline(), process);
    if (this.#args.has("quiet")) return;
    diagnostics.say(
      `${path}: written, of ${countedText(this.#files, "file")}`,
    );
  }
}
