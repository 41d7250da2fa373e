/**
 * How much output all commands of a history keep together.
 *
 * @module
 */

import type { Entry } from "./_entry.ts";
import type { RecordLimits } from "./record_operations.ts";

/** Counts the output of all commands, and cuts the oldest ones when it is too much. */
export class OutputBudget {
  readonly #limits: Required<RecordLimits>;
  /** The commands that have more than is left of a cut one: the only ones worth looking at. */
  readonly #long = new Set<Entry>();
  #bytes = 0;

  /**
   * Constructs a new instance.
   *
   * @param limits How much is kept.
   */
  constructor(limits: Required<RecordLimits>) {
    this.#limits = limits;
  }

  /** Counts a record in. */
  add(entry: Entry): void {
    const { content } = entry;
    if (content.kind !== "exec") return;
    const { stdout, stderr } = content;
    this.#bytes += stdout.bytes + stderr.bytes;
    const longer = Math.max(stdout.bytes, stderr.bytes);
    if (longer > this.#limits.prunedStreamBytes) this.#long.add(entry);
  }

  /** Counts a record out. */
  remove(entry: Entry): void {
    const { content } = entry;
    if (content.kind !== "exec") return;
    this.#bytes -= content.stdout.bytes + content.stderr.bytes;
    this.#long.delete(entry);
  }

  /**
   * Cuts the output of the oldest commands until the rest is short enough.
   *
   * @returns The records that were cut.
   */
  prune(): Entry[] {
    if (this.#bytes <= this.#limits.totalBytes) return [];
    const pruned: Entry[] = [];
    const oldest = [...this.#long].sort((a, b) => a.index - b.index);
    for (const entry of oldest) {
      if (this.#bytes <= this.#limits.totalBytes) break;
      if (entry.content.kind !== "exec") continue;
      const { stdout, stderr } = entry.content;
      this.remove(entry);
      stdout.keepLast(this.#limits.prunedStreamBytes);
      stderr.keepLast(this.#limits.prunedStreamBytes);
      this.add(entry);
      pruned.push(entry);
    }
    return pruned;
  }
}
