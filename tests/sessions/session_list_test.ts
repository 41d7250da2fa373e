import { assertEquals, assertRejects } from "@std/assert";
import { CursorError } from "../../lib/sessions/cursor.ts";
import {
  listSessions,
  type ListSessionsOptions,
  type SessionFilter,
  type SessionProgress,
} from "../../lib/sessions/session_list.ts";
import {
  assembleHome,
  sessionPath,
  sessionText,
  stateOf,
  testId,
  withFolder,
  withHome,
  writeContinued,
  writeFile,
  writeSession,
} from "./homes.ts";

/** Reads all pages of a list, and returns the paths in each. */
async function pagesOf(options: ListSessionsOptions): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await listSessions({ ...options, cursor });
    pages.push(page.sessions.map(({ file }) => file.path));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

/** Makes a home of sessions whose messages are their numbers. */
async function writeSessions(
  home: string,
  sessions: readonly {
    readonly number: number;
    readonly started: string;
    readonly meta?: Readonly<Record<string, unknown>>;
  }[],
): Promise<void> {
  for (const { number, started, meta = {} } of sessions) {
    const id = testId(number);
    await writeSession(home, { id, started, message: `No ${number}`, meta });
  }
}

async function titlesOf(options: ListSessionsOptions): Promise<string[]> {
  const { sessions } = await listSessions(options);
  return sessions.map(({ title }) => title);
}

Deno.test("listSessions() lists every session of a messy home once, and reports problems", async () => {
  await withHome({ isMessy: true }, async (home) => {
    const { sessions, total, problems, nextCursor } = await listSessions({
      codexHomes: [home.path],
    });
    assertEquals(
      sessions.map(({ file }) => file.path).sort(),
      home.sessions.map(({ path }) => path).sort(),
    );
    assertEquals(
      sessions.map(({ head }) => head.id).sort(),
      home.sessions.map(({ id }) => id).sort(),
    );
    assertEquals(
      sessions.filter(({ head }) => head.problem !== undefined)
        .map(({ file }) => file.path).sort(),
      home.broken.toSorted(),
    );
    assertEquals(problems.map(({ path }) => path), home.unreadable);
    assertEquals([total, nextCursor], [home.sessions.length, undefined]);
  });
});

Deno.test("listSessions() returns the same list in pages of every size", async () => {
  const versions = ["0.36.0", "0.169.0", "0.169.0+direct"];
  await withHome({ versions, isMessy: true }, async ({ path }) => {
    const options = { codexHomes: [path] };
    const { sessions } = await listSessions(options);
    const whole = sessions.map(({ file }) => file.path);
    for (let limit = 1; limit <= whole.length + 1; limit += 1) {
      // Of the middle sizes, every seventeenth is enough.
      if (limit > 4 && limit < whole.length - 2 && limit % 17 !== 0) {
        continue;
      }
      const pages = await pagesOf({ ...options, limit });
      assertEquals(pages.flat(), whole, `pages of ${limit}`);
      assertEquals(pages.length, Math.ceil(whole.length / limit));
    }
  });
});

Deno.test("listSessions() lists sessions with the same time once, in pages of every size", async () => {
  await withFolder(async (home) => {
    const started = "2026-11-21T10:00:00.000Z";
    const numbers = Array.from({ length: 12 }, (_, i) => i);
    await writeSessions(home, numbers.map((number) => ({ number, started })));
    const expected = numbers.map((number) =>
      sessionPath(home, testId(number), started)
    )
      .reverse();
    for (const limit of [1, 2, 3, 5, 11, 12, 13]) {
      const pages = await pagesOf({ codexHomes: [home], limit });
      assertEquals(pages.flat(), expected);
    }
  });
});

Deno.test("listSessions() sorts an empty file whose name has no time by its modification time", async () => {
  await withFolder(async (home) => {
    const path = `${home}/sessions/rollout-mine.jsonl`;
    await writeSessions(home, [
      { number: 1, started: "2026-11-21T10:00:00.000Z" },
      { number: 2, started: "2026-11-21T12:00:00.000Z" },
    ]);
    await writeFile(path, "");
    const written = new Date("2026-11-21T11:00:00.000Z");
    await Deno.utime(path, written, written);
    for (const limit of [1, 2, 3, 4]) {
      const pages = await pagesOf({ codexHomes: [home], limit });
      assertEquals(pages.flat().indexOf(path), 1, `pages of ${limit}`);
    }
  });
});

Deno.test("listSessions() ignores links to folders, even with the name of a session file", async () => {
  await withFolder(async (home) => {
    const started = "2026-11-21T10:00:00.000Z";
    const numbers = [1, 2, 3];
    await writeSessions(home, numbers.map((number) => ({ number, started })));
    await Deno.symlink(home, sessionPath(home, testId(4), started));
    for (const limit of [1, 3, 4]) {
      const page = await listSessions({ codexHomes: [home], limit });
      assertEquals(page.total, 3);
      assertEquals(page.sessions.length, Math.min(limit, 3));
    }
  });
});

Deno.test("listSessions() lists a session whose first file is gone", async () => {
  await withFolder(async (folder) => {
    const { id, files } = await writeContinued(folder);
    await Deno.remove(files[0]?.path ?? "");
    const { sessions } = await listSessions({ codexHomes: [folder] });
    assertEquals(
      sessions.map((each) => [each.head.id, each.title, each.files.length]),
      [[id, "Three pears", 2]],
    );
  });
});

Deno.test("listSessions() continues behind a cursor whose session is gone", async () => {
  await withFolder(async (home) => {
    const started = "2026-11-21T10:00:00.000Z";
    const numbers = [1, 2, 3, 4];
    await writeSessions(home, numbers.map((number) => ({ number, started })));
    const options = { codexHomes: [home], limit: 2 };
    const { nextCursor } = await listSessions(options);
    await Deno.remove(sessionPath(home, testId(3), started));
    await writeSessions(home, [{ number: 9, started }]);
    const titles = await titlesOf({ ...options, cursor: nextCursor });
    assertEquals(titles, ["No 2", "No 1"]);
  });
});

Deno.test("listSessions() accepts the cursors of Codex releases", async () => {
  await withFolder(async (home) => {
    await writeSessions(
      home,
      [1, 2, 3].map((number) => ({
        number,
        started: `2026-11-21T10:00:0${number}.000Z`,
      })),
    );
    const codexHomes = [home];
    for (
      const cursor of [
        `2026-11-21T10-00-02|${testId(2)}`,
        "2026-11-21T10-00-02",
        "2026-11-21T10:00:02Z",
        `2026-11-21T11:00:02+01:00|${testId(2)}`,
      ]
    ) assertEquals(await titlesOf({ codexHomes, cursor }), ["No 1"], cursor);
  });
});

Deno.test("listSessions() merges the sessions of several homes", async () => {
  await withFolder(async (folder) => {
    const one = await assembleHome(`${folder}/one`, { versions: ["0.44.0"] });
    const two = await assembleHome(`${folder}/two`, { versions: ["0.53.0"] });
    const { sessions } = await listSessions({
      codexHomes: [one.path, two.path],
    });
    assertEquals(
      sessions.map(({ file }) => file.path).sort(),
      [...one.sessions, ...two.sessions].map(({ path }) => path).sort(),
    );
    const starts = sessions.map(({ file }) => file.start);
    assertEquals(starts, starts.toSorted((a, b) => b - a));
  });
});

Deno.test("listSessions() prefers names to first messages as titles", async () => {
  await withHome({ versions: ["0.169.0"] }, async ({ path }) => {
    const { sessions } = await listSessions({ codexHomes: [path] });
    const named = sessions.filter(({ name }) => name !== undefined);
    assertEquals(
      named.map(({ title, head }) => [title, head.firstMessage]),
      [["Demo thread “name” 🚀", "First TUI prompt — “hi” [[shell1]]"]],
    );
  });
});

Deno.test("listSessions() sorts and filters files without a time in their names by their headers", async () => {
  await withFolder(async (home) => {
    await writeSessions(home, [
      { number: 1, started: "2026-01-01T00:00:00.000Z" },
      { number: 3, started: "2026-03-01T00:00:00.000Z" },
    ]);
    for (
      const [number, started, time] of [
        [2, "2026-02-01T00:00:00.000Z", ""],
        [4, "2026-04-01T00:00:00.000Z", "2025-13-45T99-99-99-"],
      ] as const
    ) {
      const id = testId(number);
      await writeFile(
        `${home}/sessions/2026/01/01/rollout-${time}${id}.jsonl`,
        sessionText({ id, started, message: `No ${number}` }),
      );
    }
    const options = { codexHomes: [home] };
    const all = ["No 4", "No 3", "No 2", "No 1"];
    assertEquals(await titlesOf(options), all);
    const until = Date.parse("2026-02-15T00:00:00Z");
    assertEquals(await titlesOf({ ...options, until }), ["No 2", "No 1"]);
    assertEquals(
      await titlesOf({ ...options, since: until }),
      ["No 4", "No 3"],
    );
    const first = await listSessions({ ...options, limit: 2 });
    assertEquals(
      await titlesOf({ ...options, cursor: first.nextCursor }),
      ["No 2", "No 1"],
    );
  });
});

Deno.test("listSessions() returns the same list with and without a cache, after changes too", async () => {
  await withFolder(async (folder) => {
    const home = await assembleHome(`${folder}/home`, {
      versions: ["0.8.0", "0.169.0"],
      isMessy: true,
    });
    const options = { codexHomes: [home.path] };
    const cached = { ...options, cache: `${folder}/cache` };
    const fresh = await listSessions(options);
    assertEquals(await listSessions(cached), fresh);
    assertEquals(await listSessions(cached), fresh);
    const session = fresh.sessions.find(({ head }) =>
      head.problem === undefined
    );
    if (session === undefined) throw new TypeError("there is no session");
    await Deno.writeTextFile(
      session.file.path,
      sessionText({
        id: session.head.id,
        started: "2026-11-20T00:00:00.000Z",
        message: "Something else",
      }),
    );
    const after = await listSessions(cached);
    assertEquals(after, await listSessions(options));
    assertEquals(
      after.sessions.find(({ file }) => file.path === session.file.path)?.title,
      "Something else",
    );
  });
});

Deno.test("listSessions() opens no file whose head is cached", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    const started = "2026-11-21T10:00:00.000Z";
    await writeSessions(home, [{ number: 1, started }]);
    const options = { codexHomes: [home], cache: `${folder}/cache` };
    const first = await listSessions(options);
    // Another content with the same size and time: only reading the file would notice it.
    const path = sessionPath(home, testId(1), started);
    const { size, mtime } = await Deno.stat(path);
    await Deno.writeTextFile(path, "x".repeat(size));
    await Deno.utime(path, mtime ?? 0, mtime ?? 0);
    assertEquals(await listSessions(options), first);
  });
});

Deno.test("listSessions() leaves the Codex home unchanged", async () => {
  await withFolder(async (folder) => {
    const { path } = await assembleHome(`${folder}/home`, {
      versions: ["0.169.0"],
      isMessy: true,
    });
    const before = await stateOf(path);
    await listSessions({ codexHomes: [path], cache: `${folder}/cache` });
    await listSessions({ codexHomes: [path], cache: `${path}/cache` });
    assertEquals(await stateOf(path), before);
  });
});

Deno.test("listSessions() reads only the heads that a page needs", async () => {
  await withFolder(async (home) => {
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    await writeSessions(
      home,
      numbers.map((number) => ({
        number,
        started: "2026-11-21T10:00:00.000Z",
      })),
    );
    const seen: SessionProgress[] = [];
    await listSessions({
      codexHomes: [home],
      limit: 20,
      onProgress: (progress) => void seen.push(progress),
    });
    assertEquals(seen, [{ done: 21, total: 100 }]);
  });
});

Deno.test("listSessions() refuses invalid cursors and page sizes", async () => {
  const codexHomes = ["no/such/home"];
  await assertRejects(
    () => listSessions({ codexHomes, cursor: "later" }),
    CursorError,
  );
  for (const limit of [0, -1, 1.5, NaN]) {
    await assertRejects(
      () => listSessions({ codexHomes, limit }),
      RangeError,
      `limit: it is ${limit}`,
    );
  }
});

Deno.test("listSessions() throws the reason of an aborted signal", async () => {
  await withFolder(async (home) => {
    const started = "2026-11-21T10:00:00.000Z";
    await writeSessions(home, [{ number: 1, started }]);
    const reason = new Error("enough");
    await assertRejects(
      () =>
        listSessions({
          codexHomes: [home],
          signal: AbortSignal.abort(reason),
        }),
      Error,
      "enough",
    );
  });
});

Deno.test("listSessions() lists a session in several files once, with its last file and its first title", async () => {
  await withFolder(async (home) => {
    const started = "2026-11-21T10:00:00.000Z";
    await writeSessions(home, [{ number: 1, started }]);
    const { id, files } = await writeContinued(home);
    const { sessions, total } = await listSessions({ codexHomes: [home] });
    const continued = sessions.find(({ head }) => head.id === id);
    assertEquals([sessions.length, total], [2, 2]);
    assertEquals(continued?.file.path, files.at(-1)?.path);
    assertEquals(continued?.title, "One pear");
    assertEquals(continued?.head.started, "2026-11-20T10:00:00.000Z");
    const pages = await pagesOf({ codexHomes: [home], limit: 1 });
    assertEquals(pages.length, 2);
  });
});

/** Writes a session and a number of forks, each of the one before it, without a message of its own. */
async function writeForks(home: string, count: number): Promise<void> {
  const started = "2026-11-20T10:00:00.000Z";
  await writeSessions(home, [{ number: 1, started }]);
  for (let number = 2; number < count + 2; number++) {
    const meta = {
      id: testId(number),
      timestamp: started,
      forked_from_id: testId(number - 1),
      forked_from_ordinal_exclusive: 3,
    };
    await writeFile(
      sessionPath(home, testId(number), started),
      `${
        JSON.stringify({ ordinal: 3, type: "session_meta", payload: meta })
      }\n`,
    );
  }
}

Deno.test("listSessions() titles a fork without a message as the session that its history begins with", async () => {
  await withFolder(async (home) => {
    await writeForks(home, 2);
    assertEquals(await titlesOf({ codexHomes: [home] }), Array(3).fill("No 1"));
  });
});

Deno.test("listSessions() follows the history of a fork for 64 sessions: for a thousand that would take seconds", async () => {
  await withFolder(async (home) => {
    await writeForks(home, 66);
    const titles = await titlesOf({ codexHomes: [home] });
    const named = titles.filter((title) => title === "No 1");
    assertEquals([titles.length, named.length], [67, 65]);
  });
});

Deno.test("listSessions() reads the title of a session in several files whose first file counts in another home", async () => {
  await withFolder(async (folder) => {
    const [home, other] = [`${folder}/home`, `${folder}/other`];
    const { files } = await writeContinued(home);
    const { path = "" } = files[0] ?? {};
    const copy = path.replace(home, other);
    await writeFile(copy, await Deno.readFile(path));
    await Deno.utime(path, 1_000, 1_000);
    const { sessions } = await listSessions({ codexHomes: [home, other] });
    assertEquals(sessions.map(({ title }) => title), ["One pear"]);
  });
});

const SESSIONS = [
  { number: 1, started: "2026-11-19T10:00:00.000Z", meta: { cwd: "/w" } },
  {
    number: 2,
    started: "2026-11-20T10:00:00.000Z",
    meta: { cwd: "/w/sub", git: { branch: "main" } },
  },
  {
    number: 3,
    started: "2026-11-21T10:00:00.000Z",
    meta: { cwd: "/world", git: { branch: "fix" }, originator: "codex-tui" },
  },
  { number: 4, started: "2026-11-22T10:00:00.000Z", meta: { cwd: null } },
] as const;

const CASES = [
  { name: "no condition", filter: {}, expected: [4, 3, 2, 1] },
  { name: "a folder", filter: { cwd: "/w" }, expected: [2, 1] },
  { name: "a folder with a slash", filter: { cwd: "/w/" }, expected: [2, 1] },
  { name: "a folder below", filter: { cwd: "/w/sub" }, expected: [2] },
  { name: "the root", filter: { cwd: "/" }, expected: [3, 2, 1] },
  {
    name: "a time, and later",
    filter: { since: Date.parse("2026-11-20T10:00:00.000Z") },
    expected: [4, 3, 2],
  },
  {
    name: "before a time",
    filter: { until: Date.parse("2026-11-20T10:00:00.000Z") },
    expected: [1],
  },
  {
    name: "a day",
    filter: {
      since: Date.parse("2026-11-20"),
      until: Date.parse("2026-11-21"),
    },
    expected: [2],
  },
  { name: "a branch", filter: { branch: "main" }, expected: [2] },
  { name: "an originator", filter: { originator: "codex-tui" }, expected: [3] },
  { name: "a word of the message", filter: { grep: /no 3/i }, expected: [3] },
  { name: "a word of the folder", filter: { grep: /world/ }, expected: [3] },
  {
    name: "a pattern with the flag g",
    filter: { grep: /No/g },
    expected: [4, 3, 2, 1],
  },
  { name: "a name", filter: { grep: /^renamed$/ }, expected: [1] },
  { name: "archived ones", filter: { archived: true }, expected: [4] },
  { name: "active ones", filter: { archived: false }, expected: [3, 2, 1] },
  {
    name: "several conditions",
    filter: { cwd: "/w", branch: "main", grep: /./ },
    expected: [2],
  },
] satisfies { name: string; filter: SessionFilter; expected: number[] }[];

/** Makes the home with the sessions of the filter cases. */
async function writeHome(home: string): Promise<void> {
  for (const { number, started, meta } of SESSIONS) {
    const id = testId(number);
    const path = sessionPath(home, id, started);
    const name = path.slice(path.lastIndexOf("/") + 1);
    await writeFile(
      number === 4 ? `${home}/archived_sessions/${name}` : path,
      sessionText({ id, started, message: `No ${number}`, meta })
        .replace('{"cwd":"/home/dev/proj"', "{"),
    );
  }
  await writeFile(
    `${home}/session_index.jsonl`,
    `{"id":"${testId(1)}","thread_name":"renamed"}\n`,
  );
}

Deno.test("listSessions() filters by conditions", async (t) => {
  await withFolder(async (home) => {
    await writeHome(home);
    for (const { name, filter, expected } of CASES) {
      await t.step(name, async () => {
        const { sessions } = await listSessions({
          codexHomes: [home],
          ...filter,
        });
        const ids = sessions.map(({ head }) => head.id);
        assertEquals(ids, expected.map(testId));
      });
    }
  });
});

Deno.test("listSessions() filters every page", async () => {
  await withFolder(async (home) => {
    await writeHome(home);
    const options = { codexHomes: [home], cwd: "/w", limit: 1 };
    const first = await listSessions(options);
    const second = await listSessions({ ...options, cursor: first.nextCursor });
    const ids = [first, second].flatMap(({ sessions }) =>
      sessions.map(({ head }) => head.id)
    );
    assertEquals(ids, [testId(2), testId(1)]);
    assertEquals(second.nextCursor, undefined);
  });
});

Deno.test("listSessions() filters by a folder through a link to it", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/real`);
    await Deno.symlink(`${folder}/real`, `${folder}/link`);
    const started = "2026-11-21T10:00:00.000Z";
    await writeSession(`${folder}/home`, {
      id: testId(1),
      started,
      message: "Hello",
      meta: { cwd: `${folder}/real/sub` },
    });
    const { sessions } = await listSessions({
      codexHomes: [`${folder}/home`],
      cwd: `${folder}/link`,
    });
    assertEquals(sessions.length, 1);
  });
});

Deno.test("listSessions() filters times by the header, where the name has another zone", async () => {
  await withFolder(async (home) => {
    // A UUID v4 holds no time: the name is 13 hours ahead of the header.
    const path = sessionPath(home, testId(1), "2026-11-21T23:00:00.000Z");
    const started = "2026-11-21T10:00:00.000Z";
    await writeFile(
      path,
      sessionText({ id: testId(1), started, message: "Hello" }),
    );
    const count = async (filter: SessionFilter): Promise<number> =>
      (await listSessions({ codexHomes: [home], ...filter })).sessions.length;
    assertEquals(await count({ until: Date.parse("2026-11-21T11:00:00Z") }), 1);
    assertEquals(await count({ since: Date.parse("2026-11-21T11:00:00Z") }), 0);
  });
});
