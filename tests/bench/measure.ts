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

let shell: string | undefined;

/** What a run took, in seconds. */
export interface Times {
  /** From start to end. */
  readonly wall: number;
  /** Of processors, those of the system's part included; absent where `sh` is. */
  readonly cpu: number | undefined;
}

/**
 * Runs a program, its output thrown away.
 *
 * A shell between tells what the processors did for the program; it costs a millisecond.
 *
 * @returns What it took.
 * @throws {Error} If it fails.
 */
export async function runTimed(
  command: CommandLine,
  options: RunOptions,
): Promise<Times> {
  const { program, args } = command;
  if (Deno.build.os === "windows") {
    const start = performance.now();
    const { success, code } = await spawn(command, options).status;
    if (!success) throw failed(command, code);
    return { wall: (performance.now() - start) / 1000, cpu: undefined };
  }
  // Of the shells, this one counts finer than in hundredths of a second.
  shell ??= await isThere("bash") ? "bash" : "sh";
  const start = performance.now();
  const { success, code, stdout, stderr } = await new Deno.Command(shell, {
    args: ["-c", '"$0" "$@" >/dev/null && times', program, ...args],
    stdin: "null",
    signal: options.signal,
  }).output();
  const wall = (performance.now() - start) / 1000;
  if (!success) {
    await Deno.stderr.write(stderr);
    throw failed(command, code);
  }
  return { wall, cpu: childTimes(new TextDecoder().decode(stdout)) };
}

/** The second line of what `times` prints, `0m0.12s 0m0.03s`, as seconds. */
function childTimes(text: string): number | undefined {
  const times = text.trim().split("\n").at(-1)
    ?.matchAll(/(\d+)m([\d.]+)s/g) ?? [];
  let sum: number | undefined;
  for (const [, minutes, seconds] of times) {
    sum = (sum ?? 0) + 60 * Number(minutes) + Number(seconds);
  }
  return sum;
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
  return await statusOf(program, ["--version"]) !== undefined;
}

/** Says whether a command can be run here, and ends well. */
export async function succeeds(
  program: string,
  args: readonly string[],
): Promise<boolean> {
  return await statusOf(program, args) === 0;
}

async function statusOf(
  program: string,
  args: readonly string[],
): Promise<number | undefined> {
  try {
    const { code } = await new Deno.Command(program, {
      args: [...args],
      stdout: "null",
      stderr: "null",
    }).output();
    return code;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
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
