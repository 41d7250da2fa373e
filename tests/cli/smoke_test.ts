/** Runs the command as a process, for behaviour that needs one: pipes, signals, redirections. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { programTest, runProgram } from "../programs.ts";
import { encode } from "../running.ts";
import { withFolder } from "../sessions/homes.ts";
import { COMMAND_WORDS, startCommand } from "./process.ts";

const LINE = '{"type":"thread.started","thread_id":"t"}\n';

/** Reads one chunk of a stream as text. */
async function firstOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<string> {
  const { value } = await reader.read();
  return new TextDecoder().decode(value);
}

/** Writes a temporary file, calls `use` with its path, and removes it. */
async function withFile(
  text: string,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const path = await Deno.makeTempFile({ suffix: ".jsonl" });
  try {
    await Deno.writeTextFile(path, text);
    await use(path);
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("codexpipe normalize writes the record of each line of a live pipe at once", async () => {
  const child = startCommand(["normalize"]);
  const stdin = child.stdin.getWriter();
  const stdout = child.stdout.getReader();
  for (let i = 0; i < 3; i++) {
    await stdin.write(encode(LINE));
    assertEquals(await firstOf(stdout), LINE);
  }
  await stdin.close();
  assert((await stdout.read()).done);
  assertEquals(await new Response(child.stderr).text(), "");
  assertEquals((await child.status).code, 0);
});

Deno.test("codexpipe normalize reads a file, and reports failed lines and a missing file", async () => {
  await withFile(`${LINE}{\n`, async (path) => {
    const child = startCommand([
      "normalize",
      "--strict",
      "--jobs=2",
      path,
      `${path}.no`,
    ]);
    await child.stdin.close();
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    assertEquals(decoder.decode(stdout), LINE);
    assertEquals(
      decoder.decode(stderr).split("\n").slice(1),
      [`codexpipe: ${path}.no: cannot open: not found`, ""],
    );
    assertStringIncludes(decoder.decode(stderr), `codexpipe: ${path}:2: json:`);
    assertEquals(code, 3);
  });
});

Deno.test("codexpipe normalize --errors-to does not truncate its input", async () => {
  await withFile("{\n", async (path) => {
    const child = startCommand(["normalize", "--errors-to", path, path]);
    await child.stdin.close();
    assertEquals((await child.output()).code, 2);
    assertEquals(await Deno.readTextFile(path), "{\n");
  });
});

await programTest(
  "codexpipe render --output does not truncate the file of stdin",
  ["bash"],
  async () => {
    await withFile(LINE, async (path) => {
      const script = 'file=$1; shift; "$@" render -o "$file" <"$file"';
      const args = ["-c", script, "bash", path, ...COMMAND_WORDS];
      const { status, stderr } = await runProgram("bash", { args });
      assertStringIncludes(stderr, `--output would overwrite ${path}`);
      assertEquals(status, 2);
      assertEquals(await Deno.readTextFile(path), LINE);
    });
  },
);

// On Windows the file of a standard stream is not known.
const WITH_STREAM_FILES = Deno.build.os !== "windows";
for (
  const words of WITH_STREAM_FILES
    ? ["normalize", "normalize --follow", "redact"]
    : []
) {
  await programTest(
    `codexpipe ${words} refuses to append to its input`,
    ["bash"],
    async () => {
      // The file is longer than one read, so that the loop would not end. The limit on the size
      // of files leaves room for Deno's caches.
      const text = LINE.repeat(20_000);
      await withFile(text, async (path) => {
        const script =
          `ulimit -f 500000; file=$1; shift; "$@" ${words} "$file" >>"$file"`;
        const args = ["-c", script, "bash", path, ...COMMAND_WORDS];
        const { status, stderr } = await runProgram("bash", { args });
        assertStringIncludes(
          stderr,
          `stdout goes to ${path}, which is an input: write to another file\n`,
        );
        assertEquals(status, 2);
        assert(await Deno.readTextFile(path) === text, "it has changed");
      });
    },
  );
}

Deno.test("codexpipe normalize ends silently with 0 after its reader has gone, with stdin open", async () => {
  const child = startCommand(["normalize"]);
  const stdin = child.stdin.getWriter();
  const stdout = child.stdout.getReader();
  await stdin.write(encode(LINE));
  assertEquals(await firstOf(stdout), LINE);
  await stdout.cancel();
  await stdin.write(encode(LINE));
  const { code } = await child.status;
  assertEquals(await new Response(child.stderr).text(), "");
  assertEquals(code, 0);
  await stdin.abort();
});

Deno.test("codexpipe normalize ends silently with 0 after its reader has gone, within a large file", async () => {
  await withFile(LINE.repeat(100_000), async (path) => {
    const child = startCommand(["normalize", path]);
    const stdout = child.stdout.getReader();
    assert((await firstOf(stdout)).startsWith(LINE));
    await stdout.cancel();
    await child.stdin.close();
    assertEquals(await new Response(child.stderr).text(), "");
    assertEquals((await child.status).code, 0);
  });
});

Deno.test({
  name: "codexpipe normalize ends with 130 and whole lines on Ctrl-C",
  // On Windows a signal of another program ends the process at once.
  ignore: Deno.build.os === "windows",
  async fn(): Promise<void> {
    const child = startCommand(["normalize"]);
    const stdin = child.stdin.getWriter();
    const stdout = child.stdout.getReader();
    await stdin.write(encode(LINE + LINE.slice(0, 9)));
    assertEquals(await firstOf(stdout), LINE);
    child.kill("SIGINT");
    const { code, signal } = await child.status;
    assertEquals([code, signal], [130, null]);
    assert((await stdout.read()).done);
    assertEquals(await new Response(child.stderr).text(), "");
    await stdin.abort();
  },
});

Deno.test({
  name:
    "codexpipe render --output ends with 0 when the reader of a named pipe has gone",
  ignore: Deno.build.os === "windows",
  async fn(): Promise<void> {
    const items = Array.from({ length: 100 }, (_, id) =>
      JSON.stringify({
        type: "item.completed",
        item: { id: `${id}`, type: "agent_message", text: "a".repeat(5_000) },
      }));
    await withFile(`${LINE}${items.join("\n")}\n`, async (path) => {
      const pipe = `${path}.md`;
      await new Deno.Command("bash", { args: ["-c", 'mkfifo "$0"', pipe] })
        .output();
      const child = startCommand(["render", "--output", pipe, path]);
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
      try {
        await child.stdin.close();
        const reader = await Deno.open(pipe);
        await reader.read(new Uint8Array(10));
        reader.close();
        const { code, stderr } = await child.output();
        assertEquals([new TextDecoder().decode(stderr), code], ["", 0]);
      } finally {
        clearTimeout(timer);
        await Deno.remove(pipe);
      }
    });
  },
});

Deno.test({
  name: "codexpipe normalize reads a folder without the named pipes in it",
  ignore: Deno.build.os === "windows",
  async fn(): Promise<void> {
    await withFolder(async (folder) => {
      const script = 'mkfifo "$0/rollout-b.jsonl"';
      await new Deno.Command("bash", { args: ["-c", script, folder] }).output();
      await Deno.writeTextFile(`${folder}/rollout-a.jsonl`, LINE);
      const child = startCommand(["normalize", folder]);
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
      await child.stdin.close();
      const { code, stdout } = await child.output();
      clearTimeout(timer);
      assertEquals([new TextDecoder().decode(stdout), code], [LINE, 0]);
    });
  },
});
