import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { appendFile, mkdir, rename } from "node:fs/promises";
import { zstdCompressSync } from "node:zlib";
import { decode, encode, jsonl } from "../running.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  writeFile,
} from "../sessions/homes.ts";
import { eventLine } from "../session_lines.ts";
import { contentOf, PARENT } from "./families.ts";
import { call, type Result, stepping, type World } from "./memory.ts";

const STARTED = "2026-11-20T15:00:00.000Z";
const TEXT = sessionText({ id: testId(1), started: STARTED, message: "Go" });

const OTHER_TEXT = sessionText({
  id: testId(2),
  started: STARTED,
  message: "Once more",
});

/** A change to the session file or its home while the command waits. */
type Step = (path: string, home: string) => unknown;

function event(type: string, rest: Readonly<Record<string, unknown>> = {}) {
  return jsonl([eventLine(type, rest, STARTED)]);
}

const START = event("task_started", { turn_id: "1" });
const PROMPT_ITEM = `${
  JSON.stringify({
    timestamp: STARTED,
    type: "response_item",
    payload: {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "And now?" }],
    },
  })
}\n`;
const ANSWER = event("agent_message", { message: "Here it is." });
const END = event("task_complete", { turn_id: "1" });

/** Follows a session; each wait runs the next step, and after the last one comes Ctrl-C. */
async function followed(
  args: readonly string[],
  steps: readonly Step[],
  world: World = {},
): Promise<Result> {
  let result: Result | undefined;
  await withFolder(async (home) => {
    const path = sessionPath(home, testId(1), STARTED);
    await writeFile(path, TEXT);
    result = await call(["sessions", "follow", ...args], {
      env: { CODEX_HOME: home },
      ...stepping(steps.map((step) => () => step(path, home))),
      ...world,
    });
  });
  if (result === undefined) throw new TypeError("No session was followed");
  return result;
}

Deno.test("sessions follow prints the lines that are appended", async () => {
  const { status, stdout, stderr } = await followed(
    [],
    [
      (path) => appendFile(path, START + ANSWER.slice(0, 30)),
      (path) => appendFile(path, ANSWER.slice(30)),
    ],
  );
  assertEquals([status, stdout, stderr], [130, START + ANSWER, ""]);
});

Deno.test("sessions follow --from-start prints the existing lines first", async () => {
  for (const query of [[testId(1)], ["--last"], [testId(1).slice(0, 9)]]) {
    const { status, stdout } = await followed(
      ["--from-start", ...query],
      [(path) => appendFile(path, START)],
    );
    assertEquals([status, stdout], [130, TEXT + START]);
  }
});

Deno.test("sessions follow --verbose reports the old and the new path of each move", async () => {
  const archivedPath = (path: string, home: string): string =>
    `${home}/archived_sessions/${path.slice(path.lastIndexOf("/") + 1)}`;
  const { stderr } = await followed(["-v"], [
    (path) => appendFile(path, START),
    async (path, home) => {
      await mkdir(`${home}/archived_sessions`);
      await rename(path, archivedPath(path, home));
      await appendFile(archivedPath(path, home), ANSWER);
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

Deno.test("sessions follow follows the file to the archive, and to its packed copy", async () => {
  const { stdout, stderr } = await followed(["-v"], [
    (path) => appendFile(path, START),
    async (path, home) => {
      await appendFile(path, ANSWER);
      const archive = `${home}/archived_sessions`;
      await mkdir(archive);
      await rename(path, `${archive}/${path.slice(path.lastIndexOf("/") + 1)}`);
    },
    async (path, home) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      const archived = `${home}/archived_sessions/${name}`;
      const packed = zstdCompressSync(encode(TEXT + START + ANSWER + END));
      await Deno.writeFile(`${archived}.zst`, packed);
      await Deno.remove(archived);
    },
  ]);
  assertEquals(stdout, START + ANSWER + END);
  assertMatch(
    stderr,
    /: moved to .*archived_sessions.*\.jsonl; following it there\n.*: moved to .*\.jsonl\.zst; following it there\n.*: rollout, 7 records, 0 failed lines; /,
  );
});

Deno.test("sessions follow --exit-on=turn ends with 0 after a turn", async () => {
  const { status, stdout } = await followed(["--exit-on=turn"], [
    (path) => appendFile(path, START),
    (path) => appendFile(path, ANSWER + END),
    (path) => appendFile(path, ANSWER),
  ]);
  assertEquals([status, stdout], [0, START + ANSWER + END]);
});

Deno.test("sessions follow --exit-on=turn goes on if lines follow the end of the turn", async () => {
  const append = (text: string): Step => (path) => appendFile(path, text);
  const fail = () => {
    throw new TypeError("The command should have ended");
  };
  const shown = await followed(["--exit-on=turn", "--from-start"], [
    append(START + END),
    fail,
  ]);
  assertEquals([shown.status, shown.stdout], [0, TEXT + START + END]);
  const twice = await followed(["--exit-on=turn"], [
    append(START + END + START),
    append(ANSWER),
    append(END),
    fail,
  ]);
  assertEquals(twice.stdout, START + END + START + ANSWER + END);
});

Deno.test("sessions follow --exit-on=turn goes on if only the next prompt shows that a turn is over", async () => {
  // Codex before 0.104 records no end of a turn.
  const { status, stdout } = await followed(["--exit-on=turn"], [
    (path) => appendFile(path, PROMPT_ITEM),
    (path) => appendFile(path, ANSWER),
  ]);
  assertEquals([status, stdout], [130, PROMPT_ITEM + ANSWER]);
});

Deno.test("sessions follow --exit-on=turn ignores turns that ended before, except with --from-start", async () => {
  await withFolder(async (home) => {
    const path = sessionPath(home, testId(1), STARTED);
    await writeFile(path, TEXT + START + END);
    const followIt = (args: readonly string[], steps: Step[]) =>
      call(["sessions", "follow", "--exit-on=turn", ...args], {
        env: { CODEX_HOME: home },
        ...stepping(steps.map((step) => () => step(path, home))),
      });
    const all = await followIt(["--from-start"], []);
    assertEquals([all.status, all.stdout], [0, TEXT + START + END]);
    const { stdout } = await followIt([], [
      () => {},
      (path) => appendFile(path, START),
      (path) => appendFile(path, ANSWER + END),
    ]);
    assertEquals(stdout, START + ANSWER + END);
  });
});

Deno.test("sessions follow --exit-on=idle=SECONDS ends after so long without new lines", async () => {
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
      throw new TypeError("The command should have ended");
    },
  ], { now: () => now });
  assertEquals([status, stdout], [0, START]);
});

Deno.test("sessions follow prints text on a terminal, and the form of --format", async () => {
  const terminal = { terminals: ["stdout"], columns: 60 } as const;
  const steps: Step[] = [(path) => appendFile(path, START + ANSWER + END)];
  const { stdout } = await followed(["--color=never"], steps, terminal);
  assertStringIncludes(stdout, "\n\nHere it is.\n\n✓ done");
  assertEquals(stdout.includes("❯ Go"), false);
  const whole = await followed(["--format=text", "--from-start"], steps);
  assertStringIncludes(whole.stdout, "\n\n❯ Go\n\nDone.\n");
  const lines = await followed(["--format=jsonl"], steps, terminal);
  assertEquals(lines.stdout, START + ANSWER + END);
});

Deno.test("sessions follow folds text at the width of a terminal, and not in a pipe", async () => {
  const words = "word ".repeat(20).trim();
  const message = event("agent_message", { message: words });
  const linesOf = async (...terminals: ("stdout" | "stderr")[]) => {
    const { stdout } = await followed(["--format=text", "--color=never"], [
      (path) => appendFile(path, START + message + END),
    ], { terminals, columns: 60 });
    return stdout.split("\n").filter((line) => line.includes("word")).length;
  };
  assertEquals([await linesOf("stdout"), await linesOf("stderr")], [2, 1]);
});

Deno.test("sessions follow --format=text shows the known parts of drifted lines", async () => {
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
const PROMPT = event("user_message", { message: "And now?" });

const ENDS: readonly { readonly name: string; readonly args: string[] }[] = [
  { name: "Ctrl-C", args: [] },
  { name: "idle", args: ["--exit-on=idle=1"] },
];

for (const { name, args } of ENDS) {
  Deno.test(`sessions follow --format=text prints pending lines when it ends: ${name}`, async () => {
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

Deno.test("sessions follow --from-start shows a prompt without an answer yet", async () => {
  const header = TEXT.slice(0, TEXT.indexOf("\n") + 1);
  const { stdout } = await followed(["--format=text", "--from-start"], [
    // The header differs, so that following starts over.
    (path) => writeFile(path, header.replace("Z", "z")),
    (path) => appendFile(path, PROMPT),
  ]);
  assertStringIncludes(stdout, "❯ And now?");
});

Deno.test("sessions follow separates the content that replaces a file by a blank line, like render", async () => {
  const { stdout } = await followed(["--format=text", "--from-start"], [
    (path) => writeFile(path, OTHER_TEXT),
  ]);
  assertMatch(stdout, /\n\nDone\.\n\nCodex .*\n\n❯ Once more\n/);
});

Deno.test("sessions follow shows no existing lines, not even when it ends", async () => {
  const { status, stdout } = await followed(["--format=text"], []);
  assertEquals(status, 130);
  assertEquals(stdout.includes("Done."), false, stdout);
});

Deno.test("sessions follow reports failed lines by their number in the file", async () => {
  const { stdout, stderr } = await followed([], [
    (path) => appendFile(path, `oops\n${START}`),
  ]);
  assertEquals(stdout, START);
  const line = TEXT.split("\n").length;
  assertMatch(stderr, new RegExp(`\\.jsonl:${line}: json: `));
  const quiet = await followed(["-q"], [(path) => appendFile(path, "oops\n")]);
  assertEquals(quiet.stderr, "");
});

Deno.test("sessions follow --format=text shows and reports new failed lines, as render does", async () => {
  await withFolder(async (home) => {
    const path = sessionPath(home, testId(1), STARTED);
    await writeFile(path, `${TEXT}old\n`);
    const args = ["sessions", "follow", "--format=text", testId(1)];
    const { stdout, stderr } = await call(args, {
      env: { CODEX_HOME: home },
      ...stepping([() => appendFile(path, `new\n${START}`)]),
    });
    const line = TEXT.split("\n").length + 1;
    assertStringIncludes(stdout, `line ${line}`);
    assertEquals(stdout.includes(`line ${line - 1}`), false, stdout);
    assertMatch(stderr, new RegExp(`^.*\\.jsonl:${line}: json: .*\n$`));
  });
});

Deno.test("sessions follow refuses a missing session, several sessions and an unknown --exit-on", async () => {
  const none = await followed(["nope"], []);
  assertEquals([none.status, none.stdout], [1, ""]);
  assertMatch(none.stderr, /there is no session "nope"/);
  for (const args of [["a", "b"], ["a", "--last"], ["--exit-on=never"]]) {
    const { status } = await followed(args, []);
    assertEquals(status, 2);
  }
});

Deno.test("sessions follow prints a real session that grows in 40 parts", async () => {
  const bytes = contentOf(PARENT);
  const size = Math.ceil(bytes.length / 40);
  const parts = Array.from(
    { length: 40 },
    (_, i) => bytes.subarray(i * size, (i + 1) * size),
  );
  const { stdout } = await followed(
    ["--exit-on=turn"],
    parts.map((part) => (path) => appendFile(path, part)),
  );
  assertEquals(stdout, decode(bytes));
});
