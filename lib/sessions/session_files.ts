/**
 * Finds the session files below Codex homes by their names, and looks at them when they are
 * wanted: most lists show few of thousands.
 */

import { type Stats, statSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { checkedList } from "../checked.ts";
import { timeInUuid } from "../events/times.ts";
import { codeOf } from "../files/byte_source.ts";
import { mapAtOnce } from "./_at_once.ts";
import { headerTime } from "./_first_records.ts";
import { codexHomesFrom, isInside } from "./codex_homes.ts";
import { isGone, messageOf } from "./open_session.ts";
import { otherPlacesOf } from "./session_places.ts";
import {
  compareNewestFirst,
  idInName,
  sessionIdInName,
  type SessionPlace,
  startedAt,
  startOf,
  timeInName,
} from "./session_start.ts";

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

/** How a session file is packed, by its name. */
export type SessionCompression = "none" | "zstd" | "gzip";

/** A session file, as far as its folder tells. */
export interface SessionFile extends SessionPlace {
  /** The absolute path, below `home`. */
  readonly path: string;
  /** The Codex home, an absolute path. */
  readonly home: string;
  /** Whether it lies in `archived_sessions`. */
  readonly isArchived: boolean;
  /** How it is packed. */
  readonly compression: SessionCompression;
  /** Its size on disk in bytes. */
  readonly size: number;
  /** When it was last written to, in whole milliseconds since 1970. */
  readonly mtime: number;
  /**
   * The id in its name, in lower case; empty if there is none. It is that of the session, or
   * that of the file alone if it goes on with the session of another one.
   */
  readonly id: string;
  /** The id of the session in its name, in lower case; empty if there is none. */
  readonly sessionId: string;
  /** Whether the session goes on in a later file, which says what it goes on from. */
  readonly isContinued: boolean;
  /** The time in its name, local time as if it were UTC, in RFC 3339. */
  readonly nameTime: string | undefined;
  /**
   * When the session began, in milliseconds since 1970, as far as the name tells; as its
   * header says if that does not, and the time of the last change if neither does.
   */
  readonly start: number;
  /**
   * Other files of the same session, which count less: a compressed copy beside the plain
   * one, an archived one beside the active one, a copy in another home.
   */
  readonly copies: readonly string[];
}

/**
 * A session file, as far as its name tells. One whose name does not tell when the session
 * began is always looked at.
 */
export type ListedFile = Omit<SessionFile, "size" | "mtime">;

/** What a look at homes found, of files that are known as far as `F` says. */
interface Found<F> extends Omit<SessionFiles, "files"> {
  readonly files: readonly F[];
}

const PACKED_REGEXP = /\.(?:zst|gz)$/i;
/** The last moment that a date can be. */
const MAX_TIME = 8.64e15;
/** How many files are looked at at once. */
const AT_ONCE = 64;
/** How many files are looked at one by one before it is asked whether that is fast. */
const ONE_BY_ONE = 16;
/**
 * How long that may take, in milliseconds. What the system has in memory it tells of in a few
 * microseconds; to wait for it takes 30. Disks and networks take longer, and answer many at once.
 */
const FAST = 1.6;

/**
 * Lists the session files of Codex homes, as `findSessionFiles()` finds them; some may be
 * gone when they are looked at.
 *
 * Only those are looked at whose name has no time, of which there are several for one
 * session, or which may be no files. To look at each of 10,000 takes half of the time that a
 * list of 20 of them needs.
 */
export async function listSessionFiles(
  codexHomes: readonly string[],
): Promise<Found<ListedFile>> {
  const { files: found, problems, missingHomes } = await walkSessionFolders(
    codexHomes,
  );
  const files = await filesThatCount(found);
  files.sort(compareNewestFirst);
  return { files: markContinued(files), problems, missingHomes };
}

/** Gives of each session the file that counts, of those that were found. */
export async function filesThatCount(
  found: readonly FoundFile[],
): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  const doubtful: ListedFile[][] = [];
  for (const group of bySession(found)) {
    const [only, ...others] = group;
    if (
      only?.isRegular && only.file.nameTime !== undefined && others.length === 0
    ) {
      files.push(only.file);
    } else doubtful.push(group.map(({ file }) => file));
  }
  const looked = await mapAtOnce(doubtful, AT_ONCE, fileThatCounts);
  for (const file of looked) {
    if (file !== undefined) files.push(file);
  }
  return files;
}

/**
 * Looks at files that were listed.
 *
 * @param fast How long {@linkcode ONE_BY_ONE} may take to be fast; what tests hold on to.
 * @returns Those that are still there, in the same order.
 */
export async function lookAtAll(
  files: readonly ListedFile[],
  fast: number = FAST,
): Promise<SessionFile[]> {
  const looked: (SessionFile | undefined)[] = [];
  let others = AT_ONCE;
  for (let at = 0; at < files.length;) {
    const end = at + ONE_BY_ONE;
    const start = performance.now();
    const run = files.slice(at, end).map((file) => lookedAtNow(file) ?? file);
    const isFast = performance.now() - start < fast;
    // Each time that it is slow again, it is tried after twice as many others.
    others = isFast ? AT_ONCE : 2 * others;
    at = isFast ? end : end + others;
    run.push(...files.slice(end, at));
    looked.push(
      ...run.every(isLookedAt) ? run : await mapAtOnce(run, AT_ONCE, lookAt),
    );
  }
  return looked.filter((file) => file !== undefined);
}

/** Looks at a file without waiting; `undefined` if that is not all there is to do. */
function lookedAtNow(file: ListedFile): SessionFile | undefined {
  if (isLookedAt(file)) return file;
  if (file.nameTime === undefined) return undefined;
  try {
    const facts = statSync(file.path, { throwIfNoEntry: false });
    return facts?.isFile() ? lookedAt(file, facts) : undefined;
  } catch {
    // Who looks at it as at any other finds out why.
    return undefined;
  }
}

/** A file with the name of a session file. */
interface Candidate {
  readonly file: ListedFile;
  /** Whether its folder says that it is a file. */
  readonly isRegular: boolean;
}

/** Puts what belongs to one session together. */
function bySession(found: readonly FoundFile[]): Iterable<Candidate[]> {
  const groups = new Map<string, Candidate[]>();
  for (const place of found) {
    const file = listedFile(place);
    const key = file.id === "" ? file.path.replace(PACKED_REGEXP, "") : file.id;
    const candidate = { file, isRegular: place.isRegular };
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [candidate]);
    else group.push(candidate);
  }
  return groups.values();
}

/** Marks all files of a session but the one in which it went on last. */
function markContinued(files: readonly ListedFile[]): readonly ListedFile[] {
  const last = new Map<string, ListedFile>();
  for (const file of files) {
    if (file.id !== file.sessionId) last.set(file.sessionId, file);
  }
  if (last.size === 0) return files;
  for (const file of files) {
    const known = last.get(file.sessionId);
    if (known !== undefined && madeAt(file) > madeAt(known)) {
      last.set(file.sessionId, file);
    }
  }
  return files.map((file) => {
    const known = last.get(file.sessionId);
    return known === undefined || known === file
      ? file
      : { ...file, isContinued: true };
  });
}

/** When a file was made, as far as its name tells. */
function madeAt({ id, nameTime }: ListedFile): number {
  return timeInUuid(id) ?? Date.parse(nameTime ?? "1970-01-01");
}

/** Gives that of the files of one session which counts, if one of them is there. */
async function fileThatCounts(
  group: readonly ListedFile[],
): Promise<SessionFile | undefined> {
  const looked = await Promise.all(group.map(lookAt));
  // A file that was packed while it was looked at may be found by both names.
  const there = looked.filter((file) => file !== undefined);
  const files = new Map(there.map((file) => [file.path, file]));
  const [first, ...others] = [...files.values()].sort(compareCopies);
  return first && { ...first, copies: others.map(({ path }) => path) };
}

/** Compares files of one session: the one that counts comes first. */
function compareCopies(one: SessionFile, other: SessionFile): number {
  return Number(one.isArchived) - Number(other.isArchived) ||
    Number(one.compression !== "none") - Number(other.compression !== "none") ||
    other.mtime - one.mtime;
}

/** Looks at a file; `undefined` if it is none, or not there any more. */
async function lookAt(file: ListedFile): Promise<SessionFile | undefined> {
  // Who needed it has done so.
  if (isLookedAt(file)) return file;
  try {
    const facts = await stat(file.path);
    if (!facts.isFile()) return undefined;
    const looked = lookedAt(file, facts);
    if (file.nameTime !== undefined) return looked;
    const started = await headerTime(looked).catch(() => undefined);
    return { ...looked, start: startedAt(looked, started) };
  } catch (error) {
    return await withoutFacts(file, error);
  }
}

function isLookedAt(file: ListedFile): file is SessionFile {
  return "mtime" in file;
}

/** Gives a file that was in its folder, and could not be looked at there. */
async function withoutFacts(
  file: ListedFile,
  error: unknown,
): Promise<SessionFile | undefined> {
  const { path, nameTime } = file;
  if (codeOf(error) === "ENOENT") {
    // If it was packed or unpacked meanwhile, its other form is there.
    const [other = path] = otherPlacesOf(path);
    const facts = await stat(other).catch(() => undefined);
    if (facts?.isFile()) {
      const name = basename(other);
      return lookedAt(listedFile({ ...file, path: other, name }), facts);
    }
    // A link that leads nowhere is still there; what is not has been moved or deleted.
    if (await isGone(path)) return undefined;
  }
  const mtimeMs = nameTime === undefined ? 0 : Date.parse(nameTime);
  return lookedAt(file, { size: 0, mtimeMs });
}

/** Says what a name tells of its file. */
function listedFile(
  { path, home, isArchived, name }: PlacedFile,
): ListedFile {
  const id = idInName(name);
  const sessionId = sessionIdInName(name);
  const nameTime = timeInName(name);
  // The name of a file that goes on with a session tells when that file began.
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

/** Adds to a file what there was to see of it. */
export function lookedAt(
  file: ListedFile,
  { size, mtimeMs }: Pick<Stats, "size" | "mtimeMs">,
): SessionFile {
  // A date can be no further away, and a file system may say so.
  const mtime = Math.min(
    Math.max(Math.floor(mtimeMs) || 0, -MAX_TIME),
    MAX_TIME,
  );
  const start = file.nameTime === undefined ? mtime : file.start;
  return { ...file, size, mtime, start };
}

function compressionOf(name: string): SessionCompression {
  if (name.toLowerCase().endsWith(".zst")) return "zstd";
  return name.toLowerCase().endsWith(".gz") ? "gzip" : "none";
}

/** An entry of one of the folders. */
export interface PlacedPath {
  readonly path: string;
  readonly home: string;
  /** Whether it lies in `archived_sessions`. */
  readonly isArchived: boolean;
}

/** A file in one of the folders. */
interface PlacedFile extends PlacedPath {
  readonly name: string;
}

/** A file with the name of a session file. */
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
const FOLDERS_AT_ONCE = 16;

/** Finds what is called like a session file, level by level. */
async function walkSessionFolders(
  codexHomes: readonly string[],
): Promise<Found<FoundFile>> {
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
    const contents = await mapAtOnce(folders, FOLDERS_AT_ONCE, readFolder);
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
