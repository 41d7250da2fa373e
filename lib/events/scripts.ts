/**
 * Scripts of code mode (0.160 and later): the model calls `exec` with a script that calls tools.
 *
 * @module
 */

import { fieldsOf, listOf, parseJson, textOf } from "../json/fields.ts";

/** The one call that a script makes. */
export interface ScriptedCall {
  /** The tool. */
  readonly name: string;
  /** The JSON text of its argument. */
  readonly argument: string;
}

/** What came of a script. */
export interface ScriptOutput {
  /** Whether it failed; `null` if it goes on. */
  readonly isFailed: boolean | null;
  /** What it printed, or why it failed. */
  readonly texts: readonly string[];
  /** How many seconds it took, if that is said. */
  readonly seconds: number | null;
}

const TOOL_REGEXP = /tools\s*\.\s*([A-Za-z_$][\w$]*)\s*\(\s*/y;
/** What Codex puts before what a script printed. */
const HEADER_REGEXP =
  /^Script (completed|failed|running)\b[^\n]*\n(?:Wall time (\S+) seconds[^\n]*\n)?(?:Output:\n*)?/;
const ERROR_HEAD = "Script error:\n";
/** Longer scripts are shown as what they are. */
const MAX_SCRIPT = 1 << 22;

/**
 * Reads the one call that a script makes (C.5): `tools.NAME(…)` with a JSON literal.
 *
 * @param script The script.
 * @returns The call; `undefined` if the script does anything else.
 */
export function scriptedCall(script: string): ScriptedCall | undefined {
  if (script.length > MAX_SCRIPT || !script.includes("tools")) return undefined;
  let found: ScriptedCall | undefined;
  for (let at = 0; at < script.length;) {
    const skipped = afterQuotes(script, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    if (script.startsWith("tools", at) && !isWord(script[at - 1])) {
      TOOL_REGEXP.lastIndex = at;
      const match = TOOL_REGEXP.exec(script);
      if (match !== null) {
        if (found !== undefined) return undefined;
        const [head, name = ""] = match;
        const start = at + head.length;
        const end = endOfValue(script, start);
        const argument = script.slice(start, end);
        if (!/^\s*\)/.test(script.slice(end, end + 100))) return undefined;
        if (parseJson(argument) === undefined) return undefined;
        found = { name, argument };
        at = end;
        continue;
      }
    }
    at += 1;
  }
  return found;
}

/** Gives the end of a string or comment that begins at a place; the place itself if none does. */
function afterQuotes(script: string, start: number): number {
  const quote = script[start];
  if (quote === "/") {
    const end = script.startsWith("//", start)
      ? script.indexOf("\n", start)
      : script.startsWith("/*", start)
      ? script.indexOf("*/", start) + 2
      : start;
    return end < start ? script.length : end;
  }
  if (quote !== '"' && quote !== "'" && quote !== "`") return start;
  for (let at = start + 1; at < script.length; at++) {
    if (script[at] === "\\") at += 1;
    else if (script[at] === quote) return at + 1;
  }
  return script.length;
}

/** Gives where a JSON value ends, if it is one. */
function endOfValue(script: string, start: number): number {
  let depth = 0;
  for (let at = start; at < script.length; at++) {
    const char = script[at];
    if (char === '"') {
      at = afterQuotes(script, at) - 1;
      if (depth === 0) return at + 1;
    } else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth <= 0) return at + 1;
    } else if (depth === 0 && (char === ")" || char === ",")) return at;
  }
  return script.length;
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[\w$.]/.test(char);
}

/**
 * Reads what came of a script.
 *
 * @param output The field `output` of the call: a text, or a list of texts, the header first.
 * @returns What it says; `undefined` if it has no header of a script.
 */
export function readScriptOutput(output: unknown): ScriptOutput | undefined {
  const blocks = typeof output === "string"
    ? [output]
    : listOf(output).map((part) =>
      typeof part === "string" ? part : textOf(fieldsOf(part).text)
    ).filter((text) => text !== undefined);
  const [first = "", ...rest] = blocks;
  const match = HEADER_REGEXP.exec(first);
  if (match === null) return undefined;
  const [head, word, seconds] = match;
  const behind = first.slice(head.length);
  const texts = behind === "" ? rest : [behind, ...rest];
  const isFailed = word === "failed";
  return {
    isFailed: word === "running" ? null : isFailed,
    texts: isFailed
      ? texts.map((text) =>
        text.startsWith(ERROR_HEAD) ? text.slice(ERROR_HEAD.length) : text
      )
      : texts,
    seconds: Number.isFinite(Number(seconds ?? NaN)) ? Number(seconds) : null,
  };
}
