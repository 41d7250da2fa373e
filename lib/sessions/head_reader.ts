/** Reads the heads and runs of many session files through a cache. */

import { mapAtOnce } from "./_at_once.ts";
import { loadHead } from "./_head_loading.ts";
import { groupsBy, sum } from "../groups.ts";
import { HeadCache } from "./head_cache.ts";
import { type Session, titleOf } from "./session.ts";
import {
  type ListedFile,
  lookAtAll,
  madeAt,
  type SessionFile,
} from "./session_files.ts";
import type { SessionHead } from "./session_head.ts";
import { NamesByHome } from "./session_names.ts";
import { readSessionRun, type SessionRun } from "./session_run.ts";

/** How many files are open at once. */
const AT_ONCE = 16;
/** How many forks back a history is followed; damaged ones may continue each other. */
const MAX_FORKS = 64;

/** Makes sessions of session files: reads their heads, and looks up their names. */
export class HeadReader {
  readonly #files: readonly ListedFile[];
  readonly #caches: ReadonlyMap<string, HeadCache>;
  readonly names: NamesByHome;

  private constructor(
    files: readonly ListedFile[],
    caches: ReadonlyMap<string, HeadCache>,
    names: NamesByHome,
  ) {
    this.#files = files;
    this.#caches = caches;
    this.names = names;
  }

  /**
   * Opens a reader for all files of their homes, newest first, with the folder of the caches; without
   * one, for few heads, which are read sooner than a cache.
   */
  static async open(
    files: readonly ListedFile[],
    cache?: string,
  ): Promise<HeadReader> {
    const caches = new Map<string, HeadCache>();
    for (const home of new Set(files.map(({ home }) => home))) {
      caches.set(home, await HeadCache.open(cache, home));
    }
    return new HeadReader(files, caches, await NamesByHome.of(files));
  }

  /** Reads the heads of the files that still exist, and returns their sessions in the same order. */
  async read(listed: readonly ListedFile[]): Promise<Session[]> {
    const files = await lookAtAll(listed);
    const parts = groupsBy(
      await lookAtAll(this.#partsOf(files)),
      ({ sessionId }) => sessionId,
    );
    return await mapAtOnce(files, AT_ONCE, async (file) => {
      const ownHead = await this.#head(file);
      const all = parts.get(file.sessionId) ?? [file];
      const first = all.find(({ id, sessionId }) => id === sessionId) ?? file;
      const { started, firstMessage } = first === file
        ? ownHead
        : await this.#head(first);
      const head = {
        ...ownHead,
        started: started ?? ownHead.started,
        firstMessage: firstMessage ?? ownHead.firstMessage ??
          await this.#inheritedMessage(ownHead),
      };
      const name = this.names.nameOf(file, head.id);
      return { file, files: all, head, name, title: titleOf(head, name) };
    });
  }

  /** Returns all files of those sessions that have several, the oldest first. */
  #partsOf(files: readonly SessionFile[]): ListedFile[] {
    const several = files.filter(({ id, sessionId, isContinued }) =>
      isContinued || id !== sessionId
    );
    if (several.length === 0) return [];
    const sessions = new Set(several.map(({ sessionId }) => sessionId));
    // With copies in several homes, other files of a session may be in another home.
    return this.#files.filter(({ sessionId }) => sessions.has(sessionId))
      .sort((one, other) => madeAt(one) - madeAt(other));
  }

  /** Returns the first message of the history that a fork continues in other files. */
  async #inheritedMessage(fork: SessionHead): Promise<string | undefined> {
    let message: string | undefined;
    let head = fork;
    for (let forks = 0; head.kind === "fork" && forks < MAX_FORKS; forks++) {
      const { forkedFrom } = head;
      const [file] = await lookAtAll(
        this.#files.filter(({ id }) => id === forkedFrom),
      );
      if (file === undefined) break;
      head = await this.#head(file);
      message = head.firstMessage ?? message;
    }
    return message;
  }

  async #head(file: SessionFile): Promise<SessionHead> {
    const cache = this.#caches.get(file.home);
    const known = cache?.get(file)?.head;
    if (known !== undefined) return known;
    const head = await loadHead(file);
    cache?.add(file, { head });
    return head;
  }

  async save(): Promise<void> {
    const files = groupsBy(this.#files, ({ home }) => home);
    for (const [home, cache] of this.#caches) {
      await cache.save(files.get(home));
    }
  }
}

/** Options for {@linkcode readSessionRuns}. */
export interface ReadSessionRunsOptions {
  /**
   * The folder in which heads and runs are cached between calls; see {@linkcode cacheFolder}.
   * Without it, nothing is written.
   *
   * @default {undefined}
   */
  readonly cache?: string | undefined;
  /**
   * Ends the work when it is aborted: its reason is thrown.
   *
   * @default {undefined}
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads how sessions ended, one after the other, each when the next result is requested; see
 * {@linkcode readSessionRun}. Files are read whole, except those that are in the cache and have not
 * changed since. The tokens and the duration of a session in several files are those of all of
 * them, even if turns were taken back.
 *
 * @typeParam S The type of a session.
 * @param sessions The sessions.
 * @param options The cache folder and the signal.
 * @returns Each session with its run; `undefined` as the run if a file cannot be read.
 *
 * @example The sessions that failed
 * ```ts ignore
 * import { listSessions, readSessionRuns } from "@codexpipe/codexpipe/sessions";
 *
 * const { sessions } = await listSessions({ limit: 20 });
 * for await (const [{ title }, run] of readSessionRuns(sessions)) {
 *   if (run?.outcome === "failed") console.log(title);
 * }
 * ```
 */
export async function* readSessionRuns<S extends Pick<Session, "files">>(
  sessions: Iterable<S>,
  { cache, signal }: ReadSessionRunsOptions = {},
): AsyncGenerator<readonly [session: S, run: SessionRun | undefined], void> {
  const caches = new Map<string, HeadCache>();
  try {
    for (const session of sessions) {
      const runs: (SessionRun | undefined)[] = [];
      for (const file of session.files) {
        const known = caches.get(file.home) ??
          await HeadCache.open(cache, file.home);
        caches.set(file.home, known);
        let run = known.get(file)?.run;
        if (run === undefined) {
          run = await readSessionRun(file, signal);
          if (run !== undefined) known.add(file, { run });
        }
        runs.push(run);
      }
      yield [session, runs.reduce(joined)];
    }
  } finally {
    for (const known of caches.values()) await known.save();
  }
}

/** Joins the run of one file of a session with that of the next one. */
function joined(
  one: SessionRun | undefined,
  next: SessionRun | undefined,
): SessionRun | undefined {
  return one && next && {
    outcome: next.outcome,
    totalTokens: sum(one.totalTokens, next.totalTokens),
    durationMs: sum(one.durationMs, next.durationMs),
  };
}
