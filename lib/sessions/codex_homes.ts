/**
 * Where Codex keeps its files, and where codexpipe keeps its own.
 *
 * @module
 */

import { join, resolve, sep } from "node:path";
import { platform } from "node:process";

/** Gives the value of an environment variable. */
export type Environment = (name: string) => string | undefined;

/** What is known about where the Codex homes are. */
export interface CodexHomesOptions {
  /** The environment. */
  readonly env: Environment;
  /**
   * The homes that somebody named; if there are any, no other counts.
   *
   * @default {[]}
   */
  readonly given?: readonly string[];
}

/**
 * Says which Codex homes to look into: those that were named, else `CODEX_HOME`, else
 * `.codex` in the user's home. Whether they exist is not looked at. A `~` at the start of one
 * that was named stands for the user's home.
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
export function codexHomesFrom(
  { env, given = [] }: CodexHomesOptions,
): string[] {
  if (given.length > 0) {
    return unique(given.map((home) => resolve(withUserHome(home, env))));
  }
  const named = nonEmpty(env("CODEX_HOME"));
  if (named !== undefined) return [resolve(named)];
  const user = userHome(env);
  return user === undefined ? [] : [resolve(user, ".codex")];
}

/** Where {@linkcode cacheFolder} looks. */
export interface CacheFolderOptions {
  /** The environment. */
  readonly env: Environment;
  /**
   * The platform, as `process.platform` names it.
   *
   * @default {process.platform}
   */
  readonly platform?: string;
}

/**
 * Says where codexpipe keeps what it can make again: a folder of its own in the user's
 * cache folder (`XDG_CACHE_HOME`; `LOCALAPPDATA` on Windows; `~/Library/Caches` on macOS;
 * else `~/.cache`). It is not made, and may be deleted at any time.
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
export function cacheFolder(options: CacheFolderOptions): string | undefined {
  const { env } = options;
  const on = options.platform ?? platform;
  const named = nonEmpty(env("XDG_CACHE_HOME")) ??
    (on === "win32" ? nonEmpty(env("LOCALAPPDATA")) : undefined);
  if (named !== undefined) return resolve(named, "codexpipe");
  const user = userHome(env);
  if (user === undefined) return undefined;
  const place = on === "darwin" ? ["Library", "Caches"] : [".cache"];
  return resolve(join(user, ...place, "codexpipe"));
}

/**
 * Puts the user's home in the place of a `~` that a path begins with. Shells do so for words
 * of their own, but leave it as it is behind the `=` of an option.
 */
export function withUserHome(path: string, env: Environment): string {
  const home = userHome(env);
  return home !== undefined && /^~(?:[\\/]|$)/.test(path)
    ? home + path.slice(1)
    : path;
}

/** Says whether a path is a folder, or lies below it. */
export function isInside(path: string, folder: string): boolean {
  const at = resolve(path);
  const root = resolve(folder);
  return at === root || at.startsWith(root.endsWith(sep) ? root : root + sep);
}

function userHome(env: Environment): string | undefined {
  return nonEmpty(env("HOME")) ?? nonEmpty(env("USERPROFILE"));
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
