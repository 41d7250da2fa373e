/** Embeds Markdown of a log in a document without letting it break that document. */

import { isEndOfCode } from "../history/mapping/reasoning_text.ts";
import { inertLabel, inertLine, inertText } from "./inert_text.ts";
import { fenceFor } from "./record_text.ts";

const FENCE_REGEXP = /^( *)(`{3,}(?=[^`]*$)|~{3,})[ ]*([\w+#.-]{0,30})/;
/** An ATX heading at the start of a line, after any quote marks and list markers. */
const HEADING_REGEXP =
  /^(?: *(?:>|[-*+](?= )|\d{1,9}[.)](?= )))* *#{1,6}(?=\s|$)/;
/** The marker of a list item, after any quote marks. */
const LIST_REGEXP = /^[ >]*(?:[-*+]|\d{1,9}[.)])(?: |$)/;
const INDENT = "    ";
/** The underline of a setext heading, which makes the line before it a heading. */
const UNDERLINE_REGEXP = /^([ >]*)(=+|-+)\s*$/;
/** The delimiter row of a table, between its header row and the rows below. */
const DELIMITER_REGEXP = /^[ >|:-]+$/;
/** A cell border, or a backslash with the character that it escapes. */
const BORDER_REGEXP = /\\.|\|/g;
/** The number of levels by which headings move down, so that they stay below the document's. */
const HEADING_SHIFT = 3;
/** An allowed link target: a web or mail URL, an anchor, or a path with up to two line numbers. */
const TARGET_REGEXP =
  /^(?:https?:\/\/[^\s<>]+|mailto:[\w.+-]+@[\w.-]+|#[\w-]*|[\w%~@+,=#-]*[./][\w./%~@+,=#-]*(?::\d+){0,2})$/i;
/**
 * Characters that are written as entities, because a backslash may fail to escape them: after a
 * bare URL it would count as part of the URL.
 */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ["`", "&#96;"],
  ["[", "&#91;"],
  ["]", "&#93;"],
]);
/** Text that may begin a bare URL or mail address, which Markdown links without brackets. */
const LINK_REGEXP = /[:@]|www\./i;
const PUNCTUATION_REGEXP = /[!-/:-@[-`{-~]/;

/**
 * Makes Markdown of a log harmless, and keeps its formatting otherwise.
 *
 * - HTML becomes text. Images become links. Links to web URLs, mail addresses and paths are kept;
 *   other links, link definitions and footnotes become text.
 * - Headings move three levels down. Underlined (setext) headings become plain lines.
 * - Code spans end on their line, and no cell border divides them.
 * - Code fences begin in the first column, are longer than any run of backticks in the code, and
 *   are always closed. Indented code gets fences, unless it may belong to a list.
 * - Control characters are escaped, and no line is a command to GitHub's runner.
 *
 * @returns Lines to put into a document; the caller adds a blank line before and after them.
 */
export function safeMarkdown(text: string): string[] {
  const lines = inertText(text).trimEnd().replace(/^\n+/, "").split("\n");
  const safe: string[] = [];
  // False at first: if the document has a list just above, indented lines would continue its item.
  let isOutsideOfLists = false;
  // Whether the source is in a list, where a fence may be indented as code is elsewhere. Stays true
  // after an indented fence: writing that in the first column ends the list in the output only.
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
    // The fence is written in the first column, which ends every list.
    isOutsideOfLists = true;
    isAfterBlank = true;
    isInTable = false;
    const [, indent = "", mark = "", language = ""] = fence;
    isInList &&= indent !== "";
    const code: string[] = [];
    for (at += 1; at < lines.length; at++) {
      const inside = lines[at] ?? "";
      if (isEndOfCode(inside, mark)) break;
      code.push(withoutIndent(inside, indent.length));
    }
    for (const inside of codeBlock(code, language)) safe.push(inside);
  }
  return safe;
}

/** Writes the lines of a fenced block for harmless code; the language may be empty. */
export function codeBlock(
  lines: readonly string[],
  language: string,
): string[] {
  const fence = fenceFor(lines.join("\n"));
  return [`${fence}${language}`, ...lines.map(inertLine), fence];
}

/** Writes a text as a code span in one line, with long enough delimiters; empty for blank text. */
export function codeSpan(text: string): string {
  const line = inertLabel(text).trim();
  if (line === "") return "";
  const mark = fenceFor(line, 1);
  const space = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return mark + space + line + space + mark;
}

/** Writes a text as one line of Markdown, with every special character escaped. */
export function plainLine(text: string): string {
  return inertLabel(text).trim()
    .replace(/[\\*_#|~]/g, "\\$&").replace(/^(\d+)([.)])/, "$1\\$2")
    .replace(/^([-+=:])/, "\\$1")
    .replace(/[&<>`[\]]/g, (found) => ENTITIES.get(found) ?? found);
}

/**
 * Characters of plain text that Markdown would interpret. The backslash that {@linkcode inertText}
 * puts into `##[` is excluded: Markdown removes that one, as intended.
 */
const MARKS_REGEXP =
  /(?<!#(?=\\#\[))\\(?=[!-/:-@[-`{-~]|$)|[*|~`]|(?<![A-Za-z\d])_|_(?![A-Za-z\d])|!(?=\[)|(?<=\])[(:]/g;
/** The start of a line that begins a Markdown block, or turns the line before it into one. */
const BLOCK_REGEXP = /^(?:\d{1,9}(?=[.)])|(?=[>#+=:-]))/;

/**
 * Writes plain text as lines of Markdown that show it unchanged: no blocks, no emphasis, and every
 * line break kept. The caller adds a blank line before and after them.
 */
export function plainLines(text: string): string[] {
  const lines = inertText(text).trimEnd().replace(/^\n+/, "").split("\n");
  return lines.map((line, at) => {
    const safe = plainTextLine(line.trimEnd());
    const isBroken = safe !== "" && (lines[at + 1] ?? "").trim() !== "";
    return isBroken ? `${safe}  ` : safe;
  });
}

/** The largest indent that is kept: four spaces would begin a code block. */
const MAX_INDENT = 3;

function plainTextLine(line: string): string {
  const text = line.trimStart();
  const indent = " ".repeat(Math.min(MAX_INDENT, line.length - text.length));
  const safe = text.replace(MARKS_REGEXP, "\\$&").replace(BLOCK_REGEXP, "$&\\")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return inertLine(indent + safe);
}

/** Writes a text as one line of HTML. */
export function htmlLine(text: string): string {
  return inertLabel(text).trim()
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function isIndented(line: string): boolean {
  return line.startsWith(INDENT) && line.trim() !== "";
}

/** Returns the lines of an indented code block without its indent, inner blank lines included. */
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

function withoutIndent(line: string, indent: number): string {
  return line.replace(new RegExp(`^ {0,${indent}}`), "");
}

function safeLine(line: string, before: string, isRow: boolean): string {
  if (before.trim() !== "" && UNDERLINE_REGEXP.test(line)) {
    return line.replace(UNDERLINE_REGEXP, "$1\\$2");
  }
  const start = HEADING_REGEXP.exec(line)?.[0] ?? "";
  const deeper = start.replace(
    /#+$/,
    (marks) => "#".repeat(Math.min(6, marks.length + HEADING_SHIFT)),
  );
  return deeper + safeInline(line.slice(start.length), isRow);
}

/** Makes the inline parts of a line harmless. In a table row, borders in code spans are escaped. */
function safeInline(line: string, isRow: boolean): string {
  let safe = "";
  /** The offset of the current word: after the last space or code span. */
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
      // A bare URL directly before a code span would swallow a part of it; a space ends the URL.
      if (LINK_REGEXP.test(line.slice(word, at))) safe += " ";
      const span = line.slice(at, end);
      // Markdown splits a row into cells before it finds spans.
      safe += isRow
        ? span.replace(BORDER_REGEXP, (found) => found === "|" ? "\\|" : found)
        : span;
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

function isDelimiter(line: string): boolean {
  return line.includes("|") && line.includes("-") &&
    DELIMITER_REGEXP.test(line);
}

function endOfSpan(line: string, start: number, length: number): number {
  for (const { 0: run, index } of line.slice(start).matchAll(/`+/g)) {
    if (run.length === length) return start + index + length;
  }
  return -1;
}
