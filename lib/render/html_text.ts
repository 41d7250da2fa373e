/**
 * Text of a log as HTML that does nothing.
 *
 * @module
 */

/**
 * What must not stand in HTML as it is:
 *
 * - what HTML itself reads: `&`, `<`, `>`, `"`, `'`;
 * - fences of Markdown, where a page is read as that: backticks, tildes;
 * - control characters other than tab and line feed;
 * - characters that turn or hide the text around them: bidirectional controls, invisible
 *   operators and fillers, tags. The joiners U+200C and U+200D stay: words and emoji need them;
 * - halves of surrogate pairs, which no encoding holds.
 *
 * `::` and `##[` begin the workflow commands of GitHub, whose runner reads them in everything
 * that a step prints: the first one after white space, the second one anywhere in a line.
 */
const UNSAFE_REGEXP =
  // deno-lint-ignore no-control-regex
  /[&<>"'`]|~(?=~~)|:(?=:)|##(?=\[)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;

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

/** What ends a line of a text from a log, whatever the system that wrote it. */
const LINE_END_REGEXP = /\r\n?/g;

/** Gives the visible mark that stands for a character which shows nothing itself. */
function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * Writes text so that it stands in an attribute or an element as it is.
 *
 * Characters that show nothing become visible marks: `␛` for an escape, `U+202E` for one that
 * turns the text around. Nothing is left out.
 */
export function attributeText(text: string): string {
  return text.replace(
    UNSAFE_REGEXP,
    (found) => REFERENCES.get(found) ?? markOf(found),
  );
}

/**
 * Writes text as the content of an element: as {@linkcode attributeText} does, with the marks
 * set apart from what really stands there. Line ends become line feeds.
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
 * Wraps content in a `<pre>`.
 *
 * Where the page is read as Markdown, as GitHub does with step summaries, a blank line would end
 * the HTML: the line feed of a blank line is written as a reference. A line feed right after the
 * start tag would be dropped by the reader, so one of that kind is always written.
 *
 * @param content HTML, such as escaped text.
 * @param name The class, if it has one.
 */
export function preText(content: string, name = ""): string {
  const lines = content.replace(/^([ \t]*)\n/gm, "$1&#10;");
  const open = name === "" ? "<pre>" : `<pre class="${name}">`;
  return `${open}${lines.startsWith("&#10;") ? "\n" : ""}${lines}</pre>`;
}

/**
 * Writes a link to a page beside this one.
 *
 * @param html What is shown, as HTML.
 */
export function linkHtml(page: string, html: string): string {
  return `<a href="${attributeText(encodeURIComponent(page))}">${html}</a>`;
}
