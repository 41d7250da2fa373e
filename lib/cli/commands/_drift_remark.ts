/** That there is drift, as commands say it that are about something else: once for an input. */

import { driftText } from "../../drift/drift_finding.ts";
import { DriftMeter } from "../../drift/drift_meter.ts";
import { countedText } from "../../render/quantity_text.ts";

/**
 * How much of an input is looked at where nothing depends on it, in bytes: what has changed shows
 * early, and looking costs as much as judging a run.
 */
const MAX_LOOKED_AT = 1 << 23;

/** Looks for drift in one input while it is read. */
export class DriftRemark {
  readonly #meter = new DriftMeter();
  readonly #source;
  #left: number;

  /**
   * Constructs a new instance.
   *
   * @param options How long lines may be, and whether all of the input is looked at.
   */
  constructor(
    file: string,
    { maxLineBytes, isWhole }: {
      readonly maxLineBytes: number | undefined;
      readonly isWhole: boolean;
    },
  ) {
    this.#source = this.#meter.open(file, { maxLineBytes });
    this.#left = isWhole ? Infinity : MAX_LOOKED_AT;
  }

  feed(block: Uint8Array): void {
    if (this.#left <= 0) return;
    this.#left -= block.length;
    this.#source.feed(block);
  }

  flush(): void {
    // A line that was left in the middle is no line.
    if (this.#left > 0) this.#source.flush();
  }

  /** What there is to say in a line; it holds no text of the input. */
  get text(): string | undefined {
    const { count } = this.#meter;
    if (count === 0) return undefined;
    return `${
      countedText(count, "thing")
    } that no known release of Codex writes; codexpipe drift says which`;
  }

  /** What was found, a line each, with names of fields from the input. */
  get lines(): readonly string[] {
    return this.#meter.findings().map(driftText);
  }
}
