/** Opens files as byte sources and streams, and converts between sources and streams. */

import { checkBytes } from "../checked.ts";
import { type ByteSource, ChunkSource, sourceOf } from "./byte_source.ts";
import { decompressed } from "./decompress.ts";

/** How many bytes {@linkcode streamOf} reads at once. */
const BLOCK = 1 << 18;

/**
 * Opens a file for reading, and unpacks it if it is packed.
 *
 * @param path The path of the file.
 * @returns Its content. Close it unless it is read to the end.
 * @throws {Error} If the file cannot be opened, with the `code` of the platform.
 *
 * @example The first bytes of a file
 * ```ts
 * import { openFile } from "@codexpipe/codexpipe/files";
 * import { assertEquals } from "@std/assert";
 *
 * const file = await openFile("deno.json");
 * const into = new Uint8Array(1);
 * await file.read(into);
 * file.close();
 *
 * assertEquals(new TextDecoder().decode(into), "{");
 * ```
 */
export async function openFile(path: string): Promise<ByteSource> {
  const { open } = await import("node:fs/promises");
  return decompressed(sourceOf(await open(path, "r")), { name: path });
}

/**
 * Opens a file as a stream of bytes, and unpacks it if it is packed.
 *
 * @param path The path of the file.
 * @returns Its content.
 * @throws {Error} If the file cannot be opened, with the `code` of the platform.
 *
 * @example Normalize a packed rollout
 * ```ts ignore
 * import { JsonlNormalizerStream } from "@codexpipe/codexpipe";
 * import { openStream } from "@codexpipe/codexpipe/files";
 *
 * const fileName = "rollout-2026-11-20T15-40-01-01a1f99d-5874-7011-9c38-b543d19d65ba.jsonl.zst";
 * const lines = (await openStream(fileName))
 *   .pipeThrough(new JsonlNormalizerStream({ fileName }));
 * ```
 */
export async function openStream(
  path: string,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  return streamOf(await openFile(path));
}

/**
 * Wraps a source in a stream.
 *
 * @param source The source. It is closed at its end, after an error, and when the stream is
 *   cancelled.
 * @returns The stream.
 *
 * @example The content of a packed stream
 * ```ts
 * import { bytesOf, decompressed, streamOf } from "@codexpipe/codexpipe/files";
 * import { assertEquals } from "@std/assert";
 *
 * const packed = new Blob(["{}"]).stream().pipeThrough(new CompressionStream("gzip"));
 * const text = await new Response(streamOf(decompressed(bytesOf(packed)))).text();
 *
 * assertEquals(text, "{}");
 * ```
 */
export function streamOf(
  source: ByteSource,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller): Promise<void> {
      const block = new Uint8Array(BLOCK);
      try {
        const size = await source.read(block);
        if (size !== null) return controller.enqueue(block.subarray(0, size));
      } catch (error) {
        source.close();
        throw error;
      }
      source.close();
      controller.close();
    },
    cancel(): void {
      source.close();
    },
  }, { highWaterMark: 0 });
}

/**
 * Wraps a stream in a source.
 *
 * @param stream The stream. Closing the source cancels it.
 * @returns The source.
 *
 * @example The first byte of a stream
 * ```ts
 * import { bytesOf } from "@codexpipe/codexpipe/files";
 * import { assertEquals } from "@std/assert";
 *
 * const source = bytesOf(new Blob(["{}"]).stream());
 * const into = new Uint8Array(1);
 * const size = await source.read(into);
 * source.close();
 *
 * assertEquals([size, into[0]], [1, 0x7b]);
 * ```
 */
export function bytesOf(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader = stream.getReader();
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      checkBytes(value);
      yield value;
    }
  };
  return new ChunkSource(chunks(), () => {
    reader.cancel().catch(() => {});
  });
}
