import { assertEquals } from "@std/assert";
import {
  listSessions,
  measureSession,
  type SessionSize,
  type SpareSession,
  spareSessions,
} from "../../lib/sessions/sessions.ts";
import {
  sessionPath,
  sessionText,
  stateOf,
  testId,
  withFolder,
  withHome,
  writeFile,
  writeReverted,
} from "./homes.ts";

async function measured(home: string): Promise<SessionSize[]> {
  const { sessions } = await listSessions({ codexHomes: [home] });
  return (await Promise.all(sessions.map(measureSession))).flat();
}

Deno.test("measureSession() returns the size of every file, and parts that sum up to it", async () => {
  await withHome({ isMessy: true }, async ({ path, sessions: all }) => {
    const before = await stateOf(path);
    const sessions = await measured(path);
    const ids = new Set(sessions.map(({ id }) => id));
    assertEquals(all.filter(({ id }) => !ids.has(id)), []);
    for (const { file, bytes, diskBytes, parts, problem } of sessions) {
      const sum = Object.values(parts).reduce((a, b) => a + b, 0);
      assertEquals(sum, bytes, file.path);
      if (problem !== undefined) continue;
      assertEquals(diskBytes, file.size, file.path);
      if (file.compression === "none") {
        assertEquals(bytes, file.size, file.path);
      }
    }
    assertEquals(sessions.some(({ kind }) => kind === "copy"), true);
    assertEquals(await stateOf(path), before);
  });
});

Deno.test("spareSessions() returns sessions that can be removed, but no origin of a fork", async () => {
  await withFolder(async (home) => {
    const add = async (
      number: number,
      meta: Readonly<Record<string, unknown>> = {},
      options: { isArchived?: boolean; more?: string; written?: string } = {},
    ): Promise<void> => {
      const started = `2026-11-20T10:0${number}:00.000Z`;
      const id = testId(number);
      const path = sessionPath(home, id, started);
      const to = options.isArchived
        ? `${home}/archived_sessions/${path.slice(path.lastIndexOf("/") + 1)}`
        : path;
      const message = "Fix it";
      const text = sessionText({ id, started, message, meta });
      await writeFile(to, text + (options.more ?? ""));
      const time = Date.parse(options.written ?? started) / 1000;
      await Deno.utime(to, time, time);
    };
    await add(1);
    await add(2, {}, { isArchived: true });
    // The first fork has a copy of its origin's history, the second one only refers to it. The last
    // one has copied what was written after the first.
    await add(3, {}, { written: "2026-11-20T10:08:00.000Z" });
    const copy = sessionText({
      id: testId(3),
      started: "2026-11-20T10:04:00.000Z",
      message: "Fix it",
    });
    await add(4, { forked_from_id: testId(3) }, { more: copy });
    await add(5, {}, { isArchived: true });
    await add(6, {
      forked_from_id: testId(5),
      history_base: { thread_id: testId(5), end_ordinal_exclusive: 3 },
    });
    await add(7, {
      source: { subagent: { thread_spawn: { parent_thread_id: testId(99) } } },
    });
    await add(8, {
      source: { subagent: { thread_spawn: { parent_thread_id: testId(1) } } },
    });
    await add(9, { forked_from_id: testId(3) }, { more: copy });
    const spare = spareSessions(await measured(home)).map((
      { id, reason, command }: SpareSession,
    ) => [id, reason, command]);
    assertEquals(spare.sort(), [
      [testId(2), "archived", "delete"],
      [testId(3), "superseded", "archive"],
      [testId(7), "orphaned", "archive"],
    ]);
  });
});

Deno.test("spareSessions() keeps an archived session that a sub-agent continues without a copy", async () => {
  await withFolder(async (home) => {
    const started = "2026-11-20T10:00:00.000Z";
    const path = sessionPath(home, testId(1), started);
    await writeFile(
      `${home}/archived_sessions${path.slice(path.lastIndexOf("/"))}`,
      sessionText({ id: testId(1), started, message: "Fix it" }),
    );
    const meta = {
      parent_thread_id: testId(1),
      source: { subagent: { thread_spawn: { parent_thread_id: testId(1) } } },
    };
    for (const history_base of [undefined, { thread_id: testId(1) }]) {
      const base = history_base &&
        { ...history_base, end_ordinal_exclusive: 3 };
      const agent = { id: testId(2), started, message: "Look" };
      await writeFile(
        sessionPath(home, agent.id, started),
        sessionText({ ...agent, meta: { ...meta, history_base: base } }),
      );
      const ids = spareSessions(await measured(home)).map(({ id }) => id);
      assertEquals(ids, base === undefined ? [testId(1)] : []);
    }
  });
});

Deno.test("measureSession() gives all files of a session its title, and spareSessions() removes them at once", async () => {
  await withFolder(async (home) => {
    const { id, paths } = await writeReverted(home);
    const names = JSON.stringify({ id, thread_name: "Fruit" });
    await writeFile(`${home}/session_index.jsonl`, `${names}\n`);
    await Deno.mkdir(`${home}/archived_sessions`);
    for (const path of paths) {
      const name = path.slice(path.lastIndexOf("/"));
      await Deno.rename(path, `${home}/archived_sessions${name}`);
    }
    const sizes = await measured(home);
    assertEquals(sizes.map(({ title }) => title), ["Fruit", "Fruit"]);
    const diskBytes = sizes.reduce((sum, size) => sum + size.diskBytes, 0);
    assertEquals(spareSessions(sizes), [
      { id, diskBytes, reason: "archived", command: "delete" },
    ]);
  });
});
