/** Where Codex keeps its files, and where codexpipe keeps its own. */

import { isAbsolute, join, resolve, sep } from "node:path";
import { env as variables, platform } from "node:process";

/** Gives the value of an environment variable. */
export type Environment = (name: string) => string | undefined;

const environment: Environment = (name) => variables[name];

/** Where {@linkcode cacheFolder} looks. */
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

/** What is known about where the Codex homes are. */
export interface CodexHomesOptions extends CacheFolderOptions {
  /**
   * The homes that were named; if there are any, no other counts.
   *
   * @default {[]}
   */
  readonly given?: readonly string[] | undefined;
}

/**
 * Says which Codex homes to look into: those that were named, else `CODEX_HOME`, else
 * `.codex` in the user's home. Whether they exist is not looked at. A `~` at the start of one
 * that was named stands for the user's home: `HOME`, or, as for Codex on Windows,
 * `USERPROFILE`.
 *
 * @param options What was named, and the environment.
 * @returns Absolute paths, each once; none if not even the user has a home.
 *
 * @example The usual home
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
 * Says where codexpipe keeps what it can make again: a folder of its own in the user's
 * cache folder (`XDG_CACHE_HOME`; `LOCALAPPDATA` on Windows; `~/Library/Caches` on macOS;
 * else `~/.cache`). It is not made, and may be deleted at any time. An `XDG_CACHE_HOME` that is
 * a relative path does not count: so the XDG Base Directory Specification has it.
 *
 * @param options The environment.
 * @returns The path, or `undefined` if the user has no home.
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

/**
 * Puts the user's home in the place of a `~` that a path begins with. Shells do so for words
 * of their own, but leave it as it is behind the `=` of an option.
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
 * Says where the user's home is. On Windows `HOME` may be set for other programs, to a place of
 * its own: Codex asks the system, which answers what `USERPROFILE` says.
 *
 * @param on The platform, as `process.platform` names it.
 * @returns The path, or `undefined` if the user has no home.
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
