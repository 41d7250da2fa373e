/** The exit statuses, and the errors that end the command early. */

export const EXIT = {
  done: 0,
  /** A negative result: a check failed, nothing was found, or lines failed. */
  no: 1,
  usage: 2,
  /** A file or a stream could not be read or written. */
  io: 3,
  bug: 70,
  interrupted: 130,
} as const;

/** How the reading of the inputs of a command ended. */
export interface Reading {
  readonly isIncomplete: boolean;
  readonly hasFailures: boolean;
  /** Whether a failed line has ended the work, as `--on-error=stop` requires. */
  readonly hasStopped?: boolean;
}

/** The exit status of a command that writes what it reads. */
export function statusAfter(
  { isIncomplete, hasFailures, hasStopped = false }: Reading,
  args: { has(flag: "strict"): boolean },
): number {
  if (isIncomplete) return EXIT.io;
  return hasStopped || args.has("strict") && hasFailures ? EXIT.no : EXIT.done;
}

/** The reader of the output closed the pipe. */
export class ClosedOutput extends Error {
  override readonly name = "ClosedOutput";
}

/** A file or stream could not be read or written; the message has its name and the reason. */
export class IoError extends Error {
  override readonly name = "IoError";
}

/** Whether an error means that an output cannot be written: an `IoError`, or a closed pipe. */
export function isWriteError(error: unknown): boolean {
  return error instanceof ClosedOutput || error instanceof IoError;
}

/** The command line is wrong; the message has the expected form. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
