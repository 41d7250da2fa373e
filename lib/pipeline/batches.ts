/**
 * Values that come in batches and are given one at a time: to `for await` without a queue
 * between, and to the readers of a stream of them.
 */

import type { Emit, Stage } from "../stage.ts";

/** Where blocks come from. */
export interface BlockReader<I> {
  /** Gives the next one, or says that there is none. */
  read(): Promise<{ readonly done?: boolean; readonly value?: I }>;
  /** Says that no more are wanted. */
  cancel(reason?: unknown): Promise<unknown>;
}

/**
 * What a stage makes of one block after the other.
 *
 * An error of the stage is thrown when all that came before it has been given.
 */
export class Batches<I, O> {
  readonly #stage: Stage<I, O>;
  readonly #blocks: BlockReader<I>;
  #thrown: { readonly error: unknown } | undefined;
  #hasEnded = false;

  /**
   * Constructs a new instance.
   *
   * @param blocks Where they come from; nothing is read before it is asked for.
   */
  constructor(stage: Stage<I, O>, blocks: BlockReader<I>) {
    this.#stage = stage;
    this.#blocks = blocks;
  }

  /** Reads blocks until the stage has made something of them. */
  async next(): Promise<readonly O[]> {
    for (;;) {
      if (this.#thrown !== undefined) throw this.#thrown.error;
      if (this.#hasEnded) return [];
      const { done, value } = await this.#blocks.read();
      // It may have been cancelled while it waited.
      if (this.#hasEnded) return [];
      this.#hasEnded = done === true;
      const values: O[] = [];
      const emit: Emit<O> = (each) => {
        values.push(each);
      };
      try {
        if (done === true) this.#stage.flush?.(emit);
        // The stage says what it does not take; `undefined` is no end.
        else this.#stage.feed(value as I, emit);
      } catch (error) {
        this.#thrown = { error };
        // The writer is told at once, if one is left.
        if (!this.#hasEnded) this.#blocks.cancel(error).catch(() => {});
      }
      if (values.length > 0) return values;
    }
  }

  /** Says that no more are wanted. */
  async cancel(reason?: unknown): Promise<void> {
    if (this.#hasEnded || this.#thrown !== undefined) return;
    this.#hasEnded = true;
    await this.#blocks.cancel(reason);
  }
}

/** What batches are taken from. */
export interface BatchSource<T> {
  /** Gives at least one value, or none at the end. */
  next(): Promise<readonly T[]>;
  /** Ends before the end; is given what was not taken of the last batch. */
  cancel(reason: unknown, rest: readonly T[]): Promise<void>;
}

/**
 * Takes values out of batches one at a time.
 *
 * An async generator would wait three times for each value, and the queue of a stream costs
 * half as much as the decoding of an event (`deno task bench`, `events`).
 */
export class BatchIterator<T> implements AsyncGenerator<T, void, void> {
  readonly #source: BatchSource<T>;
  #batch: readonly T[] = [];
  #at = 0;
  #hasEnded = false;
  /** The last call that has not been answered. */
  #last: Promise<unknown> | undefined;

  /** Constructs a new instance. */
  constructor(source: BatchSource<T>) {
    this.#source = source;
  }

  /** Gives the next value. */
  next(): Promise<IteratorResult<T, void>> {
    if (this.#last === undefined && this.#at < this.#batch.length) {
      return Promise.resolve(this.#take());
    }
    return this.#inTurn(() => this.#step());
  }

  /** Ends it: no more values are wanted. */
  return(reason?: unknown): Promise<IteratorResult<T, void>> {
    return this.#inTurn(async () => {
      await this.#end(reason);
      return { done: true, value: undefined };
    });
  }

  /** Ends it with an error. */
  throw(error: unknown): Promise<IteratorResult<T, void>> {
    return this.#inTurn(async () => {
      await this.#end(error);
      throw error;
    });
  }

  /** Gives itself. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Ends it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /** Does something when all that was asked for before has been done. */
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
    // There is one: who calls this has seen to it.
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
 * A `TransformStream` that throws loses what it has enqueued; here an error waits until that
 * has been read. And `for await` takes the values as they were made, past the queue.
 *
 * No class extends `ReadableStream` for that: streams would be loaded by programs that have
 * none, which takes longer than all else that this module does to begin.
 *
 * @param batches Gives the values.
 */
export function streamOf<T>(batches: BatchSource<T>): ReadableStream<T> {
  let controller: ReadableStreamDefaultController<T> | undefined;
  /** The last batch that was asked for by the stream itself. */
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
  /** Gives all that is left to the holder of the stream's reader. */
  const values = (
    options?: ReadableStreamIteratorOptions,
  ): BatchIterator<T> => {
    const reader = stream.getReader();
    return new BatchIterator({
      next: async () => {
        try {
          // A reader that has gone may have asked for what comes first.
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

/** Closes a stream that may have been cancelled meanwhile. */
function close(controller: ReadableStreamDefaultController<unknown>): void {
  try {
    controller.close();
  } catch {
    // Then it is closed.
  }
}
