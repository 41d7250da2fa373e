/**
 * Runs the compiled command instead of the one in memory, for tests that work with both.
 *
 * @module
 */

import type { Result, World } from "./world.ts";

const DECODER = new TextDecoder();

/** Returns the executable that `CODEXPIPE` names, if tests may read that variable. */
function binary(): string | undefined {
  const query = { name: "env", variable: "CODEXPIPE" } as const;
  const { state } = Deno.permissions.querySync(query);
  const path = state === "granted" ? Deno.env.get("CODEXPIPE") : undefined;
  return path && Deno.realPathSync(path);
}

/** The executable that the tests of the command run; without it they run in memory. */
export const BINARY: string | undefined = binary();

/** The parts of a world that exist only in memory: a process has its own streams and clock. */
const MEMORY_ONLY = [
  "stdinIdentity",
  "stdoutIdentity",
  "stdout",
  "stderr",
  "createError",
  "created",
  "terminals",
  "interrupt",
  "links",
  "columns",
  "rows",
  "setRaw",
  "now",
  "cwd",
  "countsWrites",
  "pause",
  "changes",
  "threads",
] as const satisfies (keyof World)[];

/** Whether a process can run in a world. */
export function isReal(world: World): boolean {
  if (MEMORY_ONLY.some((name) => world[name] !== undefined)) return false;
  const contents = [world.stdin ?? "", ...Object.values(world.files ?? {})];
  const paths = [
    ...Object.keys(world.files ?? {}),
    ...world.directories ?? [],
  ];
  return contents.every((content) =>
    typeof content === "string" || content instanceof Uint8Array
  ) && paths.every((path) => /^[\w.][\w. /-]*$/.test(path));
}

/** Runs the executable in a temporary folder that has the files and folders of a world. */
export async function callBinary(
  path: string,
  args: readonly string[],
  { stdin = "", files = {}, directories = [], env = {} }: World,
): Promise<Result> {
  const folder = await Deno.makeTempDir();
  try {
    for (const name of directories) {
      await Deno.mkdir(`${folder}/${name}`, { recursive: true });
    }
    for (const [name, content] of Object.entries(files)) {
      const parent = `${folder}/${name}`.replace(/\/[^/]*$/, "");
      await Deno.mkdir(parent, { recursive: true });
      await Deno.writeFile(`${folder}/${name}`, bytesOf(content));
    }
    const child = new Deno.Command(path, {
      args: [...args],
      cwd: folder,
      clearEnv: true,
      env: { ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const output = child.output();
    const writer = child.stdin.getWriter();
    // A command that does not read its input closes the pipe.
    await writer.write(bytesOf(stdin)).then(() => writer.close())
      .catch(() => {});
    const { code, stdout, stderr } = await output;
    const written = new Map<string, string>();
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (!isFile) continue;
      const text = await Deno.readTextFile(`${folder}/${name}`);
      const before = files[name];
      const isNew = before === undefined ||
        DECODER.decode(bytesOf(before)) !== text;
      if (isNew) written.set(name, text);
    }
    const text = DECODER.decode(stdout);
    return {
      status: code,
      stdout: text,
      stderr: DECODER.decode(stderr),
      writes: text === "" ? [] : [text],
      written,
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function bytesOf(content: unknown): Uint8Array {
  return content instanceof Uint8Array
    ? content
    : new TextEncoder().encode(String(content));
}
