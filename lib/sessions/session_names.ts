/** The names that people, or Codex, gave to sessions. */

import { join } from "node:path";
import { blocksOf, codeOf } from "../files/byte_source.ts";
import { openFile } from "../files/open.ts";
import { fieldsOf, parseJson, textOf } from "../json/fields.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { LineFramer } from "../lines/line_framer.ts";
import { messageOf } from "./open_session.ts";
import type { SessionProblem } from "./session_files.ts";
import { homeInPath } from "./session_places.ts";

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
    for await (const block of blocksOf(source, new Uint8Array(BLOCK))) {
      framer.feed(block, visitor);
    }
    framer.flush(visitor);
  } catch (error) {
    const code = codeOf(error);
    if (code !== "ENOENT") {
      problem = { path, home, code, message: messageOf(error) };
    }
  }
  return { names, problem };
}

/** Where the file of a session is, and where copies of it are. */
interface NamedFile {
  readonly home: string;
  readonly copies: readonly string[];
}

/** The names of sessions that may lie in several homes. */
export class NamesByHome {
  /** The names in each home; see {@linkcode SessionNames}. */
  readonly all: ReadonlyMap<string, SessionNames["names"]>;
  /** Why names could not be read. */
  readonly problems: readonly SessionProblem[];

  private constructor(
    all: NamesByHome["all"],
    problems: readonly SessionProblem[],
  ) {
    this.all = all;
    this.problems = problems;
  }

  /** Reads the names in all homes in which there is something of these files. */
  static async of(files: readonly NamedFile[]): Promise<NamesByHome> {
    const all = new Map<string, SessionNames["names"]>();
    const problems: SessionProblem[] = [];
    for (const home of new Set(files.flatMap(homesOf))) {
      const { names, problem } = await readSessionNames(home);
      all.set(home, names);
      if (problem !== undefined) problems.push(problem);
    }
    return new NamesByHome(all, problems);
  }

  /** Gives the name of a session: in the home of the file that counts, else in one of a copy. */
  nameOf(file: NamedFile, id: string): string | undefined {
    for (const home of homesOf(file)) {
      const name = this.all.get(home)?.get(id.toLowerCase());
      if (name !== undefined) return name;
    }
    return undefined;
  }
}

/** The homes that a session is in, first that of the file that counts. */
export function homesOf({ home, copies }: NamedFile): string[] {
  return [
    home,
    ...copies.map(homeInPath).filter((other) => other !== undefined),
  ];
}
