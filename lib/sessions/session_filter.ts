/** Which sessions a list is about. */

import { checkedTime } from "../checked.ts";
import type { ListedFile } from "./listed_files.ts";
import type { Session } from "./session.ts";
import { startedAt } from "./session_start.ts";
import { WorkingFolder } from "./working_directory.ts";

/** Which sessions a list is about; all that is given must hold. */
export interface SessionFilter {
  /**
   * A folder: sessions whose working directory it is, or lies below it.
   *
   * @default {undefined}
   */
  readonly cwd?: string | undefined;
  /**
   * Sessions that began then or later, in milliseconds since 1970.
   *
   * @default {undefined}
   */
  readonly since?: number | undefined;
  /**
   * Sessions that began before then, in milliseconds since 1970.
   *
   * @default {undefined}
   */
  readonly until?: number | undefined;
  /**
   * Sessions that began on this branch.
   *
   * @default {undefined}
   */
  readonly branch?: string | undefined;
  /**
   * Sessions that this program began, such as `codex_exec`.
   *
   * @default {undefined}
   */
  readonly originator?: string | undefined;
  /**
   * Sessions where this matches the id, the name, the first message, the working directory,
   * the branch or the name of the agent.
   *
   * @default {undefined}
   */
  readonly grep?: RegExp | undefined;
  /**
   * `true`: archived sessions only; `false`: all but those.
   *
   * @default {undefined}
   */
  readonly archived?: boolean | undefined;
}

/** A name is local time: more than a day can lie between it and the time in UTC. */
const ZONES = 26 * 3_600_000;

/** Says of sessions whether a list is about them. */
export class SessionMatcher {
  readonly #filter: SessionFilter;
  readonly #folder: WorkingFolder | undefined;

  private constructor(
    filter: SessionFilter,
    folder: WorkingFolder | undefined,
  ) {
    this.#filter = filter;
    this.#folder = folder;
  }

  /**
   * Makes one; a link to a folder stands for the folder, too.
   *
   * @throws {RangeError} If a time is `NaN`.
   */
  static async of(filter: SessionFilter): Promise<SessionMatcher> {
    const { cwd, since, until } = filter;
    if (since !== undefined) checkedTime("since", since);
    if (until !== undefined) checkedTime("until", until);
    return new SessionMatcher(
      filter,
      cwd === undefined ? undefined : await WorkingFolder.of(cwd),
    );
  }

  /** Whether it takes heads to say which files are of sessions that match. */
  get needsHeads(): boolean {
    const { branch, originator, grep } = this.#filter;
    return this.#folder !== undefined ||
      [branch, originator, grep].some((wanted) => wanted !== undefined);
  }

  /** Whether no file behind this one, in the order newest first, can match. */
  endsAt(file: ListedFile): boolean {
    const { since } = this.#filter;
    return since !== undefined && file.start < since - ZONES;
  }

  /** Whether a file can be that of a session that matches; its head decides. */
  admits(file: ListedFile): boolean {
    const { archived, until } = this.#filter;
    if (archived !== undefined && file.isArchived !== archived) return false;
    return until === undefined || file.start < until + ZONES;
  }

  /** Whether a session matches. */
  matches(session: Session): boolean {
    const { head, name, file } = session;
    const { since, until, branch, originator, grep } = this.#filter;
    const start = startedAt(file, head.started);
    if (since !== undefined && start < since) return false;
    if (until !== undefined && start >= until) return false;
    if (branch !== undefined && head.gitBranch !== branch) return false;
    if (originator !== undefined && head.originator !== originator) {
      return false;
    }
    if (this.#folder?.holds(head.cwd) === false) return false;
    if (grep === undefined) return true;
    const { id, firstMessage, cwd, gitBranch, agent } = head;
    return [id, name, firstMessage, cwd, gitBranch, agent].some((text) =>
      // A pattern that remembers where it was would skip every other one.
      text !== undefined && text.search(grep) !== -1
    );
  }
}
