/** A cache of the heads and runs of session files. */

import { createHash, randomUUID } from "node:crypto";
import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ListedFile, SessionFile } from "./session_files.ts";
import { cacheNameOf, isInside } from "./codex_homes.ts";
import type { SessionHead } from "./session_head.ts";
import type { SessionRun } from "./session_run.ts";

/** The version of the cached data; caches of another version are ignored. */
const VERSION = 15;

/** The age in milliseconds from which on a temporary file was left behind by a killed process. */
const ABANDONED = 60 * 60_000;

interface CachedFacts {
  readonly head?: SessionHead | undefined;
  readonly run?: SessionRun | undefined;
}

interface Entry extends CachedFacts {
  readonly size: number;
  readonly mtime: number;
}

/** The most rows written: longer texts exceed the limits of engines. */
const MAX_ROWS = 100_000;

/**
 * Caches the heads and runs of the files of one Codex home in a file of codexpipe.
 *
 * An entry is valid as long as path, size and time of its file are the same. The cache file is
 * replaced as a whole, so a concurrent reader sees the old or the new one; when two processes write
 * at once, the entries of one of them may be lost, and their files are read again later. A cache
 * that is damaged, or of another version, counts as empty. Errors on reading or writing it are
 * ignored: heads are read from the files then.
 */
export class HeadCache {
  readonly #path: string | undefined;
  readonly #entries: Entries;
  #hasNews = false;

  private constructor(path: string | undefined, entries: Entries) {
    this.#path = path;
    this.#entries = entries;
  }

  /**
   * Opens the cache of a home in the folder of all caches. Without a folder nothing is cached, nor
   * in one inside the Codex home, which is never written to.
   */
  static async open(
    folder: string | undefined,
    home: string,
  ): Promise<HeadCache> {
    const isCached = folder !== undefined && !isInside(folder, home);
    if (!isCached) return new HeadCache(undefined, new Map());
    const path = join(folder, "heads", `${cacheNameOf(home)}.jsonl`);
    return new HeadCache(path, await readEntries(path));
  }

  /** Returns what is known of a file, if the file has not changed. */
  get({ path, size, mtime }: SessionFile): CachedFacts | undefined {
    const entry = this.#entries.get(path);
    return entry?.size === size && entry.mtime === mtime ? entry : undefined;
  }

  /** Adds facts of a file, except a head with a problem, which may be gone next time. */
  add(file: SessionFile, facts: CachedFacts): void {
    if (facts.head?.problem !== undefined) return;
    const { path, size, mtime } = file;
    this.#entries.set(path, { ...this.get(file), size, mtime, ...facts });
    this.#hasNews = true;
  }

  /** Writes new entries, and the old ones of `files`, all files of the home; of all by default. */
  async save(files?: readonly ListedFile[]): Promise<void> {
    if (this.#path === undefined || !this.#hasNews) return;
    this.#hasNews = false;
    // Another process may have written the file since.
    const known = new Map([
      ...await readEntries(this.#path),
      ...this.#entries,
    ]);
    const paths = files?.map(({ path }) => path) ?? [...known.keys()];
    const rows = paths.flatMap((path) => {
      const entry = known.get(path);
      return entry === undefined ? [] : [rowText(path, entry)];
    });
    const body = `[${rows.slice(0, MAX_ROWS).join(",")}]`;
    const temporary = `${this.#path}.${randomUUID()}.tmp`;
    try {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      await writeFile(temporary, `${headerOf(body)}\n${body}\n`, {
        mode: 0o600,
      });
      await rename(temporary, this.#path);
      await removeAbandoned(this.#path);
    } catch {
      await rm(temporary, { force: true }).catch(() => {});
    }
  }
}

type Entries = Map<string, Entry>;

/** Encodes an entry; members that are `undefined` become null. */
function rowText(path: string, entry: Entry): string {
  return JSON.stringify([path, entry], (_name, value) => value ?? null);
}

async function readEntries(path: string): Promise<Entries> {
  const text = await readFile(path, "utf8").catch(() => "");
  const [header, body = ""] = text.split("\n");
  if (header !== headerOf(body)) return new Map();
  // The casts are safe: `save` made the text, and a change of its types raises the version.
  const rows: (readonly [string, Entry])[] = JSON.parse(body);
  for (const [, entry] of rows) {
    for (const part of [entry, entry.head ?? {}] as Record<string, unknown>[]) {
      for (const name in part) part[name] ??= undefined;
    }
  }
  return new Map(rows);
}

/** Removes temporary files of processes that were killed while writing. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(basename(path)) || !name.endsWith(".tmp")) continue;
    const temporary = join(folder, name);
    const { mtimeMs } = await stat(temporary);
    if (mtimeMs < Date.now() - ABANDONED) await rm(temporary, { force: true });
  }
}

function headerOf(body: string): string {
  const sha256 = createHash("sha256").update(body).digest("hex");
  return JSON.stringify({ codexpipe: "heads", version: VERSION, sha256 });
}
