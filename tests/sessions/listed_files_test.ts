import { assertEquals } from "@std/assert";
import {
  listSessionFiles,
  lookAtAll,
} from "../../lib/sessions/listed_files.ts";
import { sessionPath, testId, withFolder, writeFile } from "./homes.ts";

const STARTED = "2026-11-21T10:00:00.000Z";

Deno.test("lookAtAll() gives the same files whether it takes long to look at one or not", async () => {
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
