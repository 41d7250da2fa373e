/**
 * What is there when the command is called by a test, and what comes of the call.
 *
 * @module
 */

import type { ByteSink, RunContext } from "../../lib/cli/context.ts";
import type { ByteSource, ChangeWaiter } from "../../lib/files/files.ts";

/** A file: its content, or what happens to whoever opens it. */
export type MemoryFile = string | Uint8Array | Error | ByteSource;

/** What is there when the command is called. */
export interface World {
  /** What stdin gives: all of a text at once, or whatever a source gives. */
  readonly stdin?: string | Uint8Array | ByteSource;
  /** The file that stdin comes from. */
  readonly stdinIdentity?: string;
  /** The file that stdout goes to. */
  readonly stdoutIdentity?: string;
  /** Takes what goes to stdout. */
  readonly stdout?: ByteSink;
  /** Takes what goes to stderr. */
  readonly stderr?: ByteSink;
  /** The files that can be read. */
  readonly files?: Readonly<Record<string, MemoryFile>>;
  /** What the files are called that links among the files lead to. */
  readonly links?: Readonly<Record<string, string>>;
  /** The directories. */
  readonly directories?: readonly string[];
  /** Why no file can be written. */
  readonly createError?: Error;
  /** Takes what goes to new files. */
  readonly created?: ByteSink;
  /** The environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The standard streams that a person sits at. */
  readonly terminals?: readonly ("stdin" | "stdout" | "stderr")[];
  /** Ends the work. */
  readonly interrupt?: AbortSignal;
  /** The width of the terminal. */
  readonly columns?: number;
  /** The height of the terminal. */
  readonly rows?: number;
  /** Is told whether keys are to come at once. */
  readonly setRaw?: (isRaw: boolean) => void;
  /** Calls something again and again; without it, nothing is. */
  readonly every?: RunContext["every"];
  /** Starts a pager; without it there is none. */
  readonly startPager?: RunContext["startPager"];
  /** The clock, in milliseconds. */
  readonly now?: () => number;
  /** The current folder. */
  readonly cwd?: string;
  /** Whether it matters how the output is cut into writes. */
  readonly countsWrites?: boolean;
  /** Is called instead of waiting. */
  readonly pause?: () => Promise<void>;
  /** Knows when to look again at a file that is followed. */
  readonly changes?: ChangeWaiter;
  /** How many further threads can work at once. */
  readonly threads?: number;
}

/** What came of a call. */
export interface Result {
  /** The exit status. */
  readonly status: number;
  /** Everything that went to stdout. */
  readonly stdout: string;
  /** Everything that went to stderr. */
  readonly stderr: string;
  /** What went to stdout, write by write. */
  readonly writes: readonly string[];
  /** The files that were written. */
  readonly written: ReadonlyMap<string, string>;
}
