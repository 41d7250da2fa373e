/**
 * Tests that an index with flipped bits yields no wrong result, and is repaired.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { indexSessions } from "../../lib/sessions/session_indexer.ts";
import { searchSessions } from "../../lib/sessions/session_search.ts";
import { testId, withFolder, writeReverted, writeSession } from "./homes.ts";
import {
  contentOf,
  flipBit,
  type IndexedHome,
  indexIn,
  placesOf,
  refresh,
} from "./indexes.ts";

const SESSIONS = 6;
const QUERIES = ["elephant", "number*", "foo(3)"];

/** Makes an index of six sessions. */
async function withIndex(
  use: (index: IndexedHome, folder: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    for (let i = 1; i <= SESSIONS; i++) {
      const started = `2026-01-02T03:04:0${i}.000Z`;
      await writeSession(`${folder}/home`, {
        id: testId(i),
        started,
        message: `elephant number${i} foo(${i})`,
      });
    }
    const index = indexIn(folder);
    await refresh(index);
    await use(index, folder);
  });
}

/** The result of one query. */
type Answer =
  & { readonly query: string }
  & Pick<
    Awaited<ReturnType<typeof searchSessions>>,
    "hits" | "makeshift"
  >;

/** Pairs each result with the expected one. */
async function zipped(
  answers: Promise<Answer[]>,
  expected: readonly Answer[],
): Promise<[Answer, Answer][]> {
  return (await answers).map((answer, at) => [answer, expected[at] ?? answer]);
}

/** Returns the results of all queries. */
async function answersOf(
  index: IndexedHome,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const query of QUERIES) {
    const { hits, makeshift } = await searchSessions({
      ...index,
      query,
    });
    answers.push({ query, hits, makeshift });
  }
  return answers;
}

Deno.test("searchSessions() returns no wrong hit, whichever bit of the index flips", async () => {
  await withIndex(async (index) => {
    const expected = await answersOf(index);
    const sound = await Deno.readFile(index.path);
    // Bytes that are zero are mostly unused, so only the others are flipped.
    const used = [...sound.keys()].filter((at) => sound[at] !== 0);
    const step = Math.floor(used.length / 60);
    for (let i = 20; i < used.length; i += step) {
      const at = used[i] ?? 0;
      await Deno.writeFile(index.path, sound);
      await flipBit(index, at, at % 8);
      // A flipped bit in a full-text table may hide a hit until the row is checked.
      for (const [answer, whole] of await zipped(answersOf(index), expected)) {
        const known = whole.hits.map((hit) => JSON.stringify(hit));
        const others = answer.hits.filter((hit) =>
          !known.includes(JSON.stringify(hit))
        );
        assertEquals(others, [], `the byte ${at}`);
        assertEquals(answer.makeshift, whole.makeshift, `the byte ${at}`);
      }
    }
  });
});

for (
  const { name, text } of [
    // Flips the bit in the entry of the lookup table and in the row itself.
    { name: "path", text: `-${testId(3)}.jsonl` },
    { name: "id", text: testId(3) },
    { name: "title", text: "elephant number3 foo(3)" },
  ]
) {
  Deno.test(`indexSessions() ends and repairs an index in which a bit of a ${name} flips`, async () => {
    await withIndex(async (index) => {
      const content = contentOf(index);
      const sound = await Deno.readFile(index.path);
      const places = await placesOf(index, text);
      assertEquals(places.length > 0, true);
      for (const place of places) {
        await Deno.writeFile(index.path, sound);
        await flipBit(index, place + text.length - 1, 0);
        let damages = 0;
        await indexSessions({ ...index, onDamage: () => damages += 1 });
        assertEquals(damages <= 1, true);
        assertEquals(contentOf(index), content);
      }
    });
  });
}

Deno.test("indexSessions() repairs an index in which a bit of the session of a later file flips", async () => {
  await withFolder(async (folder) => {
    const { id } = await writeReverted(`${folder}/home`);
    const index = indexIn(folder);
    await refresh(index);
    const content = contentOf(index);
    const sound = await Deno.readFile(index.path);
    for (const place of await placesOf(index, id)) {
      await Deno.writeFile(index.path, sound);
      await flipBit(index, place + id.length - 1, 0);
      await indexSessions(index);
      assertEquals(contentOf(index), content);
    }
  });
});

Deno.test("indexSessions() ends where a file that is in the index is not found by its path", async () => {
  await withIndex(async (index, folder) => {
    const text = `-${testId(3)}.jsonl`;
    const sound = await Deno.readFile(index.path);
    // A file that changed is looked up by its path.
    await writeSession(`${folder}/home`, {
      id: testId(3),
      started: "2026-01-02T03:04:03.000Z",
      message: "giraffe",
    });
    for (const place of await placesOf(index, text)) {
      await Deno.writeFile(index.path, sound);
      await flipBit(index, place + 1, 0);
      // A refresh that does not check the index first.
      await refresh(index);
      const { hits } = await searchSessions({ ...index, query: "giraffe" });
      assertEquals(hits.length, 1);
    }
  });
});
