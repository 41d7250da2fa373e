/** Brings the index of sessions up to date with the files. */

import { basename } from "node:path";
import { type ByteSource, codeOf } from "../files/byte_source.ts";
import {
  type FileUpdate,
  type IndexedFile,
  IndexWriter,
  type OnStep,
} from "./_index_writer.ts";
import { IndexDisagreement } from "./_index_damage.ts";
import { isInside } from "./codex_homes.ts";
import { checkIndex } from "./index_check.ts";
import { isGone } from "./open_session.ts";
import { openSessionContent } from "./session_content.ts";
import {
  findSessionFiles,
  type SessionFile,
  type SessionFiles,
  type SessionProblem,
} from "./session_files.ts";
import { type FoldedPiece, SessionFold } from "./session_fold.ts";
import { readSessionHead, type SessionHead } from "./session_head.ts";
import {
  type SessionIndexDatabase,
  type SessionIndexOptions,
  StoppedWaiting,
  withSessionIndex,
} from "./session_index_database.ts";
import { NamesByHome } from "./session_names.ts";

/** How far the work on an index is. */
export interface IndexingProgress {
  /** How many files are done, of those that must be read. */
  readonly files: number;
  /** How many files must be read. */
  readonly totalFiles: number;
  /** How many bytes of files on disk are done. */
  readonly bytes: number;
  /** How many bytes these files have on disk. */
  readonly totalBytes: number;
}

/** How to bring an index up to date. */
export interface RefreshOptions {
  /** The Codex homes; what the index has of others is removed. */
  readonly codexHomes: readonly string[];
  /**
   * Is asked after each file, within long ones, and while others keep an open index busy, whether
   * to stop. What was read until then is in the index, unless others keep that busy.
   *
   * @default {() => false}
   */
  readonly shouldStop?: (() => boolean) | undefined;
  /**
   * Is told how far the work is.
   *
   * @default {() => {}}
   */
  readonly onProgress?:
    | ((progress: IndexingProgress) => void | Promise<void>)
    | undefined;
  /**
   * Reads files that the index does not have ahead of when they are written into it, in other
   * threads perhaps: gives what {@linkcode readSession} gives of each, in the order of the files.
   * What it does not give is read another time.
   *
   * @default {undefined} Each file is read when it is to be written.
   */
  readonly readAhead?:
    | ((files: readonly SessionFile[]) => AsyncIterable<SessionPiece>)
    | undefined;
}

/** What an index is to have of a piece of a session file: data that `structuredClone` can copy. */
export interface SessionPiece {
  /** How much memory it takes, about, in bytes. */
  readonly weight: number;
}

/** What files are read into, one after the other. */
let spareBlock: Uint8Array | undefined;

/**
 * Reads a file for an index of sessions, piece by piece; one that cannot be read gives one, too.
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
export async function* readSession(
  file: SessionFile,
): AsyncGenerator<SessionPiece, void, void> {
  const block = spareBlock ?? new Uint8Array(BLOCK);
  spareBlock = undefined;
  yield* piecesOf({ file, before: undefined }, { block });
  spareBlock = block;
}

/** What was read ahead of files, to be asked for file by file, in order. */
class FilesAhead {
  readonly #files: readonly SessionFile[];
  readonly #pieces: AsyncIterator<SessionPiece>;
  /** How many of the files were given to their ends. */
  #given = 0;

  constructor(
    files: readonly SessionFile[],
    readAhead: NonNullable<RefreshOptions["readAhead"]>,
  ) {
    this.#files = files;
    this.#pieces = readAhead(files)[Symbol.asyncIterator]();
  }

  /** Gives the pieces of a file; those of files before it that nobody wanted go. */
  async *piecesOf(file: SessionFile): AsyncGenerator<FilePiece, void, void> {
    for (;;) {
      const { value, done } = await this.#pieces.next();
      if (done === true) return;
      const isWanted = this.#files[this.#given] === file;
      // The boundary between threads: it is what `readSession` gave.
      const piece = value as FilePiece;
      if (piece.isRead) this.#given += 1;
      if (isWanted) yield piece;
      if (isWanted && piece.isRead) return;
    }
  }

  /** Ends reading. */
  async end(): Promise<void> {
    await this.#pieces.return?.();
  }
}

/** Options for {@linkcode indexSessions}. */
export interface IndexSessionsOptions
  extends RefreshOptions, SessionIndexOptions {}

/** What bringing an index up to date did. */
export interface IndexingReport {
  /** How many sessions there are. */
  readonly sessions: number;
  /** How many files they have: one that goes on in further files has several. */
  readonly files: number;
  /** How many of them were new to the index. */
  readonly added: number;
  /** How many had grown, and were read on from where they had ended. */
  readonly grown: number;
  /** How many had become others, and were read anew. */
  readonly changed: number;
  /** How many had only been moved, packed or given a name. */
  readonly moved: number;
  /** How many were not there any more, and were removed from the index. */
  readonly removed: number;
  /** How many bytes were read, of unpacked files. */
  readonly bytesRead: number;
  /** How many files are still to be read, because the work was stopped. */
  readonly filesLeft: number;
  /** How many bytes they have on disk. */
  readonly bytesLeft: number;
  /** What could not be read; there may be more to find in it. */
  readonly problems: readonly SessionProblem[];
  /** The homes that are not there. */
  readonly missingHomes: readonly string[];
}

/** Hooks for tests. */
export interface RefreshHooks {
  /** Opens files; every read of a file's body goes through it. */
  readonly openContent?: typeof openSessionContent;
  /** Is told of each step of what is written. */
  readonly onStep?: OnStep;
  /** How many files are written at once at most. */
  readonly batchFiles?: number;
}

/** How many files are written at once at most. */
const BATCH_FILES = 256;
/** How much text is written at once: others wait as long as that takes. */
const MAX_UNITS = 4 << 20;
/** How much is read at once. */
const BLOCK = 1 << 18;
/** How often it is read on behind others who write to the index meanwhile. */
const MAX_ROUNDS = 16;
/** How much of an index is checked where that is all that is asked for: it takes about 10 ms. */
const CHECKED = { rows: 64, units: 1 << 17 };
const WHOLE = { rows: 1e9, units: Infinity, random: () => 0 };
/** How many files are removed at once: that takes up to a second. */
const REMOVED_FILES = 32;

/**
 * Brings the index of sessions up to date with the files, or makes it.
 *
 * Files that have not changed are not opened. One that has grown is read from where it ended, if
 * what comes before is the same; one that became another one is read anew. The newest ones come
 * first, so that what is stopped early has what is most likely looked for.
 *
 * It can be killed at any moment, and run twice at once: the index holds whole files, or whole
 * parts of long ones, and says how far each has been read.
 *
 * @param options The homes, and where the index is.
 * @returns What was done.
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

/** Brings an open index up to date; see {@linkcode indexSessions}. */
export async function refreshSessionIndex(
  database: SessionIndexDatabase,
  options: RefreshOptions,
  hooks: RefreshHooks = {},
): Promise<IndexingReport> {
  const found = await findSessionFiles(options);
  const names = await NamesByHome.of(found.files);
  const refresh = new Refresh(database, options, hooks, found, names);
  await refresh.run();
  return refresh.report();
}

/** Says what there is to read to bring an index up to date that cannot be written. */
export async function reportUnread(
  database: SessionIndexDatabase,
  options: Pick<RefreshOptions, "codexHomes">,
): Promise<IndexingReport> {
  const found = await findSessionFiles(options);
  const names = await NamesByHome.of(found.files);
  const { tasks } = planRefresh(found, names, IndexWriter.files(database));
  const left = tasks.map(({ file }) => file);
  return reportOf(found, names, { ...NO_CHANGES }, { left });
}

/** The changes of a file that are counted. */
type Count = "added" | "grown" | "changed" | "moved" | "removed";

const NO_CHANGES: Readonly<Record<Count, number>> = {
  added: 0,
  grown: 0,
  changed: 0,
  moved: 0,
  removed: 0,
};

function reportOf(
  { files, problems, missingHomes }: SessionFiles,
  names: NamesByHome,
  counts: Readonly<Record<Count, number>>,
  { left, bytesRead = 0, unreadable = [] }: {
    readonly left: Iterable<SessionFile>;
    readonly bytesRead?: number;
    readonly unreadable?: Iterable<SessionProblem>;
  },
): IndexingReport {
  const unread = [...left];
  return {
    sessions: files.filter(({ isContinued }) => !isContinued).length,
    files: files.length,
    ...counts,
    bytesRead,
    filesLeft: unread.length,
    bytesLeft: bytesOf(unread),
    problems: [...problems, ...names.problems, ...unreadable],
    missingHomes,
  };
}

interface Task {
  readonly file: SessionFile;
  /** What the index knows of it; `undefined` if nothing. */
  readonly before: IndexedFile | undefined;
  readonly name: string | undefined;
}

interface RefreshPlan {
  /** Files that are to be looked at, newest first. */
  readonly tasks: readonly Task[];
  /** Files that are not there any more. */
  readonly gone: readonly IndexedFile[];
}

/**
 * Finds out which files must be looked at, and which ones are gone, without opening one.
 *
 * A file that is new in one place and missing in another is the same one, if the names are. What
 * lies in a folder that cannot be read just now is not gone.
 */
function planRefresh(
  { files, problems }: SessionFiles,
  names: NamesByHome,
  indexed: readonly IndexedFile[],
): RefreshPlan {
  const known = new Map(indexed.map((file) => [file.path, file]));
  const befores = new Map<SessionFile, IndexedFile | undefined>();
  for (const file of files) {
    befores.set(file, known.get(file.path));
    known.delete(file.path);
  }
  const missing = new Map(
    [...known.values()].flatMap((file) => [
      [file.sessionId, file] as const,
      [stemOf(file.path), file] as const,
    ]),
  );
  const tasks: Task[] = [];
  for (const file of files) {
    const name = names.nameOf(file, file.sessionId);
    let before = befores.get(file);
    if (before === undefined) {
      const moved = missing.get(stemOf(file.path)) ?? missing.get(file.id);
      if (moved !== undefined && known.delete(moved.path)) before = moved;
    } else if (isSameContent(file, before) && before.name === name) continue;
    tasks.push({ file, before, name });
  }
  const gone = [...known.values()].filter(({ path }) =>
    !problems.some((problem) => isInside(path, problem.path))
  );
  return { tasks, gone };
}

/** Whether a file is as it was read: it keeps its time when it is moved, and, packed, has another size. */
function isSameContent(file: SessionFile, before: IndexedFile): boolean {
  return before.isRead && before.size === file.size &&
    before.mtime === file.mtime;
}

/**
 * Whether a file was written to and has not grown: where it ends nothing tells whether what comes
 * before is the same, as if a word of it was masked.
 */
function isRewritten(file: SessionFile, before: IndexedFile): boolean {
  return before.size === file.size && before.mtime !== file.mtime;
}

/** The name of a file, however it is packed. */
function stemOf(path: string): string {
  return basename(path).replace(/\.(?:zst|gz)$/i, "");
}

/** What was read of a file and is not yet written. */
interface Waiting {
  readonly update: FileUpdate;
  readonly count: Count;
}

/** Is told how many bytes of a file are done. */
type TellBytes = (bytes: number) => void | Promise<void>;

class Refresh {
  readonly #database: SessionIndexDatabase;
  readonly #options: RefreshOptions;
  readonly #shouldStop: () => boolean;
  readonly #found: SessionFiles;
  readonly #names: NamesByHome;
  readonly #openContent: typeof openSessionContent;
  readonly #onStep: OnStep;
  readonly #batchFiles: number;
  readonly #writer: IndexWriter;
  readonly #counts = { ...NO_CHANGES };
  /** What files are read into, one after the other. */
  readonly #block = new Uint8Array(BLOCK);
  /** What could not be read, by the path: it may be tried twice. */
  readonly #unreadable = new Map<string, SessionProblem>();
  #ahead: FilesAhead | undefined;
  /** What is written together, once it is enough. */
  #waiting: Waiting[] = [];
  #waitingUnits = 0;
  #bytesRead = 0;
  #left: ReadonlySet<SessionFile> = new Set();
  /** Whether another process has written about a file since the work was planned. */
  #isOvertaken = false;
  /** Whether another process does the same, and is faster. */
  #isBehind = false;

  constructor(
    database: SessionIndexDatabase,
    options: RefreshOptions,
    {
      openContent = openSessionContent,
      onStep = () => {},
      batchFiles = BATCH_FILES,
    }: RefreshHooks,
    found: SessionFiles,
    names: NamesByHome,
  ) {
    this.#database = database;
    this.#options = options;
    this.#shouldStop = options.shouldStop ?? (() => false);
    this.#found = found;
    this.#names = names;
    this.#openContent = openContent;
    this.#onStep = onStep;
    this.#batchFiles = batchFiles;
    this.#writer = new IndexWriter(database, found.files, onStep);
  }

  report(): IndexingReport {
    return reportOf(this.#found, this.#names, this.#counts, {
      left: this.#left,
      bytesRead: this.#bytesRead,
      unreadable: this.#unreadable.values(),
    });
  }

  async run(): Promise<void> {
    try {
      for (let round = 1;; round++) {
        this.#isOvertaken = false;
        const indexed = IndexWriter.files(this.#database);
        const plan = planRefresh(this.#found, this.#names, indexed);
        await this.#carryOut(plan);
        // They may have made the index anew, or be in the middle of a file.
        if (!this.#isOvertaken) return;
        // Where nobody was, a row is not found by what it is found by, and never will be.
        if (!this.#hasChangedSince(indexed)) {
          throw new IndexDisagreement("which files it has");
        }
        if (round >= MAX_ROUNDS) checkIndex(this.#database, WHOLE);
        // Others go on for longer than anybody waits; what is left is read another time.
        if (round >= MAX_ROUNDS) return;
      }
    } catch (error) {
      // What others keep this one from writing is written another time.
      if (!(error instanceof StoppedWaiting)) throw error;
    }
  }

  #hasChangedSince(before: readonly IndexedFile[]): boolean {
    const revisions = new Map(
      before.map(({ path, revision }) => [path, revision]),
    );
    const after = IndexWriter.files(this.#database);
    return after.length !== before.length ||
      after.some(({ path, revision }) => revisions.get(path) !== revision);
  }

  async #carryOut({ tasks, gone }: RefreshPlan): Promise<void> {
    const { onProgress, readAhead } = this.#options;
    const fresh = tasks.filter(({ before }) => before === undefined)
      .map(({ file }) => file);
    this.#ahead = readAhead && new FilesAhead(fresh, readAhead);
    const totalFiles = tasks.length;
    const totalBytes = bytesOf(tasks.map(({ file }) => file));
    let bytes = 0;
    let first = 0;
    let end = totalFiles;
    try {
      while (first < end && !this.#shouldStop()) {
        // Another process has done the same work before: so they meet.
        const isBehind = this.#isBehind && this.#ahead === undefined;
        const task = tasks[isBehind ? end - 1 : first];
        if (task === undefined) break;
        const tell: TellBytes = (read) =>
          onProgress?.({
            files: totalFiles - (end - first),
            totalFiles,
            bytes: bytes + Math.min(read, task.file.size),
            totalBytes,
          });
        await tell(0);
        if (!await this.#read(task, tell)) break;
        bytes += task.file.size;
        if (isBehind) end -= 1;
        else first += 1;
      }
      await this.#flush();
      await this.#remove(gone);
    } finally {
      await this.#ahead?.end();
      this.#left = new Set([
        ...tasks.slice(first, end).map(({ file }) => file),
        ...this.#waiting.map(({ update }) => update.file),
      ]);
    }
  }

  /**
   * Reads a file, and writes what that changes, now or with others.
   *
   * @returns Whether it was read to its end; `false` if the work was stopped.
   */
  async #read(task: Task, tell: TellBytes): Promise<boolean> {
    const { file, before, name } = task;
    if (before !== undefined && isSameContent(file, before)) {
      const head = name === before.name
        ? undefined
        : await readSessionHead(file);
      await this.#add("moved", {
        ...task,
        voidFrom: Infinity,
        piece: undefined,
        isRead: true,
        head,
        problem: before.problem,
      });
      return true;
    }
    this.#unreadable.delete(file.path);
    const now = IndexWriter.file(this.#database, file.path);
    // Another process is at it, or was.
    if (now !== undefined && now.revision !== before?.revision) {
      this.#isOvertaken = true;
      return true;
    }
    // Not below: that a file cannot be read is one thing, that the index cannot is another.
    const isGoneOn = before !== undefined && before.readTo > 0 &&
      !isRewritten(file, before);
    const checkpoint = isGoneOn
      ? IndexWriter.checkpoint(this.#database, before.number)
      : undefined;
    const ahead = before === undefined
      ? this.#ahead?.piecesOf(file)
      : undefined;
    const pieces = ahead ?? piecesOf(task, {
      checkpoint,
      openContent: this.#openContent,
      block: this.#block,
    });
    return await this.#write(task, pieces, tell);
  }

  async #write(
    task: Task,
    pieces: AsyncIterable<FilePiece>,
    tell: TellBytes,
  ): Promise<boolean> {
    const { path, home } = task.file;
    let { before } = task;
    for await (const read of pieces) {
      const { piece, isRead, isContinued, voidFrom, head, problem } = read;
      if (problem !== undefined) {
        // What was deleted since it was found is no problem.
        const isThere = piece !== undefined || problem.code !== "ENOENT" ||
          !await isGone(path);
        if (isThere) this.#unreadable.set(path, { path, home, ...problem });
      }
      if (piece === undefined || head === undefined) return true;
      const update = {
        ...task,
        before,
        voidFrom,
        piece,
        isRead,
        head,
        problem: problem?.message,
      };
      if (isRead) {
        this.#bytesRead += read.bytes -
          (isContinued ? task.before?.readTo ?? 0 : 0);
        const count = task.before === undefined
          ? "added"
          : isContinued
          ? "grown"
          : "changed";
        await this.#add(count, update);
        return true;
      }
      await this.#flush();
      before = await this.#transaction(() => this.#writer.write(update));
      // Another process is at this file.
      if (before === undefined) {
        this.#isOvertaken = true;
        return true;
      }
      await tell(read.bytes);
      if (this.#shouldStop()) return false;
    }
    return false;
  }

  /** Writes what was read of a file, now or with others. */
  async #add(count: Count, update: FileUpdate): Promise<void> {
    this.#waiting.push({ update, count });
    for (const { text } of update.piece?.messages ?? []) {
      this.#waitingUnits += text.length;
    }
    if (
      this.#waitingUnits > MAX_UNITS ||
      this.#waiting.length >= this.#batchFiles
    ) await this.#flush();
  }

  /**
   * Writes what waits.
   *
   * @throws {StoppedWaiting} If another process writes, and it was to stop.
   */
  async #flush(): Promise<void> {
    const writer = this.#writer;
    // FTS5 writes out what it has gathered whenever a number is lower than the one before.
    const waiting = this.#waiting.sort((a, b) =>
      writer.numberOf(a.update) - writer.numberOf(b.update)
    );
    if (waiting.length === 0) return;
    const written = await this.#transaction(() =>
      waiting.filter(({ update }) => writer.write(update) !== undefined)
    );
    this.#waiting = [];
    this.#waitingUnits = 0;
    for (const { count } of written) this.#counts[count] += 1;
    this.#isOvertaken ||= written.length < waiting.length;
    this.#isBehind ||= 2 * written.length < waiting.length;
  }

  /** Removes files, some of them even if it is to stop. */
  async #remove(gone: readonly IndexedFile[]): Promise<void> {
    const size = Math.min(REMOVED_FILES, this.#batchFiles);
    for (let at = 0; at < gone.length; at += size) {
      if (at > 0 && this.#shouldStop()) return;
      const files = gone.slice(at, at + size);
      this.#counts.removed += await this.#transaction(() =>
        files.filter((file) => this.#writer.remove(file)).length
      );
    }
  }

  async #transaction<T>(work: () => T): Promise<T> {
    const result = await this.#database.transaction(work, this.#shouldStop);
    this.#onStep("committed");
    return result;
  }
}

function bytesOf(files: Iterable<SessionFile>): number {
  let bytes = 0;
  for (const { size } of files) bytes += size;
  return bytes;
}

/** Why a file cannot be read, or not to its end. */
type PieceProblem = Pick<SessionProblem, "code" | "message">;

/** What was read of a file: data that can be copied. */
interface FilePiece {
  /** What it changes; nothing of a file that cannot be opened. */
  readonly piece: FoldedPiece | undefined;
  /** Whether it is the last one. */
  readonly isRead: boolean;
  /** Whether the file was read on from where it was read to. */
  readonly isContinued: boolean;
  /** From which row on what the index has is void. */
  readonly voidFrom: number;
  /** Up to where the file has been read, in bytes. */
  readonly bytes: number;
  /** How much memory it takes, about, in bytes. */
  readonly weight: number;
  /** The head, from the first lines. */
  readonly head: SessionHead | undefined;
  /** Why it cannot be read, or not to its end. */
  readonly problem: PieceProblem | undefined;
}

/** Reads a file piece by piece; one that cannot be opened is one piece that says so. */
async function* piecesOf(
  task: Pick<Task, "file" | "before">,
  { checkpoint, openContent = openSessionContent, block }: {
    /** The checkpoint to read on from. */
    readonly checkpoint?: Uint8Array | undefined;
    readonly openContent?: typeof openSessionContent;
    readonly block: Uint8Array;
  },
): AsyncGenerator<FilePiece, void, void> {
  let opened: OpenedTask;
  try {
    opened = await openTask(task, checkpoint, openContent);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    yield {
      piece: undefined,
      isRead: true,
      isContinued: false,
      voidFrom: 0,
      bytes: 0,
      weight: 0,
      head: undefined,
      problem: problemOf(error),
    };
    return;
  }
  const { source, fold, isContinued } = opened;
  let { voidFrom } = fold;
  let problem: PieceProblem | undefined;
  // It is read while the first block is; nothing is thrown.
  const reading = readSessionHead(task.file);
  try {
    for (let isRead = false; !isRead;) {
      let size: number | null;
      try {
        size = await source.read(block);
      } catch (error) {
        // What came before the damage was read, and is of use.
        problem = problemOf(error);
        size = null;
      }
      if (size !== null) fold.feed(block.subarray(0, size));
      isRead = size === null;
      if (!isRead && !fold.isFull) continue;
      const piece = fold.take(isRead);
      yield {
        piece,
        isRead,
        isContinued,
        voidFrom,
        bytes: fold.bytes,
        weight: weightOf(piece),
        head: await reading,
        problem,
      };
      voidFrom = Infinity;
    }
  } finally {
    source.close();
  }
}

function weightOf({ messages, checkpoint }: FoldedPiece): number {
  return messages.reduce(
    (sum, { text }) => sum + 2 * text.length,
    checkpoint.length,
  );
}

function problemOf(error: unknown): PieceProblem {
  const message = error instanceof Error ? error.message : String(error);
  return { code: codeOf(error), message };
}

interface OpenedTask {
  readonly source: ByteSource;
  readonly fold: SessionFold;
  /** Whether it is read on from where it was read to. */
  readonly isContinued: boolean;
}

/**
 * Opens a file where it was read to, or at its beginning if it is not the same.
 *
 * @param checkpoint What it takes to read on; `undefined` to begin anew.
 * @throws {Error} If it cannot be opened.
 */
async function openTask(
  { file, before }: Pick<Task, "file" | "before">,
  checkpoint: Uint8Array | undefined,
  openContent: typeof openSessionContent,
): Promise<OpenedTask> {
  const { start } = file;
  const fileName = file.path;
  if (before !== undefined && checkpoint !== undefined) {
    const { readTo, readMark } = before;
    const content = await openContent(file, { readTo, mark: readMark });
    if (content !== undefined) {
      const from = { readTo, checkpoint, tail: content.tail };
      try {
        const fold = new SessionFold({ fileName, start, from });
        return { source: content.source, fold, isContinued: true };
      } catch {
        // What cannot be gone on from is read anew.
        content.source.close();
      }
    }
  }
  const content = await openContent(file);
  if (content === undefined) throw new Error("it cannot be read");
  const fold = new SessionFold({ fileName, start });
  return { source: content.source, fold, isContinued: false };
}
