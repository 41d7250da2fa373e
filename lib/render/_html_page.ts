/** The page around a transcript: head, style sheet, script, toolbar and table of turns. */

import { attributeText, elementText } from "./html_text.ts";

/** SHA-256 of the style sheet and script that the policy allows. A test computes them anew. */
const PAGE_HASHES: Hashes = {
  style: "sha256-Ch5P1rQXBquXzzsbtVvCF3tgVL03vzsOfYU949o1ewk=",
  script: "sha256-QKQzDjLeIlxEVx68MVtpophHLXZwloNe9aZqeVdI3eM=",
};

export interface Hashes {
  readonly style: string;
  readonly script: string;
}

/** Writes a document up to the end of its head. */
export function documentHead(
  title: string,
  style: string,
  hashes: Hashes,
): string {
  // The policy blocks all loading, and all scripts but that of the page, even for markup in a
  // message that got past every escape.
  const policy = [
    "default-src 'none'",
    "img-src data:",
    `style-src '${hashes.style}'`,
    `script-src '${hashes.script}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="generator" content="codexpipe">
<title>${attributeText(title)}</title>
<style>${style}</style>
</head>
`;
}

/** A fact in the head of a page. */
export interface PageFact {
  /** The name. */
  readonly name: string;
  /** The value, as HTML. */
  readonly html: string;
}

/** The head of a page, above the transcript. */
export interface PageHead {
  /** The heading, which is also the title of the document; not escaped. */
  readonly title: string;
  readonly facts: readonly PageFact[];
}

export function factsHtml(facts: readonly PageFact[]): string {
  if (facts.length === 0) return "";
  const items = facts.map(({ name, html }) =>
    `<div><dt>${name}</dt><dd>${html}</dd></div>\n`
  );
  return `<dl class="facts">\n${items.join("")}</dl>\n`;
}

/** Writes all HTML before the first turn. */
export function pageStart({ title, facts }: PageHead): string {
  // The inputs precede the transcript, so that CSS can select entries by the one that is checked.
  return `${documentHead(title, PAGE_STYLE, PAGE_HASHES)}<body>
<a class="skip" href="#main">Skip to the transcript</a>
<a class="skip" href="#turns">Skip to the table of turns</a>
<input class="show" type="radio" name="show" id="show-all" aria-label="Show: All" checked>
<input class="show" type="radio" name="show" id="show-talk" aria-label="Show: Messages">
<input class="show" type="radio" name="show" id="show-work" aria-label="Show: Work">
<input class="show" type="radio" name="show" id="show-bad" aria-label="Show: Failures">
<header class="head">
<h1 dir="auto">${elementText(title)}</h1>
${factsHtml(facts)}</header>
<div class="bar">
<div class="find" role="search" hidden><input id="find" type="search" placeholder="Find on this page" aria-label="Find on this page" aria-describedby="count" autocomplete="off" spellcheck="false"><output id="count" for="find" aria-live="polite"></output></div>
<div class="pick"><label for="show-all">All</label><label for="show-talk">Messages</label><label for="show-work">Work</label><label for="show-bad">Failures</label></div>
<div class="acts" hidden><button type="button" id="unfold">Unfold all</button><button type="button" id="fold">Fold all</button></div>
</div>
<main id="main">
`;
}

export interface PageTurn {
  /** The id of its element. */
  readonly target: string;
  readonly turn: number;
  /** The topic, in one line, as HTML. */
  readonly html: string;
  /** Status, duration and work, in one line, as HTML. */
  readonly summaryHtml: string;
}

/** Writes all HTML after the last turn: the table of turns, and the script. */
export function pageEnd(
  turns: readonly PageTurn[],
  unlisted: number,
  summaryHtml: string,
): string {
  const rows = turns.map(({ target, turn, html, summaryHtml }) =>
    `<li><a href="#${target}"><span class="num">${turn}</span><span class="what" dir="auto">${html}</span><small>${summaryHtml}</small></a></li>\n`
  );
  const more = unlisted === 0
    ? ""
    : `<p>${unlisted} more turns are not listed.</p>\n`;
  const list = rows.length === 0 ? "" : `<ol>\n${rows.join("")}</ol>\n`;
  return `</main>
<nav class="turns" id="turns" aria-label="Turns"><div>
<h2>Turns</h2>
${list}${more}<p>${summaryHtml}</p>
</div></nav>
<footer class="foot">Written by codexpipe. Times are UTC.</footer>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

/**
 * The whole style sheet of the page. `style` attributes cannot be used, since the content security
 * policy allows only this style sheet.
 *
 * Turns and groups of entries that are off the screen are not laid out (`content-visibility`), and
 * no selector depends on descendants (`:has`). Without either, a page of some ten thousand entries
 * took a minute to load instead of seconds.
 */
export const PAGE_STYLE = `
:root{color-scheme:light dark;
--page:#f7f6f3;--card:#fff;--sunk:#f1efeb;--ink:#22262b;--soft:#5c646e;--line:#dfdcd5;
--accent:#3a5ccc;--tint:#eef1fc;--ok:#126b2e;--bad:#c4232d;--badtint:#fdf0ef;--warn:#8f5b00;--warntint:#fdf6e3;
--run:#57606a;--edit:#0b7285;--tool:#7a3fd1;--think:#8d8577;--add:#dff5e3;--del:#fde4e1;--addink:#0f5323;--delink:#8a1c15;
--sans:ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,sans-serif;
--mono:ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace}
@media screen and (prefers-color-scheme:dark){:root{
--page:#131518;--card:#1b1e22;--sunk:#16181c;--ink:#e4e4e0;--soft:#9ba3ad;--line:#31363d;
--accent:#8ea6ff;--tint:#1f2538;--ok:#56c271;--bad:#ff7b72;--badtint:#2d1c1d;--warn:#e0a94a;--warntint:#2a2418;
--run:#a3adb8;--edit:#4fc3d6;--tool:#c39bff;--think:#a89f90;--add:#16301d;--del:#3a1d1d;--addink:#a6e5b4;--delink:#ffb8b0}}
*{box-sizing:border-box}
html{scroll-padding-top:4.5rem;-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.6 var(--sans);overflow-wrap:anywhere;
display:grid;grid-template-columns:minmax(0,1fr);grid-template-areas:"head" "bar" "nav" "main" "foot"}
a{color:var(--accent);text-underline-offset:.15em;text-decoration-thickness:.06em}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
h1,h2,h3,h4,h5,h6,p,ul,ol,dl,dd,table,blockquote,pre,figure{margin:0}
code,pre,kbd{font-family:var(--mono);font-size:.8125rem;font-variant-ligatures:none;tab-size:4}
pre{white-space:pre-wrap;line-height:1.5}
small{font-size:.8125rem;color:var(--soft)}
time,.num{font-variant-numeric:tabular-nums}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.5rem;z-index:9;background:var(--card);padding:.5rem 1rem}

.head,.bar,main,.turns,.foot{padding-inline:clamp(1rem,4vw,2rem)}
.head{grid-area:head;padding-block:2rem 1rem;max-width:76rem}
h1{font-size:clamp(1.35rem,1rem + 1.6vw,1.9rem);line-height:1.25;letter-spacing:-.015em;font-weight:650;text-wrap:balance}
.facts{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin-top:.75rem;font-size:.875rem}
.facts div{display:flex;gap:.5em;min-width:0}
.facts dt{flex:none;color:var(--soft)}
.facts dd{min-width:0}

.bar{grid-area:bar;position:sticky;top:0;z-index:2;display:flex;flex-wrap:wrap;align-items:center;gap:.375rem 1.25rem;padding-block:.5rem;
background:color-mix(in srgb,var(--page) 88%,transparent);backdrop-filter:blur(8px);border-block:1px solid var(--line);font-size:.875rem}
.find{display:flex;align-items:center;gap:.5rem;flex:1 1 14rem;max-width:30rem}
.find[hidden],.acts[hidden]{display:none}
.find input{flex:1;min-width:0;font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.25rem .625rem}
.find output{color:var(--soft);white-space:nowrap;font-variant-numeric:tabular-nums}
.pick{display:flex;flex-wrap:wrap;gap:.125rem}
.pick label{padding:.125rem .625rem;border-radius:6px;color:var(--soft);cursor:pointer}
.pick label:hover{color:var(--ink)}
.show{position:fixed;top:0;left:0;opacity:0;pointer-events:none}
#show-all:checked~.bar [for=show-all],#show-talk:checked~.bar [for=show-talk],#show-work:checked~.bar [for=show-work],#show-bad:checked~.bar [for=show-bad]{background:var(--card);color:var(--ink);box-shadow:0 0 0 1px var(--line)}
#show-all:focus-visible~.bar [for=show-all],#show-talk:focus-visible~.bar [for=show-talk],#show-work:focus-visible~.bar [for=show-work],#show-bad:focus-visible~.bar [for=show-bad]{outline:2px solid var(--accent)}
button{font:inherit;color:var(--soft);background:none;border:1px solid var(--line);border-radius:6px;padding:.125rem .625rem;cursor:pointer}
button:hover{color:var(--ink);background:var(--card)}
.acts{display:flex;gap:.375rem}

.turns{grid-area:nav;padding-block:1rem;font-size:.875rem;line-height:1.4}
.turns h2{font-size:.8125rem;font-weight:600;color:var(--soft);margin-bottom:.375rem}
.turns ol{list-style:none;padding:0;max-height:14rem;overflow:auto;overscroll-behavior:contain;border:1px solid var(--line);border-radius:8px;background:var(--card)}
.turns li{content-visibility:auto;contain-intrinsic-size:auto 3.5rem}
.turns li+li{border-top:1px solid var(--line)}
.turns li a{display:grid;grid-template-columns:2.25em minmax(0,1fr);padding:.4rem .625rem;color:inherit;text-decoration:none}
.turns li a:hover{background:var(--tint)}
.turns li .num{color:var(--soft)}
.turns li .what{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.turns li small{grid-column:2;display:block}
.turns p{margin-top:.5rem;color:var(--soft);font-size:.8125rem}
main{grid-area:main;padding-block:.5rem 3rem;min-width:0;max-width:60rem}
.foot{grid-area:foot;padding-block:1.5rem;color:var(--soft);font-size:.8125rem;border-top:1px solid var(--line)}
@media (min-width:68rem){
body{grid-template-columns:minmax(0,19rem) minmax(0,1fr);grid-template-rows:auto auto 1fr auto;grid-template-areas:"head head" "bar bar" "nav main" "foot foot"}
.turns{padding-right:0}
.turns>div{position:sticky;top:4rem;max-height:calc(100vh - 5rem);display:flex;flex-direction:column}
.turns ol{max-height:none}}

.turn,.g{content-visibility:auto;contain-intrinsic-size:auto 50rem;padding-inline:1rem;margin-inline:-1rem}
.turn{display:flex;flex-direction:column;margin-top:1.75rem}
.turn>h2{font-size:1.0625rem;font-weight:650;line-height:1.4;display:flex;align-items:baseline;gap:.75rem;border-bottom:1px solid var(--line);padding-bottom:.375rem}
.turn>h2 a,.who a{color:inherit;text-decoration:none}
:is(.turn>h2 a,.who a):is(:hover,:focus-visible){text-decoration:underline}
.pin{position:absolute;width:1rem;margin:1.125rem 0 0 -1rem;text-align:center;color:var(--soft);font-size:.875rem;line-height:1.5;text-decoration:none}
.turn>h2 time,.turn>h2 small{font-weight:400;font-size:.8125rem;color:var(--soft)}
.entries{order:2;min-width:0}
.sum{order:1;padding:.5rem 0 .25rem;font-size:.8125rem;color:var(--soft)}
.sum .is{font-weight:600}
.sum ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:0 1.125rem}
.ok{color:var(--ok)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.why{margin-top:.25rem;color:var(--bad)}

.line{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:0 .875rem;margin:.5rem 0;font-size:.6875rem;line-height:18px}
.line svg{display:block;width:100%;overflow:visible}
.line .ends{grid-column:2;display:flex;justify-content:space-between;gap:1rem;border-top:1px solid var(--line);font-variant-numeric:tabular-nums}
.line a{cursor:pointer}
.line line{stroke-width:9;stroke-linecap:round;opacity:.85}
.line a:hover line,.line a:focus-visible line{opacity:1;stroke-width:13}
.line .rail{stroke:var(--line);stroke-width:1;opacity:1}
.l-user{stroke:var(--accent)}.l-say{stroke:var(--ink)}.l-think{stroke:var(--think)}.l-run{stroke:var(--run)}
.l-edit{stroke:var(--edit)}.l-tool{stroke:var(--tool)}.l-bad{stroke:var(--bad)}.l-in{fill:var(--think)}.l-out{fill:var(--accent)}

.e{margin-top:.75rem}
.e:target{outline:2px solid var(--accent);outline-offset:3px;border-radius:8px}
.e>h3,.e>summary,.e>.row{font-size:.8125rem;font-weight:400;line-height:1.5;display:flex;align-items:baseline;gap:.625rem;min-width:0}
.e>h3 .who{font-weight:650}
.e>h3 time,.e .meta{margin-left:auto;color:var(--soft);font-size:.75rem;white-space:nowrap;font-variant-numeric:tabular-nums;display:flex;gap:.75em}
.e.user{background:var(--tint);border-left:3px solid var(--accent);border-radius:0 8px 8px 0;padding:.625rem .875rem}
.e.user .who{color:var(--accent)}
.e.user .text{white-space:pre-wrap}
.e.say{padding:.25rem 0}
.e.error{background:var(--badtint);border-left:3px solid var(--bad);border-radius:0 8px 8px 0;padding:.625rem .875rem}
.e.error .who{color:var(--bad)}
.e.note{background:var(--warntint);border-left:3px solid var(--warn);border-radius:0 8px 8px 0;padding:.625rem .875rem}
.e.note .who{color:var(--warn)}
.e.aside{color:var(--soft);font-size:.875rem}
.e.plan{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.625rem .875rem}
.plan ul{list-style:none;padding:0;margin-top:.25rem}
.plan li{display:grid;grid-template-columns:1.5em minmax(0,1fr)}
.plan .complete{color:var(--soft);text-decoration:line-through;text-decoration-color:var(--line)}
.plan .in_progress{font-weight:600}

.box{background:var(--card);border:1px solid var(--line);border-radius:8px}
.box>summary,.box>.row{padding:.4rem .75rem;list-style:none}
.box>summary{cursor:pointer;border-radius:8px}
.box>summary::-webkit-details-marker{display:none}
.box>summary:hover{background:var(--sunk)}
.box>summary::after{content:"";flex:none;align-self:center;width:.4rem;height:.4rem;border:solid var(--soft);border-width:0 1.5px 1.5px 0;transform:rotate(45deg) translate(-2px,-2px);margin-left:.125rem}
.box[open]>summary::after{transform:rotate(225deg) translate(-2px,-2px)}
.box[open]>summary{border-radius:8px 8px 0 0}
.box .sign{flex:none;font-family:var(--mono);font-weight:700;color:var(--run);user-select:none}
.box .one{flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.box[open]>summary .one{white-space:normal}
.box.edit .sign{color:var(--edit)}.box.tool .sign{color:var(--tool)}.box.think .sign{color:var(--think)}
.box.failed{border-color:color-mix(in srgb,var(--bad) 45%,var(--line))}
.box.failed .sign{color:var(--bad)}
.box.think>summary{color:var(--soft)}
.box>.in{padding:.625rem .875rem;border-top:1px solid var(--line)}
.box pre{border-top:1px solid var(--line);background:var(--sunk);padding:.625rem .875rem;max-height:70vh;overflow:auto}
.box pre:last-child{border-radius:0 0 8px 8px}
.box pre.cmd{background:none}
.box .cut{padding:.375rem .875rem;border-top:1px solid var(--line);color:var(--soft);font-size:.8125rem}
.shot{padding:.625rem .875rem;border-top:1px solid var(--line)}
.shot img{display:block;max-width:100%;max-height:70vh}
.box h4{font-size:.8125rem;font-weight:400;padding:.375rem .875rem;border-top:1px solid var(--line);display:flex;gap:.625rem}
.box dl{padding:.5rem .875rem;border-top:1px solid var(--line);font-size:.8125rem;display:grid;grid-template-columns:fit-content(40%) minmax(0,1fr);gap:.125rem .875rem;align-items:baseline}
.box dt{color:var(--soft)}
.box dd{font-family:var(--mono);white-space:pre-wrap}
.plus{color:var(--ok)}.minus{color:var(--bad)}

.md>*{margin-top:.75rem}
.md h4,.md h5,.md h6{font-size:1rem;font-weight:650;margin-top:1.125rem}
.md>:first-child{margin-top:0}
.md h4{font-size:1.0625rem}
.md ul,.md ol{padding-left:1.5rem}
.md li+li{margin-top:.2rem}
.md li>*{margin-top:.3rem}
.md code{background:var(--sunk);border:1px solid var(--line);border-radius:4px;padding:.05em .3em}
.md pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.75rem .875rem;overflow:auto}
.md blockquote{border-left:3px solid var(--line);padding-left:.875rem;color:var(--soft)}
.md table{display:block;max-width:100%;overflow:auto;border-collapse:collapse;font-size:.9375rem}
.md th,.md td{border:1px solid var(--line);padding:.25rem .625rem;text-align:left;vertical-align:top;overflow-wrap:break-word}
.md th[align=right],.md td[align=right]{text-align:right}
.md th[align=center],.md td[align=center]{text-align:center}
.md th{background:var(--sunk);font-weight:600}
.md hr{border:0;border-top:1px solid var(--line)}
.diff ins,.diff del{text-decoration:none;display:inline-block;min-width:100%}
.diff ins{background:var(--add);color:var(--addink)}
.diff del{background:var(--del);color:var(--delink)}
.diff b{font-weight:400;color:var(--edit)}
.mark{font-style:normal;color:var(--warn);font-size:.85em;user-select:all}
.gap{margin:1.5rem 0;text-align:center;color:var(--soft);font-size:.8125rem;display:flex;align-items:center;gap:1rem}
.gap::before,.gap::after{content:"";flex:1;border-top:1px dashed var(--line)}

#show-talk:checked~main .e:not(.user,.say,.error,.note),
#show-work:checked~main .e:not(.exec,.edit,.tool,.plan,.error),
#show-bad:checked~main .e:not(.failed,.error){display:none}
.box,.md{position:relative}
.copy{position:absolute;z-index:1;right:.5rem;margin-top:.375rem;background:var(--card);font-size:.75rem}
.md>.copy{margin-top:1.125rem}.md>.copy:first-child{margin-top:.375rem}.md>.copy:first-child+pre{margin-top:0}
::highlight(found){background:#ffe08a;color:#1b1b1b}
.now{outline:2px solid var(--warn);outline-offset:3px;border-radius:8px}

@media print{
:root{--page:#fff;--card:#fff;--sunk:#f6f6f6;--ink:#000;--soft:#444;--line:#bbb;--tint:#f3f5ff;color-scheme:light}
.bar,.turns,.copy,.skip,.line,.pin{display:none}
body{display:block;font-size:10pt}
.turn,.g{content-visibility:visible}
.e{break-inside:avoid-page}
details.e,.e.say{break-inside:auto}
details::details-content{content-visibility:visible;block-size:auto;display:block}
.box pre{max-height:none;overflow:visible}
.box .one{white-space:normal}
h2,h3,summary{break-after:avoid}
main,.head{max-width:none}}
@media (max-width:48rem){html{scroll-padding-top:6rem}}
@media (max-width:40rem){.e .meta .at,.sum .detail,.acts{display:none}.head{padding-top:1.25rem}}
`;

/**
 * The whole script of the page: it searches as the reader types, folds and unfolds all entries,
 * copies code, and links to the entry under the pointer or the focus.
 *
 * The search goes through the entries in slices, so that typing is never blocked. Matches are
 * marked with the highlight API if the browser has it; no text is ever inserted as HTML.
 */
const PAGE_SCRIPT = `
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const box = $("find"), count = $("count"), form = box.closest(".find");
const canMark = typeof Highlight === "function" && CSS.highlights !== undefined;
let hits = [], at = -1, run = 0, opened = [];

// The selectors of the style sheet: computed styles would force the layout of hidden entries.
const SHOWN = { "show-talk": ".user,.say,.error,.note", "show-work": ".exec,.edit,.tool,.plan,.error", "show-bad": ".failed,.error" };
const entries = () => document.querySelectorAll("main .e");
const fold = (open) => {
  for (const e of document.querySelectorAll("main details")) e.open = open;
};
const reveal = (element) => {
  for (let e = element; e; e = e.parentElement) {
    if (e.localName === "details" && !e.open) { e.open = true; opened.push(e); }
  }
};
const unmark = () => {
  if (canMark) CSS.highlights.delete("found");
  for (const e of document.querySelectorAll(".now")) e.classList.remove("now");
};
const rangesIn = (element, query) => {
  const ranges = [], walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < 500; node = walker.nextNode()) {
    const text = node.data.toLowerCase();
    if (text.length !== node.data.length) continue;
    for (let i = text.indexOf(query); i >= 0 && ranges.length < 500; i = text.indexOf(query, i + query.length)) {
      const range = document.createRange();
      range.setStart(node, i);
      range.setEnd(node, i + query.length);
      ranges.push(range);
    }
  }
  return ranges;
};
const show = (index) => {
  unmark();
  for (const e of opened) e.open = false;
  opened = [];
  if (hits.length === 0) return;
  at = (index + hits.length) % hits.length;
  const hit = hits[at];
  reveal(hit);
  hit.classList.add("now");
  const ranges = rangesIn(hit, box.value.trim().toLowerCase());
  if (canMark && ranges.length > 0) CSS.highlights.set("found", new Highlight(...ranges));
  const first = ranges[0] && ranges[0].startContainer.parentElement;
  (first ?? hit).scrollIntoView({ block: "center", behavior: "instant" });
  count.textContent = (at + 1) + " of " + hits.length;
};
const find = () => {
  const only = SHOWN[document.querySelector(".show:checked")?.id];
  const mine = ++run, query = box.value.trim().toLowerCase();
  hits = [];
  at = -1;
  if (query === "") { show(0); count.textContent = ""; return; }
  const all = entries();
  let i = 0;
  const slice = () => {
    if (mine !== run) return;
    for (const end = performance.now() + 12; i < all.length && performance.now() < end; i++) {
      const e = all[i];
      if ((!only || e.matches(only)) && e.textContent.toLowerCase().includes(query)) hits.push(e);
    }
    if (at < 0 && hits.length > 0) show(0);
    else if (hits.length > 0) count.textContent = (at + 1) + " of " + hits.length;
    if (i < all.length) requestAnimationFrame(slice);
    else if (hits.length === 0) { show(0); count.textContent = "nothing found"; }
  };
  slice();
};
form.hidden = false;
for (const e of document.querySelectorAll(".acts")) e.hidden = false;
box.addEventListener("input", find);
box.addEventListener("keydown", (e) => {
  if (e.key === "Enter") { e.preventDefault(); show(at + (e.shiftKey ? -1 : 1)); }
  else if (e.key === "Escape") {
    box.value = "";
    opened = [];
    find();
    box.blur();
  }
});
document.addEventListener("keydown", (e) => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input:not([type=radio])")) return;
  e.preventDefault();
  box.focus();
  box.select();
});
for (const e of document.querySelectorAll("[name=show]")) e.addEventListener("change", find);
$("unfold").addEventListener("click", () => fold(true));
$("fold").addEventListener("click", () => fold(false));

const copy = document.createElement("button");
copy.type = "button";
copy.className = "copy";
copy.textContent = "Copy";
let source = null;
// Placed before the entry: a link inside of a summary would be a control in a control.
const pin = document.createElement("a");
pin.className = "pin";
pin.textContent = "#";
pin.ariaLabel = "Link to this entry";
const offer = (e) => {
  const entry = e.target.closest && e.target.closest("main .e");
  if (entry && entry.previousSibling !== pin) {
    pin.href = "#" + entry.id;
    entry.before(pin);
  }
  const pre = e.target.closest && e.target.closest("main pre");
  if (!pre || pre === source || !navigator.clipboard) return;
  source = pre;
  copy.textContent = "Copy";
  pre.before(copy);
};
document.addEventListener("pointerover", offer);
document.addEventListener("focusin", offer);
copy.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(source.textContent);
    copy.textContent = "Copied";
  } catch {
    copy.textContent = "Cannot copy";
  }
});

// While the page is loaded, browsers scroll to the target themselves, unless the choice of entries
// hides it. To scroll there again would end too far: sections above have no sizes yet.
const follow = (isLoaded) => {
  const target = $(location.hash.slice(1));
  if (!target) return;
  reveal(target);
  opened = [];
  const isHidden = target.getClientRects().length === 0;
  if (isHidden) $("show-all").click();
  if (isLoaded || isHidden) target.scrollIntoView();
};
addEventListener("hashchange", () => follow(true));
follow(false);
})();
`;
