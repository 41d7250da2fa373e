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
import { fieldsOf, listOf, parseJson, textOf } from "../json/fields.ts";
import type { ListedFile, SessionFile } from "./session_files.ts";
import { cacheNameOf, isInside } from "./codex_homes.ts";
import type { SessionHead, SessionKind } from "./session_head.ts";
import type { SessionRun } from "./session_run.ts";

/** The version of the cached data; caches of another version are ignored. */
const VERSION = 7;

/** The age in milliseconds from which on a temporary file was left behind by a killed process. */
const ABANDONED = 60 * 60_000;

/** The cached facts of a file, with its size and time when it was read. */
interface Entry {
  readonly size: number;
  readonly mtime: number;
  readonly head?: SessionHead | undefined;
  readonly run?: SessionRun | undefined;
}

/** The most rows written: longer texts exceed the limits of engines. */
const MAX_ROWS = 100_000;

const KINDS: readonly SessionKind[] = ["main", "fork", "subagent"];
const OUTCOMES: readonly SessionRun["outcome"][] = [
  "completed",
  "failed",
  "aborted",
  "open",
];

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
  /** The {@linkcode writeOf} of the cache file before it was read. */
  readonly #write: string;
  #hasNews = false;

  private constructor(
    path: string | undefined,
    write: string,
    entries: Entries,
  ) {
    this.#path = path;
    this.#write = write;
    this.#entries = entries;
  }

  /**
   * Opens the cache of a home.
   *
   * @param folder The folder of all caches. Without one nothing is cached, nor in a folder inside
   *   the Codex home, which is never written to.
   */
  static async open(
    folder: string | undefined,
    home: string,
  ): Promise<HeadCache> {
    const path = pathOf(folder, home);
    return path === undefined
      ? new HeadCache(path, "", new Map())
      : new HeadCache(path, await writeOf(path), await readEntries(path));
  }

  /** Returns the size in bytes of the cache of a home; 0 if there is none. */
  static async sizeOf(
    folder: string | undefined,
    home: string,
  ): Promise<number> {
    const path = pathOf(folder, home);
    const facts = path && await stat(path).catch(() => undefined);
    return facts ? facts.size : 0;
  }

  /** Returns the head of a file, if the file has not changed. */
  get(file: SessionFile): SessionHead | undefined {
    return this.#entryOf(file)?.head;
  }

  /** Returns the run of a session, if its file has not changed. */
  runOf(file: SessionFile): SessionRun | undefined {
    return this.#entryOf(file)?.run;
  }

  /** Caches the head of a file, unless it has a problem, which may be gone next time. */
  set(file: SessionFile, head: SessionHead): void {
    if (head.problem === undefined) this.#add(file, { head });
  }

  /** Caches the run of a session. */
  setRun(file: SessionFile, run: SessionRun): void {
    this.#add(file, { run });
  }

  #entryOf({ path, size, mtime }: SessionFile): Entry | undefined {
    const entry = this.#entries.get(path);
    return entry?.size === size && entry.mtime === mtime ? entry : undefined;
  }

  #add(file: SessionFile, news: Pick<Entry, "head" | "run">): void {
    const { path, size, mtime } = file;
    this.#entries.set(path, { ...this.#entryOf(file), size, mtime, ...news });
    this.#hasNews = true;
  }

  /**
   * Writes new entries. Of the old ones, only those of `files` are kept, all files of the home,
   * newest first; without it, all are.
   */
  async save(files?: readonly ListedFile[]): Promise<void> {
    if (this.#path === undefined || !this.#hasNews) return;
    this.#hasNews = false;
    // Another process may have written the file since.
    const isSame = await writeOf(this.#path) === this.#write;
    const known = isSame
      ? this.#entries
      : new Map([...await readEntries(this.#path), ...this.#entries]);
    const paths = files?.map(({ path }) => path) ?? [...known.keys()];
    const rows = paths.flatMap((path): string[] => {
      const { size, mtime, head, run } = known.get(path) ?? {};
      if (size === undefined) return [];
      return [JSON.stringify([path, size, mtime, head ?? null, run ?? null])];
    });
    const body = rows.slice(0, MAX_ROWS).join("\n");
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

/** Returns the path of the cache of a home; `undefined` if it has none. */
function pathOf(folder: string | undefined, home: string): string | undefined {
  if (folder === undefined || isInside(folder, home)) return undefined;
  return join(folder, "heads", `${cacheNameOf(home)}.jsonl`);
}

/** Entries, by the paths of their files. */
type Entries = Map<string, Entry>;

/** Returns a text that differs after each write of a cache file; empty if there is no file. */
async function writeOf(path: string): Promise<string> {
  const facts = await stat(path).catch(() => undefined);
  return facts ? `${facts.ino} ${facts.mtimeMs} ${facts.size}` : "";
}

async function readEntries(path: string): Promise<Entries> {
  const entries: Entries = new Map();
  const text = await readFile(path, "utf8").catch(() => "");
  const end = text.indexOf("\n");
  const header = text.slice(0, end);
  const body = text.slice(end + 1, -1);
  if (end === -1 || header !== headerOf(body)) return entries;
  for (const row of body.split("\n")) {
    const [path, size, mtime, ...written] = listOf(parseJson(row));
    if (typeof path !== "string") continue;
    if (typeof size !== "number" || typeof mtime !== "number") continue;
    const [head, run] = [headOf(written[0]), runOf(written[1])];
    entries.set(path, { size, mtime, head, run });
  }
  return entries;
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

/** Parses a cached head; `undefined` if it is not valid. */
function headOf(value: unknown): SessionHead | undefined {
  const fields = fieldsOf(value);
  const { id, hasHeader } = fields;
  const kind = KINDS.find((kind) => kind === fields.kind);
  if (typeof id !== "string" || typeof hasHeader !== "boolean") {
    return undefined;
  }
  if (kind === undefined) return undefined;
  return {
    id,
    started: textOf(fields.started),
    firstMessage: textOf(fields.firstMessage),
    cwd: textOf(fields.cwd),
    gitBranch: textOf(fields.gitBranch),
    gitCommit: textOf(fields.gitCommit),
    gitUrl: textOf(fields.gitUrl),
    cliVersion: textOf(fields.cliVersion),
    source: textOf(fields.source),
    originator: textOf(fields.originator),
    model: textOf(fields.model),
    modelProvider: textOf(fields.modelProvider),
    kind,
    forkedFrom: textOf(fields.forkedFrom),
    parent: textOf(fields.parent),
    agent: textOf(fields.agent),
    historyMode: textOf(fields.historyMode),
    hasHeader,
    problem: undefined,
  };
}

/** Parses a cached run; `undefined` if it is not valid. */
function runOf(value: unknown): SessionRun | undefined {
  if (value === null) return undefined;
  const { outcome, totalTokens, durationMs } = fieldsOf(value);
  const known = OUTCOMES.find((each) => each === outcome) ?? null;
  const isCount = (each: unknown): each is number | null =>
    each === null || typeof each === "number";
  if (!isCount(totalTokens) || !isCount(durationMs)) return undefined;
  return { outcome: known, totalTokens, durationMs };
}
