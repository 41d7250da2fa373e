/** The path of the index of sessions. */

import { join } from "node:path";
import { checkedList } from "../checked.ts";
import {
  cacheFolder,
  type CacheFolderOptions,
  cacheNameOf,
} from "./codex_homes.ts";
import { INDEX_VERSION } from "./session_index_tables.ts";

/** Options for {@linkcode sessionIndexPath}. */
export interface SessionIndexPathOptions extends CacheFolderOptions {
  /** The Codex homes, as absolute paths. */
  readonly codexHomes: readonly string[];
}

/**
 * Returns the path of the index of some Codex homes: in the cache folder of codexpipe, one for each
 * set of homes.
 *
 * @param options The homes, and the environment to find the cache folder in.
 * @returns The path; `undefined` if the user has no home folder.
 *
 * @example The order of homes does not matter
 * ```ts
 * import { sessionIndexPath } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const env = (name: string) => name === "XDG_CACHE_HOME" ? "/home/me/.cache" : undefined;
 * const of = (...codexHomes: string[]) => sessionIndexPath({ codexHomes, env });
 *
 * assertEquals(of("/a", "/b"), of("/b", "/a"));
 * assertEquals(of("/a") === of("/b"), false);
 * ```
 */
export function sessionIndexPath(
  options: SessionIndexPathOptions,
): string | undefined {
  const folder = cacheFolder(options);
  if (folder === undefined) return undefined;
  const homes = [...new Set(checkedList("codexHomes", options.codexHomes))]
    .sort().join("\0");
  return join(folder, `sessions-${INDEX_VERSION}-${cacheNameOf(homes)}.sqlite`);
}
