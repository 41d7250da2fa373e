import { assertEquals } from "@std/assert";
import type { SessionFilter } from "../../lib/sessions/session_filter.ts";
import { listSessions } from "../../lib/sessions/session_list.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  writeFile,
} from "./homes.ts";

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
  { name: "nothing", filter: {}, expected: [4, 3, 2, 1] },
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
    name: "a pattern that remembers where it was",
    filter: { grep: /No/g },
    expected: [4, 3, 2, 1],
  },
  { name: "a name", filter: { grep: /^renamed$/ }, expected: [1] },
  { name: "archived ones", filter: { archived: true }, expected: [4] },
  { name: "active ones", filter: { archived: false }, expected: [3, 2, 1] },
  {
    name: "several things at once",
    filter: { cwd: "/w", branch: "main", grep: /./ },
    expected: [2],
  },
] satisfies { name: string; filter: SessionFilter; expected: number[] }[];

/** Makes the home that the cases are about. */
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

Deno.test("a list is about what its filter says", async (t) => {
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

Deno.test("a filter keeps its meaning from page to page", async () => {
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

Deno.test("a link to a folder stands for the folder", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/real`);
    await Deno.symlink(`${folder}/real`, `${folder}/link`);
    const started = "2026-11-21T10:00:00.000Z";
    await writeFile(
      sessionPath(`${folder}/home`, testId(1), started),
      sessionText({
        id: testId(1),
        started,
        message: "Hello",
        meta: { cwd: `${folder}/real/sub` },
      }),
    );
    const { sessions } = await listSessions({
      codexHomes: [`${folder}/home`],
      cwd: `${folder}/link`,
    });
    assertEquals(sessions.length, 1);
  });
});

Deno.test("times count by the header, where the name has another zone", async () => {
  await withFolder(async (home) => {
    // A UUID v4 does not tell the time: the name is 13 hours ahead of the header.
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
