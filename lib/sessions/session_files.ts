/** Finds session files by their names, and stats them on demand: lists show few of thousands. */

import { type Stats, statSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { checkedList } from "../checked.ts";
import { timeInUuid } from "../events/times.ts";
import { codeOf } from "../files/byte_source.ts";
import { mapAtOnce } from "./_at_once.ts";
import { loadHead } from "./_head_loading.ts";
import { groupsBy } from "../groups.ts";
import { codexHomesFrom, isInside } from "./codex_homes.ts";
import { isGone, messageOf } from "./open_session.ts";
import { otherPlacesOf } from "./session_places.ts";
import {
  compareNewestFirst,
  idInName,
  isSessionName,
  sessionIdInName,
  type SessionPlace,
  startedAt,
  startOf,
  timeInName,
  unpackedPath,
} from "./session_start.ts";

/** The result of {@linkcode findSessionFiles}. */
export interface SessionFiles {
  /** The files, newest first: one per session, and one for each file that continues a session. */
  readonly files: readonly SessionFile[];
  /** The folders that could not be read. They may hold more sessions. */
  readonly problems: readonly SessionProblem[];
  /** The homes that do not exist. */
  readonly missingHomes: readonly string[];
}

/** Options for {@linkcode findSessionFiles}. */
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
 * Searches `sessions` and `archived_sessions` at every level of year, month and day, and so also
 * the flat folders of older releases. Folders whose names are not numbers, and files that are not
 * named `rollout-….jsonl`, `.jsonl.zst`, `.jsonl.gz` or `.json`, are skipped: Codex does not make
 * them. No file is opened. A home that does not exist has no sessions; a folder that cannot be read
 * is reported as a problem, never thrown as an error. A file that cannot be stat'ed is listed with
 * a size of 0; opening it reports the error.
 *
 * Every session is listed once. Of several files with one id, the first is used in this order: the
 * active before the archived one, the plain before the packed one (rollout.md D.6), the one last
 * written to before older ones; the others are its `copies`. A session that continues in another
 * file (`rollout-…-ID_ID.jsonl`, 0.150 and later) has several files, of which all but the newest
 * are `isContinued`.
 *
 * @param options The homes.
 * @returns The files, newest first, and the folders that could not be read.
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
 * Returns one file with the same facts that {@linkcode findSessionFiles} returns.
 *
 * @param path The path of the file, under any name.
 * @param home The Codex home that it belongs to.
 * @returns The file.
 * @throws {Error} If `stat` fails, or the path is no regular file; with the `code` of the platform.
 *
 * @example The facts in a file name
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
    home: resolve(home),
    isArchived: isInside(path, join(home, "archived_sessions")),
  };
  const facts = await stat(path);
  if (!facts.isFile()) {
    // The errors of the platform for a folder, and for a pipe, which are read as a file.
    const [code, text] = facts.isDirectory()
      ? ["EISDIR", "illegal operation on a directory"]
      : ["ESPIPE", "illegal seek"];
    const message = `${code}: ${text}, open '${absolute}'`;
    throw Object.assign(new Error(message), { code });
  }
  return lookedAt(listedFile(place), facts);
}

/** The compression of a session file, by its name. */
export type SessionCompression = "none" | "zstd" | "gzip";

/** A session file, with the facts in its path and those of `stat`. */
export interface SessionFile extends SessionPlace {
  /** The absolute path, below `home`. */
  readonly path: string;
  /** The Codex home, an absolute path. */
  readonly home: string;
  /** Whether the file is in `archived_sessions`. */
  readonly isArchived: boolean;
  /** The compression of the file, by its name. */
  readonly compression: SessionCompression;
  /** The size on disk in bytes. */
  readonly size: number;
  /** The time of the last write, in whole milliseconds since 1970. */
  readonly mtime: number;
  /**
   * The id in the file name, in lower case; empty if there is none. It is the id of the session, or
   * that of the file alone if the file continues a session of another file.
   */
  readonly id: string;
  /** The id of the session in the file name, in lower case; empty if there is none. */
  readonly sessionId: string;
  /** Whether the session continues in a later file, whose header refers to this one. */
  readonly isContinued: boolean;
  /** The time in the file name, which is local time, in RFC 3339 as if it were UTC. */
  readonly nameTime: string | undefined;
  /**
   * The time at which the session began, in milliseconds since 1970: from the file name, else from
   * its header, else the time of the last write.
   */
  readonly start: number;
  /**
   * Other files of the same session: a compressed copy beside the plain one, an archived one beside
   * the active one, a copy in another home.
   */
  readonly copies: readonly string[];
}

/**
 * A session file with the facts in its path only. A file whose name does not hold the time at which
 * the session began has those of `stat` as well.
 */
export type ListedFile = Omit<SessionFile, "size" | "mtime">;

interface ListedFiles extends Omit<SessionFiles, "files"> {
  readonly files: readonly ListedFile[];
}

const AT_ONCE = 64;
/** How many files are stat'ed synchronously before the time they took is compared. */
const ONE_BY_ONE = 16;
/**
 * How long these may take to count as fast, in milliseconds. A synchronous `stat` takes a few
 * microseconds if the system has the file in memory, where an asynchronous one takes 30. Disks and
 * networks take longer, and answer many requests at once.
 */
const FAST = 1.6;

/**
 * Lists the session files of Codex homes, as `findSessionFiles()` finds them; some may have been
 * deleted when they are stat'ed.
 *
 * Stats only files whose name has no time, files of sessions that have several, and entries that
 * may not be files. To stat each of 10,000 files takes half of the time that a list of 20 of them
 * needs.
 */
export async function listSessionFiles(
  codexHomes: readonly string[],
): Promise<ListedFiles> {
  const { files: found, problems, missingHomes } = await walkSessionFolders(
    codexHomes,
  );
  const files = await filesThatCount(found);
  files.sort(compareNewestFirst);
  return { files: markContinued(files), problems, missingHomes };
}

async function filesThatCount(
  found: readonly ListedFile[],
): Promise<ListedFile[]> {
  const groups = groupsBy(
    found,
    ({ id, path }) => id === "" ? unpackedPath(path) : id,
  );
  const bySession = [...groups.values()];
  const files = await mapAtOnce(bySession, AT_ONCE, async (group) => {
    const [first] = group;
    const isClear = group.length === 1 && first?.nameTime !== undefined;
    return isClear ? first : await fileThatCounts(group);
  });
  return files.filter((file) => file !== undefined);
}

/**
 * Stats listed files, and returns those that still exist, in the same order. Tests set `fast`, how
 * long {@linkcode ONE_BY_ONE} synchronous calls may take to be fast.
 */
export async function lookAtAll(
  files: readonly ListedFile[],
  fast: number = FAST,
): Promise<SessionFile[]> {
  const looked: (SessionFile | undefined)[][] = [];
  let others = AT_ONCE;
  for (let at = 0; at < files.length;) {
    const end = at + ONE_BY_ONE;
    const start = performance.now();
    const now = files.slice(at, end).map((file) => lookedAtNow(file) ?? file);
    const isFast = performance.now() - start < fast;
    // Each slow run doubles the number of asynchronous calls before the next synchronous run.
    others = isFast ? AT_ONCE : 2 * others;
    at = isFast ? end : end + others;
    const run = [...now, ...files.slice(end, at)];
    looked.push(
      run.every(isLookedAt) ? run : await mapAtOnce(run, AT_ONCE, lookAt),
    );
  }
  return looked.flat().filter((file) => file !== undefined);
}

/** Stats a file synchronously; `undefined` if it is not a regular file, or `stat` fails. */
function lookedAtNow(file: ListedFile): SessionFile | undefined {
  if (isLookedAt(file)) return file;
  const facts = statNow(file.path);
  return facts?.isFile() ? lookedAt(file, facts) : undefined;
}

/** Stats a path synchronously; `undefined` if that fails: a later use of the path reports why. */
export function statNow(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Marks all files of a session except the one that continues it last. */
function markContinued(files: readonly ListedFile[]): readonly ListedFile[] {
  const last = new Map<string, ListedFile>();
  for (const file of files) {
    const known = last.get(file.sessionId);
    const isLater = known === undefined || madeAt(file) > madeAt(known);
    if (isLater && file.sessionId !== "") last.set(file.sessionId, file);
  }
  return files.map((file) =>
    (last.get(file.sessionId) ?? file) === file
      ? file
      : { ...file, isContinued: true }
  );
}

/** Leaves out files whose session continues in a later file. */
export function latestOf<T extends ListedFile>(files: readonly T[]): T[] {
  return files.filter(({ isContinued }) => !isContinued);
}

/** Returns the time at which a file was made, from its name. */
export function madeAt({ id, nameTime }: ListedFile): number {
  return timeInUuid(id) ?? Date.parse(nameTime ?? "1970-01-01");
}

/** Returns the file of a session to use, if any of its files exists. */
async function fileThatCounts(
  group: readonly ListedFile[],
): Promise<SessionFile | undefined> {
  const looked = await Promise.all(group.map(lookAt));
  // A file that is packed in the meantime may be found under both names.
  const there = looked.filter((file) => file !== undefined);
  const files = new Map(there.map((file) => [file.path, file]));
  const [first, ...others] = [...files.values()].sort(compareCopies);
  return first && { ...first, copies: others.map(({ path }) => path) };
}

/** Compares files of one session: the one to use comes first. */
function compareCopies(one: SessionFile, other: SessionFile): number {
  return Number(one.isArchived) - Number(other.isArchived) ||
    Number(one.compression !== "none") - Number(other.compression !== "none") ||
    other.mtime - one.mtime;
}

/** Stats a file; `undefined` if it is not a regular file, or no longer exists. */
async function lookAt(file: ListedFile): Promise<SessionFile | undefined> {
  // It was needed before.
  if (isLookedAt(file)) return file;
  try {
    const facts = await stat(file.path);
    if (!facts.isFile()) return undefined;
    const looked = lookedAt(file, facts);
    if (file.nameTime !== undefined) return looked;
    const { started } = await loadHead(looked);
    return { ...looked, start: startedAt(looked, started) };
  } catch (error) {
    return await withoutFacts(file, error);
  }
}

function isLookedAt(file: ListedFile): file is SessionFile {
  return "mtime" in file;
}

/** Returns a file that its folder lists and that could not be stat'ed. */
async function withoutFacts(
  file: ListedFile,
  error: unknown,
): Promise<SessionFile | undefined> {
  const { path, home, isContinued, copies, nameTime } = file;
  if (codeOf(error) === "ENOENT") {
    // It may have been packed, unpacked, archived or restored in the meantime.
    for (const other of otherPlacesOf(path)) {
      const moved = await sessionFileAt(other, home).catch(() => undefined);
      if (moved !== undefined) return { ...moved, isContinued, copies };
    }
    // A dangling link still exists; any other file was deleted.
    if (await isGone(path)) return undefined;
  }
  const mtimeMs = nameTime === undefined ? 0 : Date.parse(nameTime);
  return lookedAt(file, { size: 0, mtimeMs });
}

function listedFile({ path, home, isArchived }: PlacedPath): ListedFile {
  const name = basename(path);
  const id = idInName(name);
  const sessionId = sessionIdInName(name);
  const nameTime = timeInName(name);
  // The name of a file that continues a session holds the time at which that file began.
  const begun = sessionId === id ? undefined : timeInUuid(sessionId);
  return {
    path,
    home,
    isArchived,
    compression: compressionOf(name),
    id: id ?? "",
    sessionId: sessionId ?? "",
    isContinued: false,
    key: id ?? path,
    nameTime,
    start: nameTime === undefined
      ? NaN
      : begun ?? startOf(Date.parse(nameTime), id),
    copies: [],
  };
}

export function lookedAt(
  file: ListedFile,
  { size, mtimeMs }: Pick<Stats, "size" | "mtimeMs">,
): SessionFile {
  // Whole milliseconds; 0 for a time that no `Date` can hold, which a file system may report.
  const mtime = new Date(mtimeMs).getTime() || 0;
  const start = file.nameTime === undefined ? mtime : file.start;
  return { ...file, size, mtime, start };
}

function compressionOf(name: string): SessionCompression {
  if (name.toLowerCase().endsWith(".zst")) return "zstd";
  return name.toLowerCase().endsWith(".gz") ? "gzip" : "none";
}

type PlacedPath = Pick<SessionFile, "path" | "home" | "isArchived">;

/** A folder, or a file beside the sessions, that could not be read. */
export interface SessionProblem {
  /** The path. */
  readonly path: string;
  /** The Codex home that it belongs to. */
  readonly home: string;
  /** The code of the platform, such as `EACCES`; empty if the error has none. */
  readonly code: string;
  /** The reason in words. */
  readonly message: string;
}

export function problemAt(
  { path, home }: Pick<SessionProblem, "path" | "home">,
  error: unknown,
): SessionProblem {
  return { path, home, code: codeOf(error), message: messageOf(error) };
}

const NUMBER_REGEXP = /^\d+$/;
const LEVELS = 3;
const FOLDERS_AT_ONCE = 16;

async function walkSessionFolders(
  codexHomes: readonly string[],
): Promise<ListedFiles> {
  const found: (readonly ListedFile[])[] = [];
  const problems: SessionProblem[] = [];
  const { homes, missingHomes } = await differentHomes(codexHomes);
  // The archive comes last, so that a session that is archived meanwhile is found there.
  for (const isArchive of [false, true]) {
    let folders = rootsOf(homes)
      .filter(({ isArchived }) => isArchived === isArchive);
    for (let level = 0; level <= LEVELS; level += 1) {
      const contents = await mapAtOnce(folders, FOLDERS_AT_ONCE, readFolder);
      for (const content of contents) {
        found.push(content.files);
        problems.push(...content.problems);
      }
      folders = contents.flatMap(({ folders }) => folders);
    }
  }
  return { files: found.flat(), problems, missingHomes };
}

export function rootsOf(homes: readonly string[]): PlacedPath[] {
  return homes.flatMap((home) => [
    { path: join(home, "sessions"), home, isArchived: false },
    { path: join(home, "archived_sessions"), home, isArchived: true },
  ]);
}

/** Drops homes that are the same folder by two paths, of which one is a link. */
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
  readonly files: readonly ListedFile[];
  readonly folders: readonly PlacedPath[];
  readonly problems: readonly SessionProblem[];
}

/** The problem of a file whose name is not UTF-8: the platform decodes it to another name. */
const BAD_NAME = {
  code: "EILSEQ",
  message: 'its name is not UTF-8; it can be read as stdin, with "< FILE"',
};

async function readFolder(folder: PlacedPath): Promise<FolderContent> {
  const { path } = folder;
  const files: ListedFile[] = [];
  const folders: PlacedPath[] = [];
  const problems: SessionProblem[] = [];
  try {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const { name } = entry;
      const place = { ...folder, path: path + sep + name };
      if (NUMBER_REGEXP.test(name)) {
        // The target of a link is known only after `stat`.
        if (entry.isDirectory() || entry.isSymbolicLink()) folders.push(place);
      } else if (isSessionName(name) && !entry.isDirectory()) {
        const isBad = name.includes("\ufffd") && !statNow(place.path);
        if (isBad) {
          problems.push({ path: place.path, home: place.home, ...BAD_NAME });
          continue;
        }
        const file = listedFile(place);
        // A link, or anything else, may be no regular file.
        const there = entry.isFile() ? file : await lookAt(file);
        if (there !== undefined) files.push(there);
      }
    }
  } catch (error) {
    // A folder that does not exist has no sessions.
    if (codeOf(error) !== "ENOENT") problems.push(problemAt(folder, error));
  }
  return { files, folders, problems };
}
