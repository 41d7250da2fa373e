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

/** How long a pipe that can take or give nothing is left alone, in milliseconds. */
const PAUSE = 1;
/** What a pipe takes whole or not at all (POSIX), if it ends a line (Deno.stdout). */
const ATOMIC = 512;
const LF = 0x0a;
/** Whether a file can be told from another one by the numbers of its device and node. */
const HAS_NUMBERS = Deno.build.os !== "windows";

const interrupt = new AbortController();
/** Whether a pager has the terminal: Ctrl-C is for it too, and it stays until it is left. */
let hasPager = false;

/** A first Ctrl-C lets the write in progress end, a second one waits for nothing. */
function onInterrupt(): void {
  if (interrupt.signal.aborted && !hasPager) Deno.exit(EXIT.interrupted);
  interrupt.abort();
}

/** Looks at a path; whatever cannot be looked at is left to whoever opens it. */
async function look(path: string): Promise<PathFacts | undefined> {
  try {
    const { isDirectory, isFile, dev, ino, size } = await Deno.stat(path);
    // Of a pipe or a device there is no other name.
    const hasPath = isFile || isDirectory;
    const realPath = hasPath ? await Deno.realPath(path) : path;
    if (!isFile) return { isDirectory, identity: undefined, realPath };
    const isNumbered = HAS_NUMBERS && ino !== null;
    const identity = isNumbered ? `${dev}:${ino}` : realPath;
    return { isDirectory, identity, realPath, size };
  } catch {
    return undefined;
  }
}

/** Lists a directory; one that cannot be read is left to whoever opens it. */
async function list(path: string): Promise<PathEntry[]> {
  try {
    return await Array.fromAsync(Deno.readDir(path));
  } catch {
    return [];
  }
}

/** What standard streams turned out to be: they stay that, however many inputs there are. */
const identities = new Map<string, Promise<string | undefined>>();

/**
 * Looks at what a standard stream is. Deno's own functions have a way to only with all
 * permissions, and node:fs starts half as long (22 ms) as all else that normalize needs, so few
 * runs ask that.
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

/** How many bytes were written to stdout. */
let written = 0;
let isTakenBack = false;

/** Cuts the file that is stdout to the size it had, if it has grown by what was written and no more. */
async function takeBack(size: number): Promise<boolean> {
  const { fstatSync, ftruncateSync } = await import("node:fs");
  if (fstatSync(1).size !== size + written) return false;
  ftruncateSync(1, size);
  isTakenBack = true;
  return true;
}

/**
 * Writes to stdout.
 *
 * In front of a pipe that does not wait for its reader, Deno.stdout takes a part of the
 * bytes and then fails without saying how large a part (its lines are buffered once more).
 * Another try would write that part twice, so there is none.
 */
async function writeOut(bytes: Uint8Array): Promise<number> {
  // What ends a work that was refused.
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
): Promise<FileSink> {
  // Not Deno.create, which opens it to be read as well: a named pipe would have a reader then,
  // and what nobody else reads would be written, and lost.
  const file = await Deno.open(path, {
    create: true,
    ...(isAppending ? { append: true } : { write: true, truncate: true }),
  });
  let isOpen = true;
  return {
    write: (bytes) => file.write(bytes),
    close(): void {
      if (isOpen) file.close();
      isOpen = false;
    },
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

/** Starts a pager, if this process was given the permission: nobody is asked for it. */
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
        // It may have been left before it was given everything.
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
    // Run from source without the permission: as if it were not set.
    return undefined;
  }
}

/** The terminal that is one of the standard streams; a size of 0 is that it is not known. */
function size(): { columns: number; rows: number } | undefined {
  try {
    return Deno.consoleSize();
  } catch {
    return undefined;
  }
}

/** What Deno's types of a main module lack: what one has that runs in a further thread. */
interface ThreadScope {
  postMessage(message: unknown, moved: readonly ArrayBuffer[]): void;
  onmessage: (event: MessageEvent) => void;
}

/** Starts a further thread, which runs this module, too. */
function startThread(): Peer {
  const worker = new Worker(import.meta.url, { type: "module" });
  return {
    post: (message, moved = []) => worker.postMessage(message, [...moved]),
    listen(take, fail): void {
      worker.onmessage = ({ data }) => take(data);
      worker.onerror = (event) => {
        event.preventDefault();
        fail(new Error(event.message));
      };
    },
    end: () => worker.terminate(),
  };
}

/** The thread that has started this one. */
function starterOf(scope: ThreadScope): Peer {
  return {
    post: (message, moved = []) => scope.postMessage(message, moved),
    listen(take): void {
      scope.onmessage = ({ data }) => take(data);
    },
    end(): void {},
  };
}

const context: RunContext = {
  // It may be named twice among the files, so it is never closed.
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
  look,
  list,
  streamIdentity,
  takeBack,
  columns: () => size()?.columns || undefined,
  rows: () => size()?.rows || undefined,
  setRaw: (isRaw) => Deno.stdin.setRaw(isRaw),
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
    start: startThread,
  },
  pause: () => new Promise((resolve) => setTimeout(resolve, PAUSE)),
};

// A thread is told nothing before its module is through, so that cannot wait for it.
if ("DedicatedWorkerGlobalScope" in globalThis) {
  const { runThread } = await import("./lib/cli/jobs.ts");
  runThread(starterOf(globalThis as unknown as ThreadScope), context, run);
} else {
  Deno.addSignalListener("SIGINT", onInterrupt);
  Deno.exit(await run(Deno.args, context));
}
