/** Updates the index of sessions from the session files. */

import { open } from "node:fs/promises";
import { basename } from "node:path";
import { type ByteSource, sourceOf } from "../files/byte_source.ts";
import { loadHead } from "./_head_loading.ts";
import {
  type FileUpdate,
  type IndexedFile,
  IndexWriter,
  markOf,
} from "./_index_writer.ts";
import { isInside } from "./codex_homes.ts";
import { checkIndex } from "./index_check.ts";
import { isGone, openSession, sourceBlocks } from "./open_session.ts";
import {
  findSessionFiles,
  latestOf,
  problemAt,
  type SessionFile,
  type SessionFiles,
  type SessionProblem,
} from "./session_files.ts";
import type { FoldedPiece, SessionFold } from "./session_fold.ts";
import type { SessionHead } from "./session_head.ts";
import {
  type SessionIndexDatabase,
  type SessionIndexOptions,
  withSessionIndex,
} from "./session_index_database.ts";
import { NamesByHome } from "./session_names.ts";
import { isObjectPath, unpackedPath } from "./session_start.ts";

/** The progress of an update of the index. */
export interface IndexingProgress {
  /** How many of the files to read are done. */
  readonly files: number;
  /** How many files have to be read. */
  readonly totalFiles: number;
  /** How many bytes of these files are done, on disk. */
  readonly bytes: number;
  /** The size of these files on disk, in bytes. */
  readonly totalBytes: number;
}

/** Options for an update of the index. */
export interface RefreshOptions {
  /** The Codex homes. Sessions of other homes are removed from the index. */
  readonly codexHomes: readonly string[];
  /**
   * Whether to stop. Called after each file, and within long files. Everything read so far is in
   * the index then.
   *
   * @default {() => false}
   */
  readonly shouldStop?: (() => boolean) | undefined;
  /**
   * Receives the progress; a returned promise is awaited.
   *
   * @default {() => {}}
   */
  readonly onProgress?:
    | ((progress: IndexingProgress) => void | Promise<void>)
    | undefined;
  /**
   * Reads files that are new to the index ahead of their turn to be written, for example in other
   * threads: yields the pieces of {@linkcode readSession} for each file, in the order of the files.
   * A file whose pieces are missing is read in a later update.
   *
   * @default {undefined} Each file is read when its turn comes to be written.
   */
  readonly readAhead?:
    | ((files: readonly SessionFile[]) => AsyncIterable<SessionPiece>)
    | undefined;
}

/** A piece of a session file, folded for the index: data that `structuredClone` can copy. */
export interface SessionPiece {
  /** How much memory the piece takes, about, in bytes. */
  readonly weight: number;
}

/**
 * Reads a file for an index of sessions, piece by piece. A file that cannot be read yields one
 * piece as well, with the problem.
 *
 * @param file The file.
 *
 * @example Reading ahead
 * ```ts
 * import { indexSessions, readSession } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = await Deno.makeTempDir();
 * const report = await indexSessions({
 *   codexHomes: [`${folder}/no-home`],
 *   path: `${folder}/index.sqlite`,
 *   async *readAhead(files) {
 *     for (const file of files) yield* readSession(file);
 *   },
 * });
 * await Deno.remove(folder, { recursive: true });
 *
 * assertEquals(report.added, 0);
 * ```
 */
export function readSession(
  file: SessionFile,
): AsyncGenerator<SessionPiece, void, void> {
  return piecesOf({ file, before: undefined });
}

/** Yields the pieces of a file that was read ahead; drops those of files before it. */
async function* piecesAhead(
  { path }: SessionFile,
  pieces: AsyncIterator<SessionPiece>,
): AsyncGenerator<FilePiece, void, void> {
  for (;;) {
    const { value, done } = await pieces.next();
    if (done === true) return;
    // The cast is safe: `readSession` made the piece, perhaps in another thread.
    const piece = value as FilePiece;
    if (piece.path !== path) continue;
    yield piece;
    if (piece.isRead) return;
  }
}

/** Options for {@linkcode indexSessions}. */
export interface IndexSessionsOptions
  extends RefreshOptions, SessionIndexOptions {}

/** The result of an update of the index. */
export interface IndexingReport {
  /** How many sessions there are. */
  readonly sessions: number;
  /** How many files the sessions have: a session that continues in further files has several. */
  readonly files: number;
  /** How many files were new to the index. */
  readonly added: number;
  /** How many files had grown, and were read on from their former ends. */
  readonly grown: number;
  /** How many files had changed otherwise, and were read again from their starts. */
  readonly changed: number;
  /** How many files had only been moved or packed, or only their sessions named. */
  readonly moved: number;
  /** How many files no longer existed, and were removed from the index. */
  readonly removed: number;
  /** How many bytes were read, of unpacked content. */
  readonly bytesRead: number;
  /** How many files are left to read, because the update was stopped. */
  readonly filesLeft: number;
  /** The files and folders that could not be read, or not to their ends. */
  readonly problems: readonly SessionProblem[];
  /** The homes that do not exist. */
  readonly missingHomes: readonly string[];
}

/** The most files written in one transaction. */
const BATCH_FILES = 256;
/** How many UTF-16 code units are written in one transaction: other processes wait meanwhile. */
const MAX_UNITS = 4 << 20;
/** How many times the files are planned again after other processes wrote to the index. */
const MAX_ROUNDS = 16;
/** How many rows of an index are checked before an update: about 10 ms. */
const CHECKED = 64;
/** How many files are removed in one transaction: up to a second. */
const REMOVED_FILES = 32;

/**
 * Updates the index of sessions from the files, or creates it.
 *
 * Files that have not changed are not opened. A file that has grown is read on from its former end,
 * if the bytes before are unchanged; a file that has changed otherwise is read again. The newest
 * files come first, so that an update that is stopped early has those most likely searched for.
 *
 * It can be killed at any moment, and run twice at once: the index holds whole files, or whole
 * parts of long files, and up to which offset each has been read.
 *
 * @param options The homes, and the path of the index.
 * @returns The counts of changes and problems.
 * @throws {SessionIndexError} If the index cannot be used.
 *
 * @example An index of no sessions
 * ```ts
 * import { indexSessions } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = await Deno.makeTempDir();
 * const report = await indexSessions({
 *   codexHomes: [`${folder}/no-home`],
 *   path: `${folder}/index.sqlite`,
 * });
 * await Deno.remove(folder, { recursive: true });
 *
 * assertEquals([report.files, report.added, report.filesLeft], [0, 0, 0]);
 * ```
 */
export async function indexSessions(
  options: IndexSessionsOptions,
): Promise<IndexingReport> {
  return await withSessionIndex(options, (database) => {
    checkIndex(database, CHECKED);
    return refreshSessionIndex(database, options);
  });
}

/** Updates an open index; see {@linkcode indexSessions}. Tests set `batchFiles`. */
export async function refreshSessionIndex(
  database: SessionIndexDatabase,
  options: RefreshOptions,
  batchFiles?: number,
): Promise<IndexingReport> {
  const refresh = await Refresh.of(database, options, batchFiles);
  await refresh.run();
  return refresh.report();
}

/** Reports the files that have not been read into an index that cannot be written. */
export async function reportUnread(
  database: SessionIndexDatabase,
  options: Pick<RefreshOptions, "codexHomes">,
): Promise<IndexingReport> {
  const refresh = await Refresh.of(database, options);
  refresh.plan();
  return refresh.report();
}

type Count = "added" | "grown" | "changed" | "moved" | "removed";

type Task = Pick<FileUpdate, "file" | "before" | "name">;

interface RefreshPlan {
  /** The files to read, newest first. */
  readonly tasks: readonly Task[];
  /** Files in the index that no longer exist. */
  readonly gone: readonly IndexedFile[];
}

/**
 * Determines which files have to be read, and which no longer exist, without opening any.
 *
 * A new file and a missing one with the same name are one file that was moved, if the name has an
 * id. Files in a folder that cannot be read just now do not count as missing.
 */
function planRefresh(
  { files, problems }: SessionFiles,
  names: NamesByHome,
  indexed: readonly IndexedFile[],
): RefreshPlan {
  const known = new Map(indexed.map((file) => [file.path, file]));
  const paths = new Set(files.map(({ path }) => path));
  const missing = new Set(indexed.filter(({ path }) => !paths.has(path)));
  const stemOf = ({ path }: { readonly path: string }): string =>
    basename(unpackedPath(path));
  const byName = new Map([...missing].map((file) => [stemOf(file), file]));
  const tasks: Task[] = [];
  for (const file of files) {
    const name = names.nameOf(file, file.sessionId);
    let before = known.get(file.path);
    if (before === undefined) {
      const moved = file.id === "" ? undefined : byName.get(stemOf(file));
      if (moved !== undefined && missing.delete(moved)) before = moved;
    } else if (isSameContent(file, before) && before.name === name) continue;
    tasks.push({ file, before, name });
  }
  const gone = [...missing].filter(({ path }) =>
    !problems.some((problem) => isInside(path, problem.path))
  );
  return { tasks, gone };
}

/** Whether a file is unchanged since it was read: it may have moved, but not been packed. */
function isSameContent(file: SessionFile, before: IndexedFile): boolean {
  return before.isRead && before.size === file.size &&
    before.mtime === file.mtime;
}

/**
 * Whether a file was written to without growing, as when a word in it was masked: its last bytes
 * then do not prove that the bytes before them are the same.
 */
function isRewritten(file: SessionFile, before: IndexedFile): boolean {
  return before.size === file.size && before.mtime !== file.mtime;
}

interface Waiting extends FileUpdate {
  readonly count: Count;
}

/** Receives how many bytes of a file are done. */
type ReportBytes = (bytes: number) => void | Promise<void>;

class Refresh {
  readonly #database: SessionIndexDatabase;
  readonly #options: RefreshOptions;
  readonly #batchFiles: number;
  readonly #shouldStop: () => boolean;
  readonly #found: SessionFiles;
  readonly #names: NamesByHome;
  readonly #writer: IndexWriter;
  readonly #counts: Record<Count, number> = {
    added: 0,
    grown: 0,
    changed: 0,
    moved: 0,
    removed: 0,
  };
  /** The files that could not be read, by path: a file may be tried twice. */
  readonly #unreadable = new Map<string, SessionProblem>();
  #ahead: AsyncIterator<SessionPiece> | undefined;
  /** Updates to write in the next transaction. */
  #waiting: Waiting[] = [];
  #waitingUnits = 0;
  #bytesRead = 0;
  #left: ReadonlySet<SessionFile> = new Set();
  /** Whether another process has written about a file since the work was planned. */
  #isOvertaken = false;

  private constructor(
    database: SessionIndexDatabase,
    options: RefreshOptions,
    { found, names, batchFiles }: {
      readonly found: SessionFiles;
      readonly names: NamesByHome;
      readonly batchFiles: number;
    },
  ) {
    this.#database = database;
    this.#options = options;
    this.#batchFiles = batchFiles;
    this.#shouldStop = options.shouldStop ?? (() => false);
    this.#found = found;
    this.#names = names;
    this.#writer = new IndexWriter(database, found.files);
  }

  /** Finds the files. `batchFiles` are the most files written in one transaction. */
  static async of(
    database: SessionIndexDatabase,
    options: RefreshOptions,
    batchFiles: number = BATCH_FILES,
  ): Promise<Refresh> {
    const found = await findSessionFiles(options);
    const names = await NamesByHome.of(found.files);
    return new Refresh(database, options, { found, names, batchFiles });
  }

  report(): IndexingReport {
    const { files, problems, missingHomes } = this.#found;
    return {
      sessions: latestOf(files).length,
      files: files.length,
      ...this.#counts,
      bytesRead: this.#bytesRead,
      filesLeft: this.#left.size,
      problems: [
        ...problems,
        ...this.#names.problems,
        ...this.#unreadable.values(),
      ],
      missingHomes,
    };
  }

  /** Compares the files with the index. All files to read are left until `run` has read them. */
  plan(): RefreshPlan {
    const plan = planRefresh(this.#found, this.#names, this.#writer.files());
    this.#left = new Set(plan.tasks.map(({ file }) => file));
    return plan;
  }

  async run(): Promise<void> {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      this.#isOvertaken = false;
      await this.#carryOut(this.plan());
      // Other processes may have rebuilt the index, or be in the middle of a file.
      if (!this.#isOvertaken) return;
    }
    // Either an entry is not found by its key, and never will be, or other processes keep writing:
    // then the rest is left to a later update.
    checkIndex(this.#database, 1e9);
  }

  async #carryOut({ tasks, gone }: RefreshPlan): Promise<void> {
    const { onProgress, readAhead } = this.#options;
    const fresh = tasks.filter(({ before }) => before === undefined)
      .map(({ file }) => file);
    this.#ahead = readAhead?.(fresh)[Symbol.asyncIterator]();
    const totalBytes = tasks.reduce((sum, { file }) => sum + file.size, 0);
    let bytes = 0;
    let files = 0;
    try {
      for (const task of tasks) {
        if (this.#shouldStop()) break;
        const report: ReportBytes = (read) =>
          onProgress?.({
            files,
            totalFiles: tasks.length,
            bytes: bytes + Math.min(read, task.file.size),
            totalBytes,
          });
        await report(0);
        if (!await this.#read(task, report)) break;
        bytes += task.file.size;
        files += 1;
      }
      this.#flush();
      this.#remove(gone);
    } finally {
      await this.#ahead?.return?.();
      this.#left = new Set([
        ...tasks.slice(files).map(({ file }) => file),
        ...this.#waiting.map(({ file }) => file),
      ]);
    }
  }

  /** Reads a file, and writes its update now or with others; returns `false` if it was stopped. */
  async #read(task: Task, report: ReportBytes): Promise<boolean> {
    const { file, before, name } = task;
    if (before !== undefined && isSameContent(file, before)) {
      const head = name === before.name ? undefined : await loadHead(file);
      this.#add({
        ...task,
        count: "moved",
        voidFrom: Infinity,
        piece: undefined,
        isRead: true,
        head,
      });
      return true;
    }
    this.#unreadable.delete(file.path);
    const now = this.#writer.file(file.path);
    // Another process is reading this file, or has read it.
    if (now !== undefined && now.revision !== before?.revision) {
      this.#isOvertaken = true;
      return true;
    }
    // Read here and not in the pieces, whose errors count as problems of the file: an error of the
    // index is none.
    const isContinuable = before !== undefined && before.readTo > 0 &&
      !isRewritten(file, before);
    const checkpoint = isContinuable
      ? this.#writer.checkpoint(before.number)
      : undefined;
    const pieces = before === undefined && this.#ahead !== undefined
      ? piecesAhead(file, this.#ahead)
      : piecesOf(task, checkpoint);
    return await this.#write(task, pieces, report);
  }

  async #write(
    task: Task,
    pieces: AsyncIterable<FilePiece>,
    report: ReportBytes,
  ): Promise<boolean> {
    const { path } = task.file;
    let { before } = task;
    for await (const { content, isRead, problem } of pieces) {
      if (problem !== undefined) {
        // A file that was deleted since it was found is no problem.
        const isThere = content !== undefined || problem.code !== "ENOENT" ||
          !await isGone(path);
        if (isThere) this.#unreadable.set(path, problem);
      }
      if (content === undefined) return true;
      const { bytes, isContinued, ...changes } = content;
      const update = { ...task, ...changes, before, isRead };
      if (isRead) {
        this.#bytesRead += bytes -
          (isContinued ? task.before?.readTo ?? 0 : 0);
        const count = task.before === undefined
          ? "added"
          : isContinued
          ? "grown"
          : "changed";
        this.#add({ ...update, count });
        return true;
      }
      this.#flush();
      before = this.#database.transaction(() => this.#writer.write(update));
      // Another process is reading this file.
      if (before === undefined) {
        this.#isOvertaken = true;
        return true;
      }
      await report(bytes);
      if (this.#shouldStop()) return false;
    }
    return false;
  }

  /** Queues an update, and writes all queued ones if they are enough. */
  #add(update: Waiting): void {
    this.#waiting.push(update);
    for (const { text } of update.piece?.messages ?? []) {
      this.#waitingUnits += text.length;
    }
    if (
      this.#waitingUnits > MAX_UNITS ||
      this.#waiting.length >= this.#batchFiles
    ) this.#flush();
  }

  #flush(): void {
    const writer = this.#writer;
    // In order of their numbers: FTS5 writes its buffer out whenever a number is lower than the
    // last.
    const waiting = this.#waiting.sort((a, b) =>
      writer.numberOf(a) - writer.numberOf(b)
    );
    if (waiting.length === 0) return;
    const written = this.#database.transaction(() =>
      waiting.filter((update) => writer.write(update) !== undefined)
    );
    this.#waiting = [];
    this.#waitingUnits = 0;
    for (const { count } of written) this.#counts[count] += 1;
    this.#isOvertaken ||= written.length < waiting.length;
  }

  /** Removes files from the index; one transaction of them even if it is to stop. */
  #remove(gone: readonly IndexedFile[]): void {
    const size = Math.min(REMOVED_FILES, this.#batchFiles);
    for (let at = 0; at < gone.length; at += size) {
      if (at > 0 && this.#shouldStop()) return;
      const files = gone.slice(at, at + size);
      this.#counts.removed += this.#database.transaction(() =>
        files.filter((file) => this.#writer.remove(file)).length
      );
    }
  }
}

/** A piece of a file: data that can be copied between threads. */
interface FilePiece extends SessionPiece {
  readonly path: string;
  /** Whether it is the last piece of the file. */
  readonly isRead: boolean;
  /** What was read; `undefined` if the file cannot be opened. */
  readonly content: PieceContent | undefined;
  /** Why the file cannot be read, or not to its end. */
  readonly problem: SessionProblem | undefined;
}

interface PieceContent {
  readonly piece: FoldedPiece;
  /** Whether the file was read on from its former end. */
  readonly isContinued: boolean;
  /** The first row of the file in the index that is void. */
  readonly voidFrom: number;
  /** The offset up to which the file has been read, in bytes. */
  readonly bytes: number;
  readonly head: SessionHead;
}

/**
 * Reads a file piece by piece, from a checkpoint on or from its start. A file that cannot be opened
 * yields one piece with the problem.
 */
async function* piecesOf(
  task: Pick<Task, "file" | "before">,
  checkpoint?: Uint8Array,
): AsyncGenerator<FilePiece, void, void> {
  const { path } = task.file;
  let opened: Awaited<ReturnType<typeof openTask>>;
  try {
    opened = await openTask(task, checkpoint);
  } catch (error) {
    const problem = problemAt(task.file, error);
    yield { path, isRead: true, content: undefined, problem, weight: 0 };
    return;
  }
  const { source, fold } = opened;
  let { voidFrom } = fold;
  const isContinued = fold.bytes > 0;
  let problem: SessionProblem | undefined;
  // Read while the first block is read. It never throws.
  const reading = loadHead(task.file);
  const blocks = sourceBlocks(source);
  try {
    for (let isRead = false; !isRead;) {
      // The part before a damage is kept.
      const { value, done } = await blocks.next().catch((error) => {
        problem = problemAt(task.file, error);
        return { value: undefined, done: true };
      });
      isRead = done === true;
      if (value !== undefined) fold.feed(value);
      if (!isRead && !fold.isFull) continue;
      const piece = fold.take(isRead);
      const { bytes } = fold;
      const head = await reading;
      const content = { piece, isContinued, voidFrom, bytes, head };
      yield { path, isRead, content, problem, weight: weightOf(piece) };
      voidFrom = Infinity;
    }
  } finally {
    await blocks.return();
  }
}

function weightOf({ messages, checkpoint }: FoldedPiece): number {
  return messages.reduce(
    (sum, { text }) => sum + 2 * text.length,
    checkpoint.length,
  );
}

/** Opens a file at its former end; at its start without checkpoint, or if bytes have changed. */
async function openTask(
  { file, before }: Pick<Task, "file" | "before">,
  checkpoint: Uint8Array | undefined,
): Promise<{ readonly source: ByteSource; readonly fold: SessionFold }> {
  const { path: fileName, start } = file;
  // Loaded here: before most searches, no file has to be read.
  const { SessionFold, TAIL_BYTES } = await import("./session_fold.ts");
  if (before !== undefined && checkpoint !== undefined) {
    const { readTo, readMark } = before;
    const tail = new Uint8Array(Math.min(TAIL_BYTES, readTo));
    const offset = readTo - tail.length;
    const isPlain = file.compression === "none" && !isObjectPath(fileName);
    // If it was archived or packed since it was found, it is opened like a packed one.
    const plain = isPlain
      ? await open(fileName, "r").catch(() => undefined)
      : undefined;
    const source = plain === undefined
      ? await openSession(file)
      : sourceOf(plain, offset);
    try {
      if (plain === undefined) await skip(source, offset);
      await fill(tail, source);
      if (markOf(tail) === readMark) {
        const from = { readTo, checkpoint, tail };
        return { source, fold: new SessionFold({ fileName, start, from }) };
      }
    } catch {
      // A damaged file, or a checkpoint that cannot be restored: read from the start.
    }
    source.close();
  }
  const source = await openSession(file);
  return { source, fold: new SessionFold({ fileName, start }) };
}

async function skip(source: ByteSource, count: number): Promise<void> {
  const block = new Uint8Array(1 << 18);
  for (let left = count; left > 0; left -= block.length) {
    await fill(block.subarray(0, left), source);
  }
}

/** Fills a buffer, as far as the source has bytes. */
async function fill(into: Uint8Array, source: ByteSource): Promise<void> {
  for (let at = 0; at < into.length;) {
    const size = await source.read(into.subarray(at));
    if (size === null) return;
    at += size;
  }
}
