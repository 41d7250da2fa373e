/**
 * That there is drift, as commands say it that are about something else: once for an input.
 */

import { DriftMeter } from "../../drift/drift.ts";
import { countedText } from "../../render/quantity_text.ts";

/** Looks for drift in one input while it is read. */
export class DriftRemark {
  readonly #meter = new DriftMeter();
  readonly #source;

  /** Constructs a new instance. */
  constructor(file: string, maxLineBytes: number | undefined) {
    this.#source = this.#meter.open(file, { maxLineBytes });
  }

  /** Takes a block. */
  feed(block: Uint8Array): void {
    this.#source.feed(block);
  }

  /** Ends the input. */
  flush(): void {
    this.#source.flush();
  }

  /** What there is to say; it holds no text of the input. */
  get text(): string | undefined {
    const { count } = this.#meter;
    if (count === 0) return undefined;
    return `${
      countedText(count, "thing")
    } that no known release of Codex writes; codexpipe drift says which`;
  }
}
