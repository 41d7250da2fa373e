/** Finds out what has to be done to bring an index up to date. */

import { basename } from "node:path";
import type { IndexedFile } from "./_index_writer.ts";
import { isInside } from "./codex_homes.ts";
import type { SessionFile, SessionProblem } from "./session_files.ts";

export interface FoundSessions {
  /** The files, newest first. */
  readonly files: readonly SessionFile[];
  /** What could not be looked at. */
  readonly problems: readonly SessionProblem[];
  /** Gives the name of a session. */
  nameOf(file: SessionFile): string | undefined;
}

/** A file that is to be looked at. */
export interface Task {
  readonly file: SessionFile;
  /** What the index knows of it; `undefined` if nothing. */
  readonly before: IndexedFile | undefined;
  /** The name of the session. */
  readonly name: string | undefined;
}

/** What has to be done. */
export interface RefreshPlan {
  /** Files that are to be looked at, newest first. */
  readonly tasks: readonly Task[];
  /** Files that are not there any more. */
  readonly gone: readonly IndexedFile[];
}

/**
 * Finds out which files must be looked at, and which ones are gone, without opening one.
 *
 * A file that is new in one place and missing in another is the same one, if the names are. What
 * lies in a folder that cannot be read just now is not gone.
 */
export function planRefresh(
  { files, problems, nameOf }: FoundSessions,
  indexed: readonly IndexedFile[],
): RefreshPlan {
  const known = new Map(indexed.map((file) => [file.path, file]));
  const befores = new Map<SessionFile, IndexedFile | undefined>();
  for (const file of files) {
    befores.set(file, known.get(file.path));
    known.delete(file.path);
  }
  const missing = new Map(
    [...known.values()].flatMap((file) => [
      [file.sessionId, file] as const,
      [stemOf(file.path), file] as const,
    ]),
  );
  const tasks: Task[] = [];
  for (const file of files) {
    const name = nameOf(file);
    let before = befores.get(file);
    if (before === undefined) {
      const moved = missing.get(stemOf(file.path)) ?? missing.get(file.id);
      if (moved !== undefined && known.delete(moved.path)) before = moved;
    } else if (isSameContent(file, before) && before.name === name) continue;
    tasks.push({ file, before, name });
  }
  const gone = [...known.values()].filter(({ path }) =>
    !problems.some((problem) => isInside(path, problem.path))
  );
  return { tasks, gone };
}

/** Whether a file is as it was read: it keeps its time when it is moved, and, packed, has another size. */
export function isSameContent(file: SessionFile, before: IndexedFile): boolean {
  return before.isRead && before.size === file.size &&
    before.mtime === file.mtime;
}

/**
 * Whether a file was written to and has not grown: where it ends nothing tells whether what comes
 * before is the same, as if a word of it was masked.
 */
export function isRewritten(file: SessionFile, before: IndexedFile): boolean {
  return before.size === file.size && before.mtime !== file.mtime;
}

/** The name of a file, however it is packed. */
function stemOf(path: string): string {
  return basename(path).replace(/\.(?:zst|gz)$/i, "");
}
