/** Writes the index of a site: its sessions, a search over them, and the tokens they used. */

import { groupUsage } from "../usage/usage_groups.ts";
import { NO_SESSION } from "./transcript.ts";
import type { UsageRow } from "../usage/tokens.ts";
import {
  documentHead,
  type Hashes,
  PAGE_STYLE,
  type PageFact,
} from "./_html_page.ts";
import { TURN_ENDS } from "./_ends.ts";
import type { EntryView } from "./entry_view.ts";
import type { PageListing } from "./html.ts";
import { attributeText, elementText, linkHtml } from "./html_text.ts";
import type { SessionPart, TurnStatus } from "./parts.ts";
import { countedText, countText, durationText } from "./quantity_text.ts";

/** The file name of the index of a site, in the same folder as its pages. */
export const SITE_INDEX = "index.html";

/** The style sheet and script that the policy of the index allows. A test computes them anew. */
const INDEX_HASHES: Hashes = {
  style: "sha256-2SdrwIOGvp0mMlxKkvfLJpGkllWcyA3ycWDO7uGY6V4=",
  script: "sha256-sLYplKPddP8tMGsAgL8AU2EptRwjhR1r2MDo9YahFrw=",
};

/** The maximum length of the searchable words, of a session and of all, in UTF-16 code units. */
const MAX_WORDS = { session: 16_000, all: 16_000_000 };
/** The maximum length of a word, for languages without spaces between words. */
const MAX_WORD = 500;
/** The maximum length of the words of a session once the limit for all sessions is reached. */
const FEW_WORDS = 500;
/** The usual form of a thread id. An id of another form is not shown. */
const ID_REGEXP = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const BETWEEN_REGEXP = /[\s"'`()[\]{}<>,;=|*]+/;

/** The thread that a session was forked from, or spawned by. */
export interface SiteOrigin {
  /** The id of that thread. */
  readonly id: string;
  /** Whether the thread spawned the session as a sub-agent; otherwise, it is a fork. */
  readonly isAgent: boolean;
}

/** The result of a session. */
export interface SiteRun {
  /** The status of its last turn; `null` if it has none. */
  readonly outcome: TurnStatus | null;
  /** The tokens used; `null` if unknown. */
  readonly totalTokens: number | null;
  /** The duration of all its turns in milliseconds; `null` if unknown. */
  readonly durationMs: number | null;
}

/**
 * A session of a site. It collects data from its page for a row of the index; see
 * {@linkcode SiteIndex}.
 *
 * @example The words that the search finds it by
 * ```ts
 * import { SiteSession } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * const session = new SiteSession("run.html", "t", undefined, new Map());
 * session.begin("Fix the parser", undefined);
 * session.take({ kind: "reasoning", text: "not searched" });
 *
 * assertEquals(session.giveWords(100), "fix the parser");
 * ```
 */
export class SiteSession implements PageListing {
  /** Its forks and sub-agents. */
  readonly children: SiteSession[] = [];
  /** Its status, tokens and duration, which the caller sets. */
  run: SiteRun = { outcome: null, totalTokens: null, durationMs: null };
  /** Its title. */
  title = "";
  /** The facts of the session, redacted. */
  session: SessionPart | undefined;
  readonly #pages: ReadonlyMap<string, string>;
  readonly #words = new Set<string>();
  #room = MAX_WORDS.session;

  /**
   * Constructs a new instance.
   *
   * @param page The name of its page.
   * @param id The id of its thread.
   * @param origin The thread that it was forked from, or spawned by.
   * @param pages The pages of all threads, by lower-case id. It may be filled in later.
   */
  constructor(
    readonly page: string,
    readonly id: string,
    readonly origin: SiteOrigin | undefined,
    pages: ReadonlyMap<string, string>,
  ) {
    this.#pages = pages;
  }

  /** Links to its origin, its forks and sub-agents, and the index. */
  get facts(): PageFact[] {
    const { origin } = this;
    const origins = origin === undefined ? [] : [{
      name: origin.isAgent ? "Sub-agent of" : "Forked from",
      html: this.#linkTo(origin.id),
    }];
    const children = this.children.map((child) => ({
      name: child.origin?.isAgent ? "Sub-agent" : "Fork",
      html: this.#linkTo(child.id),
    }));
    const index = linkHtml(SITE_INDEX, "All sessions");
    return [...origins, ...children, { name: "Index", html: index }];
  }

  #linkTo(id: string): string {
    const name = ID_REGEXP.test(id) ? id : "session";
    const page = this.#pages.get(id.toLowerCase());
    const html = `<code>${elementText(name)}</code>`;
    return page === undefined ? html : linkHtml(page, html);
  }

  /**
   * Sets the title and the facts of the session.
   *
   * @param title The title of the page.
   * @param session The facts of the session; `undefined` if there is no session part.
   */
  begin(title: string, session: SessionPart | undefined): void {
    this.title = title;
    this.session = session;
    this.learn(title);
  }

  /**
   * Adds the words of an entry: of messages, commands, tool names and edited paths.
   *
   * @param view The view of the entry.
   */
  take(view: EntryView): void {
    switch (view.kind) {
      case "message":
        return this.learn(view.text);
      case "command":
        return this.learn(view.command);
      case "edit":
        return view.files.forEach(({ path }) => this.learn(path));
      case "explore":
        return view.looks.forEach(({ command }) => this.learn(command));
      case "tool":
        return this.learn(view.title);
    }
  }

  /**
   * Adds the words of a text.
   *
   * @param text The text.
   */
  learn(text: string): void {
    if (this.#room <= 0) return;
    // Text beyond the limit could not be kept, so it is not split.
    const words = text.slice(0, MAX_WORDS.session).toLowerCase();
    for (const each of words.split(BETWEEN_REGEXP)) {
      const word = each.slice(0, MAX_WORD);
      if (word.length < 2 || this.#words.has(word)) continue;
      this.#room -= word.length + 1;
      if (this.#room <= 0) return;
      this.#words.add(word);
    }
  }

  /**
   * Returns the words that the search finds the session by, and frees their memory. No words can
   * be added afterwards.
   *
   * @param max The maximum length of all words together, in UTF-16 code units.
   * @returns The words, in lower case, separated by spaces.
   */
  giveWords(max: number): string {
    const words = [...this.#words].join(" ").slice(0, max);
    this.#words.clear();
    this.#room = 0;
    return words;
  }
}

/**
 * The index of a site. Sessions are added one after the other, when their pages are written. For
 * each, the index holds its row and up to 16,000 characters of words.
 *
 * @example A site of one session
 * ```ts
 * import { HtmlRenderer, SiteIndex, SiteSession } from "@codexpipe/codexpipe/render";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const session = new SiteSession("run.html", "t", undefined, new Map([["t", "run.html"]]));
 * const renderer = new HtmlRenderer({ listing: session });
 * let page = "";
 * // Here, the renderer would be fed with the parts of a transcript.
 * renderer.flush((text) => page += text);
 *
 * const index = new SiteIndex();
 * index.add(session);
 *
 * assertStringIncludes(page, '<a href="index.html">');
 * assertStringIncludes([...index.write([])].join(""), '<a href="run.html">');
 * ```
 */
export class SiteIndex {
  /** The sessions, with the words that the search finds each by. */
  readonly #words = new Map<SiteSession, string>();
  #length = 0;

  /**
   * Adds a session whose page is written.
   *
   * @param session The session, whose words are moved to the index.
   */
  add(session: SiteSession): void {
    const isMuch = this.#length > MAX_WORDS.all;
    const words = session.giveWords(isMuch ? FEW_WORDS : MAX_WORDS.session);
    this.#length += words.length;
    this.#words.set(session, words);
  }

  /**
   * Writes the index.
   *
   * @param usage The tokens used by the sessions: the rows of a `UsageMeter`.
   * @returns The text of the index, in pieces.
   */
  *write(usage: readonly UsageRow[]): Generator<string, void, void> {
    const sessions = this.#inOrder();
    const models = new Set(sessions.map(({ session: { model } }) => model));
    const folders = new Set(sessions.map(({ session: { cwd } }) => cwd));
    yield `${documentHead("Codex sessions", INDEX_STYLE, INDEX_HASHES)}<body>
<a class="skip" href="#list">Skip to the sessions</a>
<header class="head">
<h1>Codex sessions</h1>
</header>
<main id="main">
${
      usageHtml(usage)
    }<div class="bar" id="bar" role="search" aria-label="Sessions" hidden>
<label>Search <input id="find" type="search" autocomplete="off" spellcheck="false"></label>
${choiceHtml("project", "Project", folders)}${
      choiceHtml("model", "Model", models)
    }<label>Outcome <select id="outcome"><option value="">all</option>${
      Object.entries(TURN_ENDS).filter(([, [, words]]) => words !== "")
        .map(([value, [, words]]) =>
          `<option value="${value}">${words}</option>`
        ).join("")
    }</select></label>
<label>From <input id="from" type="date"></label>
<label>To <input id="to" type="date"></label>
<output id="count" aria-live="polite"></output>
</div>
<h2>${countedText(sessions.length, "session")}</h2>
<ol class="list" id="list">
`;
    for (const each of sessions) yield rowHtml(each);
    yield `</ol>
</main>
<footer class="foot">Written by codexpipe. Times are UTC.</footer>
<script type="application/json" id="data">[
`;
    for (
      const [i, { site, session: { cwd, model, startedAt } }] of sessions
        .entries()
    ) {
      const { outcome } = site.run;
      const day = startedAt?.slice(0, 10);
      const words = this.#words.get(site);
      yield `${i === 0 ? "" : ",\n"}${
        inertJson({ cwd, model, outcome, day, words })
      }`;
    }
    yield `
]</script>
<script>${INDEX_SCRIPT}</script>
</body>
</html>
`;
  }

  /** Sorts sessions: the newest first, forks and sub-agents after their origin. */
  #inOrder(): Row[] {
    const timeOf = ({ session, page }: SiteSession): string =>
      `${session?.startedAt ?? ""} ${page}`;
    const isLater = (a: SiteSession, b: SiteSession): number =>
      timeOf(a) < timeOf(b) ? 1 : -1;
    const left = new Set([...this.#words.keys()].sort(isLater));
    const rows: Row[] = [];
    const add = (site: SiteSession, depth: number): void => {
      if (!left.delete(site)) return;
      const session = site.session ?? NO_SESSION;
      rows.push({ site, session, depth });
      const children = [...site.children].sort(isLater).reverse();
      for (const child of children) add(child, depth + 1);
    };
    const isChild = new Set([...left].flatMap(({ children }) => children));
    for (const site of left) if (!isChild.has(site)) add(site, 0);
    // Sessions that name each other as origin were skipped by the loop before.
    for (const site of left) add(site, 0);
    return rows;
  }
}

interface Row {
  readonly site: SiteSession;
  readonly session: SessionPart;
  readonly depth: number;
}

function rowHtml({ site, session, depth }: Row): string {
  const { run: { outcome, totalTokens, durationMs }, origin, title } = site;
  const { startedAt, cwd, model } = session;
  const [sign, words, look] = TURN_ENDS[outcome ?? "unknown"];
  const facts = [
    startedAt === null
      ? ""
      : elementText(startedAt.slice(0, 16).replace("T", " ")),
    origin === undefined ? "" : origin.isAgent ? "sub-agent" : "fork",
    sign === "" ? "" : `<span class="${look}">${sign} ${words}</span>`,
    cwd === null ? "" : `<code>${elementText(cwd)}</code>`,
    model === null ? "" : elementText(model),
    totalTokens === null ? "" : countedText(totalTokens, "token"),
    durationMs === null ? "" : durationText(durationMs),
  ].filter((fact) => fact !== "").map((fact) => `<span>${fact}</span>`);
  return `<li class="d${Math.min(depth, 4)}"><span dir="auto">${
    linkHtml(site.page, elementText(title))
  }</span><small>${facts.join(" ")}</small></li>\n`;
}

function choiceHtml(
  id: string,
  label: string,
  values: ReadonlySet<string | null>,
): string {
  const options = [...values].filter((value) => value !== null).sort()
    .map((value) =>
      `<option value="${attributeText(value)}">${attributeText(value)}</option>`
    );
  return `<label>${label} <select id="${id}"><option value="">all</option>${
    options.join("")
  }</select></label>\n`;
}

/** Writes JSON with escapes for all characters that HTML interprets, or that are invisible. */
function inertJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&'`\u2028\u2029]|\p{C}/gu,
    (found) =>
      found.split("").map((unit) =>
        `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
      ).join(""),
  );
}

// The usage of tokens.

const MAX_SHOWN_MODELS = 6;
/** The least and the most days in the chart, up to the last day with tokens. */
const CHART_DAYS = { least: 30, most: 366 };
const CHART_HEIGHT = 120;

function usageHtml(rows: readonly UsageRow[]): string {
  const groups = groupUsage(rows, ["model"]).filter(({ tokens }) =>
    tokens.total_tokens > 0n
  ).sort((a, b) => Number(b.tokens.total_tokens - a.tokens.total_tokens));
  if (groups.length === 0) return "";
  const names = groups.map(({ row }) => row.model);
  const lookOf = (model: string | null): string =>
    `m${Math.min(names.indexOf(model), MAX_SHOWN_MODELS)}`;
  const lines = groups.map(({ row, threads, tokens }) =>
    `<tr><th scope="row"><i class="${lookOf(row.model)}"></i>${
      elementText(row.model ?? "unknown")
    }</th>${
      [
        threads,
        tokens.input_tokens,
        tokens.cached_input_tokens,
        tokens.output_tokens,
        tokens.total_tokens,
      ].map((count) => `<td>${countText(count)}</td>`).join("")
    }</tr>\n`
  );
  return `<section class="used" aria-labelledby="used">
<h2 id="used">Tokens by day and model</h2>
${
    daysHtml(rows, lookOf)
  }<div class="table" tabindex="0" role="region" aria-label="Tokens by model"><table>
<tr><th scope="col">Model</th><th scope="col">Threads</th><th scope="col">In</th><th scope="col">Cached</th><th scope="col">Out</th><th scope="col">All</th></tr>
${lines.join("")}</table></div>
</section>
`;
}

const DAY_MS = 86_400_000;

/** Draws a bar for each day with tokens, stacked by model, at its place in the calendar. */
function daysHtml(
  rows: readonly UsageRow[],
  lookOf: (model: string | null) => string,
): string {
  const days = groupUsage(rows, ["day"])
    .map(({ row: { day }, rows, tokens: { total_tokens } }) => ({
      at: Date.parse(day ?? "") / DAY_MS,
      day: day ?? "",
      rows,
      total: Number(total_tokens),
    })).filter(({ at, total }) => !Number.isNaN(at) && total > 0);
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return "";
  const { least, most } = CHART_DAYS;
  const length = Math.min(most, Math.max(least, last.at - first.at + 1));
  const start = last.at + 1 - length;
  const shown = days.filter(({ at }) => at >= start);
  const top = shown.reduce((top, { total }) => Math.max(top, total), 1);
  const width = 100 / length;
  const bars = shown.map(({ at, day, rows }) => {
    let y = CHART_HEIGHT;
    const parts = groupUsage(rows, ["model"]).map(
      ({ row: { model }, tokens }) => {
        const count = tokens.total_tokens;
        const height = Number((Number(count) / top * CHART_HEIGHT).toFixed(2));
        y -= height;
        return `<rect class="${lookOf(model)}" x="${
          ((at - start + 0.1) * width).toFixed(3)
        }%" width="${(width * 0.8).toFixed(3)}%" y="${
          Math.max(0, y).toFixed(2)
        }" height="${height}"><title>${elementText(`${day}: `)}${
          countText(count)
        } tokens, ${attributeText(model ?? "unknown")}</title></rect>`;
      },
    );
    return parts.join("");
  });
  const [startDay, endDay] = [start, last.at].map((at) =>
    new Date(at * DAY_MS).toISOString().slice(0, 10)
  );
  return `<figure><svg height="${CHART_HEIGHT}" role="img" aria-label="Tokens on ${
    countedText(shown.length, "day")
  } from ${startDay} to ${endDay}, at most ${countText(top)}">
${bars.join("\n")}
</svg>
<figcaption><span>${startDay}</span><span>at most ${
    countText(top)
  } a day</span><span>${endDay}</span></figcaption></figure>
`;
}

const INDEX_STYLE = `${PAGE_STYLE}
body{display:block;max-width:76rem;margin-inline:auto}
main{max-width:none}
h2{font-size:1.0625rem;font-weight:650;margin-block:1.5rem .5rem}
.bar{margin-inline:calc(-1*clamp(1rem,4vw,2rem));margin-top:1.5rem}
.bar[hidden]{display:none}
.bar label{color:var(--soft)}
.bar input,.bar select{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.125rem .375rem;max-width:14rem}
.bar output{color:var(--soft);font-variant-numeric:tabular-nums}
@media (max-width:40rem){.bar{position:static}.bar label{display:grid;align-items:baseline;grid-template-columns:5rem 1fr;flex:1 1 100%}.bar input,.bar select{max-width:none;min-width:0}}
.list{list-style:none;padding:0;border:1px solid var(--line);border-radius:8px;background:var(--card)}
.list li{padding:.5rem .75rem;border-top:1px solid var(--line);content-visibility:auto;contain-intrinsic-size:auto 4rem}
.list li:first-child{border-top:0}
.list small{display:flex;flex-wrap:wrap;gap:0 1rem;font-variant-numeric:tabular-nums}
.list .d1{padding-left:2rem}.list .d2{padding-left:3.25rem}.list .d3{padding-left:4.5rem}.list .d4{padding-left:5.75rem}
.used figure{margin-bottom:1rem}
.used svg{display:block;width:100%;border-bottom:1px solid var(--line)}
.used figcaption{display:flex;justify-content:space-between;gap:1rem;color:var(--soft);font-size:.8125rem;font-variant-numeric:tabular-nums}
.used figcaption span:nth-child(odd){white-space:nowrap}
.used .table{overflow:auto}
.used table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
.used th,.used td{white-space:nowrap;text-align:right;padding:.125rem .75rem;border-bottom:1px solid var(--line)}
.used th:first-child{text-align:left;padding-left:0}
.used [scope=row]{font-weight:400}
.used i{display:inline-block;width:.75rem;height:.75rem;border-radius:2px;margin-right:.5rem}
.m0{fill:var(--accent);background:var(--accent)}.m1{fill:var(--edit);background:var(--edit)}.m2{fill:var(--tool);background:var(--tool)}
.m3{fill:var(--warn);background:var(--warn)}.m4{fill:var(--ok);background:var(--ok)}.m5{fill:var(--bad);background:var(--bad)}.m6{fill:var(--think);background:var(--think)}
`;

/** The script of the index, which shows the sessions that match the search and the filters. */
const INDEX_SCRIPT = `
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent), list = $("list"), rows = [...list.children];
const [find, project, model, outcome, from, to] = ["find", "project", "model", "outcome", "from", "to"].map($);
const is = (choice, value) => choice.value === "" || choice.value === value;
const show = () => {
  const words = find.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const shown = rows.filter((_, i) => {
    const each = data[i], day = each.day ?? "";
    return is(project, each.cwd) && is(model, each.model) && is(outcome, each.outcome) &&
      (from.value === "" || day >= from.value) && (to.value === "" || day !== "" && day <= to.value) &&
      words.every((word) => each.words.includes(word));
  });
  // Hiding each row by itself would take browsers a hundred times as long.
  list.replaceChildren(...shown);
  $("count").textContent = shown.length === rows.length ? "" : shown.length + " of " + rows.length;
};
$("bar").hidden = false;
$("bar").addEventListener("input", show);
// Browsers restore the chosen filters when the reader comes back to the page.
addEventListener("pageshow", show);
})();
`;
