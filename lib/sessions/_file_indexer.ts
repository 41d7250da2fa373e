/**
 * Reads files of sessions into the index, one after the other.
 */

import type { Count, IndexBatch } from "./_index_batch.ts";
import { isRewritten, isSameContent, type Task } from "./_index_plan.ts";
import { type IndexedFile, IndexWriter, type OnStep } from "./_index_writer.ts";
import { type OpenedTask, openTask } from "./_opened_task.ts";
import { codeOf, isGone } from "./open_session.ts";
import type { openSessionContent } from "./session_content.ts";
import type { SessionFile, SessionProblem } from "./session_files.ts";
import { readSessionHead } from "./session_head.ts";
import type { SessionIndexDatabase } from "./session_index_database.ts";

/** What reading files into an index needs. */
export interface FileIndexerOptions {
  /** The index. */
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
}

/** Is told how many bytes of a file are done. */
export type TellBytes = (bytes: number) => void | Promise<void>;

const BLOCK = 1 << 18;

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
   * @param task The file, and what the index has of it.
   * @param tell Is told how far it is.
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
    let opened: OpenedTask | undefined;
    try {
      opened = await openTask(task, checkpoint, openContent);
      return await this.#fold(task, opened, tell);
    } catch (error) {
      if (opened !== undefined || !(error instanceof Error)) throw error;
      // What was deleted since it was found is no problem.
      const isThere = codeOf(error) !== "ENOENT" || !await isGone(file.path);
      if (isThere) this.#problem(file, error);
      return true;
    } finally {
      opened?.content.source.close();
    }
  }

  #checkpoint({ number, readTo }: IndexedFile): Uint8Array | undefined {
    return readTo === 0
      ? undefined
      : IndexWriter.checkpoint(this.#options.database, number);
  }

  async #fold(
    task: Task,
    { content: { source }, fold, isContinued }: OpenedTask,
    tell: TellBytes,
  ): Promise<boolean> {
    const { database, writer, batch, onStep, shouldStop, onOvertaken } =
      this.#options;
    const { file } = task;
    const start = fold.bytes;
    const count: Count = task.before === undefined
      ? "added"
      : isContinued
      ? "grown"
      : "changed";
    let { before } = task;
    let { voidFrom } = fold;
    let problem: string | undefined;
    // It is read while the first block is; nothing is thrown.
    const reading = readSessionHead(file);
    const block = this.#block;
    for (let size: number | null = 0; size !== null;) {
      try {
        size = await source.read(block);
      } catch (error) {
        // What came before the damage was read, and is of use.
        problem = this.#problem(file, error);
        size = null;
      }
      if (size !== null) fold.feed(block.subarray(0, size));
      if (size === null || !fold.isFull) continue;
      const update = {
        ...task,
        before,
        voidFrom,
        piece: fold.take(false),
        isRead: false,
        head: await reading,
        problem,
      };
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
      voidFrom = Infinity;
      await tell(fold.bytes);
      if (shouldStop()) return false;
    }
    this.bytesRead += fold.bytes - start;
    await batch.add(count, {
      ...task,
      before,
      voidFrom,
      piece: fold.take(true),
      isRead: true,
      head: await reading,
      problem,
    });
    return true;
  }

  #problem({ path, home }: SessionFile, error: unknown): string {
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof Error && "code" in error &&
        typeof error.code === "string"
      ? error.code
      : "";
    this.#problems.set(path, { path, home, code, message });
    return message;
  }
}
