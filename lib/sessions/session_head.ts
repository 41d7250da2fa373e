/**
 * What the first lines of a session file tell of the session.
 *
 * @module
 */

import { readFirstRecords } from "./_first_records.ts";
import {
  HeadFacts,
  type SessionHead,
  type SessionKind,
} from "./_head_facts.ts";
import { readPlainHead } from "./_plain_head.ts";
import { messageOf } from "./open_session.ts";
import type { SessionFile } from "./session_files.ts";

export type { SessionHead, SessionKind };

/**
 * Reads the head of a session file: only its first lines, through compression.
 *
 * Files of all releases are read, of 0.1 to 0.169, legacy and paginated. At most 210 lines
 * and 16 MiB are looked at, most often a few of each.
 *
 * A file that cannot be read, or that has no header, gives a head with a `problem` and with
 * what its name tells. Nothing is thrown.
 *
 * @param file The file.
 * @returns Its head.
 *
 * @example Who asked what
 * ```ts
 * import { readSessionHead, sessionFileAt } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const path = "testdata/captures/0.44.0/msg/" +
 *   "rollout-2026-11-20T15-30-37-01a1f994-bf38-7b30-a5b6-37341edadf48.jsonl";
 * const head = await readSessionHead(await sessionFileAt(path, "."));
 *
 * assertEquals(head.originator, "codex_exec");
 * assertEquals(head.firstMessage, "Please work on the demo [[msg]]");
 * ```
 */
export async function readSessionHead(file: SessionFile): Promise<SessionHead> {
  return await plainHead(file) ?? await anyHead(file);
}

/** Reads a head that is written as most are; `undefined` if it is not, or cannot be read. */
async function plainHead(file: SessionFile): Promise<SessionHead | undefined> {
  const facts = new HeadFacts(file);
  try {
    return await readPlainHead(file, facts) ? facts.head() : undefined;
  } catch {
    // Who reads it as any other finds out why.
    return undefined;
  }
}

async function anyHead(file: SessionFile): Promise<SessionHead> {
  const facts = new HeadFacts(file);
  try {
    await readFirstRecords(file, facts);
  } catch (error) {
    facts.fail(messageOf(error));
  }
  return facts.head();
}
