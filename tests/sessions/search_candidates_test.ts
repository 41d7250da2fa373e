/**
 * Tests which messages a search checks for its terms.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import {
  searchCandidates,
  type SearchFilter,
} from "../../lib/sessions/search_candidates.ts";
import { SearchMatcher } from "../../lib/sessions/search_matcher.ts";
import {
  expressionsOf,
  parseSearchQuery,
} from "../../lib/sessions/search_query.ts";
import { withSessionIndex } from "../../lib/sessions/session_index_database.ts";
import { WorkingFolder } from "../../lib/sessions/working_directory.ts";
import { jsonl } from "../running.ts";
import { eventLine } from "../session_lines.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  withHome,
  writeFile,
} from "./homes.ts";
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
  { folder: await WorkingFolder.of("/home/dev") },
  { folder: await WorkingFolder.of("/nowhere") },
  {
    folder: await WorkingFolder.of("/home/dev"),
    roles: ["user", "error"],
    since: 0,
  },
  { roles: [] },
];

/** A message of the index. */
interface IndexedMessage {
  readonly id: number;
  readonly role: string;
  readonly time: number;
  readonly cwd: string | null;
  readonly text: string;
}

/** Writes a session of 7,200 messages: more than are tested first and gathered together. */
async function writeLongSession(home: string): Promise<void> {
  const started = "2026-11-20T16:00:00.000Z";
  const head = sessionText({ id: testId(1), started, message: "The first" });
  const lines = Array.from({ length: 7_200 }, (_, i) => {
    const message = [
      `The message ${i}`,
      i % 2 === 0 ? "of a demo" : "on a project",
      ["README.md", "a demo p { }", "error: no", "nothing - of this"][i % 4],
      i % 5 === 0 ? "over." : "",
    ].join(" ");
    const type = i % 3 === 0 ? "user_message" : "agent_message";
    return eventLine(type, { message }, started);
  });
  await writeFile(
    sessionPath(home, testId(1), started),
    head + jsonl(lines),
  );
}

/** Whether a message has all terms and is selected by a filter. */
function selectionOf(
  query: string,
  { roles, since = 0, folder }: SearchFilter,
): (message: IndexedMessage) => boolean {
  const matchers = parseSearchQuery(query).map((term) =>
    new SearchMatcher([term])
  );
  return ({ role, time, cwd, text }) =>
    roles?.every((wanted) => wanted !== role) !== true && time >= since &&
    folder?.holds(cwd) !== false &&
    matchers.every((matcher) => matcher.matches(text).length > 0);
}

Deno.test("searchCandidates() returns all messages with the terms, newest first, of few messages and of many", async () => {
  await withHome({ versions: ["0.169.0", "0.92.0"] }, async ({ path }) => {
    await writeLongSession(path);
    await withFolder(async (folder) => {
      const index = indexIn(folder, path);
      await refresh(index);
      await withSessionIndex(index, (database) => {
        const messages = database.all(
          `SELECT records.id AS id, role, time, cwd, text FROM records
             JOIN files ON files.number = records.id / ${2 ** 23}
             JOIN messages USING (session_id, offset)
             JOIN sessions ON sessions.id = session_id ORDER BY records.id DESC`,
          // The columns have these types.
        ) as unknown as readonly IndexedMessage[];
        const byId = new Map(messages.map((each) => [each.id, each]));
        const counts: number[] = [];
        for (const query of QUERIES) {
          const terms = parseSearchQuery(query);
          const matcher = new SearchMatcher(terms);
          const isMatch = selectionOf(query, {});
          const matching = messages.filter(isMatch);
          for (const filter of FILTERS) {
            const candidates = searchCandidates(
              database,
              expressionsOf(terms),
              filter,
            );
            const found = [...candidates].filter((id) =>
              matcher.confirms(byId.get(id)?.text ?? "")
            );
            const isSelected = selectionOf("", filter);
            const expected = matching.filter(isSelected).map(({ id }) => id);
            assertEquals(found, expected, query);
            counts.push(found.length);
          }
        }
        // Of some queries there are more than are tested first, and than are gathered.
        for (const least of [1_000, 6_000]) {
          assert(counts.some((count) => count > least), `${least}`);
        }
        return Promise.resolve();
      });
    });
  });
});
