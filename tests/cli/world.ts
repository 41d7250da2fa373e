/**
 * The environment in which a test calls the command, and the result of the call.
 *
 * @module
 */

import type { ByteSink, RunContext } from "../../lib/cli/context.ts";
import type { ByteSource, ChangeWaiter } from "../../lib/files/files.ts";

/** A file: its content, or the error of opening it. */
export type MemoryFile = string | Uint8Array | Error | ByteSource;

/** The environment of a call. */
export interface World {
  /** The content of stdin: a text is one block, a source decides its blocks. */
  readonly stdin?: string | Uint8Array | ByteSource;
  /** The identity of the file that stdin comes from. */
  readonly stdinIdentity?: string;
  /** The identity of the file that stdout goes to. */
  readonly stdoutIdentity?: string;
  /** The sink of stdout. */
  readonly stdout?: ByteSink;
  /** The sink of stderr. */
  readonly stderr?: ByteSink;
  /** The files that can be read, by path. */
  readonly files?: Readonly<Record<string, MemoryFile>>;
  /** The real paths of the files and directories that are links, by path. */
  readonly links?: Readonly<Record<string, string>>;
  /** The directories. */
  readonly directories?: readonly string[];
  /** The error of creating any file or directory. */
  readonly createError?: Error;
  /** The sink of all new files. */
  readonly created?: ByteSink;
  /** The environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The standard streams that are terminals. */
  readonly terminals?: readonly ("stdin" | "stdout" | "stderr")[];
  /** Interrupts the command. */
  readonly interrupt?: AbortSignal;
  /** The width of the terminal. */
  readonly columns?: number;
  /** The height of the terminal. */
  readonly rows?: number;
  /** Receives the raw mode of the terminal whenever the command sets it. */
  readonly setRaw?: (isRaw: boolean) => void;
  /** Starts a timer that repeats; without it no timer runs. */
  readonly every?: RunContext["every"];
  /** Starts a pager; without it there is none. */
  readonly startPager?: RunContext["startPager"];
  /** The clock, in milliseconds. */
  readonly now?: () => number;
  /** The current folder. */
  readonly cwd?: string;
  /** Whether the test depends on how the output is split into writes. */
  readonly countsWrites?: boolean;
  /** Is called in place of every pause. */
  readonly pause?: () => Promise<void>;
  /** Waits for changes of a followed file. */
  readonly changes?: ChangeWaiter;
  /** The number of further threads that can work at once. */
  readonly threads?: number;
}

/** The result of a call. */
export interface Result {
  /** The exit status. */
  readonly status: number;
  /** The text on stdout. */
  readonly stdout: string;
  /** The text on stderr. */
  readonly stderr: string;
  /** The writes to stdout. */
  readonly writes: readonly string[];
  /** The texts of the files that were written, by path. */
  readonly written: ReadonlyMap<string, string>;
}
