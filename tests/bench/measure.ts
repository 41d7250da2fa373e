/**
 * Runs programs and measures them from outside, as whole processes.
 *
 * @module
 */

/** A command line. */
export interface CommandLine {
  /** The program. */
  readonly program: string;
  /** Its arguments. */
  readonly args: readonly string[];
}

/** Options for {@linkcode runTimed} and {@linkcode runWatched}. */
export interface RunOptions {
  /** Kills the program. */
  readonly signal: AbortSignal;
}

/**
 * Runs a program, its output thrown away.
 *
 * @returns How long it took from start to end, in seconds.
 * @throws {Error} If it fails.
 */
export async function runTimed(
  command: CommandLine,
  options: RunOptions,
): Promise<number> {
  const start = performance.now();
  const child = spawn(command, options);
  const { success, code } = await child.status;
  const seconds = (performance.now() - start) / 1000;
  if (!success) throw failed(command, code);
  return seconds;
}

/**
 * Runs a program, its output thrown away, and watches its memory.
 *
 * The system keeps no account that outlives the process and that every machine lets us
 * read, so a shell looks every few milliseconds. That costs the program time: this run is
 * not for the clock.
 *
 * @returns The most memory that it held, in bytes; `undefined` where there is no way to tell.
 * @throws {Error} If it fails.
 */
export async function runWatched(
  command: CommandLine,
  options: RunOptions,
): Promise<number | undefined> {
  const child = spawn(command, options);
  const watcher = watch(child.pid);
  const { success, code } = await child.status;
  if (!success) throw failed(command, code);
  return await watcher;
}

/** Says whether a program can be started here. */
export async function isThere(program: string): Promise<boolean> {
  try {
    const args = ["--version"];
    await new Deno.Command(program, { args, stdout: "null", stderr: "null" })
      .spawn().status;
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function spawn(
  { program, args }: CommandLine,
  { signal }: RunOptions,
): Deno.ChildProcess {
  return new Deno.Command(program, {
    args: [...args],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
    signal,
  }).spawn();
}

function failed({ program, args }: CommandLine, code: number): Error {
  const line = [program, ...args].join(" ");
  return new Error(`Cannot measure \`${line}\`: it ended with ${code}`);
}

/** Shell loops that print the memory of the process `$0`, in KiB, until it is gone. */
const LOOPS: ReadonlyMap<typeof Deno.build.os, string> = new Map([
  // The kernel's own high-water mark: only what comes after the last look is missed.
  [
    "linux",
    "while grep VmHWM: /proc/$0/status 2>/dev/null; do sleep 0.02; done",
  ],
  ["darwin", "while ps -o rss= -p $0; do sleep 0.02; done"],
]);

async function watch(pid: number): Promise<number | undefined> {
  const loop = LOOPS.get(Deno.build.os);
  if (loop === undefined) return undefined;
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", loop, String(pid)],
    stderr: "null",
  }).output();
  const looks = new TextDecoder().decode(stdout).match(/\d+/g) ?? [];
  return looks.length === 0 ? undefined : 1024 * Math.max(...looks.map(Number));
}
