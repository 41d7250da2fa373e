/** The help of each command against the tables of flags, and the cases in which it is shown. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { COMMANDS } from "../../lib/cli/commands.ts";
import { EXIT } from "../../lib/cli/endings.ts";
import { COMMON_FLAGS, flagsOf } from "../../lib/cli/flags.ts";
import { call } from "./memory.ts";

const ESCAPE = "\x1b";

/** Throws unless a help consists of whole lines that fit a terminal of 80 columns. */
function assertFits(help: string): void {
  assert(help.endsWith("\n"));
  for (const line of help.split("\n")) {
    assert(line.length <= 79, line);
    assertEquals(line, line.trimEnd());
  }
}

for (const command of COMMANDS) {
  const { name } = command;
  const words = name.split(" ");
  const flags = [
    ...flagsOf(command),
    ...COMMON_FLAGS,
  ];

  for (const form of ["-h", "--help"]) {
    Deno.test(`codexpipe ${name} ${form} shows each flag once, and no other`, async () => {
      const { status, stdout, stderr } = await call([...words, form]);
      assertEquals([status, stderr], [0, ""]);
      assertFits(stdout);
      const shown = stdout.split("\n").flatMap((line) =>
        /^ {2}(?:-(\w), | {4})--([a-z-]+)(?:=([A-Z]+))?/.exec(line)?.slice(1) ??
          []
      );
      const expected = flags.flatMap(({ name, short, value }) => [
        short,
        name,
        value?.name,
      ]);
      assertEquals([...shown].sort(), [...expected].sort());
    });
  }

  Deno.test(`codexpipe ${name} --help shows the summaries of -h, and the details`, async () => {
    const plain = (text: string): string => text.replace(/\s+/g, " ");
    const short = plain((await call([...words, "-h"])).stdout);
    const long = plain((await call([...words, "--help"])).stdout);
    for (const { summary, details, value } of flags) {
      for (const help of [short, long]) assertStringIncludes(help, summary);
      assertStringIncludes(long, details);
      assert(!short.includes(details) || details === summary);
      for (const choice of value?.choices ?? []) {
        assertStringIncludes(short, choice);
      }
    }
  });

  Deno.test(`codexpipe help ${name} shows the same as codexpipe ${name} --help`, async () => {
    const expected = await call([...words, "--help"]);
    assertEquals(await call(["help", ...words]), expected);
    assertEquals(await call(["--help", ...words]), expected);
    assertEquals(
      await call(["help", ...words, "-h"]),
      await call([...words, "-h"]),
    );
  });
}

Deno.test("codexpipe sessions help shows the same as codexpipe help sessions", async () => {
  for (const words of [[], ["list"]]) {
    assertEquals(
      await call(["sessions", "help", ...words]),
      await call(["help", "sessions", ...words]),
    );
  }
});

Deno.test("codexpipe --help, help and help help name every command and every exit status", async () => {
  const help = await call(["--help"]);
  const { status, stdout, stderr } = help;
  assertEquals([status, stderr], [0, ""]);
  assertFits(stdout);
  for (const { name } of COMMANDS) assertStringIncludes(stdout, `  ${name} `);
  for (const status of Object.values(EXIT)) {
    assert(
      stdout.split("\n").some((line) => line.trim().startsWith(`${status} `)),
    );
  }
  for (const args of [["help"], ["help", "help"]]) {
    assertEquals(await call(args), help, args.join(" "));
  }
});

Deno.test("codexpipe -h shows the summary of all commands", async () => {
  assertEquals(
    (await call(["-h"])).stdout,
    `codexpipe ${config.version}
Reads, normalizes and renders the JSONL logs of OpenAI's Codex CLI.

Use "codexpipe COMMAND -h" for a summary and --help for details.

USAGE:
  codexpipe COMMAND [OPTIONS] [FILE ...]
  codexpipe [OPTIONS] FILE ...   (render on a terminal, normalize in a pipe)

COMMANDS:
${
      COMMANDS.map(({ name, summary }) => `  ${name.padEnd(22)}${summary}`)
        .map((line) => folded(line)).join("\n")
    }
  help [COMMAND]        Shows the help of a command, or this one.

OPTIONS:
      --color=WHEN      Choose when to use colour. (auto, always, never;
                        default: auto)
      --no-color        Short for --color=never.
  -h, --help            Show help: -h for a summary, --help for details.
  -V, --version         Show the version.

EXIT STATUS:
    0   success, or the reader of stdout closed it
    1   negative result: a check failed, nothing was found, or a line failed
        with --strict or --on-error=stop
    2   the command line is wrong
    3   a file or stream could not be read or written
   70   a bug in codexpipe
  130   interrupted (Ctrl-C)
`,
  );
});

Deno.test("codexpipe sessions -h shows that the group is a command too", async () => {
  assertStringIncludes(
    (await call(["sessions", "-h"])).stdout,
    `USAGE:
  codexpipe sessions COMMAND [OPTIONS]
  codexpipe sessions [OPTIONS]   (choose on a terminal, list in a pipe)
`,
  );
});

/** Folds the line of a command like the help. */
function folded(line: string): string {
  if (line.length <= 79) return line;
  const end = line.lastIndexOf(" ", 79);
  return `${line.slice(0, end)}\n${" ".repeat(24)}${
    folded(line.slice(end + 1))
  }`;
}

Deno.test("codexpipe without arguments shows the help on stderr, since stdout is for data", async () => {
  const { status, stdout, stderr } = await call([], { terminals: ["stdin"] });
  assertEquals([status, stdout], [2, ""]);
  assertEquals(stderr, (await call(["-h"])).stdout);
});

for (const args of [["-V"], ["--version"], ["normalize", "-V"]]) {
  Deno.test(`codexpipe ${args.join(" ")} prints the version of deno.json`, async () => {
    const { status, stdout, stderr } = await call(args);
    assertEquals([status, stderr], [0, ""]);
    assertEquals(stdout, `codexpipe ${config.version}\n`);
  });
}

const COLORS = [
  { name: "no colour in a file", args: [], isColored: false },
  {
    name: "colour on a terminal",
    args: [],
    terminals: ["stdout"],
    isColored: true,
  },
  {
    name: "no colour on a terminal with NO_COLOR",
    args: [],
    terminals: ["stdout"],
    env: { NO_COLOR: "1" },
    isColored: false,
  },
  {
    name: "colour on a terminal with an empty NO_COLOR",
    args: [],
    terminals: ["stdout"],
    env: { NO_COLOR: "" },
    isColored: true,
  },
  {
    name: "no colour on a dumb terminal",
    args: [],
    terminals: ["stdout"],
    env: { TERM: "dumb" },
    isColored: false,
  },
  {
    name: "no colour on a terminal with --color=never",
    args: ["--color=never"],
    terminals: ["stdout"],
    isColored: false,
  },
  {
    name: "colour in a file with --color=always, in spite of NO_COLOR",
    args: ["--color=always"],
    env: { NO_COLOR: "1" },
    isColored: true,
  },
  {
    name: "no colour in a file when stderr is a terminal",
    args: [],
    terminals: ["stderr"],
    isColored: false,
  },
] satisfies {
  name: string;
  args: string[];
  terminals?: ("stdout" | "stderr")[];
  env?: Record<string, string>;
  isColored: boolean;
}[];

for (const { name, args, terminals = [], env = {}, isColored } of COLORS) {
  Deno.test(`the help has ${name}`, async () => {
    const { stdout } = await call(["normalize", "-h", ...args], {
      terminals,
      env,
    });
    assertEquals(stdout.includes(ESCAPE), isColored);
    // deno-lint-ignore no-control-regex
    const plain = stdout.replace(/\x1b\[\d+m/g, "");
    assertEquals(plain, (await call(["normalize", "-h"])).stdout);
  });
}
