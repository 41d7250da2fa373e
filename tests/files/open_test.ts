import {
  assert,
  assertEquals,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { PackedDataError } from "../../lib/files/byte_source.ts";
import {
  bytesOf,
  openFile,
  openStream,
  streamOf,
} from "../../lib/files/open.ts";
import { concat, encode } from "../running.ts";
import { withFolder } from "../sessions/homes.ts";
import { drained, gzip, TestSource, WaitingSource, zstd } from "../sources.ts";

const LINES = encode(
  Array.from({ length: 60_000 }, (_, i) => `{"n":${i}}\n`).join(""),
);

/** Runs a test with a temporary file. */
async function withFile(
  content: Uint8Array,
  suffix: string,
  use: (path: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const path = `${folder}/file${suffix}`;
    await Deno.writeFile(path, content);
    await use(path);
  });
}

/** Reads a stream to its end. */
async function readAll(
  stream: ReadableStream<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer>> {
  return concat(await Array.fromAsync(stream));
}

// Files.

const FILES = [
  { name: "plain", bytes: LINES, content: LINES, suffix: ".jsonl" },
  { name: "gzip", bytes: gzip(LINES), content: LINES, suffix: ".jsonl.gz" },
  { name: "zstd", bytes: zstd(LINES), content: LINES, suffix: ".jsonl.zst" },
  {
    name: "gzip with another suffix",
    bytes: gzip(LINES),
    content: LINES,
    suffix: ".log",
  },
  {
    name: "zstd with the wrong suffix",
    bytes: zstd(LINES),
    content: LINES,
    suffix: ".gz",
  },
  {
    name: "plain with the wrong suffix",
    bytes: LINES,
    content: LINES,
    suffix: ".zst",
  },
  {
    name: "empty",
    bytes: new Uint8Array(0),
    content: new Uint8Array(0),
    suffix: ".jsonl",
  },
] satisfies {
  name: string;
  bytes: Uint8Array;
  content: Uint8Array;
  suffix: string;
}[];

for (const { name, bytes, content, suffix } of FILES) {
  Deno.test(`openFile() reads a file: ${name}`, async () => {
    await withFile(bytes, suffix, async (path) => {
      for (const room of [1 << 18, 1_000]) {
        const result = await drained(await openFile(path), room);
        assertEquals(result.error, undefined);
        assertEquals(result.content, content);
      }
    });
  });

  Deno.test(`openStream() reads a file: ${name}`, async () => {
    await withFile(bytes, suffix, async (path) => {
      assertEquals(await readAll(await openStream(path)), content);
    });
  });
}

const CUT_FILES = [
  { name: "gzip", bytes: gzip(LINES).subarray(0, 5_000), suffix: ".gz" },
  { name: "zstd", bytes: zstd(LINES).subarray(0, 5_000), suffix: ".zst" },
  { name: "gzip without a byte", bytes: new Uint8Array(0), suffix: ".gz" },
  { name: "zstd without a byte", bytes: new Uint8Array(0), suffix: ".zst" },
] satisfies { name: string; bytes: Uint8Array; suffix: string }[];

for (const { name, bytes, suffix } of CUT_FILES) {
  Deno.test(`openFile() and openStream() report a file that is cut off: ${name}`, async () => {
    await withFile(bytes, suffix, async (path) => {
      const { content, error } = await drained(await openFile(path));
      assert(error instanceof PackedDataError);
      assertEquals(content, LINES.subarray(0, content.length));
      const stream = await openStream(path);
      await assertRejects(() => readAll(stream), PackedDataError, "cut off");
    });
  });
}

for (const open of [openFile, openStream]) {
  Deno.test(`${open.name}() throws the error of the platform for a missing file`, async () => {
    const error = await assertRejects(
      async () => void await open("no/such/file.jsonl"),
      Error,
    );
    assertEquals("code" in error && error.code, "ENOENT");
  });
}

Deno.test("openFile() throws the error of the platform for a folder", async () => {
  await withFolder(async (folder) => {
    const error = await assertRejects(async () => {
      const { error } = await drained(await openFile(folder));
      throw error;
    }, Error);
    // The code differs between platforms.
    assertEquals("code" in error && typeof error.code, "string");
  });
});

Deno.test("openFile() can be closed before, between and after reads, and twice", async () => {
  await withFile(gzip(LINES), ".gz", async (path) => {
    const into = new Uint8Array(10);
    for (const reads of [0, 1, 3]) {
      const file = await openFile(path);
      for (let i = 0; i < reads; i++) assertEquals(await file.read(into), 10);
      file.close();
      file.close();
    }
  });
});

Deno.test("openFile() continues with a plain file that has grown", async () => {
  await withFile(encode("one\n"), ".jsonl", async (path) => {
    const file = await openFile(path);
    const into = new Uint8Array(16);
    assertEquals(await file.read(into), 4);
    assertEquals(await file.read(into), null);
    await Deno.writeFile(path, encode("two\n"), { append: true });
    assertEquals(await file.read(into), 4);
    assertEquals(into.subarray(0, 4), encode("two\n"));
    file.close();
  });
});

Deno.test("openStream() closes its file when it is cancelled", async () => {
  await withFile(LINES, ".jsonl", async (path) => {
    const reader = (await openStream(path)).getReader();
    const { value } = await reader.read();
    assert(value !== undefined && value.length > 0);
    await reader.cancel();
    assertEquals((await reader.read()).done, true);
  });
});

// Sources as streams.

/** Runs all pending microtasks. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

Deno.test("streamOf() reads its source, and closes it at the end", async () => {
  for (const step of [Infinity, 1_000, 7_777]) {
    const source = new TestSource(LINES, { step });
    assertEquals(await readAll(streamOf(source)), LINES);
    assertEquals(source.closings, 1);
  }
});

Deno.test("streamOf() reads only on demand", async () => {
  const source = new TestSource(LINES, { step: 10 });
  const reader = streamOf(source).getReader();
  await turns();
  assertEquals(source.buffers.length, 0);
  for (let reads = 1; reads <= 3; reads++) {
    const { value } = await reader.read();
    assertEquals(value?.length, 10);
    await turns();
    assertEquals(source.buffers.length, reads);
  }
  await reader.cancel();
});

Deno.test("streamOf() does not reuse the memory of its chunks", async () => {
  const source = new TestSource(encode("abcdef"), { step: 2 });
  const chunks = await Array.fromAsync(streamOf(source));
  assertEquals(chunks, ["ab", "cd", "ef"].map(encode));
});

Deno.test("streamOf() passes an error on unchanged, behind the bytes before it", async () => {
  const error = new Error("no more");
  const source = new TestSource(encode("ab"), { error });
  const reader = streamOf(source).getReader();
  assertEquals((await reader.read()).value, encode("ab"));
  const thrown = await assertRejects(() => reader.read());
  assertStrictEquals(thrown, error);
  assertEquals(source.closings, 1);
});

Deno.test("streamOf() closes its source when it is cancelled", async () => {
  const source = new TestSource(LINES, { step: 10 });
  const reader = streamOf(source).getReader();
  await reader.read();
  await reader.cancel("enough");
  assertEquals(source.closings, 1);
  assertEquals(source.buffers.length, 1);
});

Deno.test("streamOf() closes its source when it is cancelled during a read", async () => {
  for (const content of ["abcdef", "abc"]) {
    const source = new WaitingSource(encode(content), 3);
    const reader = streamOf(source).getReader();
    await reader.read();
    const waiting = reader.read();
    await source.waiting;
    await reader.cancel();
    assertEquals(source.closings, 1);
    source.release();
    assertEquals((await waiting).done, true);
  }
});

// Streams as sources.

/** A stream of chunks that records why it was cancelled. */
function chunked(
  chunks: readonly Uint8Array<ArrayBuffer>[],
  error?: Error,
): { stream: ReadableStream<Uint8Array<ArrayBuffer>>; cancelled: unknown[] } {
  const rest = [...chunks];
  const cancelled: unknown[] = [];
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller): void {
      const chunk = rest.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (error === undefined) controller.close();
      else controller.error(error);
    },
    cancel(reason): void {
      cancelled.push(reason);
    },
  }, { highWaterMark: 0 });
  return { stream, cancelled };
}

Deno.test("bytesOf() reads a stream with buffers of any size", async () => {
  const chunks = ["", "a", "bcd", "", "", "efghijk", ""].map(encode);
  for (const room of [1, 2, 3, 5, 100]) {
    const { stream } = chunked(chunks);
    const { content, error } = await drained(bytesOf(stream), room);
    assertEquals(error, undefined);
    assertEquals(content, encode("abcdefghijk"));
  }
});

Deno.test("bytesOf() reads one chunk at a time, without waiting for the next", async () => {
  const { stream } = chunked(["ab", "cdef"].map(encode));
  const source = bytesOf(stream);
  const into = new Uint8Array(3);
  const sizes = [];
  for (let i = 0; i < 5; i++) sizes.push(await source.read(into));
  assertEquals(sizes, [2, 3, 1, null, null]);
});

Deno.test("bytesOf() ends at once for an empty stream", async () => {
  const { stream } = chunked([]);
  assertEquals(await bytesOf(stream).read(new Uint8Array(1)), null);
});

Deno.test("bytesOf() passes an error on unchanged, behind the bytes before it", async () => {
  const error = new Error("no more");
  const { stream } = chunked([encode("ab")], error);
  const result = await drained(bytesOf(stream), 1);
  assertEquals(result.content, encode("ab"));
  assertStrictEquals(result.error, error);
});

Deno.test("bytesOf() cancels its stream once when it is closed", async () => {
  const { stream, cancelled } = chunked([encode("ab"), encode("cd")]);
  const source = bytesOf(stream);
  assertEquals(await source.read(new Uint8Array(1)), 1);
  source.close();
  source.close();
  assertEquals(cancelled.length, 1);
});

Deno.test("bytesOf() ends a waiting read when it is closed", async () => {
  const stream = new ReadableStream<Uint8Array>();
  const source = bytesOf(stream);
  const waiting = source.read(new Uint8Array(1));
  source.close();
  assertEquals(await waiting, null);
});

Deno.test("bytesOf() refuses a locked stream", () => {
  const { stream } = chunked([]);
  stream.getReader();
  assertThrows(() => bytesOf(stream), TypeError);
});

Deno.test("bytesOf() and streamOf() are inverse", async () => {
  const { stream } = chunked([LINES.slice(0, 1_000), LINES.slice(1_000)]);
  assertEquals(await readAll(streamOf(bytesOf(stream))), LINES);
});
