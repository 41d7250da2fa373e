/**
 * Runs the command in memory: streams, files and signals are values.
 *
 * @module
 */

import type {
  ByteSink,
  FileSink,
  PathFacts,
  RunContext,
} from "../../lib/cli/context.ts";
import { run } from "../../lib/cli/run.ts";
import type { ByteSource } from "../../lib/files/files.ts";
import { concat, decode, encode } from "../running.ts";
import { BINARY, callBinary, isReal } from "./binary.ts";

/** A file: its content, or what happens to whoever opens it. */
export type MemoryFile = string | Uint8Array | Error | ByteSource;

/** What is there when the command is called. */
export interface World {
  /** What stdin gives: all of a text at once, or whatever a source gives. */
  readonly stdin?: string | Uint8Array | ByteSource;
  /** Takes what goes to stdout. */
  readonly stdout?: ByteSink;
  /** Takes what goes to stderr. */
  readonly stderr?: ByteSink;
  /** The files that can be read. */
  readonly files?: Readonly<Record<string, MemoryFile>>;
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
  /** The clock, in milliseconds. */
  readonly now?: () => number;
  /** The current folder. */
  readonly cwd?: string;
  /** Whether it matters how the output is cut into writes. */
  readonly countsWrites?: boolean;
  /** Is called instead of waiting. */
  readonly pause?: () => Promise<void>;
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

/** Takes everything, and remembers each write. */
export class Sink implements ByteSink {
  readonly writes: Uint8Array[] = [];
  #waiting: (() => void) | undefined;
  #seen = 0;

  write(bytes: Uint8Array): Promise<number> {
    this.writes.push(bytes.slice());
    this.#waiting?.();
    return Promise.resolve(bytes.length);
  }

  /** Waits for the next write. */
  async next(): Promise<string> {
    while (this.writes.length === this.#seen) {
      await new Promise<void>((resolve) => this.#waiting = resolve);
    }
    const bytes = this.writes[this.#seen] ?? new Uint8Array(0);
    this.#seen += 1;
    return decode(bytes);
  }

  /** Everything so far. */
  get text(): string {
    return decode(concat(this.writes));
  }
}

/** Gives what a test hands over, when it does. */
export class Hose implements ByteSource {
  #chunks: Uint8Array[] = [];
  #hasEnded = false;
  #wake: (() => void) | undefined;
  isClosed = false;

  /** Hands over a text. */
  give(text: string): void {
    this.#chunks.push(encode(text));
    this.#wake?.();
  }

  /** Ends. */
  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  async read(into: Uint8Array): Promise<number | null> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        into.set(chunk);
        return chunk.length;
      }
      if (this.#hasEnded) return null;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  close(): void {
    this.isClosed = true;
  }
}

/** An error as a platform throws it. */
export function platformError(code: string, message = code): Error {
  return Object.assign(new Error(`${message} (os error 99)`), { code });
}

/** A sink that fails. */
export function failing(error: Error): ByteSink {
  return { write: () => Promise.reject(error) };
}

/** A source of some chunks, and of an error after them. */
export function sourceOf(
  chunks: readonly (string | Uint8Array)[],
  error?: Error,
): ByteSource {
  const rest = chunks.map((chunk) =>
    typeof chunk === "string" ? encode(chunk) : chunk
  );
  return {
    read(into): Promise<number | null> {
      const chunk = rest.shift();
      if (chunk === undefined) {
        return error === undefined
          ? Promise.resolve(null)
          : Promise.reject(error);
      }
      const size = Math.min(chunk.length, into.length);
      into.set(chunk.subarray(0, size));
      if (size < chunk.length) rest.unshift(chunk.subarray(size));
      return Promise.resolve(size);
    },
    close(): void {},
  };
}

/**
 * Runs the command and says what came of it: in memory, or, if `CODEXPIPE` names an
 * executable and a process can be given all that the world has, as a process.
 */
export async function call(
  args: readonly string[],
  world: World = {},
): Promise<Result> {
  if (BINARY !== undefined && isReal(world)) {
    return await callBinary(BINARY, args, world);
  }
  const stdout = new Sink();
  const stderr = new Sink();
  const created = new Map<string, Sink>();
  const { terminals = [], files = {}, directories = [] } = world;
  const context: RunContext = {
    stdin: toSource(world.stdin ?? ""),
    stdout: world.stdout ?? stdout,
    stderr: world.stderr ?? stderr,
    isTerminal: {
      stdin: terminals.includes("stdin"),
      stdout: terminals.includes("stdout"),
      stderr: terminals.includes("stderr"),
    },
    interrupt: world.interrupt ?? new AbortController().signal,
    env: (name) => world.env?.[name],
    open(path): Promise<ByteSource> {
      const file = files[path];
      if (file === undefined) return Promise.reject(platformError("ENOENT"));
      return file instanceof Error
        ? Promise.reject(file)
        : Promise.resolve(toSource(file));
    },
    create(path): Promise<FileSink> {
      if (world.createError) return Promise.reject(world.createError);
      const sink = new Sink();
      created.set(path, sink);
      const { write } = world.created ??
        { write: (bytes: Uint8Array) => sink.write(bytes) };
      return Promise.resolve({ write, close(): void {} });
    },
    look(path): Promise<PathFacts | undefined> {
      const isDirectory = directories.includes(path);
      if (!isDirectory && files[path] === undefined) {
        return Promise.resolve(undefined);
      }
      // A path and the same path behind "./" are one file.
      const identity = isDirectory ? undefined : path.replace(/^\.\//, "");
      return Promise.resolve({ isDirectory, identity });
    },
    columns: () => world.columns,
    now: world.now ?? (() => 0),
    cwd: () => world.cwd ?? "/",
    pause: world.pause ?? (() => Promise.resolve()),
  };
  const status = await run(args, context);
  return {
    status,
    stdout: stdout.text,
    stderr: stderr.text,
    writes: stdout.writes.map(decode),
    written: new Map([...created].map(([path, { text }]) => [path, text])),
  };
}

function toSource(content: string | Uint8Array | ByteSource): ByteSource {
  return typeof content === "string" || content instanceof Uint8Array
    ? sourceOf(content.length === 0 ? [] : [content])
    : content;
}
