/**
 * What changed in a file, line by line.
 *
 * @module
 */

import { codeHtml } from "./html_code.ts";
import { elementText } from "./html_text.ts";

export interface DiffLine {
  /** What it is: one that came, one that went, a name or a heading, or one that is the same. */
  readonly sign: "+" | "-" | "@" | " ";
  /** The line, sign and all. */
  readonly text: string;
}

export function diffLines(diff: string): DiffLine[] {
  // Before the first part, signs belong to the names of files. Of a line that went and began with
  // `--`, three are left, too, but no `+++` follows.
  let isInPart = !/^ ?(?:--- .*\n ?\+\+\+|(?:diff|index|\*\*\*) )/.test(diff);
  return diff.replace(/\r\n/g, "\n").split("\n").map((text) => {
    if (text.startsWith("@@")) isInPart = true;
    // A diff that was kept line by line has a space before what is no change.
    else if (/^ ?diff --git /.test(text)) isInPart = false;
    if (!isInPart || text.startsWith("@@")) return { sign: "@", text };
    if (text.startsWith("+")) return { sign: "+", text };
    return { sign: text.startsWith("-") ? "-" : " ", text };
  });
}

/**
 * Writes a diff for a `<pre class="diff">`: lines that came are `<ins>`, lines that went `<del>`,
 * names of files and headings of parts `<b>`.
 *
 * @param language The language of the file; see {@linkcode codeHtml}.
 */
export function diffHtml(diff: string, language = ""): string {
  const tags = { "+": "ins", "-": "del", "@": "b" } as const;
  return diffLines(diff).map(({ sign, text }) => {
    if (sign === "@") return `<b>${elementText(text)}</b>`;
    // Nothing says that a line which is the same has a sign.
    const at = /^[-+ ]/.test(text) ? 1 : 0;
    const line = text.slice(0, at) + codeHtml(text.slice(at), language);
    return sign === " " ? line : `<${tags[sign]}>${line}</${tags[sign]}>`;
  }).join("\n");
}
