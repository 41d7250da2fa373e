/** Tests the npm package: makes it, unpacks it, and runs it with other runtimes. */

import { assert, assertEquals } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { COMMANDS, SEVERAL_FILES } from "../lib/cli/commands.ts";
import { callBinary } from "./cli/binary.ts";
import { call } from "./cli/memory.ts";
import { readFixture } from "./fixtures.ts";
import { hasProgram, programTest, runProgram } from "./programs.ts";
import { decode } from "./running.ts";
import { assembleHome, type TestHome } from "./sessions/homes.ts";

const ROOT = new URL("../", import.meta.url);

/** A program that uses each of the entry points that need no other package. */
const PROGRAM = `
import { decodeEvents } from "@codexpipe/codexpipe";
import { openStream } from "@codexpipe/codexpipe/files";
import { listSessions } from "@codexpipe/codexpipe/sessions";

const { sessions, missingHomes } = await listSessions();
// Node may color numbers, but no text.
console.log([sessions.length, missingHomes.length].join(" "));
const line = '{"type":"thread.started","thread_id":"t1"}\\n';
for await (const outcome of decodeEvents(new Blob([line]).stream())) {
  console.log(outcome.ok && outcome.value.thread_id);
}
for await (const outcome of decodeEvents(await openStream(process.argv[2]))) {
  console.log([outcome.line, outcome.ok && outcome.value.type].join(" "));
}
`;

/**
 * Makes the package and installs it in `node_modules` of a folder. Its dependencies come from
 * Deno's cache: nothing is downloaded.
 */
async function install(folder: string): Promise<void> {
  const tarball = `${folder}/codexpipe.tgz`;
  const { status, stderr } = await runProgram(Deno.execPath(), {
    args: [
      "run",
      "--allow-read",
      "--allow-write",
      `--allow-run=${Deno.execPath()}`,
      new URL("tools/pack.ts", ROOT).href,
      tarball,
    ],
  });
  assertEquals([status, stderr], [0, ""]);
  const unpack = async (to: string, ...names: string[]): Promise<void> => {
    const unpacked = await runProgram("tar", {
      args: ["-xzf", tarball, "-C", to, "--strip-components=1", ...names],
    });
    assertEquals(unpacked, { status: 0, stdout: "", stderr: "" });
  };
  await unpack(folder, "package/package.json");
  const manifest = `${folder}/package.json`;
  const { dependencies } = JSON.parse(await Deno.readTextFile(manifest));
  await Deno.writeTextFile(manifest, JSON.stringify({ dependencies }));
  await Deno.writeTextFile(`${folder}/deno.json`, '{"nodeModulesDir":"auto"}');
  const installed = await runProgram(Deno.execPath(), {
    args: ["install", "--quiet", "--cached-only"],
    cwd: folder,
  });
  assertEquals([installed.status, installed.stderr], [0, ""]);
  const target = `${folder}/node_modules/${config.name}`;
  await Deno.mkdir(target, { recursive: true });
  await unpack(target);
}

/** Features of Node, with the first release that has them. */
const SINCE = { sqlite: "22.13", zstd: "22.15" } as const;

/** A call of the command whose output is the same on Node and Deno. */
interface Call {
  readonly args: readonly string[];
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly stdin?: string;
}

/** Reads a capture. */
function capture(path: string): string {
  return decode(readFixture(`captures/0.169.0/${path}`));
}

const FILES = {
  "run.jsonl": `${capture("shellmany/stdout.jsonl")}torn\n`,
  "failed.jsonl": capture("fail400/stdout.jsonl"),
};

/** Calls of commands, by name. Other commands are called with a file if they read files. */
const CALLS: Readonly<Record<string, (home: TestHome) => readonly Call[]>> = {
  normalize: () => [
    { args: ["normalize", "run.jsonl"], files: FILES },
    { args: ["normalize"], stdin: FILES["run.jsonl"] },
    {
      args: ["normalize", "--errors-to=bad.jsonl", "run.jsonl", "no.jsonl"],
      files: FILES,
    },
  ],
  history: () => [{ args: ["history", "--pretty", "run.jsonl"], files: FILES }],
  usage: ({ path }) => [
    { args: ["usage", "run.jsonl"], files: FILES },
    { args: ["usage", "--by=model", `--codex-home=${path}`] },
  ],
  render: () => [
    { args: ["render", "run.jsonl"], files: FILES },
    {
      args: ["render", "--to=text", "--color=always", "run.jsonl"],
      files: FILES,
    },
    { args: ["render", "-o", "page.html", "run.jsonl"], files: FILES },
  ],
  check: () => [
    { args: ["check", "-j2", "run.jsonl", "failed.jsonl"], files: FILES },
    { args: ["check", "--json", "failed.jsonl"], files: FILES },
  ],
  "sessions list": () => [
    { args: ["sessions", "list"] },
    { args: ["sessions", "list", "--json"] },
  ],
  "sessions path": ({ sessions }) => [
    { args: ["sessions", "path", ...sessions.slice(0, 5).map(({ id }) => id)] },
  ],
  // Every fifth session, because each call starts Node. Other tests show all sessions on Deno.
  "sessions show": ({ sessions }) =>
    sessions.filter((_, i) => i % 5 === 0)
      .map(({ id }) => ({ args: ["sessions", "show", id] })),
  "sessions resume": ({ sessions }) => [
    { args: ["sessions", "resume", sessions[0]?.id ?? ""] },
  ],
  "sessions follow": () => [{
    args: ["sessions", "follow", "--from-start", "--exit-on=turn"],
  }],
  "sessions search": () => [{ args: ["sessions", "search", "the"] }],
  // `watch` would not end, so this call is one that its own module refuses.
  watch: () => [{ args: ["watch", "run.jsonl"] }],
  schema: () => [{ args: ["schema", "ThreadEvent"] }],
  completions: () => [{ args: ["completions", "bash"] }],
};

/** The features of Node that commands need, by name. */
const NEEDS: Readonly<Record<string, keyof typeof SINCE>> = {
  "sessions index": "sqlite",
  "sessions search": "sqlite",
};

/** Evaluates an expression in Node; an empty text if Node is missing. */
async function nodeValue(expression: string): Promise<string> {
  const isThere = await hasProgram("node");
  const args = ["-p", expression];
  return isThere ? (await runProgram("node", { args })).stdout.trim() : "";
}

const nodePath = await nodeValue("process.execPath");
const nodeVersion = await nodeValue("process.versions.node");

/** Returns why a test is not run if Node lacks a feature; otherwise an empty text. */
function missing(need: keyof typeof SINCE | undefined): string {
  if (need === undefined) return "";
  const numbers = (text: string): string =>
    text.split(".").slice(0, 2).map((part) => part.padStart(3, "0")).join();
  return numbers(nodeVersion) >= numbers(SINCE[need])
    ? ""
    : `Node ${nodeVersion} has no ${need}, ${SINCE[need]} has`;
}

/** Registers a test that a command has the same output on Node and Deno. */
async function nodeTest(
  name: string,
  need: keyof typeof SINCE | undefined,
  callsOf: (home: TestHome) => readonly Call[],
): Promise<void> {
  const title =
    `codexpipe ${name} of the npm package has the same output as on Deno`;
  await programTest(title, ["tar", "node"], async () => {
    const script = `${folder}/node_modules/${config.name}/cli_node.js`;
    const home = await assembleHome(`${folder}/${name}/home`, {
      versions: ["0.160.0"],
    });
    // Whole seconds, because one runtime truncates parts of a millisecond and the other rounds.
    for (const [i, { path }] of home.sessions.entries()) {
      await Deno.utime(path, 1_795_000_000 + i, 1_795_000_000 + i);
    }
    const cache = `${folder}/${name}/cache`;
    const env = { CODEX_HOME: home.path, XDG_CACHE_HOME: cache };
    for (const { args, ...world } of callsOf(home)) {
      const { writes: _, ...onDeno } = await call(args, {
        ...world,
        env,
        now: () => Date.now(),
      });
      await Deno.remove(cache, { recursive: true }).catch(() => {});
      const { writes: __, ...onNode } = await callBinary(
        nodePath,
        [script, ...args],
        { ...world, env },
      );
      assertEquals(onNode, onDeno, `codexpipe ${args.join(" ")}`);
    }
  }, missing(need));
}

const folder = await Deno.makeTempDir();
const log = `${folder}/log.jsonl`;

await programTest(
  "the npm package has every entry point, with types, and the command",
  ["tar"],
  async () => {
    await install(folder);
    const root = `${folder}/node_modules/${config.name}`;
    const { exports, dependencies, bin, engines, ...rest } = JSON.parse(
      await Deno.readTextFile(`${root}/package.json`),
    );
    assertEquals(
      Object.keys(exports).sort(),
      Object.keys(config.exports).filter((name) => name !== "./cli").sort(),
    );
    for (
      const { types, default: code } of Object.values<Record<string, string>>(
        exports,
      )
    ) {
      for (const path of [types, code]) {
        await Deno.stat(`${root}/${path}`);
      }
    }
    // Members that the search of the registry uses.
    for (const name of ["description", "keywords", "repository"]) {
      assert(rest[name].length !== 0, name);
    }
    assertEquals([bin, engines], [
      { codexpipe: "cli_node.js" },
      { node: ">=20" },
    ]);
    const command = await Deno.readTextFile(`${root}/${bin.codexpipe}`);
    assert(command.startsWith("#!/usr/bin/env node\n"));
    // All dependencies are in the npm registry: no packages of JSR.
    assertEquals(
      Object.keys(dependencies).filter((name) => /std|jsr/.test(name)),
      [],
    );
  },
);

for (const runtime of ["node", "bun"]) {
  await programTest(
    `the npm package runs under ${runtime}`,
    ["tar", runtime],
    async () => {
      await Deno.writeTextFile(`${folder}/program.mjs`, PROGRAM);
      await Deno.writeTextFile(log, '{"type":"error","message":"m"}\n');
      const { status, stdout, stderr } = await runProgram(runtime, {
        args: ["program.mjs", log],
        cwd: folder,
        env: { CODEX_HOME: `${folder}/no/home` },
      });
      assertEquals([status, stdout, stderr], [0, "0 1\nt1\n1 error\n", ""]);
    },
  );
}

for (const { name, operands } of COMMANDS) {
  const files = operands[0]?.[0] === SEVERAL_FILES ? ["run.jsonl"] : [];
  const plain = { args: [...name.split(" "), ...files], files: FILES };
  await nodeTest(name, NEEDS[name], CALLS[name] ?? (() => [plain]));
}

await nodeTest("normalize of packed files", "zstd", () => [{
  args: ["normalize", "session.jsonl.zst"],
  files: {
    "session.jsonl.zst": readFixture(
      "captures/0.169.0/compressed/rollout-2026-11-20T16-12-04-01a1f9ba-b089-7b11-8904-067c1cf630df.jsonl.zst",
    ),
  },
}]);

for (const runtime of ["node", "bun"]) {
  await programTest(
    `the command of the npm package reads named pipes under ${runtime}`,
    ["tar", runtime, "bash"],
    async () => {
      const script = `${folder}/node_modules/${config.name}/cli_node.js`;
      const line = '{"type":"thread.started","thread_id":"t"}\n';
      const { status, stdout, stderr } = await runProgram("bash", {
        args: [
          "-c",
          '"$0" "$1" normalize <(printf %s "$2")',
          runtime,
          script,
          line,
        ],
        cwd: folder,
      });
      assertEquals([status, stdout, stderr], [0, line, ""]);
    },
  );
}

Deno.test("the folder of the npm package is removed", async () => {
  await Deno.remove(folder, { recursive: true });
});
