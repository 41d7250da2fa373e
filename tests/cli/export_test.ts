import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TABLE_NAMES } from "../../lib/export/export.ts";
import { withFolder } from "../sessions/homes.ts";
import { FAMILY } from "./families.ts";
import { call, platformError } from "./memory.ts";

const LOG = '{"type":"thread.started","thread_id":"t"}\n' +
  '{"type":"turn.started"}\n' +
  '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"API_TOKEN=abc123def"}}\n' +
  '{"type":"turn.completed","usage":{"input_tokens":1200,"output_tokens":60}}\n';

Deno.test("codexpipe export writes a document for each file, without secrets", async () => {
  const files = { "/a.jsonl": LOG, "/b.jsonl": LOG };
  const { status, stdout, stderr } = await call(
    ["export", "--to=atif", "/a.jsonl", "/b.jsonl"],
    { files },
  );
  const messages = stdout.trimEnd().split("\n").map((line) =>
    JSON.parse(line).steps[0].message
  );
  assertEquals(messages, Array(2).fill("API_TOKEN=[redacted:token]"));
  assertEquals([status, stderr], [
    0,
    "codexpipe: masked 2 secrets: token 2\n",
  ]);
});

Deno.test("codexpipe export -o writes a file for each input into a folder", async () => {
  const { status, stdout, written } = await call(
    ["export", "--to=atif", "-o", "/out", "/a.jsonl", "/b/a.jsonl"],
    { files: { "/a.jsonl": LOG, "/b/a.jsonl": LOG }, directories: ["/out"] },
  );
  assertEquals([status, stdout], [0, ""]);
  assertEquals(
    [...written].map(([path, text]) => [path, text.endsWith("}\n")]),
    [
      ["/out/a.atif.json", true],
      ["/out/a-2.atif.json", true],
    ],
  );
});

for (const to of ["atif", "otlp", "tables"]) {
  Deno.test(`codexpipe export --to=${to} -o overwrites what it wrote of a session file before`, async () => {
    const [path = ""] = Object.keys(FAMILY);
    const args = ["export", `--to=${to}`, "-o", "/out", path];
    const world = { files: FAMILY, directories: ["/out"] };
    const first = await call(args, world);
    const again = await call(args, {
      ...world,
      files: { ...FAMILY, ...Object.fromEntries(first.written) },
    });
    assertEquals([first.status, again.status, again.stderr], [0, 0, ""]);
    assertEquals(again.written, first.written);
  });
}

for (const to of ["atif", "tables"]) {
  Deno.test(`codexpipe export --to=${to} -o shows its progress on a terminal`, async () => {
    const inputs = Array.from({ length: 9 }, (_, i) => `/run${i}.jsonl`);
    let time = 0;
    const { stderr } = await call(
      ["export", `--to=${to}`, "-q", "-o", "/out", ...inputs],
      {
        files: Object.fromEntries(inputs.map((path) => [path, LOG])),
        directories: ["/out"],
        terminals: ["stdout", "stderr"],
        now: () => time += 200,
      },
    );
    assertStringIncludes(stderr, "\r\x1b[2KExporting: 8 of 9 files");
    assert(stderr.endsWith("\r\x1b[2K"), JSON.stringify(stderr));
  });
}

Deno.test("codexpipe export does not look at every input again for each existing file", async () => {
  const stems = Array.from({ length: 40 }, (_, i) => `run${i}`);
  const inputs = stems.map((stem) => `/${stem}.jsonl`);
  const there = stems.map((stem) => `/out/${stem}.atif.json`);
  let looks = 0;
  const files = new Proxy(
    Object.fromEntries([...inputs, ...there].map((path) => [path, LOG])),
    { get: (...target) => (looks += 1, Reflect.get(...target)) },
  );
  const { status, written } = await call(
    ["export", "--to=atif", "-o", "/out", ...inputs],
    { files, directories: ["/out"] },
  );
  assertEquals([status, written.size], [0, stems.length]);
  assertEquals(looks < 20 * stems.length, true, `${looks} looks`);
});

for (
  const args of [
    ["export", "--to=otlp", "--errors-to=/srv/codex/x"],
    ["export", "--to=otlp", "-o", "/srv/codex/x"],
    ["drift", "--write-baseline=/srv/codex/x"],
  ]
) {
  Deno.test(`codexpipe ${args.join(" ")} does not write into the home of --codex-home`, async () => {
    const { status, stderr, written } = await call(
      [...args, "--codex-home=/srv/codex"],
    );
    assertEquals([status, written.size], [2, 0]);
    assertStringIncludes(
      stderr,
      "would write /srv/codex/x into the Codex home /srv/codex, which is only read",
    );
  });
}

for (const form of [["export", "--to=atif"], ["render", "--to=site"]]) {
  Deno.test(`codexpipe ${form.join(" ")} can be interrupted while it reads the heads of its inputs`, async () => {
    const inputs = Array.from({ length: 40 }, (_, i) => `/run${i}.jsonl`);
    const interrupt = new AbortController();
    let looks = 0;
    const files = new Proxy(
      Object.fromEntries(inputs.map((path) => [path, LOG])),
      {
        get(...target) {
          looks += 1;
          // Before, the command looks whether an input is a folder.
          if (looks > inputs.length) interrupt.abort();
          return Reflect.get(...target);
        },
      },
    );
    const { status } = await call(
      [...form, "-o", "/out", ...inputs],
      { files, directories: ["/out"], interrupt: interrupt.signal },
    );
    assertEquals(status, 130);
    assert(looks < inputs.length + 5, `${looks} looks`);
  });
}

for (const count of [1, 3]) {
  Deno.test(`codexpipe export puts agents into their parents, with ${count} of 3 files as operands`, async () => {
    // The agents come before their parent.
    const paths = Object.keys(FAMILY).slice(0, count).reverse();
    const { stdout, status } = await call(["export", "--to=atif", ...paths], {
      files: FAMILY,
    });
    const [root, ...more] = stdout.trimEnd().split("\n");
    const { subagent_trajectories } = JSON.parse(root ?? "");
    assertEquals([status, more.length, subagent_trajectories.length], [
      0,
      0,
      2,
    ]);
  });
}

Deno.test("codexpipe export puts a copy of an agent's file into a document of its own", async () => {
  const { stdout } = await withFolder(async (folder) => {
    const [, [path = "", content = new Uint8Array()] = []] = Object.entries(
      FAMILY,
    );
    const copy = path.replace(/.*(?=rollout)/, `${folder}/`);
    await Deno.writeFile(copy, content);
    return await call(
      ["export", "--to=atif", ...Object.keys(FAMILY), copy],
      { files: { ...FAMILY, [copy]: content } },
    );
  });
  const agents = stdout.trimEnd().split("\n").map((line) =>
    JSON.parse(line).subagent_trajectories?.length
  );
  assertEquals(agents, [2, undefined]);
});

Deno.test("codexpipe export reports unreadable files, and files with nothing to export", async () => {
  const files = { "/a": '{"type":"thread.started","thread_id":"t"}\n{\n' };
  const { status, stdout, stderr } = await call(
    ["export", "--to=atif", "--strict", "/a", "/none"],
    { files },
  );
  assertEquals([status, stdout], [3, ""]);
  assertEquals(stderr.split("\n").map((line) => line.slice(0, 30)), [
    "codexpipe: /a:2: json: Cannot ",
    "codexpipe: /a: nothing in it t",
    "codexpipe: /none: cannot open:",
    "",
  ]);
});

const REFUSED = [
  { args: [], words: "export needs a format: --to=atif" },
  {
    args: ["--to=atif", "--content"],
    words: "--content has no effect with --to=atif",
  },
  {
    args: ["--to=atif", "-o", "/file"],
    words: "--output: /file is not a folder",
  },
  {
    args: ["--to=tables"],
    words: "--to=tables needs --table=NAME (threads, turns, items, tool_calls",
  },
];

for (const { args, words } of REFUSED) {
  Deno.test(`codexpipe export refuses: ${words}`, async () => {
    const { status, stderr } = await call(["export", ...args], {
      stdin: LOG,
      files: { "/file": "" },
    });
    assertEquals([status, stderr.includes(words)], [2, true], stderr);
  });
}

Deno.test("codexpipe export creates the folder of --output, or reports the error", async () => {
  const args = ["export", "--to=tables", "-o", "/new/folder"];
  // With a folder of its own it runs in memory: a process would write to the root.
  const { status, written } = await call(args, { stdin: LOG, cwd: "/" });
  assertEquals(status, 0);
  assert(written.has("/new/folder/turns.jsonl"));
  const denied = { stdin: LOG, createError: platformError("EACCES") };
  const refused = await call(args, denied);
  assertEquals([refused.status, refused.stderr], [
    3,
    "codexpipe: /new/folder: cannot create: permission denied\n",
  ]);
});

/** A session file with times. */
const SESSION =
  '{"timestamp":"2026-11-20T15:40:01.000Z","type":"session_meta","payload":{"id":"t","timestamp":"2026-11-20T15:40:00.000Z"}}\n' +
  '{"timestamp":"2026-11-20T15:40:02.000Z","type":"event_msg","payload":{"type":"task_started","turn_id":"u"}}\n' +
  '{"timestamp":"2026-11-20T15:40:04.000Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"u","last_agent_message":"Hi"}}\n';

Deno.test("codexpipe export --to=otlp leaves out a run without times, and reports it", async () => {
  const files = { "/run.jsonl": LOG, "/rollout.jsonl": SESSION };
  const { status, stdout, stderr } = await call(
    ["export", "--to=otlp", "/run.jsonl", "/rollout.jsonl"],
    { files },
  );
  assertEquals(stdout.match(/"name":"invoke_agent codex"/g)?.length, 1);
  assertEquals([status, stderr], [
    3,
    "codexpipe: /run.jsonl: left out: it has no times: export a session file that does, or a run as it happens, with --stamp\n",
  ]);
});

Deno.test("codexpipe export --to=tables reports an input without rows, and no other", async () => {
  for (const table of ["turns", "requests", "failures"]) {
    const args = ["export", "--to=tables", `--table=${table}`];
    const { stdout, stderr } = await call(args, { stdin: LOG });
    assertEquals(stdout === "", stderr.includes("nothing in it"), table);
  }
});

Deno.test("codexpipe export --to=otlp --stamp --content exports a live run, without secrets", async () => {
  const args = ["export", "--to=otlp", "--stamp", "--content"];
  const { status, stdout } = await call(args, { stdin: LOG });
  assertEquals(
    [status, stdout.includes("API_TOKEN=[redacted:token]")],
    [0, true],
    stdout,
  );
});

Deno.test("codexpipe export --to=tables writes a file for each table, with the columns of schema --format=sql", async () => {
  const { status, stderr, written } = await call(
    ["export", "--to=tables", "--format=csv", "--content", "-o", "/out"],
    { stdin: LOG, directories: ["/out"] },
  );
  assertEquals([status, stderr], [0, "codexpipe: masked 1 secret: token 1\n"]);
  const { stdout: sql } = await call(["schema", "--format=sql", "--content"]);
  for (const table of TABLE_NAMES) {
    const [header] = written.get(`/out/${table}.csv`)?.split("\r\n") ?? [];
    const [, body = ""] = sql.split(`CREATE TABLE ${table} (\n`);
    const [statement = ""] = body.split("  PRIMARY KEY");
    const columns = [...statement.matchAll(/^ {2}(\w+) [A-Z]/gm)]
      .map(([, column]) => column);
    assertEquals(header, columns.join(","));
  }
  const items = written.get("/out/items.csv") ?? "";
  assertEquals(items.includes(",API_TOKEN=[redacted:token]\r\n"), true, items);
});
