/**
 * Markdown of a log, as part of a document that it cannot break.
 *
 * @module
 */

import { inertLine, inertText } from "./inert_text.ts";
import { fenceFor } from "./record_text.ts";

const FENCE_REGEXP = /^( *)(`{3,}(?=[^`]*$)|~{3,})[ ]*([\w+#.-]{0,30})/;
/** The beginning of a line that may make the rest of it a heading: quotes and list items. */
const HEADING_REGEXP =
  /^((?: *(?:>|[-*+](?= )|\d{1,9}[.)](?= )))* *)(#{1,6})(?=\s|$)/;
/** The beginning of an item of a list. */
const LIST_REGEXP = /^[ >]*(?:[-*+]|\d{1,9}[.)])(?: |$)/;
/** What makes code of a line that continues nothing. */
const INDENT = "    ";
/** What makes a heading of the line before it. */
const UNDERLINE_REGEXP = /^([ >]*)(=+|-+)\s*$/;
/** What a line is made of that makes rows of a table of the one before it and those behind it. */
const DELIMITER_REGEXP = /^[ >|:-]+$/;
/** A border of cells, or a backslash with what it escapes. */
const BORDER_REGEXP = /\\.|\|/g;
/** How many levels deeper headings go, so that they stay below those of the document. */
const HEADING_SHIFT = 3;
/** Where a link may lead: the web, mail, and files by their paths, with a line or two. */
const TARGET_REGEXP =
  /^(?:https?:\/\/[^\s<>]+|mailto:[\w.+-]+@[\w.-]+|#[\w-]*|[\w%~@+,=#-]*[./][\w./%~@+,=#-]*(?::\d+){0,2})$/i;
/**
 * What must not be missed: a backslash does not help behind a link without brackets, which would
 * take it for a part of the link.
 */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ["`", "&#96;"],
  ["[", "&#91;"],
  ["]", "&#93;"],
]);
/** Text that may be the beginning of a link without brackets. */
const LINK_REGEXP = /[:@]|www\./i;
const PUNCTUATION_REGEXP = /[!-/:-@[-`{-~]/;

/**
 * Makes Markdown of a log harmless, and leaves it as it is meant otherwise.
 *
 * - HTML is text. Images are links. Links lead to the web, to mail addresses or to paths; others
 *   are text, and so are definitions of links and footnotes.
 * - Headings go three levels deeper. A line under another one makes no heading of it.
 * - Code spans end on their line, and no border of cells divides them.
 * - Code fences begin in the first column, are longer than any run of backticks in the code, and
 *   always end. Code that is indented gets fences, unless it may belong to a list.
 * - Control characters are escaped, and no line is a command to GitHub's runner.
 *
 * @returns Lines to put into a document, with a blank line before and after.
 */
export function safeMarkdown(text: string): string[] {
  const lines = inertText(text).trimEnd().replace(/^\n+/, "").split("\n");
  const safe: string[] = [];
  // The text may stand behind a list, which its first lines would go on with.
  let isOutsideOfLists = false;
  // Fences of a list may be indented as code is elsewhere; they end it here only.
  let isInList = false;
  let isAfterBlank = true;
  let isInTable = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = FENCE_REGEXP.exec(line);
    const isCode = isAfterBlank && isOutsideOfLists && isIndented(line);
    if (isCode && (fence === null || !isInList)) {
      const code = indentedCode(lines, at);
      for (const inside of codeBlock(code, "")) safe.push(inside);
      at += code.length - 1;
      isAfterBlank = false;
      continue;
    }
    if (fence === null) {
      if (LIST_REGEXP.test(line)) {
        isOutsideOfLists = false;
        isInList = true;
      } else if (isAfterBlank && /^[^ >]/.test(line)) {
        isOutsideOfLists = true;
        isInList = false;
      }
      isAfterBlank = line.trim() === "";
      const next = lines[at + 1] ?? "";
      isInTable = !isAfterBlank && (isInTable || isDelimiter(next));
      safe.push(inertLine(safeLine(line, lines[at - 1] ?? "", isInTable)));
      continue;
    }
    // A fence in the first column ends lists.
    isOutsideOfLists = true;
    isAfterBlank = true;
    isInTable = false;
    const [, indent = "", mark = "", language = ""] = fence;
    isInList &&= indent !== "";
    const code: string[] = [];
    for (at += 1; at < lines.length; at++) {
      const inside = lines[at] ?? "";
      if (isClosing(inside, mark)) break;
      code.push(withoutIndent(inside, indent.length));
    }
    for (const inside of codeBlock(code, language)) safe.push(inside);
  }
  return safe;
}

/**
 * Writes code as a block that nothing in it ends.
 *
 * @param lines The code; {@linkcode inertText} has been at it.
 * @param language What it is written in.
 * @returns The lines of the block.
 */
export function codeBlock(
  lines: readonly string[],
  language: string,
): string[] {
  const fence = fenceFor(lines.join("\n"));
  return [`${fence}${language}`, ...lines.map(inertLine), fence];
}

/**
 * Writes a text in one line as code.
 *
 * @returns A code span that nothing in it ends.
 */
export function codeSpan(text: string): string {
  const line = inertText(text).replaceAll("\n", " ").trim();
  if (line === "") return "";
  const mark = fenceFor(line, 1);
  const space = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return mark + space + line + space + mark;
}

/** Writes a text in one line of Markdown, in which nothing has a meaning. */
export function plainLine(text: string): string {
  return inertText(text).replaceAll("\n", " ").trim()
    .replace(/[\\*_#|~]/g, "\\$&").replace(/^(\d+)([.)])/, "$1\\$2")
    .replace(/^([-+=:])/, "\\$1")
    .replace(/[&<>`[\]]/g, (found) => ENTITIES.get(found) ?? found);
}

/**
 * What Markdown would read in a line of a text that is none; the backslash that {@linkcode inertText}
 * puts into `##[` is meant to be read.
 */
const MARKS_REGEXP =
  /(?<!#(?=\\#\[))\\(?=[!-/:-@[-`{-~]|$)|[*|~`]|(?<![A-Za-z\d])_|_(?![A-Za-z\d])|!(?=\[)|(?<=\])[(:]/g;
/** What begins a block of Markdown, or makes one of the line before it. */
const BLOCK_REGEXP = /^(?:\d{1,9}(?=[.)])|(?=[>#+=:-]))/;

/**
 * Writes a text that is no Markdown as lines of it: no block begins in them, nothing in them is
 * set off, and none is joined with the next one.
 *
 * @returns Lines to put into a document, with a blank line before and after.
 */
export function plainLines(text: string): string[] {
  const lines = inertText(text).trimEnd().replace(/^\n+/, "").split("\n");
  return lines.map((line, at) => {
    const safe = plainTextLine(line.trimEnd());
    const isBroken = safe !== "" && (lines[at + 1] ?? "").trim() !== "";
    return isBroken ? `${safe}  ` : safe;
  });
}

/** Four spaces would begin a block of code. */
const MAX_INDENT = 3;

function plainTextLine(line: string): string {
  const text = line.trimStart();
  const indent = " ".repeat(Math.min(MAX_INDENT, line.length - text.length));
  const safe = text.replace(MARKS_REGEXP, "\\$&").replace(BLOCK_REGEXP, "$&\\")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return inertLine(indent + safe);
}

/** Writes a text in one line of HTML. */
export function htmlLine(text: string): string {
  return inertText(text).replaceAll("\n", " ").trim()
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function isIndented(line: string): boolean {
  return line.startsWith(INDENT) && line.trim() !== "";
}

/** The lines of code that is indented, blank ones in it among them, without that indent. */
function indentedCode(lines: readonly string[], start: number): string[] {
  const code: string[] = [];
  let end = 0;
  for (let at = start; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const isCode = isIndented(line);
    if (!isCode && line.trim() !== "") break;
    code.push(withoutIndent(line, INDENT.length));
    if (isCode) end = code.length;
  }
  return code.slice(0, end);
}

function isClosing(line: string, mark: string): boolean {
  const text = line.trim();
  return text.length >= mark.length &&
    text === mark.charAt(0).repeat(text.length);
}

function withoutIndent(line: string, indent: number): string {
  let spaces = 0;
  while (spaces < indent && line[spaces] === " ") spaces += 1;
  return line.slice(spaces);
}

function safeLine(line: string, before: string, isRow: boolean): string {
  const underline = before.trim() === "" ? null : UNDERLINE_REGEXP.exec(line);
  if (underline !== null) {
    return `${underline[1] ?? ""}\\${underline[2] ?? ""}`;
  }
  const heading = HEADING_REGEXP.exec(line);
  const [whole = "", lead = "", marks = ""] = heading ?? [];
  const level = Math.min(6, marks.length + HEADING_SHIFT);
  const start = marks === "" ? "" : lead + "#".repeat(level);
  return start + safeInline(line.slice(whole.length), isRow);
}

/** Makes the inline parts of a line harmless; that of a table may be a row of it. */
function safeInline(line: string, isRow: boolean): string {
  let safe = "";
  /** Where the last text begins that has no space in it. */
  let word = 0;
  for (let at = 0; at < line.length;) {
    const char = line.charAt(at);
    const next = line.charAt(at + 1);
    if (char === "\\" && PUNCTUATION_REGEXP.test(next)) {
      safe += next === "<" ? "&lt;" : char + next;
      at += 2;
    } else if (char === "`") {
      const run = /^`+/.exec(line.slice(at))?.[0] ?? char;
      const end = endOfSpan(line, at + run.length, run.length);
      if (end === -1) {
        safe += run.replaceAll("`", "\\`");
        at += run.length;
        continue;
      }
      // A link that begins before a code span would take a part of it.
      if (LINK_REGEXP.test(line.slice(word, at))) safe += " ";
      const span = line.slice(at, end);
      safe += isRow ? withoutBorders(span) : span;
      at = end;
      word = end;
    } else if (char === "<") {
      safe += "&lt;";
      at += 1;
    } else if (char === "!" && next === "[") {
      safe += "\\!";
      at += 1;
    } else if (char === "]" && next === ":") {
      safe += "]\\:";
      at += 2;
    } else if (char === "]" && next === "(") {
      const target = /^ *([^\s()]*(?:\([^\s()]*\)[^\s()]*)*)/
        .exec(line.slice(at + 2))?.[1] ?? "";
      safe += TARGET_REGEXP.test(target) ? "](" : "]\\(";
      at += 2;
    } else {
      safe += char;
      at += 1;
      if (char === " ") word = at;
    }
  }
  return safe;
}

/** A table is divided into cells before code is looked for: what stands in it would be none. */
function withoutBorders(span: string): string {
  return span.replace(
    BORDER_REGEXP,
    (found) => found === "|" ? `\\${found}` : found,
  );
}

function isDelimiter(line: string): boolean {
  return line.includes("|") && line.includes("-") &&
    DELIMITER_REGEXP.test(line);
}

/** Finds where a code span ends; -1 if it does not on this line. */
function endOfSpan(line: string, start: number, length: number): number {
  for (const { 0: run, index } of line.slice(start).matchAll(/`+/g)) {
    if (run.length === length) return start + index + length;
  }
  return -1;
}
