import { assertEquals } from "@std/assert";
import { FileChanges } from "../../lib/files/file_changes.ts";

/** Longer than any test runs. */
const NEVER = 1 << 30;

Deno.test("FileChanges.wait() ends after pollMs, even for a missing file", async () => {
  const changes = new FileChanges({ pollMs: 0 });
  const { signal } = new AbortController();
  for (let i = 0; i < 20; i++) await changes.wait("no/such/file", signal);
  changes.close();
  changes.close();
});

Deno.test("FileChanges.wait() ends when the signal is aborted", async () => {
  const changes = new FileChanges({ pollMs: NEVER });
  const end = new AbortController();
  const waiting = changes.wait("deno.json", end.signal);
  end.abort();
  await waiting;
  await changes.wait("deno.json", end.signal);
  changes.close();
});

Deno.test("FileChanges.wait() ends when it is closed", async () => {
  const changes = new FileChanges({ pollMs: NEVER });
  const { signal } = new AbortController();
  const waiting = changes.wait("no/such/file", signal);
  changes.close();
  await waiting;
});

Deno.test({
  name: "FileChanges.wait() ends when the file is written to",
  // Other platforms report writes late, or not at all in some folders.
  ignore: Deno.build.os !== "linux",
  async fn() {
    const path = await Deno.makeTempFile();
    const changes = new FileChanges({ pollMs: NEVER });
    const end = new AbortController();
    try {
      for (const text of ["a", "b"]) {
        const waiting = changes.wait(path, end.signal);
        let isOver = false;
        waiting.then(() => isOver = true);
        // At the first write the watcher may not be ready.
        while (!isOver) {
          await Deno.writeTextFile(path, text, { append: true });
        }
      }
      assertEquals(end.signal.aborted, false);
    } finally {
      changes.close();
      await Deno.remove(path);
    }
  },
});
