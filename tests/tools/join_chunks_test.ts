import { assertEquals, assertRejects } from "@std/assert";
import { joinChunks } from "../../tools/join_chunks.ts";
import { withFolder } from "../sessions/homes.ts";

/** A bundle whose entry always imports two chunks, and imports a third one dynamically. */
const BUNDLE = {
  "entry.js": 'import{a as run}from"./one.js";import"./two.js";run();',
  "one.js":
    'import{b}from"./two.js";let a=()=>import("./later.js");export{a,c as d};',
  "two.js": "let b=1;export{b};",
  "later.js":
    'import{d as x,a}from"./one.js";import"./two.js";import{b as y}from"./own.js";export{x as run};',
  "own.js": 'import{b}from"./two.js";export{b};',
};

/** Joins a bundle in a temporary folder; returns the texts of the files in it by name. */
async function join(
  bundle: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  return await withFolder(async (path) => {
    const folder = new URL(`file://${path.replaceAll("\\", "/")}/`);
    for (const [name, code] of Object.entries(bundle)) {
      await Deno.writeTextFile(new URL(name, folder), code);
    }
    await joinChunks(folder, "entry.js", async (entry, output, external) => {
      const code = await Deno.readTextFile(new URL(entry, folder));
      const text = `${code} // without ${external.join()}`;
      await Deno.writeTextFile(new URL(output, folder), text);
    });
    const joined: Record<string, string> = {};
    for await (const { name } of Deno.readDir(folder)) {
      joined[name] = await Deno.readTextFile(new URL(name, folder));
    }
    return joined;
  });
}

Deno.test("joinChunks() joins the chunks that are always loaded into one module", async () => {
  assertEquals(await join(BUNDLE), {
    "core.js":
      'export {a as m0_a,d as m0_d} from "./one.js";\nexport {b as m1_b} from "./two.js"; // without later.js',
    "main.js":
      'import{m0_a as run}from"./core.js";run(); // without core.js,later.js',
    "later.js":
      'import{m0_d as x,m0_a as a}from"./core.js";import{b as y}from"./own.js";export{x as run};',
    "own.js": 'import{m1_b as b}from"./core.js";export{b};',
  });
});

Deno.test("joinChunks() refuses a chunk that is imported statically and dynamically", async () => {
  const bundle = { ...BUNDLE, "two.js": 'import("./one.js");export{b};' };
  await assertRejects(
    () => join(bundle),
    Error,
    "Cannot join one.js: it is imported dynamically, too",
  );
});
