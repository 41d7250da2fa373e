/**
 * Runs the compiled command instead of the one in memory, for tests that work with both.
 *
 * @module
 */

import { runProgram } from "../programs.ts";
import { encode } from "../running.ts";
import { withFolder, writeFile } from "../sessions/homes.ts";
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
  return await withFolder(async (folder) => {
    for (const name of directories) {
      await Deno.mkdir(`${folder}/${name}`, { recursive: true });
    }
    for (const [name, content] of Object.entries(files)) {
      await writeFile(`${folder}/${name}`, bytesOf(content));
    }
    const { status, stdout, stderr } = await runProgram(path, {
      args,
      cwd: folder,
      clearEnv: true,
      env,
      stdin: bytesOf(stdin),
    });
    const written = new Map<string, string>();
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (!isFile) continue;
      const text = await Deno.readTextFile(`${folder}/${name}`);
      const before = files[name];
      const isNew = before === undefined ||
        DECODER.decode(bytesOf(before)) !== text;
      if (isNew) written.set(name, text);
    }
    const writes = stdout === "" ? [] : [stdout];
    return { status, stdout, stderr, writes, written };
  });
}

function bytesOf(content: unknown): Uint8Array<ArrayBuffer> {
  return content instanceof Uint8Array
    ? Uint8Array.from(content)
    : encode(String(content));
}
