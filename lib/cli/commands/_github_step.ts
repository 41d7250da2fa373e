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
import type { DriftRemark } from "./_drift_remark.ts";
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
  /** The name of the run, if there are several. */
  readonly name?: string | undefined;
  /** Returns the verdict; called when the whole input has been read. */
  readonly verdict: () => Verdict;
  readonly drift: DriftRemark | undefined;
  /** The bytes of the summaries of earlier runs: all summaries of a step share one limit. */
  readonly summaryBytes: number;
  /** The number of runs that are still to be reported, including this one. */
  readonly runsLeft: number;
}

export class GithubStep {
  readonly #context: CommandContext;
  readonly #options: GithubStepOptions;
  readonly #redactor: Redactor | undefined;
  readonly #renderer: GithubRenderer;
  readonly #hasRoom: boolean;
  #summary = "";
  #isUnread = false;
  #verdict: GithubVerdict | undefined;

  constructor(context: CommandContext, options: GithubStepOptions) {
    const { args } = context;
    const room = GITHUB_SUMMARY_BYTES - options.summaryBytes;
    this.#hasRoom = room >= GITHUB_MIN_SUMMARY_BYTES;
    this.#context = context;
    this.#options = options;
    this.#redactor = redactorOf(args);
    this.#renderer = new GithubRenderer({
      redactor: this.#redactor,
      maxBytes: Math.max(
        GITHUB_MIN_SUMMARY_BYTES,
        Math.floor(room / options.runsLeft),
      ),
      verdict: () => this.#githubVerdict(),
    });
  }

  /** The reasons that the run failed, with secrets masked. */
  get reasons(): readonly string[] {
    return this.#githubVerdict().reasons;
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

  /** Writes the annotations and the summary of the run. */
  async end(): Promise<void> {
    const { diagnostics, process } = this.#context;
    if (this.#hasRoom) {
      this.#renderer.flush((text) => this.#summary += text);
    }
    const { name } = this.#options;
    const prefix = name === undefined ? "" : `${name}: `;
    for (const message of this.reasons.slice(0, MAX_ANNOTATIONS)) {
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

  /** Reports a run that could not be read. */
  fail(message: string): void {
    this.#isUnread = true;
    this.#context.diagnostics.command(annotationOf(message));
  }

  /** Writes the outputs of this run, since GitHub would mix up two, and the verdict on all runs. */
  async output(isPassed: boolean): Promise<void> {
    const path = this.#context.process.env("GITHUB_OUTPUT") ?? "";
    if (path !== "") await this.#append(path, this.#outputs(isPassed));
  }

  /** The verdict for the summary; valid when the whole input has been read. */
  #githubVerdict(): GithubVerdict {
    if (this.#verdict !== undefined) return this.#verdict;
    const { verdict: judge, drift } = this.#options;
    const verdict = judge();
    const { isPassed, reasons } = verdict;
    const words = isPassed ? "passed" : "failed";
    return this.#verdict = {
      isPassed,
      title: `The Codex run ${words} · ${runFigures(verdict)}`,
      reasons: reasons.map(({ message }) => this.masked(message)),
      drift: drift?.lines.map((line) => this.masked(line)),
    };
  }

  #outputs(isPassed: boolean): string {
    const { threadId, status, finalMessage, tokens } = this.#isUnread
      ? NOTHING
      : this.#options.verdict();
    return githubOutputs({
      threadId: threadId && this.masked(threadId),
      status,
      usage: tokens,
      finalMessage: finalMessage && this.masked(finalMessage),
    }, { isPassed });
  }

  async #append(path: string, text: string): Promise<void> {
    await writeFile(path, text, this.#context.process, { isAppending: true });
  }
}

function annotationOf(message: string): string {
  return githubAnnotation({ level: "error", title: "Codex run", message });
}
