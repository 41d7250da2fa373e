/**
 * Runs foreign programs. A test that needs a missing one is reported as ignored, with the name of
 * the program.
 *
 * @module
 */

const DECODER = new TextDecoder();

/** The status and output of a program. */
export interface Ran {
  /** The exit status. */
  readonly status: number;
  /** The text on stdout. */
  readonly stdout: string;
  /** The text on stderr. */
  readonly stderr: string;
}

/** Options for {@linkcode runProgram}. */
export interface RunOptions {
  /** The arguments. */
  readonly args?: readonly string[];
  /** The content of stdin. */
  readonly stdin?: string | Uint8Array<ArrayBuffer>;
  /** The working directory. */
  readonly cwd?: string | URL;
  /** Variables to add to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the environment has no other variables. */
  readonly clearEnv?: boolean;
}

/** Whether a program is installed, and may be run. */
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
  { args = [], stdin, cwd, env = {}, clearEnv = false }: RunOptions = {},
): Promise<Ran> {
  const child = new Deno.Command(name, {
    args: [...args],
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    // In every system; bash complains of a locale that is not installed.
    env: { LC_ALL: "C", ...env },
    clearEnv,
    ...(cwd === undefined ? {} : { cwd }),
  }).spawn();
  const output = child.output();
  if (stdin !== undefined) {
    // A program that does not read its input closes the pipe.
    await new Blob([stdin]).stream().pipeTo(child.stdin).catch(() => {});
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
 * @param name The name of the test.
 * @param programs The names of the programs.
 * @param fn The test.
 * @param lacking The reason why the installed programs are not sufficient, if they are not.
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
