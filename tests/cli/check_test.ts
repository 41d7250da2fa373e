import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { readFixture } from "../fixtures.ts";
import { decode, encode, jsonl } from "../running.ts";
import { withFolder } from "../sessions/homes.ts";
import { gzip } from "../sources.ts";
import { eventLine, PAGINATED } from "../session_lines.ts";
import {
  call,
  Hose,
  platformError,
  type Result,
  Sink,
  sourceOf,
  type World,
} from "./memory.ts";
import { startCommand } from "./process.ts";

const HEAD =
  '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n';
const DONE =
  '{"type":"turn.completed","usage":{"input_tokens":1200,"output_tokens":60}}\n';
const GOOD = HEAD + say("Done.") + DONE;

function say(text: string): string {
  const item = { id: "item_0", type: "agent_message", text };
  return `${JSON.stringify({ type: "item.completed", item })}\n`;
}

function failTurn(message: string): string {
  return `${JSON.stringify({ type: "turn.failed", error: { message } })}\n`;
}

Deno.test("check reports a passed run on stderr", async () => {
  const { status, stdout, stderr } = await call(["check"], { stdin: GOOD });
  assertEquals([status, stdout], [0, ""]);
  assertEquals(stderr, "codexpipe: passed: 1 turn, 1,260 tokens\n");
});

Deno.test("check reports a failed run with its reason, and ends with 1", async () => {
  const { status, stdout, stderr } = await call(["check"], {
    stdin: HEAD + failTurn("No such model"),
  });
  assertEquals([status, stdout], [1, ""]);
  assertEquals(stderr, "codexpipe: failed: turn 1 failed: No such model\n");
});

Deno.test("check -q prints nothing", async () => {
  const { status, stdout, stderr } = await call(["check", "-q"], {
    stdin: `noise\n${HEAD}`,
  });
  assertEquals([status, stdout, stderr], [1, "", ""]);
});

Deno.test("check fails a turn for which 0.42 ended with 0", async () => {
  const stdin = readFixture("captures/0.42.0/fail400/stdout.jsonl");
  const { status, stderr } = await call(["check"], { stdin });
  assertEquals(status, 1);
  assertEquals(
    stderr,
    "codexpipe: failed: turn 1 ended with an error: unexpected status 400 Bad Request: Invalid request: unknown field 'foo'\n",
  );
});

/** A session file some of whose commands failed. */
const SHELLMANY = decode(
  readFixture(
    "captures/0.169.0/shellmany/rollout-2026-11-20T15-14-15-01a1f985-c360-72b2-bf8c-a7302c77096d.jsonl",
  ),
);

Deno.test("check finds the failed commands of a session file without its header", async () => {
  const args = ["check", "--fail-on-command"];
  const whole = await call(args, { stdin: SHELLMANY });
  const cut = await call(args, {
    stdin: SHELLMANY.slice(SHELLMANY.indexOf("\n") + 1),
  });
  assertEquals(cut.status, 1);
  assertEquals(cut.stderr, whole.stderr);
});

Deno.test("check reports an unknown history mode", async () => {
  const stdin = SHELLMANY.replace(
    '"history_mode":"paginated"',
    '"history_mode":"zork"',
  );
  const whole = await call(["check"], { stdin: SHELLMANY });
  const { status, stderr } = await call(["check"], { stdin });
  assertEquals(status, 0);
  assertEquals(
    stderr,
    `codexpipe: -: its history mode is "zork", which codexpipe does not know: parts of the history may be missing; a later release of codexpipe may know the mode\n${whole.stderr}codexpipe: -: 1 thing that no known release of Codex writes; codexpipe drift lists them\n`,
  );
  assertEquals((await call(["check", "-q"], { stdin })).stderr, "");
});

Deno.test("check reports failed lines, and tolerates --max-failures of them", async () => {
  const stdin = `noise\n${GOOD}`;
  const strict = await call(["check"], { stdin });
  assertEquals(strict.status, 1);
  assertMatch(strict.stderr, /^codexpipe: -:1: json: Cannot parse .*\n/);
  assertMatch(strict.stderr, /failed: 1 line could not be read; the first is /);
  const lenient = await call(["check", "--max-failures=1"], { stdin });
  assertEquals(lenient.status, 0);
});

Deno.test("check judges by --fail-on-command, --max-tokens and --json-output", async () => {
  const stdin = readFixture("captures/0.169.0/shellmany/stdout.jsonl");
  assertEquals((await call(["check"], { stdin })).status, 0);
  const { status, stderr } = await call(
    ["check", "--fail-on-command", "--max-tokens=10000", "--json-output"],
    { stdin },
  );
  assertEquals(status, 1);
  assertEquals(stderr.trimEnd().split("\n").slice(-3), [
    "codexpipe: failed: a command failed with exit status 137: kill -9 $$",
    "codexpipe: failed: 10,080 tokens were used, the limit is 10,000",
    "codexpipe: failed: the final message is not valid JSON",
  ]);
  const enough = await call(["check", "--max-tokens=10080"], { stdin });
  assertEquals(enough.status, 0);
});

Deno.test("check reports that --max-tokens could not be checked", async () => {
  const stdin = readFixture("captures/0.42.0+xjson/msg/stdout.jsonl");
  const { status, stderr } = await call(["check", "--max-tokens=1"], { stdin });
  assertEquals(status, 0);
  assertMatch(stderr, /--max-tokens could not be checked: the input has no/);
});

Deno.test("check --last-message prints the final message, escaped on a terminal", async () => {
  const stdin = HEAD + say("One\n\u001b[31mtwo") + DONE;
  const { stdout } = await call(["check", "--last-message"], { stdin });
  assertEquals(stdout, "One\n\u001b[31mtwo\n");
  const shown = await call(["check", "--last-message"], {
    stdin: HEAD + say("One\r\n\t\u001b[31mtwo\u009b") + DONE,
    terminals: ["stdout"],
  });
  assertEquals(shown.stdout, "One\n\t\\u001b[31mtwo\\u009b\n");
  const none = await call(["check", "--last-message"], { stdin: HEAD + DONE });
  assertEquals([none.status, none.stdout], [0, ""]);
});

Deno.test("check --json-output prints the final message if it is JSON", async () => {
  const json = HEAD + say('{"ok": 1.0}') + DONE;
  const good = await call(["check", "--json-output"], { stdin: json });
  assertEquals([good.status, good.stdout], [0, '{"ok": 1.0}\n']);
  const bad = await call(["check", "--json-output"], { stdin: GOOD });
  assertEquals([bad.status, bad.stdout], [1, ""]);
  const tee = await call(["check", "--json-output", "--tee"], { stdin: json });
  assertEquals(tee.stdout, json);
});

Deno.test("check --tee passes the input through byte for byte, block by block", async () => {
  const input = new Hose();
  const stdout = new Sink();
  const work = call(["check", "--tee"], { stdin: input, stdout });
  for (const text of [HEAD.slice(0, 10), HEAD.slice(10) + "\r\nnoi"]) {
    input.push(text);
    assertEquals(await stdout.next(), text);
  }
  input.end();
  assertEquals((await work).status, 1);
  const bytes = Uint8Array.from([0xef, 0xbb, 0xbf, 0x7b, 0xff, 0x0d, 0x0a, 0]);
  const sink = new Sink();
  await call(["check", "--tee"], { stdin: sourceOf([bytes]), stdout: sink });
  assertEquals(sink.writes.flatMap((write) => [...write]), [...bytes]);
});

Deno.test("check judges the whole input after the reader of stdout has gone", async () => {
  const closed = { write: () => Promise.reject(platformError("EPIPE")) };
  const bad = await call(["check", "--tee"], {
    stdin: sourceOf([HEAD, failTurn("No")]),
    stdout: closed,
  });
  assertEquals(bad.status, 1);
  const good = await call(["check", "--last-message"], {
    stdin: GOOD,
    stdout: closed,
  });
  assertEquals(good.status, 0);
  for (const jobs of ["--jobs=1", "--jobs=2"]) {
    const { status } = await call(["check", "--json", jobs, "a", "b"], {
      files: { a: GOOD, b: HEAD + failTurn("No") },
      stdout: closed,
      threads: 2,
    });
    assertEquals(status, 1, jobs);
  }
});

Deno.test("check --json prints the verdict of each file", async () => {
  const { status, stdout } = await call(["check", "--json"], {
    stdin: HEAD + say("x") + failTurn("No"),
  });
  assertEquals(status, 1);
  assertEquals(JSON.parse(stdout), {
    verdict: "failed",
    reasons: [{ kind: "turn_failed", message: "turn 1 failed: No", line: 4 }],
    thread_id: "t",
    turns: 1,
    status: "failed",
    failed_commands: 0,
    failed_lines: 0,
    usage: null,
    final_message: "x",
  });
  const many = await call(["check", "--json", "a", "b"], {
    files: { a: GOOD, b: HEAD },
  });
  assertEquals(many.status, 1);
  assertEquals(
    many.stdout.trimEnd().split("\n").map((line) => {
      const { file, verdict, usage } = JSON.parse(line);
      return [file, verdict, usage?.total_tokens];
    }),
    [["a", "passed", 1260], ["b", "failed", undefined]],
  );
});

Deno.test("check --json --json-output prints the verdict only", async () => {
  const { status, stdout } = await call(["check", "--json", "--json-output"], {
    stdin: HEAD + say('{"a":1}') + DONE,
  });
  assertEquals(status, 0);
  assertEquals(JSON.parse(stdout).final_message, '{"a":1}');
});

/** Returns a log of threads that failed; `length` lengthens each message. */
function failedThreads(count: number, length = 0): string {
  return [...Array(count).keys()].map((i) =>
    HEAD.replace('"t"', `"thread ${i}"`) +
    failTurn(`No ${i} ${"x".repeat(length)}`)
  ).join("");
}

Deno.test("check prints ten reasons and the number of the others; --json prints all", async () => {
  const { stderr } = await call(["check"], { stdin: failedThreads(3000) });
  const lines = stderr.trimEnd().split("\n");
  assertEquals(lines.length, 11);
  assertMatch(lines[9] ?? "", /failed: .* No 9/);
  assertEquals(
    lines[10],
    "codexpipe: failed: ... and 2,990 more reasons: --json prints all",
  );
  const all = await call(["check", "--json", "-q"], {
    stdin: failedThreads(30),
  });
  assertEquals(JSON.parse(all.stdout).reasons.length, 30);
});

Deno.test("check prints ten failed commands and the number of the others", async () => {
  const commands = [...Array(15).keys()].map((i) =>
    `{"type":"item.completed","item":{"id":"item_${i}","type":"command_execution","command":"step ${i}","exit_code":1}}\n`
  );
  const { stderr } = await call(["check", "--fail-on-command"], {
    stdin: HEAD + commands.join("") + DONE,
  });
  const lines = stderr.trimEnd().split("\n");
  assertEquals(lines.slice(9), [
    "codexpipe: failed: a command failed with exit status 1: step 9",
    "codexpipe: failed: 5 more commands failed",
  ]);
});

const BOTH_WRITE = "would both write to stdout: choose one";
const IDLE = "has no effect without --github";
const REFUSED = [
  { args: ["--tee", "--json"], message: BOTH_WRITE },
  { args: ["--tee", "--last-message"], message: BOTH_WRITE },
  { args: ["--last-message", "--format=json"], message: BOTH_WRITE },
  { args: ["--redact"], message: IDLE },
  { args: ["--no-redact"], message: IDLE },
  { args: ["--redact-pattern=x"], message: IDLE },
  {
    args: ["--github", "--no-redact", "--redact-pattern=x"],
    message: "--redact-pattern has no effect with --no-redact",
  },
  {
    args: ["--max-tokens=1k"],
    message: "expected a number of tokens, such as ",
  },
  {
    args: ["--max-failures=-1"],
    message: "expected a number of lines, such as ",
  },
];

for (const { args, message } of REFUSED) {
  Deno.test(`check refuses ${args.join(" ")}`, async () => {
    const { status, stderr } = await call(["check", ...args]);
    assertEquals(status, 2);
    assertStringIncludes(stderr, message);
  });
}

Deno.test("check reports that it reads from the terminal", async () => {
  const { stderr } = await call(["check"], {
    stdin: GOOD,
    terminals: ["stdin", "stderr"],
  });
  assertMatch(stderr, /reading from the terminal\n/);
});

Deno.test("check names the file of each verdict", async () => {
  const { status, stderr } = await call(["check", "a", "no", "b"], {
    files: { a: GOOD, b: HEAD },
  });
  assertEquals(status, 3);
  assertMatch(stderr, /^codexpipe: a: passed: 1 turn, 1,260 tokens\n/);
  assertMatch(stderr, /codexpipe: no: cannot open: not found/);
  assertMatch(stderr, /codexpipe: b: failed: turn 1 has no end: /);
});

Deno.test("check does not pass a run that it could not read to its end", async () => {
  const { status, stderr } = await call(["check", "a"], {
    files: { a: sourceOf([GOOD], platformError("EIO")) },
  });
  assertEquals(status, 3);
  assertMatch(stderr, /^codexpipe: a: cannot read: /);
});

const GITHUB = { GITHUB_STEP_SUMMARY: "summary", GITHUB_OUTPUT: "output" };

/** Calls `check --github` in a step of GitHub. */
function github(world: World, args: readonly string[] = []): Promise<Result> {
  return call(["check", "--github", ...args], { env: GITHUB, ...world });
}

Deno.test("check --github writes annotations, a summary and outputs of a failed run", async () => {
  const { status, stdout, stderr, written } = await github({
    stdin: HEAD + say("Almost") + failTurn("No"),
  });
  assertEquals([status, stdout], [1, ""]);
  assertEquals(
    stderr,
    "codexpipe: failed: turn 1 failed: No\n::error title=Codex run::turn 1 failed: No\n",
  );
  assertMatch(
    written.get("summary") ?? "",
    /^## ❌ The Codex run failed · 1 turn\n/,
  );
  assertMatch(written.get("output") ?? "", /^verdict<<.*\nfailed\n/m);
  assertMatch(written.get("output") ?? "", /^final-message<<.*\nAlmost\n/m);
});

Deno.test("check --github writes a summary and outputs of a passed run", async () => {
  const { stderr, written } = await github({ stdin: GOOD });
  assertEquals(stderr, "codexpipe: passed: 1 turn, 1,260 tokens\n");
  assertMatch(
    written.get("summary") ?? "",
    /^## ✅ The Codex run passed · 1 turn.*\n/,
  );
  assertMatch(written.get("output") ?? "", /^input-tokens<<.*\n1200\n/m);
});

Deno.test("check --github keeps the spelling of numbers in arguments of tools", async () => {
  const toolCall =
    '{"type":"item.completed","item":{"id":"m","type":"mcp_tool_call","server":"s","tool":"t","arguments":{"big":12345678901234567890,"f":1.0},"status":"completed"}}\n';
  const { written } = await github({ stdin: HEAD + toolCall + failTurn("No") });
  assertMatch(
    written.get("summary") ?? "",
    /big: 12345678901234567890\nf: 1\.0</,
  );
});

Deno.test("check --github reports that there is no summary without GITHUB_STEP_SUMMARY", async () => {
  const { status, stderr, written } = await call(["check", "--github"], {
    stdin: GOOD,
  });
  assertEquals([status, written.size], [0, 0]);
  assertMatch(stderr, /GITHUB_STEP_SUMMARY is not set: there is no summary/);
});

Deno.test("check --github reports a summary that cannot be written", async () => {
  const { status, stderr } = await github({
    stdin: GOOD,
    createError: platformError("EACCES"),
  });
  assertEquals(status, 3);
  assertMatch(stderr, /summary: cannot create: permission denied/);
});

Deno.test("check --github masks secrets on stderr, in the summary and in outputs", async () => {
  const stdin = HEAD.replace('"thread_id":"', '"thread_id":"TOKEN=abc1 ') +
    say("API_TOKEN=abc1") + failTurn("PASSWORD=hunter2");
  const { stderr, written } = await github({ stdin });
  assertMatch(
    stderr,
    /::error .*::turn 1 failed: PASSWORD=\[redacted:password\]/,
  );
  // Stderr becomes the log of the job.
  assert(!/hunter2/.test(stderr), stderr);
  for (const text of written.values()) {
    assert(!/hunter2|abc1/.test(text), text);
  }
  const open = await github({ stdin }, ["--no-redact"]);
  assertMatch(open.written.get("output") ?? "", /^API_TOKEN=abc1$/m);
});

Deno.test("check --github writes one verdict for several runs", async () => {
  const files = { "bad.jsonl": HEAD + failTurn("No"), "good.jsonl": GOOD };
  for (
    const { names, status, verdict } of [
      { names: ["bad", "good"], status: 1, verdict: "failed" },
      { names: ["good", "bad"], status: 1, verdict: "failed" },
      { names: ["good", "good"], status: 0, verdict: "passed" },
      { names: ["none", "good"], status: 3, verdict: "failed" },
      { names: ["none"], status: 3, verdict: "failed" },
    ]
  ) {
    const paths = names.map((name) => `${name}.jsonl`);
    const called = await github({ files }, paths);
    assertEquals(called.status, status);
    const written = called.written.get("output") ?? "";
    // GitHub uses the value that was written last.
    const [, last] = [...written.matchAll(/^verdict<<.*\n(.*)$/gm)].at(-1) ??
      [];
    assertEquals(last, verdict, names.join(" "));
  }
});

Deno.test("action.yml has the outputs that check --github writes", async () => {
  const { written } = await github({ stdin: GOOD });
  const names = written.get("output")?.match(/^[a-z-]+(?=<<)/gm) ?? [];
  const action = await Deno.readTextFile(
    new URL("../../action.yml", import.meta.url),
  );
  const outputs = [...action.matchAll(/steps\.check\.outputs\.([a-z-]+)/g)]
    .map(([, name = ""]) => name);
  assertEquals(outputs.sort(), names.sort());
});

Deno.test("check --github writes the outputs of the last run only", async () => {
  const files = {
    bad: HEAD.replace('"thread_id":"', '"thread_id":"bad-') + failTurn("No"),
    good: GOOD,
  };
  for (const last of ["bad", "none"]) {
    const { written } = await github({ files }, ["good", last]);
    const output = written.get("output") ?? "";
    assertMatch(output, /^verdict<<.*\nfailed\n/m);
    assertEquals(
      output.includes("thread-id<<codexpipe_end\nbad-"),
      last === "bad",
    );
    assertEquals(output.match(/^verdict<</gm)?.length, 1);
    assert(!/final-message|input-tokens|completed/.test(output), output);
  }
});

Deno.test("check --github names the file in annotations of several runs", async () => {
  const { stderr } = await github({
    files: { a: HEAD + failTurn("No"), b: HEAD + failTurn("No") },
  }, ["a", "b"]);
  for (const name of ["a", "b"]) {
    assertStringIncludes(
      stderr,
      `::error title=Codex run::${name}: turn 1 failed: No\n`,
    );
  }
});

Deno.test("check --github keeps the summaries of all runs of a step below 1 MB", async () => {
  const files = Object.fromEntries(
    [..."abcd"].map((name) => [name, failedThreads(3000, 750)]),
  );
  const { written } = await github({ files }, Object.keys(files));
  const summary = written.get("summary") ?? "";
  assertEquals(summary.match(/^## ❌ The Codex run failed · .*$/gm)?.length, 4);
  assert(encode(summary).length < 1024 * 1024);
  assert(encode(written.get("output") ?? "").length < 1024 * 1024);
});

Deno.test("check --github reports each run whose summary has no room", async () => {
  // Each summary takes 384 bytes of the 960 KB for all.
  const names = [...Array(3000).keys()].map((i) => `${i}.jsonl`);
  const text = failedThreads(1, 110).replace("thread 0", "t".repeat(100));
  const { written, stderr } = await github({
    files: Object.fromEntries(names.map((name) => [name, text])),
  }, names);
  const summary = written.get("summary") ?? "";
  assert(encode(summary).length < 1024 * 1024);
  const without = stderr.match(/there is no summary: those of other files/g);
  const count = summary.match(/^## /gm)?.length ?? 0;
  assertEquals(count + (without?.length ?? 0), names.length);
  assert(without !== null);
});

Deno.test("check --github annotates a file that cannot be opened", async () => {
  const { status, stderr } = await github({}, ["none.jsonl"]);
  assertEquals(status, 3);
  assertMatch(stderr, /^::error title=Codex run::none.jsonl: cannot open/m);
});

/** A text with commands for terminals, for runners and for browsers that show the summary. */
const HOSTILE =
  "x\n::error::y\r\n::stop-commands::z\n##[error]w\u001b[2J\u202e<script>a</script>%0A::set-output name=v::u";

Deno.test("check --github makes commands in a log harmless", async () => {
  const stdin = HEAD + say(HOSTILE) + failTurn(HOSTILE) +
    `${JSON.stringify({ type: "turn.started" })}\n${failTurn(HOSTILE)}`;
  const { stderr, written } = await github({ stdin }, ["-"]);
  for (const line of stderr.trimEnd().split("\n")) {
    assertMatch(
      line,
      /^(?:codexpipe: |::error title=Codex run::turn 2 failed: )/,
    );
    // "##[" within an annotation begins no other command.
    assert(line.startsWith("::") || !line.includes("##["), line);
    // deno-lint-ignore no-control-regex
    assert(!/[\u0000-\u001f\u202e]/.test(line), line);
  }
  const summary = written.get("summary") ?? "";
  assert(!summary.includes("<script>"));
  assert(!/^\s*::/m.test(summary), summary);
  const outputs = written.get("output") ?? "";
  assertEquals(outputs.match(/^verdict<<(.*)$/gm)?.length, 1);
});

Deno.test("check --github appends to the summary of a step", async () => {
  await withFolder(async (folder) => {
    const summary = `${folder}/summary`;
    await Deno.writeTextFile(summary, "# Before\n");
    const child = startCommand(["check", "--github"], {
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_OUTPUT: "",
    });
    await new Blob([GOOD]).stream().pipeTo(child.stdin);
    const { code, stderr } = await child.output();
    assertEquals(code, 0, decode(stderr));
    assertMatch(
      await Deno.readTextFile(summary),
      /^# Before\n## ✅ The Codex run passed · 1 turn.*\n/,
    );
  });
});

Deno.test("check reads a packed session file", async () => {
  const rollout = encode(
    jsonl([
      PAGINATED,
      eventLine("task_started", { turn_id: "1" }),
      eventLine("turn_aborted", { turn_id: "1", reason: "interrupted" }),
    ]),
  );
  const { status, stderr } = await call(["check", "r.jsonl.gz"], {
    files: { "r.jsonl.gz": gzip(rollout) },
  });
  assertEquals(status, 1);
  assertEquals(stderr, "codexpipe: failed: turn 1 was interrupted\n");
});

const DRIFTED =
  '{"type":"thread.started","thread_id":"t","colour":"my secret"}\n' +
  '{"type":"turn.started"}\n{"type":"turn.completed","usage":{"input_tokens":1}}\n';

Deno.test("check reports drift once, and fails for it only with --fail-on-drift", async () => {
  const remark =
    "1 thing that no known release of Codex writes; codexpipe drift lists them";
  const passed = await call(["check"], { stdin: DRIFTED });
  assertEquals(passed.status, 0);
  assertEquals(passed.stderr.split(remark).length, 2, passed.stderr);
  const failed = await call(["check", "--fail-on-drift", "--json"], {
    stdin: DRIFTED,
  });
  assertEquals(failed.status, 1);
  assertEquals(failed.stderr, `codexpipe: failed: ${remark}\n`);
  assertEquals(JSON.parse(failed.stdout).reasons, [
    { kind: "drift", message: remark, line: null },
  ]);
  const quiet = await call(["check", "-q"], { stdin: DRIFTED });
  assertEquals([quiet.status, quiet.stderr], [0, ""]);
});

Deno.test("check remarks the drift of each file, and of no file before it", async () => {
  const files = {
    "a.jsonl": DRIFTED,
    "b.jsonl": DRIFTED.replace(',"colour":"my secret"', ""),
    "c.jsonl": DRIFTED.replace('"colour"', '"shade":1,"colour"'),
    "d.jsonl": DRIFTED,
  };
  const { stderr } = await call(["check", "-j1", ...Object.keys(files)], {
    files,
  });
  const remarks = stderr.matchAll(/^codexpipe: (.*) things? that no known/gm);
  assertEquals([...remarks].map(([, remark]) => remark), [
    "a.jsonl: 1",
    "c.jsonl: 2",
    "d.jsonl: 1",
  ]);
});

Deno.test("check --github lists drift in the summary, escaped and masked", async () => {
  const stdin = DRIFTED.replace(
    '"colour"',
    '"<b>sk-proj-0123456789abcdefghijklmnopqrstuvwxyzABCDEF"',
  )
    .replace("{", '{"shade":1,');
  const { written } = await github({ stdin });
  const summary = written.get("summary") ?? "";
  assertStringIncludes(
    summary,
    "### Written by no known release of Codex\n\n<ul>\n<li>-:1: - exec thread.started ",
  );
  assertStringIncludes(
    summary,
    " shade: new field (integer), once: kept</li>\n",
  );
  assert(!/<b>|sk-proj-0/.test(summary), summary);
});

Deno.test("check --schema reports each path that violates its schema once", async () => {
  const stdin = '{"type":"thread.started","thread_id":"t"}\n' +
    '{"type":"turn.started"}\n' +
    [7, 8, true].map((command) =>
      `{"type":"item.completed","item":{"id":"a","type":"command_execution","command":${
        JSON.stringify(command)
      }}}\n`
    ).join("") +
    '{"type":"turn.completed"}\n';
  const args = ["check", "--max-failures=9", "--json", "-q"];
  assertEquals((await call(args, { stdin })).status, 0);
  const { status, stdout } = await call([...args, "--schema"], { stdin });
  assertEquals(status, 1);
  const { reasons } = JSON.parse(stdout);
  assertEquals(reasons, [{
    kind: "schema",
    message:
      "line 3: item.completed: content.command is a number, expected a string or a list of strings, and so are 2 more lines",
    line: 3,
  }]);
});

Deno.test("check --schema checks the lines of session files", async () => {
  const lines = ["x", "y"].map((text) =>
    eventLine("agent_message", { message: [text] })
  );
  const { stdout } = await call(["check", "--schema", "--json", "-q"], {
    stdin: SHELLMANY + jsonl(lines),
  });
  assertEquals(
    JSON.parse(stdout).reasons.map(({ message }: { message: string }) =>
      message.replace(/^line \d+/, "line N")
    ),
    [
      "line N: event_msg agent_message: payload.message is a list, expected a string, and so is 1 more line",
    ],
  );
});

Deno.test("check judges each thread of an app-server, or the one that --thread names", async () => {
  const turn = (threadId: string, status?: string): string =>
    JSON.stringify({
      method: status === undefined ? "turn/started" : "turn/completed",
      params: { threadId, turn: { id: "1", status } },
    });
  const stdin = [
    turn("a"),
    turn("b"),
    turn("b", "completed"),
    turn("a", "interrupted"),
    "",
  ].join("\n");
  const all = await call(["check"], { stdin });
  assertEquals(all.status, 1);
  assertEquals(
    all.stderr,
    "codexpipe: failed: turn 1 of thread a was interrupted\n",
  );
  assertEquals((await call(["check", "--thread=b"], { stdin })).status, 0);
  assertEquals((await call(["check", "--thread=a"], { stdin })).status, 1);
});

Deno.test("check fails a run with a declined command only with --fail-on-declined", async () => {
  const stdin = [
    '{"type":"thread.started","thread_id":"t"}',
    '{"type":"turn.started"}',
    '{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"rm x","status":"declined"}}',
    '{"type":"turn.completed"}',
    "",
  ].join("\n");
  assertEquals((await call(["check"], { stdin })).status, 0);
  const { status, stderr } = await call(["check", "--fail-on-declined"], {
    stdin,
  });
  assertEquals(status, 1);
  assertStringIncludes(stderr, "failed: declined: rm x");
});
