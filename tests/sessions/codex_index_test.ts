import { assertEquals } from "@std/assert";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  hiddenFromCodex,
  type HiddenSessions,
  listSessions,
} from "../../lib/sessions/sessions.ts";
import {
  entriesOf,
  sessionPath,
  testId,
  withFolder,
  writeFile,
  writeSession,
} from "./homes.ts";

const STARTED = "2026-11-20T10:00:00.000Z";

/** Makes a home of three sessions, the last one of which is torn. */
async function withThree(
  use: (home: string, paths: readonly string[]) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    const paths: string[] = [];
    for (const id of [1, 2, 3].map(testId)) {
      paths.push(
        await writeSession(home, { id, started: STARTED, message: "Fix it" }),
      );
    }
    await writeFile(paths.at(-1) ?? "", '{"timestamp":"20');
    await use(home, paths);
  });
}

/** Makes an index as 0.169 does, with the tables and columns that are read. */
function makeIndex(
  file: string,
  rows: readonly (readonly [id: string, path: string])[],
  { status = "complete", isOpen = false } = {},
): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(
    "PRAGMA journal_mode = wal;" +
      "CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, archived INTEGER);" +
      "CREATE TABLE backfill_state (id INTEGER, status TEXT);" +
      `INSERT INTO backfill_state VALUES (1, '${status}');`,
  );
  const insert = database.prepare("INSERT INTO threads VALUES (?, ?, 0)");
  for (const row of rows) insert.run(...row);
  if (!isOpen) database.close();
  return database;
}

async function look(home: string): Promise<HiddenSessions> {
  const { sessions } = await listSessions({ codexHomes: [home] });
  return await hiddenFromCodex(sessions, { cache: `${home}/../cache` });
}

Deno.test("hiddenFromCodex() reports sessions that Codex's index lacks or refuses", async () => {
  await withThree(async (home, [one = "", two = "", three = ""]) => {
    makeIndex(`${home}/state_5.sqlite`, [[testId(1), one]]);
    // An index that an older release left behind.
    makeIndex(`${home}/state_4.sqlite`, []);
    const before = await entriesOf(home);
    const { hidden, indexes } = await look(home);
    assertEquals(Object.fromEntries(hidden), {
      [two]: "unindexed",
      [three]: "refused",
    });
    assertEquals(indexes.map(({ state, file }) => [state, file]), [
      ["read", `${home}/state_5.sqlite`],
    ]);
    assertEquals(await entriesOf(home), before);
    assertEquals(await entriesOf(`${home}/../cache`), []);
  });
});

Deno.test("hiddenFromCodex() treats a packed path as the plain one, and reports a session indexed at another path", async () => {
  await withThree(async (home, [one = "", two = ""]) => {
    makeIndex(`${home}/state_5.sqlite`, [
      [testId(1), `${one}.zst`],
      [testId(2), "/elsewhere/rollout.jsonl"],
    ]);
    const { hidden } = await look(home);
    assertEquals([hidden.get(one), hidden.get(two)], [undefined, "moved"]);
  });
});

Deno.test("hiddenFromCodex() reports sessions that the index has without a message, but no agents", async () => {
  await withThree(async (home, [one = "", two = ""]) => {
    const database = makeIndex(`${home}/state_5.sqlite`, [
      [testId(1), one],
      [testId(2), two],
      [testId(4), sessionPath(home, testId(4), STARTED)],
    ], { isOpen: true });
    database.exec("ALTER TABLE threads ADD COLUMN preview TEXT");
    database.exec(
      `UPDATE threads SET preview = iif(id = '${testId(1)}', 'Fix it', '')`,
    );
    database.close();
    await writeSession(home, {
      id: testId(4),
      started: STARTED,
      message: "Check it",
      meta: { source: { subagent: "review" } },
    });
    const { hidden } = await look(home);
    assertEquals([...hidden.values()].sort(), ["no_message", "refused"]);
    assertEquals(hidden.get(two), "no_message");
  });
});

Deno.test("hiddenFromCodex() finds a session at its path if the home is a link", async () => {
  await withThree(async (home, [one = "", two = ""]) => {
    const link = `${home}/../link`;
    await Deno.symlink(home, link);
    const asLink = (path: string) => path.replace(home, link);
    // Codex resolves the link in CODEX_HOME, but not that of a default home.
    makeIndex(`${home}/state_5.sqlite`, [
      [testId(1), one],
      [testId(2), asLink(two)],
    ]);
    for (
      const [codexHome, paths] of [
        [home, [one, two]],
        [link, [asLink(one), asLink(two)]],
      ] as const
    ) {
      const { hidden } = await look(codexHome);
      assertEquals(
        paths.map((path) => hidden.get(resolve(path))),
        [undefined, undefined],
      );
      assertEquals(hidden.size, 1);
    }
  });
});

Deno.test("hiddenFromCodex() reads every index of a home: the desktop app and the settings put one elsewhere", async () => {
  await withThree(async (home, [one = "", two = ""]) => {
    const variables: Readonly<Record<string, string>> = {
      CODEX_SQLITE_HOME: `${home}/env`,
      HOME: home,
      USERPROFILE: home,
    };
    const env = (name: string) => variables[name];
    const { sessions } = await listSessions({ codexHomes: [home] });
    const shown = async () => {
      const { hidden, indexes } = await hiddenFromCodex(sessions, { env });
      const names = indexes.map(({ file }) => file?.replace(`${home}/`, ""));
      return [names, hidden.get(one), hidden.get(two)];
    };
    const name = "state_5.sqlite";
    makeIndex(`${home}/${name}`, [[testId(1), one]]);
    assertEquals(await shown(), [[name], undefined, "unindexed"]);
    for (
      const [folder, setting] of [
        ["sqlite"],
        ["env"],
        ["named", 'sqlite_home = "named"'],
        ["tilde", "\tsqlite_home\t= '~/tilde'"],
      ] as const
    ) {
      await Deno.mkdir(`${home}/${folder}`);
      makeIndex(`${home}/${folder}/${name}`, [[testId(2), two]]);
      if (setting !== undefined) {
        await writeFile(`${home}/config.toml`, `model = "m"\n${setting}\n`);
      }
      const names = [name, `${folder}/${name}`];
      assertEquals(await shown(), [names, undefined, undefined]);
      await Deno.remove(`${home}/${folder}/${name}`);
    }
  });
});

Deno.test("hiddenFromCodex() reads rows that are only in the write-ahead log of an open database", async () => {
  await withThree(async (home, [one = "", two = ""]) => {
    const database = makeIndex(
      `${home}/state_5.sqlite`,
      [[testId(1), one], [testId(2), two]],
      { isOpen: true },
    );
    const { hidden } = await look(home);
    database.close();
    assertEquals([hidden.get(one), hidden.get(two)], [undefined, undefined]);
  });
});

Deno.test("hiddenFromCodex() reports indexes of unknown layout, and marks no session by them", async () => {
  await withThree(async (home, [one = ""]) => {
    assertEquals((await look(home)).indexes[0]?.state, "none");
    const file = `${home}/state_9.sqlite`;
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE sessions (id TEXT)");
    database.close();
    const newer = await look(home);
    assertEquals(newer.indexes.map(({ state, reason }) => [state, reason]), [
      ["unknown", "its layout is not known"],
    ]);
    assertEquals(newer.hidden.get(one), undefined);
    await Deno.writeTextFile(file, "no database at all");
    assertEquals((await look(home)).indexes[0]?.state, "unknown");
    await Deno.remove(file);
    makeIndex(file, [], { status: "running" });
    const filling = await look(home);
    assertEquals(filling.indexes[0]?.reason, "it is still being filled");
  });
});
