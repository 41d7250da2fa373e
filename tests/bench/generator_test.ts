/** Tests that the generated inputs have the properties that the bench assumes. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { JsonlNormalizer } from "@codexpipe/codexpipe";
import { generate, type KindName, KINDS, readRuns } from "./generator.ts";
import { Flattening } from "./rivals/flatten.ts";
import { concat } from "../running.ts";

const SIZE = 300_000;
const NAMES = Object.keys(KINDS).filter((name): name is KindName =>
  Object.hasOwn(KINDS, name)
);

async function inputOf(name: KindName, seed: number): Promise<Uint8Array> {
  const runs = await readRuns(name);
  return concat([...generate(runs, { seed, size: SIZE })]);
}

function linesOf(bytes: Uint8Array): string[] {
  const lines = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    .split("\n");
  assertEquals(lines.pop(), "");
  return lines;
}

for (const name of NAMES) {
  Deno.test(`generate() makes the same input of the same seed, and another of another: ${name}`, async () => {
    const input = await inputOf(name, 1);
    assertEquals(input, await inputOf(name, 1));
    assertNotEquals(input, await inputOf(name, 2));
    assert(input.length >= SIZE);
  });

  Deno.test(`generate() makes lines that all become records, hardly any twice: ${name}`, async () => {
    const input = await inputOf(name, 1);
    const lines = linesOf(input);
    const normalizer = new JsonlNormalizer();
    normalizer.feed(input, () => {});
    assertEquals([normalizer.failures, normalizer.records], [0, lines.length]);
    // Lines that begin turns have no ids, so they are all equal.
    const withIds = lines.filter((line) => line !== '{"type":"turn.started"}');
    assert(
      new Set(withIds).size > 0.5 * withIds.length,
      `${new Set(withIds).size}`,
    );
  });
}

for (const name of ["exec", "small"] as const) {
  Deno.test(`the rivals rewrite what codexpipe rewrites: ${name}`, async () => {
    const input = await inputOf(name, 1);
    const blocks: Uint8Array[] = [];
    new JsonlNormalizer().feed(input, (block) => blocks.push(block.slice()));
    const flattening = new Flattening();
    const records = linesOf(concat(blocks)).map((line): unknown =>
      JSON.parse(line)
    );
    let differences = 0;
    for (const [i, line] of linesOf(input).entries()) {
      const flat: unknown = JSON.parse(
        JSON.stringify(flattening.flatten(JSON.parse(line))),
      );
      // A web search has two members `id`, of which the rivals keep one.
      if (line.includes('"web_search"')) continue;
      try {
        assertEquals(flat, records[i]);
      } catch {
        differences += 1;
      }
    }
    assertEquals(differences, 0);
  });
}
