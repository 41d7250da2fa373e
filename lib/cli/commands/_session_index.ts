/** Shared by the commands that use the search index. */

import { resolve } from "node:path";
import { countText } from "../../render/quantity_text.ts";
import { SessionIndexError } from "../../sessions/session_index_error.ts";
import { sessionIndexPath } from "../../sessions/session_index_path.ts";
import type { IndexSessionsOptions } from "../../sessions/session_indexer.ts";
import type { CommandContext } from "../command.ts";
import { IoError } from "../endings.ts";
import { reasonOf } from "../reasons.ts";
import { bytesText } from "./_formats.ts";
import { refuseCodexHome } from "./_overwriting.ts";
import { homesToRead } from "./_places.ts";

/** Returns the path of the index, in no Codex home, and the homes that it covers. */
export async function indexPlaces(
  { args, process }: CommandContext,
): Promise<Pick<IndexSessionsOptions, "codexHomes" | "path" | "isOwnPath">> {
  const codexHomes = homesToRead({ args, process });
  const file = args.value("index");
  if (file !== undefined) {
    await refuseCodexHome("index", file, { args, process });
    return { codexHomes, path: resolve(process.cwd(), file) };
  }
  const path = sessionIndexPath({
    codexHomes,
    env: (name) => process.env(name),
  });
  if (path === undefined) {
    throw new IoError(
      "no place for the index: neither XDG_CACHE_HOME (an absolute path) nor HOME is set; use --index=FILE",
    );
  }
  return { codexHomes, path, isOwnPath: true };
}

/** Runs work with the index: shows its progress, and converts its errors. */
export async function withProgress<T>(
  { process, progress, diagnostics }: CommandContext,
  path: string,
  work: (
    watch: Pick<IndexSessionsOptions, "onProgress" | "onDamage">,
  ) => Promise<T>,
): Promise<T> {
  let isDamaged = false;
  try {
    const result = await work({
      onProgress: (done) =>
        progress.update(() =>
          `Indexing sessions: ${countText(done.files)} of ${
            countText(done.totalFiles)
          }, ${bytesText(done.bytes)} of ${bytesText(done.totalBytes)}`
        ),
      onDamage(): void {
        isDamaged = true;
      },
    });
    // Sessions that were read before the interrupt are in the index.
    process.interrupt.throwIfAborted();
    return result;
  } catch (error) {
    if (!(error instanceof SessionIndexError)) throw error;
    const reason = indexReason(error);
    const advice = error.kind === "io"
      ? "; use --index=FILE for another place"
      : "";
    throw new IoError(`${path}: cannot use the index: ${reason}${advice}`, {
      cause: error,
    });
  } finally {
    if (isDamaged) {
      diagnostics.say(
        `${path}: the index was damaged and is rebuilt from the session files`,
      );
      await diagnostics.flush();
    }
  }
}

export function indexReason(
  { kind, cause, reason }: SessionIndexError,
): string {
  return kind === "io" ? reasonOf(cause) : reason;
}
