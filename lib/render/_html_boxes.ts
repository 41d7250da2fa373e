/**
 * The boxes that entries are shown in: a head of one line, and a body that can be folded.
 */

import { preText } from "./_html_pre.ts";
import { diffHtml } from "./html_diff.ts";
import { cutOutput } from "./cut_output.ts";
import { endOf, startOf } from "./cut_text.ts";
import { terminalHtml } from "./html_ansi.ts";
import { attributeText, elementText } from "./html_text.ts";
import type { Lane } from "./html_timeline.ts";
import { countedText, durationText } from "./quantity_text.ts";

/** What surrounds a view. */
export interface EntryFrame {
  /** The id of its element. */
  readonly id: string;
  /** When it began, as RFC 3339 in UTC; `null` if that is not known. */
  readonly at: string | null;
  /** How many milliseconds it took; `null` if that is not known. */
  readonly durationMs: number | null;
  /** Whether it goes on with an entry that was shown before. */
  readonly isLate: boolean;
  /** How many lines of one output are shown. */
  readonly maxOutputLines: number;
  /** Whether reasoning is unfolded. */
  readonly hasReasoningOpen: boolean;
  /** Whether tools and commands are shown without what they were given and gave. */
  readonly hasNamesOnly: boolean;
}

/** An entry as HTML, and as a mark of the timeline. */
export interface EntryHtml {
  /** The element. */
  readonly html: string;
  /** The lane of the timeline that it belongs to; `null` if it is not in it. */
  readonly lane: Lane | null;
  /** The class of its mark. */
  readonly look: string;
}

/** What has more lines is folded, where short things are not. */
const SHORT_LINES = 40;
/** How many characters of one output are shown at most, however long its lines are. */
const MAX_OUTPUT_LENGTH = 400_000;
/** How long the title of an entry may be in the head of a box, where it is one line. */
const MAX_TITLE_LENGTH = 2000;

/** Something with a head of one line and a body that can be folded. */
export interface Box {
  /** The classes of the style sheet that it has. */
  readonly look: string;
  /** What stands at the beginning of the head. */
  readonly sign: string;
  /** The title. */
  readonly titleHtml: string;
  /** What stands at the end of the head, before duration and time. */
  readonly meta?: readonly string[];
  /** What can be folded; empty if there is only a head. */
  readonly body: string;
  /** Whether it is unfolded. */
  readonly isOpen: boolean;
}

function timeHtml(at: string | null): string {
  return at === null
    ? ""
    : `<time class="at" datetime="${attributeText(at)}">${
      elementText(at.slice(11, 19))
    }</time>`;
}

/** Writes what stands at the end of a head: facts, how long it took, when it was. */
export function metaHtml(
  frame: EntryFrame,
  facts: readonly string[] = [],
): string {
  const parts = frame.isLate ? ["went on", ...facts] : [...facts];
  if (frame.durationMs !== null && frame.durationMs > 0) {
    parts.push(durationText(frame.durationMs));
  }
  const spans = parts.map((part) => `<span>${part}</span>`);
  const all = [...spans, timeHtml(frame.at)].join("");
  return all === "" ? "" : `<span class="meta">${all}</span>`;
}

/** Writes a box. */
export function boxHtml(box: Box, frame: EntryFrame): string {
  const { look, sign, titleHtml, body, isOpen } = box;
  const head =
    `<span class="sign" aria-hidden="true">${sign}</span>${titleHtml}${
      metaHtml(frame, box.meta)
    }`;
  if (body === "" || frame.hasNamesOnly) {
    return `<div class="e box ${look}" id="${frame.id}"><div class="row">${head}</div></div>\n`;
  }
  return `<details class="e box ${look}" id="${frame.id}"${
    isOpen ? " open" : ""
  }><summary>${head}</summary>\n${body}</details>\n`;
}

/** Writes that something was left out. */
function gapHtml(count: number, word: string): string {
  return `<p class="cut">${countedText(count, word)} left out here</p>\n`;
}

/** Writes lines; of one that is far too long for a page, the beginning and the end. */
function linesHtml(
  lines: readonly string[],
  write: (text: string) => string,
): string {
  if (lines.length === 0) return "";
  const text = lines.join("\n");
  if (text.length <= MAX_OUTPUT_LENGTH) return `${write(text)}\n`;
  const start = startOf(text, MAX_OUTPUT_LENGTH / 2);
  const end = endOf(text, MAX_OUTPUT_LENGTH / 2);
  const gap = gapHtml(text.length - start.length - end.length, "character");
  return `${write(start)}\n${gap}${write(end)}\n`;
}

/** Writes text of many lines, of which too much is left out in the middle, and said. */
function cutHtml(
  text: string,
  { maxOutputLines: maxLines }: EntryFrame,
  write: (text: string) => string,
): string {
  const { head, omitted, tail } = cutOutput(text, { maxLines, keep: "both" });
  const gap = omitted === 0 ? "" : gapHtml(omitted, "line");
  return linesHtml(head, write) + gap + linesHtml(tail, write);
}

/** Writes output of a program. */
export function outputHtml(text: string, frame: EntryFrame): string {
  return cutHtml(text, frame, (shown) => preText(terminalHtml(shown)));
}

/** Writes a diff. */
export function cutDiffHtml(diff: string, frame: EntryFrame): string {
  return cutHtml(diff, frame, (shown) => preText(diffHtml(shown), "diff"));
}

/** Tells whether texts are short enough together to be shown unfolded. */
export function isShort(texts: readonly string[]): boolean {
  return texts.reduce((sum, text) => sum + text.split("\n", 99).length, 0) <=
    SHORT_LINES;
}

/** Writes the first line of something, and an ellipsis if there are more. */
export function oneLine(text: string, tag: string): string {
  const [line = ""] = text.trimStart().split("\n", 1);
  const cut = startOf(line, MAX_TITLE_LENGTH);
  const rest = cut.length < text.trim().length ? " …" : "";
  return `<${tag} class="one" dir="auto">${elementText(cut)}${rest}</${tag}>`;
}
