/**
 * What the command is given of the process that it runs in, and nothing else of a platform
 * is used below `cli.ts`: so everything here can be run in memory.
 */

import type { ByteSource, ChangeWaiter } from "../files/files.ts";

export interface ByteSink {
  /**
   * Writes the first ones of some bytes.
   *
   * @returns How many of them were written.
   */
  write(bytes: Uint8Array): Promise<number>;
}

export interface FileSink extends ByteSink {
  /** Gives back what writing needs; safe to call twice. */
  close(): void;
}

export interface Pager extends ByteSink {
  /** Ends what it is to show, and waits until the person has seen enough. */
  end(): Promise<void>;
}

export interface FileSource extends ByteSource {
  /** How many bytes it has now; `undefined` if that cannot be told, or it is closed. */
  size(): number | undefined;
}

export interface PathFacts {
  readonly isDirectory: boolean;
  /** What tells the content of a regular file from that of any other one. */
  readonly identity: string | undefined;
  /** The path of a regular file or a directory without links; any other path as it was given. */
  readonly realPath: string;
  /** How many bytes a regular file has. */
  readonly size?: number;
}

export interface PathEntry {
  readonly name: string;
  /** Whether it is a directory, and no link to one. */
  readonly isDirectory: boolean;
}

/** The other end of what one thread tells another. */
export interface Peer {
  /**
   * Tells it something.
   *
   * @param message What, of which it gets a copy.
   */
  post(message: unknown, moved?: readonly ArrayBuffer[]): void;
  /** Takes what it tells, and why it can tell nothing more. */
  listen(
    take: (message: unknown) => void,
    fail: (error: Error) => void,
  ): void;
  /** Ends it, whatever it does. */
  end(): void;
}

/** The thread that has started this one. */
export interface Starter {
  /** Works on what it gives, one after the other; what comes of it takes as much memory as is said. */
  obey(
    work: (input: unknown) => AsyncIterable<unknown>,
    weigh: (part: unknown) => number,
  ): Promise<never>;
}

/**
 * What a process has beside its output.
 *
 * Its functions throw what the platform throws; an error says why in its `code`, as Deno and
 * Node spell it, or in its message.
 */
export interface Surroundings {
  /** Where data comes from if no file is named. */
  readonly stdin: ByteSource;
  /** Which of the standard streams a person sits at. */
  readonly isTerminal: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
  };
  /** Is aborted when the user wants the work to end. */
  readonly interrupt: AbortSignal;
  /** The value of an environment variable. */
  env(name: string): string | undefined;
  /** Opens a file to read. */
  open(path: string): Promise<FileSource>;
  /** Opens a file to write, emptied, or to add to what is in it. */
  create(
    path: string,
    options?: { readonly isAppending?: boolean },
  ): Promise<FileSink>;
  /** Looks at a path; `undefined` if nothing is there. */
  look(path: string): Promise<PathFacts | undefined>;
  /** Lists what is in a directory; nothing, if it cannot be read. */
  list(path: string): Promise<readonly PathEntry[]>;
  /**
   * The {@linkcode PathFacts.identity} of the file that a standard stream is, if it is one.
   *
   * @param isQuick Whether nothing is said either if it takes long to find out.
   */
  streamIdentity(
    name: "stdin" | "stdout",
    isQuick?: boolean,
  ): Promise<string | undefined>;
  /**
   * Takes back what was written to stdout, a file that is added to, where it is not soon known
   * what stdout is.
   *
   * @returns Whether it is what it was: it is left alone if it has grown by anything else.
   */
  takeBack?(size: number): Promise<boolean>;
  /** Waits a moment, for a pipe that can take or give nothing just now. */
  pause(): Promise<void>;
  /**
   * Knows when to look again at a file that is followed; without it, the platform is asked
   * and the clock.
   */
  readonly changes?: ChangeWaiter;
  /** The width of the terminal that a person sits at, in columns, if there is one. */
  columns(): number | undefined;
  /** The height of that terminal, in lines. */
  rows(): number | undefined;
  /** Gives each key of the terminal that is stdin at once, or, as usual, whole lines. */
  setRaw(isRaw: boolean): void;
  /** The clock: milliseconds since 1970. */
  now(): number;
  /** The current folder. */
  cwd(): string;
  /** Further threads that can run the command; none where that is no use. */
  readonly threads?: {
    /** How many can work at once. */
    readonly cores: number;
    /** Starts one, which {@linkcode runThread} serves. */
    start(): Peer;
  };
  /** In such a thread, the one that started it. */
  readonly starter?: Starter;
}

export interface RunContext extends Surroundings {
  /** Where data goes, and nothing else. */
  readonly stdout: ByteSink;
  /** Where diagnostics go. */
  readonly stderr: ByteSink;
  /** Calls something again and again, every so many milliseconds, until what it gives is called. */
  every(period: number, tick: () => void): () => void;
  /**
   * Starts a program that shows what is written to it on the terminal.
   *
   * @param env The variables that it is given beside those that there are.
   * @returns The program; `undefined` if it is not there, or must not be run.
   */
  startPager(
    command: readonly [program: string, ...args: string[]],
    env: Readonly<Record<string, string>>,
  ): Promise<Pager | undefined>;
}
