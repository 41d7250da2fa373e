/**
 * The comparison: every program over the same inputs, in turn.
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

/** What was found out about one program on one input. */
export interface Result {
  /** The program. */
  readonly name: string;
  /** Its times over those of the unit in the same round; absent if that did not run. */
  readonly ratio: Spread | undefined;
  /** The same of the time of processors; absent where nobody tells. */
  readonly cpuRatio: Spread | undefined;
  /** Its times in seconds. */
  readonly seconds: Spread;
  /** The time of processors in seconds. */
  readonly cpuSeconds: Spread | undefined;
  /** The bytes that it read, per second of the median, in millions. */
  readonly megabytesPerSecond: number;
  /** The lines that it read, per second of the median. */
  readonly linesPerSecond: number;
  /** The most memory that it held, in bytes. */
  readonly peakBytes: number | undefined;
}

/** What was found out on one input. */
export interface Comparison {
  /** The kind of input. */
  readonly input: KindName;
  /** How long it was. */
  readonly bytes: number;
  /** How many lines it had. */
  readonly lines: number;
  /** The share of lines that WebAssembly answers. */
  readonly fastShare: number;
  /** What each program did. */
  readonly results: readonly Result[];
}

/** Options for {@linkcode compare}. */
export interface CompareOptions extends GenerateOptions {
  /** How many rounds count; one more goes before them. */
  readonly rounds: number;
  /** The folder that inputs are written to. */
  readonly folder: string;
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** Is told what comes next. */
  readonly onProgress: (text: string) => void;
}

/**
 * Runs every program over an input of one kind, round by round: what slows the machine
 * down for a while slows all of them. The first round warms the caches up and is not timed;
 * memory is watched in it.
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
    const own = times[i] ?? [];
    const seconds = spreadOf(own.map(({ wall }) => wall));
    return {
      name,
      ratio: ratioOf(own, unit, ({ wall }) => wall),
      cpuRatio: ratioOf(own, unit, ({ cpu }) => cpu),
      seconds,
      cpuSeconds: own.some(({ cpu }) => cpu === undefined)
        ? undefined
        : spreadOf(own.map(({ cpu }) => cpu ?? NaN)),
      megabytesPerSecond: bytes / 1e6 / seconds.median,
      linesPerSecond: lines / seconds.median,
      peakBytes: peaks[i],
    };
  });
  return { input, bytes, lines, fastShare, results };
}

/** Times over those of the unit, round by round. */
function ratioOf(
  own: readonly Times[],
  unit: readonly Times[] | undefined,
  time: (times: Times) => number | undefined,
): Spread | undefined {
  const ratios: number[] = [];
  for (const [round, times] of own.entries()) {
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
 * Shows a comparison to people.
 *
 * @returns Lines of text; ratios first, because they depend on the machine the least.
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
