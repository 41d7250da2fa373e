/** What was read of session files before: their heads, and how they went. */

import { createHash, randomUUID } from "node:crypto";
import {
  mkdir,
  open,
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
import { isInside } from "./codex_homes.ts";
import type { SessionHead, SessionKind } from "./session_head.ts";
import type { SessionRun } from "./session_run.ts";

/** Says how heads and runs are read; with another number, old ones are forgotten. */
const VERSION = 6;

/** A file that is older, in milliseconds, was left behind by a process that ended while it wrote. */
const ABANDONED = 60 * 60_000;

/** What was read of a file, and the state that it was in. */
interface Entry {
  readonly size: number;
  readonly mtime: number;
  readonly head?: SessionHead | undefined;
  readonly run?: SessionRun | undefined;
}

/** More heads than that are not written down, lest the text grows past what engines bear. */
const MAX_ROWS = 100_000;

const KINDS: readonly SessionKind[] = ["main", "fork", "subagent"];
const OUTCOMES: readonly SessionRun["outcome"][] = [
  "completed",
  "failed",
  "aborted",
  "open",
];

/**
 * Remembers the heads of the files of one Codex home, and how they went, in a file of
 * codexpipe's own.
 *
 * It counts as long as path, size and time of the last change of its file are the same.
 * The file is replaced as a whole, so a reader at the same time has the old or the
 * new one; of two who write at once both may win, and what the other one has read is read
 * again some time. A file that is damaged, or of another version, counts as empty. What goes wrong in
 * reading or writing it is not an error: then heads are read anew.
 */
export class HeadCache {
  readonly #path: string | undefined;
  readonly #entries: Map<string, Entry>;
  /** The first line of what was read; it tells that from all else. */
  readonly #header: string;
  #hasNews = false;

  private constructor(
    path: string | undefined,
    { header, entries }: Remembered,
  ) {
    this.#path = path;
    this.#header = header;
    this.#entries = entries;
  }

  /**
   * Opens what is remembered of a home.
   *
   * @param folder The folder of all caches; nothing is remembered without one, and nothing
   *   in one that lies in the Codex home, which is only read.
   */
  static async open(
    folder: string | undefined,
    home: string,
  ): Promise<HeadCache> {
    const path = pathOf(folder, home);
    return new HeadCache(
      path,
      path === undefined ? nothing() : await readEntries(path),
    );
  }

  /**
   * Says how long what is remembered of a home is; see {@linkcode HeadCache.open}.
   *
   * @returns The size in bytes, 0 if nothing is remembered.
   */
  static async sizeOf(
    folder: string | undefined,
    home: string,
  ): Promise<number> {
    const path = pathOf(folder, home);
    const facts = path && await stat(path).catch(() => undefined);
    return facts ? facts.size : 0;
  }

  /** Gives the head of a file, if it is still the same file. */
  get(file: SessionFile): SessionHead | undefined {
    return this.#entryOf(file)?.head;
  }

  /** Gives how the session of a file went, if it is still the same file. */
  runOf(file: SessionFile): SessionRun | undefined {
    return this.#entryOf(file)?.run;
  }

  /** Remembers the head of a file; not one with a problem, which may be gone next time. */
  set(file: SessionFile, head: SessionHead): void {
    if (head.problem === undefined) this.#add(file, { head });
  }

  /** Remembers how the session of a file went. */
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
   * Writes down what is new.
   *
   * @param files All files of the home, newest first; others are forgotten. Without them, none is.
   */
  async save(files?: readonly ListedFile[]): Promise<void> {
    if (this.#path === undefined || !this.#hasNews) return;
    this.#hasNews = false;
    // Another process may have written meanwhile.
    const isSame = this.#header !== "" &&
      await startsWith(this.#path, this.#header);
    const others = isSame
      ? this.#entries
      : (await readEntries(this.#path)).entries;
    const known = new Map([...others, ...this.#entries]);
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

/** Where a home is remembered; `undefined` is nowhere. */
function pathOf(folder: string | undefined, home: string): string | undefined {
  if (folder === undefined || isInside(folder, home)) return undefined;
  const name = createHash("sha256").update(home).digest("hex").slice(0, 16);
  return join(folder, "heads", `${name}.jsonl`);
}

interface Remembered {
  /** The first line of the file, which has the hash of the others; empty if there is none. */
  readonly header: string;
  /** What was read, by the paths of the files. */
  readonly entries: Map<string, Entry>;
}

function nothing(): Remembered {
  return { header: "", entries: new Map() };
}

async function readEntries(path: string): Promise<Remembered> {
  const entries = new Map<string, Entry>();
  const text = await readFile(path, "utf8").catch(() => "");
  const end = text.indexOf("\n");
  const header = text.slice(0, end);
  const body = text.slice(end + 1, -1);
  if (end === -1 || header !== headerOf(body)) return nothing();
  for (const row of body.split("\n")) {
    const [path, size, mtime, ...written] = listOf(parseJson(row));
    if (typeof path !== "string") continue;
    if (typeof size !== "number" || typeof mtime !== "number") continue;
    const [head, run] = [headOf(written[0]), runOf(written[1])];
    entries.set(path, { size, mtime, head, run });
  }
  return { header, entries };
}

/** Whether a file begins with a text of ASCII. */
async function startsWith(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read({ length: text.length });
      return buffer.toString("latin1", 0, bytesRead) === text;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

/** Removes what others were about to write when they were killed. */
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

/** Reads a head that was written down; `undefined` if it is none. */
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

/** Reads how a session went that was written down; `undefined` if it is not that. */
function runOf(value: unknown): SessionRun | undefined {
  if (value === null) return undefined;
  const { outcome, totalTokens, durationMs } = fieldsOf(value);
  const known = OUTCOMES.find((each) => each === outcome) ?? null;
  const isCount = (each: unknown): each is number | null =>
    each === null || typeof each === "number";
  if (!isCount(totalTokens) || !isCount(durationMs)) return undefined;
  return { outcome: known, totalTokens, durationMs };
}
