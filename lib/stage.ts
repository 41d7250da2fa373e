/**
 * The interface that every step of a pipeline implements, and its adapter to Web Streams.
 *
 * @module
 */

/** Receives the values that a {@linkcode Stage} emits. */
export type Emit<T> = (value: T) => void;

/**
 * A step of a pipeline, without any stream: it is fed values and emits values.
 *
 * `feed` and `flush` are synchronous and emit in order. A stage holds the state of one input and
 * must not be shared between two. An `emit` function must not feed the same stage. If it throws,
 * the outputs for the rest of the input are lost, and the stage must not be used again.
 *
 * @typeParam I The type of the values that go in.
 * @typeParam O The type of the values that come out.
 */
export interface Stage<I, O> {
  /**
   * Reads one input and emits the outputs that it completes, in order.
   *
   * @param input The next input.
   * @param emit Is called with each output.
   */
  feed(input: I, emit: Emit<O>): void;
  /**
   * Ends the input and emits the outputs that were held back. Absent if a stage holds none back.
   *
   * @param emit Is called with each output.
   */
  flush?(emit: Emit<O>): void;
}

/**
 * Joins two stages into one.
 *
 * A composed stage costs a function call per value where a second stream costs about
 * 0.4 µs, so compose stages first and adapt the result once.
 *
 * @typeParam A The type of the values that go in.
 * @typeParam B The type of the values between the two.
 * @typeParam C The type of the values that come out.
 * @param first The stage that is fed.
 * @param second The stage that is fed the outputs of the first one.
 * @returns The two as one stage.
 *
 * @example Lines and their records as one stage
 * ```ts
 * import { compose, LineSplitter, Normalizer } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const stage = compose(new LineSplitter(), new Normalizer());
 * const types: boolean[] = [];
 * const bytes = new TextEncoder().encode('{"type":"error","message":"no"}\n{\n');
 * stage.feed(bytes, (outcome) => types.push(outcome.ok));
 *
 * assertEquals(types, [true, false]);
 * ```
 */
export function compose<A, B, C>(
  first: Stage<A, B>,
  second: Stage<B, C>,
): Stage<A, C> {
  return {
    feed(input, emit): void {
      first.feed(input, (value) => second.feed(value, emit));
    },
    flush(emit): void {
      first.flush?.((value) => second.feed(value, emit));
      second.flush?.(emit);
    },
  };
}

/**
 * Adapts a {@linkcode Stage} to `pipeThrough`.
 *
 * One chunk may enqueue many values at once: memory is bounded by the chunk, not by one
 * value.
 *
 * @typeParam I The type of the values that go in.
 * @typeParam O The type of the values that come out.
 *
 * @example A stage of one's own in a stream
 * ```ts
 * import { StageStream } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const doubled = ReadableStream.from([1, 2]).pipeThrough(
 *   new StageStream<number, number>({ feed: (n, emit) => emit(2 * n) }),
 * );
 *
 * assertEquals(await Array.fromAsync(doubled), [2, 4]);
 * ```
 */
export class StageStream<I, O> implements TransformStream<I, O> {
  /** The outputs of the stage. */
  readonly readable: ReadableStream<O>;
  /** The inputs of the stage. */
  readonly writable: WritableStream<I>;

  /**
   * Constructs a new instance.
   *
   * @param stage The stage to run; it must not be shared with another stream.
   */
  constructor(stage: Stage<I, O>) {
    // The `TransformStream` is made here: `extends TransformStream` would load Web Streams in
    // programs that use none, which took 5 ms of the 65 ms that `codexpipe normalize` took to
    // start.
    const { readable, writable } = new TransformStream<I, O>({
      transform(chunk, controller): void {
        stage.feed(chunk, (output) => controller.enqueue(output));
      },
      flush(controller): void {
        stage.flush?.((output) => controller.enqueue(output));
      },
    });
    this.readable = readable;
    this.writable = writable;
  }
}
