/** Brings the index of sessions up to date with the files. */

import {
  BLOCK,
  FileIndexer,
  type FilePiece,
  piecesOf,
  type TellBytes,
} from "./_file_indexer.ts";
import { type Count, IndexBatch } from "./_index_batch.ts";
import { checkIndex } from "./index_check.ts";
import { IndexDisagreement } from "./_index_damage.ts";
import { planRefresh, type RefreshPlan } from "./_index_plan.ts";
import { StoppedWaiting } from "./_index_wait.ts";
import { type IndexedFile, IndexWriter, type OnStep } from "./_index_writer.ts";
import { openSessionContent } from "./session_content.ts";
import {
  findSessionFiles,
  type SessionFile,
  type SessionProblem,
} from "./session_files.ts";
import {
  type SessionIndexDatabase,
  type SessionIndexOptions,
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

/** What tests hold on to. */
export interface RefreshHooks {
  /** Opens files; every read of a file's body goes through it. */
  readonly openContent?: typeof openSessionContent;
  /** Is told of each step of what is written. */
  readonly onStep?: OnStep;
  /** How many files are written at once at most. */
  readonly batchFiles?: number;
}

const BATCH_FILES = 256;
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
  const { files, problems, missingHomes } = await findSessionFiles(options);
  const names = await NamesByHome.of(files);
  const refresh = new Refresh(database, options, hooks, files);
  await refresh.run(problems, (file) => names.nameOf(file, file.sessionId));
  const done = refresh.report([...problems, ...names.problems]);
  const sessions = files.filter(({ isContinued }) => !isContinued).length;
  return { sessions, files: files.length, ...done, missingHomes };
}

/** Says what there is to read to bring an index up to date that cannot be written. */
export async function reportUnread(
  database: SessionIndexDatabase,
  options: Pick<RefreshOptions, "codexHomes">,
): Promise<IndexingReport> {
  const { files, problems, missingHomes } = await findSessionFiles(options);
  const names = await NamesByHome.of(files);
  const { tasks } = planRefresh({
    files,
    problems,
    nameOf: (file) => names.nameOf(file, file.sessionId),
  }, IndexWriter.files(database));
  return {
    sessions: files.filter(({ isContinued }) => !isContinued).length,
    files: files.length,
    added: 0,
    grown: 0,
    changed: 0,
    moved: 0,
    removed: 0,
    bytesRead: 0,
    filesLeft: tasks.length,
    bytesLeft: bytesOf(tasks.map(({ file }) => file)),
    problems: [...problems, ...names.problems],
    missingHomes,
  };
}

/** Brings one index up to date once. */
class Refresh {
  readonly #database: SessionIndexDatabase;
  readonly #options: RefreshOptions;
  readonly #shouldStop: () => boolean;
  readonly #files: readonly SessionFile[];
  readonly #onStep: OnStep;
  readonly #batchFiles: number;
  readonly #writer: IndexWriter;
  readonly #counts: Record<Count, number> = {
    added: 0,
    grown: 0,
    changed: 0,
    moved: 0,
    removed: 0,
  };
  readonly #batch: IndexBatch;
  readonly #indexer: FileIndexer;
  #ahead: FilesAhead | undefined;
  #filesLeft = 0;
  #bytesLeft = 0;
  /** Whether another process has written about a file since the work was planned. */
  #isOvertaken = false;

  constructor(
    database: SessionIndexDatabase,
    options: RefreshOptions,
    {
      openContent = openSessionContent,
      onStep = () => {},
      batchFiles = BATCH_FILES,
    }: RefreshHooks,
    files: readonly SessionFile[],
  ) {
    this.#database = database;
    this.#options = options;
    this.#shouldStop = options.shouldStop ?? (() => false);
    this.#files = files;
    this.#onStep = onStep;
    this.#batchFiles = batchFiles;
    this.#writer = new IndexWriter(database, files, onStep);
    const common = {
      database,
      writer: this.#writer,
      onStep,
      shouldStop: this.#shouldStop,
      onOvertaken: () => {
        this.#isOvertaken = true;
      },
    };
    this.#batch = new IndexBatch({
      ...common,
      maxFiles: batchFiles,
      counts: this.#counts,
    });
    this.#indexer = new FileIndexer({
      ...common,
      batch: this.#batch,
      openContent,
      ahead: ({ file, before }) =>
        before === undefined ? this.#ahead?.piecesOf(file) : undefined,
    });
  }

  /** Says what was done. */
  report(
    problems: readonly SessionProblem[],
  ): Omit<IndexingReport, "sessions" | "files" | "missingHomes"> {
    return {
      ...this.#counts,
      bytesRead: this.#indexer.bytesRead,
      filesLeft: this.#filesLeft,
      bytesLeft: this.#bytesLeft,
      problems: [...problems, ...this.#indexer.problems],
    };
  }

  async run(
    problems: readonly SessionProblem[],
    nameOf: (file: SessionFile) => string | undefined,
  ): Promise<void> {
    const found = { files: this.#files, problems, nameOf };
    try {
      for (let round = 1;; round++) {
        this.#isOvertaken = false;
        const indexed = IndexWriter.files(this.#database);
        await this.#carryOut(planRefresh(found, indexed), indexed);
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

  async #carryOut(
    { tasks, gone }: RefreshPlan,
    indexed: readonly IndexedFile[],
  ): Promise<void> {
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
      const isCleared = gone.length === indexed.length &&
        await this.#clear(gone);
      while (first < end && !this.#shouldStop()) {
        // Another process has done the same work before: so they meet.
        const isBehind = this.#batch.isBehind && this.#ahead === undefined;
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
        if (!await this.#indexer.read(task, tell)) break;
        bytes += task.file.size;
        if (isBehind) end -= 1;
        else first += 1;
      }
      await this.#batch.flush();
      if (!isCleared) await this.#remove(gone);
    } finally {
      await this.#ahead?.end();
      const unread = tasks.slice(first, end).map(({ file }) => file);
      const left = new Set([...unread, ...this.#batch.waiting]);
      this.#filesLeft = left.size;
      this.#bytesLeft = bytesOf(left);
    }
  }

  /** Removes all files; one by one, that takes as long as to read them. */
  async #clear(gone: readonly IndexedFile[]): Promise<boolean> {
    if (gone.length === 0) return false;
    const isCleared = await this.#database.transaction(
      () => this.#writer.clear(gone),
      this.#shouldStop,
    );
    if (isCleared) this.#counts.removed += gone.length;
    this.#onStep("committed");
    return isCleared;
  }

  /** Removes files, some of them even if it is to stop. */
  async #remove(gone: readonly IndexedFile[]): Promise<void> {
    const size = Math.min(REMOVED_FILES, this.#batchFiles);
    for (let at = 0; at < gone.length; at += size) {
      if (at > 0 && this.#shouldStop()) return;
      const files = gone.slice(at, at + size);
      this.#counts.removed += await this.#database.transaction(
        () => files.filter((file) => this.#writer.remove(file)).length,
        this.#shouldStop,
      );
      this.#onStep("committed");
    }
  }
}

function bytesOf(files: Iterable<SessionFile>): number {
  let bytes = 0;
  for (const { size } of files) bytes += size;
  return bytes;
}
