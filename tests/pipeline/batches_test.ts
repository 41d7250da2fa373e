import { assertEquals, assertRejects } from "@std/assert";
import {
  Batches,
  BatchIterator,
  streamOf,
} from "../../lib/pipeline/batches.ts";
import type { Stage } from "../../lib/stage.ts";

/** Emits as many consecutive numbers as each block says; a negative block then throws. */
class Counter implements Stage<number, number> {
  #count = 0;

  feed(block: number, emit: (value: number) => void): void {
    for (let i = 0; i < Math.abs(block); i++) emit(this.#count++);
    if (block < 0) throw new RangeError("enough");
  }

  flush(emit: (value: number) => void): void {
    emit(-1);
  }
}

/** Batches of blocks, with the number of reads and the reasons of cancellation of their reader. */
function batchesOf(...blocks: readonly (number | Error | Promise<never>)[]): {
  readonly batches: Batches<number, number>;
  readonly seen: { reads: number; reasons: unknown[] };
} {
  const seen: { reads: number; reasons: unknown[] } = { reads: 0, reasons: [] };
  const batches = new Batches(new Counter(), {
    async read() {
      const block = await blocks[seen.reads];
      seen.reads += 1;
      if (block instanceof Error) throw block;
      return block === undefined ? { done: true } : { value: block };
    },
    cancel(reason) {
      seen.reasons.push(reason);
      return Promise.resolve();
    },
  });
  return { batches, seen };
}

type Iterate = (
  batches: Batches<number, number>,
) => AsyncGenerator<number, void, void>;

const ITERATORS: Readonly<Record<string, Iterate>> = {
  BatchIterator: (batches) => new BatchIterator(batches),
  // The iterator of this stream has the methods of a generator.
  "streamOf()": (batches) =>
    streamOf(batches).values() as AsyncGenerator<number, void, void>,
};

for (const [name, iterate] of Object.entries(ITERATORS)) {
  Deno.test(`${name} yields the values of all blocks, and of the flush`, async () => {
    const { batches, seen } = batchesOf(2, 0, 0, 3);
    assertEquals(await Array.fromAsync(iterate(batches)), [0, 1, 2, 3, 4, -1]);
    assertEquals(seen, { reads: 5, reasons: [] });
  });

  Deno.test(`${name} reads no block before the values of the last block are taken`, async () => {
    const { batches, seen } = batchesOf(2, 2);
    const values = iterate(batches);
    assertEquals(seen.reads, 0);
    await values.next();
    await values.next();
    assertEquals(seen.reads, 1);
    await values.next();
    assertEquals(seen.reads, 2);
  });

  Deno.test(`${name} answers concurrent calls in their order`, async () => {
    const { batches } = batchesOf(2, 1);
    const values = iterate(batches);
    const calls = Array.from({ length: 6 }, () => values.next());
    const last = values.return();
    assertEquals(
      (await Promise.all(calls)).map(({ value }) => value),
      [0, 1, 2, -1, undefined, undefined],
    );
    assertEquals(await last, { done: true, value: undefined });
  });

  Deno.test(`${name} throws after the values before the error, and then ends`, async () => {
    const { batches, seen } = batchesOf(1, -2, 1);
    const values = iterate(batches);
    const taken: (number | void)[] = [];
    for (let i = 0; i < 3; i++) taken.push((await values.next()).value);
    assertEquals(taken, [0, 1, 2]);
    await assertRejects(() => values.next(), RangeError, "enough");
    assertEquals(await values.next(), { done: true, value: undefined });
    assertEquals(seen.reads, 2);
    assertEquals(seen.reasons.length, 1);
  });

  Deno.test(`${name} throws the error of its source`, async () => {
    const { batches } = batchesOf(1, new TypeError("broken"));
    const values = iterate(batches);
    await values.next();
    await assertRejects(() => values.next(), TypeError, "broken");
    assertEquals((await values.next()).done, true);
  });

  Deno.test(`${name} that returns early cancels its source, once`, async () => {
    const { batches, seen } = batchesOf(3);
    const values = iterate(batches);
    await values.next();
    assertEquals((await values.return()).done, true);
    assertEquals((await values.return()).done, true);
    assertEquals((await values.next()).done, true);
    assertEquals(seen, { reads: 1, reasons: [undefined] });
  });

  Deno.test(`${name} throws the error passed to throw(), and ends`, async () => {
    const { batches, seen } = batchesOf(3);
    const values = iterate(batches);
    await assertRejects(() => values.throw(new RangeError("no")), RangeError);
    assertEquals((await values.next()).done, true);
    assertEquals(seen.reasons.length, 1);
  });

  Deno.test(`${name} cancels its source when it is disposed`, async () => {
    const { batches, seen } = batchesOf(3);
    {
      await using values = iterate(batches);
      await values.next();
    }
    assertEquals(seen.reasons, [undefined]);
  });
}

Deno.test("streamOf() yields all values to a reader", async () => {
  const { batches } = batchesOf(2, 0, 1);
  const reader = streamOf(batches).getReader();
  const values: (number | undefined)[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    values.push(value);
  }
  assertEquals(values, [0, 1, 2, -1]);
});

Deno.test("streamOf() continues in a loop after any number of reads of a reader", async () => {
  for (let count = 0; count <= 6; count++) {
    const { batches } = batchesOf(2, 3);
    const stream = streamOf(batches);
    const reader = stream.getReader();
    const values: number[] = [];
    for (let i = 0; i < count; i++) {
      values.push((await reader.read()).value ?? 0);
    }
    reader.releaseLock();
    for await (const value of stream) values.push(value);
    assertEquals(values, [0, 1, 2, 3, 4, -1]);
    assertEquals(stream.locked, false);
  }
});

Deno.test("streamOf() keeps the value of a read whose reader was released for the loop after it", async () => {
  const { batches } = batchesOf(2, 3);
  const stream = streamOf(batches);
  // So that the stream pulls at the first read.
  await Promise.resolve();
  const reader = stream.getReader();
  const waiting = assertRejects(() => reader.read(), TypeError);
  await Promise.resolve();
  reader.releaseLock();
  assertEquals(await Array.fromAsync(stream), [0, 1, 2, 3, 4, -1]);
  await waiting;
});

Deno.test("streamOf() continues after a loop with preventCancel", async () => {
  for (let count = 1; count <= 6; count++) {
    const { batches, seen } = batchesOf(2, 3);
    const stream = streamOf(batches);
    const values: number[] = [];
    for await (const value of stream.values({ preventCancel: true })) {
      values.push(value);
      if (values.length === count) break;
    }
    assertEquals(stream.locked, false);
    for await (const value of stream) values.push(value);
    assertEquals(values, [0, 1, 2, 3, 4, -1]);
    assertEquals(seen.reasons, []);
  }
});

Deno.test("streamOf() is locked only during a loop", async () => {
  const { batches } = batchesOf(1);
  const stream = streamOf(batches);
  assertEquals(stream.locked, false);
  for await (const _ of stream) assertEquals(stream.locked, true);
  assertEquals(stream.locked, false);
  // The stream has been read to its end.
  assertEquals(await Array.fromAsync(stream), []);
});

Deno.test("streamOf() rejects a reader after a loop has failed", async () => {
  const { batches } = batchesOf(-1);
  const stream = streamOf(batches);
  await assertRejects(() => Array.fromAsync(stream), RangeError);
  await assertRejects(() => stream.getReader().read(), RangeError);
});

Deno.test("streamOf() can be teed", async () => {
  const { batches } = batchesOf(2, 1);
  const [one, other] = streamOf(batches).tee();
  assertEquals(
    await Promise.all([Array.fromAsync(one), Array.fromAsync(other)]),
    [[0, 1, 2, -1], [0, 1, 2, -1]],
  );
});

Deno.test("streamOf() ends when it is cancelled during a read", async () => {
  const { batches, seen } = batchesOf(1, new Promise<never>(() => {}));
  const reader = streamOf(batches).getReader();
  await reader.read();
  const waiting = reader.read();
  await reader.cancel("enough");
  assertEquals((await waiting).done, true);
  assertEquals(seen.reasons, ["enough"]);
});
