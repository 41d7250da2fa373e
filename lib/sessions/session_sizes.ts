/** The sizes of session files and of their parts. */

import { stat } from "node:fs/promises";
import {
  SessionPartCounter,
  type SessionPartSizes,
} from "../events/session_parts.ts";
import { blocksOf } from "../files/byte_source.ts";
import { messageOf, withSession } from "./open_session.ts";
import { titleOf } from "./session.ts";
import { type SessionFile, sessionFileAt } from "./session_files.ts";
import { readSessionHead, type SessionKind } from "./session_head.ts";

/** The size of one session file. */
export interface SessionSize {
  /** The file. */
  readonly file: SessionFile;
  /** The id of its session; empty if nothing says it. */
  readonly id: string;
  /** What it is called. */
  readonly title: string;
  /** The folder that it ran in, if that is said. */
  readonly cwd: string | undefined;
  /** What it is: a session of some kind, or another file of one that counts less. */
  readonly kind: SessionKind | "copy";
  /** The session that it was forked from, or that spawned it. */
  readonly from: string | undefined;
  /** Whether it copied lines of that session, and so does without it. */
  readonly isWhole: boolean;
  /** Its size, unpacked. */
  readonly bytes: number;
  /** What it takes on the disk. */
  readonly diskBytes: number;
  /** What its bytes are of: the parts sum up to `bytes`. */
  readonly parts: SessionPartSizes;
  /** Why it could not be read to its end. */
  readonly problem: string | undefined;
}

/** A session that could go. */
export interface SpareSession {
  /** The session. */
  readonly session: SessionSize;
  /**
   * Why.
   *
   * - `archived`: it was archived.
   * - `superseded`: a fork copied it, and it has not been written to since.
   * - `orphaned`: the session that spawned it is not there any more.
   */
  readonly reason: "archived" | "superseded" | "orphaned";
  /** What Codex would do with it: archived sessions are deleted, others archived first. */
  readonly command: "archive" | "delete";
}

/** Changes of a file that are as old as the fork are those that the fork copied. */
const SLACK = 60_000;

/**
 * Says what one session file takes, and of what, and what its copies do: it is read once, block
 * by block. Several can be measured at once.
 *
 * @param file The file.
 * @returns What it takes, and behind it each copy.
 *
 * @example The files of a home, one by one
 * ```ts
 * import { findSessionFiles, measureSession } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const { files } = await findSessionFiles({ codexHomes: ["no/such/home"] });
 *
 * assertEquals((await Promise.all(files.map(measureSession))).flat(), []);
 * ```
 */
export async function measureSession(
  file: SessionFile,
): Promise<SessionSize[]> {
  const sessions = [await measured(file, false)];
  for (const path of file.copies) {
    // One that is gone by now takes nothing.
    const copy = await sessionFileAt(path, file.home).catch(() => undefined);
    if (copy !== undefined) sessions.push(await measured(copy, true));
  }
  return sessions;
}

async function measured(
  file: SessionFile,
  isCopy: boolean,
): Promise<SessionSize> {
  const head = await readSessionHead(file);
  const counter = new SessionPartCounter();
  let problem = head.problem;
  try {
    await count(file, counter);
  } catch (error) {
    problem = messageOf(error);
  }
  counter.flush();
  const { bytes, parts } = counter;
  return {
    file,
    id: head.id,
    title: titleOf(head),
    cwd: head.cwd,
    kind: isCopy ? "copy" : head.kind,
    from: head.forkedFrom ?? head.parent,
    isWhole: parts.inherited > 0,
    bytes,
    diskBytes: file.size,
    parts,
    problem,
  };
}

async function count(
  file: SessionFile,
  counter: SessionPartCounter,
): Promise<void> {
  // Of the first CLI's one object, the lines are not what takes room.
  if (/\.json$/i.test(file.path)) {
    const { size } = await stat(file.path);
    counter.skip(size);
    return;
  }
  await withSession(file, async (source, block) => {
    for await (const bytes of blocksOf(source, block)) counter.feed(bytes);
  });
}

/**
 * Says which sessions could go.
 *
 * @param sessions What was measured, of all of a home.
 * @returns The sessions, the largest on the disk first, each with the first reason that holds.
 *
 * @example An archived session
 * ```ts
 * import { findSessionFiles, measureSession, spareSessions } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const { files } = await findSessionFiles({ codexHomes: ["no/such/home"] });
 * const sizes = await Promise.all(files.map(measureSession));
 *
 * assertEquals(spareSessions(sizes.flat()), []);
 * ```
 */
export function spareSessions(
  sessions: readonly SessionSize[],
): readonly SpareSession[] {
  const real = sessions.filter(({ id, kind }) => id !== "" && kind !== "copy");
  const ids = new Set(real.map(({ id }) => id));
  /** What forks need that do not hold it themselves. */
  const needed = new Set<string>();
  /** When the sessions were copied that forks hold. */
  const copied = new Map<string, number>();
  for (const { kind, from, isWhole, file } of real) {
    if (kind !== "fork" || from === undefined) continue;
    if (isWhole) copied.set(from, file.start);
    else needed.add(from);
  }
  return real.flatMap((session): SpareSession[] => {
    const { id, file, kind, from } = session;
    if (needed.has(id)) return [];
    const copiedAt = copied.get(id);
    if (file.isArchived) {
      return [{ session, reason: "archived", command: "delete" }];
    }
    if (copiedAt !== undefined && file.mtime <= copiedAt + SLACK) {
      return [{ session, reason: "superseded", command: "archive" }];
    }
    if (kind === "subagent" && from !== undefined && !ids.has(from)) {
      return [{ session, reason: "orphaned", command: "archive" }];
    }
    return [];
  });
}
