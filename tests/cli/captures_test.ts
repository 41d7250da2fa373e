import { assert, assertEquals, assertMatch } from "@std/assert";
import { linesOf, readCaptures } from "../fixtures.ts";
import { assertSameText, decode, normalizeBytes } from "../running.ts";
import { call } from "./memory.ts";

/** The first CLI: it printed response items, which are lines of a rollout without wrapper. */
const FIRST_CLI = "0.1.2505172129";
/** The path of the output of `codex archive`, which is a sentence. */
const SENTENCE_REGEXP = /\/archive\/stdout\.2\.jsonl$/;

const byVersion = Map.groupBy(readCaptures(), ({ version }) => version);

for (const [version, captures] of byVersion) {
  Deno.test(`codexpipe normalize reports no failure in the streams of ${version}`, async () => {
    for (const { path, bytes } of captures) {
      const isSentence = SENTENCE_REGEXP.test(path) &&
        !linesOf(bytes)[0]?.startsWith("{");
      const result = await call(["normalize", "--strict", path], {
        files: { [path]: bytes },
      });
      assertEquals(result.stderr === "", !isSentence, path + result.stderr);
      assertEquals(result.status, isSentence ? 1 : 0, path);
      const from = version === FIRST_CLI ? "rollout" : "exec";
      const expected = normalizeBytes([bytes], {
        from,
        onError: "report",
        fileName: path,
      });
      assertSameText(result.stdout, decode(expected), path);
    }
  });

  Deno.test(`codexpipe normalize --line-buffered writes the records of ${version} one by one`, async () => {
    const files = Object.fromEntries(
      captures.map(({ path, bytes }) => [path, bytes]),
    );
    const paths = Object.keys(files);
    const options = ["normalize", "--on-error=inline"];
    const whole = await call([...options, "--jobs=3", ...paths], {
      files,
      threads: 3,
    });
    const lines = await call([...options, "--line-buffered", ...paths], {
      files,
      countsWrites: true,
    });
    assertSameText(lines.stdout, whole.stdout, version);
    assertEquals(lines.writes.length, lines.stdout.split("\n").length - 1);
    // A program that writes a line and waits for its record needs one record for each line.
    const inputLines = captures.flatMap(({ bytes }) => linesOf(bytes));
    assertEquals(lines.writes.length, inputLines.length);
  });
}

Deno.test("all commands take times of an app-server from its turns and items (0.130 and later)", async () => {
  const seconds = 1_795_000_000;
  const message = (method: string, params: object): string =>
    JSON.stringify({
      method,
      params: { threadId: "t", turnId: "1", ...params },
    });
  const item = { id: "a", type: "agentMessage", text: "Done." };
  const turn = { id: "1", items: [], status: "completed", startedAt: seconds };
  const total = { inputTokens: 10, outputTokens: 2 };
  const lines = [
    message("thread/started", { thread: { id: "t" } }),
    message("turn/started", { turn }),
    message("item/completed", { item, completedAtMs: seconds * 1000 + 2 }),
    message("thread/tokenUsage/updated", {
      tokenUsage: { total, last: total },
    }),
    message("turn/completed", { turn }),
  ];
  const files = { "/a": `${lines.join("\n")}\n` };
  const shown = async (...args: string[]): Promise<string> =>
    (await call([...args, "/a"], { files })).stdout;

  const { groups } = JSON.parse(await shown("usage", "--json", "--by=day"));
  assertEquals(groups[0].day, "2026-11-18");
  assertMatch(await shown("history"), /2026-11-18T11:06:40\.002Z/);
  assertMatch(
    await shown("export", "--to=otlp"),
    /"endTimeUnixNano":1795000000002000000/,
  );
  const turns = await shown("export", "--to=tables", "--table=turns");
  assertMatch(turns, /"started_at":"2026-11-18T11:06:40.000Z"/);
});

Deno.test("all commands take the time of a message of an app-server from the message (0.145 and later)", async () => {
  const at = 1_795_000_000_000;
  const message = (method: string, params: object, ms: number): string =>
    JSON.stringify({
      method,
      params: { threadId: "t", turnId: "1", ...params },
      emittedAtMs: at + ms,
    });
  const item = { id: "a", type: "agentMessage", text: "Done." };
  const turn = { id: "1", items: [], status: "completed" };
  const total = { inputTokens: 10, outputTokens: 2 };
  const lines = [
    message("thread/started", { thread: { id: "t" } }, 0),
    message("turn/started", { turn }, 1),
    message("item/completed", { item }, 2),
    message("thread/tokenUsage/updated", {
      tokenUsage: { total, last: total },
    }, 3),
    message("turn/completed", { turn }, 4),
  ];
  const files = { "/a": `${lines.join("\n")}\n` };
  const shown = async (...args: string[]): Promise<string> =>
    (await call([...args, "/a"], { files })).stdout;
  const times = (
    text: string,
  ): string[] => [...new Set(text.match(/2026-11-18T[\d:.]+Z/g))];
  const time = "2026-11-18T11:06:40.00";

  const { groups } = JSON.parse(await shown("usage", "--json", "--by=day"));
  assertEquals(groups[0].day, "2026-11-18");
  assertEquals(times(await shown("export", "--to=atif")), [`${time}2Z`]);
  assertEquals(times(await shown("export", "--to=tables", "--table=turns")), [
    `${time}1Z`,
    `${time}4Z`,
  ]);
  assertEquals(times(await shown("history")), [`${time}2Z`]);
  assert((await shown("render", "--to=text")).includes("2026-11-18 11:06:40Z"));
});
