import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  testId,
  withFolder,
  withHome,
  writeSession,
} from "../sessions/homes.ts";
import { call, type Result, type World } from "./memory.ts";

function du(
  home: string,
  args: readonly string[] = [],
  world: World = {},
): Promise<Result> {
  return call(["sessions", "du", `--codex-home=${home}`, ...args], world);
}

Deno.test("sessions du prints the sizes of sessions in every form", async () => {
  await withHome({ versions: ["0.169.0"] }, async ({ path, sessions }) => {
    const json = await du(path, ["--json"]);
    assertEquals([json.status, json.stderr], [0, ""]);
    const report = JSON.parse(json.stdout);
    const lines = (await du(path, ["--format=jsonl"])).stdout.trim().split("\n")
      .map((line) => JSON.parse(line));
    assertEquals(lines.length, report.files);
    assert(report.files >= sessions.length);
    const sum = (field: string): number =>
      lines.reduce((all, line) => all + line[field], 0);
    assertEquals(
      [sum("bytes"), sum("disk_bytes")],
      [report.bytes, report.disk_bytes],
    );
    assertEquals(report.largest, lines.slice(0, 10));
    for (const by of ["content", "kind", "age", "project"]) {
      const groups = (await du(path, [`--by=${by}`, "--format=jsonl"])).stdout
        .trim().split("\n").map((line) => JSON.parse(line));
      const bytes = groups.reduce((all, group) => all + group.bytes, 0);
      assertEquals(bytes, report.bytes, by);
      const csv = await du(path, [`--by=${by}`, "--format=csv"]);
      assertEquals(
        csv.stdout.split("\r\n").length,
        groups.length + 2,
        csv.stdout,
      );
    }
    const table = await du(path);
    for (const title of ["Content", "Kind", "Project", "Largest"]) {
      assertStringIncludes(table.stdout, title);
    }
    assertStringIncludes(table.stdout, "Could be removed: ");
    assertStringIncludes(table.stdout, "codex delete ");
    assertEquals(table.stdout.includes("█"), false);
    const screen = await du(path, ["--by=kind"], { terminals: ["stdout"] });
    assertStringIncludes(screen.stdout, "████");
    for (const columns of [44, 100]) {
      const { stdout } = await du(path, [], { terminals: ["stdout"], columns });
      const spare = ["█", "Most of it"].filter((text) => stdout.includes(text));
      assertEquals(spare.length, columns === 44 ? 0 : 2);
    }
  });
});

Deno.test("sessions du prints the folders of projects as they are", async () => {
  await withFolder(async (home) => {
    await writeSession(home, {
      id: testId(1),
      started: "2026-11-20T15:00:00.000Z",
      message: "Go",
      meta: { cwd: "/w/my_app" },
    });
    const { stdout } = await du(home, ["--by=project"]);
    assertStringIncludes(stdout, "/w/my_app");
  });
});

Deno.test("sessions du groups the spellings of a folder of Windows", async () => {
  await withFolder(async (home) => {
    for (const [at, cwd] of ["c:\\w\\App", "\\\\?\\C:\\w\\App"].entries()) {
      await writeSession(home, {
        id: testId(at + 1),
        started: `2026-11-20T15:00:0${at}.000Z`,
        message: "Go",
        meta: { cwd },
      });
    }
    const { stdout } = await du(home, ["--by=project", "--format=csv"]);
    assertEquals(stdout.trim().split("\n").length, 2);
  });
});

Deno.test("sessions du names the files that could not be read to their ends, and ends with 3", async () => {
  await withHome({ versions: ["0.20.0"] }, async ({ path }) => {
    const packed = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x24]);
    const torn = `${path}/sessions/rollout-2026-11-20T15-40-01-x.jsonl.zst`;
    await Deno.writeFile(torn, packed);
    const { status, stderr } = await du(path, ["--json"]);
    assertEquals(status, 3);
    assertEquals(
      stderr,
      `codexpipe: ${torn}: cannot read: cannot unpack the zstd data: it is cut off\n`,
    );
  });
});

Deno.test("sessions du reports a home without sessions, and refuses operands and unknown groups", async () => {
  const { status, stdout, stderr } = await call(["sessions", "du"], {
    env: { CODEX_HOME: "/no/such/home" },
  });
  assertEquals([status, stdout], [0, ""]);
  assertStringIncludes(stderr, "no sessions in /no/such/home");
  assertEquals((await call(["sessions", "du", "x"])).status, 2);
  assertEquals((await call(["sessions", "du", "--by=model"])).status, 2);
  const rows = await call(["sessions", "du", "--format=csv", "--limit=1"]);
  assertEquals(rows.status, 2);
  assertStringIncludes(rows.stderr, "--limit has no effect with --format=csv");
});
