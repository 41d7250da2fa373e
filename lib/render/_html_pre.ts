/**
 * Text whose line ends and spaces count, as HTML.
 */

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
