import { resolve } from "node:path";
import { assertEquals, assertRejects } from "@std/assert";
import {
  AmbiguousSessionError,
  findLastSession,
  findSession,
  SessionNotFoundError,
} from "../../lib/sessions/session_lookup.ts";
import { readSessionLineage } from "../../lib/sessions/session_lineage.ts";
import { encode } from "../running.ts";
import { zstd } from "../sources.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  withHome,
  writeContinued,
  writeFile,
  writeSession,
} from "./homes.ts";

const STARTED = "2026-11-21T10:00:00.000Z";
const ONE = "01a1f99d-5874-7011-9c38-b543d19d65ba";
const TWO = "01a1f99d-59ba-74e2-9e5b-cff8d18bab72";
const THREE = "bead0000-60af-4fa9-81ca-427559113a4c";
const IDS = [ONE, TWO, THREE];
const TEXT = sessionText({ id: ONE, started: STARTED, message: "Hello" });

/** Makes a home of three sessions with names, and passes it to a test. */
async function withNames(
  use: (home: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (home) => {
    for (const id of IDS) {
      await writeSession(home, { id, started: STARTED, message: "Hello" });
    }
    const rows = [
      [ONE, "Tests"],
      [TWO, "tests"],
      [THREE, "An old name"],
      [THREE, "Both 🚀"],
      [ONE, "Tests"],
      ["01a1f99d-ffff-74e2-9e5b-cff8d18bab72", "Deleted"],
    ].map(([id, name]) => JSON.stringify({ id, thread_name: name }));
    await writeFile(`${home}/session_index.jsonl`, rows.join("\n"));
    await use(home);
  });
}

const FOUND = [
  { name: "a whole id", query: ONE, expected: ONE },
  { name: "an id in upper case", query: TWO.toUpperCase(), expected: TWO },
  {
    name: "a beginning of an id that only one session has",
    query: "01a1f99d-59",
    expected: TWO,
  },
  { name: "the first letter of an id", query: "b", expected: THREE },
  { name: "a name", query: "Both 🚀", expected: THREE },
  { name: "a name in other letter case", query: "both 🚀", expected: THREE },
  {
    name: "a name in the letter case of one of several",
    query: "Tests",
    expected: ONE,
  },
  { name: "a name with space around it", query: " tests ", expected: TWO },
] satisfies { name: string; query: string; expected: string }[];

for (const { name, query, expected } of FOUND) {
  Deno.test(`findSession() finds a session by ${name}`, async () => {
    await withNames(async (home) => {
      const { head } = await findSession(query, { codexHomes: [home] });
      assertEquals(head.id, expected);
    });
  });
}

for (
  const query of [
    "",
    " ",
    "An old name",
    "Deleted",
    "01a1f99d-5875",
    "ffffffff-60af-4fa9-81ca-427559113a4c",
    "%",
    ".*",
    "no/such/file.jsonl",
  ]
) {
  Deno.test(`findSession() finds no session by ${JSON.stringify(query)}`, async () => {
    await withNames(async (home) => {
      const error = await assertRejects(
        () => findSession(query, { codexHomes: [home] }),
        SessionNotFoundError,
      );
      assertEquals([error.query, error.codexHomes], [query, [home]]);
    });
  });
}

Deno.test("findSession() reports the candidates of an ambiguous id", async () => {
  await withNames(async (home) => {
    const error = await assertRejects(
      () => findSession("01A1F99D", { codexHomes: [home] }),
      AmbiguousSessionError,
      'Cannot tell which session "01A1F99D" is: it could be one of 2',
    );
    assertEquals(error.candidates.map(({ head }) => head.id), [TWO, ONE]);
    assertEquals(error.shortIds.get(ONE), "01a1f99d-58");
  });
});

Deno.test("findSession() refuses a name of several sessions in a letter case of none of them", async () => {
  await withNames(async (home) => {
    const error = await assertRejects(
      () => findSession("TESTS", { codexHomes: [home] }),
      AmbiguousSessionError,
    );
    assertEquals(error.total, 2);
  });
});

const GAMMA = [
  {
    name: "the last one in the index",
    rows: [[ONE, "gamma"], [TWO, "gamma"]],
    expected: TWO,
  },
  {
    name: "the one that got it again",
    rows: [[ONE, "gamma"], [TWO, "gamma"], [ONE, "gamma"]],
    expected: ONE,
  },
  {
    name: "the one that still has it",
    rows: [[ONE, "gamma"], [TWO, "gamma"], [TWO, "delta"]],
    expected: ONE,
  },
  {
    name: "the one whose file exists",
    rows: [[ONE, "gamma"], [testId(9), "gamma"]],
    expected: ONE,
  },
] satisfies { name: string; rows: string[][]; expected: string }[];

for (const { name, rows, expected } of GAMMA) {
  Deno.test(`findSession() finds, of several sessions with one name, ${name}`, async () => {
    await withNames(async (home) => {
      await writeFile(
        `${home}/session_index.jsonl`,
        rows.map(([id, thread_name]) => JSON.stringify({ id, thread_name }))
          .join("\n"),
      );
      for (const query of ["gamma", "GAMMA"]) {
        const { head } = await findSession(query, { codexHomes: [home] });
        assertEquals(head.id, expected, query);
      }
    });
  });
}

Deno.test("findSession() reports at most 20 candidates, each with a beginning of its id that no other session has", async () => {
  await withFolder(async (home) => {
    const ids = Array.from({ length: 40 }, (_, i) => testId(i));
    for (const id of ids) {
      await writeSession(home, { id, started: STARTED, message: "Hello" });
    }
    const error = await assertRejects(
      () => findSession(testId(0).slice(0, 8), { codexHomes: [home] }),
      AmbiguousSessionError,
    );
    assertEquals([error.candidates.length, error.total], [20, 40]);
    for (const { head } of error.candidates) {
      const short = error.shortIds.get(head.id) ?? "";
      const same = ids.filter((id) => id.startsWith(short));
      assertEquals(same, [head.id]);
    }
  });
});

Deno.test("findSession() accepts a name that looks like a path below a file", async () => {
  await withNames(async (home) => {
    await writeFile(`${home}/feat`, "");
    const name = `${home}/feat/login`;
    const row = JSON.stringify({ id: ONE, thread_name: name });
    await writeFile(`${home}/session_index.jsonl`, row);
    const { head } = await findSession(name, { codexHomes: [home] });
    assertEquals(head.id, ONE);
  });
});

Deno.test("findSession() reports an ambiguity between a name and the beginning of an id", async () => {
  await withNames(async (home) => {
    const row = JSON.stringify({ id: ONE, thread_name: "bead" });
    await writeFile(`${home}/session_index.jsonl`, row);
    const error = await assertRejects(
      () => findSession("bead", { codexHomes: [home] }),
      AmbiguousSessionError,
    );
    assertEquals(
      error.candidates.map(({ head }) => head.id).sort(),
      [ONE, THREE],
    );
  });
});

Deno.test("findSession() accepts a path, also one outside of all homes", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/elsewhere/mine.jsonl`;
    await writeFile(path, TEXT);
    const { file, head } = await findSession(path, { codexHomes: [] });
    assertEquals(
      [file.path, file.home, head.id],
      [path, `${folder}/elsewhere`, ONE],
    );
  });
});

Deno.test("findSession() accepts a file of any name, unless a session has that name", async () => {
  const { file } = await findSession("LICENSE", { codexHomes: [] });
  assertEquals(file.path, resolve("LICENSE"));
  await withNames(async (home) => {
    const row = JSON.stringify({ id: TWO, thread_name: "LICENSE" });
    await Deno.writeTextFile(`${home}/session_index.jsonl`, row);
    const { head } = await findSession("LICENSE", { codexHomes: [home] });
    assertEquals(head.id, TWO);
  });
});

Deno.test("findSession() refuses a folder", async () => {
  await assertRejects(
    () => findSession("docs", { codexHomes: [] }),
    SessionNotFoundError,
  );
});

Deno.test("findSession() finds the packed file of a plain path", async () => {
  await withFolder(async (home) => {
    const path = sessionPath(home, ONE, STARTED);
    await writeFile(`${path}.zst`, zstd(encode(TEXT)));
    const { file } = await findSession(path, { codexHomes: [home] });
    assertEquals([file.path, file.home], [`${path}.zst`, home]);
  });
});

Deno.test("findSession() finds the archived file of an active path", async () => {
  await withFolder(async (home) => {
    const path = sessionPath(home, ONE, STARTED);
    const name = path.slice(path.lastIndexOf("/"));
    const archived = `${home}/archived_sessions${name}`;
    await writeFile(archived, TEXT);
    const { file } = await findSession(path, { codexHomes: [home] });
    assertEquals([file.path, file.isArchived], [archived, true]);
  });
});

Deno.test("findSession() finds a renamed file by its id", async () => {
  await withFolder(async (home) => {
    const paths = [
      `${home}/sessions/rollout-mine.jsonl`,
      sessionPath(home, testId(5), STARTED),
    ];
    for (const path of paths) {
      await writeFile(path, TEXT);
      const { file } = await findSession(ONE, { codexHomes: [home] });
      assertEquals(file.path, path);
      await Deno.remove(path);
    }
  });
});

Deno.test("findSession() finds a renamed file by its id in upper case, a beginning of it, and its name", async () => {
  await withNames(async (home) => {
    const id = "FACE0000-60af-4fa9-81ca-427559113a4c";
    const path = `${home}/sessions/rollout-mine.jsonl`;
    await writeFile(path, sessionText({ id, started: STARTED, message: "Hi" }));
    const row = { id: id.toLowerCase(), thread_name: "Renamed" };
    await writeFile(`${home}/session_index.jsonl`, JSON.stringify(row));
    for (const query of [id, "face0000", "Renamed"]) {
      const { file } = await findSession(query, { codexHomes: [home] });
      assertEquals(file.path, path, query);
    }
  });
});

Deno.test("findSession() ignores a copy with another file name", async () => {
  await withNames(async (home) => {
    const path = `${home}/sessions/rollout-copy.jsonl`;
    await writeFile(path, TEXT);
    for (const query of [ONE, ONE.slice(0, 13), "Tests"]) {
      const { file } = await findSession(query, { codexHomes: [home] });
      assertEquals(file.path, sessionPath(home, ONE, STARTED), query);
    }
  });
});

Deno.test("findSession() uses the name in the home of an older copy", async () => {
  await withNames(async (home) => {
    await withFolder(async (other) => {
      const path = sessionPath(other, THREE, STARTED);
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), {
        recursive: true,
      });
      const older = sessionPath(home, THREE, STARTED);
      await Deno.copyFile(older, path);
      await Deno.utime(older, 1_000, 1_000);
      const options = { codexHomes: [home, other] };
      const { file, name } = await findSession("Both 🚀", options);
      assertEquals([file.path, name], [path, "Both 🚀"]);
    });
  });
});

Deno.test("findSession() finds every session of a release by its id", async () => {
  await withHome({ versions: ["0.20.0", "0.169.0"] }, async (home) => {
    const options = { codexHomes: [home.path], cache: `${home.path}-cache` };
    for (const { id, path } of home.sessions) {
      assertEquals((await findSession(id, options)).file.path, path);
    }
  });
});

/** Writes a session with a modification time in seconds since 1970. */
async function writeAt(
  home: string,
  number: number,
  { time, folder, meta = {} }: {
    readonly time: number;
    readonly folder?: string;
    readonly meta?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const id = testId(number);
  const plain = sessionPath(home, id, STARTED);
  const path = folder === undefined
    ? plain
    : `${home}/${folder}${plain.slice(plain.lastIndexOf("/"))}`;
  await writeFile(
    path,
    sessionText({ id, started: STARTED, message: `No ${number}`, meta }),
  );
  await Deno.utime(path, time, time);
}

Deno.test("findLastSession() returns the active main session that was written to last", async () => {
  await withFolder(async (home) => {
    await writeAt(home, 1, { time: 3_000 });
    await writeAt(home, 2, { time: 2_000 });
    await writeAt(home, 3, {
      time: 4_000,
      meta: { source: { subagent: "review" } },
    });
    await writeAt(home, 4, { time: 5_000, folder: "archived_sessions" });
    await writeFile(sessionPath(home, testId(5), STARTED), "");
    const { title } = await findLastSession({ codexHomes: [home] });
    assertEquals(title, "No 1");
  });
});

Deno.test("findLastSession() returns the newest of several sessions written to at one time", async () => {
  await withFolder(async (home) => {
    for (const number of [1, 3, 2]) {
      await writeAt(home, number, { time: 3_000 });
    }
    const { title } = await findLastSession({ codexHomes: [home] });
    assertEquals(title, "No 3");
  });
});

Deno.test("findLastSession() returns an archived session or a sub-agent, if there is no other session", async () => {
  await withFolder(async (home) => {
    const meta = { source: { subagent: "review" } };
    await writeAt(home, 1, { time: 3_000, meta });
    const options = { codexHomes: [home] };
    assertEquals((await findLastSession(options)).title, "No 1");
    await writeAt(home, 2, { time: 2_000, folder: "archived_sessions" });
    assertEquals((await findLastSession(options)).title, "No 2");
  });
});

Deno.test("findLastSession() reports that there is no session", async () => {
  const error = await assertRejects(
    () => findLastSession({ codexHomes: ["no/such/home"] }),
    SessionNotFoundError,
    "Cannot find a session: it is not in no/such/home",
  );
  assertEquals(error.query, undefined);
});

Deno.test("findSession() finds the last file of a session in several files", async () => {
  await withFolder(async (home) => {
    const options = { codexHomes: [home] };
    const { id, files } = await writeContinued(home);
    const [first, second, last] = files.map(({ path }) => path);
    await writeFile(
      `${home}/session_index.jsonl`,
      JSON.stringify({ id, thread_name: "Fruit" }),
    );
    for (const query of [id, id.toUpperCase(), id.slice(0, -1), "Fruit"]) {
      assertEquals((await findSession(query, options)).file.path, last, query);
    }
    // The id or path of one of the files finds that file.
    const { file } = await findSession(files[1]?.id ?? "", options);
    assertEquals(file.path, second);
    assertEquals((await findSession(`${first}`, options)).file.path, first);
    for (const path of [second, last]) {
      await Deno.utime(`${path}`, 1_000, 1_000);
    }
    assertEquals((await findLastSession(options)).file.path, last);
    const { parts, missing } = await readSessionLineage(
      { path: `${last}` },
      options,
    );
    assertEquals(missing, undefined);
    assertEquals(parts.map(({ path }) => path), [first, second, last]);
  });
});
