/**
 * The family of a session: what it was forked or spawned from, and what was from it.
 *
 * @module
 */

import { codexHomesFrom } from "./codex_homes.ts";
import { listSessionFiles, lookAtAll } from "./listed_files.ts";
import { HeadReader } from "./head_reader.ts";
import type { Session } from "./session.ts";
import type { SessionFile } from "./session_files.ts";
import type { FindSessionOptions } from "./session_lookup.ts";
import { compareNewestFirst } from "./session_start.ts";

/** A session of a family. */
export interface FamilyMember {
  /** The session. */
  readonly session: Session;
  /** All of its files, the oldest first; a session may go on in several. */
  readonly files: readonly SessionFile[];
  /** How many sessions lie between it and the root: 0 for the root. */
  readonly depth: number;
}

/** A session, and those that it is of a family with. */
export interface SessionFamily {
  /** The sessions: the root, and behind each one those from it, the oldest first. */
  readonly members: readonly FamilyMember[];
  /** The id of the session that the root is from, if that is not there. */
  readonly missing: string | undefined;
}

/**
 * Finds the family of a session: the root, its forks and sub-agents, and theirs. They are joined
 * by what their headers say: the id of the thread that spawned one, else of the one that it was
 * forked from.
 *
 * @param session A session of the family.
 * @param options Where to look.
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
  options: FindSessionOptions = {},
): Promise<SessionFamily> {
  const { codexHomes = codexHomesFrom(), cache, onProblem = () => {} } =
    options;
  const { files, problems } = await listSessionFiles(codexHomes);
  problems.forEach(onProblem);
  const reader = await HeadReader.open(files, cache);
  const latest = files.filter(({ isContinued }) => !isContinued);
  const sessions = await reader.read(await lookAtAll(latest));
  await reader.save();
  const byId = new Map(sessions.map((each) => [idOf(each), each]));
  // A file that is in no home has a family there all the same.
  if (!byId.has(idOf(session))) byId.set(idOf(session), session);
  const sessionsOf = (id: string): Session[] =>
    [...byId.values()].filter((each) => parentOf(each) === id);
  let root = byId.get(idOf(session)) ?? session;
  const seen = new Set([idOf(root)]);
  let missing: string | undefined;
  for (let id = parentOf(root); id !== undefined; id = parentOf(root)) {
    const parent = byId.get(id);
    if (parent === undefined) missing = id;
    // Headers can be made to go in circles.
    if (parent === undefined || seen.has(id)) break;
    seen.add(id);
    root = parent;
  }
  const found = new Map<string, { session: Session; depth: number }>();
  const add = (each: Session, depth: number): void => {
    const id = idOf(each);
    if (found.has(id)) return;
    found.set(id, { session: each, depth });
    const own = sessionsOf(id).sort((one, other) =>
      compareNewestFirst(other.file, one.file)
    );
    for (const child of own) add(child, depth + 1);
  };
  add(root, 0);
  const later = files.filter(({ isContinued }) => isContinued);
  const earlier = await lookAtAll(
    later.filter(({ sessionId }) => found.has(sessionId)),
  );
  const members = [...found].map(([id, member]) => {
    const before = earlier.filter(({ sessionId }) => sessionId === id);
    const all = [member.session.file, ...before];
    const timeOf = ({ nameTime = "" }: SessionFile): string => nameTime;
    all.sort((one, other) => timeOf(one) < timeOf(other) ? -1 : 1);
    return { ...member, files: all };
  });
  return { members, missing };
}

function idOf({ head }: Session): string {
  return head.id.toLowerCase();
}

function parentOf({ head }: Session): string | undefined {
  return (head.parent ?? head.forkedFrom)?.toLowerCase();
}
