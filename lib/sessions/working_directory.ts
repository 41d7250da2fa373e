/** Compares working directories of sessions with a folder. */

import { realpath } from "node:fs/promises";
import { resolve, win32 } from "node:path";
import { comparablePath, isWindowsPath } from "../events/folders.ts";

export { comparablePath, isWindowsPath };

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
    return new WorkingFolder([comparablePath(path), comparablePath(real)]);
  }

  /**
   * Whether a working directory is this folder, or is in it.
   *
   * @param cwd The working directory in the session; `undefined` or `null` if it has none.
   */
  holds(cwd: string | null | undefined): boolean {
    if (cwd === undefined || cwd === null) return false;
    const at = comparablePath(cwd);
    return this.#paths.some((folder) =>
      at === folder ||
      at.startsWith(/[\\/]$/.test(folder) ? folder : `${folder}/`) ||
      at.startsWith(`${folder}\\`)
    );
  }
}
