import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  keysOf,
  SessionChooser,
} from "../../lib/cli/commands/sessions_choose.ts";
import { TextRuler } from "../../lib/cli/text_ruler.ts";
import { PLAIN_STYLE } from "../../lib/render/text_style.ts";
import { listSessions } from "../../lib/sessions/sessions.ts";
import { programTest, runProgram } from "../programs.ts";
import {
  testId,
  withFolder,
  writeFile,
  writeSession,
} from "../sessions/homes.ts";
import { call, Hose, type Result, sourceOf, type World } from "./memory.ts";
import { COMMAND_WORDS } from "./process.ts";

const NOW = Date.parse("2026-11-25T12:00:00Z");
const TERMINAL: World = {
  terminals: ["stdin", "stdout", "stderr"],
  columns: 80,
  rows: 24,
  now: () => NOW,
};
const MESSAGES = [
  "Fix the tests",
  "Explain \x1b[31mred\x1b[0m code, and take as many words for it as there is no room for in one line of a terminal",
  "中文 🚀 refactor",
  "Tidy up",
];

/** Makes a home of four sessions, the last one the newest, and calls `use` with its path. */
async function withFour(use: (home: string) => Promise<void>): Promise<void> {
  await withFolder(async (home) => {
    for (const [i, message] of MESSAGES.entries()) {
      const id = testId(i + 1);
      const started = `2026-11-2${i + 1}T10:00:00.000Z`;
      const meta = { cwd: `/home/me/proj${i}`, git: { branch: "main" } };
      await writeSession(home, { id, started, message, meta });
    }
    await use(home);
  });
}

/** Calls `sessions` on a terminal; each read of stdin returns one element of `keys`. */
function choose(
  home: string,
  keys: readonly string[],
  world: World = {},
): Promise<Result> {
  return call(["sessions", `--codex-home=${home}`], {
    ...TERMINAL,
    stdin: sourceOf(keys),
    ...world,
  });
}

/** Returns the text that is left on the screen: the output after the list was erased. */
function finalScreen({ stdout }: Result): string {
  return stdout.slice(stdout.lastIndexOf("\x1b[?25h") + "\x1b[?25h".length);
}

Deno.test("codexpipe sessions lists sessions without a terminal, and on a dumb one", async () => {
  await withFour(async (home) => {
    const listed = await call(["sessions", "list", `--codex-home=${home}`]);
    const world = { ...TERMINAL, terminals: ["stdout"] } as const;
    assertEquals(await call(["sessions", `--codex-home=${home}`]), listed);
    assertEquals(
      await choose(home, [], world),
      await call(["sessions", "list", `--codex-home=${home}`], world),
    );
    const dumb = await choose(home, [], { env: { TERM: "dumb" } });
    assertStringIncludes(dumb.stdout, "Started");
  });
});

Deno.test("sessions choose needs a terminal that can be drawn on", async () => {
  const dumb: World = { ...TERMINAL, env: { TERM: "dumb" } };
  for (const world of [{}, dumb]) {
    const { status, stdout, stderr } = await call(
      ["sessions", "choose"],
      world,
    );
    assertEquals([status, stdout], [2, ""]);
    assertStringIncludes(
      stderr,
      'sessions choose needs a terminal; "codexpipe sessions list" lists sessions',
    );
  }
});

Deno.test("sessions choose tells that no session matches, and ends with 1", async () => {
  await withFour(async (home) => {
    const { status, stdout, stderr } = await call(
      ["sessions", `--codex-home=${home}`, "--grep=zebra", "--no-color"],
      TERMINAL,
    );
    assertEquals([status, stdout], [1, ""]);
    assertEquals(stderr, `codexpipe: no session matches, of 4 in ${home}\n`);
  });
});

Deno.test("sessions choose shows the session on which Enter is pressed", async () => {
  await withFour(async (home) => {
    for (
      const [keys, shown] of [
        [["\r"], 4],
        [["\x1b[B", "\r"], 3],
        [["\x1b[B\x1b[B\x1b[B\x1b[B\x1b[A\r"], 2],
        [["f", "ix", "\r"], 1],
        [["fixx", "\x7f", "\r"], 1],
        [["nothing has this", "\x15", "\r"], 4],
        [["proj1 main", "\r"], 2],
      ] as const
    ) {
      const result = await choose(home, keys);
      const expected = await call(
        ["sessions", "show", `--codex-home=${home}`, testId(shown)],
        TERMINAL,
      );
      assertEquals([result.status, finalScreen(result)], [0, expected.stdout]);
    }
  });
});

Deno.test("sessions choose prints the command that resumes a session", async () => {
  await withFour(async (home) => {
    for (const keys of [["r"], ["ti", "\x12"]]) {
      const result = await choose(home, keys, { env: { CODEX_HOME: home } });
      assertEquals(
        finalScreen(result).split("\n").map((line) =>
          // deno-lint-ignore no-control-regex
          line.replace(/\x1b\[\d+m/g, "")
        ),
        [
          `codex resume ${testId(4)}`,
          "  Tidy up",
          "  1 d ago · /home/me/proj3 · main",
          "",
        ],
      );
    }
  });
});

Deno.test("sessions choose leaves without output, and restores the terminal", async () => {
  await withFour(async (home) => {
    for (
      const [keys, status] of [
        [["\x1b"], 0],
        [["\x04"], 0],
        [[], 0],
        [["\x03"], 130],
      ] as const
    ) {
      const modes: boolean[] = [];
      const result = await choose(home, keys, {
        setRaw: (isRaw) => void modes.push(isRaw),
      });
      assertEquals(
        [result.status, finalScreen(result), result.stderr, modes],
        [status, "", "", [true, false]],
      );
    }
    const interrupt = new AbortController();
    const waiting = choose(home, [], {
      stdin: new Hose(),
      interrupt: interrupt.signal,
      setRaw: () => interrupt.abort(),
    });
    assertEquals((await waiting).status, 130);
  });
});

await programTest("sessions choose restores the terminal after SIGTERM", [
  "zsh",
], async () => {
  await withFour(async (home) => {
    await writeFile(
      `${home}/run.sh`,
      `sh -c 'echo $$ > pid; exec ${COMMAND_WORDS.join(" ")} sessions'
echo "status $?"
stty -a
echo END
`,
    );
    const script = `zmodload zsh/zpty
zpty tty sh run.sh
zpty -r tty list '*Esc leaves*'
kill -TERM "$(<pid)"
zpty -r tty rest '*END*'
print -r -- "$rest"`;
    const { stdout } = await runProgram("zsh", {
      args: ["-f", "-c", script],
      cwd: home,
      env: { CODEX_HOME: home, TERM: "xterm" },
    });
    assertStringIncludes(stdout, "\x1b[?25h");
    assertStringIncludes(stdout, "status 130");
    assertMatch(stdout, / icanon /);
  });
});

Deno.test("SessionChooser fits its lines to terminals of any size, and escapes titles", async () => {
  await withFour(async (home) => {
    const { sessions } = await listSessions({ codexHomes: [home] });
    const chooser = new SessionChooser(sessions, {
      ruler: await TextRuler.for(MESSAGES),
      style: PLAIN_STYLE,
      now: NOW,
      userHome: "/home/me",
    });
    const ruler = await TextRuler.for(MESSAGES);
    for (const columns of [20, 80, 120]) {
      for (const key of ["", "\x1b[B", "\x1b[B", "e"]) {
        chooser.press(key);
        const lines = chooser.lines(columns, 24);
        for (const line of lines) {
          assertEquals(ruler.widthOf(line) < columns, true, line);
          // deno-lint-ignore no-control-regex
          assertEquals(/[\x00-\x1f]/.test(line), false);
        }
      }
      chooser.press("\x15");
    }
    assertEquals(chooser.lines(80, 24).slice(0, 5), [
      "Sessions (4): ",
      "❯ 1 d ago  Tidy up",
      "  2 d ago  中文 🚀 refactor",
      "  3 d ago  Explain \\u001b[31mred\\u001b[0m code, and take as many words for it …",
      "  4 d ago  Fix the tests",
    ]);
    chooser.press("code");
    assertEquals(chooser.lines(80, 24), [
      "Sessions (1 of 4): code",
      "❯ 3 d ago  Explain \\u001b[31mred\\u001b[0m code, and take as many words for it …",
      "",
      "",
      "",
      "",
      `~/proj1 · main · gpt-5 · ${testId(2)}`,
      "Explain \\u001b[31mred\\u001b[0m code, and take as many words for it as there is",
      "no room for in one line of a terminal",
      "",
      "",
      "↑↓ move · type to filter · Enter shows · r resumes · Esc leaves",
    ]);
    assertEquals(chooser.lines(80, 10).length, 10);
    assertEquals(chooser.lines(80, 2), chooser.lines(80, 24).slice(0, 2));
  });
});

Deno.test("keysOf() splits a read into keys", () => {
  assertEquals(keysOf("a\x1b[A\x1bOB\x1b[5~é🚀\r"), [
    "a",
    "\x1b[A",
    "\x1bOB",
    "\x1b[5~",
    "é",
    "🚀",
    "\r",
  ]);
  assertEquals(keysOf("\x1b"), ["\x1b"]);
});
