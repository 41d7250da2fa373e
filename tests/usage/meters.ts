/**
 * Makes the lines of session files, and feeds them to meters.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { NO_TOKENS, type Tokens } from "../../lib/usage/tokens.ts";
import {
  groupUsage,
  UsageMeter,
  type UsageMeterOptions,
} from "../../lib/usage/usage.ts";
import type { Failure } from "../../lib/outcome.ts";
import { encode } from "../running.ts";

/** A file or stream. */
export interface MeterInput {
  /** Its name. */
  readonly name: string;
  /** Its content: bytes, or lines. */
  readonly content: Uint8Array | readonly string[];
}

/** Makes a meter and feeds it the inputs; a failed line goes to `failures`, or fails the test. */
export function metered(
  inputs: readonly MeterInput[],
  options: UsageMeterOptions = {},
  failures?: Failure[],
): UsageMeter {
  const meter = new UsageMeter(options);
  for (const { name, content } of inputs) {
    const source = meter.open(name);
    const emit = (failure: Failure): void => {
      if (failures === undefined) assertEquals(failure, undefined, name);
      else failures.push(failure);
    };
    source.feed(
      content instanceof Uint8Array
        ? content
        : encode(content.map((line) => `${line}\n`).join("")),
      emit,
    );
    source.flush(emit);
  }
  return meter;
}

/** The counts in the order of the tables: input, cached, cache write, output, reasoning. */
export function numbersOf(tokens: Tokens | undefined): number[] {
  return tokens === undefined ? [] : [
    tokens.input_tokens,
    tokens.cached_input_tokens,
    tokens.cache_write_input_tokens,
    tokens.output_tokens,
    tokens.reasoning_output_tokens,
  ].map(Number);
}

/** The total counts of a meter, in the order of {@linkcode numbersOf}. */
export function totalOf(meter: UsageMeter): number[] {
  return numbersOf(groupUsage(meter.rows(), [])[0]?.tokens);
}

/** The tokens that a meter counts in inputs; lines that fail are skipped. */
export function tokensIn(inputs: readonly MeterInput[]): Tokens {
  return groupUsage(metered(inputs, {}, []).rows(), [])[0]?.tokens ?? NO_TOKENS;
}

/** The counts of a request, as JSON. */
export function counts(
  input: number | string,
  cached: number | string = 0,
  output: number | string = 0,
  reasoning: number | string = 0,
): string {
  return `{"input_tokens":${input},"cached_input_tokens":${cached},"output_tokens":${output},"reasoning_output_tokens":${reasoning},"total_tokens":0}`;
}

/** The lines of session files. */
export const LINES = {
  /** The header of a thread. */
  meta: (id: string, more: Readonly<Record<string, unknown>> = {}): string =>
    line("session_meta", {
      id,
      timestamp: TIME,
      cwd: "/home/dev/proj",
      ...more,
    }),
  /** The settings of a turn. */
  context: (model: string, turn_id?: string): string =>
    line("turn_context", { model, cwd: "/home/dev/proj", turn_id }),
  /** The start of a turn. */
  turn: (turn_id: string): string =>
    line("event_msg", { type: "task_started", turn_id }),
  /** A prompt. */
  prompt: (message = "go"): string =>
    line("event_msg", { type: "user_message", message }),
  /** The totals and the usage of the last request; without them, `"info":null`. */
  count: (total?: string, last = total, timestamp = TIME): string =>
    `{"timestamp":"${timestamp}","type":"event_msg","payload":{"type":"token_count","info":${
      total === undefined
        ? "null"
        : `{"total_token_usage":${total},"last_token_usage":${last}}`
    }}}`,
  /** The usage of a request. */
  record: (
    usage: string,
    ids: { readonly thread_id?: string; readonly turn_id?: string } = {},
  ): string =>
    line("token_usage_record", { ...ids, usage: 0 }).replace(
      '"usage":0',
      `"usage":${usage}`,
    ),
} as const;

/** The time of lines. */
export const TIME = "2026-11-20T15:49:48.041Z";

function line(
  type: string,
  payload: Readonly<Record<string, unknown>>,
): string {
  return JSON.stringify({ timestamp: TIME, type, payload });
}
