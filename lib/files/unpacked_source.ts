/**
 * The content of a packed source.
 */

import type { ByteSource } from "./byte_source.ts";
import { ChunkSource } from "./chunk_source.ts";
import type { PackedFormat } from "./errors.ts";
import { Pieces, unpack } from "./unpack.ts";

/**
 * Gives what a source holds in packed form.
 *
 * @param packed The rest of the source.
 * @param head The first bytes of it.
 * @param format How it is packed.
 * @returns The content; to read it throws a {@linkcode PackedDataError} where it is damaged or
 *   cut off.
 */
export function unpackedSource(
  packed: ByteSource,
  head: Uint8Array,
  format: PackedFormat,
): ByteSource {
  const pieces = new Pieces(head, packed);
  return new ChunkSource(unpack(pieces, format), () => {
    pieces.end();
    packed.close();
  });
}
