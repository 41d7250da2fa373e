/** Opens session files to read their beginnings, thousands of them in a row. */

import type { ByteSource } from "../files/byte_source.ts";
import { openSession } from "./open_session.ts";

/** How many bytes a block has: most heads fit into one. */
const BLOCK_BYTES = 1 << 17;
/**
 * How many blocks are kept for the next ones: as many as are in use at once. To allocate one
 * for each file takes a fifth of the time that 10,000 heads need.
 */
const MAX_FREE = 16;
const FREE: Uint8Array[] = [];

/**
 * Opens a session file for some work, and lends a block to it.
 *
 * @param work Reads the file into the block, or does what it likes with it; whatever it
 *   started must have come to its end.
 * @throws {Error} If the file cannot be opened, or the work throws.
 */
export async function withSession<T>(
  file: { readonly path: string },
  work: (source: ByteSource, block: Uint8Array) => Promise<T>,
): Promise<T> {
  const source = await openSession(file);
  const block = FREE.pop() ?? new Uint8Array(BLOCK_BYTES);
  try {
    return await work(source, block);
  } finally {
    source.close();
    if (FREE.length < MAX_FREE) FREE.push(block);
  }
}
