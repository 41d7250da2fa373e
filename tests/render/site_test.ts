import { assert, assertEquals } from "@std/assert";
import { SiteIndex, SiteSession } from "../../lib/render/site.ts";
import type { SessionPart } from "../../lib/render/parts.ts";
import { NO_TOKENS } from "../../lib/usage/tokens.ts";
import {
  assertAlone,
  assertPolicy,
  assertSound,
  withoutData,
} from "./sound_pages.ts";

const SESSION: SessionPart = {
  type: "session",
  thread_id: null,
  startedAt: "2026-01-02T03:04:05.000Z",
  cwd: "/w",
  model: "gpt-5",
  cli_version: null,
};

/** Makes a session with a message, whose page is written. */
function session(
  name: string,
  text: string,
  fields: Partial<SessionPart> = {},
): SiteSession {
  const made = new SiteSession(`${name}.html`, "", undefined, new Map());
  made.begin(name, { ...SESSION, ...fields });
  made.take({
    kind: "message",
    role: "assistant",
    author: null,
    recipient: null,
    text,
  });
  return made;
}

Deno.test("SiteIndex writes words, filters and sums of sessions, and escapes them", async () => {
  const evil = "</script><b>\u202e\u2028";
  const sessions = [
    session("old", "Fix the the parser", { startedAt: null, cwd: null }),
    session(evil, evil, { cwd: evil, model: evil }),
    session("new", "x".repeat(20_000), { startedAt: "2026-01-03T00:00:00Z" }),
  ];
  const index = new SiteIndex();
  for (const each of sessions) index.add(each);
  const row = { source: "a", parent_thread_id: null, turn_id: "1", cwd: null };
  const used = (
    thread_id: string,
    model: string | null,
    day: string | null,
  ) => ({
    ...row,
    ...NO_TOKENS,
    thread_id,
    model,
    day,
    input_tokens: 1000n,
    total_tokens: 1000n,
  });
  const text = [...index.write([
    used("1", "gpt-5", "2026-01-01"),
    used("1", "gpt-5", "2026-01-03"),
    used("2", evil, "2026-01-03"),
    used("3", null, null),
  ])].join("");
  const { page, data } = withoutData(text);
  assertSound(page, sessions.map(({ page }) => page));
  assertAlone(page);
  await assertPolicy(page);
  const outcome = null;
  assertEquals(data, [
    {
      cwd: "/w",
      model: "gpt-5",
      outcome,
      day: "2026-01-03",
      words: `new ${"x".repeat(500)}`,
    },
    {
      cwd: evil,
      model: evil,
      outcome,
      day: "2026-01-02",
      words: "/script",
    },
    { cwd: null, model: "gpt-5", outcome, words: "old fix the parser" },
  ]);
  assertEquals(
    [...page.matchAll(/<rect class="(m\d)" x="([\d.]+)%"[^>]* height="(\d+)"/g)]
      .map(([, look, x, height]) => [look, x, height]),
    [["m0", "90.333", "60"], ["m1", "97.000", "60"], ["m0", "97.000", "60"]],
  );
  assert(page.includes("<td>2</td>") === false);
  assert(page.includes("at most 2,000 a day"));
});

Deno.test("SiteSession keeps words of 16,000 characters at most", () => {
  const made = new SiteSession("a.html", "", undefined, new Map());
  for (let at = 0; at < 3000; at++) made.learn(`word${at} other${at}`);
  const words = made.giveWords(Infinity);
  assert(words.startsWith("word0 other0 word1 "));
  assert(words.length > 15_900 && words.length <= 16_000, `${words.length}`);
  made.learn("later");
  assertEquals(made.giveWords(Infinity), "");
});

Deno.test("SiteIndex draws days at their place in the calendar, at least 30 and at most 366", () => {
  const used = (day: string) => ({
    ...NO_TOKENS,
    source: "a",
    parent_thread_id: null,
    thread_id: "1",
    turn_id: "1",
    model: null,
    cwd: null,
    day,
    input_tokens: 1n,
    total_tokens: 1n,
  });
  const chartOf = (...days: string[]) => {
    const page = [...new SiteIndex().write(days.map(used))].join("");
    const start = /<figcaption><span>([^<]*)/.exec(page)?.[1];
    const places = [...page.matchAll(/<rect [^>]* x="([^"]*)"/g)]
      .map(([, x]) => x);
    return { start, places };
  };
  assertEquals(chartOf("2026-03-02"), {
    start: "2026-02-01",
    places: ["97.000%"],
  });
  assertEquals(chartOf("2026-01-01", "2026-01-09", "2026-03-01"), {
    start: "2026-01-01",
    places: ["0.167%", "13.500%", "98.500%"],
  });
  assertEquals(
    chartOf("2024-01-01", "2025-01-01", "2025-12-31", "2026-01-01"),
    {
      start: "2025-01-01",
      places: ["0.027%", "99.481%", "99.754%"],
    },
  );
});

Deno.test("SiteIndex writes a complete page without sessions", () => {
  const { page, data } = withoutData([...new SiteIndex().write([])].join(""));
  assertSound(page);
  assertAlone(page);
  assertEquals(data, []);
});
