/**
 * Runs the command in memory: streams, files and signals are values.
 *
 * @module
 */

import type {
  ByteSink,
  FileSource,
  PathEntry,
  PathFacts,
  Peer,
  RunContext,
} from "../../lib/cli/context.ts";
import { runThread } from "../../lib/cli/jobs.ts";
import { run } from "../../lib/cli/run.ts";
import { type ByteSource, codeOf } from "../../lib/files/byte_source.ts";
import { concat, decode, encode } from "../running.ts";
import { BINARY, callBinary, isReal } from "./binary.ts";
import type { Result, World } from "./world.ts";

export type * from "./world.ts";

/** Accepts all bytes, and records each write. */
export class Sink implements ByteSink {
  readonly writes: Uint8Array[] = [];
  #waiting: (() => void) | undefined;
  #returned = 0;

  write(bytes: Uint8Array): Promise<number> {
    this.writes.push(bytes.slice());
    this.#waiting?.();
    return Promise.resolve(bytes.length);
  }

  /** Resolves with the text of the next write. */
  async next(): Promise<string> {
    while (this.writes.length === this.#returned) {
      await new Promise<void>((resolve) => this.#waiting = resolve);
    }
    const bytes = this.writes[this.#returned] ?? new Uint8Array(0);
    this.#returned += 1;
    return decode(bytes);
  }

  /** The text of all writes so far. */
  get text(): string {
    return decode(concat(this.writes));
  }
}

/** A source whose reads wait for the test to push texts. */
export class Hose implements ByteSource {
  #chunks: Uint8Array[] = [];
  #hasEnded = false;
  #wake: (() => void) | undefined;
  isClosed = false;

  /** Adds a text, which one read returns. */
  push(text: string): void {
    this.#chunks.push(encode(text));
    this.#wake?.();
  }

  /** Ends the source after the texts that were pushed. */
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

/** Returns an error with a code, as the platform throws it. */
export function platformError(code: string, message = code): Error {
  return Object.assign(new Error(`${message} (os error 99)`), { code });
}

/** Returns a sink whose writes fail. */
export function failing(error: Error): ByteSink {
  return { write: () => Promise.reject(error) };
}

/** Returns a source of chunks, read one by one; an error follows them, if given. */
export function sourceOf(
  chunks: Iterable<string | Uint8Array>,
  error?: Error,
): ByteSource {
  const rest = chunks[Symbol.iterator]();
  let chunk: Uint8Array = new Uint8Array(0);
  return {
    read(into): Promise<number | null> {
      while (chunk.length === 0) {
        const { value, done } = rest.next();
        if (done) {
          return error === undefined
            ? Promise.resolve(null)
            : Promise.reject(error);
        }
        chunk = typeof value === "string" ? encode(value) : value;
      }
      const size = Math.min(chunk.length, into.length);
      into.set(chunk.subarray(0, size));
      chunk = chunk.subarray(size);
      return Promise.resolve(size);
    },
    close(): void {},
  };
}

/** Returns a world whose waits for changes run a step each, and interrupt after the last one. */
export function stepping(
  steps: Iterable<() => unknown>,
): Pick<Required<World>, "changes" | "interrupt"> {
  const rest = steps[Symbol.iterator]();
  const end = new AbortController();
  return {
    interrupt: end.signal,
    changes: {
      async wait(): Promise<void> {
        const step = rest.next();
        if (step.done) end.abort();
        else await step.value();
      },
      close(): void {},
    },
  };
}

/**
 * Runs the command, and returns its result. It runs in memory; or as a process, if `CODEXPIPE`
 * names an executable and the world has nothing that exists only in memory.
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
  const createdFolders: string[] = [];
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
    open(path): Promise<FileSource> {
      const file = files[path];
      if (file === undefined) return Promise.reject(platformError("ENOENT"));
      return file instanceof Error
        ? Promise.reject(file)
        : Promise.resolve(toFile(file));
    },
    create(path, { isAppending = false } = {}): Promise<ByteSink> {
      if (world.createError) return Promise.reject(world.createError);
      const sink = isAppending ? created.get(path) ?? new Sink() : new Sink();
      created.set(path, sink);
      const { write } = world.created ??
        { write: (bytes: Uint8Array) => sink.write(bytes) };
      return Promise.resolve({ write, close(): void {} });
    },
    createFolder(path): Promise<void> {
      if (world.createError) return Promise.reject(world.createError);
      createdFolders.push(path);
      return Promise.resolve();
    },
    look(path): Promise<PathFacts | undefined> {
      const isDirectory = directories.includes(path) ||
        createdFolders.includes(path);
      const content = files[path];
      // A link to a missing file is listed, and cannot be stat'ed.
      if (
        !isDirectory && (content === undefined || codeOf(content) === "ENOENT")
      ) {
        return Promise.resolve(undefined);
      }
      // "a" and "./a" are one file.
      const identity = isDirectory ? undefined : path.replace(/^\.\//, "");
      const realPath = world.links?.[path] ?? path;
      const size = typeof content === "string" || content instanceof Uint8Array
        ? content.length
        : 0;
      return Promise.resolve({ isDirectory, identity, realPath, size });
    },
    list(folder): Promise<PathEntry[]> {
      const path = folder.replace(/\/$/, "");
      const error = files[path];
      if (error instanceof Error) return Promise.reject(error);
      const below = [...Object.keys(files), ...directories].filter((name) =>
        name.startsWith(`${path}/`) && name !== folder
      ).map((name) => name.slice(path.length + 1).split("/"));
      const folders = new Set(
        below.filter(({ length }) => length > 1).map(([name = ""]) => name),
      );
      return Promise.resolve(
        [...new Set(below.map(([name = ""]) => name))].map((name) => ({
          name,
          isDirectory: folders.has(name) ||
            directories.includes(`${path}/${name}`),
        })),
      );
    },
    streamIdentity: (name) =>
      Promise.resolve(
        name === "stdin" ? world.stdinIdentity : world.stdoutIdentity,
      ),
    columns: () => world.columns,
    rows: () => world.rows,
    setRaw: (isRaw) => world.setRaw?.(isRaw),
    every: world.every ?? (() => () => {}),
    startPager: world.startPager ?? (() => Promise.resolve(undefined)),
    now: world.now ?? (() => 0),
    cwd: () => world.cwd ?? "/",
    pause: world.pause ?? (() => Promise.resolve()),
    ...(world.changes === undefined ? {} : { changes: world.changes }),
    ...(world.threads === undefined ? {} : {
      threads: {
        cores: world.threads,
        start: () => startThread(context),
      },
    }),
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

/** Starts a thread for the command; it receives copies of messages, asynchronously. */
function startThread(context: RunContext): Peer {
  const listeners: ((message: unknown) => void)[] = [];
  const peerAt = (here: number, there: number): Peer => ({
    post(message): void {
      const copy = structuredClone(message);
      queueMicrotask(() => listeners[there]?.(copy));
    },
    listen(listener): void {
      listeners[here] = listener;
    },
    end(): void {
      listeners.length = 0;
    },
  });
  runThread(peerAt(1, 0), context, run);
  return peerAt(0, 1);
}

function toFile(content: string | Uint8Array | ByteSource): FileSource {
  const source = toSource(content);
  return {
    read: (into) => source.read(into),
    close: () => source.close(),
    size: () =>
      typeof content === "string" || content instanceof Uint8Array
        ? content.length
        : undefined,
  };
}

function toSource(content: string | Uint8Array | ByteSource): ByteSource {
  return typeof content === "string" || content instanceof Uint8Array
    ? sourceOf([content])
    : content;
}
