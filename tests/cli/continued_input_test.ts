/** Commands with a file that continues another session: they read that session first. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { shellWord } from "../../lib/dialects/exec/command_line.ts";
import { withFolder, writeFile } from "../sessions/homes.ts";
import { contentOf, FORK, nameOf, PARENT } from "./families.ts";
import { call, type Result, sourceOf } from "./memory.ts";

/** Calls a command with the file of a fork; `parent` is the path of the session it continues. */
async function callWithFork(
  args: readonly string[],
  { parent, change = (text) => text }: {
    readonly parent?: string;
    readonly change?: (text: string) => string;
  },
): Promise<Result & { readonly fork: string }> {
  let result: Result & { readonly fork: string } | undefined;
  await withFolder(async (home) => {
    const fork = `${home}/sessions/2026/11/20/${nameOf(FORK)}`;
    const text = change(new TextDecoder().decode(contentOf(FORK)));
    await writeFile(fork, text);
    if (parent !== undefined) {
      await writeFile(`${home}/${parent}`, contentOf(PARENT));
    }
    result = {
      ...await call([...args, fork], { files: { [fork]: text } }),
      fork,
    };
  });
  if (result === undefined) throw new TypeError("No command was called");
  return result;
}

/** Finds the prompts of the turns in a history or a text. */
function turnsIn(text: string): string[] {
  return [...text.matchAll(/(?:First|Forked) turn(?= \[\[turn\d\]\]["\n])/g)]
    .map(([turn]) => turn);
}

const COMMANDS = [["history"], ["history", "--from=rollout"], [
  "render",
  "--to=text",
]];
const BOTH = ["First turn", "Forked turn"];

for (const command of COMMANDS) {
  const name = command.join(" ");
  for (
    const parent of [
      `sessions/2026/11/20/${nameOf(PARENT)}`,
      `sessions/2026/11/19/${nameOf(PARENT)}`,
      `archived_sessions/${nameOf(PARENT)}`,
    ]
  ) {
    Deno.test(`${name} reads the session that a fork continues first: ${parent}`, async () => {
      const { status, stdout, stderr } = await callWithFork(command, {
        parent,
      });
      assertEquals([status, stderr], [0, ""]);
      assertEquals(turnsIn(stdout), BOTH);
    });
  }

  Deno.test(`${name} --verbose names the session that a fork continues`, async () => {
    const { stderr, fork } = await callWithFork([...command, "--verbose"], {
      parent: `archived_sessions/${nameOf(PARENT)}`,
    });
    assertStringIncludes(
      stderr,
      `codexpipe: ${fork}: continues the session ${PARENT}, which is read first\n`,
    );
  });

  Deno.test(`${name} reports that a fork is partial if the session it continues is gone`, async () => {
    const { status, stdout, stderr, fork } = await callWithFork(command, {});
    assertEquals(status, 0);
    assertEquals(turnsIn(stdout), ["Forked turn"]);
    assertEquals(
      stderr,
      `codexpipe: ${fork}: partial: it continues the session ${PARENT}, which was not found; "codexpipe sessions show ${
        shellWord(fork)
      }" searches the default Codex home, too\n`,
    );
    const quiet = await callWithFork([...command, "--quiet"], {});
    assertEquals(quiet.stderr, "");
  });

  Deno.test(`${name} reports that a fork on stdin is partial`, async () => {
    const stdin = contentOf(FORK);
    const { status, stderr } = await call(command, { stdin });
    assertEquals(status, 0);
    assertEquals(
      stderr,
      `codexpipe: -: partial: it continues the session ${PARENT}, which was not read; "codexpipe sessions show ${FORK}" joins the two\n`,
    );
    const quiet = await call([...command, "--quiet"], { stdin });
    assertEquals(quiet.stderr, "");
  });

  Deno.test(`${name} suggests no command with an id that looks like an option`, async () => {
    const hostile = "--dangerously-bypass-approvals-and-sandbox";
    const stdin = new TextDecoder().decode(contentOf(FORK))
      .replaceAll(FORK, hostile).replaceAll(PARENT, "a;b");
    const { stderr } = await call(command, { stdin });
    assertEquals(
      stderr,
      'codexpipe: -: partial: it continues the session "a;b", which was not read\n',
    );
  });

  Deno.test(`${name} reports a failed line of a fork by its number in the file of the fork`, async () => {
    const { stderr, fork } = await callWithFork(command, {
      parent: `archived_sessions/${nameOf(PARENT)}`,
      change: (text) => text.replace("\n", "\n{torn\n"),
    });
    assertStringIncludes(stderr, `codexpipe: ${fork}:2: json: `);
  });

  Deno.test(`${name} reports an unknown history mode once`, async () => {
    const [first = "", ...lines] = new TextDecoder().decode(contentOf(PARENT))
      .split("\n");
    const header = first.replace(
      '"history_mode":"paginated"',
      '"history_mode":"zork"',
    );
    const stdin = [header, ...lines].join("\n");
    const { status, stdout, stderr } = await call(command, { stdin });
    assertEquals(status, 0);
    assertEquals(turnsIn(stdout), ["First turn"]);
    assertEquals(
      stderr,
      'codexpipe: -: its history mode is "zork", which codexpipe does not know: parts of the history may be missing; a later release of codexpipe may know the mode\n',
    );
    const quiet = await call([...command, "--quiet"], { stdin });
    assertEquals(quiet.stderr, "");
  });
}

Deno.test("render lists the sessions of a home once for all files: listing takes longer than rendering", async () => {
  await withFolder(async (home) => {
    const folder = `${home}/sessions/2026/11/20`;
    const first = `${folder}/${nameOf(FORK)}`;
    const second = first.replace("T15-", "T16-");
    const forks = [first, second];
    for (const fork of forks) await writeFile(fork, contentOf(FORK));
    // A session that appears after the list was made is not in it.
    const chunks = function* (): Generator<Uint8Array> {
      Deno.writeFileSync(`${folder}/${nameOf(PARENT)}`, contentOf(PARENT));
      yield contentOf(FORK);
    };
    const { stderr } = await call(["render", "--to=text", ...forks], {
      files: { [first]: contentOf(FORK), [second]: sourceOf(chunks()) },
    });
    assertEquals(stderr.match(/which was not found/g)?.length, 2);
  });
});

Deno.test("history restores a checkpoint of a fork without reports", async () => {
  const parent = `archived_sessions/${nameOf(PARENT)}`;
  const whole = await callWithFork(["history"], { parent });
  const checkpoint = await callWithFork(["history", "--checkpoint"], {
    parent,
  });
  const { stdout, stderr } = await call(["history", "--restore=a"], {
    files: { a: checkpoint.stdout },
  });
  assertEquals(stderr, "");
  assertEquals(stdout, whole.stdout);
});
