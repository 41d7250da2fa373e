/** How much was done and used: in a turn, in all of them. */

import type { EntryView } from "./entry_view.ts";
import type { TurnUsage } from "./parts.ts";
import { countedText, countText } from "./quantity_text.ts";

/** How many files are told apart; of more the number is not exact. */
const MAX_FILES = 10_000;

const WORK: ReadonlySet<EntryView["kind"]> = new Set(
  ["command", "diff", "edit", "explore", "tool", "unknown"] as const,
);

/** Tells whether an entry is something that was done, and not what somebody said or thought. */
export function isWork({ kind }: EntryView): boolean {
  return WORK.has(kind);
}

/** Writes how many tokens were used: `1,234 in / 567 out`. */
export function usageText({ input_tokens, output_tokens }: TurnUsage): string {
  return `${countText(input_tokens)} in / ${countText(output_tokens)} out`;
}

export class WorkCounts {
  #commands = 0;
  #failed = 0;
  #tools = 0;
  readonly #files = new Set<string>();

  /** Counts an entry in. One that only goes on was counted before, but for how it ended. */
  add(view: EntryView, isLate: boolean): void {
    switch (view.kind) {
      case "command":
        if (!isLate) this.#commands += 1;
        if (view.status === "failed") this.#failed += 1;
        break;
      case "explore":
        if (!isLate) this.#commands += view.looks.length;
        for (const { status } of view.looks) {
          if (status === "failed") this.#failed += 1;
        }
        break;
      case "tool":
        if (!isLate) this.#tools += 1;
        break;
      case "edit":
        if (view.status !== "success") break;
        for (const { path } of view.files) this.#addFile(path);
        break;
    }
  }

  /** Counts in what was counted elsewhere. */
  addAll(counts: WorkCounts): void {
    this.#commands += counts.#commands;
    this.#failed += counts.#failed;
    this.#tools += counts.#tools;
    for (const path of counts.#files) this.#addFile(path);
  }

  /**
   * Says what was counted, a phrase for each kind of which there is any.
   *
   * @param stressed Marks up what a reader should not miss.
   */
  phrases(stressed: (text: string) => string = (text) => text): string[] {
    const phrases: string[] = [];
    if (this.#commands > 0) {
      const failed = this.#failed === 0
        ? ""
        : `, ${stressed(`${countText(this.#failed)} failed`)}`;
      phrases.push(countedText(this.#commands, "command") + failed);
    }
    if (this.#files.size > 0) {
      phrases.push(`${countedText(this.#files.size, "file")} changed`);
    }
    if (this.#tools > 0) phrases.push(countedText(this.#tools, "tool call"));
    return phrases;
  }

  #addFile(path: string): void {
    if (this.#files.size < MAX_FILES) this.#files.add(path);
  }
}
