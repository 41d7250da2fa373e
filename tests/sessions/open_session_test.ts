import { assertEquals, assertRejects } from "@std/assert";
import { messageOf, openSession } from "../../lib/sessions/open_session.ts";
import { codeOf } from "../../lib/files/byte_source.ts";
import { decode, encode } from "../running.ts";
import { drained, zstd } from "../sources.ts";
import { withFolder, writeFile } from "./homes.ts";

/** Reads a session to its end through a small buffer, with and without a known size. */
async function contentOf(path: string): Promise<string> {
  const [content = "", other] = await Promise.all(
    [undefined, 1].map(async (size) =>
      decode((await drained(await openSession({ path, size }), 7)).content)
    ),
  );
  assertEquals(other, content);
  return content;
}

Deno.test("openSession() opens the packed file, if the plain one is gone", async () => {
  await withFolder(async (folder) => {
    await writeFile(`${folder}/a.jsonl.zst`, zstd(encode("{}\n")));
    assertEquals(await contentOf(`${folder}/a.jsonl`), "{}\n");
  });
});

Deno.test("openSession() opens the plain file, if the packed one is gone", async () => {
  await withFolder(async (folder) => {
    await writeFile(`${folder}/a.jsonl`, "{}\n");
    assertEquals(await contentOf(`${folder}/a.jsonl.zst`), "{}\n");
  });
});

Deno.test("openSession() reports that the requested file is missing", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/a.jsonl`;
    const error = await assertRejects(() => openSession({ path }), Error);
    assertEquals(error.message.includes(`'${path}'`), true, error.message);
  });
});

Deno.test("openSession() splits the first CLI's JSON object into lines", async () => {
  await withFolder(async (folder) => {
    const object = { session: { id: "a" }, items: [{ type: "x" }, 1] };
    const path = `${folder}/rollout-2025-05-01-a.json`;
    await writeFile(path, JSON.stringify(object, null, 2));
    assertEquals(await contentOf(path), '{"id":"a"}\n{"type":"x"}\n1\n');
  });
});

Deno.test("openSession() returns any other .json file unchanged", async () => {
  await withFolder(async (folder) => {
    for (const text of ['{"a":\n1}', "no JSON", ""]) {
      await writeFile(`${folder}/a.json`, text);
      assertEquals(await contentOf(`${folder}/a.json`), text);
    }
  });
});

Deno.test("openSession() refuses an object of more than 64 MiB", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/a.json`;
    await writeFile(path, "{}");
    await Deno.truncate(path, (64 << 20) + 1);
    await assertRejects(() => openSession({ path }), RangeError, "67108865");
  });
});

Deno.test("openSession() reports a link to a missing file", async () => {
  await withFolder(async (folder) => {
    for (const name of ["a.jsonl", "a.jsonl.zst", "a.json"]) {
      await Deno.symlink(`${folder}/nowhere`, `${folder}/${name}`);
      const error = await assertRejects(
        () => openSession({ path: `${folder}/${name}` }),
        Error,
        "it is a link to a missing file",
      );
      assertEquals(codeOf(error), "ENOENT");
    }
  });
});

Deno.test("messageOf() returns a clause for errors of the platform, own errors and other values", () => {
  const platform = Object.assign(
    new Error("EACCES: permission denied, open '/a/b'"),
    { code: "EACCES" },
  );
  assertEquals(messageOf(platform), "permission denied");
  const own = new Error("Cannot unpack the zstd data: it is cut off");
  assertEquals(messageOf(own), "cannot unpack the zstd data: it is cut off");
  assertEquals(messageOf("odd"), "odd");
});

Deno.test("openSession() of many small files in sequence lets timers run", async () => {
  await withFolder(async (folder) => {
    const file = { path: `${folder}/a.jsonl`, size: 3 };
    await writeFile(file.path, "{}\n");
    (await openSession(file)).close();
    let hasTurn = false;
    const timer = setTimeout(() => hasTurn = true);
    for (let left = 1e5; left > 0 && !hasTurn; left--) {
      (await openSession(file)).close();
    }
    clearTimeout(timer);
    assertEquals(hasTurn, true);
  });
});
