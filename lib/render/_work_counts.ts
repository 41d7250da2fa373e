/** Sums up the work and the tokens of turns and sessions. */

import { sum } from "../groups.ts";
import type { EntryView } from "./entry_view.ts";
import type { TurnUsage } from "./parts.ts";
import { countedText, countText } from "./quantity_text.ts";

/** The maximum number of distinct files counted, which limits the memory for their paths. */
const MAX_FILES = 10_000;

export const USAGE_KINDS = [
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
] as const satisfies readonly (keyof TurnUsage)[];

/** Makes the token counts of a turn; `null` stands for kinds that the input does not count. */
export function usageOf(
  count: (kind: keyof TurnUsage) => number | null,
): TurnUsage {
  return {
    input_tokens: count("input_tokens") ?? 0,
    cached_input_tokens: count("cached_input_tokens"),
    output_tokens: count("output_tokens") ?? 0,
    reasoning_output_tokens: count("reasoning_output_tokens"),
  };
}

/** Writes token counts, as in `1,234 in / 567 out`. */
export function usageText({ input_tokens, output_tokens }: TurnUsage): string {
  return `${countText(input_tokens)} in / ${countText(output_tokens)} out`;
}

/** Counts commands, failed commands, tool calls and changed files. */
export class WorkCounts {
  #commands = 0;
  #failed = 0;
  #tools = 0;
  readonly #files = new Set<string>();

  /** Adds an entry. Of a late one only the failure counts: its `final` part was counted before. */
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

  addAll(counts: WorkCounts): void {
    this.#commands += counts.#commands;
    this.#failed += counts.#failed;
    this.#tools += counts.#tools;
    for (const path of counts.#files) this.#addFile(path);
  }

  /** Returns a phrase for each count but 0: `3 commands, 1 failed`; `stressed` marks failures. */
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

export class RunTotals {
  /** The work of all turns, and between them. */
  readonly work = new WorkCounts();
  #usage: TurnUsage | null = null;
  readonly #threadIds = new Set<string>();
  #hasRuns = false;

  /** Begins a session; returns whether there was one of the same thread before. */
  enter(threadId: string | null): boolean {
    if (threadId === null) return false;
    const isKnown = this.#threadIds.has(threadId);
    this.#hasRuns ||= isKnown;
    this.#threadIds.add(threadId);
    return isKnown;
  }

  addUsage(usage: TurnUsage | null): void {
    if (usage === null) return;
    const before = this.#usage;
    this.#usage = usageOf((kind) => sum(before?.[kind] ?? null, usage[kind]));
  }

  /** The tokens of all turns; `null` if a thread has several runs, whose counts may overlap. */
  get usage(): TurnUsage | null {
    return this.#hasRuns ? null : this.#usage;
  }
}
