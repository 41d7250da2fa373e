/**
 * Tests that an index is right, or made anew, whatever becomes of its bits.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { indexSessions } from "../../lib/sessions/session_indexer.ts";
import { searchSessions } from "../../lib/sessions/session_search.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  writeFile,
} from "./homes.ts";
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

/** Makes an index of some sessions. */
async function withIndex(
  use: (index: IndexedHome, folder: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    for (let i = 1; i <= SESSIONS; i++) {
      const started = `2026-01-02T03:04:0${i}.000Z`;
      await writeFile(
        sessionPath(`${folder}/home`, testId(i), started),
        sessionText({
          id: testId(i),
          started,
          message: `elephant number${i} foo(${i})`,
        }),
      );
    }
    const index = indexIn(folder);
    await refresh(index);
    await use(index, folder);
  });
}

/** What is found for a query. */
type Answer =
  & { readonly query: string }
  & Pick<
    Awaited<ReturnType<typeof searchSessions>>,
    "hits" | "makeshift"
  >;

/** Puts answers beside those that were there before. */
async function zipped(
  answers: Promise<Answer[]>,
  expected: readonly Answer[],
): Promise<[Answer, Answer][]> {
  return (await answers).map((answer, at) => [answer, expected[at] ?? answer]);
}

/** Everything that is found. */
async function answersOf(
  index: IndexedHome,
  onDamage: () => void = () => {},
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const query of QUERIES) {
    const { hits, makeshift } = await searchSessions({
      ...index,
      query,
      onDamage,
    });
    answers.push({ query, hits, makeshift });
  }
  return answers;
}

Deno.test("searchSessions() says nothing that is not so whichever bit of the index flips", async () => {
  await withIndex(async (index) => {
    const expected = await answersOf(index);
    const sound = await Deno.readFile(index.path);
    // Where nothing is written there is nothing to flip.
    const used = [...sound.keys()].filter((at) => sound[at] !== 0);
    const step = Math.floor(used.length / 60);
    for (let i = 20; i < used.length; i += step) {
      const at = used[i] ?? 0;
      await Deno.writeFile(index.path, sound);
      await flipBit(index, at, at % 8);
      // A bit of what words are found by may hide a hit, until its row is looked at.
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
    // Of what finds a row by these, and of the row itself.
    { name: "path", text: `-${testId(3)}.jsonl` },
    { name: "id", text: testId(3) },
    { name: "title", text: "elephant number3 foo(3)" },
  ]
) {
  Deno.test(`indexSessions() ends, and mends an index, where a bit of a ${name} flips`, async () => {
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

Deno.test("indexSessions() ends where a file is in the index and is not found there", async () => {
  await withIndex(async (index, folder) => {
    const text = `-${testId(3)}.jsonl`;
    const sound = await Deno.readFile(index.path);
    // What has changed is written about, by its path.
    await writeFile(
      sessionPath(`${folder}/home`, testId(3), "2026-01-02T03:04:03.000Z"),
      sessionText({
        id: testId(3),
        started: "2026-01-02T03:04:03.000Z",
        message: "giraffe",
      }),
    );
    for (const place of await placesOf(index, text)) {
      await Deno.writeFile(index.path, sound);
      await flipBit(index, place + 1, 0);
      // As a refresh that checks nothing first.
      await refresh(index);
      const { hits } = await searchSessions({ ...index, query: "giraffe" });
      assertEquals(hits.length, 1);
    }
  });
});
