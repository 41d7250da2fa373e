/**
 * Compares sessions with the index of Codex itself.
 *
 * Since about 0.115, Codex lists sessions from a database in its home (`state_N.sqlite`) instead of
 * from the files: a session that the database lacks is not shown by Codex.
 */

import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { codeOf } from "../files/byte_source.ts";
import { groupsBy } from "../groups.ts";
import { type Environment, withUserHome } from "./codex_homes.ts";
import { messageOf } from "./open_session.ts";
import type { Session } from "./session.ts";
import { homeInPath } from "./session_places.ts";
import { unpackedPath } from "./session_start.ts";

/**
 * The reason why Codex does not show a session.
 *
 * - `unindexed`: its index lacks the session.
 * - `moved`: its index has the session at another path.
 * - `no_message`: its index has neither a message of the user nor a goal of the session.
 * - `refused`: the file cannot be read.
 */
export type HiddenReason = "unindexed" | "moved" | "no_message" | "refused";

/** The state of an index of Codex of one home. */
export interface CodexIndexState {
  /** The home. */
  readonly home: string;
  /**
   * Whether the index was read. `none`: a home of older releases, which list files. `unknown`: the
   * index cannot be read, or its layout is not known.
   */
  readonly state: "read" | "none" | "unknown";
  /** The path of its file; null if there is none. */
  readonly file: string | null;
  /** Why the index could not be read; null if it could. */
  readonly reason: string | null;
}

/** The result of {@linkcode hiddenFromCodex}. */
export interface HiddenSessions {
  /** The reasons why Codex does not show sessions, by the paths of their files. */
  readonly hidden: ReadonlyMap<string, HiddenReason>;
  /** The state of each index of each home. */
  readonly indexes: readonly CodexIndexState[];
}

/** Options for {@linkcode hiddenFromCodex}. */
export interface HiddenFromCodexOptions {
  /**
   * The folder that the index is copied to while it is read; by default a temporary one.
   *
   * @default {undefined}
   */
  readonly cache?: string | undefined;
  /**
   * The environment, which may name a folder with an index.
   *
   * @default {() => undefined}
   */
  readonly env?: Environment | undefined;
}

/** The content of an index, by the ids of sessions. */
type Index = ReadonlyMap<string, IndexedSession>;

interface IndexedSession {
  readonly path: string;
  /** Whether it has a text that stands for the session in the list of Codex. */
  readonly hasPreview: boolean;
}

/** The folder with the index, in `config.toml`. */
const SQLITE_HOME_REGEXP =
  /^[ \t]*sqlite_home[ \t]*=[ \t]*(?:"(.*?)"|'(.*?)')/m;
const INDEX_REGEXP = /^state_(\d+)\.sqlite$/;
/** How many times an index is copied that is being written to. */
const ATTEMPTS = 3;

/**
 * Determines which sessions Codex itself does not show, and why.
 *
 * Opening the database in place would leave files beside it, even for reading. So it is copied,
 * with its log, into a folder that is removed afterwards.
 *
 * @param sessions The sessions.
 * @param options The folder to copy the index to.
 * @returns The hidden sessions, and the state of each index.
 *
 * @example A machine without Codex
 * ```ts
 * import { hiddenFromCodex } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const { hidden, indexes } = await hiddenFromCodex([]);
 *
 * assertEquals([hidden.size, indexes], [0, []]);
 * ```
 */
export async function hiddenFromCodex(
  sessions: readonly Session[],
  options: HiddenFromCodexOptions = {},
): Promise<HiddenSessions> {
  const hidden = new Map<string, HiddenReason>();
  const indexes: CodexIndexState[] = [];
  for (const [home, own] of groupsBy(sessions, ({ file }) => file.home)) {
    const found = await readIndexes(home, options);
    indexes.push(...found.map(({ index: _index, ...state }) => state));
    for (const session of own) {
      const reasons: (HiddenReason | undefined)[] = [];
      for (const { index } of found) {
        reasons.push(await reasonFor(session, index));
      }
      // One index is enough: the desktop app has its own.
      const reason = reasons.includes(undefined) ? undefined : reasons[0];
      if (reason !== undefined) hidden.set(session.file.path, reason);
    }
  }
  return { hidden, indexes };
}

async function reasonFor(
  { file, head }: Session,
  index: Index | undefined,
): Promise<HiddenReason | undefined> {
  if (head.problem !== undefined) return "refused";
  if (index === undefined) return undefined;
  const indexed = index.get(head.id.toLowerCase());
  if (indexed === undefined) return "unindexed";
  if (!await isSamePlace(indexed.path, file.path)) return "moved";
  // Codex does not list agents beside sessions, with or without a message.
  return indexed.hasPreview || head.kind === "subagent"
    ? undefined
    : "no_message";
}

/** Whether two paths of session files are one place, of which the home may be given as a link. */
async function isSamePlace(one: string, other: string): Promise<boolean> {
  // Codex packs and unpacks files without updating its index.
  const [path, place] = [unpackedPath(one), unpackedPath(other)];
  if (path === place) return true;
  const [home, homeOfPlace] = [homeInPath(path), homeInPath(place)];
  if (home === undefined || homeOfPlace === undefined) return false;
  return path.slice(home.length) === place.slice(homeOfPlace.length) &&
    await realHome(home) === await realHome(homeOfPlace);
}

async function realHome(home: string): Promise<string> {
  return await realpath(home).catch(() => home);
}

type ReadIndex = CodexIndexState & { readonly index: Index | undefined };

async function readIndexes(
  home: string,
  { cache, env = () => undefined }: HiddenFromCodexOptions,
): Promise<ReadIndex[]> {
  const found: ReadIndex[] = [];
  for (const folder of await indexFoldersOf(home, env)) {
    const name = await newestIndex(folder);
    if (name === undefined) continue;
    const file = join(folder, name);
    try {
      const index = await indexInCopy(file, cache);
      found.push({ home, state: "read", file, reason: null, index });
    } catch (error) {
      const reason = messageOf(error);
      found.push({ home, state: "unknown", file, reason, index: undefined });
    }
  }
  return found.length > 0 ? found : [
    { home, state: "none", file: null, reason: null, index: undefined },
  ];
}

/**
 * Returns the folders in which the index of a home may be: the home, the folder of the desktop app,
 * and the one that the settings or the environment name.
 */
async function indexFoldersOf(
  home: string,
  env: Environment,
): Promise<ReadonlySet<string>> {
  const config = await readFile(join(home, "config.toml"), "utf8")
    .catch(() => "");
  const [, escaped, plain] = SQLITE_HOME_REGEXP.exec(config) ?? [];
  const named = escaped?.replaceAll("\\\\", "\\") ?? plain ??
    env("CODEX_SQLITE_HOME") ?? "";
  return new Set([
    home,
    join(home, "sqlite"),
    resolve(home, withUserHome(named, env)),
  ]);
}

/** Returns the name of the index with the highest number; older releases leave theirs behind. */
async function newestIndex(home: string): Promise<string | undefined> {
  const names: string[] = await readdir(home).catch(() => []);
  const numberOf = (name: string): number =>
    Number(INDEX_REGEXP.exec(name)?.[1] ?? -1);
  return names.filter((name) => numberOf(name) >= 0)
    .sort((a, b) => numberOf(b) - numberOf(a))[0];
}

/** Copies a database with its log, and reads the copy. */
async function indexInCopy(
  file: string,
  cache: string | undefined,
): Promise<Index> {
  const parent = cache ?? temporaryFolder();
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "codex-index-"));
  const copy = join(folder, "state.sqlite");
  try {
    for (let attempt = 1;; attempt++) {
      const before = await facts(file);
      await copyFile(file, copy);
      await copyIfThere(`${file}-wal`, `${copy}-wal`);
      if (await facts(file) === before) break;
      if (attempt === ATTEMPTS) throw new Error("it is being written to");
    }
    return await indexIn(copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the size and time of a database and its log, to recognize changes. */
async function facts(file: string): Promise<string> {
  const all = await Promise.all(
    [file, `${file}-wal`].map((path) => stat(path).catch(() => undefined)),
  );
  return all.map((each) => each && `${each.mtimeMs} ${each.size}`).join("|");
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    await rm(to, { force: true });
  }
}

function temporaryFolder(): string {
  try {
    return tmpdir();
  } catch {
    // Without permission to read the environment.
    return "/tmp";
  }
}

async function indexIn(copy: string): Promise<Index> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(copy);
  try {
    const columns = new Set(
      database.prepare("PRAGMA table_info(threads)").all()
        .map(({ name }) => name),
    );
    if (!columns.has("id") || !columns.has("rollout_path")) {
      throw new Error("its layout is not known");
    }
    if (!isFilled(database)) throw new Error("it is still being filled");
    // The first layouts have no previews.
    const preview = columns.has("preview") ? "preview" : "NULL AS preview";
    const rows = database.prepare(
      `SELECT id, rollout_path, ${preview} FROM threads`,
    ).all();
    return new Map(
      rows.map(({ id, rollout_path, preview }) => [
        String(id).toLowerCase(),
        { path: String(rollout_path), hasPreview: preview !== "" },
      ]),
    );
  } finally {
    database.close();
  }
}

/** Whether Codex has finished indexing the sessions that existed before the index. */
function isFilled(
  database: { prepare(sql: string): { all(): readonly unknown[] } },
): boolean {
  try {
    const unfilled = database.prepare(
      "SELECT 1 FROM backfill_state WHERE status <> 'complete'",
    ).all();
    return unfilled.length === 0;
  } catch {
    // Layouts without this table do not record it.
    return true;
  }
}
