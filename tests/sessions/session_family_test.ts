import { assertEquals, assertThrows } from "@std/assert";
import {
  divideSessions,
  findSessionFamily,
} from "../../lib/sessions/session_family.ts";
import {
  findSessionFiles,
  sessionFileAt,
} from "../../lib/sessions/session_files.ts";
import { readSessionHead } from "../../lib/sessions/session_head.ts";
import { listSessions } from "../../lib/sessions/session_list.ts";
import { findSession } from "../../lib/sessions/session_lookup.ts";
import { jsonl } from "../running.ts";
import { callLine, outputLine } from "../session_lines.ts";
import { testId, withFolder, writeContinued, writeSession } from "./homes.ts";

/** Writes sessions, each with these fields in its header. */
async function writeSessions(
  home: string,
  sessions: readonly (readonly [number: number, meta: object])[],
): Promise<void> {
  for (const [number, meta] of sessions) {
    const id = testId(number);
    const started = `2026-11-20T10:00:0${number}.000Z`;
    await writeSession(home, { id, started, message: "Hi", meta: { ...meta } });
  }
}

const CASES: readonly {
  readonly name: string;
  readonly sessions: readonly (readonly [number: number, meta: object])[];
  /** The number of the requested session, then the members of its family with their depths. */
  readonly of: number;
  readonly found: readonly (readonly [number: number, depth: number])[];
  readonly missing?: number;
}[] = [
  {
    name: "puts sub-agents and forks behind their origins",
    sessions: [
      [1, {}],
      [2, {
        source: { subagent: { thread_spawn: { parent_thread_id: testId(1) } } },
      }],
      [3, { forked_from_id: testId(1) }],
      [4, { parent_thread_id: testId(2), forked_from_id: testId(2) }],
      [5, {}],
    ],
    of: 4,
    found: [[1, 0], [2, 1], [4, 2], [3, 1]],
  },
  {
    name: "finds a session without relatives",
    sessions: [[1, {}], [2, {}]],
    of: 2,
    found: [[2, 0]],
  },
  {
    name: "reports a missing parent",
    sessions: [[2, { parent_thread_id: testId(1) }], [3, {
      parent_thread_id: testId(2),
    }]],
    of: 3,
    found: [[2, 0], [3, 1]],
    missing: 1,
  },
  {
    name: "ends with headers that name each other as origin",
    sessions: [[1, { forked_from_id: testId(2) }], [2, {
      forked_from_id: testId(1),
    }]],
    of: 1,
    found: [[2, 0], [1, 1]],
  },
];

Deno.test("findSessionFamily() finds agents whose headers name no parent by the calls that spawned them", async () => {
  await withFolder(async (home) => {
    await writeSessions(home, [[1, {}], [2, {}], [3, {}]]);
    const options = { codexHomes: [home] };
    const session = await findSession(testId(1), options);
    const text = jsonl([
      callLine("spawn_agent", {}),
      outputLine(JSON.stringify({ agent_id: testId(3) })),
    ]);
    await Deno.writeTextFile(session.file.path, text, { append: true });
    const { members } = await findSessionFamily(session, options);
    assertEquals(
      members.map(({ session, depth }) => [session.head.id, depth]),
      [
        [testId(1), 0],
        [testId(3), 1],
      ],
    );
  });
});

for (const { name, sessions, of, found, missing } of CASES) {
  Deno.test(`findSessionFamily() ${name}`, async () => {
    await withFolder(async (home) => {
      await writeSessions(home, sessions);
      const options = { codexHomes: [home] };
      const session = await findSession(testId(of), options);
      const family = await findSessionFamily(session, options);
      assertEquals(
        family.members.map(({ session, depth }) => [session.head.id, depth]),
        found.map(([number, depth]) => [testId(number), depth]),
      );
      const id = missing === undefined ? undefined : testId(missing);
      assertEquals(family.missing, id);
    });
  });
}

Deno.test("findSessionFamily() returns all files of a session in several files", async () => {
  await withFolder(async (home) => {
    const { id, files } = await writeContinued(home);
    const options = { codexHomes: [home] };
    const session = await findSession(id, options);
    const { members } = await findSessionFamily(session, options);
    assertEquals(
      members.map(({ session }) => session.files.map(({ path }) => path)),
      [files.map(({ path }) => path)],
    );
  });
});

const REVIEW = { source: { subagent: "review" }, cli_version: "0.72.0" };

const DIVIDED: readonly {
  readonly name: string;
  readonly sessions: readonly (readonly [number: number, meta: object])[];
  readonly shards: readonly (readonly number[])[];
}[] = [
  {
    name: "makes as many shards as requested, of similar sizes",
    sessions: [[1, {}], [2, { cwd: "/home/dev/a-longer-path" }], [3, {}], [
      4,
      {},
    ]],
    shards: [[2], [1, 4], [3]],
  },
  {
    name:
      "puts forks and agents of a thread into one shard, even without its file",
    sessions: [
      [2, { forked_from_id: testId(1) }],
      [3, { parent_thread_id: testId(1).toUpperCase() }],
      [4, {}],
      [5, { forked_from_id: testId(3) }],
    ],
    shards: [[2, 3, 5], [4]],
  },
  {
    name: "puts an old review and the sessions of its folder into one shard",
    sessions: [
      [1, { cwd: "/a" }],
      [2, { cwd: "/b" }],
      [3, { ...REVIEW, cwd: "/a" }],
      [4, { cwd: "/a" }],
      [5, { ...REVIEW, cwd: "/b", cli_version: "0.80.0" }],
    ],
    shards: [[1, 3], [5], [2, 4]],
  },
  {
    name: "puts a review of 0.53 and the session of its folder into one shard",
    sessions: [
      [1, { cwd: "/a" }],
      [2, { cwd: "/b" }],
      [3, { ...REVIEW, cwd: "/a", cli_version: "0.53.0" }],
      [4, { cwd: "/b" }],
    ],
    shards: [[1, 3], [2], [4]],
  },
];

for (const { name, sessions, shards } of DIVIDED) {
  Deno.test(`divideSessions() ${name}`, async () => {
    await withFolder(async (home) => {
      await writeSessions(home, sessions);
      const options = { codexHomes: [home] };
      const files = (await findSessionFiles(options)).files.toReversed();
      const found = (await listSessions(options)).sessions;
      const divided = divideSessions(files, found, 3);
      assertEquals(
        divided.map(({ files }) => files.map(({ path }) => path)),
        shards.map((shard) =>
          shard.map((number) =>
            files.find(({ id }) => id === testId(number))?.path
          )
        ),
      );
      assertEquals(divideSessions(files, found.toReversed(), 3), divided);
      for (const count of [0, 1.5, NaN, Infinity]) {
        assertThrows(() => divideSessions(files, found, count), RangeError);
      }
    });
  });
}

Deno.test("divideSessions() takes linear time for 150,000 sessions, each a fork of the one before", async () => {
  // In quadratic time this would take minutes.
  const file = await sessionFileAt("deno.json", ".");
  const head = await readSessionHead(file);
  const sessions = Array.from({ length: 150_000 }, (_, number) => {
    const id = testId(number);
    const own = { ...file, path: id, sessionId: id, size: 1 };
    return {
      file: own,
      files: [own],
      head: { ...head, id, forkedFrom: testId(number + 1) },
      name: undefined,
      title: "",
    };
  });
  const other = { path: "other", size: 1_000_000 };
  const files = [...sessions.map(({ file }) => file), other];
  const [shard, ...others] = divideSessions(files, sessions, 1);
  assertEquals([shard?.files.length, others], [files.length, []]);
});

Deno.test("divideSessions() puts a session in several files into one shard", async () => {
  await withFolder(async (home) => {
    const { files } = await writeContinued(home);
    const options = { codexHomes: [home] };
    const found = (await findSessionFiles(options)).files;
    const { sessions } = await listSessions(options);
    const [shard, ...others] = divideSessions(found, sessions, 9);
    assertEquals([shard?.files.length, others], [files.length, []]);
  });
});

Deno.test("divideSessions() joins families of more files than a call takes arguments", () => {
  const files = [testId(1), testId(2)].flatMap((id) =>
    new Array(200_000).fill({ path: `rollout-${id}.jsonl`, size: 1 })
  );
  const [shard] = divideSessions(files, [], 1);
  assertEquals([shard?.files.length, shard?.families], [files.length, 2]);
});
