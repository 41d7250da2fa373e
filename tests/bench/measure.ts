/**
 * Runs programs as whole processes, and measures their times and memory.
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
  /** Kills the program when aborted. */
  readonly signal: AbortSignal;
}

let shell: string | undefined;

/** The times of a run, in seconds. */
export interface Times {
  /** The time from start to end. */
  readonly wall: number;
  /** The processor time, user and system; `undefined` on Windows, which has no shell for it. */
  readonly cpu: number | undefined;
}

/**
 * Runs a program and discards its output.
 *
 * It runs in a shell, whose `times` reports processor time; that costs a millisecond.
 *
 * @returns The times of the run.
 * @throws {Error} If the program fails.
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
  // Bash counts in milliseconds, other shells in hundredths of a second.
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

/** Sums the second line of the output of `times`, such as `0m0.12s 0m0.03s`, in seconds. */
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
 * Runs a program, discards its output, and watches its memory.
 *
 * No system statistic outlives the process and is readable on every machine, so a shell polls
 * the memory every few milliseconds. That slows the program down: do not time this run.
 *
 * @returns The peak memory in bytes; `undefined` on systems where it cannot be polled.
 * @throws {Error} If the program fails.
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

/** Whether a program can be started on this machine. */
export async function isThere(program: string): Promise<boolean> {
  return await statusOf(program, ["--version"]) !== undefined;
}

/** Whether a command can be run on this machine, and succeeds. */
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

/** Shell loops that print the memory of the process `$0`, in KiB, until it ends. */
const LOOPS: ReadonlyMap<typeof Deno.build.os, string> = new Map([
  // The kernel's own peak: only growth after the last poll is missed.
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
