/**
 * What a command may touch of the world, so that it can be tested without one.
 */

import type { ByteSource } from "../files/files.ts";

/** Somewhere that bytes are written to. */
export interface Sink {
  /** Whether a person looks at it. */
  readonly isTerminal: boolean;
  /**
   * Writes all of some bytes.
   *
   * @throws {ClosedOutput} If nobody reads any more.
   * @throws {IoError} If they cannot be written.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends it; safe to call twice. */
  close(): void;
}

/** The streams and files of a process. */
export interface Io {
  /** Where data comes from if no file is named. */
  readonly stdin: ByteSource;
  /** Where data goes, and nothing else. */
  readonly stdout: Sink;
  /** Where diagnostics go. */
  readonly stderr: Sink;
  /** The value of an environment variable. */
  env(name: string): string | undefined;
  /**
   * Opens a file to read.
   *
   * @throws {IoError} If it cannot be opened.
   */
  open(path: string): Promise<ByteSource>;
  /**
   * Opens a file to write, empty.
   *
   * @throws {IoError} If it cannot be opened.
   */
  create(path: string): Promise<Sink>;
  /** Whether two paths lead to the same file. */
  isSameFile(one: string, other: string): Promise<boolean>;
}

/** Nobody reads the output any more: the work is done. */
export class ClosedOutput extends Error {
  /** The name of the class. */
  override readonly name = "ClosedOutput";
}

/** A file or stream could not be read or written; the message says why in plain words. */
export class IoError extends Error {
  /** The name of the class. */
  override readonly name = "IoError";
}

/** The command line is wrong; the message says what to do. */
export class UsageError extends Error {
  /** The name of the class. */
  override readonly name = "UsageError";
}

/** What a process says with its exit status. */
export const EXIT = {
  /** Done. */
  done: 0,
  /** The answer is no. */
  no: 1,
  /** The command line is wrong. */
  usage: 2,
  /** A file or a stream could not be read or written. */
  io: 3,
  /** A bug of codexpipe's. */
  bug: 70,
  /** Interrupted from the keyboard. */
  interrupted: 130,
} as const;
