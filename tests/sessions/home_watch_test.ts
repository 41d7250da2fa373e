import { assertEquals } from "@std/assert";
import { mkdir, rename, rm, utimes } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { HomeWatch, LATELY_MS } from "../../lib/sessions/home_watch.ts";
import { sessionPath, testId, withFolder, writeFile } from "./homes.ts";

const NOW = Date.parse("2026-11-20T15:00:00.000Z");

Deno.test("HomeWatch reports changes of old files, and of folders that are deleted and made again", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/home`;
    let now = NOW;
    const home = new HomeWatch({
      codexHomes: [path],
      now: () => now,
      changes: { wait: () => Promise.resolve(), close(): void {} },
    });
    const look = async (): Promise<string[]> => {
      const { changes } = await home.look();
      return changes.map(({ type, file }) => `${type} ${file.id.slice(-1)}`)
        .sort();
    };
    const write = async (file: string, time: number): Promise<void> => {
      await writeFile(file, `${time}\n`);
      await utimes(file, time / 1000, time / 1000);
    };
    const file = (number: number, day: string): string =>
      sessionPath(path, testId(number), `2026-11-${day}T10:00:00.000Z`);
    assertEquals([await look(), await look()], [[], []]);
    await write(file(1, "01"), NOW - 2 * LATELY_MS);
    await write(file(2, "20"), NOW);
    assertEquals(await look(), ["written 1", "written 2"]);
    assertEquals([await look(), home.size], [[], 2]);
    await write(file(2, "20"), NOW + 2_000);
    // In the folder of a day without other changes.
    await write(file(3, "19"), NOW);
    assertEquals(await look(), ["written 2", "written 3"]);
    now += 2 * LATELY_MS;
    await look();
    await write(file(1, "01"), NOW + 4_000);
    assertEquals(await look(), []);
    now += 5 * 60_000;
    assertEquals(await look(), ["written 1"]);
    // Moved out of the home, and back.
    await rename(file(2, "20"), `${folder}/elsewhere`);
    assertEquals(await look(), []);
    await rename(`${folder}/elsewhere`, file(2, "20"));
    assertEquals(await look(), []);
    await rm(path, { recursive: true });
    const gone = [...await look(), ...await look(), ...await look()];
    assertEquals(gone, ["deleted 1", "deleted 2", "deleted 3"]);
    await write(file(4, "20"), now);
    assertEquals(await look(), ["written 4"]);
    home.close();
  });
});

const TICKS = [
  { name: "within a tick of the clock", time: NOW - 1, pause: 50 },
  { name: "within two seconds, with rounded times", time: NOW, pause: 1_500 },
  {
    name: "within a tick of the clock of a server, which is late",
    time: NOW - 60_001,
    pause: 50,
  },
] satisfies { name: string; time: number; pause: number }[];

for (const { name, time, pause } of TICKS) {
  Deno.test(`HomeWatch reports a file in a folder that changed twice ${name}`, async () => {
    await withFolder(async (folder) => {
      let now = NOW;
      const home = new HomeWatch({
        codexHomes: [folder],
        now: () => now,
        changes: { wait: () => Promise.resolve(), close(): void {} },
      });
      const look = async (day: number): Promise<string[]> => {
        const start = `2026-11-${day}T10:00:00.000Z`;
        const path = sessionPath(folder, testId(day), start);
        await writeFile(path, "{}\n");
        // The times of the folders stay the same.
        for (let at = path; at !== folder; at = dirname(at)) {
          await utimes(at, time / 1000, time / 1000);
        }
        const { changes } = await home.look();
        return changes.map(({ file }) => basename(dirname(file.path)));
      };
      assertEquals(await look(19), ["19"]);
      await home.look();
      now += pause;
      await home.look();
      assertEquals([await look(20), await look(18)], [["20"], ["18"]]);
      home.close();
    });
  });
}

Deno.test("HomeWatch reports sessions that are archived, restored, packed and unpacked", async () => {
  await withFolder(async (folder) => {
    const home = new HomeWatch({
      codexHomes: [folder],
      changes: { wait: () => Promise.resolve(), close(): void {} },
    });
    const path = sessionPath(folder, testId(1), "2026-11-20T10:00:00.000Z");
    const archived = `${folder}/archived_sessions/${basename(path)}`;
    await writeFile(path, "{}\n");
    await mkdir(`${folder}/archived_sessions`);
    await home.look();
    for (
      const [to, from, type] of [
        [archived, path, "archived"],
        [path, archived, "unarchived"],
        [`${path}.zst`, path, "packed"],
        [path, `${path}.zst`, "unpacked"],
      ] as const
    ) {
      await rename(from, to);
      const { changes } = await home.look();
      assertEquals(changes.map((change) => [change.type, change.file.path]), [
        ["written", to],
        [type, to],
      ]);
    }
    home.close();
  });
});

Deno.test("HomeWatch checks old files after the clock was set back", async () => {
  await withFolder(async (folder) => {
    const path = sessionPath(folder, testId(1), "2026-11-20T10:00:00.000Z");
    const write = async (time: number): Promise<void> => {
      await writeFile(path, `${time}\n`);
      await utimes(path, time / 1000, time / 1000);
    };
    let now = NOW;
    const home = new HomeWatch({
      codexHomes: [folder],
      now: () => now,
      changes: { wait: () => Promise.resolve(), close(): void {} },
    });
    await write(NOW - 2 * LATELY_MS);
    assertEquals((await home.look()).changes, []);
    await home.look();
    now -= 24 * 3_600_000;
    await write(now);
    const { changes } = await home.look();
    assertEquals(changes.map(({ type }) => type), ["written"]);
    home.close();
  });
});
