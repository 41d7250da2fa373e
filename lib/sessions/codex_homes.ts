/** The homes of Codex, and the cache folder of codexpipe. */

import { createHash } from "node:crypto";
import { isAbsolute, join, resolve, sep } from "node:path";
import { env as variables, platform } from "node:process";

/** Returns the value of an environment variable. */
export type Environment = (name: string) => string | undefined;

const environment: Environment = (name) => variables[name];

/** Options for {@linkcode cacheFolder}. */
export interface CacheFolderOptions {
  /**
   * The environment.
   *
   * @default {(name) => process.env[name]}
   */
  readonly env?: Environment | undefined;
  /**
   * The platform, as `process.platform` names it.
   *
   * @default {process.platform}
   */
  readonly platform?: string | undefined;
}

/** Options for {@linkcode codexHomesFrom}. */
export interface CodexHomesOptions extends CacheFolderOptions {
  /**
   * The homes given by the user. If there are any, no others are used.
   *
   * @default {[]}
   */
  readonly given?: readonly string[] | undefined;
}

/**
 * Returns the Codex homes to read: those given, else `CODEX_HOME`, else `.codex` in the user's
 * home. Whether they exist is not checked. A `~` at the start of a given home stands for the user's
 * home: `HOME`, or, as for Codex on Windows, `USERPROFILE`.
 *
 * @param options The homes given, and the environment.
 * @returns Absolute paths without duplicates; an empty list if the user has no home.
 *
 * @example The home of the environment
 * ```ts
 * import { codexHomesFrom } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const env = (name: string) => name === "CODEX_HOME" ? "/srv/codex" : undefined;
 *
 * assertEquals(codexHomesFrom({ env }).length, 1);
 * assertEquals(codexHomesFrom({ env, given: ["/a", "/b", "/a"] }).length, 2);
 * ```
 */
export function codexHomesFrom(options: CodexHomesOptions = {}): string[] {
  const { env = environment, given = [] } = options;
  const user = userHomeFrom(env, options.platform);
  if (given.length > 0) {
    return [...new Set(given.map((home) => resolve(expanded(home, user))))];
  }
  const named = nonEmpty(env("CODEX_HOME"));
  if (named !== undefined) return [resolve(named)];
  return user === undefined ? [] : [resolve(user, ".codex")];
}

/**
 * Returns the folder of codexpipe in the user's cache folder (`XDG_CACHE_HOME`; `LOCALAPPDATA` on
 * Windows; `~/Library/Caches` on macOS; else `~/.cache`). It may not exist, and its files can be
 * deleted at any time: they are made again. An `XDG_CACHE_HOME` that is a relative path is ignored,
 * as the XDG Base Directory Specification requires.
 *
 * @param options The environment.
 * @returns The path; `undefined` if the user has no home.
 *
 * @example With an XDG cache folder
 * ```ts
 * import { cacheFolder } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const env = (name: string) => name === "XDG_CACHE_HOME" ? "/home/me/.cache" : undefined;
 *
 * assertEquals(cacheFolder({ env, platform: "linux" })?.endsWith("codexpipe"), true);
 * ```
 */
export function cacheFolder(
  options: CacheFolderOptions = {},
): string | undefined {
  const { env = environment } = options;
  const on = options.platform ?? platform;
  const xdg = nonEmpty(env("XDG_CACHE_HOME"));
  const named = (xdg !== undefined && isAbsolute(xdg) ? xdg : undefined) ??
    (on === "win32" ? nonEmpty(env("LOCALAPPDATA")) : undefined);
  if (named !== undefined) return resolve(named, "codexpipe");
  const user = userHomeFrom(env, on);
  if (user === undefined) return undefined;
  const place = on === "darwin" ? ["Library", "Caches"] : [".cache"];
  return resolve(join(user, ...place, "codexpipe"));
}

/** Returns the name of a file in the cache folder that belongs to one home, or one set of homes. */
export function cacheNameOf(homes: string): string {
  return createHash("sha256").update(homes).digest("hex").slice(0, 16);
}

/**
 * Replaces a `~` at the start of a path by the user's home. Shells do so at the start of a word,
 * but not after the `=` of an option.
 */
export function withUserHome(path: string, env: Environment): string {
  return expanded(path, userHomeFrom(env));
}

function expanded(path: string, userHome: string | undefined): string {
  return userHome !== undefined && /^~(?:[\\/]|$)/.test(path)
    ? userHome + path.slice(1)
    : path;
}

export function isInside(path: string, folder: string): boolean {
  const at = resolve(path);
  const root = resolve(folder);
  return at === root || at.startsWith(root.endsWith(sep) ? root : root + sep);
}

/**
 * Returns the user's home, if there is one. On Windows other programs may set `HOME` to another
 * place, so `USERPROFILE` comes first: it is what the system returns, which Codex asks.
 */
export function userHomeFrom(
  env: Environment,
  on: string = platform,
): string | undefined {
  const [first, second] = on === "win32"
    ? ["USERPROFILE", "HOME"]
    : ["HOME", "USERPROFILE"];
  return nonEmpty(env(first)) ?? nonEmpty(env(second));
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
