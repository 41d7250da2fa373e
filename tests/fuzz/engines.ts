/**
 * Holds the engines to each other: WebAssembly answers what TypeScript answers, byte for
 * byte, whatever the lines are.
 *
 * @module
 */

import {
  type Engine,
  JsonlDecoder,
  JsonlNormalizer,
} from "@codexpipe/codexpipe";
import { Random } from "../bench/generator.ts";
import { namesIn, readFixture } from "../fixtures.ts";
import { binaryOf, bytesOf, mutate } from "./mutations.ts";
import type { FuzzOptions, FuzzResult } from "./target.ts";

/** How many lines a stream has. */
const LINES = 2000;
/** Longer lines come seldom enough without being drawn. */
const LONGEST = 20_000;

/** What became of a stream. */
interface Answers {
  readonly bytes: Uint8Array;
  readonly failures: readonly string[];
  /** What became of each line, as a value. */
  readonly outcomes: readonly string[];
  readonly state: string;
  readonly fastLines: number;
}

/** Compares the engines on streams of real lines, some of them changed. */
export function fuzzEngines(
  { count, seed, onProgress }: FuzzOptions,
): FuzzResult {
  const captures = readLines();
  const random = new Random(seed);
  let lines = 0;
  let fast = 0;
  while (lines < count) {
    const size = Math.min(LINES, count - lines);
    const stream = draw(captures, size, random);
    const cuts = cutsOf(stream.length, random);
    const js = answer(stream, cuts, "js");
    const wasm = answer(stream, cuts, "wasm");
    const difference = differenceOf(js, wasm);
    if (difference !== undefined) {
      return { lines, difference: { ...difference, input: stream } };
    }
    lines += size;
    fast += wasm.fastLines;
    onProgress(lines);
  }
  const share = (100 * fast / Math.max(1, lines)).toFixed(0);
  return { lines, note: `${share} % answered by WebAssembly` };
}

/** The lines of each capture. */
function readLines(): string[][] {
  const captures: string[][] = [];
  for (const version of namesIn("captures/")) {
    for (const scenario of namesIn(`captures/${version}/`)) {
      const folder = `captures/${version}/${scenario}/`;
      for (const name of namesIn(folder)) {
        if (!/^(?:stdout|.*rollout-).*\.jsonl$/.test(name)) continue;
        const lines = binaryOf(readFixture(folder + name)).split("\n")
          .filter((line) => line !== "" && line.length <= LONGEST);
        if (lines.length > 0) captures.push(lines);
      }
    }
  }
  return captures;
}

/** Draws a stream of one capture, or of some that follow one another. */
function draw(
  captures: readonly (readonly string[])[],
  size: number,
  random: Random,
): Uint8Array {
  const lines: string[] = [];
  let capture = captures[random.below(captures.length)] ?? [];
  let at = 0;
  // Of some streams hardly a line is changed, so that their plans see much.
  const share = 2 + random.below(20);
  while (lines.length < size) {
    const line = capture[at] ?? "";
    const other = capture[random.below(capture.length)] ?? "";
    const isChanged = random.below(share) === 0;
    lines.push(isChanged ? mutate(line, random, other) : line);
    at += 1;
    if (at < capture.length) continue;
    at = random.below(capture.length);
    if (random.below(40) === 0) {
      capture = captures[random.below(captures.length)] ?? [];
      at = 0;
    }
  }
  const end = random.below(3) === 0 ? "" : "\n";
  return bytesOf(
    lines.join(random.below(9) === 0 ? "\r\n" : "\n") + end,
  );
}

/** Where a stream is cut into blocks. */
function cutsOf(length: number, random: Random): readonly number[] {
  const longest = 1 << (4 + random.below(16));
  const cuts: number[] = [];
  for (let at = 0; at < length;) {
    at = Math.min(length, at + 1 + random.below(longest));
    cuts.push(at);
  }
  return cuts;
}

function answer(
  stream: Uint8Array,
  cuts: readonly number[],
  engine: Engine,
): Answers {
  const pieces: Uint8Array[] = [];
  const failures: string[] = [];
  const normalizer = new JsonlNormalizer({
    engine,
    onError: "inline",
    onFailure: (failed) => failures.push(JSON.stringify(failed.toFailure())),
  });
  const keep = (piece: Uint8Array): number => pieces.push(piece.slice());
  let from = 0;
  for (const cut of cuts) {
    normalizer.feed(stream.subarray(from, cut), keep);
    from = cut;
  }
  normalizer.flush(keep);
  const outcomes: string[] = [];
  const decoder = new JsonlDecoder({ engine });
  from = 0;
  for (const cut of cuts) {
    decoder.feed(stream.subarray(from, cut), (outcome) => {
      outcomes.push(JSON.stringify(outcome));
    });
    from = cut;
  }
  decoder.flush((outcome) => outcomes.push(JSON.stringify(outcome)));
  const { kind, records, fastLines } = normalizer;
  return {
    bytes: joined(pieces),
    failures,
    outcomes,
    state: JSON.stringify([kind, records, normalizer.save()]),
    fastLines,
  };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function differenceOf(
  js: Answers,
  wasm: Answers,
):
  | { readonly what: string; readonly one: string; readonly other: string }
  | undefined {
  const length = Math.max(js.bytes.length, wasm.bytes.length);
  for (let at = 0; at < length; at++) {
    if (js.bytes[at] === wasm.bytes[at]) continue;
    const from = js.bytes.lastIndexOf(0x0a, at - 1) + 1;
    const shown = ({ bytes }: Answers): string =>
      JSON.stringify(binaryOf(bytes.subarray(from, at + 100)));
    return {
      what: `byte ${at} of the records`,
      one: shown(js),
      other: shown(wasm),
    };
  }
  for (const what of ["failures", "outcomes"] as const) {
    const length = Math.max(js[what].length, wasm[what].length);
    for (let place = 0; place < length; place++) {
      const one = js[what][place] ?? "nothing";
      const other = wasm[what][place] ?? "nothing";
      if (one !== other) return { what: `${what} ${place}`, one, other };
    }
  }
  if (js.state === wasm.state) return undefined;
  return { what: "what was remembered", one: js.state, other: wasm.state };
}
