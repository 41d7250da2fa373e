/**
 * Values that arrive in batches, and are returned one at a time: by an iterator for `for await`
 * without a queue in between, and by a stream for its readers.
 */

import type { Emit, Stage } from "../stage.ts";

/** The source of blocks. */
export interface BlockReader<I> {
  /** Returns the next block, or `done`. */
  read(): Promise<{ readonly done?: boolean; readonly value?: I }>;
  /** Ends the source: no more blocks are wanted. */
  cancel(reason?: unknown): Promise<unknown>;
}

/**
 * The outputs of a stage, by block of input.
 *
 * An error of the stage is thrown once all outputs before it have been returned.
 */
export class Batches<I, O> {
  readonly #stage: Stage<I, O>;
  readonly #blocks: BlockReader<I>;
  #thrown: { readonly error: unknown } | undefined;
  #hasEnded = false;

  /**
   * @param stage The stage that is fed the blocks.
   * @param blocks The source; nothing is read before the first call of `next`.
   */
  constructor(stage: Stage<I, O>, blocks: BlockReader<I>) {
    this.#stage = stage;
    this.#blocks = blocks;
  }

  /** Reads blocks until the stage emits values; returns an empty batch at the end. */
  async next(): Promise<readonly O[]> {
    for (;;) {
      if (this.#thrown !== undefined) throw this.#thrown.error;
      if (this.#hasEnded) return [];
      const { done, value } = await this.#blocks.read();
      // The source may have been cancelled in the meantime.
      if (this.#hasEnded) return [];
      this.#hasEnded = done === true;
      const values: O[] = [];
      const emit: Emit<O> = (each) => {
        values.push(each);
      };
      try {
        if (done === true) this.#stage.flush?.(emit);
        // No check here: the stage throws for a block of another type, and `undefined` does not
        // mean the end.
        else this.#stage.feed(value as I, emit);
      } catch (error) {
        this.#thrown = { error };
        // The source is cancelled at once, so that its writer stops.
        if (!this.#hasEnded) this.#blocks.cancel(error).catch(() => {});
      }
      if (values.length > 0) return values;
    }
  }

  /** Ends the source: no more blocks are wanted. */
  async cancel(reason?: unknown): Promise<void> {
    if (this.#hasEnded || this.#thrown !== undefined) return;
    this.#hasEnded = true;
    await this.#blocks.cancel(reason);
  }
}

/** The source of batches. */
export interface BatchSource<T> {
  /** Returns a batch of at least one value, or an empty one at the end. */
  next(): Promise<readonly T[]>;
  /** Ends the source early; `rest` is the unused part of the last batch. */
  cancel(reason: unknown, rest: readonly T[]): Promise<void>;
}

/**
 * Returns the values of batches one at a time.
 *
 * An async generator would await three times for each value, and the queue of a stream costs half
 * as much as decoding an event (`deno task bench`, `events`).
 */
export class BatchIterator<T> implements AsyncGenerator<T, void, void> {
  readonly #source: BatchSource<T>;
  #batch: readonly T[] = [];
  #at = 0;
  #hasEnded = false;
  /** The last call whose promise is not settled. */
  #last: Promise<unknown> | undefined;

  constructor(source: BatchSource<T>) {
    this.#source = source;
  }

  next(): Promise<IteratorResult<T, void>> {
    if (this.#last === undefined && this.#at < this.#batch.length) {
      return Promise.resolve(this.#take());
    }
    return this.#inTurn(() => this.#step());
  }

  return(reason?: unknown): Promise<IteratorResult<T, void>> {
    return this.#inTurn(async () => {
      await this.#end(reason);
      return { done: true, value: undefined };
    });
  }

  throw(error: unknown): Promise<IteratorResult<T, void>> {
    return this.#inTurn(async () => {
      await this.#end(error);
      throw error;
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /** Runs an action once all earlier calls have settled. */
  #inTurn<R>(action: () => Promise<R>): Promise<R> {
    const turn = this.#last === undefined
      ? action()
      : this.#last.then(action, action);
    const settled = (): void => {
      if (this.#last === turn) this.#last = undefined;
    };
    this.#last = turn;
    turn.then(settled, settled);
    return turn;
  }

  async #step(): Promise<IteratorResult<T, void>> {
    if (this.#at === this.#batch.length && !this.#hasEnded) {
      this.#batch = [];
      this.#at = 0;
      try {
        this.#batch = await this.#source.next();
      } catch (error) {
        this.#hasEnded = true;
        throw error;
      }
      this.#hasEnded = this.#batch.length === 0;
    }
    return this.#hasEnded ? { done: true, value: undefined } : this.#take();
  }

  #take(): IteratorResult<T, void> {
    // There is a value: the callers have checked that.
    const value = this.#batch[this.#at] as T;
    this.#at += 1;
    return { done: false, value };
  }

  async #end(reason: unknown): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const rest = this.#batch.slice(this.#at);
    this.#batch = [];
    this.#at = 0;
    await this.#source.cancel(reason, rest);
  }
}

/**
 * Makes a stream of batches.
 *
 * A `TransformStream` that throws loses the values in its queue; here an error waits until they
 * have been read. And `for await` receives the values straight from the batches, past the queue.
 *
 * This is no subclass of `ReadableStream`: that would make every program load streams, even one
 * that uses none, which takes longer than everything else that this module does when it is loaded.
 *
 * @param batches The source of the values.
 */
export function streamOf<T>(batches: BatchSource<T>): ReadableStream<T> {
  let controller: ReadableStreamDefaultController<T> | undefined;
  /** The last batch that the stream itself requested. */
  let pulled: Promise<void> | undefined;
  const pull = async (
    controller: ReadableStreamDefaultController<T>,
  ): Promise<void> => {
    const values = await batches.next();
    if (values.length === 0) close(controller);
    for (const value of values) controller.enqueue(value);
  };
  const stream = new ReadableStream<T>({
    start(created): void {
      controller = created;
    },
    pull: (controller) => pulled = pull(controller),
    cancel: (reason) => batches.cancel(reason, []),
  }, { highWaterMark: 0 });
  /** Iterates the rest of the stream, which stays locked meanwhile. */
  const values = (
    options?: ReadableStreamIteratorOptions,
  ): BatchIterator<T> => {
    const reader = stream.getReader();
    return new BatchIterator({
      next: async () => {
        try {
          // An earlier reader may have requested the next batch already.
          if (pulled !== undefined) {
            await pulled;
            pulled = undefined;
          }
          const isQueued = (controller?.desiredSize ?? 0) < 0;
          if (isQueued) {
            const { done, value } = await reader.read();
            if (!done) return [value];
          }
          const values = await batches.next();
          if (values.length > 0) return values;
        } catch (error) {
          controller?.error(error);
          reader.releaseLock();
          throw error;
        }
        if (controller !== undefined) close(controller);
        reader.releaseLock();
        return [];
      },
      cancel: async (reason, rest) => {
        if (options?.preventCancel) {
          for (const value of rest) controller?.enqueue(value);
        } else await reader.cancel(reason);
        reader.releaseLock();
      },
    });
  };
  return Object.defineProperties(stream, {
    values: { value: values },
    [Symbol.asyncIterator]: { value: values },
  });
}

/** Closes a stream, which may have been cancelled in the meantime. */
function close(controller: ReadableStreamDefaultController<unknown>): void {
  try {
    controller.close();
  } catch {
    // It is closed already.
  }
}
