/**
 * Tests how the database of the index is opened, refused and rebuilt.
 *
 * @module
 */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { withSessionIndex } from "../../lib/sessions/session_index_database.ts";
import {
  SessionIndexError,
  type SessionIndexErrorKind,
} from "../../lib/sessions/session_index_error.ts";
import { sessionIndexPath } from "../../lib/sessions/session_index_path.ts";
import { INDEX_VERSION } from "../../lib/sessions/session_index_tables.ts";
import {
  entriesOf,
  sessionPath,
  testId,
  withFolder,
  writeFile,
  writeSession,
} from "./homes.ts";
import {
  contentOf,
  find,
  type IndexedHome,
  indexIn,
  refresh,
} from "./indexes.ts";

const STARTED = "2026-01-02T03:04:05.000Z";

/** Makes a home of 40 sessions, and the index of it. */
async function withIndex(
  use: (index: IndexedHome) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    for (let number = 1; number <= 40; number++) {
      const id = testId(number);
      const message = `elephant ${number} ${"and more ".repeat(50)}`;
      await writeSession(`${folder}/home`, { id, started: STARTED, message });
    }
    const index = indexIn(folder);
    await refresh(index);
    await use(index);
  });
}

/** Changes the database over another connection. */
function tamper({ path }: IndexedHome, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

/** Overwrites a part of the file, after its write-ahead log was written into it. */
async function damage(
  { path }: IndexedHome,
  from: number,
  to: number,
): Promise<void> {
  tamper({ path, codexHomes: [] }, "PRAGMA wal_checkpoint(TRUNCATE)");
  const bytes = await Deno.readFile(path);
  bytes.fill(
    0xa5,
    Math.floor(from * bytes.length),
    Math.floor(to * bytes.length),
  );
  await Deno.writeFile(path, bytes);
}

Deno.test("withSessionIndex() leaves a valid index unchanged", async () => {
  await withIndex(async (index) => {
    const content = contentOf(index);
    await withSessionIndex(index, () => Promise.resolve());
    assertEquals(contentOf(index), content);
  });
});

const FOREIGN = [
  { name: "a text", content: () => "Dear diary".repeat(1_000) },
  { name: "a short text", content: () => "x" },
  { name: "only zeros", content: () => new Uint8Array(5_000) },
] satisfies { name: string; content: () => string | Uint8Array }[];

for (const { name, content } of FOREIGN) {
  Deno.test(`withSessionIndex() refuses a file that is ${name}, and leaves it unchanged`, async () => {
    await withFolder(async (folder) => {
      const index = indexIn(folder);
      await writeFile(index.path, content());
      const before = await Deno.readFile(index.path);
      for (const rebuild of [false, true]) {
        await assertKind(() => refresh({ ...index, rebuild }), "foreign");
      }
      assertEquals(await Deno.readFile(index.path), before);
      assertEquals(await entriesOf(folder), ["index.sqlite"]);
    });
  });
}

for (const { name, content } of FOREIGN) {
  Deno.test(`withSessionIndex() rebuilds an index that was overwritten with ${name}`, async () => {
    await withIndex(async (index) => {
      const before = contentOf(index);
      await writeFile(index.path, content());
      await refresh(index);
      assertEquals(contentOf(index), before);
    });
  });
}

Deno.test("withSessionIndex() refuses the database of another program at the path of an index", async () => {
  await withIndex(async (index) => {
    for (const suffix of ["", "-wal", "-shm"]) {
      await Deno.remove(index.path + suffix).catch(() => {});
    }
    tamper(index, "CREATE TABLE recipes(id); PRAGMA user_version = 7");
    const before = await Deno.readFile(index.path);
    await assertKind(() => refresh(index), "foreign");
    assertEquals(await Deno.readFile(index.path), before);
  });
});

Deno.test("withSessionIndex() refuses the database of another program", async () => {
  await withFolder(async (folder) => {
    const index = indexIn(folder);
    tamper(index, "CREATE TABLE recipes(id); PRAGMA user_version = 7");
    const before = await Deno.readFile(index.path);
    await assertKind(() => refresh(index), "foreign");
    assertEquals(await Deno.readFile(index.path), before);
  });
});

Deno.test("withSessionIndex() refuses the index of a newer version", async () => {
  await withIndex(async (index) => {
    tamper(index, `PRAGMA user_version = ${INDEX_VERSION + 1}`);
    await assertKind(() => refresh(index), "newer");
  });
});

Deno.test("withSessionIndex() reports a path that cannot be opened", async () => {
  await withFolder(async (folder) => {
    await writeFile(`${folder}/file`, "");
    await assertKind(
      () => refresh({ codexHomes: [], path: `${folder}/file/index.sqlite` }),
      "io",
    );
    await assertKind(() => refresh({ codexHomes: [], path: folder }), "io");
  });
});

Deno.test({
  name: "withSessionIndex() refuses a device, and does not open it",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withFolder(async (folder) => {
      const index = indexIn(folder);
      await Deno.symlink("/dev/null", index.path);
      await assertKind(() => refresh(index), "foreign");
    });
  },
});

Deno.test("withSessionIndex() uses an empty file for an index", async () => {
  await withFolder(async (folder) => {
    const index = indexIn(folder);
    await writeFile(index.path, "");
    assertEquals((await refresh(index)).files, 0);
  });
});

Deno.test({
  name: "withSessionIndex() makes an index that only its owner can read",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withIndex(async ({ path }) => {
      assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    });
  },
});

Deno.test("withSessionIndex() rebuilds an older index", async () => {
  await withIndex(async (index) => {
    const content = contentOf(index);
    tamper(
      index,
      `DROP TABLE records; CREATE TABLE records(other);
       PRAGMA user_version = ${INDEX_VERSION - 1}`,
    );
    assertEquals((await refresh(index)).added, 40);
    assertEquals(contentOf(index), content);
  });
});

Deno.test("withSessionIndex() rebuilds an index on request", async () => {
  await withIndex(async (index) => {
    const content = contentOf(index);
    assertEquals((await refresh({ ...index, rebuild: true })).added, 40);
    assertEquals(contentOf(index), content);
  });
});

const DAMAGES = [
  { name: "schema", from: 0.001, to: 0.02 },
  { name: "first half", from: 0.01, to: 0.5 },
  { name: "second half", from: 0.5, to: 1 },
  { name: "content, nearly all of it,", from: 0.002, to: 1 },
] satisfies { name: string; from: number; to: number }[];

for (const { name, from, to } of DAMAGES) {
  Deno.test(`withSessionIndex() repairs an index whose ${name} is overwritten`, async () => {
    await withIndex(async (index) => {
      const content = contentOf(index);
      await damage(index, from, to);
      // A new file makes sure that the damaged pages are read.
      const id = testId(99);
      await writeSession(index.codexHomes[0] ?? "", {
        id,
        started: STARTED,
        message: "elephant 99",
      });
      const hits = await find(index, "elephant", { refresh: true });
      assertEquals(hits.length, 41);
      await Deno.remove(sessionPath(index.codexHomes[0] ?? "", id, STARTED));
      await refresh(index);
      assertEquals(contentOf(index), content);
    });
  });
}

Deno.test("withSessionIndex() repairs an index that lacks a table", async () => {
  await withIndex(async (index) => {
    const content = contentOf(index);
    tamper(index, "DROP TABLE words");
    assertEquals(
      (await find(index, "elephant", { refresh: true })).length,
      40,
    );
    assertEquals(contentOf(index), content);
  });
});

Deno.test("withSessionIndex() repairs an index with a flipped bit in the format of a table", async () => {
  await withIndex(async (index) => {
    const content = contentOf(index);
    tamper(index, "PRAGMA wal_checkpoint(TRUNCATE)");
    const bytes = await Deno.readFile(index.path);
    // The format of full-text tables is 4: an integer of one byte behind its name.
    const at = new TextDecoder("latin1").decode(bytes).indexOf("version\x04");
    bytes[at + "version".length] = 0x84;
    await Deno.writeFile(index.path, bytes);
    assertEquals(
      (await find(index, "elephant", { refresh: true })).length,
      40,
    );
    assertEquals(contentOf(index), content);
  });
});

Deno.test("withSessionIndex() repairs an index with a flipped bit in the name of a column", async () => {
  await withIndex(async (index) => {
    const content = contentOf(index);
    const expected = await find(index, "elephant");
    tamper(index, "PRAGMA wal_checkpoint(TRUNCATE)");
    const bytes = await Deno.readFile(index.path);
    // Another case of its first letter: the name in the schema, which is still that of the column.
    const at = new TextDecoder("latin1").decode(bytes).indexOf("title TEXT");
    bytes[at] = "T".charCodeAt(0);
    await Deno.writeFile(index.path, bytes);
    const hits = await find(index, "elephant", { refresh: true });
    assertEquals(hits, expected);
    assertEquals(contentOf(index), content);
  });
});

Deno.test("withSessionIndex() overwrites any file at its default path", async () => {
  await withFolder(async (folder) => {
    const index = { ...indexIn(folder), isOwnPath: true };
    await writeFile(index.path, "not a database ".repeat(1_000));
    assertEquals((await refresh(index)).files, 0);
    assertEquals((await refresh(indexIn(folder))).files, 0);
  });
});

/** A process that writes into an index, and keeps it open until its stdin ends. */
const WRITER = `
  import { DatabaseSync } from "node:sqlite";
  const database = new DatabaseSync(Deno.args[0]);
  database.exec("DELETE FROM checkpoints");
  console.log("written");
  await Deno.stdin.read(new Uint8Array(1));
  database.close();
`;

Deno.test({
  name: "withSessionIndex() rebuilds an index that was deleted in use",
  // Windows cannot delete a file in use.
  ignore: Deno.build.os === "windows",
  async fn() {
    await withIndex(async (index) => {
      const content = contentOf(index);
      // Another process: locks have no effect within one process.
      const other = new Deno.Command(Deno.execPath(), {
        args: ["eval", WRITER, index.path],
        stdin: "piped",
        stdout: "piped",
      }).spawn();
      const output = other.stdout.getReader();
      await output.read();
      await Deno.remove(index.path);
      assertEquals((await refresh(index)).added, 40);
      await other.stdin.close();
      await other.status;
      await output.cancel();
      assertEquals(contentOf(index), content);
    });
  },
});

Deno.test("withSessionIndex() opens a new index that another process writes to before it has a log", async () => {
  await withIndex(async (index) => {
    const other = new DatabaseSync(index.path);
    other.exec("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE");
    const modeOf = (): Promise<unknown> =>
      withSessionIndex(
        index,
        (database) => Promise.resolve(database.get("PRAGMA journal_mode")),
      );
    assertEquals({ ...await modeOf() as object }, { journal_mode: "delete" });
    other.close();
    assertEquals({ ...await modeOf() as object }, { journal_mode: "wal" });
  });
});

Deno.test("withSessionIndex() lets SQLite wait for other processes, and reports those that write for too long", async () => {
  await withIndex(async (index) => {
    const other = new DatabaseSync(index.path);
    other.exec("BEGIN IMMEDIATE");
    await withSessionIndex(index, (database) => {
      const waits = database.get("PRAGMA busy_timeout");
      assertEquals(waits?.timeout, 5_000);
      database.get("PRAGMA busy_timeout = 0");
      const error = assertThrows(
        () => database.transaction(() => {}),
        SessionIndexError,
      );
      assertEquals(error.kind, "busy");
      other.close();
      return Promise.resolve(database.transaction(() => {}));
    });
  });
});

Deno.test("transaction() rolls back if its function throws", async () => {
  await withIndex(async (index) => {
    const content = contentOf(index);
    await assertRejects(
      () =>
        withSessionIndex(index, (database) => {
          return database.transaction(() => {
            database.run("DELETE FROM messages");
            throw new RangeError("no");
          });
        }),
      RangeError,
    );
    assertEquals(contentOf(index), content);
  });
});

Deno.test("sessionIndexPath() is in the cache folder, if there is one", () => {
  const env = (name: string): string | undefined =>
    name === "HOME" ? "/home/me" : undefined;
  const codexHomes = ["/home/me/.codex"];
  assertEquals(
    sessionIndexPath({ codexHomes, env, platform: "linux" })
      ?.replaceAll("\\", "/").replace(/^[A-Z]:/, "").replace(
        /[\da-f]{16}/,
        "…",
      ),
    `/home/me/.cache/codexpipe/sessions-${INDEX_VERSION}-….sqlite`,
  );
  assertEquals(
    sessionIndexPath({ codexHomes, env: () => undefined }),
    undefined,
  );
});

async function assertKind(
  work: () => Promise<unknown>,
  kind: SessionIndexErrorKind,
): Promise<void> {
  const error = await assertRejects(work, SessionIndexError);
  assertEquals(error.kind, kind, error.message);
}
