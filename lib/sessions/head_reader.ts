/**
 * Reads the heads of many session files, and remembers them.
 *
 * @module
 */

import { mapAtOnce } from "./_at_once.ts";
import type { ListedFile } from "./_listed_files.ts";
import { HeadCache } from "./head_cache.ts";
import { type Session, sessionOf } from "./session.ts";
import type { SessionFile, SessionProblem } from "./session_files.ts";
import { readSessionHead, type SessionHead } from "./session_head.ts";
import { readSessionNames } from "./session_names.ts";

/** How many files are open at once. */
const AT_ONCE = 16;

/** What is known of a home beside its session files. */
interface Home {
  readonly files: readonly ListedFile[];
  readonly cache: HeadCache;
  readonly names: ReadonlyMap<string, string>;
}

/** Makes sessions of session files: reads their heads, and looks up their names. */
export class HeadReader {
  readonly #homes: ReadonlyMap<string, Home>;
  /** What could not be read beside the files. */
  readonly problems: readonly SessionProblem[];

  private constructor(
    homes: ReadonlyMap<string, Home>,
    problems: readonly SessionProblem[],
  ) {
    this.#homes = homes;
    this.problems = problems;
  }

  /**
   * Opens what is known of the homes of files.
   *
   * @param files All files of their homes, newest first.
   * @param cache The folder of the caches; without it nothing is remembered.
   */
  static async open(
    files: readonly ListedFile[],
    cache: string | undefined,
  ): Promise<HeadReader> {
    const filesByHome = groupedByHome(files);
    const homes = new Map<string, Home>();
    const problems: SessionProblem[] = [];
    for (const [home, filesOfHome] of filesByHome) {
      const { names, problem } = await readSessionNames(home);
      if (problem !== undefined) problems.push(problem);
      homes.set(home, {
        files: filesOfHome,
        cache: await HeadCache.open(cache, home),
        names,
      });
    }
    return new HeadReader(homes, problems);
  }

  /** Reads the heads of files, and gives their sessions in the same order. */
  async read(files: readonly SessionFile[]): Promise<Session[]> {
    const heads = new Map<SessionFile, SessionHead>();
    const unknown: SessionFile[] = [];
    for (const file of files) {
      const head = this.#homes.get(file.home)?.cache.get(file);
      if (head === undefined) unknown.push(file);
      else heads.set(file, head);
    }
    await mapAtOnce(unknown, AT_ONCE, async (file) => {
      const head = await readSessionHead(file);
      heads.set(file, head);
      this.#homes.get(file.home)?.cache.set(file, head);
    });
    return files.flatMap((file) => {
      const head = heads.get(file);
      const names = this.#homes.get(file.home)?.names ?? NO_NAMES;
      return head === undefined ? [] : [sessionOf(file, head, names)];
    });
  }

  /** The names of sessions by their ids, by home; the one that was given last is last. */
  get names(): ReadonlyMap<string, ReadonlyMap<string, string>> {
    return new Map([...this.#homes].map(([home, { names }]) => [home, names]));
  }

  /** Writes down what was learned. */
  async save(): Promise<void> {
    for (const { cache, files } of this.#homes.values()) {
      await cache.save(files);
    }
  }
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

function groupedByHome(
  files: readonly ListedFile[],
): Map<string, ListedFile[]> {
  const groups = new Map<string, ListedFile[]>();
  for (const file of files) {
    const group = groups.get(file.home);
    if (group === undefined) groups.set(file.home, [file]);
    else group.push(file);
  }
  return groups;
}
