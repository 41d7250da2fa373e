/**
 * Makes the npm package of the library: everything but the command, which runs on Deno.
 *
 * @module
 */

import config from "../deno.json" with { type: "json" };

const ROOT = new URL("../", import.meta.url);

/** What people on npm get: the entry points that run on Node and Bun too. */
const exports = Object.fromEntries(
  Object.entries(config.exports).filter(([name]) => name !== "./cli"),
);

/** Copies a file, or a folder without the command. */
async function copy(path: string, to: string): Promise<void> {
  if (path === "cli.ts" || path === "lib/cli/") return;
  if (!path.endsWith("/")) {
    await Deno.copyFile(new URL(path, ROOT), `${to}/${path}`);
    return;
  }
  await Deno.mkdir(`${to}/${path}`);
  for await (const { name, isDirectory } of Deno.readDir(new URL(path, ROOT))) {
    await copy(`${path}${name}${isDirectory ? "/" : ""}`, to);
  }
}

const [output = "dist/codexpipe.tgz"] = Deno.args;
const target = new URL(output, `file://${Deno.cwd()}/`);
await Deno.mkdir(new URL(".", target), { recursive: true });

const folder = await Deno.makeTempDir();
try {
  for (const path of config.publish.include) await copy(path, folder);
  const { workspace: _, tasks: __, ...rest } = config;
  await Deno.writeTextFile(
    `${folder}/deno.json`,
    JSON.stringify({ ...rest, exports }),
  );
  // Says of each private file that it has no types of its own: nothing refers to them.
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["pack", "--quiet", "--no-source-maps", "--output", target.pathname],
    cwd: folder,
  }).output();
  if (!success) {
    throw new Error(`Cannot pack: ${new TextDecoder().decode(stderr)}`);
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
