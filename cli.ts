/**
 * The `codexpipe` command.
 *
 * @example Normalize a stream
 * ```sh
 * codex exec --json "fix the tests" | codexpipe normalize
 * ```
 *
 * @module
 */

import type {
  ByteSink,
  FileSource,
  Pager,
  PathFacts,
  Peer,
  RunContext,
} from "./lib/cli/context.ts";
import { EXIT } from "./lib/cli/endings.ts";
import { run } from "./lib/cli/run.ts";

/** The delay before a pipe that is full or empty is tried again, in milliseconds. */
const PAUSE = 1;
/** The bytes that a pipe takes whole or not at all (POSIX), if they end a line: lines are buffered. */
const ATOMIC = 512;
const LF = 0x0a;
/** Whether device and inode numbers identify a file. */
const HAS_NUMBERS = Deno.build.os !== "windows";

const interrupt = new AbortController();
/** Whether a pager has the terminal. It receives Ctrl-C too, and runs until the user quits it. */
let hasPager = false;

/** Lets the write in progress end at the first Ctrl-C, and exits at once at the second. */
function onInterrupt(): void {
  if (interrupt.signal.aborted && !hasPager) Deno.exit(EXIT.interrupted);
  interrupt.abort();
}

/** Returns a path without links; the path itself if it has none, as pipes, or has gone since. */
function realPathOf(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}

/**
 * Returns nothing for a path that cannot be stat'ed: opening it later reports the error. The calls
 * are synchronous: asynchronous ones took a sixth of the time of `usage --home`.
 */
function factsOf(path: string): PathFacts | undefined {
  try {
    const { isDirectory, isFile, dev, ino, size } = Deno.statSync(path);
    const facts = {
      isDirectory,
      identity: undefined,
      // Few need it, and it takes as long as the rest.
      get realPath(): string {
        return realPathOf(path);
      },
    };
    if (!isFile) return facts;
    const isNumbered = HAS_NUMBERS && ino !== null;
    const identity = isNumbered ? `${dev}:${ino}` : facts.realPath;
    return Object.assign(facts, { identity, size });
  } catch {
    return undefined;
  }
}

/** The identities of standard streams, cached: they do not change between inputs. */
const identities = new Map<string, Promise<string | undefined>>();

/**
 * Finds out which file a standard stream is. Deno's own functions need all permissions for that;
 * `node:fs` needs none, but takes half as long to load as all that normalize needs.
 */
function streamIdentity(
  name: "stdin" | "stdout",
  isQuick = false,
): Promise<string | undefined> {
  const key = `${name} ${isQuick}`;
  const identity = identities.get(key) ?? identityOf(name, isQuick);
  identities.set(key, identity);
  return identity;
}

async function identityOf(
  name: "stdin" | "stdout",
  isQuick: boolean,
): Promise<string | undefined> {
  if (!HAS_NUMBERS) return undefined;
  try {
    if (isQuick) {
      if (Deno[name].isTerminal()) return undefined;
      const { isFile, dev, ino } = await Deno.stat(`/dev/${name}`);
      return isFile ? `${dev}:${ino}` : undefined;
    }
    const { fstatSync } = await import("node:fs");
    const facts = fstatSync(name === "stdin" ? 0 : 1);
    return facts.isFile() ? `${facts.dev}:${facts.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** The number of bytes that were written to stdout. */
let written = 0;
let isTakenBack = false;

/** Truncates the file of stdout to a former size, unless it has grown by other bytes than ours. */
async function takeBack(size: number): Promise<boolean> {
  const { fstatSync, ftruncateSync } = await import("node:fs");
  if (fstatSync(1).size !== size + written) return false;
  ftruncateSync(1, size);
  isTakenBack = true;
  return true;
}

/**
 * Writes to stdout. Into a non-blocking pipe, Deno.stdout may write a part and then fail with
 * WouldBlock without the size of the part: a retry would write it twice, so there is none.
 */
async function writeOut(bytes: Uint8Array): Promise<number> {
  // The output was refused and truncated: the rest of it is dropped.
  if (isTakenBack) return bytes.length;
  try {
    const size = await Deno.stdout.write(bytes);
    written += size;
    return size;
  } catch (error) {
    const isAtomic = bytes.length <= ATOMIC && bytes.at(-1) === LF;
    if (!(error instanceof Deno.errors.WouldBlock) || isAtomic) throw error;
    throw new TypeError(
      'the pipe does not wait for its reader; put "| cat" behind the command',
    );
  }
}

async function create(
  path: string,
  { isAppending = false }: { readonly isAppending?: boolean } = {},
): Promise<ByteSink> {
  // `Deno.create` would open a named pipe for reading too: bytes without a reader would be lost.
  const file = await Deno.open(path, {
    create: true,
    ...(isAppending ? { append: true } : { write: true, truncate: true }),
  });
  return {
    write: (bytes) => file.write(bytes),
    close: () => file.close(),
  };
}

async function open(path: string): Promise<FileSource> {
  const file = await Deno.open(path);
  let isOpen = true;
  return {
    read: (into) => file.read(into),
    size: () => isOpen ? file.statSync().size : undefined,
    close(): void {
      if (isOpen) file.close();
      isOpen = false;
    },
  };
}

/** Starts a pager, if the permission to run it is granted. The user is not prompted for it. */
async function startPager(
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<Pager | undefined> {
  const run = { name: "run", command: program } as const;
  const { state } = await Deno.permissions.query(run);
  if (state !== "granted") return undefined;
  try {
    const child = new Deno.Command(program, { args, env, stdin: "piped" })
      .spawn();
    hasPager = true;
    const writer = child.stdin.getWriter();
    return {
      async write(bytes): Promise<number> {
        await writer.write(bytes);
        return bytes.length;
      },
      async end(): Promise<void> {
        // Fails if the user has quit the pager before reading everything.
        await writer.close().catch(() => {});
        await child.status;
      },
    };
  } catch {
    return undefined;
  }
}

function env(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    // Without the permission (run from source), every variable counts as unset.
    return undefined;
  }
}

/** The size of the terminal, if a standard stream is one. Sizes of 0 mean unknown. */
function size(): { columns: number; rows: number } | undefined {
  try {
    return Deno.consoleSize();
  } catch {
    return undefined;
  }
}

/** Switches raw mode. Until it ends, SIGTERM interrupts the command, which restores the terminal. */
function setRaw(isRaw: boolean): void {
  Deno.stdin.setRaw(isRaw);
  // Windows has no such signal.
  if (Deno.build.os === "windows") return;
  if (isRaw) Deno.addSignalListener("SIGTERM", onInterrupt);
  else Deno.removeSignalListener("SIGTERM", onInterrupt);
}

/** The members that the global scope of a worker has and Deno's types of a main module lack. */
interface ThreadScope {
  postMessage(message: unknown, moved: ArrayBuffer[]): void;
  onmessage: (event: MessageEvent) => void;
}

/** Another thread: a worker that this one has started, or the thread that has started this one. */
function peerOf(port: Worker | ThreadScope): Peer {
  const worker = port instanceof Worker ? port : undefined;
  return {
    post: (message, moved = []) => port.postMessage(message, [...moved]),
    listen(take, fail): void {
      port.onmessage = ({ data }) => take(data);
      if (worker === undefined) return;
      worker.onerror = (event) => {
        event.preventDefault();
        fail(new Error(event.message));
      };
    },
    end: () => worker?.terminate(),
  };
}

const context: RunContext = {
  // Never closed: `-` may be named twice among the files.
  stdin: { read: (into) => Deno.stdin.read(into), close(): void {} },
  stdout: { write: writeOut },
  stderr: Deno.stderr,
  isTerminal: {
    stdin: Deno.stdin.isTerminal(),
    stdout: Deno.stdout.isTerminal(),
    stderr: Deno.stderr.isTerminal(),
  },
  interrupt: interrupt.signal,
  env,
  open,
  create,
  createFolder: (path) => Deno.mkdir(path, { recursive: true }),
  look: (path) => Promise.resolve(factsOf(path)),
  list: (path) => Array.fromAsync(Deno.readDir(path)),
  streamIdentity,
  takeBack,
  columns: () => size()?.columns || undefined,
  rows: () => size()?.rows || undefined,
  setRaw,
  startPager,
  every(period, tick): () => void {
    const timer = setInterval(tick, period);
    return () => clearInterval(timer);
  },
  now: () => Date.now(),
  cwd: () => Deno.cwd(),
  threads: {
    get cores(): number {
      return navigator.hardwareConcurrency;
    },
    // A worker runs this module, too.
    start: () => peerOf(new Worker(import.meta.url, { type: "module" })),
  },
  pause: () => new Promise((resolve) => setTimeout(resolve, PAUSE)),
};

// A worker receives no message before its module has been evaluated, so `runThread` is not awaited.
if ("DedicatedWorkerGlobalScope" in globalThis) {
  const { runThread } = await import("./lib/cli/jobs.ts");
  runThread(peerOf(globalThis as unknown as ThreadScope), context, run);
} else {
  Deno.addSignalListener("SIGINT", onInterrupt);
  Deno.exit(await run(Deno.args, context));
}
