import { assertEquals, assertRejects } from "@std/assert";
import { createFile } from "../../lib/cli/created_file.ts";
import { Interrupted } from "../../lib/cli/endings.ts";
import { call, platformError } from "./memory.ts";

Deno.test("createFile() waits for the reader of a named pipe until it is interrupted", async () => {
  const interrupt = new AbortController();
  const created = createFile("pipe", {
    create: () => new Promise(() => {}),
    interrupt: interrupt.signal,
    pause: () => Promise.resolve(),
  });
  interrupt.abort();
  await assertRejects(() => created, Interrupted);
});

Deno.test("writeFile() reports a missing folder as createFile() does", async () => {
  const { status, stderr } = await call(
    ["drift", "--write-baseline=no/base.json"],
    { stdin: "", createError: platformError("ENOENT") },
  );
  assertEquals([status, stderr], [
    3,
    "codexpipe: no/base.json: cannot create: its folder does not exist\n",
  ]);
});
