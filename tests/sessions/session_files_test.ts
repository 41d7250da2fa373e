import { assertEquals } from "@std/assert";
import { basename } from "node:path";
import { setImmediate } from "node:timers";
import {
  findSessionFiles,
  listSessionFiles,
  lookAtAll,
  type SessionFile,
  sessionFileAt,
} from "../../lib/sessions/session_files.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  withHome,
  writeFile,
} from "./homes.ts";

const STARTED = "2026-11-21T10:00:00.000Z";
const ID = testId(1);
const TEXT = sessionText({ id: ID, started: STARTED, message: "Hello" });

/** Returns the only session file of the homes. */
async function only(...codexHomes: string[]): Promise<SessionFile> {
  const { files, problems } = await findSessionFiles({ codexHomes });
  assertEquals([files.length, problems], [1, []]);
  const [file] = files;
  if (file === undefined) throw new TypeError("there is no file");
  return file;
}

Deno.test("findSessionFiles() finds every session of every release once", async () => {
  await withHome({ isMessy: true }, async (home) => {
    const { files, problems } = await findSessionFiles({
      codexHomes: [home.path],
    });
    assertEquals(
      files.map(({ path, id, isArchived }) => [path, id, isArchived]).sort(),
      home.sessions.map(({ path, id, isArchived }) => [path, id, isArchived])
        .sort(),
    );
    assertEquals(
      problems.map(({ path, code }) => [path, code]),
      home.unreadable.map((path) => [path, "ELOOP"]),
    );
  });
});

Deno.test("findSessionFiles() returns the newest session first", async () => {
  await withHome({ versions: ["0.169.0", "0.36.0"] }, async ({ path }) => {
    const { files } = await findSessionFiles({ codexHomes: [path] });
    const starts = files.map(({ start }) => start);
    assertEquals(starts, starts.toSorted((one, other) => other - one));
  });
});

Deno.test("findSessionFiles() prefers a plain file to a packed one, even if it is older", async () => {
  await withFolder(async (home) => {
    const plain = sessionPath(home, ID, STARTED);
    await writeFile(plain, TEXT);
    await writeFile(`${plain}.zst`, TEXT);
    await Deno.utime(plain, 1_000, 1_000);
    const { path, copies, mtime } = await only(home);
    assertEquals(path, plain);
    assertEquals(copies, [`${plain}.zst`]);
    assertEquals(mtime, 1_000_000);
  });
});

Deno.test("findSessionFiles() prefers an active file to an archived one", async () => {
  await withFolder(async (home) => {
    const active = sessionPath(home, ID, STARTED);
    const name = active.slice(active.lastIndexOf("/") + 1);
    const archived = `${home}/archived_sessions/${name}`;
    await writeFile(`${active}.zst`, TEXT);
    await writeFile(archived, TEXT);
    await Deno.utime(`${active}.zst`, 1_000, 1_000);
    const { path, copies, isArchived } = await only(home);
    assertEquals([path, copies, isArchived], [
      `${active}.zst`,
      [archived],
      false,
    ]);
  });
});

Deno.test("findSessionFiles() prefers, of two homes, the file that was written to last", async () => {
  await withFolder(async (folder) => {
    const old = sessionPath(`${folder}/a`, ID, STARTED);
    const recent = sessionPath(`${folder}/b`, ID, STARTED);
    await writeFile(old, TEXT);
    await writeFile(recent, TEXT);
    await Deno.utime(old, 1_000, 1_000);
    const { path, copies, home } = await only(`${folder}/a`, `${folder}/b`);
    assertEquals([path, copies, home], [recent, [old], `${folder}/b`]);
  });
});

Deno.test("findSessionFiles() reads a home with two paths once", async () => {
  await withFolder(async (folder) => {
    await writeFile(sessionPath(`${folder}/a`, ID, STARTED), TEXT);
    await Deno.symlink(`${folder}/a`, `${folder}/b`);
    const { copies, home } = await only(`${folder}/a`, `${folder}/b`);
    assertEquals([copies, home], [[], `${folder}/a`]);
  });
});

Deno.test("findSessionFiles() follows links to the folders of years", async () => {
  await withFolder(async (folder) => {
    const real = sessionPath(`${folder}/disk`, ID, STARTED);
    await writeFile(real, TEXT);
    await Deno.mkdir(`${folder}/home/sessions`, { recursive: true });
    await Deno.symlink(
      `${folder}/disk/sessions/2026`,
      `${folder}/home/sessions/2026`,
    );
    const { path } = await only(`${folder}/home`);
    assertEquals(path, sessionPath(`${folder}/home`, ID, STARTED));
  });
});

Deno.test("findSessionFiles() keeps files without an id in their names apart", async () => {
  await withFolder(async (home) => {
    const paths = ["10", "11"].map((month) =>
      `${home}/sessions/2026/${month}/01/rollout-2026-11-21T10-00-00-my\n1.jsonl`
    );
    for (const path of paths) await writeFile(path, TEXT);
    const { files } = await findSessionFiles({ codexHomes: [home] });
    assertEquals(files.map(({ path }) => path), paths.toReversed());
    assertEquals(files.map(({ id }) => id), ["", ""]);
  });
});

Deno.test("findSessionFiles() returns a link to a missing file, with the id and time of its name", async () => {
  await withFolder(async (home) => {
    const path = sessionPath(home, ID, STARTED);
    await writeFile(path, "");
    await Deno.remove(path);
    await Deno.symlink(`${home}/nowhere`, path);
    const { size, start, id } = await only(home);
    assertEquals([size, start, id], [0, Date.parse(STARTED), ID]);
  });
});

Deno.test("findSessionFiles() returns the packed file of a plain file that is gone", async () => {
  await withFolder(async (home) => {
    const path = sessionPath(home, ID, STARTED);
    await writeFile(`${path}.zst`, "");
    // Such a link looks like a file that was removed after the folder was read.
    await Deno.symlink(`${home}/nowhere`, path);
    const file = await only(home);
    assertEquals([file.path, file.copies], [`${path}.zst`, []]);
  });
});

Deno.test("findSessionFiles() reports missing homes", async () => {
  await withFolder(async (folder) => {
    const missing = `${folder}/none`;
    assertEquals(
      await findSessionFiles({ codexHomes: [missing, folder] }),
      { files: [], problems: [], missingHomes: [missing] },
    );
  });
});

Deno.test("findSessionFiles() reports that sessions is not a folder", async () => {
  await withFolder(async (home) => {
    await writeFile(`${home}/sessions`, "");
    const { problems } = await findSessionFiles({ codexHomes: [home] });
    assertEquals(
      problems.map(({ path, code, message }) => [path, code, message]),
      [[`${home}/sessions`, "ENOTDIR", "not a directory"]],
    );
  });
});

for (
  const name of [
    `rollout-${ID}.jsonl`,
    `rollout-2025-13-45T99-99-99-${ID}.jsonl`,
    "rollout-mine.jsonl",
  ]
) {
  Deno.test(`findSessionFiles() uses the time in the header where the name has none: ${name}`, async () => {
    await withFolder(async (home) => {
      await writeFile(`${home}/sessions/2026/11/21/${name}`, TEXT);
      const { start, nameTime } = await only(home);
      assertEquals([start, nameTime], [Date.parse(STARTED), undefined]);
    });
  });
}

Deno.test("findSessionFiles() limits a modification time that is not a valid date", async () => {
  await withFolder(async (home) => {
    const path = `${home}/sessions/rollout-mine.jsonl`;
    await writeFile(path, "{}\n");
    await Deno.utime(path, 2 ** 33, 2 ** 33);
    const { start, mtime } = await only(home);
    assertEquals(start, mtime);
    assertEquals(new Date(mtime).toISOString().length > 0, true);
  });
});

Deno.test("listSessionFiles() finds a session that is archived while the folders are read", async () => {
  await withFolder(async (home) => {
    const active = sessionPath(home, ID, STARTED);
    const archived = `${home}/archived_sessions/${basename(active)}`;
    await writeFile(archived, TEXT);
    await writeFile(active, TEXT);
    await Deno.remove(archived);
    for (let turns = 0; turns < 100; turns++) {
      const listing = listSessionFiles([home]);
      for (let turn = 0; turn < turns; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Deno.rename(active, archived);
      assertEquals((await listing).files.map(({ id }) => id), [ID]);
      await Deno.rename(archived, active);
    }
  });
});

Deno.test("lookAtAll() takes more files than a call takes arguments", async () => {
  const known = await sessionFileAt("deno.json", ".");
  const files = new Array<SessionFile>(400_000).fill(known);
  assertEquals((await lookAtAll(files, -1)).length, files.length);
});

Deno.test("lookAtAll() returns the same files with fast and slow file systems", async () => {
  await withFolder(async (home) => {
    const paths: string[] = [];
    for (let number = 0; number < 200; number++) {
      const path = sessionPath(home, testId(number), STARTED);
      await writeFile(path, "{}\n");
      paths.push(path);
    }
    const { files } = await listSessionFiles([home]);
    for (const [i, path] of paths.entries()) {
      if (i % 10 === 1) await Deno.remove(path);
      if (i % 10 === 3) await Deno.rename(path, `${path}.zst`);
    }
    const expected = paths.flatMap((path, i) => {
      if (i % 10 === 1) return [];
      return [i % 10 === 3 ? `${path}.zst` : path];
    }).reverse();
    for (const fast of [-1, Infinity]) {
      const looked = await lookAtAll(files, fast);
      assertEquals(looked.map(({ path }) => path), expected);
      assertEquals(new Set(looked.map(({ size }) => size)).size, 1);
    }
  });
});

Deno.test("lookAtAll() returns sessions that were archived or restored after they were listed", async () => {
  await withFolder(async (home) => {
    const active = sessionPath(home, testId(1), STARTED);
    const restored = sessionPath(home, testId(2), STARTED);
    const placeOf = (path: string): string =>
      `${home}/archived_sessions/${basename(path)}`;
    await writeFile(active, "{}\n");
    await writeFile(placeOf(restored), "{}\n");
    const { files } = await listSessionFiles([home]);
    await Deno.rename(active, placeOf(active));
    await Deno.rename(placeOf(restored), restored);
    for (const fast of [-1, Infinity]) {
      const looked = await lookAtAll(files, fast);
      assertEquals(
        looked.map(({ path, isArchived, size }) => [path, isArchived, size]),
        [[restored, false, 3], [placeOf(active), true, 3]],
      );
    }
  });
});

Deno.test("lookAtAll() knows that a session goes on in a later file after the earlier one was packed", async () => {
  await withFolder(async (home) => {
    const first = sessionPath(home, ID, STARTED);
    const later = sessionPath(home, `${ID}_${testId(2)}`, STARTED);
    await writeFile(first, TEXT);
    await writeFile(later, TEXT);
    const { files } = await listSessionFiles([home]);
    await Deno.rename(first, `${first}.zst`);
    assertEquals(
      (await lookAtAll(files)).map(({ path, isContinued }) => [
        path,
        isContinued,
      ]),
      [[later, false], [`${first}.zst`, true]],
    );
  });
});

Deno.test({
  name: "findSessionFiles() reports a file whose name is not UTF-8",
  // Other systems refuse such a name.
  ignore: Deno.build.os !== "linux",
  async fn() {
    await withFolder(async (home) => {
      const path = sessionPath(home, ID, STARTED);
      await writeFile(path, TEXT);
      const { success } = await new Deno.Command("bash", {
        args: ["-c", 'cp "$0" "${0%.jsonl}"$\'\\xff.jsonl\'', path],
      }).output();
      const { files, problems } = await findSessionFiles({
        codexHomes: [home],
      });
      assertEquals([success, files.length], [true, 1]);
      assertEquals(problems.map(({ code, path }) => [code, path]), [
        ["EILSEQ", path.replace(".jsonl", "\ufffd.jsonl")],
      ]);
    });
  },
});

Deno.test("findSessionFiles() finds a file whose name has a replacement character", async () => {
  await withFolder(async (home) => {
    const path = sessionPath(home, ID, STARTED);
    await writeFile(path.replace(".jsonl", "\ufffd.jsonl"), TEXT);
    assertEquals(
      await only(home).then(({ path }) => path.endsWith("\ufffd.jsonl")),
      true,
    );
  });
});
