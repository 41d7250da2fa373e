/** Watches Codex homes for session files that are written to, archived, packed or deleted. */

import { existsSync, watch } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { checkedList } from "../checked.ts";
import { type ChangeWaiter, until } from "../files/file_changes.ts";
import { codexHomesFrom } from "./codex_homes.ts";
import { HeadReader } from "./head_reader.ts";
import {
  type FindSessionFilesOptions,
  listSessionFiles,
  lookAtAll,
  lookedAt,
  rootsOf,
  type SessionFile,
  type SessionProblem,
  statNow,
} from "./session_files.ts";
import type { Session } from "./session.ts";
import { idInName } from "./session_start.ts";

/**
 * A change of a session file.
 *
 * - `written`: the file is new, or was written to.
 * - `closed`: the program that wrote the file has closed it; reported only where the platform does,
 *   which is on Linux in Deno.
 * - `archived`, `unarchived`, `packed`, `unpacked`: the file goes on under another name.
 * - `deleted`: the file is gone, and under no other name.
 */
export interface SessionChange {
  /** The kind of the change. */
  readonly type:
    | "written"
    | "closed"
    | "archived"
    | "unarchived"
    | "packed"
    | "unpacked"
    | "deleted";
  /** The file after the change; before it, if the file was deleted. */
  readonly file: SessionFile;
  /** The time of the change, or when it was noticed, in milliseconds since 1970. */
  readonly at: number;
}

/** The result of one look at Codex homes. */
export interface HomeLook {
  /** The changes since the look before. */
  readonly changes: readonly SessionChange[];
  /** The folders that could not be read; empty if the homes were not listed. */
  readonly problems: readonly SessionProblem[];
}

/** Options for {@linkcode HomeWatch}. */
export interface HomeWatchOptions extends FindSessionFilesOptions {
  /**
   * The time from which on the first look reports changes, in milliseconds since 1970. Files
   * written to in the last half hour are reported in any case.
   *
   * @default {Infinity}
   */
  readonly since?: number | undefined;
  /**
   * Waits for changes, and may report the paths of changed files.
   *
   * @default {undefined} Waits for reports of the platform, at most 200 milliseconds.
   */
  readonly changes?: ChangeWaiter | undefined;
  /**
   * The clock, in milliseconds since 1970.
   *
   * @default {Date.now}
   */
  readonly now?: (() => number) | undefined;
}

/**
 * After how many milliseconds without a write a file is not checked any more until the platform
 * reports one. Half an hour: most commands that a model waits for take less.
 */
export const LATELY_MS: number = 30 * 60_000;
/**
 * How often all files are checked, in milliseconds: for 10,000 files it takes a third of a second.
 * It finds old sessions that are continued where the platform does not report it.
 */
const SWEEP_MS = 5 * 60_000;
/**
 * For how many milliseconds after a change of a folder the next one may leave its modification time
 * as it is: file systems write the time of the kernel's last tick.
 */
const TICK_MS = 100;
/** The same for file systems that round to whole seconds, as over SFTP, or to even ones, as FAT. */
const ROUNDED_MS = 2_000;

/** A folder that new files are created in, at a look. */
interface SeenFolder {
  /** Its modification time; `undefined` if there is no folder. */
  readonly time: number | undefined;
  /** When this time was first seen, by the clock of this machine: that of a server may differ. */
  readonly since: number;
  /** Whether a later change may leave the time as it is, so that the folder has to be listed. */
  readonly mayHide: boolean;
}

/** A folder that may have changed since it was listed. */
const UNSEEN: SeenFolder = { time: undefined, since: -Infinity, mayHide: true };

/**
 * Watches Codex homes without opening files. Homes and folders may appear and disappear.
 *
 * Uses the reports of the platform about `sessions` and `archived_sessions`, but does not rely on
 * them, since some file systems report nothing: files written to lately and the folders for new
 * files are checked at each look, all others every five minutes. Where a folder has changed, the
 * homes are listed again.
 *
 * @example The files written since a time
 * ```ts
 * import { HomeWatch } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const home = new HomeWatch({ codexHomes: ["no/such/home"], since: 0 });
 * const { changes } = await home.look();
 * home.close();
 *
 * assertEquals(changes, []);
 * ```
 */
export class HomeWatch {
  readonly #homes: readonly string[];
  readonly #since: number;
  readonly #changes: ChangeWaiter;
  readonly #now: () => number;
  readonly #files = new Map<string, SessionFile>();
  /** The files that are checked at each look. */
  readonly #lively = new Map<string, SessionFile>();
  #folders: Map<string, SeenFolder> = new Map();
  /** The files missing in the last list: they may have been moved while the folders were read. */
  #missing: ReadonlySet<string> = new Set();
  #sweptAt = -Infinity;

  /**
   * Constructs a new instance.
   *
   * @param options The homes, and the start time.
   */
  constructor(options: HomeWatchOptions = {}) {
    const { codexHomes = codexHomesFrom(), since = Infinity } = options;
    this.#homes = checkedList("codexHomes", codexHomes).map((home) =>
      resolve(home)
    );
    this.#since = since;
    this.#now = options.now ?? Date.now;
    this.#changes = options.changes ?? new HomeChanges(this.#roots);
  }

  /** How many sessions there were at the last look. */
  get size(): number {
    return this.#files.size;
  }

  get #roots(): readonly string[] {
    return rootsOf(this.#homes).map(({ path }) => path);
  }

  /** Reads the sessions of files, in their order. */
  async sessions(files: readonly SessionFile[]): Promise<Session[]> {
    // The first message of a session may be in another file.
    const reader = await HeadReader.open([...this.#files.values()]);
    return await reader.read(files);
  }

  /** Looks for changes. */
  async look(): Promise<HomeLook> {
    const changes: SessionChange[] = [];
    const hasNews = this.#glance(changes);
    const now = this.#now();
    // The clock may have been set back.
    const isSweep = Math.abs(now - this.#sweptAt) >= SWEEP_MS;
    if (!isSweep && !hasNews && this.#missing.size === 0) {
      return { changes, problems: [] };
    }
    const { files: listed, problems } = await listSessionFiles(this.#homes);
    const files = await lookAtAll(listed.map((file) => {
      const known = this.#files.get(file.key);
      return known?.path === file.path && !isSweep ? known : file;
    }));
    this.#take(files, changes);
    this.#rememberFolders(files);
    if (isSweep) this.#sweptAt = now;
    return { changes, problems };
  }

  get #isFirst(): boolean {
    return this.#sweptAt === -Infinity;
  }

  /**
   * Waits until there may be changes.
   *
   * @param signal Ends the waiting.
   */
  async wait(signal: AbortSignal): Promise<void> {
    await this.#changes.wait(this.#homes[0] ?? "", signal);
  }

  /** Closes the watches. */
  close(): void {
    this.#changes.close();
  }

  /** Checks the lively files and the folders for new ones; returns whether a folder has changed. */
  #glance(changes: SessionChange[]): boolean {
    const now = this.#now();
    let hasNews = false;
    const reported = this.#changes.told?.() ?? new Map();
    for (const path of reported.keys()) {
      const file = this.#files.get(idInName(basename(path)) ?? path);
      if (file === undefined || file.path !== path) hasNews = true;
      else this.#lively.set(file.key, file);
    }
    for (const [path, seen] of this.#folders) {
      const time = statNow(path)?.mtimeMs;
      const isOther = time !== seen.time;
      if (isOther || seen.mayHide) hasNews = true;
      const since = isOther ? now : seen.since;
      const tick = time !== undefined && time % 1000 === 0
        ? ROUNDED_MS
        : TICK_MS;
      const mayHide = Math.abs(now - since) < tick;
      this.#folders.set(path, { time, since, mayHide });
    }
    for (const [key, file] of this.#lively) {
      const facts = statNow(file.path);
      if (facts === undefined) {
        hasNews = true;
        continue;
      }
      const seen = lookedAt(file, facts);
      const isWritten = seen.size !== file.size || seen.mtime !== file.mtime;
      this.#lively.set(key, seen);
      this.#files.set(key, seen);
      if (isWritten) changes.push({ type: "written", file: seen, at: now });
      if (reported.get(file.path)?.isClosed === true) {
        changes.push({ type: "closed", file: seen, at: now });
      }
      if (now - seen.mtime > LATELY_MS) this.#lively.delete(key);
    }
    return hasNews;
  }

  /** Takes over the files that were found, and adds their changes. */
  #take(files: readonly SessionFile[], changes: SessionChange[]): void {
    const found = new Set(files.map(({ key }) => key));
    const missing = new Set<string>();
    for (const [key, file] of this.#files) {
      if (found.has(key)) continue;
      // It may have been moved to a folder that was read before: it is deleted if missing twice.
      if (this.#missing.has(key)) {
        this.#files.delete(key);
        this.#lively.delete(key);
        changes.push({ type: "deleted", file, at: this.#now() });
      } else missing.add(key);
    }
    for (const file of files) {
      changes.push(...this.#compare(file, this.#files.get(file.key)));
      this.#files.set(file.key, file);
    }
    this.#missing = missing;
  }

  #compare(file: SessionFile, known: SessionFile | undefined): SessionChange[] {
    const now = this.#now();
    const isPacked = file.compression !== "none";
    const changes: SessionChange[] = [];
    const add = (type: SessionChange["type"], at = now): void => {
      changes.push({ type, file, at });
    };
    const isWritten = known === undefined
      ? !this.#isFirst || file.mtime > this.#since ||
        now - file.mtime <= LATELY_MS
      : known.path !== file.path || known.size !== file.size ||
        known.mtime !== file.mtime;
    if (isWritten) {
      add("written");
      this.#lively.set(file.key, file);
    }
    if (this.#isFirst && this.#since !== Infinity) {
      // The time of archiving or packing is known only from the change time of the file.
      const isMoved = file.isArchived || isPacked;
      const at = isMoved ? statNow(file.path)?.ctimeMs ?? 0 : 0;
      if (at > this.#since) add(isPacked ? "packed" : "archived", at);
    }
    if (known === undefined) return changes;
    if (known.isArchived !== file.isArchived) {
      add(file.isArchived ? "archived" : "unarchived");
    }
    if ((known.compression !== "none") !== isPacked) {
      add(isPacked ? "packed" : "unpacked");
    }
    return changes;
  }

  /** Selects the folders that new files are created in. `newest` is the first of `files`. */
  #rememberFolders([newest]: readonly SessionFile[]): void {
    const folders = new Set(this.#roots);
    const files = [...this.#lively.values()];
    for (const file of newest ? [newest, ...files] : files) {
      for (const folder of foldersOf(file)) folders.add(folder);
    }
    this.#folders = new Map(
      [...folders].map((path) => [path, this.#folders.get(path) ?? UNSEEN]),
    );
  }
}

/** Returns the folder of a file and its parent folders, up to its home. */
function foldersOf({ path, home }: SessionFile): string[] {
  const folders: string[] = [];
  for (let at = path; (at = dirname(at)).length > home.length;) {
    folders.push(at);
  }
  return folders;
}

/** The longest wait in milliseconds: two looks take less than half a second. */
const POLL_MS = 200;
/** How long to wait after a report, in milliseconds: writes come in bursts. */
const BURST_MS = 30;

/** Waits for reports of the platform about folders and everything in them. */
class HomeChanges implements ChangeWaiter {
  readonly #folders: Set<string>;
  readonly #watchers = new Set<{ close(): void }>();
  #reported = new Map<string, { readonly isClosed: boolean }>();
  #wake: () => void = () => {};

  constructor(folders: readonly string[]) {
    this.#folders = new Set(folders);
  }

  told(): ReadonlyMap<string, { readonly isClosed: boolean }> {
    this.#watch();
    const reported = this.#reported;
    this.#reported = new Map();
    return reported;
  }

  async wait(_path: string, signal: AbortSignal): Promise<void> {
    if (this.#reported.size === 0) {
      await until(POLL_MS, signal, (wake) => this.#wake = wake);
    }
    if (this.#reported.size > 0) await until(BURST_MS, signal, () => {});
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers.clear();
  }

  /** Watches the folders that exist by now; each is tried once. */
  #watch(): void {
    for (const folder of this.#folders) {
      if (!existsSync(folder)) continue;
      this.#folders.delete(folder);
      try {
        this.#watchers.add(
          typeof Deno === "undefined"
            ? this.#watchByNode(folder)
            : this.#watchByDeno(folder),
        );
      } catch {
        // The platform has no watch left: the timer alone ends waits.
      }
    }
  }

  #watchByNode(folder: string): { close(): void } {
    const options = { persistent: false, recursive: true };
    const watcher = watch(folder, options, (_event, name) => {
      if (name !== null) this.#report(join(folder, name), false);
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  }

  /** Only the watch of Deno reports that a program has closed a file after writing. */
  #watchByDeno(folder: string): { close(): void } {
    const watcher = Deno.watchFs(folder);
    const read = async (): Promise<void> => {
      for await (const { kind, paths } of watcher) {
        for (const path of paths) this.#report(path, kind === "access");
      }
    };
    read().catch(() => {});
    return watcher;
  }

  #report(path: string, isClosed: boolean): void {
    this.#reported.set(path, {
      isClosed: isClosed || this.#reported.get(path)?.isClosed === true,
    });
    this.#wake();
  }
}
