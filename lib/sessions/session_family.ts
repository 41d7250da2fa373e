/**
 * Finds the family of a session: the sessions that it was forked or spawned from, and those that
 * were forked or spawned from it. Divides sessions into shards by their families.
 */

import { spawnedThreads } from "../events/session_items.ts";
import { fieldsOf } from "../json/fields.ts";
import { JsonlEvents } from "../pipeline/event_pipeline.ts";
import { groupsBy } from "../groups.ts";
import type { SessionFile } from "./session_files.ts";
import { listSessions, type ListSessionsOptions } from "./session_list.ts";
import type { Session } from "./session.ts";
import { sessionBlocks } from "./open_session.ts";
import type { FindSessionOptions } from "./session_lookup.ts";
import { compareNewestFirst } from "./session_start.ts";

/** Options for {@linkcode findSessionFamily}. */
export type FindSessionFamilyOptions =
  & FindSessionOptions
  & Pick<ListSessionsOptions, "onProgress" | "signal">;

/** A session of a family. */
export interface FamilyMember {
  /** The session. */
  readonly session: Session;
  /** The number of steps from the root: 0 for the root. */
  readonly depth: number;
}

/** A session with all sessions that are related by forks and sub-agents. */
export interface SessionFamily {
  /** The sessions: the root, then after each session its children, the oldest first. */
  readonly members: readonly FamilyMember[];
  /** The id of the parent of the root, if that session does not exist. */
  readonly missing: string | undefined;
  /** For each id of a session in the homes, its shortest beginning that no other one has. */
  readonly shortIds: ReadonlyMap<string, string>;
}

/**
 * Finds the family of a session: the root, its forks and sub-agents, and theirs. They are joined by
 * their headers: by the id of the thread that spawned the session, else of the one that it was
 * forked from. A session whose header has neither is found by the call that spawned it, if it began
 * while another session of the family was being written; that session is read whole for this.
 *
 * @param session A session of the family.
 * @param options The homes, the cache, the receiver of the progress, and the signal.
 * @returns The family.
 *
 * @example The root of a family
 * ```ts ignore
 * import { findSession, findSessionFamily } from "@codexpipe/codexpipe/sessions";
 *
 * const options = { codexHomes: ["/home/me/.codex"] };
 * const session = await findSession("01a1f99d", options);
 * const { members } = await findSessionFamily(session, options);
 * const [root] = members;
 * ```
 */
export async function findSessionFamily(
  session: Session,
  options: FindSessionFamilyOptions = {},
): Promise<SessionFamily> {
  const { onProblem = () => {} } = options;
  const { sessions, problems, shortIds } = await listSessions(options);
  problems.forEach(onProblem);
  // A file outside of all homes has a family as well.
  const byId = new Map(
    [session, ...sessions].map((each) => [idOf(each), each]),
  );
  const byParent = groupsBy(byId.values(), parentOf);
  let root = byId.get(idOf(session)) ?? session;
  const seen = new Set([idOf(root)]);
  let missing: string | undefined;
  for (let id = parentOf(root); id !== undefined; id = parentOf(root)) {
    const parent = byId.get(id);
    if (parent === undefined) missing = id;
    // Headers may form a circle.
    if (parent === undefined || seen.has(id)) break;
    seen.add(id);
    root = parent;
  }
  const found = new Map<string, FamilyMember>();
  const orphans = (byParent.get(undefined) ?? [])
    .filter((each) => each !== root);
  const add = async (each: Session, depth: number): Promise<void> => {
    const id = idOf(each);
    if (found.has(id)) return;
    found.set(id, { session: each, depth });
    const children = [
      ...byParent.get(id) ?? [],
      ...await spawnedOf(each, orphans),
    ];
    children.sort((one, other) => compareNewestFirst(other.file, one.file));
    for (const child of children) await add(child, depth + 1);
  };
  await add(root, 0);
  return { members: [...found.values()], missing, shortIds };
}

/** Returns those of some sessions that a call of another session has spawned. */
async function spawnedOf(
  { file }: Session,
  sessions: readonly Session[],
): Promise<Session[]> {
  const later = sessions.filter(({ file: { start } }) =>
    start > file.start && start <= file.mtime
  );
  if (later.length === 0) return [];
  const ids = new Set<string>();
  const events = new JsonlEvents({ from: "rollout", onError: "drop" });
  try {
    for await (const block of sessionBlocks(file)) {
      events.feed(block, (outcome) => {
        if (!outcome.ok) return;
        for (const id of spawnedThreads(fieldsOf(outcome.value))) {
          ids.add(id.toLowerCase());
        }
      });
    }
  } catch {
    // Ignored: the calls before the damage count, and reading the file later reports the error.
  }
  return later.filter((each) => ids.has(idOf(each)));
}

/** A file of a session, to be put into a shard. */
export type ShardedFile = Pick<SessionFile, "path" | "size">;

/** Session files that are processed together. */
export interface SessionShard {
  /** The files, in the order in which they were passed. */
  readonly files: readonly ShardedFile[];
  /** How many families the files belong to. */
  readonly families: number;
  /** The size of all files together, in bytes. */
  readonly bytes: number;
}

/** The releases in which a thread records the tokens of a review that records them itself, too. */
const TWICE_COUNTED_REGEXP = /^0\.(?:[56]\d|7[0-7])\./;

/**
 * Divides session files into shards that can be processed separately: the counts and output of
 * commands for all shards together are those for all files.
 *
 * The files of a family are in one shard, as are those of a session that continues in several
 * files. A review of 0.53 to 0.77 does not name the session that requested it, so it is in one
 * shard with all candidates: the sessions of its folder that had begun before, and were written to
 * since. Families are assigned in order of size, the largest first, each to the smallest shard; so
 * the same files are always divided in the same way.
 *
 * @param files The files.
 * @param sessions The sessions of the files. A file without a session is a family by itself.
 * @param count The number of shards: a whole number from 1. With fewer families there are fewer
 *   shards.
 * @returns The shards.
 * @throws {RangeError} If the count is not a whole number from 1.
 *
 * @example Two shards
 * ```ts
 * import { divideSessions } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const files = [{ path: "a", size: 2 }, { path: "b", size: 3 }, { path: "c", size: 2 }];
 * const shards = divideSessions(files, [], 2);
 *
 * assertEquals(shards.map(({ bytes }) => bytes), [3, 4]);
 * ```
 */
export function divideSessions(
  files: readonly ShardedFile[],
  sessions: readonly Session[],
  count: number,
): readonly SessionShard[] {
  if (!(count >= 1) || count % 1 !== 0) {
    throw new RangeError(
      `Cannot divide sessions: the count is ${count}, expected a whole number from 1`,
    );
  }
  const families = [...familiesOf(files, sessions)].map((files) => ({
    files,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
  }));
  // The sort is stable, so families of equal size keep their order.
  families.sort((one, other) => other.bytes - one.bytes);
  const shards = families.slice(0, count).map(({ files, bytes }) => ({
    files: [...files],
    families: 1,
    bytes,
  }));
  for (const { files, bytes } of families.slice(count)) {
    const shard = shards.reduce((least, each) =>
      each.bytes < least.bytes ? each : least
    );
    for (const file of files) shard.files.push(file);
    shard.families += 1;
    shard.bytes += bytes;
  }
  const places = new Map(files.map((file, place) => [file, place]));
  const placeOf = (file: ShardedFile): number => places.get(file) ?? 0;
  for (const { files } of shards) {
    files.sort((one, other) => placeOf(one) - placeOf(other));
  }
  return shards;
}

function familiesOf(
  files: readonly ShardedFile[],
  sessions: readonly Session[],
): Iterable<ShardedFile[]> {
  const joined = new Map<string, string>();
  const rootOf = (id: string): string => {
    let at = id;
    for (let next; (next = joined.get(at)) !== undefined; at = next) {
      // Shortens the path for later lookups.
      joined.set(at, joined.get(next) ?? next);
    }
    return at;
  };
  const join = (one: string, other: string | undefined): void => {
    const [from, to] = [rootOf(one), rootOf(other?.toLowerCase() ?? one)];
    if (from !== to) joined.set(from, to);
  };
  const ids = new Map<string, string>();
  for (const session of sessions) {
    const { head, file, files } = session;
    const id = idOf(session) || file.path;
    for (const { path } of files) ids.set(path, id);
    join(id, head.parent);
    join(id, head.forkedFrom);
  }
  const reviews = sessions.filter(({ head: { source, cliVersion = "" } }) =>
    source === "subagent:review" && TWICE_COUNTED_REGEXP.test(cliVersion)
  );
  for (const { head: { cwd }, file: { path, start } } of reviews) {
    for (const { head, file } of sessions) {
      if (head.cwd !== cwd || file.start > start || file.mtime < start) {
        continue;
      }
      join(ids.get(path) ?? path, ids.get(file.path));
    }
  }
  return groupsBy(files, ({ path }) => rootOf(ids.get(path) ?? path)).values();
}

function idOf({ head }: Session): string {
  return head.id.toLowerCase();
}

function parentOf({ head }: Session): string | undefined {
  return (head.parent ?? head.forkedFrom)?.toLowerCase();
}
