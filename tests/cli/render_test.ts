import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { basename } from "node:path";
import { HistoryState } from "../../mod.ts";
import { readSession } from "../render/sessions.ts";
import {
  assertAlone,
  assertSound,
  contentOf,
  withoutData,
} from "../render/sound_pages.ts";
import { decode } from "../running.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  writeFile,
} from "../sessions/homes.ts";
import { FAMILY } from "./families.ts";
import {
  call,
  failing,
  Hose,
  platformError,
  Sink,
  sourceOf,
} from "./memory.ts";

const SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";
const SESSION = [
  '{"type":"thread.started","thread_id":"t"}',
  '{"type":"turn.started"}',
  `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Use ${SECRET}."}}`,
  '{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"a\\nb\\nc\\n","exit_code":0,"status":"completed"}}',
  '{"type":"turn.completed","usage":{"input_tokens":1200,"output_tokens":34}}',
  "",
].join("\n");
const MASKED = "codexpipe: masked 1 secret: openai_key 1\n";
const TEXT =
  `Thread t\n\nUse ${SECRET}.\n\n$ ls\n  a\n  b\n  c\n  ✓\n\n✓ done (1,200 in / 34 out)\n`;

/** The beginning of each form. */
const BEGINNINGS = {
  text: /^Thread t\n\nUse /,
  markdown: /^---\nid: "t"\n---\n/,
  html: /^<!doctype html>\n/i,
  github: /^## /,
};

for (const [form, beginning] of Object.entries(BEGINNINGS)) {
  Deno.test(`render --to writes ${form}`, async () => {
    const { status, stdout } = await call(["render", `--to=${form}`], {
      stdin: SESSION,
    });
    assertEquals(status, 0);
    assertMatch(stdout, beginning);
  });
}

const DEFAULTS = [
  { name: "Markdown in a pipe", args: [], terminals: [], form: "markdown" },
  { name: "text on a terminal", args: [], terminals: ["stdout"], form: "text" },
  {
    name: "the form of --to on a terminal",
    args: ["--to=html"],
    terminals: ["stdout"],
    form: "html",
  },
] as const;

for (const { name, args, terminals, form } of DEFAULTS) {
  Deno.test(`render writes ${name}`, async () => {
    const { stdout } = await call(["render", "--color=never", ...args], {
      stdin: SESSION,
      terminals,
    });
    assertMatch(stdout, BEGINNINGS[form]);
  });
}

const FILES = [
  { file: "a.html", form: "html" },
  { file: "a.md", form: "markdown" },
  { file: "a.TXT", form: "text" },
  { file: "dir.html/a", form: "markdown" },
] as const;

for (const { file, form } of FILES) {
  Deno.test(`render --output=${file} writes ${form}`, async () => {
    const { stdout, written } = await call(["render", "-o", file], {
      stdin: SESSION,
      terminals: ["stdout"],
    });
    assertEquals(stdout, "");
    assertMatch(written.get(file) ?? "", BEGINNINGS[form]);
  });
}

Deno.test("render masks secrets in every form but text, and reports their number", async () => {
  for (const form of ["markdown", "html", "github"]) {
    const { stdout, stderr } = await call(["render", `--to=${form}`], {
      stdin: SESSION,
    });
    assert(!stdout.includes(SECRET), form);
    assertEquals(stderr, MASKED);
  }
  const text = await call(["render", "--to=text"], { stdin: SESSION });
  assertEquals([text.stdout, text.stderr], [TEXT, ""]);
});

const REDACTION = [
  { args: ["--redact"], isMasked: true },
  { args: ["--redact", "--no-redact"], isMasked: false },
  { args: ["--no-redact", "--redact"], isMasked: true },
  { args: ["--redact-pattern=Use +"], isMasked: true },
];

for (const { args, isMasked } of REDACTION) {
  Deno.test(`render --to=text ${args.join(" ")} ${isMasked ? "masks" : "keeps"} secrets`, async () => {
    const { stdout } = await call(["render", "--to=text", ...args], {
      stdin: SESSION,
    });
    assertEquals(!stdout.includes(SECRET), isMasked);
  });
}

Deno.test("render masks a secret before it truncates the output of a command", async () => {
  const stdin = SESSION.replace(
    "a\\nb\\nc",
    `-----BEGIN PRIVATE KEY-----\\n${
      "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\\n".repeat(9)
    }-----END PRIVATE KEY-----`,
  );
  const { stdout } = await call(
    ["render", "--to=text", "--redact", "--max-output-lines=2"],
    { stdin },
  );
  assert(!stdout.includes("MIIE"), stdout);
});

Deno.test("render refuses --redact-pattern with --no-redact, and creates no file", async () => {
  const { status, stderr, written } = await call(
    [
      "render",
      "--no-redact",
      "--redact-pattern=x",
      "--output=out.md",
      "--errors-to=errors.jsonl",
    ],
    { stdin: SESSION },
  );
  assertEquals([status, written.size], [2, 0]);
  assertMatch(stderr, /--redact-pattern has no effect with --no-redact/);
});

Deno.test("render leaves out calls and output with --tools and --max-output-lines", async () => {
  const run = async (...args: string[]): Promise<string> =>
    (await call(["render", "--to=text", ...args], { stdin: SESSION })).stdout;
  assertEquals((await run("--tools=none")).includes("$ ls"), false);
  assertEquals((await run("--tools=names")).includes("  a\n"), false);
  assertMatch(await run("--max-output-lines=1"), /… 2 lines left out\n {2}c\n/);
});

Deno.test("render colours text on a terminal and with --color=always", async () => {
  const isColored = async (
    args: string[],
    terminals: ("stdout")[],
    env: Record<string, string> = {},
  ): Promise<boolean> => {
    const all = ["render", "--to=text", ...args];
    const { stdout } = await call(all, { stdin: SESSION, terminals, env });
    return stdout.includes("\x1b[");
  };
  assertEquals(await isColored([], ["stdout"]), true);
  assertEquals(await isColored([], []), false);
  assertEquals(await isColored([], ["stdout"], { NO_COLOR: "1" }), false);
  assertEquals(await isColored(["--color=always"], []), true);
  assertEquals(await isColored(["--color=never"], ["stdout"]), false);
  const { written } = await call(
    ["render", "-o", "a.txt", "-o", "b.txt", "--color=always"],
    { stdin: SESSION },
  );
  assertEquals(written.get("b.txt")?.includes("\x1b["), true);
});

Deno.test("render wraps text to the width of a terminal only", async () => {
  const args = ["render", "--to=text", "--color=never"];
  const world = { stdin: SESSION, columns: 30 };
  const narrow = await call(args, { ...world, terminals: ["stdout"] });
  assert(narrow.stdout.split("\n").every((line) => line.length <= 30));
  const piped = await call(args, world);
  assertEquals(piped.stdout, TEXT);
});

Deno.test("render writes the part that a line completes before the next line arrives", async () => {
  const stdin = new Hose();
  const stdout = new Sink();
  const done = call(["render", "--to=text"], { stdin, stdout });
  const lines = SESSION.split("\n").map((line) => `${line}\n`);
  stdin.push(lines[0] ?? "");
  assertEquals(await stdout.next(), "Thread t\n");
  stdin.push(lines.slice(1, 3).join(""));
  assertEquals(await stdout.next(), `\nUse ${SECRET}.\n`);
  stdin.push(
    '{"type":"item.started","item":{"id":"item_9","type":"command_execution","command":"make","aggregated_output":"","exit_code":null,"status":"in_progress"}}\n',
  );
  assertEquals(await stdout.next(), "\n$ make\n");
  stdin.push(
    '{"type":"item.completed","item":{"id":"item_9","type":"command_execution","command":"make","aggregated_output":"","exit_code":0,"status":"completed"}}\n',
  );
  assertEquals(await stdout.next(), "  ✓\n");
  stdin.end();
  assertEquals((await done).status, 0);
});

Deno.test("render --stamp keeps the spelling of numbers in arguments", async () => {
  const { stdout } = await call([
    "render",
    "--to=text",
    "--stamp",
    "--thread-id=t",
    "--turn-id=u",
  ], {
    stdin:
      '{"type":"item.completed","item":{"id":"a","type":"mcp_tool_call","server":"s","tool":"t","arguments":{"big":12345678901234567890,"f":1.0},"status":"completed"}}',
  });
  assertStringIncludes(stdout, "s.t big=12345678901234567890 f=1.0");
});

Deno.test("render --stamp takes durations from the clock", async () => {
  let now = Date.parse("2026-11-20T15:14:15.000Z");
  const { stdout } = await call(["render", "--to=text", "--stamp"], {
    stdin: SESSION,
    now: () => now += 500,
  });
  assertMatch(stdout, /✓ done \(1,200 in \/ 34 out\) · 1\.5s\n$/);
});

Deno.test("render reports failed lines on stderr and in the transcript", async () => {
  const stdin = `${SESSION}{torn\n`;
  const reason =
    'Cannot parse the line as JSON: "t" stands where a key is expected (byte 2)';
  const run = (...args: string[]) =>
    call(["render", "--to=text", ...args], { stdin });
  const report = await run();
  assertEquals(report.status, 0);
  assertEquals(report.stderr, `codexpipe: -:6: json: ${reason}\n`);
  assertEquals(report.stdout, `${TEXT}\n✗ line 6: json: ${reason}\n`);
  const inline = await run("--on-error=inline", "--strict");
  assertEquals([inline.status, inline.stderr], [1, ""]);
  assertEquals(inline.stdout, report.stdout);
  const drop = await run("--on-error=drop");
  assertEquals([drop.stdout, drop.stderr], [TEXT, ""]);
  const stop = await run("--on-error=stop");
  assertEquals([stop.status, stop.stdout], [1, TEXT]);
  assertEquals(stop.stderr, report.stderr);
  const errors = await run("--errors-to=e.jsonl", "-q");
  assertEquals(errors.stderr, "");
  assertMatch(errors.written.get("e.jsonl") ?? "", /^{"type":"line.failed"/);
});

Deno.test("render reports failed lines only on stderr if stdout is a terminal, too", async () => {
  const { stdout, stderr } = await call(["render", "--color=never"], {
    stdin: `${SESSION}{torn\n`,
    terminals: ["stdout", "stderr"],
  });
  assertEquals(stdout.includes("line 6"), false);
  assertMatch(stderr, /^codexpipe: -:6: json: /);
});

Deno.test("render shows a line.failed record as a failure", async () => {
  const { stdout } = await call(["render", "--to=text"], {
    stdin:
      '{"type":"line.failed","line":7,"offset":1,"error":{"kind":"utf8","message":"No"},"raw":"x"}\n',
  });
  assertMatch(stdout, /✗ line 7: utf8: No\n/);
});

Deno.test("render reports line.failed records by the same places as normalize", async () => {
  const first = await call(["normalize", "--on-error=inline"], {
    stdin: `${SESSION}\n\nbad\n{torn\n`,
  });
  const tail = first.stdout.trimEnd().split("\n").slice(-3).join("\n");
  const world = {
    files: { "lf.jsonl": tail, "more.jsonl": `bad\n${tail}` },
  };
  const placesIn = (stderr: string): string[] =>
    [...stderr.matchAll(/^codexpipe: (\S+\.jsonl:\d+): json: /gm)].map(
      ([, place = ""]) => place,
    );
  for (const to of ["text", "markdown", "html", "github"]) {
    const args = ["render", `--to=${to}`, "lf.jsonl", "more.jsonl"];
    const { stderr } = await call(args, world);
    const places = ["lf.jsonl:2", "lf.jsonl:3"];
    places.push("more.jsonl:1", "more.jsonl:3", "more.jsonl:4");
    assertEquals(placesIn(stderr), places);
    const normalize = ["normalize", "lf.jsonl", "more.jsonl"];
    assertEquals(placesIn((await call(normalize, world)).stderr), places);
  }
});

Deno.test("render writes one document for several files, and numbers turns across them", async () => {
  const { stdout } = await call(["render", "-q", "a", "b"], {
    files: { a: SESSION, b: SESSION.replace('"t"', '"u"') },
  });
  assertEquals(stdout.match(/^# .*$/gm), [
    "# Codex session",
    "# Codex session",
  ]);
  assertEquals(stdout.match(/^## .*$/gm), ["## Turn 1", "## Turn 2"]);
  assertMatch(stdout, /\n- id: `u`\n/);
});

Deno.test("render reports unreadable files, reads the rest, and ends with 3", async () => {
  const { status, stdout, stderr } = await call(
    ["render", "--to=text", "none", "broken", "a"],
    {
      files: {
        a: SESSION,
        broken: sourceOf([SESSION.slice(0, 60)], platformError("EIO")),
      },
    },
  );
  assertEquals(status, 3);
  assertMatch(stderr, /none: cannot open: not found/);
  assertMatch(stderr, /broken: cannot read: the device failed/);
  assert(stdout.endsWith(TEXT.slice("Thread t\n\n".length)), stdout);
});

Deno.test("render reads snapshots", async () => {
  const state = new HistoryState();
  state.apply({ type: "turn.started", input_text: "Hi" });
  for (const indent of [0, 2]) {
    const { stdout } = await call(["render"], {
      stdin: JSON.stringify(state.snapshot(), null, indent),
    });
    assertEquals(
      stdout,
      "# Codex session\n\n## Turn 1\n\n**User**\n\n> Hi\n",
    );
  }
});

Deno.test("render reads a snapshot only as --from allows", async () => {
  const snapshot = JSON.stringify(new HistoryState().snapshot());
  const event = '{"type":"thread.started","thread_id":"t"}';
  const stderrOf = (from: string, stdin: string): Promise<string> =>
    call(["render", `--from=${from}`], { stdin }).then(({ stderr }) => stderr);
  assertEquals(await stderrOf("history", snapshot), "");
  assertMatch(await stderrOf("history", event), /-: cannot read as a history/);
  for (const from of ["exec", "rollout"]) {
    assertMatch(await stderrOf(from, snapshot), /-:1: normalize: /);
  }
});

Deno.test("render writes the same for chunks of any size", async () => {
  const bytes = readSession("0.169.0/tui/", "rollout");
  const whole = await call(["render", "-q"], { stdin: bytes });
  for (const size of [1000, 4096]) {
    const chunks = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, at) => bytes.subarray(at * size, (at + 1) * size),
    );
    const cut = await call(["render", "-q"], { stdin: sourceOf(chunks) });
    assertEquals(cut.stdout, whole.stdout);
  }
});

Deno.test("render ends silently with 0 after its reader has gone", async () => {
  const { status, stderr } = await call(["render", "--to=text"], {
    stdin: SESSION.repeat(2000),
    stdout: failing(platformError("EPIPE")),
  });
  assertEquals([status, stderr], [0, ""]);
});

Deno.test("render reports a full stdout, and a file that it cannot create", async () => {
  const full = await call(["render", "--to=text"], {
    stdin: SESSION,
    stdout: failing(platformError("ENOSPC")),
  });
  assertEquals(full.status, 3);
  assertMatch(full.stderr, /^codexpipe: stdout: cannot write: no space left/);
  const denied = await call(["render", "-o", "a.md"], {
    stdin: SESSION,
    createError: platformError("EACCES"),
  });
  assertEquals(denied.status, 3);
  assertMatch(denied.stderr, /a\.md: cannot create: permission denied/);
});

Deno.test("render reports that a file is Markdown if its ending names no form", async () => {
  const world = { stdin: SESSION, directories: ["a.b"] };
  const stderrOf = async (...args: string[]): Promise<string> =>
    (await call(["render", "--no-redact", ...args], world)).stderr;
  assertEquals(
    await stderrOf("-o", "out.json"),
    "codexpipe: out.json: is Markdown; --to=FORM writes another form\n",
  );
  assertEquals(await stderrOf("-o", "out.log", "--to=text"), "");
  for (const name of ["out", "out.md", "out.HTM", "a.b/out"]) {
    assertEquals(await stderrOf("-o", name), "", name);
  }
});

for (
  const { path, links } of [
    { path: "/home/.codex/x.html", links: {} },
    { path: "/home/.codex/sessions/2026/x.html", links: {} },
    { path: "/link/x.html", links: { "/link": "/home/.codex" } },
    { path: "/srv/../home/.codex/x.html", links: {} },
  ]
) {
  for (const flag of ["output", "errors-to"]) {
    Deno.test(`render --${flag} refuses to write into a Codex home: ${path}`, async () => {
      const { status, stderr, written } = await call(
        ["render", `--${flag}=${path}`, "a"],
        {
          env: { HOME: "/home" },
          files: { a: SESSION },
          directories: ["/link", "/home", "/home/.codex"],
          links,
        },
      );
      assertEquals([status, written.size], [2, 0]);
      assertStringIncludes(
        stderr,
        `codexpipe: --${flag} would write ${path} into the Codex home /home/.codex, which is only read: name a file elsewhere\n`,
      );
    });
  }
}

Deno.test("render leaves the file of --errors-to as it is if --output is refused", async () => {
  const args = ["render", "--output=a", "--errors-to=e", "a"];
  const files = { a: SESSION };
  const { status, written } = await call(args, { files });
  assertEquals([status, written.size], [2, 0]);
});

Deno.test("render finishes its page when it is interrupted, and ends with 130", async () => {
  const interrupt = new AbortController();
  const stdin = new Hose();
  const stdout = new Sink();
  const done = call(["render", "--to=html"], {
    stdin,
    stdout,
    interrupt: interrupt.signal,
  });
  stdin.push(SESSION);
  await stdout.next();
  interrupt.abort();
  assertEquals((await done).status, 130);
  assert(stdout.text.trimEnd().endsWith("</html>"), stdout.text.slice(-200));
});

Deno.test("render writes valid UTF-8 with LF at its end in every form", async () => {
  const stdin = readSession("0.169.0/unicode/", "stdout");
  for (const form of Object.keys(BEGINNINGS)) {
    const { stdout } = await call(["render", `--to=${form}`], { stdin });
    assert(stdout.endsWith("\n"), form);
    assertEquals(decode(new TextEncoder().encode(stdout)), stdout);
  }
});

Deno.test("render --to=site writes a page for each session, and an index", async () => {
  const log = `{"type":"thread.started","thread_id":"t"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"API_TOKEN=abc123def </script> it"}}
{"type":"turn.completed","usage":{"input_tokens":1200,"output_tokens":60}}
`;
  // The site reads the outcomes of sessions from disk: the paths of FAMILY are real.
  const files = { ...FAMILY, "/x/index.jsonl": log, "/y/index.jsonl": log };
  const run = () =>
    call(["render", "--to=site", "-o", "/out", ...Object.keys(files), "/no"], {
      files,
      directories: ["/out"],
    });
  const { status, stdout, stderr, written } = await run();
  assertEquals([status, stdout, stderr.split("\n").slice(1)], [
    3,
    "",
    ["codexpipe: masked 2 secrets: token 2", ""],
  ]);
  assertMatch(stderr, /^codexpipe: \/no: cannot open: /);
  assertEquals(written, (await run()).written);
  // A file that could not be opened has a page without a link to it.
  const names = [...written.keys()].map((path) => path.replace("/out/", ""))
    .filter((name) => name !== "no.html");
  const [root = "", ...agents] = names.slice(0, -3);
  assertEquals(names.slice(-3), ["index-2.html", "index-3.html", "index.html"]);
  const index = withoutData(`${written.get("/out/index.html")}`);
  const pages = [...written.values()].slice(0, -1);
  for (const page of [...pages, index.page]) {
    assertSound(page, names);
    assertAlone(page);
    assert(!page.includes("abc123def"));
  }
  // Agents follow the thread that spawned them; each page of the two links to the other.
  const list = contentOf(index.page, "ol");
  assertEquals(
    [...list.matchAll(/<li class="d(\d)">[^]*?href="([^"]*)"/g)]
      .map(([, depth, page]) => [depth, page]),
    [
      ["0", root],
      ...agents.map((page) => ["1", page]),
      ["0", "index-3.html"],
      ["0", "index-2.html"],
    ],
  );
  const hrefsOf = (name: string): string[] =>
    [...`${written.get(`/out/${name}`)}`.matchAll(/<a href="([^"#][^"]*)"/g)]
      .map(([, href = ""]) => href);
  assertEquals(hrefsOf(root).sort(), [...agents, "index.html"].sort());
  for (const page of agents) assertEquals(hrefsOf(page), [root, "index.html"]);
  assertMatch(list, />Sub-agent \/root\/inspect_repo in proj</);
  assertMatch(list, /✓ done/);
  assertMatch(index.page, /<rect class="m0"/);
  assertMatch(JSON.stringify(index.data), /"codex session api_token redacted/);
});

Deno.test("render --to=site finds the sessions of a home that were archived after they were listed", async () => {
  await withFolder(async (home) => {
    const started = "2026-11-20T10:00:00.000Z";
    const ids = [testId(1), testId(2), testId(3)];
    for (const id of ids) {
      const text = sessionText({ id, started, message: `Ask ${id}` });
      await writeFile(sessionPath(home, id, started), text);
    }
    const archive = async (): Promise<void> => {
      const folder = `${home}/archived_sessions`;
      if (await Deno.stat(folder).catch(() => undefined)) return;
      await Deno.mkdir(folder);
      for (const id of ids) {
        const path = sessionPath(home, id, started);
        await Deno.rename(path, `${folder}/${basename(path)}`);
      }
    };
    const pages = new Sink();
    const { status, stderr } = await call(
      ["render", "--to=site", `--codex-home=${home}`, "-o", "/out"],
      {
        directories: ["/out"],
        created: {
          async write(bytes): Promise<number> {
            await archive();
            return await pages.write(bytes);
          },
        },
      },
    );
    assertEquals([status, stderr], [0, ""]);
    for (const id of ids) assertStringIncludes(pages.text, `Ask ${id}`);
  });
});

for (
  const { args, lengths, expected, onPages } of [
    {
      // A turn longer than a page; `lengths` are those of the messages of each turn.
      args: ["-o", "/out/run.html"],
      lengths: [Array(66).fill(130_000), [1]],
      expected: ["run.html", "run.2.html"],
      onPages: [64, 3],
    },
    {
      // A turn that begins on the next page, and another session with the name of that page.
      args: ["--to=site", "-o", "/out", "/run.2.jsonl"],
      lengths: [[6_000_000], [1]],
      expected: ["run.html", "run.-2.html", "run.2.html", "index.html"],
      onPages: [1, 1],
    },
  ]
) {
  Deno.test(`render ${args.join(" ")} writes a long session as several pages`, async () => {
    const thread = '{"type":"thread.started","thread_id":"t"}\n';
    const turns = lengths.map((ofTurn, turn) => {
      const lines = ofTurn.map((length, i) =>
        `{"type":"item.completed","item":{"id":"item_${turn}-${i}","type":"agent_message","text":"said${
          " ".repeat(length)
        }."}}\n`
      );
      return `{"type":"turn.started"}\n${
        lines.join("")
      }{"type":"turn.completed"}\n`;
    });
    const { status, stderr, written } = await call(
      ["render", "/run.jsonl", ...args, "--no-redact"],
      {
        files: {
          "/run.jsonl": thread + turns.join(""),
          "/run.2.jsonl": thread,
        },
        directories: ["/out"],
      },
    );
    assertEquals([status, stderr], [0, ""]);
    const names = [...written.keys()].map((path) => path.replace("/out/", ""));
    assertEquals(names, expected);
    const pages = [...written.values()].slice(0, 2)
      .map((page) => page.replaceAll(" ".repeat(1000), ""));
    for (const page of pages) assertSound(page, names);
    assertEquals(
      pages.map((page) => page.match(/<p>said/g)?.length),
      onPages,
    );
    assertEquals(
      pages.map((page) => contentOf(page, "h1")),
      ["Codex session", "Codex session (page 2)"],
    );
    const ids = pages.flatMap((page) =>
      [...page.matchAll(/<article[^>]* id="([^"]*)"/g)].map(([, id]) => id)
    );
    assertEquals(
      ids,
      lengths.flatMap((ofTurn, turn) =>
        ofTurn.map((_, i) => `turn-${turn + 1}-${i + 1}`)
      ),
    );
  });
}

const REFUSED = [
  { args: ["--to=pdf"], message: '--to cannot be "pdf": ' },
  { args: ["-o", "a", "a"], message: "--output would overwrite a" },
  { args: ["-o", "./a", "a"], message: "--output would overwrite a" },
  {
    args: ["-o", "s/rollout-x.jsonl", "a"],
    message:
      "--output would overwrite s/rollout-x.jsonl, a session file: name another file",
  },
  {
    args: ["-o", "s/rollout-x.json", "a"],
    message: "--output would overwrite s/rollout-x.json, a session file",
  },
  {
    args: ["-o", "link.html", "a"],
    message: "--output would overwrite link.html, a session file",
  },
  { args: ["-o", "./b", "a", "-"], message: "--output would overwrite ./b" },
  {
    args: ["-o", "x", "--errors-to=./x"],
    message: "--output and --errors-to name the same file",
  },
  { args: ["--follow", "a", "b"], message: "--follow takes one file" },
  { args: ["--max-output-lines=-1"], message: "--max-output-lines" },
  { args: ["--redact-pattern=("], message: "--redact-pattern" },
  {
    args: ["--to=site", "/a"],
    message: "--to=site needs --output=DIR, a folder\n",
  },
  {
    args: ["--to=site", "-o", "/a", "/a"],
    message: "--output: /a is not a folder\n",
  },
  {
    args: ["--to=site", "-o", "/out", "-"],
    message: "--to=site reads files or, with --home, a Codex home\n",
  },
  {
    args: ["--to=site", "-o", "/out", "--follow", "/a"],
    message: "--follow has no effect with --to=site\n",
  },
  { args: ["--home"], message: "--home has no effect without --to=site\n" },
  {
    args: ["--codex-home=/out", "/a"],
    message: "--codex-home has no effect without --to=site or --family\n",
  },
  {
    args: ["--images", "/a"],
    message: "--images has no effect without --to=html\n",
  },
];

for (const { args, message } of REFUSED) {
  Deno.test(`render refuses ${args.join(" ")}`, async () => {
    const { status, stderr, written } = await call(["render", ...args], {
      files: {
        ...{ a: SESSION, "./a": SESSION, b: SESSION, "./b": SESSION },
        "s/rollout-x.jsonl": SESSION,
        "s/rollout-x.json": "{}",
        "link.html": SESSION,
        "/a": "",
      },
      directories: ["/out"],
      links: { "link.html": "s/rollout-x.jsonl" },
      stdinIdentity: "b",
    });
    assertEquals([status, written.size], [2, 0]);
    assert(stderr.startsWith(`codexpipe: ${message}`), stderr);
  });
}
