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
import { call } from "./memory.ts";

const STARTED = "2026-01-02T03:04:05.000Z";
const SESSION = { id: testId(1), started: STARTED, message: "Hi" };

Deno.test("sessions index reports its changes, as text and JSON", async () => {
  await withFolder(async (folder) => {
    const path = await writeSession(`${folder}/home`, SESSION);
    const { size } = await Deno.stat(path);
    const args = [
      "sessions",
      "index",
      `--codex-home=${folder}/home`,
      `--index=${folder}/my.sqlite`,
    ];
    const first = await call(args);
    assertEquals([first.status, first.stderr], [0, ""]);
    assertEquals(
      first.stdout,
      `1 session: 1 added, ${size} B read\n${folder}/my.sqlite\n`,
    );
    const second = await call(args);
    assertEquals(
      second.stdout,
      `1 session: nothing has changed\n${folder}/my.sqlite\n`,
    );
    const third = await call([...args, "--rebuild", "--json"]);
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
    const args = ["sessions", "index", `--codex-home=${folder}/home`];
    const world = { env: { HOME: folder } };
    const { stdout } = await call(args, world);
    assertStringIncludes(stdout, "1 session in 3 files: 3 added, ");
    const { sessions, files } = JSON.parse(
      (await call([...args, "--json"], world)).stdout,
    );
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
    const { stdout, stderr } = await call(
      ["sessions", "index", `--codex-home=${folder}/home`],
      {
        env: { HOME: folder },
        terminals: ["stderr"],
        now: () => time += 600,
      },
    );
    assertStringIncludes(stderr, "Indexing sessions: 1 of 2, ");
    assertStringIncludes(stdout, "2 sessions: 2 added");
    const dumb = await call(
      ["sessions", "index", "--rebuild", `--codex-home=${folder}/home`],
      {
        env: { HOME: folder, TERM: "dumb" },
        terminals: ["stderr"],
        now: () => time += 600,
      },
    );
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
    const { status, stderr } = await call(
      ["sessions", "index", `--codex-home=${folder}/home`],
      { env: { HOME: folder } },
    );
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
    const { status, stderr } = await call(
      ["sessions", "index", `--codex-home=${folder}/nowhere`],
      { env: { HOME: folder } },
    );
    assertEquals(status, 3);
    assertStringIncludes(stderr, `${folder}/nowhere: cannot read: not found`);
    const json = await call(
      ["sessions", "index", "--json", `--codex-home=${folder}/nowhere`],
      { env: { HOME: folder } },
    );
    assertEquals(JSON.parse(json.stdout).problems, [
      { path: `${folder}/nowhere`, code: "ENOENT", message: "not found" },
    ]);
  });
});

Deno.test("sessions index ends with 130 when it is interrupted", async () => {
  await withFolder(async (folder) => {
    const { status } = await call(
      ["sessions", "index", `--codex-home=${folder}/home`],
      { env: { HOME: folder }, interrupt: AbortSignal.abort() },
    );
    assertEquals(status, 130);
  });
});

Deno.test("sessions index reports why the index cannot be used, and suggests --index", async () => {
  await withFolder(async (folder) => {
    await writeFile(`${folder}/file`, "x");
    const index = `${folder}/file/index.sqlite`;
    const { status, stderr } = await call(
      ["sessions", "index", `--codex-home=${folder}/home`, `--index=${index}`],
    );
    assertEquals(status, 3);
    assertEquals(
      stderr,
      `codexpipe: ${index}: cannot use the index: something else is there already; use --index=FILE for another place\n`,
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
    const home = `${folder}/home`;
    await writeSession(home, { ...SESSION, message: "elephant" });
    const path = `${folder}/index.sqlite`;
    const args = ["sessions", "index", `--codex-home=${home}`];
    const index = [...args, `--index=${path}`];
    await call(index);
    const [at = 0] = await placesOf({ path }, "elephant");
    await flipBit({ path }, at, 0);
    const { status, stdout, stderr } = await call(index);
    assertEquals(status, 0);
    assertMatch(stdout, /^1 session: 1 added, /);
    assertEquals(
      stderr,
      `codexpipe: ${path}: the index was damaged and is rebuilt from the session files\n`,
    );
    const again = await call(index);
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
