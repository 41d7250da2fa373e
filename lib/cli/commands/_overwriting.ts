/** Files that are written must not be those that are read. */

import { basename, dirname, join, resolve } from "node:path";
import { codexHomesFrom, isInside } from "../../sessions/codex_homes.ts";
import { homeInPath } from "../../sessions/session_places.ts";
import type { Surroundings } from "../context.ts";
import { UsageError } from "../endings.ts";
import { identityOf } from "../input.ts";
import { STDIN } from "../flags.ts";

/** The name of a session file; nothing that this command writes is called like that. */
const SESSION_FILE_REGEXP =
  /(?:^|[\\/])rollout-[^\\/]+\.jsonl(?:\.zst|\.gz)?$/i;

/** Files that are to be read: nothing may be written over them. */
export class InputFiles {
  readonly #names: ReadonlySet<string>;
  readonly #process: Surroundings;
  readonly #codexHomes: readonly string[] | undefined;
  /** What they are called by what tells them apart. */
  #known: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(
    names: readonly string[],
    process: Surroundings,
    codexHomes?: readonly string[],
  ) {
    this.#names = new Set(names);
    this.#process = process;
    this.#codexHomes = codexHomes;
  }

  /**
   * Refuses to write to one of them, since emptying it would lose it, and to any session file:
   * those are Codex's own.
   *
   * @param flag What names the file to write, without the dashes.
   * @param path Where it is.
   * @param isInFolder Whether it is in a folder that has been found to be in no Codex home.
   * @throws {UsageError} If it is one of them, a session file, or lies in a Codex home.
   */
  async refuse(flag: string, path: string, isInFolder = false): Promise<void> {
    if (path !== STDIN && this.#names.has(path)) throw overwriting(flag, path);
    const found = await this.#process.look(path);
    if (found === undefined && isInFolder) return;
    if (found?.identity !== undefined) {
      this.#known ??= this.#look();
      const name = (await this.#known).get(found.identity);
      if (name !== undefined) {
        throw overwriting(flag, name === STDIN ? path : name);
      }
    }
    // A link is called otherwise than what would be lost.
    if (found !== undefined && SESSION_FILE_REGEXP.test(found.realPath)) {
      throw new UsageError(
        `--${flag} would overwrite ${path}, a session file: name another file`,
      );
    }
    await refuseCodexHome(flag, path, this.#process, this.#codexHomes);
  }

  async #look(): Promise<ReadonlyMap<string, string>> {
    const known = new Map<string, string>();
    for (const name of this.#names) {
      const identity = await identityOf(name, this.#process);
      if (identity !== undefined && !known.has(identity)) {
        known.set(identity, name);
      }
    }
    return known;
  }
}

/**
 * Refuses to write into a Codex home, whatever is to be written there: it is Codex's own.
 *
 * @param flag What names the file to write, without the dashes.
 * @param process Knows where it leads, and which home is the usual one.
 * @throws {UsageError} If the file lies in one of them, in the usual one, or where sessions lie.
 */
export async function refuseCodexHome(
  flag: string,
  path: string,
  process: Surroundings,
  codexHomes: readonly string[] = [],
): Promise<void> {
  const place = resolve(process.cwd(), path);
  const real = await realPathOf(place, process);
  const own = [place, real].map(homeInPath).filter((home) =>
    home !== undefined
  );
  const usual = codexHomesFrom({ env: process.env });
  for (const home of [...own, ...usual, ...codexHomes]) {
    const isIn = isInside(place, home) ||
      isInside(real, await realPathOf(home, process));
    if (!isIn) continue;
    throw new UsageError(
      `--${flag} would write ${path} into the Codex home ${home}, which is only read: name a file elsewhere`,
    );
  }
}

/** The path without links of what is at a place, or would be. */
async function realPathOf(
  path: string,
  process: Surroundings,
): Promise<string> {
  const facts = await process.look(path);
  if (facts !== undefined) return facts.realPath;
  const folder = dirname(path);
  return folder === path
    ? path
    : join(await realPathOf(folder, process), basename(path));
}

function overwriting(flag: string, file: string): UsageError {
  return new UsageError(
    `--${flag} would overwrite ${file}, which is to be read`,
  );
}
