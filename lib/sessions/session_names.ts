/**
 * The names that people, or Codex, gave to sessions.
 *
 * @module
 */

import { join } from "node:path";
import { openFile } from "../files/open.ts";
import { fieldsOf, parseJson, textOf } from "../history/mapping/json_fields.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { LineFramer } from "../lines/line_framer.ts";
import { codeOf, messageOf } from "./open_session.ts";
import type { SessionProblem } from "./session_files.ts";

/** The names in a Codex home. */
export interface SessionNames {
  /** The name of a session, by its id in lower case; the one that was given last is last. */
  readonly names: ReadonlyMap<string, string>;
  /** Why the names, or the rest of them, could not be read; `undefined` if they could. */
  readonly problem: SessionProblem | undefined;
}

/** A longer line names nothing. */
const MAX_LINE_BYTES = 1 << 20;
/** How much is kept of a name, in UTF-16 code units. */
const MAX_NAME = 4_096;
const BLOCK = 1 << 16;

/**
 * Reads the names of sessions: `session_index.jsonl` of a Codex home, whose last line for
 * each session counts (rollout.md D.5). Lines that are none are passed over.
 *
 * @param home The Codex home.
 * @returns The names; none if there is no such file.
 */
export async function readSessionNames(home: string): Promise<SessionNames> {
  const path = join(home, "session_index.jsonl");
  const names = new Map<string, string>();
  const framer = new LineFramer(MAX_LINE_BYTES);
  const visitor = {
    line(bytes: Uint8Array, start: number, end: number): void {
      const row = fieldsOf(parseJson(decodeUtf8(bytes, start, end)));
      const id = textOf(row.id)?.toLowerCase();
      const name = textOf(row.thread_name);
      if (id === undefined || name === undefined) return;
      names.delete(id);
      if (name.trim() === "") return;
      names.set(id, name.slice(0, MAX_NAME).toWellFormed());
    },
    tooLong(): void {},
  };
  let problem: SessionProblem | undefined;
  try {
    const source = await openFile(path);
    try {
      const block = new Uint8Array(BLOCK);
      for (;;) {
        const size = await source.read(block);
        if (size === null) break;
        framer.feed(block.subarray(0, size), visitor);
      }
      framer.flush(visitor);
    } finally {
      source.close();
    }
  } catch (error) {
    const code = codeOf(error);
    if (code !== "ENOENT") {
      problem = { path, home, code, message: messageOf(error) };
    }
  }
  return { names, problem };
}
