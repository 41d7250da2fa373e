/**
 * The comparison: runs every program on the same inputs, in turn.
 *
 * @module
 */

import { JsonlNormalizer } from "@codexpipe/codexpipe";
import { type Contestant, UNIT } from "./contestants.ts";
import {
  generate,
  type GenerateOptions,
  type KindName,
  KINDS,
  readRuns,
} from "./generator.ts";
import { runTimed, runWatched, type Times } from "./measure.ts";
import { columns, type Spread, spreadOf } from "./statistics.ts";

/** The measurements of one program on one input. */
export interface Result {
  /** The name of the program. */
  readonly name: string;
  /** Wall times over those of the unit in the same round; `undefined` if the unit did not run. */
  readonly ratio: Spread | undefined;
  /** Processor times over those of the unit; `undefined` where they are unknown. */
  readonly cpuRatio: Spread | undefined;
  /** Wall times in seconds. */
  readonly seconds: Spread;
  /** Processor times in seconds. */
  readonly cpuSeconds: Spread | undefined;
  /** Megabytes of input per second of the median wall time. */
  readonly megabytesPerSecond: number;
  /** Lines of input per second of the median wall time. */
  readonly linesPerSecond: number;
  /** The peak memory in bytes. */
  readonly peakBytes: number | undefined;
}

/** The measurements of all programs on one input. */
export interface Comparison {
  /** The kind of input. */
  readonly input: KindName;
  /** The length of the input in bytes. */
  readonly bytes: number;
  /** The number of lines of the input. */
  readonly lines: number;
  /** The share of lines that the WebAssembly kernel normalizes, from 0 to 1. */
  readonly fastShare: number;
  /** The measurements of each program. */
  readonly results: readonly Result[];
}

/** Options for {@linkcode compare}. */
export interface CompareOptions extends GenerateOptions {
  /** The number of timed rounds; one more round comes before them. */
  readonly rounds: number;
  /** The folder that inputs are written to. */
  readonly folder: string;
  /** Aborts the comparison. */
  readonly signal: AbortSignal;
  /** Called with a description of each step before it begins. */
  readonly onProgress: (text: string) => void;
}

/**
 * Runs every program on an input of one kind, in rounds: if the machine is slow for a while, it
 * is slow for all programs. The first round warms up the caches and is not timed; it measures
 * memory.
 *
 * @param input The kind.
 * @param contestants The programs.
 */
export async function compare(
  input: KindName,
  contestants: readonly Contestant[],
  options: CompareOptions,
): Promise<Comparison> {
  const { rounds, folder, signal, onProgress } = options;
  const path = `${folder}/${input}.jsonl`;
  onProgress(`${input}: writing the input`);
  const { bytes, lines, fastShare } = await writeInput(path, input, options);
  const peaks: (number | undefined)[] = [];
  for (const { name, command } of contestants) {
    onProgress(`${input}: warming up, ${name}`);
    peaks.push(await runWatched(command(path), { signal }));
  }
  const times = contestants.map((): Times[] => []);
  for (let round = 1; round <= rounds; round++) {
    for (const [i, { name, command }] of contestants.entries()) {
      onProgress(`${input}: round ${round} of ${rounds}, ${name}`);
      times[i]?.push(await runTimed(command(path), { signal }));
    }
  }
  await Deno.remove(path);
  const unit = times[contestants.findIndex(({ name }) => name === UNIT)];
  const results = contestants.map(({ name }, i): Result => {
    const runs = times[i] ?? [];
    const seconds = spreadOf(runs.map(({ wall }) => wall));
    return {
      name,
      ratio: ratioOf(runs, unit, ({ wall }) => wall),
      cpuRatio: ratioOf(runs, unit, ({ cpu }) => cpu),
      seconds,
      cpuSeconds: runs.some(({ cpu }) => cpu === undefined)
        ? undefined
        : spreadOf(runs.map(({ cpu }) => cpu ?? NaN)),
      megabytesPerSecond: bytes / 1e6 / seconds.median,
      linesPerSecond: lines / seconds.median,
      peakBytes: peaks[i],
    };
  });
  return { input, bytes, lines, fastShare, results };
}

/** Divides the times of a program by those of the unit in the same rounds. */
function ratioOf(
  runs: readonly Times[],
  unit: readonly Times[] | undefined,
  time: (times: Times) => number | undefined,
): Spread | undefined {
  const ratios: number[] = [];
  for (const [round, times] of runs.entries()) {
    const base = unit?.[round];
    const one = time(times);
    const other = base === undefined ? undefined : time(base);
    if (one === undefined || other === undefined) return undefined;
    ratios.push(one / other);
  }
  return spreadOf(ratios);
}

async function writeInput(
  path: string,
  input: KindName,
  options: GenerateOptions,
): Promise<Pick<Comparison, "bytes" | "lines" | "fastShare">> {
  using file = await Deno.create(path);
  const writer = file.writable.getWriter();
  const normalizer = new JsonlNormalizer({ engine: "wasm" });
  let bytes = 0;
  let lines = 0;
  for (const block of generate(await readRuns(input), options)) {
    bytes += block.length;
    for (let at = block.indexOf(LF); at !== -1;) {
      lines += 1;
      at = block.indexOf(LF, at + 1);
    }
    normalizer.feed(block, () => {});
    await writer.write(block);
  }
  return { bytes, lines, fastShare: normalizer.fastLines / lines };
}

const LF = 0x0a;

/**
 * Formats a comparison as a table.
 *
 * @returns The lines. Ratios come first, because they depend least on the machine.
 */
export function toTable(
  { input, bytes, lines, fastShare, results }: Comparison,
  contestants: readonly Contestant[],
): string {
  const rows = [[
    "",
    "",
    "cpu",
    "min-max",
    "wall",
    "min-max",
    "MB/s",
    "lines/s",
    "seconds",
    "min-max",
    "peak MB",
  ]];
  for (const result of results) {
    const { name, ratio, cpuRatio, seconds, peakBytes } = result;
    rows.push([
      name,
      contestants.find((contestant) => contestant.name === name)?.about ?? "",
      ...[cpuRatio, ratio].flatMap((spread) =>
        spread === undefined
          ? ["-", "-"]
          : [spread.median.toFixed(2), range(spread)]
      ),
      result.megabytesPerSecond.toFixed(0),
      result.linesPerSecond.toFixed(0),
      seconds.median.toFixed(2),
      range(seconds),
      peakBytes === undefined ? "-" : (peakBytes / 1e6).toFixed(0),
    ]);
  }
  const size = `${(bytes / 1e6).toFixed(1)} MB, ${lines} lines, ${
    (bytes / lines).toFixed(0)
  } B a line, ${
    (100 * fastShare).toFixed(1)
  } % of them answered by WebAssembly`;
  return `${input}: ${KINDS[input].about} (${size})\n\n${columns(rows)}\n`;
}

function range({ min, max }: Spread): string {
  return `${min.toFixed(2)}-${max.toFixed(2)}`;
}
