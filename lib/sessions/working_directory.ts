/** Whether a session ran in a folder. */

import { realpath } from "node:fs/promises";
import { resolve, win32 } from "node:path";

/** A drive, or a server or what else lifts the limit on the length of paths. */
const WINDOWS_REGEXP = /^(?:[a-z]:[\\/]|\\\\)/i;
const LONG_PATH_REGEXP = /^\\\\\?\\/;
const LONG_SERVER_REGEXP = /^\\\\\?\\UNC\\/i;

/**
 * Tells whether a path is an absolute one of Windows, which is no relative one anywhere else:
 * sessions may have been brought from there, or be read from Linux on Windows.
 */
export function isWindowsPath(path: string): boolean {
  return WINDOWS_REGEXP.test(path);
}

/**
 * A folder that sessions may have run in, or below. Of paths of Windows, upper and lower case
 * are the same, and both slashes.
 *
 * @example Which sessions are of a project
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
   * Looks at a folder; a link to one stands for the folder, too.
   *
   * @param folder Its path; it need not exist any more.
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
   * Says whether a working directory is this folder, or lies below it.
   *
   * @param cwd The working directory, as the session wrote it down; nothing if it did not.
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

/** Gives a path of Windows the one spelling of the many that it may have. */
function comparable(path: string): string {
  if (!isWindowsPath(path)) return path;
  return path.replaceAll("/", "\\").replace(LONG_SERVER_REGEXP, "\\\\")
    .replace(LONG_PATH_REGEXP, "").toLowerCase();
}
