/**
 * Normalized records, as text, to typed values.
 *
 * @module
 */

import type { Decoded } from "./decoded.ts";
import { decodeEvent } from "./exec/decoder.ts";
import type { ThreadEvent } from "./exec/events.ts";
import { onSuccess, type Outcome, type Success } from "./outcome.ts";
import { type Emit, type Stage, StageStream } from "./stage.ts";

/**
 * Decodes the text of one normalized record, of whatever family it is.
 *
 * The families are told apart by `type`: no name is in use in two of them.
 */
export function decodeText(text: string): Decoded<ThreadEvent> {
  return decodeEvent(text);
}

/**
 * Decodes normalized records: each becomes one typed event, or one failure.
 *
 * The outcome of an event has the text that it was decoded from, so that `encodeOutcome()`
 * gives the same bytes again: 64-bit integers, `1.0`, key order and duplicate keys
 * included. An event itself holds what `JSON.parse` makes of that text.
 *
 * Nothing is remembered from one record to the next. To decode the bytes that the CLI
 * wrote, {@linkcode JsonlDecoder} does all that is needed at once.
 *
 * @example What a normalizer let through
 * ```ts
 * import { compose, Decoder, Normalizer, type Outcome, type ThreadEvent } from "@codexpipe/codexpipe";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const outcomes: Outcome<ThreadEvent>[] = [];
 * const stage = compose(new Normalizer(), new Decoder());
 * const value = '{"type":"thread.started","thread_id":"t"}';
 * stage.feed({ ok: true, line: 1, offset: 0, value }, (outcome) => outcomes.push(outcome));
 *
 * const [first] = outcomes;
 * assert(first?.ok);
 * assertEquals(first.value, { type: "thread.started", thread_id: "t" });
 * assertEquals(first.text, value);
 * ```
 */
export class Decoder implements Stage<Outcome<string>, Outcome<ThreadEvent>> {
  readonly #stage: Stage<Outcome<string>, Outcome<ThreadEvent>> = onSuccess({
    feed: decodeSuccess,
  });

  /**
   * Takes the text of a record and emits what becomes of it.
   *
   * @param outcome The text; a failure passes by.
   * @param emit Is called with the outcome.
   */
  feed(outcome: Outcome<string>, emit: Emit<Outcome<ThreadEvent>>): void {
    this.#stage.feed(outcome, emit);
  }
}

function decodeSuccess(
  { line, offset, value: text }: Success<string>,
  emit: Emit<Outcome<ThreadEvent>>,
): void {
  const decoded = decodeText(text);
  emit(
    decoded.ok
      ? { ok: true, line, offset, value: decoded.value, text }
      : { ok: false, line, offset, error: decoded.error, raw: text },
  );
}

/** {@linkcode Decoder} as a stream. */
export class DecoderStream
  extends StageStream<Outcome<string>, Outcome<ThreadEvent>> {
  /**
   * Constructs a new instance.
   *
   * @example From bytes to events, stage by stage
   * ```ts
   * import { DecoderStream, LineSplitterStream, NormalizerStream } from "@codexpipe/codexpipe";
   * import { assert, assertEquals } from "@std/assert";
   *
   * const outcomes = new Blob(['{"type":"error","message":"Reconnecting"}\n']).stream()
   *   .pipeThrough(new LineSplitterStream())
   *   .pipeThrough(new NormalizerStream())
   *   .pipeThrough(new DecoderStream());
   *
   * const [first] = await Array.fromAsync(outcomes);
   * assert(first?.ok && first.value.type === "error");
   * assertEquals(first.value.message, "Reconnecting");
   * ```
   */
  constructor() {
    super(new Decoder());
  }
}
