import { assertEquals, assertRejects } from "@std/assert";
import { relative } from "node:path";
import {
  getRolloutHistory,
  listConversations,
  RolloutHistoryError,
} from "../../lib/sessions/conversations.ts";
import { linesOf } from "../fixtures.ts";
import { jsonl } from "../running.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  withHome,
  writeContinued,
  writeFile,
} from "./homes.ts";

const STARTED = "2026-11-21T10:00:00.000Z";

Deno.test("listConversations() lists active sessions that have a header and a message, newest first", async () => {
  await withHome({ isMessy: true }, async (home) => {
    const { items, nextCursor } = await listConversations({
      codexHome: home.path,
      pageSize: 1_000,
    });
    assertEquals(nextCursor, undefined);
    const listed = new Set(items.map(({ path }) => path));
    assertEquals(listed.size, items.length);
    const missing = home.sessions.filter(({ path, isArchived }) =>
      !listed.has(path) && !isArchived && !home.broken.includes(path)
    );
    assertEquals(
      missing.map(({ version, scenario }) => `${version} ${scenario}`).sort(),
      [],
    );
    for (const { path, head } of items) {
      assertEquals(head[0]?.type, "session_meta", path);
      assertEquals(head.length <= 10, true);
    }
    for (const { path, isArchived } of home.sessions) {
      if (isArchived || home.broken.includes(path)) {
        assertEquals(listed.has(path), false, path);
      }
    }
  });
});

Deno.test("listConversations() returns absolute paths for a relative home", async () => {
  await withHome({ versions: ["0.169.0"] }, async (home) => {
    const codexHome = relative(Deno.cwd(), home.path);
    const { items } = await listConversations({ codexHome, pageSize: 1 });
    const path = items[0]?.path ?? "";
    assertEquals(path.startsWith(`${home.path}/sessions/`), true, path);
    const { rollout_path } = await getRolloutHistory(
      relative(Deno.cwd(), path),
    );
    assertEquals(rollout_path, path);
  });
});

Deno.test("listConversations() returns the last records of every file, if tail is set", async () => {
  await withHome({ versions: ["0.8.0", "0.169.0"] }, async (home) => {
    const { items } = await listConversations({
      codexHome: home.path,
      pageSize: 1_000,
      tail: true,
    });
    for (const { path, tail } of items) {
      const { history } = await getRolloutHistory(path);
      assertEquals(tail, JSON.parse(JSON.stringify(history.slice(-10))), path);
    }
  });
});

Deno.test("listConversations() returns the same list in pages of every size", async () => {
  await withHome({ versions: ["0.36.0"] }, async ({ path: codexHome }) => {
    const whole = await listConversations({ codexHome, pageSize: 1_000 });
    for (const pageSize of [1, 2, 7, whole.items.length]) {
      const items = [];
      let cursor: string | undefined;
      do {
        const page = await listConversations({ codexHome, pageSize, cursor });
        items.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      assertEquals(items, whole.items);
    }
  });
});

Deno.test("listConversations() returns the first ten records, normalized", async () => {
  await withFolder(async (codexHome) => {
    const path = sessionPath(codexHome, testId(1), STARTED);
    const records = Array.from({ length: 20 }, (_, i) => ({
      timestamp: STARTED,
      type: i === 0 ? "session_meta" : "event_msg",
      payload: i === 0
        ? { id: testId(1), timestamp: STARTED }
        : i === 15
        ? { type: "user_message", message: "Hello" }
        : { type: "token_count", info: null },
    }));
    await writeFile(path, `torn {\n${jsonl(records)}`);
    const options = { codexHome, pageSize: 1 };
    const { items } = await listConversations(options);
    const head = records.slice(0, 10);
    assertEquals(items, [{ path, head }]);
    const page = await listConversations({ ...options, tail: true });
    assertEquals(page.items, [{ path, head, tail: records.slice(-10) }]);
  });
});

Deno.test("listConversations() leaves out a session with a header and no message of a person", async () => {
  await withFolder(async (codexHome) => {
    const [meta = ""] = sessionText({
      id: testId(1),
      started: STARTED,
      message: "",
    }).split("\n");
    await writeFile(sessionPath(codexHome, testId(1), STARTED), `${meta}\n`);
    const page = await listConversations({ codexHome, pageSize: 1 });
    assertEquals(page, { items: [], nextCursor: undefined });
  });
});

Deno.test("listConversations() refuses an invalid page size", async () => {
  for (const pageSize of [0, 0.5, Infinity, NaN]) {
    await assertRejects(
      () => listConversations({ codexHome: "no/such/home", pageSize }),
      RangeError,
    );
  }
});

Deno.test("getRolloutHistory() returns the id, every item and the path, of every release", async () => {
  await withHome({}, async (home) => {
    for (const { path, id, scenario } of home.sessions) {
      if (
        !/^(?:msg|archive|compressed|torn_resume|agents_v2)$/.test(scenario)
      ) {
        continue;
      }
      const { type, conversation_id, history, rollout_path, failures } =
        await getRolloutHistory(path);
      assertEquals(
        [type, conversation_id, rollout_path],
        ["resumed", id, path],
      );
      assertEquals(history[0]?.type, "session_meta");
      if (path.endsWith(".zst")) continue;
      const lines = linesOf(await Deno.readFile(path));
      const glued = failures.length;
      const isGlued = history.length + glued > lines.length;
      assertEquals(
        history.length + glued,
        lines.length + (isGlued ? glued : 0),
        path,
      );
    }
  });
});

const REFUSED = [
  { name: "no content", text: "", code: "empty" },
  { name: "no header", text: "Hello\n", code: "no_header" },
  {
    name: "a header of an unknown history mode",
    text: sessionText({
      id: testId(1),
      started: STARTED,
      message: "Hello",
      meta: { history_mode: "holographic" },
    }),
    code: "unknown_history_mode",
  },
] satisfies { name: string; text: string; code: RolloutHistoryError["code"] }[];

for (const { name, text, code } of REFUSED) {
  Deno.test(`getRolloutHistory() refuses a file with ${name}`, async () => {
    await withFolder(async (folder) => {
      const path = `${folder}/rollout.jsonl`;
      await writeFile(path, text);
      const error = await assertRejects(
        () => getRolloutHistory(path),
        RolloutHistoryError,
        `Cannot read the history in ${path}: `,
      );
      assertEquals([error.code, error.path], [code, path]);
    });
  });
}

Deno.test("listConversations() lists a conversation in several files once", async () => {
  await withFolder(async (codexHome) => {
    const { files } = await writeContinued(codexHome);
    const { items } = await listConversations({ codexHome, pageSize: 10 });
    assertEquals(items.map(({ path }) => path), [files.at(-1)?.path]);
  });
});

Deno.test("listConversations() lists a conversation whose last file has no message yet", async () => {
  await withFolder(async (codexHome) => {
    const { files } = await writeContinued(codexHome);
    const { path = "" } = files.at(-1) ?? {};
    const [header = ""] = (await Deno.readTextFile(path)).split("\n");
    await Deno.writeTextFile(path, `${header}\n`);
    const { items } = await listConversations({ codexHome, pageSize: 10 });
    assertEquals(items.map(({ path }) => path), [path]);
  });
});
