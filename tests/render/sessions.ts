/**
 * Sessions, hostile texts and golden files for the tests of renderers.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { JsonlDecoder } from "../../lib/pipeline/event_pipeline.ts";
import type { TranscriptPart } from "../../lib/render/parts.ts";
import { TranscriptBuilder } from "../../lib/render/transcript.ts";
import { compose } from "../../lib/stage.ts";
import { namesIn, readFixture } from "../fixtures.ts";
import { emitted, encode, jsonl } from "../running.ts";

const TESTDATA = new URL("../../testdata/", import.meta.url);

/** Reads the only file of a scenario whose name has this beginning. */
export function readSession(
  folder: string,
  start: string,
): Uint8Array<ArrayBuffer> {
  const names = namesIn(`captures/${folder}`).filter((name) =>
    name.startsWith(start)
  );
  assertEquals(names.length, 1, `${folder}${start}`);
  return readFixture(`captures/${folder}${names[0]}`);
}

/** Returns the parts of the transcript of a session. */
export function partsOfBytes(bytes: Uint8Array): TranscriptPart[] {
  return emitted(compose(new JsonlDecoder(), new TranscriptBuilder()), [bytes]);
}

/**
 * Compares text with a file below `testdata/render/`.
 *
 * With the test argument `--update` the text is written to the file instead; review the diff.
 */
export function assertGolden(name: string, text: string): void {
  const url = new URL(`render/${name}`, TESTDATA);
  if (Deno.args.includes("--update")) Deno.writeTextFileSync(url, text);
  else assertEquals(text, Deno.readTextFileSync(url));
}

/** The sessions of the golden files: releases of every age, each with another scenario. */
export const GOLDEN_SESSIONS: readonly {
  readonly name: string;
  readonly folder: string;
  readonly start: string;
}[] = [
  {
    name: "0.1-shellmany",
    folder: "0.1.2505172129/shellmany/",
    start: "stdout",
  },
  { name: "0.20-patch", folder: "0.20.0/patch/", start: "stdout" },
  { name: "0.42-plan", folder: "0.42.0/plan/", start: "stdout" },
  { name: "0.44-failmid", folder: "0.44.0/failmid/", start: "stdout" },
  { name: "0.61-unicode", folder: "0.61.0/unicode/", start: "rollout" },
  { name: "0.104-reasoning", folder: "0.104.0/reasoning/", start: "rollout" },
  { name: "0.130-review", folder: "0.130.0/review/", start: "stdout" },
  { name: "0.160-patch", folder: "0.160.0/patch/", start: "rollout" },
  { name: "0.169-shellmany", folder: "0.169.0/shellmany/", start: "stdout" },
  { name: "0.169-explore", folder: "0.169.0/shellmany/", start: "rollout" },
  { name: "0.169-tui", folder: "0.169.0/tui/", start: "rollout" },
];

/** Control characters of terminals, and characters that change the direction of text. */
export const CONTROL_REGEXP =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

/** Texts that must have no effect in any output, by the kind of the effect. */
export const HOSTILE = {
  tags:
    '<script>alert(1)</script><img src=x onerror="alert(2)"></pre></details>',
  attributes: `" onmouseover="alert(3)" x='`,
  references: "&lt;b&gt;&#60;script&#62;",
  scripts: "[click](javascript:alert(4)) [data](data:text/html,<b>x</b>)",
  images: "![pixel](https://tracker.example/pixel.png)",
  terminal:
    "\x1b[2J\x1b]8;;https://evil.example\x07link\x1b]8;;\x07\x1b]0;title\x07",
  bidi: "user\u202e \u2066// check\u2069 \u2066admin\u200f",
  fences: "```\n````\n~~~\n</code></pre>\n# heading",
  commands:
    "::error::x\n  ::set-output name=a::b\n::stop-commands::t\r::add-mask::y\n##[error]z\n##vso[task.x]",
  blankLines: "a\n\n\n# b\n \n\t\n<b>c",
  table: "| a | b |\n|---|---|",
  frontMatter: "---\ntitle: x\n---",
  controls: "\0 \x07 \x7f \x9b \u2028 \ufeff",
} as const;

/** A session with hostile text in every field that holds text. */
export function hostileSession(): Uint8Array<ArrayBuffer> {
  const all = Object.values(HOSTILE).join("\n");
  const lines: unknown[] = [
    {
      timestamp: "2026-11-20T09:00:00.000Z",
      type: "session_meta",
      payload: {
        id: all,
        cwd: `/tmp/${all}`,
        cli_version: all,
        model: all,
        timestamp: "2026-11-20T09:00:00.000Z",
      },
    },
    event({ type: "task_started", turn_id: all }),
    event({ type: "user_message", message: all, images: [all] }),
    event({ type: "agent_reasoning", text: `**${all}**\n\n${all}` }),
    event({ type: "agent_message", message: all }),
    ...Object.values(HOSTILE).map((message) =>
      event({ type: "agent_message", message })
    ),
    event({
      type: "exec_command_begin",
      call_id: all,
      command: ["bash", "-lc", all],
      cwd: all,
      parsed_cmd: [],
    }),
    event({
      type: "exec_command_end",
      call_id: all,
      command: ["bash", "-lc", all],
      cwd: all,
      stdout: all,
      stderr: all,
      exit_code: 1,
      duration: { secs: 1, nanos: 0 },
    }),
    event({
      type: "mcp_tool_call_begin",
      call_id: "m",
      invocation: { server: all, tool: all, arguments: { [all]: all } },
    }),
    event({
      type: "mcp_tool_call_end",
      call_id: "m",
      invocation: { server: all, tool: all, arguments: { [all]: all } },
      duration: { secs: 1, nanos: 0 },
      result: { Ok: { content: [{ type: "text", text: all }] } },
    }),
    event({
      type: "patch_apply_begin",
      call_id: "p",
      auto_approved: true,
      changes: {
        [all]: { type: "update", unified_diff: all, move_path: all },
        __proto__: { type: "add", content: all },
      },
    }),
    event({
      type: "patch_apply_end",
      call_id: "p",
      stdout: all,
      stderr: all,
      success: false,
    }),
    event({ type: "plan_update", plan: [{ step: all, status: "pending" }] }),
    event({ type: "warning", message: all }),
    event({ type: "background_event", message: all }),
    event({ type: "error", message: all }),
    { type: "line.failed", line: 1, error: { kind: all, message: all } },
    event({ type: "turn_aborted", turn_id: all, reason: all }),
  ];
  return encode(`${jsonl(lines)}{"torn": "${HOSTILE.tags}\n`);
}

function event(payload: Record<string, unknown>): unknown {
  return { timestamp: "2026-11-20T09:00:01.000Z", type: "event_msg", payload };
}
