/**
 * What changed in a file, as HTML.
 */

import { elementText } from "./html_text.ts";

/**
 * Writes a unified diff, line by line, for a `<pre class="diff">`: lines that came are `<ins>`,
 * lines that went `<del>`, names of files and headings of parts `<b>`.
 */
export function diffHtml(diff: string): string {
  // Before the first part, signs belong to the names of files.
  let isInPart = !/^ ?(?:---|diff|index|\*\*\*) /.test(diff);
  return diff.replace(/\r\n/g, "\n").split("\n").map((line) => {
    if (line.startsWith("@@")) isInPart = true;
    // A diff that was kept line by line has a space before what is no change.
    else if (/^ ?diff --git /.test(line)) isInPart = false;
    const text = elementText(line);
    if (!isInPart || line.startsWith("@@")) return `<b>${text}</b>`;
    if (line.startsWith("+")) return `<ins>${text}</ins>`;
    return line.startsWith("-") ? `<del>${text}</del>` : text;
  }).join("\n");
}
