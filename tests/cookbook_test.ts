/** Runs the recipes of the docs as they are printed. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { shellWord } from "../lib/dialects/exec/command_line.ts";
import { COMMAND_WORDS } from "./cli/process.ts";
import { hasProgram, programTest, type Ran, runProgram } from "./programs.ts";
import { once } from "./running.ts";
import { withFolder } from "./sessions/homes.ts";

const ROOT = new URL("../", import.meta.url);
const CAPTURES = new URL("testdata/captures/0.169.0/", ROOT);

/** A block of code under a heading. */
interface Block {
  readonly heading: string;
  readonly language: string;
  readonly code: string;
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  for (const section of text.split(/^## /m).slice(1)) {
    const heading = section.slice(0, section.indexOf("\n"));
    for (
      const [, language = "", code = ""] of section.matchAll(
        /^```(\w+)[^\n]*\n([^]*?)^```$/gm,
      )
    ) {
      blocks.push({ heading, language, code });
    }
  }
  return blocks;
}

/** The pages with recipes; all headings are different. */
const PAGES = ["docs/cookbook.md", "docs/coming-from.md", "docs/fleet.md"];

const texts = await Promise.all(
  PAGES.map((page) => Deno.readTextFile(new URL(page, ROOT))),
);
const blocks = texts.flatMap(blocksOf);

/** The checks of the recipes in shell, one for each block. */
const RECIPES: readonly {
  readonly heading: string;
  /** The programs that its blocks need besides a shell. */
  readonly programs?: readonly string[];
  /** The name of an empty file to put among the sessions. */
  readonly empty?: string;
  /** Whether a receiver of traces runs meanwhile. */
  readonly isReceived?: boolean;
  /** The check of each block. */
  readonly checks:
    readonly ((ran: Ran, folder: string) => Promise<void> | void)[];
}[] = [
  {
    heading: "Watch a run live",
    checks: [prints("$ echo out-line; echo err-line 1>&2")],
  },
  {
    heading: "Normalize a stream for your own program",
    checks: [writes("events.jsonl", '"type":"thread.started"')],
  },
  { heading: "Fail a CI job if the turn failed", checks: [ends] },
  { heading: "Extract the answer from a log", checks: [prints("\n")] },
  {
    heading: "Query a log with jq",
    programs: ["jq"],
    checks: [prints("127\t"), prints("\n")],
  },
  {
    heading: "Query many logs with DuckDB",
    programs: ["duckdb"],
    checks: [prints("command_execution")],
  },
  { heading: "Count tokens", checks: [prints("model")] },
  {
    heading: "See sessions in a tracing backend",
    programs: ["curl"],
    isReceived: true,
    checks: [writes("received.txt", "invoke_agent codex, chat")],
  },
  {
    heading: "Export sessions as trajectories",
    programs: ["jq"],
    checks: [prints("Done with the flaky test.")],
  },
  {
    heading: "Detect changes in the output of Codex",
    checks: [ends, writes("baseline.json", '"turn.completed"')],
  },
  {
    heading: "Validate a log with the schemas",
    checks: [({ stderr }) => assertStringIncludes(stderr, "passed")],
  },
  {
    heading: "Process many files in parallel",
    programs: ["parallel"],
    checks: [
      prints("Total"),
      writes("logs/a.normalized", '"type":"thread.started"'),
      writes("logs/b.jsonl.normalized", '"type":"thread.started"'),
    ],
  },
  {
    heading: "Write one line for each input line",
    checks: [prints('"type":"thread.started"')],
  },
  {
    heading: "Share a session",
    checks: [
      writes("session.html", "<!doctype html>"),
      writes("shared.jsonl", '"type":"thread.started"'),
    ],
  },
  { heading: "Find an old session", checks: [prints("Name the session")] },
  {
    heading: "Find sessions that Codex does not show",
    programs: ["jq"],
    empty: "rollout-2026-11-20T15-40-02-01a1f985-0000-7000-8000-000000000002",
    checks: [writes("hidden.tsv", "refused\t/")],
  },
  {
    heading: "See which sessions take disk space",
    programs: ["jq"],
    checks: [writes("content.csv", "messages,1,")],
  },
  {
    heading: "Repair a session that Codex refuses",
    checks: [prints("/repaired/rollout-")],
  },
  {
    heading: "Follow the current session",
    checks: [prints("Done with the flaky test.")],
  },
  {
    heading: "Tokens by day, session and model",
    checks: [writes("tokens.json", '"groups"')],
  },
  { heading: "Tokens of one run", checks: [prints("9,600")] },
  { heading: "The last message of a log", checks: [prints("some failed")] },
  {
    heading: "A filter that works for every release",
    programs: ["jq"],
    checks: [prints("nonexistent-dir-xyz")],
  },
  {
    heading: "A search in old sessions",
    programs: ["jq"],
    checks: [writes("found.txt", "01a1f985-0000-7000-8000-000000000001")],
  },
  {
    heading: "A session in a pager",
    checks: [writes("run.txt", "$ echo out-line")],
  },
  {
    heading: "The newest sessions",
    checks: [prints("codex resume 01a1f985-0000")],
  },
  {
    heading: "A live view of a session",
    checks: [prints("Done with the flaky test.")],
  },
  {
    heading: "Divide, and run a shard",
    checks: [writes("shards.txt", "/rollout-"), writesShard],
  },
  {
    heading: "Shards with GNU parallel",
    programs: ["parallel"],
    checks: [writesShard],
  },
  {
    heading: "Lines with Redpanda Connect",
    programs: ["connect"],
    checks: [writes("normalized.jsonl", '"type":"thread.started"')],
  },
];

function ends(): void {}

function prints(text: string): (ran: Ran) => void {
  return ({ stdout }) =>
    assertStringIncludes(stdout.toLowerCase(), text.toLowerCase());
}

function writes(
  path: string,
  text: string,
): (ran: Ran, folder: string) => Promise<void> {
  return async (_ran, folder) => {
    const written = await Deno.readTextFile(`${folder}/${path}`);
    assertStringIncludes(written.toLowerCase(), text.toLowerCase());
  };
}

/** Checks the folder of a shard, whose name the shard prints. */
async function writesShard(ran: Ran, folder: string): Promise<void> {
  const path = `out/${ran.stdout.trim()}/threads.jsonl`;
  await writes(path, "01a1f985-0000-7000-8000-000000000001")(ran, folder);
  assertEquals(
    (await Array.fromAsync(Deno.readDir(`${folder}/out`))).length,
    1,
  );
}

/** Calls `use` with a folder of the files that recipes read, and with the command on the path. */
async function withKitchen(
  use: (folder: string, env: Record<string, string>) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const log = await Deno.readFile(
      new URL("shellmany/stdout.jsonl", CAPTURES),
    );
    await Deno.mkdir(`${folder}/bin`);
    await Deno.mkdir(`${folder}/logs`);
    for (const path of ["run.jsonl", "logs/a.jsonl", "logs/b.jsonl"]) {
      await Deno.writeFile(`${folder}/${path}`, log);
    }
    const tools = new URL("tools/fleet/", ROOT);
    await Deno.mkdir(`${folder}/tools/fleet`, { recursive: true });
    for (const name of ["shard.sh", "connect.yaml"]) {
      await Deno.copyFile(
        new URL(name, tools),
        `${folder}/tools/fleet/${name}`,
      );
    }
    const day = `${folder}/home/sessions/2026/11/20`;
    await Deno.mkdir(day, { recursive: true });
    const name =
      "rollout-2026-11-20T15-40-01-01a1f985-0000-7000-8000-000000000001.jsonl";
    await Deno.writeTextFile(`${day}/${name}`, SESSION);
    await script(`${folder}/bin/codexpipe`, COMMAND_WORDS, '"$@"');
    await script(`${folder}/bin/codex`, ["cat", `${folder}/logs/a.jsonl`]);
    await use(folder, {
      PATH: `${folder}/bin:${await pathOf()}`,
      CODEX_HOME: `${folder}/home`,
      XDG_CACHE_HOME: `${folder}/cache`,
      // Deno itself keeps using its own cache.
      DENO_DIR: await denoDir(),
      NO_COLOR: "1",
    });
  });
}

const SESSION = [
  '{"timestamp":"2026-11-20T15:40:01.000Z","type":"session_meta","payload":{"id":"01a1f985-0000-7000-8000-000000000001","timestamp":"2026-11-20T15:40:01.000Z","cwd":"/demo","originator":"codex_cli_rs","cli_version":"0.169.0","source":"cli"}}',
  '{"timestamp":"2026-11-20T15:40:02.000Z","type":"event_msg","payload":{"type":"user_message","message":"Name the session: flaky test","kind":"plain"}}',
  '{"timestamp":"2026-11-20T15:40:03.000Z","type":"event_msg","payload":{"type":"agent_message","message":"Done with the flaky test."}}',
  '{"timestamp":"2026-11-20T15:40:03.500Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"cached_input_tokens":0,"output_tokens":3,"reasoning_output_tokens":0,"total_tokens":12},"last_token_usage":{"input_tokens":9,"cached_input_tokens":0,"output_tokens":3,"reasoning_output_tokens":0,"total_tokens":12}}}}',
  '{"timestamp":"2026-11-20T15:40:04.000Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"1","last_agent_message":"Done with the flaky test."}}',
  "",
].join("\n");

async function script(
  path: string,
  words: readonly string[],
  args = "",
): Promise<void> {
  const text = `#!/bin/sh\nexec ${words.map(shellWord).join(" ")} ${args}\n`;
  await Deno.writeTextFile(path, text, { mode: 0o755 });
}

/** The variable PATH, which tests have no permission to read. */
const pathOf = once(async () => {
  const { stdout } = await runProgram("bash", { args: ["-c", 'echo "$PATH"'] });
  return stdout.trim();
});

/** The folder of Deno's cache. */
const denoDir = once(async () => {
  const { stdout } = await runProgram(Deno.execPath(), {
    args: ["info", "--json"],
  });
  return JSON.parse(stdout).denoDir;
});

/** Registers a test of a recipe in bash, which may run any program on the path. */
async function recipeTest(
  name: string,
  programs: readonly string[],
  use: (folder: string, env: Record<string, string>) => Promise<void>,
): Promise<void> {
  const missing: string[] = [];
  for (const program of await hasProgram("bash") ? programs : []) {
    const args = ["-c", `command -v ${program}`];
    const { status } = await runProgram("bash", { args });
    if (status !== 0) missing.push(`no ${program}`);
  }
  const run = (): Promise<void> => withKitchen(use);
  await programTest(name, ["bash"], run, missing.join(", "));
}

/** Starts a receiver of traces, in the place of a collector. */
async function receiver(
  folder: string,
): Promise<AsyncDisposable & { address: string }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-net=127.0.0.1",
      `--allow-write=${folder}`,
      new URL("tests/export/otlp_receiver.ts", ROOT).href,
      `${folder}/received.txt`,
    ],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await lines.read();
  return {
    address: value.trim(),
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill();
      await lines.cancel();
      await child.status;
    },
  };
}

for (const { heading, programs = [], empty, isReceived, checks } of RECIPES) {
  await recipeTest(
    `the recipe works: ${heading}`,
    programs,
    async (folder, env) => {
      if (empty !== undefined) {
        await Deno.writeTextFile(`${folder}/home/sessions/${empty}.jsonl`, "");
      }
      await using taking = isReceived === true
        ? await receiver(folder)
        : undefined;
      const recipe = blocks.filter((block) =>
        block.heading === heading && block.language === "sh"
      );
      assertEquals(recipe.length, checks.length, heading);
      for (const [i, { code }] of recipe.entries()) {
        const ran = await runProgram("bash", {
          args: ["-eu", "-o", "pipefail", "-c", code],
          cwd: folder,
          env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: taking?.address ?? "" },
        });
        // Only verdicts, counts of masked secrets, and reports of success may be on stderr.
        const complaints = ran.stderr.split("\n").filter((line) =>
          line !== "" &&
          !/^codexpipe: (?:passed|masked|nothing new|baseline\.json: baseline of|.*: \d+ lines, nothing was left out)/
            .test(line)
        );
        assertEquals([ran.status, complaints], [0, []], code);
        await checks[i]?.(ran, folder);
      }
    },
  );
}

await recipeTest(
  "the recipe finds every command that failed",
  ["jq"],
  async (folder, env) => {
    const recipe = blocks.find(({ heading }) =>
      heading === "Query a log with jq"
    );
    // Before 0.142, a command that was killed has the exit status -1.
    const log = new URL("../0.104.0/shellmany/stdout.jsonl", CAPTURES);
    await Deno.copyFile(log, `${folder}/run.jsonl`);
    const { stdout } = await runProgram("bash", {
      args: ["-euc", recipe?.code ?? ""],
      cwd: folder,
      env,
    });
    assertEquals(
      stdout.split("\n").map((line) => line.split("\t", 1)[0]),
      ["3", "1", "127", "-1", ""],
    );
  },
);

await recipeTest(
  "the recipe works: Read events in a program",
  [],
  async (folder, env) => {
    const program = blocks.find(({ language }) => language === "ts");
    assert(program !== undefined);
    assert(program.code.trim().split("\n").length <= 15);
    await Deno.writeTextFile(`${folder}/program.ts`, program.code);
    await importMap(folder);
    const { status, stdout, stderr } = await runProgram(Deno.execPath(), {
      args: ["run", "--allow-run", "program.ts"],
      cwd: folder,
      env,
    });
    assertEquals([status, stderr], [0, ""]);
    assertStringIncludes(stdout, "command_execution {");
  },
);

const CHROMIUM = ["chromium", "chromium-browser", "google-chrome"];
const browsers: string[] = [];
for (const name of CHROMIUM) if (await hasProgram(name)) browsers.push(name);
const [browser = "chromium"] = browsers;

await programTest(
  "the recipe works: Read a log in a web page",
  [browser],
  () =>
    withKitchen(async (folder, env) => {
      const page = blocks.find(({ language }) => language === "js");
      const [bundle] = blocks.filter(({ heading, language }) =>
        heading === page?.heading && language === "sh"
      );
      assert(page !== undefined && bundle !== undefined);
      const log = await Deno.readTextFile(`${folder}/run.jsonl`);
      await Deno.writeTextFile(
        `${folder}/page.mjs`,
        `${page.code}\nconst log = ${JSON.stringify(log)};\n` +
          "const records = recordsOf(new TextEncoder().encode(log));\n" +
          'document.body.textContent = records.length + " records";\n',
      );
      await importMap(folder);
      await script(`${folder}/bin/deno`, [Deno.execPath()], '"$@"');
      const bundled = await runProgram("bash", {
        args: ["-euc", bundle.code],
        cwd: folder,
        env,
      });
      assertEquals(bundled.status, 0, bundled.stderr);
      const code = await Deno.readTextFile(`${folder}/page.js`);
      await Deno.writeTextFile(
        `${folder}/page.html`,
        `<!doctype html><body><script type="module">${
          code.replaceAll("</script", "<\\/script")
        }</script>`,
      );
      const { stdout } = await runProgram(browser, {
        args: [
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          `--user-data-dir=${folder}/profile`,
          "--dump-dom",
          `file://${folder}/page.html`,
        ],
      });
      assert(/<body>[1-9]\d* records/.test(stdout), stdout.slice(-200));
    }),
);

Deno.test("every recipe of the cookbook is tested", () => {
  const headings = new Set(
    blocks.filter(({ language }) => language !== "yaml")
      .map(({ heading }) => heading),
  );
  const tested = [
    ...RECIPES.map(({ heading }) => heading),
    "Read events in a program",
    "Read a log in a web page",
  ];
  assertEquals([...headings].sort(), tested.sort());
});

/** Writes an import map, so that programs in a folder can import the library by its name. */
async function importMap(folder: string): Promise<void> {
  const imports = Object.fromEntries(
    Object.entries(config.exports).map(([name, path]) => [
      config.name + name.slice(1),
      new URL(path, ROOT).href,
    ]),
  );
  await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify({ imports }));
}
