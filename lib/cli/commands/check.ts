/** `codexpipe check`. */

import { type Verdict, verdictJson } from "../../check/verdict.ts";
import {
  VerdictBuilder,
  type VerdictOptions,
} from "../../check/verdict_builder.ts";
import type { TranscriptPart } from "../../render/parts.ts";
import { countText } from "../../render/quantity_text.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { ClosedOutput, EXIT, UsageError } from "../endings.ts";
import { FORMATS } from "../flags.ts";
import { invite, openInput, readOrSay } from "../input.ts";
import { resultsOf } from "../jobs.ts";
import { Output } from "../output.ts";
import type { DriftRemark } from "./_drift_remark.ts";
import type { GithubStep } from "./_github_step.ts";
import { runFigures } from "./_formats.ts";
import type { SchemaFailures } from "./_schema_failures.ts";

const MAX_SAID = 10;

export const run: RunCommand = async (given) => {
  const context = { ...given, stdout: untilClosed(given) };
  const { args } = context;
  refuseTwoOutputs(args);
  if (!args.has("github")) {
    args.refuseIdle(
      ["redact", "no-redact", "redact-pattern"],
      "without --github",
    );
  }
  const { files } = args;
  const check = new Check(context, files.length);
  const verdicts = resultsOf({
    inputs: files.map((name) => ({ name })),
    async *work({ name }) {
      yield await check.check(name);
    },
    // The summaries of all files share a limit, so each depends on those before it.
    isInTurn: args.has("github"),
  }, context);
  let isIncomplete = false;
  let hasFailed = false;
  for await (const { isRead, isPassed } of verdicts) {
    isIncomplete ||= !isRead;
    hasFailed ||= !isPassed;
  }
  await check.end(!hasFailed);
  if (isIncomplete) return EXIT.io;
  return hasFailed ? EXIT.no : EXIT.done;
};

/** Stdout, or nothing once its reader has closed it: the rest of the input is still judged. */
function untilClosed({ stdout, process }: CommandContext): Output {
  let isClosed = false;
  return new Output(
    {
      async write(bytes): Promise<number> {
        try {
          if (!isClosed) await stdout.write(bytes);
        } catch (error) {
          if (!(error instanceof ClosedOutput)) throw error;
          isClosed = true;
        }
        return bytes.length;
      },
    },
    "stdout",
    process,
  );
}

/** Refuses several outputs: stdout can have the input, the message or the verdict. */
function refuseTwoOutputs(args: Arguments): void {
  const takers = (["tee", "last-message"] as const)
    .filter((name) => args.has(name)).map((name) => `--${name}`);
  if (args.value("format") === "json") takers.push("--format=json");
  if (takers.length < 2) return;
  throw new UsageError(
    `${takers.join(" and ")} would both write to stdout: choose one`,
  );
}

class Check {
  readonly #context: CommandContext;
  readonly #isOneOfMany: boolean;
  readonly #options: VerdictOptions;
  #drift: DriftRemark | undefined;
  #filesLeft: number;
  #summaryBytes = 0;
  #lastStep: GithubStep | undefined;

  constructor(context: CommandContext, files: number) {
    const { args } = context;
    this.#context = context;
    this.#isOneOfMany = files > 1 || context.process.starter !== undefined;
    this.#filesLeft = files;
    const maxTokens = args.value("max-tokens");
    this.#options = {
      ...args.readingOptions,
      maxFailures: args.number("max-failures"),
      failOnCommand: args.has("fail-on-command"),
      failOnDeclined: args.has("fail-on-declined"),
      jsonOutput: args.has("json-output"),
      allThreads: args.has("github"),
      maxTokens: maxTokens === undefined ? undefined : BigInt(maxTokens),
    };
  }

  /** Judges a file, or stdin. An error of reading is reported, not thrown. */
  async check(
    file: string,
  ): Promise<{ readonly isRead: boolean; readonly isPassed: boolean }> {
    const { args, diagnostics, process, stdout } = this.#context;
    const builder = new VerdictBuilder(this.#options);
    const drift = await this.#driftIn(file);
    // Loaded here, since few runs need the schemas, or the renderer of the report.
    const schema = args.has("schema")
      ? new (await import("./_schema_failures.ts")).SchemaFailures(
        this.#options,
      )
      : undefined;
    const step = args.has("github")
      ? new (await import("./_github_step.ts")).GithubStep(this.#context, {
        name: this.#isOneOfMany ? file : undefined,
        summaryBytes: this.#summaryBytes,
        runsLeft: this.#filesLeft,
      })
      : undefined;
    this.#lastStep = step;
    this.#filesLeft -= 1;
    const masked = (text: string): string => step?.masked(text) ?? text;
    const take = (part: TranscriptPart): void => {
      if (part.type === "failure") {
        const { line, kind, message } = part;
        diagnostics.failed(file, line, { kind, message: masked(message) });
      }
      step?.take(part);
    };
    const isRead = await readOrSay(async () => {
      const input = await openInput(file, process);
      await invite(file, this.#context);
      for await (const block of input) {
        if (args.has("tee")) await stdout.write(block);
        drift?.feed(block);
        schema?.feed(block);
        builder.feed(block, take);
        await diagnostics.flush();
      }
      drift?.flush();
      schema?.flush();
      builder.flush(take);
    }, {
      say(message): void {
        diagnostics.say(message);
        step?.fail(message);
      },
    });
    if (!isRead) {
      await diagnostics.flush();
      return { isRead, isPassed: false };
    }
    const { unknownMode } = builder;
    const verdict = this.#verdict(builder, drift, schema);
    if (unknownMode !== null) {
      const { unknownModeText } = await import("./_continued_input.ts");
      diagnostics.remark(masked(unknownModeText(file, unknownMode)));
    }
    this.#say(file, verdict, step?.judge(verdict, drift?.lines));
    const remark = drift?.text;
    if (remark !== undefined && !args.has("fail-on-drift")) {
      diagnostics.remark(`${file}: ${remark}`);
    }
    await step?.end();
    this.#summaryBytes += step?.summaryBytes ?? 0;
    await diagnostics.flush();
    await this.#print(file, verdict);
    return { isRead, isPassed: verdict.isPassed };
  }

  async end(isPassed: boolean): Promise<void> {
    await this.#lastStep?.output(isPassed);
  }

  async #driftIn(file: string): Promise<DriftRemark | undefined> {
    const { args } = this.#context;
    const isShown = !args.has("quiet") || args.has("github") ||
      args.has("fail-on-drift");
    if (!isShown) return undefined;
    const { DriftRemark } = await import("./_drift_remark.ts");
    this.#drift ??= new DriftRemark();
    this.#drift.begin(file, {
      maxLineBytes: this.#options.maxLineBytes,
      isWhole: args.has("fail-on-drift"),
    });
    return this.#drift;
  }

  #verdict(
    { verdict }: VerdictBuilder,
    drift: DriftRemark | undefined,
    schema: SchemaFailures | undefined,
  ): Verdict {
    const reasons = [...verdict.reasons, ...schema?.reasons ?? []];
    const message = this.#context.args.has("fail-on-drift")
      ? drift?.text
      : undefined;
    if (message !== undefined) {
      reasons.push({ kind: "drift", message, line: null });
    }
    const isPassed = verdict.isPassed && reasons.length === 0;
    return { ...verdict, isPassed, reasons };
  }

  /** Prints the verdict to stderr; `words` are its reasons if secrets in them are masked. */
  #say(file: string, verdict: Verdict, words?: readonly string[]): void {
    const { diagnostics } = this.#context;
    const name = this.#isOneOfMany ? `${file}: ` : "";
    const { isPassed, tokens } = verdict;
    const reasons = words ?? verdict.reasons.map(({ message }) => message);
    // A single reason more takes no more space than the message that it is left out.
    const shown = reasons.length === MAX_SAID + 1 ? reasons.length : MAX_SAID;
    for (const message of reasons.slice(0, shown)) {
      diagnostics.remark(`${name}failed: ${message}`);
    }
    const more = reasons.length - shown;
    if (more > 0) {
      diagnostics.remark(
        `${name}failed: ... and ${
          countText(more)
        } more reasons: --json prints all`,
      );
    }
    if (this.#options.maxTokens !== undefined && tokens === null) {
      diagnostics.remark(
        `${name}--max-tokens could not be checked: the input has no token counts`,
      );
    }
    if (isPassed) diagnostics.remark(`${name}passed: ${runFigures(verdict)}`);
  }

  async #print(file: string, verdict: Verdict): Promise<void> {
    const { args, stdout } = this.#context;
    if (args.choice("format", FORMATS.report) === "json") {
      const fields = this.#isOneOfMany ? { file } : {};
      return await stdout.writeText(`${verdictJson(verdict, fields)}\n`);
    }
    const { finalMessage, reasons } = verdict;
    const isJson = args.has("json-output") && !args.has("tee") &&
      !reasons.some(({ kind }) => kind === "json_output");
    if (finalMessage !== null && (isJson || args.has("last-message"))) {
      await stdout.writeText(`${finalMessage}\n`);
    }
  }
}
