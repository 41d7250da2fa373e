/**
 * Finds the session files below Codex homes, without opening one.
 *
 * @module
 */

import type { Stats } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { mapAtOnce } from "./_at_once.ts";
import {
  type PlacedPath,
  type SessionProblem,
  walkSessionFolders,
} from "./_session_folders.ts";
import { isInside } from "./codex_homes.ts";
import { codeOf } from "./open_session.ts";
import { otherPlacesOf } from "./session_places.ts";
import {
  compareNewestFirst,
  idInName,
  type SessionPlace,
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
  /** The id of the session in its name, in lower case; empty if there is none. */
  readonly id: string;
  /** The time in its name, local time as if it were UTC, in RFC 3339. */
  readonly nameTime: string | undefined;
  /**
   * When the session began, in milliseconds since 1970, as far as the name tells; the time
   * of the last change if it does not.
   */
  readonly start: number;
  /**
   * Other files of the same session, which count less: a compressed copy beside the plain
   * one, an archived one beside the active one, a copy in another home.
   */
  readonly copies: readonly string[];
}

export type { SessionProblem };

/** What {@linkcode findSessionFiles} found. */
export interface SessionFiles {
  /** The files, one for each session, newest first. */
  readonly files: readonly SessionFile[];
  /** The folders that could not be read; there may be sessions in them. */
  readonly problems: readonly SessionProblem[];
  /** The homes that are not there. */
  readonly missingHomes: readonly string[];
}

/** Where to look for sessions. */
export interface FindSessionFilesOptions {
  /** The Codex homes; see {@linkcode codexHomesFrom}. */
  readonly codexHomes: readonly string[];
}

/** The last moment that a date can be. */
const MAX_TIME = 8.64e15;
/** How many files are looked at at once. */
const AT_ONCE = 64;

/**
 * Finds the session files of Codex homes.
 *
 * It looks into `sessions` and `archived_sessions`, at every level of year, month and day,
 * so also at the flat folders of older releases; folders that are no numbers, and files
 * that are not called `rollout-….jsonl`, `.jsonl.zst`, `.jsonl.gz` or `.json`, are none of
 * Codex's sessions. No file is opened. A home that is not there has no sessions; a folder
 * that cannot be read is a problem, never an error. A file that cannot be looked at is there
 * all the same, with a size of 0; whoever opens it learns why.
 *
 * Every session is there once. Of several files with one id counts the active one before
 * the archived one, then the plain one before the packed one (rollout.md D.6), then the one
 * that was written to last; the others are its `copies`.
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
  options: FindSessionFilesOptions,
): Promise<SessionFiles> {
  const { files: places, problems, missingHomes } = await walkSessionFolders(
    options.codexHomes,
  );
  const found = await mapAtOnce(places, AT_ONCE, lookAt);
  const files = onePerSession(found.filter((file) => file !== undefined));
  files.sort(compareNewestFirst);
  return { files, problems, missingHomes };
}

/**
 * Looks at one file as {@linkcode findSessionFiles} does at each.
 *
 * @param path The path of the file, whatever it is called.
 * @param home The Codex home that it belongs to.
 * @returns The file.
 * @throws {Error} If it cannot be looked at, with the `code` of the platform.
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
  const place = {
    path: resolve(path),
    home: resolve(home),
    isArchived: isInside(path, join(home, "archived_sessions")),
  };
  return fileOf(place, await stat(path));
}

/** Looks at what is called like a session file; `undefined` if it is none. */
async function lookAt(place: PlacedPath): Promise<SessionFile | undefined> {
  try {
    const facts = await stat(place.path);
    return facts.isFile() ? fileOf(place, facts) : undefined;
  } catch (error) {
    return await withoutFacts(place, error);
  }
}

/** Gives a file that was in its folder, and could not be looked at there. */
async function withoutFacts(
  place: PlacedPath,
  error: unknown,
): Promise<SessionFile | undefined> {
  const { path } = place;
  if (codeOf(error) === "ENOENT") {
    // If it was packed or unpacked meanwhile, its other form is there.
    const [other = path] = otherPlacesOf(path);
    const facts = await stat(other).catch(() => undefined);
    if (facts?.isFile()) return fileOf({ ...place, path: other }, facts);
    // A link that leads nowhere is still there; what is not has been moved or deleted.
    if (await lstat(path).catch(() => undefined) === undefined) {
      return undefined;
    }
  }
  const time = timeInName(basename(path));
  const mtimeMs = time === undefined ? 0 : Date.parse(time);
  return fileOf(place, { size: 0, mtimeMs });
}

function fileOf(
  { path, home, isArchived }: PlacedPath,
  { size, mtimeMs }: Pick<Stats, "size" | "mtimeMs">,
): SessionFile {
  const name = basename(path);
  // A date can be no further away, and a file system may say so.
  const mtime = Math.min(
    Math.max(Math.floor(mtimeMs) || 0, -MAX_TIME),
    MAX_TIME,
  );
  const id = idInName(name);
  const nameTime = timeInName(name);
  return {
    path,
    home,
    isArchived,
    compression: compressionOf(name),
    size,
    mtime,
    id: id ?? "",
    key: id ?? path,
    nameTime,
    start: nameTime === undefined ? mtime : startOf(Date.parse(nameTime), id),
    copies: [],
  };
}

function compressionOf(name: string): SessionCompression {
  if (name.toLowerCase().endsWith(".zst")) return "zstd";
  return name.toLowerCase().endsWith(".gz") ? "gzip" : "none";
}

/** Leaves one file of each session. */
function onePerSession(files: readonly SessionFile[]): SessionFile[] {
  const groups = new Map<string, SessionFile[]>();
  const found = new Set<string>();
  for (const file of files) {
    // A file that was packed while it was looked at may be found by both names.
    if (found.has(file.path)) continue;
    found.add(file.path);
    const key = file.id === "" ? unpackedPath(file) : file.id;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [file]);
    else group.push(file);
  }
  return [...groups.values()].map((group) => {
    const [first, ...others] = group.sort(compareCopies);
    return first === undefined || others.length === 0
      ? first
      : { ...first, copies: others.map(({ path }) => path) };
  }).filter((file) => file !== undefined);
}

/** Compares files of one session: the one that counts comes first. */
function compareCopies(one: SessionFile, other: SessionFile): number {
  return Number(one.isArchived) - Number(other.isArchived) ||
    Number(one.compression !== "none") - Number(other.compression !== "none") ||
    other.mtime - one.mtime;
}

function unpackedPath({ path }: SessionFile): string {
  return path.replace(/\.(?:zst|gz)$/i, "");
}
