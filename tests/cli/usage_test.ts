import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { UsageReportSchema } from "../../lib/usage/schema.ts";
import { counts, LINES } from "../usage/meters.ts";
import { complaintsOf } from "../usage/schemas.ts";
import {
  sessionPath,
  withFolder,
  withHome,
  writeFile,
} from "../sessions/homes.ts";
import { call, platformError, sourceOf } from "./memory.ts";
import { startCommand } from "./process.ts";

const RUN = [
  '{"type":"thread.started","thread_id":"t1"}',
  '{"type":"turn.started"}',
  '{"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":1024,"output_tokens":60}}',
  "",
].join("\n");

const FILE = `${
  [
    LINES.meta("t2"),
    LINES.context("gpt-5", "1"),
    LINES.count(
      counts(1000, 800, 50, 10),
      undefined,
      "2026-11-20T10:00:00.000Z",
    ),
    LINES.context("=cmd|' /c calc'!A1", "2"),
    LINES.count(
      counts(1_234_567, 900, 70, 10),
      counts(1_233_567, 100, 20, 0),
      "2026-11-21T10:00:00.000Z",
    ),
  ].join("\n")
}\n`;

const WORLD = { files: { "run.jsonl": RUN, "file.jsonl": FILE } };

Deno.test("usage reads stdin if it is not a terminal, and groups by thread", async () => {
  const { status, stdout, stderr } = await call(["usage"], { stdin: RUN });
  assertEquals(status, 0);
  assertEquals(stderr, "");
  assertEquals(
    stdout,
    [
      "Thread  Turns  Input  Cached  Output  Reasoning  Total",
      "t1          1  1,200   1,024      60          0  1,260",
      "Total       1  1,200   1,024      60          0  1,260",
      "",
    ].join("\n"),
  );
});

Deno.test("usage reads files and - for stdin", async () => {
  const { stdout } = await call(["usage", "file.jsonl", "-"], {
    ...WORLD,
    stdin: RUN,
  });
  const rows = stdout.split("\n").map((line) => line.split(/ +/));
  assertEquals(rows.map(([name]) => name), [
    "Thread",
    "t2",
    "t1",
    "Total",
    "",
  ]);
  assertEquals(rows.map((row) => row.at(-1)), [
    "Total",
    "1,234,637",
    "1,260",
    "1,235,897",
    "",
  ]);
});

Deno.test("usage --by groups by each combination of values, in order", async () => {
  const { stdout } = await call(
    [
      "usage",
      "--by",
      "day",
      "--by=model",
      "--format=csv",
      "file.jsonl",
      "run.jsonl",
    ],
    WORLD,
  );
  assertEquals(
    stdout.split("\r\n").map((line) => line.split(",").slice(0, 4).join()),
    [
      "day,model,threads,turns",
      "2026-11-20,gpt-5,1,1",
      "2026-11-21,'=cmd|' /c calc'!A1,1,1",
      ",,1,1",
      "",
    ],
  );
});

Deno.test("usage --by=turn shows the thread of a turn, and its number and file if it has no id", async () => {
  const { stdout } = await call(
    ["usage", "--by=turn", "file.jsonl", "run.jsonl"],
    WORLD,
  );
  const cells = stdout.trimEnd().split("\n").map((line) =>
    line.split(/ {2,}/).slice(0, 2)
  );
  assertEquals(cells.slice(0, 4), [
    ["Thread", "Turn"],
    ["t2", "1"],
    ["t2", "2"],
    ["t1", "1 of run.jsonl"],
  ]);
});

Deno.test("usage --json prints one object that matches its schema", async () => {
  const { stdout } = await call(
    ["usage", "--json", "--by=model", "file.jsonl"],
    WORLD,
  );
  const report = JSON.parse(stdout);
  assertEquals(complaintsOf(UsageReportSchema, report), []);
  assertEquals(report.by, ["model"]);
  assertEquals(report.time_zone, "UTC");
  assertEquals(report.groups.length, 2);
  assertEquals(report.total.total_tokens, 1_234_637);
});

Deno.test("usage --json prints an object that matches its schema for an empty input", async () => {
  const { status, stdout, stderr } = await call(["usage", "--json"], {
    stdin: "",
  });
  assertEquals(status, 0);
  assertEquals(complaintsOf(UsageReportSchema, JSON.parse(stdout)), []);
  assertEquals(stderr, "codexpipe: no usage was found\n");
});

Deno.test("usage prints no table of nothing", async () => {
  const empty = await call(["usage"], { stdin: "" });
  assertEquals(
    [empty.status, empty.stdout, empty.stderr],
    [0, "", "codexpipe: no usage was found\n"],
  );
  const missing = await call(["usage", "nope.jsonl"]);
  assertEquals(
    [missing.status, missing.stdout, missing.stderr],
    [3, "", "codexpipe: nope.jsonl: cannot open: not found\n"],
  );
});

Deno.test("usage --format=jsonl prints one group a line", async () => {
  const { stdout } = await call(
    ["usage", "--format=jsonl", "--by=day", "file.jsonl"],
    WORLD,
  );
  const days = stdout.trimEnd().split("\n").map((line) => JSON.parse(line).day);
  assertEquals(days, ["2026-11-20", "2026-11-21"]);
});

Deno.test("usage fits its table to the terminal, and leaves out columns", async () => {
  const thread = "01a1f998-5ed9-73e1-ab03-ae5d4cf3b43c";
  const file = FILE.replaceAll('"t2"', `"${thread}"`);
  const world = { files: { f: file }, columns: 60 };
  const { stdout } = await call(["usage", "f"], {
    ...world,
    terminals: ["stdout"],
  });
  // deno-lint-ignore no-control-regex
  const plain = stdout.replace(/\x1b\[\d+m/g, "");
  for (const line of plain.split("\n")) assert(line.length <= 60, line);
  assertStringIncludes(plain, "1,234,567");
  assert(!plain.includes("Turns"), plain);
  const piped = await call(["usage", "f"], { ...world, terminals: ["stderr"] });
  assertStringIncludes(piped.stdout, "Turns");
});

Deno.test("usage escapes control characters", async () => {
  const { stdout } = await call(["usage", "--by=model", "f"], {
    files: { f: FILE.replace("gpt-5", "\\u001b[2Jm") },
  });
  assertStringIncludes(stdout, "\\u001b[2Jm");
});

Deno.test("usage --prices prints the cost, and reports models without a price", async () => {
  const { status, stdout, stderr } = await call(
    ["usage", "--by=model", "--prices=p.json", "file.jsonl", "run.jsonl"],
    {
      files: {
        ...WORLD.files,
        "p.json": '{"gpt-5":{"input":1.25,"cached_input":0.125,"output":10}}',
      },
    },
  );
  assertEquals(status, 0);
  const costs = stdout.trimEnd().split("\n").map((line) =>
    line.split(/ +/).at(-1)
  );
  assertEquals(costs, ["Cost", "-", "0.0009", "-", "0.0009"]);
  assertEquals(
    stderr,
    [
      "codexpipe: no price for model \"=cmd|' /c calc'!A1\": 1,233,587 tokens are not in the cost",
      'codexpipe: no price for usage without a model (the model "*" of the list would apply): 1,260 tokens are not in the cost',
      "",
    ].join("\n"),
  );
});

Deno.test("usage refuses an invalid price list before it prints", async () => {
  const { status, stdout, stderr } = await call(
    ["usage", "--prices=p", "file.jsonl"],
    { files: { ...WORLD.files, p: '{"gpt-5":{"input":1}}' } },
  );
  assertEquals([status, stdout], [2, ""]);
  assertStringIncludes(
    stderr,
    'codexpipe: p: not a price list: model "gpt-5" has no price for output\n',
  );
});

Deno.test("usage --explain prints the rule and the counted tokens of each line", async () => {
  const repeated = FILE + FILE.split("\n").at(-2) + "\n";
  const world = { files: { f: repeated } };
  const { stdout } = await call(
    ["usage", "--explain", "--format=jsonl", "f"],
    world,
  );
  assertEquals(
    stdout.trimEnd().split("\n").map((line) => {
      const { line: at, rule, counted, input_tokens } = JSON.parse(line);
      return [at, rule, counted, input_tokens];
    }),
    [
      [3, "first", true, 1000],
      [5, "grown", true, 1_233_567],
      [6, "repeated", false, 0],
    ],
  );
  const table = await call(["usage", "--explain", "f"], world);
  assertStringIncludes(
    table.stdout,
    "the total has not changed since it was written last",
  );
  const json = await call(["usage", "--explain", "--json", "f"], world);
  assertEquals(JSON.parse(json.stdout).length, 3);
});

Deno.test("usage --format=csv prints the header without rows", async () => {
  for (const flags of [[], ["--explain"]]) {
    const { stdout } = await call(["usage", "--format=csv", ...flags], {
      stdin: "",
    });
    assertMatch(stdout, /^[a-z_,]+\r\n$/);
  }
});

Deno.test("usage --since and --until select counts by time, and report counts without a time", async () => {
  const { stdout, stderr } = await call(
    [
      "usage",
      "--since=2026-11-21",
      "--until=2026-11-22",
      "--format=jsonl",
      "file.jsonl",
      "run.jsonl",
    ],
    WORLD,
  );
  assertEquals(JSON.parse(stdout).input_tokens, 1_233_567);
  assertStringIncludes(stderr, "1 count has no time and is left out");
  const two = await call(
    ["usage", "--since=2026-11-21", "run.jsonl", "-"],
    { ...WORLD, stdin: RUN },
  );
  assertStringIncludes(two.stderr, "2 counts have no time and are left out");
  assertStringIncludes(two.stderr, "codexpipe: no usage was found\n");
});

Deno.test("usage shows an unknown day, model and directory as unknown", async () => {
  const { stdout } = await call(
    ["usage", "--by=day,model,cwd", "run.jsonl"],
    WORLD,
  );
  assertEquals(stdout.split("\n")[1]?.split(/ +/).slice(0, 4), [
    "unknown",
    "unknown",
    "unknown",
    "1",
  ]);
});

Deno.test("usage --time-zone groups by the days of a zone", async () => {
  const daysIn = async (zone: string): Promise<string[]> => {
    const { stdout } = await call(
      [
        "usage",
        `--time-zone=${zone}`,
        "--by=day",
        "--format=jsonl",
        "file.jsonl",
      ],
      WORLD,
    );
    return stdout.trimEnd().split("\n").map((line) => JSON.parse(line).day);
  };
  assertEquals(await daysIn("utc"), ["2026-11-20", "2026-11-21"]);
  assertEquals(await daysIn("Pacific/Kiritimati"), [
    "2026-11-21",
    "2026-11-22",
  ]);
});

Deno.test("usage --cwd counts the usage in a folder and below it", async () => {
  for (
    const [cwd, tokens] of [
      ["/home/dev", 1_234_637],
      ["dev/proj/", 1_234_637],
      ["/home/dev/pro", 0],
    ] as const
  ) {
    const { stdout } = await call(
      ["usage", `--cwd=${cwd}`, "--json", "file.jsonl", "run.jsonl"],
      { ...WORLD, cwd: "/home" },
    );
    assertEquals(JSON.parse(stdout).total.total_tokens, tokens, cwd);
  }
});

Deno.test("usage --cwd reports the tokens that it leaves out because their folder is unknown", async () => {
  const { stderr } = await call(
    ["usage", "--cwd=/home/dev", "file.jsonl", "run.jsonl"],
    WORLD,
  );
  assertEquals(
    stderr,
    "codexpipe: 1,260 tokens of an unknown folder are left out\n",
  );
});

Deno.test("usage --cwd expands ~ to the user's home", async () => {
  const { stdout } = await call(
    ["usage", "--cwd=~/proj", "--json", "file.jsonl", "run.jsonl"],
    { ...WORLD, env: { HOME: "/home/dev" } },
  );
  assertEquals(JSON.parse(stdout).total.total_tokens, 1_234_637);
});

Deno.test("usage reports unreadable files, counts the rest, and ends with 3", async () => {
  const { status, stdout, stderr } = await call(
    ["usage", "--json", "missing", "denied", "broken", "run.jsonl"],
    {
      files: {
        ...WORLD.files,
        denied: platformError("EACCES", "denied"),
        broken: sourceOf([FILE], platformError("EIO", "broken")),
      },
    },
  );
  assertEquals(status, 3);
  // The lines before a read error count.
  assertEquals(JSON.parse(stdout).total.total_tokens, 1_234_637 + 1_260);
  assertEquals(
    stderr.split("\n").map((line) => line.split(":")[1]?.trim()),
    ["missing", "denied", "broken", undefined],
  );
});

Deno.test("usage reports failed lines, and ends with 1 for them with --strict", async () => {
  const torn = `${RUN}{"type":"turn.completed","usage"\n`;
  for (const [args, status] of [[[], 0], [["--strict"], 1]] as const) {
    const result = await call(["usage", ...args], { stdin: torn });
    assertEquals(result.status, status);
    assertStringIncludes(result.stderr, "codexpipe: -:4: json: Cannot parse");
    assertStringIncludes(result.stdout, "1,260");
  }
  const quiet = await call(["usage", "-q"], { stdin: torn });
  assertEquals(quiet.stderr, "");
});

Deno.test("usage reads a Codex home, and groups by day", async () => {
  await withHome({ versions: ["0.130.0", "0.169.0"] }, async ({ path }) => {
    const { status, stdout } = await call(
      ["usage", "--codex-home", path, "--json", "-q"],
    );
    assertEquals(status, 0);
    const report = JSON.parse(stdout);
    assertEquals(report.by, ["day"]);
    assertEquals(report.groups.length, 1);
    const files = await call(
      ["usage", "--home", "--json", "-q"],
      { env: { CODEX_HOME: path } },
    );
    assertEquals(files.stdout, stdout);
    const terminal = await call(
      ["usage", "--json", "-q"],
      { env: { CODEX_HOME: path }, terminals: ["stdin"] },
    );
    assertEquals(terminal.stdout, stdout);
  });
});

Deno.test("usage reports a missing home, and one without sessions", async () => {
  await withFolder(async (folder) => {
    const missing = await call(["usage", `--codex-home=${folder}/no`]);
    assertEquals(missing.status, 3);
    assertStringIncludes(missing.stderr, ": cannot read: not found");
    const empty = await call(["usage", `--codex-home=${folder}`]);
    assertEquals(empty.status, 0);
    assertStringIncludes(empty.stderr, "no sessions in ");
  });
});

Deno.test("usage --since opens no file whose last change was earlier", async () => {
  await withFolder(async (home) => {
    const started = "2026-11-20T10:00:00.000Z";
    const path = sessionPath(
      home,
      "00000000-0000-4000-8000-000000000001",
      started,
    );
    await writeFile(path, "not to be opened\n");
    const before = new Date("2026-11-20T11:00:00Z");
    await Deno.utime(path, before, before);
    const { stderr } = await call(
      ["usage", `--codex-home=${home}`, "--since=2026-11-21", "--strict"],
    );
    assertEquals(stderr, "codexpipe: no usage was found\n");
  });
});

const IDLE = "has no effect with --explain";
const TOGETHER = "cannot be read together";
const REFUSED = [
  { args: ["--explain", "--by=day"], message: IDLE },
  { args: ["--explain", "--prices=p"], message: IDLE },
  { args: ["--explain", "--cwd=."], message: IDLE },
  { args: ["--explain", "--time-zone=UTC"], message: IDLE },
  { args: ["--home", "run.jsonl"], message: TOGETHER },
  { args: ["--codex-home=x", "run.jsonl"], message: TOGETHER },
  { args: ["--time-zone=Mars"], message: '--time-zone cannot be "Mars"' },
];

for (const { args, message } of REFUSED) {
  Deno.test(`usage refuses ${args.join(" ")}`, async () => {
    const { status, stderr } = await call(["usage", ...args], WORLD);
    assertEquals(status, 2);
    assertStringIncludes(stderr, message);
  });
}

Deno.test("usage ends with 130 when it is interrupted", async () => {
  const { status, stdout } = await call(["usage", "run.jsonl"], {
    ...WORLD,
    interrupt: AbortSignal.abort(),
  });
  assertEquals([status, stdout], [130, ""]);
});

Deno.test("usage --time-zone=local counts days in UTC if the machine has no time zone", async () => {
  const child = startCommand(
    ["usage", "--time-zone=local", "--by=day", "--json"],
    { TZ: "" },
  );
  await child.stdin.close();
  const { code, stdout, stderr } = await child.output();
  assertEquals([new TextDecoder().decode(stderr), code], [
    "codexpipe: no usage was found\n",
    0,
  ]);
  assertEquals(JSON.parse(new TextDecoder().decode(stdout)).time_zone, "UTC");
});
