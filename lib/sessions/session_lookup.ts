/** Finds the one session that an argument means. */

import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { codeOf } from "../files/byte_source.ts";
import { codexHomesFrom, isInside } from "./codex_homes.ts";
import { HeadReader } from "./head_reader.ts";
import {
  findSessionFiles,
  type FindSessionFilesOptions,
  type ListedFile,
  listSessionFiles,
  lookAtAll,
  type SessionFile,
  sessionFileAt,
  type SessionProblem,
} from "./session_files.ts";
import type { Session } from "./session.ts";
import { homesOf, type NamesByHome } from "./session_names.ts";
import { homeInPath, otherPlacesOf } from "./session_places.ts";
import { compareNewestFirst, idInName } from "./session_start.ts";
import { shortIdsOf } from "./short_ids.ts";

/** Options for {@linkcode findSession} and {@linkcode findLastSession}. */
export interface FindSessionOptions extends FindSessionFilesOptions {
  /**
   * The folder where heads are remembered; see {@linkcode cacheFolder}.
   *
   * @default {undefined}
   */
  readonly cache?: string | undefined;
  /**
   * Is told of each folder that could not be read: another session that is meant may lie there.
   *
   * @default {() => {}}
   */
  readonly onProblem?: ((problem: SessionProblem) => void) | undefined;
}

/** A session that is not there. */
export class SessionNotFoundError extends Error {
  /** The name of the class. */
  override readonly name = "SessionNotFoundError";
  /** What was looked for; `undefined` if it was the last session. */
  readonly query: string | undefined;
  /** Where it was looked for. */
  readonly codexHomes: readonly string[];
  /** The folders and files that could not be looked at; it may be there. */
  readonly problems: readonly SessionProblem[];

  /**
   * Constructs a new instance.
   *
   * @param query What was looked for.
   * @param codexHomes Where.
   * @param problems What could not be looked at.
   */
  constructor(
    query: string | undefined,
    codexHomes: readonly string[],
    problems: readonly SessionProblem[],
  ) {
    const what = query === undefined
      ? "a session"
      : `the session ${JSON.stringify(query.slice(0, 200))}`;
    const where = codexHomes.length === 0
      ? "there is no Codex home"
      : `it is not in ${codexHomes.join(", ")}`;
    super(`Cannot find ${what}: ${where}`);
    this.query = query;
    this.codexHomes = codexHomes;
    this.problems = problems;
  }
}

/** A name that could mean one of several sessions. */
export class AmbiguousSessionError extends Error {
  /** The name of the class. */
  override readonly name = "AmbiguousSessionError";
  /** What was looked for. */
  readonly query: string;
  /** The sessions that it could mean, newest first; of many the first 20. */
  readonly candidates: readonly Session[];
  /** How many there are. */
  readonly total: number;
  /** For the id of each candidate, the beginning that tells it from all sessions. */
  readonly shortIds: ReadonlyMap<string, string>;

  /**
   * Constructs a new instance.
   *
   * @param query What was looked for.
   * @param candidates The sessions that it could mean.
   * @param total How many there are.
   * @param shortIds The beginnings of their ids that are enough, by the id.
   */
  constructor(
    query: string,
    candidates: readonly Session[],
    total: number,
    shortIds: ReadonlyMap<string, string>,
  ) {
    super(
      `Cannot tell which session ${
        JSON.stringify(query.slice(0, 200))
      } is: it could be one of ${total}`,
    );
    this.query = query;
    this.candidates = candidates;
    this.total = total;
    this.shortIds = shortIds;
  }
}

const PREFIX_REGEXP = /^[\da-f][\da-f-]{0,35}$/i;
const PATH_REGEXP = /[\\/]|\.jsonl?(?:\.zst|\.gz)?$/i;
/** What a platform says of a path that nothing is at. */
const NOT_THERE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);
const MAX_CANDIDATES = 20;
/** How many of the sessions that were written to last are looked at for one of a person's. */
const MAX_RECENT = 200;

/**
 * Finds a session by what a person calls it: its id, the beginning of its id, the name that
 * it was given, or the path of its file.
 *
 * A whole id and a path are what they are. Beyond that everything is looked at: a text that
 * is the name of one session and the beginning of the id of another one is ambiguous. Of the
 * sessions of a home that have one name it is the one that was given it last (rollout.md D.5).
 * Upper and lower case of names are only told apart if there is a name that is the same. The
 * file of a path that has been moved, packed or unpacked is found by the id in its name. What
 * does not look like a path is one if it means nothing else and a file is there.
 *
 * @param query What the person calls it.
 * @param options Where to look.
 * @returns The session.
 * @throws {SessionNotFoundError} If there is none.
 * @throws {AmbiguousSessionError} If there are several.
 *
 * @example By the beginning of its id
 * ```ts
 * import { findSession, SessionNotFoundError } from "@codexpipe/codexpipe/sessions";
 * import { assertRejects } from "@std/assert";
 *
 * await assertRejects(
 *   () => findSession("01a1f99d", { codexHomes: ["no/such/home"] }),
 *   SessionNotFoundError,
 *   'Cannot find the session "01a1f99d": it is not in no/such/home',
 * );
 * ```
 */
export async function findSession(
  query: string,
  options: FindSessionOptions = {},
): Promise<Session> {
  const { codexHomes = codexHomesFrom(), onProblem = () => {} } = options;
  const text = query.trim();
  if (PATH_REGEXP.test(text)) {
    const file = await fileAtPath(text, codexHomes);
    if (file !== undefined) return await sessionAt(file, options);
  }
  const { files, problems } = await listSessionFiles(codexHomes);
  problems.forEach(onProblem);
  const reader = await HeadReader.open(files, options.cache);
  const id = idInName(text) ?? text.toLowerCase();
  const found = await filesNamed(text, id, { files, reader });
  await reader.save();
  const sessions = await reader.read(
    await lookAtAll(found.slice(0, MAX_CANDIDATES)),
  );
  const [first] = sessions;
  if (first === undefined) {
    const file = await isFile(text) && await fileAtPath(text, codexHomes);
    if (file) return await sessionAt(file, options);
    throw new SessionNotFoundError(query, codexHomes, problems);
  }
  if (found.length > 1) {
    throw new AmbiguousSessionError(
      query,
      sessions,
      found.length,
      shortIdsOf(sessions, files),
    );
  }
  return first;
}

/**
 * Finds the session that was written to last. Sub-agents and archived sessions count only if
 * there is no other one.
 *
 * @param options Where to look.
 * @returns The session.
 * @throws {SessionNotFoundError} If there is none.
 *
 * @example What was done last
 * ```ts ignore
 * import { findLastSession } from "@codexpipe/codexpipe/sessions";
 *
 * const { title, file } = await findLastSession();
 * ```
 */
export async function findLastSession(
  options: FindSessionOptions = {},
): Promise<Session> {
  const { codexHomes = codexHomesFrom(), onProblem = () => {} } = options;
  const { files, problems } = await findSessionFiles({ codexHomes });
  problems.forEach(onProblem);
  // Of one time the newer session counts: the files are newest first, and that order stays.
  const recent = latestOf(files).sort((one, other) =>
    Number(one.isArchived) - Number(other.isArchived) || other.mtime - one.mtime
  ).slice(0, MAX_RECENT);
  const reader = await HeadReader.open(files, options.cache);
  let last: Session | undefined;
  let other: Session | undefined;
  for (const file of recent) {
    const [session] = await reader.read([file]);
    if (session?.head.hasHeader && session.head.kind !== "subagent") {
      last = session;
      break;
    }
    other ??= session;
  }
  await reader.save();
  const found = last ?? other;
  if (found === undefined) {
    throw new SessionNotFoundError(undefined, codexHomes, problems);
  }
  return found;
}

/** Gives the file at a path, in whatever form it is there. */
async function fileAtPath(
  path: string,
  codexHomes: readonly string[],
): Promise<SessionFile | undefined> {
  const at = resolve(path);
  const home = codexHomes.find((each) => isInside(at, each)) ??
    homeInPath(at) ?? dirname(at);
  for (const place of [at, ...otherPlacesOf(at)]) {
    try {
      return await sessionFileAt(place, home);
    } catch (error) {
      // What is there and cannot be looked at is not looked for elsewhere.
      if (!NOT_THERE.has(codeOf(error))) throw error;
    }
  }
  return undefined;
}

/** Whether a file is at a path, and not a folder. */
async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function sessionAt(
  file: SessionFile,
  { cache }: FindSessionOptions,
): Promise<Session> {
  // Not saved: the file alone says nothing of the others of its home.
  const reader = await HeadReader.open([file], cache);
  const [session] = await reader.read([file]);
  if (session === undefined) throw new TypeError("Cannot read no session");
  return session;
}

/** A file, and the name of its session, without white space around it. */
interface NamedFile {
  readonly file: ListedFile;
  readonly name: string;
}

/** A file, and the id of its session in lower case. */
interface IdentifiedFile {
  readonly file: ListedFile;
  readonly id: string;
}

/** Gives, for each home and each spelling of a name, the session that was given it last. */
function filesByName(
  text: string,
  files: readonly IdentifiedFile[],
  namesByHome: NamesByHome["all"],
): NamedFile[] {
  const last = new Map<string, NamedFile>();
  for (const [home, names] of namesByHome) {
    for (const [id, untrimmed] of names) {
      const name = untrimmed.trim();
      if (name.toLowerCase() !== text.toLowerCase()) continue;
      // What a deleted session was called says nothing of the others.
      const named = files.find((each) =>
        each.id === id && homesOf(each.file).includes(home)
      );
      if (named !== undefined) {
        last.set(`${home}\n${name}`, { file: named.file, name });
      }
    }
  }
  return [...last.values()];
}

/** Gives the files that a text can mean, newest first. */
async function filesNamed(
  text: string,
  id: string,
  { files, reader }: {
    readonly files: readonly ListedFile[];
    readonly reader: HeadReader;
  },
): Promise<readonly ListedFile[]> {
  if (text === "") return [];
  const latest = latestOf(files);
  const exact = latest.filter((file) => file.sessionId === id);
  if (exact.length > 0) return exact;
  const parts = files.filter((file) => file.id === id);
  if (parts.length > 0) return parts;
  const identified = await identifiedFiles(latest, reader);
  const sameLetters = filesByName(text, identified, reader.names.all);
  const same = sameLetters.filter(({ name }) => name === text);
  const named = (same.length > 0 ? same : sameLetters).map(({ file }) => file);
  const isBeginning = PREFIX_REGEXP.test(text);
  const begun = identified
    .filter((each) => each.id === id || isBeginning && each.id.startsWith(id))
    .map(({ file }) => file);
  const found = new Set([...named, ...begun]);
  if (found.size > 0) return [...found].sort(compareNewestFirst);
  if (idInName(id) !== id) return [];
  // Files that somebody gave the id of another one tell their own only inside.
  const sessions = await reader.read(await lookAtAll(files));
  return sessions.filter(({ head }) => head.id.toLowerCase() === id)
    .map(({ file }) => file);
}

/** Leaves out the files whose session goes on in another one. */
function latestOf<T extends ListedFile>(files: readonly T[]): T[] {
  return files.filter(({ isContinued }) => !isContinued);
}

/**
 * Says which session each file is of. Files that somebody gave another name tell their id only
 * inside; those that are copies of a file with its name are left out.
 */
async function identifiedFiles(
  files: readonly ListedFile[],
  reader: HeadReader,
): Promise<IdentifiedFile[]> {
  const identified: IdentifiedFile[] = files.filter((file) => file.id !== "")
    .map((file) => ({ file, id: file.sessionId }));
  const known = new Set(["", ...identified.map(({ id }) => id)]);
  const renamed = await reader.read(
    await lookAtAll(files.filter((file) => file.id === "")),
  );
  for (const { file, head } of renamed) {
    const id = head.id.toLowerCase();
    if (!known.has(id)) identified.push({ file, id });
  }
  return identified;
}
