/**
 * The steps of a run, as HTML of a summary.
 */

import { preText } from "./_html_pre.ts";
import { lostOutput, NO_MORE_RESULT } from "./_lost_output.ts";
import {
  foldHtml,
  lineHtml,
  MAX_HEAD_LENGTH,
  signOf,
  wordHtml,
} from "./_summary_html.ts";
import { cutOutput } from "./cut_output.ts";
import { cutText, endOf } from "./cut_text.ts";
import type {
  CommandView,
  EditView,
  EntryView,
  ToolView,
} from "./entry_views.ts";
import { plainTerminalText } from "./html_ansi.ts";
import { elementText } from "./html_text.ts";
import type { EntryPart } from "./parts.ts";
import { countedText, countText, durationText } from "./quantity_text.ts";

/** How many characters of each output are in a summary, however long its lines are. */
const MAX_OUTPUT_LENGTH = 8000;

/** How an edit ended, where the sign does not say it. */
const EDIT_ENDS: Record<EditView["status"], string> = {
  success: "",
  failed: " · <b>not applied</b>",
  running: " · no end",
  proposed: " · proposed",
};

/** What of a step is written. */
interface StepOptions {
  /** How many lines of each output. */
  readonly maxOutputLines: number;
  /** Whether what went in and came out is written, and not only how it ended. */
  readonly isFull: boolean;
}

/** Writes what was done, a step at a time. */
export class SummarySteps {
  readonly #options: StepOptions;

  /**
   * Constructs a new instance.
   *
   * @param options What of a step is written.
   */
  constructor(options: StepOptions) {
    this.#options = options;
  }

  /** Writes an entry that is a step; nothing if it is none. */
  html(view: EntryView, { durationMs, phase }: EntryPart): string {
    const time = durationMs === null || durationMs === 0
      ? ""
      : ` · ${durationText(durationMs)}`;
    const late = phase === "late" ? " · went on" : "";
    switch (view.kind) {
      case "command":
        return this.#commandHtml(view, time + late);
      case "tool":
        return this.#toolHtml(view, time + late);
      case "edit":
        return this.#editHtml(view, time + late);
      case "explore":
        return view.looks.map(({ command, status, note, output }) =>
          foldHtml(
            `${signOf(status)} <code>$ ${lineHtml(command)}</code>${
              note === "" ? "" : ` · ${wordHtml(note)}`
            }`,
            this.#options.isFull ? this.#outputHtml(output) : "",
          )
        ).join("");
      default:
        return "";
    }
  }

  #commandHtml(view: CommandView, more: string): string {
    const { command, status, exitCode, stdout, stderr, lostBytes } = view;
    const end = exitCode === null || exitCode === 0
      ? status === "running" ? " · no end" : ""
      : ` · <b>exit ${exitCode}</b>`;
    const whole = command.trim().includes("\n") ||
        command.length > MAX_HEAD_LENGTH
      ? `${preText(elementText(cutText(command, MAX_OUTPUT_LENGTH)))}\n`
      : "";
    return foldHtml(
      `${signOf(status)} <code>$ ${lineHtml(command)}</code>${end}${more}`,
      this.#options.isFull
        ? whole + (lostBytes === 0 ? "" : `<p>${lostOutput(lostBytes)}</p>\n`) +
          this.#outputHtml(stdout) + this.#outputHtml(stderr)
        : "",
    );
  }

  #toolHtml(view: ToolView, more: string): string {
    const { title, status, arguments: list, result, isResultCut, error } = view;
    const given = list.map(({ name, text }) => `${name}: ${text}`).join("\n");
    const failed = status === "failed" ? " · <b>failed</b>" : "";
    return foldHtml(
      `${signOf(status)} <code>${lineHtml(title)}</code>${failed}${more}`,
      this.#options.isFull
        ? this.#outputHtml(given) + this.#outputHtml(result) +
          (isResultCut ? `<p>${NO_MORE_RESULT}</p>\n` : "") +
          this.#outputHtml(error)
        : "",
    );
  }

  #editHtml({ files, status, failure }: EditView, more: string): string {
    const titles = files.map((file) => {
      const to = file.movedTo === ""
        ? ""
        : ` → <code>${wordHtml(file.movedTo)}</code>`;
      return `${file.change} <code>${wordHtml(file.path)}</code>${to}`;
    });
    const [only = "edit", another] = titles;
    const head = another === undefined
      ? only
      : `edit ${countText(files.length)} files`;
    const list = another === undefined
      ? ""
      : `<p>${titles.join("<br>\n")}</p>\n`;
    return foldHtml(
      `${signOf(status)} ${head}${EDIT_ENDS[status]}${more}`,
      this.#options.isFull ? list + this.#outputHtml(failure) : "",
    );
  }

  /** Writes the end of an output: what went wrong stands there. */
  #outputHtml(text: string): string {
    const { tail, head, omitted } = cutOutput(plainTerminalText(text), {
      maxLines: this.#options.maxOutputLines,
      keep: "end",
    });
    const all = [...head, ...tail].join("\n");
    if (all === "" && omitted === 0) return "";
    const shown = endOf(all, MAX_OUTPUT_LENGTH);
    const over = all.length - shown.length;
    const gap = omitted > 0
      ? `[${countedText(omitted, "line")} left out here]\n`
      : over > 0
      ? `[${countedText(over, "character")} left out here]\n`
      : "";
    return `${preText(elementText(gap + shown))}\n`;
  }
}
