/** Follows the recipe of CONTRIBUTING.md for a new item type, with one that no release has. */

import { assert, assertEquals } from "@std/assert";
import type { Decoded } from "../lib/dialects/decoded.ts";
import type { Emit } from "../lib/stage.ts";
import type { Outcome } from "../lib/outcome.ts";
import { withFolder } from "./sessions/homes.ts";

const ROOT = new URL("../", import.meta.url);
const RECIPE_REGEXP =
  /`([^`]+\.ts)`[^`]*(?:`[^`]+`[^`]*)??\n\n```diff\n([^]*?)\n```/g;

/** Inserts the lines that begin with `+` after the line that follows `@@`. */
function edited(source: string, diff: string): string {
  for (
    const [, line, added = ""] of diff.matchAll(/^@@ (.*)\n((?:\+.*\n?)+)/gm)
  ) {
    const at = source.indexOf(`\n${line}\n`);
    assert(at !== -1, `no line is: ${line}`);
    const behind = at + `\n${line}\n`.length;
    const text = added.trimEnd().replaceAll(/^\+/gm, "");
    source = `${source.slice(0, behind)}${text}\n${source.slice(behind)}`;
  }
  return source;
}

/** Copies the modules of a folder. */
async function copy(from: URL, to: URL): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) {
      await copy(new URL(`${name}/`, from), new URL(`${name}/`, to));
    } else await Deno.copyFile(new URL(name, from), new URL(name, to));
  }
}

Deno.test("the recipe of CONTRIBUTING.md makes an item type known", async () => {
  const guide = await Deno.readTextFile(new URL("CONTRIBUTING.md", ROOT));
  await withFolder(async (folder) => {
    const root = new URL(`file://${folder.replaceAll("\\", "/")}/`);
    for (const part of ["dialects", "json", "lines", "shapes"]) {
      if (part === "dialects") await Deno.mkdir(new URL("lib/", root));
      await copy(
        new URL(`lib/${part}/`, ROOT),
        new URL(`lib/${part}/`, root),
      );
    }
    for (const file of ["checked", "errors", "outcome", "stage"]) {
      const path = `lib/${file}.ts`;
      await Deno.copyFile(new URL(path, ROOT), new URL(path, root));
    }
    const steps = [...guide.matchAll(RECIPE_REGEXP)];
    assertEquals(steps.length, 2);
    for (const [, path = "", diff = ""] of steps) {
      const file = new URL(path, root);
      const source = await Deno.readTextFile(file);
      await Deno.writeTextFile(file, edited(source, diff));
    }
    const { Normalizer } = await import(
      new URL("lib/dialects/normalizer.ts", root).href
    );
    const { decodeEvent }: { decodeEvent(text: string): Decoded<unknown> } =
      await import(new URL("lib/dialects/exec/decoder.ts", root).href);
    const outcomes: Outcome<string>[] = [];
    const stage: {
      feed(input: Outcome<string>, emit: Emit<Outcome<string>>): void;
    } = new Normalizer({ from: "exec", initialThreadId: "t" });
    const value = '{"type":"item.completed","item":{"id":"item_0",' +
      '"type":"sketch","status":"completed","drawing":"<svg/>","width":7}}';
    stage.feed(
      { ok: true, line: 1, offset: 0, value },
      (outcome) => outcomes.push(outcome),
    );
    const [first] = outcomes;
    assert(first?.ok);
    assertEquals(JSON.parse(first.value), {
      type: "item.completed",
      thread_id: "t",
      item_id: "item_0",
      status: "completed",
      item_type: "sketch",
      content: { svg: "<svg/>", width: 7 },
    });
    assert(decodeEvent(first.value).ok);
    const refused = decodeEvent(first.value.replace("7", '"wide"'));
    assertEquals(
      !refused.ok && refused.error.message,
      "Cannot decode item.completed: content.width is a string, expected a whole number",
    );
  });
});
