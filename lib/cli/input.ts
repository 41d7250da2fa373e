/** Reading a file or stdin, block by block. Reading the file that stdout goes to is refused. */

import { type ByteSource, PackedDataError } from "../files/byte_source.ts";
import { decompressed } from "../files/decompress.ts";
import type { CommandContext } from "./command.ts";
import type { FileSource, Surroundings } from "./context.ts";
import type { Diagnostics } from "./diagnostics.ts";
import { IoError, UsageError } from "./endings.ts";
import { cannot, isWouldBlock, reasonOf } from "./reasons.ts";
import { type FlagName, STDIN } from "./flags.ts";

/** The `PathFacts.identity` of a file, or of stdin; `undefined` too if finding out is not quick. */
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
 * Refuses to read the file that stdout is redirected to: it would have no end. Output after `size`,
 * that of the file when reading began, is removed. With `isQuick`, it is skipped if it takes long.
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
    : `; its first ${size} bytes are its original content`;
  const name = input === STDIN ? "the file of stdin" : input;
  throw new UsageError(
    `stdout goes to ${name}, which is an input: write to another file${rest}`,
  );
}

/** The size of a block in bytes: half takes 3 % more time on files of 200 MB, more saves none. */
export const BLOCK: number = 1 << 19;

/** The bytes after which stdin and stdout are compared: it takes as long as reading 10 to 20 MB. */
const MAX_UNSEEN = 1 << 27;

export interface ChosenInput {
  /** A path, or `-`. */
  readonly name: string;
  /** The size in bytes, if known already. */
  readonly size?: number | undefined;
  /** The path of a session in its Codex home, if found in one: it does not contain a user name. */
  readonly place?: string;
}

export async function openChosen(
  input: ChosenInput,
  context: Surroundings,
): Promise<Input> {
  return input.place === undefined
    ? await openInput(input.name, context)
    : await openSessionInput(input, context);
}

/** Loaded for sessions only, so that reading files starts faster, and once: there may be many. */
let sessions: typeof import("../sessions/open_session.ts") | undefined;

/** Opens a session file, even if Codex compresses it at the same time. */
export async function openSessionInput(
  { name: path, size }: ChosenInput,
  context: Surroundings,
): Promise<Input> {
  sessions ??= await import("../sessions/open_session.ts");
  try {
    const source = await sessions.openSession({ path, size });
    return new Input(source, path, context);
  } catch (error) {
    throw cannot("open", path, error);
  }
}

export async function openInput(
  path: string,
  context: Surroundings,
): Promise<Input> {
  const file = path === STDIN ? undefined : await open(path, context);
  const bytes = patient(file ?? context.stdin, context);
  const source = decompressed(bytes, { name: path });
  return new Input(source, path, context, file);
}

/**
 * Waits while a source would block, as stdin does if a program before has set it so. The retry must
 * come before the bytes are unpacked: an unpacked stream cannot go on after an error.
 */
function patient(source: ByteSource, context: Surroundings): ByteSource {
  return {
    async read(into): Promise<number | null> {
      for (;;) {
        try {
          return await source.read(into);
        } catch (error) {
          if (!isWouldBlock(error)) throw error;
          await context.pause();
        }
      }
    },
    close: () => source.close(),
  };
}

async function open(path: string, context: Surroundings): Promise<FileSource> {
  try {
    // Most systems open a directory, and fail on reading it; others say "permission denied".
    if ((await context.look(path))?.isDirectory) {
      await context.list(path);
      throw new IoError(
        `${path}: cannot open: is a directory, and no session file (rollout-*.jsonl) is below it`,
      );
    }
    // Opening a named pipe waits for a writer.
    return await unlessInterrupted(context.open(path), context.interrupt);
  } catch (error) {
    if (error === context.interrupt.reason || error instanceof IoError) {
      throw error;
    }
    throw cannot("open", path, error);
  }
}

export interface Blocks {
  /** Reads the next block, which is valid until the next call; `undefined` at the end. */
  next(): Promise<Uint8Array | undefined>;
  /** The minimum number of bytes of the input, if known. */
  readonly size?: number | undefined;
  close(): void;
}

/** Reads an input to its end, or reports that it cannot be read; returns whether it was read. */
export async function readOrSay(
  read: () => Promise<void>,
  diagnostics: Pick<Diagnostics, "say">,
): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (!(error instanceof IoError)) throw error;
    diagnostics.say(error.message);
    return false;
  }
}

/** Opens the file that the value of a flag names; it may be stdin if that is no input. */
export async function openNamed(
  flag: FlagName,
  path: string,
  inputs: readonly ChosenInput[],
  process: Surroundings,
): Promise<Input> {
  if (path === STDIN) {
    if (inputs.some(({ name }) => name === STDIN)) {
      throw new UsageError(
        `--${flag}=- and the input are both stdin, which can be read only once: name a file`,
      );
    }
    // Otherwise the message would be about session files below the folder.
  } else if ((await process.look(path))?.isDirectory) {
    throw new IoError(`${path}: cannot open: is a directory`);
  }
  return await openInput(path, process);
}

/** Reads a text; stops after `limit` UTF-16 units. */
export async function readText(
  input: Input,
  limit: number,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const block of input) {
    text += decoder.decode(block, { stream: true });
    if (text.length > limit) break;
  }
  return text + decoder.decode();
}

/** The buffers of inputs that have ended, for the next ones: most are read one after the other. */
const SPARE_BLOCKS: Uint8Array<ArrayBuffer>[] = [];

function newBlock(): Uint8Array<ArrayBuffer> {
  return SPARE_BLOCKS.pop() ?? new Uint8Array(BLOCK);
}

/** An input whose next block is read while the one before is processed: a tenth less time. */
export class Input implements Blocks {
  readonly #source: ByteSource;
  readonly #name: string;
  readonly #context: Surroundings;
  #current = newBlock();
  #other = newBlock();
  #hasEnded = false;
  #ahead: Promise<number | null> | undefined;
  readonly #file: FileSource | undefined;
  readonly size: number | undefined;
  #length = 0;
  /** Whether it still has to be checked that stdout does not go to this file. */
  #isDoubtful = true;

  /** @param file The file that is read, if it is one: its growth shows that stdout goes to it. */
  constructor(
    source: ByteSource,
    name: string,
    context: Surroundings,
    file?: FileSource,
  ) {
    this.#source = source;
    this.#name = name;
    this.#context = context;
    this.#file = file;
    this.size = file?.size();
  }

  /** Reads the next block. After an error, all bytes before it have been returned. */
  async next(): Promise<Uint8Array | undefined> {
    this.#ahead ??= this.#source.read(this.#current);
    let size: number | null;
    try {
      size = await unlessInterrupted(this.#ahead, this.#context.interrupt);
    } catch (error) {
      if (error === this.#context.interrupt.reason) throw error;
      throw new IoError(`${this.#name}: ${unreadable(error)}`, {
        cause: error,
      });
    }
    // Checked before any output is written, where the check is quick; elsewhere once the file
    // grows.
    if (this.#length === 0 && size !== null) {
      await refuseOwnOutput(this.#name, this.#context, { isQuick: true });
    }
    this.#length += size ?? 0;
    if (this.#isDoubtful) await this.#refuseOwnOutput();
    if (size === null) {
      // Not earlier, such as by close(): a read that is not awaited could still write to them.
      if (!this.#hasEnded) SPARE_BLOCKS.push(this.#current, this.#other);
      this.#hasEnded = true;
      return undefined;
    }
    const block = this.#current.subarray(0, size);
    [this.#current, this.#other] = [this.#other, this.#current];
    this.#ahead = this.#source.read(this.#current);
    // The error is thrown by the next call.
    this.#ahead.catch(() => {});
    return block;
  }

  close(): void {
    this.#source.close();
  }

  /** Yields the blocks until the end, an error or an interrupt, and closes the input. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (;;) {
        const block = await this.next();
        if (block === undefined) return;
        yield block;
      }
    } finally {
      this.close();
    }
  }

  /** Checks once whether stdout goes to this file, when the file grows or stdin is long. */
  async #refuseOwnOutput(): Promise<void> {
    const hasGrown = (this.#file?.size() ?? 0) > (this.size ?? 0);
    const isLong = this.#name === STDIN && this.#length >= MAX_UNSEEN;
    if (!hasGrown && !isLong) return;
    this.#isDoubtful = false;
    await refuseOwnOutput(this.#name, this.#context, { size: this.size });
  }
}

/** Waits for a promise; rejects with the reason of the signal when that is aborted. */
export function unlessInterrupted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  // Not Promise.race: each call would leave a reaction on the promise of the signal.
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() =>
      signal.removeEventListener("abort", stop)
    );
  });
}

/** The message for an error of an open file. */
export function unreadable(error: unknown): string {
  if (error instanceof PackedDataError) {
    return error.message.charAt(0).toLowerCase() + error.message.slice(1);
  }
  return `cannot read: ${reasonOf(error)}`;
}

/** Prints a note if a command reads from the terminal. */
export async function invite(
  file: string,
  { process: { isTerminal }, diagnostics }: CommandContext,
): Promise<void> {
  if (file !== STDIN || !isTerminal.stdin || !isTerminal.stderr) return;
  diagnostics.remark("reading from the terminal");
  await diagnostics.flush();
}
