import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  testId,
  withFolder,
  writeFile,
  writeSession,
} from "../sessions/homes.ts";
import { decode } from "../running.ts";
import { BINARY } from "./binary.ts";
import { call, type Result, type World } from "./memory.ts";

const CLI = new URL("../../cli.ts", import.meta.url);

const STARTED = "2026-01-02T03:04:05.000Z";
const ELEPHANT = { started: STARTED, message: "elephant" };

/** Makes a home of a session for each message, and calls `use` with a function to search it. */
async function withSessions(
  messages: readonly string[],
  use: (
    search: (args: readonly string[], world?: World) => Promise<Result>,
    folder: string,
  ) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    for (const [at, message] of messages.entries()) {
      const id = testId(at + 1);
      await writeSession(`${folder}/home`, { id, started: STARTED, message });
    }
    const env = {
      CODEX_HOME: `${folder}/home`,
      XDG_CACHE_HOME: `${folder}/cache`,
    };
    await use(
      (args, world = {}) =>
        call(["sessions", "search", ...args], { env, ...world }),
      folder,
    );
  });
}

Deno.test("sessions search prints the session, the time, the role and the match", async () => {
  await withSessions(["Feed the elephant", "Nothing"], async (search) => {
    const { status, stdout, stderr } = await search(["the", "ELEPHANT"]);
    assertEquals([status, stderr], [0, ""]);
    assertEquals(
      stdout,
      `${
        testId(1)
      }  2026-01-02 03:04  user  Feed the elephant\n    Feed **the** **elephant**\n`,
    );
  });
});

Deno.test("sessions search shows matches in bold on a terminal, and fits its width", async () => {
  const message = `${"elephant and ".repeat(9)}so on`;
  await withSessions([message], async (search) => {
    const { stdout } = await search(["elephant"], {
      terminals: ["stdout"],
      columns: 80,
    });
    assertStringIncludes(stdout, "\x1b[1melephant\x1b[22m");
    // deno-lint-ignore no-control-regex
    for (const line of stdout.replace(/\x1b\[\d+m/g, "").split("\n")) {
      assertEquals(line.length <= 80, true, line);
    }
  });
});

Deno.test("sessions search escapes control characters", async () => {
  await withSessions(["elephant \x1b[31m \x07 red"], async (search) => {
    const { stdout } = await search(["red"]);
    assertStringIncludes(stdout, "\\u001b[31m \\u0007 **red**");
  });
});

Deno.test("sessions search prints JSON, and JSON lines", async () => {
  await withSessions(["Feed the elephant", "elephants"], async (search) => {
    const { stdout } = await search([
      "elephant*",
      "--json",
      "--limit=1",
      "--role=user",
    ]);
    const { query, hits, has_more, files_left } = JSON.parse(stdout);
    assertEquals([query, has_more, files_left, hits.length], [
      "elephant*",
      true,
      0,
      1,
    ]);
    assertEquals(Object.keys(hits[0]), [
      "session_id",
      "title",
      "cwd",
      "rollout_path",
      "offset",
      "time",
      "role",
      "kind",
      "tool_name",
      "snippet",
    ]);
    const lines = await search(["elephant*", "--format=jsonl"]);
    assertEquals(
      lines.stdout.trimEnd().split("\n").map((line) =>
        JSON.parse(line).session_id
      ).sort(),
      [testId(1), testId(2)],
    );
  });
});

Deno.test("sessions search ends with 1 without a match, with a hint on a terminal only", async () => {
  await withSessions(["elephant"], async (search) => {
    const { status, stdout, stderr } = await search(["lion"]);
    assertEquals([status, stdout, stderr], [1, "", ""]);
    const terminal = await search(["--color=never", "eleph lion.txt"], {
      terminals: ["stderr"],
    });
    assertEquals(
      [terminal.status, terminal.stderr],
      [
        1,
        "codexpipe: nothing found; words match whole: eleph* also finds longer words\n",
      ],
    );
    const json = await search(["lion", "--json"]);
    assertEquals([json.status, JSON.parse(json.stdout).hits], [1, []]);
  });
});

Deno.test("sessions search accepts words that look like options after two dashes", async () => {
  await withSessions(["run it with --verbose"], async (search) => {
    assertEquals((await search(["--", "--verbose"])).status, 0);
    assertEquals((await search(["--verbose"])).status, 2);
  });
});

Deno.test("sessions search refuses an empty query", async () => {
  await withSessions([], async (search) => {
    for (const args of [[], [""], [" "]]) {
      const { status, stderr } = await search(args);
      assertEquals(status, 2);
      assertStringIncludes(stderr, "needs a query");
    }
  });
});

Deno.test("sessions search reports a home without sessions", async () => {
  await withSessions([], async (search, folder) => {
    const { status, stderr } = await search(["elephant"]);
    assertEquals(status, 1);
    assertStringIncludes(stderr, `no sessions in ${folder}/home`);
  });
});

Deno.test("sessions search reports the files that it had no time to index", async () => {
  await withSessions(["elephant", "elephant"], async (search) => {
    let time = 0;
    const { status, stderr } = await search(["elephant"], {
      now: () => time += 2_000,
    });
    assertEquals(status, 0);
    assertStringIncludes(stderr, "searched without the 1 oldest");
    assertEquals((await search(["elephant"])).stderr, "");
  });
});

Deno.test("sessions search ends with 3 if it found nothing in the files that it had time to index", async () => {
  await withSessions(["elephant", "elephant"], async (search) => {
    let time = 0;
    const { status } = await search(["giraffe"], {
      now: () => time += 2_000,
    });
    assertEquals(status, 3);
    assertEquals((await search(["giraffe"])).status, 1);
  });
});

Deno.test("sessions search --no-refresh leaves the index as it is", async () => {
  await withSessions(["elephant"], async (search) => {
    const { status, stderr } = await search(["elephant", "--no-refresh"]);
    assertEquals(status, 1);
    assertStringIncludes(stderr, "the index is empty");
  });
});

Deno.test("sessions search reports that there are more matches than --limit", async () => {
  await withSessions(["elephant", "elephant"], async (search) => {
    const { stderr } = await search(["elephant", "--limit=1"]);
    assertStringIncludes(
      stderr,
      "more were found; --limit=NUM shows more than these",
    );
  });
});

Deno.test("sessions search leaves a file that is not an index unchanged", async () => {
  await withSessions(["elephant"], async (search, folder) => {
    await writeFile(`${folder}/diary.txt`, "Dear diary");
    const { status, stderr } = await search([
      "elephant",
      `--index=${folder}/diary.txt`,
    ]);
    assertEquals(status, 3);
    assertStringIncludes(stderr, "it is not an index of sessions");
    assertEquals(await Deno.readTextFile(`${folder}/diary.txt`), "Dear diary");
  });
});

Deno.test("sessions search reads the session files if there can be no index, and reports that", async () => {
  await withSessions(["elephant"], async (search, folder) => {
    await writeFile(`${folder}/file`, "x");
    const index = `${folder}/file/index.sqlite`;
    const { status, stdout, stderr } = await search([
      "elephant",
      "--json",
      `--index=${index}`,
    ]);
    const { hits, makeshift } = JSON.parse(stdout);
    assertEquals([status, hits.length, makeshift], [0, 1, "newest_files"]);
    assertEquals(
      stderr,
      `codexpipe: ${index}: cannot use the index: something else is there already; read the session files instead\n`,
    );
    const none = await search(["zebra", `--index=${index}`]);
    assertEquals([none.status, none.stdout], [1, ""]);
    const unread = await search([
      "elephant",
      "--no-refresh",
      `--index=${index}`,
    ]);
    assertEquals([unread.status, unread.stdout], [3, ""]);
  });
});

Deno.test({
  name:
    "sessions search searches an index without permission to write it, and reports the missing files",
  // Needs Deno's permissions.
  ignore: BINARY !== undefined,
  async fn() {
    await withSessions(["elephant"], async (search, folder) => {
      const index = `--index=${folder}/index.sqlite`;
      await search(["elephant", index]);
      await writeSession(`${folder}/home`, { ...ELEPHANT, id: testId(2) });
      const searchUnwritten = (
        ...args: readonly string[]
      ): Promise<Deno.CommandOutput> =>
        new Deno.Command(Deno.execPath(), {
          args: [
            ...["run", "--no-prompt", "--allow-read", "--allow-env"],
            ...[CLI.href, "sessions", "search", "elephant", "--json"],
            ...[index, ...args],
          ],
          env: { NO_COLOR: "1", CODEX_HOME: `${folder}/home` },
        }).output();
      const { code, stdout, stderr } = await searchUnwritten();
      const { hits, files_left, makeshift } = JSON.parse(decode(stdout));
      assertEquals(
        [code, hits.length, files_left, makeshift],
        [0, 1, 1, "old_index"],
      );
      assertStringIncludes(
        decode(stderr),
        "cannot write the index: Deno denied the permission; run deno with --allow-write; searched it as it was, without what is new in 1 session file\n",
      );
      const wanted = await searchUnwritten("--no-refresh");
      assertEquals([wanted.code, decode(wanted.stderr)], [0, ""]);
      assertEquals(JSON.parse(decode(wanted.stdout)).makeshift, null);
    });
  },
});
