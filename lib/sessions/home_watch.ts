/** Watching Codex homes: which session files are written to, archived, packed, deleted. */

import { existsSync, type Stats, statSync, watch } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { checkedList } from "../checked.ts";
import type { ChangeWaiter } from "../files/file_changes.ts";
import { codexHomesFrom, isInside } from "./codex_homes.ts";
import { HeadReader } from "./head_reader.ts";
import {
  filesThatCount,
  findSessionFiles,
  type FindSessionFilesOptions,
  type FoundFile,
  lookAtAll,
  lookedAt,
  type PlacedPath,
  readFolder,
  type SessionFile,
  type SessionProblem,
} from "./session_files.ts";
import type { Session } from "./session.ts";
import { idInName } from "./session_start.ts";

/**
 * What happened to a session file.
 *
 * - `written`: it is new, or was written to.
 * - `closed`: the program that wrote it has closed it, as far as the platform tells: on Linux, in Deno.
 * - `archived`, `unarchived`, `packed`, `unpacked`: it goes on under another name.
 * - `deleted`: it is gone, and nowhere else.
 */
export interface SessionChange {
  /** What happened. */
  readonly type:
    | "written"
    | "closed"
    | "archived"
    | "unarchived"
    | "packed"
    | "unpacked"
    | "deleted";
  /** The file as it is now, or as it was before it was deleted. */
  readonly file: SessionFile;
  /** When it happened, or was seen, in milliseconds since 1970. */
  readonly at: number;
}

/** What a look at Codex homes has shown. */
export interface HomeLook {
  /** What has happened since the look before. */
  readonly changes: readonly SessionChange[];
  /** The folders that could not be read; empty where they were not looked at. */
  readonly problems: readonly SessionProblem[];
}

/** Options for {@linkcode HomeWatch}. */
export interface HomeWatchOptions extends FindSessionFilesOptions {
  /**
   * From when on the first look tells what happened, in milliseconds since 1970. Files that were
   * written to in the last {@linkcode LATELY_MS} are told in any case.
   *
   * @default {Infinity}
   */
  readonly since?: number | undefined;
  /**
   * The folder where heads are remembered; see {@linkcode cacheFolder}. It is only read.
   *
   * @default {undefined}
   */
  readonly cache?: string | undefined;
  /**
   * Knows when to look again, and may say at which files.
   *
   * @default {undefined} The platform is asked, and every quarter of a second it is looked anyway.
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
 * A file that was not written to for so long, in milliseconds, is left alone until it is. Half an
 * hour: most commands that a model waits for are done by then.
 */
export const LATELY_MS: number = 30 * 60_000;
/**
 * How often all files are looked at, in milliseconds: for 10,000 that is a third of a second of
 * work. It is for old sessions that are gone on with where the platform does not tell.
 */
const SWEEP_MS = 5 * 60_000;

/**
 * Watches Codex homes without opening a file. Homes and folders may come and go.
 *
 * Where the platform tells what happens below `sessions` and `archived_sessions`, that is heeded.
 * It is not relied on, since not every file system tells: files that were written to lately and
 * the folders that new ones come into are looked at each time, all others every five minutes.
 *
 * @example What was written since a time
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
  readonly #cache: string | undefined;
  readonly #changes: ChangeWaiter;
  readonly #now: () => number;
  /** All files, by what tells their sessions apart. */
  readonly #files = new Map<string, SessionFile>();
  /** The folders that have been read. */
  readonly #known = new Set<string>();
  /** The files that are looked at each time. */
  readonly #lively = new Map<string, SessionFile>();
  /** When the folders were changed that new files come into. */
  #folders: Map<string, number | undefined> = new Map();
  /** What was not there at the last look at all files: it may have been moved meanwhile. */
  #missing: ReadonlySet<string> = new Set();
  #sweptAt = -Infinity;

  /**
   * Constructs a new instance.
   *
   * @param options Where to look, and from when on.
   */
  constructor(options: HomeWatchOptions = {}) {
    const { codexHomes = codexHomesFrom(), since = Infinity } = options;
    this.#homes = checkedList("codexHomes", codexHomes).map((home) =>
      resolve(home)
    );
    this.#since = since;
    this.#cache = options.cache;
    this.#now = options.now ?? Date.now;
    this.#changes = options.changes ??
      new HomeChanges(this.#homes.flatMap(rootsOf));
  }

  /** How many sessions there are; `undefined` until all have been looked at. */
  get size(): number | undefined {
    return this.#isFirst ? undefined : this.#files.size;
  }

  /** Reads what there is to say of the sessions of files, in their order. */
  async sessions(files: readonly SessionFile[]): Promise<Session[]> {
    // What a session began with may stand in another file.
    const isAlone = files.every(({ id, sessionId }) => id === sessionId);
    const all = isAlone ? files : [...this.#files.values()];
    return await (await HeadReader.open(all, this.#cache)).read(files);
  }

  /** Looks what has happened. */
  async look(): Promise<HomeLook> {
    const changes: SessionChange[] = [];
    if (this.#isFirst && this.#since === Infinity && this.#folders.size === 0) {
      // What is going on is shown before thousands of old files have been looked at.
      const roots = this.#homes.map((home) => join(home, "sessions"));
      await this.#readFolders(new Set(roots), changes, true);
      return { changes, problems: [] };
    }
    const folders = this.#glance(changes);
    const now = this.#now();
    if (now - this.#sweptAt < SWEEP_MS && this.#missing.size === 0) {
      if (folders.size > 0) await this.#readFolders(folders, changes);
      return { changes, problems: [] };
    }
    const { files, problems } = await findSessionFiles({
      codexHomes: this.#homes,
    });
    this.#take(files, changes, () => true);
    this.#rememberFolders();
    this.#sweptAt = now;
    return { changes, problems };
  }

  /** Whether not all files have been looked at yet. */
  get #isFirst(): boolean {
    return this.#sweptAt === -Infinity;
  }

  /**
   * Waits until something may have happened.
   *
   * @param signal Ends the waiting.
   */
  async wait(signal: AbortSignal): Promise<void> {
    await this.#changes.wait(this.#homes[0] ?? "", signal);
  }

  /** Gives back what watching needs. */
  close(): void {
    this.#changes.close();
  }

  /** Looks at what may have changed, and gives the folders that have. */
  #glance(changes: SessionChange[]): Set<string> {
    const now = this.#now();
    const folders = new Set<string>();
    const told = this.#changes.told?.() ?? new Map();
    for (const path of told.keys()) {
      const file = this.#files.get(idInName(basename(path)) ?? path);
      if (file === undefined || file.path !== path) folders.add(dirname(path));
      else if (!this.#lively.has(file.key)) this.#lively.set(file.key, file);
    }
    for (const [folder, time] of this.#folders) {
      if (statsOf(folder)?.mtimeMs !== time) folders.add(folder);
    }
    for (const [key, file] of this.#lively) {
      const facts = statsOf(file.path);
      if (facts === undefined) {
        folders.add(dirname(file.path));
        continue;
      }
      const seen = lookedAt(file, facts);
      const isWritten = seen.size !== file.size || seen.mtime !== file.mtime;
      this.#lively.set(key, seen);
      this.#files.set(key, seen);
      if (isWritten) changes.push({ type: "written", file: seen, at: now });
      if (told.get(file.path)?.isClosed === true) {
        changes.push({ type: "closed", file: seen, at: now });
      }
      if (now - seen.mtime > LATELY_MS) this.#lively.delete(key);
    }
    return folders;
  }

  /**
   * Looks at all that is in some folders, and in those in them that are new.
   *
   * @param isHasty Whether of these only those of the last days are looked at.
   */
  async #readFolders(
    folders: ReadonlySet<string>,
    changes: SessionChange[],
    isHasty = false,
  ): Promise<void> {
    const read = new Set(folders);
    const found: FoundFile[] = [];
    // A set that grows while it is walked gives its new members too.
    for (const path of read) {
      const place = this.#placeOf(path);
      if (place === undefined) continue;
      const time = statsOf(path)?.mtimeMs;
      this.#folders.set(path, time);
      if (!isHasty) this.#known.add(path);
      for (const known of time === undefined ? [...this.#known] : []) {
        // What comes back is new.
        if (isInside(known, path)) this.#known.delete(known);
      }
      const content = await readFolder(place);
      found.push(...content.files);
      const inner = content.folders.map(({ path }) => path)
        .filter((path) => !this.#known.has(path)).sort();
      for (const path of isHasty ? inner.slice(-2) : inner) read.add(path);
    }
    const files = await lookAtAll(await filesThatCount(found));
    this.#take(files, changes, ({ path }) => read.has(dirname(path)));
    this.#rememberFolders();
  }

  /** What is known of a folder of a home. */
  #placeOf(path: string): PlacedPath | undefined {
    for (const home of this.#homes) {
      const [active = "", archive = ""] = rootsOf(home);
      for (const root of [active, archive]) {
        if (path === root || isInside(path, root)) {
          return { path, home, isArchived: root === archive };
        }
      }
    }
    return undefined;
  }

  /**
   * Takes in the files that were found.
   *
   * @param isCovered Whether a file would have been found if it were still there.
   */
  #take(
    files: readonly SessionFile[],
    changes: SessionChange[],
    isCovered: (file: SessionFile) => boolean,
  ): void {
    const found = new Map(files.map((file) => [file.key, file]));
    const missing = new Set<string>();
    for (const [key, file] of this.#files) {
      if (found.has(key) || !isCovered(file)) continue;
      // It may have been moved from a folder that was read late to one that was read early.
      if (this.#missing.has(key)) {
        this.#files.delete(key);
        this.#lively.delete(key);
        changes.push({ type: "deleted", file, at: this.#now() });
      } else missing.add(key);
    }
    for (const file of files) {
      const known = this.#files.get(file.key);
      // A copy, as long as the file itself is there.
      const isCopy = known !== undefined && known.path !== file.path &&
        !isCovered(known) && statsOf(known.path) !== undefined;
      if (isCopy) continue;
      this.#files.set(file.key, file);
      if (known?.path !== file.path && !this.#known.has(dirname(file.path))) {
        for (const folder of foldersOf(file)) this.#known.add(folder);
      }
      changes.push(...this.#compare(file, known));
    }
    this.#missing = missing;
  }

  /** Says what has happened to a file since it was seen last. */
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
      // Of what was packed in the archive, nothing says when it was archived.
      const isMoved = file.isArchived || isPacked;
      const at = isMoved ? statsOf(file.path)?.ctimeMs ?? 0 : 0;
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

  /** Remembers when the folders were changed that new files come into. */
  #rememberFolders(): void {
    const folders = new Set(this.#homes.flatMap(rootsOf));
    const [newest] = this.#files.values();
    const files = [...this.#lively.values()];
    for (const file of newest ? [newest, ...files] : files) {
      for (const folder of foldersOf(file)) folders.add(folder);
    }
    // One that is new here is read again: it may have been changed since it was.
    this.#folders = new Map(
      [...folders].map((path) => [
        path,
        this.#folders.has(path) ? this.#folders.get(path) : NaN,
      ]),
    );
  }
}

/** The folder of a file, and those that it lies in, below its home. */
function foldersOf({ path, home }: SessionFile): string[] {
  const folders: string[] = [];
  for (
    let folder = dirname(path);
    folder.length > home.length;
    folder = dirname(folder)
  ) folders.push(folder);
  return folders;
}

function rootsOf(home: string): string[] {
  return [join(home, "sessions"), join(home, "archived_sessions")];
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // What cannot be looked at is told by those who open it.
    return undefined;
  }
}

/** How long it is waited at most, in milliseconds: two looks are less than half a second. */
const POLL_MS = 200;
/** How long it is waited for more when something has been told: writes come in bursts. */
const BURST_MS = 30;

/** Waits for what the platform tells of folders and all that is below them. */
class HomeChanges implements ChangeWaiter {
  readonly #folders: Set<string>;
  readonly #watchers = new Set<{ close(): void }>();
  #told = new Map<string, { readonly isClosed: boolean }>();
  #wake: () => void = () => {};

  constructor(folders: readonly string[]) {
    this.#folders = new Set(folders);
  }

  told(): ReadonlyMap<string, { readonly isClosed: boolean }> {
    this.#watch();
    const told = this.#told;
    this.#told = new Map();
    return told;
  }

  async wait(_path: string, signal: AbortSignal): Promise<void> {
    if (this.#told.size === 0) {
      await until(POLL_MS, signal, (wake) => this.#wake = wake);
    }
    if (this.#told.size > 0) await until(BURST_MS, signal, () => {});
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers.clear();
  }

  /** Watches the folders that are there by now; each is tried once. */
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
        // The platform has no watch to spare: the clock is left.
      }
    }
  }

  #watchByNode(folder: string): { close(): void } {
    const options = { persistent: false, recursive: true };
    const watcher = watch(folder, options, (_event, name) => {
      if (name !== null) this.#tell(join(folder, name), false);
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  }

  /** Only Deno's own watch says which changes are a program's that closes what it wrote. */
  #watchByDeno(folder: string): { close(): void } {
    const watcher = Deno.watchFs(folder);
    const read = async (): Promise<void> => {
      for await (const { kind, paths } of watcher) {
        for (const path of paths) this.#tell(path, kind === "access");
      }
    };
    read().catch(() => {});
    return watcher;
  }

  #tell(path: string, isClosed: boolean): void {
    this.#told.set(path, {
      isClosed: isClosed || this.#told.get(path)?.isClosed === true,
    });
    this.#wake();
  }
}

/** Waits for some time, or until the signal, or until it is woken. */
async function until(
  ms: number,
  signal: AbortSignal,
  onWait: (wake: () => void) => void,
): Promise<void> {
  if (signal.aborted) return;
  let wake = (): void => {};
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", wake);
    onWait(wake);
  });
  // A listener of each wait would be left behind on the signal.
  signal.removeEventListener("abort", wake);
}
