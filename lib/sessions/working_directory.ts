/**
 * Whether a session ran in a folder.
 *
 * @module
 */

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";

/**
 * A folder that sessions may have run in, or below.
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
    const path = resolve(folder);
    return new WorkingFolder([path, await realpath(path).catch(() => path)]);
  }

  /**
   * Says whether a working directory is this folder, or lies below it.
   *
   * @param cwd The working directory, as the session wrote it down; nothing if it did not.
   */
  holds(cwd: string | null | undefined): boolean {
    if (cwd === undefined || cwd === null) return false;
    return this.#paths.some((folder) =>
      cwd === folder ||
      cwd.startsWith(/[\\/]$/.test(folder) ? folder : `${folder}/`) ||
      cwd.startsWith(`${folder}\\`)
    );
  }
}
