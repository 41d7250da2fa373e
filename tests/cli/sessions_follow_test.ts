import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { appendFile, mkdir, rename } from "node:fs/promises";
import { zstdCompressSync } from "node:zlib";
import { readFixture } from "../fixtures.ts";
import { decode, encode } from "../running.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  writeFile,
} from "../sessions/homes.ts";
import { call, type Result, type World } from "./memory.ts";

const STARTED = "2026-11-20T15:00:00.000Z";
const TEXT = sessionText({ id: testId(1), started: STARTED, message: "Go" });

const OTHER_TEXT = sessionText({
  id: testId(2),
  started: STARTED,
  message: "Once more",
});

/** What happens while the command waits for more. */
type Step = (path: string, home: string) => unknown;

function event(type: string, rest: Readonly<Record<string, unknown>> = {}) {
  const payload = { type, ...rest };
  return `${
    JSON.stringify({ timestamp: STARTED, type: "event_msg", payload })
  }\n`;
}

const START = event("task_started", { turn_id: "1" });
const SAID = event("agent_message", { message: "Here it is." });
const END = event("task_complete", { turn_id: "1" });

/** Follows a session while one step after the other is done; behind the last one it is Ctrl-C. */
async function followed(
  args: readonly string[],
  steps: readonly Step[],
  world: World = {},
): Promise<Result> {
  let result: Result | undefined;
  await withFolder(async (home) => {
    const path = sessionPath(home, testId(1), STARTED);
    await writeFile(path, TEXT);
    const rest = [...steps];
    const end = new AbortController();
    result = await call(["sessions", "follow", ...args], {
      env: { CODEX_HOME: home },
      interrupt: end.signal,
      changes: {
        async wait(): Promise<void> {
          const step = rest.shift();
          if (step === undefined) end.abort();
          else await step(path, home);
        },
        close(): void {},
      },
      ...world,
    });
  });
  if (result === undefined) throw new TypeError("Nothing was followed");
  return result;
}

Deno.test("sessions follow prints the lines that are written from now on", async () => {
  const { status, stdout, stderr } = await followed(
    [],
    [
      (path) => appendFile(path, START + SAID.slice(0, 30)),
      (path) => appendFile(path, SAID.slice(30)),
    ],
  );
  assertEquals([status, stdout, stderr], [130, START + SAID, ""]);
});

Deno.test("sessions follow --from-start prints what is there first", async () => {
  for (const query of [[testId(1)], ["--last"], [testId(1).slice(0, 9)]]) {
    const { status, stdout } = await followed(
      ["--from-start", ...query],
      [(path) => appendFile(path, START)],
    );
    assertEquals([status, stdout], [130, TEXT + START]);
  }
});

Deno.test("sessions follow --verbose says how the file is called each time, and how it was just before", async () => {
  const archivedPath = (path: string, home: string): string =>
    `${home}/archived_sessions/${path.slice(path.lastIndexOf("/") + 1)}`;
  const { stderr } = await followed(["-v"], [
    (path) => appendFile(path, START),
    async (path, home) => {
      await mkdir(`${home}/archived_sessions`);
      await rename(path, archivedPath(path, home));
      await appendFile(archivedPath(path, home), SAID);
    },
    async (path, home) => {
      await rename(archivedPath(path, home), path);
      await appendFile(path, END);
    },
  ]);
  const moves = [
    ...stderr.matchAll(
      /^codexpipe: (.*): moved to (.*); following it there$/gm,
    ),
  ]
    .map(([, from = "", to = ""]) => [from, to]);
  const [[first, archive] = [], [from, to] = []] = moves;
  assertEquals(moves.length, 2);
  assertMatch(archive ?? "", /archived_sessions/);
  assertEquals([from, to], [archive, first]);
});

Deno.test("sessions follow goes along to the archive, and into a packed file", async () => {
  const { stdout, stderr } = await followed(["-v"], [
    (path) => appendFile(path, START),
    async (path, home) => {
      await appendFile(path, SAID);
      const archive = `${home}/archived_sessions`;
      await mkdir(archive);
      await rename(path, `${archive}/${path.slice(path.lastIndexOf("/") + 1)}`);
    },
    async (path, home) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      const archived = `${home}/archived_sessions/${name}`;
      const packed = zstdCompressSync(encode(TEXT + START + SAID + END));
      await Deno.writeFile(`${archived}.zst`, packed);
      await Deno.remove(archived);
    },
  ]);
  assertEquals(stdout, START + SAID + END);
  assertMatch(
    stderr,
    /: moved to .*archived_sessions.*\.jsonl; following it there\n.*: moved to .*\.jsonl\.zst; following it there\n$/,
  );
});

Deno.test("sessions follow --exit-on=turn ends with a turn", async () => {
  const { status, stdout } = await followed(["--exit-on=turn"], [
    (path) => appendFile(path, START),
    (path) => appendFile(path, SAID + END),
    (path) => appendFile(path, SAID),
  ]);
  assertEquals([status, stdout], [0, START + SAID + END]);
});

Deno.test("sessions follow --exit-on=turn counts turns that are shown", async () => {
  const append = (text: string): Step => (path) => appendFile(path, text);
  const fail = () => {
    throw new TypeError("It should have ended");
  };
  const shown = await followed(["--exit-on=turn", "--from-start"], [
    append(START + END),
    fail,
  ]);
  assertEquals([shown.status, shown.stdout], [0, TEXT + START + END]);
  const twice = await followed(["--exit-on=turn"], [
    append(START + END + START),
    append(SAID),
    append(END),
    fail,
  ]);
  assertEquals(twice.stdout, START + END + START + SAID + END);
});

Deno.test("sessions follow --exit-on=turn does not count turns that were over before", async () => {
  await withFolder(async (home) => {
    const path = sessionPath(home, testId(1), STARTED);
    await writeFile(path, TEXT + START + END);
    const followIt = (args: readonly string[], steps: Step[]) =>
      call(["sessions", "follow", "--exit-on=turn", ...args], {
        env: { CODEX_HOME: home },
        changes: {
          wait: async () => void await steps.shift()?.(path, home),
          close(): void {},
        },
      });
    const all = await followIt(["--from-start"], []);
    assertEquals([all.status, all.stdout], [0, TEXT + START + END]);
    const { stdout } = await followIt([], [
      () => {},
      (path) => appendFile(path, START),
      (path) => appendFile(path, SAID + END),
    ]);
    assertEquals(stdout, START + SAID + END);
  });
});

Deno.test("sessions follow --exit-on=idle=SECONDS ends when nothing happens for so long", async () => {
  let now = 1_000_000;
  const { status, stdout } = await followed(["--exit-on=idle=2.5"], [
    () => now += 2_400,
    async (path) => {
      now += 50;
      await appendFile(path, START);
    },
    () => now += 2_400,
    () => now += 100,
    () => {
      throw new TypeError("It should have ended");
    },
  ], { now: () => now });
  assertEquals([status, stdout], [0, START]);
});

Deno.test("sessions follow shows text on a terminal, and what is asked for", async () => {
  const terminal = { terminals: ["stdout"], columns: 60 } as const;
  const steps: Step[] = [(path) => appendFile(path, START + SAID + END)];
  const { stdout } = await followed(["--color=never"], steps, terminal);
  assertStringIncludes(stdout, "\n\nHere it is.\n\n✓ done");
  assertEquals(stdout.includes("❯ Go"), false);
  const whole = await followed(["--format=text", "--from-start"], steps);
  assertStringIncludes(whole.stdout, "\n\n❯ Go\n\nDone.\n");
  const lines = await followed(["--format=jsonl"], steps, terminal);
  assertEquals(lines.stdout, START + SAID + END);
});

Deno.test("sessions follow shows as text what is left of lines that have changed", async () => {
  const drifted = event("agent_message", {
    message: "Here.",
    phase: { new: 1 },
  });
  const { stdout } = await followed(
    ["--format=text"],
    [(path) => appendFile(path, START + drifted + END)],
  );
  assertStringIncludes(stdout, "Here.");
  assertEquals(stdout.includes("typed"), false, stdout);
});

const THOUGHT = event("agent_reasoning", { text: "I wonder." });
const ASKED = event("user_message", { message: "And now?" });

const ENDS: readonly { readonly name: string; readonly args: string[] }[] = [
  { name: "Ctrl-C", args: [] },
  { name: "idle", args: ["--exit-on=idle=1"] },
];

for (const { name, args } of ENDS) {
  Deno.test(`sessions follow shows as text what waited for more lines when it ends: ${name}`, async () => {
    let now = 1_000_000;
    const steps: Step[] = [
      (path) => appendFile(path, START + THOUGHT),
      () => now += name === "idle" ? 2_000 : 0,
    ];
    const { stdout } = await followed(
      ["--format=text", ...args],
      steps,
      { now: () => now },
    );
    assertStringIncludes(stdout, "I wonder.");
    assertStringIncludes(stdout, "no end of the turn");
    assertEquals(stdout.includes("❯ Go"), false, stdout);
  });
}

Deno.test("sessions follow --from-start shows a prompt that nothing has followed yet", async () => {
  const header = TEXT.slice(0, TEXT.indexOf("\n") + 1);
  const { stdout } = await followed(["--format=text", "--from-start"], [
    // Another content: it begins anew.
    (path) => writeFile(path, header.replace("Z", "z")),
    (path) => appendFile(path, ASKED),
  ]);
  assertStringIncludes(stdout, "❯ And now?");
});

Deno.test("sessions follow leaves space before another content, as render does", async () => {
  const { stdout } = await followed(["--format=text", "--from-start"], [
    (path) => writeFile(path, OTHER_TEXT),
  ]);
  assertMatch(stdout, /\n\nDone\.\n\nCodex .*\n\n❯ Once more\n/);
});

Deno.test("sessions follow shows nothing of what was there before, not even at its end", async () => {
  const { status, stdout } = await followed(["--format=text"], []);
  assertEquals(status, 130);
  assertEquals(stdout.includes("Done."), false, stdout);
});

Deno.test("sessions follow reports failed lines, with their number in the file", async () => {
  const { stdout, stderr } = await followed([], [
    (path) => appendFile(path, `oops\n${START}`),
  ]);
  assertEquals(stdout, START);
  const line = TEXT.split("\n").length;
  assertMatch(stderr, new RegExp(`\\.jsonl:${line}: json: `));
  const { stderr: nothing } = await followed(["-q"], [
    (path) => appendFile(path, "oops\n"),
  ]);
  assertEquals(nothing, "");
});

Deno.test("sessions follow takes one session that is there", async () => {
  const none = await followed(["nope"], []);
  assertEquals([none.status, none.stdout], [1, ""]);
  assertMatch(none.stderr, /there is no session "nope"/);
  for (const args of [["a", "b"], ["a", "--last"], ["--exit-on=never"]]) {
    const { status } = await followed(args, []);
    assertEquals(status, 2);
  }
});

Deno.test("sessions follow gives what a real session wrote, in whatever pieces it came", async () => {
  const name =
    "rollout-2026-11-20T15-19-24-01a1f98a-7867-7f01-95b5-4c5ae3f063dd.jsonl";
  const real = readFixture(`captures/0.169.0/fork/${name}`);
  const size = Math.ceil(real.length / 40);
  const pieces = Array.from(
    { length: 40 },
    (_, i) => real.subarray(i * size, (i + 1) * size),
  );
  const { stdout } = await followed(
    ["--exit-on=turn"],
    pieces.map((piece) => (path) => appendFile(path, piece)),
  );
  assertEquals(stdout, decode(real));
});
