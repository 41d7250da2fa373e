/**
 * Lists the session files below Codex homes by their names, and looks at them when they are
 * wanted: most lists show few of thousands.
 */

import { type Stats, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { timeInUuid } from "../events/times.ts";
import { codeOf } from "../files/byte_source.ts";
import { mapAtOnce } from "./_at_once.ts";
import { headerTime } from "./_first_records.ts";
import {
  type FoundFile,
  type PlacedFile,
  type SessionProblem,
  walkSessionFolders,
} from "./_session_folders.ts";
import { isGone } from "./open_session.ts";
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

/** What {@linkcode listSessionFiles} found. */
interface ListedFiles {
  /** The files, one for each session, newest first. */
  readonly files: readonly ListedFile[];
  /** The folders that could not be read; there may be sessions in them. */
  readonly problems: readonly SessionProblem[];
  /** The homes that are not there. */
  readonly missingHomes: readonly string[];
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
): Promise<ListedFiles> {
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

/** What is called like a session file. */
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
  const files = new Map(
    looked.filter((file) => file !== undefined).map((
      file,
    ) => [file.path, file]),
  );
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
    return file.nameTime === undefined ? await dated(looked) : looked;
  } catch (error) {
    return await withoutFacts(file, error);
  }
}

/** Gives a file whose name does not tell when its session began the time in its header. */
async function dated(file: SessionFile): Promise<SessionFile> {
  const started = await headerTime(file).catch(() => undefined);
  return { ...file, start: startedAt(file, started) };
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
export function listedFile(
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
