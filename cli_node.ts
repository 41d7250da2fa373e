#!/usr/bin/env node
/** The `codexpipe` command as npm installs it, on Node; `cli.ts` is the same on Deno. */

import { close, fstatSync, open as openPath, read, write } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { Socket } from "node:net";
import { availableParallelism } from "node:os";
import process from "node:process";
import type { Readable } from "node:stream";
import { isatty, type WriteStream } from "node:tty";
import { type MessagePort, parentPort, Worker } from "node:worker_threads";
import type {
  FileSink,
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

/** How long a pipe that can take or give nothing is left alone, in milliseconds. */
const PAUSE = 1;
/** Whether a file can be told from another one by the numbers of its device and node. */
const HAS_NUMBERS = process.platform !== "win32";
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

const interrupt = new AbortController();
/** Whether a pager has the terminal: Ctrl-C is for it too, and it stays until it is left. */
let hasPager = false;
/** How many calls wait that nothing can end: Node ends a process only when they are through. */
let waiting = 0;

/** What a call of the platform gives to its callback. */
type Callback<T> = (error: Error | null, result: T) => void;

/** Makes a call of the platform, and counts it as long as it waits. */
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

/** A first Ctrl-C lets the write in progress end, a second one waits for nothing. */
function onInterrupt(): void {
  if (interrupt.signal.aborted && !hasPager) end(EXIT.interrupted);
  interrupt.abort();
}

/** Ends the process: as Ctrl-C would where a call still waits for a pipe that nobody uses. */
function end(status: number): void {
  if (status !== EXIT.interrupted || waiting === 0) process.exit(status);
  process.off("SIGINT", onInterrupt);
  process.kill(process.pid, "SIGINT");
}

/** Looks at a path; whatever cannot be looked at is left to whoever opens it. */
async function look(path: string): Promise<PathFacts | undefined> {
  try {
    const facts = await stat(path);
    const isDirectory = facts.isDirectory();
    // Of a pipe or a device there is no other name.
    const hasPath = facts.isFile() || isDirectory;
    const realPath = hasPath ? await realpath(path) : path;
    if (!facts.isFile()) return { isDirectory, identity: undefined, realPath };
    const identity = HAS_NUMBERS ? `${facts.dev}:${facts.ino}` : realPath;
    return { isDirectory, identity, realPath, size: facts.size };
  } catch {
    return undefined;
  }
}

/** Lists a directory; one that cannot be read is left to whoever opens it. */
async function list(path: string): Promise<PathEntry[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({
      name: entry.name,
      isDirectory: entry.isDirectory(),
    }));
  } catch {
    return [];
  }
}

/** Looks at what a standard stream is. */
function streamIdentity(name: "stdin" | "stdout"): Promise<string | undefined> {
  const identity = fileIdentity(name === "stdin" ? STDIN : STDOUT);
  return Promise.resolve(identity);
}

/** What tells a file that is open from others, if it is a file. */
function fileIdentity(fd: number): string | undefined {
  if (!HAS_NUMBERS) return undefined;
  try {
    const facts = fstatSync(fd);
    return facts.isFile() ? `${facts.dev}:${facts.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** Writes to what is open: a part, where it takes no more. */
function writeTo(fd: number, bytes: Uint8Array): Promise<number> {
  return called((callback) => write(fd, bytes, callback));
}

async function create(
  path: string,
  { isAppending = false }: { readonly isAppending?: boolean } = {},
): Promise<FileSink> {
  const flags = isAppending ? "a" : "w";
  const fd = await called<number>((done) => openPath(path, flags, done));
  let isOpen = true;
  return {
    write: (bytes) => writeTo(fd, bytes),
    close(): void {
      if (isOpen) close(fd);
      isOpen = false;
    },
  };
}

async function open(path: string): Promise<FileSource> {
  const fd = await called<number>((done) => openPath(path, "r", done));
  const isPipe = fstatSync(fd).isFIFO();
  // Sockets of Bun never say that such a pipe has ended.
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

/** Reads a pipe: it may stay silent, and a call that waits for it would not end. */
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

/** Reads what a stream gives, when it is asked to. */
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

/** Reads stdin; it may be named twice among the files, so it is never closed. */
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
  // What cannot be written is said where it is.
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

/** The terminal that is one of the standard streams; a size of 0 is that it is not known. */
function screen(): WriteStream | undefined {
  const streams = [process.stdout, process.stderr];
  return streams.find(({ fd }) => isatty(fd));
}

/** A thread, or the one that started this one. */
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
  look,
  list,
  streamIdentity,
  columns: () => screen()?.columns || undefined,
  rows: () => screen()?.rows || undefined,
  setRaw: (isRaw) => void process.stdin.setRawMode(isRaw),
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

// What Node thinks of the modules that it comes with says nothing to who runs the command.
process.removeAllListeners("warning");
if (parentPort === null) {
  process.on("SIGINT", onInterrupt);
  end(await run(process.argv.slice(2), context));
} else {
  const { runThread } = await import("./lib/cli/jobs.ts");
  runThread(peerOf(parentPort), context, run);
}
