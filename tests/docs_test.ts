/** The README and the docs: they name what there is. */

import { assertEquals } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { flagsOf } from "../lib/cli/command.ts";
import { COMMANDS, COMMON_FLAGS } from "../lib/cli/commands.ts";
import { JSON_SCHEMA_NAMES } from "../lib/schema_names.ts";
import { call } from "./cli/memory.ts";
import type { World } from "./cli/world.ts";

const ROOT = new URL("../", import.meta.url);
const readme = await Deno.readTextFile(new URL("README.md", ROOT));

/** The README's list of commands: the options by the command. */
const rows = new Map(
  [...readme.matchAll(/^- \*\*([a-z ]+)\*\*: ([^]*?)(?=\n- \*\*|\n\n)/gm)]
    .map(([, name = "", options = ""]) => [
      name,
      [...options.matchAll(/`(?:-(\w)\/)?--([a-z-]+)`/g)]
        .map(([, short, name]) => [short, name]),
    ]),
);

for (const command of COMMANDS) {
  Deno.test(`the README has the options of codexpipe ${command.name}, in order`, () => {
    assertEquals(
      rows.get(command.name),
      flagsOf(command).map((
        { name, short }: { readonly name: string; readonly short?: string },
      ) => [short, name]),
    );
  });
}

Deno.test("the README names no command that is none, and the options of all", () => {
  const names = COMMANDS.map(({ name }) => name);
  assertEquals([...rows.keys()], names);
  for (const name of COMMON_FLAGS) {
    assertEquals(readme.includes(`--${name}`), true, name);
  }
});

Deno.test("the help of schema says of every schema what it is of", () => {
  const { details } = COMMANDS.find(({ name }) => name === "schema") ?? {};
  const said = new Set(details?.match(/\w+(?=(?:, \w+)*: )/g));
  assertEquals(JSON_SCHEMA_NAMES.filter((name) => !said.has(name)), []);
});

Deno.test("the README names every entry point", () => {
  const missing = Object.keys(config.exports).filter((name) =>
    name !== "." && !readme.includes(`\`${name.slice(1)}\``)
  );
  assertEquals(missing, []);
});

Deno.test("links in the README and the docs lead to files", async () => {
  const broken: string[] = [];
  for (
    const page of [
      "README.md",
      "CHANGELOG.md",
      "docs/cookbook.md",
      "docs/usage.md",
    ]
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

/** What pages show of the command, and what it then reads. */
const SESSIONS: readonly {
  readonly page: string;
  readonly line: string;
  readonly args: readonly string[];
  readonly reads: () => Promise<World>;
}[] = [
  {
    page: "README.md",
    line: "codexpipe check run.jsonl",
    args: ["check", "run.jsonl"],
    reads: () => fileOf("run.jsonl", "0.169.0/fail400/stdout.jsonl"),
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

/** A file with the first lines of a capture. */
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
  Deno.test(`${page} shows what is printed by ${line}`, async () => {
    const text = await Deno.readTextFile(new URL(page, ROOT));
    const [, shown = ""] = text.split(`\n$ ${line}\n`);
    const { stdout, stderr } = await call(args, await reads());
    assertEquals(shown.split(/^(?:\$ |```)/m, 1)[0], stdout + stderr);
  });
}
