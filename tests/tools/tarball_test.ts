import { assertEquals, assertRejects } from "@std/assert";
import { withFile } from "../../tools/tarball.ts";
import { programTest, runProgram } from "../programs.ts";
import { withFolder } from "../sessions/homes.ts";

await programTest(
  "withFile() changes one file of a tarball, and no other file",
  ["tar"],
  () =>
    withFolder(async (folder) => {
      const files = { a: "first\n", b: "x".repeat(600), c: "last\n" };
      for (const [name, text] of Object.entries(files)) {
        await Deno.writeTextFile(`${folder}/${name}`, text);
      }
      const tarball = `${folder}/t.tgz`;
      const names = Object.keys(files);
      await runProgram("tar", {
        args: ["-czf", tarball, "-C", folder, ...names],
      });
      for (const length of [2000, 512, 3, 0]) {
        const changed = await withFile(
          await Deno.readFile(tarball),
          "b",
          () => files.b.slice(0, length).padEnd(length, "y"),
        );
        await Deno.writeFile(tarball, changed);
        const { status, stdout } = await runProgram("tar", {
          args: ["-xzOf", tarball],
        });
        assertEquals(
          [status, stdout],
          [0, files.a + files.b.slice(0, length).padEnd(length, "y") + files.c],
        );
      }
      await assertRejects(
        async () =>
          await withFile(await Deno.readFile(tarball), "d", (text) => text),
        TypeError,
        "Cannot change d: the tarball has no such file",
      );
    }),
);
