/** Loads the reader of heads for the first one: most heads are in a cache, and it loads half of lib. */

import type { SessionHead } from "./session_head.ts";

/** A promise, since many heads are asked for at once, and each import takes as long as the first. */
let reader: Promise<typeof import("./session_head.ts")> | undefined;

/** Returns what `readSessionHead` returns. */
export async function loadHead(
  file: Parameters<typeof import("./session_head.ts").readSessionHead>[0],
): Promise<SessionHead> {
  reader ??= import("./session_head.ts");
  return await (await reader).readSessionHead(file);
}
