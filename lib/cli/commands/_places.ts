/** Where the Codex homes, the cache and the folders are that flags and the environment name. */

import { resolve } from "node:path";
import {
  cacheFolder,
  codexHomesFrom,
  withUserHome,
} from "../../sessions/codex_homes.ts";
import type { CommandContext } from "../command.ts";
import type { Surroundings } from "../context.ts";
import { UsageError } from "../endings.ts";

/** The Codex homes of the flags, else of the environment, and the cache folder, if there is one. */
export function sessionPlaces(
  { args, process }: Pick<CommandContext, "args" | "process">,
): {
  readonly codexHomes: readonly string[];
  readonly cache: string | undefined;
} {
  const { env } = process;
  const named = args.values("codex-home");
  const given = named.map((folder) => folderOf(folder, process));
  const codexHomes = codexHomesFrom({ env, given });
  return { codexHomes, cache: cacheFolder({ env }) };
}

/** The message if neither a flag nor the environment names a home. */
export const NO_HOME =
  "no Codex home: neither CODEX_HOME nor HOME is set; use --codex-home=DIR";

/** The Codex homes to read. Without any, the result would look like that of homes without sessions. */
export function homesToRead(
  context: Pick<CommandContext, "args" | "process">,
): readonly string[] {
  const { codexHomes } = sessionPlaces(context);
  if (codexHomes.length === 0) throw new UsageError(NO_HOME);
  return codexHomes;
}

/** Returns the absolute path of a folder that a flag names. A `~` is the user's home. */
export function folderOf(
  folder: string,
  { env, cwd }: Pick<Surroundings, "env" | "cwd">,
): string {
  return resolve(cwd(), withUserHome(folder, env));
}
