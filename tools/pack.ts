/** Makes the npm package: the library, and the command for Node. */

import config from "../deno.json" with { type: "json" };
import { withFile } from "./tarball.ts";

const ROOT = new URL("../", import.meta.url);
const REPOSITORY = "https://github.com/codexpipe/codexpipe";
/** The command as Node runs it, in place of the one for Deno. */
const COMMAND = "cli_node.ts";
/** What cannot be imported on Node: a module of ours that imports what is not code. */
const ABOUT = "lib/cli/about.ts";
const CONFIG_IMPORT =
  'import config from "../../deno.json" with { type: "json" };';

/** The entry point that is run, not imported. */
const CLI = "./cli";

/** What the package says of itself beside what it holds. */
const DESCRIPTION = {
  description:
    "Reads what OpenAI's Codex CLI writes as JSONL, in every shape that a release has written: normalize, render, check, count tokens, search sessions",
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

/** Lets the command say its version on Node: JSON is no module that each release of it takes. */
async function tellVersion(folder: string): Promise<void> {
  const path = `${folder}/${ABOUT}`;
  const code = await Deno.readTextFile(path);
  const { version } = config;
  const told = code.replace(
    CONFIG_IMPORT,
    `const config = ${JSON.stringify({ version })};`,
  );
  if (told === code) {
    throw new Error(`Cannot find "${CONFIG_IMPORT}" in ${ABOUT}`);
  }
  await Deno.writeTextFile(path, told);
}

const [output = "dist/codexpipe.tgz"] = Deno.args;
const target = new URL(output, `file://${Deno.cwd()}/`);
await Deno.mkdir(new URL(".", target), { recursive: true });

const folder = await Deno.makeTempDir();
try {
  const include = config.publish.include.map((path) =>
    path === "cli.ts" ? COMMAND : path
  );
  for (const path of include) await copy(path, folder);
  await tellVersion(folder);
  const { workspace: _, tasks: __, ...rest } = config;
  await Deno.writeTextFile(
    `${folder}/deno.json`,
    JSON.stringify({
      ...rest,
      exports: { ...config.exports, [CLI]: `./${COMMAND}` },
      publish: { include },
    }),
  );
  // Says of each private file that it has no types of its own: nothing refers to them.
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["pack", "--quiet", "--no-source-maps", "--output", target.pathname],
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
