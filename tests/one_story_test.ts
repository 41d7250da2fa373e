/**
 * Every reader tells the same of one input: what search finds, transcripts show, over all
 * captures, and whatever stands in a field, it is judged and shown.
 */

import { assert, assertEquals } from "@std/assert";
import { VerdictBuilder } from "../lib/check/verdict_builder.ts";
import { setOwn } from "../lib/history/plain_json.ts";
import { isObject } from "../lib/json/fields.ts";
import { JsonlRecords } from "../lib/pipeline/jsonl_records.ts";
import { HtmlRenderer } from "../lib/render/html.ts";
import type { TranscriptPart } from "../lib/render/parts.ts";
import { TranscriptBuilder } from "../lib/render/transcript.ts";
import { SessionFold } from "../lib/sessions/session_fold.ts";
import { readCapturedFiles } from "./rollouts.ts";
import { encode } from "./running.ts";

// deno-lint-ignore no-control-regex -- That is what they begin with.
const CONTROL_SEQUENCES = /\u001b\[[\d;?]*[A-Za-z]/g;
/** How many lines a text may have of which nothing is folded away. */
const MAX_UNFOLDED = 7;

/**
 * The session in which the summary of a compaction has been shown as the answer that it looked
 * like when the compaction comes.
 */
const SHOWN_BEFORE = /^0\.42\.0\/tui\/.*: background_event: Context compacted$/;

/** What is written in an HTML page, letters and digits alone: how it is laid out is no matter. */
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

/** The words of a line: control sequences are colours, and names of arguments stand elsewhere. */
function shownWords(line: string): string {
  const text = line.replaceAll(CONTROL_SEQUENCES, "");
  return wordsOf(text.replace(/^[\w.]+: /, ""));
}

/** Whether of a line a part is left out: it is long, or JSON, which is laid out on many. */
function isFoldedLine(line: string): boolean {
  return line.length > 200 || /^[[{]|: [[{]/.test(line);
}

/** Renders a session as HTML, with nothing left out that the transcript has. */
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

Deno.test("what search finds of a session, its transcript shows", () => {
  const unshown: string[] = [];
  for (const { path, bytes } of readCapturedFiles(/^rollout-.*\.jsonl$/)) {
    // Characters that nobody sees are shown as what they are.
    if (path.includes("/unicode/")) continue;
    const fold = new SessionFold({ fileName: "rollout.jsonl", start: 0 });
    fold.feed(bytes);
    const shown = wordsOfPage(rendered(bytes));
    for (const { kind, text } of fold.take(true).messages) {
      const lines = text.split("\n").filter((line) => wordsOf(line) !== "");
      const missing = lines.filter((line) => !shown.includes(shownWords(line)));
      const isFolded = missing.length < lines.length &&
        (lines.length > MAX_UNFOLDED || lines.some(isFoldedLine));
      if (missing.length > 0 && !isFolded) {
        unshown.push(`${path}: ${kind}: ${missing[0]?.slice(0, 80)}`);
      }
    }
  }
  assertEquals(unshown.filter((each) => !SHOWN_BEFORE.test(each)), []);
});

/** The text of a line with another value in one place after the other. */
function* withAnother(line: string): Generator<string> {
  const root: unknown = JSON.parse(line);
  function* walk(holder: unknown): Generator<string> {
    if (!isObject(holder)) return;
    for (const [name, value] of Object.entries(holder)) {
      yield* walk(value);
      // No function is where programs call one to make a text or a number of it.
      setOwn(holder, name, { toString: 1, valueOf: 1 });
      yield JSON.stringify(root);
      setOwn(holder, name, value);
    }
  }
  yield* walk(root);
}

for (const name of ["0.42.0/mcp", "0.104.0/mcp", "0.169.0/shellmany"]) {
  Deno.test(`whatever stands in a field of ${name}, it is judged and shown`, () => {
    const kinds = new Set<string>();
    for (const { path, bytes } of readCapturedFiles(/\.jsonl$/)) {
      if (!path.startsWith(`${name}/`)) continue;
      const lines = new TextDecoder().decode(bytes).trimEnd().split("\n");
      for (const line of lines) {
        const kind = line.replaceAll(/"(?:[^"\\]|\\.)*"(?!:)|[\d.]+/g, "");
        if (kinds.has(kind)) continue;
        kinds.add(kind);
        const builder = new VerdictBuilder();
        for (const text of [lines[0], ...withAnother(line)]) {
          builder.feed(encode(`${text}\n`), () => {});
        }
        builder.flush(() => {});
      }
    }
    assert(kinds.size > 0);
  });
}
