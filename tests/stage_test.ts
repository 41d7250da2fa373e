import {
  assert,
  assertEquals,
  assertRejects,
  assertStrictEquals,
} from "@std/assert";
import { compose, type Stage, StageStream } from "../lib/stage.ts";
import fc from "./property_seed.ts";
import { emitted } from "./running.ts";

/** Joins numbers in pairs; emits a last one without a partner alone. */
class Pairs implements Stage<number, string> {
  #held: number | undefined;

  feed(input: number, emit: (output: string) => void): void {
    if (this.#held === undefined) this.#held = input;
    else {
      emit(`${this.#held}+${input}`);
      this.#held = undefined;
    }
  }

  flush(emit: (output: string) => void): void {
    if (this.#held !== undefined) emit(`${this.#held}`);
  }
}

/** Emits each text twice, and at the end the number of texts. */
class Twice implements Stage<string, string> {
  #count = 0;

  feed(input: string, emit: (output: string) => void): void {
    this.#count += 1;
    emit(input);
    emit(input);
  }

  flush(emit: (output: string) => void): void {
    emit(`(${this.#count})`);
  }
}

/** Lets odd numbers through and holds nothing back. */
const odd: Stage<number, number> = {
  feed: (input, emit) => {
    if (input % 2 === 1) emit(input);
  },
};

Deno.test("compose() feeds the second stage the outputs of the first one, in order", () => {
  assertEquals(
    emitted(compose(new Pairs(), new Twice()), [1, 2, 3, 4]),
    ["1+2", "1+2", "3+4", "3+4", "(2)"],
  );
});

Deno.test("compose() flushes the first stage into the second, then the second", () => {
  assertEquals(
    emitted(compose(new Pairs(), new Twice()), [1, 2, 3]),
    ["1+2", "1+2", "3", "3", "(2)"],
  );
});

Deno.test("compose() accepts stages without flush()", () => {
  assertEquals(emitted(compose(odd, odd), [1, 2, 3]), [1, 3]);
  assertEquals(emitted(compose(odd, new Pairs()), [1, 2, 3, 5]), ["1+3", "5"]);
  assertEquals(
    emitted(compose(new Pairs(), { feed: (text, emit) => emit(text) }), [1]),
    ["1"],
  );
});

Deno.test("compose() is associative", () => {
  fc.assert(fc.property(fc.array(fc.nat(20)), (inputs) => {
    const left = compose(compose(odd, new Pairs()), new Twice());
    const right = compose(odd, compose(new Pairs(), new Twice()));
    assertEquals(emitted(left, inputs), emitted(right, inputs));
  }));
});

Deno.test("StageStream of composed stages emits the same as two streams", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(20)), async (inputs) => {
      const composed = ReadableStream.from(inputs)
        .pipeThrough(new StageStream(compose(new Pairs(), new Twice())));
      const piped = ReadableStream.from(inputs)
        .pipeThrough(new StageStream(new Pairs()))
        .pipeThrough(new StageStream(new Twice()));
      const expected = emitted(compose(new Pairs(), new Twice()), inputs);
      assertEquals(await Array.fromAsync(composed), expected);
      assertEquals(await Array.fromAsync(piped), expected);
    }),
    { numRuns: 50 },
  );
});

Deno.test("StageStream of a stage without flush() ends with its input", async () => {
  const stream = ReadableStream.from([1, 2, 3])
    .pipeThrough(new StageStream(odd));
  assertEquals(await Array.fromAsync(stream), [1, 3]);
});

Deno.test("StageStream cancels its source when its reader cancels", async () => {
  let reason: unknown;
  const source = new ReadableStream<number>({
    pull: (controller) => controller.enqueue(1),
    cancel: (why) => {
      reason = why;
    },
  });
  const reader = source.pipeThrough(new StageStream(odd)).getReader();
  assertEquals(await reader.read(), { done: false, value: 1 });
  await reader.cancel("enough");
  assertEquals(reason, "enough");
});

Deno.test("StageStream does not flush when its input fails, and passes the error on", async () => {
  const failure = new RangeError("upstream");
  let isFlushed = false;
  const source = new ReadableStream<number>({
    start: (controller) => controller.error(failure),
  });
  const stream = source.pipeThrough(
    new StageStream<number, number>({
      feed: (input, emit) => emit(input),
      flush: () => {
        isFlushed = true;
      },
    }),
  );
  const error = await assertRejects(() => Array.fromAsync(stream));
  assertStrictEquals(error, failure);
  assert(!isFlushed);
});

Deno.test("StageStream fails with the error of its stage, and cancels its input", async () => {
  for (const where of ["feed", "flush"] as const) {
    const failure = new RangeError(where);
    let reason: unknown;
    const source = new ReadableStream<number>({
      start: (controller) => {
        controller.enqueue(1);
        if (where === "flush") controller.close();
      },
      cancel: (why) => {
        reason = why;
      },
    });
    const stream = source.pipeThrough(
      new StageStream<number, number>({
        feed: (input, emit) => {
          if (where === "feed") throw failure;
          emit(input);
        },
        flush: () => {
          throw failure;
        },
      }),
    );
    const error = await assertRejects(() => Array.fromAsync(stream));
    assertStrictEquals(error, failure);
    assertStrictEquals(reason, where === "feed" ? failure : undefined);
  }
});

Deno.test("StageStream aborts its input when its sink fails", async () => {
  const failure = new RangeError("downstream");
  let reason: unknown;
  const source = new ReadableStream<number>({
    pull: (controller) => controller.enqueue(1),
    cancel: (why) => {
      reason = why;
    },
  });
  const sink = new WritableStream<number>({
    write: () => {
      throw failure;
    },
  });
  const piping = source.pipeThrough(new StageStream(odd)).pipeTo(sink);
  assertStrictEquals(await assertRejects(() => piping), failure);
  assertStrictEquals(reason, failure);
});

Deno.test("StageStream reads no further than its reader does", async () => {
  let pulled = 0;
  const source = new ReadableStream<number>({
    pull: (controller) => {
      pulled += 1;
      controller.enqueue(pulled);
    },
  }, { highWaterMark: 0 });
  const reader = source.pipeThrough(new StageStream(odd)).getReader();
  assertEquals((await reader.read()).value, 1);
  assertEquals((await reader.read()).value, 3);
  // Reading ahead is limited by the queues of two streams, for any length of input.
  assert(pulled <= 6, `${pulled} chunks`);
  await reader.cancel();
});
