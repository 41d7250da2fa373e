/**
 * What can be fuzzed.
 *
 * @module
 */

/** How much to try. */
export interface FuzzOptions {
  /** How many lines. */
  readonly count: number;
  /** What they are drawn by. */
  readonly seed: number;
  /** Is told how many lines have been tried. */
  readonly onProgress: (lines: number) => void;
}

/** What was found. */
export interface FuzzResult {
  /** How many lines have been tried without a difference. */
  readonly lines: number;
  /** What else is worth saying. */
  readonly note?: string;
  /** What is wrong, if something is. */
  readonly difference?: {
    /** What differs. */
    readonly what: string;
    /** What it should be. */
    readonly one: string;
    /** What it is. */
    readonly other: string;
    /** What led to it. */
    readonly input: Uint8Array;
  };
}

/** Something that is held to a law, whatever its input. */
export interface FuzzTarget {
  /** What it is called. */
  readonly name: string;
  /** The law. */
  readonly about: string;
  /** Tries it. */
  readonly run: (options: FuzzOptions) => FuzzResult | Promise<FuzzResult>;
}
