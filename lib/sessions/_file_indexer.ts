/** Reads files of sessions into the index, one after the other. */

import { codeOf } from "../files/byte_source.ts";
import type { Count, IndexBatch } from "./_index_batch.ts";
import { isRewritten, isSameContent, type Task } from "./_index_plan.ts";
import { type IndexedFile, IndexWriter, type OnStep } from "./_index_writer.ts";
import { isGone } from "./open_session.ts";
import { openSessionContent, type SessionContent } from "./session_content.ts";
import type { SessionFile, SessionProblem } from "./session_files.ts";
import { type FoldedPiece, SessionFold } from "./session_fold.ts";
import { readSessionHead, type SessionHead } from "./session_head.ts";
import type { SessionIndexDatabase } from "./session_index_database.ts";

/** What reading files into an index needs. */
export interface FileIndexerOptions {
  readonly database: SessionIndexDatabase;
  /** Writes into it. */
  readonly writer: IndexWriter;
  /** Writes what is known of many files at once. */
  readonly batch: IndexBatch;
  /** Opens files; every read of a file's body goes through it. */
  readonly openContent: typeof openSessionContent;
  /** Is told of each step. */
  readonly onStep: OnStep;
  /** Is asked within long files, and while another process writes, whether to stop. */
  readonly shouldStop: () => boolean;
  /** Is told that another process has written about a file first. */
  readonly onOvertaken: () => void;
  /** Gives what was read ahead of a file, if that was done. */
  readonly ahead: (task: Task) => AsyncIterable<FilePiece> | undefined;
}

/** Is told how many bytes of a file are done. */
export type TellBytes = (bytes: number) => void | Promise<void>;

/** How much is read at once. */
export const BLOCK: number = 1 << 18;

/** Reads files into one index. */
export class FileIndexer {
  readonly #options: FileIndexerOptions;
  /** What files are read into, one after the other. */
  readonly #block = new Uint8Array(BLOCK);
  /** What could not be read, by the path: it may be tried twice. */
  readonly #problems = new Map<string, SessionProblem>();
  /** How many bytes were read, of unpacked files. */
  bytesRead = 0;

  /** Constructs a new instance. */
  constructor(options: FileIndexerOptions) {
    this.#options = options;
  }

  /** What could not be read. */
  get problems(): Iterable<SessionProblem> {
    return this.#problems.values();
  }

  /**
   * Reads a file, and writes what that changes, now or with others.
   *
   * @returns Whether it was read to its end; `false` if the work was stopped.
   */
  async read(task: Task, tell: TellBytes): Promise<boolean> {
    const { database, batch, openContent, onOvertaken } = this.#options;
    const { file, before, name } = task;
    if (before !== undefined && isSameContent(file, before)) {
      const head = name === before.name
        ? undefined
        : await readSessionHead(file);
      await batch.add("moved", {
        ...task,
        voidFrom: Infinity,
        piece: undefined,
        isRead: true,
        head,
        problem: before.problem,
      });
      return true;
    }
    this.#problems.delete(file.path);
    const now = IndexWriter.file(database, file.path);
    // Another process is at it, or was.
    if (now !== undefined && now.revision !== before?.revision) {
      onOvertaken();
      return true;
    }
    // Not below: that a file cannot be read is one thing, that the index cannot is another.
    const checkpoint = before === undefined || isRewritten(file, before)
      ? undefined
      : this.#checkpoint(before);
    const pieces = this.#options.ahead(task) ??
      piecesOf(task, { checkpoint, openContent, block: this.#block });
    return await this.#write(task, pieces, tell);
  }

  #checkpoint({ number, readTo }: IndexedFile): Uint8Array | undefined {
    return readTo === 0
      ? undefined
      : IndexWriter.checkpoint(this.#options.database, number);
  }

  async #write(
    task: Task,
    pieces: AsyncIterable<FilePiece>,
    tell: TellBytes,
  ): Promise<boolean> {
    const { database, writer, batch, onStep, shouldStop, onOvertaken } =
      this.#options;
    const { file } = task;
    let { before } = task;
    for await (const read of pieces) {
      const { piece, isRead, isContinued, voidFrom, head, problem } = read;
      if (problem !== undefined) {
        // What was deleted since it was found is no problem.
        const isThere = piece !== undefined || problem.code !== "ENOENT" ||
          !await isGone(file.path);
        if (isThere) this.#problem(file, problem);
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
        this.bytesRead += read.bytes -
          (isContinued ? task.before?.readTo ?? 0 : 0);
        const count: Count = task.before === undefined
          ? "added"
          : isContinued
          ? "grown"
          : "changed";
        await batch.add(count, update);
        return true;
      }
      await batch.flush();
      before = await database.transaction(
        () => writer.write(update),
        shouldStop,
      );
      onStep("committed");
      // Another process is at this file.
      if (before === undefined) {
        onOvertaken();
        return true;
      }
      await tell(read.bytes);
      if (shouldStop()) return false;
    }
    return false;
  }

  #problem({ path, home }: SessionFile, problem: PieceProblem): void {
    this.#problems.set(path, { path, home, ...problem });
  }
}

/** Why a file cannot be read, or not to its end. */
type PieceProblem = Pick<SessionProblem, "code" | "message">;

/** What was read of a file: data that can be copied. */
export interface FilePiece {
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
  /** What the first lines tell. */
  readonly head: SessionHead | undefined;
  /** Why it cannot be read, or not to its end. */
  readonly problem: PieceProblem | undefined;
}

/** Reads a file piece by piece; one that cannot be opened is one piece that says so. */
export async function* piecesOf(
  task: Pick<Task, "file" | "before">,
  { checkpoint, openContent = openSessionContent, block }: {
    /** What it takes to read on. */
    readonly checkpoint?: Uint8Array | undefined;
    readonly openContent?: typeof openSessionContent;
    /** What it is read into. */
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
  const { content: { source }, fold, isContinued } = opened;
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

/** A file that is being read. */
interface OpenedTask {
  /** What is left of it. */
  readonly content: SessionContent;
  /** What it is read into. */
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
        return { content, fold, isContinued: true };
      } catch {
        // What cannot be gone on from is read anew.
        content.source.close();
      }
    }
  }
  const content = await openContent(file);
  if (content === undefined) throw new Error("it cannot be read");
  const fold = new SessionFold({ fileName, start });
  return { content, fold, isContinued: false };
}
