/** Parses the output of a call in all the forms that rollout files have (C.3). */

import {
  booleanOf,
  fieldsOf,
  isObject,
  listOf,
  numberOf,
  parseJson,
  textOf,
  wholeOf,
} from "../json/fields.ts";
import { ownText } from "../json/utf8.ts";

export interface ToolOutput {
  /** The output without the header that Codex puts before it. */
  readonly text: string;
  /** The blocks of a structured output; otherwise only `text`. */
  readonly blocks: readonly unknown[];
  readonly exitCode: number | null;
  readonly seconds: number | null;
  /** The session of unified exec in which its process still runs; `null` if it does not run. */
  readonly session: string | null;
  /** Whether the output itself states success; `null` if it states nothing. */
  readonly success: boolean | null;
}

/** A text output without its header. */
type PlainOutput = Omit<ToolOutput, "blocks" | "success">;

const COMMAND_REGEXP =
  /^Command: [^]*?\n(?=Chunk ID: |Wall time: |Exit code: )/;
const OUTPUT_LINE = "Output:";
const HEADER_REGEXP =
  /^(?:(?:Exit code:|Process exited with code) (?<code>-?\d+)|Process running with session ID (?<session>\S+)|Wall time: (?<seconds>\S+) seconds|Total output lines: \d+|Chunk ID: \S*|Original token count: \d+)$/;
const DENIAL_CODE_REGEXP = /ExecToolCallOutput \{ exit_code: (-?\d+), /;
const DENIAL_START = 'aggregated_output: StreamOutput { text: "';
const DENIAL_END = '", truncated_after_lines: ';
const RUST_ESCAPE_REGEXP = /\\(?:u\{([0-9a-f]{1,5})\}|(.))/g;
const RUST_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["0", "\0"],
]);
/** Matches the output of a call whose turn was interrupted. */
const ABORTED_REGEXP =
  /^(?:Wall time: (?<seconds>\S+) seconds\n)?aborted by user(?: after \S+)?$/;

/** Parses the output of a call: a text, a list of content, or (in old releases) an object. */
export function readToolOutput(output: unknown): ToolOutput {
  if (isObject(output)) {
    const content = output.content ?? output.text;
    const inner = readToolOutput(
      isObject(content) ? contentText(content) : content,
    );
    return { ...inner, success: booleanOf(output.success) ?? inner.success };
  }
  if (Array.isArray(output)) {
    const text = contentText(output, "\n");
    const plain = withoutHeader(text);
    // An output without a header is shown block by block; behind one, only images are.
    const blocks = plain.text === text ? output : [
      plain.text,
      ...output.filter((part) => contentTexts(part).length === 0),
    ];
    return { ...plain, blocks, success: null };
  }
  const plain = withoutHeader(textOf(output) ?? "");
  const blocks = [plain.text];
  const aborted = ABORTED_REGEXP.exec(plain.text);
  if (aborted === null) return { ...plain, blocks, success: null };
  const seconds = secondsIn(aborted) ?? plain.seconds;
  return { ...plain, seconds, blocks, success: false };
}

export function contentText(content: unknown, separator = ""): string {
  return typeof content === "string"
    ? content
    : contentTexts(content).join(separator);
}

/**
 * Returns the texts of content: a text, an object with a `text`, or a list of these. Deeper levels
 * than those of parts are not read: a line of thousands would overflow the stack.
 */
export function contentTexts(content: unknown, levels = 4): string[] {
  if (typeof content === "string") return [content];
  if (levels === 0) return [];
  return isObject(content)
    ? contentTexts(content.text, levels - 1)
    : listOf(content).flatMap((part) => contentTexts(part, levels - 1));
}

function withoutHeader(text: string): PlainOutput {
  const plain = fromHeader(text) ?? fromDenial(text) ??
    { text, exitCode: null, seconds: null, session: null };
  // In older releases, a header may precede the JSON.
  return plain.exitCode === null ? fromJson(plain.text) ?? plain : plain;
}

/**
 * Parses an output as JSON: `{"output":"…","metadata":{"exit_code":0,"duration_seconds":0.1}}`, or
 * the form of unified exec up to 0.53 and in scripts,
 * `{"output":"…","exit_code":0,"wall_time_seconds":0.1}`, with `session_id` instead of `exit_code`
 * if the process still runs.
 */
function fromJson(text: string): PlainOutput | undefined {
  if (!text.startsWith("{")) return undefined;
  const printed = fieldsOf(parseJson(text));
  const { output, metadata, session_id, wall_time_seconds } = printed;
  const isNumbered = typeof wall_time_seconds === "number";
  if (typeof output !== "string") return undefined;
  if (!isObject(metadata) && !isNumbered) return undefined;
  const { exit_code, duration_seconds } = isObject(metadata)
    ? metadata
    : printed;
  const exitCode = wholeOf(exit_code) ?? null;
  return {
    text: output,
    exitCode,
    seconds: numberOf(duration_seconds) ?? numberOf(wall_time_seconds) ?? null,
    session: exitCode === null ? sessionOf(session_id) : null,
  };
}

/**
 * Parses the output of a command that failed in the sandbox of unified exec (0.98 to 0.121): its
 * result as Rust prints it, with `exit_code: 1` and the printed text in quotes.
 */
function fromDenial(text: string): PlainOutput | undefined {
  if (!text.startsWith("exec_command failed")) return undefined;
  const [, code] = DENIAL_CODE_REGEXP.exec(text) ?? [];
  const start = text.lastIndexOf(DENIAL_START);
  const end = text.lastIndexOf(DENIAL_END);
  if (code === undefined || start === -1 || end < start) return undefined;
  return {
    text: text.slice(start + DENIAL_START.length, end)
      .replace(
        RUST_ESCAPE_REGEXP,
        (_, hex, char) =>
          hex === undefined
            ? RUST_ESCAPES.get(char) ?? char
            : String.fromCodePoint(parseInt(hex, 16)),
      ),
    exitCode: Number(code),
    seconds: null,
    session: null,
  };
}

/** Returns the id of a session, a number or text, as text. */
export function sessionOf(id: unknown): string | null {
  return typeof id === "number" ? String(id) : textOf(id) ?? null;
}

/** Parses an output with a header: lines with the result, then `Output:` and the printed text. */
function fromHeader(text: string): PlainOutput | undefined {
  let exitCode: number | null = null;
  let seconds: number | null = null;
  let session: string | null = null;
  let start = COMMAND_REGEXP.exec(text.slice(0, 100_000))?.[0].length ?? 0;
  for (let lines = 0;; lines++) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end === -1 ? text.length : end)
      .replace(/\r$/, "");
    start = end === -1 ? text.length : end + 1;
    if (line === OUTPUT_LINE) {
      return lines === 0 ? undefined : {
        // The text is kept for long; a copy does not keep the input lines alive.
        text: ownText(text.slice(start)),
        exitCode,
        seconds,
        session,
      };
    }
    const match = HEADER_REGEXP.exec(line);
    if (match === null || end === -1) return undefined;
    if (match.groups?.code !== undefined) exitCode = Number(match.groups.code);
    session = match.groups?.session ?? session;
    seconds ??= secondsIn(match);
  }
}

export function secondsIn({ groups }: RegExpExecArray): number | null {
  const seconds = Number(groups?.seconds ?? NaN);
  return Number.isFinite(seconds) ? seconds : null;
}
