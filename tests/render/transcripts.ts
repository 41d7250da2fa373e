/**
 * Transcripts of captures and of made-up lines, for the tests of renderers.
 *
 * @module
 */

import { assert } from "@std/assert";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { EntryPart, TranscriptPart } from "../../lib/render/parts.ts";
import {
  TranscriptBuilder,
  type TranscriptOptions,
} from "../../lib/render/transcript.ts";
import type { Stage } from "../../lib/stage.ts";
import { type CapturedFile, linesOf, readCapturedFiles } from "../fixtures.ts";
import { emitted, encode, normalizeBytes } from "../running.ts";
import { eventLine, line, pagedLine } from "../session_lines.ts";

/** Returns every captured file that has a transcript. */
export function readTranscriptFiles(): CapturedFile[] {
  return readCapturedFiles(
    /^(?:stdout(?:\.\d+)?|(?:archived-)?rollout-.*)\.jsonl$/,
  );
}

/** Parses JSONL into normalized values, with failures as values. */
export function valuesOf(bytes: Uint8Array): unknown[] {
  return linesOf(normalizeBytes([bytes], { from: "auto" }))
    .map((line): unknown => JSON.parse(line));
}

/** Returns the transcript of normalized values. */
export function partsOf(
  values: readonly unknown[],
  options: TranscriptOptions = {},
): TranscriptPart[] {
  return emitted(
    new TranscriptBuilder(options),
    values.map((value, at) => ({
      ok: true as const,
      line: at + 1,
      offset: 0,
      value,
    })),
  );
}

/** Returns the transcript of lines of JSON. */
export function partsOfLines(
  lines: readonly (string | Record<string, unknown>)[],
  options: TranscriptOptions = {},
): TranscriptPart[] {
  const text = lines.map((line) =>
    typeof line === "string" ? line : JSON.stringify(line)
  ).join("\n");
  return partsOf(valuesOf(encode(text)), options);
}

/** Renders a transcript. */
export function writtenBy(
  renderer: Stage<TranscriptPart, string>,
  parts: Iterable<TranscriptPart>,
): string {
  return emitted(renderer, parts).join("");
}

/** The size of the heap without garbage, in bytes. */
export function heap(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return Deno.memoryUsage().heapUsed;
}

/** The entries of a transcript. */
export function entriesOf(parts: readonly TranscriptPart[]): EntryPart[] {
  return parts.filter((part) => part.type === "entry");
}

/** The beginning of an exec stream. */
export const THREAD = { type: "thread.started", thread_id: "t1" } as const;
/** The beginning of a turn. */
export const TURN = { type: "turn.started" } as const;
/** The end of a turn. */
export const DONE = {
  type: "turn.completed",
  usage: { input_tokens: 1234, cached_input_tokens: 1000, output_tokens: 567 },
} as const;

/** An event of an item. */
export function item(
  event: "started" | "updated" | "completed",
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return { type: `item.${event}`, item: fields };
}

/** A message of the agent. */
export function message(text: string, id = "item_0"): Record<string, unknown> {
  return item("completed", { id, type: "agent_message", text });
}

/** A command at its beginning or its end. */
export function command(
  event: "started" | "completed",
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const isStarted = event === "started";
  return item(event, {
    id: "item_1",
    type: "command_execution",
    command: "/bin/bash -lc 'npm test'",
    aggregated_output: isStarted ? "" : "ok\n",
    exit_code: isStarted ? null : 0,
    status: isStarted ? "in_progress" : "completed",
    ...fields,
  });
}

/** Asserts that a renderer cuts a command and `count` characters of output between characters. */
export function assertCutsBetweenCharacters(
  make: () => Stage<TranscriptPart, string>,
  count: number,
): void {
  // Each character has two UTF-16 units: a cut within a pair shows with or without the letter
  // before.
  for (const start of ["", "a"]) {
    const text = writtenBy(
      make(),
      partsOfLines([
        THREAD,
        command("completed", {
          command: start + "😀".repeat(2000),
          aggregated_output: start + "😀".repeat(count) + start,
          exit_code: 1,
          status: "failed",
        }),
      ]),
    );
    assert(text.includes("characters left out here"));
    assert(!text.includes("\ufffd"));
  }
}

/** Items of the other types, with a text in every text field. */
export function itemsOf(text: string): Record<string, unknown>[] {
  return [
    item("completed", { id: "r", type: "reasoning", text }),
    item("completed", { id: "w", type: "web_search", query: text }),
    item("completed", {
      id: "t",
      type: "mcp_tool_call",
      server: text,
      tool: text,
      arguments: { [text]: text },
      error: { message: text },
      status: "failed",
    }),
    item("completed", {
      id: "p",
      type: "todo_list",
      items: [{ text, completed: false }],
    }),
    item("completed", {
      id: "f",
      type: "file_change",
      changes: [{ path: text, kind: "add" }],
      status: "failed",
    }),
  ];
}

/** A key that is redacted as `openai_key`. */
export const SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";

/** A command that reads a file, with its output. */
export function look(
  file: string,
  output: string,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return pagedLine("CommandExecution", {
    id: file,
    command: ["/bin/bash", "-lc", `cat ${file}`],
    parsed_cmd: [{ type: "read", cmd: `cat ${file}`, name: file }],
    status: "completed",
    aggregated_output: output,
    exit_code: 0,
    ...fields,
  });
}

/** The header of a session file in which events record commands. */
export const LEGACY = line("session_meta", {
  id: "s",
  history_mode: "legacy",
});

/** The beginning of a command that reads a file. */
export function lookBegin(file: string): Record<string, unknown> {
  return eventLine("exec_command_begin", {
    call_id: file,
    command: ["/bin/bash", "-lc", `cat ${file}`],
    parsed_cmd: [{ type: "read", cmd: `cat ${file}`, name: file }],
  });
}

/** The end of such a command, without the command line. */
export function lookEnd(file: string, output: string): Record<string, unknown> {
  return eventLine("exec_command_end", {
    call_id: file,
    stdout: output,
    stderr: "",
    exit_code: 0,
  });
}
