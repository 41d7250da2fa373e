import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { gzipSync } from "node:zlib";
import { COMMANDS, SEVERAL_FILES } from "../../lib/cli/commands.ts";
import { IoError, UsageError } from "../../lib/cli/endings.ts";
import type { FileSource, Surroundings } from "../../lib/cli/context.ts";
import { BLOCK, Input, openInput } from "../../lib/cli/input.ts";
import type { ByteSource } from "../../lib/files/files.ts";
import { concat, decode, encode } from "../running.ts";
import { TestSource } from "../sources.ts";
import { call, Hose, platformError, sourceOf } from "./memory.ts";

/** Surroundings in which no file exists. */
const NO_FILES: Surroundings = {
  stdin: sourceOf([]),
  isTerminal: { stdin: false, stdout: false, stderr: false },
  interrupt: new AbortController().signal,
  env: () => undefined,
  open: () => Promise.reject(platformError("ENOENT")),
  create: () => Promise.reject(platformError("ENOENT")),
  createFolder: () => Promise.reject(platformError("ENOENT")),
  list: () => Promise.resolve([]),
  look: () => Promise.resolve(undefined),
  streamIdentity: () => Promise.resolve(undefined),
  columns: () => undefined,
  rows: () => undefined,
  setRaw: () => {},
  now: () => 0,
  cwd: () => "/",
  pause: () => Promise.resolve(),
};

/** Reads an input to its end; copies each block before it asks for the next. */
async function blocksOf(input: Input): Promise<string[]> {
  const blocks: string[] = [];
  for (;;) {
    const block = await input.next();
    if (block === undefined) return blocks;
    blocks.push(decode(block));
  }
}

Deno.test("Input.next() returns the block of each read, and then the end", async () => {
  const input = new Input(sourceOf(["a", "bc", "d"]), "x", NO_FILES);
  assertEquals(await blocksOf(input), ["a", "bc", "d"]);
});

Deno.test("Input.next() returns all bytes of a long input", async () => {
  const bytes = Uint8Array.from({ length: 3_000_001 }, (_, i) => 97 + i % 23);
  const input = new Input(sourceOf([bytes]), "x", NO_FILES);
  const blocks: Uint8Array[] = [];
  for (;;) {
    const block = await input.next();
    if (block === undefined) break;
    blocks.push(block.slice());
  }
  assertEquals(decode(concat(blocks)), decode(bytes));
});

Deno.test("Input.next() keeps a block unchanged while it reads the next one", async () => {
  const hose = new Hose();
  const input = new Input(hose, "x", NO_FILES);
  hose.push("one");
  const block = await input.next();
  hose.push("two");
  // By now the next block has been read ahead.
  await Promise.resolve();
  await Promise.resolve();
  assertEquals(block && decode(block), "one");
  const next = await input.next();
  assertEquals(next && decode(next), "two");
});

Deno.test("Input.next() reads one block ahead", async () => {
  let reads = 0;
  const source: ByteSource = {
    read(): Promise<number | null> {
      reads += 1;
      return reads > 2 ? Promise.resolve(null) : Promise.resolve(1);
    },
    close(): void {},
  };
  const input = new Input(source, "x", NO_FILES);
  await input.next();
  assertEquals(reads, 2);
});

Deno.test("Input.next() returns the blocks before an error first", async () => {
  const source = sourceOf(["a", "b"], platformError("EIO"));
  const input = new Input(source, "x", NO_FILES);
  assertEquals([await input.next(), await input.next()].length, 2);
  await assertRejects(
    () => input.next(),
    IoError,
    "x: cannot read: the device failed",
  );
});

const TEXT = '{"type":"turn.started"}\n';
const UTF16_UNITS = Array.from(`\ufeff${TEXT}`, (unit) => unit.charCodeAt(0));

for (
  const [name, bytes] of [
    ["plain text", encode(TEXT)],
    ["gzip", new Uint8Array(gzipSync(TEXT))],
    ["UTF-16", new Uint8Array(Uint16Array.from(UTF16_UNITS).buffer)],
  ] as const
) {
  Deno.test(`openInput() waits and tries again after EAGAIN, at each byte of ${name}`, async () => {
    let at = 0;
    let pauses = 0;
    const stdin: ByteSource = {
      read(into): Promise<number | null> {
        if (at === bytes.length) return Promise.resolve(null);
        if (pauses <= at) return Promise.reject(platformError("EAGAIN"));
        into[0] = bytes[at++] ?? 0;
        return Promise.resolve(1);
      },
      close(): void {},
    };
    const pause = (): Promise<void> => {
      pauses += 1;
      return Promise.resolve();
    };
    const input = await openInput("-", { ...NO_FILES, stdin, pause });
    assertEquals((await blocksOf(input)).join(""), TEXT);
    assertEquals(pauses, bytes.length);
  });
}

Deno.test("Input.next() stops waiting when it is interrupted", async () => {
  const controller = new AbortController();
  const interrupt = controller.signal;
  const input = new Input(new Hose(), "x", { ...NO_FILES, interrupt });
  const next = input.next();
  controller.abort();
  await assertRejects(() => next, DOMException, "aborted");
  await assertRejects(() => input.next(), DOMException, "aborted");
});

Deno.test("openInput() stops waiting for the writer of a named pipe when it is interrupted", async () => {
  const controller = new AbortController();
  const opened = openInput("pipe", {
    ...NO_FILES,
    interrupt: controller.signal,
    open: () => new Promise(() => {}),
  });
  controller.abort();
  await assertRejects(() => opened, DOMException, "aborted");
});

Deno.test("openInput() throws the reason why a file cannot be opened", async () => {
  await assertRejects(
    () => openInput("a", NO_FILES),
    IoError,
    "a: cannot open: not found",
  );
});

/** A file of three blocks that grows when the second one is read. */
function growing(): FileSource {
  const source = sourceOf(["a", "b", "c"]);
  let calls = 0;
  return {
    read: (into) => source.read(into),
    close(): void {},
    size: () => (calls += 1) > 2 ? 8 : 7,
  };
}

/** Opens a growing file, or a growing stdin, whose identity is "1". */
function openGrowing(
  path: string,
  surroundings: Pick<Surroundings, "streamIdentity" | "takeBack">,
): Promise<Input> {
  return openInput(path, {
    ...NO_FILES,
    open: () => Promise.resolve(growing()),
    stdin: growing(),
    look: () =>
      Promise.resolve({ isDirectory: false, identity: "1", realPath: "a" }),
    ...surroundings,
  });
}

for (
  const { isTakenBack, rest } of [
    { isTakenBack: true, rest: "" },
    {
      isTakenBack: false,
      rest: "; its first 7 bytes are its original content",
    },
  ]
) {
  Deno.test(`Input.next() refuses a file that grows by the writes to stdout; they are taken back: ${isTakenBack}`, async () => {
    const input = await openGrowing("a", {
      streamIdentity: (_name, isQuick) =>
        Promise.resolve(isQuick ? undefined : "1"),
      takeBack: (size) => Promise.resolve(isTakenBack && size === 7),
    });
    assertEquals(decode(await input.next() ?? new Uint8Array(0)), "a");
    const { message } = await assertRejects(() => input.next(), UsageError);
    assertEquals(
      message,
      `stdout goes to a, which is an input: write to another file${rest}`,
    );
  });
}

for (const path of ["a", "-"]) {
  Deno.test(`Input.next() returns no block of ${path} if stdout is known to be the same file`, async () => {
    const input = await openGrowing(path, {
      streamIdentity: () => Promise.resolve("1"),
    });
    await assertRejects(() => input.next(), UsageError, "stdout goes to ");
  });
}

Deno.test("Input.next() reads a file to its end that grows by writes of other programs", async () => {
  for (const stdout of ["2", undefined]) {
    let looks = 0;
    const input = await openGrowing("a", {
      streamIdentity(_name, isQuick): Promise<string | undefined> {
        if (!isQuick) looks += 1;
        return Promise.resolve(stdout);
      },
    });
    assertEquals(await blocksOf(input), ["a", "b", "c"]);
    assertEquals(looks, 1);
  }
});

Deno.test("Input.next() refuses a long stdin that is also the file of stdout", async () => {
  const input = await openInput("-", {
    ...NO_FILES,
    stdin: {
      read: (into) => Promise.resolve(into.length),
      close(): void {},
    },
    streamIdentity: (_name, isQuick) =>
      Promise.resolve(isQuick ? undefined : "1"),
  });
  await assertRejects(
    async () => {
      while (await input.next() !== undefined);
    },
    UsageError,
    "stdout goes to the file of stdin, which is an input: write to another file",
  );
});

Deno.test("openInput() suggests stdin for a file whose name is not UTF-8", async () => {
  await assertRejects(
    () =>
      openInput("b\ufffd.jsonl", {
        ...NO_FILES,
        open: () => Promise.reject(platformError("ENOENT")),
      }),
    IoError,
    'b\ufffd.jsonl: cannot open: not found; a file whose name is not UTF-8 can be read as stdin, with "< FILE"',
  );
});

/** Commands that read one file after the other, each with the flags that it needs. */
const READERS = COMMANDS
  // `history` holds whole histories.
  .filter(({ name, operands }) =>
    operands[0]?.[0] === SEVERAL_FILES && name !== "history"
  )
  .map(({ name }) =>
    name === "export" ? [name, "--to=tables", "--table=items"] : [name]
  );

for (const args of READERS) {
  Deno.test(`codexpipe ${args[0]} reads many files into the same two blocks`, async () => {
    const sources = Array.from(
      { length: 9 },
      () =>
        new TestSource(encode('{"type":"thread.started","thread_id":"t"}\n')),
    );
    const names = sources.map((_, at) => `${at}.jsonl`);
    const files = Object.fromEntries(
      sources.map((source, at) => [`${at}.jsonl`, source]),
    );
    await call([...args, ...names], { files });
    const blocks = sources.flatMap(({ buffers }) =>
      buffers.map(({ buffer }) => buffer)
    )
      .filter(({ byteLength }) => byteLength >= BLOCK);
    assert(blocks.length >= names.length);
    assertEquals(new Set(blocks).size, 2);
  });
}

const FILE_FLAGS = [
  { command: "usage", flag: "prices" },
  { command: "drift", flag: "baseline" },
  { command: "history", flag: "restore" },
];
for (const { command, flag } of FILE_FLAGS) {
  Deno.test(`${command} --${flag} refuses stdin that is an input too, and a folder`, async () => {
    const stdin = await call([command, `--${flag}=-`], { stdin: "{}" });
    assertEquals(stdin.status, 2);
    assertStringIncludes(
      stdin.stderr,
      `--${flag}=- and the input are both stdin`,
    );
    const folder = await call([command, `--${flag}=d`, "a"], {
      files: { a: "{}" },
      directories: ["d"],
    });
    assertEquals(
      [folder.status, folder.stderr],
      [3, "codexpipe: d: cannot open: is a directory\n"],
    );
  });
}

Deno.test("usage --prices=- reads stdin beside a folder of that name", async () => {
  const prices = await call(["usage", "--prices=-", "a"], {
    files: { a: "{}" },
    directories: ["-"],
    stdin: '{"*":{"input":1,"output":1}}',
  });
  assertEquals(prices.status, 0, prices.stderr);
});
