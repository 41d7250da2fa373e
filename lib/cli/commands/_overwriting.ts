/** Protects input files, session files and Codex homes from being overwritten. */

import { basename, dirname, join, resolve } from "node:path";
import { codexHomesFrom, isInside } from "../../sessions/codex_homes.ts";
import { homeInPath } from "../../sessions/session_places.ts";
import { isSessionName } from "../../sessions/session_start.ts";
import type { CommandContext } from "../command.ts";
import type { Surroundings } from "../context.ts";
import { createFile, ErrorFile } from "../created_file.ts";
import { UsageError } from "../endings.ts";
import { identityOf } from "../input.ts";
import type { Output } from "../output.ts";
import { STDIN } from "../flags.ts";
import { sessionPlaces } from "./_places.ts";

/** The flags that name Codex homes, and the process, which resolves links. */
type PlacesContext = Pick<CommandContext, "args" | "process">;

export class InputFiles {
  readonly #names: ReadonlySet<string>;
  readonly #context: PlacesContext;
  #known: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(names: readonly string[], context: PlacesContext) {
    this.#names = new Set(names);
    this.#context = context;
  }

  /**
   * Refuses an input file, the file of stdout, any session file, and a path in a Codex home.
   *
   * @param isInFolder Whether its folder is already known to be in no Codex home.
   */
  async refuse(flag: string, path: string, isInFolder = false): Promise<void> {
    if (this.#names.has(path)) throw overwriting(flag, path);
    const { process } = this.#context;
    const found = await process.look(path);
    if (found === undefined && isInFolder) return;
    if (found?.identity !== undefined) {
      this.#known ??= this.#look();
      const name = (await this.#known).get(found.identity);
      if (name !== undefined) {
        throw overwriting(flag, name === STDIN ? path : name);
      }
      if (found.identity === await process.streamIdentity("stdout")) {
        throw new UsageError(
          `--${flag} would overwrite ${path}, which stdout goes to: name another file`,
        );
      }
    }
    // The real path is tested, since a link to a session file can have any name.
    if (found !== undefined && isSessionName(basename(found.realPath))) {
      throw new UsageError(
        `--${flag} would overwrite ${path}, a session file: name another file`,
      );
    }
    await refuseCodexHome(flag, path, this.#context);
  }

  /** Creates the file of `--output`, or one in that folder, unless it is refused. */
  async create(path: string, isInFolder = false): Promise<Output> {
    await this.refuse("output", path, isInFolder);
    return await createFile(path, this.#context.process);
  }

  async #look(): Promise<ReadonlyMap<string, string>> {
    const known = new Map<string, string>();
    for (const name of this.#names) {
      const identity = await identityOf(name, this.#context.process);
      if (identity !== undefined) known.set(identity, name);
    }
    return known;
  }
}

/** Creates the file of `--errors-to`, unless it is refused. */
export async function createErrorFile(
  path: string,
  inputs: readonly string[],
  context: PlacesContext,
): Promise<ErrorFile> {
  await new InputFiles(inputs, context).refuse("errors-to", path);
  return new ErrorFile(await createFile(path, context.process));
}

/** Refuses a path in a given Codex home, the default one, or any other folder with sessions. */
export async function refuseCodexHome(
  flag: string,
  path: string,
  context: PlacesContext,
): Promise<void> {
  const { process } = context;
  const place = resolve(process.cwd(), path);
  const real = await realPathOf(place, process);
  const around = [place, real].map(homeInPath).filter((home) =>
    home !== undefined
  );
  const defaults = codexHomesFrom({ env: process.env });
  const { codexHomes } = sessionPlaces(context);
  for (const home of [...around, ...defaults, ...codexHomes]) {
    const isIn = isInside(place, home) ||
      isInside(real, await realPathOf(home, process));
    if (!isIn) continue;
    throw new UsageError(
      `--${flag} would write ${path} into the Codex home ${home}, which is only read: name a file elsewhere`,
    );
  }
}

/** The path of a file with links resolved, even if the file does not exist yet. */
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
    `--${flag} would overwrite ${file}, which is an input`,
  );
}
