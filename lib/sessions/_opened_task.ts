/** Opens session files that are to be read into the index. */

import type { Task } from "./_index_plan.ts";
import type { openSessionContent, SessionContent } from "./session_content.ts";
import { SessionFold } from "./session_fold.ts";

/** A file that is being read. */
export interface OpenedTask {
  /** What is left of it. */
  readonly content: SessionContent;
  /** What it is read into. */
  readonly fold: SessionFold;
  /** Whether it is read on from where it was read to. */
  readonly isContinued: boolean;
}

/**
 * Opens a file where it was read to, or at its beginning if it is not the same.
 *
 * @param checkpoint What it takes to read on; `undefined` to begin anew.
 * @throws {Error} If it cannot be opened.
 */
export async function openTask(
  { file, before }: Pick<Task, "file" | "before">,
  checkpoint: Uint8Array | undefined,
  openContent: typeof openSessionContent,
): Promise<OpenedTask> {
  const { start } = file;
  const fileName = file.path;
  if (before !== undefined && checkpoint !== undefined) {
    const { readTo, readMark } = before;
    const content = await openContent(file, { readTo, mark: readMark });
    if (content !== undefined) {
      const from = { readTo, checkpoint, tail: content.tail };
      try {
        const fold = new SessionFold({ fileName, start, from });
        return { content, fold, isContinued: true };
      } catch {
        // What cannot be gone on from is read anew.
        content.source.close();
      }
    }
  }
  const content = await openContent(file);
  if (content === undefined) throw new Error("it cannot be read");
  const fold = new SessionFold({ fileName, start });
  return { content, fold, isContinued: false };
}
