/** Compares completions and the manual page with the tables of flags, and runs real shells. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { SESSIONS } from "../../lib/cli/command.ts";
import { COMMANDS } from "../../lib/cli/commands.ts";
import { grammarOf } from "../../lib/cli/completions/grammar.ts";
import { COMMON_FLAGS, flagsOf, SHELLS } from "../../lib/cli/flags.ts";
import { programTest, runProgram } from "../programs.ts";
import { call } from "./memory.ts";

const scripts = new Map(
  await Promise.all(SHELLS.map(async (shell) => {
    const { status, stdout } = await call(["completions", shell]);
    assertEquals(status, 0);
    return [shell, stdout] as const;
  })),
);

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

for (const [shell, script] of scripts) {
  Deno.test(`codexpipe completions ${shell} names every command and flag`, () => {
    for (const { name } of [...COMMANDS, SESSIONS]) {
      for (const word of name.split(" ")) assertStringIncludes(script, word);
    }
    for (const command of COMMANDS) {
      for (const { name } of flagsOf(command)) {
        assertStringIncludes(
          script,
          shell === "fish" ? `-l ${name}` : `--${name}`,
        );
      }
    }
  });
}

Deno.test("codexpipe completions complete the ids of sessions, and of no turns", () => {
  const usage = grammarOf(COMMANDS).commands.find(({ name }) =>
    name === "usage"
  );
  const ids = usage?.flags.filter(({ flag }) => flag.value?.name === "ID")
    .map(({ flag, value }) => [flag.name, value]);
  assertEquals(ids, [["thread", "sessions"], ["family", "sessions"]]);
  const normalize = grammarOf(COMMANDS).commands.find(({ name }) =>
    name === "normalize"
  );
  const turn = normalize?.flags.find(({ flag }) => flag.name === "turn-id");
  assertEquals(turn?.value, "anything");
});

Deno.test("codexpipe completions takes exactly one shell", async () => {
  for (const args of [[], ["tcsh"], ["bash", "zsh"]]) {
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

for (const { words, expected } of [...COMMAND_LINES, ...BASH_WORDS]) {
  const line = ["codexpipe", ...words].join(" ");

  await programTest(`bash completes: ${line}`, ["bash"], async () => {
    const quoted = ["codexpipe", ...words].map((word) => `'${word}'`).join(" ");
    const { stdout, stderr } = await runProgram("bash", {
      args: [
        "-c",
        `${
          scripts.get("bash")
        }\nCOMP_WORDS=(${quoted})\nCOMP_CWORD=$((\${#COMP_WORDS[@]} - 1))\n_codexpipe\nprintf '%s\\n' "\${COMPREPLY[@]}"`,
      ],
      cwd: ROOT,
    });
    assertEquals(stderr, "");
    assertEquals(stdout.split("\n").filter(Boolean).sort(), expected.sort());
  });
}

for (const { words, expected } of COMMAND_LINES) {
  const line = ["codexpipe", ...words].join(" ");

  await programTest(`fish completes: ${line}`, ["fish"], async () => {
    const { stdout, stderr } = await runProgram("fish", {
      args: [
        "--no-config",
        "-c",
        `${scripts.get("fish")}\ncomplete -C '${line}'`,
      ],
      cwd: ROOT,
    });
    assertEquals(stderr, "");
    const found = stdout.split("\n").filter(Boolean)
      .map((row) => row.split("\t")[0] ?? "").filter((word) =>
        // fish also completes the letters of flags.
        !/^-\w$/.test(word)
      );
    assertEquals(found.sort(), expected.sort());
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
