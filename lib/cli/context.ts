/** The process that the command runs in, which tests replace so that it runs in memory. */

import type { ByteSource } from "../files/byte_source.ts";
import type { ChangeWaiter } from "../files/file_changes.ts";

export interface ByteSink {
  /** Writes some bytes, or only the first of them, and returns how many were written. */
  write(bytes: Uint8Array): Promise<number>;
  /** Closes a file, at most once; other sinks have no such method. */
  close?(): void;
}

export interface Pager extends ByteSink {
  /** Closes the stdin of the pager, and waits until the user quits it. */
  end(): Promise<void>;
}

export interface FileSource extends ByteSource {
  /** The current size in bytes; `undefined` if it is unknown, or the file is closed. */
  size(): number | undefined;
}

export interface PathFacts {
  readonly isDirectory: boolean;
  /** A key that is the same for all paths of one regular file; `undefined` for other files. */
  readonly identity: string | undefined;
  /** The path with links resolved, for regular files and directories; otherwise the given path. */
  readonly realPath: string;
  readonly size?: number;
}

export interface PathEntry {
  readonly name: string;
  /** Whether the entry is a directory; a link to one does not count. */
  readonly isDirectory: boolean;
}

export interface Peer {
  /** Sends a copy of a message; its buffers that are `moved` are not copied. */
  post(message: unknown, moved?: readonly ArrayBuffer[]): void;
  /** Sets the callbacks for messages, and for the error after which no more messages come. */
  listen(take: (message: unknown) => void, fail: (error: Error) => void): void;
  /** Terminates the thread, even while it works. */
  end(): void;
}

export interface Starter {
  /** Processes the inputs that the other thread sends, one after the other, and never returns. */
  obey(
    work: (input: unknown) => AsyncIterable<unknown>,
    /** Returns the memory that a result takes until its turn, in bytes. */
    weigh: (part: unknown) => number,
  ): Promise<never>;
}

/**
 * The process without its output streams. Its functions throw errors of the platform: with a `code`
 * as Deno and Node spell it, or only a message.
 */
export interface Surroundings {
  readonly stdin: ByteSource;
  readonly isTerminal: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
  };
  /** Aborted when the user interrupts the command, as with Ctrl-C. */
  readonly interrupt: AbortSignal;
  env(name: string): string | undefined;
  open(path: string): Promise<FileSource>;
  /** Opens a file for writing: truncates it, or appends to it. */
  create(
    path: string,
    options?: { readonly isAppending?: boolean },
  ): Promise<ByteSink>;
  createFolder(path: string): Promise<void>;
  /** Reads the facts of a path; `undefined` if nothing exists there. */
  look(path: string): Promise<PathFacts | undefined>;
  list(path: string): Promise<readonly PathEntry[]>;
  /**
   * The {@linkcode PathFacts.identity} of the regular file that a standard stream is redirected to
   * or from; `undefined` if there is none, or if finding out takes long and should be quick.
   */
  streamIdentity(
    name: "stdin" | "stdout",
    isQuick?: boolean,
  ): Promise<string | undefined>;
  /**
   * Truncates the file that stdout appends to, so that it no longer has the output of this
   * process. Exists only on platforms that cannot find out the identity of stdout quickly.
   *
   * @param size The size of the file before the output, in bytes.
   * @returns Whether the file was truncated; a file to which others wrote too is left alone.
   */
  takeBack?(size: number): Promise<boolean>;
  /** Waits a moment, for a pipe that would block. */
  pause(): Promise<void>;
  /** Waits for changes of a followed file; by default, by notifications and a timer. */
  readonly changes?: ChangeWaiter;
  columns(): number | undefined;
  rows(): number | undefined;
  /** Switches the terminal of stdin between raw mode (each key at once) and whole lines. */
  setRaw(isRaw: boolean): void;
  /** The clock: milliseconds since 1970. */
  now(): number;
  cwd(): string;
  /** Further threads that can run the command; `undefined` where threads are not available. */
  readonly threads?: {
    readonly cores: number;
    /** Starts a thread, which calls {@linkcode runThread}. */
    start(): Peer;
  };
  /** In such a thread, the thread that started it. */
  readonly starter?: Starter;
}

export interface RunContext extends Surroundings {
  readonly stdout: ByteSink;
  readonly stderr: ByteSink;
  /** Calls `tick` every `period` milliseconds, until the returned function is called. */
  every(period: number, tick: () => void): () => void;
  /** Starts a program that shows its input; `undefined` if it is not found, or must not be run. */
  startPager(
    command: readonly [program: string, ...args: string[]],
    env: Readonly<Record<string, string>>,
  ): Promise<Pager | undefined>;
}
