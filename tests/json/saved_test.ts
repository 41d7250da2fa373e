/**
 * Saved state: a normalizer that resumes from it writes the same as one that never stopped.
 */

import { assertEquals } from "@std/assert";
import { textOf } from "../../lib/json/fields.ts";
import { savedCount, savedMap } from "../../lib/json/saved.ts";
import { JsonlNormalizer } from "../../mod.ts";
import { readCapturedFiles } from "../rollouts.ts";
import { encode } from "../running.ts";

/** Files with more lines are cut only at about SOME_CUTS of them. */
const ALL_CUTS = 40;
const SOME_CUTS = 12;
/** Longer files have one long output, take long, and have no further cases. */
const MAX_BYTES = 200_000;

/** Yields, for each end, the answers to the bytes before it and the saved state. */
function* prefixes(
  bytes: Uint8Array,
  ends: readonly number[],
): Generator<{ readonly at: number; readonly text: string; saved: unknown }> {
  let text = "";
  const decoder = new TextDecoder();
  const normalizer = new JsonlNormalizer({ onError: "drop" });
  let start = 0;
  for (const at of ends) {
    normalizer.feed(bytes.subarray(start, at), (answers) => {
      text += decoder.decode(answers);
    });
    start = at;
    yield { at, text, saved: JSON.parse(JSON.stringify(normalizer.save())) };
  }
}

/** Normalizes bytes, and returns the answers and the saved state. */
function normalized(
  bytes: Uint8Array,
  resume: unknown,
): { readonly text: string; readonly saved: unknown } {
  let text = "";
  const decoder = new TextDecoder();
  const normalizer = new JsonlNormalizer({ onError: "drop", resume });
  const keep = (answers: Uint8Array): void => {
    text += decoder.decode(answers);
  };
  normalizer.feed(bytes, keep);
  normalizer.flush(keep);
  return { text, saved: JSON.parse(JSON.stringify(normalizer.save())) };
}

/** The offsets of all lines except the first. */
function lineStarts(bytes: Uint8Array): number[] {
  const starts: number[] = [];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) {
    if (at + 1 < bytes.length) starts.push(at + 1);
  }
  return starts;
}

for (
  const { path, bytes } of readCapturedFiles(/^(?:stdout|rollout-).*\.jsonl$/)
) {
  if (bytes.length > MAX_BYTES) continue;
  Deno.test(`JsonlNormalizer continues from its saved state: ${path}`, () => {
    const whole = normalized(bytes, undefined);
    const starts = lineStarts(bytes);
    const step = starts.length > ALL_CUTS
      ? Math.ceil(starts.length / SOME_CUTS)
      : 1;
    const cuts = starts.filter((_, i) => i % step === 0);
    for (const { at, ...first } of prefixes(bytes, cuts)) {
      const rest = normalized(bytes.subarray(at), first.saved);
      assertEquals(first.text + rest.text, whole.text, `cut at ${at}`);
      assertEquals(rest.saved, whole.saved, `cut at ${at}`);
    }
  });
}

/** Initial thread ids before and after a state that was saved before the first record. */
const SEEDS = [
  { name: "the id of the first part", first: "T", rest: undefined },
  { name: "the id of the rest", first: undefined, rest: "T" },
  { name: "the id of the rest in place of the first", first: "U", rest: "T" },
] as const;

for (const { name, first, rest } of SEEDS) {
  for (const head of ["", "\n", "not JSON\n"]) {
    Deno.test(`JsonlNormalizer resumes a stream saved after ${JSON.stringify(head)} with ${name}`, () => {
      const before = new JsonlNormalizer({
        initialThreadId: first,
        onError: "drop",
      });
      before.feed(encode(head), () => {});
      const resume: unknown = JSON.parse(JSON.stringify(before.save()));
      const normalizer = new JsonlNormalizer({ initialThreadId: rest, resume });
      let text = "";
      normalizer.feed(encode('{"type":"turn.started"}\n'), (bytes) => {
        text += new TextDecoder().decode(bytes);
      });
      assertEquals(JSON.parse(text).thread_id, "T");
    });
  }
}

const HOSTILE_TEXTS = {
  after_break: 1,
  open: [1, ["a"], ["b", 2], ["agent_message", ["item_x", 1, null]]],
};
const HOSTILE_OLD = {
  calls: [["command c", "{"], ["stdout c", "[300]"], ["d", 1], ["e"], 1],
  usage: {
    total: "[]",
    sums: [["input_tokens", "x"], ["output_tokens", "9".repeat(2000)]],
  },
};
const HOSTILE = [
  null,
  1,
  "text",
  [],
  { kind: "exec", rules: { context: { thread_id: 1, turns: -1 } } },
  {
    kind: "exec",
    rules: { old: { texts: HOSTILE_TEXTS, plan_id: "x", items: 1.5 } },
  },
  { kind: "exec", rules: { old: HOSTILE_OLD } },
  { kind: "rollout", rules: { last_time: "1", session_time: {} } },
  { kind: "rollout", rules: { last_time: `"${"x".repeat(500)}"` } },
  JSON.parse('{"__proto__":{"kind":"rollout"}}'),
];

for (const saved of HOSTILE) {
  Deno.test(`JsonlNormalizer ignores invalid members of the saved state ${JSON.stringify(saved).slice(0, 80)}`, () => {
    const line = new TextEncoder().encode('{"type":"error","message":"m"}\n');
    const { text } = normalized(line, saved);
    if (text !== "") assertEquals(text, '{"type":"error","message":"m"}\n');
  });
}

Deno.test("JsonlNormalizer ignores texts that are not JSON in the saved calls and counts of the old dialect", () => {
  const rules = {
    context: { thread_id: "t", turn_id: "1" },
    old: HOSTILE_OLD,
  };
  const messages = [
    {
      type: "exec_command_output_delta",
      call_id: "c",
      stream: "stdout",
      chunk: "YQ==",
    },
    { type: "exec_command_end", call_id: "c", exit_code: 0 },
    { type: "task_complete" },
  ];
  const lines = messages.map((msg) => `${JSON.stringify({ id: "1", msg })}\n`);
  const { text } = normalized(encode(lines.join("")), { kind: "exec", rules });
  const [delta, end, turn] = text.trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  assertEquals(delta.delta, { stdout: "a" });
  assertEquals(end.content, { command: "", exit_code: 0 });
  assertEquals(turn.usage, undefined);
});

Deno.test("savedCount() returns 0 for values that are not counts", () => {
  const counts = [3, -1, 1.5, "2", null].map(savedCount);
  assertEquals(counts, [3, 0, 0, 0, 0]);
});

Deno.test("savedMap() returns only pairs whose key and value are valid", () => {
  const pairs = [["a", "1"], [1, "2"], "b", ["c"], ["d", 2]];
  assertEquals(savedMap(pairs, textOf, textOf), new Map([["a", "1"]]));
  assertEquals(savedMap(1, textOf, textOf), new Map());
});
