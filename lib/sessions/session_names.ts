/** The names given to sessions by people or by Codex. */

import { join } from "node:path";
import { codeOf } from "../files/byte_source.ts";
import { fieldsOf, parseJson, textOf } from "../json/fields.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { readLines } from "./open_session.ts";
import {
  type ListedFile,
  problemAt,
  type SessionProblem,
} from "./session_files.ts";
import { homeInPath } from "./session_places.ts";

/** How much of a name is kept, in UTF-16 code units. */
const MAX_NAME = 4_096;

type NamedFile = Pick<ListedFile, "home" | "copies">;

export class NamesByHome {
  /** For each home, the names by session id in lower case, in the order in which they were given. */
  readonly all: Map<string, ReadonlyMap<string, string>> = new Map();
  /** Why names, or the rest of those of a home, could not be read. */
  readonly problems: SessionProblem[] = [];

  /** Reads the names in all homes of these files and their copies. */
  static async of(files: readonly NamedFile[]): Promise<NamesByHome> {
    const found = new NamesByHome();
    for (const home of new Set(files.flatMap(homesOf))) await found.#read(home);
    return found;
  }

  /**
   * Reads the names from `session_index.jsonl` of a home, if it exists. The last line for each
   * session counts (rollout.md D.5). Lines that are not valid are skipped.
   */
  async #read(home: string): Promise<void> {
    const path = join(home, "session_index.jsonl");
    const names = new Map<string, string>();
    this.all.set(home, names);
    try {
      await readLines(path, (line) => {
        const row = fieldsOf(parseJson(decodeUtf8(line, 0, line.length)));
        const id = textOf(row.id)?.toLowerCase();
        const name = textOf(row.thread_name);
        if (id === undefined || name === undefined) return;
        names.delete(id);
        if (name.trim() === "") return;
        names.set(id, name.slice(0, MAX_NAME).toWellFormed());
      });
    } catch (error) {
      if (codeOf(error) === "ENOENT") return;
      this.problems.push(problemAt({ path, home }, error));
    }
  }

  /** Returns the name of a session: from the home of its file, else from that of a copy. */
  nameOf(file: NamedFile, id: string): string | undefined {
    for (const home of homesOf(file)) {
      const name = this.all.get(home)?.get(id.toLowerCase());
      if (name !== undefined) return name;
    }
    return undefined;
  }
}

/** Returns the homes of a session, the home of its file first. */
export function homesOf({ home, copies }: NamedFile): string[] {
  return [
    home,
    ...copies.map(homeInPath).filter((other) => other !== undefined),
  ];
}
