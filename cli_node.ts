#!/usr/bin/env node
/** The `codexpipe` command as npm installs it, on Node; `cli.ts` is the same on Deno. */

import { close, fstatSync, open as openPath, read, write } from "node:fs";
import { mkdir, readdir, realpath, stat } from "node:fs/promises";
import { Socket } from "node:net";
import { availableParallelism } from "node:os";
import process from "node:process";
import type { Readable } from "node:stream";
import { isatty, type WriteStream } from "node:tty";
import { type MessagePort, parentPort, Worker } from "node:worker_threads";
import type {
  ByteSink,
  FileSource,
  Pager,
  PathEntry,
  PathFacts,
  Peer,
  RunContext,
} from "./lib/cli/context.ts";
import { EXIT } from "./lib/cli/endings.ts";
import { run } from "./lib/cli/run.ts";
import type { ByteSource } from "./lib/files/files.ts";

/** The delay before a pipe that is full or empty is tried again, in milliseconds. */
const PAUSE = 1;
/** Whether device and inode numbers identify a file. */
const HAS_NUMBERS = process.platform !== "win32";
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

const interrupt = new AbortController();
/** Whether a pager has the terminal. It receives Ctrl-C too, and runs until the user quits it. */
let hasPager = false;
/** The number of pending calls. They cannot be cancelled, and Node exits only after they end. */
let waiting = 0;

/** The callback of a function of `node:fs`. */
type Callback<T> = (error: Error | null, result: T) => void;

/** Makes a promise of a callback function of `node:fs`, and counts it while it is pending. */
function called<T>(call: (callback: Callback<T>) => void): Promise<T> {
  waiting += 1;
  return new Promise((resolve, reject) =>
    call((error, result) => {
      waiting -= 1;
      if (error === null) resolve(result);
      else reject(error);
    })
  );
}

/** Lets the write in progress end at the first Ctrl-C, and exits at once at the second. */
function onInterrupt(): void {
  if (interrupt.signal.aborted && !hasPager) end(EXIT.interrupted);
  interrupt.abort();
}

/**
 * Ends the process. If it was interrupted while a call still waits for an idle pipe,
 * `process.exit` would wait for that call, so the process sends SIGINT to itself.
 */
function end(status: number): void {
  if (status !== EXIT.interrupted || waiting === 0) process.exit(status);
  process.off("SIGINT", onInterrupt);
  process.kill(process.pid, "SIGINT");
}

/** Returns nothing for a path that cannot be stat'ed: opening it later reports the error. */
async function look(path: string): Promise<PathFacts | undefined> {
  try {
    const facts = await stat(path);
    const isDirectory = facts.isDirectory();
    // Pipes and devices have no real path.
    const hasPath = facts.isFile() || isDirectory;
    const realPath = hasPath ? await realpath(path) : path;
    if (!facts.isFile()) return { isDirectory, identity: undefined, realPath };
    const identity = HAS_NUMBERS ? `${facts.dev}:${facts.ino}` : realPath;
    return { isDirectory, identity, realPath, size: facts.size };
  } catch {
    return undefined;
  }
}

/** Lists a directory, or nothing if it cannot be read: opening it later reports the error. */
async function list(path: string): Promise<PathEntry[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.map((entry) => ({
    name: entry.name,
    isDirectory: entry.isDirectory(),
  }));
}

/** Finds out which file a standard stream is. */
function streamIdentity(name: "stdin" | "stdout"): Promise<string | undefined> {
  const identity = fileIdentity(name === "stdin" ? STDIN : STDOUT);
  return Promise.resolve(identity);
}

/** Identifies an open regular file by its device and inode; `undefined` for any other stream. */
function fileIdentity(fd: number): string | undefined {
  if (!HAS_NUMBERS) return undefined;
  try {
    const facts = fstatSync(fd);
    return facts.isFile() ? `${facts.dev}:${facts.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the first bytes, as many as the file or pipe accepts, and returns their number. */
function writeTo(fd: number, bytes: Uint8Array): Promise<number> {
  return called((callback) => write(fd, bytes, callback));
}

async function create(
  path: string,
  { isAppending = false }: { readonly isAppending?: boolean } = {},
): Promise<ByteSink> {
  const flags = isAppending ? "a" : "w";
  const fd = await called<number>((done) => openPath(path, flags, done));
  return {
    write: (bytes) => writeTo(fd, bytes),
    close: () => close(fd),
  };
}

async function open(path: string): Promise<FileSource> {
  const fd = await called<number>((done) => openPath(path, "r", done));
  const isPipe = fstatSync(fd).isFIFO();
  // A `Socket` of Bun never reports the end of such a pipe.
  const isSocket = isPipe && !("bun" in process.versions);
  const source = isSocket ? pipeSource(fd) : fileSource(fd);
  let isOpen = true;
  return {
    read: (into) => source.read(into),
    size: () => isOpen && !isPipe ? fstatSync(fd).size : undefined,
    close(): void {
      if (isOpen) source.close();
      isOpen = false;
    },
  };
}

/** Reads a pipe as a socket: an `fs.read` on a silent pipe could not be cancelled. */
function pipeSource(fd: number): ByteSource {
  return streamSource(new Socket({ fd, writable: false }));
}

function fileSource(fd: number): ByteSource {
  return {
    async read(into): Promise<number | null> {
      const count = await called<number>((done) =>
        read(fd, into, 0, into.length, null, done)
      );
      return count === 0 ? null : count;
    },
    close: () => close(fd),
  };
}

/** Reads a stream of Node on demand. */
function streamSource(stream: Readable): ByteSource {
  let chunk = new Uint8Array(0);
  let error: Error | undefined;
  let wake = (): void => {};
  const look = (): void => wake();
  stream.on("readable", look).on("end", look).on("close", look);
  stream.on("error", (reason) => {
    error = reason;
    wake();
  });
  return {
    async read(into): Promise<number | null> {
      for (;;) {
        if (chunk.length === 0) chunk = stream.read() ?? chunk;
        if (chunk.length > 0) break;
        if (error !== undefined) throw error;
        if (stream.readableEnded || stream.destroyed) return null;
        await new Promise<void>((resolve) => wake = resolve);
      }
      const part = chunk.subarray(0, into.length);
      into.set(part);
      chunk = chunk.subarray(part.length);
      return part.length;
    },
    close: () => void stream.destroy(),
  };
}

/** Reads stdin, which is never closed: `-` may be named twice among the files. */
function readStdin(): ByteSource["read"] {
  let source: ByteSource | undefined;
  return async (into) => {
    source ??= streamSource(process.stdin);
    return await source.read(into);
  };
}

async function startPager(
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<Pager | undefined> {
  const { spawn } = await import("node:child_process");
  const child = spawn(program, args, {
    stdio: ["pipe", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  const closed = new Promise<void>((resolve) =>
    child.on("close", () => resolve())
  );
  const isThere = await new Promise<boolean>((resolve) =>
    child.on("spawn", () => resolve(true)).on("error", () => resolve(false))
  );
  if (!isThere) return undefined;
  hasPager = true;
  // Without a listener, a failed write would throw; `write` reports the error.
  child.stdin.on("error", () => {});
  return {
    write: (bytes) =>
      new Promise((resolve, reject) =>
        child.stdin.write(
          bytes,
          (error) => error ? reject(error) : resolve(bytes.length),
        )
      ),
    async end(): Promise<void> {
      child.stdin.end();
      await closed;
    },
  };
}

/** The standard stream that is a terminal, if there is one. Sizes of 0 mean unknown. */
function screen(): WriteStream | undefined {
  const streams = [process.stdout, process.stderr];
  return streams.find(({ fd }) => isatty(fd));
}

/** Switches raw mode. Until it ends, SIGTERM interrupts the command, which restores the terminal. */
function setRaw(isRaw: boolean): void {
  process.stdin.setRawMode(isRaw);
  if (isRaw) process.on("SIGTERM", onInterrupt);
  else process.off("SIGTERM", onInterrupt);
}

/** Wraps a worker, or in a worker the port to the thread that started it. */
function peerOf(port: Worker | MessagePort): Peer {
  return {
    post: (message, moved = []) => port.postMessage(message, moved),
    listen(take, fail): void {
      port.on("message", take);
      port.on("error", fail);
    },
    end: () => void (port instanceof Worker && port.terminate()),
  };
}

const context: RunContext = {
  stdin: { read: readStdin(), close(): void {} },
  stdout: { write: (bytes) => writeTo(STDOUT, bytes) },
  stderr: { write: (bytes) => writeTo(STDERR, bytes) },
  isTerminal: {
    stdin: isatty(STDIN),
    stdout: isatty(STDOUT),
    stderr: isatty(STDERR),
  },
  interrupt: interrupt.signal,
  env: (name) => process.env[name],
  open,
  create,
  createFolder: async (path) => void await mkdir(path, { recursive: true }),
  look,
  list,
  streamIdentity,
  columns: () => screen()?.columns || undefined,
  rows: () => screen()?.rows || undefined,
  setRaw,
  startPager,
  every(period, tick): () => void {
    const timer = setInterval(tick, period);
    return () => clearInterval(timer);
  },
  now: () => Date.now(),
  cwd: () => process.cwd(),
  threads: {
    get cores(): number {
      return availableParallelism();
    },
    start: () => peerOf(new Worker(new URL(import.meta.url))),
  },
  pause: () => new Promise((resolve) => setTimeout(resolve, PAUSE)),
};

// Warnings of Node about its experimental modules are of no use to users of the command.
process.removeAllListeners("warning");
if (parentPort === null) {
  process.on("SIGINT", onInterrupt);
  end(await run(process.argv.slice(2), context));
} else {
  const { runThread } = await import("./lib/cli/jobs.ts");
  runThread(peerOf(parentPort), context, run);
}
