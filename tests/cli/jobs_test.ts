import { assertEquals, assertStringIncludes } from "@std/assert";
import { readCaptures } from "../fixtures.ts";
import { assembleHome, withFolder } from "../sessions/homes.ts";
import {
  call,
  failing,
  Hose,
  platformError,
  type Result,
  type World,
} from "./memory.ts";

const EVENT =
  '{"type":"turn.completed","usage":{"input_tokens":3,"output_tokens":1}}\n';
const DRIFTED =
  '{"type":"thread.started","thread_id":"t","hue":HUE}\n{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"API_TOKEN=abc123def"}}\n';
/** Files of all kinds. A long one is first: the results of the others are ready sooner, and wait. */
const FILES: World["files"] = {
  "long.jsonl": EVENT.repeat(1000),
  "empty.jsonl": "",
  "torn.jsonl": `${EVENT}{"type":"turn.completed","usage":{"inp\n${EVENT}`,
  "gone.jsonl": platformError("EACCES"),
  "new.jsonl": DRIFTED.replaceAll("HUE", '"red"'),
  "newer.jsonl": DRIFTED.replaceAll("HUE", "7").repeat(2),
  ...Object.fromEntries(
    readCaptures().filter((_, at) => at % 60 === 0)
      .map(({ path, bytes }) => [path, bytes]),
  ),
};

/** Runs the command in one thread and in several, and compares the results. */
async function callBoth(
  args: readonly string[],
  // In memory, since several threads are: a process has another clock.
  world: World = { cwd: "/" },
): Promise<Result> {
  const one = await call([...args, "--jobs=1"], world);
  const several = await call([...args, "--jobs=3"], { ...world, threads: 2 });
  const { writes: _, ...rest } = several;
  const { writes: __, ...expected } = one;
  assertEquals(rest, expected, args.join(" "));
  return several;
}

for (
  const words of [
    "normalize --strict",
    "normalize --on-error=inline",
    "normalize --on-error=stop",
    "normalize --errors-to=bad.jsonl",
    "events -v --strict",
    "check",
    "check --json --max-failures=9",
    "usage --by=turn --json --strict",
    "usage --explain",
    "usage --since=2026-01-01",
    "drift --json",
    "export --to=tables --table=requests --format=csv",
    "export --to=tables --content -o /out",
    "render --to=site -o /out",
  ]
) {
  Deno.test(`codexpipe ${words} gives the same for many files in threads`, async () => {
    const args = [...words.split(" "), ...Object.keys(FILES ?? {})];
    const { stderr } = await callBoth(args, {
      files: FILES,
      directories: ["/out"],
    });
    if (words !== "normalize --on-error=stop") {
      assertStringIncludes(stderr, "gone.jsonl: cannot open");
    }
  });
}

Deno.test("an error in a thread ends the command like one in the first thread", async () => {
  const args = [
    "render",
    "--to=site",
    "-o",
    "/out",
    ...Object.keys(FILES ?? {}),
  ];
  const { status, stderr } = await callBoth(args, {
    files: FILES,
    directories: ["/out"],
    createError: platformError("ENOSPC"),
  });
  assertEquals(status, 3);
  assertStringIncludes(stderr, "cannot create: no space left on the device");
});

Deno.test("usage, sessions du, sessions index and sessions search give the same in threads", async () => {
  await withFolder(async (folder) => {
    const { path } = await assembleHome(`${folder}/home`, {
      versions: ["0.169.0"],
      isMessy: true,
    });
    const home = `--codex-home=${path}`;
    await callBoth(["usage", home]);
    await callBoth(["sessions", "du", home, "--json"]);
    const index = ["sessions", "index", home, "--json"];
    const search = ["sessions", "search", home, "--json", "the"];
    const found: string[] = [];
    for (const jobs of [1, 3]) {
      const file = `--index=${folder}/index`;
      const { stdout } = await call(
        [...index, file, "--rebuild", `--jobs=${jobs}`],
        { threads: 3 },
      );
      found.push(stdout, (await call([...search, file])).stdout);
    }
    assertEquals(found.slice(2), found.slice(0, 2));
  });
});

Deno.test("usage and drift read prices and a baseline from a pipe once, whatever the threads", async () => {
  const files = Object.keys(FILES ?? {});
  const usage = ["usage", "--by=model", "--prices=-", ...files];
  const stdin = '{"*":{"input":1,"output":1}}';
  await callBoth(usage, { files: FILES, stdin });
  const { written } = await call(
    ["drift", "--write-baseline=base", "new.jsonl"],
    { files: FILES },
  );
  const drift = ["drift", "--baseline=-", ...files];
  await callBoth(drift, { files: FILES, stdin: written.get("base") ?? "" });
});

Deno.test("codexpipe normalize keeps the parts of long results until their turn", async () => {
  const files = { "long.jsonl": EVENT.repeat(40_000), "empty.jsonl": "" };
  const args = ["normalize", "empty.jsonl", "long.jsonl", "long.jsonl"];
  await callBoth(args, { files });
});

Deno.test("codexpipe normalize reads files and stdin in order with threads", async () => {
  const world = { files: FILES, stdin: EVENT };
  await callBoth(["normalize", "torn.jsonl", "-", "empty.jsonl"], world);
});

Deno.test("codexpipe normalize -j2 ends with 130 when interrupted, and with 0 after its reader has gone", async () => {
  const interrupt = new AbortController();
  const files = { a: new Hose(), b: EVENT };
  const calling = call(["normalize", "-j2", "a", "b"], {
    files,
    threads: 2,
    interrupt: interrupt.signal,
  });
  interrupt.abort();
  assertEquals((await calling).status, 130);
  const { status } = await call(["normalize", "-j2", "long.jsonl", "b"], {
    files: { ...FILES, ...files },
    threads: 2,
    stdout: failing(platformError("EPIPE")),
  });
  assertEquals(status, 0);
});
