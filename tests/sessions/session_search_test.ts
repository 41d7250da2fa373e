/**
 * Tests the hits of searches.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import {
  MESSAGE_ROLES,
  type MessageRole,
} from "../../lib/sessions/session_records.ts";
import { SearchMatcher } from "../../lib/sessions/search_matcher.ts";
import { parseSearchQuery } from "../../lib/sessions/search_query.ts";
import {
  roleToken,
  TABLE_NAMES,
  TABLES,
} from "../../lib/sessions/session_index_tables.ts";
import { searchSessions } from "../../lib/sessions/session_search.ts";
import fc, { anyText } from "../property_seed.ts";
import { jsonl } from "../running.ts";
import { eventLine, pagedLine, promptLine } from "../session_lines.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  withHome,
  writeContinued,
  writeFile,
  writeReverted,
  writeSession,
} from "./homes.ts";
import { find, type IndexedHome, indexIn, marked, refresh } from "./indexes.ts";

/** The content of a session in a test. */
interface ShortSession {
  readonly messages: readonly string[];
  readonly started?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Makes a home of sessions with these messages of the user, and the index of it. */
async function withMessages(
  sessions: readonly ShortSession[],
  use: (index: IndexedHome) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    for (const [at, { messages, started, meta }] of sessions.entries()) {
      const time = started ??
        `2026-01-${String(at + 1).padStart(2, "0")}T00:00:00.000Z`;
      const id = testId(at + 1);
      const [first = "", ...rest] = messages;
      const text = sessionText({
        id,
        started: time,
        message: first,
        ...(meta === undefined ? {} : { meta }),
      });
      const more = rest.map((message) => promptLine(message, time));
      await writeFile(
        sessionPath(`${folder}/home`, id, time),
        text + jsonl(more),
      );
    }
    const index = indexIn(folder);
    await refresh(index);
    await use(index);
  });
}

const TEXTS = [
  "The flaky test fails in src/main.rs:12 with error[E0432]",
  "A test that is not flaky, in tests/domain.rs",
  "call foo(bar) and foo-bar; it's C:\\a\\b, don't -x or --long=1",
  "ünïcode Größe, CAFÉ, ΑΒΓ привет 日本語のテスト 😀",
  '{"key": "value_one", "a*b": [1, 2]} % _ \\ "quoted"',
];

const QUERIES = [
  { query: "flaky", found: [0, 1] },
  { query: "FLAKY Test", found: [0, 1] },
  { query: '"flaky test"', found: [0] },
  { query: "tes*", found: [0, 1] },
  { query: "est", found: [] },
  { query: "main.rs", found: [0, 1] },
  { query: "ain.rs", found: [0, 1] },
  { query: "MAIN.RS", found: [0, 1] },
  { query: "src/main.rs:12", found: [0] },
  { query: "error[E0432]", found: [0] },
  { query: "rror[e04", found: [0] },
  { query: "foo(bar)", found: [2] },
  { query: "foo bar", found: [2] },
  { query: "foo-bar", found: [2] },
  { query: "o(b", found: [2] },
  { query: "-x", found: [2] },
  { query: "--long", found: [2] },
  { query: "C:\\a\\b", found: [2] },
  { query: "don't", found: [2] },
  { query: "'", found: [2] },
  { query: "grosse", found: [] },
  { query: "größe", found: [3] },
  { query: "grÖße cafe", found: [3] },
  { query: "αβγ", found: [3] },
  { query: "ПРИВЕТ", found: [3] },
  { query: "日本語", found: [3] },
  { query: "本", found: [3] },
  { query: "テスト", found: [3] },
  { query: "😀", found: [3] },
  { query: "%", found: [4] },
  { query: "_", found: [4] },
  { query: "\\", found: [2, 4] },
  { query: '"', found: [4] },
  { query: "!", found: [] },
  { query: '"key": "value', found: [4] },
  { query: '"value_one", "a*b"', found: [4] },
  { query: "value_one", found: [4] },
  { query: "a*b", found: [4] },
  { query: "NEAR", found: [] },
  { query: "flaky NOT test", found: [1] },
  { query: "flaky OR foo", found: [] },
  { query: "", found: [] },
] satisfies { query: string; found: number[] }[];

Deno.test("searchSessions() finds words, phrases, beginnings and strings", async () => {
  await withMessages([{ messages: TEXTS }], async (index) => {
    for (const { query, found } of QUERIES) {
      const hits = await find(index, query, { roles: ["user"] });
      const texts = hits.map((hit) => marked(hit).replace(/\[(.*?)\]/gs, "$1"));
      assertEquals(
        TEXTS.flatMap((text, at) =>
          texts.some((shown) => plain(text).includes(plain(shown))) ? [at] : []
        ),
        found,
        query,
      );
    }
  });
});

/** Removes the brackets of matches and the ellipses from a text. */
function plain(text: string): string {
  return text.replace(/[[\]…]/g, "").trim();
}

Deno.test("searchSessions() accepts every query", async () => {
  await withMessages([{ messages: TEXTS }], async (index) => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anyText(),
          anyText(),
          fc.array(
            fc.constantFrom(
              "a",
              "foo",
              " ",
              '"',
              "'",
              "*",
              "(",
              ")",
              "NEAR",
              "AND",
              "NOT",
              "OR",
              "-",
              "+",
              "^",
              ":",
              "{",
              "}",
              ",",
              "\\",
              "\0",
              "\ud800",
              "é",
            ),
          ).map((parts) => parts.join("")),
        ),
        async (query) => {
          await find(index, query);
        },
      ),
      { numRuns: 100 },
    );
  });
});

Deno.test("searchSessions() finds every string of captured sessions", async () => {
  await withHome({ versions: ["0.169.0", "0.20.0"] }, async ({ path }) => {
    await withFolder(async (folder) => {
      const index = indexIn(folder, path);
      await refresh(index);
      const database = new DatabaseSync(index.path);
      const messages = database.prepare(
        `SELECT session_id, messages.offset - in_line AS offset, text
           FROM records JOIN files ON files.number = records.id / ${2 ** 23}
           JOIN messages USING (session_id, offset) ORDER BY records.id`,
      ).all();
      database.close();
      await fc.assert(
        fc.asyncProperty(
          fc.nat(),
          fc.nat(),
          fc.integer({ min: 1, max: 30 }),
          async (number, at, size) => {
            const message = messages[number % messages.length];
            const text = String(message?.text);
            const start = at % text.length;
            const part = text.slice(start, start + size);
            // A quotation mark would end the string, and a string of words only is searched as
            // words.
            if (
              /["\ud800-\udfff]/.test(part) ||
              !/[^\p{L}\p{N}\p{M}\s]/u.test(part)
            ) return;
            const query = `"${part}"`;
            const hits = await find(index, query, { limit: 10_000 });
            const isFound = hits.some(({ session_id, offset }) =>
              session_id === message?.session_id && offset === message?.offset
            );
            assert(
              isFound || hits.length > 0 && isCopy(messages, message),
              query,
            );
          },
        ),
        { numRuns: 80 },
      );
    });
  });
});

/** Whether another message has the same text, as in a fork. */
function isCopy(
  messages: readonly Record<string, unknown>[],
  message: Record<string, unknown> | undefined,
): boolean {
  return messages.some((other) =>
    other !== message && other.text === message?.text
  );
}

Deno.test("searchSessions() finds the same messages as a scan with the matcher", async () => {
  await withHome({ versions: ["0.169.0", "0.42.0"] }, async ({ path }) => {
    await withFolder(async (folder) => {
      const index = indexIn(folder, path);
      await refresh(index);
      const messages = messagesOf(index);
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.record({
              message: fc.nat(),
              at: fc.nat(),
              size: fc.integer({ min: 1, max: 12 }),
              form: fc.constantFrom("string", "word", "beginning"),
            }),
            { minLength: 1, maxLength: 3 },
          ),
          fc.record({
            roles: fc.option(fc.subarray([...MESSAGE_ROLES]), {
              nil: undefined,
            }),
            cwd: fc.constantFrom(undefined, "/home", "/nowhere"),
            since: fc.option(
              fc.nat().map((at) => messages[at % messages.length]?.time),
              { nil: undefined },
            ),
          }),
          async (parts, filter) => {
            const query = parts.map((part) => queryPart(messages, part))
              .join(" ");
            const terms = parseSearchQuery(query);
            const matcher = new SearchMatcher(terms);
            const expected = messages.filter(({ text, role, time, cwd }) =>
              terms.length > 0 &&
              (filter.roles?.includes(role) ?? true) &&
              time >= (filter.since ?? 0) &&
              (filter.cwd === undefined ||
                cwd?.startsWith(`${filter.cwd}/`) === true) &&
              terms.every((_, term) =>
                new SearchMatcher(terms.slice(term, term + 1)).matches(text)
                  .length > 0
              )
            );
            const hits = await find(index, query, { ...filter, limit: 1e6 });
            // One line may hold several messages.
            const lines = hits.map(({ session_id, offset }) =>
              messages.filter((message) =>
                message.session_id === session_id && message.offset === offset
              )
            );
            const texts = new Set(lines.flat().map(({ text }) => text));
            assert(
              expected.every(({ text }) => texts.has(text)),
              `${query} is missing`,
            );
            assert(
              lines.every((lineMessages) =>
                lineMessages.some((message) =>
                  expected.includes(message) && matcher.confirms(message.text)
                )
              ),
              `${query} is not there`,
            );
          },
        ),
        { numRuns: 150 },
      );
    });
  });
});

/** A message in an index. */
interface IndexedMessage {
  readonly session_id: string;
  readonly offset: number;
  readonly text: string;
  readonly role: MessageRole;
  readonly time: number;
  readonly cwd: string | null;
}

function messagesOf({ path }: IndexedHome): IndexedMessage[] {
  const database = new DatabaseSync(path);
  try {
    return database.prepare(
      `SELECT messages.session_id, messages.offset - in_line AS offset, text, role, time,
         cwd
         FROM records JOIN files ON files.number = records.id / ${2 ** 23}
         JOIN messages USING (session_id, offset)
         JOIN sessions ON sessions.id = session_id`,
    ).all() as unknown as IndexedMessage[];
  } finally {
    database.close();
  }
}

/** A part of a query that matches a message: a substring, a word or the beginning of a word. */
function queryPart(
  messages: readonly IndexedMessage[],
  { message, at, size, form }: {
    readonly message: number;
    readonly at: number;
    readonly size: number;
    readonly form: string;
  },
): string {
  const text = messages[message % messages.length]?.text ?? "";
  const start = at % text.length;
  if (form === "string") {
    const piece = text.slice(start, start + size).toWellFormed();
    return /["\ufffd]/.test(piece) ? "." : `"${piece}"`;
  }
  const [word = "test"] = /[a-z0-9]+/i.exec(text.slice(start)) ?? [];
  return form === "word" ? word : `${word.slice(0, size % 5 + 1)}*`;
}

Deno.test("searchSessions() finds messages far back, with lookups of every kind", async () => {
  const many = Array.from({ length: 70 }, (_, at) => ({
    messages: Array.from(
      { length: 20 },
      (_, line) => `Message ${line} = ${at === 0 && line === 3 ? "zebra" : ""}`,
    ),
    started: new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString(),
  }));
  await withMessages(many, async (index) => {
    const roles = ["user"] as const;
    for (
      const query of ["ze*", "zebr*", "zebra", "= zebra", '"= z"', "ze* mess*"]
    ) {
      const hits = await find(index, query, { roles });
      assertEquals(hits.map((hit) => marked(hit).includes("[")), [true], query);
      assertEquals((await find(index, query)).length > 0, true, query);
    }
    assertEquals((await find(index, "message", { roles })).length, 1_000);
    assertEquals((await find(index, "me*", { roles })).length, 1_000);
    assertEquals(
      (await find(index, "me* =", { roles, limit: 10_000 })).length,
      1_400,
    );
    assertEquals(await find(index, "zq*", { roles }), []);
  });
});

Deno.test("searchSessions() finds symbols among letters far back", async () => {
  const many = Array.from({ length: 60 }, (_, at) => ({
    messages: Array.from(
      { length: 20 },
      (_, line) =>
        at === 0 && line === 3 ? "13×45, 6 ÷ 2, α·β" : `Line ${line}`,
    ),
    started: new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString(),
  }));
  await withMessages(many, async (index) => {
    for (const query of ["×", "3×4", "÷", "6 ÷", "α·", "·"]) {
      const hits = await find(index, query, { roles: ["user"] });
      assertEquals(
        hits.map(({ session_id }) => session_id),
        [testId(1)],
        query,
      );
    }
  });
});

Deno.test("searchSessions() finds words with precomposed and with combining accents", async () => {
  const texts = ["café İstanbul (İzmir)", "tiếng Việt", "cafe\u0301 tieng"];
  await withMessages(
    texts.map((text) => ({ messages: [text] })),
    async (index) => {
      const cases = [
        { query: "cafe\u0301", found: [1, 3] },
        { query: "CAFÉ", found: [1, 3] },
        { query: "İstanbul", found: [1] },
        { query: "istanbul", found: [1] },
        { query: "(İzmir)", found: [1] },
        { query: "(i\u0307zmir)", found: [1] },
        { query: "TIẾNG", found: [2, 3] },
        { query: "tie\u0302\u0301ng", found: [2, 3] },
        { query: '"tiếng viet"', found: [2] },
        { query: "tiế*", found: [2, 3] },
      ];
      for (const { query, found } of cases) {
        const hits = await find(index, query);
        assertEquals(
          hits.map(({ session_id }) => session_id).sort(),
          found.map(testId),
          query,
        );
        assert(hits.every((hit) => marked(hit).includes("[")), query);
      }
    },
  );
});

Deno.test("searchSessions() scores only the newest of very many matches", async () => {
  const many = Array.from({ length: 30 }, (_, at) => ({
    messages: Array.from(
      { length: 20 },
      (_, line) =>
        at < 2 && line === 0 ? "elephant" : `elephant and others ${line}`,
    ),
    started: new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString(),
  }));
  await withMessages(many, async (index) => {
    const hits = await find(index, "elephant", { roles: ["user"], limit: 3 });
    assertEquals(hits.map(({ session_id }) => session_id), [
      testId(30),
      testId(30),
      testId(30),
    ]);
    const all = await find(index, "elephant", { roles: ["user"] });
    assertEquals(all.length, 600);
  });
});

Deno.test("searchSessions() ranks all matches if they are few, however many messages are tested for them", async () => {
  const best = "tiger elephant x=1";
  const others = Array.from({ length: 30 }, (_, line) => `elephant ${line}`);
  const many = [[best], ...Array.from({ length: 20 }, () => others), [
    `${best} ${"and many other animals ".repeat(20)}`,
  ]].map((messages, at) => ({
    messages,
    started: new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString(),
  }));
  await withMessages(many, async (index) => {
    for (const query of ["tig*", "elephant x=1"]) {
      const hits = await find(index, query, { roles: ["user"] });
      const ids = hits.map(({ session_id }) => session_id);
      assertEquals(ids, [testId(1), testId(22)], query);
    }
  });
});

Deno.test("searchSessions() finds output of calls that the history does not show", async () => {
  await withFolder(async (folder) => {
    const id = testId(1);
    const started = "2026-01-01T00:00:00.000Z";
    const text = sessionText({
      id,
      started,
      message: "Look",
      meta: { history_mode: "paginated" },
    });
    await writeFile(
      sessionPath(`${folder}/home`, id, started),
      text +
        jsonl(["one", "two"].map((name) =>
          pagedLine("CommandExecution", {
            id: name,
            command: ["cat", `${name}.log`],
            parsed_cmd: [{ type: "read", cmd: "", name: "a", path: "a" }],
            aggregated_output: `panic: ${name}`,
            exit_code: 0,
          })
        )),
    );
    const index = indexIn(folder);
    await refresh(index);
    const [hit, ...others] = await find(index, '"panic: two" two.log');
    assertEquals(others, []);
    assertEquals([hit?.role, hit?.kind, hit?.tool_name], [
      "command",
      "explore",
      "exec",
    ]);
    assertEquals(hit && marked(hit), "cat [two.log] [panic: two]");
    assertEquals((await find(index, "panic")).length, 2);
  });
});

Deno.test("searchSessions() reports the offset of the line for all messages of one line", async () => {
  await withFolder(async (folder) => {
    const id = testId(1);
    const started = "2026-01-01T00:00:00.000Z";
    const text = sessionText({ id, started, message: "Look" });
    await writeFile(
      sessionPath(`${folder}/home`, id, started),
      text + jsonl([eventLine("exited_review_mode", {
        review_output: { overall_explanation: "A fine review" },
      })]),
    );
    const index = indexIn(folder);
    await refresh(index);
    for (const query of ["fine", '"<< Code review finished"']) {
      const hits = await find(index, query);
      assertEquals(hits.map(({ offset }) => offset), [text.length], query);
    }
  });
});

Deno.test("searchSessions() returns the session, role and time of each hit", async () => {
  await withMessages(
    [{ messages: ["Feed the elephant"], started: "2026-03-04T05:06:07.890Z" }],
    async (index) => {
      const [hit] = await find(index, "elephant");
      assertEquals({ ...hit, rollout_path: "", offset: 0 }, {
        session_id: testId(1),
        short_id: "00000000",
        title: "Feed the elephant",
        cwd: "/home/dev/proj",
        rollout_path: "",
        offset: 0,
        time: "2026-03-04T05:06:07.890Z",
        role: "user",
        kind: "plain_message",
        tool_name: null,
        snippet: [
          { text: "Feed the ", isMatch: false },
          { text: "elephant", isMatch: true },
        ],
      });
    },
  );
});

Deno.test("searchSessions() returns the best match first, and of equal ones the newest", async () => {
  await withMessages([
    { messages: ["elephant"] },
    { messages: [`elephant ${"and many other animals ".repeat(20)}`] },
    { messages: ["elephant"] },
  ], async (index) => {
    const hits = await find(index, "elephant");
    assertEquals(
      hits.map(({ session_id }) => session_id),
      [3, 1, 2].map(testId),
    );
    const strings = await find(index, '"elephant "');
    assertEquals(strings.length, 3);
  });
});

Deno.test("searchSessions() sorts sessions of one second by id, in any order of indexing", async () => {
  const started = "2026-01-02T03:04:05.000Z";
  await withFolder(async (folder) => {
    const write = (number: number): Promise<string> =>
      writeSession(`${folder}/home`, {
        id: testId(number),
        started,
        message: "okapi",
      });
    const found = async (index: IndexedHome): Promise<readonly string[]> =>
      (await find(index, "okapi")).map((hit) => hit.session_id);
    const growing = indexIn(folder);
    for (const number of [1, 2, 3, 4, 5]) {
      await write(number);
      await refresh(growing);
    }
    const newestFirst = [5, 4, 3, 2, 1].map(testId);
    assertEquals(await found(growing), newestFirst);
    for (const batchFiles of [1, 256]) {
      const whole = { ...growing, path: `${folder}/${batchFiles}.sqlite` };
      await refresh(whole, batchFiles);
      assertEquals(await found(whole), newestFirst);
    }
    // Its row number is taken by now.
    await write(0);
    await refresh(growing);
    assertEquals((await found(growing)).toSorted().at(0), testId(0));
    assertEquals((await found(growing)).length, 6);
  });
});

Deno.test("searchSessions() searches again if another process has rebuilt the index meanwhile", async () => {
  await withMessages([{ messages: ["okapi"] }], async (index) => {
    let isAnew = false;
    /** Rebuilds the index when the query is read, which is after the refresh. */
    const query = (): string => {
      if (isAnew) return "okapi";
      isAnew = true;
      const database = new DatabaseSync(index.path);
      for (const name of TABLE_NAMES) database.exec(`DROP TABLE ${name}`);
      database.exec(TABLES);
      database.close();
      return "okapi";
    };
    // Not enumerable, so that copies of the options do not read it.
    const options = Object.defineProperty({ ...index, query: "" }, "query", {
      get: query,
      enumerable: false,
    });
    const { hits } = await searchSessions(options);
    assertEquals([isAnew, hits.length], [true, 1]);
  });
});

Deno.test("searchSessions() returns matches of strings newest first", async () => {
  await withMessages([
    { messages: ["a/b"] },
    { messages: [`a/b ${"and many other letters ".repeat(20)}`] },
  ], async (index) => {
    const hits = await find(index, "a/b");
    assertEquals(hits.map(({ session_id }) => session_id), [2, 1].map(testId));
  });
});

Deno.test("searchSessions() filters by role, folder and time", async () => {
  await withMessages([
    { messages: ["Done. elephant"], meta: { cwd: "/w/one" } },
    { messages: ["Done. elephant"], meta: { cwd: "/w/one/deep" } },
    { messages: ["Done. elephant"], meta: { cwd: "/w/onetwo" } },
  ], async (index) => {
    const of = async (options: Parameters<typeof find>[2]) =>
      (await find(index, "done", options)).map(({ session_id, role }) =>
        `${Number(session_id.slice(-1))} ${role}`
      ).sort();
    assertEquals((await of({})).length, 6);
    assertEquals(await of({ roles: ["assistant"] }), [
      "1 assistant",
      "2 assistant",
      "3 assistant",
    ]);
    assertEquals((await of({ roles: ["assistant", "user"] })).length, 6);
    assertEquals(await of({ roles: ["plan"] }), []);
    assertEquals(await of({ cwd: "/w/one", roles: ["user"] }), [
      "1 user",
      "2 user",
    ]);
    assertEquals(
      await of({ since: Date.parse("2026-01-02T00:00:00Z"), roles: ["user"] }),
      ["2 user", "3 user"],
    );
    const all = { cwd: "/w/one", roles: ["user"] as const };
    const strings = await find(index, "ne. ele", all);
    assertEquals(strings.length, 0);
    assertEquals((await find(index, '"ne. ele"', all)).length, 2);
    assertEquals((await find(index, ".", all)).length, 2);
  });
});

Deno.test("searchSessions() does not match the role tokens with words of messages", async () => {
  await withMessages(
    [{ messages: [`elephant = ${roleToken("plan")}`] }],
    async (index) => {
      for (const query of ["elephant", "=", "el*", "elephant ="]) {
        assertEquals(await find(index, query, { roles: ["plan"] }), [], query);
        assertEquals((await find(index, query, { roles: ["user"] })).length, 1);
      }
      for (const query of [roleToken("user"), "user", "use*", "\uf8c1u"]) {
        assertEquals(await find(index, query, { roles: ["user"] }), [], query);
      }
    },
  );
});

Deno.test("searchSessions() reports whether there are more hits", async () => {
  await withMessages(
    Array.from({ length: 5 }, () => ({ messages: ["elephant"] })),
    async (index) => {
      for (
        const [limit, hasMore] of [[4, true], [5, false], [6, false]] as const
      ) {
        const result = await searchSessions({
          ...index,
          query: "elephant",
          limit,
        });
        assertEquals(
          [result.hits.length, result.hasMore, result.files],
          [Math.min(limit, 5), hasMore, 5],
        );
      }
    },
  );
});

Deno.test("searchSessions() returns a message that forks repeat once, for the first session", async () => {
  await withMessages([
    { messages: ["elephant", "giraffe"] },
    { messages: ["elephant", "lion"], meta: { forked_from_id: testId(1) } },
    { messages: ["elephant", "tiger"], meta: { forked_from_id: testId(2) } },
    { messages: ["elephant"] },
  ], async (index) => {
    const hits = await find(index, "elephant");
    assertEquals(
      hits.map(({ session_id }) => session_id).sort(),
      [testId(1), testId(4)],
    );
    assertEquals((await find(index, "tiger"))[0]?.session_id, testId(3));
  });
});

Deno.test("searchSessions() returns equal messages of sub-agents of one parent, unless they are copied", async () => {
  const spawned = (meta = {}): Readonly<Record<string, unknown>> => ({
    source: { subagent: { thread_spawn: { parent_thread_id: testId(1) } } },
    ...meta,
  });
  const forked = spawned({ forked_from_id: testId(1) });
  await withMessages([
    { messages: ["elephant"] },
    { messages: ["lion"], meta: spawned() },
    { messages: ["lion"], meta: spawned() },
    { messages: ["elephant", "tiger"], meta: forked },
    { messages: ["elephant", "giraffe"], meta: forked },
  ], async (index) => {
    const idsOf = async (query: string): Promise<string[]> =>
      (await find(index, query)).map(({ session_id }) => session_id).sort();
    assertEquals(await idsOf("lion"), [testId(2), testId(3)]);
    assertEquals(await idsOf("elephant"), [testId(1)]);
  });
});

Deno.test("searchSessions() returns a message once for each time it was sent", async () => {
  await withMessages(
    [{ messages: ["elephant", "no", "elephant"] }],
    async (index) => {
      assertEquals((await find(index, "elephant")).length, 2);
    },
  );
});

Deno.test("searchSessions() refreshes the index unless refresh is false", async () => {
  await withMessages([{ messages: ["elephant"] }], async (index) => {
    const id = testId(9);
    const started = "2026-02-02T00:00:00.000Z";
    await writeSession(index.codexHomes[0] ?? "", {
      id,
      started,
      message: "elephant",
    });
    assertEquals((await find(index, "elephant")).length, 1);
    const { hits, refresh } = await searchSessions({
      ...index,
      query: "elephant",
    });
    assertEquals([hits.length, refresh?.added], [2, 1]);
  });
});

Deno.test("searchSessions() ignores sessions of other homes in an index", async () => {
  await withMessages([{ messages: ["elephant"] }], async (index) => {
    const elsewhere = { ...index, codexHomes: ["/no/such/home"] };
    assertEquals(await find(elsewhere, "elephant"), []);
  });
});

Deno.test("searchSessions() returns the id and the title of a session in several files", async () => {
  await withFolder(async (folder) => {
    const { id, files } = await writeContinued(`${folder}/home`);
    const index = indexIn(folder);
    const hits = await find(index, "pear*", { refresh: true });
    assertEquals(hits.map(({ session_id }) => session_id), [id, id, id]);
    assertEquals(
      hits.map(({ rollout_path }) => rollout_path).sort(),
      files.map(({ path }) => path).sort(),
    );
    const titles = hits.map(({ title }) => title);
    assertEquals(titles, ["One pear", "One pear", "One pear"]);
  });
});

Deno.test("searchSessions() finds no turn that a client took back", async () => {
  await withFolder(async (folder) => {
    const { paths } = await writeReverted(`${folder}/home`);
    const index = indexIn(folder);
    const found = async (): Promise<string[]> =>
      (await find(index, "ripe", { refresh: true })).map(({ snippet }) =>
        snippet.map(({ text }) => text).join("")
      );
    const expected = ["Plums are ripe.", "Pears are ripe."];
    assertEquals(await found(), expected);
    // The last file takes back the one before it altogether.
    const [, second] = paths;
    const third = second.replace("T10-02", "T10-03")
      .replace("_01a0415a", "_01a0415b");
    const text = await Deno.readTextFile(second);
    await Deno.writeTextFile(third, text.replaceAll("Plums", "Figs"));
    assertEquals(await found(), ["Figs are ripe.", "Pears are ripe."]);
    await Deno.remove(third);
    assertEquals(await found(), expected);
  });
});

Deno.test("searchSessions() returns the name of a session whose first file is gone", async () => {
  await withFolder(async (folder) => {
    const { id, files } = await writeContinued(`${folder}/home`);
    const [first] = files;
    await Deno.remove(first?.path ?? "");
    const named = JSON.stringify({ id, thread_name: "Fruit" });
    await writeFile(`${folder}/home/session_index.jsonl`, `${named}\n`);
    const hits = await find(indexIn(folder), "pears", { refresh: true });
    assertEquals(hits.map(({ title }) => title), ["Fruit", "Fruit"]);
  });
});

Deno.test("searchSessions() sorts the files of one session newest first", async () => {
  await withFolder(async (folder) => {
    const { files } = await writeContinued(`${folder}/home`);
    const hits = await find(indexIn(folder), "done", { refresh: true });
    assertEquals(
      hits.map(({ rollout_path }) => rollout_path),
      files.map(({ path }) => path).reverse(),
    );
  });
});
