import { assertEquals, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import stringWidth from "string-width";
import { namesIn, readFixture } from "../fixtures.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  withHome,
  writeFile,
  writeReverted,
  writeSession,
} from "../sessions/homes.ts";
import { call, type Result, type World } from "./memory.ts";

/** Calls `sessions list` with a home. */
function list(
  home: string,
  args: readonly string[] = [],
  world: World = {},
): Promise<Result> {
  // Nothing is cached inside a home: a `HOME` of the world may be that of a real user.
  const env = { XDG_CACHE_HOME: home, ...world.env };
  const words = ["sessions", "list", `--codex-home=${home}`, ...args];
  return call(words, { ...world, env });
}

/** Splits a text into lines without LF. */
function rows(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

/** Makes a home of five sessions, and calls `use` with its path. */
async function withFive(use: (home: string) => Promise<void>): Promise<void> {
  await withFolder(async (home) => {
    const messages = [
      "Fix the tests",
      "Explain\tthis \x1b[31mred\x1b[0m code",
      "中文 🚀 " + "many wide characters 全角 ".repeat(10),
      "Look at \u202eevil",
      "Tidy up",
    ];
    for (const [i, message] of messages.entries()) {
      const id = `01a1f99d-${i}000-7000-8000-000000000000`;
      const started = `2026-11-2${i}T10:00:00.000Z`;
      const meta = {
        cwd: `/home/me/proj${i}`,
        git: { branch: i === 4 ? "fix/a-long-name-of-a-branch" : "main" },
      };
      const path = await writeSession(home, { id, started, message, meta });
      await Deno.utime(path, 1_795_000_000 + i, 1_795_000_000 + i);
    }
    await use(home);
  });
}

Deno.test("sessions list lists every session of a messy home once, in every form", async () => {
  await withHome({ isMessy: true }, async (home) => {
    const { path, sessions, unreadable } = home;
    // Later calls read the outcomes of sessions from the cache, which the first one writes.
    const world = { env: { XDG_CACHE_HOME: `${path}/../cache` } };
    const ids = await list(path, ["--format=ids"]);
    assertEquals(
      rows(ids.stdout).sort(),
      sessions.map(({ id }) => id).sort(),
    );
    // The folder that could not be read may hold sessions.
    assertEquals(ids.status, 3);
    assertEquals(
      ids.stderr,
      unreadable.map((folder) =>
        `codexpipe: ${folder}: cannot read: too many symbolic links encountered\n`
      ).join(""),
    );
    const paths = await list(path, ["--format=paths"]);
    assertEquals(
      rows(paths.stdout).sort(),
      sessions.map(({ path }) => path).sort(),
    );
    const json = JSON.parse((await list(path, ["--json"], world)).stdout);
    assertEquals(json.sessions.length, sessions.length);
    assertEquals(json.next_cursor, null);
    assertEquals(json.problems[0].code, "ELOOP");
    const jsonl = rows((await list(path, ["--format=jsonl"], world)).stdout);
    assertEquals(jsonl.map((line) => JSON.parse(line)), json.sessions);
    const tsv = rows((await list(path, ["--format=tsv"], world)).stdout);
    assertEquals(tsv.length, sessions.length + 1);
    assertEquals(new Set(tsv.map((row) => row.split("\t").length)).size, 1);
    const table = rows((await list(path, [], world)).stdout);
    assertEquals(table.length, sessions.length + 1);
  });
});

Deno.test("sessions list prints the command for the next page, which continues the list", async () => {
  await withFive(async (home) => {
    const whole = await list(home, ["--format=ids"]);
    let args = ["--format=ids", "--grep=e|t", "--limit=2"];
    let text = "";
    for (let pages = 1;; pages += 1) {
      const page = await list(home, args);
      text += page.stdout;
      const next =
        /^codexpipe: more sessions follow: codexpipe (sessions list .*)\n$/
          .exec(page.stderr)?.[1];
      if (next === undefined) {
        assertEquals([page.stderr, pages], ["", 3]);
        break;
      }
      // Splits the command into words like a shell.
      const words = next.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
      args = words.slice(2).map((word) => word.replaceAll("'", ""));
      assertEquals(args.includes("--grep=e|t"), true);
    }
    assertEquals(text, whole.stdout);
  });
});

Deno.test("sessions list prints a command for the next page with each flag once", async () => {
  await withFive(async (home) => {
    const args = ["--json", "--limit=3", "--fast", "--fast", "--limit=4"];
    const { stderr } = await list(home, args);
    assertEquals(stderr.match(/json|--limit=.|--fast/g), [
      "json",
      "--limit=4",
      "--fast",
    ]);
  });
});

Deno.test("sessions list prints a command for the next page with the meaning of --no-color", async () => {
  await withFive(async (home) => {
    const { stderr } = await list(home, ["--no-color", "--limit=3"]);
    assertEquals(stderr.match(/--\S*color\S*/g), ["--color=never"]);
  });
});

Deno.test("sessions list --json has the cursor of the next page", async () => {
  await withFive(async (home) => {
    const first = JSON.parse(
      (await list(home, ["--json", "--limit=3"])).stdout,
    );
    const args = ["--json", `--cursor=${first.next_cursor}`];
    const second = JSON.parse((await list(home, args)).stdout);
    assertEquals(second.next_cursor, null);
    assertEquals(
      [...first.sessions, ...second.sessions].map(({ started }) => started),
      [4, 3, 2, 1, 0].map((i) => `2026-11-2${i}T10:00:00.000Z`),
    );
  });
});

Deno.test("sessions list --format=jsonl writes every field of a session", async () => {
  await withFive(async (home) => {
    const { stdout } = await list(home, ["--format=jsonl", "--limit=1"]);
    const id = "01a1f99d-4000-7000-8000-000000000000";
    assertEquals(JSON.parse(stdout), {
      id,
      started: "2026-11-24T10:00:00.000Z",
      updated: "2026-11-18T11:06:44.000Z",
      title: "Tidy up",
      name: null,
      first_message: "Tidy up",
      cwd: "/home/me/proj4",
      git_branch: "fix/a-long-name-of-a-branch",
      git_commit: null,
      git_url: null,
      cli_version: "0.44.0",
      source: "exec",
      originator: "codex_exec",
      model: "gpt-5",
      model_provider: null,
      kind: "main",
      forked_from: null,
      parent_id: null,
      agent: null,
      hidden: null,
      history_mode: null,
      archived: false,
      compression: "none",
      size: (await Deno.stat(sessionPath(home, id, "2026-11-24T10:00:00Z")))
        .size,
      home,
      path: sessionPath(home, id, "2026-11-24T10:00:00Z"),
      copies: [],
      problem: null,
      outcome: "open",
      total_tokens: null,
      duration_ms: null,
    });
  });
});

Deno.test("sessions list shows the outcome, tokens and duration of sessions, and caches them", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    const paths: string[] = [];
    const scenarios = ["0.169.0/shellmany", "0.169.0/fail400", "0.20.0/cut"];
    for (const [i, scenario] of scenarios.entries()) {
      const captures = `captures/${scenario}/`;
      const name = namesIn(captures).find((name) =>
        name.startsWith("rollout-")
      );
      const id = testId(i);
      const path = sessionPath(home, id, `2026-11-2${i}T10:00:00Z`);
      await writeFile(path, readFixture(`${captures}${name}`));
      paths.push(path);
    }
    const world: World = {
      env: { XDG_CACHE_HOME: `${folder}/cache` },
      now: () => Date.parse("2026-11-24T12:00:00Z"),
    };
    const shown = async (...args: readonly string[]): Promise<string[][]> => {
      const { stdout } = await list(home, ["--format=tsv", ...args], world);
      return rows(stdout).map((row) => row.split("\t").slice(-3));
    };
    const expected = [
      ["outcome", "total_tokens", "duration_ms"],
      ["completed", "", ""],
      ["failed", "", "99"],
      ["completed", "10080", "716"],
    ];
    assertEquals(await shown(), expected);
    assertEquals(await shown("--fast"), [
      ["outcome", "total_tokens", "duration_ms"],
      ...paths.map(() => ["", "", ""]),
    ]);
    const screen = async (
      columns: number,
      color: string,
    ): Promise<string[]> => {
      const at: World = { ...world, terminals: ["stdout"], columns };
      return rows((await list(home, [`--color=${color}`], at)).stdout);
    };
    assertEquals(await screen(80, "always"), [
      "\x1b[1mID\x1b[22m        \x1b[1mStarted\x1b[22m  \x1b[1mOutcome\x1b[22m  \x1b[1mTokens\x1b[22m   \x1b[1mTook\x1b[22m  \x1b[1mFolder\x1b[22m     \x1b[1mBranch\x1b[22m  \x1b[1mTitle\x1b[22m",
      "\x1b[36m0b886071\x1b[39m  3 d ago  \x1b[32mdone\x1b[39m                               main    Please work on th…",
      "\x1b[36m01a1f986\x1b[39m  3 d ago  \x1b[31mfailed\x1b[39m            99ms  …dev/proj  main    Please work on th…",
      "\x1b[36m01a1f985\x1b[39m  3 d ago  \x1b[32mdone\x1b[39m      10.1k  716ms  …dev/proj  main    Please work on th…",
    ]);
    assertEquals(await screen(120, "never"), [
      "ID        Started  Outcome  Tokens   Took  Folder          Branch  Title",
      "0b886071  3 d ago  done                                    main    Please work on the demo [[cut]]",
      "01a1f986  3 d ago  failed            99ms  /home/dev/proj  main    Please work on the demo [[fail400]]",
      "01a1f985  3 d ago  done      10.1k  716ms  /home/dev/proj  main    Please work on the demo [[shellmany]]",
    ]);
    // Cached outcomes come from no file: the files are blank now.
    for (const path of paths) {
      const { size, mtime } = await Deno.stat(path);
      await Deno.writeTextFile(path, " ".repeat(size));
      await Deno.utime(path, 0, mtime ?? 0);
    }
    assertEquals(await shown(), expected);
  });
});

Deno.test("sessions list counts the turns that a client took back, like usage", async () => {
  await withFolder(async (home) => {
    await writeReverted(home);
    const { stdout } = await list(home, ["--format=jsonl"]);
    const { outcome, total_tokens, duration_ms } = JSON.parse(stdout);
    assertEquals([outcome, total_tokens, duration_ms], [
      "completed",
      30,
      3_000,
    ]);
    const usage = await call(["usage", `--codex-home=${home}`, "--json"]);
    assertEquals([JSON.parse(usage.stdout).total.total_tokens, usage.stderr], [
      30,
      "",
    ]);
  });
});

Deno.test("sessions list fits its table to the terminal, and escapes control characters", async () => {
  await withFive(async (home) => {
    for (const columns of [60, 80, 100, 140]) {
      const { stdout } = await list(home, ["--color=never"], {
        terminals: ["stdout"],
        columns,
        env: { HOME: "/home/me" },
        now: () => Date.parse("2026-11-24T12:00:00Z"),
      });
      for (const row of rows(stdout)) {
        assertEquals(stringWidth(row) <= columns, true, `${columns}: ${row}`);
      }
      // deno-lint-ignore no-control-regex
      assertEquals(/[\0-\x09\x0b-\x1f\u202e]/.test(stdout), false);
      assertEquals(stdout.includes("Updated"), columns >= 130);
      assertStringIncludes(stdout, "  2 h ago  ");
    }
  });
});

Deno.test("sessions list prints a table with absolute times in a pipe", async () => {
  await withFive(async (home) => {
    const { stdout, stderr, status } = await list(
      home,
      ["--until=2026-11-22"],
      {
        env: { HOME: "/home/me" },
      },
    );
    assertEquals(
      stdout,
      [
        "ID          Started (UTC)     Updated (UTC)     Outcome  Tokens  Took  Folder   Branch  Model  Codex   Title",
        "01a1f99d-1  2026-11-21 10:00  2026-11-18 11:06  no end                 ~/proj1  main    gpt-5  0.44.0  Explain this \\u001b[31mred\\u001b[0m code",
        "01a1f99d-0  2026-11-20 10:00  2026-11-18 11:06  no end                 ~/proj0  main    gpt-5  0.44.0  Fix the tests",
        "",
      ].join("\n"),
    );
    assertEquals([stderr, status], ["", 0]);
  });
});

Deno.test("sessions list shows folders relative to the user's home, and the kind only if it varies", async () => {
  await withFolder(async (home) => {
    const folders = ["/home/me", "/data/me/proj", "/home/meadow/x"];
    for (const [i, cwd] of folders.entries()) {
      const id = testId(i + 1);
      const started = `2026-11-2${i}T10:00:00.000Z`;
      const text = sessionText({ id, started, message: "Hi", meta: { cwd } });
      const path = sessionPath(home, id, started);
      await writeFile(
        i === 0
          ? path.replace("/sessions/2026/11/20/", "/archived_sessions/")
          : path,
        text,
      );
    }
    const shown = async (...args: readonly string[]): Promise<string[][]> => {
      const { stdout } = await list(home, args, { env: { HOME: "/home/me" } });
      const [head = "", ...lines] = rows(stdout);
      const at = (title: string): number => head.indexOf(title);
      return lines.map((line) => [
        line.slice(at("Folder"), at("Model")).trim(),
        at("Kind") === -1 ? "" : line.slice(at("Kind"), at("Title")).trim(),
      ]);
    };
    const archived = ["~", "archived"];
    assertEquals(await shown(), [
      ["/home/meadow/x", ""],
      ["/data/me/proj", ""],
      archived,
    ]);
    assertEquals(await shown("--archived"), [archived]);
  });
});

Deno.test("sessions list --format=tsv escapes backslashes and control characters", async () => {
  await withFive(async (home) => {
    const id = "01a1f99d-1000-7000-8000-000000000000";
    await writeFile(
      `${home}/session_index.jsonl`,
      JSON.stringify({ id, thread_name: "a\\b\x1b[31m\u202e" }),
    );
    const { stdout } = await list(home, ["--format=tsv", `--grep=^${id}`]);
    const [, row = ""] = rows(stdout);
    assertEquals(row.split("\t")[3], "a\\\\b\\u001b[31m\\u202e");
  });
});

Deno.test("sessions list shows 50 sessions on a terminal, and all elsewhere", async () => {
  await withFolder(async (home) => {
    for (let number = 0; number < 60; number += 1) {
      const id = testId(number);
      const started = "2026-11-21T10:00:00.000Z";
      await writeSession(home, { id, started, message: `No ${number}` });
    }
    const world: World = { terminals: ["stdout"] };
    const screen = await list(home, [], world);
    assertEquals(rows(screen.stdout).length, 51);
    assertStringIncludes(screen.stderr, "more sessions follow");
    for (
      const [args, world] of [
        [["--limit=100"], { terminals: ["stdout"] }],
        [["--format=ids"], { terminals: ["stdout"] }],
        [[], {}],
      ] as const
    ) {
      const { stdout, stderr } = await list(home, args, world);
      assertEquals([rows(stdout).length >= 60, stderr], [true, ""]);
    }
  });
});

Deno.test("sessions list accepts several homes, and shows the home of each session", async () => {
  await withFolder(async (folder) => {
    const started = "2026-11-21T10:00:00.000Z";
    for (const [i, name] of ["one", "two"].entries()) {
      const session = { id: testId(i), started, message: name };
      await writeSession(`${folder}/${name}`, session);
    }
    const { stdout } = await list(`${folder}/one`, [
      `--codex-home=${folder}/two`,
    ]);
    const [titles = "", first = "", second = ""] = rows(stdout);
    assertStringIncludes(titles, "Home");
    assertStringIncludes(first, `${folder}/two`);
    assertStringIncludes(second, `${folder}/one`);
  });
});

Deno.test("sessions list selects sessions by its options", async () => {
  await withFive(async (home) => {
    const world = {
      cwd: "/home/me",
      now: () => Date.parse("2026-11-25T10:00:00.000Z"),
    };
    const cases = [
      [["--cwd=proj1"], ["1"]],
      [["--since=3d"], ["4", "3", "2"]],
      [["--since=2026-11-23"], ["4", "3"]],
      [["--until=2026-11-21T10:00Z"], ["0"]],
      [["--branch=main", "--since=3d"], ["3", "2"]],
      [["--grep=TESTS"], ["0"]],
      [["--originator=codex_exec", "--limit=1"], ["4"]],
      [["--originator=other"], []],
      [["--archived"], []],
    ] as const;
    for (const [args, expected] of cases) {
      const { stdout } = await list(home, ["--format=ids", ...args], world);
      assertEquals(rows(stdout).map((id) => id.charAt(9)), [...expected]);
    }
  });
});

Deno.test("sessions list --cwd compares a Windows path as an absolute one", async () => {
  await withFolder(async (home) => {
    const [id, started] = [testId(1), "2026-11-20T10:00:00.000Z"];
    const meta = { cwd: "c:\\Work\\proj" };
    await writeSession(home, { id, started, message: "Hi", meta });
    for (const [cwd, expected] of [["C:\\work", [id]], ["work", []]] as const) {
      const { stdout } = await list(home, ["--format=ids", `--cwd=${cwd}`]);
      assertEquals(rows(stdout), [...expected]);
    }
  });
});

Deno.test("sessions list finds the home by CODEX_HOME", async () => {
  await withFive(async (home) => {
    const { stdout } = await call(["sessions", "list", "--format=ids"], {
      env: { CODEX_HOME: home, HOME: "/nobody", XDG_CACHE_HOME: home },
    });
    assertEquals(rows(stdout).length, 5);
  });
});

Deno.test("sessions list expands ~ to the user's home, which shells leave after =", async () => {
  await withFive(async (home) => {
    const at = home.lastIndexOf("/");
    const env = { HOME: home.slice(0, at), XDG_CACHE_HOME: home };
    const world: World = { env, cwd: "/else" };
    const name = home.slice(at + 1);
    const { stdout } = await list(`~/${name}`, ["--format=ids"], world);
    assertEquals(rows(stdout).length, 5);
    const none = await list(home, ["--format=ids", "--cwd=~"], world);
    assertEquals(none.stdout, "");
    const other = await list(home, ["--format=ids", "--cwd=~/proj1"], {
      env: { HOME: "/home/me" },
    });
    assertEquals(rows(other.stdout).length, 1);
  });
});

Deno.test("sessions list reports the folders that it searched, if there are no sessions", async () => {
  await withFolder(async (folder) => {
    const none = await list(folder);
    assertEquals([none.status, none.stdout], [0, ""]);
    assertEquals(
      none.stderr,
      `codexpipe: no sessions in ${folder}, neither in sessions nor in archived_sessions; use --codex-home=DIR for another home\n`,
    );
    const json = await list(folder, ["--json"]);
    assertEquals(JSON.parse(json.stdout).sessions, []);
  });
});

for (
  const line of [
    "sessions list",
    "sessions du",
    "sessions search x",
    "sessions index",
    "sessions show --last",
    "sessions follow",
    "sessions family --shards=2",
    "usage --home",
    "drift --home",
    "export --to=otlp --home",
    "watch",
  ]
) {
  Deno.test(`${line} ends with 2 if there is no Codex home`, async () => {
    const { status, stdout, stderr } = await call(line.split(" "));
    assertEquals([status, stdout], [2, ""]);
    assertEquals(
      stderr.split("\n")[0],
      "codexpipe: no Codex home: neither CODEX_HOME nor HOME is set; use --codex-home=DIR",
    );
  });
}

Deno.test("sessions list reports a missing home of --codex-home", async () => {
  await withFolder(async (folder) => {
    const { status, stderr } = await list(`${folder}/none`);
    assertEquals(status, 3);
    assertEquals(stderr, `codexpipe: ${folder}/none: cannot read: not found\n`);
    const json = await list(`${folder}/none`, ["--json"]);
    assertEquals(JSON.parse(json.stdout).problems, [
      { path: `${folder}/none`, code: "ENOENT", message: "not found" },
    ]);
  });
});

Deno.test("sessions list ends with 1 if no session matches, and reports of how many", async () => {
  await withFive(async (home) => {
    const { status, stderr } = await list(home, ["--branch=other"]);
    assertEquals([status, stderr], [
      1,
      `codexpipe: no session matches, of 5 in ${home}\n`,
    ]);
    for (
      const args of [
        ["--grep=zzz"],
        ["--grep=zzz", "--json"],
        ["--cwd=/nowhere"],
        ["--until=2001-01-01"],
        ["--originator=nobody", "--format=ids"],
        ["--cursor=2001-01-01T00:00:00Z"],
      ]
    ) {
      assertEquals((await list(home, args)).status, 1, args.join(" "));
    }
  });
  await withFolder(async (home) => {
    assertEquals((await list(home)).status, 0);
    assertEquals((await list(home, ["--grep=zzz"])).status, 1);
    assertEquals((await list(home, ["--limit=3"])).status, 0);
  });
});

const MISUSES = [
  {
    args: ["flaky"],
    message: 'sessions list takes no "flaky": --grep=REGEXP searches titles',
  },
  {
    args: ["--cursor=later"],
    message: '--cursor cannot be "later": expected a time and an id',
  },
  {
    args: ["--since=2026-11-21", "--until=2026-11-21"],
    message: "nothing is between --since=2026-11-21 and --until=2026-11-21",
  },
  { args: ["--limit=0"], message: '--limit cannot be "0"' },
  { args: ["--grep=("], message: '--grep cannot be "("' },
  { args: ["--format=csv"], message: '--format cannot be "csv"' },
] satisfies { args: string[]; message: string }[];

for (const { args, message } of MISUSES) {
  Deno.test(`sessions list refuses ${args.join(" ")}`, async () => {
    const { status, stdout, stderr } = await list("no/such/home", args);
    assertEquals([status, stdout], [2, ""]);
    assertStringIncludes(stderr, message);
  });
}

Deno.test("sessions list shows its progress on a terminal, if it takes long", async () => {
  await withFolder(async (home) => {
    const started = "2026-11-21T10:00:00.000Z";
    for (let number = 0; number < 260; number += 1) {
      await writeFile(sessionPath(home, testId(number), started), "");
    }
    for (const isTerminal of [true, false]) {
      let now = 0;
      const { stderr } = await list(home, ["--format=ids"], {
        terminals: isTerminal ? ["stderr"] : [],
        now: () => now += 600,
      });
      const erase = "\r\x1b[2K";
      assertEquals(
        stderr,
        isTerminal
          ? `${erase}Reading sessions: 256 of 260${erase}Reading sessions: 260 of 260${erase}`
          : "",
      );
    }
  });
});

Deno.test("sessions list ends with 130 when it is interrupted", async () => {
  await withFive(async (home) => {
    const { status, stdout } = await list(home, [], {
      interrupt: AbortSignal.abort(),
    });
    assertEquals([status, stdout], [130, ""]);
  });
});

Deno.test("sessions list marks sessions that Codex itself does not show", async () => {
  await withFive(async (home) => {
    const database = new DatabaseSync(`${home}/state_5.sqlite`);
    database.exec("CREATE TABLE threads (id TEXT, rollout_path TEXT)");
    const insert = database.prepare("INSERT INTO threads VALUES (?, ?)");
    const paths = rows((await list(home, ["--format=paths"])).stdout);
    const ids = rows((await list(home, ["--format=ids"])).stdout);
    for (const [i, id] of ids.slice(1).entries()) {
      insert.run(id, i === 0 ? "/elsewhere.jsonl" : paths[i + 1] ?? "");
    }
    database.close();
    const { stdout, stderr } = await list(home, ["--format=jsonl"]);
    assertEquals(stderr, "");
    assertEquals(rows(stdout).map((line) => JSON.parse(line).hidden), [
      "unindexed",
      "moved",
      null,
      null,
      null,
    ]);
    assertStringIncludes((await list(home)).stdout, "not listed");
    await Deno.writeTextFile(`${home}/state_6.sqlite`, "");
    const unknown = await list(home);
    assertStringIncludes(
      unknown.stderr,
      `${home}/state_6.sqlite: cannot tell which sessions Codex itself does not show: its layout is not known`,
    );
    assertEquals(unknown.status, 0);
  });
});
