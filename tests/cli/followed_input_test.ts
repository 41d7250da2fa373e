import { assertEquals, assertMatch } from "@std/assert";
import { appendFile, rename, rm, writeFile } from "node:fs/promises";
import { withFolder } from "../sessions/homes.ts";
import { call, type Result, stepping, type World } from "./memory.ts";
import { startCommand } from "./process.ts";

/** A change to the file while the command waits. */
type Step = (path: string) => unknown;

/** Follows a file: the first step precedes the call, each other one is a wait; then Ctrl-C. */
async function followed(
  args: readonly string[],
  steps: readonly Step[],
  world: World = {},
): Promise<Result & { readonly path: string }> {
  let result: Result & { path: string } | undefined;
  await withFolder(async (folder) => {
    const path = `${folder}/run.jsonl`;
    const [before, ...rest] = steps;
    await before?.(path);
    const called = await call([...args, path], {
      ...stepping(rest.map((step) => () => step(path))),
      ...world,
    });
    const stderr = called.stderr.replaceAll(path, "run.jsonl");
    result = { ...called, stderr, path };
  });
  if (result === undefined) throw new TypeError("No file was followed");
  return result;
}

const THREAD = '{"type":"thread.started","thread_id":"t"}\n';
const TURN = '{"type":"turn.started"}\n';
const NORMAL_TURN =
  '{"type":"turn.started","thread_id":"t","turn_id":"synthetic-turn-1"}\n';

Deno.test("normalize --follow writes records as lines are complete, and ends with 130", async () => {
  const { status, stdout, stderr, writes } = await followed(
    ["normalize", "--follow"],
    [
      (path) => writeFile(path, THREAD + TURN.slice(0, 7)),
      (path) => appendFile(path, TURN.slice(7, 20)),
      (path) => appendFile(path, TURN.slice(20) + "{tor"),
    ],
    { countsWrites: true },
  );
  assertEquals(writes, [THREAD, NORMAL_TURN]);
  assertEquals([status, stdout, stderr], [130, THREAD + NORMAL_TURN, ""]);
});

Deno.test("normalize --follow writes the record of a last line without LF if it is whole", async () => {
  const { status, stdout } = await followed(
    ["normalize", "-f"],
    [
      (path) => writeFile(path, THREAD),
      (path) => appendFile(path, TURN.trim()),
    ],
  );
  assertEquals([status, stdout], [130, THREAD + NORMAL_TURN]);
});

Deno.test("normalize --follow -v reports a torn last line", async () => {
  const { stdout, stderr } = await followed(
    ["normalize", "--follow", "-v"],
    [(path) => writeFile(path, `${THREAD}{"type":`)],
  );
  assertEquals(stdout, THREAD);
  assertEquals(
    stderr,
    "codexpipe: run.jsonl: its last line is incomplete and is left out\n" +
      "codexpipe: run.jsonl: exec, 1 record, 0 failed lines; engine js\n",
  );
});

Deno.test("normalize --follow reports that it waits for a missing file", async () => {
  const { stdout, stderr } = await followed(
    ["normalize", "--follow"],
    [() => {}, (path) => writeFile(path, THREAD)],
  );
  assertEquals(stdout, THREAD);
  assertEquals(
    stderr,
    "codexpipe: run.jsonl: does not exist yet; waiting for it\n",
  );
  const quiet = await followed(["normalize", "--follow", "-q"], [() => {}]);
  assertEquals(quiet.stderr, "");
});

Deno.test("normalize --follow reports that the file was removed", async () => {
  const steps = [
    (path: string) => writeFile(path, THREAD),
    (path: string) => rm(path),
  ];
  const { stdout, stderr } = await followed(["normalize", "--follow"], steps);
  assertEquals(stdout, THREAD);
  assertEquals(
    stderr,
    "codexpipe: run.jsonl: no longer exists; waiting for it to come back\n",
  );
  const quiet = await followed(["normalize", "--follow", "-q"], steps);
  assertEquals(quiet.stderr, "");
});

Deno.test("normalize --follow reads a file that was emptied as another stream, from line 1", async () => {
  const { stdout, stderr } = await followed(
    ["normalize", "--follow", "-v"],
    [
      (path) => writeFile(path, THREAD + TURN),
      (path) => writeFile(path, "oops\n" + THREAD.replace('"t"', '"u"')),
    ],
  );
  assertEquals(stdout, THREAD + NORMAL_TURN + THREAD.replace('"t"', '"u"'));
  assertMatch(
    stderr,
    /^codexpipe: run\.jsonl: emptied; starting over\ncodexpipe: run\.jsonl: exec, 2 records, 0 failed lines; engine js\ncodexpipe: run\.jsonl:1: json: .*\ncodexpipe: run\.jsonl: exec, 1 record, 1 failed line; engine js\n$/,
  );
});

Deno.test("normalize --follow continues in a replaced file that begins with the same bytes", async () => {
  const { stdout, stderr } = await followed(
    ["normalize", "--follow"],
    [
      (path) => writeFile(path, THREAD),
      async (path) => {
        await writeFile(`${path}.tmp`, THREAD + TURN);
        await rename(`${path}.tmp`, path);
      },
    ],
  );
  assertEquals([stdout, stderr], [THREAD + NORMAL_TURN, ""]);
});

Deno.test("normalize --follow --on-error=stop ends at the first failed line", async () => {
  const { status, stdout } = await followed(
    ["normalize", "--follow", "--on-error=stop"],
    [(path) => writeFile(path, THREAD), (path) => appendFile(path, "oops\n")],
  );
  assertEquals([status, stdout], [1, THREAD]);
});

Deno.test("normalize --follow reads stdin to its end", async () => {
  for (const args of [["--follow"], ["--follow", "-"]]) {
    const { status, stdout } = await call(["normalize", ...args], {
      stdin: THREAD,
    });
    assertEquals([status, stdout], [0, THREAD]);
  }
});

Deno.test("normalize --follow takes one file, and no folder", async () => {
  const two = await call(["normalize", "--follow", "a", "b"]);
  assertEquals(two.status, 2);
  assertMatch(two.stderr, /^codexpipe: --follow takes one file, /);
  const folder = await call(["normalize", "--follow", "a"], {
    directories: ["a"],
  });
  assertEquals(
    [folder.status, folder.stderr],
    [
      3,
      "codexpipe: a: cannot open: is a directory, and no session file (rollout-*.jsonl) is below it\n",
    ],
  );
});

Deno.test({
  name: "normalize --follow follows a file as a process, until SIGINT",
  // On Windows a signal ends a process at once.
  ignore: Deno.build.os === "windows",
  async fn() {
    await withFolder(async (folder) => {
      const path = `${folder}/run.jsonl`;
      await writeFile(path, THREAD);
      const child = startCommand(["normalize", "--follow", path]);
      const lines = child.stdout.pipeThrough(new TextDecoderStream())
        .getReader();
      assertEquals((await lines.read()).value, THREAD);
      await appendFile(path, TURN.slice(0, 9));
      await appendFile(path, TURN.slice(9));
      assertEquals((await lines.read()).value, NORMAL_TURN);
      await appendFile(path, THREAD);
      child.kill("SIGINT");
      assertEquals((await lines.read()).value, THREAD);
      assertEquals((await lines.read()).done, true);
      assertEquals((await child.status).code, 130);
      assertEquals(await new Response(child.stderr).text(), "");
      await child.stdin.close();
    });
  },
});

const MESSAGE = (text: string): string =>
  `{"type":"item.completed","item":{"id":"${text}","type":"agent_message","text":"${text}"}}\n`;

Deno.test("history --mutations --follow prints each change, and starts over with the file", async () => {
  const { status, stdout } = await followed(
    ["history", "--mutations", "--follow"],
    [
      (path) => writeFile(path, THREAD + MESSAGE("one")),
      (path) => appendFile(path, MESSAGE("two")),
      (path) => writeFile(path, THREAD + MESSAGE("three")),
    ],
  );
  assertEquals(status, 130);
  assertEquals(
    stdout.trimEnd().split("\n").map((line) => {
      const { type, index, record } = JSON.parse(line);
      return [type, index, record?.payload.markdown];
    }),
    [
      ["inserted", 0, "one"],
      ["inserted", 1, "two"],
      ["truncated", 0, undefined],
      ["inserted", 0, "three"],
    ],
  );
});

Deno.test("history --restore --follow restores for the first stream, not for one that replaces it", async () => {
  const before = await call(["history", "--checkpoint"], { stdin: THREAD });
  const { stdout, stderr } = await followed(
    ["history", "--mutations", "--follow", "--restore=before.json"],
    [
      (path) => writeFile(path, MESSAGE("one") + MESSAGE("two")),
      // This stream names no thread.
      (path) => writeFile(path, TURN),
    ],
    { files: { "before.json": before.stdout } },
  );
  assertEquals(stdout.trimEnd().split("\n").length, 2, stdout);
  assertMatch(stderr, /^codexpipe: run\.jsonl:1: normalize: .* no thread/);
});

for (
  const args of [
    ["--follow", "a"],
    ["--follow", "--mutations", "--checkpoint", "a"],
    ["--follow", "--mutations", "a", "b"],
  ]
) {
  Deno.test(`history ${args.join(" ")} is refused`, async () => {
    const { status, stdout, stderr } = await call(["history", ...args]);
    assertEquals([status, stdout], [2, ""]);
    assertMatch(stderr, /^codexpipe: --follow (?:needs|takes) /);
  });
}
