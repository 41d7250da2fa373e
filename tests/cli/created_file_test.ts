import { assertRejects } from "@std/assert";
import { createFile } from "../../lib/cli/created_file.ts";
import { Interrupted } from "../../lib/cli/endings.ts";

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
