import { zstdCompressSync } from "node:zlib";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  withFolder,
  withHome,
  writeFile,
  writeReverted,
} from "../sessions/homes.ts";
import { contentOf, FORK, nameOf, PARENT } from "./families.ts";
import { call, type Result } from "./memory.ts";

/** Writes a fork and the session that it continues, and returns their paths by id. */
async function writeFork(home: string): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  for (const id of [PARENT, FORK]) {
    const path = `${home}/sessions/2026/11/20/${nameOf(id)}`;
    await writeFile(path, contentOf(id));
    paths.set(id, path);
  }
  return paths;
}

/** Calls `sessions show` in a home of a fork and the session that it continues. */
async function show(
  args: readonly string[],
  change: (paths: ReadonlyMap<string, string>) => unknown = () => {},
): Promise<Result> {
  let result: Result | undefined;
  await withFolder(async (home) => {
    await change(await writeFork(home));
    result = await call(["sessions", "show", ...args], {
      env: { CODEX_HOME: home },
    });
  });
  if (result === undefined) throw new TypeError("No session was shown");
  return result;
}

Deno.test("sessions show renders a fork after the session that it continues", async () => {
  const { status, stdout, stderr } = await show(["--to=text", FORK]);
  assertEquals([status, stderr], [0, ""]);
  const prompts = stdout.split("\n").filter((line) => line.startsWith("❯ "));
  assertEquals(prompts, ["❯ First turn [[turn1]]", "❯ Forked turn [[turn2]]"]);
  const markdown = await show([FORK]);
  assertStringIncludes(markdown.stdout, "First turn");
  const html = await show([FORK, "--to=html"]);
  assertMatch(html.stdout, /^<!doctype html>/i);
});

for (const written of [PARENT, FORK]) {
  for (const words of ["show --jsonl", "show --history", "resume --json"]) {
    Deno.test(`sessions ${words} refuses to write to a session that it reads: ${written}`, async () => {
      await withFolder(async (home) => {
        const paths = await writeFork(home);
        const path = paths.get(written) ?? "";
        const { status, stdout, stderr } = await call(
          ["sessions", ...words.split(" "), FORK],
          {
            env: { CODEX_HOME: home },
            files: { [path]: "" },
            stdoutIdentity: path,
          },
        );
        assertEquals([status, stdout], [2, ""]);
        assertStringIncludes(
          stderr,
          `stdout goes to ${path}, which is an input`,
        );
      });
    });
  }
}

Deno.test("sessions show reports that a fork is partial if the session it continues is gone", async () => {
  const { status, stdout, stderr } = await show(
    ["--to=text", FORK],
    (paths) => Deno.remove(paths.get(PARENT) ?? ""),
  );
  assertEquals(status, 0);
  assertStringIncludes(stdout, "❯ Forked turn");
  assertEquals(stdout.includes("First turn [["), false);
  assertMatch(
    stderr,
    new RegExp(
      `${FORK}\\.jsonl: partial: it continues the session ${PARENT}, which was not found\n$`,
    ),
  );
});

for (const form of ["--jsonl", "--history", "--to=text", "--to=markdown"]) {
  Deno.test(`sessions show reports failed lines of a fork by file and line: ${form}`, async () => {
    const { stdout, stderr } = await show([form, FORK], async (paths) => {
      for (const [id, number] of [[PARENT, 4], [FORK, 2]] as const) {
        const path = paths.get(id) ?? "";
        const lines = (await Deno.readTextFile(path)).split("\n");
        await writeFile(
          path,
          lines.toSpliced(number - 1, 0, "{torn").join("\n"),
        );
      }
    });
    const places = stderr.matchAll(/([\da-f-]{36})\.jsonl:(\d+): json: /g);
    assertEquals(
      [...places].map(([, id, line]) => [id, line]),
      [[PARENT, "4"], [FORK, "2"]],
    );
    // A document has the lines, too.
    if (!form.startsWith("--to")) return;
    const lines = stdout.matchAll(/line (\d+)\b/gi);
    assertEquals([...lines].map(([, line]) => line), ["4", "2"]);
  });
}

Deno.test("sessions show, list and index report a link to a missing file", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    const path = `${home}/sessions/${nameOf(FORK)}`;
    await writeFile(path, "");
    await Deno.remove(path);
    await Deno.symlink(`${home}/nowhere`, path);
    const env = { CODEX_HOME: home };
    const index = `--index=${folder}/index.sqlite`;
    for (const args of [["show", FORK], ["index", index]]) {
      const { status, stderr } = await call(["sessions", ...args], { env });
      const reason = "cannot read: it is a link to a missing file";
      assertEquals([status, stderr], [3, `codexpipe: ${path}: ${reason}\n`]);
    }
    const list = await call(["sessions", "list"], { env });
    assertStringIncludes(list.stdout, "it is a link to a missing file");
  });
});

Deno.test("sessions show --jsonl prints the header of a fork, the lines that it continues, and its lines", async () => {
  const { status, stdout } = await show(["--jsonl", FORK]);
  const ordinals = stdout.trimEnd().split("\n").map((line) =>
    JSON.parse(line).ordinal
  );
  assertEquals(status, 0);
  assertEquals(ordinals, [
    23,
    ...Array.from({ length: 23 }, (_, i) => i),
    ...Array.from({ length: 16 }, (_, i) => 24 + i),
  ]);
});

Deno.test("sessions show --history prints one snapshot of a fork and the session that it continues", async () => {
  const { status, stdout } = await show(["--history", FORK]);
  const { records } = JSON.parse(stdout);
  const messages = records.filter(({ type }: { type: string }) =>
    type === "plain_message"
  );
  assertEquals([status, messages.length], [0, 2]);
  const pretty = await show(["--history", "--pretty", FORK]);
  assertEquals(JSON.parse(pretty.stdout), JSON.parse(stdout));
});

Deno.test("sessions show, path, resume and follow report once why a session cannot be read", async () => {
  await withFolder(async (home) => {
    await Deno.mkdir(`${home}/sessions`);
    const path = `${home}/sessions/rollout-2026-11-20T10-00-00-${FORK}.jsonl`;
    await writeFile(path, "no record\n");
    for (
      const [command, reason] of [
        ["show", "its first lines hold no record of a session"],
        ["resume", "cannot be resumed: its first lines hold no record"],
      ] as const
    ) {
      const { stderr } = await call(["sessions", command, path]);
      const reports = stderr.split("\n").filter((line) =>
        line.includes("its first lines")
      );
      assertEquals(reports.length, 1, stderr);
      assertStringIncludes(reports[0] ?? "", reason);
    }
    for (const command of ["show", "path", "resume", "follow"]) {
      const folder = await call(["sessions", command, `${home}/sessions`]);
      assertEquals(
        [folder.status, folder.stdout, folder.stderr],
        [3, "", `codexpipe: ${home}/sessions: cannot read: is a directory\n`],
      );
    }
  });
});

Deno.test({
  name:
    "sessions show refuses a pipe or a device, of which it would show nothing",
  ignore: Deno.build.os === "windows",
  async fn() {
    const { status, stdout, stderr } = await call(
      ["sessions", "show", "/dev/null"],
    );
    assertEquals(
      [status, stdout, stderr],
      [
        3,
        "",
        "codexpipe: /dev/null: cannot read: is a pipe or a device, which can be read only once\n",
      ],
    );
  },
});

Deno.test("sessions show --output writes the form of the file's extension", async () => {
  const { status, stdout, written } = await show(["-o", "a.html", FORK]);
  assertEquals([status, stdout], [0, ""]);
  assertMatch(written.get("a.html") ?? "", /^<!DOCTYPE html>/i);
  const lines = await show(["-o", "a.jsonl", "--jsonl", FORK]);
  assertEquals(lines.status, 2);
});

Deno.test("sessions show --output refuses to overwrite a session", async () => {
  await withHome({ versions: ["0.169.0"] }, async ({ path, sessions }) => {
    for (const { path: file } of sessions.filter(({ id }) => id === PARENT)) {
      const before = await Deno.readFile(file);
      const { status, stderr } = await call(
        ["sessions", "show", FORK, "-o", file],
        { env: { CODEX_HOME: path } },
      );
      assertEquals(status, 2);
      assertStringIncludes(stderr, "--output would overwrite");
      assertEquals(await Deno.readFile(file), before);
    }
  });
});

Deno.test("sessions show refuses flags that have no effect", async () => {
  for (
    const [flags, reason] of [
      [["--jsonl", "--redact"], "--redact has no effect with --jsonl"],
      [
        ["--history", "--redact-pattern=x"],
        "--redact-pattern has no effect with",
      ],
      [["--meta", "--tools=none"], "--tools has no effect with --meta"],
      [["--jsonl", "--pretty"], "--pretty has no effect without --history"],
      [["--pretty"], "--pretty has no effect without --history"],
      [
        ["--no-redact", "--redact-pattern=x"],
        "--redact-pattern has no effect with --no-redact",
      ],
    ] as const
  ) {
    const { status, stderr } = await show([...flags, FORK]);
    assertEquals(status, 2, reason);
    assertStringIncludes(stderr, reason);
  }
});

const MISSING = [
  {
    reason: "whose file is shorter than it was then",
    change: async (paths: ReadonlyMap<string, string>) => {
      const path = paths.get(PARENT) ?? "";
      const [header] = (await Deno.readTextFile(path)).split("\n");
      await Deno.writeTextFile(path, `${header}\n`);
    },
  },
  {
    reason: "which cannot be read: .+",
    change: async (paths: ReadonlyMap<string, string>) => {
      const path = paths.get(PARENT) ?? "";
      const packed = zstdCompressSync(await Deno.readFile(path));
      await Deno.writeFile(`${path}.zst`, packed.subarray(0, -4));
      await Deno.remove(path);
    },
  },
  {
    reason: "but does not record from which line on",
    change: async (paths: ReadonlyMap<string, string>) => {
      const path = paths.get(FORK) ?? "";
      const [header = "", ...rest] = (await Deno.readTextFile(path)).split(
        "\n",
      );
      const meta = JSON.parse(header);
      delete meta.ordinal;
      delete meta.payload.forked_from_ordinal_exclusive;
      delete meta.payload.history_base;
      await Deno.writeTextFile(
        path,
        [JSON.stringify(meta), ...rest].join("\n"),
      );
    },
  },
] satisfies {
  reason: string;
  change: (paths: ReadonlyMap<string, string>) => Promise<void>;
}[];

for (const { reason, change } of MISSING) {
  Deno.test(`sessions show reports that a fork continues a session ${reason}`, async () => {
    const { status, stderr } = await show(["--to=text", FORK], change);
    assertEquals(status, 0);
    assertMatch(
      stderr,
      new RegExp(
        `${FORK}\\.jsonl: partial: it continues the session ${PARENT}, ${reason}\n$`,
      ),
    );
  });
}

Deno.test("sessions show --meta prints the ancestors of a fork, and the missing one", async () => {
  const { stdout } = await show(["--meta", FORK]);
  const { id, forked_from, ancestors, missing } = JSON.parse(stdout);
  assertEquals(
    [id, forked_from, ancestors, missing],
    [FORK, PARENT, [PARENT], null],
  );
  const partial = await show(
    ["--meta", "-q", FORK],
    (paths) => Deno.remove(paths.get(PARENT) ?? ""),
  );
  assertEquals(JSON.parse(partial.stdout).missing, {
    session_id: PARENT,
    reason: "not_found",
  });
  assertEquals(partial.stderr, "");
});

Deno.test("sessions show refuses no session, several sessions, several forms and a missing session", async () => {
  for (
    const args of [
      [],
      ["a", "b"],
      ["a", "--last"],
      ["a", "--jsonl", "--meta"],
      ["a", "--history", "--to=html"],
    ]
  ) {
    const { status, stdout } = await show(args);
    assertEquals([status, stdout], [2, ""], args.join(" "));
  }
  const none = await show(["nope"]);
  assertEquals([none.status, none.stdout], [1, ""]);
});

Deno.test("sessions show shows every session of every release", async () => {
  await withHome({}, async (home) => {
    for (const { path, id } of home.sessions) {
      const { status, stdout, stderr } = await call(
        ["sessions", "show", "--to=text", "-q", path],
        { env: { CODEX_HOME: home.path } },
      );
      assertEquals([status, stderr], [0, ""], path);
      assertEquals(stdout.length > 0, true, id);
    }
  });
});

Deno.test("sessions show begins a session of which turns were taken back where lists begin it", async () => {
  await withFolder(async (home) => {
    const { id } = await writeReverted(home);
    const own = ["sessions", "show", `--codex-home=${home}`, id];
    const { stdout } = await call(own);
    const meta = JSON.parse((await call([...own, "--meta"])).stdout);
    assertEquals(meta.started, "2026-11-20T10:00:00.000Z");
    assertStringIncludes(stdout, `time: "${meta.started}"`);
    assertEquals(stdout.match(/\w+ are ripe/g), [
      "Pears are ripe",
      "Plums are ripe",
    ]);
  });
});
