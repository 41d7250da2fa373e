/** The npm package: made, unpacked, and used by other runtimes. */

import { assertEquals } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { programTest, runProgram } from "./programs.ts";

const ROOT = new URL("../", import.meta.url);

/** What the library does with a line in each of the entry points that need no other package. */
const PROGRAM = `
import { decodeEvents } from "@codexpipe/codexpipe";
import { openStream } from "@codexpipe/codexpipe/files";

const line = '{"type":"thread.started","thread_id":"t1"}\\n';
for await (const outcome of decodeEvents(new Blob([line]).stream())) {
  console.log(outcome.ok && outcome.value.thread_id);
}
for await (const outcome of decodeEvents(await openStream(process.argv[2]))) {
  console.log(outcome.line, outcome.ok && outcome.value.type);
}
`;

/** Makes the package and unpacks it where programs of a folder find it. */
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
  const target = `${folder}/node_modules/${config.name}`;
  await Deno.mkdir(target, { recursive: true });
  const unpacked = await runProgram("tar", {
    args: ["-xzf", tarball, "-C", target, "--strip-components=1"],
  });
  assertEquals(unpacked, { status: 0, stdout: "", stderr: "" });
}

const folder = await Deno.makeTempDir();
const log = `${folder}/log.jsonl`;

await programTest(
  "the npm package has every entry point but the command, with types",
  ["tar"],
  async () => {
    await install(folder);
    const root = `${folder}/node_modules/${config.name}`;
    const { exports, dependencies } = JSON.parse(
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
    // What the command needs is not among them.
    assertEquals(
      Object.keys(dependencies).filter((name) => /std|cli/.test(name)),
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
      });
      assertEquals([status, stdout, stderr], [0, "t1\n1 error\n", ""]);
    },
  );
}

Deno.test("the npm package leaves nothing behind", async () => {
  await Deno.remove(folder, { recursive: true });
});
