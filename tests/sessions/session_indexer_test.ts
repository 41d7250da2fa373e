/**
 * Tests how the index of sessions is made and refreshed.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { dirname } from "node:path";
import { withSessionIndex } from "../../lib/sessions/session_index_database.ts";
import {
  type IndexingReport,
  refreshSessionIndex,
} from "../../lib/sessions/session_indexer.ts";
import { decode, jsonl } from "../running.ts";
import { zstd } from "../sources.ts";
import {
  answerLine,
  callLine,
  eventLine,
  outputLine,
} from "../session_lines.ts";
import {
  assembleHome,
  sessionPath,
  sessionText,
  testId,
  withFolder,
  withHome,
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
import { startIndexing } from "./indexing_process.ts";

const STARTED = "2026-01-02T03:04:05.000Z";

/** Makes a home with one session, and the index of it. */
async function withSession(
  use: (
    session: {
      readonly index: IndexedHome;
      readonly home: string;
      readonly path: string;
      readonly text: string;
    },
  ) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const index = indexIn(folder);
    const home = `${folder}/home`;
    const path = sessionPath(home, testId(1), STARTED);
    const text = sessionText({
      id: testId(1),
      started: STARTED,
      message: "Please look for the elephant",
    });
    await writeFile(path, text);
    await refresh(index);
    await use({ index, home, path, text });
  });
}

/** A line with a message of the assistant. */
function says(message: string): string {
  return jsonl([answerLine(message, "2026-01-02T03:05:00.000Z")]);
}

/** The counts of a report that are not 0. */
function countsOf(report: IndexingReport): Partial<Record<string, number>> {
  const { added, grown, changed, moved, removed } = report;
  return Object.fromEntries(
    Object.entries({ added, grown, changed, moved, removed })
      .filter(([, count]) => count > 0),
  );
}

/** Checks that an index has the same content as a new index of the same homes. */
async function checkRebuilt(index: IndexedHome): Promise<void> {
  const rebuilt = { ...index, path: `${index.path}-rebuilt` };
  await refresh(rebuilt);
  assertEquals(contentOf(index), contentOf(rebuilt));
}

/** Overwrites a file with a text of the same size, by default without messages; its time stays. */
async function overwrite(path: string, text?: string): Promise<void> {
  const { size, mtime } = await Deno.stat(path);
  await writeFile(path, text ?? new Uint8Array(size));
  await Deno.utime(path, mtime ?? 0, mtime ?? 0);
}

/** Sets the modification time of a file. */
async function touch(path: string, time: string): Promise<void> {
  await Deno.utime(path, new Date(time), new Date(time));
}

Deno.test("indexSessions() fills the tables of the contract", async () => {
  await withSession(({ index, path, text }) => {
    const lines = text.split("\n");
    const offsetOf = (line: number): number =>
      lines.slice(0, line).join("\n").length + 1;
    const { sessions, messages } = contentOf(index) as Record<string, unknown>;
    assertEquals(sessions, [{
      id: testId(1),
      started_at: STARTED,
      cwd: "/home/dev/proj",
      cli_version: "0.44.0",
      originator: "codex_exec",
      git_branch: null,
      git_commit: null,
      title: "Please look for the elephant",
      rollout_path: path,
      last_event_at: STARTED,
    }]);
    assertEquals(messages, [
      {
        session_id: testId(1),
        offset: offsetOf(2),
        role: "user",
        kind: "plain_message",
        text: "Please look for the elephant",
        tool_name: null,
      },
      {
        session_id: testId(1),
        offset: offsetOf(3),
        role: "assistant",
        kind: "assistant_message",
        text: "Done.",
        tool_name: null,
      },
    ]);
    return Promise.resolve();
  });
});

Deno.test("indexSessions() indexes the sessions of every release, and skips files that are not sessions", async () => {
  await withHome({ isMessy: true }, async ({ path, sessions }) => {
    await withFolder(async (folder) => {
      const index = indexIn(folder, path);
      const report = await refresh(index);
      const { files, messages } = contentOf(index) as {
        files: { session_id: string; path: string }[];
        messages: unknown[];
      };
      assertEquals(
        files.map((file) => file.session_id).sort(),
        sessions.map(({ id }) => id).filter((id) =>
          files.some((file) => file.session_id === id)
        ).sort(),
      );
      assertEquals(report.added, files.length);
      assert(messages.length > 2 * files.length);
      assertEquals(countsOf(await refresh(index)), {});
      // Each captured session was read without a problem.
      for (const { id, version } of sessions) {
        if (version === "") continue;
        const [file] = files.filter((file) => file.session_id === id);
        assert(file !== undefined, id);
        assertEquals(
          report.problems.filter(({ path }) => path === file.path),
          [],
        );
      }
    });
  });
});

Deno.test("indexSessions() opens no unchanged file", async () => {
  await withHome(
    { versions: ["0.169.0", "0.44.0"] },
    async ({ path, sessions }) => {
      await withFolder(async (folder) => {
        const index = indexIn(folder, path);
        await refresh(index);
        const content = contentOf(index);
        for (const { path } of sessions) await overwrite(path);
        const report = await refresh(index);
        assertEquals([countsOf(report), report.bytesRead], [{}, 0]);
        assertEquals(contentOf(index), content);
      });
    },
  );
});

Deno.test("indexSessions() reads only the new bytes of a file that has grown", async () => {
  await withSession(async ({ index, path, text }) => {
    const whole = text + says("And then ".repeat(1_000));
    await writeFile(path, whole);
    await refresh(index);
    const more = says("A giraffe came along");
    // Only the last 4 KiB of what was read before are compared.
    await writeFile(path, whole.replace("elephant", "tortoise") + more);
    const report = await refresh(index);
    assertEquals([countsOf(report), report.bytesRead], [
      { grown: 1 },
      more.length,
    ]);
    assertEquals((await find(index, "elephant")).length, 1);
    const [hit] = await find(index, "giraffe");
    assertEquals(hit?.offset, whole.length);
    assertEquals(hit?.time, "2026-01-02T03:05:00.000Z");
  });
});

Deno.test("indexSessions() removes messages that the new lines of a file roll back", async () => {
  await withSession(async ({ index, path, text }) => {
    const asks = (message: string): string =>
      says(message).replace("agent_message", "user_message");
    const turn = asks("A second question") + says("A giraffe came along");
    await writeFile(path, text + turn);
    await refresh(index);
    assertEquals((await find(index, "giraffe")).length, 1);
    const rollback = jsonl([eventLine("thread_rolled_back", { num_turns: 1 })]);
    await writeFile(path, text + turn + rollback + asks("Or a zebra?"));
    assertEquals(countsOf(await refresh(index)), { grown: 1 });
    assertEquals(await find(index, "giraffe"), []);
    assertEquals((await find(index, "zebra")).length, 1);
    await checkRebuilt(index);
  });
});

Deno.test("indexSessions() reads a file again in which a word was masked long before its end", async () => {
  await withSession(async ({ index, path, text }) => {
    const whole = text + says("And then ".repeat(1_000));
    await writeFile(path, whole);
    await refresh(index);
    await writeFile(path, whole.replace("elephant", "********"));
    await touch(path, "2026-01-04T00:00:00.000Z");
    assertEquals(countsOf(await refresh(index)), { changed: 1 });
    assertEquals(await find(index, "elephant"), []);
    assertEquals((await find(index, "********")).length, 1);
  });
});

Deno.test("indexSessions() indexes a file that grows byte by byte like a whole one", async () => {
  await withFolder(async (folder) => {
    const growing = indexIn(folder);
    const path = sessionPath(`${folder}/home`, testId(1), STARTED);
    const text =
      sessionText({ id: testId(1), started: STARTED, message: "a" }) +
      says("b") + says("c");
    const places = Array.from({ length: 40 }, (_, at) => text.length - 39 + at);
    for (const place of [0, 1, 100, 300, ...places]) {
      await writeFile(path, text.slice(0, place));
      await refresh(growing);
    }
    await checkRebuilt(growing);
  });
});

Deno.test("indexSessions() uses the modification time of a file without records as its last event", async () => {
  await withFolder(async (folder) => {
    const index = indexIn(folder);
    const path = sessionPath(`${folder}/home`, testId(1), STARTED);
    for (const size of [1, 2]) {
      await writeFile(path, "torn\n".repeat(size));
      await touch(path, `2026-01-0${size}T00:00:00.000Z`);
      await refresh(index);
    }
    await checkRebuilt(index);
  });
});

const REPLACEMENTS = [
  {
    name: "was cut off",
    change: (text: string) =>
      text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1),
    elephants: 1,
  },
  {
    name: "has another beginning and more lines",
    change: (text: string) =>
      text.replace("elephant", "rhinoceros") + says("More"),
    elephants: 0,
  },
  {
    name: "has another text of the same length",
    change: (text: string) => text.replace("elephant", "tortoise"),
    elephants: 0,
  },
  { name: "is empty", change: () => "", elephants: 0 },
] satisfies {
  name: string;
  change: (text: string) => string;
  elephants: number;
}[];

for (const { name, change, elephants } of REPLACEMENTS) {
  Deno.test(`indexSessions() reads a file again that ${name}`, async () => {
    await withSession(async ({ index, path, text }) => {
      await writeFile(path, change(text));
      await touch(path, "2026-01-02T04:00:00.000Z");
      assertEquals(countsOf(await refresh(index)), { changed: 1 });
      assertEquals((await find(index, "elephant")).length, elephants);
      await checkRebuilt(index);
    });
  });
}

Deno.test("indexSessions() removes a deleted file", async () => {
  await withSession(async ({ index, path }) => {
    await Deno.remove(path);
    assertEquals(countsOf(await refresh(index)), { removed: 1 });
    assertEquals(contentOf(index), {
      sessions: [],
      messages: [],
      files: [],
      records: [],
      checkpoints: [{ count: 0 }],
    });
  });
});

Deno.test("indexSessions() removes the files of a home that is not requested any more", async () => {
  await withFolder(async (folder) => {
    for (const [at, name] of ["home", "other"].entries()) {
      const id = testId(at + 1);
      await writeSession(`${folder}/${name}`, {
        id,
        started: STARTED,
        message: `elephant = ${name}`,
      });
    }
    const index = indexIn(folder);
    await refresh(index);
    const other = { ...indexIn(folder, `${folder}/other`), path: index.path };
    assertEquals(countsOf(await refresh(other)), { added: 1, removed: 1 });
    await checkRebuilt(other);
    assertEquals((await find(other, "elephant =")).length, 1);
    assertEquals(countsOf(await refresh(other)), {});
  });
});

Deno.test("indexSessions() continues removing files after it was stopped", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    const paths: string[] = [];
    for (const id of [1, 2, 3].map(testId)) {
      paths.push(
        await writeSession(home, { id, started: STARTED, message: "elephant" }),
      );
    }
    const index = indexIn(folder);
    await refresh(index);
    for (const path of paths.slice(1)) await Deno.remove(path);
    const stopping = { ...index, shouldStop: () => true };
    const report = await refresh(stopping, 1);
    assertEquals(countsOf(report), { removed: 1 });
    assertEquals((await find(index, "elephant")).length, 2);
    assertEquals(countsOf(await refresh(index)), { removed: 1 });
    assertEquals((await find(index, "elephant")).length, 1);
  });
});

Deno.test("indexSessions() gives the id of a session to the file with the id in its name, even if a copy comes first", async () => {
  await withSession(async ({ index, path, text }) => {
    // The time in the name of the copy is earlier, so that it is written first.
    const copy = path.replace(
      /rollout-.*/,
      "rollout-2026-01-01T00-00-00-copy.jsonl",
    );
    const ids = async (): Promise<string[][]> => {
      await refresh(index);
      const { sessions } = contentOf(index) as {
        sessions: { id: string; rollout_path: string }[];
      };
      return sessions.map(({ id, rollout_path }) => [rollout_path, id]).sort();
    };
    const expected = [[copy, copy], [path, testId(1)]];
    await Deno.remove(path);
    await writeFile(copy, text);
    assertEquals(await ids(), [[copy, testId(1)]]);
    await writeFile(path, text);
    assertEquals(await ids(), expected);
    await Deno.remove(index.path);
    assertEquals(await ids(), expected);
  });
});

Deno.test("indexSessions() reads a copy whose session id changes, in the same update", async () => {
  await withSession(async ({ index, path, text }) => {
    const copy = path.replace(/[^/]*$/, "rollout-2026-01-01T00-00-00-x.jsonl");
    await Deno.rename(path, copy);
    await refresh(index);
    // The id goes to the file with the id in its name, and back to the copy.
    await writeFile(path, text);
    await writeFile(copy, text + says("A giraffe came along"));
    await refresh(index);
    assertEquals((await find(index, "giraffe")).length, 1);
    await Deno.remove(path);
    await writeFile(copy, text + says("Two zebras came along"));
    await refresh(index);
    const [hit] = await find(index, "zebras");
    assertEquals([hit?.session_id, hit?.rollout_path], [testId(1), copy]);
    await checkRebuilt(index);
  });
});

Deno.test("indexSessions() indexes a copy at the path that another copy was moved from", async () => {
  await withSession(async ({ index, home, path, text }) => {
    const name = "rollout-2026-01-01T00-00-00-x.jsonl";
    const copy = path.replace(/[^/]*$/, name);
    const archived = `${home}/archived_sessions/${name}`;
    await writeFile(copy, text);
    await refresh(index);
    await Deno.mkdir(dirname(archived));
    await Deno.rename(copy, archived);
    await refresh(index);
    await writeFile(copy, text + says("A giraffe came along"));
    await refresh(index);
    const hits = await find(index, "giraffe");
    assertEquals(hits.map((hit) => hit.rollout_path), [copy]);
    await checkRebuilt(index);
  });
});

Deno.test("indexSessions() indexes a copy without a header by its path, even if it had one", async () => {
  await withSession(async ({ index, path, text }) => {
    const copy = path.replace(/[^/]*$/, "rollout-2026-01-01T00-00-00-x.jsonl");
    await Deno.rename(path, copy);
    await refresh(index);
    await writeFile(copy, text.slice(text.indexOf("\n") + 1));
    await refresh(index);
    const hits = await find(index, "elephant");
    assertEquals(hits.map((hit) => hit.session_id), [copy]);
    await checkRebuilt(index);
  });
});

Deno.test("indexSessions() indexes a copy that was moved by its new path", async () => {
  await withSession(async ({ index, home, path, text }) => {
    const name = "rollout-2026-01-01T00-00-00-x.jsonl";
    const copy = path.replace(/[^/]*$/, name);
    const archived = `${home}/archived_sessions/${name}`;
    await writeFile(copy, text);
    await refresh(index);
    await Deno.mkdir(dirname(archived));
    await Deno.rename(copy, archived);
    await refresh(index);
    const hits = await find(index, "elephant");
    assertEquals(hits.map((hit) => hit.session_id).sort(), [
      archived,
      testId(1),
    ]);
    await checkRebuilt(index);
  });
});

Deno.test("indexSessions() indexes files without any id by their paths", async () => {
  await withSession(async ({ index, path }) => {
    const copies = ["a", "b"].map((name) =>
      path.replace(/[^/]*$/, `rollout-${name}.jsonl`)
    );
    for (const copy of copies) await writeFile(copy, says("A giraffe"));
    await refresh(index);
    const hits = await find(index, "giraffe");
    assertEquals(hits.map((hit) => hit.session_id).sort(), copies);
  });
});

Deno.test("indexSessions() adds the output of a command to its message when the file grows", async () => {
  await withSession(async ({ index, path, text }) => {
    const call = callLine("shell", { command: ["cat", "savanna"] });
    await writeFile(path, text + jsonl([call]));
    await refresh(index);
    const [running] = await find(index, "savanna");
    await writeFile(path, text + jsonl([call, outputLine("A giraffe")]));
    await refresh(index);
    const [ended] = await find(index, "savanna giraffe");
    assertEquals(ended?.offset, running?.offset);
    await checkRebuilt(index);
  });
});

Deno.test("indexSessions() recognizes an archived file without opening it", async () => {
  await withSession(async ({ index, home, path, text }) => {
    await Deno.mkdir(`${home}/archived_sessions`);
    const to = `${home}/archived_sessions/${
      path.slice(path.lastIndexOf("/") + 1)
    }`;
    await Deno.rename(path, to);
    await overwrite(to);
    assertEquals(countsOf(await refresh(index)), { moved: 1 });
    const [hit] = await find(index, "elephant");
    assertEquals(hit?.rollout_path, to);
    await writeFile(to, text);
    await refresh(index);
    await checkRebuilt(index);
  });
});

Deno.test("indexSessions() recognizes a file that was packed, unpacked and continued", async () => {
  await withSession(async ({ index, path, text: beginning }) => {
    // Longer than the part that is compared.
    const text = beginning + says("Many words. ".repeat(1000));
    await writeFile(path, text);
    await refresh(index);
    await writeFile(`${path}.zst`, zstd(new TextEncoder().encode(text)));
    await Deno.remove(path);
    const packed = await refresh(index);
    assertEquals([countsOf(packed), packed.bytesRead], [{ grown: 1 }, 0]);
    const [hit] = await find(index, "elephant");
    assertEquals(hit?.rollout_path, `${path}.zst`);
    const more = says("A giraffe came along");
    await Deno.remove(`${path}.zst`);
    await writeFile(path, text + more);
    const unpacked = await refresh(index);
    assertEquals([countsOf(unpacked), unpacked.bytesRead], [
      { grown: 1 },
      more.length,
    ]);
    assertEquals((await find(index, "giraffe")).length, 1);
    assertEquals((await find(index, "elephant")).length, 1);
  });
});

const MEANWHILE = [
  {
    name: "continues in a file that was archived",
    change: async (path) => {
      const archived = path.replace(/sessions\/.*\//, "archived_sessions/");
      await Deno.mkdir(dirname(archived));
      await Deno.rename(path, archived);
    },
    giraffes: 1,
  },
  {
    name: "continues in a file that was packed",
    change: async (path) => {
      await writeFile(`${path}.zst`, zstd(await Deno.readFile(path)));
      await Deno.remove(path);
    },
    giraffes: 1,
  },
  {
    name: "reports no problem for a file that was deleted",
    change: (path) => Deno.remove(path),
    giraffes: 0,
  },
] satisfies {
  name: string;
  change: (path: string) => Promise<void>;
  giraffes: number;
}[];

for (const { name, change, giraffes } of MEANWHILE) {
  Deno.test(`indexSessions() ${name} after it was found`, async () => {
    await withSession(async ({ index, path, text }) => {
      await writeFile(path, text + says("A giraffe came along"));
      const onProgress = (): Promise<void> => change(path);
      const { problems } = await refresh({ ...index, onProgress });
      assertEquals(problems, []);
      assertEquals((await find(index, "giraffe")).length, giraffes);
      await refresh(index);
      assertEquals((await find(index, "giraffe")).length, giraffes);
    });
  });
}

Deno.test("indexSessions() updates the name of a session without reading more than its head", async () => {
  await withSession(async ({ index, home, path, text }) => {
    const row = { id: testId(1), thread_name: "Zoo", updated_at: STARTED };
    await writeFile(`${home}/session_index.jsonl`, jsonl([row]));
    await overwrite(path, text.replace("Done.", "Gone."));
    assertEquals(countsOf(await refresh(index)), { moved: 1 });
    assertEquals((await find(index, "elephant"))[0]?.title, "Zoo");
    assertEquals((await find(index, "done")).length, 1);
    assertEquals(countsOf(await refresh(index)), {});
  });
});

Deno.test("indexSessions() reports a damaged file once, and indexes its readable part", async () => {
  await withFolder(async (folder) => {
    const index = indexIn(folder);
    const path = sessionPath(`${folder}/home`, testId(1), STARTED);
    const text = sessionText({
      id: testId(1),
      started: STARTED,
      message: "elephant",
    });
    const packed = zstd(new TextEncoder().encode(text));
    await writeFile(
      `${path}.zst`,
      new Uint8Array([...packed, 0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3]),
    );
    const { problems } = await refresh(index);
    assertEquals(problems.map(({ path }) => path), [`${path}.zst`]);
    assertEquals((await find(index, "elephant")).length, 1);
    assertEquals((await refresh(index)).problems, []);
  });
});

Deno.test("indexSessions() reports a packed file once that was damaged since it was read, and indexes what is left", async () => {
  await withSession(async ({ index, path, text }) => {
    const packed = zstd(new TextEncoder().encode(text));
    await writeFile(`${path}.zst`, packed.subarray(0, -5));
    await Deno.remove(path);
    const { problems } = await refresh(index);
    assertEquals(problems.map(({ path }) => path), [`${path}.zst`]);
    assertEquals(await find(index, "elephant"), []);
    await checkRebuilt(index);
    assertEquals((await refresh(index)).problems, []);
  });
});

Deno.test("indexSessions() stops on request, newest first, and continues later", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    for (let day = 1; day <= 3; day++) {
      const started = `2026-01-0${day}T00:00:00.000Z`;
      const id = testId(day);
      await writeSession(home, { id, started, message: `elephant ${day}` });
    }
    const index = indexIn(folder);
    let calls = 0;
    const stopping = { ...index, shouldStop: () => calls++ === 1 };
    const report = await refresh(stopping);
    assertEquals([report.added, report.filesLeft], [1, 2]);
    assertEquals((await find(index, "elephant"))[0]?.session_id, testId(3));
    assertEquals((await refresh(index)).added, 2);
    assertEquals((await find(index, "elephant")).length, 3);
  });
});

Deno.test("indexSessions() stops within a long file, and continues there", async () => {
  await withSession(async ({ index, path, text }) => {
    const line = jsonl([eventLine("x", { text: "y".repeat(1 << 20) })]);
    await writeFile(path, text + line.repeat(9) + says("A giraffe"));
    await Deno.remove(index.path);
    let calls = 0;
    const shouldStop = (): boolean => calls++ > 0;
    const stopped = await refresh({ ...index, shouldStop });
    assertEquals(stopped.filesLeft, 1);
    const hits = [await find(index, "elephant"), await find(index, "giraffe")];
    assertEquals(hits.map(({ length }) => length), [1, 0]);
    const { bytesRead } = await refresh(index);
    assertEquals(bytesRead < 3 << 20, true);
    await checkRebuilt(index);
  });
});

Deno.test("indexSessions() reports its progress", async () => {
  await withSession(async ({ index, path, text }) => {
    await writeFile(path, text + says("More"));
    const seen: number[][] = [];
    await refresh({
      ...index,
      onProgress: ({ files, totalFiles, bytes, totalBytes }): void => {
        seen.push([files, totalFiles, bytes, totalBytes]);
      },
    });
    assertEquals(seen, [[0, 1, 0, text.length + says("More").length]]);
  });
});

/** Makes an index of three sessions with one start time; the newest two have grown since. */
async function withGrown(
  use: (index: IndexedHome) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const index = indexIn(folder);
    const home = `${folder}/home`;
    // Adds the oldest last, so that it gets another number than in a rebuilt index.
    for (const id of [2, 3, 1].map(testId)) {
      await writeSession(home, { id, started: STARTED, message: "elephant" });
      await refresh(index);
    }
    for (const id of [2, 3].map(testId)) {
      const path = sessionPath(home, id, STARTED);
      await Deno.writeTextFile(path, says("giraffe"), { append: true });
    }
    await use(index);
  });
}

const REBUILDS = [
  { name: "has rebuilt the index", shouldStop: () => false },
  { name: "is rebuilding the index", shouldStop: () => true },
] satisfies { name: string; shouldStop: () => boolean }[];

for (const { name, shouldStop } of REBUILDS) {
  for (const [at, what] of ["before it reads", "before it writes"].entries()) {
    Deno.test(`indexSessions() continues when another process ${name} ${what}`, async () => {
      await withGrown(async (index) => {
        let calls = 0;
        // What was read of the first file is written after the second one was read.
        const onProgress = async (): Promise<void> => {
          if (calls++ !== at) return;
          await refresh({ ...index, rebuild: true, shouldStop });
        };
        await refresh({ ...index, onProgress });
        await checkRebuilt(index);
      });
    });
  }
}

Deno.test("indexSessions() counts the files left when another process is rebuilding the index", async () => {
  await withGrown(async (index) => {
    let isStopped = false;
    const { filesLeft } = await refresh({
      ...index,
      shouldStop: () => isStopped,
      onProgress: async () => {
        await refresh({ ...index, rebuild: true, shouldStop: () => true });
        isStopped = true;
      },
    });
    assertEquals(filesLeft, 3);
  });
});

/** Refreshes an index, and calls a function before each statement that writes, with its number. */
async function refreshInSteps(
  index: IndexedHome,
  onStep: (step: number) => void,
): Promise<void> {
  await withSessionIndex(index, async (database) => {
    const run = database.run.bind(database);
    let steps = 0;
    database.run = (sql, ...values) => {
      onStep(steps++);
      run(sql, ...values);
    };
    await refreshSessionIndex(database, index, 3);
  });
}

Deno.test("an index is complete after a refresh, at whatever step its process was killed", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    await assembleHome(home, { versions: ["0.160.0"] });
    const index = indexIn(`${folder}/index`, home);
    let last = 0;
    await refreshInSteps(index, (step) => last = step);
    const content = contentOf(index);
    await Deno.remove(dirname(index.path), { recursive: true });
    const points = [0.2, 0.5, 0.8].map((share) => Math.floor(share * last));
    const kills = [0, 1, 2, 3, ...points, last];
    // A process that is killed leaves its files as they are. What it shares with others in memory
    // is locked, and made anew by the next process.
    await refreshInSteps(index, (step) => {
      if (!kills.includes(step)) return;
      Deno.mkdirSync(`${folder}/${step}`);
      for (const { name } of Deno.readDirSync(dirname(index.path))) {
        if (name.endsWith("-shm")) continue;
        Deno.copyFileSync(
          `${dirname(index.path)}/${name}`,
          `${folder}/${step}/${name}`,
        );
      }
    });
    for (const step of kills) {
      const killed = indexIn(`${folder}/${step}`, home);
      await find(killed, "turn", { refresh: true });
      assertEquals(contentOf(killed), content, `${step} of ${last}`);
    }
  });
});

Deno.test("two processes that make one index at the same time both succeed", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    await assembleHome(home, { versions: ["0.160.0", "0.53.0"] });
    const expected = indexIn(`${folder}/expected`, home);
    const { files } = await refresh(expected);
    const index = indexIn(folder, home);
    const results = await Promise.all(
      [1, 2].map(() => addedBy(startIndexing(index))),
    );
    assertEquals(results.reduce((sum, added) => sum + added, 0), files);
    assertEquals(contentOf(index), contentOf(expected));
  });
});

Deno.test("two processes that find an index damaged both repair it", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    await assembleHome(home, { versions: ["0.53.0"] });
    const index = indexIn(folder, home);
    await refresh(index);
    const content = contentOf(index);
    const bytes = await Deno.readFile(index.path);
    await Deno.writeFile(index.path, bytes.fill(0xa5, 100));
    await Promise.all(
      [1, 2].map(() => addedBy(startIndexing(index))),
    );
    await refresh(index);
    assertEquals(contentOf(index), content);
  });
});

/** Returns how many sessions a process has added to its index. */
async function addedBy(process: Deno.ChildProcess): Promise<number> {
  const { success, stdout, stderr } = await process.output();
  assert(success, decode(stderr));
  return Number(decode(stdout));
}
