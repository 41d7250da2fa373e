/**
 * Text in UTF-16 as UTF-8.
 */

import type { ByteSource } from "./byte_source.ts";
import { ChunkSource } from "./chunk_source.ts";
import type { Utf16 } from "./packed_magic.ts";

/** How much is read at once. */
const BLOCK = 1 << 16;

/**
 * Gives text in UTF-16 as UTF-8, without its byte order mark; half a character is U+FFFD.
 *
 * @param source The rest of the source.
 * @param head The first bytes of it.
 * @param encoding In which order the bytes are.
 * @returns The text.
 */
export function utf16Source(
  source: ByteSource,
  head: Uint8Array,
  encoding: Utf16,
): ByteSource {
  return new ChunkSource(
    utf8Of(source, head, encoding),
    () => source.close(),
  );
}

async function* utf8Of(
  source: ByteSource,
  head: Uint8Array,
  encoding: Utf16,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  const block = new Uint8Array(BLOCK);
  let bytes = head;
  for (;;) {
    yield encoder.encode(decoder.decode(bytes, { stream: true }));
    const size = await source.read(block);
    if (size === null) break;
    bytes = block.subarray(0, size);
  }
  yield encoder.encode(decoder.decode());
}
