/** How the command ends: its exit statuses, and what is thrown to end it early. */

export const EXIT = {
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

/** The reader of the output has gone: it has enough. */
export class ClosedOutput extends Error {
  override readonly name = "ClosedOutput";
}

/** The user wants the work to end. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** A file or stream could not be read or written; the message says which and why. */
export class IoError extends Error {
  override readonly name = "IoError";
}

/** The command line is wrong; the message says what was expected. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
