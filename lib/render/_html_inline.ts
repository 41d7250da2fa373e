/**
 * The inline part of Markdown as HTML: code, emphasis, links.
 */

import { attributeText, elementText } from "./html_text.ts";
import { withoutEnd } from "./text_end.ts";

/** Options for Markdown as HTML. */
export interface MarkdownHtmlOptions {
  /** Whether addresses on the web become links; otherwise they are text. */
  readonly hasLinks: boolean;
}

/**
 * What is more than text. Every part is bounded or begins with what it cannot hold, so that
 * looking for it takes time in proportion to the text.
 */
const TOKEN_REGEXP =
  // deno-lint-ignore no-control-regex
  /(`+)|\\([!-/:-@[-`{-~])|(!?)\[([^[\]\n]{0,1000})\]\(\s{0,10}<?([^\s()<>]{0,4000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,2000})?)>?(?:\s{1,10}"[^"\n]{0,200}")?\s{0,10}\)|<(https?:\/\/[^\s<>]{1,4000})>|(https?:\/\/[^\s<>"'`|\\^{}\u0000-\u001f\u007f-\u00a0\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]{1,4000})|(\*\*\*|\*\*|\*|___|__|_|~~)/g;

const WEB_REGEXP = /^(?:https?:\/\/|mailto:)\S/i;
/** What shows nothing itself has no place in an address. */
const HIDDEN_REGEXP = /\p{C}/u;

/** What ends a sentence is not part of the address before it. */
const AFTER_URL = ".,;:!?*_~";

const TAGS: ReadonlyMap<string, readonly [open: string, close: string]> =
  new Map([
    ["*", ["<em>", "</em>"]],
    ["_", ["<em>", "</em>"]],
    ["**", ["<strong>", "</strong>"]],
    ["__", ["<strong>", "</strong>"]],
    ["***", ["<strong><em>", "</em></strong>"]],
    ["___", ["<strong><em>", "</em></strong>"]],
    ["~~", ["<s>", "</s>"]],
  ]);

/** Gives, for a run of backticks, the next run of the same length. */
function codeEnds(text: string): (length: number, after: number) => number {
  const starts = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const list = starts.get(run.length);
    if (list === undefined) starts.set(run.length, [index]);
    else list.push(index);
  }
  for (const list of starts.values()) list.reverse();
  return (length, after): number => {
    const list = starts.get(length) ?? [];
    while ((list.at(-1) ?? Infinity) < after) list.pop();
    return list.at(-1) ?? -1;
  };
}

/** Writes the target of a link or an image that does not become a link, with its label. */
function plainTarget(label: string, target: string): string {
  const shown = `<code>${elementText(target)}</code>`;
  if (target === "" || label === target) {
    return target === "" ? elementText(label) : shown;
  }
  // The label of a path is most often its end.
  return label === "" || (/[./]/.test(label) && target.includes(label))
    ? shown
    : `${elementText(label)} (${shown})`;
}

/** Writes a link; only addresses on the web are ever followed, and where they lead is shown. */
function link(
  label: string,
  target: string,
  { hasLinks }: MarkdownHtmlOptions,
): string {
  if (!hasLinks || !WEB_REGEXP.test(target) || HIDDEN_REGEXP.test(target)) {
    return plainTarget(label, target);
  }
  const href = attributeText(target);
  const isBare = label === "" || label === target;
  const text = isBare ? elementText(target) : inlineHtml(label, LABEL);
  const host = isBare ? "" : ` <small>(${
    elementText(
      target.replace(/^(?:https?:\/\/|mailto:)([^/?#]*).*$/is, "$1"),
    )
  })</small>`;
  return `<a href="${href}" rel="nofollow noopener noreferrer">${text}</a>${host}`;
}

/** What stands in the label of a link cannot link itself. */
const LABEL: MarkdownHtmlOptions = { hasLinks: false };

/**
 * Writes a line or a paragraph of Markdown as HTML.
 *
 * Code, emphasis, links, images (as links: nothing is ever loaded) and bare addresses are known.
 * HTML is text like any other. Elements are always closed in order. Takes time in proportion
 * to the text.
 */
export function inlineHtml(
  text: string,
  options: MarkdownHtmlOptions,
): string {
  const out: string[] = [];
  /** The markers that may still be closed: which ones, and where they stand in `out`. */
  const open: { readonly marker: string; readonly at: number }[] = [];
  const openByMarker = new Map<string, number>();
  const codeEnd = codeEnds(text);
  let end = 0;

  function count(marker: string, change: number): void {
    openByMarker.set(marker, (openByMarker.get(marker) ?? 0) + change);
  }

  function mark(marker: string, before: string, after: string): void {
    const isWord = marker.startsWith("_");
    const opens = /\S/.test(after) && !(isWord && /[\p{L}\p{N}]/u.test(before));
    const closes = /\S/.test(before) &&
      !(isWord && /[\p{L}\p{N}]/u.test(after));
    if (closes && (openByMarker.get(marker) ?? 0) > 0) {
      for (let top = open.pop(); top !== undefined; top = open.pop()) {
        count(top.marker, -1);
        if (top.marker !== marker) continue;
        const [first = "", last = ""] = TAGS.get(marker) ?? [];
        // Emphasis of nothing is what it looks like.
        if (out.length - 1 === top.at) out.push(marker);
        else {
          out[top.at] = first;
          out.push(last);
        }
        return;
      }
    }
    if (opens) {
      open.push({ marker, at: out.length });
      count(marker, 1);
    }
    out.push(marker);
  }

  TOKEN_REGEXP.lastIndex = 0;
  const tokens = new RegExp(TOKEN_REGEXP);
  for (let m = tokens.exec(text); m !== null; m = tokens.exec(text)) {
    const [all, ticks, escaped, bang, label, target, angled, bare, marker] = m;
    if (m.index > end) out.push(elementText(text.slice(end, m.index)));
    end = m.index + all.length;
    if (ticks !== undefined) {
      const stop = codeEnd(ticks.length, end);
      if (stop < 0) out.push(elementText(ticks));
      else {
        const code = text.slice(end, stop).replace(/^ (.*\S.*) $/s, "$1");
        out.push(`<code>${elementText(code)}</code>`);
        end = stop + ticks.length;
      }
    } else if (escaped !== undefined) out.push(elementText(escaped));
    else if (label !== undefined) {
      const content = link(label, target ?? "", options);
      out.push(bang === "!" ? `[image] ${content}` : content);
    } else if (angled !== undefined) out.push(link("", angled, options));
    else if (bare !== undefined) {
      let url = withoutEnd(bare, AFTER_URL);
      if (url.endsWith(")") && !url.includes("(")) url = url.slice(0, -1);
      end = m.index + url.length;
      out.push(link("", url, options));
    } else if (marker !== undefined) {
      mark(marker, text.charAt(m.index - 1), text.charAt(end));
    }
    tokens.lastIndex = end;
  }
  if (end < text.length) out.push(elementText(text.slice(end)));
  return out.join("");
}
