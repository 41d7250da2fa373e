/** Files that are read whole: lists of prices, baselines. */

import type { Surroundings } from "../context.ts";
import { openInput } from "../input.ts";

/**
 * Reads a text.
 *
 * @param path The path of a file, or `-`.
 * @param limit How much is read, in UTF-16 units; a text that is longer is cut.
 */
export async function textOf(
  path: string,
  process: Surroundings,
  limit: number,
): Promise<string> {
  const input = await openInput(path, process);
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (
      let block = await input.next();
      block !== undefined && text.length <= limit;
      block = await input.next()
    ) {
      text += decoder.decode(block, { stream: true });
    }
  } finally {
    input.close();
  }
  return text + decoder.decode();
}
