/** Draws the contents of a terminal or a browser as SVG. */

/** The size of a character, in pixels. */
const WIDTH = 8.4;
const HEIGHT = 19;
const MARGIN = 18;
/** The height of the title bar above the text, in pixels. */
const BAR = 34;
const FONT =
  "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace";

/** The styles of text, by the SGR codes that begin them; all other codes end a style. */
const STYLES: ReadonlyMap<string, string> = new Map([
  ["1", "bold"],
  ["2", "dim"],
  ["31", "red"],
  ["32", "green"],
  ["33", "yellow"],
  ["36", "cyan"],
]);

const CSS = [
  "text{fill:#d8dee9;white-space:pre}",
  ".bold{font-weight:600;fill:#fff}",
  ".dim{fill:#8b949e}",
  ".red{fill:#ff7b72}",
  ".green{fill:#7ee787}",
  ".yellow{fill:#e3b341}",
  ".cyan{fill:#79c0ff}",
].join("");

/**
 * Draws a terminal with a command and its output.
 *
 * @returns An SVG document without external resources.
 */
export function pictureOf(command: string, output: string): string {
  const lines = [
    `\x1b[2m$\x1b[22m \x1b[1m${command}\x1b[22m`,
    ...output.split("\n"),
  ];
  while (lines.at(-1) === "") lines.pop();
  const columns = Math.max(...lines.map((line) => plain(line).length));
  const width = Math.ceil(columns * WIDTH + 2 * MARGIN);
  const height = BAR + lines.length * HEIGHT + MARGIN;
  const texts = lines.map((line, i) =>
    line === ""
      ? ""
      : `<text x="${MARGIN}" y="${BAR + i * HEIGHT + 14}">${
        spans(line)
      }</text>\n`
  );
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map((color, i) =>
    `<circle cx="${MARGIN + 4 + i * 20}" cy="17" r="6" fill="${color}"/>`
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${FONT}" font-size="14" xml:space="preserve" role="img" aria-label="${
      escaped(command)
    }">`,
    `<style>${CSS}</style>`,
    `<rect width="${width}" height="${height}" rx="10" fill="#161b22"/>`,
    dots.join(""),
    `${texts.join("")}</svg>`,
    "",
  ].join("\n");
}

/** The size of the browser window, in pixels. */
const PAGE = { width: 900, height: 760 };
/** Matches the style and the body of a page, without its script. */
const PAGE_REGEXP = /<style>([^]*?)<\/style>[^]*(<body>[^]*?)<script>/;

/**
 * Draws the beginning of a page, as a browser shows it without its script. The SVG contains the
 * page itself, as XML.
 *
 * @param html The page, from `codexpipe render`.
 * @returns An SVG document without external resources.
 */
export function pagePictureOf(html: string): string {
  const [, css = "", body = ""] = PAGE_REGEXP.exec(html) ?? [];
  const { width, height } = PAGE;
  const namespaces = new Map([
    ["body", "http://www.w3.org/1999/xhtml"],
    ["svg", "http://www.w3.org/2000/svg"],
  ]);
  const xml = body.replace(/<([a-z]+)([^>]*)>/g, (_, name, attributes) => {
    const namespace = namespaces.get(name);
    const xmlns = namespace === undefined ? "" : ` xmlns="${namespace}"`;
    const named = attributes.replace(
      /"[^"]*"| (checked|hidden|open)(?= |$)/g,
      (text: string, flag?: string) => flag === undefined ? text : `${text}=""`,
    );
    return `<${name}${xmlns}${named}${name === "input" ? "/" : ""}>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<style>${escaped(css)}</style>`,
    `<foreignObject width="${width}" height="${height}">`,
    `${xml}</body></foreignObject></svg>`,
    "",
  ].join("\n");
}

/** Converts a line with SGR codes to `tspan` elements; each style ends the one before. */
function spans(line: string): string {
  let style = "";
  let drawn = "";
  // deno-lint-ignore no-control-regex
  for (const part of line.split(/(\x1b\[\d+m)/)) {
    // deno-lint-ignore no-control-regex
    const code = /^\x1b\[(\d+)m$/.exec(part)?.[1];
    if (code !== undefined) style = STYLES.get(code) ?? "";
    else if (part !== "") {
      drawn += style === ""
        ? escaped(part)
        : `<tspan class="${style}">${escaped(part)}</tspan>`;
    }
  }
  return drawn;
}

function plain(line: string): string {
  // deno-lint-ignore no-control-regex
  return line.replace(/\x1b\[\d+m/g, "");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
