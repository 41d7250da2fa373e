import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  appendFile,
  mkdir,
  readFile,
  rename,
  rm,
  utimes,
} from "node:fs/promises";
import { dirname } from "node:path";
import { zstdCompressSync } from "node:zlib";
import type { HappeningRecord } from "../../lib/check/happenings.ts";
import { jsonl } from "../running.ts";
import { sessionPath, testId, withFolder } from "../sessions/homes.ts";
import { eventLine, line } from "../session_lines.ts";
import { call, type Result, stepping, type World } from "./memory.ts";

/** The time at which the command starts; the times of lines are seconds after it. */
const NOW = Date.parse("2026-11-20T15:00:00.000Z");
const at = (second: number): string =>
  new Date(NOW + 1000 * second).toISOString();

const event = (second: number, type: string, rest: object): string =>
  jsonl([eventLine(type, rest, at(second))]);

/** The lines of a session up to its first prompt. */
const sessionStart = (
  second: number,
  { id = testId(1), message = "Go", parent }: {
    readonly id?: string;
    readonly message?: string;
    readonly parent?: string;
  } = {},
): string =>
  jsonl([line("session_meta", {
    id,
    timestamp: at(second),
    cwd: "/w",
    originator: "codex_exec",
    cli_version: "0.169.0",
    source: parent === undefined ? "exec" : {
      subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } },
    },
    parent_thread_id: parent,
  }, at(second))]) + event(second, "task_started", { turn_id: "1" }) +
  event(second, "user_message", { message });

const commandStart = (second: number, command: string): string =>
  event(second, "exec_command_begin", {
    call_id: command,
    command: ["bash", "-lc", command],
  });
const commandEnd = (second: number, command: string, exit_code = 0): string =>
  event(second, "exec_command_end", { call_id: command, exit_code });

const turnEnd = (second: number, turn = "1"): string =>
  event(second, "agent_message", { message: "Done." }) +
  event(second, "task_complete", {
    turn_id: turn,
    last_agent_message: "Done.",
  });

/** A watched home; the times of its files come from the clock of the test. */
class Home {
  readonly path: string;
  /** The changes that the platform reports, by path. */
  changes = new Map<string, { readonly isClosed: boolean }>();
  now = NOW;

  constructor(path: string) {
    this.path = path;
  }

  file(number: number): string {
    return sessionPath(this.path, testId(number), "2026-11-20T15:00:00.000Z");
  }

  async add(path: string, text: string | Uint8Array): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, text);
    await utimes(path, this.now / 1000, this.now / 1000);
  }

  archived(path: string): string {
    return `${this.path}/archived_sessions/${path.slice(path.lastIndexOf("/"))}`
      .replace("//", "/");
  }
}

/** A change to the home while the command waits. */
type Step = (home: Home) => unknown;

/** Watches a home; each wait runs the next step, and after the last one comes Ctrl-C. */
async function watched(
  home: Home,
  args: readonly string[],
  steps: readonly Step[],
  world: World = {},
): Promise<Result> {
  const { changes, interrupt } = stepping(
    steps.map((step) => () => {
      home.now += 1000;
      return step(home);
    }),
  );
  return await call(["watch", ...args], {
    env: { CODEX_HOME: home.path },
    directories: [home.path],
    interrupt,
    now: () => home.now,
    changes: {
      ...changes,
      told() {
        const { changes } = home;
        home.changes = new Map();
        return changes;
      },
    },
    ...world,
  });
}

async function withWatched(use: (home: Home) => Promise<void>): Promise<void> {
  await withFolder((folder) => use(new Home(`${folder}/home`)));
}

/** Returns the type of each happening, and the number of its session. */
function happenings({ stdout }: Result): string[] {
  return stdout.split("\n").slice(0, -1).map((text) => {
    const { type, session_id }: HappeningRecord = JSON.parse(text);
    const ids = [1, 2, 3, 4].map(testId);
    return `${type} ${ids.indexOf(session_id ?? "") + 1}`;
  });
}

const STEPS: readonly Step[] = [
  (home) => home.add(home.file(1), sessionStart(1)),
  // Two sessions at once, one of them a sub-agent.
  async (home) => {
    const sub = sessionStart(2, { id: testId(2), parent: testId(1) });
    await home.add(home.file(2), sub + commandStart(2, "make"));
    await home.add(
      home.file(3),
      sessionStart(2, { id: testId(3) }).slice(0, -9),
    );
  },
  (home) => home.add(home.file(2), commandEnd(3, "make", 2) + turnEnd(3)),
  (home) =>
    home.add(
      home.file(3),
      sessionStart(2, { id: testId(3) }).slice(-9) + commandStart(4, "sleep 9"),
    ),
  (home) => home.add(home.file(1), turnEnd(4)),
  // Killed: the writer of the file has closed it.
  (home) => void home.changes.set(home.file(3), { isClosed: true }),
  async (home) => {
    await mkdir(`${home.path}/archived_sessions`);
    await rename(home.file(1), home.archived(home.file(1)));
  },
  async (home) => {
    const packed = zstdCompressSync(await readFile(home.file(2)));
    await Deno.writeFile(`${home.file(2)}.zst`, packed);
    await rm(home.file(2));
  },
  // The session is resumed.
  (home) =>
    home.add(
      home.file(3),
      event(9, "task_started", { turn_id: "2" }) + turnEnd(9, "2"),
    ),
  (home) => rm(home.archived(home.file(1))),
  () => {},
];

const HAPPENED = [
  "session.started 1",
  "turn.started 1",
  "session.started 2",
  "turn.started 2",
  "command.started 2",
  "session.started 3",
  "turn.started 3",
  "command.ended 2",
  "turn.ended 2",
  "command.started 3",
  "turn.ended 1",
  "turn.ended 3",
  "session.archived 1",
  "session.packed 2",
  "turn.started 3",
  "turn.ended 3",
  "session.deleted 1",
];

Deno.test("watch --json prints each happening once, and with --since only later ones", async () => {
  await withWatched(async (home) => {
    const live = await watched(home, ["--json"], STEPS);
    assertEquals([live.status, live.stderr], [130, ""]);
    assertEquals(happenings(live).sort(), [...HAPPENED].sort());
    const records = live.stdout.split("\n").slice(0, -1)
      .map((text) => JSON.parse(text));
    const times = records.map(({ at }) => at);
    assertEquals(times, [...times].sort());
    const [killed] = records.filter(({ verdict }) =>
      verdict?.status === "open"
    );
    assertEquals(
      killed.verdict.reasons[0].message,
      "turn 1 has no end: the log ends before it does",
    );
    assertEquals(
      records.find(({ type }) => type === "command.ended"),
      {
        type: "command.ended",
        at: at(3),
        session_id: testId(2),
        parent_id: testId(1),
        title: "Go",
        path: home.file(2),
        command: "make",
        status: "failed",
        exit_code: 2,
        duration_ms: 1000,
      },
    );
    const again = await watched(
      home,
      ["--json", `--since=${times.at(-1)}`],
      [],
    );
    // The times of packing and archiving come from the clock of the machine.
    const packed = "session.packed 2";
    const content = (result: Result): string[] =>
      happenings(result).filter((each) => each !== packed);
    assertEquals(content(again), []);
    const half = at(3);
    const rest = await watched(home, ["--json", `--since=${half}`], []);
    assertEquals(
      content(rest),
      ["command.started 3", "turn.ended 3", "turn.started 3", "turn.ended 3"],
    );
    const all = await watched(home, ["--json", "--since=2000-01-01"], []);
    assertEquals(happenings(all).includes(packed), true);
  });
});

Deno.test("watch prints happenings as text, and waits for a home", async () => {
  await withWatched(async (home) => {
    const { stdout, stderr } = await watched(home, [], STEPS.slice(0, 6), {
      directories: [],
    });
    assertMatch(stderr, /home: does not exist yet; waiting for it\n$/);
    const text = stdout.replaceAll(
      /^2026-11-20 |00000000-0000-7000-8000-/gm,
      "",
    );
    for (
      const part of [
        "session started: Go (/w)\n",
        "turn started\n",
        "$ make\n",
        "✗ exit 2: $ make (1.0s)\n",
        "✓ done (3.0s): 1 turn; Go\n",
        "✗ turn 1 has no end: the log ends before it does",
      ]
    ) assertStringIncludes(text, part);
  });
});

Deno.test("watch shows running sessions on a terminal, and escapes control characters", async () => {
  await withWatched(async (home) => {
    const evil = "\x1b]0;owned\x07\x1b[2J\u202e";
    const result = await watched(home, ["--color=never"], [
      (home) =>
        home.add(
          home.file(1),
          sessionStart(1, { message: `Go${evil}` }) +
            commandStart(1, `echo ${evil}`) +
            commandStart(1, "sleep 9"),
        ),
      (home) => {
        const sub = sessionStart(2, { id: testId(2), parent: testId(1) });
        return home.add(home.file(2), sub);
      },
      () => {},
      (home) => home.add(home.file(2), turnEnd(4)),
    ], {
      terminals: ["stdout"],
      columns: 90,
      rows: 20,
      // Shortens the path, which could be too long for the terminal.
      env: { CODEX_HOME: home.path, HOME: dirname(home.path) },
    });
    const { stdout, writes } = result;
    const frame = writes.find((write) => write.includes("└")) ?? "";
    assertMatch(frame, /Session +Time +Tokens +Doing +Title\n/);
    assertMatch(frame, /2: 1s \$ echo .* {2}Go/);
    assertMatch(frame, /2 of 2 sessions in ~\/home at work\n$/);
    assertStringIncludes(stdout, "✓ done");
    assertEquals(stdout.includes("$ sleep 9\n"), false, stdout);
    // deno-lint-ignore no-control-regex
    const rest = stdout.replaceAll(/\r\x1b\[\d+A\x1b\[J/g, "");
    // deno-lint-ignore no-control-regex
    assertEquals(/[\x00-\x09\x0b-\x1f\u202e]/.test(rest), false, rest);
  });
});

Deno.test("watch reports a damaged session once, and goes on", async () => {
  await withWatched(async (home) => {
    const torn = zstdCompressSync(sessionStart(2)).subarray(0, -9);
    const result = await watched(home, ["--json"], [
      (home) => home.add(home.file(1), `${sessionStart(1)}oops\nagain\n`),
      (home) => home.add(`${home.file(2)}.zst`, torn),
      (home) => home.add(`${home.file(2)}.zst`, torn),
      (home) => home.add(home.file(1), turnEnd(4)),
      // Of the content that replaces it, only the new happenings are printed.
      async (home) => {
        await rm(home.file(1));
        await home.add(
          home.file(1),
          sessionStart(1) + turnEnd(4) + turnEnd(5, "2"),
        );
      },
    ]);
    assertEquals(result.status, 130);
    assertEquals(happenings(result).sort(), [
      "session.damaged 1",
      "session.damaged 2",
      "session.started 1",
      "turn.ended 1",
      "turn.ended 1",
      "turn.started 1",
    ]);
    assertMatch(result.stdout, /"line":4,"message":"Cannot parse/);
  });
});

Deno.test("watch says once why a file cannot be read", async () => {
  await withWatched(async (home) => {
    const torn = zstdCompressSync(sessionStart(2)).subarray(0, -9);
    const { stdout } = await watched(home, [], [
      (home) => home.add(`${home.file(2)}.zst`, torn),
    ]);
    assertMatch(stdout, /Z {2}[-0-9a-f]+ {2}cannot unpack the zstd data: /);
  });
});

Deno.test("watch ends a turn without new lines for 31 minutes once", async () => {
  await withWatched(async (home) => {
    const result = await watched(home, ["--json"], [
      (home) => home.add(home.file(1), sessionStart(1)),
      (home) => void (home.now += 31 * 60_000),
      () => {},
    ]);
    assertEquals(happenings(result), [
      "session.started 1",
      "turn.started 1",
      "turn.ended 1",
    ]);
  });
});

Deno.test("watch refuses operands, and needs a home", async () => {
  for (
    const [args, env] of [[["a"], { CODEX_HOME: "/h" }], [[], {}]] as const
  ) {
    assertEquals((await call(["watch", ...args], { env })).status, 2);
  }
});

Deno.test("watch does not wait for a home that is a file, and says why it cannot be read", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    await Deno.writeTextFile(home, "");
    const { stderr } = await call(["watch"], {
      env: { CODEX_HOME: home },
      files: { [home]: "" },
      ...stepping([]),
    });
    assertMatch(stderr, /home\/sessions: cannot read: not a directory\n/);
    assertEquals(stderr.includes("does not exist yet"), false, stderr);
  });
});
