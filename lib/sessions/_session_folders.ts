/** Walks the folders that Codex keeps session files in. */

import { readdir, realpath } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { checkedList } from "../checked.ts";
import { codeOf } from "../files/byte_source.ts";
import { mapAtOnce } from "./_at_once.ts";
import { messageOf } from "./open_session.ts";

/** What lies in one of the folders. */
export interface PlacedPath {
  readonly path: string;
  /** The Codex home. */
  readonly home: string;
  /** Whether it lies in `archived_sessions`. */
  readonly isArchived: boolean;
}

/** A file in one of the folders. */
export interface PlacedFile extends PlacedPath {
  readonly name: string;
}

/** What is called like a session file. */
export interface FoundFile extends PlacedFile {
  /** Whether its folder says that it is a file, and no link or anything else. */
  readonly isRegular: boolean;
}

/** A folder, or a file beside the sessions, that could not be read. */
export interface SessionProblem {
  /** Its path. */
  readonly path: string;
  /** The Codex home that it belongs to. */
  readonly home: string;
  /** What the platform calls the reason, such as `EACCES`; empty if it has no name for it. */
  readonly code: string;
  /** What is wrong, in words. */
  readonly message: string;
}

/** What {@linkcode walkSessionFolders} found. */
export interface SessionFolders {
  /** What is called like a session file. */
  readonly files: readonly FoundFile[];
  /** The folders that could not be read. */
  readonly problems: readonly SessionProblem[];
  /** The homes that are not there. */
  readonly missingHomes: readonly string[];
}

const NAME_REGEXP = /^rollout-.+\.(?:jsonl(?:\.zst|\.gz)?|json)$/is;
/** State that a fork of Codex leaves beside a session. */
const SNAPSHOT_REGEXP = /\.snapshot\.json$/i;
const NUMBER_REGEXP = /^\d+$/;
/** Years, months, days. */
const LEVELS = 3;
const ROOTS = [
  { name: "sessions", isArchived: false },
  { name: "archived_sessions", isArchived: true },
] as const;
/** How many folders are read at once. */
const AT_ONCE = 16;

/** Finds what is called like a session file, level by level. */
export async function walkSessionFolders(
  codexHomes: readonly string[],
): Promise<SessionFolders> {
  const found: (readonly FoundFile[])[] = [];
  const problems: SessionProblem[] = [];
  const { homes, missingHomes } = await differentHomes(codexHomes);
  let folders = homes.flatMap((home): PlacedPath[] =>
    ROOTS.map(({ name, isArchived }) => ({
      path: join(home, name),
      home,
      isArchived,
    }))
  );
  for (let level = 0; level <= LEVELS; level += 1) {
    const contents = await mapAtOnce(folders, AT_ONCE, readFolder);
    for (const { files, problem } of contents) {
      found.push(files);
      if (problem !== undefined) problems.push(problem);
    }
    folders = contents.flatMap(({ folders }) => folders);
  }
  return { files: found.flat(), problems, missingHomes };
}

/** Tells homes apart: one by two paths, of which one is a link, is one. */
async function differentHomes(
  codexHomes: readonly string[],
): Promise<{ homes: string[]; missingHomes: string[] }> {
  const homes = new Map<string, string>();
  const missingHomes: string[] = [];
  for (const home of checkedList("codexHomes", codexHomes)) {
    let identity = home;
    try {
      identity = await realpath(home);
    } catch (error) {
      if (codeOf(error) === "ENOENT") missingHomes.push(home);
    }
    if (!homes.has(identity)) homes.set(identity, resolve(home));
  }
  return { homes: [...homes.values()], missingHomes };
}

interface FolderContent {
  readonly files: readonly FoundFile[];
  readonly folders: readonly PlacedPath[];
  readonly problem?: SessionProblem;
}

export async function readFolder(folder: PlacedPath): Promise<FolderContent> {
  const { path, home } = folder;
  const files: FoundFile[] = [];
  const folders: PlacedPath[] = [];
  try {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const { name } = entry;
      const place = { ...folder, path: path + sep + name };
      if (NUMBER_REGEXP.test(name)) {
        // Of a link, what it leads to is only known when it is looked at.
        if (entry.isDirectory() || entry.isSymbolicLink()) folders.push(place);
      } else if (NAME_REGEXP.test(name) && !SNAPSHOT_REGEXP.test(name)) {
        if (!entry.isDirectory()) {
          files.push({ ...place, name, isRegular: entry.isFile() });
        }
      }
    }
    return { files, folders };
  } catch (error) {
    const code = codeOf(error);
    // No folder, no sessions.
    if (code === "ENOENT") return { files, folders };
    const problem = { path, home, code, message: messageOf(error) };
    return { files, folders, problem };
  }
}
