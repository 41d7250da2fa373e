import { assert, assertEquals } from "@std/assert";
import { HistoryState } from "../../lib/history/history_state.ts";
import { commandLine } from "../../lib/dialects/exec/command_line.ts";
import { viewEntry } from "../../lib/render/entry_view.ts";
import { GithubRenderer } from "../../lib/render/github.ts";
import { HtmlRenderer } from "../../lib/render/html.ts";
import { MarkdownRenderer } from "../../lib/render/markdown.ts";
import type { EntryPart, TranscriptPart } from "../../lib/render/parts.ts";
import { snapshotParts } from "../../lib/render/snapshot_parts.ts";
import { TextRenderer } from "../../lib/render/text.ts";
import { inertText } from "../../lib/render/inert_text.ts";
import {
  assertInert,
  assertSound,
  contentOf,
  lettersIn,
  lettersOf,
} from "./sound_pages.ts";
import {
  entriesOf,
  partsOf,
  readTranscriptFiles,
  valuesOf,
  writtenBy,
} from "./transcripts.ts";

/** Every captured file: its transcript, its live transcript and its history. */
const FILES = readTranscriptFiles().map(({ path, bytes }) => {
  const values = valuesOf(bytes);
  const state = new HistoryState();
  for (const value of values) state.apply(value);
  const parts = partsOf(values);
  return {
    path,
    parts,
    live: partsOf(values, { live: true }),
    snapshot: state.snapshot(),
    // The ids of records are reused after a rollback.
    isRolledBack: parts.some(({ type }) => type === "rolled_back"),
  };
});

/** Returns the ids of final entries, each once, without diffs, which replace each other. */
function shownIds(parts: readonly TranscriptPart[]): number[] {
  const ids = entriesOf(parts)
    .filter(({ phase, record }) => phase === "final" && record.type !== "diff")
    .map(({ id }) => id);
  return [...new Set(ids)];
}

/** Asserts that a text contains these pieces one behind the other. */
function assertInOrder(
  text: string,
  pieces: readonly string[],
  path: string,
): void {
  let at = 0;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    assert(found !== -1, `${path}: ${piece}`);
    at = found + piece.length;
  }
}

Deno.test("TranscriptBuilder emits each record of every capture once and in order", () => {
  assert(FILES.length > 900);
  for (const { path, parts, snapshot, isRolledBack } of FILES) {
    if (isRolledBack) continue;
    const { records } = snapshot;
    const shown = shownIds(parts);
    const ends = parts.filter((part) => part.type === "turn_ended");
    const isEnd = (record: typeof records[number]): boolean => {
      if (record.type === "background_event") {
        return ends.some(({ status }) => status === "aborted");
      }
      const view = viewEntry({ record });
      return view.kind === "notice" &&
        ends.some(({ error }) => error?.trim() === view.text.trim());
    };
    const expected = records.filter((record) =>
      record.type !== "diff" && (shown.includes(record.id) || !isEnd(record))
    ).map(({ id }) => id);
    assertEquals(shown, expected, path);
  }
});

Deno.test("TranscriptBuilder emits each final entry of a live transcript once", () => {
  for (const { path, parts, live, isRolledBack } of FILES) {
    if (isRolledBack) continue;
    const finals = entriesOf(live)
      .filter(({ phase, record }) =>
        phase === "final" && record.type !== "plan_update"
      )
      .map(({ id }) => id);
    assertEquals(finals.length, new Set(finals).size, path);
    const ids = entriesOf(parts).map(({ id }) => id);
    assert(finals.every((id) => ids.includes(id)), path);
  }
});

Deno.test("TranscriptBuilder emits the session first, and an end for every turn it starts", () => {
  for (const { path, parts, live } of FILES) {
    for (const transcript of [parts, live]) {
      assertEquals(transcript[0]?.type, "session", path);
      const borders = transcript.flatMap((part) =>
        part.type === "turn_started" || part.type === "turn_ended"
          ? [`${part.type} ${part.turn}`]
          : []
      );
      const turns = Array.from({ length: borders.length / 2 }, (_, at) => [
        `turn_started ${at + 1}`,
        `turn_ended ${at + 1}`,
      ]).flat();
      assertEquals(borders, turns, path);
    }
  }
});

Deno.test("TextRenderer writes the messages of every capture in order, and no control characters", () => {
  for (const { path, live } of FILES) {
    const text = writtenBy(new TextRenderer(), live);
    const pieces = entriesOf(live).flatMap((part) => {
      if (part.phase !== "final") return [];
      const view = viewEntry(part);
      return view.kind === "message"
        ? [inertText(view.text).trim().split("\n", 1)[0]?.trimEnd() ?? ""]
        : [];
    });
    assertInOrder(text, pieces, path);
    // deno-lint-ignore no-control-regex
    assertEquals(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.exec(text), null);
    const narrow = writtenBy(new TextRenderer({ columns: () => 40 }), live);
    const squeezed = (written: string): number =>
      written.replace(/[\s…]/g, "").length;
    assert(squeezed(narrow) <= squeezed(text), path);
  }
});

Deno.test("MarkdownRenderer writes the commands of every capture in order, and closes its folds", () => {
  for (const { path, parts } of FILES) {
    const text = writtenBy(new MarkdownRenderer(), parts);
    const pieces = entriesOf(parts).flatMap(({ record }) => {
      if (record.type !== "exec" || !("command" in record.payload)) return [];
      const { command } = record.payload;
      if (!Array.isArray(command)) return [];
      const words = /^[\w ]+/.exec(commandLine(command));
      return words === null ? [] : [`$ ${words[0]}`.trimEnd()];
    });
    assertInOrder(text, pieces, path);
    // Every fold that opens is closed.
    const tags = text.replace(/^(`{3,})[^`\n]*\n[^]*?\n\1$/gm, "")
      .match(/^<\/?(?:details|summary)/gm) ?? [];
    assertEquals(
      tags.filter((tag) => tag === "<details").length,
      tags.filter((tag) => tag === "</details").length,
      path,
    );
  }
});

/** The letters that the HTML of an entry has to contain. */
function traceOf(part: EntryPart): string {
  const view = viewEntry(part);
  switch (view.kind) {
    case "command":
      return lettersIn(view.command.trim().split("\n")[0] ?? "");
    case "message":
      return view.role === "user" ? lettersIn(view.text) : "";
    case "tool":
      return lettersIn(view.title);
    case "notice":
      return lettersIn(view.text.slice(0, 200));
    default:
      return "";
  }
}

Deno.test("HtmlRenderer writes every entry of every capture once and in order", () => {
  for (const { path, parts } of FILES) {
    const page = writtenBy(new HtmlRenderer(), parts);
    assertSound(page);
    const main = contentOf(page, "main");
    const shown = parts.filter(({ type }) =>
      type === "entry" || type === "failure"
    );
    assertEquals(main.match(/ class="e /g)?.length ?? 0, shown.length, path);
    const turns = parts.filter(({ type }) => type === "turn_started");
    assertEquals(
      [...main.matchAll(/<section class="turn" id="turn-(\d+)"/g)].map((
        [, n],
      ) => Number(n)),
      turns.map((part) => part.type === "turn_started" ? part.turn : 0),
      path,
    );
    const entries = main.split(/(?=<(?:article|details|div) class="e )/).slice(
      1,
    )
      .map(lettersOf);
    for (const [i, part] of shown.entries()) {
      if (part.type !== "entry") continue;
      const trace = traceOf(part);
      assert(entries[i]?.includes(trace), `${path}: ${trace} in ${entries[i]}`);
    }
  }
});

function looksIn(parts: readonly TranscriptPart[]): number {
  return parts.reduce((sum, part) => {
    const view = part.type === "entry" ? viewEntry(part) : undefined;
    return sum + (view?.kind === "explore" ? view.looks.length : 0);
  }, 0);
}

Deno.test("GithubRenderer writes the commands and turns of every capture", () => {
  for (const { path, parts } of FILES) {
    const summary = writtenBy(new GithubRenderer(), parts);
    assertInert(summary);
    const [, steps = ""] = summary.split("### Steps\n");
    const commands = parts.flatMap((part) => {
      const view = part.type === "entry" ? viewEntry(part) : undefined;
      return view?.kind === "command" ? [view] : [];
    });
    assertEquals(
      steps.match(/<code>\$ /g)?.length ?? 0,
      commands.length + looksIn(parts),
      path,
    );
    const turns = parts.filter(({ type }) => type === "turn_ended").length;
    assertEquals(
      summary.match(/^<tr><td align="right">\d/gm)?.length ?? 0,
      turns,
      path,
    );
  }
});

Deno.test("TextRenderer and MarkdownRenderer write the snapshot of every capture", () => {
  for (const { path, snapshot } of FILES) {
    const parts = [...snapshotParts(snapshot)];
    assertEquals(entriesOf(parts).length, snapshot.records.length, path);
    for (const renderer of [new TextRenderer(), new MarkdownRenderer()]) {
      const text = writtenBy(renderer, parts);
      assert(snapshot.records.length === 0 || text !== "", path);
    }
  }
});

Deno.test("TranscriptBuilder emits each section and entry of a growing record once if it is live", () => {
  let count = 0;
  for (const { path, live, snapshot, isRolledBack } of FILES) {
    if (isRolledBack) continue;
    const emitted = new Map<number, unknown[]>();
    for (const { phase, id, record } of entriesOf(live)) {
      if (phase !== "final" && phase !== "late") continue;
      emitted.set(id, [...emitted.get(id) ?? [], ...growing(record)]);
    }
    for (const record of snapshot.records) {
      const list = growing(record);
      assertEquals(emitted.get(record.id) ?? [], list, path);
      count += list.length;
    }
  }
  assert(count > 200, `${count}`);
});

/** The parts of a record that can be added after it was emitted: sections and entries. */
function growing({ payload }: { readonly payload: object }): unknown[] {
  if ("sections" in payload && Array.isArray(payload.sections)) {
    return payload.sections;
  }
  return "entries" in payload && Array.isArray(payload.entries)
    ? payload.entries
    : [];
}
