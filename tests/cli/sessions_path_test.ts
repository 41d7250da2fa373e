import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  sessionText,
  testId,
  withFolder,
  withHome,
  writeFile,
} from "../sessions/homes.ts";
import { call } from "./memory.ts";

Deno.test("sessions path prints the path of each session", async () => {
  await withHome({ versions: ["0.169.0"] }, async (home) => {
    const [one, two] = home.sessions;
    const { status, stdout, stderr } = await call(
      ["sessions", "path", one?.id ?? "", two?.id ?? ""],
      { env: { CODEX_HOME: home.path } },
    );
    assertEquals([status, stderr], [0, ""]);
    assertEquals(stdout, `${one?.path}\n${two?.path}\n`);
  });
});

Deno.test("sessions path accepts a name, a path and --last", async () => {
  await withHome({ versions: ["0.169.0"] }, async (home) => {
    const world = { env: { CODEX_HOME: home.path } };
    const tui = home.sessions.find(({ scenario }) => scenario === "tui");
    const path = `${tui?.path}\n`;
    await Deno.utime(tui?.path ?? "", 4_000_000_000, 4_000_000_000);
    for (const query of ["Demo thread “name” 🚀", tui?.path ?? "", "--last"]) {
      const { stdout, status } = await call(["sessions", "path", query], world);
      assertEquals([stdout, status], [path, 0], query);
    }
  });
});

Deno.test("sessions path reports a missing session with suggestions, and prints the others", async () => {
  await withHome({ versions: ["0.44.0"] }, async (home) => {
    const [one] = home.sessions;
    const { status, stdout, stderr } = await call(
      ["sessions", "path", "nope", one?.id ?? ""],
      { env: { CODEX_HOME: home.path } },
    );
    assertEquals([status, stdout], [1, `${one?.path}\n`]);
    assertEquals(
      stderr,
      [
        'codexpipe: there is no session "nope": it is neither the beginning of an id, nor the name of a session, nor a file',
        `codexpipe: searched ${home.path}; use --codex-home=DIR for another home`,
        'codexpipe: "codexpipe sessions list" shows the sessions',
        "",
      ].join("\n"),
    );
  });
});

Deno.test("sessions path ends with 3 like sessions list if a folder cannot be read", async () => {
  await withHome({ versions: ["0.44.0"], isMessy: true }, async (home) => {
    const world = { env: { CODEX_HOME: home.path } };
    const { id, path } = home.sessions[0] ?? { id: "", path: "" };
    const problem = `codexpipe: ${home.unreadable[0]}: cannot read: `;
    const found = await call(["sessions", "path", id], world);
    assertEquals([found.status, found.stdout], [3, `${path}\n`]);
    assertEquals(found.stderr.startsWith(problem), true, found.stderr);
    const missing = await call(["sessions", "path", "nope", id], world);
    assertEquals([missing.status, missing.stdout], [3, `${path}\n`]);
    assertEquals(missing.stderr.split(problem).length, 2, missing.stderr);
    assertStringIncludes(missing.stderr, 'there is no session "nope"');
    const several = await call(["sessions", "path", "0"], world);
    assertEquals([several.status, several.stdout], [3, ""]);
    assertStringIncludes(several.stderr, '"0" could be one of ');
    const list = await call(["sessions", "list", "--format=ids"], world);
    assertEquals(list.status, 3);
    // The session itself could be read.
    const shown = await call(["sessions", "show", "--meta", id], world);
    assertEquals(shown.status, 0);
    assertEquals(shown.stderr.startsWith(problem), true, shown.stderr);
  });
});

Deno.test("sessions path reports a missing home of --codex-home as sessions list does", async () => {
  for (const query of ["--last", "nope"]) {
    const { status, stderr } = await call(
      ["sessions", "path", query, "--codex-home=/no/such/home"],
    );
    assertEquals(status, 3);
    assertEquals(
      stderr.split("\n")[0],
      "codexpipe: /no/such/home: cannot read: not found",
    );
  }
});

Deno.test("sessions path lists the sessions whose ids begin with an ambiguous id", async () => {
  await withHome({ versions: ["0.169.0"] }, async (home) => {
    const { status, stdout, stderr } = await call(
      ["sessions", "path", "01a1f988"],
      { env: { CODEX_HOME: home.path } },
    );
    assertEquals([status, stdout], [1, ""]);
    const [first, ...rest] = stderr.split("\n").slice(0, -1);
    const matches = home.sessions.filter(({ id }) => id.startsWith("01a1f988"));
    assertEquals(
      first,
      `codexpipe: "01a1f988" could be one of ${matches.length} sessions; give its id:`,
    );
    assertEquals(rest.length, matches.length);
    for (const line of rest) {
      const short = /^codexpipe: {3}([\da-f-]+) {2,}\d/.exec(line)?.[1] ?? "?";
      const found = matches.filter(({ id }) => id.startsWith(short));
      assertEquals(found.length, 1, line);
    }
    // Ids of several lengths are padded, so the times are one column.
    const columns = rest.map((line) => line.search(/ \d{4}-\d\d-\d\d /));
    assertEquals(new Set(columns).size, 1, stderr);
  });
});

Deno.test("sessions path lists files with the same id by their paths", async () => {
  await withFolder(async (home) => {
    const [id, started] = [testId(1), "2026-11-20T10:00:00.000Z"];
    const paths = ["a", "b"].map((name) =>
      `${home}/sessions/rollout-2026-11-20T10-00-00-${name}.jsonl`
    );
    for (const path of paths) {
      await writeFile(path, sessionText({ id, started, message: "Hi" }));
    }
    const { status, stderr } = await call(
      ["sessions", "path", id, `--codex-home=${home}`],
    );
    assertEquals(status, 1);
    const [first = "", ...rest] = stderr.split("\n").slice(0, -1);
    assertStringIncludes(first, "give its id or its file:");
    assertEquals(
      rest.map((line) => line.split("  ")[1]?.trim()).sort(),
      paths,
    );
  });
});

Deno.test("sessions path --last reports a home without sessions", async () => {
  const { status, stderr } = await call(["sessions", "path", "--last"], {
    env: { CODEX_HOME: "/no/such/home" },
  });
  assertEquals(status, 1);
  assertStringIncludes(stderr, "no sessions in /no/such/home");
});

for (const args of [[], ["--last", "01a1f988"]]) {
  Deno.test(`sessions path refuses: ${JSON.stringify(args)}`, async () => {
    const { status, stdout } = await call(["sessions", "path", ...args]);
    assertEquals([status, stdout], [2, ""]);
  });
}

Deno.test({
  name:
    "sessions path reports a denied permission as a read error, not as a bug",
  // Deno denies access to /proc without --allow-all.
  ignore: Deno.build.os !== "linux",
  async fn() {
    await withFolder(async (folder) => {
      const { status, stderr } = await call(
        ["sessions", "path", "/proc"],
        { env: { CODEX_HOME: folder } },
      );
      assertEquals(status, 3);
      assertStringIncludes(stderr, "codexpipe: /proc: cannot read: ");
    });
  },
});
