/** The report of a run to GitHub Actions: annotations, a step summary and step outputs. */

import type { Verdict } from "../../check/verdict.ts";
import type { Redactor } from "../../redact/redactor.ts";
import {
  GITHUB_MIN_SUMMARY_BYTES,
  GITHUB_SUMMARY_BYTES,
  GithubRenderer,
} from "../../render/github.ts";
import { githubAnnotation } from "../../render/github_commands.ts";
import {
  githubOutputs,
  type GithubVerdict,
} from "../../render/github_report.ts";
import type { TranscriptPart } from "../../render/parts.ts";
import type { CommandContext } from "../command.ts";
import { writeFile } from "../created_file.ts";
import { runFigures } from "./_formats.ts";
import { redactorOf, saySecrets } from "./_secrets.ts";

const ENCODER = new TextEncoder();

/** GitHub shows at most ten errors of a step. */
const MAX_ANNOTATIONS = 10;

/** The outputs of a run that could not be read. */
const NOTHING = {
  threadId: null,
  status: null,
  tokens: null,
  finalMessage: null,
};

export interface GithubStepOptions {
  readonly name: string | undefined;
  /** The bytes of the summaries of earlier runs: all summaries of a step share one limit. */
  readonly summaryBytes: number;
  /** The number of runs that are still to be reported, including this one. */
  readonly runsLeft: number;
}

export class GithubStep {
  readonly #context: CommandContext;
  readonly #name: string | undefined;
  readonly #redactor: Redactor | undefined;
  readonly #renderer: GithubRenderer;
  readonly #hasRoom: boolean;
  #summary = "";
  /** The verdict, and what is shown of it; `undefined` if the run could not be read. */
  #verdict: Verdict | undefined;
  #shown: GithubVerdict | undefined;

  constructor(
    context: CommandContext,
    { name, summaryBytes, runsLeft }: GithubStepOptions,
  ) {
    const room = GITHUB_SUMMARY_BYTES - summaryBytes;
    this.#hasRoom = room >= GITHUB_MIN_SUMMARY_BYTES;
    this.#context = context;
    this.#name = name;
    this.#redactor = redactorOf(context.args);
    this.#renderer = new GithubRenderer({
      redactor: this.#redactor,
      maxBytes: Math.max(
        GITHUB_MIN_SUMMARY_BYTES,
        Math.floor(room / runsLeft),
      ),
      verdict: () => this.#shown,
    });
  }

  /** The size of the summary in bytes, after `end`. */
  get summaryBytes(): number {
    return ENCODER.encode(this.#summary).length;
  }

  masked(text: string): string {
    return this.#redactor?.redact(text) ?? text;
  }

  take(part: TranscriptPart): void {
    this.#renderer.feed(part);
  }

  /** Sets the verdict on the whole input; returns its reasons, with secrets masked. */
  judge(verdict: Verdict, drift?: readonly string[]): readonly string[] {
    const { isPassed } = verdict;
    const words = isPassed ? "passed" : "failed";
    const reasons = verdict.reasons.map(({ message }) => this.masked(message));
    this.#verdict = verdict;
    this.#shown = {
      isPassed,
      title: `The Codex run ${words} · ${runFigures(verdict)}`,
      reasons,
      drift: drift?.map((line) => this.masked(line)),
    };
    return reasons;
  }

  async end(): Promise<void> {
    const { diagnostics, process } = this.#context;
    if (this.#hasRoom) {
      this.#renderer.flush((text) => this.#summary += text);
    }
    const prefix = this.#name === undefined ? "" : `${this.#name}: `;
    const reasons = this.#shown?.reasons ?? [];
    for (const message of reasons.slice(0, MAX_ANNOTATIONS)) {
      diagnostics.command(annotationOf(prefix + message));
    }
    const summaryPath = process.env("GITHUB_STEP_SUMMARY") ?? "";
    if (summaryPath === "") {
      diagnostics.remark("GITHUB_STEP_SUMMARY is not set: there is no summary");
    } else await this.#append(summaryPath, this.#summary);
    if (!this.#hasRoom) {
      diagnostics.remark(
        "there is no summary: those of other files use all the space",
      );
    }
    if (this.#redactor !== undefined) {
      saySecrets(this.#redactor.counts, this.#context);
    }
  }

  fail(message: string): void {
    this.#context.diagnostics.command(annotationOf(message));
  }

  /** Writes the outputs of this run, since GitHub would mix up two, and the verdict on all runs. */
  async output(isPassed: boolean): Promise<void> {
    const path = this.#context.process.env("GITHUB_OUTPUT") ?? "";
    if (path === "") return;
    const { threadId, status, finalMessage, tokens } = this.#verdict ?? NOTHING;
    const outputs = githubOutputs({
      threadId: threadId && this.masked(threadId),
      status,
      usage: tokens,
      finalMessage: finalMessage && this.masked(finalMessage),
    }, { isPassed });
    await this.#append(path, outputs);
  }

  async #append(path: string, text: string): Promise<void> {
    await writeFile(path, text, this.#context.process, { isAppending: true });
  }
}

function annotationOf(message: string): string {
  return githubAnnotation({ level: "error", title: "Codex run", message });
}
