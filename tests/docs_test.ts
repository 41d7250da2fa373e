/** The README and the docs: they name what there is. */

import { assertEquals } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { flagsOf } from "../lib/cli/command.ts";
import { COMMANDS, COMMON_FLAGS } from "../lib/cli/commands.ts";

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
