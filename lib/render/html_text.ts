/** Escapes text of a log for HTML. */

import { HIDDEN } from "./inert_text.ts";

/**
 * Text that must be escaped in HTML: markup, hidden characters, Markdown fences (for pages that are
 * read as Markdown), and the starts of workflow commands of GitHub. Its runner looks for them in
 * everything that a step prints: `::` after leading white space, `##[` anywhere in a line.
 */
const UNSAFE_REGEXP = new RegExp(
  `[&<>"'\`]|~(?=~~)|:(?=:)|##(?=\\[)|${HIDDEN}`,
  "gu",
);

const REFERENCES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
  ["`", "&#96;"],
  ["~", "&#126;"],
  [":", "&#58;"],
  ["##", "#&#35;"],
]);

const LINE_END_REGEXP = /\r\n?/g;

function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * Escapes text for an attribute or an element. Invisible characters become visible marks: `␛` for
 * an escape, `U+202E` for a right-to-left override. Nothing is left out.
 */
export function attributeText(text: string): string {
  return text.replace(
    UNSAFE_REGEXP,
    (found) => REFERENCES.get(found) ?? markOf(found),
  );
}

/**
 * Escapes text for the content of an element, as {@linkcode attributeText} does. Visible marks are
 * wrapped in `<i class="mark">`, which distinguishes them from the text. Line ends become line
 * feeds.
 */
export function elementText(text: string): string {
  return text.replace(LINE_END_REGEXP, "\n").replace(
    UNSAFE_REGEXP,
    (found) =>
      found === '"' || found === "'"
        ? found
        : REFERENCES.get(found) ?? `<i class="mark">${markOf(found)}</i>`,
  );
}

/**
 * Wraps HTML in a `<pre>`, of a class if there is a name.
 *
 * If the page is read as Markdown, as GitHub does with step summaries, a blank line would end the
 * HTML, so the line feed of a blank line is written as a character reference. HTML drops a line
 * feed right after the start tag, so content that begins with a blank line gets an extra one.
 */
export function preText(content: string, name = ""): string {
  const lines = content.replace(/^([ \t]*)\n/gm, "$1&#10;");
  const open = name === "" ? "<pre>" : `<pre class="${name}">`;
  return `${open}${lines.startsWith("&#10;") ? "\n" : ""}${lines}</pre>`;
}

/** Writes a link with a label, in HTML, to another page in the same folder. */
export function linkHtml(page: string, html: string): string {
  return `<a href="${attributeText(encodeURIComponent(page))}">${html}</a>`;
}
