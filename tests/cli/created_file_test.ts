import { assertEquals, assertRejects } from "@std/assert";
import { createFile } from "../../lib/cli/created_file.ts";
import { call, failing, Hose, platformError, Sink } from "./memory.ts";

const STARTED = '{"type":"thread.started","thread_id":"t"}\n';
const LINES = `${STARTED}nonsense\n{"type":"\xff"}\n{}\n`;

/** Normalizes an input with failures in band, and returns the lines of the output. */
async function inline(stdin: string): Promise<string[]> {
  const { stdout } = await call(["normalize", "--on-error=inline"], { stdin });
  return stdout.split("\n").slice(0, -1);
}

for (const onError of ["report", "inline", "drop"]) {
  Deno.test(`--errors-to writes the records that --on-error=inline writes, with --on-error=${onError}`, async () => {
    const { status, written } = await call([
      "normalize",
      "--errors-to=e",
      `--on-error=${onError}`,
    ], { stdin: LINES });
    assertEquals(status, 0);
    const failures = (await inline(LINES)).filter((line) =>
      line.startsWith('{"type":"line.failed"')
    );
    assertEquals(failures.length, 3);
    assertEquals([...written], [["e", `${failures.join("\n")}\n`]]);
  });
}

Deno.test("--errors-to writes the failure that --on-error=stop stops at", async () => {
  const args = ["normalize", "--errors-to=e", "--on-error=stop", "-q"];
  const { status, written } = await call(args, { stdin: LINES });
  assertEquals(status, 1);
  assertEquals(written.get("e"), `${(await inline(LINES))[1]}\n`);
});

Deno.test("--errors-to writes the failures of all files, in order", async () => {
  const args = ["normalize", "-q", "--errors-to", "e", "a", "b"];
  const { written } = await call(args, {
    files: { a: "x\n", b: "\ny\n" },
  });
  const [first] = await inline("x\n");
  const [second] = await inline("\ny\n");
  assertEquals(written.get("e"), `${first}\n${second}\n`);
});

Deno.test("--errors-to empties its file even if nothing fails", async () => {
  const { written } = await call(["normalize", "--errors-to=e"], {
    stdin: STARTED,
  });
  assertEquals([...written], [["e", ""]]);
});

Deno.test("--errors-to writes a failure before stdout has the records of the same block", async () => {
  const stdin = new Hose();
  const created = new Sink();
  const writes: string[] = [];
  const done = call(["normalize", "-q", "--errors-to=e"], {
    stdin,
    created: {
      write(bytes): Promise<number> {
        writes.push("failure");
        return created.write(bytes);
      },
    },
    stdout: {
      write(bytes): Promise<number> {
        writes.push("record");
        return Promise.resolve(bytes.length);
      },
    },
  });
  stdin.push(`${STARTED}nonsense\n`);
  await created.next();
  stdin.end();
  await done;
  assertEquals(writes, ["failure", "record"]);
});

Deno.test("--errors-to with a file that cannot be created ends before the input is read", async () => {
  const { status, stdout, stderr } = await call(
    ["normalize", "--errors-to", "far/e"],
    { stdin: LINES, createError: platformError("ENOENT") },
  );
  assertEquals([status, stdout], [3, ""]);
  assertEquals(
    stderr,
    "codexpipe: far/e: cannot create: its folder does not exist\n",
  );
});

Deno.test("--errors-to on a full disk ends with 3", async () => {
  const { status, stderr } = await call(["normalize", "-q", "--errors-to=e"], {
    stdin: LINES,
    created: failing(platformError("ENOSPC")),
  });
  assertEquals(status, 3);
  assertEquals(
    stderr,
    "codexpipe: e: cannot write: no space left on the device\n",
  );
});

Deno.test("--errors-to continues after the reader of its pipe has gone", async () => {
  const { status, stdout } = await call(["normalize", "-q", "--errors-to=e"], {
    stdin: LINES + STARTED,
    created: failing(platformError("EPIPE")),
  });
  assertEquals([status, stdout], [0, STARTED + STARTED]);
});

for (const [errorsTo, file] of [["a", "a"], ["./a", "a"], ["a", "./a"]]) {
  Deno.test(`--errors-to=${errorsTo} does not overwrite ${file}, an input`, async () => {
    const { status, stdout, stderr, written } = await call(
      ["normalize", `--errors-to=${errorsTo}`, "b", file ?? ""],
      { files: { a: LINES, "./a": LINES, b: LINES } },
    );
    assertEquals([status, stdout, written.size], [2, "", 0]);
    assertEquals(
      stderr,
      `codexpipe: --errors-to would overwrite ${file}, which is an input\n` +
        'codexpipe: "codexpipe normalize -h" shows the options\n',
    );
  });
}

Deno.test("--errors-to does not overwrite the file that stdout goes to", async () => {
  const { status, stdout, stderr, written } = await call(
    ["normalize", "--errors-to=out", "a"],
    { files: { a: LINES, out: "" }, stdoutIdentity: "out" },
  );
  assertEquals([status, stdout, written.size], [2, "", 0]);
  assertEquals(
    stderr,
    "codexpipe: --errors-to would overwrite out, which stdout goes to: name another file\n" +
      'codexpipe: "codexpipe normalize -h" shows the options\n',
  );
});

Deno.test("--errors-to does not create a missing input", async () => {
  const args = ["normalize", "--errors-to=new", "new"];
  const { status, written } = await call(args, {});
  assertEquals([status, written.size], [2, 0]);
});

Deno.test("createFile() waits for the reader of a named pipe until it is interrupted", async () => {
  const interrupt = new AbortController();
  const created = createFile("pipe", {
    create: () => new Promise(() => {}),
    interrupt: interrupt.signal,
    pause: () => Promise.resolve(),
  });
  interrupt.abort();
  await assertRejects(() => created, DOMException, "aborted");
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
