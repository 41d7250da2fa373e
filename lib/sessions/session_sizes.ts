/** The sizes of session files and of their parts. */

import {
  SessionPartCounter,
  type SessionPartSizes,
} from "../events/session_parts.ts";
import { groupsBy } from "../groups.ts";
import { loadHead } from "./_head_loading.ts";
import { messageOf, sessionBlocks } from "./open_session.ts";
import type { Session } from "./session.ts";
import { type SessionFile, sessionFileAt } from "./session_files.ts";
import type { SessionKind } from "./session_head.ts";
import { isObjectPath } from "./session_start.ts";

/** The size of one session file. */
export interface SessionSize {
  /** The file. */
  readonly file: SessionFile;
  /** The id of the session; empty if it is not known. */
  readonly id: string;
  /** The title of the session. */
  readonly title: string;
  /** The working directory of the session, if it is known. */
  readonly cwd: string | undefined;
  /** The kind of the session; `copy` for another file of a session. */
  readonly kind: SessionKind | "copy";
  /** The id of the session that it was forked from, or that spawned it. */
  readonly from: string | undefined;
  /** Whether it does not need that session: it holds a copy of its lines, or began without any. */
  readonly isWhole: boolean;
  /** The size unpacked, in bytes. */
  readonly bytes: number;
  /** The size on disk, in bytes. */
  readonly diskBytes: number;
  /** The bytes of each kind of content; their sum is `bytes`. */
  readonly parts: SessionPartSizes;
  /** Why the file could not be read to its end. */
  readonly problem: string | undefined;
}

/** A session that may be removed. */
export interface SpareSession {
  /** The id of the session. */
  readonly id: string;
  /** The size of all its files on disk, in bytes. */
  readonly diskBytes: number;
  /**
   * The reason.
   *
   * - `archived`: the session is archived.
   * - `superseded`: a fork holds a copy of it, and it has not been written to since.
   * - `orphaned`: the session that spawned it no longer exists.
   */
  readonly reason: "archived" | "superseded" | "orphaned";
  /** The command of Codex: archived sessions are deleted, others are archived first. */
  readonly command: "archive" | "delete";
}

/** How long after the start of a fork, in milliseconds, a write still counts as copied by it. */
const SLACK = 60_000;

/**
 * Measures the files of a session and their copies: their sizes, and the kinds of content. Each
 * file is read once, block by block. Several calls may run at once.
 *
 * @param session The session.
 * @returns The size of each file, followed by those of its copies.
 *
 * @example The sessions of a home, one by one
 * ```ts
 * import { listSessions, measureSession } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const { sessions } = await listSessions({ codexHomes: ["no/such/home"] });
 *
 * assertEquals((await Promise.all(sessions.map(measureSession))).flat(), []);
 * ```
 */
export async function measureSession(
  session: Session,
): Promise<SessionSize[]> {
  const sizes: SessionSize[] = [];
  for (const file of session.files) {
    sizes.push(await measured(file, session, false));
    for (const path of file.copies) {
      // A copy that is gone by now has no size.
      const copy = await sessionFileAt(path, file.home).catch(() => undefined);
      if (copy !== undefined) sizes.push(await measured(copy, session, true));
    }
  }
  return sizes;
}

async function measured(
  file: SessionFile,
  { file: last, head, title }: Session,
  isCopy: boolean,
): Promise<SessionSize> {
  const counter = new SessionPartCounter();
  let { problem } = file === last ? head : await loadHead(file);
  try {
    // The single object of the first CLI is not measured by content.
    if (isObjectPath(file.path)) counter.skip(file.size);
    else {
      for await (const block of sessionBlocks(file)) counter.feed(block);
    }
  } catch (error) {
    problem = messageOf(error);
  }
  counter.flush();
  const { bytes, parts } = counter;
  return {
    file,
    id: head.id,
    title,
    cwd: head.cwd,
    kind: isCopy ? "copy" : head.kind,
    from: head.forkedFrom ?? head.parent,
    isWhole: parts.inherited > 0 ||
      (head.forkedFrom ?? head.historyBase) === undefined,
    bytes,
    diskBytes: file.size,
    parts,
    problem,
  };
}

/**
 * Selects the sessions that may be removed.
 *
 * @param sizes The sizes of all session files of a home.
 * @returns The sessions, in the order of their files, each with the first reason that applies.
 *
 * @example An archived session
 * ```ts
 * import { listSessions, measureSession, spareSessions } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const { sessions } = await listSessions({ codexHomes: ["no/such/home"] });
 * const sizes = await Promise.all(sessions.map(measureSession));
 *
 * assertEquals(spareSessions(sizes.flat()), []);
 * ```
 */
export function spareSessions(
  sizes: readonly SessionSize[],
): readonly SpareSession[] {
  const real = sizes.filter(({ id, kind }) => id !== "" && kind !== "copy");
  const sessions = groupsBy(real, ({ id }) => id);
  /** The sessions that forks and sub-agents need because they hold no copy. */
  const needed = new Set<string>();
  /** The last times at which forks copied sessions. */
  const copied = new Map<string, number>();
  for (const { kind, from, isWhole, file } of real) {
    if (from === undefined) continue;
    if (!isWhole) needed.add(from);
    else if (kind === "fork") {
      copied.set(from, Math.max(file.start, copied.get(from) ?? -Infinity));
    }
  }
  return [...sessions].flatMap(([id, files]): SpareSession[] => {
    if (needed.has(id)) return [];
    const until = (copied.get(id) ?? -Infinity) + SLACK;
    const reason = files.every(({ file }) => file.isArchived)
      ? "archived"
      : files.every(({ file }) => file.mtime <= until)
      ? "superseded"
      : files.every(({ kind, from }) =>
          kind === "subagent" && from !== undefined && !sessions.has(from)
        )
      ? "orphaned"
      : undefined;
    return reason === undefined ? [] : [{
      id,
      diskBytes: files.reduce((sum, { diskBytes }) => sum + diskBytes, 0),
      reason,
      command: reason === "archived" ? "delete" : "archive",
    }];
  });
}
