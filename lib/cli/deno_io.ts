/**
 * The process that the command runs in.
 */

import type { ByteSource } from "../files/files.ts";
import { ClosedOutput, EXIT, type Io, IoError, type Sink } from "./io.ts";

/** How long a pipe that is full is left alone, in milliseconds. */
const PAUSE = 1;

/** What both files and standard streams have. */
interface Readable {
  read(into: Uint8Array): Promise<number | null>;
  close(): void;
}

interface Writable {
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/**
 * Makes the {@linkcode Io} of this process.
 *
 * Ctrl-C ends it between two writes, so that only whole lines are left behind; a second
 * one does not wait for a reader that has stopped reading.
 *
 * @param exit Ends the process with a status.
 */
export function denoIo(exit: (status: number) => never): Io {
  const interrupts = new Interrupts(exit);
  return {
    stdin: sourceOf(Deno.stdin, "stdin"),
    stdout: sinkOf(Deno.stdout, "stdout", interrupts, Deno.stdout.isTerminal()),
    stderr: sinkOf(Deno.stderr, "stderr", interrupts, Deno.stderr.isTerminal()),
    env(name): string | undefined {
      return Deno.env.get(name);
    },
    async open(path): Promise<ByteSource> {
      try {
        return sourceOf(await Deno.open(path), path);
      } catch (error) {
        throw new IoError(`cannot open: ${reason(error)}`, { cause: error });
      }
    },
    async create(path): Promise<Sink> {
      try {
        const file = await Deno.create(path);
        return sinkOf(file, path, interrupts, false);
      } catch (error) {
        throw new IoError(`${path}: cannot create: ${reason(error)}`, {
          cause: error,
        });
      }
    },
    async isSameFile(one, other): Promise<boolean> {
      try {
        return await Deno.realPath(one) === await Deno.realPath(other);
      } catch {
        // What does not exist is no file that could be overwritten.
        return false;
      }
    },
  };
}

function sourceOf(file: Readable, _name: string): ByteSource {
  let isOpen = true;
  return {
    async read(into): Promise<number | null> {
      try {
        return await file.read(into);
      } catch (error) {
        throw new IoError(`cannot read: ${reason(error)}`, { cause: error });
      }
    },
    close(): void {
      if (!isOpen) return;
      isOpen = false;
      file.close();
    },
  };
}

function sinkOf(
  file: Writable,
  name: string,
  interrupts: Interrupts,
  isTerminal: boolean,
): Sink {
  let isOpen = true;
  return {
    isTerminal,
    async write(bytes): Promise<void> {
      interrupts.hold();
      try {
        for (let at = 0; at < bytes.length;) {
          try {
            at += await file.write(bytes.subarray(at));
          } catch (error) {
            if (!(error instanceof Deno.errors.WouldBlock)) throw error;
            await new Promise((resolve) => setTimeout(resolve, PAUSE));
          }
        }
      } catch (error) {
        if (error instanceof Deno.errors.BrokenPipe) throw new ClosedOutput();
        throw new IoError(`${name}: cannot write: ${reason(error)}`, {
          cause: error,
        });
      } finally {
        interrupts.release();
      }
    },
    close(): void {
      if (!isOpen) return;
      isOpen = false;
      file.close();
    },
  };
}

/** Ctrl-C, kept waiting while something is being written. */
class Interrupts {
  readonly #exit: (status: number) => never;
  #writes = 0;
  #isInterrupted = false;

  constructor(exit: (status: number) => never) {
    this.#exit = exit;
    Deno.addSignalListener("SIGINT", () => {
      if (this.#writes === 0 || this.#isInterrupted) exit(EXIT.interrupted);
      this.#isInterrupted = true;
    });
  }

  hold(): void {
    this.#writes += 1;
  }

  release(): void {
    this.#writes -= 1;
    if (this.#isInterrupted && this.#writes === 0) this.#exit(EXIT.interrupted);
  }
}

const REASONS: readonly (readonly [new (message: string) => Error, string])[] =
  [
    [Deno.errors.NotFound, "no such file"],
    [Deno.errors.PermissionDenied, "permission denied"],
    [Deno.errors.NotCapable, "this process was not given the permission"],
    [Deno.errors.IsADirectory, "it is a directory"],
    [Deno.errors.NotADirectory, "a part of the path is no directory"],
  ];

/** Why an operation failed, in plain words. */
function reason(error: unknown): string {
  for (const [kind, words] of REASONS) {
    if (error instanceof kind) return words;
  }
  if (!(error instanceof Error)) return String(error);
  return error.message.replace(/ \(os error \d+\).*$/s, "").toLowerCase();
}
