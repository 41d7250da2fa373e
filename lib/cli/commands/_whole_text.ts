/** Files that are read whole: lists of prices, baselines. */

import type { Surroundings } from "../context.ts";
import { blocksOf, openInput } from "../input.ts";

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
  for await (const block of blocksOf(input, process)) {
    text += decoder.decode(block, { stream: true });
    if (text.length > limit) break;
  }
  return text + decoder.decode();
}
