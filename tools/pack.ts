/** Makes the npm package, with the library and the command for Node. */

import { dirname, resolve } from "node:path";
import config from "../deno.json" with { type: "json" };
import { withFile } from "./tarball.ts";

const ROOT = new URL("../", import.meta.url);
const REPOSITORY = "https://github.com/codexpipe/codexpipe";
/** The entry point of the command for Node, in place of cli.ts. */
const COMMAND = "cli_node.ts";
/** The module that imports deno.json, which not every release of Node can import. */
const ABOUT = "lib/cli/about.ts";
const CONFIG_IMPORT =
  'import config from "../../deno.json" with { type: "json" };';

/** The export that is run, not imported. */
const CLI = "./cli";

/** Members of package.json for the registry. */
const DESCRIPTION = {
  description:
    "Reads the JSONL of OpenAI's Codex CLI, in the dialect of every release: normalize, render, check, count tokens, search sessions",
  keywords: [
    "codex",
    "codex-cli",
    "openai",
    "jsonl",
    "rollout",
    "sessions",
    "transcript",
    "tokens",
    "usage",
    "cli",
  ],
  homepage: `${REPOSITORY}#readme`,
  bugs: `${REPOSITORY}/issues`,
  repository: { type: "git", url: `git+${REPOSITORY}.git` },
  engines: { node: ">=20" },
  bin: { codexpipe: COMMAND.replace(/\.ts$/, ".js") },
};

/** Copies a file, or a folder. */
async function copy(path: string, to: string): Promise<void> {
  if (!path.endsWith("/")) {
    await Deno.copyFile(new URL(path, ROOT), `${to}/${path}`);
    return;
  }
  await Deno.mkdir(`${to}/${path}`);
  for await (const { name, isDirectory } of Deno.readDir(new URL(path, ROOT))) {
    await copy(`${path}${name}${isDirectory ? "/" : ""}`, to);
  }
}

/** Replaces the import of deno.json by its version: not every release of Node imports JSON. */
async function inlineVersion(folder: string): Promise<void> {
  const path = `${folder}/${ABOUT}`;
  const code = await Deno.readTextFile(path);
  const { version } = config;
  const inlined = code.replace(
    CONFIG_IMPORT,
    `const config = ${JSON.stringify({ version })};`,
  );
  if (inlined === code) {
    throw new Error(`Cannot find "${CONFIG_IMPORT}" in ${ABOUT}`);
  }
  await Deno.writeTextFile(path, inlined);
}

const [output = "dist/codexpipe.tgz"] = Deno.args;
const target = resolve(output);
await Deno.mkdir(dirname(target), { recursive: true });

const folder = await Deno.makeTempDir();
try {
  const include = config.publish.include.map((path) =>
    path === "cli.ts" ? COMMAND : path
  );
  for (const path of include) await copy(path, folder);
  await inlineVersion(folder);
  const { workspace: _, tasks: __, ...rest } = config;
  await Deno.writeTextFile(
    `${folder}/deno.json`,
    JSON.stringify({
      ...rest,
      exports: { ...config.exports, [CLI]: `./${COMMAND}` },
      publish: { include },
    }),
  );
  // `deno pack` warns that private files have no type declarations; nothing imports those.
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["pack", "--quiet", "--no-source-maps", "--output", target],
    cwd: folder,
  }).output();
  if (!success) {
    throw new Error(`Cannot pack: ${new TextDecoder().decode(stderr)}`);
  }
  const packed = await withFile(
    await Deno.readFile(target),
    "package/package.json",
    (text) => {
      const { exports, ...rest } = JSON.parse(text);
      delete exports[CLI];
      return JSON.stringify({ ...rest, ...DESCRIPTION, exports }, null, 2);
    },
  );
  await Deno.writeFile(target, packed);
} finally {
  await Deno.remove(folder, { recursive: true });
}
