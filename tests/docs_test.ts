/** Tests the README and the docs: that they are complete and up to date. */

import { assert, assertEquals } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { COMMANDS } from "../lib/cli/commands.ts";
import { ITEM_CONTENTS, ITEM_DELTAS } from "../lib/dialects/exec/events.ts";
import {
  columnsOf,
  type Table,
  TABLE_NAMES,
  TABLES,
} from "../lib/export/export.ts";
import { JSON_SCHEMA_NAMES } from "../lib/schema_names.ts";
import { pagePictureOf, pictureOf } from "../tools/picture.ts";
import { REFERENCE_PAGE, referencePage } from "../tools/reference.ts";
import { call } from "./cli/memory.ts";
import type { World } from "./cli/world.ts";

const ROOT = new URL("../", import.meta.url);
const readme = await Deno.readTextFile(new URL("README.md", ROOT));

/** The pages of the docs. */
const pages = Deno.readDirSync(new URL("docs/", ROOT))
  .filter(({ name }) => name.endsWith(".md")).map(({ name }) => `docs/${name}`)
  .toArray();

/** The descriptions of commands in the README, by name. */
const rows = new Map(
  [...readme.matchAll(/^- \*\*([a-z ]+)\*\*: ([^]*?)(?=\n- \*\*|\n\n)/gm)]
    .map(([, name = "", text = ""]) => [name, text.replace(/\s+/g, " ")]),
);

Deno.test("the README has the summary of each command, in the order of the help", () => {
  assertEquals(
    [...rows],
    COMMANDS.map(({ name, summary }) => [
      name,
      summary.charAt(0).toLowerCase() + summary.slice(1),
    ]),
  );
});

const reference = new URL(REFERENCE_PAGE, ROOT);

Deno.test("docs/reference.md has every command and option of the table", async () => {
  const page = referencePage(COMMANDS);
  if (Deno.args.includes("--update")) await Deno.writeTextFile(reference, page);
  assertEquals(await Deno.readTextFile(reference), page);
});

const analytics = new URL("docs/analytics.md", ROOT);
/** The mark after which `deno task golden` writes the page. */
const MARK = "<!-- tables -->\n";

/** Returns the text of the page about the tables. */
function tablesText(): string {
  return TABLE_NAMES.map((name) => {
    const { doc, key }: Table = TABLES[name];
    const some = columnsOf(name).length;
    const rows = columnsOf(name, { content: true }).map(
      ([column, type, doc], i) => [
        `\`${column}\``,
        type.replace("?", ", or null"),
        `${doc}${i < some ? "" : "; with `--content`"}`,
      ],
    );
    const cells = [["column", "type", "meaning"], ...rows];
    const widths = [0, 1, 2].map((at) =>
      Math.max(...cells.map((row) => row[at]?.length ?? 0))
    );
    const lines = cells.map((row) =>
      `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |\n`
    );
    lines.splice(
      1,
      0,
      `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |\n`,
    );
    const keys = key.map((column) => `\`${column}\``).join(", ");
    return `\n### ${name}\n\nA row is ${doc}.\n\nThe key is ${keys}.\n\n${
      lines.join("")
    }`;
  }).join("");
}

Deno.test("docs/analytics.md has the columns of every table", async () => {
  const [text = ""] = (await Deno.readTextFile(analytics)).split(MARK);
  const page = `${text}${MARK}${tablesText()}`;
  if (Deno.args.includes("--update")) await Deno.writeTextFile(analytics, page);
  assertEquals(await Deno.readTextFile(analytics), page);
});

Deno.test("the help of schema describes every schema", () => {
  const { details } = COMMANDS.find(({ name }) => name === "schema") ?? {};
  const described = new Set(details?.match(/\w+(?=(?:, \w+)*: )/g));
  assertEquals(JSON_SCHEMA_NAMES.filter((name) => !described.has(name)), []);
});

Deno.test("the README installs the command with the permissions of its task", () => {
  const flagsIn = (text: string): string[] =>
    text.split(" ").filter((word) => /^--(?:allow|no-prompt)/.test(word));
  const install = readme.split("\n").find((line) =>
    line.startsWith("deno install --global")
  );
  assertEquals(
    flagsIn(install ?? ""),
    flagsIn(config.tasks.codexpipe.command),
  );
});

Deno.test("the README names every entry point", () => {
  const missing = Object.keys(config.exports).filter((name) =>
    name !== "." && !readme.includes(`\`${name.slice(1)}\``)
  );
  assertEquals(missing, []);
});

/** The README's list of stages: the entry points and the names of their exports. */
const exported = [...readme.matchAll(/^\| (`\w+`.*?) +\| .*→/gm)].map((
  [, cell = ""],
) => ({
  entry: `.${cell.match(/`(\/[a-z-]+)`/)?.[1] ?? ""}`,
  names: [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
}));

Deno.test("the README names only stages that their entry points export", async () => {
  const missing: string[] = [];
  for (const { entry, names } of exported) {
    const file = new Map(Object.entries(config.exports)).get(entry) ?? "";
    const module = await import(new URL(file, ROOT).href);
    missing.push(...names.filter((name) => !(name in module)));
  }
  assertEquals(missing, []);
  assertEquals(exported.length, 17);
});

/** Matches the number of a rule, as comments cite it. */
const RULE_REGEXP =
  /(?<![\w.+"#])(?:[A-D]\.\d{1,2}|[CDEJLOPRST]\d{1,2})(?![\w."]*\w)/g;

Deno.test("docs/rules.md has the rules that comments cite, and no others", async () => {
  const page = await Deno.readTextFile(new URL("docs/rules.md", ROOT));
  const listed = [...page.matchAll(/^\| ([A-Z][.\d]+) +\|/gm)]
    .map(([, rule = ""]) => rule);
  const cited = new Set<string>();
  for await (const path of modulesBelow("lib/")) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    for (const [comment] of text.matchAll(/^ *(?:\/?\*|\/\/).*$/gm)) {
      for (const [rule] of comment.matchAll(RULE_REGEXP)) cited.add(rule);
    }
  }
  assertEquals(listed.toSorted(), [...cited].toSorted());
});

async function* modulesBelow(folder: string): AsyncGenerator<string> {
  for await (
    const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))
  ) {
    if (isDirectory) yield* modulesBelow(`${folder}${name}/`);
    else if (name.endsWith(".ts")) yield `${folder}${name}`;
  }
}

Deno.test("links in the README and the docs lead to files", async () => {
  const broken: string[] = [];
  for (
    const page of ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...pages]
  ) {
    const url = new URL(page, ROOT);
    const text = await Deno.readTextFile(url);
    for (const [, target = ""] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      if (/^https?:/.test(target)) continue;
      await Deno.stat(new URL(target, url)).catch(() =>
        broken.push(`${page}: ${target}`)
      );
    }
  }
  assertEquals(broken, []);
});

Deno.test("the README leads to every page of the docs", () => {
  assertEquals(pages.filter((page) => !readme.includes(`](${page})`)), []);
});

/** The command lines that pages show with their output, and their inputs. */
const SESSIONS: readonly {
  readonly page: string;
  readonly line: string;
  readonly args: readonly string[];
  readonly reads: () => Promise<World>;
}[] = [
  {
    page: "README.md",
    line: "codexpipe check failed.jsonl",
    args: ["check", "failed.jsonl"],
    reads: () => fileOf("failed.jsonl", "0.169.0/fail400/stdout.jsonl"),
  },
  {
    page: "README.md",
    line: "codexpipe usage --by=turn run.jsonl",
    args: ["usage", "--by=turn", "run.jsonl"],
    reads: () => fileOf("run.jsonl", "0.169.0/two/stdout.jsonl"),
  },
  {
    page: "README.md",
    line: String
      .raw`printf '{"type":"session.created","session_id":"s"}\nnot JSON\n' | codexpipe normalize`,
    args: ["normalize"],
    reads: () =>
      Promise.resolve({
        stdin: '{"type":"session.created","session_id":"s"}\nnot JSON\n',
      }),
  },
  {
    page: "docs/usage.md",
    line: "codexpipe usage --explain rollout-….jsonl",
    args: ["usage", "--explain", "rollout-….jsonl"],
    reads: () =>
      fileOf(
        "rollout-….jsonl",
        "0.104.0/resume/rollout-2026-11-20T15-36-27-01a1f99a-16ac-7d20-918f-94de055f7eb7.jsonl",
        20,
      ),
  },
];

/** Returns a world with a file of the first lines of a capture. */
async function fileOf(
  name: string,
  capture: string,
  lines = Infinity,
): Promise<World> {
  const url = new URL(`testdata/captures/${capture}`, ROOT);
  const text = await Deno.readTextFile(url);
  const first = text.split(/(?<=\n)/).slice(0, lines).join("");
  return { files: { [name]: first } };
}

for (const { page, line, args, reads } of SESSIONS) {
  Deno.test(`${page} shows the output of ${line}`, async () => {
    const text = await Deno.readTextFile(new URL(page, ROOT));
    const [, shown = ""] = text.split(`\n$ ${line}\n`);
    const { stdout, stderr } = await call(args, await reads());
    assertEquals(shown.split(/^(?:\$ |```)/m, 1)[0], stdout + stderr);
  });
}

const PICTURES = [
  {
    picture: "docs/live.svg",
    capture:
      "0.169.0/reasoning/rollout-2026-11-20T15-14-13-01a1f985-bb48-70a2-8e82-9f7037d7f14b.jsonl",
    args: ["--to=text", "--color=always"],
    draw: (shown: string): string =>
      pictureOf("codexpipe rollout-2026-11-20T15-14-13.jsonl", shown),
  },
  {
    picture: "docs/page.svg",
    capture:
      "0.169.0/shellmany/rollout-2026-11-20T15-14-15-01a1f985-c360-72b2-bf8c-a7302c77096d.jsonl",
    args: ["--to=html"],
    draw: pagePictureOf,
  },
];

for (const { picture, capture, args, draw } of PICTURES) {
  Deno.test(`${picture} shows the output of render for a capture`, async () => {
    const { files = {} } = await fileOf("rollout.jsonl", capture);
    const { stdout } = await call(["render", ...args, "rollout.jsonl"], {
      files,
    });
    const file = new URL(picture, ROOT);
    if (Deno.args.includes("--update")) {
      await Deno.writeTextFile(file, draw(stdout));
    }
    assertEquals(await Deno.readTextFile(file), draw(stdout));
    assert(readme.includes(`](${picture})`), `${picture} is not shown`);
  });
}

Deno.test("docs/normalize.md shows lines and their normalized form", async () => {
  const text = await Deno.readTextFile(new URL("docs/normalize.md", ROOT));
  const [before, after] = [...text.matchAll(/^```jsonl\n([^]*?)^```$/gm)]
    .map(([, lines]) => lines);
  const { stdout, stderr } = await call(["normalize"], { stdin: before ?? "" });
  assertEquals([stdout, stderr], [after, ""]);
});

Deno.test("docs/normalize.md names the fields of every known item", async () => {
  const text = await Deno.readTextFile(new URL("docs/normalize.md", ROOT));
  const missing = [
    ...Object.entries(ITEM_CONTENTS),
    ...Object.entries(ITEM_DELTAS),
  ].flatMap(([type, { members }]) => {
    const [, cell = ""] =
      text.match(new RegExp(`^\\|[^|]*\`${type}\`[^|]*\\|([^|]*)`, "m")) ?? [];
    // `status` is a field of the event, so the table of contents does not list it.
    return members.filter(({ name }) =>
      name !== "status" && !cell.includes(`\`${name}\``)
    ).map(({ name }) => `${type}: ${name}`);
  });
  assertEquals(missing, []);
});

/** The session file that docs/render.md shows live: seconds, type and payload of each line. */
const SHOWN_LIVE: readonly (readonly [number, string, unknown])[] = [
  [16, "session_meta", {
    id: "01a1f9b7-366b-7c42-b80a-afa1f53ae0a7",
    timestamp: "2026-11-20T16:08:16.000Z",
    cwd: "/home/dev/proj",
    cli_version: "0.169.0",
  }],
  [16, "event_msg", { type: "task_started", turn_id: "t" }],
  [16, "turn_context", { turn_id: "t", model: "gpt-5.6-sol" }],
  [16, "event_msg", { type: "user_message", message: "Fix the tests" }],
  [17, "event_msg", {
    type: "agent_reasoning",
    text: "**Looking at the failures first**",
  }],
  [20, "event_msg", {
    type: "exec_command_end",
    call_id: "c1",
    turn_id: "t",
    command: ["bash", "-lc", "npm test"],
    cwd: "/home/dev/proj",
    parsed_cmd: [{ type: "unknown", cmd: "npm test" }],
    aggregated_output: [
      ...Array.from({ length: 45 }, (_, i) => `ok ${i + 1}`),
      "not ok 46 keeps the last line",
      "not ok 47 keeps a torn line",
      "ok 48",
      "2 failed, 46 passed\n",
    ].join("\n"),
    exit_code: 1,
    duration: { secs: 3, nanos: 200_000_000 },
    status: "failed",
  }],
  [21, "event_msg", {
    type: "patch_apply_end",
    call_id: "c2",
    turn_id: "t",
    stdout: "",
    stderr: "",
    success: true,
    changes: {
      "src/parse.ts": {
        type: "update",
        unified_diff: "@@ -1,2 +1,4 @@\n a\n-b\n+c\n+d\n+e\n",
        move_path: null,
      },
    },
  }],
  [22, "event_msg", {
    type: "mcp_tool_call_end",
    call_id: "c3",
    invocation: {
      server: "github",
      tool: "search_issues",
      arguments: { query: "flaky" },
    },
    duration: { secs: 0, nanos: 210_000_000 },
    result: { Ok: { content: [] } },
  }],
  [23, "response_item", {
    type: "function_call",
    name: "update_plan",
    call_id: "c4",
    arguments: JSON.stringify({
      plan: [
        { step: "Find the cause", status: "completed" },
        { step: "Mend it", status: "in_progress" },
      ],
    }),
  }],
  [24, "event_msg", {
    type: "agent_message",
    message: "The parser lost the last line.",
  }],
  [28, "event_msg", {
    type: "token_count",
    info: {
      total_token_usage: {
        input_tokens: 1234,
        cached_input_tokens: 0,
        output_tokens: 567,
        reasoning_output_tokens: 0,
        total_tokens: 1801,
      },
    },
  }],
  [28.3, "event_msg", { type: "task_complete", turn_id: "t" }],
];

Deno.test("docs/render.md shows the live view as render prints it", async () => {
  const lines = SHOWN_LIVE.map(([seconds, type, payload]) => {
    const timestamp = `2026-11-20T16:08:${seconds.toFixed(3)}Z`;
    return `${JSON.stringify({ timestamp, type, payload })}\n`;
  });
  const { stdout } = await call(["render", "--to=text", "run.jsonl"], {
    files: { "run.jsonl": lines.join("") },
  });
  const text = await Deno.readTextFile(new URL("docs/render.md", ROOT));
  const [, shown = ""] = text.split("```text\n");
  assertEquals(shown.split("```", 1)[0], stdout);
});
