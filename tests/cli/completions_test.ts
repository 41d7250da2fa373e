/** Compares completions and the manual page with the tables of flags, and runs real shells. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { SESSIONS } from "../../lib/cli/command.ts";
import { COMMANDS } from "../../lib/cli/commands.ts";
import { COMMON_FLAGS, flagsOf, SHELLS } from "../../lib/cli/flags.ts";
import { programTest, runProgram } from "../programs.ts";
import { withHome } from "../sessions/homes.ts";
import { call } from "./memory.ts";

const scripts = new Map(
  await Promise.all(SHELLS.map(async (shell) => {
    const { status, stdout } = await call(["completions", shell]);
    assertEquals(status, 0);
    return [shell, stdout] as const;
  })),
);

/** Returns the words that complete the last one of some, each as fish gets it. */
async function candidates(words: readonly string[]): Promise<string[]> {
  const { status, stdout, stderr } = await call([
    "completions",
    "--complete",
    "fish",
    "--",
    ...words,
  ]);
  assertEquals([status, stderr], [0, ""]);
  return stdout.split("\n").slice(0, -1);
}

/** Returns the flags of a command, and the flags of all commands. */
function namesOf(name: string): string[] {
  const command = COMMANDS.find((command) => command.name === name);
  assert(command !== undefined);
  return [
    ...flagsOf(command).map(({ name }) => name),
    ...COMMON_FLAGS.map(({ name }) => name),
  ]
    .map((name) => `--${name}`).sort();
}

Deno.test("codexpipe completions complete every command, flag and value", async () => {
  const first = new Set<string>();
  for (const command of COMMANDS) {
    const words = command.name.split(" ");
    const others = await candidates([...words.slice(0, -1), ""]);
    assert(others.includes(`${words.at(-1)}\t${plain(command.summary)}`));
    first.add(words[0] ?? "");
    const flags = await candidates([...words, "-"]);
    assertEquals(
      flags.map((line) => line.split("\t")[0] ?? "").sort(),
      namesOf(command.name),
    );
    for (const { name, summary, value } of flagsOf(command)) {
      assert(flags.includes(`--${name}\t${plain(summary)}`));
      if (value?.choices === undefined) continue;
      const values = await candidates([...words, `--${name}`, ""]);
      assertEquals(values, value.choices.map((choice) => `${choice}\t`));
    }
  }
  const found = await candidates([""]);
  assert(found.includes(`${SESSIONS.name}\t${plain(SESSIONS.summary)}`));
  assertEquals(
    found.map((line) => line.split("\t")[0]),
    [...first, "help"],
  );
});

function plain(summary: string): string {
  return summary.replace(/\.$/, "");
}

Deno.test("codexpipe completions complete ids with the titles of sessions, and no ids of turns", async () => {
  await withHome({ versions: ["0.169.0"] }, async ({ path, sessions }) => {
    const world = { env: { CODEX_HOME: path } };
    const args = ["completions", "--complete", "zsh", "--"];
    const { stdout: all } = await call(
      ["sessions", "list", "--json", "--fast"],
      world,
    );
    const [first] = JSON.parse(all).sessions;
    for (const words of [["sessions", "show", ""], ["usage", "--family", ""]]) {
      const { stdout } = await call([...args, ...words], world);
      const lines = stdout.split("\n").slice(0, -1);
      assertEquals(lines.length, sessions.length);
      assertEquals(lines[0], `${first.id}:${first.title}`);
    }
    const { stdout } = await call([...args, "events", "--turn-id", ""], world);
    assertEquals(stdout, "");
  });
});

Deno.test("codexpipe completions takes exactly one shell", async () => {
  for (const args of [[], ["tcsh"], ["bash", "zsh"], ["--complete", "tcsh"]]) {
    const { status, stdout, stderr } = await call(["completions", ...args]);
    assertEquals([status, stdout], [2, ""]);
    assertStringIncludes(stderr, "expected one shell: bash, zsh or fish\n");
  }
});

Deno.test("codexpipe man names every command, flag, value and exit status", async () => {
  const { status, stdout } = await call(["man"]);
  assertEquals(status, 0);
  const plain = stdout.replaceAll("\\-", "-").replace(/\\f[BIR]/g, "");
  for (const command of COMMANDS) {
    assertStringIncludes(plain, `.SS ${command.name}\n`);
    const section = plain.slice(plain.indexOf(`.SS ${command.name}\n`));
    const end = section.search(/\n\.S[SH] /);
    const shown = section.slice(0, end).match(/^(?:-\w, )?--[a-z-]+/gm) ?? [];
    assertEquals(
      shown.map((text) => text.replace(/^-\w, /, "")),
      flagsOf(command).map(({ name }) => `--${name}`),
    );
  }
  for (const { name } of COMMON_FLAGS) assertStringIncludes(plain, `--${name}`);
});

Deno.test("codexpipe man names every environment variable that the command may read", async () => {
  const { stdout } = await call(["man"]);
  const [, names = ""] =
    /--allow-env=(\S+)/.exec(config.tasks.codexpipe.command) ?? [];
  const section = stdout.slice(stdout.indexOf("\n.SH ENVIRONMENT\n"));
  assertEquals(
    names.split(",").filter((name) => !section.includes(name)),
    [],
  );
});

const COMMAND_LINES = [
  { words: ["norm"], expected: ["normalize"] },
  { words: ["sess"], expected: ["sessions"] },
  { words: ["LICEN"], expected: ["LICENSE"] },
  { words: ["help", "norm"], expected: ["normalize"] },
  { words: ["help", "sessions", "li"], expected: ["list"] },
  { words: ["completions", ""], expected: [...SHELLS] },
  { words: ["normalize", "--on-e"], expected: ["--on-error"] },
  {
    words: ["normalize", "--on-error", ""],
    expected: ["report", "inline", "drop", "stop"],
  },
  { words: ["normalize", "-"], expected: namesOf("normalize") },
  { words: ["usage", "--by", "day,mo"], expected: ["day,model"] },
  {
    words: ["normalize", "--from", "exec", "LICEN"],
    expected: ["LICENSE"],
  },
] satisfies { words: string[]; expected: string[] }[];

/** Words that bash passes otherwise: they hold a "=". */
const WHOLE_WORDS = [
  { words: ["--color=al"], expected: ["--color=always"] },
  { words: ["render", "--output=LICEN"], expected: ["--output=LICENSE"] },
  { words: ["usage", "--by=day,mo"], expected: ["--by=day,model"] },
  { words: ["--color", "auto", "norm"], expected: ["normalize"] },
] satisfies { words: string[]; expected: string[] }[];

/** Words after the name of the command as bash passes them to completions: it splits at "=". */
const BASH_WORDS = [
  { words: ["--color", "="], expected: ["auto", "always", "never"] },
  { words: ["--color", "=", "a"], expected: ["auto", "always"] },
  { words: ["--color", ""], expected: ["auto", "always", "never"] },
  { words: ["sessions", "--color", "=", "n"], expected: ["never"] },
  { words: ["--color", "=", "auto", "norm"], expected: ["normalize"] },
  { words: ["check", "--format", "="], expected: ["text", "json"] },
  { words: ["check", "--format", "=", "j"], expected: ["json"] },
  { words: ["check", "--format=j"], expected: ["--format=json"] },
  { words: ["--color=al"], expected: ["--color=always"] },
  {
    words: ["render", "--output=LICEN"],
    expected: ["--output=LICENSE"],
  },
  { words: ["usage", "--by", "=", "mo"], expected: ["model"] },
  { words: ["usage", "--by", "=", "day,mo"], expected: ["day,model"] },
  {
    words: ["usage", "--by", "day,model,t"],
    expected: ["day,model,thread", "day,model,turn"],
  },
  {
    words: ["usage", "--by=day,mo"],
    expected: ["--by=day,model"],
  },
  {
    words: ["sessions", "search", "--role", "=", "user,ass"],
    expected: ["user,assistant"],
  },
] satisfies { words: string[]; expected: string[] }[];

const ROOT = new URL("../../", import.meta.url);

/**
 * What the function `codexpipe` of a shell expects and prints, so that the shell starts no process:
 * the arguments with which a script asks for a line, and the answer.
 */
async function answerFor(
  shell: string,
  words: readonly string[],
): Promise<Record<string, string>> {
  const args = ["completions", "--complete", shell, "--", ...words];
  const { stdout } = await call(args);
  return { ASKED: args.join(" "), ANSWER: stdout };
}

const ANSWERING =
  `codexpipe() { local IFS=' '; [[ "$*" == "$ASKED" ]] && printf '%s' "$ANSWER"; }`;

/** Returns what bash makes of an answer. */
async function completedInBash(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const quoted = ["codexpipe", ...words].map((word) => `'${word}'`).join(" ");
  const { stdout, stderr } = await runProgram("bash", {
    args: [
      "-c",
      `${ANSWERING}\n${
        scripts.get("bash")
      }\nCOMP_WORDS=(${quoted})\nCOMP_CWORD=$((\${#COMP_WORDS[@]} - 1))\n_codexpipe\nprintf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
    cwd: ROOT,
    env,
  });
  assertEquals(stderr, "");
  return stdout.split("\n").filter(Boolean).sort();
}

for (const { words, expected } of [...COMMAND_LINES, ...BASH_WORDS]) {
  const line = ["codexpipe", ...words].join(" ");

  await programTest(`bash completes: ${line}`, ["bash"], async () => {
    const env = await answerFor("bash", words);
    assertEquals(await completedInBash(words, env), expected.sort());
  });
}

await programTest(
  "bash runs no commands in the ids of sessions",
  ["bash"],
  async () => {
    const ids = ["$(echo run)", "*", "a b"];
    const words = ["sessions", "show", ""];
    const env = { ...await answerFor("bash", words), ANSWER: ids.join("\n") };
    assertEquals(await completedInBash(words, env), ids);
  },
);

for (const { words, expected } of [...COMMAND_LINES, ...WHOLE_WORDS]) {
  const line = ["codexpipe", ...words].join(" ");

  await programTest(`fish completes: ${line}`, ["fish"], async () => {
    const { stdout, stderr } = await runProgram("fish", {
      args: [
        "--no-config",
        "-c",
        `function codexpipe; test "$argv" = "$ASKED"; and printf '%s' "$ANSWER"; end\n${
          scripts.get("fish")
        }\ncomplete -C '${line}'`,
      ],
      cwd: ROOT,
      env: await answerFor("fish", words),
    });
    assertEquals(stderr, "");
    const found = stdout.split("\n").filter(Boolean)
      .map((row) => row.split("\t")[0] ?? "");
    assertEquals(found.sort(), expected.sort());
  });

  await programTest(`zsh completes: ${line}`, ["zsh"], async () => {
    // The functions of the completion system work only while the user types.
    const script = `${ANSWERING}
compdef() {}
compset() {}
_files() { print -r -- LICENSE }
_describe() { print -rl -- "\${(@)\${(P)argv[-1]}%%:*}" }
${scripts.get("zsh")}
words=(codexpipe ${words.map((word) => `'${word}'`).join(" ")})
CURRENT=$#words
_codexpipe`;
    const { stdout, stderr } = await runProgram("zsh", {
      args: ["-f", "-c", script],
      cwd: ROOT,
      env: await answerFor("zsh", words),
    });
    assertEquals(stderr, "");
    const last = words.at(-1)?.replace("--output=", "") ?? "";
    const found = stdout.split("\n").filter((word) =>
      word !== "" && word.startsWith(last)
    );
    assertEquals(
      found.sort(),
      expected.map((word) => word.replace("--output=", "")).sort(),
    );
  });
}

await programTest("zsh loads the completions", ["zsh"], async () => {
  const script = `autoload -U compinit; compinit -D -u\n${
    scripts.get("zsh")
  }\nprint -r -- $_comps[codexpipe]`;
  const { status, stdout, stderr } = await runProgram("zsh", {
    args: ["-f", "-c", script],
  });
  assertEquals([status, stdout, stderr], [0, "_codexpipe\n", ""]);
});

await programTest("mandoc accepts the manual page", ["mandoc"], async () => {
  const { stdout } = await call(["man"]);
  const { stdout: complaints } = await runProgram("mandoc", {
    args: ["-T", "lint", "-W", "warning"],
    stdin: stdout,
  });
  // The page has no date, so that a version always prints the same page.
  const others = complaints.split("\n").filter((line) =>
    line !== "" && !line.includes("missing date")
  );
  assertEquals(others, []);
});
