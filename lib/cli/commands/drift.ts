/** `codexpipe drift`. */

import {
  type DriftFinding,
  type DriftReport,
  driftText,
} from "../../drift/drift_finding.ts";
import { DriftMeter } from "../../drift/drift_meter.ts";
import { githubAnnotation } from "../../render/github_commands.ts";
import { countedText, countText } from "../../render/quantity_text.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { writeFile } from "../created_file.ts";
import { EXIT, UsageError } from "../endings.ts";
import { FORMATS } from "../flags.ts";
import { writeTexts } from "../output.ts";
import {
  type ChosenInput,
  openChosen,
  openNamed,
  readOrSay,
  readText,
} from "../input.ts";
import { resultsOf } from "../jobs.ts";
import { chosenInputs } from "./_chosen_inputs.ts";
import { formatOf } from "./_formats.ts";
import type { ChosenInputs } from "./_home_inputs.ts";

/** The limit of a baseline, in UTF-16 units. */
const MAX_BASELINE = 1 << 26;

/** GitHub shows at most ten notices of a step. */
const MAX_ANNOTATIONS = 10;

export const run: RunCommand = async (context) => {
  const { args } = context;
  const target = args.value("write-baseline");
  if (target !== undefined) {
    const idle = ["format", "json", "github"] as const;
    args.refuseIdle(idle, "with --write-baseline, which compares nothing");
    // Loaded here, since the checks for overwriting load slowly.
    const { InputFiles } = await import("./_overwriting.ts");
    await new InputFiles(args.files, context).refuse("write-baseline", target);
  }
  const isRecording = target !== undefined;
  const chosen = await chosenInputs(context);
  const { isHome, inputs, isIncomplete } = chosen;
  /** Looks at one input at a time; its findings are taken out before the next input begins. */
  const inputMeter = await meterOf(chosen, isRecording, context);
  const meter = isRecording ? inputMeter : new DriftMeter();
  const baseline = args.value("baseline");
  // Each thread reads the baseline, which a pipe gives only once.
  const isBaselineAPipe = baseline !== undefined &&
    (await context.process.look(baseline))?.identity === undefined;
  // A thread gets its inputs from another one, which knows whether they are from a home.
  if (!isHome && context.process.starter === undefined) {
    args.refuseIdle(["since"], "without a Codex home: it selects its files");
  }
  const found = resultsOf({
    inputs,
    work: (input) => look(input, inputMeter, isRecording, context),
    // The records of a baseline are kept in the meter of this thread.
    isInTurn: isRecording || isBaselineAPipe,
    title: "Looking for drift",
  }, context);
  let files = 0;
  let isUnread = isIncomplete;
  for await (const one of found) {
    if (one.counts !== undefined) meter.add(one.counts);
    if (one.isCompared) files += 1;
    isUnread ||= one.isIncomplete;
  }
  const { diagnostics, process } = context;
  if (target === undefined) await print(meter, files, context);
  else {
    await writeFile(target, meter.baseline(), process);
    diagnostics.remark(
      `${target}: baseline of ${countedText(files, "file")} written`,
    );
  }
  if (isUnread) return EXIT.io;
  return !isRecording && meter.count > 0 ? EXIT.no : EXIT.done;
};

async function meterOf(
  { inputs }: ChosenInputs,
  isRecording: boolean,
  { args, process }: CommandContext,
): Promise<DriftMeter> {
  const file = args.value("baseline");
  if (file === undefined) return new DriftMeter({ isRecording });
  const input = await openNamed("baseline", file, inputs, process);
  const baseline = await readText(input, MAX_BASELINE);
  try {
    return new DriftMeter({ isRecording, baseline });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(
      `${file}: not a baseline: create one with --write-baseline`,
    );
  }
}

/** Reads a file, or stdin. An error of reading is reported, not thrown. */
async function* look(
  chosen: ChosenInput,
  meter: DriftMeter,
  isRecording: boolean,
  { args, diagnostics, process }: CommandContext,
): AsyncGenerator<{
  readonly counts: DriftReport | undefined;
  readonly isCompared: boolean;
  readonly isIncomplete: boolean;
}> {
  const { name, place } = chosen;
  const source = meter.open(place ?? name, { maxLineBytes: args.maxLineBytes });
  const isRead = await readOrSay(async () => {
    const blocks = await openChosen(chosen, process);
    for await (const block of blocks) source.feed(block);
  }, diagnostics);
  source.flush();
  const { other, failures } = source;
  if (other !== undefined) {
    diagnostics.remark(
      `${name}: left out: it is a ${other}, not a stream or session of Codex`,
    );
  }
  if (failures > 0) {
    const lines = countedText(failures, "line");
    diagnostics.remark(
      `${name}: ${lines} could not be read; codexpipe normalize reports why`,
    );
  }
  await diagnostics.flush();
  yield {
    counts: isRecording ? undefined : meter.take(),
    isCompared: isRead && other === undefined,
    isIncomplete: !isRead,
  };
}

async function print(
  meter: DriftMeter,
  files: number,
  { args, stdout, diagnostics }: CommandContext,
): Promise<void> {
  const findings = meter.findings();
  const { more } = meter;
  const format = formatOf(args, FORMATS.search);
  const textOf = format === "jsonl" ? JSON.stringify : driftText;
  await writeTexts(
    stdout,
    format === "json"
      ? [`${JSON.stringify({ findings, more })}\n`]
      : findings.map((finding) => `${textOf(finding)}\n`),
  );
  if (args.has("github")) annotate(findings, diagnostics);
  if (more > 0) {
    diagnostics.remark(`... and ${countText(more)} more that are not shown`);
  }
  if (findings.length === 0 && files > 0) {
    diagnostics.remark(`nothing new in ${countedText(files, "file")}`);
  }
}

function annotate(
  findings: readonly DriftFinding[],
  diagnostics: CommandContext["diagnostics"],
): void {
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
