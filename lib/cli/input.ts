/** Reading: a file or stdin, block by block, unless that is where stdout goes. */

import {
  type ByteSource,
  codeOf,
  PackedDataError,
} from "../files/byte_source.ts";
import { decompressed } from "../files/decompress.ts";
import type { CommandContext } from "./command.ts";
import type { FileSource, Surroundings } from "./context.ts";
import { Interrupted, IoError, UsageError } from "./endings.ts";
import { isWouldBlock, reasonOf } from "./reasons.ts";
import { STDIN } from "./flags.ts";

/**
 * Asks what tells an input from any other file.
 *
 * @param input The path of a file, or `-`.
 * @param isQuick Whether nothing is said either if it takes long to find out.
 * @returns What tells it, if it is a regular file.
 */
export async function identityOf(
  input: string,
  process: Surroundings,
  isQuick = false,
): Promise<string | undefined> {
  return input === STDIN
    ? await process.streamIdentity("stdin", isQuick)
    : (await process.look(input))?.identity;
}

/**
 * Refuses to read what is written to stdout: it would have no end. What was written before that
 * was known is taken back.
 *
 * @param input The path of the file that is read, or `-`.
 * @param size How large it was when reading began, if that is known: inputs before it may have
 *   made it grow by then.
 * @param isQuick Whether to look only if it does not take long.
 * @throws {UsageError} If stdout is the same file.
 */
export async function refuseOwnOutput(
  input: string,
  process: Surroundings,
  { size, isQuick = false }: {
    readonly size?: number | undefined;
    readonly isQuick?: boolean;
  } = {},
): Promise<void> {
  const written = await process.streamIdentity("stdout", isQuick);
  if (written === undefined) return;
  if (written !== await identityOf(input, process, isQuick)) return;
  const isAsBefore = size === undefined || await process.takeBack?.(size);
  const rest = isAsBefore
    ? ""
    : `; its first ${size} bytes are what it was when reading began`;
  const name = input === STDIN ? "the file of stdin" : input;
  throw new UsageError(
    `stdout is ${name}, which is to be read: write to another file${rest}`,
  );
}

/**
 * How much is read at once: blocks of half the size cost 3 % more time on files of 200 MB,
 * larger ones save nothing.
 */
const BLOCK = 1 << 19;

/** How much is read at first: enough to show what larger blocks would be good for. */
const FIRST_BLOCK = 1 << 17;

/**
 * How much is read of stdin before it is looked at whether it is the file that stdout goes to:
 * to look takes as long as to read 10 to 20 MB.
 */
const MAX_UNSEEN = 1 << 27;

/**
 * Opens what is to be read, and reads through how it is packed.
 *
 * @param path The path of a file, or `-`.
 * @param room Room for its blocks, which no other input uses that is still read.
 */
export async function openInput(
  path: string,
  context: Surroundings,
  room?: BlockRoom,
): Promise<Input> {
  const file = path === STDIN ? undefined : await open(path, context);
  const source = decompressed(file ?? context.stdin, { name: path });
  const input = new Input(source, path, context, { room, file });
  if (file !== undefined) await input.begin();
  return input;
}

async function open(path: string, context: Surroundings): Promise<FileSource> {
  try {
    // A named pipe is open when it has a writer.
    return await unlessInterrupted(context.open(path), context.interrupt);
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    // Some systems deny the permission to open a directory.
    if ((await context.look(path))?.isDirectory) throw isDirectory(path);
    const message = `${path}: cannot open: ${reasonOf(error)}${
      // What the platform makes of a name that is not UTF-8 is another name.
      path.includes("\ufffd")
        ? '; a file whose name is not UTF-8 can be read as stdin, with "< FILE"'
        : ""}`;
    throw new IoError(message, { cause: error });
  }
}

/** What is wrong if a directory is to be read. */
export function isDirectory(path: string): IoError {
  return new IoError(
    `${path}: cannot open: is a directory, and no session file (rollout-*.jsonl) is below it`,
  );
}

/** Something that is read block by block. */
export interface Blocks {
  /**
   * Waits for the next block.
   *
   * @param most How many bytes the block behind it may have; as many as fit, without it.
   * @returns The block, which lasts until the next call; `undefined` at the end.
   */
  next(most?: number): Promise<Uint8Array | undefined>;
  /** How many bytes there are at least, if that is known. */
  readonly size?: number | undefined;
  /** Gives back what reading needs. */
  close(): void;
}

/** Gives the blocks of an input unless the user wants the work to end, and closes it. */
export async function* blocksOf(
  input: Blocks,
  { interrupt }: Pick<Surroundings, "interrupt">,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for (;;) {
      const block = await input.next();
      if (block === undefined) return;
      yield block;
      if (interrupt.aborted) throw new Interrupted();
    }
  } finally {
    input.close();
  }
}

/**
 * Lets an input be read. One that cannot be read does not keep the others from being: it is said.
 *
 * @returns Whether it could be read to its end.
 */
export async function readOrSay(
  read: () => Promise<void>,
  say: (message: string) => void,
): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (!(error instanceof IoError)) throw error;
    say(error.message);
    return false;
  }
}

/**
 * Reads a text, and not all of one that is longer than a limit.
 *
 * @param path The path of a file, or `-`.
 * @param limit How much is read, in UTF-16 units; a text that is longer is cut.
 */
export async function readText(
  path: string,
  process: Surroundings,
  limit: number,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const block of blocksOf(await openInput(path, process), process)) {
    text += decoder.decode(block, { stream: true });
    if (text.length > limit) break;
  }
  return text + decoder.decode();
}

/** What inputs that are read one after the other have in common: the room for their blocks. */
export type BlockRoom = readonly [
  Uint8Array<ArrayBuffer>,
  Uint8Array<ArrayBuffer>,
];

export function blockRoom(): BlockRoom {
  return [new Uint8Array(BLOCK), new Uint8Array(BLOCK)];
}

interface InputOptions {
  /** Room for its blocks, which no other input uses that is still read. */
  readonly room?: BlockRoom | undefined;
  /** The file that is read, if it is one: it may not grow by what is written. */
  readonly file?: FileSource | undefined;
}

/**
 * The blocks of an input.
 *
 * The next block is read while the one before is worked on: a tenth less time on two cores.
 */
export class Input implements Blocks {
  readonly #source: ByteSource;
  readonly #name: string;
  readonly #context: Surroundings;
  #current: Uint8Array;
  #other: Uint8Array;
  #ahead: Promise<number | null> | undefined;
  readonly #file: FileSource | undefined;
  /** The size of the file when it was opened. */
  readonly size: number | undefined;
  /** How much has been read. */
  #length = 0;
  /** Whether it may still be the file that stdout goes to. */
  #isDoubtful = true;

  constructor(
    source: ByteSource,
    name: string,
    context: Surroundings,
    { room = blockRoom(), file }: InputOptions = {},
  ) {
    this.#source = source;
    this.#name = name;
    this.#context = context;
    [this.#current, this.#other] = room;
    this.#file = file;
    this.size = file?.size();
  }

  /**
   * Waits for the first block, which the first call of `next` gives.
   *
   * @throws {IoError} If it is a directory: most systems open one, and fail when it is read.
   */
  async begin(): Promise<void> {
    this.#ahead = this.#read(this.#current.subarray(0, FIRST_BLOCK));
    try {
      await unlessInterrupted(this.#ahead, this.#context.interrupt);
    } catch (error) {
      const isFolder = codeOf(error) === "EISDIR";
      if (isFolder || error instanceof Interrupted) this.close();
      if (error instanceof Interrupted) throw error;
      if (isFolder) throw isDirectory(this.#name);
      // Whatever else is wrong is thrown when its turn comes.
    }
  }

  /**
   * Waits for the next block.
   *
   * @param most How many bytes the block behind it may have; as many as fit, without it.
   * @returns The block, which lasts until the next call; `undefined` at the end.
   * @throws {IoError} If it cannot be read; what came before has been given then.
   * @throws {UsageError} If it has grown by what was written to stdout.
   */
  async next(most = BLOCK): Promise<Uint8Array | undefined> {
    this.#ahead ??= this.#read(this.#current.subarray(0, FIRST_BLOCK));
    let size: number | null;
    try {
      size = await unlessInterrupted(this.#ahead, this.#context.interrupt);
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      throw new IoError(`${this.#name}: ${unreadable(error)}`, {
        cause: error,
      });
    }
    // Before anything of it is written, where the platform tells that soon; else once it grows.
    if (this.#length === 0 && size !== null) {
      await refuseOwnOutput(this.#name, this.#context, { isQuick: true });
    }
    this.#length += size ?? 0;
    if (this.#isDoubtful) await this.#refuseOwnOutput();
    if (size === null) return undefined;
    const block = this.#current.subarray(0, size);
    [this.#current, this.#other] = [this.#other, this.#current];
    this.#ahead = this.#read(this.#current.subarray(0, most));
    // It is thrown when its turn comes.
    this.#ahead.catch(() => {});
    return block;
  }

  /** Gives back what reading needs. */
  close(): void {
    this.#source.close();
  }

  /** Looks once whether it is the file that stdout goes to, if there is a sign of that. */
  async #refuseOwnOutput(): Promise<void> {
    const hasGrown = (this.#file?.size() ?? 0) > (this.size ?? 0);
    const isLong = this.#name === STDIN && this.#length >= MAX_UNSEEN;
    if (!hasGrown && !isLong) return;
    this.#isDoubtful = false;
    await refuseOwnOutput(this.#name, this.#context, { size: this.size });
  }

  async #read(into: Uint8Array): Promise<number | null> {
    for (;;) {
      try {
        return await this.#source.read(into);
      } catch (error) {
        if (!isWouldBlock(error)) throw error;
        await this.#context.pause();
      }
    }
  }
}

/** Waits for a promise, but not longer than until the signal. */
export function unlessInterrupted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  if (signal.aborted) return Promise.reject(new Interrupted());
  // Not Promise.race: each call would leave something behind on the signal's promise.
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Interrupted());
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() =>
      signal.removeEventListener("abort", stop)
    );
  });
}

/** Says why something that was open cannot be read. */
export function unreadable(error: unknown): string {
  if (error instanceof PackedDataError) {
    return error.message.charAt(0).toLowerCase() + error.message.slice(1);
  }
  const verb = codeOf(error) === "EISDIR" ? "open" : "read";
  return `cannot ${verb}: ${reasonOf(error)}`;
}

/** Says that a command reads from the terminal, if it does. */
export async function invite(
  file: string,
  { process: { isTerminal }, diagnostics }: CommandContext,
): Promise<void> {
  if (file !== STDIN || !isTerminal.stdin || !isTerminal.stderr) return;
  diagnostics.say("reading from the terminal");
  await diagnostics.flush();
}
