import { assertEquals } from "@std/assert";
import { basename } from "node:path";
import { HeadCache } from "../../lib/sessions/head_cache.ts";
import {
  findSessionFiles,
  type SessionFile,
} from "../../lib/sessions/session_files.ts";
import {
  readSessionHead,
  type SessionHead,
} from "../../lib/sessions/session_head.ts";
import {
  entriesOf,
  testId,
  withFolder,
  writeFile,
  writeSession,
} from "./homes.ts";

const STARTED = "2026-11-21T10:00:00.000Z";

/** The home with three sessions, their heads, and the folder for caches. */
interface World {
  readonly home: string;
  readonly cache: string;
  readonly files: readonly SessionFile[];
  readonly heads: readonly SessionHead[];
}

async function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    for (const number of [1, 2, 3]) {
      const id = testId(number);
      await writeSession(home, {
        id,
        started: STARTED,
        message: `No ${number}`,
      });
    }
    const { files } = await findSessionFiles({ codexHomes: [home] });
    const heads = await Promise.all(files.map(readSessionHead));
    await use({ home, cache: `${folder}/cache`, files, heads });
  });
}

/** Writes heads of the files at some indexes of `files` to the cache. */
async function remember(
  { home, cache, files, heads }: World,
  places: readonly number[] = [0, 1, 2],
): Promise<void> {
  const open = await HeadCache.open(cache, home);
  for (const place of places) {
    const file = files[place];
    const head = heads[place];
    if (file && head) open.add(file, { head });
  }
  await open.save(files);
}

/** Reads the cached head of each file. */
async function remembered(
  { home, cache, files }: World,
): Promise<readonly (SessionHead | undefined)[]> {
  const open = await HeadCache.open(cache, home);
  return files.map((file) => open.get(file)?.head);
}

/** The path of the only file of the cache. */
async function cacheFile({ cache }: World): Promise<string> {
  const names = await entriesOf(`${cache}/heads`);
  assertEquals(names.length, 1);
  return `${cache}/heads/${names[0]}`;
}

Deno.test("HeadCache returns the heads that were stored", async () => {
  await withWorld(async (world) => {
    await remember(world);
    assertEquals(await remembered(world), world.heads);
  });
});

Deno.test("HeadCache stores outcomes of sessions, with or without their heads", async () => {
  await withWorld(async (world) => {
    const { home, cache, files } = world;
    const runs = [
      { outcome: "failed", totalTokens: 12, durationMs: null },
      { outcome: null, totalTokens: null, durationMs: 1.5 },
    ] as const;
    await remember(world, [0, 2]);
    const before = await HeadCache.open(cache, home);
    for (const [i, run] of runs.entries()) {
      const file = files[i];
      if (file !== undefined) before.add(file, { run });
    }
    await before.save();
    const after = await HeadCache.open(cache, home);
    const [head, , last] = world.heads;
    assertEquals(files.map((file) => after.get(file)?.head), [
      head,
      undefined,
      last,
    ]);
    const known = (size: number): unknown =>
      files.map((file) => after.get({ ...file, size: file.size + size })?.run);
    assertEquals(known(0), [...runs, undefined]);
    assertEquals(known(1), [undefined, undefined, undefined]);
  });
});

Deno.test("HeadCache drops the head of a file that has changed", async () => {
  await withWorld(async (world) => {
    await remember(world);
    const open = await HeadCache.open(world.cache, world.home);
    const [file] = world.files;
    if (file === undefined) throw new TypeError("there is no file");
    assertEquals(open.get({ ...file, size: file.size + 1 }), undefined);
    assertEquals(open.get({ ...file, mtime: file.mtime + 1 }), undefined);
    assertEquals(open.get({ ...file, path: `${file.path}.zst` }), undefined);
  });
});

Deno.test("HeadCache does not store a head with a problem", async () => {
  await withWorld(async (world) => {
    const [head, ...heads] = world.heads;
    if (head === undefined) throw new TypeError("there is no head");
    await remember({ ...world, heads: [{ ...head, problem: "?" }, ...heads] });
    assertEquals(await remembered(world), [undefined, ...heads]);
  });
});

Deno.test("HeadCache keeps the heads that another process has saved meanwhile", async () => {
  await withWorld(async (world) => {
    const [first, second] = world.files;
    const [head, other] = world.heads;
    if (!first || !second || !head || !other) throw new TypeError("no files");
    const one = await HeadCache.open(world.cache, world.home);
    const two = await HeadCache.open(world.cache, world.home);
    one.add(first, { head });
    two.add(second, { head: other });
    await one.save(world.files);
    await two.save(world.files);
    assertEquals(await remembered(world), [head, other, undefined]);
  });
});

Deno.test("HeadCache stays valid under concurrent saves", async () => {
  await withWorld(async (world) => {
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => remember(world, [i % 3])),
    );
    const known = await remembered(world);
    for (const [i, head] of known.entries()) {
      if (head !== undefined) assertEquals(head, world.heads[i]);
    }
    assertEquals(known.some((head) => head !== undefined), true);
    // No save has left a temporary file.
    await cacheFile(world);
  });
});

Deno.test("HeadCache drops the heads of deleted files", async () => {
  await withWorld(async (world) => {
    await remember(world);
    const [gone, ...files] = world.files;
    const [, head] = world.heads;
    const [file] = files;
    if (!gone || !file || !head) throw new TypeError("no files");
    const open = await HeadCache.open(world.cache, world.home);
    open.add(file, { head });
    await open.save(files);
    const [first] = await remembered(world);
    assertEquals(first, undefined);
  });
});

Deno.test("HeadCache removes old temporary files of killed processes, but not recent ones", async () => {
  await withWorld(async (world) => {
    await remember(world, [0]);
    const path = await cacheFile(world);
    const old = `${path}.old.tmp`;
    const recent = `${path}.recent.tmp`;
    for (const each of [old, recent]) await writeFile(each, "half");
    await Deno.utime(old, 1_000, 1_000);
    await Deno.utime(recent, new Date(), new Date());
    await remember(world, [1]);
    assertEquals(
      await entriesOf(`${world.cache}/heads`),
      [path, recent].map((path) => basename(path)),
    );
  });
});

const DAMAGES = [
  { name: "is empty", damage: () => "" },
  { name: "is cut off", damage: (text: string) => text.slice(0, -100) },
  {
    name: "has a letter changed",
    damage: (text: string) => text.replace("No 2", "No 9"),
  },
  {
    name: "is of another cache version",
    damage: (text: string) => text.replace('"version":', '"version":9'),
  },
  { name: "is of another format", damage: () => "SQLite format 3\0" },
] satisfies { name: string; damage: (text: string) => string }[];

for (const { name, damage } of DAMAGES) {
  Deno.test(`HeadCache treats a file that ${name} as empty, and writes it again`, async () => {
    await withWorld(async (world) => {
      await remember(world);
      const path = await cacheFile(world);
      const text = await Deno.readTextFile(path);
      assertEquals(damage(text) === text, false);
      await Deno.writeTextFile(path, damage(text));
      assertEquals(await remembered(world), world.heads.map(() => undefined));
      await remember(world);
      assertEquals(await remembered(world), world.heads);
    });
  });
}

Deno.test("HeadCache writes no files into the Codex home, and none without a cache folder", async () => {
  await withWorld(async (world) => {
    await remember({ ...world, cache: `${world.home}/cache` });
    assertEquals(await entriesOf(world.home), ["sessions"]);
    const open = await HeadCache.open(undefined, world.home);
    await open.save(world.files);
  });
});

Deno.test("HeadCache works without a folder that it can write to", async () => {
  await withWorld(async (world) => {
    await writeFile(world.cache, "in the way");
    await remember(world);
    assertEquals(await remembered(world), world.heads.map(() => undefined));
  });
});
