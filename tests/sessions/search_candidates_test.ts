/**
 * Tests which messages a search checks for its terms.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import {
  searchCandidates,
  type SearchFilter,
  type SearchLimits,
} from "../../lib/sessions/search_candidates.ts";
import { SearchMatcher } from "../../lib/sessions/search_matcher.ts";
import {
  expressionsOf,
  parseSearchQuery,
} from "../../lib/sessions/search_query.ts";
import { withSessionIndex } from "../../lib/sessions/session_index_database.ts";
import { withFolder, withHome } from "./homes.ts";
import { indexIn, refresh } from "./indexes.ts";

const QUERIES = [
  "demo",
  "the",
  "o*",
  "demo o*",
  '"a demo p"*',
  ".",
  "{ }",
  "demo .",
  "the -",
  "a* .",
  "README.md project",
  '"error: no"',
  "nothing-of-this demo",
];

const FILTERS: readonly SearchFilter[] = [
  {},
  { roles: ["command", "tool"] },
  { since: Date.parse("2026-11-20T15:30:00Z") },
  { since: Date.parse("2100-01-01T00:00:00Z") },
  { cwd: "/home/dev" },
  { cwd: "/nowhere" },
  { cwd: "/home/dev", roles: ["user", "error"], since: 0 },
  { roles: [] },
];

const LIMITS: readonly SearchLimits[] = [
  { scanned: 1, few: 1 },
  { scanned: 5, few: 7 },
  { scanned: 40, few: 1 },
  { scanned: 1, few: 1_000 },
];

Deno.test("searchCandidates() returns the same messages, newest first, with every limit", async () => {
  await withHome({ versions: ["0.169.0", "0.92.0"] }, async ({ path }) => {
    await withFolder(async (folder) => {
      const index = indexIn(folder, path);
      await refresh(index);
      await withSessionIndex(index, async (database) => {
        const texts = new Map(
          database.all(
            `SELECT records.id, text FROM records
               JOIN files ON files.number = records.id / ${2 ** 23}
               JOIN messages USING (session_id, offset)`,
          ).map(({ id, text }) => [Number(id), String(text)]),
        );
        let count = 0;
        for (const query of QUERIES) {
          const terms = parseSearchQuery(query);
          const matcher = new SearchMatcher(terms);
          const find = async (filter: SearchFilter, limits: SearchLimits) => {
            const candidates = await searchCandidates(
              database,
              expressionsOf(terms),
              filter,
              limits,
            );
            const ids = [...candidates];
            const sorted = [...new Set(ids)].sort((a, b) => b - a);
            assertEquals(ids, sorted, query);
            return ids.filter((id) => matcher.confirms(texts.get(id) ?? ""));
          };
          for (const filter of FILTERS) {
            const expected = await find(filter, {});
            count += expected.length;
            for (const limits of LIMITS) {
              assertEquals(await find(filter, limits), expected, query);
            }
          }
        }
        assert(count > 1_000);
      });
    });
  });
});
