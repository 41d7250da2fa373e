/**
 * Tests that all readers agree on one input: transcripts show every message that search finds, in
 * all captures; and verdicts and transcripts accept any value in any field.
 */

import { assert, assertEquals } from "@std/assert";
import { VerdictBuilder } from "../lib/check/verdict_builder.ts";
import { setOwn } from "../lib/history/plain_json.ts";
import { isObject, parseJson } from "../lib/json/fields.ts";
import { JsonlRecords } from "../lib/pipeline/jsonl_records.ts";
import { HtmlRenderer } from "../lib/render/html.ts";
import type { TranscriptPart } from "../lib/render/parts.ts";
import { TranscriptBuilder } from "../lib/render/transcript.ts";
import { SessionFold } from "../lib/sessions/session_fold.ts";
import { readCapturedFiles } from "./fixtures.ts";
import { encode } from "./running.ts";

// deno-lint-ignore no-control-regex -- They begin with a control character.
const CONTROL_SEQUENCES = /\u001b\[[\d;?]*[A-Za-z]/g;
/** The most lines of a text that is shown unfolded. */
const MAX_UNFOLDED = 7;

/** Returns the letters and digits of an HTML page's text, so that layout does not matter. */
function wordsOfPage(html: string): string {
  return wordsOf(
    html.replace(/<(style|script)\b[^]*?<\/\1>/g, "")
      .replace(/<[^>]*>/g, "")
      .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
      .replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"')
      .replace(/&amp;/g, "&"),
  );
}

function wordsOf(text: string): string {
  return text.replace(/\\[nrtu"\\]/g, "").replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Returns the words of a line without colours, and without the name of an argument. */
function shownWords(line: string): string {
  const text = line.replaceAll(CONTROL_SEQUENCES, "");
  return wordsOf(text.replace(/^[\w.]+: /, ""));
}

/** Whether a line may be shown in part: it is long, or JSON, which is laid out on several lines. */
function isFoldedLine(line: string): boolean {
  return line.length > 200 || /^[[{]|: [[{]/.test(line);
}

/** Renders a session as HTML, with all parts of the transcript. */
function rendered(bytes: Uint8Array): string {
  let html = "";
  const transcript = new TranscriptBuilder();
  const renderer = new HtmlRenderer();
  const show = (part: TranscriptPart): void =>
    renderer.feed(part, (text) => html += text);
  const lines = new JsonlRecords({ from: "rollout" });
  lines.feed(bytes, (outcome) => transcript.feed(outcome, show));
  lines.flush((outcome) => transcript.feed(outcome, show));
  transcript.flush(show);
  renderer.flush((text) => html += text);
  return html;
}

/** The lines before a message between agents, whose heading has the recipient and the author. */
const ENVELOPE_REGEXP =
  /^Message Type: .*\nTask name: (.*)\nSender: (.*)\nPayload:(?:\n|$)/;

Deno.test("the transcript of a session shows every message that search finds", () => {
  const unshown: string[] = [];
  for (const { path, bytes } of readCapturedFiles(/^rollout-.*\.jsonl$/)) {
    // Invisible characters are shown as their codes.
    if (path.includes("/unicode/")) continue;
    const fold = new SessionFold({ fileName: "rollout.jsonl", start: 0 });
    fold.feed(bytes);
    const shown = wordsOfPage(rendered(bytes));
    for (const { kind, text } of fold.take(true).messages) {
      const lines = text.replace(ENVELOPE_REGEXP, "$1\n$2\n").split("\n")
        .filter((line) => wordsOf(line) !== "");
      const missing = lines.filter((line) => !shown.includes(shownWords(line)));
      const isFolded = missing.length < lines.length &&
        (lines.length > MAX_UNFOLDED || lines.some(isFoldedLine));
      if (missing.length > 0 && !isFolded) {
        unshown.push(`${path}: ${kind}: ${missing[0]?.slice(0, 80)}`);
      }
    }
  }
  assertEquals(unshown, []);
});

/**
 * Yields a line with a hostile value in place of each of its values in turn.
 *
 * @param line The line.
 * @param tried The paths of values that were replaced before, in lines of the same type. Those
 *   are not replaced again.
 */
function* withHostileValues(
  line: string,
  tried: Set<string>,
): Generator<string> {
  // Some captures have torn lines.
  const root = parseJson(line);
  function* walk(holder: unknown, path: string): Generator<string> {
    if (!isObject(holder)) return;
    const type = typeof holder.type === "string" ? holder.type : "";
    for (const [name, value] of Object.entries(holder)) {
      const place = `${path}${type}/${Array.isArray(holder) ? "" : name}`;
      yield* walk(value, place);
      if (tried.has(place)) continue;
      tried.add(place);
      // Converting it to a text or a number throws: `toString` and `valueOf` are not functions.
      setOwn(holder, name, { toString: 1, valueOf: 1 });
      yield JSON.stringify(root);
      setOwn(holder, name, value);
    }
  }
  yield* walk(root, "");
}

Deno.test("verdicts accept any value in any field of a captured line", () => {
  const tried = new Set<string>();
  for (const { bytes } of readCapturedFiles(/\.jsonl$/)) {
    const lines = new TextDecoder().decode(bytes).trimEnd().split("\n");
    for (const line of lines) {
      const hostile = [...withHostileValues(line, tried)];
      if (hostile.length === 0) continue;
      const builder = new VerdictBuilder();
      for (const text of [lines[0], ...hostile]) {
        builder.feed(encode(`${text}\n`), () => {});
      }
      builder.flush(() => {});
    }
  }
  assert(tried.size > 1000);
});
