/** Compares the embedded kernel with its source. */

import { assertEquals } from "@std/assert";

const BUILD = new URL("../../kernel/build.ts", import.meta.url);
const MODULE = new URL("../../lib/json/kernel_module.ts", import.meta.url);

Deno.test("the embedded kernel equals its compiled source (deno task kernel)", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-read", "--allow-env", BUILD.href, "-"],
  }).output();
  const decoder = new TextDecoder();
  assertEquals(success, true, decoder.decode(stderr));
  assertEquals(await Deno.readTextFile(MODULE), decoder.decode(stdout));
});
