/**
 * The page around the transcript: its head, its tools, its table of turns.
 */

import { PAGE_SCRIPT } from "./_html_script.ts";
import { PAGE_STYLE } from "./_html_style.ts";
import { attributeText, elementText } from "./html_text.ts";

/**
 * What the content security policy lets pass, as SHA-256 of what stands between the tags. A test
 * computes them anew.
 */
const PAGE_HASHES = {
  style: "sha256-tF+jsLxOe6k+nikKrE+0yufNNV39q1UkHa2hickECSQ=",
  script: "sha256-crrL71HHN0l0Cc5LfIOvkxFaUdW6WkKdz79BcE9Mx4M=",
};

/**
 * Nothing is loaded from anywhere, and nothing runs but the script below; not even a message that
 * got past every escape could change that.
 */
const POLICY = [
  "default-src 'none'",
  `style-src '${PAGE_HASHES.style}'`,
  `script-src '${PAGE_HASHES.script}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** What can be shown of a transcript. The inputs stand before it, so that styles can tell. */
const CHOICES = [
  { id: "all", label: "All" },
  { id: "talk", label: "Messages" },
  { id: "work", label: "Work" },
  { id: "bad", label: "Failures" },
] as const;

/** A name and what is known under it. */
export interface PageFact {
  /** The name. */
  readonly name: string;
  /** The value, as HTML. */
  readonly html: string;
}

/** What is shown above the transcript. */
export interface PageHead {
  /** The heading, which is also the title of the document; not escaped. */
  readonly title: string;
  /** What is known of the session. */
  readonly facts: readonly PageFact[];
}

/** Writes a list of facts. */
export function factsHtml(facts: readonly PageFact[]): string {
  if (facts.length === 0) return "";
  const items = facts.map(({ name, html }) =>
    `<div><dt>${name}</dt><dd>${html}</dd></div>\n`
  );
  return `<dl class="facts">\n${items.join("")}</dl>\n`;
}

/** Writes everything that stands before the first turn. */
export function pageStart({ title, facts }: PageHead): string {
  const inputs = CHOICES.map(({ id, label }, i) =>
    `<input class="show" type="radio" name="show" id="show-${id}" aria-label="Show: ${label}"${
      i === 0 ? " checked" : ""
    }>\n`
  );
  const labels = CHOICES.map(({ id, label }) =>
    `<label for="show-${id}">${label}</label>`
  );
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="generator" content="codexpipe">
<title>${attributeText(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the transcript</a>
<a class="skip" href="#turns">Skip to the table of turns</a>
${inputs.join("")}<header class="head">
<h1 dir="auto">${elementText(title)}</h1>
${factsHtml(facts)}</header>
<div class="bar">
<div class="find" role="search" hidden><input id="find" type="search" placeholder="Find in this session" aria-label="Find in this session" aria-describedby="count" autocomplete="off" spellcheck="false"><output id="count" for="find" aria-live="polite"></output></div>
<div class="pick">${labels.join("")}</div>
<div class="acts" hidden><button type="button" id="unfold">Unfold all</button><button type="button" id="fold">Fold all</button></div>
</div>
<main id="main">
`;
}

/** A row of the table of turns. */
export interface PageTurn {
  /** The id of its element. */
  readonly target: string;
  /** Its number. */
  readonly turn: number;
  /** What it is about, in a line, escaped. */
  readonly html: string;
  /** How it went, in a line, as HTML. */
  readonly summaryHtml: string;
}

/** Writes everything that stands behind the last turn: the table of them, and the script. */
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
