/** Finds the session that an argument of a command refers to. */

import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { codeOf } from "../files/byte_source.ts";
import { codexHomesFrom, isInside } from "./codex_homes.ts";
import { HeadReader } from "./head_reader.ts";
import {
  findSessionFiles,
  type FindSessionFilesOptions,
  latestOf,
  type ListedFile,
  listSessionFiles,
  type SessionFile,
  sessionFileAt,
  type SessionProblem,
} from "./session_files.ts";
import type { Session } from "./session.ts";
import { listSessions, type ListSessionsOptions } from "./session_list.ts";
import { homesOf, type NamesByHome } from "./session_names.ts";
import { homeInPath, otherPlacesOf } from "./session_places.ts";
import { compareNewestFirst, idInName } from "./session_start.ts";
import { shortIdsOf } from "./short_ids.ts";

/** Options for {@linkcode findSession} and {@linkcode findLastSession}. */
export interface FindSessionOptions
  extends FindSessionFilesOptions, Pick<ListSessionsOptions, "cache"> {
  /**
   * Called with each folder that could not be read: the session may be in it.
   *
   * @default {() => {}}
   */
  readonly onProblem?: ((problem: SessionProblem) => void) | undefined;
}

/** Thrown if no session is found. */
export class SessionNotFoundError extends Error {
  /** The name of the class. */
  override readonly name = "SessionNotFoundError";
  /** The text that was searched for; `undefined` if it was the last session. */
  readonly query: string | undefined;
  /** The homes that were searched. */
  readonly codexHomes: readonly string[];
  /** The folders and files that could not be read. The session may be in one of them. */
  readonly problems: readonly SessionProblem[];

  /**
   * Constructs a new instance.
   *
   * @param query The text that was searched for.
   * @param codexHomes The homes that were searched.
   * @param problems The folders and files that could not be read.
   */
  constructor(
    query: string | undefined,
    codexHomes: readonly string[],
    problems: readonly SessionProblem[],
  ) {
    const wanted = query === undefined
      ? "a session"
      : `the session ${JSON.stringify(query.slice(0, 200))}`;
    const where = codexHomes.length === 0
      ? "there is no Codex home"
      : `it is not in ${codexHomes.join(", ")}`;
    super(`Cannot find ${wanted}: ${where}`);
    this.query = query;
    this.codexHomes = codexHomes;
    this.problems = problems;
  }
}

/** Thrown for a text that could refer to several sessions. */
export class AmbiguousSessionError extends Error {
  /** The name of the class. */
  override readonly name = "AmbiguousSessionError";
  /** The text that was searched for. */
  readonly query: string;
  /** The sessions that match, newest first, at most 20. */
  readonly candidates: readonly Session[];
  /** How many sessions match. */
  readonly total: number;
  /** For the id of each candidate, its shortest beginning that no other id has. */
  readonly shortIds: ReadonlyMap<string, string>;

  /**
   * Constructs a new instance.
   *
   * @param query The text that was searched for.
   * @param candidates The sessions that match.
   * @param total How many sessions match.
   * @param shortIds Unique beginnings of ids, by id.
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
/** The platform codes for a path that does not exist. */
const NOT_THERE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);
const MAX_CANDIDATES = 20;
/** How many of the sessions last written to are searched for one that a person started. */
const MAX_RECENT = 200;

/**
 * Finds a session by its id, the beginning of its id, the name given to it, or the path of its
 * file.
 *
 * A whole id, and a path, refer to one session. Otherwise ids and names are both searched: a text
 * that is the name of one session and the beginning of the id of another one is ambiguous. Of
 * several sessions of a home with the same name, the one named last is found (rollout.md D.5).
 * Names match in any letter case unless one matches exactly. A file that was moved, packed or
 * unpacked is found by the id in the name of its path. A text that does not look like a path is
 * still used as one if no session matches and a file exists there.
 *
 * @param query The id, name or path.
 * @param options The homes and the cache.
 * @returns The session.
 * @throws {SessionNotFoundError} If no session matches.
 * @throws {AmbiguousSessionError} If several sessions match.
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
    if (file !== undefined) return await sessionAt(file);
  }
  const { files, problems } = await listSessionFiles(codexHomes);
  problems.forEach(onProblem);
  const reader = await HeadReader.open(files);
  const id = idInName(text) ?? text.toLowerCase();
  const found = await filesNamed(text, id, { files, reader }) ??
    await filesWithHead(id, options);
  const sessions = await reader.read(found.slice(0, MAX_CANDIDATES));
  const [first] = sessions;
  if (first === undefined) {
    const facts = await stat(text).catch(() => undefined);
    const file = facts?.isFile() && await fileAtPath(text, codexHomes);
    if (file) return await sessionAt(file);
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
 * Finds the session last written to. Sub-agents and archived sessions are found only if there is no
 * other session.
 *
 * @param options The homes and the cache.
 * @returns The session.
 * @throws {SessionNotFoundError} If there is no session.
 *
 * @example The last session
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
  // The sort is stable: of files with one time the newest stays first.
  const recent = latestOf(files).sort((one, other) =>
    Number(one.isArchived) - Number(other.isArchived) || other.mtime - one.mtime
  ).slice(0, MAX_RECENT);
  const reader = await HeadReader.open(files);
  let found: Session | undefined;
  for (const file of recent) {
    const [session] = await reader.read([file]);
    const isLast = session?.head.hasHeader && session.head.kind !== "subagent";
    if (isLast || found === undefined) found = session;
    if (isLast) break;
  }
  if (found === undefined) {
    throw new SessionNotFoundError(undefined, codexHomes, problems);
  }
  return found;
}

/** Returns the file at a path, packed, unpacked, archived or not. */
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
      // The path exists and cannot be stat'ed: the other places are not tried.
      if (!NOT_THERE.has(codeOf(error))) throw error;
    }
  }
  return undefined;
}

async function sessionAt(file: SessionFile): Promise<Session> {
  const reader = await HeadReader.open([file]);
  const [session] = await reader.read([file]);
  if (session === undefined) throw new TypeError("Cannot read no session");
  return session;
}

/** A file, and the id of its session in lower case. */
interface IdentifiedFile {
  readonly file: ListedFile;
  readonly id: string;
}

/** Returns, for each home and each name that matches, the file of the session last given it. */
function filesByName(
  isWanted: (name: string) => boolean,
  files: readonly IdentifiedFile[],
  namesByHome: NamesByHome["all"],
): ListedFile[] {
  const last = new Map<string, ListedFile>();
  for (const [home, names] of namesByHome) {
    for (const [id, untrimmed] of names) {
      const name = untrimmed.trim();
      if (!isWanted(name)) continue;
      // The name of a session that was deleted.
      const named = files.find((each) =>
        each.id === id && homesOf(each.file).includes(home)
      );
      if (named !== undefined) last.set(`${home}\n${name}`, named.file);
    }
  }
  return [...last.values()];
}

/** Returns the files that a text can refer to by their names, newest first, if there are any. */
async function filesNamed(
  text: string,
  id: string,
  { files, reader }: {
    readonly files: readonly ListedFile[];
    readonly reader: HeadReader;
  },
): Promise<readonly ListedFile[] | undefined> {
  if (text === "") return [];
  const latest = latestOf(files);
  const exact = latest.filter((file) => file.sessionId === id);
  if (exact.length > 0) return exact;
  const parts = files.filter((file) => file.id === id);
  if (parts.length > 0) return parts;
  const identified = await identifiedFiles(latest, reader);
  const { all } = reader.names;
  const same = filesByName((name) => name === text, identified, all);
  const letters = text.toLowerCase();
  const named = same.length > 0
    ? same
    : filesByName((name) => name.toLowerCase() === letters, identified, all);
  const isBeginning = PREFIX_REGEXP.test(text);
  const begun = identified
    .filter((each) => each.id === id || isBeginning && each.id.startsWith(id))
    .map(({ file }) => file);
  const found = new Set([...named, ...begun]);
  return found.size > 0 ? [...found].sort(compareNewestFirst) : undefined;
}

/** Returns the files with an id in their headers: files that were renamed to the id of another. */
async function filesWithHead(
  id: string,
  { codexHomes, cache }: FindSessionOptions,
): Promise<readonly ListedFile[]> {
  if (idInName(id) !== id) return [];
  const { sessions } = await listSessions({ codexHomes, cache });
  return sessions.filter(({ head }) => head.id.toLowerCase() === id)
    .map(({ file }) => file);
}

/**
 * Returns the session id of each file. Renamed files hold it in the header only; those that are
 * copies of a file with its id in the name are left out.
 */
async function identifiedFiles(
  files: readonly ListedFile[],
  reader: HeadReader,
): Promise<IdentifiedFile[]> {
  const identified: IdentifiedFile[] = files.filter((file) => file.id !== "")
    .map((file) => ({ file, id: file.sessionId }));
  const known = new Set(["", ...identified.map(({ id }) => id)]);
  const renamed = await reader.read(files.filter(({ id }) => id === ""));
  for (const { file, head } of renamed) {
    const id = head.id.toLowerCase();
    if (!known.has(id)) identified.push({ file, id });
  }
  return identified;
}
