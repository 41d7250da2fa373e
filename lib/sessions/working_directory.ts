/** Compares working directories of sessions with a folder. */

import { realpath } from "node:fs/promises";
import { resolve, win32 } from "node:path";

/** A drive, or a path that begins with two backslashes: a server, or the prefix of long paths. */
const WINDOWS_REGEXP = /^(?:[a-z]:[\\/]|\\\\)/i;
const LONG_PATH_REGEXP = /^\\\\\?\\/;
const LONG_SERVER_REGEXP = /^\\\\\?\\UNC\\/i;
/** A drive of Windows in WSL: a session that Codex resumes there has its path in lower case. */
const MOUNTED_DRIVE_REGEXP = /^\/mnt\/[a-z](?:\/|$)/i;

/**
 * Whether a path is an absolute one of Windows. On other systems it must not be read as a relative
 * path: sessions may have been copied from Windows, or be read from Linux that runs on Windows.
 */
export function isWindowsPath(path: string): boolean {
  return WINDOWS_REGEXP.test(path);
}

/**
 * A folder that contains working directories of sessions. In paths of Windows letter case is
 * ignored, also where WSL mounts a drive (`/mnt/c`), and both slashes are equal.
 *
 * @example The sessions of a project
 * ```ts
 * import { WorkingFolder } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const project = await WorkingFolder.of("/home/me/project");
 *
 * assertEquals(project.holds("/home/me/project/lib"), true);
 * assertEquals(project.holds("/home/me/project2"), false);
 * ```
 */
export class WorkingFolder {
  readonly #paths: readonly string[];

  private constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /**
   * Resolves a folder; if it is a link, its target counts as the folder, too.
   *
   * @param folder The path of the folder, which need not exist.
   * @returns The folder.
   */
  static async of(folder: string): Promise<WorkingFolder> {
    const path = isWindowsPath(folder)
      ? win32.resolve(folder)
      : resolve(folder);
    const real = await realpath(path).catch(() => path);
    return new WorkingFolder([comparable(path), comparable(real)]);
  }

  /**
   * Whether a working directory is this folder, or is in it.
   *
   * @param cwd The working directory in the session; `undefined` or `null` if it has none.
   */
  holds(cwd: string | null | undefined): boolean {
    if (cwd === undefined || cwd === null) return false;
    const at = comparable(cwd);
    return this.#paths.some((folder) =>
      at === folder ||
      at.startsWith(/[\\/]$/.test(folder) ? folder : `${folder}/`) ||
      at.startsWith(`${folder}\\`)
    );
  }
}

/** Returns one spelling of a path of Windows for all that it may have. */
function comparable(path: string): string {
  if (MOUNTED_DRIVE_REGEXP.test(path)) return path.toLowerCase();
  if (!isWindowsPath(path)) return path;
  return path.replaceAll("/", "\\").replace(LONG_SERVER_REGEXP, "\\\\")
    .replace(LONG_PATH_REGEXP, "").toLowerCase();
}
