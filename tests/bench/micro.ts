/**
 * Measures the parts of the hot path one by one, inside this process.
 *
 * @module
 */

import { JsonlNormalizer } from "@codexpipe/codexpipe";
import { JsonlRedactor } from "@codexpipe/codexpipe/redact";
import { JsonTape } from "../../lib/json/tape.ts";
import { generate, type KindName, Random, readRuns } from "./generator.ts";
import { columns, spreadOf } from "./statistics.ts";

const LF = 0x0a;
const SIZE = 8e6;
const HUGE_SIZE = 20e6;
const MIN_RUNS = 5;
const MIN_MILLISECONDS = 1500;
/** About the block size of `codexpipe`. */
const LARGE_CHUNK = 1 << 18;
const SMALL_CHUNK = 1 << 10;

/** A case to measure. */
interface MicroCase {
  /** The name of the part, and of the input after a slash. */
  readonly name: string;
  /** The input. */
  readonly input: Uint8Array;
  /** Processes the whole input once. */
  readonly run: () => void;
}

/**
 * Measures all cases.
 *
 * @param seed The seed of the inputs.
 * @returns A table.
 */
export async function runMicroCases(seed: number): Promise<string> {
  const exec = await inputOf("exec", seed);
  const small = await inputOf("small", seed);
  const old = await inputOf("old", seed);
  const rows = [["case", "", "MB/s", "min-max", "lines/s"]];
  const cases: MicroCase[] = [
    ...validations("exec", exec),
    ...validations("small", small),
    normalization("one-line-per-chunk/exec", exec, linesOf(exec)),
    normalization("one-line-per-chunk/small", small, linesOf(small)),
    normalization("many-lines-per-chunk/exec", exec, cut(exec, LARGE_CHUNK)),
    normalization("many-lines-per-chunk/small", small, cut(small, LARGE_CHUNK)),
    normalization("many-lines-per-chunk/old", old, cut(old, LARGE_CHUNK)),
    dripped("huge-line-drip/one line of 20 MB", hugeLine(HUGE_SIZE)),
    chunked("malformed/exec, a byte of each line gone", damaged(exec, seed)),
    chunked("multibyte/exec, outputs in Japanese", inJapanese(exec)),
    redaction("redact/exec", exec),
    redaction("redact/small", small),
  ];
  for (const { name, input, run } of cases) {
    const [part = "", inputName = ""] = name.split("/");
    const speed = spreadOf(
      timesOf(run).map((seconds) => input.length / 1e6 / seconds),
    );
    const lines = linesOf(input).length * (1e6 * speed.median / input.length);
    rows.push([
      part,
      inputName,
      speed.median.toFixed(0),
      `${speed.min.toFixed(0)}-${speed.max.toFixed(0)}`,
      lines.toFixed(0),
    ]);
  }
  return columns(rows);
}

/** Runs a case several times; returns the times in seconds. */
function timesOf(run: () => void): number[] {
  const times: number[] = [];
  run();
  for (let spent = 0; times.length < MIN_RUNS || spent < MIN_MILLISECONDS;) {
    const start = performance.now();
    run();
    const time = performance.now() - start;
    spent += time;
    times.push(time / 1000);
  }
  return times;
}

/** Returns the cases that check lines: by our own reader, and by the engine's. */
function validations(inputName: string, input: Uint8Array): MicroCase[] {
  const tape = new JsonTape();
  const decoder = new TextDecoder();
  const ends = linesOf(input).map((line) =>
    line.byteOffset - input.byteOffset + line.length - 1
  );
  // The engine's case does not include decoding the bytes; our reader needs no decoding.
  const texts = linesOf(input).map((line) => decoder.decode(line));
  return [
    {
      name: `validate/${inputName}, JsonTape.scan()`,
      input,
      run(): void {
        let start = 0;
        for (const end of ends) {
          if (!tape.scan(input, start, end, 2)) throw new Error(tape.problem);
          start = end + 1;
        }
      },
    },
    {
      name: `validate/${inputName}, JSON.parse()`,
      input,
      run(): void {
        for (const text of texts) JSON.parse(text);
      },
    },
  ];
}

function normalization(
  name: string,
  input: Uint8Array,
  chunks: readonly Uint8Array[],
): MicroCase {
  let bytes = 0;
  const emit = (block: Uint8Array): void => {
    bytes += block.length;
  };
  return {
    name,
    input,
    run(): void {
      const normalizer = new JsonlNormalizer({ onError: "inline" });
      for (const chunk of chunks) normalizer.feed(chunk, emit);
      normalizer.flush(emit);
      if (bytes === 0) throw new Error(`Cannot measure ${name}: it wrote none`);
    },
  };
}

function redaction(name: string, input: Uint8Array): MicroCase {
  const chunks = cut(input, LARGE_CHUNK);
  return {
    name,
    input,
    run(): void {
      const redactor = new JsonlRedactor();
      for (const chunk of chunks) redactor.feed(chunk, () => {});
      redactor.flush(() => {});
    },
  };
}

function chunked(name: string, input: Uint8Array): MicroCase {
  return normalization(name, input, cut(input, LARGE_CHUNK));
}

function dripped(name: string, input: Uint8Array): MicroCase {
  return normalization(name, input, cut(input, SMALL_CHUNK));
}

async function inputOf(kind: KindName, seed: number): Promise<Uint8Array> {
  const blocks = generate(await readRuns(kind), { seed, size: SIZE });
  return new Uint8Array(await new Blob([...blocks]).arrayBuffer());
}

/** Returns the lines, each with its LF. */
function linesOf(input: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (
    let end = input.indexOf(LF);
    end !== -1;
    end = input.indexOf(LF, start)
  ) {
    lines.push(input.subarray(start, end + 1));
    start = end + 1;
  }
  return lines;
}

function cut(input: Uint8Array, length: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < input.length; at += length) {
    chunks.push(input.subarray(at, at + length));
  }
  return chunks;
}

function hugeLine(size: number): Uint8Array {
  const output = "a line of output that is repeated\\n".repeat(size / 35);
  return new TextEncoder().encode(
    '{"type":"thread.started","thread_id":"t"}\n' +
      '{"type":"item.completed","item":{"id":"item_0","type":"command_execution",' +
      `"command":"yes","aggregated_output":"${output}","exit_code":0}}\n`,
  );
}

/** Removes a byte from every line, so that many lines are almost, but not quite, JSON. */
function damaged(input: Uint8Array, seed: number): Uint8Array {
  const random = new Random(seed);
  const output = new Uint8Array(input.length);
  let length = 0;
  for (const line of linesOf(input)) {
    // Near the beginning, because the middle of long lines is text, which would not break.
    const at = random.below(Math.min(line.length - 1, 64));
    output.set(line.subarray(0, at), length);
    output.set(line.subarray(at + 1), length + at);
    length += line.length - 1;
  }
  return output.subarray(0, length);
}

function inJapanese(input: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(input)
    .replaceAll("the quick brown fox", "素早い茶色の狐が🦊")
    .replaceAll("the lazy dog", "のろまな犬を飛び越える🐕");
  return new TextEncoder().encode(text);
}
