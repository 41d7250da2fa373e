import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  sessionPath,
  testId,
  withFolder,
  writeContinued,
  writeFile,
  writeSession,
} from "../sessions/homes.ts";
import { flipBit, placesOf } from "../sessions/indexes.ts";
import { call, type Result, type World } from "./memory.ts";

const STARTED = "2026-01-02T03:04:05.000Z";
const SESSION = { id: testId(1), started: STARTED, message: "Hi" };

/** Calls `sessions index` for the home in a folder, which is also the home of the user. */
function index(
  folder: string,
  args: readonly string[] = [],
  world: World = {},
): Promise<Result> {
  const home = `--codex-home=${folder}/home`;
  const env = { HOME: folder, ...world.env };
  return call(["sessions", "index", home, ...args], { ...world, env });
}

Deno.test("sessions index reports its changes, as text and JSON", async () => {
  await withFolder(async (folder) => {
    const path = await writeSession(`${folder}/home`, SESSION);
    const { size } = await Deno.stat(path);
    const args = [`--index=${folder}/my.sqlite`];
    const first = await index(folder, args);
    assertEquals([first.status, first.stderr], [0, ""]);
    assertEquals(
      first.stdout,
      `1 session: 1 added, ${size} B read\n${folder}/my.sqlite\n`,
    );
    const second = await index(folder, args);
    assertEquals(
      second.stdout,
      `1 session: nothing has changed\n${folder}/my.sqlite\n`,
    );
    const third = await index(folder, [...args, "--rebuild", "--json"]);
    assertEquals(JSON.parse(third.stdout), {
      path: `${folder}/my.sqlite`,
      sessions: 1,
      files: 1,
      added: 1,
      grown: 0,
      changed: 0,
      moved: 0,
      removed: 0,
      bytes_read: size,
      problems: [],
    });
  });
});

Deno.test("sessions index counts a session in several files once", async () => {
  await withFolder(async (folder) => {
    await writeContinued(`${folder}/home`);
    const { stdout } = await index(folder);
    assertStringIncludes(stdout, "1 session in 3 files: 3 added, ");
    const json = await index(folder, ["--json"]);
    const { sessions, files } = JSON.parse(json.stdout);
    assertEquals([sessions, files], [1, 3]);
  });
});

Deno.test("sessions index shows its progress on a terminal, if it takes long", async () => {
  await withFolder(async (folder) => {
    for (const number of [1, 2]) {
      const session = { ...SESSION, id: testId(number) };
      await writeSession(`${folder}/home`, session);
    }
    let time = 0;
    const world = { terminals: ["stderr"], now: () => time += 600 } as const;
    const { stdout, stderr } = await index(folder, [], world);
    assertStringIncludes(stderr, "Indexing sessions: 1 of 2, ");
    assertStringIncludes(stdout, "2 sessions: 2 added");
    const env = { TERM: "dumb" };
    const dumb = await index(folder, ["--rebuild"], { ...world, env });
    assertEquals([dumb.status, dumb.stderr], [0, ""]);
  });
});

Deno.test("sessions index reports unreadable files, and ends with 3", async () => {
  await withFolder(async (folder) => {
    const path = sessionPath(`${folder}/home`, testId(1), STARTED);
    await writeFile(
      `${path}.zst`,
      Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 9, 9, 9),
    );
    const { status, stderr } = await index(folder);
    assertEquals(status, 3);
    assertStringIncludes(stderr, `${path}.zst: cannot read:`);
  });
});

Deno.test("sessions index reports that it has no place for the index, and refuses operands", async () => {
  const none = await call(["sessions", "index", "--codex-home=/no/such"]);
  assertEquals(none.status, 3);
  assertStringIncludes(none.stderr, "use --index=FILE");
  const operand = await call(["sessions", "index", "elephant"]);
  assertEquals(operand.status, 2);
  assertStringIncludes(operand.stderr, '"sessions search" searches for words');
});

Deno.test("sessions index reports a missing home", async () => {
  await withFolder(async (folder) => {
    const { status, stderr } = await index(folder);
    assertEquals(status, 3);
    assertStringIncludes(stderr, `${folder}/home: cannot read: not found`);
    const json = await index(folder, ["--json"]);
    assertEquals(JSON.parse(json.stdout).problems, [
      { path: `${folder}/home`, code: "ENOENT", message: "not found" },
    ]);
  });
});

Deno.test("sessions index ends with 130 when it is interrupted", async () => {
  await withFolder(async (folder) => {
    const interrupt = AbortSignal.abort();
    const { status } = await index(folder, [], { interrupt });
    assertEquals(status, 130);
  });
});

Deno.test("sessions index reports why the index cannot be used, and suggests --index", async () => {
  await withFolder(async (folder) => {
    await writeFile(`${folder}/file`, "x");
    const path = `${folder}/file/index.sqlite`;
    const { status, stderr } = await index(folder, [`--index=${path}`]);
    assertEquals(status, 3);
    assertEquals(
      stderr,
      `codexpipe: ${path}: cannot use the index: something else is there already; use --index=FILE for another place\n`,
    );
  });
});

Deno.test("sessions index reports unreadable names of sessions like sessions list", async () => {
  await withFolder(async (home) => {
    await writeSession(home, SESSION);
    await Deno.mkdir(`${home}/session_index.jsonl`);
    const args = [`--codex-home=${home}`, "--json"];
    const listed = await call(["sessions", "list", ...args]);
    const indexed = await call(
      ["sessions", "index", `--index=${home}-index/i.sqlite`, ...args],
    );
    assertEquals([listed.status, indexed.status], [3, 3]);
    assertEquals(indexed.stderr, listed.stderr);
    assertEquals(
      JSON.parse(indexed.stdout).problems,
      JSON.parse(listed.stdout).problems,
    );
    await Deno.remove(`${home}-index`, { recursive: true });
  });
});

Deno.test("sessions index rebuilds an index with one flipped bit, and reports that once", async () => {
  await withFolder(async (folder) => {
    await writeSession(`${folder}/home`, { ...SESSION, message: "elephant" });
    const path = `${folder}/index.sqlite`;
    const args = [`--index=${path}`];
    await index(folder, args);
    const [at = 0] = await placesOf({ path }, "elephant");
    await flipBit({ path }, at, 0);
    const { status, stdout, stderr } = await index(folder, args);
    assertEquals(status, 0);
    assertMatch(stdout, /^1 session: 1 added, /);
    assertEquals(
      stderr,
      `codexpipe: ${path}: the index was damaged and is rebuilt from the session files\n`,
    );
    const again = await index(folder, args);
    assertEquals([again.status, again.stderr], [0, ""]);
  });
});

for (const command of [["index"], ["search", "x"]]) {
  Deno.test(`sessions ${command[0]} refuses to write its index into a Codex home`, async () => {
    await withFolder(async (home) => {
      const { status, stderr } = await call([
        "sessions",
        ...command,
        `--codex-home=${home}`,
        `--index=${home}/index.sqlite`,
      ]);
      assertEquals(status, 2);
      assertStringIncludes(stderr, "--index would write");
      assertEquals(await Array.fromAsync(Deno.readDir(home)), []);
    });
  });
}
