import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { jsonl } from "../running.ts";
import { call, failing, platformError, type World } from "./memory.ts";

const LINE = '{"type":"thread.started","thread_id":"t"}\n';
const BAD = "nonsense\n";
const HINT = '"codexpipe normalize -h" shows the options\n';

const CASES = [
  {
    name: "0 for an empty input",
    args: ["normalize"],
    world: {},
    status: 0,
    stderr: "",
  },
  {
    name: "0 without a message when stdout is closed",
    args: ["normalize", "--strict"],
    world: { stdin: BAD + LINE, stdout: failing(platformError("EPIPE")) },
    status: 0,
    stderr: "",
  },
  {
    name: "0 without a message when the reader of the help has gone",
    args: ["--help"],
    world: { stdout: failing(platformError("EPIPE")) },
    status: 0,
    stderr: "",
  },
  {
    name: "1 without a message when a line failed, with --strict and --quiet",
    args: ["normalize", "--strict", "-q"],
    world: { stdin: LINE + BAD },
    status: 1,
    stderr: "",
  },
  {
    name: "2 for an unknown command",
    args: ["normalise"],
    world: {},
    status: 2,
    stderr:
      'codexpipe: unknown command "normalise"; did you mean "normalize"?\n' +
      'codexpipe: "codexpipe -h" shows the commands\n',
  },
  {
    name: "3 for a missing file in place of a command",
    args: ["run.jsonl"],
    world: {},
    status: 3,
    stderr: "codexpipe: run.jsonl: cannot open: not found\n",
  },
  {
    name: "2 for a command of other programs, with the command here",
    args: ["ls", "-o", "x"],
    world: {},
    status: 2,
    stderr:
      'codexpipe: unknown command "ls"; "codexpipe sessions list" lists sessions\n' +
      'codexpipe: "codexpipe -h" shows the commands\n',
  },
  {
    name: "2 for a command of other programs in a group, with the command here",
    args: ["sessions", "cat", "x"],
    world: {},
    status: 2,
    stderr:
      'codexpipe: unknown command "sessions cat"; "codexpipe FILE" shows a file, "codexpipe sessions show ID" a session\n' +
      'codexpipe: "codexpipe sessions -h" shows the commands\n',
  },
  {
    name: "2 for an option of other programs, with the option here",
    args: ["render", "--html", "x"],
    world: {},
    status: 2,
    stderr:
      'codexpipe: unknown option "--html"; --to=html of render and sessions show does that\n' +
      'codexpipe: "codexpipe render -h" shows the options\n',
  },
  {
    name: "2 for an option of another command, with the way here",
    args: ["normalize", "-o", "x"],
    world: {},
    status: 2,
    stderr:
      'codexpipe: --output is not an option of normalize; "codexpipe normalize … > FILE" does that\n' +
      `codexpipe: ${HINT}`,
  },
  {
    name: "2 for an option that the guessed command lacks, with its name",
    args: ["--from", "exec", "run.jsonl", "--json"],
    world: {},
    status: 2,
    stderr:
      "codexpipe: --json is not an option of normalize; it writes JSONL\n" +
      `codexpipe: ${HINT}`,
  },
  {
    name: "2 for --json of a command that has JSONL, with its option",
    args: ["sessions", "follow", "--json"],
    world: {},
    status: 2,
    stderr:
      "codexpipe: --json is not an option of sessions follow; --format=jsonl writes JSONL\n" +
      'codexpipe: "codexpipe sessions follow -h" shows the options\n',
  },
  {
    name: "2 for a format as an option, with --format",
    args: ["usage", "--jsonl", "x"],
    world: {},
    status: 2,
    stderr:
      "codexpipe: --jsonl is not an option of usage; --format=jsonl does that\n" +
      'codexpipe: "codexpipe usage -h" shows the options\n',
  },
  {
    name: "2 for the second word of a command, with both words",
    args: ["search", "flaky test"],
    world: {},
    status: 2,
    stderr:
      'codexpipe: unknown command "search"; did you mean "sessions search"?\n' +
      'codexpipe: "codexpipe -h" shows the commands\n',
  },
  {
    name: "2 for the help of an unknown command",
    args: ["help", "hlep"],
    world: {},
    status: 2,
    stderr: 'codexpipe: unknown command "hlep"; did you mean "help"?\n' +
      'codexpipe: "codexpipe -h" shows the commands\n',
  },
  {
    name: "2 for an unknown command with an option of several commands",
    args: ["normalise", "--format=exec"],
    world: {},
    status: 2,
    stderr:
      'codexpipe: unknown command "normalise"; did you mean "normalize"?\n' +
      'codexpipe: "codexpipe -h" shows the commands\n',
  },
  {
    name: "2 for an option of another command with a value",
    args: ["normalize", "--format=markdown"],
    world: { stdin: LINE },
    status: 2,
    stderr: "codexpipe: --format is not an option of normalize\n" +
      `codexpipe: ${HINT}`,
  },
  {
    name: "2 for an invalid value of an option of all commands",
    args: ["normalize", "--color=pink"],
    world: { stdin: LINE },
    status: 2,
    stderr: 'codexpipe: --color cannot be "pink": expected auto, always or ' +
      `never\ncodexpipe: ${HINT}`,
  },
  {
    name: "2 for an unknown option",
    args: ["normalize", "--form=exec"],
    world: { stdin: LINE },
    status: 2,
    stderr: 'codexpipe: unknown option "--form"; did you mean "--from"?\n' +
      `codexpipe: ${HINT}`,
  },
  {
    name: "2 for an invalid value of an option of the command",
    args: ["normalize", "--from=json"],
    world: { stdin: LINE },
    status: 2,
    stderr:
      'codexpipe: --from cannot be "json": expected auto, exec, app-server or rollout\n' +
      `codexpipe: ${HINT}`,
  },
  {
    name: "2 for a value with control characters, escaped",
    args: ["normalize", "--from=\x1b[2J\n"],
    world: { stdin: LINE },
    status: 2,
    stderr:
      'codexpipe: --from cannot be "\\u001b[2J\\u000a": expected auto, exec, app-server or rollout\n' +
      `codexpipe: ${HINT}`,
  },
  {
    name: "3 when stdout is full",
    args: ["normalize"],
    world: { stdin: LINE, stdout: failing(platformError("ENOSPC")) },
    status: 3,
    stderr: "codexpipe: stdout: cannot write: no space left on the device\n",
  },
  {
    name: "3 when stdout fails with an unknown code",
    args: ["normalize"],
    world: {
      stdin: LINE,
      stdout: failing(platformError("EXYZ", "Strange weather")),
    },
    status: 3,
    stderr: "codexpipe: stdout: cannot write: strange weather\n",
  },
  {
    name: "3 when stdin cannot be read",
    args: ["normalize"],
    world: {
      stdin: {
        read: () => Promise.reject(platformError("EIO")),
        close(): void {},
      },
    },
    status: 3,
    stderr: "codexpipe: -: cannot read: the device failed\n",
  },
  {
    name: "the same status when stderr is closed",
    args: ["normalize", "--strict"],
    world: { stdin: BAD, stderr: failing(platformError("EPIPE")) },
    status: 1,
    stderr: "",
  },
  {
    name: "the same status when stderr is full",
    args: ["normalize", "nowhere"],
    world: { stderr: failing(platformError("ENOSPC")) },
    status: 3,
    stderr: "",
  },
  {
    name: "70 for a bug, with one line and no stack",
    args: ["normalize"],
    world: {
      stdin: LINE,
      stdout: failing(platformError("EAGAIN")),
      pause: () => Promise.reject(new TypeError("x is not a function")),
    },
    status: 70,
    stderr: "codexpipe: internal error: x is not a function; please report\n",
  },
] satisfies {
  name: string;
  args: string[];
  world: World;
  status: number;
  stderr: string;
}[];

for (const { name, args, world, status, stderr } of CASES) {
  Deno.test(`run() returns ${name}`, async () => {
    const result = await call(args, world);
    assertEquals(result.stderr, stderr);
    assertEquals(result.status, status);
  });
}

Deno.test("run() checks options before commands and files", async () => {
  const { status, stdout, stderr } = await call(["nonsense", "--nonsense"]);
  assertEquals([status, stdout], [2, ""]);
  assertStringIncludes(stderr, 'unknown option "--nonsense"');
});

Deno.test("run() colours stderr on a terminal, and leaves the data on stdout plain", async () => {
  const { stdout, stderr } = await call(["normalize"], {
    stdin: LINE + BAD,
    terminals: ["stdout", "stderr"],
  });
  assertEquals(stdout, LINE);
  assertEquals(
    stderr,
    "\x1b[1mcodexpipe: -:2:\x1b[22m \x1b[31mjson:\x1b[39m Cannot parse the line as JSON: " +
      '"n" stands where a value is expected (byte 1)\n',
  );
});

Deno.test("run() colours errors of the command line by --color and the terminal", async () => {
  const world: World = { terminals: ["stderr"] };
  const colored = await call(["normalise"], world);
  assertStringIncludes(colored.stderr, "\x1b[1mcodexpipe:\x1b[22m unknown");
  const plain = await call(["normalise", "--color=never"], world);
  assertStringIncludes(plain.stderr, "codexpipe: unknown");
});

const PROGRESS: readonly (World & {
  readonly name: string;
  readonly isShown: boolean;
})[] = [
  { name: "a terminal", terminals: ["stdout", "stderr"], isShown: true },
  {
    name: "a file",
    terminals: ["stderr"],
    stdoutIdentity: "out",
    isShown: true,
  },
  { name: "a pipe", terminals: ["stderr"], isShown: false },
];

for (const { name, isShown, ...world } of PROGRESS) {
  Deno.test(`run() ${isShown ? "shows" : "hides"} the progress of reading a file if stdout is ${name}`, async () => {
    let time = 0;
    const { stderr } = await call(["check", "-q", "a"], {
      ...world,
      files: { a: LINE.repeat(20_000) },
      now: () => time += 300,
    });
    assertEquals(/Reading: \d+ %, \d+ s left/.test(stderr), isShown, stderr);
    assert(stderr === "" || stderr.endsWith("\r\x1b[2K"), stderr);
  });
}

for (
  const words of [
    "usage",
    "drift",
    "export --to=tables -o /out",
    "render --to=site -o /out",
  ]
) {
  Deno.test(`codexpipe ${words} shows the progress of reading a single file`, async () => {
    let time = 0;
    const { stderr } = await call([...words.split(" "), "/a"], {
      terminals: ["stdout", "stderr"],
      directories: ["/out"],
      files: { "/a": LINE.repeat(20_000) },
      now: () => time += 300,
    });
    assert(/Reading: \d+ %, \d+ s left/.test(stderr), stderr);
  });
}

/** Control characters that JSON may hold unescaped. */
const HOSTILE = "\u009b31m\u007f\u202e\u2066\u2069\u0085";
const HOSTILE_RUN = jsonl([
  { type: "thread.started", thread_id: HOSTILE },
  { type: "turn.started" },
  {
    type: "item.completed",
    item: { id: "i", type: "agent_message", text: `"${HOSTILE}` },
  },
  { type: "turn.failed", error: { message: HOSTILE } },
]);
const USED = jsonl([
  { type: "thread.started", thread_id: `\x1b]0;title\x07${HOSTILE}` },
  { type: "turn.started" },
  {
    type: "turn.completed",
    usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 },
  },
]);
const NO_JSON = `${HOSTILE} \x1b]0;title\x07 \x1b[8m\r\n`;

const ON_TERMINALS = [
  { args: ["normalize"], stdin: HOSTILE_RUN, isJson: true },
  { args: ["history", "--pretty"], stdin: HOSTILE_RUN, isJson: false },
  { args: ["history", "--mutations"], stdin: HOSTILE_RUN, isJson: true },
  { args: ["check", "-q", "--json"], stdin: HOSTILE_RUN, isJson: true },
  { args: ["check", "-q", "--last-message"], stdin: HOSTILE_RUN },
  { args: ["check", "-q", "--tee"], stdin: HOSTILE_RUN, isJson: true },
  { args: ["check", "-q", "--tee"], stdin: NO_JSON },
  { args: ["redact", "-q"], stdin: HOSTILE_RUN, isJson: true },
  { args: ["redact", "-q"], stdin: NO_JSON },
  { args: ["usage", "-q", "--by=thread", "--format=csv"], stdin: USED },
  {
    args: ["usage", "-q", "--by=thread", "--format=jsonl"],
    stdin: USED,
    isJson: true,
  },
] satisfies { args: string[]; stdin: string; isJson?: boolean }[];

for (const { args, stdin, isJson } of ON_TERMINALS) {
  Deno.test(`run() escapes control characters on a terminal: ${args.join(" ")} of ${isJson ? "JSON" : "text"}`, async () => {
    const piped = await call(args, { stdin });
    const shown = await call(args, { stdin, terminals: ["stdout"] });
    const controls =
      // deno-lint-ignore no-control-regex
      /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
    assert(controls.test(piped.stdout), "the output has nothing to escape");
    assert(!controls.test(shown.stdout), JSON.stringify(shown.stdout));
    assertEquals(shown.status, piped.status);
    if (!isJson) return;
    const values = (text: string): unknown[] =>
      text.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(values(shown.stdout), values(piped.stdout));
  });
}

const FILE = { files: { "run.jsonl": LINE } };
const GUESSES: readonly {
  readonly args: readonly string[];
  readonly world: World;
  readonly means: readonly string[];
}[] = [
  { args: ["run.jsonl"], world: FILE, means: ["normalize", "run.jsonl"] },
  {
    args: ["run.jsonl"],
    world: { ...FILE, terminals: ["stdin", "stdout"] },
    means: ["render", "run.jsonl"],
  },
  { args: ["-"], world: { stdin: LINE }, means: ["normalize", "-"] },
  { args: [], world: { stdin: LINE }, means: ["normalize"] },
  {
    args: [],
    world: { stdin: LINE, terminals: ["stdout"] },
    means: ["render"],
  },
  {
    args: ["--to=md", "run.jsonl"],
    world: FILE,
    means: ["render", "--to=markdown", "run.jsonl"],
  },
  {
    args: ["-o", "run.html", "run.jsonl"],
    world: FILE,
    means: ["render", "--output=run.html", "run.jsonl"],
  },
  {
    args: ["--engine=js", "run.jsonl"],
    world: { ...FILE, terminals: ["stdout"] },
    means: ["normalize", "--engine=js", "run.jsonl"],
  },
  {
    args: ["--codex-home", "sessions", "sessions", "--format=ids"],
    // In memory: each process has a folder of its own, which the message names.
    world: { cwd: "/" },
    means: ["sessions", "list", "--codex-home=sessions", "--format=ids"],
  },
];

for (const { args, world, means } of GUESSES) {
  const where = world.terminals?.includes("stdout")
    ? "on a terminal"
    : "elsewhere";
  Deno.test(`codexpipe ${args.join(" ")} means codexpipe ${means.join(" ")} ${where}`, async () => {
    const guessed = await call(args, world);
    assertEquals(guessed, await call(means, world));
    // The folder of the last case does not exist.
    assertEquals(guessed.status, args.includes("sessions") ? 3 : 0);
  });
}

Deno.test("codexpipe normalize reads a folder as the session files below it, in order", async () => {
  const session = (id: string): string =>
    `{"timestamp":"2026-01-02T03:04:05Z","type":"session_meta","payload":{"id":"${id}"}}\n`;
  const files = {
    "logs/2026/01/rollout-b.jsonl": session("b"),
    "logs/2026/rollout-a.jsonl": session("a"),
    "logs/2026/notes.txt": "no session\n",
    "last.jsonl": session("c"),
  };
  const world = { files, directories: ["logs"] };
  for (const folder of ["logs", "logs/"]) {
    const directories = [folder];
    assertEquals(
      await call(["normalize", folder, "last.jsonl"], { files, directories }),
      await call([
        "normalize",
        "logs/2026/01/rollout-b.jsonl",
        "logs/2026/rollout-a.jsonl",
        "last.jsonl",
      ], world),
    );
  }
  const { status, stderr } = await call(["normalize", "-f", "logs"], world);
  assertEquals(status, 2);
  assertStringIncludes(stderr, "--follow takes one file");
});

Deno.test("codexpipe normalize reports what it cannot read below a folder", async () => {
  const session =
    '{"timestamp":"2026-01-02T03:04:05Z","type":"session_meta","payload":{"id":"a"}}\n';
  const { stdout, ...rest } = await call(["normalize", "logs", "locked"], {
    files: {
      "logs/2026/01": platformError("EACCES"),
      "logs/2026/02/rollout-a.jsonl": session,
      "logs/2026/02/rollout-b.jsonl": platformError("ENOENT"),
      "locked": platformError("EACCES"),
    },
    directories: ["logs", "logs/2026", "logs/2026/01", "locked"],
  });
  assertEquals(stdout, session);
  assertEquals(rest.status, 3);
  assertEquals(
    rest.stderr,
    "codexpipe: logs/2026/01: cannot open: permission denied\n" +
      "codexpipe: logs/2026/02/rollout-b.jsonl: cannot open: not found\n" +
      "codexpipe: locked: cannot open: permission denied\n",
  );
});

Deno.test("codexpipe normalize reads a folder of more files than a call can have arguments", async () => {
  const paths = Array.from(
    { length: 150_000 },
    (_, number) => `logs/2026/rollout-${number}.jsonl`,
  );
  const files = Object.fromEntries(paths.map((path) => [path, "{}\n"]));
  // The reader closes stdout after the first file.
  const stdout = failing(platformError("EPIPE"));
  const args = ["normalize", "--on-error=inline", "--line-buffered", "logs"];
  const { status } = await call(args, { files, directories: ["logs"], stdout });
  assertEquals(status, 0);
});
