/**
 * Makes streams that no release of Codex has written from captured ones. The same seed makes the
 * same streams.
 *
 * @module
 */

import { concat } from "../running.ts";
import { ENDS } from "./hostile.ts";
import { LineMutator } from "./line_mutator.ts";
import type { Random } from "./random.ts";
import type { Seedbed } from "./seedbeds.ts";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();
const BOM = Uint8Array.of(0xef, 0xbb, 0xbf);
/** Matches lines that end an item, call or turn, in all dialects. */
const END_REGEXP =
  /"(?:item\.completed|turn\.completed|turn\.failed|[a-z_]+_(?:end|complete|output)|turn_aborted)"/;

/** Makes streams from the lines of files. */
export class StreamMaker {
  readonly #random: Random;
  readonly #seedbeds: readonly Seedbed[];
  readonly #mutator: LineMutator;

  /** Constructs a new instance. */
  constructor(random: Random, seedbeds: readonly Seedbed[]) {
    this.#random = random;
    this.#seedbeds = seedbeds;
    this.#mutator = new LineMutator(random, seedbeds);
  }

  /**
   * Makes a stream from the lines of one or two files, with some lines changed.
   *
   * @param length The number of lines, approximately.
   * @returns The bytes of the stream.
   */
  make(length: number): Uint8Array<ArrayBuffer> {
    const random = this.#random;
    const pieces: Uint8Array[] = [];
    if (random.oneIn(20)) pieces.push(BOM);
    // Every third line, every tenth, or none: streams that are only out of order are read further.
    const changed = random.pick([3, 3, 10, Infinity]);
    const lines = this.#lines(length);
    for (const [i, line] of lines.entries()) {
      pieces.push(random.oneIn(changed) ? this.#mutator.change(line) : line);
      const isLast = i === lines.length - 1;
      if (isLast && random.oneIn(2)) break;
      // Without a line end, the line is glued to the next one.
      if (random.oneIn(60)) continue;
      const end = random.oneIn(8) ? random.pick(ENDS) : ENDS[0];
      pieces.push(ENCODER.encode(end));
    }
    const bytes = concat(pieces);
    return random.oneIn(20)
      ? bytes.subarray(0, random.below(bytes.length + 1))
      : bytes;
  }

  /** Draws lines, and may rearrange them. */
  #lines(length: number): Uint8Array[] {
    const random = this.#random;
    const bed = random.pick(this.#seedbeds);
    const other = random.pick(this.#seedbeds);
    if (bed === undefined || other === undefined) return [];
    const isSpliced = random.oneIn(4);
    const lines: Uint8Array[] = [];
    let at = random.oneIn(3) ? random.below(bed.lines.length) : 0;
    for (let i = 0; i < length; i++) {
      const from = isSpliced && random.oneIn(6) ? other : bed;
      lines.push(from.lines[at % from.lines.length] ?? new Uint8Array(0));
      at += random.oneIn(10) ? random.below(5) : 1;
    }
    return this.#rearranged(lines);
  }

  #rearranged(lines: Uint8Array[]): Uint8Array[] {
    const random = this.#random;
    const start = random.below(lines.length);
    const end = start + random.below(lines.length - start + 1);
    const part = lines.slice(start, end);
    switch (random.below(10)) {
      case 0:
        // A part is repeated.
        return [...lines.slice(0, end), ...part, ...lines.slice(end)];
      case 1:
        return [
          ...lines.slice(0, start),
          ...part.toReversed(),
          ...lines.slice(end),
        ];
      case 2:
        // A part is moved to the end.
        return [...lines.slice(0, start), ...lines.slice(end), ...part];
      case 3:
        // All ends are missing.
        return lines.filter((line) => !END_REGEXP.test(DECODER.decode(line)));
      case 4:
        // Lines are in random order, some of them repeated.
        return lines.map(() => random.pick(lines) ?? new Uint8Array(0));
      default:
        return lines;
    }
  }
}
