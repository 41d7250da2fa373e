/**
 * Makes executables of the command, each a single file without dependencies.
 *
 * Without an argument it makes one for this machine, `dist/codexpipe`; with `--target=NAME`,
 * which may be repeated, one for that platform, `dist/codexpipe-NAME`; with `--all` one for every
 * platform. With `--target` or `--all` it also writes a file of checksums.
 */

import { parseArgs } from "@std/cli";
import { joinChunks, MAIN } from "./join_chunks.ts";
import config from "../deno.json" with { type: "json" };

const ROOT = new URL("../", import.meta.url);
const DIST = new URL("dist/", ROOT);
/** The folder of the bundled modules, from the root. */
const BUNDLE = "dist/bundle/";

/** The platforms of `--all`. */
const TARGETS = [
  "aarch64-apple-darwin",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "x86_64-pc-windows-msvc",
  "x86_64-unknown-linux-gnu",
];

/** The options of Deno in the task that runs the command. */
const OPTIONS = config.tasks.codexpipe.command.split(" ")
  .filter((word) => word.startsWith("--"));
const V8_OPTION = "--v8-flags=";
// The task lacks --allow-run: PAGER may name any program.
const PERMISSIONS = [
  ...OPTIONS.filter((option) => !option.startsWith(V8_OPTION)),
  "--allow-run",
];

/**
 * Flags of V8. Those that the task has, too:
 *
 * - The young generation has 4 MB from the start, so that starting collects no garbage
 *   (`normalize` of one line takes 2.3 of an empty script instead of 2.5,
 *   `deno task bench --startup`), and does not grow to the 16 MB that it otherwise takes in long
 *   runs, at the same speed.
 * - The old generation grows by 70 % between collections and not to three times its size, which
 *   saves exports of 500 MB 30 MB for a hundredth of the time.
 * - Functions are compiled with their module, so that the code cache has all of them, and the
 *   baseline compiler is off: `normalize` of one line takes 2.1 of an empty script instead of 2.3,
 *   `check` of a run 4.4 instead of 4.9 (`deno task bench --startup`), and long runs take as long.
 *
 * And one that only the executable has, because other releases of V8 may not know it: the memory of
 * a compilation is freed by the thread that compiled; a stream of the old protocol peaks 10 MB
 * lower.
 */
const V8_FLAGS = [
  ...OPTIONS.filter((option) => option.startsWith(V8_OPTION))
    .map((option) => option.slice(V8_OPTION.length)),
  "--no-maglev-destroy-on-background",
].join(",");

/** Runs Deno, and throws if it fails. */
async function deno(...args: string[]): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).spawn();
  const { success } = await child.status;
  if (!success) throw new Error(`Cannot ${args[0]}`);
}

/**
 * Bundles the modules of the command: two that are always loaded, and a few for each command.
 * Starting takes half the time of loading each source module.
 */
async function bundle(): Promise<void> {
  await deno(
    "bundle",
    "--quiet",
    "--platform=deno",
    "--code-splitting",
    // Shorter modules load a twentieth faster.
    "--minify",
    `--outdir=${BUNDLE}`,
    "tools/executable.ts",
  );
  await joinChunks(
    new URL(BUNDLE, ROOT),
    "executable.js",
    (entry, output, external) =>
      deno(
        "bundle",
        "--quiet",
        "--platform=deno",
        "--minify",
        ...external.map((name) => `--external=./${name}`),
        `--output=${BUNDLE}${output}`,
        `${BUNDLE}${entry}`,
      ),
  );
}

/** Makes one executable, and returns its name. */
async function compile(target?: string): Promise<string> {
  const isWindows = (target ?? Deno.build.target).includes("windows");
  const stem = target === undefined ? "codexpipe" : `codexpipe-${target}`;
  const name = isWindows ? `${stem}.exe` : stem;
  await deno(
    "compile",
    "--quiet",
    "--no-check",
    ...PERMISSIONS,
    `--v8-flags=${V8_FLAGS}`,
    ...(target === undefined ? [] : ["--target", target]),
    // The modules of commands, which are imported dynamically.
    `--include=${BUNDLE}`,
    "--output",
    `dist/${name}`,
    BUNDLE + MAIN,
  );
  return name;
}

/** Returns the line of a file in the format of `sha256sum`. */
async function checksum(name: string): Promise<string> {
  const bytes = await Deno.readFile(new URL(name, DIST));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return `${new Uint8Array(digest).toHex()}  ${name}\n`;
}

const args = parseArgs(Deno.args, {
  boolean: ["all"],
  string: ["target"],
  collect: ["target"],
  unknown(arg): never {
    throw new TypeError(
      `Cannot take "${arg}": expected --all, or --target and one of ${
        TARGETS.join(", ")
      }`,
    );
  },
});
const targets = args.all ? TARGETS : args.target;
await Deno.mkdir(DIST, { recursive: true });
await bundle();
if (targets.length === 0) await compile();
else {
  const names: string[] = [];
  for (const target of targets) names.push(await compile(target));
  const lines = await Promise.all(names.map(checksum));
  await Deno.writeTextFile(new URL("SHA256SUMS", DIST), lines.join(""));
}
await Deno.remove(new URL(BUNDLE, ROOT), { recursive: true });
