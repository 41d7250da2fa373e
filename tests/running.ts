/**
 * Runs stages and returns their outputs, for the tests of stages.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { assert } from "@std/assert";
import { LineNumberer } from "../lib/lines/line_numberer.ts";
import {
  Normalizer,
  type NormalizerOptions,
} from "../lib/dialects/normalizer.ts";
import type { Outcome } from "../lib/outcome.ts";
import type { JsonlOptions } from "../lib/pipeline/line_answers.ts";
import { JsonlNormalizer } from "../lib/pipeline/pipeline.ts";
import { compose, type Stage } from "../lib/stage.ts";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Encodes a text as UTF-8. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(text);
}

/** Returns the text of values as lines of JSON. */
export function jsonl(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

/** Encodes values as lines of JSON. */
export function encodeJsonl(
  values: readonly unknown[],
): Uint8Array<ArrayBuffer> {
  return encode(jsonl(values));
}

/** Decodes UTF-8 and keeps a byte order mark; throws if it is invalid. */
export function decode(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

/** Converts a text with a character for each byte to bytes. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "latin1"));
}

/** Converts bytes to a text with a character for each byte. */
export function binaryOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString("latin1");
}

/** Converts a Unicode text to one with a character for each byte of its UTF-8. */
export function utf8Of(text: string): string {
  return binaryOf(encode(text));
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Joins chunks of bytes. */
export function concat(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const joined = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}

/** Feeds a stage, flushes it, and returns all that it emitted. */
export function emitted<I, O>(stage: Stage<I, O>, inputs: Iterable<I>): O[] {
  const outputs: O[] = [];
  const emit = (output: O): void => void outputs.push(output);
  for (const input of inputs) stage.feed(input, emit);
  stage.flush?.(emit);
  return outputs;
}

/** Feeds a stage that writes bytes, flushes it, and joins copies of all that it wrote. */
export function outputOf(
  stage: Stage<Uint8Array, Uint8Array>,
  chunks: Iterable<Uint8Array>,
): Uint8Array<ArrayBuffer> {
  const blocks: Uint8Array[] = [];
  const keep = (block: Uint8Array): void => void blocks.push(block.slice());
  for (const chunk of chunks) stage.feed(chunk, keep);
  stage.flush?.(keep);
  return concat(blocks);
}

/** Cuts bytes into chunks at these offsets, in order. */
export function* cutAt(
  bytes: Uint8Array,
  cuts: Iterable<number>,
): Generator<Uint8Array> {
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    yield bytes.slice(from, to);
    from = to;
  }
}

/** Cuts bytes in two, at every offset. */
export function* everySplit(bytes: Uint8Array): Generator<Uint8Array[]> {
  for (let at = 0; at <= bytes.length; at++) {
    yield [bytes.subarray(0, at), bytes.subarray(at)];
  }
}

/** Cuts bytes into chunks of one size. */
export function* inChunks(
  bytes: Uint8Array,
  size: number,
): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
  }
}

/** Cuts bytes into chunks of one byte. */
export function byteByByte(bytes: Uint8Array): Generator<Uint8Array> {
  return inChunks(bytes, 1);
}

/** Normalizes exec lines that are strings. */
export function normalizeLines(
  lines: Iterable<string>,
  options: NormalizerOptions = {},
): Outcome<string>[] {
  const normalizer = new Normalizer({ from: "exec", ...options });
  return emitted(compose(new LineNumberer(), normalizer), lines);
}

/** Normalizes exec lines in chunks of bytes, by default with failures in band. */
export function normalizeBytes(
  chunks: Iterable<Uint8Array>,
  options: JsonlOptions = {},
): Uint8Array<ArrayBuffer> {
  return outputOf(
    new JsonlNormalizer({ from: "exec", onError: "inline", ...options }),
    chunks,
  );
}

/** Counts the bytes that a function copies between arrays of bytes. */
export function countCopied(work: () => void): number {
  let copied = 0;
  const set = Uint8Array.prototype.set;
  Uint8Array.prototype.set = function (source, offset) {
    copied += source.length;
    set.call(this, source, offset);
  };
  try {
    work();
  } finally {
    Uint8Array.prototype.set = set;
  }
  return copied;
}

/** Returns a function that makes a value at its first call, and returns that value. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Returns the text of a line's outcome, or the kind of its failure. */
export function answerOf(outcome: Outcome<string>): string {
  return outcome.ok ? outcome.value : outcome.error.kind;
}

/** Normalizes exec lines; returns the texts of events, and the kinds of failures. */
export function answers(
  lines: Iterable<string>,
  options: NormalizerOptions = {},
): string[] {
  return normalizeLines(lines, options).map(answerOf);
}

/**
 * Throws unless two long texts are equal, with the first difference: a diff of megabytes would be
 * unreadable.
 *
 * @param actual The text.
 * @param expected The expected text.
 * @param where The name of the text in the message.
 */
export function assertSameText(
  actual: string,
  expected: string,
  where = "",
): void {
  if (actual === expected) return;
  let at = 0;
  while (at < actual.length && actual[at] === expected[at]) at += 1;
  const start = Math.max(0, at - 60);
  assert(
    false,
    `${where}${where && ": "}at ${at}\n  got      ${
      JSON.stringify(actual.slice(start, at + 60))
    }\n  expected ${JSON.stringify(expected.slice(start, at + 60))}`,
  );
}
