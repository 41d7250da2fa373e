/** Finds the session files below Codex homes, without opening one. */

import { stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import {
  listedFile,
  listSessionFiles,
  lookAtAll,
  lookedAt,
  type SessionCompression,
  type SessionFile,
} from "./listed_files.ts";
import type { SessionProblem } from "./_session_folders.ts";
import { codexHomesFrom, isInside } from "./codex_homes.ts";

export type { SessionCompression, SessionFile, SessionProblem };

/** What {@linkcode findSessionFiles} found. */
export interface SessionFiles {
  /** The files, one for each session and each file that goes on with one, newest first. */
  readonly files: readonly SessionFile[];
  /** The folders that could not be read; there may be sessions in them. */
  readonly problems: readonly SessionProblem[];
  /** The homes that are not there. */
  readonly missingHomes: readonly string[];
}

/** Where to look for sessions. */
export interface FindSessionFilesOptions {
  /**
   * The Codex homes.
   *
   * @default {codexHomesFrom()}
   */
  readonly codexHomes?: readonly string[] | undefined;
}

/**
 * Finds the session files of Codex homes.
 *
 * It looks into `sessions` and `archived_sessions`, at every level of year, month and day,
 * so also at the flat folders of older releases; folders that are no numbers, and files
 * that are not called `rollout-….jsonl`, `.jsonl.zst`, `.jsonl.gz` or `.json`, are none of
 * Codex's sessions. No file is opened. A home that is not there has no sessions; a folder
 * that cannot be read is a problem, never an error. A file that cannot be looked at is there
 * all the same, with a size of 0; opening it says why.
 *
 * Every session is there once. Of several files with one id counts the active one before
 * the archived one, then the plain one before the packed one (rollout.md D.6), then the one that
 * was written to last; the others are its `copies`. A session that goes on in another
 * file (`rollout-…-ID_ID.jsonl`, 0.150 and later) has several, of which all but the newest
 * are `isContinued`.
 *
 * @param options The homes.
 * @returns The files, newest first, and what could not be looked at.
 *
 * @example How many sessions there are
 * ```ts
 * import { findSessionFiles } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const { files, problems } = await findSessionFiles({ codexHomes: ["no/such/home"] });
 *
 * assertEquals([files.length, problems.length], [0, 0]);
 * ```
 */
export async function findSessionFiles(
  options: FindSessionFilesOptions = {},
): Promise<SessionFiles> {
  const { codexHomes = codexHomesFrom() } = options;
  const { files, ...rest } = await listSessionFiles(codexHomes);
  return { files: await lookAtAll(files), ...rest };
}

/**
 * Looks at one file as {@linkcode findSessionFiles} does at each.
 *
 * @param path The path of the file, whatever it is called.
 * @param home The Codex home that it belongs to.
 * @returns The file.
 * @throws {Error} If it cannot be looked at, or is a folder, with the `code` of the platform.
 *
 * @example What its name tells
 * ```ts
 * import { sessionFileAt } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const path = "testdata/captures/0.44.0/msg/" +
 *   "rollout-2026-11-20T15-30-37-01a1f994-bf38-7b30-a5b6-37341edadf48.jsonl";
 * const { id, nameTime, compression } = await sessionFileAt(path, ".");
 *
 * assertEquals(id, "01a1f994-bf38-7b30-a5b6-37341edadf48");
 * assertEquals(nameTime, "2026-11-20T15:30:37.000Z");
 * assertEquals(compression, "none");
 * ```
 */
export async function sessionFileAt(
  path: string,
  home: string,
): Promise<SessionFile> {
  const absolute = resolve(path);
  const place = {
    path: absolute,
    name: basename(absolute),
    home: resolve(home),
    isArchived: isInside(path, join(home, "archived_sessions")),
  };
  const facts = await stat(path);
  if (facts.isDirectory()) throw new FolderError(place.path);
  return lookedAt(listedFile(place), facts);
}

/** A folder where a file is wanted, called what the platform calls it. */
class FolderError extends Error {
  override readonly name = "FolderError";
  readonly code = "EISDIR";

  constructor(path: string) {
    super(`EISDIR: illegal operation on a directory, open '${path}'`);
  }
}
