/**
 * Programs that are not the project's: a test that needs one which is absent is reported as
 * ignored, with the name of what is missing.
 *
 * @module
 */

const DECODER = new TextDecoder();

/** What a program has printed. */
export interface Ran {
  /** Its exit status. */
  readonly status: number;
  /** What went to stdout. */
  readonly stdout: string;
  /** What went to stderr. */
  readonly stderr: string;
}

/** How a program is run. */
export interface RunOptions {
  /** Its arguments. */
  readonly args?: readonly string[];
  /** What it reads. */
  readonly stdin?: string;
  /** The folder that it runs in. */
  readonly cwd?: string | URL;
  /** What is added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Whether a program is there, and may be run. */
export async function hasProgram(name: string): Promise<boolean> {
  const { state } = await Deno.permissions.query({
    name: "run",
    command: name,
  });
  if (state !== "granted") return false;
  try {
    await new Deno.Command(name, {
      args: ["--version"],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
    return true;
  } catch {
    return false;
  }
}

/** Runs a program to its end. */
export async function runProgram(
  name: string,
  { args = [], stdin, cwd, env = {} }: RunOptions = {},
): Promise<Ran> {
  const child = new Deno.Command(name, {
    args: [...args],
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    env,
    ...(cwd === undefined ? {} : { cwd }),
  }).spawn();
  const output = child.output();
  if (stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin));
    await writer.close();
  }
  const { code, stdout, stderr } = await output;
  return {
    status: code,
    stdout: DECODER.decode(stdout),
    stderr: DECODER.decode(stderr),
  };
}

/**
 * Registers a test that needs programs.
 *
 * @param name What holds.
 * @param programs The names of the programs.
 * @param fn The test.
 * @param lacking What those programs lack that the test needs, if they do.
 */
export async function programTest(
  name: string,
  programs: readonly string[],
  fn: () => Promise<void>,
  lacking = "",
): Promise<void> {
  const reasons = lacking === "" ? [] : [lacking];
  for (const program of programs) {
    if (!await hasProgram(program)) reasons.push(`no ${program}`);
  }
  const ignore = reasons.length > 0;
  Deno.test({
    name: ignore ? `${name} (not run: ${reasons.join(", ")})` : name,
    ignore,
    fn,
  });
}
