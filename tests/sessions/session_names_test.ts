import { assertEquals } from "@std/assert";
import { NamesByHome } from "../../lib/sessions/session_names.ts";
import { withFolder, withHome, writeFile } from "./homes.ts";

/** Reads the names of one home. */
async function namesIn(home: string) {
  const { all, problems } = await NamesByHome.of([{ home, copies: [] }]);
  return { names: all.get(home) ?? new Map(), problem: problems[0] };
}

Deno.test("NamesByHome uses the last name of each session", async () => {
  await withHome({ versions: ["0.169.0"] }, async ({ path }) => {
    const { names, problem } = await namesIn(path);
    assertEquals([...names], [
      ["01a1f9b7-366b-7c42-b80a-afa1f53ae0a7", "Demo thread “name” 🚀"],
    ]);
    assertEquals(problem, undefined);
  });
});

Deno.test("NamesByHome puts the name that was written last at the end", async () => {
  await withFolder(async (home) => {
    const rows = [["a", "x"], ["b", "x"], ["a", "y"], ["c", "z"], ["a", "x"]];
    await writeFile(
      `${home}/session_index.jsonl`,
      rows.map(([id, thread_name]) => JSON.stringify({ id, thread_name }))
        .join("\n"),
    );
    const { names } = await namesIn(home);
    assertEquals([...names], [["b", "x"], ["c", "z"], ["a", "x"]]);
  });
});

Deno.test("NamesByHome skips lines without a name", async () => {
  await withFolder(async (home) => {
    await writeFile(
      `${home}/session_index.jsonl`,
      [
        '{"id":"A","thread_name":"first"}',
        "torn {",
        "[]",
        '{"id":"a","thread_name":5}',
        '{"id":"b","thread_name":"taken back"}',
        '{"id":"b","thread_name":" "}',
        '{"id":"__proto__","thread_name":"odd"}',
        '{"id":"c","thread_name":"no line feed"}',
      ].join("\n"),
    );
    const { names } = await namesIn(home);
    assertEquals([...names], [
      ["a", "first"],
      ["__proto__", "odd"],
      ["c", "no line feed"],
    ]);
  });
});

Deno.test("NamesByHome reports why it cannot read the file, unless the file is missing", async () => {
  await withFolder(async (home) => {
    assertEquals((await namesIn(home)).problem, undefined);
    await Deno.mkdir(`${home}/session_index.jsonl`);
    const { names, problem } = await namesIn(home);
    assertEquals(names.size, 0);
    assertEquals(problem?.code, "EISDIR");
  });
});
