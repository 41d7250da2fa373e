/** The remark about drift in an input, for commands other than `drift`. */

import { driftText } from "../../drift/drift_finding.ts";
import { DriftMeter, type DriftSource } from "../../drift/drift_meter.ts";
import { countedText } from "../../render/quantity_text.ts";

/** The bytes that are checked for a remark: drift shows early, and checking takes long. */
const MAX_LOOKED_AT = 1 << 23;

/** Looks for drift in inputs while they are read, one after the other. */
export class DriftRemark {
  // One for all inputs: making the table of what is known takes longer than reading a short run.
  readonly #meter = new DriftMeter();
  #source: DriftSource | undefined;
  #left = 0;

  /** Begins an input; the drift of the one before is forgotten. */
  begin(
    file: string,
    { maxLineBytes, isWhole }: {
      readonly maxLineBytes: number | undefined;
      readonly isWhole: boolean;
    },
  ): void {
    this.#meter.take();
    this.#source = this.#meter.open(file, { maxLineBytes });
    this.#left = isWhole ? Infinity : MAX_LOOKED_AT;
  }

  feed(block: Uint8Array): void {
    if (this.#left <= 0) return;
    this.#left -= block.length;
    this.#source?.feed(block);
  }

  flush(): void {
    // If the limit was reached, the last line is incomplete and must not count.
    if (this.#left > 0) this.#source?.flush();
  }

  /** The remark, if there is drift in the input. It contains no text of the input. */
  get text(): string | undefined {
    const { count } = this.#meter;
    if (count === 0) return undefined;
    return `${
      countedText(count, "thing")
    } that no known release of Codex writes; codexpipe drift lists them`;
  }

  /** The findings, a line each, with names of fields from the input. */
  get lines(): readonly string[] {
    return this.#meter.findings().map(driftText);
  }
}
