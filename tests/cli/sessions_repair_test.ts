import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { zstdCompressSync } from "node:zlib";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  writeFile,
  writeSession,
} from "../sessions/homes.ts";
import { call, type Result, type World } from "./memory.ts";

const STARTED = "2026-11-20T10:00:00.000Z";

function repair(
  home: string,
  args: readonly string[],
  world: World = {},
): Promise<Result> {
  return call(["sessions", "repair", `--codex-home=${home}`, ...args], {
    directories: ["/out"],
    ...world,
  });
}

Deno.test("sessions repair writes a copy without the torn line, and reports it", async () => {
  await withFolder(async (home) => {
    const id = testId(1);
    const path = sessionPath(home, id, STARTED);
    const text = sessionText({ id, started: STARTED, message: "Fix it" });
    await writeFile(path, `${text}{"timestamp":"2026`);
    const { status, stdout, stderr, written } = await repair(home, [
      id,
      "--to=/out",
    ]);
    const target = `/out/rollout-2026-11-20T10-00-00-${id}.jsonl`;
    assertEquals([status, stdout], [0, `${target}\n`]);
    assertEquals(written.get(target), text);
    assertStringIncludes(stderr, `${path}:5: left out 18 bytes: `);
    assertStringIncludes(stderr, "4 lines, 1 torn part left out");
    assertEquals(
      await Deno.readTextFile(path),
      `${text}{"timestamp":"2026`,
    );
  });
});

Deno.test("sessions repair keeps the whole lines before the break of a truncated compressed file", async () => {
  await withFolder(async (home) => {
    const id = testId(1);
    const path = sessionPath(home, id, STARTED);
    const text = sessionText({ id, started: STARTED, message: "Fix it" }) +
      Array.from({ length: 20_000 }, (_, i) => `{"type":"n","n":${i}}\n`).join(
        "",
      );
    const packed = zstdCompressSync(text);
    const half = packed.subarray(0, packed.length >> 1);
    await writeFile(`${path}.zst`, half);
    const { status, stdout, stderr, written } = await repair(home, [
      id,
      "--to=/out",
    ]);
    assertEquals(status, 0);
    assertStringIncludes(stderr, "is cut off; the data before is kept");
    const copy = written.get(stdout.trimEnd()) ?? "";
    assert(copy.length > 100_000 && copy.endsWith("\n"));
    assertEquals(text.startsWith(copy), true);
  });
});

Deno.test("sessions repair refuses to write into the home, over a file, or without one session", async () => {
  await withFolder(async (home) => {
    const id = testId(1);
    const session = { id, started: STARTED, message: "Fix it" };
    const path = await writeSession(home, session);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const cases: readonly (readonly [string[], World, string])[] = [
      [[id], {}, "needs --to=DIR"],
      [[id, "--to=/file"], { files: { "/file": "x" } }, "is not a folder"],
      [[id, `--to=${home}/sessions`], {}, "into the Codex home"],
      [
        [id, "--to=/out"],
        { files: { [`/out/${name}`]: "x" } },
        "exists already",
      ],
      [["--to=/out"], {}, "takes one session"],
      [[id, "--last", "--to=/out"], {}, "takes one session"],
    ];
    for (const [args, world, message] of cases) {
      const { status, stderr } = await repair(home, args, world);
      assertEquals(status, 2, stderr);
      assertStringIncludes(stderr, message);
    }
  });
});

Deno.test("sessions repair creates no folder for a session that is not found", async () => {
  await withFolder(async (home) => {
    const { status, stderr } = await repair(home, ["zork", "--to=/new"], {
      createError: new Error("created"),
    });
    assertEquals(status, 1, stderr);
  });
});
