/**
 * Compares the engines: the output of WebAssembly equals that of TypeScript, byte for byte, for
 * any lines.
 *
 * @module
 */

import {
  type Engine,
  JsonlDecoder,
  JsonlNormalizer,
  type Outcome,
} from "@codexpipe/codexpipe";
import { readServerRuns } from "../dialects/app_server/sessions.ts";
import { readCapturedFiles } from "../fixtures.ts";
import { binaryOf, bytesOf, concat } from "../running.ts";
import { damaged, type Random } from "./damage.ts";
import type { Law } from "./law.ts";

/** How many lines are put around a stream, so that the kernel has plans for its lines. */
const AROUND = 60;
/** The longest line that is drawn; mutations make longer ones often enough. */
const LONGEST = 20_000;

/** The outputs of an engine for a stream. */
interface Answers {
  /** The normalized text. */
  readonly bytes: Uint8Array;
  readonly failures: readonly string[];
  /** The decoded outcome of each line. */
  readonly outcomes: readonly string[];
  readonly state: string;
  readonly fastLines: number;
}

/** The captures to draw from, read at first use. */
let captures: readonly (readonly string[])[] | undefined;

/**
 * Draws a stream: lines of one or more captures, a part of them damaged.
 *
 * @param size The number of lines, approximately.
 */
export function drawStream(size: number, random: Random): Uint8Array {
  captures ??= [
    ...readCapturedFiles(/\.jsonl$/).map(({ bytes }) => bytes),
    ...readServerRuns().map(({ stdout }) => stdout),
  ].map((bytes) =>
    binaryOf(bytes).split("\n").filter(({ length }) =>
      length > 0 && length <= LONGEST
    )
  ).filter(({ length }) => length > 0);
  return draw(captures, size, random);
}

/** Values of the option `only`, which is set for half of the streams. */
const SELECTIONS: readonly (readonly string[])[] = [
  ["thread.started", "turn.completed", "item.completed/token_count"],
  ["turn.completed", "item.completed/command_execution", "error"],
  ["event_msg/token_count", "response_item/message", "session_meta"],
  ["item.started", "item.completed", "response_item"],
];

/**
 * Compares the outputs of the engines for a stream.
 *
 * @throws {Error} If they differ.
 */
export function compareEngines(stream: Uint8Array, random: Random): void {
  const cuts = cutsOf(stream.length, random);
  const maxLineBytes = random.below(4) === 0 ? 1 + random.below(2000) : 1e6;
  const only = SELECTIONS[random.below(2 * SELECTIONS.length)];
  const js = answer(stream, cuts, { engine: "js", maxLineBytes, only });
  const wasm = answer(stream, cuts, { engine: "wasm", maxLineBytes, only });
  const difference = differenceOf(js, wasm);
  if (difference === undefined) return;
  const { part, one, other } = difference;
  throw new Error(`${part}: ${one} of TypeScript, ${other} of WebAssembly`);
}

/** The laws of the engines. */
export const ENGINE_LAWS: readonly Law[] = [
  {
    name: "WebAssembly writes and decodes what TypeScript does",
    check: compareEngines,
  },
  {
    name: "WebAssembly does so with a stream among damaged lines of a capture",
    check(stream, random) {
      const around = drawStream(AROUND, random);
      const end = bytesOf("\n");
      compareEngines(concat([around, end, stream, end, around]), random);
    },
  },
];

/** Draws lines from one capture, or from several in sequence. */
function draw(
  captures: readonly (readonly string[])[],
  size: number,
  random: Random,
): Uint8Array {
  const lines: string[] = [];
  let capture = captures[random.below(captures.length)] ?? [];
  let at = 0;
  // Some streams have hardly a changed line, so that the kernel's plans answer most lines.
  const share = 2 + random.below(20);
  while (lines.length < size) {
    const line = capture[at] ?? "";
    const other = capture[random.below(capture.length)] ?? "";
    const isChanged = random.below(share) === 0;
    lines.push(isChanged ? damaged(line, random, other) : line);
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

/** Returns the offsets at which a stream is cut into blocks. */
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
  options: {
    readonly engine: Engine;
    readonly maxLineBytes: number;
    readonly only?: readonly string[] | undefined;
  },
): Answers {
  const pieces: Uint8Array[] = [];
  const failures: string[] = [];
  const normalizer = new JsonlNormalizer({
    ...options,
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
  const decoder = new JsonlDecoder(options);
  from = 0;
  for (const cut of cuts) {
    decoder.feed(stream.subarray(from, cut), (outcome) => {
      outcomes.push(shown(outcome));
    });
    from = cut;
  }
  decoder.flush((outcome) => outcomes.push(shown(outcome)));
  const { kind, records, fastLines } = normalizer;
  return {
    bytes: concat(pieces),
    failures,
    outcomes,
    state: JSON.stringify([kind, records, normalizer.save()]),
    fastLines,
  };
}

/** Returns an outcome as text; its own text if it nests too deep for `JSON.stringify`. */
function shown(outcome: Outcome<unknown>): string {
  try {
    return JSON.stringify(outcome);
  } catch (error) {
    if (!(error instanceof RangeError) || !outcome.ok) throw error;
    return `${outcome.line} ${outcome.offset} ${outcome.text}`;
  }
}

function differenceOf(
  js: Answers,
  wasm: Answers,
):
  | { readonly part: string; readonly one: string; readonly other: string }
  | undefined {
  const length = Math.max(js.bytes.length, wasm.bytes.length);
  for (let at = 0; at < length; at++) {
    if (js.bytes[at] === wasm.bytes[at]) continue;
    const from = js.bytes.lastIndexOf(0x0a, at - 1) + 1;
    const shown = ({ bytes }: Answers): string =>
      JSON.stringify(binaryOf(bytes.subarray(from, at + 100)));
    return {
      part: `byte ${at} of the records`,
      one: shown(js),
      other: shown(wasm),
    };
  }
  for (const list of ["failures", "outcomes"] as const) {
    const length = Math.max(js[list].length, wasm[list].length);
    for (let place = 0; place < length; place++) {
      const one = js[list][place] ?? "nothing";
      const other = wasm[list][place] ?? "nothing";
      if (one !== other) return { part: `${list} ${place}`, one, other };
    }
  }
  if (js.state === wasm.state) return undefined;
  return { part: "the saved state", one: js.state, other: wasm.state };
}
